"""`tenter mcp` between a client that writes bytes and a server that keeps them."""

from __future__ import annotations

import contextlib
import json
import select
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

SERVER = Path(__file__).parent / "bare_server.py"
SECONDS = 30


class Client:
    """Writes lines to `tenter mcp` and reads what comes."""

    def __init__(self, folder: Path, hooks: str = "", *, server: list[str] | None = None) -> None:
        (folder / "tenterhook.toml").write_text(hooks)
        self.seen = folder / "seen"
        self.seen.touch()
        words = [sys.executable, "-m", "tenterhook", "mcp", "--name", "srv", "--project", str(folder), "--trust", "--"]
        command = server or [sys.executable, str(SERVER), str(self.seen)]
        self.process = subprocess.Popen(
            [*words, *command], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self.left = b""

    def write(self, data: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, method: str, id: Any = None, **params: Any) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params, **({} if id is None else {"id": id})}
        self.write(json.dumps(message).encode() + b"\n")

    def line(self, seconds: float = SECONDS) -> bytes:
        """The next line; empty at the end, or if none comes in time."""
        assert self.process.stdout
        until = time.monotonic() + seconds
        while b"\n" not in self.left:
            if not select.select([self.process.stdout], [], [], max(0, until - time.monotonic()))[0]:
                return b""
            data = self.process.stdout.read1(1 << 20)  # type: ignore[attr-defined]
            if not data:
                return b""
            self.left += data
        line, _, self.left = self.left.partition(b"\n")
        return line

    def read(self) -> Any:
        return json.loads(self.line())

    def call(self, name: str, id: Any = 1, **arguments: Any) -> Any:
        self.send("tools/call", id, name=name, arguments=arguments)
        return self.read()

    def end(self) -> int:
        assert self.process.stdin
        self.process.stdin.close()
        return self.process.wait(SECONDS)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


@pytest.fixture
def clients() -> Iterator[list[Client]]:
    made: list[Client] = []
    yield made
    for client in made:
        client.process.kill()
        client.process.wait(SECONDS)
        for pipe in (client.process.stdin, client.process.stdout, client.process.stderr):
            with contextlib.suppress(OSError):
                pipe.close()  # type: ignore[union-attr]


@pytest.fixture
def connect(folder: Path, clients: list[Client]) -> Any:
    def make(hooks: str = "", **options: Any) -> Client:
        clients.append(Client(folder, hooks, **options))
        return clients[-1]

    return make


def hook(on: str, code: str, match: str = "") -> str:
    """A hook that runs Python; `event` is what it is told."""
    text = f"import json, sys\nevent = json.load(sys.stdin)\n{code}"
    matched = f"match = {json.dumps(match)}\n" if match else ""
    command = json.dumps(shlex.join([sys.executable, "-c", text]))
    return f"[[hook]]\non = {json.dumps(on)}\n{matched}command = {command}\n"


def answering(answer: dict[str, Any]) -> str:
    return f"print(json.dumps({answer!r}))"


def text_of(message: Any) -> str:
    return "\n".join(one["text"] for one in message["result"]["content"])


DENY = answering({"decision": "deny", "reason": "not this one"})
ODD = (
    b'{"jsonrpc":"2.0",  "id" : "1\\u00e9", "method":"ping","params":{"big":12345678901234567890123, "f":1.10}}\n',
    b'{"method":"notifications/roots/list_changed","jsonrpc":"2.0"}\n',
    b'{"id":2,"method":"tools/call","jsonrpc":"2.0","params":{"name":"b","arguments":{"x":1.0,"n":1e2},"_meta":{"progressToken":7}}}\n',
    b'[{"jsonrpc":"2.0","id":3,"method":"ping"}]\n',
)


@pytest.mark.parametrize("hooks", ["", hook("tool.before", DENY, "mcp__srv__a")], ids=["no hooks", "another tool's"])
def test_what_concerns_no_hook_reaches_the_server_byte_for_byte_and_in_order(connect: Any, hooks: str) -> None:
    client = connect(hooks)
    client.write(b"".join(ODD))
    for _ in range(3):
        assert client.read()["result"]

    assert client.end() == 0
    assert client.seen.read_bytes() == b"".join(ODD)


def test_a_denied_call_is_a_result_that_the_model_reads_and_the_server_never_sees_it(connect: Any) -> None:
    client = connect(hook("tool.before", DENY, "mcp__srv__a"))

    answer = client.call("a", id="one")

    assert (answer["id"], answer["result"]["isError"]) == ("one", True)
    assert "not this one" in text_of(answer)
    assert client.seen.read_bytes() == b""


