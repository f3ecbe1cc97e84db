"""MassGen's own names, over the engine: a program written for `massgen.mcp_tools.hooks` changes its import only.

This package also does what MassGen's document promises and its program does not do: command hooks, every form of
override, injections that keep their strategies. docs/embed/hosts/massgen.md has the differences.
"""

from __future__ import annotations

from tenterhook.hosts.massgen.hooks import CommandHook, FunctionHook, PatternHook, PythonCallableHook
from tenterhook.hosts.massgen.manager import GeneralHookManager
from tenterhook.hosts.massgen.records import HookEvent, HookResult, HookType

__all__ = [
    "CommandHook",
    "FunctionHook",
    "GeneralHookManager",
    "HookEvent",
    "HookResult",
    "HookType",
    "PatternHook",
    "PythonCallableHook",
]
