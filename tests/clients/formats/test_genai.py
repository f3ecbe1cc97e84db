"""google-genai: requests. What a hook sees of a call, and what goes over the wire after it changed something."""

import asyncio
import sys
import typing
from collections.abc import Callable
from copy import deepcopy
from enum import Enum
from typing import Any

import pytest
from google.genai import types as T  # noqa: N812
from hypothesis import given, settings
from hypothesis import strategies as st

from tenterhook.clients.formats import genai
from tenterhook.clients.formats.genai.request import NAMES
from tenterhook.clients.formats.messages import NONE_LEFT

from .genai_api import ANSWER, DELETE, LOOK_UP, MODEL, client, sent
from .loopback import Loopback

PIXEL = b"\x89PNG"


def history() -> list[T.Content]:
    """A turn with an image, a thought, a call and its result; neither of the last two has an id."""
    return [
        T.Content(
            role="user", parts=[T.Part(text="what is it?"), T.Part.from_bytes(data=PIXEL, mime_type="image/png")]
        ),
        T.Content(
            role="model",
            parts=[
                T.Part(text="It looks red, I think.", thought=True),
                T.Part(text="Let me "),
                T.Part(text="look."),
                T.Part(function_call=T.FunctionCall(name="look_up", args={"q": "red"}), thought_signature=b"sig"),
            ],
        ),
        T.Content(role="user", parts=[T.Part.from_function_response(name="look_up", response={"result": "a rose"})]),
        T.Content(role="model", parts=[T.Part(text="A rose.")]),
        T.Content(role="user", parts=[T.Part(text="thanks")]),
    ]


def objects() -> dict[str, Any]:
    config = T.GenerateContentConfig(
        system_instruction="Be brief.",
        temperature=0.5,
        stop_sequences=["END"],
        media_resolution=T.MediaResolution.MEDIA_RESOLUTION_LOW,
        safety_settings=[T.SafetySetting(category="HARM_CATEGORY_HARASSMENT", threshold="BLOCK_NONE")],
        tools=[T.Tool(function_declarations=[T.FunctionDeclaration(**LOOK_UP), T.FunctionDeclaration(**DELETE)])],
        thinking_config=T.ThinkingConfig(include_thoughts=True),
    )
    return {"model": MODEL, "contents": history(), "config": config}


def dicts(*, camel: bool) -> dict[str, Any]:
    call = objects()
    contents = [one.model_dump(exclude_none=True, by_alias=camel) for one in call["contents"]]
    return {**call, "contents": contents, "config": call["config"].model_dump(exclude_none=True, by_alias=camel)}


CALLS: dict[str, Callable[[], dict[str, Any]]] = {
    "objects": objects,
    "snake": lambda: dicts(camel=False),
    "camel": lambda: dicts(camel=True),
}
SEEN = [
    {"role": "user", "content": "what is it?"},
    {"role": "model", "content": "Let me look."},
    {"role": "model", "content": "A rose."},
    {"role": "user", "content": "thanks"},
]


def changed(call: dict[str, Any], **fields: Any) -> tuple[dict[str, Any], list[str]]:
    before = deepcopy(call)
    result = genai.apply_request({**genai.request_view(call), **fields}, call)
    assert call == before
    return result


def fine(call: dict[str, Any], **fields: Any) -> dict[str, Any]:
    result, problems = changed(call, **fields)
    assert not problems
    return result


# ---- the view


@pytest.mark.req("HOOK-071", "HOOK-072", "HOOK-075", "HOOK-076")
@pytest.mark.parametrize("make", CALLS.values(), ids=CALLS)
def test_hooks_see_the_text_of_a_call_and_its_settings(make: Callable[[], dict[str, Any]]) -> None:
    config = {"temperature": 0.5, "stopSequences": ["END"], "mediaResolution": "MEDIA_RESOLUTION_LOW"}

    assert genai.request_view(make()) == {"model": MODEL, "messages": SEEN, "config": config}


def test_hooks_see_plain_values_and_never_an_enum() -> None:
    value = genai.request_view(objects())["config"]["mediaResolution"]

    assert type(value) is str


