"""What is measured and what came of it: rows of lines, results, and points of a curve.

Machines are noisy, so nothing is compared with a number of yesterday: ours and the yardstick take turns, each round
gives one ratio, and the median of the rounds is what counts.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator
from statistics import median
from timeit import Timer
from typing import Any

from msgspec import Struct

Pairs = list[tuple[float, float]]
# How many of so many rounds are run: all of them, or a few in a quick run.
Rounds = Callable[[int], int]
# What was measured, by the key of its line; or why it could not be.
Measured = Iterable[tuple[str, Pairs | str]]

NOT_QUICK = "not in a quick run"
NOTHING = "nothing was measured"


class Unavailable(Exception):
    """Why there is nothing to measure."""


class Refused(Exception):
    """What is wrong with a call."""


class Line(Struct, frozen=True):
    """One line of a row. Without a limit it is only told; `by` says whether the ratio counts, or what there is more."""

    what: str
    yardstick: str
    limit: float | None = None
    unit: str = "s"
    by: str = "ratio"

    @property
    def key(self) -> str:
        return f"{self.what} / {self.yardstick}"


class Row(Struct, frozen=True):
    """Lines that are measured together. One that takes long is left out of a quick run."""

    lines: tuple[Line, ...]
    measure: Callable[[Rounds], Measured]
    long: bool = False


class Result(Struct, frozen=True):
    """What came of a line; with a problem nothing could be measured."""

    row: int
    line: Line
    ratio: float = 0.0
    ours: float = 0.0
    theirs: float = 0.0
    problem: str = ""

    @property
    def verdict(self) -> str:
        if self.problem:
            return f"not measured: {self.problem}"
        if self.line.limit is None:
            return ""
        return "ok" if self.ratio <= self.line.limit else "SHORT"


class Point(Struct, frozen=True):
    """One cell of a growth table."""

    row: int
    at: int
    column: str
    value: float
    unit: str = "s"


class Growth(Struct, frozen=True):
    """How cost grows with something: a table with a line for each size of it."""

    name: str
    by: str
    sizes: tuple[int, ...]
    columns: tuple[str, ...]
    measure: Callable[[int, Rounds], Iterable[tuple[str, float, str]]]
    long: bool = False


def every(rounds: int) -> int:
    return rounds


def few(rounds: int) -> int:
    return max(3, rounds // 6)


def in_turn(ours: Timer, theirs: Timer, *, number: int, rounds: int) -> Pairs:
    for timer in (ours, theirs):
        timer.timeit(max(1, number // 10))
    return [(ours.timeit(number) / number, theirs.timeit(number) / number) for _ in range(rounds)]


def of_pairs(row: int, line: Line, pairs: Pairs) -> Result:
    """The median of the rounds; ours and theirs are medians too, each on its own."""
    compared = median(ours - theirs if line.by == "more" else ours / theirs for ours, theirs in pairs)
    return Result(row, line, compared, median(ours for ours, _ in pairs), median(theirs for _, theirs in pairs))


def results(number: int, row: Row, rounds: Rounds) -> Iterator[Result]:
    """As they come; what could not be measured says why."""
    waiting = {line.key: line for line in row.lines}
    problem = NOTHING
    try:
        if row.long and rounds is few:
            raise Unavailable(NOT_QUICK)
        for key, found in row.measure(rounds):
            line = waiting.pop(key)
            yield Result(number, line, problem=found) if isinstance(found, str) else of_pairs(number, line, found)
    except Unavailable as exc:
        problem = str(exc)
    for line in waiting.values():
        yield Result(number, line, problem=problem)


def points(number: int, growth: Growth, rounds: Rounds) -> Iterator[Point]:
    for at in () if growth.long and rounds is few else growth.sizes:
        for column, value, unit in growth.measure(at, rounds):
            yield Point(number, at, column, value, unit)


def part(module: str) -> Any:
    """A module that measures one part, which may not be here."""
    try:
        return importlib.import_module(module)
    except ImportError as exc:
        raise Unavailable(f"{module}: {exc}") from exc
