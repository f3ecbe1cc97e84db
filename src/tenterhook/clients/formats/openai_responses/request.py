"""A call <-> the request that hooks see."""

from __future__ import annotations

from typing import Any

from tenterhook.clients.formats import Call, View
from tenterhook.clients.formats.messages import rebuilt, render_visible_messages
from tenterhook.clients.formats.openai_responses.items import Turns, items_of, kind_of, turns_of
from tenterhook.clients.formats.openai_shared import (
    CallableTool,
    apply_options,
    build_tool_choice,
    options,
    tool_name,
    unchosen,
)
from tenterhook.clients.formats.tools import NO_TOOLS, apply_choice, apply_config
from tenterhook.clients.formats.values import call_argument, get, list_from_iterable

NAMES = {"temperature": "temperature", "topP": "top_p", "maxOutputTokens": "max_output_tokens"}


def request_view(call: Call) -> View:
    items = items_of(call)
    view = options(call, NAMES)
    return {"model": view.pop("model"), "messages": render_visible_messages(turns_of(items), Turns(items)), **view}


def apply_request(view: View, call: Call) -> tuple[Call, list[str]]:
    before = request_view(call)
    new, problems = apply_options(view, before, call, NAMES)
    if "messages" in view and view["messages"] != before["messages"]:
        items = items_of(call)
        kind = Turns(items)
        turns, more = rebuilt(turns_of(items), view["messages"], kind)
        new["input"] = as_input([item for turn in turns for item in turn], call.get("input"))
        problems += more
    new, more = apply_choice(view, before, new, choose, unchosen)
    return new, problems + more


def as_input(items: list[Any], original: Any) -> Any:
    """A text stays a text if that is enough."""
    if isinstance(original, str) and len(items) == 1 and items[0]["role"] == "user":
        return items[0]["content"]
    return items


def has_tools(call: Call) -> bool:
    """Tools also come with a stored prompt, whose content only the API knows."""
    return bool(definitions(call)) or call_argument(call, "prompt") is not None


def apply_tools(config: View, call: Call) -> tuple[Call, list[str]]:
    return apply_config(config, options(call, NAMES).get("toolConfig", {}), call, choose)


def choose(mode: str, allowed: list[str] | None, call: Call) -> tuple[Call, list[str]]:
    """The call with a tool choice, which must not be made if there are no tools."""
    if not has_tools(call):
        return dict(call), [NO_TOOLS] if mode == "ANY" or allowed else []
    tools = definitions(call)
    if allowed and call_argument(call, "prompt") is not None:
        known = {tool.name for tool in tools}
        tools += [CallableTool(name, None) for name in allowed if name not in known]
    choice, problems = build_tool_choice(mode, allowed, tools, several)
    return {**call, "tool_choice": choice}, problems


def several(mode: str, pointers: list[Any]) -> Any:
    return {"type": "allowed_tools", "mode": mode, "tools": pointers}


def definitions(call: Call) -> list[CallableTool]:
    """The tools of the call, with those that its input brings along."""
    brought = [
        get(item, "tools") for item in items_of(call) if kind_of(item) in ("additional_tools", "tool_search_output")
    ]
    lists = [call_argument(call, "tools"), *brought]
    return [found for tools in lists for tool in list_from_iterable(tools, "tools") for found in tools_in(tool)]


def tools_in(tool: Any) -> list[CallableTool]:
    """The tools in a definition that can be allowed. The functions of a namespace cannot be allowed one by one."""
    kind, name = kind_of(tool) or "function", tool_name(tool)
    if kind == "namespace":
        return [CallableTool(tool_name(one), None) for one in list_from_iterable(get(tool, "tools"), "tools")]
    field = {"mcp": "server_label", "function": "name", "custom": "name"}.get(kind)
    return [CallableTool(name, {"type": kind, field: name} if field else {"type": kind})]