@pytest.mark.parametrize(
    ("contents", "messages"),
    [
        ("a", [("user", "a")]),
        (T.Part(text="a"), [("user", "a")]),
        ({"text": "a"}, [("user", "a")]),
        (T.UserContent("a"), [("user", "a")]),
        ({"role": "model", "parts": [{"text": "a"}]}, [("model", "a")]),
        (["a", T.Part(text="b"), {"text": "c"}], [("user", "abc")]),
        (("a", "b"), [("user", "ab")]),
        (
            ["a", T.ModelContent("b"), "c", ["d", "e"], ["f"]],
            [("user", "a"), ("model", "b"), ("user", "c"), ("user", "de"), ("user", "f")],
        ),
        (["a", {"function_call": {"name": "f", "args": {}}}, "b"], [("user", "a"), ("user", "b")]),
        ([T.File(uri="gs://x", mime_type="image/png"), "a"], [("user", "a")]),
        ([T.Content(role="tool", parts=[T.Part(text="a")]), "b"], [("user", "b")]),
        ([T.Content(parts=[T.Part(text="a")])], [("user", "a")]),
    ],
)
def test_messages_are_the_ones_that_the_sdk_makes(contents: Any, messages: list[tuple[str, str]]) -> None:
    view = genai.request_view({"model": MODEL, "contents": contents})

    assert [(one["role"], one["content"]) for one in view["messages"]] == messages
    assert list(view) == ["model", "messages"]


def test_messages_stand_on_the_wire_as_hooks_see_them(api: Loopback) -> None:
    call = {"model": MODEL, "contents": ["a", {"text": "b"}, T.ModelContent("c"), "d", ["e", "f"], T.Part(text="g")]}

    texts = [(one["role"], "".join(part["text"] for part in one["parts"])) for one in sent(api, call)["contents"]]

    assert [(one["role"], one["content"]) for one in genai.request_view(call)["messages"]] == texts


def test_views_need_no_sdk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "google.genai.types", None)

    assert genai.request_view(dicts_without_sdk())["messages"] == [{"role": "user", "content": "a"}]
    assert genai.response_view({"candidates": ANSWER["candidates"]})["text"] == "hi"


def dicts_without_sdk() -> dict[str, Any]:
    return {"model": MODEL, "contents": [{"role": "user", "parts": [{"text": "a"}]}], "config": {"topK": 3}}


# ---- changed messages


@pytest.mark.req("HOOK-078")
@pytest.mark.parametrize("make", CALLS.values(), ids=CALLS)
def test_an_unchanged_view_gives_the_very_same_values(make: Callable[[], dict[str, Any]]) -> None:
    call = make()
    result, problems = genai.apply_request(genai.request_view(call), call)

    assert not problems
    assert result is not call
    assert all(result[key] is value for key, value in call.items())


@pytest.mark.req("HOOK-038", "HOOK-078", "HOOK-075")
@pytest.mark.parametrize("make", CALLS.values(), ids=CALLS)
def test_everything_that_hooks_do_not_see_still_goes_over_the_wire(
    api: Loopback, make: Callable[[], dict[str, Any]]
) -> None:
    plain = sent(api, make())
    messages = [{"role": "user", "content": "what was it?"}, {"role": "model", "content": "I look."}, *SEEN[2:]]

    call = make()
    result = fine(call, messages=messages, model="gemini-other")
    body = sent(api, result)

    assert api.requests[-1][0].endswith("/models/gemini-other:generateContent")
    first, second = body["contents"][:2]
    assert first["parts"] == [{"text": "what was it?"}, plain["contents"][0]["parts"][1]]
    assert [part.get("text") for part in second["parts"]] == ["It looks red, I think.", "I look.", None]
    assert second["parts"][2] == plain["contents"][1]["parts"][3]
    assert body["contents"][2:] == plain["contents"][2:]
    assert {key: value for key, value in body.items() if key != "contents"} == {
        key: value for key, value in plain.items() if key != "contents"
    }
    assert body["tools"]
    assert body["systemInstruction"]
    assert result["contents"][2] is call["contents"][2]
    assert result["config"] is call["config"]


@pytest.mark.req("HOOK-039", "HOOK-139")
def test_appended_messages_stand_after_all_others(api: Loopback) -> None:
    added = [{"role": "model", "content": "welcome"}, {"role": "user", "content": "more"}]

    body = sent(api, fine(objects(), messages=[*SEEN, *added]))

    assert len(body["contents"]) == 7
    assert body["contents"][5:] == [
        {"role": "model", "parts": [{"text": "welcome"}]},
        {"role": "user", "parts": [{"text": "more"}]},
    ]


@pytest.mark.parametrize("contents", ["a", T.Part(text="a"), {"text": "a"}, T.UserContent("a"), ["a"], ["a", "b"]])
def test_a_message_may_follow_loose_parts_without_running_into_them(api: Loopback, contents: Any) -> None:
    call = {"model": MODEL, "contents": contents}
    messages = [*genai.request_view(call)["messages"], {"role": "user", "content": "more"}]

    body = sent(api, fine(call, messages=messages))

    assert body["contents"][1] == {"role": "user", "parts": [{"text": "more"}]}


