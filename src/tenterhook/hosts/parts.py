"""Content of a tool's result that is made of parts, as dicts or as objects of a model's SDK.

Texts that hooks add become parts of the same API: what a host sends to its model must be in one form.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tenterhook.pipeline.payload import in_json

# Types that content parts cannot have: a list of these is a value like any other.
PLAIN = (str, bytes, int, float, list, type(None))
# The keys of a part of google-genai. Its parts have no `type`, and plain texts may be among them.
GENAI_KEYS = frozenset(
    {
        *("text", "thought", "thoughtSignature", "thought_signature", "videoMetadata", "video_metadata"),
        *("inlineData", "inline_data", "fileData", "file_data", "mediaResolution", "media_resolution"),
        *("functionCall", "function_call", "functionResponse", "function_response"),
        *("executableCode", "executable_code", "codeExecutionResult", "code_execution_result"),
    }
)


def are_parts(value: Sequence[Any]) -> bool:
    """Whether a list is content already. Any list of objects is; with texts among them, one of google-genai's."""
    if not any(isinstance(one, PLAIN) for one in value):
        return bool(value)
    return any(map(is_genai, value)) and all(isinstance(one, str) or is_genai(one) for one in value)


def is_genai(value: Any) -> bool:
    """Whether this is one part of google-genai, as an object of the SDK or as a dict."""
    if isinstance(value, dict):
        return bool(value) and GENAI_KEYS.issuperset(value)
    return is_genai_object(value)


def is_sdk_object(value: Any) -> bool:
    """Whether it can convert itself to JSON, as the objects of models' SDKs can."""
    return hasattr(type(value), "model_dump")


def is_genai_object(value: Any) -> bool:
    kind = type(value)
    return kind.__module__.startswith("google.genai") and kind.__name__ in ("Part", "File")


def with_texts(parts: Sequence[Any], texts: Sequence[str]) -> list[Any]:
    """The parts, and after them each text as a part of the same API."""
    return [*parts, *(text_part(text, parts) for text in texts)]


def text_part(text: str, parts: Sequence[Any]) -> Any:
    """A text as one more part. google-genai reads its parts as one text, so there a blank line comes first."""
    types = [str(one["type"]) for one in parts if isinstance(one, dict) and "type" in one]
    if types:
        return {"type": "input_text" if types[0].startswith("input_") else "text", "text": text}
    if any(type(one).__module__.startswith("google.genai") for one in parts):
        from tenterhook.clients.formats.genai.values import types as genai

        return genai().Part(text=f"\n\n{text}")
    if any(isinstance(one, dict) for one in parts):
        return {"text": f"\n\n{text}"}
    return f"\n\n{text}" if all(isinstance(one, str) for one in parts) else {"type": "text", "text": text}


def as_json(content: Any) -> Any:
    """Content in the form for hooks: objects of an SDK in their JSON form."""
    if isinstance(content, list | tuple):
        return [as_json(one) for one in content]
    return in_json(content) if is_sdk_object(content) else content
