"""What holds for every API alike: tool configurations, texts that replace a response, `parse`, calls and results."""

from typing import Any

import anthropic
import openai
import pytest
from google.genai import types as T  # noqa: N812
from pydantic import BaseModel

import tenterhook
from tenterhook.clients import formats
from tenterhook.clients.formats.messages import NONE_LEFT
from tenterhook.errors import UsageError

from .loopback import Loopback, sse

ASKED = [{"role": "user", "content": "hi"}]
CALLS: dict[str, dict[str, Any]] = {
    "openai": {
        "messages": ASKED,
        "tools": [{"type": "function", "function": {"name": name, "parameters": {}}} for name in ("look", "fly")],
    },
    "openai-responses": {
        "input": ASKED,
        "tools": [{"type": "function", "name": name, "parameters": {}} for name in ("look", "fly")],
    },
    "anthropic": {
        "max_tokens": 9,
        "messages": ASKED,
        "tools": [{"name": name, "input_schema": {"type": "object"}} for name in ("look", "fly")],
    },
    "genai": {
        "contents": "hi",
        "config": {"tools": [{"function_declarations": [{"name": name} for name in ("look", "fly")]}]},
    },
}
each = pytest.mark.parametrize("name", CALLS)
UNKNOWN = "toolConfig allows 'swim', which is not a tool of this call"
NONE = "toolConfig.mode is ANY and no tool is allowed: the model may call none"


@each
@pytest.mark.parametrize(
    ("config", "mode", "problems"),
    [
        ({"allowedFunctionNames": []}, "NONE", []),
        ({"mode": "ANY", "allowedFunctionNames": []}, "NONE", [NONE]),
        ({"mode": "ANY", "allowedFunctionNames": ["swim"]}, "NONE", [UNKNOWN, NONE]),
        ({"mode": "ANY", "allowedFunctionNames": ["look", "swim"]}, "ANY", [UNKNOWN]),
        ({"mode": "NONE", "allowedFunctionNames": ["swim"]}, "NONE", []),
        ({"mode": "ALL"}, None, ["toolConfig.mode is 'ALL'; it may be: AUTO, ANY, NONE"]),
    ],
)
def test_a_tool_configuration_means_the_same(name: str, config: Any, mode: str | None, problems: list[str]) -> None:
    form, call = formats.get(name), {"model": "m", **CALLS[name]}

    for made, said in (form.apply_tools(config, call), form.apply_request({"toolConfig": config}, call)):
        assert form.request_view(made).get("toolConfig", {}).get("mode") == mode
        assert said == problems


@each
def test_names_stay_in_a_selection_and_go_where_a_request_no_longer_has_them(name: str) -> None:
    form = formats.get(name)
    limited, _ = form.apply_tools({"mode": "ANY", "allowedFunctionNames": ["look"]}, {"model": "m", **CALLS[name]})
    selected, problems = form.apply_tools({"mode": "AUTO"}, limited)
    changed, _ = form.apply_request({"toolConfig": {"mode": "AUTO"}}, limited)
    freed, _ = form.apply_request({"toolConfig": {}}, limited)

    if name == "anthropic":  # which cannot say it, so that is said
        assert ["to look" in problem for problem in problems] == [True]
    else:
        assert form.request_view(selected)["toolConfig"] == {"mode": "AUTO", "allowedFunctionNames": ["look"]}
    assert form.request_view(changed)["toolConfig"] == {"mode": "AUTO"}
    assert "toolConfig" not in form.request_view(freed)


@each
def test_a_call_without_tools_says_so(name: str) -> None:
    call = {key: value for key, value in CALLS[name].items() if key not in ("tools", "config")}
    form = formats.get(name)

    assert (form.has_tools(call), form.has_tools(CALLS[name])) == (False, True)
    assert form.apply_tools({"mode": "NONE"}, call) == (call, [])
    assert form.apply_tools({"mode": "ANY"}, call) == (call, ["toolConfig: this call has no tools"])


def test_tools_that_an_sdk_leaves_out_are_none() -> None:
    assert not formats.get("openai").has_tools({**CALLS["openai"], "tools": openai.omit})


