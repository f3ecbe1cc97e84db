"""The real clients against real protocols on the loopback: what they send, what comes back, in one form for all."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from tenterhook import Engine

from .provider_apis import ANTHROPIC, CHAT
from .provider_chosen import HELLO, TOOLS, Chosen
from .provider_server import serving


def test_text_comes_in_chunks_and_the_last_one_has_end_and_usage(chosen: Chosen) -> None:
    chosen.api.events(chosen.protocol.stream(["Hel", "lo ", "you"]))

    *texts, last = chosen.ask()

    assert [chunk["text"] for chunk in texts] == ["Hel", "lo ", "you"]
    usage = {"promptTokenCount": 11, "candidatesTokenCount": 7, "totalTokenCount": 18}
    assert {"candidates": [{"finishReason": "STOP"}], "usageMetadata": usage} == last


def test_calls_come_whole_and_under_our_names(chosen: Chosen) -> None:
    calls = [("call_1", "Read", {"path": "a b.txt"}), ("call_2", "mcp_files_list", {})]
    chosen.api.events(chosen.protocol.stream(["I look."], calls))

    last = chosen.ask(tools=TOOLS)[-1]

    expected = [
        {"name": "Read", "input": {"path": "a b.txt"}, "id": "call_1"},
        {"name": "mcp.files.list", "input": {}, "id": "call_2"},
    ]
    assert expected == last["tool_calls"]
    assert last["candidates"] == [{"finishReason": "STOP"}]
    assert chosen.protocol.tools(chosen.api.last) == ["Read", "mcp_files_list", "Bash"]


def test_results_go_back_with_the_calls_they_belong_to(chosen: Chosen) -> None:
    chosen.api.events(chosen.protocol.stream(["Done."]))
    calls = [
        {"name": "Read", "input": {"path": "x"}, "id": "call_1"},
        {"name": "mcp.files.list", "input": {}, "id": "call_2"},
    ]
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Read x."},
        {"role": "model", "content": "I look.", "tool_calls": calls},
        {"role": "tool", "tool_call_id": "call_2", "name": "mcp.files.list", "content": "x, y"},
        {"role": "tool", "tool_call_id": "call_1", "name": "Read", "content": "It is empty."},
    ]

    chosen.ask(messages=messages, tools=TOOLS)

    expected = [
        ("system", "Be brief."),
        ("user", "Read x."),
        ("assistant", "I look."),
        ("call", ("call_1", "Read", {"path": "x"})),
        ("call", ("call_2", "mcp_files_list", {})),
        ("result", ("call_1", "It is empty.")),
        ("result", ("call_2", "x, y")),
    ]
    assert expected == chosen.sent()


EVERY = ["Read", "mcp_files_list", "Bash"]
SOME = ["mcp.files.list", "Bash"]
UNLIMITED = "toolConfig: this model cannot be limited to some tools; calls of the others are refused"
# A choice, what an API is told of it (the mode, the names that are left), and the APIs that can be told of names.
CHOICES: list[tuple[dict[str, Any] | None, str, list[str], tuple[str, ...]]] = [
    (None, "auto", EVERY, ()),
    ({"mode": "AUTO"}, "auto", EVERY, ()),
    ({"mode": "AUTO", "allowedFunctionNames": SOME}, "auto", ["mcp_files_list", "Bash"], ("responses",)),
    ({"mode": "AUTO", "allowedFunctionNames": [*SOME, "Read"]}, "auto", EVERY, ()),
    ({"mode": "ANY"}, "required", EVERY, ()),
    (
        {"mode": "ANY", "allowedFunctionNames": ["mcp.files.list"]},
        "required",
        ["mcp_files_list"],
        ("chat", "responses", "anthropic", "google"),
    ),
    ({"mode": "ANY", "allowedFunctionNames": ["Read", "Bash"]}, "required", ["Read", "Bash"], ("responses", "google")),
    ({"mode": "NONE"}, "none", EVERY, ()),
    ({"mode": "ANY", "allowedFunctionNames": []}, "none", EVERY, ()),
]


@pytest.mark.req("HOOK-055", "HOOK-056", "HOOK-057", "HOOK-168")
@pytest.mark.parametrize(("config", "mode", "names", "told"), CHOICES, ids=lambda value: str(value)[:60])
def test_the_choice_of_tools_is_said_to_the_api_and_no_definition_is_removed(
    chosen: Chosen, config: dict[str, Any] | None, mode: str, names: list[str], told: tuple[str, ...]
) -> None:
    chosen.api.events(chosen.protocol.stream(["Hello"]))

    last = chosen.ask(tools=TOOLS, toolConfig=config)[-1]

    api, limited = chosen.protocol.name, names != EVERY
    said, allowed = chosen.protocol.choice(chosen.api.last)
    assert chosen.protocol.tools(chosen.api.last) == EVERY
    assert (said, sorted(allowed)) == (mode, sorted(names if api in told else EVERY))
    assert (UNLIMITED in last.get("problems", ())) is (limited and api not in told)


@pytest.mark.parametrize(
    ("config", "mode", "problems"),
    [
        ({"mode": "ANY"}, "auto", ["toolConfig.mode is ANY, and this model cannot be made to call a tool"]),
        (
            {"mode": "AUTO", "allowedFunctionNames": ["Bash", "Rm"]},
            "auto",
            ["toolConfig allows 'Rm', which is not a tool of this call", UNLIMITED],
        ),
        ({"mode": "SOME"}, "auto", ["toolConfig.mode is 'SOME'; it may be: AUTO, ANY, NONE"]),
    ],
    ids=str,
)
def test_a_choice_that_cannot_be_said_is_left_out_and_named(
    config: dict[str, Any], mode: str, problems: list[str]
) -> None:
    """Some models refuse to be made to call a tool."""
    protocol = ANTHROPIC._replace(model=lambda url: "anthropic:claude-opus-5-5")
    with serving() as api:
        api.events(protocol.stream(["Hello"]))
        last = Chosen(protocol, api).ask(tools=TOOLS, toolConfig=config)[-1]

        assert protocol.choice(api.last)[0] == mode
    assert last["problems"] == problems


def test_a_choice_without_any_tools_is_left_out(chosen: Chosen) -> None:
    chosen.api.events(chosen.protocol.stream(["Hello"]))

    last = chosen.ask(toolConfig={"mode": "ANY"})[-1]

    assert last["problems"] == ["toolConfig: this call has no tools"]


def test_options_are_sent_and_what_no_api_has_a_place_for_is_said(chosen: Chosen) -> None:
    chosen.api.events(chosen.protocol.stream(["Hello"]))

    last = chosen.ask(config={"temperature": 0.5, "maxOutputTokens": 99, "mood": "good"})[-1]

    assert chosen.protocol.option(chosen.api.last) == {"temperature": 0.5, "most": 99}
    assert last["problems"] == ["config.mood: this model cannot be told of it"]


def test_options_that_one_api_lacks_are_sent_to_the_others_and_named_there(chosen: Chosen) -> None:
    """What the library would warn of on the user's screen is said as a problem."""
    chosen.api.events(chosen.protocol.stream(["Hello"]))

    last = chosen.ask(config={"stopSequences": ["END"], "topP": None}, mood="good")[-1]

    lacking = chosen.protocol.name == "responses"
    words = ["mood: this model cannot be told of it", "config.stopSequences: this model cannot be told of it"]
    assert last["problems"] == words[: 1 + lacking]
    assert ("END" in str(chosen.api.last)) is not lacking


