"""The options of a request, in the library's words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tenterhook.formats import sdk
from tenterhook.formats.tools import NO_TOOLS, NONE_ALLOWED, said_tools, unknown

if TYPE_CHECKING:
    from tenterhook.agent.providers.turns import Names

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


def settings(
    choice: dict[str, Any], config: dict[str, Any], names: Names, model: Any
) -> tuple[dict[str, Any], list[str]]:
    """Settings for one request, and what of it the library's model cannot be told."""
    known = {key: own for key, own in OPTIONS.items() if own not in model.unsupported_settings}
    made = {known[key]: value for key, value in config.items() if key in known and value is not None}
    problems = [f"config.{key}: {UNTOLD}" for key, value in config.items() if key not in known and value is not None]
    forced = model.profile.get("supports_forced_tool_choice", True)
    chosen, more = tool_choice(choice, names, forced=forced)
    return ({**made, "tool_choice": chosen} if chosen is not None else made), problems + more


def tool_choice(choice: dict[str, Any], names: Names, *, forced: bool) -> tuple[Any, list[str]]:
    """Which tools the model may or must call; None leaves it to the model."""
    mode, allowed, problems = said_tools(choice)
    if mode is None and allowed is None:
        return None, problems
    if not names.defined:
        return None, problems + ([NO_TOOLS] if mode == "ANY" else [])
    if mode == "NONE":
        return "none", problems
    if allowed is not None:
        problems += unknown(allowed, names.defined)
        left = [names.theirs(name) for name in allowed if name in names.defined]
        if not left:
            return "none", problems + ([NONE_ALLOWED] if mode == "ANY" else [])
    if mode == "ANY" and forced:
        return ("required" if allowed is None else left), problems
    problems += [UNFORCED] if mode == "ANY" else []
    if allowed is None:
        return None, problems
    return sdk("pydantic-ai-slim", "pydantic_ai.settings", "agent").ToolOrOutput(function_tools=left), problems
