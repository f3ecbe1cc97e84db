"""Ask for permission: hooks answer first, then the host's own callback asks a person."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from tenterhook.errors import UsageError
from tenterhook.hosts.steps import Call, Fire, Steps, is_async, its_own
from tenterhook.pipeline.apply import STOPPED
from tenterhook.support import logs
from tenterhook.types import Outcome

log = logs.redacting_logger("tenterhook.permission")

# The locks of the questions that this code is inside of; copied into our threads and into tasks.
ASKING: ContextVar[tuple[Any, ...]] = ContextVar("tenterhook.asking", default=())

CANNOT_ASK = "it needs permission, and this host has no way to ask a person"


class PermissionRequest(Struct, frozen=True):
    """A question to a person. `reason` is why, in a hook's words; `by_hook`: a hook asks, not the tool."""

    tool_name: str
    tool_input: dict[str, Any]
    reason: str = ""
    tool_use_id: str = ""
    by_hook: bool = False


class Permission(Struct, frozen=True):
    """The answer. `input` is set if the person allowed another input than the one in the question."""

    allowed: bool
    reason: str = ""
    input: dict[str, Any] | None = None
    outcomes: tuple[Outcome, ...] = ()


# A bool, one of the words allow and deny, or a Permission; from a function or a coroutine function.
Ask = Callable[[PermissionRequest], Any]


def permission(request: PermissionRequest, ask: Ask | None) -> Steps[Permission]:
    """Hooks may answer for the person. If no hook answers and the host cannot ask, permission is refused."""
    call = {"tool_name": request.tool_name, "tool_input": request.tool_input}
    if request.tool_use_id:
        call["tool_use_id"] = request.tool_use_id
    hooks: Outcome = yield Fire("permission.ask", call)
    changed = hooks.changes.get("input")
    if hooks.halts or hooks.blocked:
        return Permission(False, hooks.stop_reason if hooks.halts else hooks.reason, None, (hooks,))
    if hooks.decision == "allow":
        return Permission(True, hooks.reason, changed, (hooks,))
    if changed is not None:
        request = replace(request, tool_input=changed)
    if hooks.decision == "ask":
        request = replace(request, reason=request.reason or hooks.reason, by_hook=True)
    message = f"{request.tool_name} needs permission" + (f": {request.reason}" if request.reason else "")
    details = {"tool_name": request.tool_name, "tool_input": request.tool_input}
    notice: Outcome = yield Fire("notify", {"type": "permission_prompt", "message": message}, {"details": details})
    if notice.halts:
        return Permission(False, notice.stop_reason or STOPPED, None, (hooks, notice))
    answer = yield from request_permission(request, ask)
    if answer.allowed:
        allowed = changed if answer.input is None else answer.input
        return Permission(True, answer.reason, allowed, (hooks, notice))
    asked_for = {**call, "tool_input": request.tool_input}
    refused: Outcome = yield Fire("permission.denied", {**asked_for, "reason": answer.reason})
    return Permission(False, answer.reason, None, (hooks, notice, refused))


def request_permission(request: PermissionRequest, ask: Ask | None) -> Steps[Permission]:
    """A callback that fails, or returns neither yes nor no, is logged as an error; permission is refused."""
    if ask is None:
        return Permission(False, CANNOT_ASK)
    try:
        return parse_permission_answer((yield Call(ask, (request,), waits=True)))
    except BaseException as exc:
        if not its_own(exc):
            raise
        log.exception("the permission callback failed, so %s was not allowed", request.tool_name)
        return Permission(False, "permission could not be asked for")


def parse_permission_answer(value: Any) -> Permission:
    """Only a clear yes is a yes."""
    if isinstance(value, Permission) and isinstance(value.allowed, bool):
        return value
    if value is True or value == "allow":
        return Permission(True)
    if value is False or value == "deny":
        return Permission(False, "the user said no")
    raise TypeError(f"a permission callback returns True, False, 'allow', 'deny' or a Permission, not {value!r}")


def one_at_a_time(ask: Ask | None) -> Ask | None:
    """Ask one question at a time: tool calls run at once, a person answers one by one. Not for async callbacks."""
    if ask is None or (callable(ask) and is_async(ask)):
        return ask
    if not callable(ask):
        raise UsageError(f"permission must be a function that is given the request, not {ask!r}")
    lock = threading.Lock()

    @wraps(ask)
    def alone(request: PermissionRequest) -> Any:
        if lock in ASKING.get():  # a question inside the question that this person is answering, in any thread
            return ask(request)
        with lock:
            before = ASKING.set((*ASKING.get(), lock))
            try:
                return ask(request)
            finally:
                ASKING.reset(before)

    return alone
