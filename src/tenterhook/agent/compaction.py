"""Compact a conversation that has become too long: replace it by a summary. Hooks are called before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tenterhook.agent.turn_end import TurnEnd
from tenterhook.errors import TenterhookError
from tenterhook.pipeline.apply import STOPPED
from tenterhook.support.terminal.text import as_json
from tenterhook.support.terminal.text import shorten as shorten_text

if TYPE_CHECKING:
    from tenterhook.agent.loop import AgentLoop
    from tenterhook.hosts.reply import Reply

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


async def shorten(loop: AgentLoop, trigger: str = "auto") -> TurnEnd | None:
    """Compact the conversation. Returns the end of the turn if a hook stops the agent here."""
    length = size(loop.messages)
    if not loop.messages or (trigger == "auto" and length < max(loop.room, loop.put_off)):
        return None
    before = await loop.session.acompact(trigger)
    if before.stop:
        return TurnEnd("stopped", before.stop_reason or STOPPED)
    if before.blocked:
        loop.put_off = length + loop.room // 4
        return None
    old, recent = split_for_summary(loop.messages, loop.room if trigger == "auto" else 0)
    account = ""
    if old and not loop.coder.scripted and (reply := await request_summary(loop, old, trigger)):
        if reply.stop:
            return TurnEnd("stopped", reply.stop_reason or STOPPED)
        account = "" if reply.synthetic else reply.response["text"]
    account = account or retold(old, loop.room)
    loop.messages, loop.put_off = build_compacted_messages(account, loop.wish, recent, loop.room), 0
    loop.coder.screen.note("the conversation goes on with a short account of what was said so far")
    after = await loop.session.acompacted(trigger)
    loop.hear(loop.session.pending())
    return TurnEnd("stopped", after.stop_reason or STOPPED) if after.stop else None


async def request_summary(loop: AgentLoop, old: list[Message], trigger: str) -> Reply | None:
    """Ask the model for a summary. If that fails, make one from the messages: the conversation must not end here."""
    try:
        return await loop.ask([*old, {"role": "user", "content": INSTRUCTION}], [])
    except TenterhookError as exc:
        if trigger == "manual":
            raise
        loop.coder.screen.note(f"{exc}; the account is put together from the messages")
        return None


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
    text = shorten_text(message["content"], LINE)
    if message["role"] == "tool":
        return [f"{message.get('name', 'a tool')} gave: {text}"]
    lines = [f"{'the user' if message['role'] == 'user' else 'you'} said: {text}"] if text else []
    calls = message.get("tool_calls") or ()
    return lines + [f"you called {call['name']}: {shorten_text(as_json(call['input']), LINE)}" for call in calls]


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
