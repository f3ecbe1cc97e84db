"""Anthropic's Messages API: real clients, real HTTP on the loopback, real server-sent events."""

import asyncio
import copy
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import anthropic
import pytest
from anthropic.types import Message, TextBlock
from hypothesis import given, settings
from hypothesis import strategies as st

from tenterhook.clients.formats import anthropic as messages_api
from tenterhook.clients.formats.messages import NO_SYSTEM, NONE_LEFT
from tenterhook.errors import UsageError

from .loopback import Loopback, sse

MODEL = "claude-test"
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}}
THOUGHT = {"type": "thinking", "thinking": "The weather, then.", "signature": "c2ln"}
ASK = {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {"city": "Oslo"}}
TOLD = {"type": "tool_result", "tool_use_id": "toolu_1", "content": [{"type": "text", "text": "rain in Oslo"}]}
WEATHER = {"name": "weather", "description": "d", "input_schema": {"type": "object", "properties": {}}}
CLOCK = {"name": "clock", "input_schema": {"type": "object", "properties": {}}}
SEARCH = {"name": "web_search", "type": "web_search_20250305", "max_uses": 2}
BROWSER = {"type": "browser_toolset_20260801"}

RESULT = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
RAN = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x"}}


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": words, **more}


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


def assistant(content: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content}


def said(role: str, words: str) -> dict[str, str]:
    return {"role": role, "content": words}


HISTORY = [
    user([text("What is "), IMAGE, text("this?", cache_control={"type": "ephemeral"})]),
    assistant([THOUGHT, text("Let me look."), ASK]),
    user([TOLD]),
    assistant("It rains."),
    user("And tomorrow?"),
]
SEEN = [
    said("user", "What is this?"),
    said("model", "Let me look."),
    said("model", "It rains."),
    said("user", "And tomorrow?"),
]


def full_call(**more: Any) -> dict[str, Any]:
    return {
        "model": MODEL,
        "max_tokens": 256,
        "system": [text("Be brief.", cache_control={"type": "ephemeral"})],
        "messages": copy.deepcopy(HISTORY),
        "tools": [copy.deepcopy(WEATHER), copy.deepcopy(CLOCK)],
        "metadata": {"user_id": "u1"},
        "extra_headers": {"x-test": "1"},
        "timeout": 5.0,
        **more,
    }


def answer(content: list[dict[str, Any]], stop: str = "end_turn", **more: Any) -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": content,
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {
            "input_tokens": 10,
            "cache_creation_input_tokens": 3,
            "cache_read_input_tokens": 4,
            "output_tokens": 20,
            "service_tier": "standard",
        },
        **more,
    }


def message(content: list[dict[str, Any]], stop: str = "end_turn", **more: Any) -> Message:
    return Message.model_construct(**answer(content, stop, **more))


def data(*events: dict[str, Any]) -> list[str]:
    return [sse(event, event["type"]) for event in events]


def delta(index: int, kind: str, **what: str) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **what}}


def begun(index: int, block: dict[str, Any]) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": block}


def ended(index: int) -> dict[str, Any]:
    return {"type": "content_block_stop", "index": index}


CITED = {
    "type": "char_location",
    "cited_text": "rain",
    "document_index": 0,
    "document_title": "t",
    "start_char_index": 0,
    "end_char_index": 4,
    "file_id": None,
}
WHOLE = answer(
    [THOUGHT, text("Hello there.", citations=[CITED]), ASK, {**ASK, "id": "toolu_2", "name": "clock", "input": {}}],
    "tool_use",
)
START = {**WHOLE, "content": [], "stop_reason": None, "usage": {**WHOLE["usage"], "output_tokens": 1}}
EVENTS = [
    {"type": "message_start", "message": START},
    begun(0, {"type": "thinking", "thinking": "", "signature": ""}),
    {"type": "ping"},
    delta(0, "thinking_delta", thinking="The weather, "),
    delta(0, "thinking_delta", thinking="then."),
    delta(0, "signature_delta", signature="c2ln"),
    ended(0),
    begun(1, {"type": "text", "text": "", "citations": []}),
    delta(1, "text_delta", text="Hello "),
    {"type": "content_block_delta", "index": 1, "delta": {"type": "citations_delta", "citation": CITED}},
    delta(1, "text_delta", text="there."),
    ended(1),
    begun(2, {**ASK, "input": {}}),
    delta(2, "input_json_delta", partial_json=""),
    delta(2, "input_json_delta", partial_json='{"city": "O'),
    delta(2, "input_json_delta", partial_json='slo"}'),
    ended(2),
    begun(3, {**ASK, "id": "toolu_2", "name": "clock", "input": {}}),
    delta(3, "input_json_delta", partial_json=""),
    ended(3),
    {
        "type": "message_delta",
        "delta": {"stop_reason": "tool_use", "stop_sequence": None},
        "usage": {"output_tokens": 20},
    },
    {"type": "message_stop"},
]


