"""google-genai: responses, whole and streamed."""

import asyncio
import enum
from typing import Any

import pytest
from google.genai import types as T  # noqa: N812
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from tenterhook.clients.formats import genai

from .genai_api import ANSWER, MODEL, client
from .loopback import Loopback, sse

CALL = {"model": MODEL, "contents": "a"}
RATING = {"category": "HARM_CATEGORY_HARASSMENT", "probability": "LOW"}
USAGE = {"promptTokenCount": 7, "candidatesTokenCount": 5, "totalTokenCount": 15, "thoughtsTokenCount": 3}
COUNTED = {"promptTokenCount": 7, "candidatesTokenCount": 5, "totalTokenCount": 15}
FUNCTION_CALL = {"functionCall": {"name": "look_up", "args": {"q": "x"}}, "thoughtSignature": "c2ln"}
PARTS = [{"text": "Hm, hm.", "thought": True}, {"text": "Let me look it up."}, FUNCTION_CALL]
CITED = [{"uri": "https://a", "startIndex": 0, "endIndex": 3}, {"uri": "https://b", "startIndex": 4, "endIndex": 9}]
WHOLE = {
    "candidates": [
        {
            "content": {"role": "model", "parts": PARTS},
            "finishReason": "STOP",
            "safetyRatings": [{**RATING, "blocked": True}],
            "citationMetadata": {"citationSources": CITED},
        }
    ],
    "usageMetadata": USAGE,
    "modelVersion": MODEL,
    "responseId": "r1",
}


def chunk(*parts: dict[str, Any], usage: dict[str, Any] | None = None, **candidate: Any) -> dict[str, Any]:
    content = {"content": {"role": "model", "parts": list(parts)}} if parts else {}
    one = {**content, "index": 0, **candidate}
    return {
        "candidates": [one],
        "usageMetadata": usage or {"promptTokenCount": 7},
        "modelVersion": MODEL,
        "responseId": "r1",
    }


CHUNKS = [
    chunk({"text": "Hm, ", "thought": True}),
    chunk({"text": "hm.", "thought": True}, citationMetadata={"citationSources": CITED[:1]}),
    chunk({"text": "Let me "}, citationMetadata={"citationSources": CITED[1:]}),
    chunk({"text": "look it up."}, FUNCTION_CALL, safetyRatings=[{**RATING, "blocked": True}]),
    chunk({"text": ""}, finishReason="STOP", usage=USAGE),
]


def asked(api: Loopback, answer: dict[str, Any] = WHOLE) -> Any:
    api.json(answer)
    with client(api) as made:
        return made.models.generate_content(**CALL)


def streamed(api: Loopback, *chunks: dict[str, Any], cut: bool = False) -> Any:
    """What is collected of a stream; a cut one may raise, as it does for whoever reads it."""
    api.events(*(sse(one) for one in chunks), cut=cut)
    collected = genai.collector()
    with client(api) as made:
        try:
            for one in made.models.generate_content_stream(**CALL):
                collected.add(one)
        except Exception:
            if not cut:
                raise
    return collected.response()


def async_streamed(api: Loopback, *chunks: dict[str, Any]) -> Any:
    api.events(*(sse(one) for one in chunks))
    collected = genai.collector()

    async def go() -> None:
        with client(api) as made:
            async for one in await made.aio.models.generate_content_stream(**CALL):
                collected.add(one)
            await made.aio.aclose()

    asyncio.run(go())
    return collected.response()


def same(one: Any, other: Any) -> bool:
    hidden = {"sdk_http_response", "automatic_function_calling_history"}
    left = one.model_dump(exclude=hidden, exclude_none=True)
    right = other.model_dump(exclude=hidden, exclude_none=True)
    for candidate in (*left["candidates"], *right["candidates"]):
        candidate.setdefault("index", 0)
    return bool(left == right)


# ---- the view


@pytest.mark.req("HOOK-071", "HOOK-073", "HOOK-075", "HOOK-077")
def test_hooks_see_text_and_ratings_without_blocked(api: Loopback) -> None:
    assert genai.response_view(asked(api)) == {
        "text": "Let me look it up.",
        "candidates": [
            {
                "content": {"role": "model", "parts": ["Let me look it up."]},
                "finishReason": "STOP",
                "index": 0,
                "safetyRatings": [RATING],
            }
        ],
        "usageMetadata": COUNTED,
    }


def test_the_text_is_the_one_of_the_first_candidate() -> None:
    contents = [{"role": "model", "parts": [{"text": "a"}, {"text": "b"}]}, {"role": "model", "parts": [{"text": "c"}]}]
    response = T.GenerateContentResponse(candidates=[T.Candidate(content=one) for one in contents])

    view = genai.response_view(response)

    assert view["text"] == "ab"
    assert [(one["content"]["parts"], one["index"]) for one in view["candidates"]] == [(["a", "b"], 0), (["c"], 1)]


