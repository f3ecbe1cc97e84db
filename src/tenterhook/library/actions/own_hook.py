"""The hook that called an action: found by its command, and how long its agent waits for it.

Agents do not tell a hook its time-out, so it is looked up in the agent's config. That loads the whole config machinery,
so it is done only if tests are about to run, which takes longer still.
"""

from __future__ import annotations

import re

from tenterhook.library.actions import ACTIONS, AFTER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.types import Hook

# A gate that holds up its agent for longer is not helpful, whatever time-out its hook has.
LONGEST = 120.0
# Time that is left for the start of the process before the action, and for its answer.
SPARE = 0.7
# Actions and wrappers that run the project's own commands, which may take long.
READING = ("-validation", "devops-", "docs-", "quality-", "spec-")
RUNNING = (*(name for name in ACTIONS if not any(part in name for part in READING)), "post-tool", AFTER)
CALLED = re.compile(
    r"\btenter(?:\.exe)?[\"']?\s+hook\s+(?:agent\s+)?([\w.-]+)|\bhandle-agent-hook\.sh[\"']?\s+([\w-]+)"
)
WRAPPER = re.compile(r"\bhandle-([\w-]+)\.sh\b")
BUDGET = re.compile(r"--budget[ =]([\d.]+)")


def word_in(command: str) -> str:
    """The action or event that a hook's command passes to `tenter hook`, directly or by a wrapper; empty for others."""
    found = CALLED.search(command) or WRAPPER.search(command)
    return next((one for one in found.groups() if one), "") if found else ""


def budget_in(command: str) -> float:
    """The time limit in a hook's command, in seconds; 0 if it has none."""
    found = BUDGET.search(command)
    try:
        return float(found[1]) if found else 0.0
    except ValueError:
        return 0.0


def seconds(word: str, project: str, dialect: str) -> float:
    """How long the action may take to answer before its agent gives up; 0 if that is not known."""
    from tenterhook.engine.engine import Engine
    from tenterhook.errors import TenterhookError

    try:
        hooks = Engine(dialect=dialect, project=project).hooks()
    except (TenterhookError, OSError):
        return 0.0
    own = [hook for hook in hooks if word_in(command_of(hook)) == word]
    limits = [hook.timeout for hook in own if hook.timeout is not None]
    return max(0.1, min(LONGEST, *limits) - SPARE) if own else 0.0


def command_of(hook: Hook) -> str:
    main = hook.spec.get("main")
    return " ".join(map(str, main)) if isinstance(main, list | tuple) else str(main or "")