@pytest.fixture
def client(api: Loopback) -> Iterator[anthropic.Anthropic]:
    with anthropic.Anthropic(api_key="dummy", base_url=api.url, max_retries=0) as made:
        yield made


def send(api: Loopback, client: anthropic.Anthropic, call: dict[str, Any]) -> dict[str, Any]:
    """What the server gets of a call."""
    api.json(answer([text("ok")]))
    client.messages.create(**call)
    return api.last


# ---- what hooks see of a request


@pytest.mark.req("HOOK-071", "HOOK-072", "HOOK-075", "HOOK-076")
def test_hooks_see_the_texts_and_nothing_else() -> None:
    view = messages_api.request_view(full_call())

    assert view == {"model": MODEL, "messages": SEEN, "config": {"maxOutputTokens": 256}}


@pytest.mark.req("HOOK-072")
@pytest.mark.parametrize("place", ["arguments", "extra_body"])
def test_settings_are_seen_wherever_the_sdk_takes_them(place: str) -> None:
    sampling = {"temperature": 0.0, "top_p": 0.9, "top_k": 5}
    call = full_call(stop_sequences=("END",), **(sampling if place == "arguments" else {"extra_body": sampling}))

    assert messages_api.request_view(call)["config"] == {
        "temperature": 0.0,
        "maxOutputTokens": 256,
        "topP": 0.9,
        "topK": 5,
        "stopSequences": ["END"],
    }


@pytest.mark.req("HOOK-074")
@pytest.mark.parametrize(
    ("choice", "seen"),
    [
        ({"type": "auto", "disable_parallel_tool_use": True}, {"mode": "AUTO"}),
        ({"type": "any"}, {"mode": "ANY"}),
        ({"type": "none"}, {"mode": "NONE"}),
        ({"type": "tool", "name": "clock"}, {"mode": "ANY", "allowedFunctionNames": ["clock"]}),
    ],
)
def test_the_tool_choice_is_seen_as_a_tool_configuration(choice: dict[str, Any], seen: dict[str, Any]) -> None:
    assert messages_api.request_view(full_call(tool_choice=choice))["toolConfig"] == seen


def test_arguments_that_are_not_given_are_not_there() -> None:
    call = {"model": MODEL, "max_tokens": 1, "messages": [user("hi")], "tools": anthropic.NOT_GIVEN}
    call |= {"tool_choice": anthropic.omit, "stop_sequences": anthropic.NOT_GIVEN, "extra_body": None}

    assert messages_api.request_view(call) == {
        "model": MODEL,
        "messages": [said("user", "hi")],
        "config": {"maxOutputTokens": 1},
    }
    assert not messages_api.has_tools(call)
    assert messages_api.request_view({}) == {"messages": []}


@pytest.mark.parametrize(
    "odd",
    [None, 7, "text", [], {}, {"role": "user"}, user(None), user(7), user([7, None, {"type": "text"}]), user([])],
)
def test_odd_messages_are_hidden_and_stay(odd: Any) -> None:
    call = full_call(messages=[odd, user("hi")])
    made, problems = messages_api.apply_request({"messages": [said("user", "hello")]}, call)

    assert messages_api.request_view(call)["messages"] == [said("user", "hi")]
    assert not problems
    assert made["messages"] == [odd, user("hello")]


@pytest.mark.parametrize("place", ["messages", "content", "tools"])
def test_what_can_be_read_only_once_is_refused_before_it_is_used_up(place: str) -> None:
    one = iter([text("hi")])
    calls = {
        "messages": full_call(messages=iter([user("hi")])),
        "content": full_call(messages=[user(one)]),
        "tools": full_call(tools=iter([WEATHER])),
    }

    with pytest.raises(UsageError, match=f"{place} is an iterator"):
        messages_api.apply_tools({"mode": "NONE"}, calls[place]) if place == "tools" else messages_api.request_view(
            calls[place]
        )


def test_a_system_message_among_the_messages_is_seen_as_such() -> None:
    call = full_call(messages=[user("hi"), {"role": "system", "content": "Be kind."}])

    assert messages_api.request_view(call)["messages"] == [said("user", "hi"), said("system", "Be kind.")]


