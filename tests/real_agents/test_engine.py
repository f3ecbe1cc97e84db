"""Our own engine gives every answer the fate that it had in the real client."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tenterhook import dialects
from tenterhook.dialects.schema.dialect import EventRule
from tenterhook.testing import simulate
from tenterhook.types import Outcome

from .answers import OFTEN
from .fates import Told, told
from .predicting import data, did
from .probes import EVERY, Probe
from .programs import claude, codex, copilot, gemini, qwen
from .programs.client import Client

CLIENTS = (claude.CLIENT, codex.CLIENT, gemini.CLIENT, qwen.CLIENT, copilot.CLIENT, copilot.PASCAL)
KNOWN = [client for client in CLIENTS if client.dialect in dialects.names()]
CASES = [
    pytest.param(client, probe, id=f"{client.name}-{probe.kind}-{probe.name}") for client in KNOWN for probe in EVERY
]


@pytest.mark.parametrize(("client", "probe"), CASES)
def test_the_engine_does_with_an_answer_what_the_real_client_did(client: Client, probe: Probe) -> None:
    text = told(client, probe, 0)
    event = client.events[probe.kind]
    outcome = simulate(client.dialect, event, [did(text.answer)], data=data(client, probe.kind, "./mark.sh probe0"))
    rule = next(one for one in dialects.get(client.dialect).events if one.name == event)

    assert probe.fate(client.name) == WORDS[probe.kind](outcome, rule, text), outcome


def read(outcome: Outcome, text: Told) -> bool:
    """Whether the model is told."""
    return any(message.to == "model" and text.why in message.text for message in outcome.messages)


def before(outcome: Outcome, rule: EventRule, text: Told) -> str:
    asks = rule.can.unattended if outcome.decision == "ask" else ""
    if outcome.halts or asks == "stop":
        return "halted"
    if outcome.blocked or asks == "deny":
        return "denied" if read(outcome, text) or (asks and text.why in outcome.reason) else "mute"
    if "input" in outcome.changes:
        return "changed"
    return "ran-halted" if outcome.stop_after else "told" if read(outcome, text) else "ran"


def after(outcome: Outcome, rule: EventRule, text: Told) -> str:
    if outcome.stop:
        return "halted"
    if "output" in outcome.changes:
        return "replaced" if text.why in str(outcome.changes["output"]) else "lost"
    return "beside" if read(outcome, text) else "nothing"


def at_start(outcome: Outcome, rule: EventRule, text: Told) -> str:
    return "refused" if outcome.stop or outcome.blocked else "told" if read(outcome, text) else "nothing"


def at_stop(outcome: Outcome, rule: EventRule, text: Told) -> str:
    """A cap of none is endless: the hook itself has enough after a while."""
    if not outcome.blocked:
        return "0"
    often = min(rule.stop.cap or OFTEN, OFTEN)
    return f"{often}" if read(outcome, text) else f"{often}-mute"


WORDS: dict[str, Callable[[Outcome, EventRule, Told], str]] = {
    "tool.before": before,
    "tool.after": after,
    "prompt.submit": at_start,
    "session.start": at_start,
    "turn.stop": at_stop,
}
