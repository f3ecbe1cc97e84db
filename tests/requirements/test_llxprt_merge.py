"""llxprt: what several hooks mean together, at once and one after another."""

import itertools

import pytest

from .llxprt import CALL, DATA, REQUEST, RESPONSE, fire, group, says, settings, specific, told

TOOL_EVENTS = ["BeforeTool", "AfterTool"]
MODEL_EVENTS = ["BeforeModel", "AfterModel"]


def meet(mine, other):
    """A hook that ends well only while the other one runs too."""
    return f"touch {mine}; for n in $(seq 1000); do [ -e {other} ] && exit 0; sleep 0.02; done; exit 1"


def logged(name):
    return f"echo {name}+ >> log; sleep 0.05; echo {name}- >> log"


# Tool events: any block wins, texts add up


@pytest.mark.req("HOOK-092", "HOOK-171", "HOOK-190")
@pytest.mark.parametrize("event", TOOL_EVENTS)
@pytest.mark.parametrize("order", list(itertools.permutations([0, 1, 2])))
def test_one_block_among_allows_is_a_block_wherever_it_stands(project, event, order):
    hooks = [says({"decision": "block", "reason": "no"}), says({"decision": "allow"}), "echo fine"]
    outcome = fire(project, event, *[hooks[n] for n in order])

    assert (outcome.decision, outcome.reason) == ("deny", "no")
    assert outcome.blocked is (event == "BeforeTool")


@pytest.mark.req("HOOK-092", "HOOK-171", "HOOK-199")
@pytest.mark.parametrize("allow_first", [False, True])
def test_a_permission_decision_is_not_missed_among_several_hooks(project, allow_first):
    section = {"permissionDecision": "deny", "permissionDecisionReason": "no"}
    hooks = [says({"hookSpecificOutput": section}), says({"decision": "allow"})]
    outcome = fire(project, "BeforeTool", *hooks[:: -1 if allow_first else 1])

    assert (outcome.decision, outcome.blocked, outcome.reason) == ("deny", True, "no")


@pytest.mark.req("HOOK-093", "HOOK-190", "HOOK-166")
@pytest.mark.parametrize("event", TOOL_EVENTS)
def test_reasons_of_all_hooks_are_joined_by_line_in_the_order_of_the_file(project, event):
    """Not in the order of finishing, and those of hooks that allow or decide nothing too."""
    slow = f"sleep 0.2; {says({'decision': 'deny', 'reason': 'one'})}"
    hooks = [slow, "echo two >&2; exit 2", says({"decision": "allow", "reason": "three"}), says({"reason": "four"})]
    outcome = fire(project, event, *hooks)

    assert outcome.reason == "one\ntwo\nthree\nfour"


@pytest.mark.req("HOOK-094", "HOOK-190", "HOOK-208")
@pytest.mark.parametrize("event", TOOL_EVENTS)
def test_system_messages_of_all_hooks_are_told_in_order(project, event):
    hooks = [f"sleep 0.1; {says({'systemMessage': 'one'})}", "echo two", says({"systemMessage": "three"})]
    outcome = fire(project, event, *hooks)

    assert told(outcome) == [("model", "system", text) for text in ("one", "two", "three")]


@pytest.mark.req("HOOK-095", "HOOK-190", "HOOK-208")
@pytest.mark.parametrize("event", TOOL_EVENTS)
def test_contexts_of_all_hooks_are_told_in_order(project, event):
    outcome = fire(project, event, *[specific(additionalContext=text) for text in ("one", "two", "three")])

    assert told(outcome) == [("model", "context", text) for text in ("one", "two", "three")]


@pytest.mark.req("HOOK-096", "HOOK-208")
@pytest.mark.parametrize("event", TOOL_EVENTS)
@pytest.mark.parametrize(
    ("flags", "suppressed"),
    [
        ((True, False), True),
        ((False, True), True),
        ((None, True), True),
        ((False, False), False),
        ((None, None), False),
    ],
)
def test_one_hook_that_suppresses_is_enough(project, event, flags, suppressed):
    hooks = [f"{says({} if flag is None else {'suppressOutput': flag})} #{n}" for n, flag in enumerate(flags)]

    assert fire(project, event, *hooks).suppress is suppressed


