"""Try what hooks mean without running them: the engine's own flow, with made-up attempts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from tenterhook.dialects.schema.dialect import Dialect
from tenterhook.engine.engine import Engine
from tenterhook.types import Attempt, Hook, Job, Outcome, Source

__all__ = ["Did", "simulate"]

# Made-up hooks need no sandbox and no journal.
NOTHING_RUNS: dict[str, Any] = {"journal": False, "sandbox": "off", "log": False}
NAMES = ("one", "two", "three", "four", "five", "six", "seven", "eight")


class Did(Struct, frozen=True, kw_only=True):
    """The made-up result of a hook."""

    exit_code: int | None = 0
    stdout: str = ""
    stderr: str = ""
    signal: str | None = None
    error: str | None = None
    answer: Any = None
    detail: str = ""
    hook: str = ""
    seconds: float = 0.0

    def attempt(self, job: Job) -> Attempt:
        error = self.error or ("signal" if self.signal else None)
        late = f"no answer within {job.timeout:g} s, so it was ended: make the hook faster or raise its timeout"
        detail = self.detail or (late if error == "timeout" else "")
        name = job.hook.name
        code = None if error else self.exit_code
        return Attempt(
            name,
            job.hook.handler,
            "",
            code,
            self.signal,
            error,
            detail,
            self.seconds,
            self.stdout,
            self.stderr,
            answer=self.answer,
        )


def simulate(
    dialect: str | Dialect,
    event: str,
    did: Sequence[Did],
    *,
    data: dict[str, Any] | None = None,
    sequential: bool = False,
    mode: str = "",
    on_failure: dict[str, str] | None = None,
    engine: Engine | None = None,
) -> Outcome:
    """The outcome of an event whose hooks did this. No file is read and no process started."""
    engine = engine or Engine(dialect=dialect, files=False, mode=mode, environ={}, home="/", **NOTHING_RUNS)
    rule = engine.rule(event)
    hooks = [
        Hook(
            name=one.hook or NAMES[n],
            event=rule.name,
            handler="command",
            spec={"command": str(n), "main": str(n), "form": "shell"},
            source=Source("simulated"),
            timeout=engine.dialect.planning.timeout,
            sequential=sequential,
            on_failure=on_failure or {},
        )
        for n, one in enumerate(did)
    ]
    engine.put(*hooks)
    compiled = engine.hookset.event(rule.name)
    happened, planned, quiet = engine.plan_event(compiled, data or {})
    if quiet is not None:
        return quiet
    acts = {hook.name: one for hook, one in zip(hooks, did, strict=True)}
    flow = engine.flow(compiled, happened, planned)
    try:
        batch = next(flow)
        while True:
            batch = flow.send([acts[job.hook.name].attempt(job) for job in engine.prepare(batch)])
    except StopIteration as finished:
        return engine.finish(*finished.value)