def test_hooks_rewrite_arguments_and_results_and_add_context(connect: Any) -> None:
    before = hook("tool.before", answering({"input": {"x": 2}}))
    after = hook("tool.after", "print(json.dumps({'output': event['tool_output'] + '!', 'context': 'mind the gap'}))")
    client = connect(before + after)

    answer = client.call("a", x=1, y=3)

    assert answer["result"]["content"][0]["text"] == '{"x": 2, "y": 3}!'
    assert "mind the gap" in text_of(answer)
    assert json.loads(client.seen.read_text())["params"]["arguments"] == {"x": 2, "y": 3}


def test_a_rewritten_result_leaves_nothing_of_the_old_one_in_structured_content(connect: Any) -> None:
    client = connect(hook("tool.after", answering({"output": "[redacted]"})))

    result = client.call("typed")["result"]

    assert "abc" not in json.dumps(result)
    assert result["content"] == [{"type": "text", "text": "[redacted]"}]


def test_a_failed_tool_is_told_to_its_hooks(connect: Any) -> None:
    client = connect(hook("tool.failed", "print(json.dumps({'feedback': 'saw ' + event['error']}))"))

    answer = client.call("fails")

    assert answer["result"]["isError"] is True
    assert "saw it broke" in text_of(answer)


@pytest.mark.parametrize(
    "line",
    [
        b'{"jsonrpc":"2.0","id":5,"method":"ping","method":"tools/call","params":{"name":"a","arguments":{}}}',
        b'{"jsonrpc":"2.0","id":5,"method":"ping","Method":"tools/call","params":{"name":"a","arguments":{}}}',
        b'{"jsonrpc":"2.0","id":5,"Method":"tools/call","params":{"name":"a","arguments":{}}}',
        b'{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"b","name":"a","arguments":{}}}',
        b'{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"b","Name":"a","arguments":{}}}',
        b'{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"b","arguments":{"c":"ls","c":"rm"}}}',
        b'{"jsonrpc":"2.0","id":5,"method":"tools\\u002fcall","params":{"name":"a","arguments":{}}}',
        b'{"jsonrpc":"2.0","id":5,"method":"tools\\/call","params":{"name":"a","arguments":{"x":NaN}}}',
        b'{"jsonrpc":"2.0","id":{},"method":"tools/call","params":{"name":"a","arguments":{}}}',
        b'{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":["a"],"arguments":{}}}',
        b'[{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"a","arguments":{}}}]',
        b'{"jsonrpc":"2.0","method":"tools/call","params":{"name":"a","arguments":{}}}',
        b'{"jsonrpc":"2.0","id":5,"method":"tools/call"',
    ],
)
def test_no_spelling_gets_a_denied_call_past_the_hook(connect: Any, line: bytes) -> None:
    client = connect(hook("tool.before", DENY))
    client.write(line + b"\n")
    client.send("ping", "after")

    answers = [client.read()]
    while answers[-1].get("id") != "after":
        answers.append(client.read())
    client.end()

    assert b"tools" not in client.seen.read_bytes()


@pytest.mark.parametrize("failing", ["sys.exit(3)", "import time; time.sleep(60)"])
def test_a_guard_that_cannot_do_its_work_refuses(connect: Any, failing: str) -> None:
    client = connect(hook("tool.before", failing) + "timeout = 1\n")

    assert client.call("a")["result"]["isError"] is True
    assert client.seen.read_bytes() == b""


def test_a_slow_hook_delays_no_other_message(connect: Any) -> None:
    client = connect(hook("tool.before", "import time; time.sleep(2)", "mcp__srv__a"))
    began = time.monotonic()
    client.send("tools/call", 1, name="a", arguments={})
    client.send("tools/call", 2, name="b", arguments={})
    client.send("ping", 3)

    assert [client.read()["id"], client.read()["id"]] == [2, 3]
    assert time.monotonic() - began < 2
    assert client.read()["id"] == 1


def test_a_call_that_is_cancelled_while_its_hooks_run_never_reaches_the_server(connect: Any) -> None:
    client = connect(hook("tool.before", "import time; time.sleep(1)"))
    client.send("tools/call", 1, name="a", arguments={})
    client.send("notifications/cancelled", requestId=1)
    time.sleep(1.5)
    client.send("ping", 2)

    assert client.read()["id"] == 2
    assert b"tools/call" not in client.seen.read_bytes()
    assert b"cancelled" not in client.seen.read_bytes()


