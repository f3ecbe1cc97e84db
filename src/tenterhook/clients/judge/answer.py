"""A model's text -> its judgement, or what is wrong with it, in words for the model.

Models add things to their answer: a code fence, a sentence. That is accepted as long as the text holds only one
judgement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from json import JSONDecoder
from typing import Any

from msgspec import Struct

from tenterhook.pipeline.answer import HALF_PAIR, looks_like

# The longest text; a judgement is a sentence or two.
LONGEST = 20_000
# The deepest nesting; Python versions differ in how deep they can parse.
DEEPEST = 100
KEY = "ok"


class Judgement(Struct, frozen=True):
    ok: bool
    reason: str = ""


def read(text: str) -> tuple[Judgement | None, str]:
    """The one judgement in the text; or None and what is wrong."""
    if not text.strip():
        return None, "it was empty"
    if len(text) > LONGEST:
        return None, f"it was longer than {LONGEST:,} characters"
    if depth(text) > DEEPEST:
        return None, "its JSON is nested too deep"
    spans = list(objects(text))
    given = [found for found, _, _ in spans if KEY in found]
    if looks_like(without(text, spans), (KEY,)):
        return None, "there is something like a judgement in it that is not a JSON object"
    if not given:
        return None, 'there is no JSON object with the key "ok" in it'
    problem = next(filter(None, map(wrong, given)), "")
    if problem:
        return None, problem
    if len({one[KEY] for one in given}) > 1:
        return None, "it holds two judgements that contradict each other"
    reason = next((one["reason"] for one in given if one.get("reason")), "")
    return Judgement(given[0][KEY], re.sub(HALF_PAIR, "\ufffd", reason).strip()), ""


def depth(text: str) -> int:
    """The most brackets that are open at once; those in strings count too, of which a judgement has few."""
    opened = deepest = 0
    for char in text:
        opened = max(0, opened + (char in "[{") - (char in "]}"))
        deepest = max(deepest, opened)
    return deepest


def objects(text: str) -> Iterator[tuple[dict[str, Any], int, int]]:
    """Every JSON object that is not part of another one, and its position."""
    read_at = JSONDecoder(object_pairs_hook=once).raw_decode
    start = text.find("{")
    while start >= 0:
        try:
            found, end = read_at(text, start)
        except ValueError:
            end = start + 1
        else:
            yield found, start, end
        start = text.find("{", end)


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A key with two values is refused: parsers differ on which one counts."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        found[key] = value if found.get(key, value) == value else pairs
    return found


def without(text: str, spans: list[tuple[dict[str, Any], int, int]]) -> str:
    """The text without the objects."""
    ends = [0, *(end for _, _, end in spans)]
    starts = [*(start for _, start, _ in spans), len(text)]
    return " ".join(text[end:start] for end, start in zip(ends, starts, strict=True))


def wrong(found: dict[str, Any]) -> str:
    if not isinstance(found[KEY], bool):
        return '"ok" must be true or false'
    reason = found.get("reason")
    return "" if reason is None or isinstance(reason, str) else '"reason" must be a text'
