"""What the journal holds of a call: who asked, the calls that no hook listens to, and refusals without any hook."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from tenterhook.author.callers import CALLER
from tenterhook.author.registered import GUARDED
from tenterhook.journal.caller import Caller, called_by
from tenterhook.types import Event, Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tenterhook.author.calls import HookCommand
    from tenterhook.engine.compiled_event import CompiledEvent
    from tenterhook.engine.engine import Engine
    from tenterhook.hosts.gate.call import AgentCall
    from tenterhook.hosts.gate.sides import EngineFor, Side

# What an agent does with an effect, beyond the words of `tenter matrix`: the gate refuses the operation instead.
REFUSED_INSTEAD = "refused"


def caller_of(call: AgentCall) -> Caller:
    """What the journal says of the agent: its version, if it tells it, and what it does with each effect here."""
    says = call.forms["events"].get(call.event.name, {}).get("says", {})
    found = {effect: "enforced" for effect in ("deny", "allow", "ask", "stop", "rewrite", "context") if effect in says}
    if "deny" in found:
        found = {"ask": REFUSED_INSTEAD, "rewrite": REFUSED_INSTEAD, **found}
    elif "context" in found:
        found |= {"deny": "advisory", "ask": "advisory"}
    return Caller(call.agent, version_of(call), found, each=True)


def caller_of_unreadable(line: HookCommand) -> Caller:
    """Every agent obeys the exit code of a refusal."""
    return Caller(line.agent, obeys={"deny": "enforced"}, each=True)


def version_of(call: AgentCall) -> str:
    """The agent's version, as its payload or a variable of it says."""
    told = next((str(value) for name, value in call.event.raw.items() if name.endswith("_version")), "")
    return told or version_in(call.environ, call.forms.get("version_in", ""))


def version_in(environ: Mapping[str, str], where: str) -> str:
    """The version in a variable: `NAME`, or `NAME=BEGINNING` if the value says more; empty if it does not say it so."""
    name, _, beginning = where.partition("=")
    value = environ.get(name, "")
    if not name or not value.startswith(beginning):
        return ""
    numbers = value[len(beginning) :].partition("_")[0]
    return numbers if "." in numbers else numbers.replace("-", ".")


def keep_unheard(call: AgentCall, sides: list[Side], data: dict[str, Any]) -> None:
    """Keep a call that no hook listens to: the engine itself keeps events only where one does."""
    heard = [one.engine.hookset.event(call.kind) for one in sides if one.engine.has(call.kind)]
    engine = sides[0].engine
    if engine.journal is None or not engine.has(call.kind) or any(one.listened for one in heard):
        return
    compiled = engine.hookset.event(call.kind)
    engine.journal.later(build_event(engine, compiled, data), engine.nothing(compiled))


def keep_refusal(engine: Engine, kind: str, data: dict[str, Any], text: str, *, blocked: bool) -> None:
    """Keep what was answered without asking any hook."""
    engine.ready()
    compiled = engine.hookset.event(kind if engine.has(kind) else GUARDED[0])
    outcome: Outcome = replace(
        engine.nothing(compiled), decision="deny" if blocked else "none", blocked=blocked, reason=text, success=False
    )
    engine.finish(build_event(engine, compiled, data), outcome)


def keep_unanswered(call: AgentCall, text: str, engine_for: EngineFor) -> None:
    """Keep that a call could not be checked; the config may be what is wrong, so the engine takes what it can read of
    it. What cannot be kept changes no answer.
    """
    options = {**call.engine_options(), "on_config_error": "warn"}
    with suppress(Exception), called_by(caller_of(call)), engine_for(options) as engine:
        keep_refusal(engine, call.kind, call.data(), text, blocked=call.kind in GUARDED)


def build_event(engine: Engine, compiled: CompiledEvent, data: dict[str, Any]) -> Event:
    session = data.get("session_id") or engine.session_id
    return Event(compiled.rule.kind, compiled.rule.name, data, engine.project, session)


def data_of_unreadable(line: HookCommand) -> dict[str, Any]:
    return {CALLER: {"agent": line.agent, "event": line.event}}
