"""google-genai: which tools the model may call. The API takes allowed names with the modes ANY and VALIDATED alone."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from google.genai import types as T  # noqa: N812

from tenterhook.clients.formats import genai

from .genai_api import DELETE, LOOK_UP, MODEL, sent
from .loopback import Loopback

TOOLS = {"function_declarations": [LOOK_UP, DELETE]}
SEARCH = {"google_search": {}}


def in_dicts(tool_config: dict[str, Any] | None = None, **config: Any) -> dict[str, Any]:
    extra = {"tool_config": tool_config} if tool_config else {}
    return {"model": MODEL, "contents": "a", "config": {"tools": [TOOLS], "temperature": 0.5, **extra, **config}}


def in_camel(tool_config: dict[str, Any] | None = None, **config: Any) -> dict[str, Any]:
    call = in_dicts(tool_config, **config)
    return {**call, "config": T.GenerateContentConfig(**call["config"]).model_dump(by_alias=True, exclude_none=True)}


def in_objects(tool_config: dict[str, Any] | None = None, **config: Any) -> dict[str, Any]:
    call = in_dicts(tool_config, **config)
    return {**call, "config": T.GenerateContentConfig(**call["config"])}


def applied(call: dict[str, Any], config: Any) -> tuple[dict[str, Any], list[str]]:
    before = deepcopy(call)
    result = genai.apply_tools(config, call)
    assert call == before
    return result


def on_wire(api: Loopback, call: dict[str, Any]) -> dict[str, Any] | None:
    body = sent(api, call)
    assert [one["name"] for tool in body["tools"] for one in tool.get("functionDeclarations", ())] in (
        ["look_up", "delete"],
        [],
    )
    config: dict[str, Any] | None = body.get("toolConfig", {}).get("functionCallingConfig")
    return config


def standing(mode: str, *names: str) -> dict[str, Any]:
    return {"function_calling_config": {"mode": mode, **({"allowed_function_names": list(names)} if names else {})}}


ASKED = [
    ({"mode": "AUTO"}, {"mode": "AUTO"}),
    ({"mode": "ANY"}, {"mode": "ANY"}),
    ({"mode": "NONE"}, {"mode": "NONE"}),
    ({"mode": "NONE", "allowedFunctionNames": ["look_up"]}, {"mode": "NONE"}),
    ({"mode": "ANY", "allowedFunctionNames": ["look_up"]}, {"mode": "ANY", "allowedFunctionNames": ["look_up"]}),
    ({"mode": "AUTO", "allowedFunctionNames": ["look_up"]}, {"mode": "VALIDATED", "allowedFunctionNames": ["look_up"]}),
    ({"allowedFunctionNames": ["look_up"]}, {"mode": "VALIDATED", "allowedFunctionNames": ["look_up"]}),
    ({"mode": "AUTO", "allowedFunctionNames": []}, {"mode": "NONE"}),
    ({"allowedFunctionNames": []}, {"mode": "NONE"}),
]


@pytest.mark.req("HOOK-055", "HOOK-056", "HOOK-074", "HOOK-140", "HOOK-167", "HOOK-168")
@pytest.mark.parametrize("make", [in_dicts, in_camel, in_objects])
@pytest.mark.parametrize(("asked", "said"), ASKED)
def test_a_tool_configuration_goes_over_the_wire_and_no_definition_is_lost(
    api: Loopback, make: Callable[[], dict[str, Any]], asked: dict[str, Any], said: dict[str, Any]
) -> None:
    result, problems = applied(make(), asked)

    assert not problems
    assert on_wire(api, result) == said
    assert api.last["generationConfig"] == {"temperature": 0.5}


@pytest.mark.req("HOOK-056", "HOOK-057")
@pytest.mark.parametrize("make", [in_dicts, in_camel, in_objects])
@pytest.mark.parametrize(
    ("stood", "asked", "said"),
    [
        (standing("ANY"), {"allowedFunctionNames": ["look_up"]}, {"mode": "ANY", "allowedFunctionNames": ["look_up"]}),
        (standing("NONE"), {"allowedFunctionNames": ["look_up"]}, {"mode": "NONE"}),
        (standing("ANY", "look_up"), {"mode": "NONE"}, {"mode": "NONE"}),
        (standing("ANY", "look_up"), {"mode": "ANY"}, {"mode": "ANY", "allowedFunctionNames": ["look_up"]}),
        (standing("ANY", "look_up"), {"mode": "AUTO"}, {"mode": "VALIDATED", "allowedFunctionNames": ["look_up"]}),
        (standing("VALIDATED"), {"mode": "AUTO"}, {"mode": "VALIDATED"}),
        (
            standing("VALIDATED"),
            {"allowedFunctionNames": ["delete"]},
            {"mode": "VALIDATED", "allowedFunctionNames": ["delete"]},
        ),
    ],
)
def test_what_is_not_said_stays_as_the_call_has_it(
    api: Loopback,
    make: Callable[..., dict[str, Any]],
    stood: dict[str, Any],
    asked: dict[str, Any],
    said: dict[str, Any],
) -> None:
    result, problems = applied(make({**stood, "retrieval_config": {"language_code": "de"}}), asked)

    assert not problems
    assert on_wire(api, result) == said
    assert api.last["toolConfig"]["retrievalConfig"] == {"language_code": "de"}  # the SDK writes both spellings


@pytest.mark.req("HOOK-074")
@pytest.mark.parametrize("make", [in_dicts, in_camel, in_objects])
@pytest.mark.parametrize(
    ("stood", "view"),
    [
        (standing("AUTO"), {"mode": "AUTO"}),
        (standing("ANY", "look_up"), {"mode": "ANY", "allowedFunctionNames": ["look_up"]}),
        (standing("VALIDATED", "look_up"), {"mode": "AUTO", "allowedFunctionNames": ["look_up"]}),
        (standing("MODE_UNSPECIFIED"), None),
        (None, None),
    ],
)
def test_hooks_see_the_tool_configuration(make: Callable[..., dict[str, Any]], stood: Any, view: Any) -> None:
    seen = genai.request_view(make(stood)).get("toolConfig")

    assert seen == view
    assert seen is None or type(seen.get("mode")) is str


def test_a_changed_request_may_change_the_tool_configuration(api: Loopback) -> None:
    call = in_objects(standing("ANY"))
    view = {**genai.request_view(call), "toolConfig": {"mode": "AUTO", "allowedFunctionNames": ["look_up"]}}

    result, problems = genai.apply_request(view, call)

    assert not problems
    assert genai.request_view(result) == view
    assert on_wire(api, result) == {"mode": "VALIDATED", "allowedFunctionNames": ["look_up"]}


def test_a_function_that_is_not_in_the_call_cannot_be_allowed(api: Loopback) -> None:
    result, problems = applied(in_dicts(), {"mode": "ANY", "allowedFunctionNames": ["look_up", "fly"]})

    assert problems == ["toolConfig allows 'fly', which is not a tool of this call"]
    assert on_wire(api, result) == {"mode": "ANY", "allowedFunctionNames": ["look_up"]}


def test_a_call_that_must_be_made_and_cannot_be_is_not_made(api: Loopback) -> None:
    result, problems = applied(in_dicts(), {"mode": "ANY", "allowedFunctionNames": []})

    assert len(problems) == 1
    assert on_wire(api, result) == {"mode": "NONE"}


def test_what_the_api_runs_by_itself_is_not_restricted_and_that_is_said(api: Loopback) -> None:
    both, problems = applied(in_dicts(tools=[TOOLS, SEARCH]), {"mode": "NONE"})
    assert problems == ["toolConfig does not restrict what the API runs by itself: google_search"]
    assert on_wire(api, both) == {"mode": "NONE"}

    only, problems = applied(in_objects(tools=[SEARCH]), {"mode": "NONE"})
    assert problems == ["toolConfig does not restrict what the API runs by itself: google_search"]
    assert on_wire(api, only) is None  # the API refuses a configuration without a function


@pytest.mark.parametrize("config", [None, {}, {"cached_content": "cachedContents/1", "tools": [TOOLS]}])
def test_where_the_api_takes_no_configuration_none_is_sent(config: Any) -> None:
    call = {"model": MODEL, "contents": "a", "config": config}

    result, problems = applied(call, {"mode": "ANY"})

    assert len(problems) == 1
    assert result == call


@pytest.mark.parametrize("config", ["none", {"mode": "MANY"}, {"allowedFunctionNames": "look_up"}, {}])
def test_a_configuration_that_cannot_be_read_changes_nothing(config: Any) -> None:
    call = in_dicts()
    result, problems = applied(call, config)

    assert result == call
    assert bool(problems) == bool(config)


def look_up(q: str) -> str:
    """Look up."""
    return q


class Session:
    """As a session of an MCP server: what it offers is known only when it is asked."""


def test_functions_of_python_are_tools_too(api: Loopback) -> None:
    result, problems = applied(
        in_objects(tools=[look_up]), {"mode": "AUTO", "allowedFunctionNames": ["look_up", "fly"]}
    )

    assert problems == ["toolConfig allows 'fly', which is not a tool of this call"]
    assert sent(api, result)["toolConfig"]["functionCallingConfig"]["allowedFunctionNames"] == ["look_up"]


def test_names_of_tools_that_are_not_known_yet_are_allowed_as_asked() -> None:
    result, problems = genai.apply_tools({"mode": "ANY", "allowedFunctionNames": ["fly"]}, in_dicts(tools=[Session()]))

    assert not problems
    assert genai.request_view(result)["toolConfig"] == {"mode": "ANY", "allowedFunctionNames": ["fly"]}


@pytest.mark.parametrize(
    ("config", "has"),
    [(None, False), ({}, False), ({"tools": []}, False), ({"tools": [TOOLS]}, True), ({"tools": [SEARCH]}, True)],
)
def test_whether_a_call_has_tools(config: Any, has: bool) -> None:
    assert genai.has_tools({"model": MODEL, "contents": "a", "config": config}) is has
    if config is not None:
        assert genai.has_tools({"config": T.GenerateContentConfig(**config)}) is has
