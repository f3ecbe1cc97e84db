"""OpenAI's Chat Completions: real clients, real HTTP, the wire format as the API documents it."""

import asyncio
import copy
import json
from typing import Any

import openai
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openai.types.chat import ChatCompletion, ChatCompletionChunk, ChatCompletionMessage

from tenterhook.clients.formats import openai as chat
from tenterhook.errors import UsageError

from .loopback import Loopback, sse

IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
WEATHER = {"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object"}}}
TIME = {"type": "function", "function": {"name": "get_time", "parameters": {"type": "object"}}}
SHELL = {"type": "custom", "custom": {"name": "shell"}}
USAGE = {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13}
TOOL_CALL = {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Rome"}'}}


def conversation() -> dict[str, Any]:
    """A call with everything in it that hooks do not see."""
    return {
        "model": "gpt-4.1",
        "messages": [
            {"role": "system", "content": "be kind"},
            {"role": "user", "content": [{"type": "text", "text": "look "}, IMAGE, {"type": "text", "text": "here"}]},
            {"role": "assistant", "content": "I ask", "tool_calls": [TOOL_CALL]},
            {"role": "tool", "tool_call_id": "call_1", "content": "secret weather"},
            {"role": "user", "content": [IMAGE]},
            {"role": "user", "content": "and now?"},
        ],
        "tools": [WEATHER, TIME, SHELL],
        "temperature": 0.5,
        "stop": "END",
        "metadata": {"run": "7"},
        "extra_headers": {"x-mine": "1"},
        "timeout": 5.0,
    }


SHOWN = [
    {"role": "system", "content": "be kind"},
    {"role": "user", "content": "look here"},
    {"role": "model", "content": "I ask"},
    {"role": "user", "content": "and now?"},
]


def completion(**message: Any) -> dict[str, Any]:
    end = "tool_calls" if "tool_calls" in message else "stop"
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "gpt-4.1-2025-04-14",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": None, "refusal": None, **message},
                "logprobs": None,
                "finish_reason": end,
            }
        ],
        "usage": USAGE,
        "service_tier": "default",
        "system_fingerprint": "fp_1",
    }


def chunk(*choices: dict[str, Any], **fields: Any) -> str:
    """One event of a stream, as the API sends it."""
    common = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1_700_000_000}
    model = {"model": "gpt-4.1-2025-04-14", "service_tier": "default", "system_fingerprint": "fp_1"}
    return sse({**common, **model, "choices": list(choices), "usage": None, "obfuscation": "x9", **fields})


def delta(end: str | None = None, index: int = 0, **fields: Any) -> dict[str, Any]:
    return {"index": index, "delta": fields, "logprobs": None, "finish_reason": end}


TOLD = [
    chunk(delta(role="assistant", content="", refusal=None)),
    chunk(delta(content="Hel")),
    chunk(delta(content="lo")),
    chunk(delta("stop")),
]
CALLED = [
    chunk(delta(role="assistant", content=None, refusal=None)),
    chunk(delta(tool_calls=[{**TOOL_CALL, "index": 0, "function": {"name": "get_weather", "arguments": ""}}])),
    chunk(delta(tool_calls=[{"index": 0, "function": {"arguments": '{"city": '}}])),
    chunk(
        delta(
            tool_calls=[
                {"index": 1, "id": "call_2", "type": "function", "function": {"name": "get_time", "arguments": ""}}
            ]
        )
    ),
    chunk(delta(tool_calls=[{"index": 0, "function": {"arguments": '"Rome"}'}}])),
    chunk(delta(tool_calls=[{"index": 1, "function": {"arguments": "{}"}}])),
    chunk(delta("tool_calls")),
]
LAST = [chunk(usage=USAGE), sse("[DONE]")]


def ask(api: Loopback, call: dict[str, Any], way: str = "sync") -> Any:
    """The response of a real client; a list of chunks where the call streams."""
    options = {"api_key": "none", "base_url": f"{api.url}/v1", "max_retries": 0}
    if way == "sync":
        with openai.OpenAI(**options) as client:
            answer = client.chat.completions.create(**call)
            return list(answer) if call.get("stream") else answer

    async def later() -> Any:
        async with openai.AsyncOpenAI(**options) as client:
            answer = await client.chat.completions.create(**call)
            return [one async for one in answer] if call.get("stream") else answer

    return asyncio.run(later())


