"""Model calls over the real clients of openai and anthropic: what is sent, what comes back, what hooks see."""

import asyncio
import copy
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any, NamedTuple

import anthropic
import openai
import pytest
from anthropic.types import Message
from openai.types.chat import ChatCompletion
from openai.types.responses import Response

from clients.formats.loopback import Loopback, loopback, sse
from tenterhook import Engine, Reply, Session, UsageError
from tenterhook.clients import formats

SCHEMA = {"type": "object", "properties": {}}


class Sdk(NamedTuple):
    """One client: a call with a tool's result at its end, an answer that says Hello and calls a tool."""

    format: str
    clients: tuple[Callable[..., Any], Callable[..., Any]]
    path: str
    create: Callable[[Any], Callable[..., Any]]
    helper: Callable[[Any], Callable[..., Any]]
    call: dict[str, Any]
    where: str
    answer: dict[str, Any]
    events: list[str]
    type: type
    text: Callable[[Any], str]
    one_tool: Any
    no_tool: Any


def chat() -> Sdk:
    tools = [{"type": "function", "function": {"name": name, "parameters": SCHEMA}} for name in ("read", "write")]
    asked = {"id": "c0", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    called = {**asked, "id": "c1"}
    base = {"id": "x1", "created": 1, "model": "m-1"}
    message = {"role": "assistant", "content": "Hello", "refusal": None, "tool_calls": [called]}
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "tool_calls"}
    deltas: list[tuple[dict[str, Any], str | None]] = [
        ({"role": "assistant", "content": "", "refusal": None}, None),
        ({"content": "Hel"}, None),
        ({"content": "lo"}, None),
        ({"tool_calls": [{"index": 0, **called}]}, None),
        ({}, "tool_calls"),
    ]
    chunks = [
        {
            **base,
            "object": "chat.completion.chunk",
            "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": end}],
            "usage": None,
        }
        for delta, end in deltas
    ]
    return Sdk(
        format="openai",
        clients=(openai.OpenAI, openai.AsyncOpenAI),
        path="/v1",
        create=lambda client: client.chat.completions.create,
        helper=lambda client: client.chat.completions.stream,
        call={
            "model": "m-1",
            "messages": [
                {"role": "user", "content": "look"},
                {"role": "assistant", "content": "I ask", "tool_calls": [asked]},
                {"role": "tool", "tool_call_id": "c0", "content": "secret"},
            ],
            "tools": tools,
        },
        where="messages",
        answer={**base, "object": "chat.completion", "choices": [choice], "usage": None},
        events=[*map(sse, chunks), sse("[DONE]")],
        type=ChatCompletion,
        text=lambda response: response.choices[0].message.content,
        one_tool={"type": "function", "function": {"name": "read"}},
        no_tool="none",
    )


def responses() -> Sdk:
    tools = [{"type": "function", "name": name, "parameters": SCHEMA, "strict": True} for name in ("read", "write")]
    call = {"type": "function_call", "id": "f0", "call_id": "c0", "name": "read", "arguments": "{}"}
    said = {"type": "output_text", "text": "Hello", "annotations": []}
    message = {"type": "message", "id": "m1", "role": "assistant", "status": "completed", "content": [said]}
    whole = {
        "id": "r1",
        "object": "response",
        "created_at": 1.0,
        "status": "completed",
        "model": "m-1",
        "output": [message, {**call, "call_id": "c1"}],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }
    place = {"output_index": 0, "content_index": 0, "item_id": "m1", "logprobs": []}
    events = [
        {"type": "response.created", "response": {**whole, "status": "in_progress", "output": []}},
        {"type": "response.output_text.delta", **place, "delta": "Hel"},
        {"type": "response.output_text.delta", **place, "delta": "lo"},
        {"type": "response.completed", "response": whole},
    ]
    return Sdk(
        format="openai-responses",
        clients=(openai.OpenAI, openai.AsyncOpenAI),
        path="/v1",
        create=lambda client: client.responses.create,
        helper=lambda client: client.responses.stream,
        call={
            "model": "m-1",
            "input": [
                {"role": "user", "content": "look"},
                {"role": "assistant", "content": "I ask"},
                call,
                {"type": "function_call_output", "call_id": "c0", "output": "secret"},
            ],
            "tools": tools,
        },
        where="input",
        answer=whole,
        events=[sse({**event, "sequence_number": n}, event["type"]) for n, event in enumerate(events)],
        type=Response,
        text=lambda response: response.output_text,
        one_tool={"type": "function", "name": "read"},
        no_tool="none",
    )


