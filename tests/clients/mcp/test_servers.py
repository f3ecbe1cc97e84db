"""Real MCP servers, as processes and over HTTP: their tools, their failures, their end."""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest

from clients.models.provider_server import serving
from tenterhook import UsageError, dialects
from tenterhook.clients.mcp import McpServer, ServerError, Servers
from tenterhook.clients.tool_definition import Definition
from tenterhook.clients.workspace.names import DialectTool

from .server_http import http_server

PROGRAM = str(Path(__file__).parent / "server_tools.py")

Tools = dict[str, Definition]


def stdio(name: str = "tools", *words: str, **fields: Any) -> McpServer:
    return McpServer(name, command=sys.executable, args=(PROGRAM, *words), **fields)


def run(servers: list[McpServer], body: Callable[[Servers, Tools], Coroutine[Any, Any, Any]], **options: Any) -> Any:
    async def running() -> Any:
        async with Servers(servers, **options) as started:
            tools = {tool.name: tool for _, tool in started.tools}
            return await body(started, tools)

    return asyncio.run(running())


async def nothing(servers: Servers, tools: Tools) -> list[str]:
    return servers.problems


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def gone(pid: int, seconds: float = 3) -> bool:
    deadline = time.monotonic() + seconds
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not alive(pid)


@contextmanager
def over_http(kind: str) -> Any:
    with http_server(kind) as url:
        yield McpServer("tools", type=kind, url=url, headers={"X-Word": "${WORD:-none given}"})


WAYS: dict[str, Callable[[], AbstractContextManager[McpServer]]] = {
    "stdio": lambda: nullcontext(stdio()),
    "http": lambda: over_http("http"),
    "sse": lambda: over_http("sse"),
}
each_way = pytest.mark.parametrize("way", WAYS)


@each_way
def test_tools_are_listed_and_called(way: str) -> None:
    async def body(servers: Servers, tools: Tools) -> Any:
        assert servers.problems == []
        assert {name for name, _ in servers.tools} == {"tools"}
        return tools["add"], await tools["add"].function(one=1, other=2), await tools["add"].function(one=1)

    with WAYS[way]() as server:
        add, three, two = run([server], body)

    assert (three, two) == ("3", "2")
    assert (add.name, add.about, add.required, add.asks) == ("add", "Add two numbers.", ("one",), True)
    assert {name: schema["type"] for name, schema in add.inputs.items()} == {"one": "integer", "other": "integer"}


@each_way
def test_a_tool_that_fails_raises_with_words_for_the_model(way: str) -> None:
    async def body(servers: Servers, tools: Tools) -> str:
        with pytest.raises(ServerError) as caught:
            await tools["refuse"].function(reason="The disk is full.")
        return str(caught.value)

    with WAYS[way]() as server:
        assert "The disk is full." in run([server], body)


def test_what_is_no_text_is_named_and_texts_are_joined() -> None:
    async def body(servers: Servers, tools: Tools) -> dict[str, str]:
        return {
            "picture": await tools["picture"].function(),
            "place": await tools["place"].function(point={"x": 1}),
            "nothing": await tools["nothing"].function(),
            "linked": await tools["linked"].function(),
        }

    assert run([stdio()], body) == {
        "picture": "Look:\n[image: image/png, 6 bytes]",
        "place": "x is 1\ny is 0",
        "nothing": "",
        "linked": "[a link to notes: file:///notes.txt]\nthe text of a file\n[a file: file:///a.bin, of unknown type]",
    }


def test_a_model_is_told_the_whole_schema_with_all_that_it_refers_to() -> None:
    async def body(servers: Servers, tools: Tools) -> Tools:
        return tools

    place = run([stdio()], body)["place"]

    told = DialectTool(place, dialects.get("moai")).parameters
    assert told["properties"]["point"] == {"$ref": "#/$defs/Point"}
    assert told["$defs"]["Point"]["properties"]["x"]["type"] == "integer"


