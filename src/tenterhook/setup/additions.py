"""What a project's config lacks to call the wrappers: entries in the dialect's own form, and its switch."""

from __future__ import annotations

from typing import Any

from tenterhook.config import dig
from tenterhook.dialect import Dialect, File, Setup, Type, Wrapper
from tenterhook.setup.edit import Addition, mentions


def additions(dialect: Dialect, setup: Setup, file: File, data: Any) -> list[Addition]:
    """One for each event whose wrapper the file does not call yet; an entry that somebody changed is there too."""
    wanted = [] if not dialect.switch or dialect.switch in data else [Addition((dialect.switch,), True, item=False)]
    hooks = file.sections[0].hooks
    for wrapper in setup.wrappers:
        command = command_of(setup, wrapper)
        if not wrapper.event:
            continue
        entry = entry_of(dialect, wrapper, command)
        path = tuple(hooks.split("."))
        found, _ = dig(data, hooks)
        if not dialect.form.entries:
            found = found.get(wrapper.event) if isinstance(found, dict) else None
            path = list_of(dialect, setup, found, (*path, wrapper.event))
        if not mentions(of_event(dialect, wrapper, found), command):
            wanted.append(Addition(path, entry, says=command))
    return wanted


def command_of(setup: Setup, wrapper: Wrapper) -> str:
    return setup.command.replace("{path}", f"{setup.folder}/{wrapper.script}")


def list_of(dialect: Dialect, setup: Setup, found: Any, path: tuple[str, ...]) -> tuple[str, ...]:
    """Where the hooks of the event are listed: at its key, or at a key below that, as the file has it already."""
    if isinstance(found, dict):
        held = next((key for key in dialect.form.lists if key in found), "")
        single = dialect.form.keys.keys() & found.keys() - dialect.form.group_keys.keys()
        below = held or (dialect.form.lists[0] if dialect.form.lists and not single else "")
    else:
        below = setup.list_key if found is None else ""
    return (*path, below) if below else path


def of_event(dialect: Dialect, wrapper: Wrapper, found: Any) -> Any:
    """The entries for the event alone, where all events share a list."""
    if not dialect.form.entries or not isinstance(found, list):
        return found
    key = key_of(dialect.form.keys, "event")
    return [one for one in found if isinstance(one, dict) and mentions(one.get(key), wrapper.event)]


def entry_of(dialect: Dialect, wrapper: Wrapper, command: str) -> dict[str, Any]:
    """As the dialect writes a hook: in a group, or with the matcher in it, or with the event too."""
    form, kind = dialect.form, command_type(dialect)
    hook = {key_of(form.keys, "type"): kind.name, kind.key: command, key_of(form.keys, "timeout"): wrapper.timeout}
    keys = form.group_keys if form.group else form.keys
    around = {key_of(keys, "matcher"): wrapper.matcher} if wrapper.matcher else {}
    if form.group:
        return {**around, form.group: [hook]}
    event = {key_of(form.keys, "event"): wrapper.event} if form.entries else {}
    return {**event, **around, **hook}


def command_type(dialect: Dialect) -> Type:
    return next(kind for kind in dialect.types if kind.handler == "command")


def key_of(keys: dict[str, str], setter: str) -> str:
    return next(key for key, one in keys.items() if one == setter)
