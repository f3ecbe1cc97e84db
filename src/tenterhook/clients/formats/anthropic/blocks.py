"""How the Messages API writes a message: a text, or a list of blocks."""

from __future__ import annotations

from typing import Any

from tenterhook.clients.formats.values import copy_with_fields, get, list_from_iterable

ROLES = {"user": "user", "assistant": "model", "system": "system"}


def blocks(message: Any) -> list[Any]:
    content = get(message, "content")
    return [{"type": "text", "text": content}] if isinstance(content, str) else list_from_iterable(content, "content")


def text_of(block: Any) -> str | None:
    """The text of a text block; None for every other block, thinking among them."""
    text = get(block, "text") if get(block, "type") == "text" else None
    return text if isinstance(text, str) else None


def texts(message: Any) -> list[str]:
    return [text for block in blocks(message) if (text := text_of(block))]


def call_id(block: Any) -> str | None:
    """The id of a tool call, also of one that the API runs itself."""
    return get(block, "id") if str(get(block, "type")).endswith("tool_use") else None


class AnthropicMessages:
    """How this API writes a message. `system` are the texts of system messages in the call."""

    def __init__(self, all_of_them: list[Any]) -> None:
        self.system = {self.text(one) for one in all_of_them if self.role(one) == "system"}

    def role(self, message: Any) -> str:
        return ROLES.get(str(get(message, "role")), "")

    def text(self, message: Any) -> str:
        return "".join(texts(message))

    def change(self, message: Any, text: str) -> Any:
        """The first text block gets the text, and the cache mark of those that are removed."""
        if isinstance(get(message, "content"), str):
            return copy_with_fields(message, content=text)
        old = blocks(message)
        places = [n for n, block in enumerate(old) if text_of(block) is not None]
        marks = [mark for n in places if (mark := get(old[n], "cache_control"))]
        first = copy_with_fields(old[places[0]], text=text, **({"cache_control": marks[-1]} if marks else {}))
        gone = places[1:] if text else places
        kept = [first if n == places[0] else block for n, block in enumerate(old) if n not in gone]
        return copy_with_fields(message, content=kept)

    def new(self, role: str, text: str) -> Any:
        own = "assistant" if role == "model" else "system" if role == "system" and text in self.system else "user"
        return {"role": own, "content": text}

    def calls(self, message: Any) -> list[str]:
        return [id for block in blocks(message) if (id := call_id(block))]

    def results(self, message: Any) -> list[str]:
        own = self.calls(message)  # the API puts its own call beside the result
        return [id for block in blocks(message) if (id := get(block, "tool_use_id")) and id not in own]

    def without(self, message: Any, ids: set[str]) -> Any:
        """Thoughts alone are not a message: they are removed with the calls that they led to."""
        left = [one for one in blocks(message) if not ids.intersection((call_id(one), get(one, "tool_use_id")))]
        thoughts = all(str(get(one, "type")).endswith("thinking") for one in left)
        return None if thoughts else copy_with_fields(message, content=left)
