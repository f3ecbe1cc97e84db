"""Text on stdout -> the one JSON object that a hook may answer with, or why it is not one.

An answer is read whole, whatever its size and depth: it is often the model that chooses both.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import msgspec

from tenterhook.support.strategy import Strategy

if TYPE_CHECKING:
    from tenterhook.types import Attempt

# Bytes of one stream, or of one response, that are read as an answer.
SIZE = 64 << 20
# Characters of a stream that an attempt keeps once its answer has been read, and that are searched for half an answer.
KEPT = 1 << 20
LARGE = 1 << 16
# Levels of an answer that are kept. Every field that decides something is within the first few of them.
DEPTH = 256
TOO_DEEP = f"it is nested deeper than {DEPTH} levels"
# Replaces everything below the deepest level that is kept.
CUT = f"[nested deeper than {DEPTH} levels]"
# Patterns that few answers need: re compiles and caches them on first use. None of them backtracks per character: a
# text of 64 MiB would take gigabytes.
HALF_PAIR = "[\ud800-\udfff]"
STRING = r'"[^"\\]*+(?:\\[\s\S][^"\\]*+)*+"'
STRUCTURE = rf"{STRING}|[\[{{]+|[\]}}]+"
BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
ONE_KIND = bytes.maketrans(b"{}", b"[]")
STEPS = bytes.maketrans(b"[]", b"\x01\xff")
# How many levels ordinary answers have: to take these away costs less than to count them.
SHALLOW = 16
# Every run of backslashes is taken in one step: looking for the u first takes minutes for a megabyte of them.
ESCAPE = r"\\+(?:u([0-9a-fA-F]{4}))?"
# An escape that may hide a letter of a key; those of other languages and of control characters cannot.
HIDES_A_LETTER = r"\\u00[2-7]"


class Reading(msgspec.Struct, frozen=True):
    """The result of reading a text.

    `problem` says why there is no object; it is empty if the text is plain or empty. `begins`: it begins like an
    object, so it was meant as one. `refused`: it is an object that the agent itself would not read. `twin` is a
    deciding key that one object has twice with different values, of which the last counts. `cut`: something was nested
    too deep and was replaced by CUT.
    """

    found: dict[str, Any] | None = None
    problem: str = ""
    begins: bool = False
    refused: bool = False
    twin: str = ""
    cut: bool = False


PLAIN = Reading()


def read(text: str, *, twice: bool, guarded: Iterable[str] = (), deepest: int = 0) -> Reading:
    """Read the object in a text, or say why there is none.

    `twice`: a JSON string that holds the object is decoded again. `guarded`: keys that are checked for twins.
    `deepest`: how many levels the agent's own parser takes, 0 if there is no end.
    """
    text = text.lstrip("\ufeff").strip()
    if not text or text[0] not in ('{"' if twice else "{"):
        return PLAIN
    value: Any = None
    if text[0] == '"':
        value, problem = decode(text)
        if not isinstance(value, str):
            return Reading(problem=problem)
        text = value.strip()
    cut = False
    if text.count("{") + text.count("[") > (deepest or DEPTH):
        if deepest and is_deeper(text, deepest):
            return Reading(problem=f"it is nested deeper than {deepest} levels", begins=True, refused=True)
        if is_deeper(text, DEPTH):
            text, cut = prune_deep_json(text), True
    value, problem = decode(text)
    if not isinstance(value, dict):
        return Reading(problem=problem, begins=text.startswith("{"))
    return Reading(value, "", True, False, repeated_key(text, guarded), cut)


def is_json(text: str, *, twice: bool) -> bool:
    """Whether a text is JSON of any sort. `twice`: the content of a JSON string must be JSON, too."""
    text = text.lstrip("\ufeff").strip()
    value, problem = decode(text) if text else (None, "nothing")
    if twice and not problem and isinstance(value, str):
        _, problem = decode(value.strip())
    return problem in ("", TOO_DEEP)


def without_progress(text: str) -> str:
    """Remove the progress lines, which are for the user: `{"type": "progress", "message": ...}`, one a line."""
    if '"progress"' not in text:
        return text
    return "\n".join(line for line in text.splitlines() if not is_progress(line))


def is_progress(line: str) -> bool:
    value, _ = decode(line.strip()) if line.strip().startswith("{") else (None, "")
    return isinstance(value, dict) and value.get("type") == "progress" and isinstance(value.get("message"), str)


LINES: dict[str, Strategy[Callable[[str], str]]] = {
    "all": Strategy(str, "all of them"),
    "but-progress": Strategy(without_progress, 'all but those that tell of progress: {"type": "progress", ...}'),
}
# The streams that a text may be on; `said_on` reads these names.
SOURCES = {
    "stdout": "stdout",
    "stderr": "stderr",
    "stdout-or-stderr": "stdout, and stderr where nothing is on it",
}


def decode(text: str) -> tuple[Any, str]:
    try:
        return (decode_json_without_gc(text) if len(text) > LARGE else msgspec.json.decode(text)), ""
    except RecursionError:
        return None, TOO_DEEP
    except (ValueError, OverflowError, MemoryError) as exc:
        return tolerant(text, str(exc))


def decode_json_without_gc(text: str) -> Any:
    """Decode without the garbage collector, which would look through megabytes of new objects again and again."""
    import gc

    watched = gc.isenabled()
    gc.disable()
    try:
        return msgspec.json.decode(text)
    finally:
        if watched:
            gc.enable()


def tolerant(text: str, problem: str) -> tuple[Any, str]:
    """Read valid JSON that the fast reader refuses: half a surrogate pair (from a file name that is not UTF-8), huge
    numbers.
    """
    import json

    def refuse(word: str) -> Any:
        raise ValueError(f"{word} is not JSON")

    try:
        value = json.loads(text, parse_constant=refuse, parse_int=whole_number)
        return json.loads(re.sub(HALF_PAIR, "\ufffd", json.dumps(value, ensure_ascii=False))), ""
    except (ValueError, RecursionError, MemoryError):
        return None, problem


def whole_number(digits: str) -> float | int:
    """Read a huge integer as a float, as other readers do: Python refuses integers of more than 4,300 digits."""
    return int(digits) if len(digits) < 4300 else float(digits)


def is_deeper(text: str, levels: int) -> bool:
    """Whether brackets outside of strings are nested deeper than that. Much faster than a walk through the values."""
    # Without a backslash every other quote ends a text: three times as fast as the pattern.
    bare = re.sub(STRING, "", text) if "\\" in text else "".join(text.split('"')[::2])
    left = bare.encode("utf-8", "replace").translate(ONE_KIND, BRACKETS)
    for _ in range(min(levels, SHALLOW)):  # the innermost pairs of brackets go, level by level
        rest = left.replace(b"[]", b"")
        if not rest:
            return False
        if len(rest) == len(left):  # no pair is left: an unclosed text must not cost a pass for each level
            break
        left, levels = rest, levels - 1
    depths = accumulate(memoryview(left.translate(STEPS)).cast("b"))
    return any(depth > levels for depth in depths)


def prune_deep_json(text: str) -> str:
    """Replace everything that is nested deeper than DEPTH levels by CUT."""
    parts, depth, start = [], 0, 0
    for found in re.finditer(STRUCTURE, text):
        run = found[0]
        if run[0] == '"':
            continue
        if run[0] in "[{":
            if depth <= DEPTH < depth + len(run):
                parts += [text[start : found.start() + DEPTH - depth], f'"{CUT}"']
            depth += len(run)
        else:
            if depth - len(run) <= DEPTH < depth:
                start = found.start() + depth - DEPTH
            depth -= len(run)
    return "".join((*parts, text[start:] if depth <= DEPTH else ""))


def shallow(value: Any, levels: int = DEPTH, above: tuple[int, ...] = ()) -> Any:
    """The same for values. Their levels may be endless, if one holds itself."""
    if not isinstance(value, dict | list | tuple):
        return value
    if not levels or id(value) in above:
        return CUT
    above = (*above, id(value))
    if isinstance(value, dict):
        return {key: shallow(one, levels - 1, above) for key, one in value.items()}
    return [shallow(one, levels - 1, above) for one in value]


def holds_cut(value: Any) -> bool:
    return CUT.encode() in msgspec.json.encode(value)


def repeated_key(text: str, guarded: Iterable[str]) -> str:
    """A guarded key to which one object gives two values; costs next to nothing on ordinary answers."""
    if "\\u00" not in text or re.search(HIDES_A_LETTER, text) is None:  # else a count might miss one
        for key in guarded:
            if text.count(f'"{key}"') > 1:
                break
        else:
            return ""
    import json

    keys = set(guarded)
    twins: list[str] = []

    def note(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        twins.extend(name for name, value in pairs if name in keys and found[name] != value)
        return found

    json.loads(text, object_pairs_hook=note, parse_int=float)
    return twins[0] if twins else ""


def looks_like(text: str, deciding: tuple[str, ...], known: tuple[str, ...] = ()) -> bool:
    """Whether a text that is not an answer was probably meant as one.

    That is so if an object in it has a deciding key, or if it starts as an object and has any key of an answer; also if
    it is written as Python or JavaScript would, or encoded once too often.
    """
    if "{" not in text:
        return False
    text = text.replace("\0", "")  # UTF-16, as PowerShell writes it, has these between the letters
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
