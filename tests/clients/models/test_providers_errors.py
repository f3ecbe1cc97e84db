"""What goes wrong with a model is one line that says what, where and what to do, and holds no key."""

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tenterhook import UsageError
from tenterhook.clients.models import ProviderError

from .provider_apis import ANTHROPIC, CHAT, EVERY, KEY, Protocol, sse
from .provider_chosen import provider_in
from .provider_server import Api, serving

HELLO = [{"role": "user", "content": "Hello"}]


@pytest.fixture
def api() -> Iterator[Api]:
    with serving() as made:
        yield made


def ask(protocol: Protocol, url: str, **call: Any) -> list[dict[str, Any]]:
    async def asked() -> list[dict[str, Any]]:
        provider = provider_in(protocol.environ(url), protocol.model(url))
        try:
            return [chunk async for chunk in await provider.ask(**{"model": "", "messages": HELLO, **call})]
        finally:
            await provider.aclose()

    return asyncio.run(asked())


def failure(protocol: Protocol, url: str, **call: Any) -> str:
    with pytest.raises(ProviderError) as caught:
        ask(protocol, url, **call)
    text = str(caught.value)
    assert "\n" not in text
    assert KEY not in text
    assert text.startswith(protocol.model(url) + ": ")
    return text


each_protocol = pytest.mark.parametrize("protocol", EVERY, ids=lambda protocol: protocol.name)

STATUSES = [
    (401, "refused the key (HTTP 401): Wrong key [key] here; check it in the environment"),
    (404, "has no model "),
    (400, "refused the request (HTTP 400): Wrong key [key] here"),
    (429, "too many requests to "),
    (500, "failed (HTTP 500): Wrong key [key] here; try again"),
    (503, "cannot answer now (HTTP 503): Wrong key [key] here; try again later"),
]


@each_protocol
@pytest.mark.parametrize(("status", "words"), STATUSES)
def test_an_error_of_the_api_is_one_line(protocol: Protocol, status: int, words: str, api: Api) -> None:
    api.error(status, protocol.error(f"Wrong key {KEY}\nhere.", status), x_should_retry="false")

    text = failure(protocol, api.url)

    assert words in text
    assert api.url in text


def test_how_long_to_wait_is_said_where_the_api_says_it(api: Api) -> None:
    api.error(429, CHAT.error("Slow down.", 429), retry_after="7", x_should_retry="false")

    assert "Slow down; try again in 7 seconds" in failure(CHAT, api.url)


def test_an_api_that_is_busy_for_a_moment_is_asked_again(api: Api) -> None:
    api.error(503, CHAT.error("busy", 503), retry_after_ms="1")
    api.events(CHAT.stream(["Hello"]))

    assert ask(CHAT, api.url)[0] == {"text": "Hello"}
    assert len(api.requests) == 2


@each_protocol
def test_a_page_that_is_no_json_is_an_error_too(protocol: Protocol, api: Api) -> None:
    api.error(502, "<html>\n<body>Bad gateway</body></html>", x_should_retry="false")

    assert "HTTP 502" in failure(protocol, api.url)


@each_protocol
def test_a_connection_that_breaks_off_is_an_error(protocol: Protocol, api: Api) -> None:
    api.events(protocol.stream(["Hel"], finish=None), end="cut")

    assert "broke off" in failure(protocol, api.url)


@pytest.mark.parametrize("protocol", [one for one in EVERY if one is not CHAT], ids=lambda protocol: protocol.name)
@pytest.mark.parametrize("calls", [[], [("call_1", "Bash", {"command": "rm -r build"})]], ids=["text", "call"])
def test_a_stream_that_ends_too_early_is_an_error_and_no_call_of_it_runs(
    protocol: Protocol, calls: list[Any], api: Api
) -> None:
    api.events(protocol.stream(["Hel"], calls, finish=None))

    assert "broke off before the response was complete" in failure(protocol, api.url)


