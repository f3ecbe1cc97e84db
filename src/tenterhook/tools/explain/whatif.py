"""What each thing a hook can do would mean on one event: the engine's own flow, with made-up attempts.

This module does not know what an answer means. The answers are built from the dialect's data, and their effects are
taken from the outcome, so this cannot disagree with the engine.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Struct

from tenterhook.dialects.schema.dialect import AnswerField, Dialect, EventRule
from tenterhook.testing import Did, simulate
from tenterhook.tools.report import in_words
from tenterhook.types import Message, Outcome

NAME = "the hook"
# Placeholders for a real hook's texts, so that it can be seen where each text goes.
STDOUT, STDERR, REASON, STOP_REASON = "<stdout>", "<stderr>", "<reason>", "<stop reason>"
# A key that is not part of any answer.
UNKNOWN = "x-unknown"
# The details of a real process that ended like this, with each hook's own time-out left open; a test compares them.
TIMED_OUT = "no answer within <time-out> s, so it was ended: make the hook faster or raise its timeout"
KILLED = "ended by SIGKILL: look at its stderr"


class PossibleAnswer(Struct, frozen=True):
    """One thing a hook can do."""

    what: str
    did: Did


class Effect(Struct, frozen=True):
    """Its effect. `lost` is what the engine would warn of: an answer that does not count."""

    what: str
    then: str
    decision: str
    blocked: bool
    stop: bool
    failed: bool
    reason: str
    messages: tuple[Message, ...]
    changes: dict[str, Any]
    lost: tuple[str, ...]

    def result(self) -> tuple[str, bool, bool]:
        return self.decision, self.blocked, self.stop


def effects(dialect: Dialect, rule: EventRule, mode: str, data: dict[str, Any]) -> list[Effect]:
    """The effects of all possible answers in one mode."""
    return [simulate_trial(trial, dialect, rule, mode, data) for trial in trials(dialect, rule)]


def simulate_trial(trial: PossibleAnswer, dialect: Dialect, rule: EventRule, mode: str, data: dict[str, Any]) -> Effect:
    return effect(trial.what, simulate(dialect, rule.name, [trial.did], data=data, mode=mode))


def effect(what: str, outcome: Outcome) -> Effect:
    texts = (text.removeprefix(f"{NAME}: ") for text in outcome.warnings)
    return Effect(
        what,
        in_words(outcome),
        outcome.decision,
        outcome.blocked,
        outcome.stop,
        not outcome.success,
        outcome.reason,
        outcome.messages,
        outcome.changes,
        tuple(text for text in texts if not text.startswith("failed: ")),
    )


def trials(dialect: Dialect, rule: EventRule) -> list[PossibleAnswer]:
    """Everything worth asking about: clean exits, failures, and each JSON answer that the dialect knows here."""
    answers = {what: encode_answer(answer) for what, answer in possible_answers(dialect, rule).items()}
    deny = {code: did(code, answers["JSON deny"]) for code in (1, 2)} if "JSON deny" in answers else {}
    return [
        PossibleAnswer("exit 0, silent", did(0)),
        PossibleAnswer("exit 0, plain text", did(0, STDOUT)),
        *(PossibleAnswer(f"exit 0, {what}", did(0, text)) for what, text in answers.items()),
        *(PossibleAnswer(f"exit 0, {what}", did(0, text)) for what, text in doubtful(dialect, rule).items()),
        PossibleAnswer("exit 1, stderr", did(1, "", STDERR)),
        PossibleAnswer("exit 2, stderr", did(2, "", STDERR)),
        PossibleAnswer("exit 2, silent", did(2)),
        PossibleAnswer("exit 3, stderr", did(3, "", STDERR)),
        *(PossibleAnswer(f"exit {code}, JSON deny", one) for code, one in deny.items()),
        PossibleAnswer("killed by a signal", Did(signal="SIGKILL", detail=KILLED, hook=NAME)),
        PossibleAnswer("timed out", Did(error="timeout", detail=TIMED_OUT, hook=NAME)),
        PossibleAnswer("could not start", Did(error="spawn", detail="could not be started", hook=NAME)),
    ]


def did(code: int, stdout: str = "", stderr: str = "") -> Did:
    return Did(exit_code=code, stdout=stdout, stderr=stderr, hook=NAME)


def possible_answers(dialect: Dialect, rule: EventRule) -> dict[str, dict[str, Any]]:
    """The JSON objects that decide something on this event, by their effect."""
    found = {f"JSON {word}": decision(dialect, rule, word) for word in ("allow", "ask", "deny")}
    found["JSON stop"] = stop(dialect, rule)
    return {what: answer for what, answer in found.items() if answer}


def decision(dialect: Dialect, rule: EventRule, wish: str) -> dict[str, Any]:
    """An answer with a word that means the effect, or that is the word and means something else; empty if there is
    none.
    """
    for answer in fields(dialect, rule, "decision"):
        meaning = [word for word, meant in answer.words.items() if meant == wish]
        word = wish if wish in answer.words else next(iter(meaning), "")
        possible = word and word not in answer.checks.unsupported and word not in answer.checks.words_need
        if possible and (rule.can.ask or answer.words[word] != "ask"):
            beside = answer.path.rpartition(".")[0]
            reasons = sorted(fields(dialect, rule, "reason"), key=lambda one: one.path.rpartition(".")[0] != beside)
            return build_answer(dialect, rule, {answer.path: word, **{one.path: REASON for one in reasons[:1]}})
    return {}


def doubtful(dialect: Dialect, rule: EventRule) -> dict[str, str]:
    """Refusals that some agents accept and others drop: without a reason, and with an unknown key."""
    deny = decision(dialect, rule, "deny")
    if not deny:
        return {}
    return {
        "JSON deny, no reason": encode_answer(without_texts(deny)),
        "JSON deny, unknown key": encode_answer({**deny, UNKNOWN: True}),
    }


def without_texts(answer: dict[str, Any]) -> dict[str, Any]:
    inner = {key: without_texts(one) if isinstance(one, dict) else one for key, one in answer.items()}
    return {key: one for key, one in inner.items() if one != REASON}


def stop(dialect: Dialect, rule: EventRule) -> dict[str, Any]:
    ways = [
        (one.path, one.effect == "stop")
        for effect in ("continue", "stop")
        for one in fields(dialect, rule, effect)
        if not one.checks.unsupported
    ]
    texts = {one.path: STOP_REASON for one in fields(dialect, rule, "stop_reason") if not one.checks.unsupported}
    return build_answer(dialect, rule, {**dict(ways[:1]), **texts}) if ways else {}


def fields(dialect: Dialect, rule: EventRule, effect: str) -> list[AnswerField]:
    """The answer's fields with that effect that count on this event, those for few events first."""
    fitting = [
        one for one in dialect.reading.answers if one.effect == effect and (not one.events or rule.name in one.events)
    ]
    return sorted(fitting, key=lambda one: not one.events)


def build_answer(dialect: Dialect, rule: EventRule, values: dict[str, Any]) -> dict[str, Any]:
    """Dotted paths as one nested object; a section that must name its event does."""
    answer: dict[str, Any] = {}
    for path, value in add_section_event(dialect, rule, values):
        *parents, leaf = path.split(".")
        level = answer
        for parent in parents:
            level = level.setdefault(parent, {})
        level[leaf] = value
    return answer


def add_section_event(dialect: Dialect, rule: EventRule, values: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    if dialect.reading.section.event and any(path.startswith(f"{dialect.reading.section.name}.") for path in values):
        yield f"{dialect.reading.section.name}.{dialect.reading.section.event}", rule.name
    yield from values.items()


def encode_answer(answer: dict[str, Any]) -> str:
    return msgspec.json.encode(answer).decode()
