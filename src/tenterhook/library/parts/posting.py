"""One POST to a URL by the rules of http hooks: which addresses, how long, what is never shown. No answer is read."""

from __future__ import annotations

import os

from tenterhook.clients import hook_request
from tenterhook.clients.connection import Connection, TooMuch
from tenterhook.clients.ip_rules import AddressRefused
from tenterhook.errors import UsageError
from tenterhook.support.secrets.mask import mask_secret_values


def post(url: str, headers: tuple[str, ...], body: bytes, seconds: float, *, loopback: bool, private: bool) -> str:
    """Why it could not be sent; empty if it was accepted."""
    line = Connection(seconds, hook_request.WIRE)
    carried = hook_request.Carried()
    try:
        place = hook_request.parse_hook_url(address(url))
        carried = hook_request.fill_headers(dict(map(header, headers)), variables(headers))
        send_webhook(place, carried.headers, body, line, loopback=loopback, private=private)
    except hook_request.Failure as failure:
        return hook_request.one_line(mask_secret_values(failure.detail, carried.values))
    finally:
        line.close()
    return ""


def address(url: str) -> str:
    if not url:
        raise UsageError("url is missing: --set url=https://..., or url=$NAME for a variable that holds it")
    name = url[1:].strip("{}") if url.startswith("$") else ""
    if name and name not in os.environ:
        raise UsageError(f"url is {url}, and there is no such variable in the environment")
    return os.environ[name] if name else url


def header(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not colon:
        raise UsageError(f"headers: `Name: value` is needed, not {name!r:.40}")
    return name.strip(), value.strip()


def variables(headers: tuple[str, ...]) -> dict[str, str | None]:
    return {name: os.environ.get(name) for text in headers for name in hook_request.names_in(text)}


def send_webhook(
    place: hook_request.RequestTarget,
    headers: dict[str, str],
    body: bytes,
    line: Connection,
    *,
    loopback: bool,
    private: bool,
) -> None:
    """Anything other than a status of success is a Failure. A webhook's path is a secret: only its host is named."""
    from http.client import HTTPException

    where = f"{'https' if place.tls else 'http'}://{place.netloc}"
    try:
        line.open(place.host, place.port, tls=place.tls, within=line.total, loopback=loopback, private=private)
        status = hook_request.response_to(place, headers, body, line).status
    except AddressRefused as exc:
        raise hook_request.Failure("network", f"{exc} (for {where})") from None
    except TimeoutError:
        raise hook_request.Failure("timeout", f"no answer from {where} within {line.total:g} s") from None
    except (OSError, HTTPException, TooMuch) as exc:
        why = hook_request.trouble(exc, place, line) if isinstance(exc, OSError) else type(exc).__name__
        raise hook_request.Failure("network", f"{why} (for {where})") from None
    if not 200 <= status < 300:
        raise hook_request.Failure("network", f"HTTP {status} from {where}")
