"""A hook's request to a URL: what is sent, where it may go, and what of the response is the answer.

Where anything is not as it must be the hook has failed, and nothing that the server said counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from tenterhook.clients.connection import Connection, TooMuch
from tenterhook.clients.ip_rules import AddressRefused
from tenterhook.pipeline.answer import SIZE, STRING, read
from tenterhook.support.secrets.mask import SECRET, mask_secret_values
from tenterhook.types import Attempt, Hook, Job
from tenterhook.version import __version__

if TYPE_CHECKING:
    from http.client import HTTPResponse

CONNECT, TOTAL = 5.0, 60.0
# A body is read in pieces. WIRE is what may cross the wire for each, frames of chunks included, and for all headers.
PIECE, WIRE = 1 << 20, 4 << 20
# A body that is not an answer: how much of it is read, for how many seconds, and how much is kept.
GLANCE, GLANCE_SECONDS, KEPT = 1 << 16, 1.0, 1000
DETAIL = 300
# The interim status after which the connection does not speak HTTP any more.
SWITCHING = 101
# A shorter value is not a secret, and hiding it would tear up words.
SHORTEST = 6

CONTROL = re.compile("[\x00-\x1f\x7f]")
HOST = re.compile(r"[0-9a-z._:-]+")
TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
VARIABLE = re.compile(r"\$(?:\{([^}]*)\}|([A-Za-z_][A-Za-z0-9_]*)|\$)")
COLON = re.compile(r"\s*:")
IN_A_PATH = "/?%:@!$&'()*+,;=~-._[]"
OURS = ("host", "content-length", "transfer-encoding", "connection", "accept-encoding")
SECRET_HEADERS = ("AUTHORIZATION", "COOKIE", "AUTH", *SECRET)


class Failure(Exception):
    """Why a call gives no answer. `body` is what the server sent instead of one."""

    def __init__(self, error: str, detail: str, body: str = "") -> None:
        super().__init__(detail)
        self.error, self.detail, self.body = error, detail, body


class RequestTarget(Struct, frozen=True):
    """Where a URL leads. `shown` leaves out its query, which may hold secrets."""

    tls: bool
    host: str
    port: int
    netloc: str
    target: str
    shown: str


class Carried(Struct, frozen=True):
    """Headers, and the values in them: all of them, and those that are probably secrets."""

    headers: dict[str, str] = {}
    values: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()


def send_hook_request(job: Job, line: Connection) -> Attempt:
    hook = job.hook
    source = str(hook.source)
    carried = Carried()
    try:
        place = parse_hook_url(hook.spec["main"])
        carried = fill_headers(hook.spec.get("headers", {}), usable(hook, job.given.event.environ))
        text = redact_response(exchange_request(place, carried.headers, job.stdin(), hook, line), carried.secrets)
        return Attempt(hook.name, hook.handler, source, 0, seconds=line.seconds, stdout=text)
    except Failure as failure:
        detail = one_line(mask_secret_values(failure.detail, carried.values))
        body = mask_secret_values(failure.body, carried.values)[:KEPT]
        return Attempt(
            hook.name, hook.handler, source, error=failure.error, detail=detail, seconds=line.seconds, stderr=body
        )
    finally:
        line.close()


# ---- what is sent, and where


def parse_hook_url(url: str) -> RequestTarget:
    """Where the URL leads. Nothing in it is expanded."""
    from urllib.parse import quote, urlsplit

    if CONTROL.search(url):  # which urlsplit would drop, or pass on
        raise Failure("network", "the URL holds a control character")
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").encode("idna").decode().removesuffix("."), parts.port
    except ValueError:
        raise Failure("network", "the URL cannot be read: look at its host and its port") from None
    if parts.scheme not in ("http", "https"):
        raise Failure("network", f"the URL must begin with http:// or https://, not {parts.scheme or 'nothing'!r}")
    if parts.username is not None or parts.password is not None:
        raise Failure("network", "the URL holds a user and a password; send them in `headers`")
    if not HOST.fullmatch(host) or port == 0:
        raise Failure("network", f"the URL names no {'port' if port == 0 else 'host'} that could be reached")
    tls = parts.scheme == "https"
    netloc = f"[{host}]" if ":" in host else host
    netloc += f":{port}" if port else ""
    path, query = (quote(text, safe=IN_A_PATH, errors="replace") for text in (parts.path or "/", parts.query))
    target = f"{path}?{query}" if query else path
    return RequestTarget(tls, host, port or (443 if tls else 80), netloc, target, f"{parts.scheme}://{netloc}{path}")


def variables(hook: Hook, environ: Mapping[str, str]) -> dict[str, str | None]:
    """The variables that headers may use; None where one is listed and not set."""
    return {name: environ.get(name) if value is None else value for name, value in hook.env.items()}


def usable(hook: Hook, environ: Mapping[str, str]) -> dict[str, str | None]:
    """The same, and where the dialect has it so: those that are not listed, or not set, as empty texts."""
    listed = variables(hook, environ)
    if hook.spec.get("unlisted") != "empty":
        return listed
    used = {name for text in hook.spec.get("headers", {}).values() for name in names_in(text)}
    return {**dict.fromkeys(used, ""), **{name: value or "" for name, value in listed.items()}}


def name_of(found: re.Match[str]) -> str:
    return "$" if found[0] == "$$" else found[1] or found[2] or ""


def names_in(text: str) -> set[str]:
    """The variables that a header's value uses."""
    return {name_of(found) for found in VARIABLE.finditer(text)} - {"$"}


