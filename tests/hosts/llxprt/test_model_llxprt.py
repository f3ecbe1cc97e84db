"""llxprt in a host, up to the model: google-genai's real client, real HTTP, command hooks in .llxprt/settings.json."""

import logging

import pytest

from clients.formats.genai_api import MODEL
from hosts.models.genai_host import (
    ANSWERED,
    BARE,
    REQUEST,
    TOOLS,
    WAYS,
    ask,
    asked,
    call,
    choice,
    genuine,
    hooked,
    loop,
    program,
    sent,
    ways,
)
from requirements.llxprt import says, specific

# BeforeModel


@ways
@pytest.mark.req("HOOK-033", "HOOK-034", "HOOK-035", "HOOK-071", "HOOK-072", "HOOK-074")
def test_before_model_is_told_of_the_fully_assembled_request_in_the_stable_form(project, api, way):
    engine = hooked(project, BeforeModel="cat > told.json")

    asked(engine.session(id="s-1", transcript="/t.jsonl"), api, way)

    told = project.json("told.json")
    assert told.pop("timestamp")
    assert told == {
        "session_id": "s-1",
        "transcript_path": "/t.jsonl",
        "cwd": str(project.root),
        "hook_event_name": "BeforeModel",
        "llm_request": REQUEST,
    }


@ways
@pytest.mark.req("HOOK-038", "HOOK-042")
def test_a_request_without_messages_is_sent_as_it_was_with_a_warning_in_the_log(project, api, way, caplog):
    reply, _ = asked(hooked(project, BeforeModel=specific(llm_request={"messages": []})), api, way)

    assert sent(api) == [("user", "look"), ("model", "I ask")]
    assert reply.problems[0] == "messages would be empty, and a call needs one: they were left as they were"
    assert f"BeforeModel: {reply.problems[0]}" in caplog.messages


@pytest.mark.req("HOOK-033", "HOOK-041", "HOOK-043", "HOOK-051", "HOOK-053", "HOOK-059")
@pytest.mark.parametrize("matcher", ["", "write_file"])
def test_model_hooks_run_on_every_call_and_matchers_filter_none(project, api, matcher):
    project.logs("before", "select", "after")
    events = {"BeforeModel": "./before", "BeforeToolSelection": "./select", "AfterModel": "./after"}
    engine = hooked(project, matcher=matcher, **events)

    for way in WAYS:
        asked(engine, api, way)

    assert project.read("order").split() == ["before", "select", "after"] * len(WAYS)
    assert len(api.requests) == len(WAYS)


@ways
@pytest.mark.req("HOOK-036", "HOOK-138", "HOOK-174", "HOOK-179", "HOOK-141")
@pytest.mark.parametrize("word", ["block", "deny"])
def test_a_blocked_call_is_not_made_and_the_hooks_response_stands_for_the_models(project, api, way, word):
    response = {"candidates": [{"content": {"parts": ["from the cache"]}, "finishReason": "STOP"}]}
    answer = {"decision": word, "reason": "cached", "hookSpecificOutput": {"llm_response": response}}
    engine = hooked(project, BeforeModel=says(answer), BeforeToolSelection="touch late", AfterModel="touch late")

    reply, shown = ask(engine, api, way)

    assert api.requests == []
    assert genuine(reply.response)
    assert (reply.response.text, reply.synthetic, reply.blocked, reply.reason) == (
        "from the cache",
        True,
        True,
        "cached",
    )
    assert shown == (["from the cache"] if "stream" in way else [])
    assert not reply.stop
    assert not project.has("late")


@ways
@pytest.mark.req("HOOK-037", "HOOK-202", "HOOK-138", "HOOK-174", "HOOK-179")
@pytest.mark.parametrize(
    "hook", [says({"decision": "block", "reason": "not now"}), "echo 'not now' >&2; exit 2"], ids=["json", "exit 2"]
)
def test_a_blocked_call_without_a_response_gives_an_empty_one(project, api, way, hook):
    engine = hooked(project, BeforeModel=hook)

    reply, shown = ask(engine, api, way)

    assert api.requests == []
    assert genuine(reply.response)
    assert [one.content.parts for one in reply.response.candidates] == [[]]
    assert not any(shown)
    assert (reply.blocked, reply.synthetic, reply.stop) == (True, True, False)
    assert ["not now" in text for text in reply.user_messages] == [True]


