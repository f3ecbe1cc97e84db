"""One file per handler type: a module with `run(job) -> Attempt`.

A module may also give
- `arun(job)`, awaited on the caller's loop: always, unless `awaits(job)` says no;
- `LEEWAY`, how many seconds beyond the time-out its `run`, which keeps the time itself, may take to close things;
- `inline(job)`, true where the call may run in the caller's own thread;
- `program(job)` and `attempt(job, completed)`, where the hook is a child process: then the children of one batch run
  together in the calling thread, and `run` is not needed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tenterhook.types import Job


@cache
def get(name: str) -> ModuleType | None:
    """The handler of that name; None where there is none."""
    if not name.isidentifier() or find_spec(f"{__name__}.{name}") is None:
        return None
    return import_module(f"{__name__}.{name}")


@cache
def starts_child(name: str) -> bool:
    """Whether hooks of this type are child processes. Kept apart, because asking a module what it lacks is slow."""
    return hasattr(get(name), "program")


@cache
def inline(name: str) -> Callable[[Job], bool]:
    """The handler's own word on whether a job may run in the caller's thread; without one, it may not."""
    return getattr(get(name), "inline", never)


def never(job: Job) -> bool:
    return False
