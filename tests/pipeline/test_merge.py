"""What several hooks mean together: verdicts and changes to one outcome."""

from typing import Any

import pytest
from msgspec.structs import replace

from tenterhook import dialects
from tenterhook.dialects.schema.dialect import Can, EventRule, MergeRules, revise
from tenterhook.pipeline.apply import Changes, overlay, overlay_last, paths, stop_response, union_tools
from tenterhook.pipeline.merge import merge
from tenterhook.types import Attempt, Message, Outcome, Skipped, Verdict

DIALECT = dialects.get("tenterhook")
CALL = EventRule(
    name="Call", kind="tool.before", about="", can=Can(block=True), merging=MergeRules(changes={"input": "overlay"})
)
QUIET = EventRule(name="Quiet", kind="notify", about="")


def merged(*verdicts: Verdict, rule: EventRule = CALL, mode: str = "faithful", **options: Any) -> Outcome:
    changes = Changes(rule, {"tool_input": {"a": 1}})
    changes.after(verdicts)
    return merge(verdicts, changes, options.pop("dialect", DIALECT), rule, mode=mode, id="7", **options)


# ---- decisions


@pytest.mark.parametrize("words", [("deny", "ask", "allow", "none"), ("none", "allow", "ask", "deny")])
def test_the_strongest_decision_wins_in_any_order(words: tuple[str, ...]) -> None:
    for number in range(len(words)):
        given = words[number:]
        wanted = next(word for word in ("deny", "ask", "allow", "none") if word in given)
        assert merged(*(Verdict("h", word) for word in given)).decision == wanted


def test_a_deny_blocks_where_the_event_can_be_blocked() -> None:
    assert merged(Verdict("h", "deny")).blocked
    assert not merged(Verdict("h", "deny"), rule=QUIET).blocked
    assert not merged(Verdict("h", "ask")).blocked
    assert not merged().blocked


def test_a_stop_outranks_a_block_only_where_the_dialect_says_so() -> None:
    both = (Verdict("h", "deny"), Verdict("g", stop=True))
    outranking = revise(DIALECT, reading={"stop_outranks": True})

    assert merged(*both).blocked
    assert not merged(*both, dialect=outranking).blocked
    assert merged(both[0], dialect=outranking).blocked


def test_stop_suppress_and_failure_of_any_hook_count() -> None:
    outcome = merged(Verdict("a", stop=True, stop_reason="enough", suppress=True), Verdict("b", failed=True))

    assert (outcome.stop, outcome.stop_reason, outcome.suppress, outcome.success) == (True, "enough", True, False)
    quiet = merged(Verdict("a"), Verdict("b"))
    assert (quiet.stop, quiet.stop_reason, quiet.suppress, quiet.success) == (False, "", False, True)
    turned = merged(Verdict("b"), Verdict("a", stop=True, stop_reason="enough", suppress=True))
    assert (turned.stop, turned.stop_reason, turned.suppress) == (True, "enough", True)


def test_the_first_stop_reason_counts() -> None:
    one, two = Verdict("a", stop=True, stop_reason="one"), Verdict("b", stop=True, stop_reason="two")

    assert merged(Verdict("c", stop=True), one, two).stop_reason == "one"


def test_the_first_reason_of_the_winning_decision_counts() -> None:
    hooks = (
        Verdict("a", "allow", "fine"),
        Verdict("b", "deny", ""),
        Verdict("c", "deny", "why"),
        Verdict("d", "deny", "x"),
    )

    assert merged(*hooks).reason == "why"
    assert merged(*hooks[:1]).reason == "fine"
    assert merged(Verdict("a", "none", "said without a decision")).reason == ""


def test_reasons_are_joined_where_the_event_says_so() -> None:
    rule = revise(CALL, merging={"reasons": "join"})

    assert (
        merged(Verdict("a", "allow", "one"), Verdict("b"), Verdict("c", "deny", "two"), rule=rule).reason == "one\ntwo"
    )


# ---- what is told


def test_two_hooks_texts_stay_two_messages_in_the_plans_order() -> None:
    one, two = Message("model", "context", "one", "a"), Message("user", "system", "two", "b")

    assert merged(Verdict("a", messages=[one]), Verdict("b", messages=[two, one])).messages == (one, two, one)


def test_the_context_of_an_erased_prompt_goes_to_the_log() -> None:
    rule = revise(CALL, deny={"erases": True})
    context, system = Message("model", "context", "ctx", "a"), Message("user", "system", "sys", "a")
    verdict = Verdict("a", "deny", messages=[context, system])

    assert merged(verdict, rule=rule).messages == (Message("log", "context", "ctx", "a"), system)
    assert merged(replace(verdict, decision="ask"), rule=rule).messages == (context, system)
    assert merged(verdict, rule=revise(rule, can={"block": False})).messages == (context, system)
    assert merged(verdict).messages == (context, system)


