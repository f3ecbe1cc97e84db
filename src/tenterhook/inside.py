"""Whether this code runs inside a hook: hooks that a hook's own function fires do not run, or it would never end.

For child processes an environment variable carries the depth; for functions this does, through threads and tasks.
"""

from __future__ import annotations

from contextvars import ContextVar

INSIDE: ContextVar[bool] = ContextVar("tenterhook.inside", default=False)
WHY = "this was fired from inside a hook: hooks do not run inside hooks"
