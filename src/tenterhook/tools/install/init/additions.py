"""What a project's config lacks to call the wrappers: entries in the dialect's own form, and its switch."""

from __future__ import annotations

from typing import Any

from tenterhook.config.entry_keys import MATCHER, TIMEOUT, key_of
from tenterhook.config.load import dig
from tenterhook.dialects.schema.dialect import Dialect, File, Setup, Type, Wrapper
from tenterhook.tools.install.editing.edit import Addition, mentions


def additions(dialect: Dialect, setup: Setup, file: File, data: Any) -> list[Addition]:
    """One for each event whose wrapper the file does not call yet; an entry that somebody changed is there too."""
    wanted = required_additions(dialect, {}, data)
    hooks = file.sections[0].hooks
    for wrapper in setup.wrappers:
        command = command_of(setup, wrapper)
        if not wrapper.event:
            continue
        entry = entry_of(dialect, wrapper.event, wrapper.matcher, build_command_hook(dialect, command, wrapper.timeout))
        path, found = place_of(dialect, hooks, wrapper.event, data, setup.list_key)
        if not mentions(found, command):
            wanted.append(Addition(path, entry, says=command))
    return wanted


def required_additions(dialect: Dialect, beside: dict[str, Any], data: Any) -> list[Addition]:
    """Keys without which the agent reads no hooks in the file: its switch, and what must stand `beside` the hooks."""
    wanted = {**beside, **({dialect.config.switches.on: True} if dialect.config.switches.on else {})}
    return [Addition((key,), value, item=False) for key, value in wanted.items() if key not in data]


def place_of(dialect: Dialect, hooks: str, event: str, data: Any, list_key: str = "") -> tuple[tuple[str, ...], Any]:
    """The path of the list that an entry for the event goes into, and what of that event is there already."""
    path = tuple(hooks.split("."))
    found, _ = dig(data, hooks)
    if dialect.config.form.entries:
        return path, of_event(dialect, event, found)
    found = found.get(event) if isinstance(found, dict) else None
    return list_of(dialect, list_key, found, (*path, event)), found


def command_of(setup: Setup, wrapper: Wrapper) -> str:
    return setup.command.replace("{path}", f"{setup.folder}/{wrapper.script}")


def list_of(dialect: Dialect, list_key: str, found: Any, path: tuple[str, ...]) -> tuple[str, ...]:
    """Where the hooks of the event are listed: at its key, or at a key below that, as the file has it already."""
    if isinstance(found, dict):
        held = next((key for key in dialect.config.form.lists if key in found), "")
        single = dialect.config.form.keys.keys() & found.keys() - dialect.config.form.group_keys.keys()
        below = held or (dialect.config.form.lists[0] if dialect.config.form.lists and not single else "")
    else:
        below = list_key if found is None else ""
    return (*path, below) if below else path


def of_event(dialect: Dialect, event: str, found: Any) -> Any:
    """The entries for the event alone, where all events share a list."""
    if not isinstance(found, list):
        return found
    key = key_of(dialect.config.form.keys, "event")
    return [one for one in found if isinstance(one, dict) and mentions(one.get(key), event)]


def build_command_hook(dialect: Dialect, command: str, timeout: float) -> dict[str, Any]:
    """A hook that is a command, its time-out in the dialect's own unit."""
    keys, kind = dialect.config.form.keys, command_type(dialect)
    made = {key_of(keys, "type"): kind.name, kind.key: command, key_of(keys, *TIMEOUT): timeout}
    return {key: value for key, value in made.items() if key}  # what the agent has no key for is left out


def entry_of(dialect: Dialect, event: str, matcher: str, hook: dict[str, Any], *, flat: bool = False) -> dict[str, Any]:
    """As the dialect writes a hook: in a group, or with the matcher in it, or with the event too."""
    form = dialect.config.form
    grouped = bool(form.group) and not flat
    keys = form.group_keys if grouped else form.keys
    key = key_of(keys, *MATCHER)
    around = {key: matcher} if matcher and key else {}
    if grouped:
        return {**around, form.group: [hook]}
    named = {key_of(form.keys, "event"): event} if form.entries else {}
    return {**named, **around, **hook}


def command_type(dialect: Dialect) -> Type:
    return next(kind for kind in dialect.config.types if kind.handler == "command")
