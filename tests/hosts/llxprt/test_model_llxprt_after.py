"""llxprt in a host, from the model's answer on: google-genai's real client, real HTTP, command hooks."""

import asyncio
import json
from typing import Any

import pytest
from google.genai import types as T  # noqa: N812

from clients.formats.genai_api import DELETE, LOOK_UP, MODEL
from hosts.models.genai_host import (
    BARE,
    PIECES,
    REQUEST,
    RESPONSE,
    STREAMED,
    STREAMS,
    ask,
    asked,
    call,
    genuine,
    hooked,
    lay_out,
    loop,
    prepared,
    program,
    ways,
)
from requirements.llxprt import says, specific
from tenterhook import Reply

# AfterModel


@ways
@pytest.mark.req("HOOK-043", "HOOK-044", "HOOK-045", "HOOK-050", "HOOK-172", "HOOK-071", "HOOK-073")
def test_after_model_is_told_once_of_the_complete_response_and_the_real_request(project, api, way):
    engine = hooked(project, AfterModel="printf x >> count; cat > told.json")

    _, shown = asked(engine.session(id="s-1", transcript="/t.jsonl"), api, way)

    assert shown == (STREAMED if "stream" in way else [])
    assert project.read("count") == "x"
    told = project.json("told.json")
    assert told.pop("timestamp")
    assert told == {
        "session_id": "s-1",
        "transcript_path": "/t.jsonl",
        "cwd": str(project.root),
        "hook_event_name": "AfterModel",
        "llm_request": REQUEST,
        "llm_response": RESPONSE,
    }


@pytest.mark.req("HOOK-050", "HOOK-172")
@pytest.mark.parametrize("way", STREAMS)
def test_however_many_chunks_there_are_hooks_run_once_and_after_the_last(project, api, way):
    lay_out(api, way, *[{"text": f"{n} "} for n in range(200)])

    _, shown = ask(hooked(project, AfterModel="printf x >> count; cat > told.json"), api, way, BARE)

    assert len(shown) == 201
    assert project.read("count") == "x"
    assert project.json("told.json")["llm_response"]["text"] == "".join(f"{n} " for n in range(200))


@pytest.mark.req("HOOK-043", "HOOK-173")
def test_hooks_run_between_the_last_chunk_and_the_end_of_the_stream(project, api):
    lay_out(api, "stream", *PIECES)
    engine = hooked(project, AfterModel=f"touch ran; {specific(llm_response={'text': 'other'})}")
    reply = engine.model(api.client.models.generate_content_stream, format="genai")(**BARE)
    chunks = iter(reply)

    assert [next(chunks).text for _ in range(5)] == STREAMED
    assert (reply.response, project.has("ran")) == (None, False)
    assert list(chunks) == []
    assert (reply.response.text, project.has("ran")) == ("other", True)


@ways
@pytest.mark.req("HOOK-046", "HOOK-136", "HOOK-173", "HOOK-180")
def test_a_changed_response_is_the_hosts_and_what_was_streamed_is_not_touched(project, api, way):
    change = "it['candidates'][0]['content']['parts'] = ['Hello [redacted]']"

    reply, shown = asked(hooked(project, AfterModel=program(project, "llm_response", change)), api, way)

    assert genuine(reply.response)
    assert reply.response.text == "Hello [redacted]"
    assert reply.response.usage_metadata.total_token_count == 12
    assert reply.response.function_calls is None
    assert shown == (STREAMED if "stream" in way else [])


@ways
@pytest.mark.req("HOOK-046", "HOOK-173")
def test_a_hook_may_change_no_more_than_the_text(project, api, way):
    """It hands back what it was told with another text: what it took out must not come back from the candidates."""
    change = "it['text'] = it['text'].replace('you', '[redacted]')"

    reply, _ = asked(hooked(project, AfterModel=program(project, "llm_response", change)), api, way)

    assert reply.response.text == "Hello [redacted]"


@ways
@pytest.mark.req("HOOK-047", "HOOK-180")
@pytest.mark.parametrize(
    "new",
    [{"text": "anew"}, {"candidates": [{"content": {"role": "model", "parts": ["anew"]}, "finishReason": "STOP"}]}],
)
def test_a_completely_new_response_stands_as_if_the_model_had_made_it(project, api, way, new):
    reply, _ = asked(hooked(project, AfterModel=specific(llm_response=new)), api, way)

    assert genuine(reply.response)
    assert reply.response.text == "anew"
    assert reply.response.candidates[0].finish_reason is T.FinishReason.STOP
    assert (reply.synthetic, reply.blocked, reply.stop) == (False, False, False)


