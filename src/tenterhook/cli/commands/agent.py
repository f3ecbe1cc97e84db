"""`tenter agent`: the reference host, a small coding agent whose every step goes through hooks."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import tenterhook
from tenterhook.agent.coder import CONTEXT, Coder
from tenterhook.agent.compaction import shorten
from tenterhook.agent.remote import remote_tools
from tenterhook.agent.screen import Screen, read_terminal_line
from tenterhook.agent.signals import SignalHandling
from tenterhook.agent.tools import built_in
from tenterhook.agent.transcript import Transcript
from tenterhook.agent.turn_end import TurnEnd
from tenterhook.cli.commands.fire import warn_of_bypass
from tenterhook.cli.main import complain
from tenterhook.cli.options import CONFIG, DIALECT, PROJECT, CommandUsage, Option
from tenterhook.cli.project import engine_for, hint_at_others, warn
from tenterhook.clients.workspace.children import run_to_completion
from tenterhook.clients.workspace.workspace import Workspace
from tenterhook.errors import TenterhookError
from tenterhook.support.terminal.text import colourful, one_line, pluralise_count
from tenterhook.tools.approve.statusline import status_line

if TYPE_CHECKING:
    from tenterhook.clients.models import Provider
    from tenterhook.engine.engine import Engine
    from tenterhook.tools.approve.statusline import StatusLine

USAGE = CommandUsage(
    "agent",
    "A small coding agent whose every step goes through hooks: the reference host, and a way to try hooks for real.",
    (),
    (
        DIALECT,
        PROJECT,
        Option("prompt", "what to do (default: stdin; on a terminal, one after another)", "TEXT"),
        Option("model", "openai:NAME, anthropic:NAME, google:NAME, or NAME@URL for a compatible server", "NAME"),
        Option("script", "play replies from this file instead of asking a model, one JSON object per line", "FILE"),
        Option("yes", "answer every question for permission with yes"),
        Option("no", "answer every question for permission with no"),
        CONFIG,
        Option("subagent", "run as the agent of this id, for hooks of one agent", "ID"),
        Option("trust", "run the project's hooks and MCP servers without asking"),
        Option("require-trusted", "do not start if hooks are not approved; exit 4"),
        Option("transcript", "write what happens to this file, one JSON object per line", "FILE"),
        Option("context", f"shorten a conversation that has more tokens than this (default: {CONTEXT})", "N"),
    ),
    'tenter agent --trust --yes --model openai:gpt-5 --prompt "Mend the failing test."',
    "exit codes: 0 done, 2 the prompt was blocked, 3 a hook stopped the agent, 1 could not run or had no reply left, "
    "4 hooks that are not approved (--require-trusted), 130 interrupted",
)
NOT_APPROVED = 4
INTERRUPTED = 130
EXITS = {"done": 0, "blocked": 2, "stopped": 3, "interrupted": INTERRUPTED}
SAID = {"stopped": "a hook stopped the agent", "blocked": "the prompt was blocked", "script": "the end of the script"}
LEAVE, COMPACT, RELOAD = ("/exit", "/quit"), "/compact", "/reload"


def run(argv: list[str]) -> int:
    options = USAGE.parse(argv)
    if options is None:
        return 0
    if "yes" in options and "no" in options:
        raise USAGE.error("--yes and --no cannot be used together")
    context = int(USAGE.number(options, "context", CONTEXT, whole=True))
    provider = answering(options)
    prompt = read_prompt(options)
    with (
        engine_for(options) as engine,
        closing(Transcript(options.get("transcript", ""))) as transcript,
        warnings_on(Screen(engine.dialect, colour=colourful())) as screen,
    ):
        warn(list(engine.warnings))
        warn_of_bypass(engine)
        hint_at_others(engine.hookset)
        if "require-trusted" in options and (aside := describe_unapproved_hooks(engine)):
            print(f"tenter: not started, because not approved (see tenter trust): {aside}", file=sys.stderr)
            return NOT_APPROVED

        async def everything() -> int:
            attended = SignalHandling()  # before anything is started that would have to be ended
            async with remote_tools(engine, warn) as remote:
                coder = Coder(
                    engine,
                    provider,
                    [*built_in(Workspace(engine.project)), *remote],
                    screen,
                    transcript,
                    answer="yes" if "yes" in options else "no" if "no" in options else "",
                    agent=options.get("subagent", ""),
                    context=context,
                )
                return await run_session_to_end(coder, prompt, attended)

        try:
            return asyncio.run(everything())
        except asyncio.CancelledError:
            return INTERRUPTED


def describe_unapproved_hooks(engine: Engine) -> str:
    states = ("untrusted", "modified", "denied")
    return ", ".join(f"{one_line(hook.name)} ({hook.state})" for hook in engine.hooks() if hook.state in states)


@contextmanager
def warnings_on(screen: Screen) -> Iterator[Screen]:
    """Show log records, such as a failed hook, on the agent's screen next to what they are about."""

    class Shown(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            screen.warn(record.getMessage())

    log, handler = logging.getLogger(tenterhook.__name__), Shown(logging.WARNING)
    log.addHandler(handler)
    try:
        yield screen
    finally:
        log.removeHandler(handler)


async def run_session_to_end(coder: Coder, prompt: str | None, attended: SignalHandling) -> int:
    """Run the session from start to end, and end it in any case."""
    problem = None
    try:
        await coder.start()
        if prompt is None:
            await conversation(coder, attended)
            coder.end = TurnEnd("done", coder.end.text)
        else:
            coder.screen.prompt(prompt)
            problem = await attended.do(turn(coder, prompt))
    finally:
        await coder.close("prompt_input_exit" if prompt is None else "other")
        coder.screen.summary()
    if problem := problem or coder.transcript.problem:
        raise TenterhookError(problem)
    return 0 if prompt is None else EXITS.get(coder.end.reason, 1)


async def conversation(coder: Coder, attended: SignalHandling) -> None:
    """Interactive mode: read one prompt after another. Ctrl-C ends the turn; at the prompt it ends the conversation."""
    print("What should I do? /compact shortens the conversation, /reload reads the hooks again, /exit ends it.")
    status = status_line(coder.engine.hookset, complain)
    while True:
        print()
        if status and (shown := await attended.do(run_status_line(status, coder))):
            print(shown)
        print("> ", end="", flush=True)
        line = await attended.do(read_terminal_line())
        text = (line or "").strip()
        if not line or text in LEAVE:
            return
        if text == RELOAD:
            reload_hooks(coder.engine)
            status = status_line(coder.engine.hookset, complain)
        elif text.startswith("/") and text.isascii() and text[1:].isalpha() and text != COMPACT:
            print(f"Unknown command {text}; the commands are {COMPACT}, {RELOAD} and {LEAVE[0]}.")
        elif text:
            work = compact_conversation(coder) if text == COMPACT else turn(coder, text)
            if problem := await attended.do(work):
                complain(problem)
            await coder.waits()


def reload_hooks(engine: Engine) -> None:
    """Read the config again. If it is broken, keep the hooks as they were."""
    try:
        engine.reload()
    except TenterhookError as exc:
        complain(f"{exc}; the hooks that were read before stay in force")
        return
    warn(list(engine.warnings))
    print(f"{pluralise_count(len(engine.hooks()), 'hook')} read.")


async def run_status_line(status: StatusLine, coder: Coder) -> str:
    """The first line that the status line's command prints, or why it failed."""
    if status.seal and (why := status.seal.find_change()):
        return one_line(f"[status line: {why}]")
    done = await run_to_completion(status.program(coder.engine.hookset, coder.provider.model))
    if done.error or done.exit_code:
        printed = done.stderr.decode("utf-8", "replace").strip()
        return one_line(f"[status line: {done.detail or printed or f'exit code {done.exit_code}'}]")
    return one_line(done.stdout.decode("utf-8", "replace").strip().partition("\n")[0])


async def turn(coder: Coder, prompt: str) -> str:
    """Run one turn. Returns the error text if it failed; the conversation then continues with the next prompt."""
    try:
        end = await coder.prompt(prompt)
    except TenterhookError as exc:
        return str(exc)
    if end.reason in SAID and not coder.screen.was_printed(end.text):
        coder.screen.note(f"{SAID[end.reason]}: {end.text}")
    return ""


async def compact_conversation(coder: Coder) -> str:
    try:
        end = await shorten(coder.loop, "manual")
    except TenterhookError as exc:
        return str(exc)
    return f"{SAID['stopped']}: {end.text}" if end else ""


def read_prompt(options: dict[str, str]) -> str | None:
    """The prompt; None if the user will be asked for one at a terminal."""
    if "prompt" in options:
        text = options["prompt"]
    elif sys.stdin.isatty():
        return None
    else:
        text = sys.stdin.read()
    if not text.strip():
        raise USAGE.error("no prompt: give --prompt TEXT, or write one to stdin")
    return text.strip() if "prompt" not in options else text


def answering(options: dict[str, str]) -> Provider:
    if ("model" in options) == ("script" in options):
        raise USAGE.error("give either --model NAME or --script FILE")
    if "script" in options:
        from tenterhook.agent.script import ModelScript

        return ModelScript(options["script"])
    from tenterhook.clients.models import provider_for

    return provider_for(options["model"])
