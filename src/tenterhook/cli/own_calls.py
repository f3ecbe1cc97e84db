"""Entries of an agent's config that call `tenter run`: the hooks behind them are in tenterhook.toml."""

from __future__ import annotations

import re

from msgspec.structs import replace

from tenterhook.tools.explain.explain import ExplainedHook, Explanation
from tenterhook.tools.explain.inventory import HookFacts
from tenterhook.tools.install.command_line import PROGRAMS

CALL = re.compile(rf"(?:^|[\s/'\"])(?:{'|'.join(map(re.escape, PROGRAMS))})['\"]?\s+run\b")
BEHIND = "it calls tenterhook, whose hooks for this event are explained below"


def calls_us(hook: ExplainedHook | HookFacts) -> bool:
    return hook.type == "command" and bool(CALL.search(hook.hook))


def mark_own_calls(found: Explanation) -> Explanation:
    """The agent runs such an entry whether we trust it or not; what is behind it needs the approval."""
    return replace(found, hooks=[mark(hook) for hook in found.hooks])


def mark(hook: ExplainedHook) -> ExplainedHook:
    if not calls_us(hook):
        return hook
    if hook.why == "untrusted":
        hook = replace(hook, runs=True, why="", because="", batch=1)
    return replace(hook, missing=BEHIND if hook.runs else hook.missing)
