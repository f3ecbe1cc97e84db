"""Does the hook fire? Send an event through the exact command line that the agent will run, and read the answer.

The config is read as the agent reads it; the command runs in the same shell or without one, in the project's folder and
with the same variables; other hooks do not run, and ours are planned but not called.
"""

from __future__ import annotations

import os
import secrets
import subprocess
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from msgspec import Struct
from msgspec.structs import replace

from tenterhook import dialects, handlers
from tenterhook.author import canary
from tenterhook.author.calls import CANARY
from tenterhook.dialects.schema.dialect import Dialect, EventRule
from tenterhook.engine.engine import Engine
from tenterhook.engine.hookset import HookSet
from tenterhook.engine.options import EngineOptions
from tenterhook.engine.simulate import NOTHING_RUNS
from tenterhook.handlers import command
from tenterhook.pipeline.environment import DEPTH
from tenterhook.pipeline.match import match
from tenterhook.runtime.process.program import by_shell
from tenterhook.support import tool_names
from tenterhook.support.http_door import CANARY_HEADER
from tenterhook.testing.calling import NAMES, build_tool_call_data, tool_of
from tenterhook.testing.firing import once_written
from tenterhook.tools.install.command_line import EntryCall, Line
from tenterhook.tools.install.door_token import agent_variables
from tenterhook.tools.install.hookfiles import EventHooks
from tenterhook.tools.install.target import Target
from tenterhook.types import Attempt, Hook, Job, Outcome

if TYPE_CHECKING:
    from tenterhook.engine.runner import Runner
    from tenterhook.runtime.process import Program

# The variable with which a call does not use the server.
SWITCH = "TENTERHOOK_SERVE"
SAMPLE = {"command": "true", "file_path": "canary.txt", "content": "", "old_string": "a", "new_string": "b"}


class CanaryRun(Struct, frozen=True):
    """One canary: the event, what was run, whether the mark came back, and what the agent did with the answer."""

    event: str
    argv: tuple[str, ...]
    proven: bool
    told: str
    seconds: float = 0.0


class AgentRunner:
    """A runner that starts exactly what the agent would start."""

    def __init__(self) -> None:
        self.started: list[tuple[str, ...]] = []

    def together(self, jobs: list[Job], meanwhile: Callable[[Job], None] | None = None) -> list[Attempt]:
        return [self.attempt(job) for job in jobs]

    def attempt(self, job: Job) -> Attempt:
        if not handlers.traits(job.hook.handler).takes_command_line:
            return self.call_url(job)
        program = command.program(job)
        if isinstance(program, Attempt):
            return program
        program = by_shell(program)
        self.started.append(program.argv)
        return run_program(job, program)

    def call_url(self, job: Job) -> Attempt:
        """Call the HTTP door, as the agent does; the mark goes into a header."""
        self.started.append(("POST", str(job.hook.spec["main"])))
        headers = {**job.hook.spec.get("headers", {}), CANARY_HEADER: job.given.event.environ[CANARY]}
        marked = replace(job.hook, spec={**job.hook.spec, "headers": headers})
        module = handlers.get(job.hook.handler)
        assert module is not None
        return cast("Attempt", module.run(replace(job, hook=marked)))

    def close(self) -> None:
        """Nothing is left running."""


def run_program(job: Job, program: Program) -> Attempt:
    began = time.perf_counter()
    name, handler = job.hook.name, job.hook.handler
    try:
        done = subprocess.run(
            program.argv,
            input=job.stdin(),
            env={name: value for name, value in job.env().items() if name != DEPTH},  # as if no hook called it
            cwd=program.cwd,
            capture_output=True,
            timeout=job.timeout,
        )
    except subprocess.TimeoutExpired:
        return Attempt(name, handler, "", error="timeout", detail=f"no answer within {job.timeout:g} s")
    except OSError as exc:
        return Attempt(name, handler, "", error="spawn", detail=f"{program.argv[0]}: {exc.strerror}")
    out, err = (stream.decode("utf-8", "replace") for stream in (done.stdout, done.stderr))
    return Attempt(name, handler, "", done.returncode, seconds=time.perf_counter() - began, stdout=out, stderr=err)


