"""A call <-> the request that hooks see."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

from tenterhook.clients.formats import Call, View, messages
from tenterhook.clients.formats.anthropic.blocks import AnthropicMessages
from tenterhook.clients.formats.tools import NO_TOOLS, NONE_ALLOWED, apply_choice, apply_config, unknown
from tenterhook.clients.formats.values import call_argument, get, list_from_iterable

# The arguments of `create` in every version, and those that go through extra_body.
ARGUMENTS = {"maxOutputTokens": "max_tokens", "stopSequences": "stop_sequences"}
NAMES = {**ARGUMENTS, "temperature": "temperature", "topP": "top_p", "topK": "top_k"}
MODES = {"auto": "AUTO", "any": "ANY", "tool": "ANY", "none": "NONE"}


def options(call: Call) -> dict[str, Any]:
    """The settings of a call under their stable names. Those in extra_body are what is sent."""
    sent = {**call, **(call_argument(call, "extra_body") or {})}
    found = messages.settings(NAMES, lambda own: call_argument(sent, own))
    return {name: list(value) if isinstance(value, tuple) else value for name, value in found.items()}


def tool_view(call: Call) -> View:
    choice = call_argument(call, "tool_choice")
    mode, name = MODES.get(str(get(choice, "type"))), get(choice, "name")
    view: View = {"mode": mode} if mode else {}
    return {**view, "allowedFunctionNames": [name]} if isinstance(name, str) else view


def request_view(call: Call) -> View:
    history = list_from_iterable(call_argument(call, "messages"), "messages")
    model, config, tools = call_argument(call, "model"), options(call), tool_view(call)
    view: View = {"model": model} if isinstance(model, str) else {}
    view["messages"] = messages.render_visible_messages(history, AnthropicMessages(history))
    return {**view, **({"config": config} if config else {}), **({"toolConfig": tools} if tools else {})}


def apply_request(view: View, call: Call) -> tuple[Call, list[str]]:
    """Keys that a hook leaves out change nothing; inside of `config` they remove the setting."""
    made, now = dict(call), request_view(call)
    wanted = {key: value for key, value in view.items() if value is not None and value != now.get(key)}
    problems = [f"{key} has no place in a request" for key in wanted if key not in (*CHANGES, "toolConfig")]
    for key, change in CHANGES.items():
        made, more = change(wanted[key], made) if key in wanted else (made, [])
        problems += more
    made, more = apply_choice(view, now, made, choose, unchosen)
    return made, problems + more


def apply_model(model: Any, call: Call) -> tuple[Call, list[str]]:
    if isinstance(model, str) and model:
        return {**call, "model": model}, []
    return call, [f"model must be a name, not {model!r}: left as it was"]


def apply_messages(wanted: Any, call: Call) -> tuple[Call, list[str]]:
    history = list_from_iterable(call_argument(call, "messages"), "messages")
    made, problems = messages.rebuilt(history, wanted, AnthropicMessages(history))
    if any(one is not other for one, other in zip_longest(made, history)):
        call = {**call, "messages": made}
    return call, [*problems, *system_problems(wanted, AnthropicMessages(history))]


def system_problems(wanted: Any, kind: AnthropicMessages) -> list[str]:
    news = [text for role, text in messages.readable(wanted)[0] or () if role == "system" and text not in kind.system]
    return [messages.NO_SYSTEM] if news else []


def apply_options(config: Any, call: Call) -> tuple[Call, list[str]]:
    put, away, problems = messages.changed_settings(options(call), config, NAMES)
    if "max_tokens" in away:
        away.remove("max_tokens")
        problems.append("config.maxOutputTokens stays: this API takes no call without it")
    extra = dict(call_argument(call, "extra_body") or {})
    made = {name: value for name, value in call.items() if name not in away}
    rest = {name: value for name, value in extra.items() if name not in away}
    for own, value in put.items():
        place = made if own not in rest and (own in made or own in ARGUMENTS.values()) else rest
        place[own] = value
    if rest != extra:
        made["extra_body"] = rest
    return made, problems


def has_tools(call: Call) -> bool:
    return bool(list_from_iterable(call_argument(call, "tools"), "tools"))


def apply_tools(config: View, call: Call) -> tuple[Call, list[str]]:
    return apply_config(config, tool_view(call), call, choose)


def unchosen(call: Call) -> Call:
    return {key: value for key, value in call.items() if key != "tool_choice"}


def choose(mode: str, names: list[str] | None, call: Call) -> tuple[Call, list[str]]:
    """The call with a tool choice, which must not be made if there are no tools."""
    if not has_tools(call):
        return dict(call), [NO_TOOLS] if mode == "ANY" or names else []
    choice, problems = tool_choice(mode, names, call)
    parallel = get(call_argument(call, "tool_choice"), "disable_parallel_tool_use")
    if parallel is not None and choice["type"] != "none":
        choice["disable_parallel_tool_use"] = parallel
    return {**call, "tool_choice": choice}, problems


def tool_choice(mode: str, names: list[str] | None, call: Call) -> tuple[dict[str, Any], list[str]]:
    """The nearest that the API has: one name at most, and no forced call while the model thinks."""
    known = [get(tool, "name") for tool in list_from_iterable(call_argument(call, "tools"), "tools")]
    allowed = known if names is None else [name for name in names if name in known or None in known]
    problems = [] if names is None or mode == "NONE" or None in known else unknown(names, known)
    if mode == "NONE" or not allowed:
        return {"type": "none"}, problems + ([NONE_ALLOWED] if mode == "ANY" else [])
    if mode == "ANY" and get(call_argument(call, "thinking"), "type") not in (None, "disabled"):
        problems.append("this API cannot force a tool call while thinking is on: the model may choose")
        mode = "AUTO"
    if mode == "ANY" and names is not None and len(set(allowed)) == 1 and allowed[0] in known:
        return {"type": "tool", "name": allowed[0]}, problems
    if not set(known) <= set(allowed):
        problems.append(f"this API cannot restrict the model to {', '.join(allowed)}: it may call other tools")
    return {"type": mode.lower()}, problems


CHANGES = {"model": apply_model, "messages": apply_messages, "config": apply_options}
