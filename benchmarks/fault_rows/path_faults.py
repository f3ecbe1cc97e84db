"""Whether a model that judges by an agent hook gets out of the project's folder: a row of faults.py.

The hook is a real one and asks a model on the loopback, which calls what it is told to and keeps what it is given.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from fault_tools import Figures, row
from tenterhook import Engine

Call = tuple[str, dict[str, Any]]

# What stands in a file outside that is asked for, and the name of another that is not.
CANARY, HIDDEN = "canary-5d1c93ab", "hidden-77e0.txt"
NAME = "ledger.txt"
SECONDS = 3.0
ROADS = [
    "../outside/{name}",
    "sub/../../outside/{name}",
    "{out}/{name}",
    "//{out}////{name}",
    "{root}/../outside/{name}",
    "file link",
    "folder link/{name}",
    "sub/first/{name}",
    "/proc/self/cwd/../outside/{name}",
    "~/outside/{name}",
    "sub\0/../../outside/{name}",
    "..%2foutside%2f{name}",
]


class Model(BaseHTTPRequestHandler):
    """Speaks OpenAI's chat completions: calls first, and when it has the results, a judgement."""

    protocol_version = "HTTP/1.1"
    calls: list[Call]
    results: list[str]

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        given = [one["content"] for one in asked["messages"] if one["role"] == "tool"]
        self.results.extend(given)
        delta = {"content": '{"ok": true}'} if given else {"tool_calls": [*self.called()]}
        made = [self.event(delta), self.event({}, "stop" if given else "tool_calls"), "data: [DONE]\n\n"]
        data = "".join(made).encode()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def called(self) -> Iterator[dict[str, Any]]:
        for n, (name, given) in enumerate(self.calls):
            function = {"name": name, "arguments": json.dumps(given)}
            yield {"index": n, "id": f"call_{n}", "type": "function", "function": function}

    def event(self, delta: dict[str, Any], end: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": end}
        chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
        return f"data: {json.dumps(chunk)}\n\n"

    def log_message(self, *words: Any) -> None:
        return


@contextlib.contextmanager
def judge(root: Path) -> Iterator[tuple[Engine, type[Model]]]:
    """An engine whose only hook is an agent hook, and the model that it asks."""
    model = type("Bound", (Model,), {"calls": [], "results": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    text = f"""[[hook]]
on = "tool.before"
type = "agent"
prompt = "Look around."
model = "m@http://127.0.0.1:{server.server_address[1]}/v1"
max_tokens = 10000000
"""
    (root / "tenterhook.toml").write_text(text)
    environ = {**os.environ, "HOME": str(root.parent)}
    try:
        with Engine(root, trust="all", environ=environ, home=root.parent) as engine:
            yield engine, model
    finally:
        server.shutdown()
        server.server_close()


def laid_out(folder: str) -> tuple[Path, Path]:
    root, outside = Path(folder, "project"), Path(folder, "outside")
    for made in (root / "sub", root / "swap", outside):
        made.mkdir(parents=True)
    for name in (NAME, HIDDEN, "shared.txt"):
        (outside / name).write_text(CANARY)
    (root / "swap" / "shared.txt").write_text("inside")
    (root / "file link").symlink_to(f"../outside/{NAME}")
    (root / "folder link").symlink_to(outside)
    (root / "sub" / "first").symlink_to("../second")
    (root / "second").symlink_to("folder link")
    return root, outside


def roads(root: Path, outside: Path) -> Iterator[Call]:
    for road in ROADS:
        path = road.format(name=NAME, out=outside, root=root)
        yield "Read", {"file_path": path}
        yield "Grep", {"pattern": "can.ry", "path": path}
        yield "Glob", {"pattern": "*", "path": path.removesuffix(f"/{NAME}")}


@contextlib.contextmanager
def swapped(root: Path, outside: Path) -> Iterator[list[int]]:
    """A folder of the project and a link out of it, in one place by turns."""
    place, aside, turns, over = root / "swap", root / "aside", [0], threading.Event()

    def swap() -> None:
        while not over.is_set():
            os.rename(place, aside)
            os.symlink(outside, place)
            os.unlink(place)
            os.rename(aside, place)
            turns[0] += 1

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield turns
    finally:
        over.set()
        thread.join()


def leaks(texts: list[str]) -> int:
    return sum(CANARY in text or HIDDEN in text for text in texts)


@row("S11", f"agent hook: {len(ROADS)} roads out x 3 tools; a race of {SECONDS:g} s", "0 leaks")
def paths() -> Figures:
    with tempfile.TemporaryDirectory() as folder:
        root, outside = laid_out(folder)
        with judge(root) as (engine, model):
            model.calls = list(roads(root, outside))
            engine.fire("tool.before", tool_name="Bash")
            asked, leaked = len(model.results), leaks(model.results)
            model.results.clear()
            reads: list[Call] = [("Read", {"file_path": "swap/shared.txt"})] * 40
            model.calls = [*reads, ("Grep", {"pattern": "can.ry|inside"}), ("Glob", {"pattern": "swap/*"}), *reads]
            until = time.monotonic() + SECONDS
            with swapped(root, outside) as turns:
                while time.monotonic() < until:
                    engine.fire("tool.before", tool_name="Bash")
        raced, lost = len(model.results), leaks(model.results)
        seen = sum("inside" in text for text in model.results)
    figures = f"{leaked} of {asked} leaked; race: {lost} of {raced} leaked, {seen} read, {turns[0]:,} swaps"
    return figures, (asked, leaked, lost) == (3 * len(ROADS), 0, 0) and seen > 0