@pytest.mark.req("HOOK-046", "HOOK-052")
@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"txt": "anew"},
        {"text": 7},
        {"candidates": "anew"},
        {"candidates": [7]},
        {"candidates": [{"content": 7}]},
        {"candidates": [{}]},
        {"candidates": [{"finishReason": "STOP"}]},
        {"candidates": [{"content": {"role": "model", "parts": None}}]},
        {"text": "anew", "candidates": [{"content": {"parts": [{"txt": "anew"}]}}]},
    ],
)
def test_what_is_no_response_leaves_the_models_own_and_that_is_said(project, api, wrong):
    reply, _ = asked(hooked(project, AfterModel=specific(llm_response=wrong)), api, "plain")

    assert reply.response.text == "Hello you"
    assert [call.name for call in reply.response.function_calls] == ["look_up"]
    assert any("llm_response is not a response" in warning for warning in reply.outcomes[-1].warnings)


@pytest.mark.req("HOOK-046")
@pytest.mark.parametrize("empty", [{"text": ""}, {"candidates": []}, {"candidates": [{"content": {"parts": []}}]}])
def test_a_response_that_is_empty_on_purpose_empties_the_models(project, api, empty):
    reply, _ = asked(hooked(project, AfterModel=specific(llm_response=empty)), api, "plain")

    assert not reply.response.text


@ways
@pytest.mark.req("HOOK-048", "HOOK-194", "HOOK-180")
def test_continue_false_after_the_model_ends_the_loop_with_a_response_that_says_why(project, api, way):
    told: list[str] = []
    engine = hooked(project, AfterModel=says({"continue": False, "stopReason": "that is all"}))
    session = engine.session(tell=told.append)

    assert loop(session, api, way) == 1
    assert len(api.requests) == 1
    reply, shown = asked(session, api, way)
    assert (reply.stop, reply.stop_reason) == (True, "that is all")
    assert genuine(reply.response)
    assert reply.response.text == "that is all"
    assert shown == (STREAMED if "stream" in way else [])
    assert ["that is all" in text for text in told] == [True, True]


@ways
@pytest.mark.req("HOOK-049", "HOOK-180", "HOOK-217")
def test_a_suppressed_response_is_not_for_the_user_and_all_else_goes_on(project, api, way):
    engine = hooked(project, AfterModel=says({"suppressOutput": True}))

    reply, _ = asked(engine, api, way)

    assert reply.suppress_display
    assert reply.response.text == "Hello you"
    assert [one.name for one in reply.response.function_calls] == ["look_up"]
    assert loop(engine, api, way) == 4


@ways
@pytest.mark.req("HOOK-180")
@pytest.mark.parametrize("hook", [says({"decision": "block", "reason": "no"}), "echo no >&2; exit 2"])
def test_after_model_blocks_nothing(project, api, way, hook):
    engine = hooked(project, AfterModel=hook)

    reply, _ = asked(engine, api, way)

    assert (reply.blocked, reply.stop, reply.suppress_display) == (False, False, False)
    assert reply.response.text == "Hello you"
    assert loop(engine, api, way) == 4


@ways
@pytest.mark.req("HOOK-217")
def test_what_a_hook_says_after_the_model_enters_the_conversation_by_the_callers_hand(project, api, way):
    answer = {"systemMessage": "be terse", "hookSpecificOutput": {"additionalContext": "it rains"}}
    texts = ["[System] be terse", "[Context] it rains"]
    engine = hooked(project, AfterModel=says(answer))
    session = engine.session()

    bare, in_session = asked(engine, api, way)[0], asked(session, api, way)[0]

    assert list(bare.user_messages) == texts
    assert (in_session.user_messages, session.pending(), session.pending()) == ((), texts, [])
    assert bare.response.text == in_session.response.text == "Hello you"


@pytest.mark.req("HOOK-207", "HOOK-050")
@pytest.mark.parametrize("way", STREAMS)
def test_a_stream_that_the_server_cuts_is_told_to_no_hook_and_the_sdks_error_reaches_the_host(project, api, way):
    errors = []
    for engine in (hooked(project), hooked(project, AfterModel="touch ran")):
        lay_out(api, way, *PIECES, cut=True)
        with pytest.raises(Exception, match=r"closed|peer|incomplete") as caught:
            ask(engine, api, way, BARE)
        errors.append((caught.type.__module__.partition(".")[0], caught.type, str(caught.value)))

    assert errors[0] == errors[1]
    assert errors[0][0] != "tenterhook"
    assert not project.has("ran")


@pytest.mark.req("HOOK-207", "HOOK-050")
@pytest.mark.parametrize("way", STREAMS)
def test_a_stream_that_ends_without_its_end_is_told_to_no_hook(project, api, way):
    lay_out(api, way, *PIECES, end=False)

    reply, shown = ask(hooked(project, AfterModel="touch ran"), api, way, BARE)

    assert shown == STREAMED[:4]
    assert reply.response is None
    assert ["before its response was complete" in problem for problem in reply.problems] == [True]
    assert not project.has("ran")