def test_views_need_no_sdk() -> None:
    script = (
        "import sys; sys.modules['anthropic'] = sys.modules['anthropic.types'] = None\n"
        "from tenterhook.clients.formats import anthropic as api\n"
        "call = {'model': 'm', 'messages': [{'role': 'user', 'content': 'hi'}], 'max_tokens': 1}\n"
        "print(api.apply_request({'messages': [{'role': 'user', 'content': 'ho'}]}, call)[0]['messages'])\n"
        "try: api.build_response({'text': 'x'}, call)\n"
        "except Exception as exc: print(type(exc).__name__, exc)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines()[0] == "[{'role': 'user', 'content': 'ho'}]"
    assert done.stdout.splitlines()[1].startswith("UsageError anthropic is needed here: pip install")


# ---- changed requests


@pytest.mark.req("HOOK-078")
def test_an_unchanged_view_gives_the_very_same_values() -> None:
    call = full_call(tool_choice={"type": "auto"}, extra_body={"top_k": 3})
    made, problems = messages_api.apply_request(messages_api.request_view(call), call)

    assert not problems
    assert made is not call
    assert made.keys() == call.keys()
    assert all(made[key] is call[key] for key in call)


@pytest.mark.req("HOOK-038", "HOOK-078", "HOOK-139")
def test_all_else_goes_over_the_wire_as_it_was(api: Loopback, client: anthropic.Anthropic) -> None:
    call = full_call()
    before = copy.deepcopy(call)
    view = messages_api.request_view(call)
    view["messages"][0]["content"] = "What is that?"
    view["messages"][1]["content"] = "I look."
    view["messages"].append(said("user", "Answer in French."))
    made, problems = messages_api.apply_request(view, call)
    body = send(api, client, made)

    assert not problems
    assert call == before
    assert body["messages"] == [
        user([text("What is that?", cache_control={"type": "ephemeral"}), IMAGE]),
        assistant([THOUGHT, text("I look."), ASK]),
        user([TOLD]),
        assistant("It rains."),
        user("And tomorrow?"),
        user("Answer in French."),
    ]
    assert {key: body[key] for key in ("system", "tools", "metadata", "model", "max_tokens")} == {
        key: call[key] for key in ("system", "tools", "metadata", "model", "max_tokens")
    }
    assert made["extra_headers"] is call["extra_headers"]
    assert made["timeout"] == 5.0


@pytest.mark.req("HOOK-039", "HOOK-139")
def test_appended_messages_stand_after_hidden_ones_at_the_end(api: Loopback, client: anthropic.Anthropic) -> None:
    call = full_call(messages=HISTORY[:3])
    view = messages_api.request_view(call)
    view["messages"].append(said("user", "Mind the wind."))
    body = send(api, client, messages_api.apply_request(view, call)[0])

    assert body["messages"] == [*HISTORY[:3], user("Mind the wind.")]


def test_a_removed_message_takes_its_tool_calls_and_their_results_along() -> None:
    call = full_call()
    made, problems = messages_api.apply_request({"messages": [SEEN[0], *SEEN[2:]]}, call)

    assert not problems
    assert made["messages"] == [HISTORY[0], *HISTORY[3:]]
    assert all(any(one is old for old in call["messages"]) for one in made["messages"])


@pytest.mark.parametrize("role", ["user", "system"])
def test_a_note_in_place_of_a_call_does_not_hold_the_call(role: str) -> None:
    made, problems = messages_api.apply_request({"messages": [SEEN[0], said(role, "Stop."), *SEEN[2:]]}, full_call())

    assert problems == ([NO_SYSTEM] if role == "system" else [])
    assert made["messages"] == [HISTORY[0], user("Stop."), *HISTORY[3:]]


def test_a_message_stands_where_it_was_put_before_what_the_api_ran_itself() -> None:
    history = [user("hi"), assistant([RAN, RESULT, text("Found.")]), user("thanks")]
    wish = [said("user", "hi"), said("user", "Hurry."), said("model", "Found."), said("user", "thanks")]
    made, problems = messages_api.apply_request({"messages": wish}, full_call(messages=history))

    assert not problems
    assert made["messages"] == [history[0], user("Hurry."), *history[1:]]


def test_a_removed_result_takes_its_call_and_the_thoughts_that_led_to_it() -> None:
    history = [user("hi"), assistant([THOUGHT, ASK]), user([TOLD, text("and now?")]), assistant("Rain.")]
    made, _ = messages_api.apply_request(
        {"messages": [said("user", "hi"), said("model", "Rain.")]}, full_call(messages=history)
    )

    assert made["messages"] == [history[0], history[3]]


def test_calls_that_stay_keep_their_results_when_another_call_goes() -> None:
    other = {**ASK, "id": "toolu_9"}
    result = {**TOLD, "tool_use_id": "toolu_9"}
    history = [user("hi"), assistant([text("One."), ASK]), assistant([other]), user([TOLD, result])]
    made, _ = messages_api.apply_request({"messages": [said("user", "hi")]}, full_call(messages=history))

    assert made["messages"] == [history[0], history[2], user([result])]


@pytest.mark.req("HOOK-038")
def test_the_history_may_hold_the_sdks_own_objects(api: Loopback, client: anthropic.Anthropic) -> None:
    api.json(answer([THOUGHT, text("Let me "), text("look."), ASK], "tool_use"))
    first = client.messages.create(model=MODEL, max_tokens=9, messages=[user("hi")])
    before = first.model_copy(deep=True)
    call = full_call(messages=[user("hi"), assistant(first.content), user([TOLD])])
    view = messages_api.request_view(call)

    assert view["messages"] == [said("user", "hi"), said("model", "Let me look.")]
    unchanged = send(api, client, messages_api.apply_request(view, call)[0])
    assert unchanged["messages"][1] == assistant([THOUGHT, text("Let me "), text("look."), ASK])
    view["messages"][1]["content"] = "I see."
    body = send(api, client, messages_api.apply_request(view, call)[0])
    assert body["messages"] == [user("hi"), assistant([THOUGHT, text("I see."), ASK]), user([TOLD])]
    assert first == before
    gone = send(api, client, messages_api.apply_request({"messages": [said("user", "hi")]}, call)[0])
    assert gone["messages"] == [user("hi")]


def test_a_whole_response_in_the_history_is_a_message_too() -> None:
    old = message([text("one"), ASK], "tool_use")
    call = full_call(messages=[user("hi"), old])
    made, _ = messages_api.apply_request({"messages": [said("user", "hi"), said("model", "two")]}, call)

    assert isinstance(made["messages"][1], Message)
    assert [block.type for block in made["messages"][1].content] == ["text", "tool_use"]
    assert messages_api.request_view(made)["messages"][1] == said("model", "two")
    assert old.content[0].text == "one"


def test_a_system_message_of_a_hook_is_sent_as_a_users(api: Loopback, client: anthropic.Anthropic) -> None:
    call = full_call()
    made, problems = messages_api.apply_request({"messages": [*SEEN, said("system", "Be kind.")]}, call)

    assert problems == [NO_SYSTEM]
    assert send(api, client, made)["messages"][-1] == user("Be kind.")


def test_a_system_message_that_the_call_had_stays_one() -> None:
    kind = {"role": "system", "content": "Be kind."}
    call = full_call(messages=[user("hi"), kind, assistant("hello"), user("so?")])
    view = messages_api.request_view(call)
    changed = [said("user", "hi"), said("system", "Be strict."), *view["messages"][2:]]
    moved = [view["messages"][0], *view["messages"][2:], view["messages"][1]]

    for wish in (changed, moved):
        assert messages_api.request_view(messages_api.apply_request({"messages": wish}, call)[0])["messages"] == wish


TEXTS = st.sampled_from(["What is this?", "Let me look.", "It rains.", "And tomorrow?", "new", "also new"])
WISHES = st.lists(st.builds(said, st.sampled_from(["user", "model"]), TEXTS), max_size=7) | st.permutations(SEEN)


@pytest.mark.req("HOOK-038", "HOOK-078")
@given(WISHES)
@settings(max_examples=300, derandomize=True, deadline=None, database=None)
def test_what_hooks_want_is_what_is_seen_afterwards(wish: list[dict[str, str]]) -> None:
    call = full_call()
    made, problems = messages_api.apply_request({**messages_api.request_view(call), "messages": wish}, call)

    assert problems == ([] if wish else [NONE_LEFT])
    assert messages_api.request_view(made)["messages"] == (wish or SEEN)
    assert call == full_call()
    ids = [block.get("id") or block.get("tool_use_id") for one in made["messages"] for block in blocks_of(one)]
    assert ids.count("toolu_1") in (0, 2)


def blocks_of(one: dict[str, Any]) -> list[dict[str, Any]]:
    return one["content"] if isinstance(one["content"], list) else []


# ---- settings


@pytest.mark.req("HOOK-038", "HOOK-072")
@pytest.mark.parametrize(
    ("name", "value", "own"),
    [
        ("temperature", 0.0, "temperature"),
        ("maxOutputTokens", 7, "max_tokens"),
        ("topP", 0.5, "top_p"),
        ("topK", 3, "top_k"),
        ("stopSequences", ["END"], "stop_sequences"),
    ],
)
def test_each_setting_goes_over_the_wire(
    api: Loopback, client: anthropic.Anthropic, name: str, value: Any, own: str
) -> None:
    call = full_call(extra_body={"top_k": 50, "service_tier": "auto"})
    view = messages_api.request_view(call)
    view["config"][name] = value
    made, problems = messages_api.apply_request(view, call)
    body = send(api, client, made)

    assert not problems
    assert body[own] == value
    assert body["service_tier"] == "auto"
    assert messages_api.request_view(made)["config"] == view["config"]
    assert call["extra_body"] == {"top_k": 50, "service_tier": "auto"}


@pytest.mark.parametrize("place", ["arguments", "extra_body"])
def test_a_setting_is_changed_and_taken_away_where_it_stands(place: str) -> None:
    sampling = {"temperature": 0.5, "top_k": 5}
    call = full_call(**(sampling if place == "arguments" else {"extra_body": sampling}))
    made, problems = messages_api.apply_request({"config": {"maxOutputTokens": 256, "temperature": 1.0}}, call)

    assert not problems
    assert (made if place == "arguments" else made["extra_body"])["temperature"] == 1.0
    assert "top_k" not in (made if place == "arguments" else made["extra_body"])
    assert ("extra_body" in made) == (place == "extra_body")


def test_what_the_api_has_no_place_for_is_said() -> None:
    call = full_call()
    config = {"presencePenalty": 1, "candidateCount": 2}
    made, problems = messages_api.apply_request({"config": config, "systemInstruction": "x", "model": 7}, call)

    assert made == call
    assert problems == [
        "systemInstruction has no place in a request",
        "model must be a name, not 7: left as it was",
        "config.presencePenalty has no place in this API",
        "config.candidateCount has no place in this API",
        "config.maxOutputTokens stays: this API takes no call without it",
    ]


def test_the_model_is_changed(api: Loopback, client: anthropic.Anthropic) -> None:
    made, problems = messages_api.apply_request({"model": "claude-other"}, full_call())

    assert not problems
    assert send(api, client, made)["model"] == "claude-other"


@pytest.mark.parametrize("wanted", [7, "text", {"role": "user"}, [7], [{"role": "user"}], [said("wizard", "x")]])
def test_messages_that_cannot_be_read_change_nothing(wanted: Any) -> None:
    call = full_call()
    made, problems = messages_api.apply_request({"messages": wanted}, call)

    assert len(problems) == 1
    assert made["messages"] is call["messages"]


# ---- tools


@pytest.mark.req("HOOK-055", "HOOK-056", "HOOK-057", "HOOK-140", "HOOK-167", "HOOK-168")
@pytest.mark.parametrize(
    ("config", "choice", "said_of_it"),
    [
        ({"mode": "AUTO"}, {"type": "auto"}, ""),
        ({"mode": "ANY"}, {"type": "any"}, ""),
        ({"mode": "NONE"}, {"type": "none"}, ""),
        ({"mode": "NONE", "allowedFunctionNames": ["clock"]}, {"type": "none"}, ""),
        ({"mode": "ANY", "allowedFunctionNames": ["clock"]}, {"type": "tool", "name": "clock"}, ""),
        ({"mode": "ANY", "allowedFunctionNames": ["clock", "absent"]}, {"type": "tool", "name": "clock"}, "'absent'"),
        ({"mode": "ANY", "allowedFunctionNames": ["clock", "weather"]}, {"type": "any"}, ""),
        ({"mode": "AUTO", "allowedFunctionNames": ["clock", "weather"]}, {"type": "auto"}, ""),
        ({"mode": "AUTO", "allowedFunctionNames": ["clock"]}, {"type": "auto"}, "cannot restrict the model to clock"),
        ({"allowedFunctionNames": ["clock"]}, {"type": "auto"}, "cannot restrict the model to clock"),
        ({"mode": "AUTO", "allowedFunctionNames": []}, {"type": "none"}, ""),
        ({"mode": "AUTO", "allowedFunctionNames": ["absent"]}, {"type": "none"}, "'absent'"),
        ({"mode": "ANY", "allowedFunctionNames": []}, {"type": "none"}, "no tool is allowed"),
    ],
)
def test_a_tool_configuration_becomes_the_tool_choice(
    api: Loopback, client: anthropic.Anthropic, config: dict[str, Any], choice: dict[str, Any], said_of_it: str
) -> None:
    call = full_call()
    before = copy.deepcopy(call)
    made, problems = messages_api.apply_tools(config, call)
    body = send(api, client, made)

    assert body["tool_choice"] == choice
    assert body["tools"] == [WEATHER, CLOCK]
    assert call == before
    assert [said_of_it in problem for problem in problems] == ([True] if said_of_it else [])


@pytest.mark.req("HOOK-056", "HOOK-140")
def test_several_of_more_tools_cannot_be_said_and_no_definition_goes() -> None:
    call = full_call(tools=[WEATHER, CLOCK, SEARCH])
    made, problems = messages_api.apply_tools({"mode": "ANY", "allowedFunctionNames": ["clock", "weather"]}, call)

    assert made["tool_choice"] == {"type": "any"}
    assert made["tools"] is call["tools"]
    assert problems == ["this API cannot restrict the model to clock, weather: it may call other tools"]


@pytest.mark.req("HOOK-055")
def test_names_without_a_mode_keep_the_calls_mode() -> None:
    call = full_call(tool_choice={"type": "any", "disable_parallel_tool_use": True})
    made, problems = messages_api.apply_tools({"allowedFunctionNames": ["clock"]}, call)

    assert not problems
    assert made["tool_choice"] == {"type": "tool", "name": "clock", "disable_parallel_tool_use": True}
    assert call["tool_choice"] == {"type": "any", "disable_parallel_tool_use": True}


def test_parallel_use_stays_as_it_was_where_there_is_a_place_for_it() -> None:
    call = full_call(tool_choice={"type": "auto", "disable_parallel_tool_use": True})

    assert messages_api.apply_tools({"mode": "AUTO"}, call)[0]["tool_choice"] is call["tool_choice"]
    assert messages_api.apply_tools({"mode": "ANY"}, call)[0]["tool_choice"]["disable_parallel_tool_use"] is True
    assert messages_api.apply_tools({"mode": "NONE"}, call)[0]["tool_choice"] == {"type": "none"}


@pytest.mark.parametrize("kind", ["enabled", "adaptive"])
def test_no_tool_is_forced_while_thinking_is_on(kind: str) -> None:
    call = full_call(thinking={"type": kind})
    made, problems = messages_api.apply_tools({"mode": "ANY", "allowedFunctionNames": ["clock"]}, call)

    assert made["tool_choice"] == {"type": "auto"}
    assert [problem.split(":")[0] for problem in problems] == [
        "this API cannot force a tool call while thinking is on",
        "this API cannot restrict the model to clock",
    ]
    assert not messages_api.apply_tools({"mode": "ANY"}, full_call(thinking={"type": "disabled"}))[1]


def test_tools_of_a_set_without_names_are_not_forced_by_name() -> None:
    made, problems = messages_api.apply_tools(
        {"mode": "ANY", "allowedFunctionNames": ["browser_click"]}, full_call(tools=[BROWSER, CLOCK])
    )

    assert made["tool_choice"] == {"type": "any"}
    assert len(problems) == 1


@pytest.mark.parametrize("config", [{}, {"mode": "SOME"}, {"allowedFunctionNames": "clock"}, {"mode": ["ANY"]}, 7])
def test_a_tool_configuration_that_says_nothing_changes_nothing(config: Any) -> None:
    call = full_call()
    made, problems = messages_api.apply_tools(config, call)

    assert made == call
    assert len(problems) == (0 if config == {} else 1)


def test_a_changed_request_may_change_the_tool_choice() -> None:
    call = full_call(tool_choice={"type": "tool", "name": "clock"})
    view = messages_api.request_view(call)

    assert messages_api.apply_request({**view, "toolConfig": {"mode": "ANY"}}, call)[0]["tool_choice"] == {
        "type": "any"
    }
    assert messages_api.apply_request({"messages": view["messages"]}, call)[0]["tool_choice"] is call["tool_choice"]


# ---- responses


@pytest.mark.req("HOOK-071", "HOOK-073", "HOOK-075")
def test_hooks_see_the_texts_of_a_response(api: Loopback, client: anthropic.Anthropic) -> None:
    api.json(answer([THOUGHT, text("Hello "), text("there."), ASK], "tool_use"))
    response = client.messages.create(**full_call())

    assert messages_api.response_view(response) == {
        "text": "Hello there.",
        "candidates": [
            {"content": {"role": "model", "parts": ["Hello ", "there."]}, "finishReason": "STOP", "index": 0}
        ],
        "usageMetadata": {"promptTokenCount": 17, "candidatesTokenCount": 20, "totalTokenCount": 37},
    }
    assert messages_api.called_tools(response) == ["weather"]


@pytest.mark.req("HOOK-073")
@pytest.mark.parametrize(
    ("stop", "finish"),
    [
        *(("end_turn", "STOP"), ("stop_sequence", "STOP"), ("tool_use", "STOP"), ("max_tokens", "MAX_TOKENS")),
        *(("refusal", "SAFETY"), ("pause_turn", "OTHER"), ("model_context_window_exceeded", "OTHER"), ("new", "OTHER")),
    ],
)
def test_every_stop_reason_has_its_finish_reason(stop: str, finish: str) -> None:
    view = messages_api.response_view(message([text("x")], stop))

    assert view["candidates"][0]["finishReason"] == finish
    rebuilt = messages_api.build_response(view, full_call(), message([text("x")], stop))
    assert rebuilt.stop_reason == ("end_turn" if stop == "tool_use" else stop)


def test_tools_that_the_api_ran_itself_are_not_called_by_the_response() -> None:
    ran = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x"}}

    assert messages_api.called_tools(message([ran, ASK, {**ASK, "name": "clock"}])) == ["weather", "clock"]


@pytest.mark.req("HOOK-079")
def test_a_response_is_rebuilt_from_its_text_alone() -> None:
    base = message([THOUGHT, text("My key is 123."), ASK], "tool_use")
    view = messages_api.response_view(base)
    view["candidates"][0]["content"]["parts"] = ["My key is ***."]
    made = messages_api.build_response(view, full_call(), base)

    assert isinstance(made, Message)
    assert [(type(block), block.text) for block in made.content] == [(TextBlock, "My key is ***.")]
    assert (made.id, made.model, made.stop_reason) == ("msg_1", MODEL, "end_turn")
    assert made.usage == base.usage
    assert len(base.content) == 3


@pytest.mark.req("HOOK-079")
def test_what_a_hook_took_out_of_the_text_does_not_come_back_from_the_parts() -> None:
    base = message([text("My key is 123.")])
    view = messages_api.response_view(base)

    for words in ("My key is ***.", ""):
        made = messages_api.build_response({**view, "text": words}, full_call(), base)
        assert messages_api.response_view(made)["text"] == words


@pytest.mark.req("HOOK-202")
@pytest.mark.parametrize("view", [{}, {"candidates": []}, {"text": ""}, {"candidates": [{}]}])
@pytest.mark.parametrize("base", [None, message([text("x"), ASK])])
def test_an_empty_view_is_a_response_without_content(view: dict[str, Any], base: Any) -> None:
    made = messages_api.build_response(view, full_call(), base)

    assert isinstance(made, Message)
    assert made.content == []
    assert made.stop_reason == "end_turn"
    Message.model_validate(made.to_dict())


@pytest.mark.req("HOOK-079")
def test_a_response_without_a_base_is_a_valid_one() -> None:
    view = {"candidates": [{"content": {"parts": ["No", {"text": "."}]}, "finishReason": "SAFETY"}]}
    made = messages_api.build_response(view, full_call())

    assert Message.model_validate(made.to_dict()).stop_reason == "refusal"
    assert made.model == MODEL
    assert made.id.startswith("msg_")
    assert messages_api.response_view(made)["text"] == "No."
    assert messages_api.build_response({"text": "plain"}, {}).content[0].text == "plain"


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3) | st.just("\ud800"),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["content", "parts", "text", "finishReason", "role"]), inner, max_size=3)
    ),
    max_leaves=6,
)
VIEWS = st.dictionaries(st.sampled_from(["candidates", "text", "usageMetadata", "x"]), JUNK, max_size=3)


