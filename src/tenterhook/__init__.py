"""One hook system for every AI agent. Public names are loaded on first use; no other code stands here."""

from __future__ import annotations

# Importing typing takes 5 ms, a quarter of what the command may cost to say its version.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.author import hook
    from tenterhook.author.event import Event
    from tenterhook.engine.engine import Engine, load
    from tenterhook.errors import ConfigError, TenterhookError, UnknownDialect, UnknownEvent, UsageError
    from tenterhook.hosts.permission import Permission, PermissionRequest
    from tenterhook.hosts.reply import Reply
    from tenterhook.hosts.result import ToolError, ToolResult
    from tenterhook.hosts.scheduler import Scheduler, ToolCall
    from tenterhook.hosts.session import Prompt, Session, Stop
    from tenterhook.hosts.tool import execute_tool_with_hooks
    from tenterhook.types import Attempt, Message, Outcome, Skipped, Usage
    from tenterhook.version import __version__

HOMES = {
    "Attempt": "types",
    "ConfigError": "errors",
    "Engine": "engine.engine",
    "Event": "author.event",
    "Message": "types",
    "Outcome": "types",
    "Permission": "hosts.permission",
    "PermissionRequest": "hosts.permission",
    "Prompt": "hosts.session",
    "Reply": "hosts.reply",
    "Scheduler": "hosts.scheduler",
    "Session": "hosts.session",
    "Skipped": "types",
    "TenterhookError": "errors",
    "Stop": "hosts.session",
    "ToolCall": "hosts.scheduler",
    "ToolError": "hosts.result",
    "ToolResult": "hosts.result",
    "UnknownDialect": "errors",
    "UnknownEvent": "errors",
    "Usage": "types",
    "UsageError": "errors",
    "__version__": "version",
    "execute_tool_with_hooks": "hosts.tool",
    "hook": "author",
    "load": "engine.engine",
}

__all__ = [
    "Attempt",
    "ConfigError",
    "Engine",
    "Event",
    "Message",
    "Outcome",
    "Permission",
    "PermissionRequest",
    "Prompt",
    "Reply",
    "Scheduler",
    "Session",
    "Skipped",
    "Stop",
    "TenterhookError",
    "ToolCall",
    "ToolError",
    "ToolResult",
    "UnknownDialect",
    "UnknownEvent",
    "Usage",
    "UsageError",
    "__version__",
    "execute_tool_with_hooks",
    "hook",
    "load",
]


if not TYPE_CHECKING:  # or a type checker would take any name for one of ours

    def __getattr__(name: str) -> object:
        if name not in HOMES:
            raise AttributeError(f"module 'tenterhook' has no attribute {name!r}")
        # Not importlib, which would take a millisecond of a hook's start.
        return getattr(__import__(f"tenterhook.{HOMES[name]}", fromlist=(name,)), name)


def __dir__() -> list[str]:
    return __all__
