"""`tenter hook`: an event on stdin, our own work on it, an answer in the dialect of the agent that called."""

from __future__ import annotations

import os
import sys

from tenterhook.author import callers, forms
from tenterhook.author.answers import append_unique_line
from tenterhook.author.event import Event
from tenterhook.cli.options import JSON, CommandUsage, Option
from tenterhook.errors import TenterhookError, UsageError, format_exception_line, nearest
from tenterhook.library import actions
from tenterhook.library.actions import reading, settings
from tenterhook.library.actions.answers import deny, fine
from tenterhook.support.off_switch import switched_off

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tenterhook.library.actions.answers import ActionAnswer
    from tenterhook.library.parts.timed import TimedEvent

USAGE = CommandUsage(
    "hook",
    "Read an event on stdin, do our own work for it, and answer in the dialect of the caller.\n"
    "EVENT is the dialect's name for it, ours, or a wrapper's (session-start, pre-tool, ...).\n"
    "`tenter hook agent ACTION` does one of the named actions; `tenter hook list` shows them.",
    ("EVENT", "[ACTION]"),
    (
        Option(
            "dialect", "whose answer it is to be, also --agent (default: as the event and the environment tell)", "NAME"
        ),
        Option("project", "the project's folder (default: as the event tells)", "DIR"),
        Option("budget", "seconds it may take (default: the project's setting, else 4, after a tool 8)", "SECONDS"),
        JSON,
    ),
    """echo '{"tool_name": "Bash", "tool_input": {"command": "ls"}}' | tenter hook pre-tool""",
    "exit codes: 0 goes on (an answer may ask), 2 refused, 1 could not run",
)


def run(argv: list[str], lost: str = "") -> int:
    """`lost`: why the result is unknown of a call that a server took and did not end. It is not run again."""
    options = USAGE.parse(argv)
    if options is None:
        return 0
    word, name = options["EVENT"], options.get("ACTION", "")
    if word == "list":
        from tenterhook.cli import hooklist

        return hooklist.run(as_json="json" in options)
    if word == "agent" and not name:
        raise USAGE.error("which action? tenter hook agent ACTION; tenter hook list shows them")
    if word != "agent" and name:
        raise USAGE.error(f"unexpected argument: {name!r}")
    if "json" in options:
        raise USAGE.error("--json is for tenter hook list; an answer is in the caller's form")
    off = switched_off(os.environ)
    code, out, err = (0, "", off) if off else answer(word, name, options, lost)
    if out:
        print(out)
    if err:
        print(err, file=sys.stderr)
    return code


def answer(word: str, name: str, options: dict[str, str], lost: str = "") -> tuple[int, str, str]:
    """Exit code, stdout and stderr."""
    problem, flat = None, {}
    try:
        if lost:
            raise UsageError(lost)
        flat = reading.read(standard_input())
    except UsageError as exc:
        problem = exc
    dialect = callers.dialect_of(flat, options.get("dialect", ""), os.environ, usual=True)
    kind = actions.action(name).kind if name else kind_of(word, dialect)
    event = event_name(word, kind, flat, dialect)
    try:
        if problem:
            raise problem
        result = act(kind, event, flat, dialect, options)
    except Exception as exc:  # also a fault of ours
        what = str(exc) if isinstance(exc, TenterhookError) else format_exception_line(exc)
        if kind not in actions.GUARDED:
            raise UsageError(what) from exc
        result = deny(f"This cannot be checked: {what}")
    if not event:
        return 0, "", result.note
    out = forms.render_answer(result, Event(kind, {}, raw={}, name=event), dialect, by_exit=True)
    return out.code, out.out, out.err if out.code == forms.REFUSED else append_unique_line(result.note, out.err)


def standard_input() -> bytes:
    """What the caller gave, up to one byte more than is taken; nothing from a terminal."""
    return sys.stdin.buffer.read(reading.LARGEST + 1) if not sys.stdin.isatty() else b""


def event_name(word: str, kind: str, flat: dict[str, Any], dialect: dict[str, Any]) -> str:
    """The agent's name for the event: the one that is named, else the likeliest of that kind; empty without any."""
    known = [name for name, rule in dialect["events"].items() if rule["kind"] == kind]
    named = (word, callers.event_name_in_payload(dialect, flat))
    found = next((name for name in named if name in known), "")
    return found or (callers.event_of(dialect, flat, kind) if known else "")


def kind_of(word: str, dialect: dict[str, Any]) -> str:
    events = dialect["events"]
    if word in events:
        return str(events[word]["kind"])
    kinds = {one["kind"] for one in events.values()}
    kind = actions.WRAPPED.get(word, word)
    if kind not in kinds and kind not in actions.MOMENTS:
        known = [*events, *sorted(kinds), *actions.WRAPPED, "agent", "list"]
        raise UsageError(f"no event {word!r}{nearest(word, known)}; tenter hook list shows them")
    return kind


def act(kind: str, name: str, flat: dict[str, Any], dialect: dict[str, Any], options: dict[str, str]) -> ActionAnswer:
    """What the action, or our work for the event, answers."""
    action = options.get("ACTION", "")
    event = reading.event_of({**flat, "action": action} if action else flat, kind, name, dialect, os.environ)
    if "project" in options:
        event.data["project"] = os.path.abspath(options["project"])
    if not os.path.isdir(event.project):
        raise UsageError(f"the project's folder {event.project!r} is not there")
    function = actions.function_of(action) if action else actions.function_at(kind)
    if function is None:
        return fine(f"nothing to do at {kind}")
    wishes = settings.load(event.project)
    seconds = USAGE.number(options, "budget", 0, most=3600) or wishes.seconds(kind)
    most = wishes.budget or (None if action else seconds)
    called = (action or options["EVENT"], dialect["name"])
    event.begin(seconds, None if "budget" in options else lambda: own_limit(event, most, called))
    result = function(event, wishes)
    # Beside a deny the model reads it, and it says how to loosen a guard.
    if wishes.aside and result.decision != "deny":
        print(f"tenter: {wishes.aside}", file=sys.stderr)
    return result


def own_limit(event: TimedEvent, most: float | None, called: tuple[str, str]) -> float:
    """The time that the calling hook has, 0 where that is not known; never more than the settings or the event give.

    `called` are the word after `tenter hook` and the dialect's name, by which that hook is found.
    """
    from tenterhook.library.actions import own_hook

    word, dialect = called
    found = own_hook.seconds(word, event.project, dialect)
    return min(found, most) if most else found
