"""The hooks of files that a command line names: `tenter run FILE... --agent NAME`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tenterhook.author.loading import LIBRARY
from tenterhook.author.registered import GUARDED
from tenterhook.errors import UsageError, nearest
from tenterhook.support.paths import within
from tenterhook.types import Hook, Source

if TYPE_CHECKING:
    from tenterhook.author.calls import HookCommand
    from tenterhook.engine.engine import Engine

HERE = "the command line"


@contextmanager
def add_hooks(line: HookCommand, engine: Engine) -> Iterator[None]:
    """The engine with the hooks of the named files, as far as the user has approved them."""
    found = find_hooks(line, engine) if line.words or line.problems else []
    if not found:
        yield
        return
    engine.put(*found)
    try:
        yield
    finally:
        for hook in found:
            engine.take(hook)


def find_hooks(line: HookCommand, engine: Engine) -> list[Hook]:
    """The hooks of all named files. One that cannot be read fails wherever it might have guarded."""
    found: list[Hook] = []
    for word, own in words_with_arguments(line):
        try:
            hooks = hooks_of_file(word, own, os.getcwd(), engine.project)
            check_events(hooks, engine)
        except UsageError as exc:
            found += build_failing_hooks(word, str(exc), engine)
        else:
            found += engine.hookset.judge([hook for hook in hooks if engine.has(hook.event)])
    for problem in line.problems:
        found += build_failing_hooks(HERE, problem, engine)
    return found


def check_events(hooks: list[Hook], engine: Engine) -> None:
    """Raise if no agent has such an event: that hook would never be called."""
    from tenterhook.author.kinds import EVENTS, KINDS

    for hook in hooks:
        if not engine.has(hook.event) and hook.event not in EVENTS and hook.event not in KINDS:
            near = nearest(hook.event, [*KINDS, *EVENTS])
            raise UsageError(f"{hook.source.file}: {hook.name}: there is no event {hook.event!r}{near}")


def words_with_arguments(line: HookCommand) -> Iterator[tuple[str, list[str]]]:
    """Each named file, with the arguments for its hooks."""
    options = [f"--options={os.path.abspath(line.options)}"] if line.options else []
    for word, settings in line.words:
        yield word, [*(f"--set={one}" for one in (*line.settings, *settings)), *options]


def hooks_of_file(word: str, arguments: list[str], folder: str, project: str) -> list[Hook]:
    """The hooks of one file. They are the project's if the file is in it; a ready hook is the user's choice."""
    from tenterhook.handlers import use

    found = use.entries({"use": word}, folder, whole=True)
    inside = not word.startswith(LIBRARY) and within(found[0]["use"], project)
    return [build_hook(entry, arguments, "project" if inside else "user") for entry in found]


def build_hook(entry: dict[str, Any], arguments: list[str], scope: str) -> Hook:
    return Hook(
        name=entry["name"],
        event=entry["on"],
        handler="use",
        spec={"main": entry["use"], "form": "use", "only": entry["only"], "args": arguments},
        source=Source(entry["use"], scope=scope),
        matcher=entry["match"],
        match_kind=entry["match_kind"],
        timeout=entry["timeout"],
        on_failure={"default": entry["on_failure"]},
    )


def build_failing_hooks(name: str, problem: str, engine: Engine) -> list[Hook]:
    """Hooks that fail, and so refuse, at every event that a hook may guard."""
    from tenterhook.config.unreadable import failing

    return [failing(name, Source(HERE), problem, engine.rule(kind), None) for kind in GUARDED]