@pytest.mark.req("HOOK-207")
def test_a_stream_that_the_user_cancels_is_told_to_no_hook(project, api):
    lay_out(api, "stream", *PIECES)
    engine = hooked(project, AfterModel="touch ran")

    async def later() -> Reply:
        reply = await engine.model(api.client.aio.models.generate_content_stream, format="genai")(**BARE)
        begun = asyncio.Event()

        async def read() -> None:
            async for _ in reply:
                begun.set()
                await asyncio.sleep(60)

        reading = asyncio.ensure_future(read())
        await begun.wait()
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        await reply.aclose()
        return reply

    assert api.run(later()).response is None
    assert not project.has("ran")


# What each call of the document's own interface gives


@pytest.mark.req("HOOK-135", "HOOK-184", "HOOK-194")
def test_before_model_gives_blocked_reason_synthetic_response_and_modified_request(project):
    hook = program(project, "llm_request", "it['config'] = {}")
    answer = {"decision": "deny", "reason": "no", "hookSpecificOutput": {"llm_response": {"text": "mine"}}}
    given = call()

    untouched = prepared(hooked(project), given)
    changed = prepared(hooked(project, BeforeModel=hook), given)
    blocked = prepared(hooked(project, BeforeModel=says(answer)), given)
    stopped = prepared(hooked(project, BeforeModel=says({"continue": False, "stopReason": "late"})), given)

    assert (untouched.blocked, untouched.modified_request, untouched.synthetic_response) == (False, None, None)
    assert (changed.blocked, "temperature" in changed.modified_request["config"]) == (False, False)
    assert (blocked.blocked, blocked.reason, blocked.synthetic_response.text) == (True, "no", "mine")
    assert (stopped.blocked, stopped.reason, stopped.synthetic_response) == (True, "late", None)


@pytest.mark.req("HOOK-136", "HOOK-217")
@pytest.mark.parametrize("event", ["AfterModel", "BeforeModel"])
def test_a_response_that_no_hook_changed_is_the_very_object_of_the_sdk(project, api, event):
    lay_out(api, "plain", *PIECES)
    given: list[Any] = []
    engine = hooked(project, **{event: says({"suppressOutput": True, "systemMessage": "hm"})})

    def generate(**call: Any) -> Any:
        given.append(api.client.models.generate_content(**call))
        given.append(given[0].model_copy(deep=True))
        return given[0]

    reply = engine.model(generate, format="genai")(**call())

    assert reply.response is given[0]
    assert reply.response == given[1]


@pytest.mark.req("HOOK-137", "HOOK-167", "HOOK-141")
def test_tool_selection_gives_a_tool_configuration_and_the_very_same_tools(project):
    config = T.GenerateContentConfig(tools=[T.Tool(function_declarations=[LOOK_UP, DELETE])], temperature=0.5)
    given = {"model": MODEL, "contents": "hi", "config": config}
    narrow = specific(toolConfig={"mode": "ANY", "allowedFunctionNames": ["delete"]})

    request = prepared(hooked(project, BeforeToolSelection=narrow), given).modified_request

    calling = request["config"].tool_config.function_calling_config
    assert (calling.mode, calling.allowed_function_names) == (T.FunctionCallingConfigMode.ANY, ["delete"])
    assert request["config"].tools[0] is config.tools[0]
    assert config.tool_config is None


@ways
@pytest.mark.req("HOOK-141")
def test_a_host_gives_and_gets_the_sdks_types_alone(project, api, way):
    """Whatever hooks did on the way: what the function is called with, and what comes back."""
    project.script("all.py", "import sys; sys.stdin.read()\nprint(open('answer').read())\n")
    project.write("answer", json.dumps({"hookSpecificOutput": {"llm_response": {"text": "other"}}}))
    change = "it['messages'] += [{'role': 'user', 'content': 'note'}]; it['config']['temperature'] = 0"
    engine = hooked(project, BeforeModel=program(project, "llm_request", change), AfterModel="./all.py")
    contents = [T.Content(role="user", parts=[T.Part(text="hi")])]
    given = {"model": MODEL, "contents": contents, "config": T.GenerateContentConfig(temperature=0.5)}

    request = prepared(engine, given).modified_request
    reply, _ = asked(engine, api, way, given)

    assert [type(one) for one in request["contents"]] == [T.Content, T.Content]
    assert request["contents"][0] is contents[0]
    assert type(request["config"]) is T.GenerateContentConfig
    assert genuine(reply.response)
    assert (contents, given["config"].temperature) == ([T.Content(role="user", parts=[T.Part(text="hi")])], 0.5)
