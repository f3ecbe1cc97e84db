"""AMCP's own names, over the engine: a program written for `amcp.hooks` changes its import and nothing else.

`HooksManager` runs every hook of the project unless it gets another `trust`: AMCP itself has no trust, so otherwise
nothing would run. docs/embed/hosts/amcp.md has the differences, each with its reason.
"""

from __future__ import annotations

from tenterhook.hosts.amcp.manager import (
    HooksManager,
    get_hooks_manager,
    reset_hooks_manager,
    run_post_tool_use_hooks,
    run_pre_compact_hooks,
    run_pre_tool_use_hooks,
    run_session_end_hooks,
    run_session_start_hooks,
    run_stop_hooks,
    run_user_prompt_hooks,
)
from tenterhook.hosts.amcp.records import HookConfig, HookDecision, HookEvent, HookHandler, HookInput, HookOutput

__all__ = [
    "HookConfig",
    "HookDecision",
    "HookEvent",
    "HookHandler",
    "HookInput",
    "HookOutput",
    "HooksManager",
    "get_hooks_manager",
    "reset_hooks_manager",
    "run_post_tool_use_hooks",
    "run_pre_compact_hooks",
    "run_pre_tool_use_hooks",
    "run_session_end_hooks",
    "run_session_start_hooks",
    "run_stop_hooks",
    "run_user_prompt_hooks",
]