@pytest.mark.req("HOOK-036", "HOOK-042")
def test_a_response_beside_exit_two_is_not_read(project, api):
    answer = says({"hookSpecificOutput": {"llm_response": {"text": "made up"}}})
    reply, _ = ask(hooked(project, BeforeModel=f"{answer}; echo no >&2; exit 2"), api, "plain")

    assert api.requests == []
    assert not reply.response.text
    assert reply.reason == "no"


@pytest.mark.req("HOOK-036")
def test_a_response_without_a_block_does_not_keep_the_model_from_being_asked(project, api):
    reply, _ = asked(hooked(project, BeforeModel=specific(llm_response={"text": "made up"})), api, "plain")

    assert len(api.requests) == 1
    assert (reply.response.text, reply.synthetic) == ("Hello you", False)


@ways
@pytest.mark.req("HOOK-038", "HOOK-139", "HOOK-179")
def test_the_changed_request_is_the_one_that_is_sent(project, api, way):
    change = "it['model'] = 'gemini-other'; it['messages'][0]['content'] = 'see'; it['config'] = {'temperature': 0}"
    given = call()

    asked(hooked(project, BeforeModel=program(project, "llm_request", change)), api, way, given)

    asked(project.engine("llxprt", files=False), api, way)
    (path, body), (_, before) = api.requests
    assert "/models/gemini-other:" in path
    assert body["contents"] == [
        {"role": "user", "parts": [{"text": "see"}, before["contents"][0]["parts"][1]]},
        *before["contents"][1:],
    ]
    assert body["generationConfig"] == {"temperature": 0}
    assert [body[key] for key in ("systemInstruction", "tools", "toolConfig")] == [
        before[key] for key in ("systemInstruction", "tools", "toolConfig")
    ]
    assert given == call()


@ways
@pytest.mark.req("HOOK-039", "HOOK-179")
def test_added_messages_stand_after_all_others_and_none_is_taken_for_a_double(project, api, way):
    change = "it['messages'] += [{'role': 'user', 'content': text} for text in ('note', 'look', 'look')]"

    asked(hooked(project, BeforeModel=program(project, "llm_request", change)), api, way)

    assert sent(api) == [("user", "look"), ("model", "I ask"), ("user", "note"), ("user", "look"), ("user", "look")]
    assert api.last["contents"][2]["parts"] == [ANSWERED]


@ways
@pytest.mark.req("HOOK-039", "HOOK-217")
def test_what_a_hook_says_to_the_model_goes_with_the_very_call(project, api, way):
    answer = {"systemMessage": "be terse", "hookSpecificOutput": {"additionalContext": "it rains"}}

    reply, _ = asked(hooked(project, BeforeModel=says(answer)), api, way)

    assert sent(api)[2:] == [("user", "[System] be terse"), ("user", "[Context] it rains")]
    assert reply.user_messages == ()


@ways
@pytest.mark.req("HOOK-040", "HOOK-179", "HOOK-184")
def test_continue_false_before_the_model_ends_the_loop_and_nothing_is_sent(project, api, way):
    told: list[str] = []
    engine = hooked(project, BeforeModel=says({"continue": False, "stopReason": "out of budget"}))

    assert loop(engine.session(tell=told.append), api, way) == 1
    assert api.requests == []
    assert ["out of budget" in text for text in told] == [True]


@ways
@pytest.mark.req("HOOK-194", "HOOK-040", "HOOK-184")
@pytest.mark.parametrize("given", [None, {"text": "good night"}])
def test_a_stop_before_the_model_makes_no_response_of_its_own(project, api, way, given):
    """Other than one after the model, which does."""
    section = {} if given is None else {"hookSpecificOutput": {"llm_response": given}}

    reply, _ = ask(hooked(project, BeforeModel=says({"continue": False, "stopReason": "late", **section})), api, way)

    assert api.requests == []
    assert (reply.stop, reply.stop_reason) == (True, "late")
    assert (reply.response.text or None) == (given and given["text"])


@pytest.mark.req("HOOK-098")
@pytest.mark.parametrize("sequential", [False, True])
def test_of_two_responses_the_later_one_is_the_hosts(project, api, sequential):
    first, second = (specific(llm_response={"text": text}) for text in ("one", "two"))
    engine = hooked(project, sequential=sequential, AfterModel=[f"sleep 0.1; {first}", second])

    assert asked(engine, api, "plain")[0].response.text == "two"


