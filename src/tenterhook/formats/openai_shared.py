"""What OpenAI's two APIs share: values that are dicts or the SDK's objects, content parts, options, choice of tools."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from tenterhook.formats import Call, View
from tenterhook.formats.messages import ROLES, Names, changed_settings, said_tools, settings
from tenterhook.formats.values import changed, get, given, listed

TEXT = ("text", "input_text", "output_text")
# The stable roles in the API's words.
OWN_ROLES = {"user": "user", "model": "assistant", "system": "system"}
MODES = {"auto": "AUTO", "required": "ANY", "none": "NONE"}
WORDS = {mode: word for word, mode in MODES.items()}


def dropped(value: Any, field: str) -> Any:
    """A copy without a field, which then does not go over the wire at all."""
    if isinstance(value, Mapping):
        return {key: one for key, one in value.items() if key != field}
    copy = value.model_copy(update={field: None})
    copy.model_fields_set.discard(field)
    return copy


def dumped(value: Any) -> dict[str, Any]:
    """The fields that were set, as the API names them."""
    if isinstance(value, Mapping):
        return dict(value)
    fields: dict[str, Any] = value.model_dump(by_alias=True, exclude_unset=True, warnings=False)
    return fields


def stable_role(message: Any) -> str:
    role = get(message, "role")
    return ROLES.get(role, "") if isinstance(role, str) else ""


def texts(content: Any) -> list[str]:
    """The text parts of a message's content that hold something. A refusal or a thought is none."""
    if isinstance(content, str):
        return [content] if content else []
    found = [get(part, "text") for part in listed(content, "content") if get(part, "type") in TEXT]
    return [text for text in found if isinstance(text, str) and text]


def retold(content: Any, text: str) -> Any:
    """The content with another text: the first text part holds it, other text parts go, the rest stays."""
    if content is None or isinstance(content, str):
        return text
    found: list[Any] = []
    told = False
    for part in listed(content, "content"):
        if get(part, "type") not in TEXT:
            found.append(part)
        elif not told:
            found.append(changed(part, text=text))
            told = True
    return found


def system_word(messages: list[Any]) -> str:
    """How a new system message is called: an API may refuse a call that has both words."""
    return "developer" if any(get(message, "role") == "developer" for message in messages) else "system"


def options(call: Call, names: Names) -> View:
    """Model, config and toolConfig of a request's view; what the call does not set is not in it."""
    model = given(call, "model")
    config = settings(names, lambda own: given(call, own))
    if isinstance(config.get("stopSequences"), str):
        config["stopSequences"] = [config["stopSequences"]]
    tools = tool_config(given(call, "tool_choice"))
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


class Tool(NamedTuple):
    """A tool of a call: its name, and how a choice of tools points at it; None where none can."""

    name: str
    pointer: dict[str, Any] | None


def tool_name(tool: Any) -> str:
    """The name in a definition, a call or a choice of a tool. A tool of the API's own goes by its type."""
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
    names = [tool_name(tool) for tool in listed(get(body, "tools"), "tool_choice.tools")]
    return {"mode": MODES.get(get(body, "mode"), "AUTO"), "allowedFunctionNames": names}


def chosen(
    mode: str, names: list[str] | None, tools: list[Tool], several: Callable[[str, list[Any]], Any]
) -> tuple[Any, list[str]]:
    """The tool_choice for a mode and allowed names; `several` writes the form that allows a list of tools."""
    if mode == "NONE" or names is None:
        return WORDS[mode], []
    known = {tool.name for tool in tools}
    problems = [f"toolConfig allows {name!r}, which is no tool of this call" for name in names if name not in known]
    allowed = [tool for name in dict.fromkeys(names) for tool in tools if tool.name == name]
    if not allowed:
        if mode == "ANY":
            problems.append("toolConfig.mode is ANY and no tool is allowed: the model may call none")
        return "none", problems
    pointers = [tool.pointer for tool in allowed if tool.pointer]
    if len(pointers) < len(allowed):
        alone = ", ".join(tool.name for tool in allowed if not tool.pointer)
        return WORDS[mode], [*problems, f"this API cannot limit the model to {alone}: only the mode is set"]
    if mode == "ANY" and len(pointers) == 1 and pointers[0]["type"] in ("function", "custom"):
        return pointers[0], problems
    return several(WORDS[mode], pointers), problems


