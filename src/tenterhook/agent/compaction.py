"""Compact a conversation that has become too long: replace it by a summary. Hooks are told before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tenterhook.agent import context_summary
from tenterhook.agent.turn_end import TurnEnd
from tenterhook.errors import TenterhookError
from tenterhook.pipeline.apply import STOPPED

if TYPE_CHECKING:
    from tenterhook.agent.loop import AgentLoop
    from tenterhook.hosts.reply import Reply


async def shorten(loop: AgentLoop, trigger: str = "auto") -> TurnEnd | None:
    """Compact the conversation. Returns the end of the turn if a hook stops the agent here."""
    length = context_summary.size(loop.messages)
    if not loop.messages or (trigger == "auto" and length < max(loop.room, loop.put_off)):
        return None
    before = await loop.session.acompact(trigger)
    if before.stop:
        return TurnEnd("stopped", before.stop_reason or STOPPED)
    if before.blocked:
        loop.put_off = length + loop.room // 4
        return None
    old, recent = context_summary.split_for_summary(loop.messages, loop.room if trigger == "auto" else 0)
    account = ""
    if old and not loop.coder.scripted and (reply := await request_summary(loop, old, trigger)):
        if reply.stop:
            return TurnEnd("stopped", reply.stop_reason or STOPPED)
        account = "" if reply.synthetic else reply.response["text"]
    account = account or context_summary.retold(old, loop.room)
    loop.messages, loop.put_off = context_summary.build_compacted_messages(account, loop.wish, recent, loop.room), 0
    loop.coder.screen.note("the conversation goes on with a short account of what was said so far")
    after = await loop.session.acompacted(trigger)
    loop.hear(loop.session.pending())
    return TurnEnd("stopped", after.stop_reason or STOPPED) if after.stop else None


async def request_summary(loop: AgentLoop, old: list[context_summary.Message], trigger: str) -> Reply | None:
    """Ask the model for a summary. If that fails, make one from the messages: the conversation must not end here."""
    try:
        return await loop.ask([*old, {"role": "user", "content": context_summary.INSTRUCTION}], [])
    except TenterhookError as exc:
        if trigger == "manual":
            raise
        loop.coder.screen.note(f"{exc}; the account is put together from the messages")
        return None
