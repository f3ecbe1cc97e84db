"""OpenAI's Responses: real clients, real HTTP, the wire format as the API documents it."""

import asyncio
import copy
import json
import subprocess
import sys
from typing import Any

import openai
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openai.types import responses as types
from openai.types.responses import Response, ResponseOutputMessage, ResponseReasoningItem

from tenterhook.clients.formats import openai_responses as api_format
from tenterhook.clients.formats.openai_responses import Turns, turns_of

from .loopback import Loopback, sse

IMAGE = {"type": "input_image", "image_url": "data:image/png;base64,AAAA", "detail": "auto"}
WEATHER = {"type": "function", "name": "get_weather", "parameters": {"type": "object"}, "strict": True}
TIME = {"type": "function", "name": "get_time", "parameters": {"type": "object"}, "strict": True}
SHELL = {"type": "custom", "name": "shell"}
SEARCH = {"type": "web_search"}
WIKI = {"type": "mcp", "server_label": "wiki", "server_url": "https://wiki.example/mcp"}
TOOLS = [WEATHER, TIME, SHELL, SEARCH, WIKI]
THOUGHT = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "hm"}]}
ANSWER = {
    "type": "message",
    "id": "msg_1",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": "I ask", "annotations": [], "logprobs": []}],
}
TOOL_CALL = {
    "type": "function_call",
    "id": "fc_1",
    "call_id": "call_1",
    "name": "get_weather",
    "arguments": '{"city": "Rome"}',
    "status": "completed",
}
RESULT = {"type": "function_call_output", "call_id": "call_1", "output": "secret weather"}
USAGE = {
    "input_tokens": 9,
    "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
    "output_tokens": 4,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 13,
}


def conversation() -> dict[str, Any]:
    """A call with everything in it that hooks do not see."""
    return {
        "model": "gpt-5",
        "instructions": "be kind",
        "input": [
            {"role": "developer", "content": "rules"},
            {
                "type": "message",
                "role": "user",
                "content": [
                    {"type": "input_text", "text": "look "},
                    IMAGE,
                    {"type": "input_text", "text": "here"},
                ],
            },
            THOUGHT,
            ANSWER,
            TOOL_CALL,
            RESULT,
            {"role": "user", "content": [IMAGE]},
            {"role": "user", "content": "and now?"},
        ],
        "tools": TOOLS,
        "temperature": 0.5,
        "metadata": {"run": "7"},
        "extra_headers": {"x-mine": "1"},
        "timeout": 5.0,
    }


SHOWN = [
    {"role": "system", "content": "rules"},
    {"role": "user", "content": "look here"},
    {"role": "model", "content": "I ask"},
    {"role": "user", "content": "and now?"},
]


def answer(text: str = "Hello", **fields: Any) -> dict[str, Any]:
    content = [{"type": "output_text", "text": text, "annotations": [], "logprobs": []}]
    return {**ANSWER, "id": "msg_2", "content": content, **fields}


def body(*output: Any, **fields: Any) -> dict[str, Any]:
    """A whole response, as the API gives it."""
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1_700_000_000,
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "instructions": "be kind",
        "model": "gpt-5-2025-08-07",
        "output": list(output),
        "parallel_tool_calls": True,
        "temperature": 1.0,
        "tool_choice": "auto",
        "tools": [WEATHER],
        "top_p": 1.0,
        "usage": USAGE,
        "metadata": {},
        **fields,
    }


def stream(*events: tuple[str, dict[str, Any]]) -> list[str]:
    return [
        sse({"type": f"response.{kind}", "sequence_number": n, **fields}, f"response.{kind}")
        for n, (kind, fields) in enumerate(events)
    ]