def collected(chunks: list[Any]) -> Any:
    collector = chat.collector()
    for one in chunks:
        collector.add(one)
    return collector.response()


def completed(**message: Any) -> ChatCompletion:
    return ChatCompletion.model_validate(completion(**message))


both = pytest.mark.parametrize("way", ["sync", "async"])


# What hooks see


@pytest.mark.req("HOOK-071", "HOOK-072", "HOOK-075", "HOOK-076")
def test_a_request_is_shown_as_text_and_nothing_else():
    view = chat.request_view({**conversation(), "tool_choice": "auto"})

    assert view == {
        "model": "gpt-4.1",
        "messages": SHOWN,
        "config": {"temperature": 0.5, "stopSequences": ["END"]},
        "toolConfig": {"mode": "AUTO"},
    }
    json.dumps(view)


def test_what_a_call_does_not_set_is_not_shown():
    call = {"model": "m", "messages": [], "temperature": openai.NOT_GIVEN, "top_p": openai.omit, "tool_choice": None}

    assert chat.request_view(call) == {"model": "m", "messages": []}


def test_a_developers_message_is_a_system_message_and_a_refusal_is_no_text():
    refusal = {"role": "assistant", "content": [{"type": "refusal", "refusal": "never"}]}
    call = {"model": "m", "messages": [{"role": "developer", "content": "rules"}, refusal]}

    assert chat.request_view(call)["messages"] == [{"role": "system", "content": "rules"}]


def test_an_iterator_is_refused_for_it_could_not_be_sent_after_it_was_shown():
    with pytest.raises(UsageError, match="messages is an iterator"):
        chat.request_view({"model": "m", "messages": iter([{"role": "user", "content": "hi"}])})