# Sets a choice of tools by mode and allowed names.
Choose = Callable[[str, list[str] | None, Call], tuple[Call, list[str]]]


def apply_choice(view: View, before: View, call: Call, choose: Choose) -> tuple[Call, list[str]]:
    """The call with the toolConfig of a view, in which names that a hook took away are no limit any more."""
    config, had = view.get("toolConfig"), before.get("toolConfig", {})
    if config is None or config == had:
        return call, []
    if config == {}:
        return {key: value for key, value in call.items() if key not in ("tool_choice", "function_call")}, []
    return apply_config(config, had, call, choose, limited=False)


def apply_config(config: Any, had: View, call: Call, choose: Choose, *, limited: bool = True) -> tuple[Call, list[str]]:
    """The call with a tool configuration. A mode that it does not say stays; so do names, where the call is limited."""
    mode, names, problems = said_tools(config)
    mode = mode or had.get("mode", "AUTO")
    if names is None and (limited or problems):
        names = had.get("allowedFunctionNames")
    if not isinstance(config, dict) or (mode == had.get("mode") and names == had.get("allowedFunctionNames")):
        return dict(call), problems
    new, more = choose(mode, names, call)
    return new, problems + more


class Said(NamedTuple):
    """What a view of a response says of one candidate."""

    parts: list[str]
    finish: str
    place: int


def said(view: Any, before: View | None = None) -> list[Said]:
    """The usable candidates of a view, whatever a hook sent.

    The candidates count, and `text` where there are none. But where a hook changed the text of a response and left
    its candidates, the text is what it wants; and a text that it left is not what brings back candidates it took away.
    """
    view = view if isinstance(view, dict) else {}
    text, candidates = view.get("text"), view.get("candidates")
    usable = [one for one in candidates if isinstance(one, dict)] if isinstance(candidates, list) else []
    found = [candidate(one, n) for n, one in enumerate(usable)]
    if not isinstance(text, str):
        return found
    left = before is not None and text == before["text"]
    if found and before is not None and not left and candidates == before["candidates"]:
        return [found[0]._replace(parts=[text] if text else []), *found[1:]]
    if not found and text and not (left and candidates == []):
        return [Said([text], "STOP", 0)]
    return found


def candidate(value: View, place: int) -> Said:
    index, finish, content = value.get("index"), value.get("finishReason"), value.get("content")
    parts = content.get("parts") if isinstance(content, dict) else content
    pieces = [parts] if isinstance(parts, str) else parts if isinstance(parts, list) else []
    strings = [piece.get("text") if isinstance(piece, dict) else piece for piece in pieces]
    return Said(
        [piece for piece in strings if isinstance(piece, str) and piece],
        finish if isinstance(finish, str) else "STOP",
        index if type(index) is int else place,
    )


def counts(view: Any) -> tuple[int, int, int]:
    """The tokens that a view names: of the prompt, of the answer, in all; 0 where it names none."""
    usage = view.get("usageMetadata") if isinstance(view, dict) else None
    usage = usage if isinstance(usage, dict) else {}
    found = [usage.get(key) for key in ("promptTokenCount", "candidatesTokenCount", "totalTokenCount")]
    prompt, answer, total = (one if type(one) is int else 0 for one in found)
    return prompt, answer, total or prompt + answer


def usage_view(usage: Any, prompt: str, answer: str) -> View:
    """The usage of a response as a part of its view; empty where it has none."""
    values = {
        "promptTokenCount": get(usage, prompt),
        "candidatesTokenCount": get(usage, answer),
        "totalTokenCount": get(usage, "total_tokens"),
    }
    told = {key: value for key, value in values.items() if value is not None}
    return {"usageMetadata": told} if told else {}