def told(end: str = "completed", **fields: Any) -> list[str]:
    """A stream that says Hello and asks for the weather."""
    begun = body(status="in_progress", usage=None)
    text = {"output_index": 0, "content_index": 0, "item_id": "msg_2"}
    call = {"output_index": 1, "item_id": "fc_1"}
    part = answer()["content"][0]
    return stream(
        ("created", {"response": begun}),
        ("in_progress", {"response": begun}),
        ("output_item.added", {"output_index": 0, "item": answer(status="in_progress", content=[])}),
        ("content_part.added", {**text, "part": {**part, "text": ""}}),
        ("output_text.delta", {**text, "delta": "Hel", "logprobs": []}),
        ("output_text.delta", {**text, "delta": "lo", "logprobs": []}),
        ("output_text.done", {**text, "text": "Hello", "logprobs": []}),
        ("content_part.done", {**text, "part": part}),
        ("output_item.done", {"output_index": 0, "item": answer()}),
        ("output_item.added", {"output_index": 1, "item": {**TOOL_CALL, "arguments": "", "status": "in_progress"}}),
        ("function_call_arguments.delta", {**call, "delta": TOOL_CALL["arguments"]}),
        ("function_call_arguments.done", {**call, "name": "get_weather", "arguments": TOOL_CALL["arguments"]}),
        ("output_item.done", {"output_index": 1, "item": TOOL_CALL}),
        (end, {"response": body(answer(), TOOL_CALL, **fields)}),
    )


def ask(api: Loopback, call: dict[str, Any], way: str = "sync", collector: Any = None) -> Any:
    """The response of a real client; a list of events where the call streams."""
    options = {"api_key": "none", "base_url": f"{api.url}/v1", "max_retries": 0}
    collector = collector or api_format.collector()
    if way == "sync":
        with openai.OpenAI(**options) as client:
            answer = client.responses.create(**call)
            if not call.get("stream"):
                return answer
            with answer:
                return [collector.add(event) or event for event in answer]

    async def later() -> Any:
        async with openai.AsyncOpenAI(**options) as client:
            answer = await client.responses.create(**call)
            if not call.get("stream"):
                return answer
            async with answer:
                return [collector.add(event) or event async for event in answer]

    return asyncio.run(later())


def collected(events: list[Any]) -> Any:
    collector = api_format.collector()
    for event in events:
        collector.add(event)
    return collector.response()


def response(*output: Any, **fields: Any) -> Response:
    return Response.model_validate(body(*output, **fields))


both = pytest.mark.parametrize("way", ["sync", "async"])


# What hooks see


@pytest.mark.req("HOOK-071", "HOOK-072", "HOOK-075", "HOOK-076")
def test_a_request_is_shown_as_text_and_nothing_else():
    view = api_format.request_view({**conversation(), "tool_choice": "required"})

    assert view == {
        "model": "gpt-5",
        "messages": SHOWN,
        "config": {"temperature": 0.5},
        "toolConfig": {"mode": "ANY"},
    }
    json.dumps(view)


def test_an_input_of_text_is_a_message_of_the_user():
    assert api_format.request_view({"model": "m", "input": "hi", "instructions": "x"}) == {
        "model": "m",
        "messages": [{"role": "user", "content": "hi"}],
    }
    assert api_format.request_view({"prompt": {"id": "pmpt_1"}}) == {"model": "", "messages": []}
    assert api_format.request_view({"model": "m", "input": openai.omit})["messages"] == []