@pytest.mark.req("HOOK-073", "HOOK-075")
def test_a_response_is_shown_as_text_and_nothing_else():
    view = chat.response_view(completed(content="Hello", tool_calls=[TOOL_CALL]))

    assert view == {
        "text": "Hello",
        "candidates": [{"content": {"role": "model", "parts": ["Hello"]}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 4, "totalTokenCount": 13},
    }


@pytest.mark.parametrize(
    ("own", "shown"),
    [
        ("stop", "STOP"),
        ("length", "MAX_TOKENS"),
        ("content_filter", "SAFETY"),
        ("tool_calls", "STOP"),
        ("new", "OTHER"),
    ],
)
def test_why_a_choice_ended_is_said_in_the_stable_words(own, shown):
    response = completion(content="x")
    response["choices"][0]["finish_reason"] = own

    assert chat.response_view(ChatCompletion.model_construct(**response))["candidates"][0]["finishReason"] == shown


# What hooks change


@pytest.mark.req("HOOK-078")
def test_an_unchanged_view_gives_the_very_same_values_back():
    call = {**conversation(), "tool_choice": "required"}
    new, problems = chat.apply_request(chat.request_view(call), call)

    assert problems == []
    assert new is not call
    assert new.keys() == call.keys()
    assert all(new[key] is call[key] for key in call)


@pytest.mark.req("HOOK-038", "HOOK-039", "HOOK-078", "HOOK-139")
@both
def test_a_changed_request_goes_over_the_wire_with_everything_else_intact(api, way):
    api.json(completion(content="ok"))
    call = conversation()
    before = copy.deepcopy(call)
    view = chat.request_view(call)
    view["messages"][1]["content"] = "see"
    view["messages"][2]["content"] = "I look"
    view["messages"].append({"role": "user", "content": "be short"})
    new, problems = chat.apply_request({**view, "model": "gpt-5"}, call)
    ask(api, new, way)

    sent = api.last
    assert problems == []
    assert call == before
    assert new["messages"][0] is call["messages"][0]
    assert sent["messages"] == [
        call["messages"][0],
        {"role": "user", "content": [{"type": "text", "text": "see"}, IMAGE]},
        {"role": "assistant", "content": "I look", "tool_calls": [TOOL_CALL]},
        *call["messages"][3:],
        {"role": "user", "content": "be short"},
    ]
    assert (sent["model"], sent["tools"], sent["metadata"]) == ("gpt-5", call["tools"], {"run": "7"})
    assert (sent["temperature"], sent["stop"]) == (0.5, "END")
    assert (new["extra_headers"], new["timeout"]) == ({"x-mine": "1"}, 5.0)


@pytest.mark.req("HOOK-078")
@both
def test_messages_of_the_sdk_in_the_history_are_changed_as_dicts_are(api, way):
    earlier = completion(content="I ask", tool_calls=[TOOL_CALL, {**TOOL_CALL, "id": "call_2"}])
    api.json(earlier)
    api.json(completion(content="ok"))
    call: dict[str, Any] = {"model": "gpt-4.1", "messages": [{"role": "user", "content": "hi"}], "tools": [WEATHER]}
    message = ask(api, call, way).choices[0].message
    results = [{"role": "tool", "tool_call_id": id, "content": "20 C"} for id in ("call_1", "call_2")]
    call["messages"] += [message, *results]
    before = message.to_dict()
    view = chat.request_view(call)
    assert view["messages"] == [{"role": "user", "content": "hi"}, {"role": "model", "content": "I ask"}]

    view["messages"][1]["content"] = "I asked"
    new, problems = chat.apply_request(view, call)
    ask(api, new, way)

    assert problems == []
    assert isinstance(new["messages"][1], ChatCompletionMessage)
    assert message.to_dict() == before
    assert api.last["messages"] == [call["messages"][0], {**before, "content": "I asked"}, *results]


@pytest.mark.parametrize("own", [False, True])
def test_a_removed_message_takes_its_calls_results_along(own):
    call = conversation()
    if own:
        call["messages"][2] = ChatCompletionMessage.model_validate(call["messages"][2])
    view = chat.request_view(call)
    del view["messages"][2]
    new, _ = chat.apply_request(view, call)

    assert [message["role"] for message in new["messages"]] == ["system", "user", "user", "user"]


def test_a_message_that_becomes_anothers_leaves_no_orphaned_results():
    call = conversation()
    view = chat.request_view(call)
    view["messages"][2] = {"role": "user", "content": "never mind"}
    new, _ = chat.apply_request(view, call)

    assert chat.request_view(new)["messages"] == view["messages"]
    assert not [message for message in new["messages"] if message["role"] == "tool" or "tool_calls" in message]


@pytest.mark.parametrize("own", [False, True])
def test_calls_go_from_a_message_that_keeps_its_text(own):
    other = {**TOOL_CALL, "id": "call_2"}
    message: Any = {"role": "assistant", "content": "both", "tool_calls": [TOOL_CALL, other]}
    if own:
        message = ChatCompletionMessage.model_validate(message)
    kind = chat.ChatMessages([])

    one = kind.without(message, {"call_1"})
    assert [chat.get(call, "id") for call in chat.get(one, "tool_calls")] == ["call_2"]
    none = kind.without(message, {"call_1", "call_2"})
    assert (none.to_dict() if own else none) == {"role": "assistant", "content": "both"}
    assert kind.without({"role": "assistant", "content": None, "tool_calls": [TOOL_CALL]}, {"call_1"}) is None
    assert len(chat.get(message, "tool_calls")) == 2


def test_a_new_system_message_takes_the_word_that_the_call_uses():
    for word in ("system", "developer"):
        call = {"model": "m", "messages": [{"role": word, "content": "a"}, {"role": "user", "content": "b"}]}
        view = chat.request_view(call)
        new, _ = chat.apply_request({"messages": [*view["messages"], {"role": "system", "content": "c"}]}, call)
        assert [message["role"] for message in new["messages"]] == [word, "user", word]


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
    new, problems = chat.apply_request({**chat.request_view(call), "messages": wanted}, call)

    assert problems == []
    assert chat.request_view(new)["messages"] == wanted
    assert call == conversation()
    calls = [one["id"] for message in new["messages"] for one in message.get("tool_calls", ())]
    assert calls == [message["tool_call_id"] for message in new["messages"] if message["role"] == "tool"]


@pytest.mark.parametrize("tools", [3, {"mode": "SOME"}, {"allowedFunctionNames": "get_time"}])
@pytest.mark.parametrize("choice", [{}, {"tool_choice": {"type": "function", "function": {"name": "get_time"}}}])
def test_what_cannot_be_read_is_said_and_changes_nothing(tools, choice):
    call = {**conversation(), "tool_choice": "auto", **choice}
    new, problems = chat.apply_request({"model": 7, "messages": "no", "config": [], "toolConfig": tools}, call)

    assert new == call
    assert len(problems) == 4
    assert chat.apply_tools(tools, call) == (call, problems[3:])


@pytest.mark.req("HOOK-038", "HOOK-078")
@pytest.mark.parametrize(
    ("stable", "own", "value"),
    [
        ("temperature", "temperature", 0.1),
        ("topP", "top_p", 0.9),
        ("maxOutputTokens", "max_completion_tokens", 64),
        ("stopSequences", "stop", ["a", "b"]),
        ("candidateCount", "n", 2),
        ("presencePenalty", "presence_penalty", 0.2),
        ("frequencyPenalty", "frequency_penalty", 0.3),
        ("seed", "seed", 11),
    ],
)
def test_each_option_goes_over_the_wire_and_away_again(api, stable, own, value):
    api.json(completion(content="ok"))
    call = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
    new, problems = chat.apply_request({**chat.request_view(call), "config": {stable: value}}, call)
    ask(api, new)

    assert problems == []
    assert api.last[own] == value
    assert chat.request_view(new)["config"] == {stable: value}
    for gone in ({}, {stable: None}):
        assert chat.apply_request({**chat.request_view(new), "config": gone}, new) == (call, [])


def test_the_older_word_for_the_most_tokens_stays_where_a_call_uses_it():
    call = {"model": "m", "messages": [], "max_tokens": 10}
    new, _ = chat.apply_request({**chat.request_view(call), "config": {"maxOutputTokens": 20}}, call)

    assert new == {**call, "max_tokens": 20}


def test_an_option_without_a_place_is_said():
    call = {"model": "m", "messages": []}

    assert chat.apply_request({"config": {"topK": 3}}, call) == (call, ["config.topK has no place in this API"])


# The choice of tools


def function(name: str) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name}}