@pytest.mark.req("HOOK-097", "HOOK-190")
@pytest.mark.parametrize("event", TOOL_EVENTS)
@pytest.mark.parametrize("last", [False, True])
def test_one_hook_that_stops_is_enough(project, event, last):
    hooks = [says({"continue": False, "stopReason": "enough"}), says({"continue": True, "decision": "allow"})]
    outcome = fire(project, event, *hooks[:: -1 if last else 1])

    assert (outcome.stop, outcome.stop_reason, outcome.blocked) == (True, "enough", False)


@pytest.mark.req("HOOK-208", "HOOK-217")
def test_context_system_message_and_suppression_of_after_tool_stand_side_by_side(project):
    both = {"systemMessage": "s2", "hookSpecificOutput": {"additionalContext": "c2"}}
    hooks = [specific(additionalContext="c1"), says({"systemMessage": "s1", "suppressOutput": True}), says(both)]
    outcome = fire(project, "AfterTool", *hooks)

    assert [m.text for m in outcome.messages if m.kind == "context"] == ["c1", "c2"]
    assert [m.text for m in outcome.messages if m.kind == "system"] == ["s1", "s2"]
    assert (outcome.suppress, outcome.decision, outcome.changes) == (True, "none", {})


@pytest.mark.req("HOOK-190")
@pytest.mark.parametrize("event", ["BeforeAgent", "AfterAgent", "SessionStart"])
def test_agent_events_merge_as_tool_events_do(project, event):
    deny = says({"decision": "deny", "reason": "one", "systemMessage": "m"})
    outcome = fire(project, event, deny, says({"decision": "allow", "reason": "two"}))

    assert (outcome.decision, outcome.reason, outcome.blocked) == ("deny", "one\ntwo", False)


# Model events: later fields replace earlier ones


@pytest.mark.req("HOOK-098", "HOOK-190")
def test_a_later_request_replaces_an_earlier_one_in_the_order_of_the_file(project):
    """Of hooks that run at once; the first is the slower one."""
    first = f"sleep 0.2; {specific(llm_request={'model': 'm-2', 'config': {'temperature': 0}})}"
    outcome = fire(project, "BeforeModel", first, specific(llm_request={"model": "m-3"}))

    assert outcome.changes == {"request": {**REQUEST, "model": "m-3"}}


@pytest.mark.req("HOOK-098", "HOOK-190")
@pytest.mark.parametrize("sequential", [False, True])
def test_a_later_response_replaces_an_earlier_one(project, sequential):
    hooks = [specific(llm_response={**RESPONSE, "text": "one"}), specific(llm_response={"text": "two"})]
    outcome = fire(project, "AfterModel", *hooks, sequential=sequential)

    assert outcome.changes == {"response": {"text": "two"}}


@pytest.mark.req("HOOK-098")
@pytest.mark.parametrize("sequential", [False, True])
def test_different_fields_of_model_hooks_all_stay(project, sequential):
    response = {"decision": "deny", "reason": "r", "hookSpecificOutput": {"llm_response": RESPONSE}}
    hooks = [specific(llm_request={"model": "m-2"}), says(response)]
    outcome = fire(project, "BeforeModel", *hooks, sequential=sequential)

    assert outcome.changes == {"request": {**REQUEST, "model": "m-2"}, "response": RESPONSE}


@pytest.mark.req("HOOK-098", "HOOK-110")
@pytest.mark.parametrize("other", ["echo text", says({"decision": "allow"}), "exit 0", "exit 1"])
def test_a_later_hook_does_not_cancel_a_block_of_the_model(project, other):
    outcome = fire(project, "BeforeModel", says({"decision": "block", "reason": "no"}), other)

    assert (outcome.decision, outcome.blocked, outcome.reason) == ("deny", True, "no")


# Tool selection: names add up, the strictest mode wins


def selected(project, *configs):
    """The tool configuration of several hooks together, in whatever order they stand."""
    hooks = [f"{specific(toolConfig=config)} #{n}" for n, config in enumerate(configs)]
    forward = fire(project, "BeforeToolSelection", *hooks)
    backward = fire(project, "BeforeToolSelection", *reversed(hooks))

    assert forward.changes == backward.changes
    return forward.changes["tool_config"]


@pytest.mark.req("HOOK-099", "HOOK-102", "HOOK-190", "HOOK-210")
def test_allowed_names_are_united_and_sorted(project):
    names = [["write", "edit"], ["Read", "edit"], ["bash"]]

    assert selected(project, *[{"allowedFunctionNames": some} for some in names]) == {
        "allowedFunctionNames": ["Read", "bash", "edit", "write"]
    }


