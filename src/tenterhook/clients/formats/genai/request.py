"""A call <-> the request that hooks see."""

from __future__ import annotations

from typing import Any

from tenterhook.clients.formats import Call, View
from tenterhook.clients.formats.genai.contents import GenaiMessages, join_contents, split_contents
from tenterhook.clients.formats.genai.values import camel, copy_or_create, get, list_field, plain, types
from tenterhook.clients.formats.messages import NO_SYSTEM, changed_settings, rebuilt, render_visible_messages, settings
from tenterhook.clients.formats.tools import NO_TOOLS, NONE_ALLOWED, apply_choice, apply_config, unknown

SETTINGS = (
    *("temperature", "top_p", "top_k", "candidate_count", "max_output_tokens", "stop_sequences", "presence_penalty"),
    *("frequency_penalty", "seed", "response_mime_type", "response_modalities", "response_logprobs", "logprobs"),
    *("cached_content", "media_resolution", "audio_timestamp", "enable_enhanced_civic_answers", "service_tier"),
    *("automatic_continuation", "store", "should_return_http_response"),
)
NAMES = {camel(name): name for name in SETTINGS}
MODES = {"AUTO": "AUTO", "VALIDATED": "AUTO", "ANY": "ANY", "NONE": "NONE"}


def request_view(call: Call) -> View:
    messages, config = split_contents(call.get("contents")), call.get("config")
    view = {
        "model": call.get("model"),
        "messages": render_visible_messages(messages, GenaiMessages(messages)),
        "config": settings(NAMES, lambda name: plain(get(config, name))),
        "toolConfig": tool_view(config),
    }
    return {key: value for key, value in view.items() if value or key in ("model", "messages")}


def calling(config: Any) -> Any:
    return get(get(config, "tool_config"), "function_calling_config")


def tool_view(config: Any) -> View:
    mode, names = plain(get(calling(config), "mode")), list_field(calling(config), "allowed_function_names")
    view = {"mode": MODES.get(mode.upper()) if isinstance(mode, str) else None, "allowedFunctionNames": names}
    return {key: value for key, value in view.items() if value}


def apply_request(view: View, call: Call) -> tuple[Call, list[str]]:
    before, changed, problems = request_view(call), dict(call), []
    model = view.get("model", before["model"])
    if model != before["model"]:
        if isinstance(model, str) and model:
            changed["model"] = model
        else:
            problems.append(f"model must be a name, not {model!r}")
    if view.get("messages", before["messages"]) != before["messages"]:
        changed["contents"], more = apply_messages(view["messages"], before["messages"], call.get("contents"))
        problems += more
    put, away, more = changed_settings(before.get("config", {}), view.get("config"), NAMES)
    problems += more
    if put or away:
        changed["config"], more = apply_settings(call.get("config"), put, away)
        problems += more
    changed, more = apply_choice(view, before, changed, choose, unchosen)
    return changed, problems + more


def apply_messages(wanted: Any, before: list[dict[str, str]], contents: Any) -> tuple[Any, list[str]]:
    messages = split_contents(contents)
    result, problems = rebuilt(messages, wanted, GenaiMessages(messages))
    if len(result) == len(messages) and all(one is other for one, other in zip(result, messages, strict=True)):
        return contents, problems
    roles = [one.get("role") for one in wanted if isinstance(one, dict) and one not in before]
    if "system" in roles or "developer" in roles:
        problems.append(NO_SYSTEM)
    flat = join_contents(result)
    return (flat[0] if len(flat) == 1 and not isinstance(contents, list | tuple) else flat), problems


def apply_settings(config: Any, put: dict[str, Any], away: list[str]) -> tuple[Any, list[str]]:
    """Each value as the SDK accepts it: an invalid one would fail the whole call."""
    fields: dict[str, Any] = dict.fromkeys(away)
    problems = []
    for name, value in put.items():
        try:
            fields[name] = getattr(types().GenerateContentConfig(**{name: value}), name)
        except (ValueError, TypeError, AttributeError):
            problems.append(f"config.{camel(name)}: google-genai does not take {value!r}")
    return (copy_or_create(config, "GenerateContentConfig", **fields) if fields else config), problems


def has_tools(call: Call) -> bool:
    return bool(get(call.get("config"), "tools"))


def tools_of(config: Any) -> tuple[list[str], list[str], bool]:
    """The functions of a call, the tools that the API runs itself, and whether there may be more functions."""
    functions, builtin, more = [], [], False
    for tool in list_field(config, "tools"):
        declared = list_field(tool, "function_declarations")
        name = get(tool, "name") or getattr(tool, "__name__", None)
        functions += [get(one, "name") for one in declared] + ([name] if isinstance(name, str) else [])
        fields = tool if isinstance(tool, dict) else getattr(type(tool), "model_fields", None)
        more = more or (fields is None and not name)  # such as a session of an MCP server, which is asked later
        if not name:
            set_here = [field for field in fields or () if get(tool, field) is not None]
            builtin += [one for one in set_here if one not in ("function_declarations", "functionDeclarations")]
    return functions, builtin, more


def apply_tools(config: View, call: Call) -> tuple[Call, list[str]]:
    return apply_config(config, tool_view(call.get("config")), call, choose)


def unchosen(call: Call) -> Call:
    """The call without a tool choice; the rest of its tool_config stays."""
    own = call.get("config")
    outer = copy_or_create(get(own, "tool_config"), "ToolConfig", function_calling_config=None)
    return {**call, "config": copy_or_create(own, "GenerateContentConfig", tool_config=outer)}


def choose(mode: str, names: list[str] | None, call: Call) -> tuple[Call, list[str]]:
    """The API accepts allowed names only with ANY and VALIDATED, so AUTO with names is VALIDATED.

    It reads an empty list of names as no list, so a list that allows nothing is NONE.
    """
    own, problems = call.get("config"), []
    functions, builtin, more = tools_of(own)
    if get(own, "cached_content"):
        return dict(call), ["toolConfig has no place beside cachedContent, which holds the tools"]
    if builtin and (mode == "NONE" or names is not None):
        problems.append(f"toolConfig does not restrict what the API runs by itself: {', '.join(builtin)}")
    if not functions and not more:
        return dict(call), problems + ([NO_TOOLS] if mode == "ANY" or (names and not builtin) else [])
    if names is not None and not more and mode != "NONE":
        problems += unknown(names, functions)
        names = [name for name in names if name in functions]
    if mode == "ANY" and names == []:
        problems.append(NONE_ALLOWED)
    stood = str(plain(get(calling(own), "mode"))).upper()
    if mode == "NONE" or names == []:
        mode, names = "NONE", None
    elif mode != "ANY" and (names or stood == "VALIDATED"):
        mode = "VALIDATED"
    fields = {"mode": types().FunctionCallingConfigMode(mode), "allowed_function_names": names}
    inner = copy_or_create(calling(own), "FunctionCallingConfig", **fields)
    outer = copy_or_create(get(own, "tool_config"), "ToolConfig", function_calling_config=inner)
    return {**call, "config": copy_or_create(own, "GenerateContentConfig", tool_config=outer)}, problems