def test_a_call_that_is_cancelled_at_the_server_is_cancelled_there_and_its_hooks_are_told(
    connect: Any, folder: Path
) -> None:
    client = connect(hook("tool.failed", f"open({str(folder / 'told')!r}, 'w').write(str(event['is_interrupt']))"))
    client.send("tools/call", 1, name="hang", arguments={})
    while b"hang" not in client.seen.read_bytes():
        time.sleep(0.01)
    client.send("notifications/cancelled", requestId=1)
    client.send("ping", 2)

    assert client.read()["id"] == 2
    assert b"cancelled" in client.seen.read_bytes()
    until = time.monotonic() + SECONDS
    while not (folder / "told").exists() and time.monotonic() < until:
        time.sleep(0.01)
    assert client.end() == 0


def test_progress_comes_byte_for_byte_before_the_result(connect: Any) -> None:
    client = connect(hook("tool.after", ""))
    client.send("tools/call", 1, name="progress", arguments={}, _meta={"progressToken": "pé"})

    told = b'{"method":"notifications/progress",  "params":{"progressToken":"p\\u00e9","progress":1}}'
    assert client.line() == told
    assert client.read()["id"] == 1


def test_a_result_of_fifty_megabytes_passes_a_hook(connect: Any) -> None:
    client = connect(hook("tool.before", ""))

    assert len(client.call("big", size=50_000_000)["result"]["content"][0]["text"]) == 50_000_000


def test_only_the_first_response_of_a_server_counts_and_that_one_goes_through_the_hook(connect: Any) -> None:
    client = connect(hook("tool.after", "import time; time.sleep(0.5); print(json.dumps({'output': 'clean'}))"))

    answer = client.call("twice")
    client.send("ping", 2)

    assert text_of(answer) == "clean"
    assert client.read()["id"] == 2


def test_a_server_that_dies_in_the_middle_of_a_line_fails_the_call_and_gives_its_exit_code(connect: Any) -> None:
    client = connect(hook("tool.before", ""))

    answer = client.call("die")

    assert (answer["id"], answer["error"]["message"]) == (1, "the server has ended")
    assert client.process.wait(SECONDS) == 7


def test_what_a_server_prints_by_mistake_passes(connect: Any) -> None:
    client = connect(hook("tool.before", ""))
    client.send("garbage", 1)

    assert client.line() == b"Server started on port 3000"
    assert client.read()["id"] == 1


def test_the_list_of_tools_is_narrowed_and_a_call_of_another_is_refused(connect: Any) -> None:
    chosen = {"tool_config": {"mode": "ANY", "allowedFunctionNames": ["mcp__srv__b"]}}
    client = connect(hook("tools.select", answering(chosen)))
    client.send("tools/list", 1)

    assert [tool["name"] for tool in client.read()["result"]["tools"]] == ["b"]
    assert client.call("a")["result"]["isError"] is True
    assert text_of(client.call("b", x=1)) == '{"x": 1}'


def test_resources_are_refused_rewritten_and_withheld(connect: Any) -> None:
    before = hook("resource.before", DENY, "file:///etc/.*")
    after = hook("resource.after", "print(json.dumps({'output': event['content'].replace('abc', '***')}))", "file:///a")
    withheld = hook("resource.after", DENY, "file:///b")
    client = connect(before + after + withheld)
    for id, uri in enumerate(("file:///etc/passwd", "file:///a", "file:///b")):
        client.send("resources/read", id, uri=uri)
        answer = client.read()
        if id == 1:
            assert answer["result"]["contents"][0]["text"] == "key=***"
        else:
            assert answer["error"]["message"] == "not this one"
    assert b"passwd" not in client.seen.read_bytes()


def test_prompts_are_refused_and_rewritten(connect: Any) -> None:
    refused = hook("prompt.expand", DENY, "mcp__srv__a")
    client = connect(refused + hook("prompt.transform", answering({"prompt": "Another text"})))
    client.send("prompts/get", 1, name="a", arguments={"x": "y"})
    assert client.read()["error"]["message"] == "not this one"
    client.send("prompts/get", 2, name="b")

    assert client.read()["result"]["messages"][0]["content"]["text"] == "Another text"