@pytest.mark.parametrize(
    ("own", "stable"),
    [
        *((word, word) for word in ("STOP", "MAX_TOKENS", "SAFETY", "RECITATION", "OTHER")),
        ("PROHIBITED_CONTENT", "SAFETY"),
        ("CONTINUATION", "MAX_TOKENS"),
        ("MALFORMED_FUNCTION_CALL", "OTHER"),
    ],
)
def test_reasons_are_plain_words_of_the_stable_form(own: str, stable: str) -> None:
    response = T.GenerateContentResponse(candidates=[T.Candidate(finish_reason=own)])
    view = genai.response_view(response)
    word = view["candidates"][0]["finishReason"]

    assert (word, type(word)) == (stable, str)
    assert genai.build_response(view, CALL, response).candidates[0].finish_reason == own


def test_a_refused_prompt_has_no_candidates(api: Loopback) -> None:
    response = asked(api, {"promptFeedback": {"blockReason": "SAFETY"}})

    assert genai.response_view(response) == {"text": "", "candidates": []}
    assert genai.called_tools(response) == []


def test_called_tools_are_named_in_order(api: Loopback) -> None:
    parts = [{"functionCall": {"name": name}} for name in ("b", "a", "b")]
    answer = {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}]}

    assert genai.called_tools(asked(api, answer)) == ["b", "a", "b"]
    assert genai.called_tools(asked(api)) == ["look_up"]


# ---- built ones


@pytest.mark.req("HOOK-079")
def test_a_changed_response_is_made_of_its_text_alone(api: Loopback) -> None:
    base = asked(api)
    view = genai.response_view(base)
    view["candidates"][0]["content"]["parts"] = ["No."]

    response = genai.build_response(view, CALL, base)

    assert type(response) is T.GenerateContentResponse
    assert response.text == "No."
    assert response.candidates[0].content.parts == [T.Part(text="No.")]
    assert response.candidates[0].safety_ratings == base.candidates[0].safety_ratings
    assert response.candidates[0].citation_metadata is None
    assert (response.response_id, response.model_version) == ("r1", MODEL)
    assert response.usage_metadata == base.usage_metadata
    assert genai.called_tools(base) == ["look_up"]
    assert genai.called_tools(response) == []


def test_a_response_of_nothing_but_a_view_is_whole() -> None:
    response = genai.build_response({"text": "Stopped."}, CALL)

    assert response.text == "Stopped."
    assert response.candidates[0].finish_reason is T.FinishReason.STOP
    assert response.response_id
    assert response.create_time
    assert response.model_version == MODEL
    assert response.usage_metadata.total_token_count == 0
    assert genai.response_view(response)["candidates"] == [
        {"content": {"role": "model", "parts": ["Stopped."]}, "finishReason": "STOP", "index": 0}
    ]


def test_a_view_comes_back_as_it_was_given() -> None:
    candidates = [
        {
            "content": {"role": "model", "parts": [f"{n}", "x"]},
            "finishReason": "MAX_TOKENS",
            "index": n,
            "safetyRatings": [RATING],
        }
        for n in range(2)
    ]
    view = {"text": "0x", "candidates": candidates, "usageMetadata": COUNTED}

    assert genai.response_view(genai.build_response(view, CALL)) == view


@pytest.mark.req("HOOK-202")
@pytest.mark.parametrize("view", [{}, {"candidates": []}, {"text": ""}, {"candidates": None, "text": None}])
def test_an_empty_view_is_a_response_without_output(api: Loopback, view: dict[str, Any]) -> None:
    for base in (None, asked(api)):
        response = genai.build_response(view, CALL, base)

        assert response.text is None
        assert response.function_calls is None
        assert response.candidates[0].content.parts == []


JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["content", "parts", "text", "finishReason", "index", "safetyRatings", "category"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(["text", "candidates", "usageMetadata"]), JSON))
def test_whatever_a_hook_sends_a_response_is_built(view: dict[str, Any]) -> None:
    response = genai.build_response(view, CALL)

    assert T.GenerateContentResponse.model_validate_json(response.model_dump_json()) == response


@pytest.mark.parametrize(
    "view",
    [
        {"candidates": "hi", "text": "hi"},
        {"candidates": [5, {"content": {"parts": [{"text": "hi"}, 5, None]}, "index": "x", "finishReason": 5}]},
        {"candidates": [{"content": "hi", "safetyRatings": [5, {"category": "NOISE"}, {"probability": []}]}]},
        {
            "candidates": [{"content": {"parts": "hi"}, "finishReason": "BORED"}],
            "usageMetadata": {"totalTokenCount": "x"},
        },
    ],
)
def test_what_is_usable_of_a_wrong_view_is_used(view: dict[str, Any]) -> None:
    response = genai.build_response(view, CALL)

    assert response.text == "hi"
    assert response.candidates[0].finish_reason is T.FinishReason.STOP
    assert response.candidates[0].index == 0