def fill_headers(headers: Mapping[str, str], values: Mapping[str, str | None]) -> Carried:
    """The headers, with the variables' values put in. One that cannot be sent as it stands fails the hook."""
    sent: dict[str, str] = {}
    secret: list[str] = []
    for name, text in headers.items():
        check_name(name, sent)
        used = {variable: require_header_variable(name, variable, values) for variable in names_in(text)}
        value = substitute_variables(text, {"$": "$", **used})
        if CONTROL.search(value) or any(ord(character) > 255 for character in value):
            raise Failure("network", f"the header {name} holds a line break or another character that it cannot hold")
        sent[name] = value
        private = name.upper().endswith(SECRET_HEADERS)
        secret += [value, value.rpartition(" ")[2]] if private else []
        secret += [one for variable, one in used.items() if private or variable.upper().endswith(SECRET)]
    every = (*secret, *sent.values(), *(value or "" for value in values.values()))
    return Carried(sent, in_all_forms(every), in_all_forms(secret))


def check_name(name: str, before: Iterable[str]) -> None:
    if not TOKEN.fullmatch(name):
        raise Failure("network", f"{name!r} is not the name of a header")
    if name.lower() in OURS:
        raise Failure("network", f"the header {name} is not for a hook to set; take it out of `headers`")
    if name.lower() in map(str.lower, before):
        raise Failure("network", f"the header {name} is given twice; take one out of `headers`")


def substitute_variables(text: str, values: Mapping[str, str]) -> str:
    return VARIABLE.sub(lambda found: values[name_of(found)], text)


def require_header_variable(header: str, variable: str, values: Mapping[str, str | None]) -> str:
    if variable not in values:
        advice = "add it to the entry's list of variables"
        raise Failure("network", f"the header {header} uses ${variable}, which the entry does not list; {advice}")
    value = values[variable]
    if value is None:
        raise Failure("network", f"the header {header} uses ${variable}, which is not set in the host's environment")
    return value


def in_all_forms(values: Iterable[str]) -> tuple[str, ...]:
    """As they are, as JSON and as a URL would hold them; the longest first, so that no part of one is left over."""
    from json import dumps
    from urllib.parse import quote

    long = {value for value in values if len(value) >= SHORTEST}
    forms = {form for value in long for form in (value, dumps(value)[1:-1], quote(value, safe=""))}
    return tuple(sorted(forms, key=len, reverse=True))


# ---- the call


def exchange_request(
    place: RequestTarget, headers: Mapping[str, str], body: bytes, hook: Hook, line: Connection
) -> str:
    """The answer's text. Every other end is a Failure."""
    from http.client import HTTPException

    within = hook.spec.get("connect_timeout", CONNECT)
    allowed = {name: bool(hook.spec.get(name)) for name in ("loopback", "private")}
    try:
        line.open(place.host, place.port, tls=place.tls, within=within, **allowed)
        return answer(response_to(place, headers, body, line), place, line)
    except AddressRefused as exc:
        raise Failure("network", f"{exc} (for {place.shown})") from None
    except TimeoutError:
        raise Failure("timeout", late(place, within, line)) from None
    except TooMuch:
        raise Failure("output", f"{place.shown} sent more than {WIRE:,} bytes beside its answer") from None
    except OSError as exc:
        raise Failure("network", f"{trouble(exc, place, line)} (for {place.shown})") from None
    except HTTPException as exc:
        raise Failure("network", f"{place.shown} did not send an HTTP response: {type(exc).__name__}") from None