@pytest.mark.parametrize(
    ("config", "allowed"),
    [({"mode": "NONE"}, []), ({"mode": "ANY"}, ["look"]), ({"allowedFunctionNames": ["look", "fly"]}, ["look"])],
)
def test_the_tools_that_are_left_are_those_that_both_hooks_leave(config: Any, allowed: list[str]) -> None:
    engine = tenterhook.Engine(files=False)
    engine.on("model.before")(lambda event: {"request": {"toolConfig": {"allowedFunctionNames": ["look"]}}})
    engine.on("tools.select")(lambda event: {"tool_config": config})
    reply = engine.model(lambda **call: {"text": ""}, format="plain")(messages=[], tools=["look", "fly"])

    assert reply.allowed == frozenset(allowed)


# ---- a text in place of a response


def completion(text: str, end: str = "stop", count: int = 1) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    choices = [{"index": n, "message": message, "finish_reason": end} for n in range(count)]
    return {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": choices}


def response(text: str) -> dict[str, Any]:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    message = {"type": "message", "id": "m1", "role": "assistant", "status": "completed", "content": content}
    fields = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "status": "completed"}
    return {"id": "r1", "object": "response", "created_at": 1, "model": "m", "output": [message], **fields}


def message(text: str, stop: str = "end_turn") -> dict[str, Any]:
    usage, content = {"input_tokens": 1, "output_tokens": 1}, [{"type": "text", "text": text}]
    kind = {"type": "message", "role": "assistant", "model": "m"}
    return {"id": "m1", **kind, "content": content, "stop_reason": stop, "stop_sequence": None, "usage": usage}


def answering(answer: Any, event: str = "model.after") -> tenterhook.Engine:
    engine = tenterhook.Engine(files=False)
    engine.on(event)(lambda event: answer)
    return engine


BASES = {
    "openai": openai.types.chat.ChatCompletion.model_validate(completion("said")),
    "openai-responses": openai.types.responses.Response.model_validate(response("said")),
    "anthropic": anthropic.types.Message.model_validate(message("said")),
}


@pytest.mark.parametrize("name", BASES)
@pytest.mark.parametrize("based", [False, True])
@pytest.mark.parametrize(
    ("view", "text"),
    [
        (None, ""),
        ([], ""),
        ({"candidates": "x", "text": "t"}, "t"),
        ({"candidates": [1, None], "text": 5}, ""),
        ({"candidates": [{"content": {"parts": [{"text": "a"}, 3, None, "b", {"text": 4}]}}]}, "ab"),
        ({"candidates": [{"content": "plain", "index": "x", "finishReason": 9}]}, "plain"),
        ({"candidates": [{"content": {"parts": "p"}, "index": True}], "usageMetadata": 4}, "p"),
        ({"candidates": [{"content": 3}], "usageMetadata": {"promptTokenCount": "x"}}, ""),
    ],
)
def test_of_a_wrong_view_what_is_usable_is_taken(name: str, based: bool, view: Any, text: str) -> None:
    form = formats.get(name)
    built = form.build_response(view, {}, BASES[name] if based else None)

    assert form.response_view(built)["text"] == text
    assert type(BASES[name]).model_validate(built.to_dict())


CUT = {"candidates": [{"content": {"parts": [{"text": "secret"}]}, "finishReason": "MAX_TOKENS"}]}


@pytest.mark.req("HOOK-046", "HOOK-079")
@pytest.mark.parametrize(
    ("name", "base"),
    [
        ("openai", openai.types.chat.ChatCompletion.model_validate(completion("secret", "length"))),
        ("anthropic", anthropic.types.Message.model_validate(message("secret", "max_tokens"))),
        ("genai", T.GenerateContentResponse.model_validate(CUT)),
        ("plain", {"text": "secret", "candidates": [{"content": {"parts": ["secret"]}, "finishReason": "MAX_TOKENS"}]}),
    ],
)
def test_a_response_that_was_cut_off_is_still_cut_off_with_another_text(name: str, base: Any) -> None:
    form = formats.get(name)
    made = answering({"response": {"text": "[gone]"}}).model(lambda **call: base, format=name)(model="m").response
    whole = form.build_response({**form.response_view(base), "text": "[gone]"}, {"model": "m"}, base)

    for one in (made, whole):
        view = form.response_view(one)
        assert (view["text"], view["candidates"][0]["finishReason"]) == ("[gone]", "MAX_TOKENS")


