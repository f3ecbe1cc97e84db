"""Hand an event to a worker of the server, as the client of `tenter run` does; and do without, where no worker can."""

from __future__ import annotations

import json
import os
import select
import socket
import subprocess
from typing import Any

from tenterhook.author.forms import Said
from tenterhook.cli.commands.run import refuse_lost
from tenterhook.cli.server import client
from tenterhook.cli.server.client import ConnectionLost, ServerCall
from tenterhook.cli.server.door.context import CallContext, variables_for
from tenterhook.cli.server.door.projects import SessionProjects
from tenterhook.cli.server.door.request import CallerLeft, HookRequest, Refused

# Seconds between two looks whether the caller is still there, and that hooks may take to end.
LOOK, ENDING = 0.5, 10.0
SESSIONS = ("session_id", "sessionId")
AGENT = "--agent"


class Relay:
    """What all calls share: the server's folder, its name, and how a command is executed without it."""

    def __init__(self, folder: int, server: str, path: str, program: list[str]) -> None:
        self.folder, self.server, self.program = folder, server, program
        self.context = CallContext()
        self.projects = SessionProjects(path)

    def answer(self, request: HookRequest, caller: socket.socket) -> Said:
        """What `tenter run` says to this event. Raises CallerLeft if the agent hangs up before."""
        folder, agent = self.project_of(request.body), request.words[request.words.index(AGENT) + 1]
        more = variables_for(agent, folder)
        if request.canary:
            return self.execute(request, folder, more, caller)
        call = WorkerCall(self, request, self.context.at(folder, more), caller)
        code = call.run()
        if code is None:
            return self.execute(request, folder, more, caller)
        if call.lost:
            return refuse_lost(request.words[1:], request.body, client.LOST)
        return said_by(code, bytes(call.out), bytes(call.err))

    def project_of(self, body: bytes) -> str:
        """The folder of the event's project. What is no event at all is refused by the gate, from anywhere."""
        try:
            event: Any = json.loads(body)
        except (ValueError, RecursionError):
            event = None
        if not isinstance(event, dict):
            return os.path.expanduser("~")
        cwd = event.get("cwd")
        if not isinstance(cwd, str) or not os.path.isabs(cwd) or not os.path.isdir(cwd):
            raise Refused(400, "the event names no working directory (cwd) that is there, so its project is not known")
        session = next((str(event[name]) for name in SESSIONS if isinstance(event.get(name), str)), "")
        return self.projects.project_of(session, os.path.normpath(cwd))

    def execute(self, request: HookRequest, folder: str, more: dict[str, str], caller: socket.socket) -> Said:
        """Run the command itself, where no worker can take it."""
        environ = self.context.environ(more, canary=request.canary)
        with subprocess.Popen(
            [*self.program, *request.words],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environ, cwd=folder,
        ) as command:  # fmt: skip
            given: bytes | None = request.body
            while True:
                try:
                    out, err = command.communicate(given, LOOK)
                    return said_by(command.returncode, out, err)
                except subprocess.TimeoutExpired:
                    given = None  # it is being sent
                    if has_left(caller):
                        end(command)
                        raise CallerLeft from None


class WorkerCall(ServerCall):
    """A call whose output is kept, and which ends when its caller hangs up."""

    def __init__(self, relay: Relay, request: HookRequest, process_context: bytes, caller: socket.socket) -> None:
        super().__init__(relay.folder, relay.server, request.words)
        self.stdin, self.context, self.caller = request.body, process_context, caller
        self.out, self.err = bytearray(), bytearray()
        self.lost = False

    def process_context(self) -> bytes:
        return self.context

    def give_stdin_back(self) -> None:
        """The command gets the request's body."""

    def read_answer(self, wire: socket.socket) -> int | None:  # type: ignore[override]
        wait_for_answer(wire, self.caller)
        try:
            return self.read_frames(wire)
        except ConnectionLost:
            self.lost = True
            return 1

    def read_frames(self, wire: socket.socket) -> int | None:
        while True:
            frame = client.receive_exactly(wire, client.FRAME)
            kind, text = frame[:1], client.receive_exactly(wire, int.from_bytes(frame[1:], "little"))
            if kind == client.STDERR:
                self.err += text
            elif kind == client.END:
                if not text:
                    raise ConnectionLost
                self.out += text[1:]
                return text[0]
            elif kind in (client.AGAIN, client.NOT_HERE):
                return client.ONCE_MORE if kind == client.AGAIN else None


def wait_for_answer(wire: socket.socket, caller: socket.socket) -> None:
    """Until the worker says something. If the caller hangs up first, the worker ends its hooks."""
    poller = select.poll()
    poller.register(wire, select.POLLIN)
    poller.register(caller, select.POLLRDHUP)
    ready = [file for file, _ in poller.poll()]
    if wire.fileno() not in ready:
        client.hang_up(wire)
        raise CallerLeft


def has_left(caller: socket.socket) -> bool:
    poller = select.poll()
    poller.register(caller, select.POLLRDHUP)
    return bool(poller.poll(0))


def end(command: subprocess.Popen[bytes]) -> None:
    """As an agent ends a hook that it gives up; the command ends its own hooks."""
    command.terminate()
    try:
        command.wait(ENDING)
    except subprocess.TimeoutExpired:
        command.kill()


def said_by(code: int, out: bytes, err: bytes) -> Said:
    out_text, err_text = (text.decode("utf-8", "replace").strip() for text in (out, err))
    return Said(code, out_text, err_text, err_text if code else "")
