"""A long context -> a summary of it, and its last messages as they are."""

from __future__ import annotations

from typing import Any

from tenterhook.support.terminal.text import as_json, shorten

Message = dict[str, Any]

# The summary and the messages that stay take at most this part of the limit.
KEPT = 4
LINE = 200
CUT = "\n[cut here to keep the conversation short]\n"

INSTRUCTION = (
    "The conversation has become long. Write a short account of it that lets you go on: what the user wants, what was "
    "done, what was found out, which files matter, what is left to do. Only the account."
)
HEAD = "An account of the conversation so far, which was shortened:\n\n"
LAST = "\n\nThe user's last words were:\n\n"


def size(messages: list[Message]) -> int:
    """In characters; about four are a token."""
    return sum(len(one["content"]) + len(as_json(one.get("tool_calls") or "")) for one in messages)


def split_for_summary(messages: list[Message], room: int) -> tuple[list[Message], list[Message]]:
    """The messages to summarise, and the last ones, which stay. A call and its results are never separated."""
    starts = [n for n, message in enumerate(messages) if message["role"] != "tool"]
    place = starts[-1] if starts else 0
    for start in reversed(starts):
        if size(messages[start:]) > room // KEPT:
            break
        place = start
    return messages[:place], messages[place:]


def retold(messages: list[Message], room: int) -> str:
    """A summary without a model: one line for each message; of too many, the last."""
    lines = [line for message in messages for line in in_short(message)]
    taken: list[str] = []
    left = room // KEPT
    for line in reversed(lines):
        left -= len(line) + 1
        if left < 0:
            taken.append("...")
            break
        taken.append(line)
    return "\n".join(reversed(taken))


def in_short(message: Message) -> list[str]:
    text = shorten(message["content"], LINE)
    if message["role"] == "tool":
        return [f"{message.get('name', 'a tool')} gave: {text}"]
    lines = [f"{'the user' if message['role'] == 'user' else 'you'} said: {text}"] if text else []
    calls = message.get("tool_calls") or ()
    return lines + [f"you called {call['name']}: {shorten(as_json(call['input']), LINE)}" for call in calls]


def build_compacted_messages(account: str, wish: str, recent: list[Message], room: int) -> list[Message]:
    """The new context. The user's request stays; what is still too long is cut, visibly."""
    if not any(one["content"] == wish for one in recent):
        account += LAST + cut(wish, room // KEPT)
    short = [{**one, "content": cut(one["content"], room // KEPT)} for one in recent]
    return [{"role": "user", "content": HEAD + account}, *short] if account else short


def cut(text: str, most: int) -> str:
    """Keep the beginning and the end: what hooks say about a result comes after it."""
    if len(text) <= most:
        return text
    left = max(0, most - len(CUT))
    return text[: left - left // 2] + CUT + text[len(text) - left // 2 :]