@given(VIEWS | JUNK, st.sampled_from([None, message([text("x"), ASK])]))
@settings(max_examples=300, derandomize=True, deadline=None, database=None)
def test_whatever_a_hook_sends_as_a_response_there_is_one(view: Any, base: Any) -> None:
    made = messages_api.build_response(view, full_call(), base)

    assert all(isinstance(block.text, str) for block in made.content)
    assert messages_api.response_view(made)["candidates"][0]["finishReason"]


REQUESTS = st.dictionaries(st.sampled_from(["model", "messages", "config", "toolConfig", "x"]), JUNK, max_size=4)


@given(REQUESTS)
@settings(max_examples=300, derandomize=True, deadline=None, database=None)
def test_whatever_a_hook_sends_as_a_request_the_call_stays_one(view: Any) -> None:
    call = full_call()
    made, _ = messages_api.apply_request(view, call)

    assert call == full_call()
    assert made["system"] is call["system"]
    assert made["tools"] is call["tools"]
    assert made["max_tokens"]


# ---- streams


def test_a_collected_stream_is_the_response_of_a_plain_call(api: Loopback, client: anthropic.Anthropic) -> None:
    api.json(WHOLE)
    plain = client.messages.create(**full_call())
    api.events(*data(*EVENTS))
    collector = messages_api.collector()
    for event in client.messages.create(**full_call(), stream=True):
        assert collector.response() is None
        collector.add(event)
    collected = collector.response()

    assert type(collected) is Message
    assert collected == plain
    assert [type(block) for block in collected.content] == [type(block) for block in plain.content]
    assert collected.to_dict() == WHOLE
    assert messages_api.called_tools(collected) == ["weather", "clock"]
    assert api.last["stream"] is True