def test_warnings_of_the_files_stand_before_those_of_the_hooks() -> None:
    assert merged(Verdict("a", warnings=["two"]), warnings=("one",)).warnings == ("one", "two")
    assert merged(Verdict("a"), warnings=("one",)).warnings == ("one",)
    assert merged(Verdict("a", warnings=["two"])).warnings == ("two",)


def test_an_outcome_knows_where_it_comes_from() -> None:
    attempts, skipped = (Attempt("h", "command", "f:1"),), (Skipped("g", "f:2", "matcher"),)

    for mode in ("faithful", "strict", "observe"):
        outcome = merged(Verdict("h"), mode=mode, attempts=attempts, skipped=skipped, warnings=("w",))
        assert (outcome.event, outcome.dialect, outcome.mode, outcome.id) == ("Call", "tenterhook", mode, "7")
        assert (outcome.attempts, outcome.skipped, outcome.warnings) == (attempts, skipped, ("w",))


def test_observe_says_how_the_hooks_are_and_applies_nothing() -> None:
    message = Message("model", "context", "ctx", "h")
    told = Verdict("h", "deny", "why", True, "enough", True, True, {"input": {"a": 2}}, [message], ["odd"])

    outcome = merged(told, mode="observe")

    assert outcome == Outcome(
        success=False, warnings=("odd",), event="Call", dialect="tenterhook", mode="observe", id="7"
    )
    assert merged(Verdict("h", "deny"), mode="observe").success


# ---- changes


def changed(rule: EventRule, data: dict[str, Any], *batches: list[dict[str, Any]], **ended: Any) -> dict[str, Any]:
    state = Changes(rule, data)
    for batch in batches:
        state.after([Verdict("h", changes=changes) for changes in batch])
    return state.result(**{"denied": False, "stopped": False, "stop_reason": "", **ended})


def test_only_what_differs_from_what_was_given_is_a_change() -> None:
    data = {"tool_input": {"a": 1}}

    assert changed(CALL, data, [{"input": {"a": 1}}]) == {}
    assert changed(CALL, data, [{"input": {"a": 2}}], [{"input": {"a": 1}}]) == {}
    assert changed(CALL, data, [{"input": {"b": 2}}]) == {"input": {"a": 1, "b": 2}}
    assert changed(CALL, data, [{}]) == {}


def test_a_change_that_the_event_has_no_rule_for_is_none() -> None:
    assert changed(CALL, {}, [{"output": "x"}]) == {}


def test_what_is_new_to_the_event_is_a_change_though_nothing_was_given() -> None:
    rule = revise(CALL, merging={"changes": {"tool_config": "union-tools", "output": "replace"}})

    assert changed(rule, {}, [{"tool_config": {"mode": "ANY"}}]) == {"tool_config": {"mode": "ANY"}}
    assert changed(rule, {}, [{"output": 0}]) == {"output": 0}
    assert changed(rule, {"tool_config": {"mode": "ANY"}}, [{"tool_config": {"mode": "ANY"}}]) == {
        "tool_config": {"mode": "ANY"}
    }


def test_each_way_to_merge_differs_in_what_two_hooks_at_once_make() -> None:
    data, batch = {"tool_input": {"a": 1}}, [{"input": {"b": 2}}, {"input": {"c": 3}}]
    ways = {
        way: changed(revise(CALL, merging={"changes": {"input": way}}), data, batch)["input"]
        for way in ("replace", "overlay", "overlay-last")
    }

    assert ways == {"replace": {"c": 3}, "overlay": {"a": 1, "b": 2, "c": 3}, "overlay-last": {"a": 1, "c": 3}}


def test_batches_build_on_each_other() -> None:
    rule, data = revise(CALL, merging={"changes": {"input": "overlay-last"}}), {"tool_input": {"a": 1}}

    assert changed(rule, data, [{"input": {"b": 2}}], [{"input": {"c": 3}}]) == {"input": {"a": 1, "b": 2, "c": 3}}


def test_an_object_is_laid_over_nothing_where_there_is_none() -> None:
    assert overlay("text", [{"a": 1}]) == {"a": 1}
    assert overlay(None, [{"a": 1}, {"a": 2}]) == {"a": 2}
    assert overlay_last({"a": 0, "b": 0}, [{"a": 1}, {"a": 2}]) == {"a": 2, "b": 0}


