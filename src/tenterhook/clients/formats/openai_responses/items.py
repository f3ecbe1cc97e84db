"""The items of an input, and the turns that they make."""

from __future__ import annotations

from typing import Any

from tenterhook.clients.formats import Call
from tenterhook.clients.formats.openai_shared import (
    OWN_ROLES,
    retold,
    stable_role,
    system_word,
    texts,
)
from tenterhook.clients.formats.values import call_argument, copy_with_fields, get, list_from_iterable

# The items that belong together: thoughts, the message that they led to, and its calls. The API refuses a thought
# without what it led to, so nothing comes between them and they are removed together.
Turn = list[Any]


class Turns:
    """How Responses write a message."""

    def __init__(self, items: list[Any]) -> None:
        self.roles = {**OWN_ROLES, "system": system_word(items)}

    def message(self, turn: Turn) -> Any:
        return next((item for item in turn if is_message(item)), None)

    def role(self, turn: Turn) -> str:
        return stable_role(self.message(turn))

    def text(self, turn: Turn) -> str:
        return "".join(texts(get(self.message(turn), "content")))

    def change(self, turn: Turn, text: str) -> Turn:
        message = self.message(turn)
        other = copy_with_fields(message, content=retold(get(message, "content"), text))
        return [other if item is message else item for item in turn]

    def new(self, role: str, text: str) -> Turn:
        return [{"role": self.roles[role], "content": text}]

    def calls(self, turn: Turn) -> list[str]:
        return [call_id(item) for item in turn if is_call(item) and call_id(item)]

    def results(self, turn: Turn) -> list[str]:
        return [call_id(item) for item in turn if is_result(item) and call_id(item)]

    def without(self, turn: Turn, ids: set[str]) -> Turn | None:
        left = [item for item in turn if is_message(item) or kind_of(item) == "reasoning" or call_id(item) not in ids]
        return left if any(kind_of(item) != "reasoning" for item in left) else None


def kind_of(item: Any) -> str:
    kind = get(item, "type")
    return kind if isinstance(kind, str) else ""


def is_message(item: Any) -> bool:
    return kind_of(item) in ("", "message") and get(item, "role") is not None


def is_call(item: Any) -> bool:
    return kind_of(item).endswith("_call") or kind_of(item) in ("program", "mcp_approval_request")


def is_result(item: Any) -> bool:
    return kind_of(item).endswith("_output") or kind_of(item) == "mcp_approval_response"


def call_id(item: Any) -> str:
    """The id that a call and its result share."""
    return str(get(item, "call_id") or get(item, "approval_request_id") or get(item, "id") or "")


def items_of(call: Call) -> list[Any]:
    """The input as a list: a text is one user message."""
    value = call_argument(call, "input")
    return [{"role": "user", "content": value}] if isinstance(value, str) else list_from_iterable(value, "input")


def turns_of(items: list[Any]) -> list[Turn]:
    found: list[Turn] = []
    opened = False
    for item in items:
        thinking = opened and all(kind_of(one) == "reasoning" for one in found[-1])
        answer = is_message(item) and stable_role(item) == "model"
        if opened and (is_call(item) or (thinking and (answer or kind_of(item) == "reasoning"))):
            found[-1].append(item)
        else:
            found.append([item])
            opened = answer or is_call(item) or kind_of(item) == "reasoning"
    return found
