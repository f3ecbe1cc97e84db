"""A server at a URL, by streamable HTTP: each message is a POST, an answer is JSON or a stream of events.

Two forms of the protocol are spoken, as the client's messages say: with a session (until 2025-11-25), whose id the
server gives and whose GET stream carries what the server itself begins; and without (from 2026-07-28), where headers
repeat what a message says, and closing a stream cancels its request.
"""

from __future__ import annotations

import base64
import contextlib
import http.client
import re
import select
import socket
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET

from tenterhook.adapters.mcp.messages import (
    DECODER,
    VERSION,
    Doubtful,
    Key,
    RpcMessage,
    error_line,
    key_of,
    read_message,
    read_object,
)
from tenterhook.adapters.mcp.stdio import LARGEST, LAST_ANSWERS, ending_on_signals, pump
from tenterhook.clients.connection import context
from tenterhook.clients.hook_request import Failure, RequestTarget, parse_hook_url
from tenterhook.errors import UsageError
from tenterhook.version import __version__

if TYPE_CHECKING:
    from tenterhook.adapters.mcp.relay import McpRelay

# Seconds to connect and to send; of silence before a response counts as lost; and to end a session.
CONNECT, SILENCE, ENDING = 15.0, 600.0, 5.0
# Connections that are kept for the next message, and how often a broken stream is taken up again.
IDLE, RETRIES = 8, 3
# Seconds before that, unless the server says how many; and the most that it may say.
PAUSE, LONGEST_PAUSE = 1.0, 60.0
# Seconds that a stream may stay open after its answer, so that its connection is kept.
LINGER = 0.5
# Bytes of a body that says what went wrong.
DETAIL = 300
FAILED = -32000
# The param that a header repeats.
NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
SAFE = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?")
JSON, EVENTS = "application/json", "text/event-stream"


