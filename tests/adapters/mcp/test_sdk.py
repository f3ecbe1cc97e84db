"""The official SDK's client and its server, with `tenter mcp` between them: over stdio, and over HTTP."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import ElicitResult

SERVER = Path(__file__).parent / "sdk_server.py"
HOOKS = """
[[hook]]
on = "tool.before"
match = "mcp__srv__add"
command = '''python3 -c "import json,sys; e=json.load(sys.stdin); print(json.dumps(ANSWER))"'''
"""
CHANGED = "{'input': {'b': 40}}"
DENIED = "{'decision': 'deny', 'reason': 'no sums'}"
ASKED = "{'decision': 'ask', 'reason': 'sums?'}"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([sys.executable, str(SERVER), str(port)], stderr=subprocess.DEVNULL)
    until = time.monotonic() + 30
    while time.monotonic() < until:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            break
        time.sleep(0.05)
    yield f"http://127.0.0.1:{port}/mcp"
    process.kill()
    process.wait()


@pytest.fixture(params=["stdio", "http"])
def target(request: pytest.FixtureRequest) -> list[str]:
    if request.param == "http":
        return ["--url", request.getfixturevalue("url")]
    return ["--", sys.executable, str(SERVER)]


@pytest.fixture(params=["legacy", "auto"])
def mode(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def talk(folder: Path, target: list[str], mode: str, hooks: str, work: Any, **options: Any) -> Any:
    (folder / "tenterhook.toml").write_text(hooks)
    words = ["-m", "tenterhook", "mcp", "--name", "srv", "--project", str(folder), "--trust", *target]

    async def run() -> Any:
        parameters = StdioServerParameters(command=sys.executable, args=words)
        async with asyncio.timeout(60), Client(stdio_client(parameters), mode=mode, **options) as client:
            return await work(client)

    return asyncio.run(run())


def text(result: Any) -> str:
    return "\n".join(block.text for block in result.content)


async def add(client: Any) -> Any:
    return await client.call_tool("add", {"a": 2, "b": 3})


@pytest.mark.parametrize(("hooks", "expected"), [("", "5"), (HOOKS.replace("ANSWER", CHANGED), "42")])
def test_a_call_passes_and_is_rewritten(
    tmp_path: Path, target: list[str], mode: str, hooks: str, expected: str
) -> None:
    assert text(talk(tmp_path, target, mode, hooks, add)) == expected


def test_a_denied_call_is_an_error_result_with_the_reason(tmp_path: Path, target: list[str], mode: str) -> None:
    result = talk(tmp_path, target, mode, HOOKS.replace("ANSWER", DENIED), add)

    assert result.is_error
    assert "no sums" in text(result)


@pytest.mark.parametrize("action", ["accept", "decline"])
def test_a_person_is_asked_by_the_clients_own_elicitation(
    tmp_path: Path, target: list[str], mode: str, action: Any
) -> None:
    async def answer(context: Any, params: Any) -> ElicitResult:
        return ElicitResult(action=action, content={} if action == "accept" else None)

    result = talk(tmp_path, target, mode, HOOKS.replace("ANSWER", ASKED), add, elicitation_callback=answer)

    assert result.is_error is (action == "decline")
    assert ("5" in text(result)) is (action == "accept")


def test_progress_and_parallel_calls_pass_a_hook(tmp_path: Path, target: list[str], mode: str) -> None:
    told: list[float] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        told.append(done)

    async def work(client: Any) -> list[str]:
        calls = [client.call_tool("add", {"a": number, "b": 0}) for number in range(10)]
        results = await asyncio.gather(*calls, client.call_tool("steps", {}, progress_callback=progress))
        return [text(one) for one in results]

    hooks = HOOKS.replace("ANSWER", "{}")

    assert talk(tmp_path, target, mode, hooks, work) == [*map(str, range(10)), "done"]
    assert told == [0, 1, 2]


def test_a_servers_own_question_goes_through_the_hooks(tmp_path: Path, target: list[str]) -> None:
    hooks = "[[hook]]\non = 'elicit.before'\ncommand = 'echo never ask >&2; exit 2'\n"

    async def answer(context: Any, params: Any) -> ElicitResult:
        raise AssertionError("the hook refuses the question")

    async def work(client: Any) -> Any:
        return await client.call_tool("consult", {})

    assert text(talk(tmp_path, target, "legacy", hooks, work, elicitation_callback=answer)) == "decline"
