"""`contents` of a call <-> its messages.

It may be a text, a part, a file, a message, or a list that mixes them. The SDK makes one message of adjacent parts, and
so does the view.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tenterhook.clients.formats.genai.values import copy_or_create, get, list_field, types
from tenterhook.clients.formats.messages import Message

ROLES = {"model": "model", "system": "system", "function": "", "tool": ""}


class LooseParts(list[Any]):
    """Adjacent parts in `contents`, of which the SDK makes one message."""


def split_contents(contents: Any) -> list[Message]:
    """The messages that the SDK makes of `contents`."""
    items = contents if isinstance(contents, list | tuple) else [contents]
    found: list[Message] = []
    for item in items:
        last = found[-1] if found else None
        if item is None:
            continue
        if is_message(item):
            found.append(item)
        elif isinstance(last, LooseParts) and is_call(last[0]) == is_call(item):
            last.append(item)
        else:
            found.append(LooseParts([item]))
    return found


def is_message(item: Any) -> bool:
    if isinstance(item, dict):
        return not item or "parts" in item or "role" in item
    return isinstance(item, list | tuple) or hasattr(item, "parts")


def is_call(part: Any) -> bool:
    return get(part, "function_call") is not None


def join_contents(messages: Sequence[Message]) -> list[Any]:
    """Messages as `contents`, each as the SDK will read it."""
    found: list[Any] = []
    before: Message = None
    for message in messages:
        now = wrap_loose_parts(message) if len(messages) > 1 and unclear(message, before) else message
        found += now if isinstance(now, LooseParts) else [now]
        before = now
    return found


def unclear(message: Message, before: Message) -> bool:
    """Loose parts merge with the ones before them; and the SDK misreads a dict beside a Content."""
    if not isinstance(message, LooseParts):
        return False
    runs_in = isinstance(before, LooseParts) and is_call(before[-1]) == is_call(message[0])
    return runs_in or any(isinstance(part, dict) for part in message)


def wrap_loose_parts(message: LooseParts) -> Message:
    """The same parts as one message: the SDK makes a user message of a list in the list."""
    return types().Content(role="model", parts=list(message)) if is_call(message[0]) else list(message)


def parts(message: Message) -> list[Any]:
    return list(message) if isinstance(message, list | tuple) else list_field(message, "parts")


def with_parts(message: Message, content: list[Any]) -> Message:
    if isinstance(message, list | tuple):
        return LooseParts(content) if isinstance(message, LooseParts) else content
    return copy_or_create(message, "Content", parts=content)


def text_of(part: Any) -> str:
    """What hooks see of a part: not the model's thoughts, which are text as well."""
    text = part if isinstance(part, str) else get(part, "text")
    return text if isinstance(text, str) and not get(part, "thought") else ""


class GenaiMessages:
    """How this API writes a message. A call and its result often have no id: then they are matched by name."""

    def __init__(self, messages: Iterable[Message]) -> None:
        self.called: dict[int, str] = {}
        self.answered: dict[int, str] = {}
        waiting: list[tuple[Any, str]] = []
        for n, part in enumerate(part for message in messages for part in parts(message)):
            call, result = get(part, "function_call"), get(part, "function_response")
            if call is not None:
                self.called[id(part)] = get(call, "id") or f"call {n}"
                waiting.append((get(call, "name"), self.called[id(part)]))
            elif result is not None:
                own, name = get(result, "id"), get(result, "name")
                fits = [one for one in waiting if one[1] == own] or [one for one in waiting if one[0] == name]
                self.answered[id(part)] = fits[0][1] if fits else own or f"result {n}"
                waiting = [one for one in waiting if one not in fits[:1]]

    def role(self, message: Message) -> str:
        if isinstance(message, list | tuple):
            return "model" if isinstance(message, LooseParts) and is_call(message[0]) else "user"
        return ROLES.get(get(message, "role"), "user")

    def text(self, message: Message) -> str:
        return "".join(text_of(part) for part in parts(message))

    def change(self, message: Message, text: str) -> Message:
        found: list[Any] = []
        placed = False
        for part in parts(message):
            if not text_of(part):
                found.append(part)
            elif text and not placed:
                found.append(text if isinstance(part, str) else copy_or_create(part, "Part", text=text))
                placed = True
        return with_parts(message, found)

    def new(self, role: str, text: str) -> Message:
        return types().Content(role="model" if role == "model" else "user", parts=[types().Part(text=text)])

    def calls(self, message: Message) -> list[str]:
        return [self.called[id(part)] for part in parts(message) if id(part) in self.called]

    def results(self, message: Message) -> list[str]:
        return [self.answered[id(part)] for part in parts(message) if id(part) in self.answered]

    def without(self, message: Message, ids: set[str]) -> Message | None:
        keys = {**self.called, **self.answered}
        left = [part for part in parts(message) if keys.get(id(part)) not in ids]
        return with_parts(message, left) if left else None