def test_a_single_text_stays_a_single_text() -> None:
    result = fine({"model": MODEL, "contents": "a"}, messages=[{"role": "user", "content": "b"}])

    assert result == {"model": MODEL, "contents": "b"}


def test_loose_parts_do_not_run_together_when_what_stood_between_them_goes(api: Loopback) -> None:
    call = {
        "model": MODEL,
        "contents": ["a", T.Part.from_bytes(data=PIXEL, mime_type="image/png"), T.ModelContent("b"), "c"],
    }
    messages = [{"role": "user", "content": "a"}, {"role": "user", "content": "c"}]

    result = fine(call, messages=messages)

    assert genai.request_view(result)["messages"] == messages
    assert [len(one["parts"]) for one in sent(api, result)["contents"]] == [2, 1]


@pytest.mark.parametrize("ids", [True, False])
def test_a_call_that_goes_takes_its_result_along(ids: bool) -> None:
    call = objects()
    if ids:
        call["contents"][1].parts[3].function_call.id = "7"
        call["contents"][2].parts[0].function_response.id = "7"

    result = fine(call, messages=[SEEN[0], *SEEN[2:]])

    assert result["contents"] == [call["contents"][0], *call["contents"][3:]]


def test_a_result_that_goes_takes_its_call_along_and_no_other() -> None:
    calls = [T.Part(function_call=T.FunctionCall(name="f", args={"n": n})) for n in range(2)]
    results = [T.Part.from_function_response(name="f", response={"n": n}) for n in range(2)]
    contents = [
        "go",
        T.Content(role="model", parts=calls),
        T.Content(role="user", parts=[results[0]]),
        T.Content(role="user", parts=[results[1], T.Part(text="both done")]),
    ]

    result = fine({"model": MODEL, "contents": contents}, messages=[{"role": "user", "content": "go"}])

    assert result["contents"] == ["go", T.Content(role="model", parts=calls[:1]), contents[2]]


def test_a_call_goes_with_its_message_when_one_of_another_role_takes_its_place(api: Loopback) -> None:
    messages = [SEEN[0], {"role": "user", "content": "look!"}, *SEEN[2:]]

    result = fine(objects(), messages=messages)
    contents = sent(api, result)["contents"]

    assert genai.request_view(result)["messages"] == messages
    assert [one["role"] for one in contents] == ["user", "user", "model", "user"]
    assert not [
        part for one in contents for part in one["parts"] if "functionCall" in part or "functionResponse" in part
    ]


def test_a_system_message_is_sent_as_the_users_and_that_is_said(api: Loopback) -> None:
    result, problems = changed(objects(), messages=[{"role": "system", "content": "be kind"}, *SEEN])

    assert len(problems) == 1
    assert sent(api, result)["contents"][0] == {"role": "user", "parts": [{"text": "be kind"}]}


@pytest.mark.parametrize(
    "messages", ["none", [1], [{"role": "user", "content": 5}], [{"role": "judge", "content": "x"}]]
)
def test_messages_that_cannot_be_read_change_nothing(messages: Any) -> None:
    call = objects()
    result, problems = changed(call, messages=messages)

    assert problems
    assert result["contents"] is call["contents"]


def test_a_call_without_any_message_is_said() -> None:
    assert changed({"model": MODEL, "contents": "a"}, messages=[]) == (
        {"model": MODEL, "contents": "a"},
        [NONE_LEFT],
    )


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["user", "model"]), st.sampled_from("abcd")), max_size=7), st.booleans())
def test_whatever_messages_a_hook_wants_are_the_ones_of_the_new_call(
    wanted: list[tuple[str, str]], loose: bool
) -> None:
    contents = (
        ["a", {"text": "b"}, T.ModelContent("c"), {"function_call": {"name": "f"}}, ["d"]] if loose else history()
    )
    call = {"model": MODEL, "contents": contents}
    messages = [{"role": role, "content": text} for role, text in wanted]

    result, problems = changed(call, messages=messages)

    left = genai.request_view(call)["messages"] if problems == [NONE_LEFT] else messages
    assert genai.request_view(result)["messages"] == left


