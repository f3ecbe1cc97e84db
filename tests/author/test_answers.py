"""Answers add up: a deny outranks an ask, an ask an allow, nothing that was said is lost."""

from __future__ import annotations

import pytest

from tenterhook import hook
from tenterhook.author.answers import NOTHING


def test_the_strongest_decision_counts_with_its_own_reason() -> None:
    both = hook.allow("fine") & hook.deny("no") & hook.ask("well?")

    assert (both.decision, both.reason) == ("deny", "no")


def test_reasons_of_the_same_decision_are_joined_each_once() -> None:
    both = hook.deny("one") & hook.deny("two") & hook.deny("one")

    assert both.reason == "one\ntwo"


def test_texts_add_up_in_order() -> None:
    both = hook.context("a") & hook.notify("b") & hook.context("c")

    assert (both.contexts, both.notices, both.decision) == (("a", "c"), ("b",), "none")


def test_a_later_change_is_laid_over_an_earlier_one() -> None:
    both = hook.rewrite(command="one", cwd="/") & hook.rewrite({"command": "two"})

    assert both.edits == {"command": "two", "cwd": "/"}
    assert both.change is NOTHING


def test_a_whole_change_takes_the_place_of_earlier_ones() -> None:
    both = hook.rewrite(command="one") & hook.rewrite("new output")

    assert (both.change, both.edits) == ("new output", {})


def test_a_stop_stays_one_whatever_else_is_said() -> None:
    assert (hook.stop("enough") & hook.allow()).stop == "enough"
    assert (hook.allow() & hook.stop()).stop == ""
    assert hook.allow().stop is None


def test_a_change_of_nothing_is_an_error() -> None:
    with pytest.raises(TypeError, match="what to change"):
        hook.rewrite()


@pytest.mark.parametrize("value", [object(), {"a": {1}}, float("nan"), b"bytes"])
def test_a_change_that_no_json_can_hold_fails_in_the_hook_that_wrote_it(value: object) -> None:
    with pytest.raises(TypeError, match="JSON cannot hold"):
        hook.rewrite(command=value)
    with pytest.raises(TypeError, match="JSON cannot hold"):
        hook.rewrite([value])


def test_whatever_a_reason_is_the_agent_is_given_a_text() -> None:
    assert hook.deny(ValueError("odd")).reason == "odd"
    assert hook.deny(5).reason == "5"
    assert hook.deny(None).reason == ""
    assert (hook.context(5) & hook.notify(6) & hook.stop(7)).contexts == ("5",)
    assert hook.notify(6).notices == ("6",)
    assert hook.stop(7).stop == "7"


def test_an_answer_shows_what_it_says() -> None:
    assert repr(hook.deny("no")) == "Answer(decision='deny', reason='no')"
