"""LiteLLM's real proxy, started on the loopback before a model on the loopback, with hooks in its callback."""

# needs: openai

import json
import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import openai
import pytest

from adapters.model_server import ScriptedModel, Turn, model_server
from tenterhook import Engine
from tenterhook.errors import UsageError

# The proxy does not start without a key that its clients give.
KEY = f"sk-{secrets.token_hex(32)}"
CONFIG = """\
model_list:
  - model_name: m
    litellm_params: {{model: openai/m, api_base: "{url}/v1", api_key: k}}
  - model_name: claude
    litellm_params: {{model: anthropic/m, api_base: "{url}", api_key: k}}
litellm_settings: {{callbacks: hooks.proxy_hooks, num_retries: 0, telemetry: false}}
"""
HOOKS = """\
from tenterhook import Engine, hook
from tenterhook.adapters.litellm import ProxyHooks

engine = Engine(files=False)


def prompt(event):
    return event["llm_request"]["messages"][-1]["content"]


@engine.on("model.before")
def before(event):
    if prompt(event) == "Refuse.":
        return hook.deny("No model today.")
    if prompt(event) == "Crash.":
        raise RuntimeError("broken")
    if prompt(event) == "Canned.":
        parts = {"role": "model", "parts": ["From a hook."]}
        response = {"text": "From a hook.", "candidates": [{"content": parts, "finishReason": "STOP"}]}
        return {"decision": "deny", "reason": "canned", "response": response}
    request = event["llm_request"]
    shown = [{**one, "content": one["content"].replace("4711", "[pin]")} for one in request["messages"]]
    return {"request": {**request, "messages": shown, "config": {"temperature": 0}}}


@engine.on("tools.select")
def select(event):
    if "Narrow." in prompt(event):
        return {"tool_config": {"mode": "ANY", "allowedFunctionNames": ["lookup"]}}


@engine.on("model.after")
def after(event):
    text = event["llm_response"]["text"]
    if "secret" in text:
        return {"response": {"text": text.replace("secret", "[hidden]")}}
    if "stop" in text:
        return hook.stop("The budget is used up.")


@engine.on("tool.before", match="shell")
def no_rm(event):
    if "rm" in event["tool_input"]["command"]:
        return hook.deny("Use the bin folder.")
    return hook.rewrite(command="ls -l")


proxy_hooks = ProxyHooks(engine)
"""
TOOLS: Any = [
    {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": {}}}}
    for name in ("shell", "lookup")
]


class Proxy(NamedTuple):
    url: str
    model: ScriptedModel

    def ask(self, prompt: str, *turns: Turn, **more: Any) -> Any:
        self.model.turns[:] = turns
        self.model.requests.clear()
        with openai.OpenAI(base_url=f"{self.url}/v1", api_key=KEY, max_retries=0) as client:
            messages: Any = [{"role": "user", "content": prompt}]
            answer = client.chat.completions.create(model="m", messages=messages, **more)
            return list(answer) if more.get("stream") else answer


def text_of(answer: Any) -> str:
    if isinstance(answer, list):
        return "".join(chunk.choices[0].delta.content or "" for chunk in answer if chunk.choices)
    return answer.choices[0].message.content or ""


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    folder = tmp_path_factory.mktemp("proxy")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with model_server() as model, open(folder / "log", "w") as output:
        (folder / "config.yaml").write_text(CONFIG.format(url=model.url))
        (folder / "hooks.py").write_text(HOOKS)
        quiet = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_TELEMETRY": "False", "NO_PROXY": "127.0.0.1"}
        quiet["LITELLM_MASTER_KEY"] = KEY
        words = [str(Path(sys.executable).with_name("litellm")), "--config", "config.yaml"]
        process = subprocess.Popen(
            [*words, "--host", "127.0.0.1", "--port", str(port)],
            cwd=folder, env={**os.environ, **quiet}, stdout=output, stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            wait_for(f"http://127.0.0.1:{port}/health/liveliness", process, folder / "log")
            yield Proxy(f"http://127.0.0.1:{port}", model)
        finally:
            process.terminate()
            process.wait(20)


def wait_for(url: str, process: "subprocess.Popen[bytes]", output: Path) -> None:
    end = time.monotonic() + 90
    while time.monotonic() < end and process.poll() is None:
        try:
            urllib.request.urlopen(url, timeout=2).close()
            return
        except OSError:
            time.sleep(0.2)
    pytest.fail(f"the proxy does not run: {output.read_text()[-3000:]}")


ways = pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])