class Rose(BaseModel):
    red: bool


class Colour(enum.Enum):
    RED = "red"


@pytest.mark.parametrize(
    ("schema", "text", "value"),
    [
        (Rose, '{"red": true}', Rose(red=True)),
        (list[Rose], '[{"red": true}]', [Rose(red=True)]),
        (Colour, '"red"', Colour.RED),
        ({"type": "OBJECT"}, '{"red": true}', {"red": True}),
        (Rose, "not any more", None),
    ],
)
def test_a_changed_text_is_read_by_the_schema_of_the_call(schema: Any, text: str, value: Any) -> None:
    call = {**CALL, "config": {"response_schema": schema, "response_mime_type": "application/json"}}

    assert genai.build_response({"text": text}, call).parsed == value


# ---- streams


def test_a_collected_stream_is_the_response_of_a_plain_call(api: Loopback) -> None:
    whole = asked(api)

    assert same(streamed(api, *CHUNKS), whole)
    assert same(async_streamed(api, *CHUNKS), whole)
    assert len(whole.candidates[0].citation_metadata.citations) == 2
    assert genai.called_tools(streamed(api, *CHUNKS)) == ["look_up"]


def test_chunks_are_not_changed_by_collecting_them() -> None:
    chunks = [T.GenerateContentResponse(candidates=[{"content": {"parts": [{"text": text}]}}]) for text in "ab"]
    chunks[1].candidates[0].finish_reason = T.FinishReason.STOP
    collected = genai.collector()
    for one in chunks:
        collected.add(one)

    assert collected.response().text == "ab"
    assert collected.response().text == "ab"
    assert [one.text for one in chunks] == ["a", "b"]


@pytest.mark.parametrize("length", range(len(CHUNKS)))
@pytest.mark.parametrize("cut", [True, False])
def test_a_stream_that_ended_too_early_is_no_response(api: Loopback, length: int, cut: bool) -> None:
    assert streamed(api, *CHUNKS[:length], cut=cut) is None


def test_a_stream_is_complete_when_all_its_candidates_are(api: Loopback) -> None:
    first = chunk({"text": "a"}, finishReason="STOP")
    second = chunk({"text": "b"}, index=1)
    last = chunk({"text": "c"}, index=1, finishReason="MAX_TOKENS")

    assert streamed(api, first, second) is None
    view = genai.response_view(streamed(api, second, first, last))
    assert [(one["content"]["parts"], one["finishReason"]) for one in view["candidates"]] == [
        (["a"], "STOP"),
        (["bc"], "MAX_TOKENS"),
    ]


def test_a_refused_prompt_is_a_complete_stream(api: Loopback) -> None:
    response = streamed(api, {"promptFeedback": {"blockReason": "SAFETY"}, "modelVersion": MODEL})

    assert response.prompt_feedback.block_reason == "SAFETY"


def test_a_signature_stays_with_the_text_that_it_signs(api: Loopback) -> None:
    response = streamed(
        api,
        chunk({"text": "a"}),
        chunk({"text": "", "thoughtSignature": "c2ln"}),
        chunk({"text": "b"}, finishReason="STOP"),
    )

    assert response.candidates[0].content.parts == [T.Part(text="a", thought_signature=b"sig"), T.Part(text="b")]


def look_up(q: str) -> str:
    """Look up."""
    return f"{q} is a rose"


def test_where_the_sdk_calls_a_function_the_last_answer_is_the_response(api: Loopback) -> None:
    call = {**CALL, "config": {"tools": [look_up]}}
    api.events(sse(chunk(FUNCTION_CALL, finishReason="STOP")))
    api.events(
        sse({**chunk({"text": "A "}), "responseId": "r2"}),
        sse({**chunk({"text": "rose."}, finishReason="STOP"), "responseId": "r2"}),
    )
    collected = genai.collector()
    with client(api) as made:
        for one in made.models.generate_content_stream(**call):
            collected.add(one)

    assert collected.response().text == "A rose."
    assert genai.called_tools(collected.response()) == []


@pytest.mark.parametrize("view", [{}, {"text": "Stopped."}, {"candidates": [{"content": {"parts": ["a", "b"]}}]}])
def test_a_response_may_be_given_as_a_stream(view: dict[str, Any]) -> None:
    response = genai.build_response(view, CALL)
    collected = genai.collector()
    for one in genai.as_chunks(response):
        collected.add(one)

    assert collected.response().text == response.text
    assert genai.response_view(collected.response())["text"] == genai.response_view(response)["text"]


def test_a_plain_answer_may_be_given_as_a_stream(api: Loopback) -> None:
    response = asked(api, ANSWER)
    collected = genai.collector()
    for one in genai.as_chunks(response):
        collected.add(one)

    assert same(collected.response(), response)
