"""A scripted model: it plays replies from a file, one JSON object per line. Offline, and the same every time."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from typing import Any

from msgspec import Struct

from tenterhook.errors import ConfigError, TenterhookError, UsageError, nearest
from tenterhook.pipeline.answer import decode


class ScriptOver(TenterhookError):
    """The agent wants another reply, and the script has none left."""


class ScriptedReply(Struct, frozen=True):
    """One reply: the model's text and its tool calls. Without calls it wants to stop."""

    text: str
    calls: tuple[dict[str, Any], ...]


class ModelScript:
    """Replies in the order of the file; subagents take theirs from the same file."""

    name, model = "the script", "script"

    def __init__(self, file: str) -> None:
        self.file, self.lines, self.played = file, read(file), 0

    async def ask(self, **call: Any) -> AsyncIterator[dict[str, Any]]:
        if self.played >= len(self.lines):
            raise ScriptOver(f"{self.file} has no reply left after {len(self.lines)}")
        line = self.lines[self.played]
        self.played += 1
        return stream_script_line(line, self.played)

    async def aclose(self) -> None:
        """Nothing to close."""


async def stream_script_line(line: ScriptedReply, number: int) -> AsyncIterator[dict[str, Any]]:
    """In two chunks, like a model's stream: the text, then the calls."""
    if line.text:
        yield {"text": line.text}
    calls = [{"id": f"call-{number}-{n}", **call} for n, call in enumerate(line.calls, 1)]
    yield {"candidates": [{"finishReason": "STOP"}], **({"tool_calls": calls} if calls else {})}


def read(file: str) -> list[ScriptedReply]:
    """Read the whole file first, so that a mistake in the last line is not found in the middle of a run."""
    try:
        with open(file, encoding="utf-8-sig") as opened:
            rows = opened.read().split("\n")
    except (OSError, UnicodeDecodeError) as exc:
        reason = os.strerror(exc.errno) if isinstance(exc, OSError) and exc.errno else "it is not UTF-8"
        raise UsageError(f"--script {file!r}: {reason}") from None
    return [reply(row, file, n) for n, row in enumerate(rows, 1) if row.strip()]


def reply(row: str, file: str, line: int) -> ScriptedReply:
    def wrong(what: str) -> ConfigError:
        return ConfigError(what, file=file, line=line)

    data, problem = decode(row)
    if not isinstance(data, dict):
        raise wrong(f"a reply is one JSON object per line{': ' + problem if problem else ''}")
    for key in data:
        if key not in ScriptedReply.__struct_fields__:
            raise wrong(f"no key {key!r}{nearest(key, ScriptedReply.__struct_fields__)}; a reply has text and calls")
    text, calls = data.get("text") or "", data.get("calls") or []
    if not isinstance(text, str):
        raise wrong(f"text must be a text, not {type(text).__name__}")
    if not isinstance(calls, list):
        raise wrong(f"calls must be a list, not {type(calls).__name__}")
    return ScriptedReply(text, tuple(parse_scripted_call(one, wrong) for one in calls))


def parse_scripted_call(one: Any, wrong: Any) -> dict[str, Any]:
    if not isinstance(one, dict) or not isinstance(one.get("name"), str) or not one["name"]:
        raise wrong('a call is {"name": "Bash", "input": {"command": "ls"}}')
    for key in one:
        if key not in ("name", "input", "id"):
            raise wrong(f"no key {key!r} in a call{nearest(key, ('name', 'input', 'id'))}; it has name, input and id")
    if not isinstance(one.get("id", ""), str):
        raise wrong(f"the id of a call of {one['name']} must be a text, not {type(one['id']).__name__}")
    input = one.get("input", {})
    if not isinstance(input, dict):
        raise wrong(f"the input of {one['name']} must be an object, not {type(input).__name__}")
    return {**one, "input": input}
