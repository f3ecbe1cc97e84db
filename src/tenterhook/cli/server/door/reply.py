"""The reply to an agent as an HTTP response.

An http hook has no exit code and no stderr: agents read a JSON object, and take any status but 2xx for a failure. So a
refusal that a process would make by its exit code is an error here, which an entry that fails closed refuses by.
"""

from __future__ import annotations

from http import HTTPStatus

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.author.forms import Said

JSON, TEXT = "application/json", "text/plain; charset=utf-8"
# What an agent reads that nothing is to be said to.
NOTHING = "{}"
# How much of a text a response holds, where the text is not the answer.
LONGEST = 4000


def response(status: int, kind: str, text: str, *headers: str) -> bytes:
    body = text.encode("utf-8", "backslashreplace")
    lines = [
        f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
        f"Content-Type: {kind}",
        f"Content-Length: {len(body)}",
        "Cache-Control: no-store",
        "X-Content-Type-Options: nosniff",
        "Connection: close",
        *headers,
    ]
    return "\r\n".join([*lines, "", ""]).encode() + body


def refusal(status: int, text: str) -> bytes:
    more = {401: ["WWW-Authenticate: Bearer"], 405: ["Allow: POST"]}
    return response(status, TEXT, f"tenter: {text[:LONGEST]}\n", *more.get(status, ()))


def answer(said: Said) -> bytes:
    """What `tenter run` would print and exit with."""
    if said.code:
        return refusal(HTTPStatus.FORBIDDEN, said.refusal or said.err or said.out or f"exit code {said.code}")
    text = said.out.strip()
    if text and not text.startswith("{"):
        return response(HTTPStatus.OK, TEXT, text)
    return response(HTTPStatus.OK, JSON, text or NOTHING)
