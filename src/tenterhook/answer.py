"""Text on stdout -> the one JSON object that a hook may answer with, or why it is none.

Strict on purpose: a decision that two readers could understand differently is no decision.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from tenterhook.types import Attempt

SIZE = 1 << 20
LARGE = 1 << 16
DEPTH = 256
TOO_DEEP = f"it is nested deeper than {DEPTH} levels"
# Patterns that few answers need: re compiles and keeps them on first use.
HALF_PAIR = "[\ud800-\udfff]"
STRING = r'"(?:[^"\\]|\\.)*"'
NO_BRACKET = bytes(set(range(256)) - set(b"[]{}"))
ONE_KIND = bytes.maketrans(b"{}", b"[]")
# Every run of backslashes is taken in one step: looking for the u first takes minutes for a megabyte of them.
ESCAPE = r"\\+(?:u([0-9a-fA-F]{4}))?"


class Refused(str):
    """Why an object, which is no plain text then, is not believed."""


def read(text: str, *, twice: bool, guarded: Iterable[str]) -> tuple[dict[str, Any] | None, str]:
    """The object, or None and what kept the text from being one (nothing where it is plain text or empty).

    `twice`: a JSON string that holds the object is decoded again. `guarded`: keys that must not stand twice.
    """
    text = text.lstrip("\ufeff").strip()
    if not text or text[0] not in ('{"' if twice else "{"):
        return None, ""
    if len(text) > SIZE:
        return None, Refused(f"it is longer than {SIZE:,} characters")
    value, problem = decode(text)
    if twice and isinstance(value, str):
        text = value.strip()
        value, problem = decode(text)
    if not isinstance(value, dict):
        return None, problem
    problem = hazards(text, guarded)
    return (None, Refused(problem)) if problem else (value, "")


def is_json(text: str, *, twice: bool) -> bool:
    """Whether a text is JSON of any sort; `twice`: what a JSON string holds must be some, too."""
    text = text.lstrip("\ufeff").strip()
    value, problem = decode(text) if text else (None, "nothing")
    if twice and not problem and isinstance(value, str):
        _, problem = decode(value.strip())
    return not problem


def without_progress(text: str) -> str:
    """The text without the lines that are for whoever watches: `{"type": "progress", "message": ...}`, one a line."""
    if '"progress"' not in text:
        return text
    return "\n".join(line for line in text.splitlines() if not is_progress(line))


def is_progress(line: str) -> bool:
    value, _ = decode(line.strip()) if line.strip().startswith("{") else (None, "")
    return isinstance(value, dict) and value.get("type") == "progress" and isinstance(value.get("message"), str)


LINES: dict[str, Callable[[str], str]] = {"all": str, "but-progress": without_progress}


def decode(text: str) -> tuple[Any, str]:
    try:
        return (unwatched(text) if len(text) > LARGE else msgspec.json.decode(text)), ""
    except RecursionError:
        return None, Refused(TOO_DEEP)
    except (ValueError, OverflowError, MemoryError) as exc:
        return tolerant(text, str(exc))


def unwatched(text: str) -> Any:
    """Without the garbage collector, which would look through a mebibyte of new objects again and again."""
    import gc

    watched = gc.isenabled()
    gc.disable()
    try:
        return msgspec.json.decode(text)
    finally:
        if watched:
            gc.enable()


def tolerant(text: str, problem: str) -> tuple[Any, str]:
    """Valid JSON that the fast reader refuses: half a surrogate pair (a file name that is no UTF-8), huge numbers."""
    import json

    def refuse(word: str) -> Any:
        raise ValueError(f"{word} is no JSON")

    try:
        value = json.loads(text, parse_constant=refuse, parse_int=whole_number)
        return json.loads(re.sub(HALF_PAIR, "\ufffd", json.dumps(value, ensure_ascii=False))), ""
    except (ValueError, RecursionError, MemoryError):
        return None, problem


def whole_number(digits: str) -> float | int:
    """Python refuses to read integers of more than 4,300 digits; other readers take them for floats."""
    return int(digits) if len(digits) < 4300 else float(digits)


def hazards(text: str, guarded: Iterable[str]) -> str:
    """What makes a well-formed object unfit to decide by. Both checks cost next to nothing on ordinary answers."""
    if text.count("{") + text.count("[") > DEPTH and too_deep(text):
        return TOO_DEEP
    # An escape could hide a second key from the count, so it gets the slow check too.
    if "\\u" in text or any(text.count(f'"{key}"') > 1 for key in guarded):
        twin = repeated_key(text, set(guarded))
        if twin:
            return f"its key {twin!r} stands twice, with different values"
    return ""


def too_deep(text: str) -> bool:
    """Take the innermost pairs of brackets away, level by level: much faster than a walk through what was decoded."""
    # Without a backslash every other quote ends a text: three times as fast as the pattern.
    bare = re.sub(STRING, "", text) if "\\" in text else "".join(text.split('"')[::2])
    left = bare.encode("utf-8", "replace").translate(ONE_KIND, NO_BRACKET)
    for _ in range(DEPTH):
        left = left.replace(b"[]", b"")
        if not left:
            return False
    return True


def repeated_key(text: str, guarded: set[str]) -> str:
    """A guarded key that one object gives two values. Readers differ on which one counts, so neither does."""
    import json

    twins: list[str] = []

    def note(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        twins.extend(name for name, value in pairs if name in guarded and found[name] != value)
        return found

    json.loads(text, object_pairs_hook=note, parse_int=float)
    return twins[0] if twins else ""


def looks_like(text: str, deciding: tuple[str, ...], known: tuple[str, ...] = ()) -> bool:
    """Whether a text that is no answer was probably meant as one.

    An object with a deciding key stands somewhere in it, or it starts as an object and has any key of an answer;
    written as Python or JavaScript would, or encoded once too often, all the same.
    """
    if "{" not in text:
        return False
    text = re.sub(ESCAPE, lambda found: chr(int(found[1], 16)) if found[1] else "", text)
    keys = (*deciding, *known) if text.lstrip("\ufeff \t\r\n").startswith("{") else deciding
    return any(key in text for key in keys) and key_pattern(keys).search(text) is not None


@lru_cache
def key_pattern(keys: tuple[str, ...]) -> re.Pattern[str]:
    """One of the keys as an object's key: in quotes of any kind, or bare after a brace or comma."""
    either = "|".join(map(re.escape, keys))
    return re.compile(rf"""(?:["'](?:{either})["']|[{{,]\s*(?:{either}))\s*:""")


def said_on(attempt: Attempt, where: str) -> tuple[str, str]:
    """The first of the named streams that has any text, and that text."""
    streams = where.split("-or-")
    for stream in streams:
        text: str = getattr(attempt, stream).strip()
        if text:
            return stream, text
    return streams[0], ""