def fly(target: Target, events: list[EventHooks], line: Line) -> list[CanaryRun]:
    """A canary for each event that a hook is for."""
    place = os.path.join(target.root, target.path)
    read = HookSet(EngineOptions(target.hooks.project, dialect=target.dialect, trust="all", on_config_error="warn"))
    there = [hook for hook in read.hooks() if hook.source.file == place]
    flights = []
    for event in events:
        if not event.hooks:
            continue
        own = line.at(target.dialect, event.rule)
        ours = [hook for hook in there if hook.event == event.rule.name and calls(hook, own)]
        flights.append(send_canary(target, event, ours, read))
    return flights


def calls(hook: Hook, line: EntryCall) -> bool:
    return bool(hook.spec["main"] == line.text())


def send_canary(target: Target, event: EventHooks, ours: list[Hook], read: HookSet) -> CanaryRun:
    name, problems = event.rule.name, [str(one) for one in read.ready().problems]
    able = [hook for hook in ours if hook.enabled and not hook.overridden]
    if not able:
        why = read.ready().off or "; ".join(problems) or "the entry was not found where the agent looks for it"
        return CanaryRun(name, (), proven=False, told=f"{target.dialect.title} does not run it: {why}")
    mark, runner = secrets.token_hex(8), AgentRunner()
    environ = {**target.hooks.environ, **agent_variables(target), CANARY: mark, SWITCH: "off"}
    engine = Engine(
        target.hooks.project,
        dialect=target.dialect,
        files=False,
        environ=environ,
        home=target.hooks.home,
        secrets="pass",
        supervisor="off",
        warm=False,
        **NOTHING_RUNS,
    )
    engine.runner = cast("Runner", runner)
    with engine:
        engine.put(*able)
        outcome = engine.fire(name, **sample(target.dialect, event.rule, event.hooks))
    return read_canary_result(event.rule, outcome, runner, mark)


def sample(dialect: Dialect, rule: EventRule, hooks: list[Hook]) -> dict[str, object]:
    """An event as the agent writes it, about a tool that one of the hooks is for."""
    own = {field.name for field in rule.fields}
    given = {name: value for name, value in once_written(dialect, rule).items() if name in own}
    if rule.target.field != "tool_name":
        return given
    known = [ours for ours, theirs in NAMES.items() if not rule.firing.tools or theirs in rule.firing.tools]
    known = [ours for ours in known if tool_of(dialect, ours)]
    fitting = [ours for ours in known if any(fits(one, names_of(dialect, ours)) for one in hooks)]
    return {**given, **build_tool_call_data(dialect, rule, {"tool": (fitting or known or ["shell"])[0], **SAMPLE})}


def fits(hook: Hook, names: tuple[str, ...]) -> bool:
    test = match(hook.matcher, hook.match_kind or dialects.get(dialects.DEFAULT).planning.matcher)
    return test is None or any(map(test, names))


def names_of(dialect: Dialect, ours: str) -> tuple[str, ...]:
    tool = tool_of(dialect, ours)
    return tool_names.names(tool.name if tool else ours)


def read_canary_result(rule: EventRule, outcome: Outcome, runner: AgentRunner, mark: str) -> CanaryRun:
    """Whether the mark came back, by which way, and what that does to the operation."""
    argv = runner.started[0] if runner.started else ()
    seconds = outcome.attempts[0].seconds if outcome.attempts else 0.0
    texts = [outcome.reason, outcome.stop_reason, *(message.text for message in outcome.messages)]
    heard = next((text for text in texts if f"canary {mark}" in text), "")
    printed = "\n".join(f"{one.stdout}\n{one.stderr}" for one in outcome.attempts)
    found = heard or next((text for text in printed.splitlines() if f"canary {mark}" in text), "")
    how, _, who = found.partition(f"canary {mark} ")[2].partition(": ")
    effect = describe_answer_effect(outcome, bool(heard))
    told = {
        canary.REACHED: f"{who.strip()}: {effect}",
        canary.NO_HOOK: f"the hooks were loaded, and the answer {effect}; none is for this one call",
    }
    proven = how in told
    return CanaryRun(rule.name, argv, proven, told[how] if proven else who or failure(outcome), seconds)


def describe_answer_effect(outcome: Outcome, heard: bool) -> str:
    if outcome.blocked or outcome.stop:
        return "refused, as it said"
    return "heard" if heard else "not read: at this event no answer counts"


def failure(outcome: Outcome) -> str:
    """Why nothing came back."""
    for one in outcome.attempts:
        return one.detail or one.error or one.stderr.strip() or f"exit {one.exit_code} without the canary's answer"
    skipped = [f"{one.hook}: {one.why}" for one in outcome.skipped]
    return "; ".join([*skipped, *outcome.warnings]) or "no hook ran"
