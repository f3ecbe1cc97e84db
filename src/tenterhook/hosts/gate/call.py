"""One call of an agent: its command line, its payload, who it is, and which project it is about."""

from __future__ import annotations

import os

from tenterhook.author import callers
from tenterhook.author.process import parse_argv
from tenterhook.author.registered import GUARDED
from tenterhook.errors import TenterhookError, UsageError
from tenterhook.hosts.gate import our_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from tenterhook.author.calls import HookCommand
    from tenterhook.author.event import Event
    from tenterhook.dialects.schema.dialect import Dialect

# Fields that tell nothing of who wrote them.
SHARED = ("cwd", "timestamp")
# The fields in which agents name the event.
EVENTS = ("hook_event_name", "hookEventName")
# Keys of VS Code that are written differently by the agents whose files it reads.
RESPELLED = {"hookEventName": "hook_event_name", "sessionId": "session_id"}
# Our names for the fields about a tool.
TOOL, INPUT = "tool_name", "tool_input"
# What makes a folder the project's, if the agent does not name one.
MARKS = ("tenterhook.toml", ".git", "pyproject.toml")


class Unreadable(UsageError):
    """An event that cannot be read; `line` is what the command line says."""

    def __init__(self, text: str, line: HookCommand) -> None:
        super().__init__(text)
        self.line = line

    def engine_options(self) -> dict[str, Any]:
        return {"project": nearest_project(os.getcwd()), "log": False}


class AgentCall:
    """An event that an agent asks about. `forms` are the caller's, and `event` is in its words and ours."""

    __slots__ = ("environ", "event", "forms", "line", "project")

    def __init__(self, line: HookCommand, event: Event, forms: dict[str, Any], environ: Mapping[str, str]) -> None:
        self.line, self.event, self.forms, self.environ = line, event, forms, environ
        self.project = find_project(event)

    @property
    def kind(self) -> str:
        return self.event.kind

    @property
    def agent(self) -> str:
        return self.event.agent

    @property
    def dialect(self) -> Dialect:
        """The caller's dialect: for hooks of another one."""
        from tenterhook import dialects

        return dialects.get(self.forms["name"])

    @property
    def session(self) -> str:
        return self.event.session

    def engine_options(self) -> dict[str, Any]:
        """The arguments of the engine that this call needs."""
        return {"project": self.project, "session": self.session, "log": False}

    def data(self) -> dict[str, Any]:
        """The event's data, as our own dialect has them."""
        return our_words.data_of(self.event, self.forms)


def read_call(words: list[str], given: bytes, environ: Mapping[str, str]) -> AgentCall:
    """What an agent asks with these words after `tenter run`, and this payload. Raises Unreadable."""
    line = parse_argv(words)
    try:
        raw = callers.payload(given) if given.strip() or not line.event else {}
        raw = respell(raw, line.agent)
        forms, name = callers.of(raw, line.agent, line.event, environ)
        event = callers.event_in(raw, forms, name, environ)
        check_fields(event, forms, line)
    except TenterhookError as exc:
        raise Unreadable(str(exc), line) from None
    return AgentCall(line, event, forms, environ)


def respell(raw: dict[str, Any], agent: str) -> dict[str, Any]:
    """The payload of an editor that reads an agent's file: it has that agent's events under other keys."""
    said = raw.get("hookEventName")
    if not agent or not isinstance(said, str) or "hook_event_name" in raw:
        return raw
    forms = callers.load(agent)
    if "hookEventName" in forms["named"] or not callers.candidate_event_names(forms, said):
        return raw
    return {RESPELLED.get(name, name): value for name, value in raw.items()}


def check_fields(event: Event, forms: dict[str, Any], line: HookCommand) -> None:
    """Refuse a payload that has none of the fields that the agent promises: it was written by another one.

    An event that is newer than we are has the fields of every event. One that is not named must have fields of its own.
    """
    rule = forms["events"].get(event.name, {"keys": []})
    base = rule["base"] if "base" in rule else forms["base"]
    named = line.event or callers.event_name_in_payload(forms, event.raw)
    promised = [*(name for name in base if named and name not in SHARED), *rule["keys"]]
    if event.kind in GUARDED:
        promised = fields_of_tool(forms, rule) or promised
    said = next((name for key in EVENTS if isinstance(name := event.raw.get(key), str)), "")
    if said and not named and not callers.candidate_event_names(forms, said):
        raise UsageError(f"{forms['title']} has no event {said!r}; if another agent called, say which with --agent")
    has_one = any(event.raw.get(name) not in (None, "") for name in promised) or (named and not promised)
    if not has_one or not isinstance(event.data.get(TOOL, ""), str):
        raise UsageError(
            f"the event on stdin has none of the fields that {forms['title']} gives at {event.name}: "
            f"{', '.join([*promised, *base][:6])}; if another agent called, say which with --agent"
        )


def fields_of_tool(forms: dict[str, Any], rule: dict[str, Any]) -> list[str]:
    """The fields that say which tool is called, or with what, where the event is for one tool alone."""
    ours = {**forms["fields"], **rule.get("fields", {})}
    known = [*rule["keys"], *rule.get("maybe", ())]
    return [name for name in known if ours.get(name, name) == TOOL and "tool" not in rule] or [
        name for name in known if ours.get(name, name).partition(".")[0] == INPUT
    ]


def find_project(event: Event) -> str:
    """The project's folder: as the agent names it, else the nearest one above the working directory."""
    named = event.data.get("project")
    named = named[0] if isinstance(named, list) and named else named
    if isinstance(named, str) and named and os.path.isdir(named):
        return os.path.abspath(named)
    return nearest_project(event.cwd if os.path.isdir(event.cwd) else os.getcwd())


def nearest_project(start: str) -> str:
    """The folder, or the nearest one above it, that looks like a project; else the folder itself."""
    folder = start
    while not any(os.path.exists(os.path.join(folder, mark)) for mark in MARKS):
        folder, below = os.path.dirname(folder), folder
        if folder == below:
            return start
    return folder