COUNTED = {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13}
SUMMED = {"promptTokenCount": 9, "candidatesTokenCount": 4, "totalTokenCount": 13}
DETAILS = {
    "input_tokens_details": {"cached_tokens": 8, "cache_write_tokens": 0},
    "output_tokens_details": {"reasoning_tokens": 2},
}


@pytest.mark.req("HOOK-047")
@pytest.mark.parametrize(
    ("name", "base"),
    [
        ("openai", openai.types.chat.ChatCompletion.model_validate({**completion("said"), "usage": COUNTED})),
        (
            "openai-responses",
            openai.types.responses.Response.model_validate(
                {**response("said"), "usage": {"input_tokens": 9, "output_tokens": 4, "total_tokens": 13, **DETAILS}}
            ),
        ),
        (
            "anthropic",
            anthropic.types.Message.model_validate(
                {**message("said"), "usage": {"input_tokens": 2, "cache_read_input_tokens": 7, "output_tokens": 4}}
            ),
        ),
        ("genai", T.GenerateContentResponse.model_validate({**CUT, "usageMetadata": SUMMED})),
        ("plain", {"text": "said", "candidates": [], "usageMetadata": SUMMED}),
    ],
)
def test_the_usage_of_a_response_counts_that_a_hook_put_in_place_of_the_models(name: str, base: Any) -> None:
    """One that names none, or the very counts that it was shown, leaves the model's own, details and all."""

    def replaced(**view: Any) -> Any:
        answer = {"response": {"text": "new", **view}}
        return answering(answer).model(lambda **call: base, format=name)(model="m").response

    def usage(response: Any) -> Any:
        return formats.get(name).response_view(response)["usageMetadata"]

    assert usage(base) == SUMMED
    new = {"promptTokenCount": 1, "candidatesTokenCount": 2, "totalTokenCount": 5 if name != "anthropic" else 3}
    assert usage(replaced(usageMetadata=new)) == new
    assert usage(replaced(usageMetadata={"candidatesTokenCount": 1})) == {
        "promptTokenCount": 9,
        "candidatesTokenCount": 1,
        "totalTokenCount": 10,
    }
    for kept in (replaced(), replaced(usageMetadata=SUMMED), replaced(usageMetadata={"totalTokenCount": "many"})):
        own = ("usage", "usage_metadata", "usageMetadata")
        assert [getattr(kept, key, None) for key in own] == [getattr(base, key, None) for key in own]
        assert usage(kept) == SUMMED


def test_what_a_hook_took_out_of_the_text_does_not_come_back_with_another_candidate() -> None:
    base = openai.types.chat.ChatCompletion.model_validate(completion("secret", count=2))
    form = formats.get("openai")
    made = form.build_response({**form.response_view(base), "text": "[gone]"}, {}, base)

    assert [choice.message.content for choice in made.choices] == ["[gone]"]


# ---- what the SDKs parse


class Point(BaseModel):
    x: int


def asked_for_a_point(engine: tenterhook.Engine, api: Loopback, name: str) -> Any:
    if name == "anthropic":
        with anthropic.Anthropic(base_url=api.url, api_key="none", max_retries=0) as claude:
            ask = engine.model(claude.messages.parse, format=name)
            return ask(model="m", max_tokens=9, messages=ASKED, output_format=Point).response.parsed_output
    with openai.OpenAI(base_url=api.url, api_key="none", max_retries=0) as client:
        if name == "openai":
            ask = engine.model(client.chat.completions.parse, format=name)
            return ask(model="m", messages=ASKED, response_format=Point).response.choices[0].message.parsed
        ask = engine.model(client.responses.parse, format=name)
        return ask(model="m", input="hi", text_format=Point).response.output_parsed


@pytest.mark.req("HOOK-036", "HOOK-047")
@pytest.mark.parametrize("name", ["openai", "openai-responses", "anthropic"])
@pytest.mark.parametrize(("text", "point"), [('{"x": 7}', Point(x=7)), ("no point", None)])
def test_a_text_of_a_hook_is_parsed_as_the_models_would_be(api: Loopback, name: str, text: str, point: Any) -> None:
    api.json({"openai": completion, "openai-responses": response, "anthropic": message}[name]('{"x": 1}'))
    answer = {"response": {"text": text}}

    assert asked_for_a_point(answering(answer), api, name) == point
    assert asked_for_a_point(answering({"decision": "deny", **answer}, "model.before"), api, name) == point
    assert len(api.requests) == 1