@pytest.mark.req("HOOK-098")
def test_of_two_requests_at_once_the_later_one_is_sent(project, api):
    first = specific(llm_request={"model": "gemini-a", "config": {"temperature": 0.1}})
    second = specific(llm_request={"model": "gemini-b"})

    asked(hooked(project, BeforeModel=[f"sleep 0.1; {first}", second]), api, "plain")

    assert "/models/gemini-b:" in api.requests[0][0]
    assert api.last["generationConfig"]["temperature"] == 0.5


@ways
@pytest.mark.req("HOOK-105")
def test_in_a_chain_each_hook_changes_what_the_one_before_made(project, api, way):
    first = program(project, "llm_request.1", "it = {'model': 'gemini-a', 'messages': it['messages'][:1]}")
    second = program(project, "llm_request.2", "it = {'messages': [*it['messages'], {'content': it['model']}]}")

    asked(hooked(project, sequential=True, BeforeModel=[first, second]), api, way)

    assert "/models/gemini-a:" in api.requests[0][0]
    assert sent(api) == [("user", "look"), ("user", "gemini-a")]


# BeforeToolSelection


@ways
@pytest.mark.req("HOOK-053", "HOOK-054", "HOOK-205", "HOOK-071", "HOOK-072", "HOOK-074")
def test_tool_selection_is_told_of_the_request_that_is_about_to_go(project, api, way):
    change = program(project, "llm_request", "it['model'] = 'gemini-a'")
    engine = hooked(project, BeforeModel=change, BeforeToolSelection="cat > told.json")

    asked(engine.session(id="s-1", transcript="/t.jsonl"), api, way)

    told = project.json("told.json")
    assert told.pop("timestamp")
    assert told == {
        "session_id": "s-1",
        "transcript_path": "/t.jsonl",
        "cwd": str(project.root),
        "hook_event_name": "BeforeToolSelection",
        "llm_request": {**REQUEST, "model": "gemini-a"},
    }


@ways
@pytest.mark.req("HOOK-053")
def test_a_call_without_tools_selects_none(project, api, way):
    asked(hooked(project, BeforeToolSelection="touch ran"), api, way, BARE)

    assert not project.has("ran")


@ways
@pytest.mark.req("HOOK-055", "HOOK-140", "HOOK-167", "HOOK-168", "HOOK-181")
@pytest.mark.parametrize("mode", ["ANY", None])
def test_allowed_names_restrict_the_model_and_no_definition_is_lost(project, api, way, mode):
    """Without a mode the call's own stays; AUTO with names is VALIDATED in this API."""
    config = {"allowedFunctionNames": ["look_up"], **({"mode": mode} if mode else {})}

    reply, _ = asked(hooked(project, BeforeToolSelection=specific(toolConfig=config)), api, way)

    assert choice(api) == {"mode": mode or "VALIDATED", "allowedFunctionNames": ["look_up"]}
    assert api.last["tools"] == TOOLS
    assert reply.allowed == {"look_up"}


@ways
@pytest.mark.req("HOOK-056", "HOOK-140", "HOOK-181")
@pytest.mark.parametrize("mode", ["AUTO", "ANY", "NONE"])
def test_the_mode_is_the_one_that_is_sent(project, api, way, mode):
    given = call()
    given["config"]["toolConfig"]["functionCallingConfig"]["mode"] = "AUTO" if mode == "ANY" else "ANY"

    asked(hooked(project, BeforeToolSelection=specific(toolConfig={"mode": mode})), api, way, given)

    assert choice(api) == {"mode": mode}
    assert api.last["tools"] == TOOLS


@ways
@pytest.mark.req("HOOK-057", "HOOK-168")
def test_where_tools_are_switched_off_no_tool_runs_even_if_the_model_calls_one(project, api, way):
    session = hooked(project, BeforeToolSelection=specific(toolConfig={"mode": "NONE"})).session()
    ran: list[str] = []
    look_up = session.tool("look_up")(lambda: ran.append("look_up"))

    reply, _ = asked(session, api, way)

    assert choice(api) == {"mode": "NONE"}
    assert [one.name for one in reply.response.function_calls] == ["look_up"]
    assert look_up().error.type == "blocked"
    assert ran == []


