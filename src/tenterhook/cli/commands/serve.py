"""`tenter serve`: run a resident server that `tenter fire` and `tenter hook` use."""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import time
from collections.abc import Callable
from typing import Any

from tenterhook.cli.options import JSON, CommandUsage, Option
from tenterhook.cli.project import print_json
from tenterhook.cli.server import client, protocol
from tenterhook.errors import TenterhookError, UsageError
from tenterhook.support.http_door import HOST, PORT, parse_port
from tenterhook.support.paths import own_server_folders
from tenterhook.support.terminal.table import table
from tenterhook.support.terminal.text import near, pluralise_count

IDLE, PARALLEL = 600.0, 64
USAGE = CommandUsage(
    "serve",
    "Run a server for `tenter fire` and `tenter hook`, so that they need not load everything each time.\n"
    "The outcome is the same with and without it. It listens on a Unix socket that only you can open. With --http it\n"
    "also answers agents' http hooks, which show a token; a server that runs already opens that door, with --detach.",
    ("[PORT]",),
    (
        Option("http", f"answer http hooks, too, at {HOST}:PORT (default: {PORT})"),
        Option("detach", "go to the background as soon as the server listens"),
        Option("stop", "stop the server after it has answered its clients"),
        Option("status", "show whether a server is running, and its workers"),
        Option("idle", f"seconds without a client after which the server stops (default: {IDLE:g})", "SECONDS"),
        Option("parallel", f"clients served at once per folder and environment (default: {PARALLEL})", "NUMBER"),
        JSON,
    ),
    "tenter serve --detach",
    "exit codes: 0 fine; 1 a server is already running, cannot listen, or none is running (--status, --stop)",
)
# Seconds to wait for a server to stop, for one that is just starting, and for one that a service manager starts.
ENDING, STARTING, ANSWERING = 10.0, 30.0, 4.0
NO_SERVER = "no server is running; start one with: tenter serve"


def run(argv: list[str]) -> int:
    options = USAGE.parse(argv)
    if options is None:
        return 0
    if sys.platform != "linux":
        raise UsageError("tenter serve needs Linux")
    alone = [name for name in ("status", "stop") if name in options]
    if alone and len(options.keys() - {"json"} if "status" in alone else options) > 1:
        raise USAGE.error(f"--{alone[0]} cannot be combined with other options")
    if "status" in options:
        return status(as_json="json" in options)
    if "stop" in options:
        return stop()
    if "json" in options:
        raise USAGE.error("--json can only be used with --status")
    idle = USAGE.number(options, "idle", IDLE, most=1e6)
    parallel = int(USAGE.number(options, "parallel", PARALLEL, most=1e6, whole=True))
    if "PORT" in options and "http" not in options:
        raise USAGE.error("a port is for --http")
    port = parse_port(options.get("PORT", str(PORT))) if "http" in options else 0
    if "http" in options and not port:
        raise USAGE.error(f"PORT must be a number from 1 to 65535, not {options['PORT']!r}")
    if "detach" not in options:
        return serve(idle, parallel, port)
    return open_door_or_start(idle, parallel, port) if port else spawn_detached_server(idle, parallel)


def open_door_or_start(idle: float, parallel: int, port: int) -> int:
    """Open the door of the server that runs; start one if there is none.

    A call of an agent may start a server at the same time, and a service manager may hold the socket.
    """
    from tenterhook.cli.server.door.opening import one_at_a_time
    from tenterhook.cli.server.socket_dir import is_held

    with one_at_a_time():
        return open_door_alone(idle, parallel, port, is_held)


def open_door_alone(idle: float, parallel: int, port: int, is_held: Callable[[], bool]) -> int:

    began = held = time.monotonic()
    while True:
        found = ask("http", str(port))
        if found and "problem" in found:  # else it is of an earlier version
            return report_door(found, port)
        try:
            return spawn_detached_server(idle, parallel, port)
        except UsageError:
            now = time.monotonic()
            held = now if is_held() else held
            if now - began > STARTING or now - held > ANSWERING:
                raise
        with contextlib.suppress(OSError), socket.create_connection((HOST, port), 1.0):
            time.sleep(0.1)  # a service manager starts the server for this connection


def report_door(found: dict[str, Any], port: int) -> int:
    if found["problem"]:
        raise UsageError(found["problem"])
    if found["http"]["port"] != port:
        raise UsageError(f"{found['http']['url']} is open; for another port stop the server: tenter serve --stop")
    print(f"tenter: http hooks are answered at {found['http']['url']}", file=sys.stderr)
    return 0


