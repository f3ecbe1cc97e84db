"""`tenter run`: what an agent calls. All hooks of the config files and of the named files run in one flow."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tenterhook.author.process import BY_HAND, aside, back, emit

if TYPE_CHECKING:
    from tenterhook.author.forms import Said
    from tenterhook.cli.options import CommandUsage
    from tenterhook.engine.engine import Engine
    from tenterhook.types import Outcome


def usage() -> CommandUsage:
    """For help, completion and the manual; a call needs none of it."""
    from tenterhook.cli.options import CommandUsage, Option

    return CommandUsage(
        "run",
        "Answer an agent that calls its hooks: read its event on stdin, run all hooks of the system's, the user's\n"
        "and the project's tenterhook.toml, and answer in the form that the agent obeys. A FILE holds more hooks,\n"
        "functions with @hook(kind); library:NAME is a hook that comes with tenterhook.",
        ("[FILE...]", "[-- COMMAND [ARG...]]"),
        (
            Option("agent", "who calls, NAME or NAME@VERSION (default: as the event and the environment tell)", "NAME"),
            Option(
                "event",
                "what happened, where the agent does not say it on stdin; its own name for it, or ours",
                "EVENT",
            ),
            Option(
                "hooks-of",
                "run the hooks of this agent's own config files, too, as they are; several with commas",
                "NAME",
            ),
            Option(
                "as",
                "COMMAND, behind --, is one hook of this agent: it alone runs; one word with blanks is shell text",
                "NAME",
            ),
            Option("set", "an option for the hooks of the file before it; NAME may be HOOK.NAME", "NAME=VALUE"),
            Option("options", "a TOML file with a table of options for each hook, by the hook's name", "FILE"),
        ),
        """echo '{"tool_name": "Bash", "tool_input": {"command": "ls"}}' |
    tenter run --agent claude --event tool.before""",
        "exit codes: as the agent wants them; 2 refused, 1 could not run",
    )


def run(argv: list[str], lost: str = "") -> int:
    """`lost`: why the result of this call is unknown, after a server that had accepted it died. It is not run again."""
    if "-h" in argv or "--help" in argv:
        print(usage().help())
        return 0
    if sys.stdin is not None and sys.stdin.isatty():
        print(BY_HAND, file=sys.stderr)
        return 1
    out = aside()
    try:
        given = sys.stdin.buffer.read() if sys.stdin is not None else b""
        reply = refuse_lost(argv, given, lost) if lost else answer(argv, given)
    finally:
        back(out)
    code = emit(reply, out)
    if not lost:
        from tenterhook.cli.server.auto_start import start_server_if_wanted

        start_server_if_wanted(os.environ)
    return code


def refuse_lost(argv: list[str], given: bytes, lost: str) -> Said:
    """What the server decided may be in the journal; that the agent was refused is there, too."""
    from tenterhook.hosts.gate.answer import refuse_unreadable
    from tenterhook.hosts.gate.call import Unreadable, read_call
    from tenterhook.hosts.gate.record import keep_unanswered
    from tenterhook.hosts.gate.reply import cannot_check

    try:
        call = read_call(argv, given, os.environ)
    except Unreadable as exc:
        return refuse_unreadable(exc, make_engine)
    keep_unanswered(call, f"This cannot be checked: {lost}", make_engine)
    return cannot_check(call, lost)


def answer(argv: list[str], given: bytes) -> Said:
    from tenterhook.cli.commands.fire import ended_with_us
    from tenterhook.hosts.gate.answer import answer_call

    with ended_with_us():
        return answer_call(argv, given, os.environ, make_engine, fire)


@contextmanager
def make_engine(options: dict[str, Any]) -> Iterator[Engine]:
    from tenterhook.engine.engine import Engine

    with Engine(**options, supervisor="fork") as engine:
        yield engine


def fire(engine: Engine, kind: str, data: dict[str, Any], finish: Callable[[Outcome], Said]) -> Outcome:
    """`finish` answers the agent, for a caller in which another thread may have to do that."""
    outcome = engine.fire(kind, **data)
    if engine.runner is not None:  # not reached on a signal, which ends us and the hooks
        engine.runner.release()
    return outcome