@pytest.mark.parametrize("module", ["openai", "openai_responses"])
def test_views_need_no_sdk(module):
    code = f"""
import sys
sys.modules["openai"] = None
from tenterhook.clients.formats import {module} as form
call = {{"model": "m", "messages": [{{"role": "user", "content": "a"}}], "input": "a"}}
view = form.request_view(call)
assert form.apply_request({{**view, "messages": [{{"role": "user", "content": "b"}}]}}, call)[1] == []
assert form.response_view({{"choices": [], "output": []}})["text"] == ""
try:
    form.build_response({{}}, {{}})
except Exception as exc:
    print(exc)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("openai is needed here: pip install 'tenterhook[openai]'")


@pytest.mark.req("HOOK-073", "HOOK-075")
def test_a_response_is_shown_as_text_and_nothing_else():
    refusal = answer(content=[{"type": "refusal", "refusal": "never"}])
    view = api_format.response_view(response(THOUGHT, answer("Hel"), answer("lo"), refusal, TOOL_CALL))

    assert view == {
        "text": "Hello",
        "candidates": [{"content": {"role": "model", "parts": ["Hel", "lo"]}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 4, "totalTokenCount": 13},
    }


@pytest.mark.parametrize(
    ("status", "reason", "shown"),
    [
        ("completed", None, "STOP"),
        ("incomplete", "max_output_tokens", "MAX_TOKENS"),
        ("incomplete", "content_filter", "SAFETY"),
        ("incomplete", "steered", "OTHER"),
        ("failed", None, "OTHER"),
        ("in_progress", None, None),
    ],
)
def test_why_a_response_ended_is_said_in_the_stable_words(status, reason, shown):
    found = response(answer(), status=status, incomplete_details={"reason": reason} if reason else None)

    assert api_format.response_view(found)["candidates"][0].get("finishReason") == shown


# What hooks change


@pytest.mark.req("HOOK-078")
@pytest.mark.parametrize("call", [conversation(), {"model": "m", "input": "hi", "tool_choice": "none"}])
def test_an_unchanged_view_gives_the_very_same_values_back(call):
    new, problems = api_format.apply_request(api_format.request_view(call), call)

    assert problems == []
    assert new is not call
    assert new.keys() == call.keys()
    assert all(new[key] is call[key] for key in call)


@pytest.mark.req("HOOK-038", "HOOK-039", "HOOK-078", "HOOK-139")
@both
def test_a_changed_request_goes_over_the_wire_with_everything_else_intact(api, way):
    api.json(body(answer()))
    call = conversation()
    before = copy.deepcopy(call)
    view = api_format.request_view(call)
    view["messages"][1]["content"] = "see"
    view["messages"][2]["content"] = "I look"
    view["messages"].append({"role": "user", "content": "be short"})
    new, problems = api_format.apply_request({**view, "model": "gpt-5-mini"}, call)
    ask(api, new, way)

    sent = api.last
    assert problems == []
    assert call == before
    assert new["input"][0] is call["input"][0]
    assert sent["input"] == [
        call["input"][0],
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "see"}, IMAGE]},
        THOUGHT,
        {**ANSWER, "content": [{**ANSWER["content"][0], "text": "I look"}]},
        *call["input"][4:],
        {"role": "user", "content": "be short"},
    ]
    assert (sent["model"], sent["tools"], sent["metadata"]) == ("gpt-5-mini", TOOLS, {"run": "7"})
    assert (sent["instructions"], sent["temperature"]) == ("be kind", 0.5)
    assert (new["extra_headers"], new["timeout"]) == ({"x-mine": "1"}, 5.0)


@pytest.mark.req("HOOK-078", "HOOK-139")
@pytest.mark.parametrize(
    ("messages", "sent"),
    [
        ([{"role": "user", "content": "bye"}], "bye"),
        (
            [{"role": "user", "content": "hi"}, {"role": "user", "content": "short"}],
            [{"role": "user", "content": "hi"}, {"role": "user", "content": "short"}],
        ),
        (
            [{"role": "system", "content": "rules"}, {"role": "user", "content": "hi"}],
            [{"role": "system", "content": "rules"}, {"role": "user", "content": "hi"}],
        ),
        ([{"role": "model", "content": "hi"}], [{"role": "assistant", "content": "hi"}]),
    ],
)
def test_an_input_of_text_stays_one_where_that_is_enough(api, messages, sent):
    api.json(body(answer()))
    new, problems = api_format.apply_request({"messages": messages}, {"model": "m", "input": "hi"})
    ask(api, new)

    assert problems == []
    assert api.last == {"model": "m", "input": sent}
    assert api_format.request_view(new)["messages"] == messages


@pytest.mark.req("HOOK-078")
@both
def test_items_of_the_sdk_in_the_history_are_changed_as_dicts_are(api, way):
    api.json(body(THOUGHT, ANSWER, TOOL_CALL))
    api.json(body(answer()))
    call: dict[str, Any] = {"model": "gpt-5", "input": [{"role": "user", "content": "hi"}], "tools": [WEATHER]}
    output = ask(api, call, way).output
    call["input"] += [*output, RESULT]
    before = [item.to_dict() for item in output]
    view = api_format.request_view(call)
    assert view["messages"] == [{"role": "user", "content": "hi"}, {"role": "model", "content": "I ask"}]

    view["messages"][1]["content"] = "I asked"
    new, problems = api_format.apply_request(view, call)
    ask(api, new, way)

    assert problems == []
    assert isinstance(new["input"][2], ResponseOutputMessage)
    assert new["input"][1] is output[0]
    assert [item.to_dict() for item in output] == before
    changed = {**ANSWER, "content": [{**ANSWER["content"][0], "text": "I asked"}]}
    assert api.last["input"] == [call["input"][0], THOUGHT, changed, TOOL_CALL, RESULT]


@pytest.mark.parametrize("own", [False, True])
def test_a_removed_message_takes_its_thoughts_its_calls_and_their_results_along(own):
    call = conversation()
    if own:
        call["input"][2] = ResponseReasoningItem.model_validate(THOUGHT)
        call["input"][3] = ResponseOutputMessage.model_validate(ANSWER)
    view = api_format.request_view(call)
    del view["messages"][2]
    new, _ = api_format.apply_request(view, call)

    assert new["input"] == [*call["input"][:2], *call["input"][6:]]


def test_a_message_that_becomes_anothers_leaves_no_orphans():
    call = conversation()
    view = api_format.request_view(call)
    view["messages"][2] = {"role": "user", "content": "never mind"}
    new, _ = api_format.apply_request(view, call)

    assert api_format.request_view(new)["messages"] == view["messages"]
    assert not [item for item in new["input"] if item.get("type") not in (None, "message")]


def test_nothing_comes_between_a_thought_and_what_it_led_to():
    call = conversation()
    view = api_format.request_view(call)
    view["messages"].insert(2, {"role": "user", "content": "by the way"})
    new, _ = api_format.apply_request(view, call)

    assert new["input"][2] == {"role": "user", "content": "by the way"}
    assert new["input"][3:6] == [THOUGHT, ANSWER, TOOL_CALL]


def test_a_removed_call_leaves_what_else_its_thought_led_to():
    other = {**TOOL_CALL, "call_id": "call_2"}
    kind = Turns([])

    assert turns_of([THOUGHT, TOOL_CALL, other, RESULT]) == [[THOUGHT, TOOL_CALL, other], [RESULT]]
    assert kind.without([THOUGHT, TOOL_CALL, other], {"call_1"}) == [THOUGHT, other]
    assert kind.without([THOUGHT, TOOL_CALL], {"call_1"}) is None
    assert kind.without([RESULT], {"call_1"}) is None


@pytest.mark.parametrize(
    ("request_item", "result_item"),
    [
        (
            {"type": "mcp_approval_request", "id": "mcpr_1", "name": "read", "server_label": "wiki", "arguments": "{}"},
            {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": True},
        ),
        (
            {"type": "local_shell_call", "id": "lsh_1", "call_id": "call_7", "status": "completed", "action": {}},
            {"type": "local_shell_call_output", "id": "call_7", "output": "{}"},
        ),
    ],
)
def test_calls_of_every_kind_go_together_with_what_answers_them(request_item, result_item):
    call = {"model": "m", "input": [ANSWER, request_item, result_item, {"role": "user", "content": "hi"}]}
    new, _ = api_format.apply_request({"messages": [{"role": "user", "content": "hi"}]}, call)

    assert new["input"] == call["input"][3:]


wishes = st.lists(
    st.one_of(
        st.sampled_from(SHOWN),
        st.builds(
            lambda role, text: {"role": role, "content": text},
            st.sampled_from(["user", "model", "system"]),
            st.sampled_from(["a", "b", "look here", "and now?"]),
        ),
    ),
    max_size=7,
)


@pytest.mark.req("HOOK-078", "HOOK-139")
@settings(max_examples=150, deadline=None)
@given(wishes)
def test_whatever_messages_a_hook_wants_the_new_call_shows_them(wanted):
    call = conversation()
    new, problems = api_format.apply_request({**api_format.request_view(call), "messages": wanted}, call)

    assert problems == []
    assert api_format.request_view(new)["messages"] == wanted
    assert call == conversation()
    kinds = [item.get("type") for item in new["input"]]
    there = [kind in kinds for kind in ("reasoning", "function_call", "function_call_output")]
    assert there in ([True] * 3, [False] * 3)


@pytest.mark.req("HOOK-038", "HOOK-078")
@pytest.mark.parametrize(
    ("stable", "own", "value"),
    [("temperature", "temperature", 0.1), ("topP", "top_p", 0.9), ("maxOutputTokens", "max_output_tokens", 64)],
)
def test_each_option_goes_over_the_wire_and_away_again(api, stable, own, value):
    api.json(body(answer()))
    call = {"model": "m", "input": "hi"}
    new, problems = api_format.apply_request({**api_format.request_view(call), "config": {stable: value}}, call)
    ask(api, new)

    assert problems == []
    assert api.last[own] == value
    assert api_format.request_view(new)["config"] == {stable: value}
    for gone in ({}, {stable: None}):
        assert api_format.apply_request({**api_format.request_view(new), "config": gone}, new) == (call, [])


@pytest.mark.parametrize("key", ["topK", "stopSequences", "candidateCount", "presencePenalty", "frequencyPenalty"])
def test_an_option_without_a_place_is_said(key):
    call = {"model": "m", "input": "hi"}

    assert api_format.apply_request({"config": {key: 1}}, call) == (call, [f"config.{key} has no place in this API"])


def test_what_cannot_be_read_is_said_and_changes_nothing():
    call = conversation()
    new, problems = api_format.apply_request({"model": "", "messages": [3], "config": 1, "toolConfig": []}, call)

    assert new == call
    assert len(problems) == 4


# The choice of tools


def function(name: str) -> dict[str, Any]:
    return {"type": "function", "name": name}


def allowed(mode: str, *tools: Any) -> dict[str, Any]:
    return {"type": "allowed_tools", "mode": mode, "tools": list(tools)}


@pytest.mark.req("HOOK-055", "HOOK-056", "HOOK-057", "HOOK-074", "HOOK-140", "HOOK-167", "HOOK-168")
@pytest.mark.parametrize(
    ("config", "choice"),
    [
        ({"mode": "AUTO"}, "auto"),
        ({"mode": "ANY"}, "required"),
        ({"mode": "NONE", "allowedFunctionNames": []}, "none"),
        ({"mode": "ANY", "allowedFunctionNames": ["get_time"]}, function("get_time")),
        ({"mode": "ANY", "allowedFunctionNames": ["shell"]}, {"type": "custom", "name": "shell"}),
        ({"mode": "ANY", "allowedFunctionNames": ["web_search"]}, allowed("required", {"type": "web_search"})),
        ({"mode": "AUTO", "allowedFunctionNames": ["get_time"]}, allowed("auto", function("get_time"))),
        (
            {"mode": "ANY", "allowedFunctionNames": ["get_weather", "wiki"]},
            allowed("required", function("get_weather"), {"type": "mcp", "server_label": "wiki"}),
        ),
        ({"allowedFunctionNames": ["get_time"]}, allowed("auto", function("get_time"))),
        ({"mode": "AUTO", "allowedFunctionNames": []}, "none"),
    ],
)
@both
def test_a_tool_configuration_goes_over_the_wire_and_no_definition_is_removed(api, way, config, choice):
    api.json(body(answer()))
    call = conversation()
    new, problems = api_format.apply_tools(config, call)
    ask(api, new, way)

    assert problems == []
    assert api.last["tool_choice"] == choice
    assert api.last["tools"] == TOOLS
    assert call == conversation()
    if choice != "none":
        assert api_format.request_view(new)["toolConfig"] == {"mode": "AUTO", **config}
    assert api_format.apply_request({**api_format.request_view(call), "toolConfig": config}, call) == (new, [])


def test_what_a_tool_configuration_does_not_say_stays_as_the_call_has_it():
    limited = types.ToolChoiceAllowed.model_validate(allowed("required", function("get_weather"), function("get_time")))
    call = {**conversation(), "tool_choice": limited}
    assert api_format.request_view(call)["toolConfig"] == {
        "mode": "ANY",
        "allowedFunctionNames": ["get_weather", "get_time"],
    }

    assert api_format.apply_tools({"allowedFunctionNames": ["get_time"]}, call)[0]["tool_choice"] == function(
        "get_time"
    )
    freer = api_format.apply_tools({"mode": "AUTO"}, call)[0]["tool_choice"]
    assert freer == allowed("auto", function("get_weather"), function("get_time"))
    assert "tool_choice" not in api_format.apply_request({"toolConfig": {}}, call)[0]


def test_a_choice_finer_than_the_stable_form_stays_where_nothing_else_is_asked_for():
    call = {**conversation(), "tool_choice": {"type": "mcp", "server_label": "wiki", "name": "read"}}

    assert api_format.apply_tools({"mode": "ANY"}, call) == (call, [])
    assert api_format.apply_tools({"mode": "ANY", "allowedFunctionNames": ["wiki"]}, call) == (call, [])


def test_what_the_api_cannot_limit_is_said():
    space = {"type": "namespace", "name": "crm", "description": "", "tools": [{"type": "function", "name": "find"}]}
    call = {"model": "m", "input": "hi", "tools": [WEATHER, space]}

    new, problems = api_format.apply_tools({"mode": "AUTO", "allowedFunctionNames": ["find", "rm"]}, call)
    assert new == {**call, "tool_choice": "auto"}
    assert problems == [
        "toolConfig allows 'rm', which is not a tool of this call",
        "this API cannot limit the model to find: only the mode is set",
    ]


def test_tools_may_also_come_with_the_input_or_a_stored_prompt():
    bare = {"model": "m", "input": "hi"}
    brought = {"model": "m", "input": [{"type": "additional_tools", "role": "developer", "tools": [TIME]}]}
    stored = {"prompt": {"id": "pmpt_1"}}

    assert [api_format.has_tools(call) for call in (bare, brought, stored)] == [False, True, True]
    assert api_format.request_view(brought)["messages"] == []
    assert api_format.apply_tools({"mode": "NONE"}, bare) == (bare, [])
    assert api_format.apply_tools({"mode": "ANY"}, bare) == (bare, ["toolConfig: this call has no tools"])
    config = {"mode": "ANY", "allowedFunctionNames": ["get_time"]}
    assert api_format.apply_tools(config, brought) == ({**brought, "tool_choice": function("get_time")}, [])
    assert api_format.apply_tools({"mode": "NONE"}, stored) == ({**stored, "tool_choice": "none"}, [])
    new, problems = api_format.apply_tools(config, stored)
    assert (new["tool_choice"], len(problems)) == ("required", 1)


# Streams


@both
@pytest.mark.parametrize(
    ("end", "fields"),
    [
        ("completed", {}),
        ("incomplete", {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}),
    ],
)
def test_a_collected_stream_is_what_the_whole_response_would_have_been(api, way, end, fields):
    api.json(body(answer(), TOOL_CALL, **fields))
    api.events(*told(end, **fields))
    whole = ask(api, conversation(), way)
    found = collected(ask(api, {**conversation(), "stream": True}, way))

    assert api.last["stream"] is True
    assert isinstance(found, Response)
    assert found.to_dict() == whole.to_dict()
    assert [type(item) for item in found.output] == [type(item) for item in whole.output]
    assert api_format.response_view(found) == api_format.response_view(whole)
    assert api_format.called_tools(found) == api_format.called_tools(whole) == ["get_weather"]


@both
def test_a_cut_stream_gives_no_response(api, way):
    collector = api_format.collector()
    api.events(*told()[:-1], cut=True)
    with pytest.raises(openai.APIConnectionError):
        ask(api, {**conversation(), "stream": True}, way, collector)
    assert collector.response() is None

    api.events(*told()[:-1])
    ask(api, {**conversation(), "stream": True}, way, collector)
    assert collector.response() is None


# Responses from a view


@pytest.mark.req("HOOK-079")
@both
def test_a_changed_response_is_built_from_its_text_alone(api, way):
    api.json(body(THOUGHT, answer(), TOOL_CALL))
    base = ask(api, conversation(), way)
    before = base.to_dict()
    view = api_format.response_view(base)
    view["candidates"][0]["content"]["parts"] = ["Good", "bye"]
    built = api_format.build_response(view, conversation(), base)

    assert isinstance(built, Response)
    assert (built.output_text, built.status, len(built.output)) == ("Goodbye", "completed", 1)
    assert built.output[0].id == "msg_2"
    assert api_format.called_tools(built) == []
    assert (built.id, built.model, built.created_at, built.usage) == (base.id, base.model, base.created_at, base.usage)
    assert base.to_dict() == before
    assert Response.model_validate(built.to_dict()) == built


@pytest.mark.req("HOOK-079")
def test_a_made_up_response_is_one_that_the_sdk_takes():
    call = {**conversation(), "tool_choice": allowed("auto", function("get_time"))}
    built = api_format.build_response({"text": "no"}, call)

    assert Response.model_validate(built.to_dict()) == built
    assert (built.model, built.object, built.output_text) == ("gpt-5", "response", "no")
    assert (built.instructions, built.metadata, built.status) == ("be kind", {"run": "7"}, "completed")
    assert isinstance(built.tools[0], types.FunctionTool)
    assert api_format.response_view(built)["text"] == "no"


@pytest.mark.parametrize(
    ("finish", "status", "reason"),
    [("MAX_TOKENS", "incomplete", "max_output_tokens"), ("SAFETY", "incomplete", "content_filter")],
)
def test_a_made_up_response_says_what_the_view_says(finish, status, reason):
    view = {
        "candidates": [{"content": {"parts": ["a"]}, "finishReason": finish}],
        "usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 2},
    }
    built = api_format.build_response(view, {"model": "m", "input": "hi"})

    assert (built.status, built.incomplete_details.reason) == (status, reason)
    assert built.output[0].status == status
    assert api_format.response_view(built)["candidates"][0]["finishReason"] == finish
    assert built.usage.total_tokens == 5


def test_a_response_that_ended_otherwise_keeps_its_end_where_a_hook_leaves_it():
    base = response(answer(), status="incomplete", incomplete_details={"reason": "steered"})
    view = {**api_format.response_view(base), "text": "Bye"}
    built = api_format.build_response(view, {}, base)
    assert (built.output_text, built.status, built.incomplete_details.reason) == ("Bye", "incomplete", "steered")

    view["candidates"] = [{"content": {"parts": ["Bye"]}, "finishReason": "STOP"}]
    built = api_format.build_response(view, {}, base)
    assert (built.output_text, built.status, built.incomplete_details) == ("Bye", "completed", None)


@pytest.mark.req("HOOK-202")
@pytest.mark.parametrize("view", [{}, {"candidates": []}])
@pytest.mark.parametrize("based", [False, True])
def test_an_empty_view_gives_a_response_without_output(view, based):
    built = api_format.build_response(view, {"model": "m"}, response(answer(), TOOL_CALL) if based else None)

    assert Response.model_validate(built.to_dict()).output == []
    assert built.output_text == ""
    assert collected(api_format.as_chunks(built)).to_dict() == built.to_dict()


def test_a_synthetic_response_streams_as_events_of_the_sdk():
    built = api_format.build_response({"candidates": [{"content": {"parts": ["not ", "today"]}}]}, {"model": "m"})
    events = api_format.as_chunks(built)

    assert [event.type.removeprefix("response.") for event in events] == [
        *("created", "in_progress", "output_item.added"),
        *("content_part.added", "output_text.delta", "output_text.done", "content_part.done") * 2,
        *("output_item.done", "completed"),
    ]
    assert [event.sequence_number for event in events] == list(range(len(events)))
    assert all(type(event).model_validate(event.to_dict()) for event in events)
    assert isinstance(events[4], types.ResponseTextDeltaEvent)
    assert "".join(event.delta for event in events if event.type.endswith("text.delta")) == "not today"
    assert events[0].response.output == events[2].item.content == []
    assert collected(events) is built
    assert built.output_text == "not today"
    assert collected(events[:-1]) is None


def test_calls_and_refusals_survive_being_streamed():
    refusal = answer(content=[{"type": "refusal", "refusal": "never"}])
    whole = response(refusal, TOOL_CALL, status="incomplete", incomplete_details={"reason": "content_filter"})
    events = api_format.as_chunks(whole)

    assert [event.item.type for event in events if event.type.endswith("item.done")] == ["message", "function_call"]
    assert events[-1].type == "response.incomplete"
    assert collected(events) is whole


def test_called_tools_are_named_in_order():
    items = [
        {"type": "custom_tool_call", "call_id": "c", "name": "shell", "input": "ls"},
        TOOL_CALL,
        {"type": "web_search_call", "id": "ws", "status": "completed", "action": {"type": "search", "query": "x"}},
        {"type": "shell_call", "id": "s", "call_id": "c2", "status": "completed", "action": {"commands": ["ls"]}},
    ]

    assert api_format.called_tools(response(*items)) == ["shell", "get_weather", "shell"]
    assert api_format.called_tools(response(answer())) == []


def test_items_that_the_last_event_of_a_stream_leaves_out_are_collected(api):
    api.events(*told()[:-1], *stream(("completed", {"response": body()})))
    found = collected(ask(api, {**conversation(), "stream": True}))

    assert [item.to_dict() for item in found.output] == [answer(), TOOL_CALL]
    assert found.status == "completed"