class HttpServer:
    """`relay.connect` takes `send`; `serve` passes what the client sends until the client has gone."""

    def __init__(self, url: str, headers: dict[str, str], relay: McpRelay) -> None:
        try:
            self.place: RequestTarget = parse_hook_url(url)
        except Failure as failure:
            raise UsageError(f"--url {url!r}: {failure.detail}") from None
        self.headers, self.relay = headers, relay
        self.session = self.version = ""
        self.lock = threading.Lock()
        self.idle: list[http.client.HTTPConnection] = []
        # Requests of the stateless protocol by id: to cancel one is to close its connection.
        self.open: dict[Key, http.client.HTTPConnection] = {}
        # Arguments that headers repeat, as the server's list of tools says.
        self.repeated: dict[str, dict[tuple[str, ...], str]] = {}
        self.over = threading.Event()

    def serve(self, client: int) -> int:
        def pass_to_server() -> None:
            try:
                pump(client, self.relay.from_client, None, self.relay.tell)
            finally:
                self.over.set()

        with ending_on_signals(self.over):
            threading.Thread(target=pass_to_server, daemon=True).start()
            self.over.wait()
        self.relay.wait(LAST_ANSWERS)
        self.end_session()
        self.relay.server_left("the client has gone")
        return 0

    # ---- a message to the server

    def send(self, line: bytes) -> None:
        """Post a message now, so that messages keep their order; its answer is read in a thread."""
        if not line.strip():
            return
        message = look_at(line)
        params = read_params(message)
        version = version_of(params)
        if message.method == "notifications/cancelled" and self.close_request(params.get("requestId")):
            return
        headers = self.headers_for(message, params, version)
        try:
            connection = self.connection()
            connection.request("POST", self.place.target, line.rstrip(b"\r\n"), headers)
        except (OSError, http.client.HTTPException) as exc:
            self.fail(message, f"{self.place.shown} cannot be reached: {exc}")
            return
        if version and message.key is not None:
            self.open[message.key] = connection
        threading.Thread(target=self.receive, args=(message, connection), name="tenterhook-post", daemon=True).start()

    def headers_for(self, message: RpcMessage, params: dict[str, Any], version: str) -> dict[str, str]:
        headers = {**self.own_headers(), "Content-Type": JSON, "Accept": f"{JSON}, {EVENTS}"}
        if message.method == "initialize":
            headers.pop("MCP-Protocol-Version", None)
            headers.pop("Mcp-Session-Id", None)
        if version:
            headers |= {"MCP-Protocol-Version": version, "Mcp-Method": header_value(str(message.method))}
            name = params.get(NAMED.get(str(message.method), ""))
            if isinstance(name, str):
                headers["Mcp-Name"] = header_value(name)
            if message.method == "tools/call" and isinstance(name, str):
                headers |= repeated_arguments(self.repeated.get(name, {}), params.get("arguments"))
        return headers

    def own_headers(self) -> dict[str, str]:
        """The user's headers come last: they may replace ours."""
        made = {"User-Agent": f"tenterhook/{__version__}"}
        if self.session:
            made["Mcp-Session-Id"] = self.session
        if self.version:
            made["MCP-Protocol-Version"] = self.version
        return {**made, **self.headers}

    def close_request(self, id: Any) -> bool:
        """Whether a request of the stateless protocol with this id was open."""
        key = key_of(id)
        connection = self.open.pop(key, None) if key is not None else None
        if connection is None:
            return False
        shut_down(connection)
        return True

    def connection(self) -> http.client.HTTPConnection:
        """A connection that the server has not closed, or a new one."""
        while True:
            with self.lock:
                connection = self.idle.pop() if self.idle else None
            if connection is None:
                break
            if connection.sock is not None and not select.select([connection.sock], [], [], 0)[0]:
                connection.sock.settimeout(SILENCE)
                return connection
            connection.close()
        place = self.place
        if place.tls:
            made: http.client.HTTPConnection = http.client.HTTPSConnection(
                place.host, place.port, timeout=CONNECT, context=context()
            )
        else:
            made = http.client.HTTPConnection(place.host, place.port, timeout=CONNECT)
        made.connect()
        made.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        made.sock.settimeout(SILENCE)
        return made

    def keep(self, connection: http.client.HTTPConnection) -> None:
        with self.lock:
            if connection.sock is not None and len(self.idle) < IDLE:
                self.idle.append(connection)
                return
        connection.close()

    # ---- what the server answers

    def receive(self, message: RpcMessage, connection: http.client.HTTPConnection) -> None:
        try:
            response = connection.getresponse()
            self.take_response(message, response)
            if is_read_to_its_end(connection, response):
                self.keep(connection)
            else:
                connection.close()
        except (OSError, http.client.HTTPException, ValueError) as exc:
            connection.close()
            cancelled = (
                message.key is not None and bool(version_of(read_params(message))) and message.key not in self.open
            )
            if not self.over.is_set() and not cancelled:
                self.fail(message, f"the server's answer did not arrive: {exc or type(exc).__name__}")
        finally:
            if message.key is not None:
                self.open.pop(message.key, None)

    def take_response(self, message: RpcMessage, response: http.client.HTTPResponse) -> None:
        kind = (response.getheader("Content-Type") or "").partition(";")[0].strip().lower()
        if message.method == "initialize" and 200 <= response.status < 300:
            self.session = response.getheader("Mcp-Session-Id") or ""
        if response.status in (202, 204):
            response.read(DETAIL)
        elif response.status == 200 and kind == EVENTS:
            self.take_stream(message, response)
        elif response.status == 200 and kind == JSON:
            body = read_all(response)
            if body.strip():
                self.take_line(message, body)
        else:
            self.take_refusal(message, response)
        if message.method == "notifications/initialized" and response.status < 300:
            threading.Thread(target=self.listen, name="tenterhook-listen", daemon=True).start()

    def take_refusal(self, message: RpcMessage, response: http.client.HTTPResponse) -> None:
        """A status that is no success; a JSON-RPC error in its body says best what is wrong."""
        body = response.read(1 << 20)
        try:
            found = DECODER.decode(body)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            found = RpcMessage()
        if found.error is not UNSET and found.key is not None and found.key == message.key:
            self.take_line(message, body)
            return
        text = f"the server answered {response.status} {response.reason}"
        if found.error is not UNSET:
            text += f": {read_object(found.error).get('message', '')}"
        elif 300 <= response.status < 400:
            text += f"; give --url {response.getheader('Location') or 'its new address'} instead"
        elif response.status in (401, 403):
            text += "; it may need --header 'Authorization: Bearer ${TOKEN}'"
        elif response.status == 404 and self.session:
            text += ": the session has ended; the client has to connect again"
        elif detail := body[:DETAIL].decode("utf-8", "replace").strip():
            text += f": {detail}"
        self.fail(message, text)

    def take_stream(self, message: RpcMessage, response: http.client.HTTPResponse) -> None:
        """Events until the answer is there; a stream that breaks off is taken up again where it ended."""
        events = EventStream(response)
        for attempt in range(RETRIES + 1):
            for data in events:
                if self.take_line(message, data):
                    return
            if message.key is None or self.over.is_set():
                return
            if not events.last_id or attempt == RETRIES or self.over.wait(events.pause):
                break
            again = self.get_stream(events.last_id)
            if again is None:
                break
            response = events.response = again
        if message.key is not None and message.is_request:
            raise http.client.HTTPException("the stream ended without it")

    def take_line(self, message: RpcMessage, data: bytes) -> bool:
        """Hand one message of the server to the relay; returns whether it answers this request."""
        line = data.replace(b"\r", b" ").replace(b"\n", b" ").strip() + b"\n"
        try:
            found = read_message(line)
        except Doubtful:
            found = RpcMessage()
        answers = found.is_response and found.key is not None and found.key == message.key
        if answers and message.method == "initialize" and found.result is not UNSET:
            self.version = str(read_object(found.result).get("protocolVersion", ""))
        if answers and message.method == "tools/list" and b"x-mcp-header" in line and found.result is not UNSET:
            self.repeated |= repeated_of(read_object(found.result))
        self.relay.from_server(line)
        return answers

    def fail(self, message: RpcMessage, text: str) -> None:
        if message.is_request:
            self.relay.from_server(error_line(message.id, FAILED, text))
        else:
            self.relay.tell(text)

    # ---- what the server begins by itself

    def listen(self) -> None:
        """The GET stream, until the server does not want it."""
        last_id, failures = "", 0
        while not self.over.is_set() and failures <= RETRIES:
            response = self.get_stream(last_id)
            if response is None:
                return
            events = EventStream(response)
            events.last_id = last_id
            failures += 1
            with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
                for data in events:
                    failures = 0
                    self.take_line(RpcMessage(), data)
            last_id = events.last_id
            self.over.wait(events.pause)

    def get_stream(self, last_id: str) -> http.client.HTTPResponse | None:
        headers = {**self.own_headers(), "Accept": EVENTS}
        if last_id:
            headers["Last-Event-ID"] = last_id
        try:
            connection = self.connection()
            connection.request("GET", self.place.target, headers=headers)
            connection.sock.settimeout(None)  # a server may have nothing to say for hours
            connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            response = connection.getresponse()
        except (OSError, http.client.HTTPException):
            return None
        kind = (response.getheader("Content-Type") or "").partition(";")[0].strip().lower()
        if response.status == 200 and kind == EVENTS:
            return response
        connection.close()
        return None

    def end_session(self) -> None:
        if not self.session:
            return
        with contextlib.suppress(OSError, http.client.HTTPException):
            connection = self.connection()
            connection.sock.settimeout(ENDING)
            connection.request("DELETE", self.place.target, headers=self.own_headers())
            connection.getresponse().read(DETAIL)
            connection.close()


