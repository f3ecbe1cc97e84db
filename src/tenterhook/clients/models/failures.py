"""Describe a model's error in one line: what, where, and what to do. Never a traceback, never a key."""

from __future__ import annotations

from typing import Any

from tenterhook.errors import TenterhookError, format_exception_line

LONGEST = 300


class ProviderError(TenterhookError):
    """A model could not be asked, or its answer was incomplete."""


def describe_model_error(exc: BaseException, kinds: Any, model: str, address: str) -> str:
    """One line for an error of the library; `kinds` is the module of its exceptions."""
    status = getattr(exc, "status_code", None)
    code = f" (HTTP {status})" if status else ""
    detail = f": {words}" if (words := extract_error_message(exc)) else ""
    # The more specific ones come first.
    lines = (
        (kinds.ModelTimeoutError, f"{address} did not answer in time; try again"),
        (kinds.ModelConnectionError, connection(exc, address)),
        (kinds.ModelContextWindowExceededError, f"the conversation is too long for {model}{code}{detail}"),
        (kinds.ModelAuthenticationError, f"{address} refused the key{code}{detail}; check it in the environment"),
        (kinds.ModelNotFoundError, f"{address} has no model {model!r}{code}{detail}; check name and address"),
        (kinds.ModelQuotaExceededError, f"the quota at {address} is used up{code}{detail}"),
        (kinds.ModelRateLimitError, f"too many requests to {address}{code}{detail}; {later(exc)}"),
        (kinds.ModelUnavailableError, f"{address} cannot answer now{code}{detail}; {later(exc)}"),
        (kinds.ModelServerError, f"{address} failed{code}{detail}; try again"),
        (kinds.ModelRequestRejectedError, f"{address} refused the request{code}{detail}"),
        (kinds.ModelAPIError, f"{address} failed{code}{detail or ': ' + one_line(exc)}"),
        (kinds.UnexpectedModelBehavior, f"{address} gave an answer that cannot be read: {one_line(exc)}"),
        (kinds.UserError, one_line(exc)),
    )
    return next((line for kind, line in lines if isinstance(exc, kind)), one_line(format_exception_line(exc)))


def connection(exc: BaseException, address: str) -> str:
    phase = getattr(exc, "phase", None)
    if phase in ("connect", "pool"):
        return f"cannot connect to {address}: {one_line(exc)}; check the address and the network"
    return f"the connection to {address} broke off: {one_line(exc)}; try again"


def later(exc: BaseException) -> str:
    seconds = getattr(exc, "retry_after", None)
    return f"try again in {seconds:.0f} seconds" if seconds else "try again later"


def extract_error_message(exc: BaseException) -> str:
    """The API's own message, from the body of its answer."""
    body = getattr(exc, "body", None)
    for _ in range(3):
        if isinstance(body, list) and body:
            body = body[0]
        if not isinstance(body, dict):
            break
        body = body.get("message") or body.get("error") or body.get("detail")
    return one_line(body) if isinstance(body, str) else ""


def one_line(text: object) -> str:
    """Its first words, without line breaks."""
    flat = " ".join(str(text).split()).rstrip(".")
    return flat if len(flat) <= LONGEST else flat[: LONGEST - 3] + "..."