def response_to(place: RequestTarget, headers: Mapping[str, str], body: bytes, line: Connection) -> HTTPResponse:
    from http.client import HTTPConnection, HTTPResponse

    given = {name.lower() for name in headers}
    usual = {"Content-Type": "application/json", "User-Agent": f"tenterhook/{__version__}"}
    usual = {name: value for name, value in usual.items() if name.lower() not in given}
    ours = {"Host": place.netloc, "Accept-Encoding": "identity", "Connection": "close"}
    connection = HTTPConnection(place.host, place.port)
    connection.sock = line
    connection.request("POST", place.target, body, {**ours, **usual, **headers})
    response = HTTPResponse(line, method="POST")  # type: ignore[arg-type]
    response.begin()
    while 100 < response.status < 200 and response.status != SWITCHING:
        response.headers = None  # type: ignore[assignment] # of interim responses http.client passes over 100 alone
        response.begin()
    return response


def answer(response: HTTPResponse, place: RequestTarget, line: Connection) -> str:
    status = response.status
    if 300 <= status < 400:
        where = f" to {response.headers['location']}" if response.headers["location"] else ""
        raise Failure("network", f"redirects are not followed: {status}{where} from {place.shown}")
    if not 200 <= status < 300:
        raise Failure("network", f"HTTP {status} from {place.shown}", glance(response, line))
    encoding = response.headers.get("content-encoding", "identity")
    if encoding.lower() != "identity":
        raise Failure("output", f"{place.shown} encoded its response ({encoding}), although the request forbids that")
    body = body_of(response, place, line)
    if response.length:
        raise Failure("network", f"the response of {place.shown} broke off, {response.length:,} bytes before its end")
    text = body.decode("utf-8", "replace")
    reading = read(text, twice=False)
    if reading.found is None:
        why = f": {reading.problem}" if reading.problem else ""
        what = f"is not one JSON object{why}" if body.strip() else "is empty"
        raise Failure("output", f"the response of {place.shown} {what}; send {{}} to decide nothing", text[:GLANCE])
    return text


def body_of(response: HTTPResponse, place: RequestTarget, line: Connection) -> bytes:
    parts, size = [b""], response.length or 0
    while size <= SIZE:
        line.allow(WIRE)
        parts.append(response.read(PIECE))
        size = sum(map(len, parts))
        if not parts[-1]:
            return b"".join(parts)
    raise Failure("output", f"the response of {place.shown} is larger than {SIZE:,} bytes")


def glance(response: HTTPResponse, line: Connection) -> str:
    """The beginning of a body that is not an answer. Errors are ignored here: the status is reported already."""
    from http.client import HTTPException

    line.hurry(GLANCE_SECONDS)
    try:
        return response.read(GLANCE).decode("utf-8", "replace")
    except (OSError, HTTPException, TooMuch):
        return ""


def late(place: RequestTarget, within: float, line: Connection) -> str:
    if line.connected or within >= line.total or line.seconds >= line.total:
        return f"no answer from {place.shown} within {line.total:g} s: make it faster or raise the hook's timeout"
    return f"no connection to {place.shown} within {within:g} s; `connect_timeout` says how long it may take"


def trouble(exc: OSError, place: RequestTarget, line: Connection) -> str:
    """One line for people: why there was no connection, or no longer one."""
    if invalid := getattr(exc, "verify_message", ""):
        return f"the certificate of {place.host} is not valid: {invalid}"
    if reason := getattr(exc, "reason", ""):
        return f"no TLS with {place.host}: {reason}"
    if isinstance(exc, ConnectionRefusedError):
        return f"no server listens at {place.netloc}; start the server or correct the URL"
    what = exc.strerror or str(exc) or type(exc).__name__
    return f"the connection broke off: {what}" if line.connected else f"{place.host} cannot be reached: {what}"


# ---- secrets


def redact_response(text: str, secrets: tuple[str, ...]) -> str:
    """An answer without the secrets that were sent; its keys stay, and values that are not text cannot be hidden."""
    if not secrets or not ("\\" in text or any(secret in text for secret in secrets)):
        return text
    from json import dumps, loads

    def without(found: re.Match[str]) -> str:
        value = loads(found[0]) if "\\" in found[0] else found[0][1:-1]
        masked = mask_secret_values(value, secrets)
        return found[0] if masked == value or COLON.match(text, found.end()) else dumps(masked)

    bare = re.sub(STRING, "", text)
    if any(secret in bare for secret in secrets):
        raise Failure("output", "the response repeats a secret of its request as a number")
    return re.sub(STRING, without, text)


def one_line(text: str) -> str:
    """A server's words in a line of ours: no control characters, and not all of them."""
    text = CONTROL.sub(" ", text)
    return text if len(text) <= DETAIL else f"{text[:DETAIL]}..."