def test_a_response_before_the_model_counts_only_beside_a_block_or_a_stop() -> None:
    rule = revise(CALL, merging={"changes": {"response": "replace", "request": "overlay"}, "response_needs": "block"})
    batch = [{"response": {"text": "x"}, "request": {"m": 1}}]

    assert changed(rule, {}, batch) == {"request": {"m": 1}}
    assert changed(rule, {}, batch, denied=True) == {"response": {"text": "x"}, "request": {"m": 1}}
    assert changed(rule, {}, batch, stopped=True) == {"response": {"text": "x"}, "request": {"m": 1}}
    free = revise(rule, merging={"response_needs": ""})
    assert changed(free, {}, batch) == {"response": {"text": "x"}, "request": {"m": 1}}


def test_a_stop_puts_a_response_in_the_place_of_the_models_where_the_event_says_so() -> None:
    rule = revise(CALL, stop={"response": True}, merging={"changes": {"response": "replace"}})
    batch = [{"response": {"text": "x"}}]

    assert changed(rule, {}, batch, stopped=True, stop_reason="enough") == {"response": stop_response("enough")}
    assert changed(rule, {}, batch) == {"response": {"text": "x"}}
    assert changed(revise(rule, stop={"response": False}), {}, batch, stopped=True) == {"response": {"text": "x"}}
    assert changed(rule, {}, stopped=True) == {"response": stop_response("")}


def test_the_stop_response_is_in_the_stable_form() -> None:
    candidate = {"content": {"role": "model", "parts": ["enough"]}, "finishReason": "STOP", "index": 0}

    assert stop_response("enough") == {"text": "enough", "candidates": [candidate]}
    assert stop_response("")["text"] == "Stopped by hook"


@pytest.mark.parametrize(
    ("configs", "wanted"),
    [
        ([{"mode": "AUTO"}, {"mode": "ANY"}], {"mode": "ANY"}),
        ([{"mode": "ANY"}, {"mode": "NONE"}], {"mode": "NONE", "allowedFunctionNames": []}),
        ([{"mode": "NONE", "allowedFunctionNames": ["a"]}], {"mode": "NONE", "allowedFunctionNames": []}),
        ([{"allowedFunctionNames": ["b", "a"]}, {"allowedFunctionNames": ["a"]}], {"allowedFunctionNames": ["a", "b"]}),
        ([{"allowedFunctionNames": []}], {"allowedFunctionNames": []}),
        ([{}], {}),
    ],
)
def test_tool_configs_are_united(configs: list[dict[str, Any]], wanted: dict[str, Any]) -> None:
    assert union_tools(None, configs) == wanted
    assert union_tools(configs[0], configs[1:]) == wanted


# ---- what the next hook sees


def test_the_next_hook_sees_what_was_changed_and_the_event_keeps_what_was_given() -> None:
    rule, data = revise(CALL, merging={"chain": {"input": "tool_input"}}), {"tool_input": {"a": 1}, "x": 1}
    state = Changes(rule, data)
    assert state.now is data

    state.after([Verdict("h", changes={"input": {"b": 2}})])

    assert state.now == {"tool_input": {"a": 1, "b": 2}, "x": 1}
    assert data == {"tool_input": {"a": 1}, "x": 1}
    seen = state.now
    state.after([Verdict("h")])
    assert state.now is seen


def test_context_is_added_to_what_the_next_hook_sees_where_the_event_says_so() -> None:
    state = Changes(revise(CALL, merging={"chain": {"context": "prompt"}}), {"prompt": "hi"})

    state.after([Verdict("h", messages=[Message("model", "context", "one"), Message("user", "system", "no")])])
    state.after([Verdict("h", messages=[Message("model", "context", "two")])])

    assert state.now == {"prompt": "hi\n\none\n\ntwo"}


def test_context_is_added_to_nothing_where_there_was_no_prompt() -> None:
    state = Changes(revise(CALL, merging={"chain": {"context": "prompt"}}), {})

    state.after([Verdict("h", messages=[Message("model", "context", "one")])])

    assert state.now == {"prompt": "\n\none"}


def test_what_one_hook_changed_is_told_by_key() -> None:
    data = {"tool_input": {"a": 1, "b": 2}, "tool_output": "out"}

    assert paths({"input": {"a": 1, "b": 3, "c": None}}, data) == ("input.b", "input.c")
    assert paths({"output": "new", "tool_config": {"mode": "ANY"}}, data) == ("output", "tool_config")
    assert paths({"output": "out"}, data) == ()
    assert paths({"output": "text"}, {"tool_output": {"a": 1}}) == ("output",)
    assert paths({"tool_config": {"mode": "ANY"}}, {"?": {"mode": "ANY"}}) == ("tool_config",)
    assert paths({"request": {"m": 1}}, data) == ("request",)


def test_of_the_names_that_the_host_gave_only_texts_are_names() -> None:
    merged = union_tools({"allowedFunctionNames": [1, "a", None]}, [{"allowedFunctionNames": ["b"]}])

    assert merged == {"allowedFunctionNames": ["a", "b"]}