def test_a_response_that_reached_its_limit_says_so(chosen: Chosen) -> None:
    chosen.api.events(chosen.protocol.stream(["Once upon a"], finish="length"))

    assert chosen.ask()[-1]["candidates"] == [{"finishReason": "MAX_TOKENS"}]


def test_another_model_of_the_same_provider_can_be_asked(chosen: Chosen) -> None:
    """A hook may change the model of a request."""
    chosen.api.events(chosen.protocol.stream(["Hello"]))

    chosen.ask(model="other-model")

    request = chosen.api.requests[-1]
    assert "other-model" in (request.body.get("model") or request.path)


def test_the_hosts_collector_makes_a_whole_response_of_it(chosen: Chosen) -> None:
    chosen.api.events(chosen.protocol.stream(["Hel", "lo"], [("call_1", "Read", {"path": "x"})]))

    async def asked() -> Any:
        with Engine(files=False) as engine:
            provider = chosen.provider()
            model = engine.session().model(provider.ask, format="plain", stream=True, collect=True)
            stream = await model(model=provider.model, messages=HELLO, tools=TOOLS)
            texts = [chunk["text"] async for chunk in stream if "text" in chunk]
            await provider.aclose()
            return texts, stream.response

    texts, response = asyncio.run(asked())

    assert texts == ["Hel", "lo"]
    assert response["text"] == "Hello"
    assert response["tool_calls"] == [{"name": "Read", "input": {"path": "x"}, "id": "call_1"}]


def left(stream: Any) -> Any:
    return stream.aclose()


async def cancelled(stream: Any) -> None:
    task = asyncio.ensure_future(anext(stream))
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.parametrize("leave", [left, cancelled])
def test_whoever_leaves_a_stream_closes_its_connection(chosen: Chosen, leave: Callable[[Any], Any]) -> None:
    chosen.api.events(chosen.protocol.stream(["Hello"], finish=None), end="held")

    async def asked() -> bool:
        provider = chosen.provider()
        stream = await provider.ask(model="", messages=HELLO)
        assert await anext(aiter(stream)) == {"text": "Hello"}
        await leave(stream)
        # Before the provider is closed: the connection must not wait for that.
        gone = await asyncio.to_thread(chosen.api.gone.wait, 30)
        await provider.aclose()
        return gone

    assert asyncio.run(asked())


def test_one_provider_answers_many_questions_at_once(chat: Chosen) -> None:
    chat.api.events(CHAT.stream(["Hello"]))

    async def asked() -> list[Any]:
        provider = chat.provider()

        async def one() -> Any:
            chunks = [chunk async for chunk in await provider.ask(model="", messages=HELLO)]
            return chunks[0]

        try:
            return await asyncio.gather(*(one() for _ in range(8)))
        finally:
            await provider.aclose()

    assert asyncio.run(asked()) == [{"text": "Hello"}] * 8


def test_a_schema_may_refer_to_its_own_definitions(chosen: Chosen) -> None:
    """Some APIs take references, for the others the library puts in what they refer to."""
    point = {"type": "object", "properties": {"latitude": {"type": "integer"}}}
    schema = {"type": "object", "properties": {"at": {"$ref": "#/$defs/Point"}}, "$defs": {"Point": point}}
    chosen.api.events(chosen.protocol.stream(["Fine."]))

    chosen.ask(tools=[{"name": "place", "description": "Place it.", "parameters": schema}])

    assert "latitude" in str(chosen.api.last["tools"])
