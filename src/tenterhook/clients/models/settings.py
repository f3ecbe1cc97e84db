"""The options of a request, as the library's settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tenterhook.clients.formats import sdk
from tenterhook.clients.formats.tools import NO_TOOLS, NONE_ALLOWED, said_tools, unknown

if TYPE_CHECKING:
    from tenterhook.clients.models.turns import Names

OPTIONS = {
    "temperature": "temperature",
    "maxOutputTokens": "max_tokens",
    "topP": "top_p",
    "topK": "top_k",
    "stopSequences": "stop_sequences",
    "presencePenalty": "presence_penalty",
    "frequencyPenalty": "frequency_penalty",
    "seed": "seed",
}
UNTOLD = "this model cannot be told of it"
UNFORCED = "toolConfig.mode is ANY, and this model cannot be made to call a tool"
UNLIMITED = "toolConfig: this model cannot be limited to some tools; calls of the others are refused"

# How the library limits tools without removing definitions, by the class of its model: names in every mode; names if a
# call is forced; no names; cannot forbid tools. All others take one name of a forced call.
LISTS = ("OpenAIResponsesModel",)
FORCED_LISTS = ("GoogleModel",)
NAMELESS = ("CohereModel",)
WITHOUT_NONE = ("MistralModel", "BedrockConverseModel")


def settings(
    choice: dict[str, Any], config: dict[str, Any], names: Names, model: Any
) -> tuple[dict[str, Any], list[str]]:
    """Settings for one request, and what the library's model does not support."""
    known = {key: own for key, own in OPTIONS.items() if own not in model.unsupported_settings}
    made = {known[key]: value for key, value in config.items() if key in known and value is not None}
    problems = [f"config.{key}: {UNTOLD}" for key, value in config.items() if key not in known and value is not None]
    chosen, more = tool_choice(choice, names, model)
    return ({**made, "tool_choice": chosen} if chosen is not None else made), problems + more


def tool_choice(choice: dict[str, Any], names: Names, model: Any) -> tuple[Any, list[str]]:
    """Which tools the model may or must call; None leaves it to the model.

    The definitions of all tools are always sent. If the API cannot express a limit, calls beyond it are refused.
    """
    mode, allowed, problems = said_tools(choice)
    if mode is None and allowed is None:
        return None, problems
    if not names.defined:
        return None, problems + ([NO_TOOLS] if mode == "ANY" else [])
    left = [name for name in names.defined if allowed is None or name in allowed]
    if mode != "NONE":
        problems += unknown(allowed or (), names.defined)
        problems += [NONE_ALLOWED] if mode == "ANY" and not left else []
    if mode == "NONE" or not left:
        return (None, [*problems, UNLIMITED]) if is_one(model, WITHOUT_NONE) else ("none", problems)
    forced = mode == "ANY" and model.profile.get("supports_forced_tool_choice", True)
    problems += [UNFORCED] if mode == "ANY" and not forced else []
    if left == names.defined:
        return "required" if forced else None, problems
    if not takes_names(model, forced, len(left)):
        return "required" if forced else None, [*problems, UNLIMITED]
    theirs = [names.theirs(name) for name in left]
    if forced:
        return theirs, problems
    return sdk("pydantic-ai-slim", "pydantic_ai.settings", "agent").ToolOrOutput(function_tools=theirs), problems


def takes_names(model: Any, forced: bool, count: int) -> bool:
    """Whether the API can allow some tools while all are defined."""
    if is_one(model, LISTS) or model.profile.get("openai_chat_supports_allowed_tools", False):
        return True
    if is_one(model, FORCED_LISTS):
        return forced
    return forced and count == 1 and not is_one(model, NAMELESS)


def is_one(model: Any, kinds: tuple[str, ...]) -> bool:
    return any(kind.__name__ in kinds for kind in type(model).__mro__)