def test_a_person_is_asked_by_the_clients_elicitation(connect: Any) -> None:
    client = connect(hook("tool.before", answering({"decision": "ask", "reason": "sure?"})))
    client.send("initialize", 0, capabilities={"elicitation": {}})
    assert client.read()["id"] == 0
    for id, action in enumerate(("accept", "decline"), 1):
        client.send("tools/call", id, name="a", arguments={"x": id})
        asked = client.read()
        assert asked["method"] == "elicitation/create"
        assert "sure?" in asked["params"]["message"]
        client.write(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": {"action": action}}).encode() + b"\n")
        answer = client.read()
        assert (answer["id"], answer["result"].get("isError", False)) == (id, action == "decline")


def test_without_elicitation_a_call_that_needs_permission_is_refused(connect: Any) -> None:
    client = connect(hook("tool.before", answering({"decision": "ask"})))
    client.send("initialize", 0, capabilities={})
    assert client.read()["id"] == 0

    assert "no way to ask" in text_of(client.call("a"))


def test_in_the_stateless_protocol_the_client_asks_and_calls_again(connect: Any, folder: Path) -> None:
    count = f"open({str(folder / 'runs')!r}, 'a').write('x'); "
    client = connect(hook("tool.before", count + answering({"decision": "ask"})))
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
    }
    client.send("tools/call", 1, name="a", arguments={"x": 1}, _meta=meta)
    asked = client.read()["result"]
    assert asked["resultType"] == "input_required"
    again = {"requestState": asked["requestState"], "inputResponses": {"permission": {"action": "accept"}}}
    client.send("tools/call", 2, name="a", arguments={"x": 2}, _meta=meta, **again)
    assert "another call" in client.read()["error"]["message"]
    client.send("tools/call", 3, name="a", arguments={"x": 1}, _meta=meta)
    again["requestState"] = client.read()["result"]["requestState"]
    client.send("tools/call", 4, name="a", arguments={"x": 1}, _meta=meta, **again)

    assert text_of(client.read()) == '{"x": 1}'
    assert set(json.loads(client.seen.read_text())["params"]) == {"name", "arguments", "_meta"}


def test_hooks_decline_what_a_server_asks_a_person(connect: Any) -> None:
    client = connect(hook("elicit.before", DENY))
    client.send("tools/call", 1, name="elicit", arguments={})

    assert json.loads(text_of(client.read())) == {"jsonrpc": "2.0", "id": "s1", "result": {"action": "decline"}}


def test_hooks_see_change_and_refuse_what_a_server_wants_of_the_model(connect: Any) -> None:
    messages = {"request": {"messages": [{"role": "user", "content": "something else"}]}}
    client = connect(hook("model.before", answering(messages)) + hook("model.after", ""))
    client.send("tools/call", 1, name="sample", arguments={})
    asked = client.read()
    assert asked["method"] == "sampling/createMessage"
    assert asked["params"]["messages"][0]["content"]["text"] == "something else"
    assert asked["params"]["maxTokens"] == 5
    reply = (
        b'{"jsonrpc":"2.0", "id":9,"result":{"role":"assistant","content":{"type":"text","text":"yes"},"model":"m"}}\n'
    )
    client.write(reply)

    assert client.read()["id"] == "told"
    assert client.seen.read_bytes().endswith(reply)


def test_a_denied_sampling_request_is_an_error_for_the_server(connect: Any) -> None:
    client = connect(hook("model.before", DENY))
    client.send("tools/call", 1, name="sample", arguments={})

    assert json.loads(text_of(client.read()))["error"] == {"code": -1, "message": "not this one"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "a server is needed"),
        (["--url", "http://127.0.0.1:1/", "--", "cat"], "not both"),
        (["--", "no-such-program"], "cannot be started"),
        (["--name", "a b", "--", "cat"], "--name may hold"),
        (["--header", "X: y", "--", "cat"], "--header goes with --url"),
        (["--url", "ftp://host/"], "must begin with http"),
        (["--header", "X: ${NOT_SET_AT_ALL}", "--url", "http://127.0.0.1:1/"], "NOT_SET_AT_ALL is not set"),
    ],
)
def test_a_wrong_call_says_what_to_do(folder: Path, words: list[str], said: str) -> None:
    command = [sys.executable, "-m", "tenterhook", "mcp", "--project", str(folder), *words]
    ran = subprocess.run(command, input=b"", capture_output=True, timeout=SECONDS)

    assert ran.returncode == 1
    assert said in ran.stderr.decode()
    assert b"Traceback" not in ran.stderr


def test_a_broken_config_ends_the_relay_before_the_server_runs(connect: Any) -> None:
    client = connect("[[hook]\n")

    assert client.process.wait(SECONDS) == 1
    assert client.seen.read_bytes() == b""
