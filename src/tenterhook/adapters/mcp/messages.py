"""JSON-RPC messages as bytes: what a line says of itself, without decoding the rest of it."""

from __future__ import annotations

import json
from typing import Any

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

INVALID_REQUEST, PARSE_ERROR, REFUSED = -32600, -32700, -32000
# The code that the protocol has for a user who rejects a sampling request.
REJECTED = -1
# The members of a message. One in other letters, or twice, could be read in another way by the server.
MEMBERS = frozenset(("jsonrpc", "id", "method", "params", "result", "error"))
# The params that say what a guarded request is about.
NAMES = frozenset(("name", "arguments", "uri"))
# Where a request of the stateless protocol says what earlier versions agree on when they begin.
VERSION = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"

Id = int | float | str
Key = tuple[bool, Id]


class Doubtful(Exception):
    """A message that two readers could understand in two ways, or one that is not a message."""

    def __init__(self, text: str, code: int = INVALID_REQUEST, id: Id | None = None) -> None:
        super().__init__(text)
        self.code, self.id = code, id


class RpcMessage(Struct):
    """The members of one message; values that nobody has asked for are still text."""

    id: Id | UnsetType | None = UNSET
    method: str | UnsetType = UNSET
    params: Raw | UnsetType = UNSET
    result: Raw | UnsetType = UNSET
    error: Raw | UnsetType = UNSET
    line: bytes = b""

    @property
    def is_request(self) -> bool:
        return self.method is not UNSET and self.id is not UNSET

    @property
    def is_response(self) -> bool:
        return self.method is UNSET and (self.result is not UNSET or self.error is not UNSET)

    @property
    def key(self) -> Key | None:
        """Its id for a table: the text "1" is not the number 1."""
        return key_of(self.id)

    def read_params(self) -> dict[str, Any]:
        """The decoded params; empty if there are none."""
        return {} if self.params is UNSET else read_object(self.params)


DECODER = msgspec.json.Decoder(RpcMessage)


def key_of(id: Any) -> Key | None:
    return (isinstance(id, str), id) if isinstance(id, Id) and not isinstance(id, bool) else None


def read_message(line: bytes) -> RpcMessage:
    """The message in a line. Raises Doubtful if it is none, or if another reader may see another one in it."""
    try:
        message = DECODER.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        message = read_loosely(line)
    message.line = line
    if line.lower().count(b'"method"') > 1 or b"\\u00" in line:
        check_members(line)
    if message.method is UNSET and not message.is_response:
        raise Doubtful("this is not a JSON-RPC message", id=id_of(message))
    return message


def read_loosely(line: bytes) -> RpcMessage:
    """Other readers accept more than JSON allows, such as NaN; they must not read what hooks do not see."""
    try:
        found = json.loads(line.decode("utf-8", "surrogateescape"))
    except (ValueError, RecursionError):
        raise Doubtful("this is not JSON", PARSE_ERROR) from None
    if not isinstance(found, dict):
        raise Doubtful("this is not a JSON-RPC message")
    id, method = found.get("id", UNSET), found.get("method", UNSET)
    if (id is not UNSET and key_of(id) is None and id is not None) or not isinstance(method, str | UnsetType):
        raise Doubtful("the id of a message is a text or a number, and its method a text")
    rest = {name: Raw(json.dumps(found[name]).encode()) for name in ("params", "result", "error") if name in found}
    return RpcMessage(id, method, **rest)


def check_members(line: bytes) -> None:
    every = pairs_of(line)
    pairs = every[-1] if every else []
    known = [name.lower() for name, _ in pairs if name.lower() in MEMBERS]
    if len(known) != len(set(known)) or any(name not in MEMBERS and name.lower() in MEMBERS for name, _ in pairs):
        raise Doubtful("a member of this message stands twice, or in other letters")


def check_params(message: RpcMessage) -> None:
    """No name of a guarded request may stand twice, at any depth: hooks would see one value and the server another."""
    every = [] if message.params is UNSET else pairs_of(bytes(message.params))
    for pairs in every:
        if len({name for name, _ in pairs}) != len(pairs):
            raise Doubtful("a name stands twice in the params", id=id_of(message))
    top = [name for name, _ in every[-1]] if every else []
    if any(name not in NAMES and name.lower() in NAMES for name in top):
        raise Doubtful("a name of the params stands in other letters", id=id_of(message))


def id_of(message: RpcMessage) -> Id | None:
    return None if message.id is UNSET else message.id


def pairs_of(text: bytes) -> list[list[tuple[str, Any]]]:
    """The names and values of every object, the outermost last."""
    found: list[list[tuple[str, Any]]] = []

    def keep(pairs: list[tuple[str, Any]]) -> None:
        found.append(pairs)

    try:
        json.loads(text.decode("utf-8", "surrogateescape"), object_pairs_hook=keep)
    except (ValueError, RecursionError):
        raise Doubtful("this is not JSON", PARSE_ERROR) from None
    return found


def read_object(raw: Any) -> dict[str, Any]:
    try:
        found = msgspec.json.decode(raw)
    except msgspec.MsgspecError:
        try:
            found = json.loads(bytes(raw))
        except ValueError:
            raise Doubtful("this is not JSON", PARSE_ERROR) from None
    if not isinstance(found, dict):
        raise Doubtful("params and results are objects")
    return found


def members_of(raw: Any) -> dict[str, Raw]:
    """The members of an object, still as text, so that what is not changed keeps its bytes."""
    try:
        return msgspec.json.decode(raw, type=dict[str, Raw])
    except msgspec.MsgspecError:
        return {name: Raw(json.dumps(value).encode()) for name, value in read_object(raw).items()}


def is_waiting_for_input(response: RpcMessage) -> bool:
    """Whether a result is a question to the client, not yet the answer."""
    if response.result is UNSET or b"resultType" not in bytes(response.result):
        return False
    return read_object(response.result).get("resultType") == "input_required"


def request_line(id: Any, method: str, params: Any) -> bytes:
    return msgspec.json.encode({"jsonrpc": "2.0", "id": id, "method": method, "params": params}) + b"\n"


def notification_line(method: str, params: Any) -> bytes:
    return msgspec.json.encode({"jsonrpc": "2.0", "method": method, "params": params}) + b"\n"


def result_line(id: Any, result: Any) -> bytes:
    return msgspec.json.encode({"jsonrpc": "2.0", "id": id, "result": result}) + b"\n"


def error_line(id: Any, code: int, text: str) -> bytes:
    return msgspec.json.encode({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": text}}) + b"\n"


def batch_of(line: bytes) -> list[bytes] | None:
    """The messages of a batch, a line each; None if the line is not a batch."""
    if line.lstrip()[:1] != b"[":
        return None
    try:
        return [bytes(one) + b"\n" for one in msgspec.json.decode(line, type=list[Raw])]
    except msgspec.MsgspecError:
        raise Doubtful("this is not JSON", PARSE_ERROR) from None
