"""What a tool configuration of a hook asks of a call: the same reading, and the same words, for every API."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

NO_TOOLS = "toolConfig: this call has no tools"
NONE_ALLOWED = "toolConfig.mode is ANY and no tool is allowed: the model may call none"

Call = dict[str, Any]
View = dict[str, Any]
# Sets a choice of tools by mode and allowed names.
Choose = Callable[[str, list[str] | None, Call], tuple[Call, list[str]]]


def said_tools(config: Any) -> tuple[str | None, list[str] | None, list[str]]:
    """Mode and allowed names of a tool configuration, and what of it could not be read."""
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
    """A word on each allowed name that the call has no tool for."""
    known = set(known)
    return [f"toolConfig allows {name!r}, which is not a tool of this call" for name in names if name not in known]


def apply_choice(
    view: View, before: View, call: Call, choose: Choose, free: Callable[[Call], Call]
) -> tuple[Call, list[str]]:
    """The call with the toolConfig of a view, in which names that a hook took away are no limit any more."""
    config, had = view.get("toolConfig"), before.get("toolConfig", {})
    if config is None or config == had:
        return call, []
    if config == {}:
        return free(call), []
    return apply_config(config, had, call, choose, limited=False)


def apply_config(config: Any, had: View, call: Call, choose: Choose, *, limited: bool = True) -> tuple[Call, list[str]]:
    """The call with a tool configuration. A mode that it does not say stays; so do names, where the call is limited."""
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
