"""`tenter agent`: the reference host, a small coding agent whose every step goes through hooks."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from typing import TYPE_CHECKING

from msgspec.structs import replace

import tenterhook
from tenterhook.agent.coder import CONTEXT, Coder
from tenterhook.agent.screen import Screen
from tenterhook.agent.servers import Server, Servers, read_servers
from tenterhook.agent.tools import Definition, built_in
from tenterhook.agent.transcript import Transcript
from tenterhook.agent.workspace import Workspace
from tenterhook.cli.fire import ended_with_us
from tenterhook.cli.main import complain
from tenterhook.cli.options import AGENT, CONFIG, DIALECT, PROJECT, Option, Usage
from tenterhook.cli.project import engine_for, hint_at_others, warn
from tenterhook.engine import Engine
from tenterhook.errors import TenterhookError, UsageError
from tenterhook.terminal import colourful

if TYPE_CHECKING:
    from tenterhook.agent.providers import Provider

USAGE = Usage(
    "agent",
    "A small coding agent whose every step goes through hooks: the reference host, and a way to try hooks for real.",
    (),
    (
        DIALECT,
        PROJECT,
        Option("prompt", "what to do (default: stdin; on a terminal, one after another)", "TEXT"),
        Option("model", "openai:NAME, anthropic:NAME, google:NAME, or NAME@URL for a compatible server", "NAME"),
        Option("script", "play replies from this file instead of asking a model, one JSON object a line", "FILE"),
        Option("yes", "answer every question for permission with yes"),
        Option("no", "answer every question for permission with no"),
        CONFIG,
        AGENT,
        Option("trust", "run the project's hooks and MCP servers without asking"),
        Option("transcript", "write what happens to this file, one JSON object a line", "FILE"),
        Option("context", f"shorten conversations beyond so many tokens (default: {CONTEXT})", "N"),
    ),
    'tenter agent --trust --yes --model openai:gpt-5 --prompt "Mend the failing test."',
    "exit codes: 0 done, 2 the prompt was blocked, 3 a hook stopped the agent, 1 could not run or had no reply left",
)
EXITS = {"done": 0, "blocked": 2, "stopped": 3}
SAID = {"stopped": "a hook stopped the agent", "blocked": "the prompt was blocked", "script": "the end of the script"}
LEAVE, COMPACT = ("/exit", "/quit"), "/compact"


def run(argv: list[str]) -> int:
    options = USAGE.parse(argv)
    if options is None:
        return 0
    if "yes" in options and "no" in options:
        raise USAGE.error("--yes or --no, not both")
    context = whole_number(options.get("context", str(CONTEXT)))
    prompt = given(options)
    provider = answering(options)
    with (
        engine_for(options) as engine,
        closing(Transcript(options.get("transcript", ""))) as transcript,
        warnings_on(Screen(engine.dialect, colour=colourful())) as screen,
        ended_with_us(interrupt),
        asyncio.Runner() as runner,
    ):
        warn(list(engine.warnings))
        hint_at_others(engine)
        with remote_tools(runner, engine, trusted="trust" in options) as remote:
            coder = Coder(
                engine,
                provider,
                [*built_in(Workspace(engine.project)), *remote],
                screen,
                transcript,
                answer="yes" if "yes" in options else "no" if "no" in options else "",
                agent=options.get("agent", ""),
                context=context,
            )
            return lived(runner, coder, prompt)


@contextmanager
def warnings_on(screen: Screen) -> Iterator[Screen]:
    """What the log has to say, a failed hook above all, stands on the screen among the things it is about."""

    class Shown(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            screen.warn(record.getMessage())

    log, handler = logging.getLogger(tenterhook.__name__), Shown(logging.WARNING)
    log.addHandler(handler)
    try:
        yield screen
    finally:
        log.removeHandler(handler)


def lived(runner: asyncio.Runner, coder: Coder, prompt: str | None) -> int:
    """From the session's start to its end, however it ends."""
    problem, whole = "", False
    try:
        runner.run(coder.start())
        if prompt is None:
            conversation(runner, coder)
        else:
            coder.screen.prompt(prompt)
            problem = turn(runner, coder, prompt)
        whole = True
    finally:
        runner.run(coder.close("prompt_input_exit" if prompt is None else "other", wait=whole))
        coder.screen.summary()
    if problem := problem or coder.transcript.problem:
        raise TenterhookError(problem)
    return EXITS.get(coder.end.reason, 1)