def test_a_history_may_hold_the_sdks_own_objects(api: Loopback) -> None:
    parts = [
        {"text": "Let me see."},
        {"functionCall": {"name": "look_up", "args": {"q": "x"}}, "thoughtSignature": "c2ln"},
    ]
    api.json({**ANSWER, "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}]})
    with client(api) as made:
        first = made.models.generate_content(model=MODEL, contents="go")
    said = first.candidates[0].content
    result = T.Part.from_function_response(name="look_up", response={"result": "y"})
    call = {"model": MODEL, "contents": [T.UserContent("go"), said, T.UserContent(result)]}
    messages = [{"role": "user", "content": "go on"}, {"role": "model", "content": "Let me see."}]

    changed_call = fine(call, messages=messages)
    body = sent(api, changed_call)

    assert changed_call["contents"][1] is said
    assert body["contents"][1] == {"role": "model", "parts": parts}
    assert body["contents"][0] == {"role": "user", "parts": [{"text": "go on"}]}


def test_the_async_client_sends_the_same(api: Loopback) -> None:
    call = fine(objects(), messages=[*SEEN, {"role": "user", "content": "more"}], config={"temperature": 0.1})
    body = sent(api, call)

    async def go() -> None:
        api.json(ANSWER)
        with client(api) as made:
            await made.aio.models.generate_content(**call)
            await made.aio.aclose()

    asyncio.run(go())
    assert api.last == body


# ---- changed settings


VALUES = {
    "temperature": 0.1,
    "topP": 0.2,
    "topK": 3,
    "candidateCount": 2,
    "maxOutputTokens": 50,
    "stopSequences": ["x"],
    "presencePenalty": 0.3,
    "frequencyPenalty": 0.4,
    "seed": 4,
    "responseMimeType": "text/plain",
    "responseModalities": ["TEXT"],
    "responseLogprobs": True,
    "logprobs": 2,
    "mediaResolution": "MEDIA_RESOLUTION_LOW",
    "cachedContent": "cachedContents/1",
    "enableEnhancedCivicAnswers": True,
    "serviceTier": "flex",
    "store": True,
}
# What the SDK keeps for itself, and what the server for these tests has no place for.
NOT_SENT = {"automaticContinuation": False, "shouldReturnHttpResponse": True, "audioTimestamp": True}


@pytest.mark.req("HOOK-038", "HOOK-072")
@pytest.mark.parametrize(
    "config", [None, {}, {"top_p": 0.9}, {"topP": 0.9}, T.GenerateContentConfig(top_p=0.9)], ids=str
)
def test_each_setting_goes_over_the_wire(api: Loopback, config: Any) -> None:
    body = sent(api, fine({"model": MODEL, "contents": "a", "config": config}, config=VALUES))

    on_wire = {**body, **body["generationConfig"]}
    assert {key: on_wire.get(key) for key in VALUES} == VALUES


@pytest.mark.parametrize("key", VALUES)
def test_one_changed_setting_leaves_the_others_alone(key: str) -> None:
    before = {"temperature": 0.9, "seed": 9}
    call = {"model": MODEL, "contents": "a", "config": {**before, "system_instruction": "Be brief."}}

    result = fine(call, config={**before, key: VALUES[key]})

    assert genai.request_view(result)["config"] == {**before, key: VALUES[key]}
    assert result["config"]["system_instruction"] == "Be brief."


def test_every_scalar_setting_of_the_sdk_has_its_name() -> None:
    scalar = {name for name, field in T.GenerateContentConfig.model_fields.items() if is_scalar(field.annotation)}

    assert scalar == set(NAMES.values())
    assert {*VALUES, *NOT_SENT} == set(NAMES)


def is_scalar(annotation: Any) -> bool:
    kinds = [kind for kind in typing.get_args(annotation) if kind is not type(None)]
    return len(kinds) == 1 and (
        kinds[0] in (str, int, float, bool, list[str]) or (isinstance(kinds[0], type) and issubclass(kinds[0], Enum))
    )


@pytest.mark.parametrize("key", NOT_SENT)
def test_settings_of_the_sdk_itself_may_be_changed(key: str) -> None:
    result = fine({"model": MODEL, "contents": "a"}, config={key: NOT_SENT[key]})

    assert genai.request_view(result)["config"] == {key: NOT_SENT[key]}


@pytest.mark.parametrize("make", CALLS.values(), ids=CALLS)
def test_a_setting_that_a_hook_removes_is_gone(api: Loopback, make: Callable[[], dict[str, Any]]) -> None:
    body = sent(api, fine(make(), config={"temperature": 0.5}))

    assert body["generationConfig"] == {"temperature": 0.5, "thinkingConfig": {"include_thoughts": True}}
    assert body["safetySettings"]
    assert body["tools"]


def test_what_has_no_place_is_said() -> None:
    result, problems = changed(objects(), model=5, config={"temperature": "hot", "wit": 3, "seed": 1, "serviceTier": 5})

    assert result["model"] == MODEL
    assert genai.request_view(result)["config"] == {"temperature": 0.5, "seed": 1}
    assert problems == [
        "model must be a name, not 5",
        "config.wit has no place in this API",
        "config.temperature: google-genai does not take 'hot'",
        "config.serviceTier: google-genai does not take 5",
    ]
