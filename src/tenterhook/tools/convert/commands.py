"""What a hook runs, as another dialect writes it: its type, its command line, the variables in it."""

from __future__ import annotations

import re
import shlex
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from tenterhook import handlers
from tenterhook.config.entry_keys import key_of
from tenterhook.dialects.schema.dialect import Dialect, EventRule, Type
from tenterhook.support.command_line import SHELL_SYNTAX
from tenterhook.tools.check.commands import VARIABLE, variables
from tenterhook.types import Hook

# The form of a type whose program and arguments are words, without a shell.
EXACT = "exec"
FOLDERS = ("project", "cwd")
# A word that must not be split, with a variable that must be replaced.
EXPANDED = re.compile(r"\$\{?\w")


class ConvertedCommand(Struct, frozen=True):
    """The type in the target and its keys; or `lost`, if nothing there runs it.

    `unset` are variables that the target does not provide, `dropped` the options of the hook that have no key there.
    """

    kind: Type | None = None
    keys: dict[str, Any] = {}
    lost: str = ""
    note: str = ""
    unset: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()


def run(hook: Hook, source: Dialect, rule: EventRule, target: Dialect, to: EventRule) -> ConvertedCommand:
    """The hook's program, prompt or address in the target's form."""
    kinds = [
        one
        for one in target.config.types
        if one.does == "runs" and (not to.overrides.types or one.name in to.overrides.types)
    ]
    fitting = [one for one in kinds if one.handler == hook.handler]
    if fitting and not handlers.traits(hook.handler).takes_command_line:
        return ConvertedCommand(fitting[0], plain(hook, source, target, fitting[0]))
    kind = next((one for one in kinds if handlers.traits(one.handler).takes_command_line), None)
    if kind is None or not handlers.starts_child(hook.handler):
        known = [one for one in target.config.types if one.handler == hook.handler]
        why = DOES[known[0].does] if known else "no hooks of that type"
        return ConvertedCommand(lost=f"{target.title} has {why}: {hook.handler}")
    first = target.install.folder if target.install else ""
    names = swapped_names(
        {**source.payload.env, **rule.overrides.env}, {**target.payload.env, **to.overrides.env}, first
    )
    line = handlers.get(hook.handler).command_line(hook)  # type: ignore[union-attr]
    unset = tuple(name for name in dict.fromkeys(variables(text_of(line))) if names.get(name) == "")
    made = render_command_line(line, kind, target, names, unset, expand=bool(hook.spec.get("placeholders")))
    carried, dropped = options(hook, source, target)
    return replace(made, keys={**made.keys, **carried}, dropped=dropped) if made.kind else made


def options(hook: Hook, source: Dialect, target: Dialect) -> tuple[dict[str, Any], tuple[str, ...]]:
    """A command's options: under the same keys, or keys with the same setter; and those without a key.

    Defaults of its type are not options of the entry.
    """
    usual = [pair for one in source.config.types if one.handler == hook.handler for pair in one.spec.items()]
    kind = handlers.traits(hook.handler)
    known = kind.options if kind.takes_command_line else ()
    values = {key: hook.spec[key] for key in known if key in hook.spec and (key, hook.spec[key]) not in usual}
    keys = {name: option_key(target, name) for name in values}
    lost = tuple(option_key(source, name) or name for name in values if not keys[name])
    return {keys[name]: value for name, value in values.items() if keys[name]}, lost


def option_key(dialect: Dialect, option: str) -> str:
    """The key that sets an option, by its own name or by that of its setter."""
    return next((key for key, setter in dialect.config.form.keys.items() if option in (key, setter)), "")


DOES = {
    "ruins": "such hooks, which void the whole file, so it was left out",
    "inert": "such hooks and never runs them",
    "runs": "no such hooks at this event",
}


def plain(hook: Hook, source: Dialect, target: Dialect, kind: Type) -> dict[str, Any]:
    """What a type runs, and the options that both sides have."""
    options = {
        key: value for key, value in hook.spec.items() if key in target.config.form.keys and key not in ("type",)
    }
    main = next((one.key for one in source.config.types if one.handler == hook.handler), "")
    return {kind.key: hook.spec.get("main"), **{key: value for key, value in options.items() if key != main}}


def text_of(line: str | list[str]) -> str:
    return line if isinstance(line, str) else " ".join(line)


def swapped_names(here: dict[str, str], there: dict[str, str], first: str) -> dict[str, str]:
    """Each variable that the target does not provide, with its equivalent there; empty if there is none."""
    found = {}
    for name, what in here.items():
        if name not in there:
            same = [other for other, meaning in there.items() if alike(what, meaning)]
            found[name] = first if first in same else next(iter(same), "")
    return found


def alike(one: str, other: str) -> bool:
    one, other = one.rstrip("?"), other.rstrip("?")
    return one == other or (one in FOLDERS and other in FOLDERS)


def render_command_line(
    line: str | list[str],
    kind: Type,
    target: Dialect,
    names: dict[str, str],
    unset: tuple[str, ...],
    *,
    expand: bool,
) -> ConvertedCommand:
    """The command line in the form of the type: a shell text, words, or one program."""
    swapped = rename_variables(line, names)
    note = f"variables are named as there: {text_of(swapped)}" if swapped != line else ""
    if kind.form == "program":
        return one_program(swapped, kind, target, note)
    if isinstance(swapped, str):
        return ConvertedCommand(kind, {kind.key: swapped}, note=note, unset=unset)
    exact = next((one for one in target.config.types if one.form == EXACT), None)
    words = key_of(target.config.form.keys, "words")
    if exact and words:
        return ConvertedCommand(exact, {exact.key: swapped[0], words: swapped[1:]}, note=note, unset=unset)
    text = " ".join(quote_shell_word(word, expand) for word in swapped)
    return ConvertedCommand(
        kind, {kind.key: text}, note=note or f"its words are a command line there: {text}", unset=unset
    )


def quote_shell_word(word: str, expand: bool) -> str:
    """Quote for a shell; variables that the agent expanded inside words are left to the shell."""
    return '"' + word.replace('"', '\\"') + '"' if expand and EXPANDED.search(word) else shlex.quote(word)


def rename_variables(line: str | list[str], names: dict[str, str]) -> str | list[str]:
    if isinstance(line, list):
        return [swap(word, names) for word in line]
    return swap(line, names)


def swap(text: str, names: dict[str, str]) -> str:
    """Variables by their names in the target; one that it does not provide stays as it is."""

    def other(found: re.Match[str]) -> str:
        name = found[1] or found[2]
        new = names.get(name, "")
        return (f"${{{new}}}" if found[1] else f"${new}") if new else found[0]

    return VARIABLE.sub(other, text)


def one_program(line: str | list[str], kind: Type, target: Dialect, note: str) -> ConvertedCommand:
    """A path from the project; a longer shell text needs its own script."""
    words = line if isinstance(line, list) else split_plain_command(line)
    if len(words) != 1:
        shown = text_of(line)
        return ConvertedCommand(
            lost=f"{target.title} runs one program without a shell; put this into a script: {shown}"
        )
    path = re.sub(r"^\$\{?\w+\}?/", "", words[0])
    return ConvertedCommand(
        kind, {kind.key: path}, note=note or (f"its path counts from the project: {path}" if path != line else "")
    )


def split_plain_command(text: str) -> list[str]:
    """The words of one simple command; none if it is more."""
    if SHELL_SYNTAX & set(text.replace("${", "").replace("}", "")):
        return []
    try:
        return shlex.split(text)
    except ValueError:
        return []
