"""engine.client: the SDKs' own clients, with hooks inside, against a server on the loopback."""

import asyncio
import gc
import logging
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import anthropic
import openai
import pytest
from google import genai
from google.genai import types as T  # noqa: N812

from clients.formats.genai_api import client as google_client
from clients.formats.loopback import Loopback, loopback
from clients.formats.test_alike import completion, message, response
from clients.models.provider_apis import anthropic_stream, chat_stream, google_stream, responses_stream
from tenterhook import Engine, hook
from tenterhook.errors import TenterhookError, UsageError

LOOK = {"type": "function", "function": {"name": "look", "parameters": {}}}


@pytest.fixture
def api() -> Iterator[Loopback]:
    with loopback() as made:
        yield made


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine(files=False) as made:
        yield made


class Sdk(NamedTuple):
    """A client's way to ask: what it sends, what a whole response and a stream are, and their text."""

    asked: Callable[[Any], Callable[..., Any]]
    call: dict[str, Any]
    body: Callable[[str], Any]
    stream: Callable[..., list[str]]
    text: Callable[[Any], str]
    piece: Callable[[Any], str]
    streamed: Callable[[Any], Callable[..., Any]] | None = None


def google_body(text: str) -> dict[str, Any]:
    return {"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}, "finishReason": "STOP"}]}


ASKED = [{"role": "user", "content": "hi"}]
SDKS = {
    "chat": Sdk(
        lambda client: client.chat.completions.create,
        {"model": "m", "messages": ASKED},
        completion,
        chat_stream,
        lambda whole: whole.choices[0].message.content,
        lambda chunk: (chunk.choices[0].delta.content or "") if chunk.choices else "",
    ),
    "responses": Sdk(
        lambda client: client.responses.create,
        {"model": "m", "input": "hi"},
        response,
        responses_stream,
        lambda whole: whole.output_text,
        lambda event: event.delta if event.type == "response.output_text.delta" else "",
    ),
    "messages": Sdk(
        lambda client: client.messages.create,
        {"model": "m", "max_tokens": 9, "messages": ASKED},
        message,
        anthropic_stream,
        lambda whole: whole.content[0].text,
        lambda event: getattr(event.delta, "text", "") if event.type == "content_block_delta" else "",
    ),
    "google": Sdk(
        lambda client: client.models.generate_content,
        {"model": "m", "contents": "hi"},
        google_body,
        google_stream,
        lambda whole: whole.text,
        lambda chunk: chunk.text or "",
        lambda client: client.models.generate_content_stream,
    ),
}
each = pytest.mark.parametrize("name", SDKS)


@pytest.fixture(params=["sync", "async"])
def asynchronous(request: pytest.FixtureRequest) -> bool:
    return bool(request.param == "async")


RUNNERS: list[asyncio.Runner] = []
OPEN: list[Any] = []


@pytest.fixture(autouse=True)
def close_clients(api: Loopback) -> Iterator[None]:
    """One event loop for all calls of a test, as a client's connections belong to one; at the end they are closed."""
    with asyncio.Runner() as runner:
        RUNNERS.append(runner)
        yield
        while OPEN:
            client = OPEN.pop()
            closing = client.aio.aclose() if isinstance(client, genai.Client) else client.close()
            if closing is not None:
                runner.run(closing)
            if isinstance(client, genai.Client):
                client.close()
        RUNNERS.pop()


def make_client(name: str, api: Loopback, asynchronous: bool) -> Any:
    OPEN.append(new_client(name, api, asynchronous))
    return OPEN[-1]


def new_client(name: str, api: Loopback, asynchronous: bool) -> Any:
    if name == "google":
        plain = {"verify": False}
        options = T.HttpOptions(base_url=api.url, client_args=plain, async_client_args=plain)
        return genai.Client(api_key="none", http_options=options)
    if name == "messages":
        kind: Any = anthropic.AsyncAnthropic if asynchronous else anthropic.Anthropic
        return kind(base_url=api.url, api_key="none", max_retries=0)
    kind = openai.AsyncOpenAI if asynchronous else openai.OpenAI
    return kind(base_url=f"{api.url}/v1", api_key="none", max_retries=0)


def ask(name: str, client: Any, asynchronous: bool, **more: Any) -> Any:
    sdk = SDKS[name]
    client = client.aio if asynchronous and name == "google" else client
    call = {**sdk.call, **more}
    if not asynchronous:
        return sdk.asked(client)(**call)

    async def wait() -> Any:
        return await sdk.asked(client)(**call)

    return RUNNERS[-1].run(wait())


def pieces(name: str, client: Any, asynchronous: bool) -> str:
    """The text of a streamed response, as a framework reads it."""
    sdk = SDKS[name]
    client = client.aio if asynchronous and name == "google" else client
    asked = (sdk.streamed or sdk.asked)(client)
    call = sdk.call if sdk.streamed else {**sdk.call, "stream": True}
    if not asynchronous:
        return "".join(map(sdk.piece, asked(**call)))

    async def read() -> str:
        return "".join([sdk.piece(chunk) async for chunk in await asked(**call)])

    return RUNNERS[-1].run(read())


@each
def test_hooks_change_the_request_and_the_response(
    api: Loopback, engine: Engine, name: str, asynchronous: bool
) -> None:
    @engine.on("model.before")
    def cold(event: Any) -> Any:
        return hook.context("Be brief.")

    @engine.on("model.after")
    def hide(event: Any) -> Any:
        return {"response": {"text": event["llm_response"]["text"].replace("4711", "[pin]")}}

    api.json(SDKS[name].body("It is 4711."))
    original = make_client(name, api, asynchronous)
    client = engine.client(original)
    answer = ask(name, client, asynchronous)

    assert isinstance(client, type(original))
    assert SDKS[name].text(answer) == "It is [pin]."
    assert "Be brief." in str(api.last)


@each
def test_a_refused_call_asks_no_model_and_answers_with_the_reason(
    api: Loopback, engine: Engine, name: str, asynchronous: bool
) -> None:
    engine.on("model.before")(lambda event: hook.deny("No model today."))
    client = engine.client(make_client(name, api, asynchronous))

    assert SDKS[name].text(ask(name, client, asynchronous)) == "No model today."
    assert pieces(name, client, asynchronous) == "No model today."
    assert api.requests == []


@each
def test_a_stream_waits_until_hooks_have_heard_it(api: Loopback, engine: Engine, name: str, asynchronous: bool) -> None:
    heard: list[str] = []

    @engine.on("model.after")
    def hide(event: Any) -> Any:
        heard.append(event["llm_response"]["text"])
        return {"response": {"text": "[hidden]"}} if "4711" in heard[-1] else None

    client = engine.client(make_client(name, api, asynchronous))
    for text in ("It is 4711.", "It is fine."):
        api.events(*SDKS[name].stream([text]))

    assert pieces(name, client, asynchronous) == "[hidden]"
    assert pieces(name, client, asynchronous) == "It is fine."
    assert heard == ["It is 4711.", "It is fine."]


@each
def test_without_hooks_a_call_is_the_sdks_own(api: Loopback, engine: Engine, name: str) -> None:
    api.json(SDKS[name].body("hi"))
    api.events(*SDKS[name].stream(["hi"]))
    client = engine.client(make_client(name, api, False))

    assert SDKS[name].text(ask(name, client, False)) == "hi"
    assert pieces(name, client, False) == "hi"


def test_a_stream_is_of_the_sdks_class_and_has_what_its_own_has(api: Loopback, engine: Engine) -> None:
    engine.on("model.after")(lambda event: None)
    api.events(*chat_stream(["hi"]))
    client = engine.client(make_client("chat", api, False))

    with client.chat.completions.create(**SDKS["chat"].call, stream=True) as stream:
        assert isinstance(stream, openai.Stream)
        assert stream.response.status_code == 200
        assert "".join(map(SDKS["chat"].piece, stream)) == "hi"


def test_a_stream_that_breaks_off_before_hooks_heard_it_is_not_given_on(api: Loopback, engine: Engine) -> None:
    engine.on("model.after")(lambda event: None)
    api.events(*chat_stream(["secret"], finish=None))
    client = engine.client(make_client("chat", api, False))

    with pytest.raises(TenterhookError, match="held back"):
        list(client.chat.completions.create(**SDKS["chat"].call, stream=True))


def test_a_stream_that_is_not_held_is_shown_and_the_log_says_what_came_late(
    api: Loopback, engine: Engine, caplog: pytest.LogCaptureFixture
) -> None:
    engine.on("model.after")(lambda event: {"response": {"text": "[hidden]"}})
    api.events(*chat_stream(["It is 4711."]))
    client = engine.client(make_client("chat", api, False), hold=False)

    with caplog.at_level(logging.WARNING):
        assert pieces("chat", client, False) == "It is 4711."
    assert "was shown while it streamed" in caplog.text


def test_a_call_of_a_tool_that_hooks_took_away_does_not_reach_the_framework(api: Loopback, engine: Engine) -> None:
    engine.on("tools.select")(lambda event: {"tool_config": {"mode": "ANY", "allowedFunctionNames": ["look"]}})
    client = engine.client(make_client("messages", api, False))
    tools = [{"name": name, "input_schema": {"type": "object"}} for name in ("look", "fly", "swim")]
    use = {"type": "tool_use", "id": "t1", "name": "fly", "input": {}}
    api.json({**message(""), "content": [use], "stop_reason": "tool_use"})
    answer = client.messages.create(**SDKS["messages"].call, tools=tools)

    assert [block.type for block in answer.content] == ["text"]
    assert answer.content[0].text == "The model called fly, which hooks do not allow in this turn"


def test_a_stop_after_the_response_leaves_no_call_to_make(api: Loopback, engine: Engine) -> None:
    engine.on("model.after")(lambda event: hook.stop("The budget is used up."))
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    body = completion("", "tool_calls")
    body["choices"][0]["message"]["tool_calls"] = [call]
    api.json(body)
    answer = engine.client(make_client("chat", api, False)).chat.completions.create(**SDKS["chat"].call, tools=[LOOK])

    assert answer.choices[0].message.tool_calls is None
    assert answer.choices[0].message.content == "The budget is used up."


@pytest.mark.parametrize(
    ("name", "asks"),
    [
        ("chat", lambda client: client.with_options(timeout=5).chat.completions.create),
        ("chat", lambda client: client.copy().chat.completions.parse),
        ("chat", lambda client: client.beta.chat.completions.parse),
        ("responses", lambda client: client.responses.parse),
        ("messages", lambda client: client.beta.messages.create),
        ("google", lambda client: lambda **call: client.chats.create(model="m").send_message("hi")),
    ],
)
def test_other_ways_to_the_same_model_have_the_hooks_too(
    api: Loopback, engine: Engine, name: str, asks: Callable[[Any], Callable[..., Any]]
) -> None:
    engine.on("model.after")(lambda event: {"response": {"text": "[hidden]"}})
    api.json(SDKS[name].body("It is 4711."))
    client = engine.client(make_client(name, api, False))

    assert SDKS[name].text(asks(client)(**SDKS[name].call)) == "[hidden]"


@pytest.mark.parametrize(
    ("name", "use"),
    [
        ("chat", lambda client: client.with_raw_response.chat),
        ("chat", lambda client: client.chat.completions.with_raw_response.create),
        ("chat", lambda client: client.chat.completions.stream(model="m", messages=[])),
        ("chat", lambda client: client.completions.create(model="m", prompt="hi")),
        ("chat", lambda client: client.realtime.connect(model="m")),
        ("messages", lambda client: client.messages.stream(model="m", messages=[], max_tokens=1)),
        ("messages", lambda client: client.beta.messages.tool_runner(model="m", messages=[], max_tokens=1, tools=[])),
        ("messages", lambda client: client.messages.batches.create(requests=[])),
        ("google", lambda client: client.aio.live.connect(model="m")),
        ("google", lambda client: client.batches.create(model="m", src=[])),
    ],
)
def test_what_hooks_could_not_hear_is_refused(
    api: Loopback, engine: Engine, name: str, use: Callable[[Any], Any]
) -> None:
    client = engine.client(make_client(name, api, False))

    with pytest.raises(UsageError, match="hooks cannot hear of calls through"):
        use(client)
    assert api.requests == []


HARMLESS = {
    "chat.completions": {"delete", "list", "messages", "retrieve", "update"},
    "responses": {"cancel", "delete", "input_items", "input_tokens", "retrieve"},
    "messages": {"count_tokens"},
    "beta.messages": {"count_tokens"},
    "models": {
        *("compute_tokens", "count_tokens", "delete", "edit_image", "embed_content", "generate_images", "get", "list"),
        *("generate_videos", "recontext_image", "segment_image", "update", "upscale_image", "vertexai"),
    },
}


@pytest.mark.parametrize(
    ("name", "path"),
    [("chat", "chat.completions"), ("chat", "responses"), ("messages", "messages"), ("messages", "beta.messages"),
     ("google", "models")],
)  # fmt: skip
def test_each_method_of_a_resource_has_hooks_or_is_refused_or_asks_no_model(
    api: Loopback, engine: Engine, name: str, path: str
) -> None:
    resource: Any = engine.client(make_client(name, api, False))
    for part in path.split("."):
        resource = getattr(resource, part)
    found = {one for one in dir(resource) if not one.startswith("_")}

    assert found - set(vars(type(resource))) == HARMLESS[path]


def test_a_client_outlives_the_one_that_it_was_made_of(api: Loopback, engine: Engine) -> None:
    api.json(google_body("hi"))
    engine.on("model.after")(lambda event: None)
    with google_client(api) as original:
        client = engine.client(original)
        engine.client(original)  # a copy that is dropped closes nothing
        gc.collect()
        assert client.models.generate_content(model="m", contents="hi").text == "hi"


def test_a_session_gives_the_next_call_what_hooks_said_after_the_last(api: Loopback, engine: Engine) -> None:
    engine.on("model.after")(lambda event: hook.context("That was too long."))
    client = engine.session().client(make_client("chat", api, False))
    for _ in range(2):
        api.json(completion("hi"))
        client.chat.completions.create(**SDKS["chat"].call)

    assert "That was too long." not in str(api.requests[0])
    assert "That was too long." in str(api.requests[1])


@pytest.mark.parametrize("wrong", [None, "gpt", object()])
def test_anything_else_is_not_a_client(engine: Engine, wrong: Any) -> None:
    with pytest.raises(UsageError, match="takes a client of openai, anthropic or google-genai"):
        engine.client(wrong)


def test_a_client_has_hooks_once(api: Loopback, engine: Engine) -> None:
    with pytest.raises(UsageError, match="has hooks already"):
        engine.client(engine.client(make_client("chat", api, False)))