@pytest.mark.req("HOOK-102", "HOOK-210")
def test_the_names_of_a_single_hook_are_sorted_too(project):
    assert selected(project, {"allowedFunctionNames": ["c", "a", "b"]}) == {"allowedFunctionNames": ["a", "b", "c"]}


@pytest.mark.req("HOOK-100", "HOOK-190", "HOOK-210")
@pytest.mark.parametrize(
    ("modes", "wins"),
    [(("AUTO", "ANY"), "ANY"), (("AUTO", "AUTO"), "AUTO"), (("ANY", "NONE"), "NONE"), (("AUTO", "NONE"), "NONE")],
)
def test_the_most_restrictive_mode_wins(project, modes, wins):
    assert selected(project, *[{"mode": mode} for mode in modes])["mode"] == wins


@pytest.mark.req("HOOK-101", "HOOK-210", "HOOK-057")
def test_none_of_any_hook_empties_the_names_of_all(project):
    configs = [{"mode": "ANY", "allowedFunctionNames": ["a"]}, {"mode": "NONE"}, {"allowedFunctionNames": ["b"]}]

    assert selected(project, *configs) == {"mode": "NONE", "allowedFunctionNames": []}


@pytest.mark.req("HOOK-058", "HOOK-210")
def test_a_stop_beside_tool_configs_still_counts(project):
    hooks = [specific(toolConfig={"mode": "ANY"}), says({"continue": False, "stopReason": "enough"})]
    outcome = fire(project, "BeforeToolSelection", *hooks)

    assert (outcome.stop, outcome.stop_reason, outcome.changes) == (True, "enough", {"tool_config": {"mode": "ANY"}})


# Together or one after another


@pytest.mark.req("HOOK-108", "HOOK-165", "HOOK-082")
@pytest.mark.parametrize("event", DATA)
@pytest.mark.parametrize("keys", [{}, {"sequential": False}])
def test_hooks_run_at_once_unless_their_group_says_otherwise(project, event, keys):
    """Each waits for the other, across two groups."""
    groups = [group(meet("a", "b"), **keys), group(meet("b", "a"), **keys)]
    project.write(".llxprt/settings.json", settings(**{event: groups}))
    outcome = project.fire("llxprt", event, DATA[event])

    assert [attempt.exit_code for attempt in outcome.attempts] == [0, 0]


@pytest.mark.req("HOOK-103", "HOOK-164", "HOOK-082")
@pytest.mark.parametrize("event", DATA)
def test_hooks_of_a_sequential_group_run_one_at_a_time_in_order(project, event):
    fire(project, event, logged("a"), logged("b"), logged("c"), sequential=True)

    assert project.read("log").split() == ["a+", "a-", "b+", "b-", "c+", "c-"]


@pytest.mark.req("HOOK-109", "HOOK-164")
@pytest.mark.parametrize("sequential", [0, 1])
def test_one_sequential_group_makes_the_whole_event_sequential(project, sequential):
    groups = [group(logged("a"), logged("b")), group(logged("c"), logged("d"))]
    groups[sequential]["sequential"] = True
    project.write(".llxprt/settings.json", settings(BeforeTool=groups))
    project.fire("llxprt", "BeforeTool", CALL)

    assert project.read("log").split() == ["a+", "a-", "b+", "b-", "c+", "c-", "d+", "d-"]


@pytest.mark.req("HOOK-109", "HOOK-091")
@pytest.mark.parametrize("idle", [group("true", matcher="read"), group(meet("a", "b"))], ids=["no match", "duplicate"])
def test_a_sequential_group_that_runs_nothing_changes_nothing(project, idle):
    groups = [group(meet("a", "b"), meet("b", "a")), {**idle, "sequential": True}]
    project.write(".llxprt/settings.json", settings(BeforeTool=groups))
    outcome = project.fire("llxprt", "BeforeTool", CALL)

    assert (outcome.success, len(outcome.attempts), len(outcome.skipped)) == (True, 2, 1)