@ways
def test_a_request_is_changed_and_what_no_hook_changes_comes_back(proxy: Proxy, stream: bool) -> None:
    answer = proxy.ask("My pin is 4711.", Turn("Fine."), stream=stream)

    assert text_of(answer) == "Fine."
    assert "My pin is [pin]." in proxy.model.shown()
    assert proxy.model.requests[0].body["temperature"] == 0


@ways
@pytest.mark.parametrize(("prompt", "why"), [("Refuse.", "No model today."), ("Crash.", "broken")])
def test_a_refused_request_is_the_proxys_error_and_asks_no_model(
    proxy: Proxy, prompt: str, why: str, stream: bool
) -> None:
    with pytest.raises(openai.BadRequestError, match=why):
        proxy.ask(prompt, stream=stream)
    assert proxy.model.requests == []


@ways
def test_a_hooks_own_response_comes_without_a_model(proxy: Proxy, stream: bool) -> None:
    assert text_of(proxy.ask("Canned.", stream=stream)) == "From a hook."
    assert proxy.model.requests == []


@ways
def test_a_response_is_replaced_before_the_client_sees_any_of_it(proxy: Proxy, stream: bool) -> None:
    assert text_of(proxy.ask("Go.", Turn("It is secret."), stream=stream)) == "It is [hidden]."


@ways
def test_a_stop_after_the_response_leaves_the_reason_and_no_call(proxy: Proxy, stream: bool) -> None:
    turn = Turn("Please stop.", calls=(("a", "lookup", {"word": "w"}),))
    answer = proxy.ask("Go.", turn, tools=TOOLS, stream=stream)

    assert text_of(answer) == "The budget is used up."
    assert "lookup" not in str(answer)


@ways
def test_calls_of_tools_are_judged_and_a_refused_one_is_left_out(proxy: Proxy, stream: bool) -> None:
    calls = (("a", "shell", {"command": "ls"}), ("b", "shell", {"command": "rm x"}), ("c", "lookup", {"word": "w"}))
    answer = proxy.ask("Go.", Turn(calls=calls), tools=TOOLS, stream=stream)
    if stream:
        found = [call for chunk in answer for one in chunk.choices for call in one.delta.tool_calls or ()]
    else:
        found = answer.choices[0].message.tool_calls

    inputs = [(call.function.name, json.loads(call.function.arguments)) for call in found]
    assert inputs == [("shell", {"command": "ls -l"}), ("lookup", {"word": "w"})]
    assert "Use the bin folder." in text_of(answer)


def test_a_tool_that_hooks_took_away_cannot_be_called(proxy: Proxy) -> None:
    answer = proxy.ask("Narrow.", Turn(calls=(("a", "shell", {"command": "ls"}),)), tools=TOOLS)

    assert answer.choices[0].message.tool_calls is None
    assert "shell may not be called in this turn" in text_of(answer)


def test_what_hooks_cannot_judge_is_refused(proxy: Proxy) -> None:
    for path, body in (
        ("messages", {"model": "claude", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]}),
        ("responses", {"model": "m", "input": "hi"}),
        ("completions", {"model": "m", "prompt": "hi"}),
    ):
        proxy.model.requests.clear()
        headers = {"content-type": "application/json", "authorization": f"Bearer {KEY}"}
        request = urllib.request.Request(f"{proxy.url}/v1/{path}", json.dumps(body).encode(), headers)
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(request, timeout=30)
        assert "hooks cannot judge" in refused.value.read().decode()
        assert proxy.model.requests == []


def test_without_the_proxy_the_callback_refuses_and_a_wrapped_function_works() -> None:
    import asyncio

    import litellm

    from tenterhook.adapters.litellm import ProxyHooks

    with Engine(files=False) as engine, model_server(Turn("It is secret.")) as model:
        engine.on("model.after")(lambda event: {"response": {"text": "[hidden]"}})
        call = {"model": "openai/m", "api_base": f"{model.url}/v1", "api_key": "k"}
        call["messages"] = [{"role": "user", "content": "hi"}]
        before = litellm.callbacks
        litellm.callbacks = [ProxyHooks(engine)]
        try:
            with pytest.raises(Exception, match="ProxyHooks are for LiteLLM's proxy"):
                asyncio.run(litellm.acompletion(**call))
        finally:
            litellm.callbacks = before
        assert model.requests == []
        reply = asyncio.run(engine.model(litellm.acompletion, format="openai")(**call))
    assert reply.response.choices[0].message.content == "[hidden]"


def test_a_class_of_ones_own_is_refused_since_the_proxy_would_not_call_it() -> None:
    from tenterhook.adapters.litellm import ProxyHooks

    with pytest.raises(UsageError, match="does not call hooks that a class inherits"):
        type("Mine", (ProxyHooks,), {})
