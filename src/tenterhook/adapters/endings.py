"""Why a run ends after a hook stopped the agent."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tenterhook.hosts.reply import Reply
    from tenterhook.hosts.result import ToolResult


def end_after_tool(result: ToolResult) -> str | None:
    """The reason of a stop; None if the run goes on."""
    stopped = result.stop or (result.error is not None and result.error.type == "stopped")
    return result.stop_reason if stopped else None


def end_after_model(reply: Reply) -> str | None:
    """The reason of a stop or of a refused request; None if the run goes on."""
    return reply.stop_reason or reply.reason if reply.stop or reply.blocked else None
