"""Make a hook of a function in the host's code: arguments replace the entry of a file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypedDict

from tenterhook.config.timeouts import LONGEST
from tenterhook.dialects.schema.dialect import Dialect, EventRule
from tenterhook.dialects.schema.words import CAUSES, MATCHERS
from tenterhook.errors import UsageError, check_choice
from tenterhook.pipeline.match import fault_of
from tenterhook.types import POLICIES, Hook, Source

Function = Callable[..., Any]


class FunctionOptions(TypedDict, total=False):
    """The options of a function hook; see docs/embed/library.md."""

    match: str | None
    match_kind: str
    timeout: float | None
    name: str
    agent: str | None
    priority: int
    once: bool
    condition: dict[str, Any] | None
    on_failure: str | dict[str, str] | None
    sequential: bool


def make_function_hook(
    function: Function,
    dialect: Dialect,
    rule: EventRule,
    *,
    match: str | None = None,
    match_kind: str = "",
    timeout: float | None = None,
    name: str = "",
    on_failure: str | dict[str, str] | None = None,
    agent: str | None = None,
    priority: int = 0,
    once: bool = False,
    condition: dict[str, Any] | None = None,
    sequential: bool = False,
) -> Hook:
    """Raise at once what is wrong with the arguments; mistakes in files are collected and reported together."""
    if not callable(function):
        raise UsageError(f"a function is needed, not {function!r}")
    policies = {"default": on_failure} if isinstance(on_failure, str) else on_failure or {}
    if match_kind:
        check_choice("match_kind", match_kind, tuple(sorted(MATCHERS)))
    for cause, policy in policies.items():
        check_choice("cause", cause, (*sorted(CAUSES), "default"))
        check_choice("on_failure", policy, tuple(sorted(POLICIES)))
    if timeout is not None and not (isinstance(timeout, int | float) and 0 < timeout <= LONGEST):
        raise UsageError(f"timeout must be a number of seconds above 0, not {timeout!r}")
    kind = match_kind or rule.overrides.matcher
    check_matcher(match, kind or dialect.planning.matcher)
    code = getattr(function, "__code__", None)
    line = code.co_firstlineno if code else 0
    return Hook(
        name=name or f"{function.__module__}.{getattr(function, '__qualname__', type(function).__name__)}",
        event=rule.name,
        handler="python",
        spec={"main": function, "form": "function"},
        source=Source(code.co_filename if code else "code", (), lambda path: (line, 1)),
        matcher=match,
        match_kind=kind,
        timeout=timeout,
        on_failure=policies,
        agent=agent,
        priority=priority,
        once=once,
        condition=condition,
        sequential=sequential,
    )


def check_matcher(match: object, kind: str) -> None:
    if match is None:
        return
    if not isinstance(match, str):
        raise UsageError(f"match must be text, not {match!r}")
    if fault := fault_of(match, kind):
        raise UsageError(
            f"match {match!r} is not a regular expression: {fault}; correct it, or say match_kind='literal'"
        )