def allowed(mode: str, *tools: Any) -> dict[str, Any]:
    return {"type": "allowed_tools", "allowed_tools": {"mode": mode, "tools": list(tools)}}


@pytest.mark.req("HOOK-055", "HOOK-056", "HOOK-057", "HOOK-074", "HOOK-140", "HOOK-167", "HOOK-168")
@pytest.mark.parametrize(
    ("config", "choice"),
    [
        ({"mode": "AUTO"}, "auto"),
        ({"mode": "ANY"}, "required"),
        ({"mode": "NONE", "allowedFunctionNames": []}, "none"),
        ({"mode": "ANY", "allowedFunctionNames": ["get_time"]}, function("get_time")),
        ({"mode": "ANY", "allowedFunctionNames": ["shell"]}, {"type": "custom", "custom": {"name": "shell"}}),
        ({"mode": "AUTO", "allowedFunctionNames": ["get_time"]}, allowed("auto", function("get_time"))),
        (
            {"mode": "ANY", "allowedFunctionNames": ["get_weather", "shell"]},
            allowed("required", function("get_weather"), {"type": "custom", "custom": {"name": "shell"}}),
        ),
        ({"allowedFunctionNames": ["get_time"]}, allowed("auto", function("get_time"))),
        ({"mode": "AUTO", "allowedFunctionNames": []}, "none"),
    ],
)
@both
def test_a_tool_configuration_goes_over_the_wire_and_no_definition_is_removed(api, way, config, choice):
    api.json(completion(content="ok"))
    call = conversation()
    new, problems = chat.apply_tools(config, call)
    ask(api, new, way)

    assert problems == []
    assert api.last["tool_choice"] == choice
    assert api.last["tools"] == call["tools"]
    assert call == conversation()
    if choice != "none":
        assert chat.request_view(new)["toolConfig"] == {"mode": "AUTO", **config}
    assert chat.apply_request({**chat.request_view(call), "toolConfig": config}, call) == (new, [])