def test_asynchronous_clients_are_served_as_well(api: Loopback) -> None:
    async def run() -> tuple[Any, Any]:
        async with anthropic.AsyncAnthropic(api_key="dummy", base_url=api.url, max_retries=0) as client:
            call, _ = messages_api.apply_request({"messages": [*SEEN, said("user", "Now.")]}, full_call())
            plain = await client.messages.create(**call)
            collector = messages_api.collector()
            async for event in await client.messages.create(**call, stream=True):
                collector.add(event)
            return plain, collector.response()

    api.json(WHOLE)
    api.events(*data(*EVENTS))
    plain, collected = asyncio.run(run())

    assert collected == plain
    assert [body["messages"][-1] for _, body in api.requests] == [user("Now."), user("Now.")]


def test_the_events_of_the_sdks_stream_helper_add_up_too(api: Loopback, client: anthropic.Anthropic) -> None:
    api.events(*data(*EVENTS))
    collector = messages_api.collector()
    with client.messages.stream(**full_call()) as stream:
        for event in stream:
            collector.add(event)

    assert collector.response().to_dict() == WHOLE


@pytest.mark.parametrize("count", range(len(EVENTS)))
def test_a_stream_that_stops_early_is_no_response(count: int) -> None:
    collector = messages_api.collector()
    for event in EVENTS[:count]:
        collector.add(event)

    assert collector.response() is None