def conversation(runner: asyncio.Runner, coder: Coder) -> None:
    """On a terminal: one prompt after another. Ctrl-C ends a turn, and at the prompt the conversation."""
    print("What shall be done? /compact shortens the conversation, /exit ends it.")
    while True:
        try:
            text = input("\n> ").strip()
        except (EOFError, KeyboardInterrupt):
            return
        if text in LEAVE:
            return
        with suppress(KeyboardInterrupt):
            if text == COMPACT:
                runner.run(coder.loop.shorten("manual"))
            elif text:
                if problem := turn(runner, coder, text):
                    complain(problem)
                runner.run(coder.waits())


def turn(runner: asyncio.Runner, coder: Coder, prompt: str) -> str:
    """What went wrong with it, if something did: then a conversation goes on with the next prompt."""
    try:
        end = runner.run(coder.prompt(prompt))
    except TenterhookError as exc:
        return str(exc)
    if end.reason in ("stopped", "blocked", "script"):
        coder.screen.note(f"{SAID[end.reason]}: {end.text}")
    return ""


def interrupt(number: int, frame: object) -> None:
    """Who ends us with a signal gets what Ctrl-C does: everything that runs ends, and the session with its hooks."""
    signal.raise_signal(signal.SIGINT)


def given(options: dict[str, str]) -> str | None:
    """The prompt; None where a person at a terminal will be asked for one."""
    if "prompt" in options:
        text = options["prompt"]
    elif sys.stdin.isatty():
        return None
    else:
        text = sys.stdin.read()
    if not text.strip():
        raise USAGE.error("there is no prompt: give --prompt TEXT, or one on stdin")
    return text.strip() if "prompt" not in options else text


def answering(options: dict[str, str]) -> Provider:
    if ("model" in options) == ("script" in options):
        raise USAGE.error("who answers? give --model NAME or --script FILE, one of them")
    if "script" in options:
        from tenterhook.agent.script import Script

        return Script(options["script"])
    from tenterhook.agent.providers import provider_for

    return provider_for(options["model"], os.environ)


@contextmanager
def remote_tools(runner: asyncio.Runner, engine: Engine, *, trusted: bool) -> Iterator[list[Definition]]:
    """The tools of MCP servers, by the dialect's names for them. Servers that do not start are left out, and said."""
    servers = Servers(named_servers(engine, trusted), environ=engine.environ, cwd=engine.project)
    try:
        runner.run(servers.__aenter__())
    except UsageError as exc:
        warn([f"{exc}; without it the MCP servers are left out"])
        yield []
        return
    try:
        warn(servers.problems)
        name = engine.dialect.mcp_tool
        yield [replace(one, name=name.format(server=server, tool=one.name)) for server, one in servers.tools]
    finally:
        runner.run(servers.__aexit__())


def named_servers(engine: Engine, trusted: bool) -> list[Server]:
    """The MCP servers of the dialect's files; a project's own are started only where the project is trusted."""
    files: list[str] = []
    aside: list[str] = []
    for name in engine.dialect.mcp_files:
        if name.startswith("~/"):
            files.append(os.path.join(engine.home, name[2:]))
        else:
            (files if trusted else aside).append(os.path.join(engine.project, name))
    if found := [one.name for one in read_servers(aside)]:
        warn([f"not started, because not trusted (see --trust): the MCP servers {', '.join(found)}"])
    return read_servers(files)


def whole_number(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise USAGE.error(f"--context needs a whole number from 1 on, not {text!r}")
    return int(text)