def test_what_a_tool_configuration_does_not_say_stays_as_the_call_has_it():
    limited = allowed("required", function("get_weather"), function("get_time"))
    call = {**conversation(), "tool_choice": limited}

    assert chat.apply_tools({}, call)[0]["tool_choice"] == limited
    narrower = chat.apply_tools({"allowedFunctionNames": ["get_time"]}, call)[0]
    assert narrower["tool_choice"] == function("get_time")
    freer = chat.apply_tools({"mode": "AUTO"}, call)[0]["tool_choice"]
    assert freer == allowed("auto", function("get_weather"), function("get_time"))


def test_a_names_list_that_a_hook_took_out_of_the_request_limits_no_more():
    call = {**conversation(), "tool_choice": allowed("required", function("get_time"))}
    view = chat.request_view(call)
    assert view["toolConfig"] == {"mode": "ANY", "allowedFunctionNames": ["get_time"]}

    assert chat.apply_request({**view, "toolConfig": {"mode": "ANY"}}, call)[0]["tool_choice"] == "required"
    assert "tool_choice" not in chat.apply_request({**view, "toolConfig": {}}, call)[0]


def test_a_tool_that_the_call_does_not_have_is_said_and_not_asked_for():
    new, problems = chat.apply_tools({"mode": "AUTO", "allowedFunctionNames": ["rm", "get_time"]}, conversation())
    assert new["tool_choice"] == allowed("auto", function("get_time"))
    assert problems == ["toolConfig allows 'rm', which is not a tool of this call"]

    new, problems = chat.apply_tools({"mode": "ANY", "allowedFunctionNames": ["rm"]}, conversation())
    assert new["tool_choice"] == "none"
    assert len(problems) == 2


def test_the_older_functions_are_limited_as_far_as_they_can_be():
    call = {"model": "m", "messages": [], "functions": [WEATHER["function"], TIME["function"]]}
    assert chat.has_tools(call)

    new, problems = chat.apply_tools({"mode": "NONE"}, call)
    assert (new, problems) == ({**call, "function_call": "none"}, [])
    assert chat.request_view(new)["toolConfig"] == {"mode": "NONE"}
    new, problems = chat.apply_tools({"mode": "ANY", "allowedFunctionNames": ["get_time"]}, call)
    assert (new, problems) == ({**call, "function_call": {"name": "get_time"}}, [])
    assert chat.request_view(new)["toolConfig"] == {"mode": "ANY", "allowedFunctionNames": ["get_time"]}
    new, problems = chat.apply_tools({"mode": "AUTO", "allowedFunctionNames": ["get_time"]}, call)
    assert (new, len(problems)) == (call, 1)


# Streams


@both
@pytest.mark.parametrize(
    ("events", "message"),
    [
        (TOLD, {"content": "Hello"}),
        (
            CALLED,
            {
                "tool_calls": [
                    TOOL_CALL,
                    {"id": "call_2", "type": "function", "function": {"name": "get_time", "arguments": "{}"}},
                ]
            },
        ),
    ],
)
def test_a_collected_stream_is_what_the_whole_response_would_have_been(api, way, events, message):
    api.json(completion(**message))
    api.events(*events, *LAST)
    call = {"model": "gpt-4.1", "messages": [{"role": "user", "content": "hi"}], "tools": [WEATHER, TIME]}
    response = ask(api, call, way)
    found = collected(ask(api, {**call, "stream": True, "stream_options": {"include_usage": True}}, way))

    assert isinstance(found, ChatCompletion)
    assert found.to_dict() == response.to_dict()
    assert type(found.choices[0].message) is type(response.choices[0].message)
    assert chat.response_view(found) == chat.response_view(response)
    assert (
        chat.called_tools(found)
        == chat.called_tools(response)
        == [call["function"]["name"] for call in message.get("tool_calls", ())]
    )


