"""Count the tokens of model calls, as agents report them: at the end of a call, or in the transcript of a session.

In some APIs the input includes cached tokens, in others it does not. Here it never does.
"""

from __future__ import annotations

import json

from tenterhook.support import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

LARGEST = 256 << 20
# The names of input and output; of cached tokens; of what is added to input and to output; and whether input includes
# cached tokens.
FORMS: tuple[tuple[str, str, str, str, str, bool], ...] = (
    ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "", False),
    ("input_tokens", "output_tokens", "cached_input_tokens", "", "", True),
    ("prompt_tokens", "completion_tokens", "cached_tokens", "", "", True),
    ("promptTokenCount", "candidatesTokenCount", "cachedContentTokenCount", "", "thoughtsTokenCount", True),
    ("input", "output", "cached", "", "thoughts", True),
)
HOLDERS = ("usage", "token_usage", "tokenUsage", "usageMetadata", "usage_metadata", "tokens")
# The keys of a session's sum so far.
SUMS = ("total_token_usage",)


class Tokens:
    """Input that was new, input from a cache, output."""

    __slots__ = ("cached", "input", "output")

    def __init__(self, input: int = 0, cached: int = 0, output: int = 0) -> None:
        self.input, self.cached, self.output = input, cached, output

    def __add__(self, other: Tokens) -> Tokens:
        return Tokens(self.input + other.input, self.cached + other.cached, self.output + other.output)

    @property
    def total(self) -> int:
        return self.input + self.cached + self.output


def of_response(payload: dict[str, Any]) -> Tokens | None:
    """The tokens of one model call: the first count in its event. Of a stream only the last piece counts."""
    response = payload.get("llm_response")
    parts = response.get("candidates") if isinstance(response, dict) else None
    if (
        isinstance(parts, list)
        and parts
        and not any(isinstance(one, dict) and one.get("finishReason") for one in parts)
    ):
        return None
    return next((found for _, _, found in counts(payload)), None)


def of_transcript(path: str) -> Tokens | None:
    """The tokens of a whole session: its last sum, else all counts together; None if there are none."""
    try:
        text = files.contents(path, LARGEST) if path else b""
    except OSError:
        return None
    counted: dict[object, Tokens] = {}
    total: Tokens | None = None
    for record in records(text):
        for key, is_sum, found in counts(record):
            if is_sum:
                total = found
            else:
                counted[key or len(counted)] = found  # a message may be written several times
    return total or (sum(counted.values(), Tokens()) if counted else None)


def records(text: bytes) -> Iterator[Any]:
    """A transcript is one JSON object, or one in each line."""
    try:
        yield json.loads(text)
        return
    except ValueError:
        pass
    for line in text.splitlines():
        if b"oken" in line or b"usage" in line:
            try:
                yield json.loads(line)
            except ValueError:
                continue  # the last line may be cut off


def counts(value: Any, key: str = "", deep: int = 8) -> Iterator[tuple[str, bool, Tokens]]:
    """Each count in a value, with the id of its message, and whether it is a sum."""
    if isinstance(value, list) and deep:
        for one in value:
            yield from counts(one, key, deep - 1)
    if not isinstance(value, dict) or not deep:
        return
    key = next((value[name] for name in ("id", "uuid") if isinstance(value.get(name), str)), key)
    for name, inner in value.items():
        if name in (*HOLDERS, *SUMS) and isinstance(inner, dict) and (found := read(inner)):
            yield key, name in SUMS, found
        elif name != "last_token_usage":  # it is included in the sum
            yield from counts(inner, key, deep - 1)


def read(usage: dict[str, Any]) -> Tokens | None:
    """Read one count, in the form of which most names are present."""
    fitting = [form for form in FORMS if form[0] in usage or form[1] in usage]
    if not fitting:
        return None
    given, made, cached, more, thought, holds = max(fitting, key=lambda form: sum(name in usage for name in form[:5]))
    before = number(usage, cached)
    new = number(usage, given) + number(usage, more) - (before if holds else 0)
    return Tokens(max(0, new), before, number(usage, made) + number(usage, thought))


def number(usage: dict[str, Any], name: str) -> int:
    found = usage.get(name) if name else 0
    return found if isinstance(found, int) and not isinstance(found, bool) else 0
