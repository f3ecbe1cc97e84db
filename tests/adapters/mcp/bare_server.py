"""An MCP server of a few lines, for bytes: what it got is in the file of its first argument."""

import json
import os
import sys
import time

seen = open(sys.argv[1], "ab", buffering=0)


def write(data: bytes) -> None:
    while data:
        data = data[os.write(1, data) :]


def answer(id: object, result: object) -> None:
    write(json.dumps({"jsonrpc": "2.0", "id": id, "result": result}).encode() + b"\n")


def text(value: str) -> dict[str, object]:
    return {"content": [{"type": "text", "text": value}]}


def call(id: object, name: str, given: dict[str, object]) -> None:
    if name == "big":
        answer(id, text("x" * int(str(given["size"]))))
    elif name == "die":
        write(b'{"jsonrpc": "2.0", "id": ')
        os._exit(7)
    elif name == "hang":
        return
    elif name == "progress":
        write(b'{"method":"notifications/progress",  "params":{"progressToken":"p\\u00e9","progress":1}}\n')
        answer(id, text("done"))
    elif name == "typed":
        answer(id, {**text('{"secret": "abc"}'), "structuredContent": {"secret": "abc"}})
    elif name == "fails":
        answer(id, {**text("it broke"), "isError": True})
    elif name == "elicit":
        params = {"message": "Your password?", "requestedSchema": {"type": "object", "properties": {}}}
        write(
            json.dumps({"jsonrpc": "2.0", "id": "s1", "method": "elicitation/create", "params": params}).encode()
            + b"\n"
        )
    elif name == "sample":
        ask = [{"role": "user", "content": {"type": "text", "text": "tell me"}}]
        params = {"messages": ask, "maxTokens": 5}
        write(
            json.dumps({"jsonrpc": "2.0", "id": 9, "method": "sampling/createMessage", "params": params}).encode()
            + b"\n"
        )
    elif name == "twice":
        answer(id, text("secret one"))
        answer(id, text("secret two"))
        time.sleep(0.05)
    else:
        answer(id, text(json.dumps(given)))


for line in sys.stdin.buffer:
    seen.write(line)
    message = json.loads(line)
    for one in message if isinstance(message, list) else [message]:
        method, id = one.get("method"), one.get("id")
        if method is None:
            answer("told", text(json.dumps(one)))
        elif id is None:
            continue
        elif method == "tools/list":
            answer(id, {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in ("a", "b")]})
        elif method == "tools/call":
            call(id, one["params"]["name"], one["params"].get("arguments", {}))
        elif method == "resources/read":
            answer(id, {"contents": [{"uri": one["params"]["uri"], "text": "key=abc"}]})
        elif method == "prompts/get":
            answer(id, {"messages": [{"role": "user", "content": {"type": "text", "text": "Review this"}}]})
        elif method == "garbage":
            write(b"Server started on port 3000\n")
            answer(id, {})
        else:
            answer(id, {"method": method})
