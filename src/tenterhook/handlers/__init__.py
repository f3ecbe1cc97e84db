"""One file per type of hook. The other packages know a type by its module alone.

A module has `TRAITS`, which says what hooks of its type are, and `run(job) -> Attempt`. It may also have
- `arun(job)`, awaited on the caller's loop: always, unless `awaits(job)` says no;
- `inline(job)`, true if the call may run in the caller's own thread;
- `program(job)` and `attempt(job, completed)`, if the hook is a child process: then the children of one batch run
  together in the calling thread, and `run` is not needed. Only such hooks can run in the background;
- `command_line(hook)`, the shell's text or the words that such a process is.

Traits are read with the config: a module imports in its functions what only a running hook needs.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from tenterhook.types import Job


class Traits(Struct, frozen=True, kw_only=True):
    """The traits of hooks of one type.

    `about` describes the type in a sentence. `options` are the keys of an entry that the handler reads, other than the
    one that says what runs. `failures` are the causes that a hook can fail for; empty means any. `leeway` is how many
    seconds past the time-out the runner waits for `run`. A function's own time-out ends it if that is possible, so its
    thread is given up soon; a handler that keeps the time itself has things to close.
    """

    about: str = ""
    options: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    in_host: bool = False  # the hook is a call in the host's own process
    reads_answer: bool = False  # the handler reads the answer, so a broken one is its error, not the verdict's
    takes_command_line: bool = False  # an entry can name any program, with its arguments
    leeway: float = 0.05


UNKNOWN = Traits()


@cache
def get(name: str) -> ModuleType | None:
    """The handler of that name; None if there is none."""
    whole = f"{__name__}.{name}"
    try:
        # Not importlib, which takes longer to import than a handler.
        return __import__(whole, fromlist=("TRAITS",)) if name.isidentifier() else None
    except ModuleNotFoundError as exc:
        if exc.name != whole:
            raise
        return None


@cache
def traits(name: str) -> Traits:
    """The traits of the handler of that name."""
    return getattr(get(name), "TRAITS", UNKNOWN)


@cache
def runs_in_host(name: str) -> bool:
    """Whether hooks of this type are calls in the host's own process."""
    return traits(name).in_host


@cache
def starts_child(name: str) -> bool:
    """Whether hooks of this type are child processes. Cached: asking a module for a missing attribute is slow."""
    return hasattr(get(name), "program")


@cache
def inline(name: str) -> Callable[[Job], bool]:
    """The handler's test whether a job may run in the caller's thread; without one, it may not."""
    return getattr(get(name), "inline", never)


def never(job: Job) -> bool:
    return False
