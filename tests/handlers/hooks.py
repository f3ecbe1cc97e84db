"""An http hook in a project, as its user writes it."""

import json
from typing import Any

from msgspec.json import encode

from tenterhook import Attempt, Outcome

CALL = {"tool_name": "Bash", "tool_input": {"command": "ls"}}


def http_hook(project: Any, url: str, *more: str, **keys: Any) -> None:
    """Our own dialect's file, with one entry for each URL."""
    entries = [{"on": "tool.before", "url": one, "loopback": True, **keys} for one in (url, *more)]
    project.write("tenterhook.toml", "".join(f"[[hook]]\n{toml(entry)}" for entry in entries))


def toml(entry: dict[str, Any]) -> str:
    return "".join(f"{key} = {value(one)}\n" for key, one in entry.items())


def value(one: Any) -> str:
    if isinstance(one, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {value(inner)}" for key, inner in one.items()) + "}"
    return json.dumps(one)


def moai_hook(project: Any, event: str, url: str, *, loopback: bool = True, **keys: Any) -> None:
    entry = {"type": "http", "url": url, "tenterhook": {"loopback": loopback}, **keys}
    project.write(".claude/settings.json", json.dumps({"hooks": {event: [{"hooks": [entry]}]}}))


def called(project: Any, **options: Any) -> tuple[Outcome, Attempt]:
    """The outcome of a tool call, and the first attempt."""
    outcome = project.fire("tenterhook", "tool.before", CALL, **options)
    return outcome, outcome.attempts[0]


def everything(outcome: Outcome) -> str:
    return encode(outcome).decode()
