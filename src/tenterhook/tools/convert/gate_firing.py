"""What an agent does with the answer of a hook that it calls through the gate: the gate's own code, nothing started."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tenterhook.dialects.schema.dialect import Dialect, EventRule
from tenterhook.engine.engine import Engine
from tenterhook.engine.simulate import NOTHING_RUNS, Did, simulate
from tenterhook.hosts.gate.answer import answer_call
from tenterhook.tools.check import answers
from tenterhook.tools.install.canary import sample
from tenterhook.types import Hook, Outcome, Source


def reading(source: Dialect, did: Did, to: EventRule, target: Dialect) -> str:
    """The effect there of a hook of the source's that did this behind `tenter run --as`."""
    words = ["--agent", target.name, "--event", to.name, "--as", source.name, "--", "hook"]
    with tempfile.TemporaryDirectory() as home:

        @contextmanager
        def engine_for(options: dict[str, Any]) -> Iterator[Engine]:
            with Engine(**{**options, **NOTHING_RUNS}, environ={}, home=home) as engine:
                yield engine

        def fire(engine: Engine, kind: str, data: dict[str, Any], finish: Callable[[Outcome], object]) -> Outcome:
            return fire_simulated(engine, kind, data, did)

        said = answer_call(words, payload(target, to), {}, engine_for, fire)
    done = Did(exit_code=said.code, stdout=said.out, stderr=said.err)
    return answers.effect(simulate(target, to.name, [done], data=answers.DATA), to)


def fire_simulated(engine: Engine, kind: str, data: dict[str, Any], did: Did) -> Outcome:
    """Fire an event of which every hook did the same."""
    compiled = engine.hookset.event(kind)
    happened, planned, quiet = engine.plan_event(compiled, data)
    if quiet is not None:
        return quiet
    flow = engine.flow(compiled, happened, planned)
    try:
        batch = next(flow)
        while True:
            batch = flow.send([did.attempt(job) for job in engine.prepare(batch)])
    except StopIteration as finished:
        return engine.finish(*finished.value)


def payload(dialect: Dialect, rule: EventRule) -> bytes:
    """An event as the agent writes it."""
    data = {**answers.DATA, **sample(dialect, rule, [])}
    with Engine(dialect=dialect, files=False, environ={}, home="/", **NOTHING_RUNS) as engine:
        hook = Hook(
            name="hook",
            event=rule.name,
            handler="command",
            spec={"main": "true", "form": "shell"},
            source=Source("simulated"),
        )
        engine.put(hook)
        compiled = engine.hookset.event(rule.name)
        happened, planned, _ = engine.plan_event(compiled, data)
        [job] = engine.prepare(next(engine.flow(compiled, happened, planned)))
        return job.stdin()