def test_half_a_call_never_runs_even_where_endpoints_need_not_say_that_they_are_done(api: Api) -> None:
    events = CHAT.stream([], [("call_1", "Bash", {"command": "rm -r build/cache"})], finish=None)
    api.events([*events[:-1], sse("[DONE]")])

    (last,) = ask(CHAT, api.url, tools=[{"name": "Bash"}])

    assert "tool_calls" not in last
    assert last["problems"] == ["the model called Bash with an input that is not a JSON object"]


def test_an_error_within_a_stream_is_an_error(api: Api) -> None:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    api.events([*ANTHROPIC.stream(["Hel"], finish=None), sse(error, "error")])

    assert "Overloaded" in failure(ANTHROPIC, api.url)


@each_protocol
def test_nobody_at_the_address_is_said_with_the_address(protocol: Protocol) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"

        text = failure(protocol, url)

    assert f"cannot connect to {url}" in text
    assert "check the address and the network" in text


def test_a_call_whose_input_is_no_json_is_named_and_left_out(api: Api) -> None:
    whole = CHAT.stream([], [("call_1", "Read", {"path": "x"})])
    api.events([text.replace('{\\"path', '[\\"path') for text in whole])

    (last,) = ask(CHAT, api.url, tools=[{"name": "Read"}])

    assert "tool_calls" not in last
    assert last["candidates"] == [{"finishReason": "MALFORMED_FUNCTION_CALL"}]
    assert last["problems"] == ["the model called Read with an input that is not a JSON object"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("opnai:gpt-5", "no provider 'opnai' (did you mean 'openai'?); among the known are: anthropic, "),
        ("openai:gpt-5", "openai: set OPENAI_API_KEY in the environment"),
        ("anthropic:claude", "anthropic: set ANTHROPIC_API_KEY in the environment"),
        ("google:gemini", "google: set GOOGLE_API_KEY in the environment"),
        ("groq:llama", "groq needs a package: pip install "),
        ("claude", "a model is named PROVIDER:NAME"),
        ("openai:", "a model is named PROVIDER:NAME"),
        (":gpt", "a model is named PROVIDER:NAME"),
        ("", "a model is named PROVIDER:NAME"),
        ("@http://127.0.0.1/v1", "the model's name is missing: NAME@http://127.0.0.1/v1"),
        ("m@http://me:pa55word@[::1/v1", "this URL cannot be used"),
    ],
)
def test_a_name_that_cannot_work_is_refused_at_once(name: str, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        provider_in({}, name)

    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "pa55word" not in str(caught.value)


def test_a_missing_package_is_said_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydantic_ai.direct", None)

    with pytest.raises(UsageError, match=r"pip install 'tenterhook\[agent\]'"):
        provider_in({"OPENAI_API_KEY": KEY}, "openai:gpt-5")


def test_a_missing_sdk_of_an_endpoint_is_said_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydantic_ai.providers.openai_compatible", None)

    with pytest.raises(UsageError, match=r"pip install 'tenterhook\[agent\]'"):
        provider_in({}, "m@http://127.0.0.1:1/v1")


def test_the_environment_that_is_given_counts_and_the_processes_own_stays_as_it_is(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "another-key")
    before = dict(os.environ)
    api.events(CHAT.stream(["Hello"]))

    ask(CHAT, api.url)

    assert api.requests[-1].headers["authorization"] == f"Bearer {KEY}"
    assert dict(os.environ) == before


def test_a_local_server_needs_no_key_and_gets_none_of_ours(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    api.events(CHAT.stream(["Hello"]))

    ask(CHAT._replace(environ=lambda url: {}), api.url)

    assert KEY not in api.requests[-1].headers["authorization"]


def test_user_and_password_of_an_address_are_not_shown() -> None:
    provider = provider_in({}, "qwen3:8b@http://me:pa55word@127.0.0.1:1/v1?key=x")

    assert provider.name == "qwen3:8b@http://127.0.0.1:1/v1"
    assert provider.model == "qwen3:8b"


def test_the_library_is_imported_when_a_provider_is_made_and_not_before() -> None:
    code = "import sys, tenterhook.clients.models, tenterhook.clients.mcp; print({'pydantic', 'mcp'} & {*sys.modules})"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)

    assert done.stdout == "set()\n"
