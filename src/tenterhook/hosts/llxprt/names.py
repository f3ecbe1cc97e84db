"""LLxprt Code's names for events, five with a caller and six without, and for the sources of hooks."""

from __future__ import annotations

from enum import IntEnum, StrEnum


class HookEventName(StrEnum):
    BEFORE_TOOL = "BeforeTool"
    AFTER_TOOL = "AfterTool"
    BEFORE_MODEL = "BeforeModel"
    AFTER_MODEL = "AfterModel"
    BEFORE_TOOL_SELECTION = "BeforeToolSelection"
    BEFORE_AGENT = "BeforeAgent"
    AFTER_AGENT = "AfterAgent"
    SESSION_START = "SessionStart"
    SESSION_END = "SessionEnd"
    PRE_COMPRESS = "PreCompress"
    NOTIFICATION = "Notification"


class ConfigSource(IntEnum):
    """The source of a hook; the value is its priority, and hooks with a lower one come first.

    Only PROJECT (everything in settings, the user's and the project's) and EXTENSIONS are ever assigned.
    """

    PROJECT = 1
    USER = 2
    SYSTEM = 3
    EXTENSIONS = 4