class EventStream:
    """The data of a stream's events. `last_id` and `pause` say how to take it up again."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.response = response
        self.last_id, self.pause = "", PAUSE

    def __iter__(self) -> Iterator[bytes]:
        data: list[bytes] = []
        size = 0
        while line := self.response.readline(LARGEST):
            text = line.rstrip(b"\r\n")
            size += len(text)
            if size > LARGEST or (len(line) == LARGEST and not line.endswith(b"\n")):
                raise ValueError(f"an event is longer than {LARGEST >> 20} MB")
            if not text:
                whole = b"\n".join(data)
                data, size = [], 0
                if whole.strip():
                    yield whole
                continue
            name, _, value = text.partition(b":")
            value = value.removeprefix(b" ")
            if name == b"data":
                data.append(value)
            elif name == b"id" and b"\0" not in value:
                self.last_id = value.decode("latin-1")
            elif name == b"retry" and value.isdigit():
                self.pause = min(int(value) / 1000, LONGEST_PAUSE)


def shut_down(connection: http.client.HTTPConnection) -> None:
    """Make the thread that reads from it see the end."""
    if sock := connection.sock:
        with contextlib.suppress(OSError):
            socket.socket.shutdown(sock, socket.SHUT_RDWR)


def is_read_to_its_end(connection: http.client.HTTPConnection, response: http.client.HTTPResponse) -> bool:
    """Whether the connection can take another message: a stream usually ends right after its answer."""
    if response.will_close or connection.sock is None:
        return False
    connection.sock.settimeout(LINGER)
    with contextlib.suppress(OSError, http.client.HTTPException):
        return response.isclosed() or response.read(1) == b""
    return False


def read_all(response: http.client.HTTPResponse) -> bytes:
    body = response.read(LARGEST + 1)
    if len(body) > LARGEST:
        raise ValueError(f"it is longer than {LARGEST >> 20} MB")
    response.read()  # the end of the last chunk
    return body


def look_at(line: bytes) -> RpcMessage:
    """What the line says of itself; the relay has checked it, or no hook listens."""
    try:
        message = DECODER.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        message = RpcMessage()
    return message


def read_params(message: RpcMessage) -> dict[str, Any]:
    try:
        return message.read_params()
    except Doubtful:
        return {}


def version_of(params: dict[str, Any]) -> str:
    """The version that a request of the stateless protocol says; empty for all others."""
    meta = params.get("_meta")
    version = meta.get(VERSION) if isinstance(meta, dict) else None
    return version if isinstance(version, str) and SAFE.fullmatch(version) else ""


def header_value(text: str) -> str:
    """As the protocol wants a text that a header cannot hold as it is."""
    if SAFE.fullmatch(text) and not (text.startswith("=?base64?") and text.endswith("?=")):
        return text
    return f"=?base64?{base64.b64encode(text.encode()).decode()}?="


def repeated_of(result: dict[str, Any]) -> dict[str, dict[tuple[str, ...], str]]:
    """For each tool the paths of arguments that headers repeat, with the names of the headers."""
    found = {}
    for tool in result.get("tools", ()):
        if isinstance(tool, dict) and isinstance(tool.get("name"), str):
            found[tool["name"]] = dict(repeated_in(tool.get("inputSchema"), ()))
    return found


def repeated_in(schema: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    if not isinstance(schema, dict):
        return
    token = schema.get("x-mcp-header")
    if path and isinstance(token, str) and re.fullmatch(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+", token):
        yield path, f"Mcp-Param-{token}"
    properties = schema.get("properties")
    for name, inner in properties.items() if isinstance(properties, dict) else ():
        yield from repeated_in(inner, (*path, name))


def repeated_arguments(paths: dict[tuple[str, ...], str], arguments: Any) -> dict[str, str]:
    headers = {}
    for path, header in paths.items():
        value = arguments
        for name in path:
            value = value.get(name) if isinstance(value, dict) else None
        if isinstance(value, bool):
            headers[header] = "true" if value else "false"
        elif isinstance(value, str | int | float):
            headers[header] = header_value(str(value))
    return headers
