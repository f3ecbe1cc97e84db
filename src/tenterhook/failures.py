"""The attempts of hooks that could not be called, or not to their end: what went wrong is a value, never raised."""

from __future__ import annotations

from tenterhook.payload import PayloadError
from tenterhook.types import Attempt, Job


def raised(job: Job, exc: BaseException) -> Attempt:
    error = "payload" if isinstance(exc, PayloadError) else "exception"
    try:
        words = str(exc)
    except Exception:  # it is the hook's own class
        words = "it cannot be told in words"
    detail = words if error == "payload" else f"{type(exc).__name__}: {words}"
    return Attempt(job.hook.name, job.hook.handler, str(job.hook.source), error=error, detail=detail)


def no_handler(job: Job) -> Attempt:
    hook = job.hook
    detail = f"this version has no handler for hooks of type {hook.handler!r}"
    return Attempt(hook.name, hook.handler, str(hook.source), error="spawn", detail=detail)


def abandoned(job: Job) -> Attempt:
    hook = job.hook
    detail = f"timed out after {job.timeout:g} s; the function cannot be ended and was left running in its thread"
    return Attempt(hook.name, hook.handler, str(hook.source), error="timeout", detail=detail, seconds=job.timeout or 0)