def test_the_entry_says_environment_folder_and_arguments(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    server = stdio(env={"WORD": "${GREETING:-Hello} ${NAME}"}, cwd="${FOLDER}")
    environ = {"PATH": os.environ["PATH"], "NAME": "you", "FOLDER": "sub", "SECRET": "x"}

    async def body(servers: Servers, tools: Tools) -> list[str]:
        asked = [await tools["told"].function(name=name) for name in ("WORD", "NAME", "SECRET")]
        return [*asked, await tools["where"].function()]

    found = run([server], body, environ=environ, cwd=str(tmp_path))

    assert found == ["Hello you", "not set", "not set", str(tmp_path / "sub")]


def test_headers_are_sent() -> None:
    async def body(servers: Servers, tools: Tools) -> str:
        return str(await tools["header"].function(name="x-word"))

    with WAYS["http"]() as server:
        assert run([server], body, environ={"WORD": "open sesame"}) == "open sesame"


REFUSED = "http://127.0.0.1:9/"


@pytest.mark.parametrize(
    ("server", "words"),
    [
        (McpServer("bad", command="no-such-program"), "No such file or directory"),
        (
            McpServer("bad", command=sys.executable, args=("-c", "import no_such_module")),
            "No module named 'no_such_module'",
        ),
        (McpServer("bad", command=sys.executable, args=("-c", "pass")), "Connection closed"),
        (McpServer("bad", command="${NO_SUCH_VARIABLE}"), "the variable NO_SUCH_VARIABLE is not set"),
        (McpServer("bad", type="http", url=REFUSED), "onnect"),
        (McpServer("bad", type="sse", url=REFUSED), "onnect"),
        (McpServer("bad", type="http", url="no url at all"), ""),
        (McpServer("bad", command="sleep", args=("60",)), "it did not start within 6 seconds"),
    ],
    ids=["program", "module", "exit", "variable", "http", "sse", "url", "slow"],
)
def test_a_server_that_fails_is_said_in_one_line_and_the_others_work(server: McpServer, words: str) -> None:
    async def body(servers: Servers, tools: Tools) -> tuple[list[str], str]:
        return servers.problems, await tools["add"].function(one=1)

    problems, two = run([server, stdio()], body, timeout=6 if server.command == "sleep" else 20)

    assert two == "2"
    assert len(problems) == 1
    assert problems[0].startswith("MCP server 'bad' is left out: ")
    assert words in problems[0]
    assert "\n" not in problems[0]


@pytest.mark.parametrize("kind", ["http", "sse"])
def test_a_server_that_refuses_us_is_said_with_the_status(kind: str) -> None:
    with serving() as api:
        api.error(401, {"error": "unauthorized"})
        server = McpServer("bad", type=kind, url=f"{api.url}/mcp?key=very-secret-key")

        (problem,) = run([server], nothing, environ={"THEIR_KEY": "very-secret-key"})

    assert "401 Unauthorized" in problem
    assert "very-secret-key" not in problem


def test_what_a_server_says_last_is_shown_without_the_keys_in_it() -> None:
    code = "import os, sys; sys.exit('wrong token ' + os.environ['API_TOKEN'])"
    server = McpServer("bad", command=sys.executable, args=("-c", code), env={"API_TOKEN": "${API_TOKEN}"})

    (problem,) = run([server], nothing, environ={**os.environ, "API_TOKEN": "very-secret-token"})

    assert problem.endswith("(its last words: wrong token [key])")


HOST = """
import asyncio, sys
from tenterhook.clients.mcp import McpServer, Servers

async def main():
    async with Servers([McpServer("chatty", command=sys.executable, args=(sys.argv[1], "chatty"))]) as servers:
        tools = {tool.name: tool for _, tool in servers.tools}
        print(await tools["add"].function(one=1))

asyncio.run(main())
"""


def test_a_server_that_writes_anything_but_json_works_and_nothing_of_it_is_on_the_screen() -> None:
    """In a process of its own, because pytest listens to what is logged."""
    done = subprocess.run([sys.executable, "-c", HOST, PROGRAM], capture_output=True, text=True, timeout=60, check=True)

    assert (done.stdout, done.stderr) == ("2\n", "")


def test_calls_come_from_many_tasks_at_once() -> None:
    async def body(servers: Servers, tools: Tools) -> list[str]:
        return await asyncio.gather(*(tools["add"].function(one=n, other=0) for n in range(20)))

    assert run([stdio()], body) == [str(n) for n in range(20)]


@pytest.mark.parametrize("way", ["stdio", "http"])
def test_a_call_that_is_cancelled_is_cancelled_at_the_server_and_others_go_on(way: str, tmp_path: Path) -> None:
    note = tmp_path / "note"

    async def until(text: str) -> bool:
        for _ in range(250):
            if note.exists() and note.read_text() == text:
                return True
            await asyncio.sleep(0.02)
        return False

    async def body(servers: Servers, tools: Tools) -> str:
        waiting = asyncio.create_task(tools["wait"].function(note=str(note)))
        assert await until("waiting")
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert await until("cancelled")
        return str(await tools["add"].function(one=1))

    with WAYS[way]() as server:
        assert run([server], body) == "2"


def test_a_server_that_dies_fails_its_calls_and_the_end_is_quick() -> None:
    async def body(servers: Servers, tools: Tools) -> float:
        for name in ("die", "add"):
            with pytest.raises(ServerError, match=f"{name} could not be called: "):
                await tools[name].function(**({"one": 1} if name == "add" else {}))
        return time.monotonic()

    left = run([stdio()], body)

    assert time.monotonic() - left < 5


@pytest.mark.parametrize("words", [(), ("stubborn",)], ids=["willing", "stubborn"])
def test_every_process_has_ended_when_the_block_has(words: tuple[str, ...]) -> None:
    async def body(servers: Servers, tools: Tools) -> tuple[int, int, float]:
        return int(await tools["pid"].function()), int(await tools["leave_behind"].function()), time.monotonic()

    server, child, left = run([stdio("tools", *words)], body)

    assert time.monotonic() - left < 15
    assert gone(server)
    assert gone(child)


def test_an_error_in_the_block_passes_through_and_servers_end() -> None:
    pids: list[int] = []

    async def body(servers: Servers, tools: Tools) -> None:
        pids.append(int(await tools["pid"].function()))
        raise LookupError("of the host")

    with pytest.raises(LookupError, match="of the host"):
        run([stdio()], body)

    assert gone(pids[0])


def test_whoever_is_cancelled_while_servers_start_leaves_none_behind(tmp_path: Path) -> None:
    code = f"import os, time; open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid())); time.sleep(60)"
    slow = McpServer("slow", command=sys.executable, args=("-c", code))

    async def started() -> None:
        entering = asyncio.create_task(Servers([slow]).__aenter__())
        while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
            await asyncio.sleep(0.02)
        entering.cancel()
        with pytest.raises(asyncio.CancelledError):
            await entering

    asyncio.run(started())

    assert gone(int((tmp_path / "pid").read_text()))


def test_without_servers_nothing_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)

    assert run([], nothing) == []


def test_a_missing_sdk_is_said_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)

    with pytest.raises(UsageError, match=r"pip install 'tenterhook\[mcp\]'"):
        run([stdio()], nothing)
