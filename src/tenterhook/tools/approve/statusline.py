"""The status line that some agents let their users write: a command whose first line of output is shown above the
prompt.

Unlike a hook's command it does not go to a shell and nothing in it expands, neither variables nor `~`: it is words, the
first of which is a path from the project's root, or a program on PATH.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from tenterhook.config.load import dig
from tenterhook.support import readers
from tenterhook.support.secrets.names import without_secrets
from tenterhook.trust import is_trusted_scope

if TYPE_CHECKING:
    from tenterhook.config.locations import ConfigLocation
    from tenterhook.engine.hookset import HookSet
    from tenterhook.runtime.process import Program
    from tenterhook.trust.seal import Seal

SECONDS = 5.0
KEPT = 64 << 10


class StatusLine(Struct, frozen=True):
    """Its words and its file; sealed if it is a project's own that was approved."""

    words: tuple[str, ...]
    file: str
    seal: Seal | None = None

    def program(self, hooks: HookSet, model: str) -> Program:
        from tenterhook.runtime.process import Program

        first, *rest = self.words
        path = os.path.join(hooks.project, first) if os.sep in first else first
        event = {
            "hook_event_name": "Status",
            "session_id": hooks.session_id,
            "cwd": hooks.project,
            "model": {"id": model, "display_name": model},
            "workspace": {"current_dir": hooks.project, "project_dir": hooks.project},
        }
        stdin = msgspec.json.encode(event)
        environ = dict(hooks.environ)
        if hooks.settings.secrets == "strip":
            environ = without_secrets(environ)
        return Program((path, *rest), stdin, environ, hooks.project, SECONDS, 0.2, KEPT, "end")


def status_line(hooks: HookSet, warn: Callable[[str], object]) -> StatusLine | None:
    """The last one that a trusted file names: files closer to the project come later."""
    found = None
    for place, value in values(hooks):
        words = words_of(value)
        if isinstance(words, str):
            warn(f"{place.path}: {hooks.dialect.config.status_line}: {words}; it is not shown")
        elif is_trusted_scope(place.file.scope, hooks.options.trust):
            found = StatusLine(words, place.path)
        elif hooks.options.trust == "ask":
            found = approved_line(hooks, place.path, value, words, warn) or found
    return found


def values(hooks: HookSet) -> Iterator[tuple[ConfigLocation, Any]]:
    """The status line of each file, of any scope."""
    key = hooks.dialect.config.status_line
    for place in hooks.ready().places if key else ():
        if not place.found or place.file.format == "frontmatter":
            continue
        document = readers.read_if_valid(place.path, place.file.format)
        value = dig(document.data, key)[0] if document else None
        if value is not None:
            yield place, value


def approved_line(
    hooks: HookSet, file: str, value: Any, words: tuple[str, ...], warn: Callable[[str], object]
) -> StatusLine | None:
    """A project's own status line runs as it was approved, or not at all."""
    from tenterhook.tools.approve.survey import judge_approvals, status_item
    from tenterhook.trust.approvals import binder_for
    from tenterhook.trust.seal import Seal

    binder = binder_for(hooks.dialect, hooks.project, hooks.home, hooks.environ)
    [found] = judge_approvals(hooks, [status_item(file, value, hooks.dialect.name, binder)])
    if found.state != "trusted":
        warn(f"{file}: {hooks.dialect.config.status_line} is {found.state}, so it does not run; see tenter trust")
        return None
    bound = binder.command(value["command"])
    return StatusLine(words, file, Seal(list(bound.parts.values()), binder.where))


def words_of(value: Any) -> tuple[str, ...] | str:
    """The command's words, or what is wrong with it."""
    import shlex

    if not isinstance(value, dict):
        return f"it must be a mapping with a command, not {type(value).__name__}"
    command, kind = value.get("command"), value.get("type", "command")
    if kind != "command":
        return f"its type may be command only, not {kind!r}"
    if not isinstance(command, str) or not command.strip():
        return "it needs a command, as text"
    try:
        return tuple(shlex.split(command))
    except ValueError as exc:
        return f"its command cannot be split into words: {exc}"
