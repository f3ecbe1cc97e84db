"""Read a hook's tool configuration: the same rules and messages for every API."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

NO_TOOLS = "toolConfig: this call has no tools"
NONE_ALLOWED = "toolConfig.mode is ANY and no tool is allowed: the model may call none"

Call = dict[str, Any]
View = dict[str, Any]
# Sets a tool choice by mode and allowed names.
Choose = Callable[[str, list[str] | None, Call], tuple[Call, list[str]]]


def said_tools(config: Any) -> tuple[str | None, list[str] | None, list[str]]:
    """Mode and allowed names of a tool configuration, and what could not be read."""
    if not isinstance(config, dict):
        return None, None, [f"toolConfig must be an object, not {type(config).__name__}"]
    mode, names = config.get("mode"), config.get("allowedFunctionNames")
    problems = []
    if mode not in (None, "AUTO", "ANY", "NONE"):
        problems.append(f"toolConfig.mode is {mode!r}; it may be: AUTO, ANY, NONE")
        mode = None
    if names is not None and not (isinstance(names, list) and all(isinstance(name, str) for name in names)):
        problems.append("toolConfig.allowedFunctionNames must be a list of names")
        names = None
    return mode, names, problems


def unknown(names: Iterable[str], known: Iterable[Any]) -> list[str]:
    """A problem for each allowed name that is not a tool of the call."""
    known = set(known)
    return [f"toolConfig allows {name!r}, which is not a tool of this call" for name in names if name not in known]


def apply_choice(
    view: View, before: View, call: Call, choose: Choose, free: Callable[[Call], Call]
) -> tuple[Call, list[str]]:
    """The call with the toolConfig of a view; if a hook removed the names, they are no longer a limit."""
    config, had = view.get("toolConfig"), before.get("toolConfig", {})
    if config is None or config == had:
        return call, []
    if config == {}:
        return free(call), []
    return apply_config(config, had, call, choose, limited=False)


def apply_config(config: Any, had: View, call: Call, choose: Choose, *, limited: bool = True) -> tuple[Call, list[str]]:
    """The call with a tool configuration. A missing mode stays; so do names, if the call is limited."""
    mode, names, problems = said_tools(config)
    if mode is None and names is None:
        return dict(call), problems
    mode = mode or had.get("mode", "AUTO")
    if names is None and (limited or problems):
        names = had.get("allowedFunctionNames")
    if mode == had.get("mode") and names == had.get("allowedFunctionNames"):
        return dict(call), problems
    new, more = choose(mode, names, call)
    return new, problems + more
