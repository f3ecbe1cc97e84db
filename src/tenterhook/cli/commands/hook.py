"""`tenter hook`: an event on stdin, our own work on it, an answer in the dialect of whoever called."""

from __future__ import annotations

import os
import sys

from tenterhook.cli.options import JSON, CommandUsage, Option
from tenterhook.errors import TenterhookError, UsageError, format_exception_line, nearest
from tenterhook.library import actions
from tenterhook.library.actions import happened, settings, wire
from tenterhook.library.actions.said import Said, deny, fine
from tenterhook.support.off_switch import switched_off

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

USAGE = CommandUsage(
    "hook",
    "Read an event on stdin, do our own work for it, and answer in the dialect of the caller.\n"
    "EVENT is the dialect's name for it, ours, or a wrapper's (session-start, pre-tool, ...).\n"
    "`tenter hook agent ACTION` does one of the named actions; `tenter hook list` shows them.",
    ("EVENT", "[ACTION]"),
    (
        Option("dialect", "whose answer it is to be (default: as the event and the environment tell)", "NAME"),
        Option("project", "the project's folder (default: as the event tells)", "DIR"),
        Option("budget", "seconds it may take (default: the project's setting, else 4, after a tool 8)", "SECONDS"),
        JSON,
    ),
    """echo '{"tool_name": "Bash", "tool_input": {"command": "ls"}}' | tenter hook pre-tool""",
    "exit codes: 0 goes on (an answer may ask), 2 refused, 1 could not run",
)


def run(argv: list[str], lost: str = "") -> int:
    """`lost` is why nobody knows any more what came of it, though it was begun elsewhere."""
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
    code, out, said = (0, "", off) if off else answer(word, name, options, lost)
    if out:
        print(out)
    if said:
        print(said, file=sys.stderr)
    return code


def answer(word: str, name: str, options: dict[str, str], lost: str = "") -> tuple[int, str, str]:
    """Exit code, stdout and stderr."""
    made = wire.load_wire_dialects()
    problem, data, given = None, {}, ""
    try:
        if lost:
            raise UsageError(lost)
        data = happened.read(standard_input())
        given = happened.text(data, "kind")
    except UsageError as exc:
        problem = exc
    whose = options.get("dialect") or caller(given, made)
    dialect = wire.of(whose, made)
    kind, event, module = resolve_hook_action(word, name, given, dialect)
    try:
        if problem:
            raise problem
        if name:
            data["action"] = name
        said = run_hook_action(kind, data, dialect, module, options, (name or word, whose))
    except Exception as exc:  # also a fault of ours
        what = str(exc) if isinstance(exc, TenterhookError) else format_exception_line(exc)
        if kind not in actions.GUARDED:
            raise UsageError(what) from exc
        said = deny(f"This cannot be checked: {what}")
    if not event:
        return 0, "", said.note
    return wire.render_response(said, dialect, event)


def standard_input() -> bytes:
    """What the caller gave, up to one byte more than is taken; nothing where a person sits there."""
    return sys.stdin.buffer.read(happened.LARGEST + 1) if not sys.stdin.isatty() else b""


def resolve_hook_action(
    word: str, name: str, given: str, dialect: dict[str, Any]
) -> tuple[str, str, ModuleType | None]:
    """Our kind of the event, the dialect's name of it, and the module that does the work."""
    kind = actions.action(name).kind if name else kind_of(word, dialect)
    module = actions.module_of(name) if name else actions.module_at(kind)
    events = dialect["events"]
    event = next((one for one in (word, given) if one in events and events[one]["kind"] == kind), "")
    return kind, event or next((one for one in events if events[one]["kind"] == kind), ""), module


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


def run_hook_action(
    kind: str,
    data: dict[str, Any],
    dialect: dict[str, Any],
    module: ModuleType | None,
    options: dict[str, str],
    called: tuple[str, str],
) -> Said:
    """`called` are the word after `tenter hook` and the dialect's name, by which the hook is found that called us."""
    named = next((os.environ[name] for name in dialect["project"] if os.environ.get(name)), "")
    event = happened.Happened(kind, data, project=named, seconds=0.0)
    if "project" in options:
        event.project = os.path.abspath(options["project"])
    if not os.path.isdir(event.project):
        raise UsageError(f"the project's folder {event.project!r} is not there")
    if module is None:
        return fine(f"nothing to do at {kind}")
    wishes = settings.load(event.project)
    seconds = budget(options) or wishes.seconds(kind)
    most = wishes.budget or (None if "ACTION" in options else seconds)
    event.begin(seconds, None if "budget" in options else lambda: own_limit(event, most, called))
    said: Said = module.run(event, wishes)
    if wishes.aside and said.decision != "deny":  # beside a deny the model reads it, and it says how to loosen a guard
        print(f"tenter: {wishes.aside}", file=sys.stderr)
    return said


def own_limit(event: happened.Happened, most: float | None, called: tuple[str, str]) -> float:
    """The time that the calling hook has, 0 where that is not known; never more than the settings or the event give."""
    from tenterhook.library.actions import own_hook

    word, dialect = called
    found = own_hook.seconds(word, event.project, dialect)
    return min(found, most) if most else found


def budget(options: dict[str, str]) -> float:
    if "budget" not in options:
        return 0.0
    try:
        seconds = float(options["budget"])
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= 3600:
        raise USAGE.error(f"--budget needs a number of seconds above 0, not {options['budget']!r}")
    return seconds


def caller(given: str, made: dict[str, Any]) -> str:
    """Whose event it is: the agent's own variable tells, else the event's name, as far as one dialect alone has it."""
    having = [dialect for dialect, one in made.items() if given in one["events"]] if given else list(made)
    telling = [dialect for dialect in having if any(one in os.environ for one in made[dialect]["project"][:1])]
    lent = {name for dialect in telling for name in made[dialect]["project"][1:]}  # agents set others' variables too
    own = [dialect for dialect in telling if lent.isdisjoint(made[dialect]["project"][:1])]
    set_up = [dialect for dialect in having if made[dialect]["set_up"]]
    usual = [dialect for dialect, one in made.items() if one["usual"]]
    return next(found[0] for found in (own, having, set_up, usual) if len(found) == 1)
