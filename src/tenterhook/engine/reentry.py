"""Whether this code runs inside a hook: hooks that a hook's own function fires do not run, or it would never end.

For child processes an environment variable carries the depth; for functions this does, through tasks and our own
threads. A thread that the function starts itself begins with an empty context: copy it (`copy_context().run`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar

# The mark is emptied when the hook returns: a task that it started and that lives on is the host's again.
INSIDE: ContextVar[list[bool] | tuple[()]] = ContextVar("tenterhook.inside", default=())
WHY = "this was fired from inside a hook: hooks do not run inside hooks"


@contextlib.contextmanager
def inside_a_hook() -> Iterator[None]:
    mark = [True]
    before = INSIDE.set(mark)
    try:
        yield
    finally:
        mark.clear()
        INSIDE.reset(before)
