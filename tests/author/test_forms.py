"""The heart of it: what is written for an agent, read by that agent's own dialect, means what the hook said.

Every dialect, every event, every answer; the outcome is the intended one, or the nearest safe one where the agent can
do no better.
"""

from __future__ import annotations

import pytest

from tenterhook import dialects, hook
from tenterhook.author import callers, forms
from tenterhook.author.answers import Answer
from tenterhook.author.event import SUBJECTS, Event
from tenterhook.dialects.schema.dialect import EventRule
from tenterhook.engine.make_forms import CHANGES, has_message_containing
from tenterhook.testing import Did, simulate
from tenterhook.types import Outcome

EVENTS = [(name, rule) for name in dialects.names() for rule in dialects.get(name).events]
IDS = [f"{name}-{rule.name}" for name, rule in EVENTS]
each_event = pytest.mark.parametrize(("name", "rule"), EVENTS, ids=IDS)


def answered(name: str, rule: EventRule, said: Answer) -> tuple[Outcome, forms.Said]:
    """What the dialect makes of an answer that was written for it."""
    subject = SUBJECTS.get(rule.kind, "")
    data = {subject: CHANGES[subject][1]} if subject else {}
    out = forms.render_answer(said, Event(rule.kind, data, raw={}, name=rule.name), callers.load(name))
    did = Did(exit_code=out.code, stdout=out.out, stderr=out.err)
    return simulate(name, rule.name, [did], data=data), out


def heard(outcome: Outcome, out: forms.Said, text: str) -> bool:
    """Whether anybody is told: the model, the user, or whoever reads stderr."""
    return text in out.err or any(text in one.text for one in outcome.messages) or text in outcome.reason


@each_event
def test_a_refusal_refuses_wherever_an_event_can_be_refused(name: str, rule: EventRule) -> None:
    outcome, out = answered(name, rule, hook.deny("not like this"))

    assert outcome.blocked == rule.can.block
    assert heard(outcome, out, "not like this")
    if rule.can.block:
        assert "not like this" in outcome.reason


@each_event
def test_a_question_is_asked_or_refused_and_never_lost(name: str, rule: EventRule) -> None:
    outcome, out = answered(name, rule, hook.ask("shall it?"))

    assert heard(outcome, out, "shall it?")
    assert outcome.decision == "ask" if rule.can.ask else outcome.blocked == rule.can.block


@each_event
def test_a_change_is_made_or_refused_where_it_can_be(name: str, rule: EventRule) -> None:
    change, _, wanted = CHANGES.get(SUBJECTS.get(rule.kind, ""), ("", None, {"a": 1}))
    outcome, out = answered(name, rule, hook.rewrite(wanted))

    made = bool(change) and outcome.changes.get(change) == wanted
    before = rule.kind in forms.BEFORE
    assert made or outcome.blocked == (rule.can.block and before)
    assert made or heard(outcome, out, "chang")


@each_event
def test_what_the_model_is_to_know_reaches_it_or_somebody_else(name: str, rule: EventRule) -> None:
    outcome, out = answered(name, rule, hook.context("the branch is main"))

    assert heard(outcome, out, "the branch is main")
    assert not outcome.blocked
    assert not outcome.stop
    if not has_message_containing(outcome, "model", "the branch is main"):
        assert "the model cannot be told here" in out.err


@each_event
def test_a_notice_reaches_the_user_or_stderr_and_changes_nothing(name: str, rule: EventRule) -> None:
    outcome, out = answered(name, rule, hook.notify("tests are red"))

    assert has_message_containing(outcome, "user", "tests are red") or "tests are red" in out.err
    assert (outcome.blocked, outcome.stop, outcome.changes) == (False, False, {})


@each_event
def test_a_stop_keeps_what_was_to_come_from_happening(name: str, rule: EventRule) -> None:
    outcome, out = answered(name, rule, hook.stop("enough"))

    if rule.kind in forms.BEFORE:
        assert outcome.blocked or outcome.stop or not rule.can.block
    assert outcome.stop or "cannot be stopped" in out.err


@each_event
def test_nothing_to_say_decides_nothing(name: str, rule: EventRule) -> None:
    outcome, out = answered(name, rule, Answer())

    assert (outcome.blocked, outcome.stop, outcome.changes) == (False, False, {})
    assert outcome.decision == "none" or (outcome.decision == "allow" and not rule.can.grant)
    assert out.out in ("", "{}") or outcome.decision == "allow"


TOGETHER: dict[str, Answer] = {
    "deny, context": hook.deny("no") & hook.context("because of this"),
    "deny, notify": hook.deny("no") & hook.notify("look at this"),
    "deny, stop": hook.deny("no") & hook.stop("enough"),
    "deny, change": hook.deny("no") & hook.rewrite(command="two"),
    "all": hook.deny("no") & hook.context("because of this") & hook.notify("look at this") & hook.stop("enough"),
}


@each_event
def test_no_other_answer_takes_a_refusal_away(name: str, rule: EventRule) -> None:
    for what, said in TOGETHER.items():
        outcome, out = answered(name, rule, said)

        outranked = outcome.stop and dialects.get(name).reading.stop_outranks
        assert outcome.blocked == rule.can.block or outranked, what
        assert "input" not in outcome.changes, what
        assert all(heard(outcome, out, text) for text in (*said.contexts, *said.notices)), what


@each_event
def test_a_change_goes_with_a_question_and_texts(name: str, rule: EventRule) -> None:
    if rule.kind != "tool.before":
        return
    _, _, wanted = CHANGES["tool_input"]
    outcome, out = answered(name, rule, hook.rewrite(wanted) & hook.ask("so?") & hook.context("it was one"))

    assert outcome.blocked or (outcome.decision == "ask" and outcome.changes["input"] == wanted)
    assert heard(outcome, out, "it was one")