def test_a_stream_without_usage_is_complete_too(api):
    api.events(*TOLD, sse("[DONE]"))
    found = collected(ask(api, {"model": "m", "messages": [], "stream": True}))

    assert (found.choices[0].message.content, found.usage) == ("Hello", None)


def test_chunks_that_say_less_take_nothing_away(api):
    """Some servers begin with one about the prompt alone, and end with one about nothing."""
    empty = chunk(id="", model="", created=0, service_tier=None, system_fingerprint=None)
    api.events(empty, *TOLD, chunk(usage=USAGE), empty, sse("[DONE]"))
    found = collected(ask(api, {"model": "m", "messages": [], "stream": True}))

    assert (found.id, found.created, found.usage.total_tokens) == ("chatcmpl-1", 1_700_000_000, 13)


def test_several_choices_are_kept_apart(api):
    ends = [chunk(delta("stop", 1)), chunk(delta("length", 0))]
    said = [chunk(delta(index=n, role="assistant", content=text)) for n, text in [(1, "b"), (0, "a"), (1, "B")]]
    api.events(*said, *ends, sse("[DONE]"))
    chunks = ask(api, {"model": "m", "messages": [], "n": 2, "stream": True})
    found = collected(chunks)

    assert [(one.index, one.message.content, one.finish_reason) for one in found.choices] == [
        (0, "a", "length"),
        (1, "bB", "stop"),
    ]
    assert collected(chunks[:-1]) is None


def test_log_probabilities_and_a_servers_own_fields_are_collected(api):
    token = {"token": "a", "bytes": [97], "logprob": -0.1, "top_logprobs": []}
    piece = {**delta(content="a", reasoning_content="hm"), "logprobs": {"content": [token], "refusal": None}}
    custom = {"index": 0, "id": "c", "type": "custom", "custom": {"name": "shell", "input": "l"}}
    more = {"index": 0, "id": "", "custom": {"name": "", "input": "s"}}
    api.events(
        *(chunk(one) for one in (piece, piece, delta(tool_calls=[custom]), delta(tool_calls=[more]), delta("stop"))),
        sse("[DONE]"),
    )
    found = collected(ask(api, {"model": "m", "messages": [], "stream": True})).choices[0]

    assert found.logprobs.to_dict() == {"content": [token, token], "refusal": None}
    assert (found.message.content, found.message.reasoning_content) == ("aa", "hmhm")
    assert found.message.tool_calls[0].to_dict() == {
        "id": "c",
        "type": "custom",
        "custom": {"name": "shell", "input": "ls"},
    }


@both
def test_a_cut_stream_gives_no_response(api, way):
    api.events(*TOLD[:-1], cut=True)
    collector = chat.collector()
    assert collector.response() is None

    def sync() -> None:
        with (
            openai.OpenAI(api_key="none", base_url=api.url, max_retries=0) as client,
            client.chat.completions.create(model="m", messages=[], stream=True) as stream,
        ):
            for one in stream:
                collector.add(one)

    async def later() -> None:
        async with (
            openai.AsyncOpenAI(api_key="none", base_url=api.url, max_retries=0) as client,
            await client.chat.completions.create(model="m", messages=[], stream=True) as stream,
        ):
            async for one in stream:
                collector.add(one)

    with pytest.raises(openai.APIConnectionError):
        sync() if way == "sync" else asyncio.run(later())
    assert collector.choices[0]["message"]["content"] == "Hello"
    assert collector.response() is None


# Responses from a view