@pytest.mark.req("HOOK-107")
@pytest.mark.parametrize("event", ["BeforeTool", "BeforeModel"])
@pytest.mark.parametrize("block", ["exit 2", says({"decision": "block"}), says({"decision": "deny"})])
def test_a_block_ends_the_chain(project, event, block):
    """The whole plan: hooks of later groups do not run either."""
    project.write(
        ".llxprt/settings.json", settings(**{event: [group(block, "touch a", sequential=True), group("touch b")]})
    )
    outcome = project.fire("llxprt", event, DATA[event])

    assert (project.has("a"), project.has("b"), outcome.blocked) == (False, False, True)
    assert [(one.hook, one.why) for one in outcome.skipped] == [("touch a", "chain ended"), ("touch b", "chain ended")]


@pytest.mark.req("HOOK-107", "HOOK-104")
@pytest.mark.parametrize("first", ["exit 1", "echo text", says({"decision": "ask"}), says({"continue": False})])
def test_nothing_but_a_block_ends_the_chain(project, first):
    fire(project, "BeforeTool", first, "touch ran", sequential=True)

    assert project.has("ran")


@pytest.mark.req("HOOK-024", "HOOK-104", "HOOK-106", "HOOK-211", "HOOK-216")
def test_each_hook_of_a_tool_chain_sees_the_input_as_changed_by_all_before_it(project):
    hooks = [
        f"cat > 1.json; {specific(tool_input={'path': 'b.txt', 'opts': {'a': 1, 'b': 2}})}",
        f"cat > 2.json; {specific(tool_input={'opts': {'c': 3}, 'mode': 'w'})}",
        "cat > 3.json",
    ]
    outcome = fire(project, "BeforeTool", *hooks, sequential=True)
    last = {"path": "b.txt", "content": "x", "opts": {"c": 3}, "mode": "w"}

    assert project.json("1.json")["tool_input"] == CALL["tool_input"]
    assert project.json("2.json")["tool_input"] == {"path": "b.txt", "content": "x", "opts": {"a": 1, "b": 2}}
    assert project.json("3.json")["tool_input"] == last
    assert outcome.changes == {"input": last}


@pytest.mark.req("HOOK-104")
@pytest.mark.parametrize("end", ["exit 1", "exit 3", "kill -9 $$"])
def test_what_a_failed_hook_printed_is_not_chained(project, end):
    failing = f"{specific(tool_input={'path': 'b.txt'})}; {end}"
    outcome = fire(project, "BeforeTool", failing, "cat > seen.json", sequential=True)

    assert project.json("seen.json")["tool_input"] == CALL["tool_input"]
    assert outcome.changes == {}


@pytest.mark.req("HOOK-104")
@pytest.mark.parametrize("first", ["true", "echo text", says({"decision": "allow"}), says({})])
def test_a_hook_without_changes_passes_the_input_on_as_it_was(project, first):
    fire(project, "BeforeTool", first, "cat > seen.json", sequential=True)

    assert project.json("seen.json")["tool_input"] == CALL["tool_input"]


@pytest.mark.req("HOOK-105", "HOOK-211", "HOOK-216")
def test_a_model_chain_lays_each_request_over_the_one_before_by_top_level_key(project):
    first = specific(llm_request={"model": "m-2", "config": {"temperature": 0}})
    second = f"cat > seen.json; {specific(llm_request={'toolConfig': {'mode': 'NONE'}})}"
    outcome = fire(project, "BeforeModel", first, second, sequential=True)
    after_first = {**REQUEST, "model": "m-2", "config": {"temperature": 0}}

    assert project.json("seen.json")["llm_request"] == after_first
    assert outcome.changes == {"request": {**after_first, "toolConfig": {"mode": "NONE"}}}


@pytest.mark.req("HOOK-211")
def test_a_before_agent_chain_adds_context_to_the_prompt(project):
    fire(project, "BeforeAgent", specific(additionalContext="the build is red"), "cat > seen.json", sequential=True)

    assert project.json("seen.json")["prompt"] == "do it\n\nthe build is red"


@pytest.mark.req("HOOK-211", "HOOK-217")
@pytest.mark.parametrize(
    "event", [event for event in DATA if event not in ("BeforeTool", "BeforeModel", "BeforeAgent")]
)
def test_other_events_chain_nothing(project, event):
    everything = {"additionalContext": "c", "toolConfig": {"mode": "NONE"}}
    everything |= {field: {"other": 1} for field in ("tool_input", "tool_response", "llm_request", "llm_response")}
    fire(project, event, f"cat > 1.json; {specific(**everything)}", "cat > 2.json", sequential=True)
    first, second = project.json("1.json"), project.json("2.json")
    first.pop("timestamp"), second.pop("timestamp")

    assert first == second
