"""One HTTP request, read within bounds. Whatever is not as it must be is refused before anything runs."""

from __future__ import annotations

import hmac
import re
import socket
import time
from urllib.parse import parse_qsl

from tenterhook.support.http_door import AGENT, CANARY_HEADER, HOST, PATH, QUERY, VARIABLE

# The largest head and body, and the seconds that each may take.
HEAD, BODY = 16 << 10, 64 << 20
HEAD_SECONDS, BODY_SECONDS = 5.0, 30.0
CHUNK = 1 << 16
NAMES = (HOST, "localhost", "[::1]")
LINE = re.compile(r"([A-Z]+) (/[!-~]*) HTTP/1\.[01]")
HEADER = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\r\n\0]*)")
WORD = re.compile(r"[A-Za-z0-9_.@,-]{1,200}")
MARK = re.compile(r"[0-9A-Za-z]{1,64}")
# Headers that must not stand twice.
SINGLE = ("host", "content-length", "authorization", "content-type", "origin")
NO_TOKEN = (
    f"no token came with the call: the agent has no variable {VARIABLE}. It stands in the file that `tenter install "
    "--http` names; start the agent anew after an install"
)
WRONG_TOKEN = (
    "the token is not the one of this server: install again with `tenter install --http`, and start the agent anew. "
    "Nothing was run"
)


class Refused(Exception):
    """Why a request is not served, with its HTTP status."""

    def __init__(self, status: int, text: str, *, unknown: bool = False) -> None:
        super().__init__(text)
        self.status, self.text = status, text
        # Whether the caller did not know the token.
        self.unknown = unknown


class CallerLeft(Exception):
    """The caller hung up."""


class HookRequest:
    """A request of an agent: the words after `tenter`, and the event."""

    __slots__ = ("body", "canary", "words")

    def __init__(self, words: list[str], body: bytes, canary: str) -> None:
        self.words, self.body, self.canary = words, body, canary


def read_request(wire: socket.socket, port: int, token: str) -> HookRequest:
    """The request, or Refused; CallerLeft if nothing came, or not all of it."""
    method, target, headers, rest = read_head(wire)
    check_caller(headers, port, token)
    words = words_of(method, target)
    canary = headers.get(CANARY_HEADER.lower(), "")
    if canary and not MARK.fullmatch(canary):
        raise Refused(400, f"{CANARY_HEADER} must be letters and digits")
    size = body_size(headers)
    if headers.get("expect", "").lower() == "100-continue":
        wire.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
    return HookRequest(words, read_body(wire, rest, size), canary)


def read_head(wire: socket.socket) -> tuple[str, str, dict[str, str], bytes]:
    until, data = time.monotonic() + HEAD_SECONDS, b""
    while b"\r\n\r\n" not in data:
        if len(data) > HEAD:
            raise Refused(431, f"the request's headers are larger than {HEAD:,} bytes")
        part = receive(wire, until, f"the request's headers did not come within {HEAD_SECONDS:g} s")
        if not part:
            raise CallerLeft
        data += part
    head, _, rest = data.partition(b"\r\n\r\n")
    if len(head) > HEAD:
        raise Refused(431, f"the request's headers are larger than {HEAD:,} bytes")
    first, *lines = head.decode("latin-1").split("\r\n")
    start = LINE.fullmatch(first)
    if not start:
        raise Refused(400, "this is no HTTP/1.1 request")
    return start[1], start[2], headers_in(lines), rest


def headers_in(lines: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in lines:
        header = HEADER.fullmatch(line)
        if not header:
            raise Refused(400, "a header of the request cannot be read")
        name = header[1].lower()
        if name in found and name in SINGLE:
            raise Refused(400, f"the header {name} stands twice")
        found[name] = header[2].strip()
    return found


def check_caller(headers: dict[str, str], port: int, token: str) -> None:
    """Whether a program of this user calls: no web page, no name that was bent to this address, and the token."""
    host = headers.get("host", "")
    if host.lower() not in {f"{name}:{port}" for name in NAMES}:
        raise Refused(421, f"call http://{HOST}:{port}: the Host header says {host[:100]!r}", unknown=True)
    if "origin" in headers:
        raise Refused(403, "a web page called: requests with an Origin header are refused", unknown=True)
    scheme, _, given = headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not given.strip():
        raise Refused(401, NO_TOKEN, unknown=True)
    if not hmac.compare_digest(given.strip().encode("latin-1"), token.encode()):
        raise Refused(401, WRONG_TOKEN, unknown=True)
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Refused(415, f"the event must come as application/json, not {kind[:100] or 'nothing'!r}")


def words_of(method: str, target: str) -> list[str]:
    """The words of `tenter run`, as the URL says them."""
    path, _, query = target.partition("?")
    if path != PATH:
        raise Refused(404, f"only {PATH} is here, not {path[:100]}")
    if method != "POST":
        raise Refused(405, f"only POST is answered, not {method[:20]}")
    found: dict[str, str] = {}
    for name, value in parse_qsl(query, keep_blank_values=True):
        if name not in QUERY or name in found or not WORD.fullmatch(value):
            raise Refused(400, f"{name[:40]}={value[:40]} in the URL: {', '.join(QUERY)} may stand there, each once")
        found[name] = value
    if AGENT not in found:
        raise Refused(400, f"the URL must say which agent calls: {PATH}?agent=NAME")
    return ["run", *(word for name in QUERY if name in found for word in (f"--{name}", found[name]))]


def body_size(headers: dict[str, str]) -> int:
    if "transfer-encoding" in headers:
        raise Refused(411, "send the event with a Content-Length, not in chunks")
    length = headers.get("content-length", "")
    if not length.isascii() or not length.isdecimal() or len(length) > 20:
        raise Refused(411, "the request has no Content-Length")
    if int(length) > BODY:
        raise Refused(413, f"the event is larger than {BODY:,} bytes")
    return int(length)


def read_body(wire: socket.socket, rest: bytes, size: int) -> bytes:
    until, body = time.monotonic() + BODY_SECONDS, bytearray(rest[:size])
    while len(body) < size:
        part = receive(wire, until, f"the event did not come within {BODY_SECONDS:g} s", size - len(body))
        if not part:
            raise CallerLeft
        body += part
    return bytes(body)


def receive(wire: socket.socket, until: float, late: str, most: int = CHUNK) -> bytes:
    left = until - time.monotonic()
    if left <= 0:
        raise Refused(408, late)
    wire.settimeout(left)
    try:
        return wire.recv(min(most, CHUNK))
    except TimeoutError:
        raise Refused(408, late) from None
    except OSError:
        raise CallerLeft from None
