"""A hook's time-out: the number in its entry, in the unit of its dialect, converted to seconds."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tenterhook.config.entries import EntryReader
    from tenterhook.dialects.schema.dialect import EventRule, Type
    from tenterhook.types import Path

# What time-outs are counted in.
UNITS = {
    "seconds": "seconds",
    "milliseconds": "milliseconds",
    "whole-seconds": "whole seconds, at least one",
    "seconds-below-1000": "seconds, and milliseconds from 1000 on",
}
# Above this, seconds were probably meant as milliseconds; below it, milliseconds as seconds.
IMPLAUSIBLE: dict[str, Callable[[float], bool]] = {
    "seconds": lambda value: value >= 1000,
    "whole-seconds": lambda value: value >= 1000,
    "milliseconds": lambda value: value < 100,
}
# What a unit is called in a sentence; and its smallest value, in seconds.
WHOLE = "whole-seconds"
COUNTED = {WHOLE: "seconds"}
LEAST = {WHOLE: 1.0}
# From this number on it is milliseconds, where smaller ones are seconds.
EITHER, LARGE = "seconds-below-1000", 1000
LONGEST = 4e6  # 46 days; on some systems a lock cannot wait longer
DIVISOR = {"seconds": 1.0, "whole-seconds": 1.0, "milliseconds": 1000.0}


def timeout(r: EntryReader, entry: tuple[str, Any, Path] | None, rule: EventRule, kind: Type) -> float:
    """In seconds. Without a time-out in the entry, the shorter of the defaults of its type and its event."""
    usual = min(kind.timeout or r.dialect.planning.timeout, rule.overrides.timeout or LONGEST)
    if entry is None:
        return usual
    key, value, path = entry
    unit = unit_of(value, kind.unit or r.dialect.config.unit)
    if not is_time(value, unit):
        shown = repr(value)[:60]
        wanted = "a whole number of at least 0" if unit == WHOLE else "a number above 0"
        cost = f"the default of {usual:g} s is used"
        r.report_malformed(path, f"{key} must be {wanted}, not {shown}", cost, "wrong-value")
        return usual
    if IMPLAUSIBLE[unit](value):
        meant = "seconds" if unit == "milliseconds" else "milliseconds"
        text = f"{key} is {value:g}, and this dialect counts in {COUNTED.get(unit, unit)}; were {meant} meant?"
        r.warn(path, text, "time-unit")
    seconds: float = max(value / DIVISOR[unit], LEAST.get(unit, 0.0))
    if rule.overrides.longest and seconds > rule.overrides.longest:
        text = f"{key} is {seconds:g} s, and hooks of {rule.name} have {rule.overrides.longest:g} s at most"
        r.warn(path, text, "long-time-out")
        return rule.overrides.longest
    return seconds


def seconds_to_unit(seconds: float, unit: str) -> tuple[float, str]:
    """The inverse: the number for so many seconds, and its unit. Half a second may become a whole one."""
    if unit == WHOLE:
        from math import ceil  # which no event needs

        return ceil(seconds), COUNTED[unit]
    found = ((seconds * divisor, name) for name, divisor in DIVISOR.items())
    value, name = next((value, name) for value, name in found if unit_of(value, unit) == name)
    return int(value) if value == int(value) else value, name


def is_time(value: Any, unit: str) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    if unit == WHOLE:
        return isinstance(value, int) and 0 <= value <= LONGEST
    return 0 < value <= LONGEST * DIVISOR[unit]


def unit_of(value: Any, unit: str) -> str:
    """Some agents used milliseconds once, and still read large numbers as such."""
    if unit != EITHER:
        return unit
    return "milliseconds" if isinstance(value, int | float) and value >= LARGE else "seconds"