@pytest.mark.parametrize("cut", [True, False])
def test_a_stream_that_breaks_off_is_no_response(api: Loopback, client: anthropic.Anthropic, cut: bool) -> None:
    api.events(*data(*EVENTS[:9]), cut=cut)
    collector = messages_api.collector()
    try:
        for event in client.messages.create(**full_call(), stream=True):
            collector.add(event)
        broken = False
    except Exception:
        broken = True

    assert broken == cut
    assert collector.response() is None


def test_totals_at_the_end_replace_those_at_the_start_unless_they_are_none() -> None:
    end = {"type": "message_delta", "delta": {"stop_reason": "end_turn", "container": None}}
    usage = {"output_tokens": 5, "input_tokens": 99, "cache_read_input_tokens": None}
    container = {"id": "c1", "expires_at": "2030-01-01T00:00:00Z"}
    collector = messages_api.collector()
    for event in (
        {"type": "message_start", "message": {**START, "container": container}},
        {**end, "usage": usage},
        EVENTS[-1],
    ):
        collector.add(event)
    made = collector.response()

    assert (made.usage.output_tokens, made.usage.input_tokens, made.usage.cache_read_input_tokens) == (5, 99, 4)
    assert made.container.id == "c1"


@pytest.mark.parametrize(
    ("parts", "read"),
    [
        (['{"city": "Oslo", "days": [1, '], {"city": "Oslo", "days": [1]}),
        (["", ""], {}),
        (["]"], {}),
        (['{"a": ', "[1, 2]}"], {"a": [1, 2]}),
        (['{"a": "\ud800"}'], {}),
    ],
)
def test_a_tools_input_is_read_as_far_as_it_goes(parts: list[str], read: dict[str, Any]) -> None:
    collector = messages_api.collector()
    for event in (
        EVENTS[0],
        begun(0, {**ASK, "input": {}}),
        *(delta(0, "input_json_delta", partial_json=part) for part in parts),
        *(ended(0), delta(0, "delta_of_tomorrow"), {"type": "event_of_tomorrow"}, *EVENTS[-2:]),
    ):
        collector.add(event)

    assert collector.response().content[0].input == read


