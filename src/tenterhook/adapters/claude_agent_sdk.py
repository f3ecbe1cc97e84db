"""hooks(engine) in agents of the Claude Agent SDK: Claude Code's own hook events, answered in its own dialect.

    options = ClaudeAgentOptions(hooks=hooks(engine))

The SDK runs Claude Code's program, which asks for each event as it asks `tenter run --agent claude`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, get_args

from anyio import to_thread
from claude_agent_sdk import HookMatcher
from claude_agent_sdk.types import HookEvent

from tenterhook.author.forms import Said
from tenterhook.engine.engine import Engine
from tenterhook.errors import TenterhookError, UsageError
from tenterhook.hosts.gate.answer import answer_call
from tenterhook.hosts.gate.our_words import DIALECT
from tenterhook.support import logs
from tenterhook.types import Outcome

log = logs.redacting_logger("tenterhook.adapters")

AGENT = "claude"
# The program itself asks the model: the SDK has no seam there.
NOT_CALLED = ("model.before", "model.after", "tools.select")


def hooks(engine: Engine | None = None, *, timeout: float = 600.0) -> dict[HookEvent, list[HookMatcher]]:
    """The `hooks` of `ClaudeAgentOptions`. After `timeout` seconds the program gives a call up, and blocks it."""
    engine = engine or Engine(".")
    if engine.dialect.name != DIALECT:
        raise UsageError(
            f"hooks of the dialect {engine.dialect.name!r} run in the agent itself: give an Engine of our own dialect"
        )
    for kind in NOT_CALLED:
        if engine.listens(kind):
            log.warning("hooks on %s do not run in the Claude Agent SDK: its program calls the model itself", kind)
    # An error of a callback must not let the call through.
    matcher = HookMatcher(hooks=[callback(engine)], timeout=timeout, on_failure="block")
    return {name: [matcher] for name in event_names(HookEvent)}


def event_names(kinds: Any) -> Iterator[Any]:
    """The names in the SDK's type of events, which is a union of literals."""
    for one in get_args(kinds):
        if isinstance(one, str):
            yield one
        else:
            yield from event_names(one)


def callback(engine: Engine) -> Callable[..., Awaitable[Any]]:
    async def answer(event: Any, tool_use_id: str | None, context: Any) -> Any:
        return await to_thread.run_sync(answer_event, engine, event, abandon_on_cancel=True)

    return answer


def answer_event(engine: Engine, event: dict[str, Any]) -> dict[str, Any]:
    """The answer to one event of the program. An exception blocks the call."""

    @contextmanager
    def engine_for(options: dict[str, Any]) -> Iterator[Engine]:
        if options.get("dialect", DIALECT) == DIALECT:
            yield engine
        else:  # the config says that another agent's hooks run, too
            with Engine(**options) as other:
                yield other

    given = json.dumps(event).encode()
    return read_answer(answer_call(["--agent", AGENT], given, os.environ, engine_for, fire))


def fire(engine: Engine, kind: str, data: dict[str, Any], finish: Callable[[Outcome], Said]) -> Outcome:
    return engine.fire(kind, **data)


def read_answer(said: Said) -> dict[str, Any]:
    """A reply to a program, as the object that a callback returns."""
    if said.code:
        raise TenterhookError(said.err or said.refusal or "this cannot be checked")
    if said.err:
        log.warning("%s", said.err)
    answer = json.loads(said.out) if said.out.strip() else {}
    if not isinstance(answer, dict):
        raise TenterhookError(f"an answer of hooks is not an object: {said.out[:100]}")
    return answer
