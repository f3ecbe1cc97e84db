"""The options of a host's parts, for type checkers: a misspelt one is found before anything runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Required, TypedDict

if TYPE_CHECKING:
    from tenterhook.hosts.conversation import Watch
    from tenterhook.hosts.permission import Ask
    from tenterhook.hosts.result import ToolResult
    from tenterhook.hosts.scheduler import Progress, ToolCall


class ToolOptions(TypedDict, total=False):
    schema: Any
    asks: bool | Callable[[dict[str, Any]], bool]
    permission: Ask | None


class ModelOptions(TypedDict, total=False):
    format: Required[str]
    stream: bool | None
    collect: bool


class SchedulerOptions(TypedDict, total=False):
    parallel: int
    changed: Callable[[Progress], object] | None
    publish: Callable[[ToolCall, ToolResult], object] | None


class SessionOptions(TypedDict, total=False):
    id: str
    permission: Ask | None
    tell: Callable[[str], object] | None
    watch: Watch | None
    transcript: str
    cwd: str
    agent_id: str
    agent_type: str
    agent_name: str
    stop_limit: int
    background_limit: int