@pytest.mark.parametrize(
    "content",
    [
        [],
        [text("one")],
        [text("one"), text("two", citations=[CITED]), THOUGHT, ASK, RAN, RESULT],
        [{"type": "redacted_thinking", "data": "x"}, {"type": "block_of_tomorrow", "text": "?"}],
    ],
)
def test_a_response_as_events_adds_up_to_itself(
    api: Loopback, client: anthropic.Anthropic, content: list[dict[str, Any]]
) -> None:
    response = message(content, "stop_sequence", stop_sequence="END")
    events = messages_api.as_chunks(response)
    collector = messages_api.collector()
    for event in events:
        collector.add(event)
    api.events(*data(*(event.to_dict(mode="json", warnings=False) for event in events)))
    streamed = list(client.messages.create(**full_call(), stream=True))

    assert collector.response() == response
    assert [type(event) for event in streamed] == [type(event) for event in events]
    assert [event.to_dict(warnings=False) for event in streamed] == [event.to_dict(warnings=False) for event in events]
    assert events[0].message.content == []
    assert (events[0].type, events[-1].type) == ("message_start", "message_stop")


@pytest.mark.req("HOOK-202")
def test_a_synthetic_response_can_be_streamed() -> None:
    for view in ({"text": "Not today."}, {}):
        made = messages_api.build_response(view, full_call(stream=True))
        collector = messages_api.collector()
        for event in messages_api.as_chunks(made):
            collector.add(event)
        assert collector.response() == made
        assert messages_api.response_view(collector.response())["text"] == view.get("text", "")


def test_the_sdk_itself_adds_a_synthetic_stream_up(api: Loopback, client: anthropic.Anthropic) -> None:
    made = messages_api.build_response({"text": "Not today."}, full_call())
    api.events(*data(*(event.to_dict(mode="json", warnings=False) for event in messages_api.as_chunks(made))))
    with client.messages.stream(**full_call()) as stream:
        final = stream.get_final_message()

    assert final.content[0].text == "Not today."
    assert final.stop_reason == "end_turn"
