"""An SDK's messages in the plain form that hooks see, and back.

A plain message keeps the SDK's own object under OBJECT, so what no hook changed comes back as the same object.
"""

from __future__ import annotations

from typing import Any

Plain = dict[str, Any]
OBJECT = "sdk_object"


def response(text: str, calls: list[Plain], original: Any) -> Plain:
    """A model's response in the plain form. `original` comes back from `original_of` if no hook changed it."""
    parts = [text] if text else []
    made: Plain = {"text": text, OBJECT: original}
    made["candidates"] = [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}]
    return {**made, "tool_calls": calls} if calls else made


def original_of(response: Plain) -> Any:
    """The SDK's own response; None if a hook's response stands in its place."""
    return response.get(OBJECT)


def tools_left(config: Any) -> set[str] | None:
    """The names of the tools that hooks leave in this request; None for all."""
    if not isinstance(config, dict):
        return None
    if config.get("mode") == "NONE":
        return set()
    names = config.get("allowedFunctionNames")
    return {str(name) for name in names} if isinstance(names, list) else None