@pytest.mark.req("HOOK-079")
@both
def test_a_changed_response_is_built_from_its_text_alone(api, way):
    api.json(completion(content="Hello", tool_calls=[TOOL_CALL]))
    base = ask(api, {"model": "m", "messages": [], "tools": [WEATHER]}, way)
    before = base.to_dict()
    view = chat.response_view(base)
    view["candidates"][0]["content"]["parts"] = ["Good", "bye"]
    built = chat.build_response(view, {"model": "m"}, base)

    assert isinstance(built, ChatCompletion)
    assert (built.choices[0].message.content, built.choices[0].finish_reason) == ("Goodbye", "stop")
    assert built.choices[0].message.tool_calls is None
    assert chat.called_tools(built) == []
    assert (built.id, built.model, built.created, built.usage) == (base.id, base.model, base.created, base.usage)
    assert base.to_dict() == before


@pytest.mark.req("HOOK-079")
def test_a_made_up_response_is_one_that_the_sdk_takes():
    built = chat.build_response({"text": "no"}, {"model": "gpt-4.1"})

    assert ChatCompletion.model_validate(built.to_dict()) == built
    assert (built.model, built.object, built.choices[0].message.content) == ("gpt-4.1", "chat.completion", "no")
    assert chat.response_view(built)["text"] == "no"


def test_a_made_up_response_says_what_the_view_says():
    view = {
        "candidates": [
            {"content": {"parts": ["a"]}, "finishReason": "MAX_TOKENS", "index": 0},
            {"content": {"parts": ["b"]}, "finishReason": "SAFETY", "index": 1},
        ],
        "usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 2},
    }
    shown = chat.response_view(chat.build_response(view, {"model": "m"}))

    assert [one["finishReason"] for one in shown["candidates"]] == ["MAX_TOKENS", "SAFETY"]
    assert [one["content"]["parts"] for one in shown["candidates"]] == [["a"], ["b"]]
    assert shown["usageMetadata"] == {"promptTokenCount": 3, "candidatesTokenCount": 2, "totalTokenCount": 5}


@pytest.mark.req("HOOK-202")
@pytest.mark.parametrize("view", [{}, {"candidates": []}])
@pytest.mark.parametrize("based", [False, True])
def test_an_empty_view_gives_a_response_without_content(view, based):
    built = chat.build_response(view, {"model": "m"}, completed(content="Hello") if based else None)

    assert ChatCompletion.model_validate(built.to_dict()).choices[0].message.content == ""
    assert chat.response_view(built)["text"] == ""
    assert chat.response_view(collected(chat.as_chunks(built)))["text"] == ""


def test_a_text_that_changed_counts_where_the_candidates_did_not():
    base = completed(content="Hello")
    view = chat.response_view(base)

    assert chat.build_response({**view, "text": "Bye"}, {}, base).choices[0].message.content == "Bye"
    assert chat.build_response({**view, "text": ""}, {}, base).choices[0].message.content == ""
    assert chat.build_response({"text": "Bye"}, {}, base).choices[0].message.content == "Bye"
    assert chat.build_response({**view, "candidates": []}, {}, base).choices[0].message.content == ""


def test_a_synthetic_response_streams_as_chunks_of_the_sdk():
    built = chat.build_response({"text": "not today"}, {"model": "m"})
    chunks = chat.as_chunks(built)

    assert all(isinstance(one, ChatCompletionChunk) and one.choices for one in chunks)
    assert all(ChatCompletionChunk.model_validate(one.to_dict()) for one in chunks)
    assert "".join(one.choices[0].delta.content or "" for one in chunks) == "not today"
    assert [one.choices[0].finish_reason for one in chunks] == [None, None, "stop"]
    assert collected(chunks).to_dict() == built.to_dict()
    assert collected(chunks[:-1]) is None


def test_calls_survive_being_streamed():
    response = completed(tool_calls=[TOOL_CALL, {**TOOL_CALL, "id": "call_2"}])

    assert collected(chat.as_chunks(response)).to_dict() == response.to_dict()


def test_called_tools_are_named_in_order():
    older = completed(function_call={"name": "old", "arguments": "{}"})
    custom = {"id": "c", "type": "custom", "custom": {"name": "shell", "input": "ls"}}

    assert chat.called_tools(completed(tool_calls=[custom, TOOL_CALL])) == ["shell", "get_weather"]
    assert chat.called_tools(older) == ["old"]
    assert chat.called_tools(completed(content="x")) == []