@ways
@pytest.mark.req("HOOK-058", "HOOK-181")
def test_continue_false_at_the_selection_ends_the_loop_and_nothing_is_sent(project, api, way):
    told: list[str] = []
    engine = hooked(project, BeforeToolSelection=says({"continue": False, "stopReason": "no tools today"}))
    session = engine.session(tell=told.append)

    assert loop(session, api, way) == 1
    assert api.requests == []
    assert ["no tools today" in text for text in told] == [True]


@ways
@pytest.mark.req("HOOK-181")
@pytest.mark.parametrize("hook", ["json", "exit 2"])
def test_tool_selection_blocks_nothing_and_changes_neither_request_nor_response(project, api, way, hook):
    fields = {"llm_request": {"model": "other"}, "llm_response": {"text": "other"}}
    answer = says({"decision": "block", "reason": "no", "hookSpecificOutput": fields})
    engine = hooked(project, BeforeToolSelection=answer if hook == "json" else f"{answer}; exit 2")

    reply, _ = asked(engine, api, way)

    assert f"/models/{MODEL}:" in api.requests[0][0]
    assert (sent(api), choice(api)) == ([("user", "look"), ("model", "I ask")], {"mode": "AUTO"})
    assert (reply.response.text, reply.blocked, reply.stop) == ("Hello you", False, False)


@pytest.mark.req("HOOK-099", "HOOK-100", "HOOK-101")
@pytest.mark.parametrize(
    ("configs", "wire"),
    [
        (
            [
                {"mode": "ANY", "allowedFunctionNames": ["look_up"]},
                {"mode": "AUTO", "allowedFunctionNames": ["delete"]},
            ],
            {"mode": "ANY", "allowedFunctionNames": ["delete", "look_up"]},
        ),
        ([{"mode": "AUTO"}, {"mode": "ANY"}], {"mode": "ANY"}),
        ([{"mode": "NONE"}, {"mode": "ANY", "allowedFunctionNames": ["look_up"]}], {"mode": "NONE"}),
    ],
    ids=["union", "mode", "none"],
)
def test_what_several_hooks_select_goes_over_the_wire_together(project, api, configs, wire):
    for ordered in (configs, configs[::-1]):
        asked(hooked(project, BeforeToolSelection=[specific(toolConfig=one) for one in ordered]), api, "plain")
        assert choice(api) == wire


# Hooks that fail

FAILURES = {
    "exit 1": "exit 1",
    "not found": "./no-such-program",
    "crash": "kill -SEGV $$",
    "timeout": {"type": "command", "command": "sleep 30", "timeout": 100},
}
# What none of them may have said.
EVERYTHING = {
    "decision": "block",
    "continue": False,
    "suppressOutput": True,
    "hookSpecificOutput": {
        "llm_request": {"model": "other"},
        "llm_response": {"text": "other"},
        "toolConfig": {"mode": "NONE"},
    },
}


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize(
    "event",
    [
        pytest.param("BeforeModel", marks=pytest.mark.req("HOOK-042")),
        pytest.param("AfterModel", marks=pytest.mark.req("HOOK-052")),
        pytest.param("BeforeToolSelection", marks=pytest.mark.req("HOOK-060")),
    ],
)
def test_a_failed_hook_keeps_nothing_from_going_on_and_is_warned_of(project, api, caplog, event, failure):
    entry = FAILURES[failure]
    entry = entry if isinstance(entry, dict) else {"type": "command", "command": entry}
    session = hooked(project, **{event: {**entry, "command": f"{says(EVERYTHING)}; {entry['command']}"}}).session()

    reply, _ = asked(session, api, "plain")

    assert f"/models/{MODEL}:" in api.requests[0][0]
    assert sent(api)[:2] == [("user", "look"), ("model", "I ask")]
    assert all(text.startswith("[System] Warning: ") for _, text in sent(api)[2:])
    assert (choice(api), api.last["tools"]) == ({"mode": "AUTO"}, TOOLS)
    assert (reply.response.text, reply.suppress_display, reply.stop) == ("Hello you", False, False)
    warned = [one.getMessage() for one in caplog.records if one.levelno == logging.WARNING]
    assert [event in one for one in warned if "failed: " in one] == [True]
