"""Faults that a URL brings: addresses that mean this machine in disguise, redirects, names that change their meaning.

Importing this adds its rows to those of faults.py. Nothing leaves the machine: connecting to anything but the loopback
is refused here, before the system is asked.
"""

from __future__ import annotations

import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from unittest import mock

from fault_tools import Figures, row
from tenterhook.clients import ip_rules
from tenterhook.engine.engine import Engine

FORMS = [
    *("127.0.0.1", "127.1", "127.0.1", "127.0.0.2", "127.255.255.254", "2130706433", "0x7f000001", "0x7f.0.0.1"),
    *("0x7f.1", "0177.0.0.1", "017700000001", "0.0.0.0", "0", "localhost", "LOCALHOST", "localhost."),
    *("①②⑦.⓪.⓪.①", "127。0。0。1", "[::1]", "[0:0:0:0:0:0:0:1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]"),
    *("[::127.0.0.1]", "[::ffff:0:127.0.0.1]", "[64:ff9b::127.0.0.1]", "[64:ff9b:1::7f00:1]", "[2002:7f00:1::]"),
    *("[2001:0:808:808::80ff:fffe]", "[2606:4700::5efe:7f00:1]", "user@127.0.0.1"),
]
HOOK = '[[hook]]\non = "tool.before"\nurl = "{}"\nloopback = {}\ntimeout = 5\n'


class Canary(ThreadingHTTPServer):
    """Counts who reaches it; `location` makes it a redirect, which may be reached."""

    location = ""
    reached = 0
    daemon_threads = True


class Handler(BaseHTTPRequestHandler):
    server: Canary

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.server.reached += 1
        self.send_response(307 if self.server.location else 200)
        self.send_header("Location", self.server.location)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *words: object) -> None:
        return


@contextmanager
def canary(location: str = "") -> Iterator[Canary]:
    server = Canary(("127.0.0.1", 0), Handler)
    server.location = location
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def fired(url: str, *, loopback: bool = False) -> bool:
    """Whether the hook came to an answer."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "tenterhook.toml").write_text(HOOK.format(url, str(loopback).lower()))
        with Engine(folder, trust="all", home=folder, environ={}) as engine:
            return engine.fire("tool.before", tool_name="Bash", tool_input={}).success


@contextmanager
def only_loopback() -> Iterator[None]:
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: tuple[str, int]) -> None:
        if not ip_address(address[0]).is_loopback:
            raise ConnectionRefusedError("not from here")
        connect(self, address)

    with mock.patch.object(socket.socket, "connect", guarded):
        yield


@row("S10", "31 forms of an address, a redirect, a name that changes", "0 reach the canary, 0 answers")
def disguises() -> Figures:
    with only_loopback(), canary() as target:
        port = target.server_address[1]
        answers = sum(fired(f"http://{form}:{port}/") for form in FORMS)
        by_form = target.reached
        with canary(f"http://127.0.0.1:{port}/") as redirect:
            answers += fired(f"http://127.0.0.1:{redirect.server_address[1]}/", loopback=True)
        by_redirect = target.reached - by_form
        meanings = [["93.184.216.34"], ["127.0.0.1"], ["127.0.0.1"]]
        with mock.patch.object(ip_rules, "look_up", side_effect=meanings):
            answers += fired(f"http://rebind.test:{port}/")
        by_name = target.reached - by_form - by_redirect
        reachable = fired(f"http://127.0.0.1:{port}/", loopback=True)
    figures = f"{len(FORMS)} forms: {by_form}, redirect: {by_redirect}, name: {by_name} reached it; {answers} answers"
    return figures, len(FORMS) == 31 and not by_form + by_redirect + by_name + answers and reachable