@pytest.mark.parametrize("hooks", [True, False])
def test_a_raw_response_is_refused_instead_of_shown_as_empty(api: Loopback, hooks: bool) -> None:
    api.json(completion("hi"))
    engine = answering(None) if hooks else tenterhook.Engine(files=False)
    with openai.OpenAI(base_url=api.url, api_key="none", max_retries=0) as client:
        ask = engine.model(client.chat.completions.with_raw_response.create, format="openai")
        with pytest.raises(UsageError, match="raw HTTP response"):
            ask(model="m", messages=ASKED)


def test_events_of_the_stream_helper_are_put_together(api: Loopback) -> None:
    common = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    deltas = (({"role": "assistant", "content": "hi"}, None), ({}, "stop"))
    choices = [{"index": 0, "delta": delta, "finish_reason": end} for delta, end in deltas]
    api.events(*(sse({**common, "choices": [choice]}) for choice in choices), sse("[DONE]"))

    with openai.OpenAI(base_url=api.url, api_key="none", max_retries=0) as client:

        def ask(**call: Any) -> Any:
            with client.chat.completions.stream(**call) as stream:
                yield from stream

        reply = answering({"response": {"text": "HI"}}).model(ask, format="openai")(model="m", messages=ASKED)
        assert {"chunk", "content.delta"} <= {event.type for event in reply}

    assert reply.response.choices[0].message.content == "HI"
    assert not reply.problems


# ---- calls, results and what stands between


@pytest.mark.req("HOOK-078")
@pytest.mark.parametrize("role", ["user", "model"])
def test_nothing_comes_between_a_call_and_its_result_where_both_have_a_text(role: str) -> None:
    use = {"type": "tool_use", "id": "t1", "name": "look", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "rain"}
    asked = {"role": "assistant", "content": [{"type": "text", "text": "let me look"}, use]}
    told = {"role": "user", "content": [result, {"type": "text", "text": "go on"}]}
    form, call = formats.get("anthropic"), {"messages": [*ASKED, asked, told]}
    seen = form.request_view(call)["messages"]
    wish = [*seen[:2], {"role": role, "content": "new"}, seen[2]]
    made, problems = form.apply_request({"messages": wish}, call)

    assert not problems
    assert made["messages"][1:3] == [asked, {"role": "user", "content": [result]}]
    assert form.request_view(made)["messages"] == wish


def test_nothing_comes_between_a_function_call_and_its_response() -> None:
    asked = {"role": "model", "parts": [{"text": "let me look"}, {"function_call": {"name": "look", "args": {}}}]}
    result = {"function_response": {"name": "look", "response": {"sky": "rain"}}}
    call = {"contents": [asked, {"role": "user", "parts": [result, {"text": "go on"}]}]}
    form = formats.get("genai")
    seen = form.request_view(call)["messages"]
    wish = [seen[0], {"role": "model", "content": "new"}, seen[1]]
    made, _ = form.apply_request({"messages": wish}, call)

    assert made["contents"][:2] == [asked, {"role": "user", "parts": [result]}]
    assert form.request_view(made)["messages"] == wish


@pytest.mark.req("HOOK-038", "HOOK-042")
@pytest.mark.parametrize("wish", [[], [{"role": "user", "content": ""}]])
@pytest.mark.parametrize("name", CALLS)
def test_a_request_without_messages_is_left_as_it_was_and_that_is_said(name: str, wish: list[Any]) -> None:
    made, problems = formats.get(name).apply_request({"messages": wish}, CALLS[name])

    assert (made, problems) == (CALLS[name], [NONE_LEFT])


def test_the_text_beside_an_image_is_seen_and_the_image_stays() -> None:
    image = {"type": "image", "data": "..."}
    call = {"messages": [{"role": "user", "content": [image, {"type": "text", "text": "look"}, "twice"]}]}
    form = formats.get("plain")
    made, _ = form.apply_request({"messages": [{"role": "user", "content": "see"}]}, call)

    assert form.request_view(call)["messages"] == [{"role": "user", "content": "looktwice"}]
    assert made["messages"] == [{"role": "user", "content": [image, {"type": "text", "text": "see"}]}]