def messages() -> Sdk:
    tools = [{"name": name, "input_schema": SCHEMA} for name in ("read", "write")]
    use = {"type": "tool_use", "id": "c0", "name": "read", "input": {}}
    said = {"type": "text", "text": "Hello"}
    usage = {"input_tokens": 3, "output_tokens": 5}
    whole = {
        "id": "m1",
        "type": "message",
        "role": "assistant",
        "model": "m-1",
        "content": [said, {**use, "id": "c1"}],
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "usage": usage,
    }
    end = {"stop_reason": "tool_use", "stop_sequence": None}
    events = [
        {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": {**said, "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hel"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "lo"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1, "content_block": {**use, "id": "c1"}},
        {"type": "content_block_stop", "index": 1},
        {"type": "message_delta", "delta": end, "usage": {"output_tokens": 5}},
        {"type": "message_stop"},
    ]
    return Sdk(
        format="anthropic",
        clients=(anthropic.Anthropic, anthropic.AsyncAnthropic),
        path="",
        create=lambda client: client.messages.create,
        helper=lambda client: client.messages.stream,
        call={
            "model": "m-1",
            "max_tokens": 9,
            "messages": [
                {"role": "user", "content": "look"},
                {"role": "assistant", "content": [{"type": "text", "text": "I ask"}, use]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c0", "content": "secret"}]},
            ],
            "tools": tools,
        },
        where="messages",
        answer=whole,
        events=[sse(event, event["type"]) for event in events],
        type=Message,
        text=lambda response: "".join(block.text for block in response.content if block.type == "text"),
        one_tool={"type": "tool", "name": "read"},
        no_tool={"type": "none"},
    )


SDKS = {sdk.format: sdk for sdk in (chat(), responses(), messages())}
WAYS = ["plain", "stream", "async", "async stream"]
sdks = pytest.mark.parametrize("sdk", SDKS.values(), ids=SDKS.keys())
ways = pytest.mark.parametrize("way", WAYS)
streams = pytest.mark.parametrize("way", ["stream", "async stream"])


class Place(NamedTuple):
    """The server, one client of each kind, and one event loop for them all."""

    api: Loopback
    made: dict[Any, Any]
    run: Callable[[Any], Any]

    def client(self, sdk: Sdk, way: str) -> Any:
        return self.made[sdk.clients[way.startswith("async")]]

    def lay_out(self, sdk: Sdk, way: str, *, cut: bool = False) -> None:
        """The server's next answer. `cut` breaks the connection before the answer is complete."""
        if "stream" in way:
            self.api.events(*(sdk.events[:-2] if cut else sdk.events), cut=cut)
        else:
            self.api.json(sdk.answer)

    def ask(self, host: Engine | Session, sdk: Sdk, way: str, **more: Any) -> tuple[Reply, list[Any]]:
        """One call; the reply, and the chunks where it is a stream."""
        model = host.model(sdk.create(self.client(sdk, way)), format=sdk.format)
        given = {**copy.deepcopy(sdk.call), **more, **({"stream": True} if "stream" in way else {})}
        before = copy.deepcopy(given)
        try:
            if not way.startswith("async"):
                reply = model(**given)
                return reply, list(reply) if way == "stream" else []

            async def later() -> tuple[Reply, list[Any]]:
                reply = await model(**given)
                return reply, [chunk async for chunk in reply] if way == "async stream" else []

            return self.run(later())
        finally:
            assert given == before

    def asked(self, host: Engine | Session, sdk: Sdk, way: str, **more: Any) -> tuple[Reply, list[Any]]:
        self.lay_out(sdk, way)
        return self.ask(host, sdk, way, **more)

    def wire(self, sdk: Sdk) -> list[Any]:
        """The messages of the last request, as the server got them."""
        return self.api.last[sdk.where]


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    with loopback() as api, asyncio.Runner() as runner, ExitStack() as stack:
        made = {}
        for sdk in SDKS.values():
            options = {"api_key": "none", "base_url": api.url + sdk.path, "max_retries": 0}
            here, there = sdk.clients
            if here not in made:
                made[here], made[there] = stack.enter_context(here(**options)), there(**options)
                stack.callback(lambda client: runner.run(client.close()), made[there])
        yield Place(api, made, runner.run)


@pytest.fixture(autouse=True)
def _fresh(place: Place) -> None:
    place.api.requests.clear()
    place.api.replies.clear()


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine(files=False) as made:
        yield made


def on(engine: Engine, event: str, answer: Any) -> list[Any]:
    """A hook that gives this answer, or what a function makes of the event; what it was told comes in the list."""
    told: list[Any] = []

    def hook(event: Any) -> Any:
        told.append(json.loads(json.dumps({key: event.get(key) for key in ("llm_request", "llm_response")})))
        return answer(event) if callable(answer) else answer

    engine.add(event, hook, name="mine")
    return told


def collected(sdk: Sdk, chunks: list[Any]) -> Any:
    collector = formats.get(sdk.format).collector()
    for chunk in chunks:
        collector.add(chunk)
    return collector.response()


def tools_of(sdk: Sdk, response: Any) -> list[str]:
    return formats.get(sdk.format).called_tools(response)


# Before the model


@sdks
@ways
@pytest.mark.parametrize("stop", [False, True])
def test_a_hooks_own_response_stands_for_the_models_and_nothing_is_sent(place, engine, sdk, way, stop):
    end = {"stop": True, "stop_reason": "late"} if stop else {"decision": "deny", "reason": "cached"}
    on(engine, "model.before", {**end, "response": {"text": "from the cache"}})
    after = on(engine, "model.after", None)

    reply, chunks = place.ask(engine, sdk, way)

    assert place.api.requests == []
    assert type(reply.response) is sdk.type
    assert sdk.text(reply.response) == "from the cache"
    assert (reply.synthetic, reply.stop, reply.blocked) == (True, stop, not stop)
    assert (reply.stop_reason, reply.reason) == (("late", "") if stop else ("", "cached"))
    assert after == []
    if "stream" in way:
        assert sdk.text(collected(sdk, chunks)) == "from the cache"
        assert len(chunks) > 1


@sdks
@ways
@pytest.mark.parametrize("end", [{"decision": "deny", "reason": "no"}, {"stop": True, "stop_reason": "no"}])
def test_without_a_response_of_the_hooks_there_is_an_empty_one(place, engine, sdk, way, end):
    on(engine, "model.before", end)

    reply, chunks = place.ask(engine, sdk, way)

    assert place.api.requests == []
    assert type(reply.response) is sdk.type
    assert (sdk.text(reply.response), tools_of(sdk, reply.response)) == ("", [])
    if "stream" in way:
        assert not sdk.text(collected(sdk, chunks))


@sdks
@ways
def test_a_changed_request_is_the_one_that_is_sent_and_all_else_stays(place, engine, sdk, way):
    def other(event: Any) -> Any:
        first, *rest = event.llm_request["messages"]
        config = {**event.llm_request.get("config", {}), "temperature": 0}
        return {"request": {"model": "m-2", "messages": [{**first, "content": "see"}, *rest], "config": config}}

    told = on(engine, "model.before", other)

    place.asked(engine, sdk, way)

    assert told[0]["llm_request"]["messages"] == [
        {"role": "user", "content": "look"},
        {"role": "model", "content": "I ask"},
    ]
    body = place.api.last
    assert (body["model"], body["temperature"], body["tools"]) == ("m-2", 0, sdk.call["tools"])
    assert place.wire(sdk) == [{"role": "user", "content": "see"}, *sdk.call[sdk.where][1:]]


@sdks
@ways
def test_added_messages_and_then_words_for_the_model_stand_after_all_others(place, engine, sdk, way):
    def more(event: Any) -> Any:
        added = [*event.llm_request["messages"], {"role": "user", "content": "note"}]
        return {"request": {"messages": added}, "context": "it rains"}

    on(engine, "model.before", more)
    on(engine, "tools.select", {"context": "two tools"})

    reply, _ = place.asked(engine, sdk, way)

    before, added = place.wire(sdk)[: len(sdk.call[sdk.where])], place.wire(sdk)[len(sdk.call[sdk.where]) :]
    assert before == sdk.call[sdk.where]
    assert added == [
        {"role": "user", "content": "note"},
        {"role": "user", "content": '<hook name="mine" kind="context">\nit rains\n</hook>'},
        {"role": "user", "content": '<hook name="mine" kind="context">\ntwo tools\n</hook>'},
    ]
    assert reply.user_messages == ()


# The choice of tools


@sdks
@ways
@pytest.mark.parametrize(
    ("config", "allowed"),
    [({"mode": "ANY", "allowedFunctionNames": ["read"]}, {"read"}), ({"mode": "NONE"}, set())],
    ids=["one", "none"],
)
def test_the_choice_of_tools_goes_over_the_wire_and_no_definition_is_lost(place, engine, sdk, way, config, allowed):
    on(engine, "tools.select", {"tool_config": config})

    reply, _ = place.asked(engine, sdk, way)

    assert place.api.last["tool_choice"] == (sdk.one_tool if allowed else sdk.no_tool)
    assert place.api.last["tools"] == sdk.call["tools"]
    assert (reply.allowed, reply.problems) == (allowed, [])


@sdks
def test_what_the_api_cannot_say_is_said_and_a_session_sees_to_it(place, engine, sdk):
    third = {**copy.deepcopy(sdk.call["tools"][0])}
    (third.get("function") or third)["name"] = "list"
    on(engine, "tools.select", {"tool_config": {"mode": "AUTO", "allowedFunctionNames": ["list", "write"]}})
    session, ran = engine.session(), []
    read, write = (session.tool(name)(lambda name=name: ran.append(name)) for name in ("read", "write"))

    reply, _ = place.asked(session, sdk, "plain", tools=[*sdk.call["tools"], third])

    assert len(reply.problems) == (1 if sdk.format == "anthropic" else 0)
    assert session.allowed == reply.allowed == {"list", "write"}
    assert (read().error.type, write().error, ran) == ("blocked", None, ["write"])


@sdks
@ways
def test_a_stop_at_the_choice_of_tools_sends_nothing(place, engine, sdk, way):
    before = on(engine, "model.before", None)
    on(engine, "tools.select", {"stop": True, "stop_reason": "late"})

    reply, _ = place.ask(engine, sdk, way)

    assert place.api.requests == []
    assert len(before) == 1
    assert [outcome.event for outcome in reply.outcomes] == ["model.before", "tools.select"]
    assert (reply.stop, reply.stop_reason, reply.blocked, reply.synthetic) == (True, "late", False, True)
    assert (type(reply.response), sdk.text(reply.response)) == (sdk.type, "")


# After the model


@sdks
@ways
@pytest.mark.parametrize("keeps", ["nothing else", "the candidates", "the text"])
def test_a_changed_response_is_the_hosts_and_what_was_streamed_stays(place, engine, sdk, way, keeps):
    new: dict[str, Any] = {"text": "Hell[redacted]"}
    if keeps == "the text":
        new = {"candidates": [{"content": {"parts": ["Hell[redacted]"]}, "finishReason": "STOP", "index": 0}]}
    on(
        engine,
        "model.after",
        lambda event: {"response": new if keeps == "nothing else" else {**event.llm_response, **new}},
    )

    reply, chunks = place.asked(engine, sdk, way)

    assert type(reply.response) is sdk.type
    assert sdk.text(reply.response) == "Hell[redacted]"
    assert (reply.response.id, tools_of(sdk, reply.response)) == (sdk.answer["id"], [])
    if "stream" in way:
        assert sdk.text(collected(sdk, chunks)) == "Hello"


@sdks
@ways
def test_a_hook_that_says_the_same_text_again_loses_none_of_it(place, engine, sdk, way):
    on(engine, "model.after", lambda event: {"response": {"text": event.llm_response["text"]}})

    reply, _ = place.asked(engine, sdk, way)

    assert sdk.text(reply.response) == "Hello"


@sdks
@ways
def test_a_suppressed_response_is_whole_and_not_for_the_user(place, engine, sdk, way):
    on(engine, "model.after", {"suppress": True})

    reply, _ = place.asked(engine, sdk, way)

    assert reply.suppress_display
    assert (sdk.text(reply.response), tools_of(sdk, reply.response)) == ("Hello", ["read"])


@sdks
@ways
def test_a_stop_after_the_model_puts_its_reason_in_the_place_of_the_response(place, engine, sdk, way):
    on(engine, "model.after", {"stop": True, "stop_reason": "that is all"})

    reply, chunks = place.asked(engine, sdk, way)

    assert (reply.stop, reply.stop_reason, reply.synthetic) == (True, "that is all", False)
    assert (sdk.text(reply.response), tools_of(sdk, reply.response)) == ("that is all", [])
    if "stream" in way:
        assert sdk.text(collected(sdk, chunks)) == "Hello"


@sdks
@ways
def test_hooks_are_told_once_of_the_whole_response_and_of_the_request_that_was_sent(place, engine, sdk, way):
    on(engine, "model.before", {"request": {"model": "m-2"}})
    told = on(engine, "model.after", {"feedback": "well done"})

    reply, chunks = place.asked(engine, sdk, way)

    assert len(told) == 1
    assert told[0]["llm_request"]["model"] == "m-2"
    assert told[0]["llm_response"]["text"] == "Hello"
    assert told[0]["llm_response"]["candidates"][0]["finishReason"] == "STOP"
    assert ["well done" in text for text in reply.user_messages] == [True]
    if "stream" in way:
        place.lay_out(sdk, "plain")
        whole = sdk.create(place.client(sdk, "plain"))(**sdk.call)
        assert len(chunks) == len(sdk.events) - sdk.events[-1].count("[DONE]")
        assert reply.response.to_dict() == whole.to_dict()


@sdks
@pytest.mark.parametrize("way", ["plain", "async"])
def test_a_response_that_no_hook_changed_is_the_very_object_of_the_sdk(place, engine, sdk, way):
    on(engine, "model.before", {"request": {"model": "m-2"}})
    on(engine, "model.after", {"suppress": True})
    place.lay_out(sdk, way)
    create, given = sdk.create(place.client(sdk, way)), []

    async def there(**call: Any) -> Any:
        given.append(await create(**call))
        return given[0]

    def here(**call: Any) -> Any:
        given.append(create(**call))
        return given[0]

    model = engine.model(here if way == "plain" else there, format=sdk.format)
    reply = model(**sdk.call) if way == "plain" else place.run(model(**sdk.call))

    assert reply.response is given[0]


# Streams that do not come to their end


@sdks
@streams
def test_a_stream_that_the_server_cuts_is_told_to_no_hook_and_its_error_is_the_sdks(place, engine, sdk, way):
    errors = []
    told: list[Any] = []
    for hooks in (False, True):
        if hooks:
            told = on(engine, "model.after", None)
        place.lay_out(sdk, way, cut=True)
        with pytest.raises(Exception, match=r".") as caught:
            place.ask(engine, sdk, way)
        errors.append((caught.type, str(caught.value)))

    assert errors[0] == errors[1]
    assert not issubclass(errors[0][0], UsageError | AssertionError)
    assert told == []


@sdks
@streams
def test_an_answer_that_ends_too_early_is_told_to_no_hook(place, engine, sdk, way):
    told = on(engine, "model.after", None)
    place.api.events(*sdk.events[:-2])

    reply, chunks = place.ask(engine, sdk, way)

    assert len(chunks) == len(sdk.events) - 2
    assert (reply.response, told) == (None, [])
    assert ["before its response was complete" in problem for problem in reply.problems] == [True]


@sdks
@streams
@pytest.mark.parametrize("listens", [False, True])
def test_a_stream_that_is_closed_early_is_told_to_no_hook_and_gives_its_connection_back(
    place, engine, sdk, way, listens
):
    told = on(engine, "model.after", None) if listens else []
    place.lay_out(sdk, way)
    model = engine.model(sdk.create(place.client(sdk, way)), format=sdk.format)
    call = {**sdk.call, "stream": True}

    async def later() -> Any:
        async with await model(**call) as reply:
            async for _ in reply:
                break
        return reply

    def now() -> Any:
        with model(**call) as reply:
            for _ in reply:
                break
        return reply

    reply = now() if way == "stream" else place.run(later())

    assert told == []
    assert reply.source.response.is_closed


@sdks
@pytest.mark.parametrize("listens", [False, True])
def test_a_helper_that_opens_a_stream_is_refused(place, engine, sdk, listens):
    if listens:
        on(engine, "model.before", None)
    helper = sdk.helper(place.client(sdk, "plain"))

    with pytest.raises(UsageError, match="a helper that opens a stream cannot be wrapped"):
        engine.model(helper, format=sdk.format)(**sdk.call)
    assert place.api.requests == []


@sdks
@ways
def test_an_error_of_the_api_is_the_sdks_and_is_told_to_no_hook(place, engine, sdk, way):
    told = on(engine, "model.after", None)
    error = anthropic.InternalServerError if sdk.format == "anthropic" else openai.InternalServerError

    with pytest.raises(error, match="the test laid out no reply"):
        place.ask(engine, sdk, way)
    assert told == []
