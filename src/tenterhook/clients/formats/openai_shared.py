"""What OpenAI's two APIs share: values that are dicts or the SDK's objects, content parts, options, choice of tools."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from tenterhook.clients.formats import Call, View
from tenterhook.clients.formats.messages import ROLES, Names, changed_settings, settings
from tenterhook.clients.formats.tools import NONE_ALLOWED, unknown
from tenterhook.clients.formats.values import call_argument, copy_with_fields, get, list_from_iterable

TEXT = ("text", "input_text", "output_text")
# The stable roles in the API's words.
OWN_ROLES = {"user": "user", "model": "assistant", "system": "system"}
MODES = {"auto": "AUTO", "required": "ANY", "none": "NONE"}
WORDS = {mode: word for word, mode in MODES.items()}


def copy_without_field(value: Any, field: str) -> Any:
    """A copy without a field, which is then not sent at all."""
    if isinstance(value, Mapping):
        return {key: one for key, one in value.items() if key != field}
    copy = value.model_copy(update={field: None})
    copy.model_fields_set.discard(field)
    return copy


def dump_set_fields(value: Any) -> dict[str, Any]:
    """The fields that were set, as the API names them."""
    if isinstance(value, Mapping):
        return dict(value)
    fields: dict[str, Any] = value.model_dump(by_alias=True, exclude_unset=True, warnings=False)
    return fields


def stable_role(message: Any) -> str:
    role = get(message, "role")
    return ROLES.get(role, "") if isinstance(role, str) else ""


def texts(content: Any) -> list[str]:
    """The text parts of a message's content that are not empty. A refusal or a thought is not one."""
    if isinstance(content, str):
        return [content] if content else []
    found = [get(part, "text") for part in list_from_iterable(content, "content") if get(part, "type") in TEXT]
    return [text for text in found if isinstance(text, str) and text]


def retold(content: Any, text: str) -> Any:
    """The content with another text: the first text part holds it, other text parts are removed, the rest stays."""
    if content is None or isinstance(content, str):
        return text
    found: list[Any] = []
    placed = False
    for part in list_from_iterable(content, "content"):
        if get(part, "type") not in TEXT:
            found.append(part)
        elif not placed:
            found.append(copy_with_fields(part, text=text))
            placed = True
    return found


def system_word(messages: list[Any]) -> str:
    """The role of a new system message: an API may refuse a call that has both words."""
    return "developer" if any(get(message, "role") == "developer" for message in messages) else "system"


def options(call: Call, names: Names) -> View:
    """Model, config and toolConfig of a request's view; what the call does not set is left out."""
    model = call_argument(call, "model")
    config = settings(names, lambda own: call_argument(call, own))
    if isinstance(config.get("stopSequences"), str):
        config["stopSequences"] = [config["stopSequences"]]
    tools = tool_config(call_argument(call, "tool_choice"))
    return {
        "model": model if isinstance(model, str) else "",
        **({"config": config} if config else {}),
        **({"toolConfig": tools} if tools else {}),
    }


def apply_options(view: View, before: View, call: Call, names: Names) -> tuple[Call, list[str]]:
    """The call with the model and the config of a view."""
    call = dict(call)
    model = view.get("model", before["model"])
    problems = []
    if not isinstance(model, str) or (before["model"] and not model):
        problems.append(f"model must be a name, not {model!r}: left as it was")
    elif model != before["model"]:
        call["model"] = model
    put, away, more = changed_settings(before.get("config", {}), view.get("config"), names)
    for own in away:
        call.pop(own, None)
    return {**call, **put}, problems + more


class CallableTool(NamedTuple):
    """A tool of a call: its name, and how a tool choice refers to it; None if it cannot."""

    name: str
    pointer: dict[str, Any] | None


def tool_name(tool: Any) -> str:
    """The name in a definition, a call or a choice of a tool. A tool of the API itself has its type's name."""
    kind = get(tool, "type")
    inner = get(tool, "function") or get(tool, "custom")
    label = get(tool, "server_label") if kind == "mcp" else None
    name = label or get(inner, "name") or get(tool, "name") or kind
    return name if isinstance(name, str) else ""


def tool_config(choice: Any) -> View:
    """A tool_choice of either API in the stable form."""
    if choice is None or isinstance(choice, str):
        return {"mode": MODES[choice]} if choice in MODES else {}
    if get(choice, "type") != "allowed_tools":
        return {"mode": "ANY", "allowedFunctionNames": [tool_name(choice)]}
    body = get(choice, "allowed_tools") or choice
    names = [tool_name(tool) for tool in list_from_iterable(get(body, "tools"), "tool_choice.tools")]
    return {"mode": MODES.get(get(body, "mode"), "AUTO"), "allowedFunctionNames": names}


def build_tool_choice(
    mode: str, names: list[str] | None, tools: list[CallableTool], several: Callable[[str, list[Any]], Any]
) -> tuple[Any, list[str]]:
    """The tool_choice for a mode and allowed names; `several` writes the form that allows a list of tools."""
    if mode == "NONE" or names is None:
        return WORDS[mode], []
    problems = unknown(names, (tool.name for tool in tools))
    allowed = [tool for name in dict.fromkeys(names) for tool in tools if tool.name == name]
    if not allowed:
        if mode == "ANY":
            problems.append(NONE_ALLOWED)
        return "none", problems
    pointers = [tool.pointer for tool in allowed if tool.pointer]
    if len(pointers) < len(allowed):
        alone = ", ".join(tool.name for tool in allowed if not tool.pointer)
        return WORDS[mode], [*problems, f"this API cannot limit the model to {alone}: only the mode is set"]
    if mode == "ANY" and len(pointers) == 1 and pointers[0]["type"] in ("function", "custom"):
        return pointers[0], problems
    return several(WORDS[mode], pointers), problems


def unchosen(call: Call) -> Call:
    """The call without a tool choice."""
    return {key: value for key, value in call.items() if key not in ("tool_choice", "function_call")}


def usage_view(usage: Any, prompt: str, answer: str) -> View:
    """The usage of a response as a part of its view; empty if it has none."""
    values = {
        "promptTokenCount": get(usage, prompt),
        "candidatesTokenCount": get(usage, answer),
        "totalTokenCount": get(usage, "total_tokens"),
    }
    counted = {key: value for key, value in values.items() if value is not None}
    return {"usageMetadata": counted} if counted else {}