def make_room_for_door() -> None:
    """End a server without a door: the one that is about to start takes its place."""
    found = ask("status")
    if found and found.get("http"):
        raise UsageError(f"a server ({found['pid']}) answers http hooks already, at {found['http']['url']}")
    if found:
        stop()


def serve(idle: float, parallel: int, port: int = 0, ready: int = -1) -> int:
    """Run the server until it stops. Once it listens, write a newline to the descriptor `ready`."""
    from tenterhook.cli.server.preload import get_ready
    from tenterhook.cli.server.socket_dir import lock_socket_dir

    door = None
    if port:
        from tenterhook.cli.server.door.opening import bind_door, inherited_door

        make_room_for_door()
        door = inherited_door() or bind_door(port)
    until = time.monotonic() + STARTING
    while True:  # an agent's call may just have started a server without a door
        try:
            place = lock_socket_dir()
            break
        except TenterhookError:
            if not port or time.monotonic() > until:
                raise
            time.sleep(0.1)
            make_room_for_door()
    get_ready()
    from tenterhook.cli.server.server import HookServer

    server = HookServer(*place, idle, parallel)
    if door and (problem := server.open_door(port, door)):
        server.end()
        raise UsageError(problem)
    os.chdir("/")
    if ready >= 0:
        os.write(ready, b"\n")
        os.close(ready)
    else:
        also = f" and at {server.door.status()['url']}" if server.door else ""
        print(f"tenter: listening in {near(server.path)}{also}; Ctrl-C ends it", file=sys.stderr, flush=True)
    server.serve()
    if server.door and server.outdated:
        from tenterhook.cli.server.door.opening import start_again

        start_again(server.door.listener, ["--http", "--idle", f"{idle:g}", "--parallel", str(parallel)])
    return 0


def spawn_detached_server(idle: float, parallel: int, port: int = 0) -> int:
    """Start the server as a grandchild in its own session, and report whether it listens."""
    reader, ready = os.pipe()
    child = os.fork()
    if child == 0:
        background(reader, ready, idle, parallel, port)
    os.close(ready)
    os.waitpid(child, 0)
    with open(reader, "rb") as stream:
        answer = stream.read()
    if answer != b"\n":
        raise UsageError(answer.decode(errors="replace").strip() or "the server exited at once")
    also = f" and at http://{HOST}:{port}" if port else ""
    print(f"tenter: listening in {near(where())}{also}; tenter serve --stop ends it", file=sys.stderr)
    return 0


def background(reader: int, ready: int, idle: float, parallel: int, port: int) -> None:
    code = 1
    try:
        os.close(reader)
        os.setsid()
        if os.fork():
            os._exit(0)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nowhere, stream)
        os.close(nowhere)
        code = serve(idle, parallel, port, ready)
    except Exception as exc:
        with contextlib.suppress(OSError):  # the parent has heard already: the server was listening
            os.write(ready, str(exc).encode(errors="replace"))
    finally:
        os._exit(code)


def where() -> str:
    """The folder of this user's server."""
    return next((path for path in own_server_folders() if os.path.isdir(path)), own_server_folders()[0])


def ask(*words: str) -> Any:
    """The answer of this user's server, of any version; None if no server is running."""
    folder = client.open_server_folder("key")
    if folder < 0:
        return None
    try:
        with open(os.open("lock", os.O_RDONLY | os.O_NOFOLLOW, dir_fd=folder)) as file:
            known = file.read(200).split()
        return protocol.query_server(folder, known[1], list(words)) if len(known) == 2 else None
    except OSError:
        return None
    finally:
        os.close(folder)


def stop() -> int:
    found = ask("stop")
    if found is None:
        raise UsageError(NO_SERVER)
    until = time.monotonic() + ENDING
    while time.monotonic() < until:
        if not os.path.exists(os.path.join(found["folder"], "key")):
            return 0
        time.sleep(0.01)
    raise UsageError(f"the server ({found['pid']}) did not stop")


def status(*, as_json: bool) -> int:
    found = ask("status")
    if as_json:
        print_json({"running": found is not None, **(found or {})})
    elif found is None:
        print(NO_SERVER)
    else:
        workers = found["workers"]
        requests = pluralise_count(found["requests"], "request")
        print(f"server {found['pid']} listens in {near(found['folder'])}; {requests} so far")
        if door := found.get("http"):
            calls = f"{pluralise_count(door['served'], 'call')} served, {door['refused']} refused"
            print(f"  http hooks at {door['url']}: {calls}")
        rows = [(str(one["pid"]), str(one["requests"]), f"{one['idle']:g} s", near(one["folder"])) for one in workers]
        if rows:
            print(table([("worker", "requests", "idle", "folder"), *rows], indent="  "))
    return 0 if found else 1
