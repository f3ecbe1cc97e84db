"""What our engine says will become of an answer: the words of fates.py and of drawn.py, from an outcome."""

from __future__ import annotations

from typing import Any, NamedTuple

from tenterhook import dialects
from tenterhook.dialects.schema.dialect import EventRule
from tenterhook.testing import Did, simulate
from tenterhook.types import Outcome

from .drawing import Case
from .programs.client import PROMPT, Client
from .programs.scene import Answer


class Fate(NamedTuple):
    """What became of a case: a word, and which of its texts the model read.

    Before a tool: ran, changed and by which hook, refused, halted (it did not run, the model was not asked again),
    ran-halted. After a tool: kept (the model read the result), gone, halted. With a prompt and at the start: asked,
    refused. When the agent wants to stop: how often it did not.
    """

    word: str
    told: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.word}, told {', '.join(self.told) or 'nothing'}"


def did(answer: Answer) -> Did:
    """What the probe's hook does, as the engine would find it."""
    return Did(
        exit_code=answer.exit_code,
        stdout=answer.stdout,
        stderr=answer.stderr,
        signal="SIGKILL" if answer.signal else None,
        error="timeout" if answer.seconds >= 1 else None,
        seconds=answer.seconds,
    )


def data(client: Client, kind: str, command: str) -> dict[str, Any]:
    if not kind.startswith("tool."):
        return {"prompt": PROMPT}
    result = {"tool_output": client.output("TOOL-OUTPUT")} if kind == "tool.after" else {}
    return {"tool_name": client.tool, "tool_input": client.call(command), **result}


def rule_of(client: Client, kind: str) -> EventRule:
    return next(one for one in dialects.get(client.dialect).events if one.name == client.events[kind])


def outcome_of(client: Client, case: Case) -> Outcome:
    given = data(client, case.kind, f"./mark.sh {case.mark}")
    return simulate(client.dialect, client.events[case.kind], [did(one) for one in case.hooks], data=given)


def predict(client: Client, case: Case) -> Fate:
    outcome = outcome_of(client, case)
    word, rest = PREDICTED[case.kind](outcome, rule_of(client, case.kind), case)
    if word in ENDED[case.kind]:
        return Fate(word)
    texts = [message.text for message in outcome.messages if message.to == "model"]
    return Fate(word, tuple(one for one in case.tokens if any(one in text for text in (*texts, rest))))


def before(outcome: Outcome, rule: EventRule, case: Case) -> tuple[str, str]:
    asks = rule.can.unattended if outcome.decision == "ask" else ""
    refused = outcome.blocked or asks == "deny"
    if outcome.halts or asks == "stop" or (refused and outcome.stop_after):
        return "halted", ""
    if refused:
        return "refused", outcome.reason
    after = "-halted" if outcome.stop_after else ""
    if "input" not in outcome.changes:
        return f"ran{after}", ""
    command = outcome.changes["input"].get("command", "")
    if command:
        return f"changed{after} {command.split()[-1]}", ""
    # What has no command the tool itself refuses.
    return ("halted" if outcome.stop_after else "refused"), ""


def after(outcome: Outcome, rule: EventRule, case: Case) -> tuple[str, str]:
    if outcome.stop:
        return "halted", ""
    if "output" in outcome.changes:
        return "gone", str(outcome.changes["output"])
    return "kept", ""


def at_start(outcome: Outcome, rule: EventRule, case: Case) -> tuple[str, str]:
    return "refused" if outcome.stop or outcome.blocked else "asked", str(outcome.changes.get("prompt", ""))


def at_stop(outcome: Outcome, rule: EventRule, case: Case) -> tuple[str, str]:
    return "1" if outcome.blocked and not outcome.stop else "0", outcome.reason


PREDICTED = {
    "tool.before": before,
    "tool.after": after,
    "prompt.submit": at_start,
    "session.start": at_start,
    "turn.stop": at_stop,
}
# After these the model is not asked again, so that it cannot read anything.
ENDED: dict[str, tuple[str, ...]] = {
    "tool.before": ("halted", "ran-halted"),
    "tool.after": ("halted",),
    "prompt.submit": ("refused",),
    "session.start": ("refused",),
    "turn.stop": ("0",),
}
