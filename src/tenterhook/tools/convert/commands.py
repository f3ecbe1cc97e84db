"""What a hook runs, as another dialect writes it: its type, its command line, the variables in it."""

from __future__ import annotations

import re
import shlex
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from tenterhook.config.entry_keys import OPTIONS
from tenterhook.dialects.schema.dialect import Dialect, EventRule, Type
from tenterhook.support.command_line import SHELL_SYNTAX
from tenterhook.tools.check.commands import VARIABLE, variables
from tenterhook.types import Hook

FOLDERS = ("project", "cwd")
# A word that must not be split, with a variable that must be replaced.
EXPANDED = re.compile(r"\$\{?\w")


class Run(Struct, frozen=True):
    """The type there and its keys; or `lost`, where nothing there runs it.

    `unset` are variables that are not given there, `dropped` the options of the hook that have no key there.
    """

    kind: Type | None = None
    keys: dict[str, Any] = {}
    lost: str = ""
    note: str = ""
    unset: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()


def run(hook: Hook, source: Dialect, rule: EventRule, target: Dialect, to: EventRule) -> Run:
    """The hook's program, prompt or address in the target's words."""
    kinds = [
        one
        for one in target.config.types
        if one.does == "runs" and (not to.overrides.types or one.name in to.overrides.types)
    ]
    fitting = [one for one in kinds if one.handler == hook.handler]
    if fitting and hook.handler != "command":
        return Run(fitting[0], plain(hook, source, target, fitting[0]))
    kind = next((one for one in kinds if one.handler == "command"), None)
    if kind is None or hook.handler not in ("command", "script"):
        known = [one for one in target.config.types if one.handler == hook.handler]
        why = DOES[known[0].does] if known else "no hooks of that type"
        return Run(lost=f"{target.title} has {why}: {hook.handler}")
    first = target.install.folder if target.install else ""
    names = swapped_names(
        {**source.payload.env, **rule.overrides.env}, {**target.payload.env, **to.overrides.env}, first
    )
    line = command_line(hook)
    unset = tuple(name for name in dict.fromkeys(variables(text_of(line))) if names.get(name) == "")
    made = render_command_line(line, kind, target, names, unset, expand=bool(hook.spec.get("placeholders")))
    kept, dropped = options(hook, source, target)
    return replace(made, keys={**made.keys, **kept}, dropped=dropped) if made.kind else made


def options(hook: Hook, source: Dialect, target: Dialect) -> tuple[dict[str, Any], tuple[str, ...]]:
    """What a command says besides its line: under the same keys, or those that set the same; and what has none.

    What every hook of its type has was said by nobody.
    """
    usual = [pair for one in source.config.types if one.handler == hook.handler for pair in one.spec.items()]
    known = OPTIONS["command"] if hook.handler == "command" else ()
    said = {key: hook.spec[key] for key in known if key in hook.spec and (key, hook.spec[key]) not in usual}
    keys = {name: option_key(target, name) for name in said}
    lost = tuple(option_key(source, name) or name for name in said if not keys[name])
    return {keys[name]: value for name, value in said.items() if keys[name]}, lost


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


def command_line(hook: Hook) -> str | list[str]:
    """A shell's text, or words for no shell."""
    main = hook.spec.get("main")
    if hook.handler == "script":
        args = hook.spec.get("args") or []
        return ["python3", str(main), *(args if isinstance(args, list) else [str(args)])]
    if isinstance(main, list):
        return [str(word) for word in main]
    return [str(main)] if hook.spec.get("form") == "program" else str(main)


def text_of(line: str | list[str]) -> str:
    return line if isinstance(line, str) else " ".join(line)


def swapped_names(here: dict[str, str], there: dict[str, str], first: str) -> dict[str, str]:
    """Each variable that is not given there, with the one that says the same; with nothing where none does."""
    found = {}
    for name, what in here.items():
        if name not in there:
            same = [other for other, said in there.items() if alike(what, said)]
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
) -> Run:
    """The command line in the form that the type has: a shell's text, words, or one program."""
    swapped = rename_variables(line, names)
    note = f"variables are named as there: {text_of(swapped)}" if swapped != line else ""
    if kind.form == "program":
        return one_program(swapped, kind, target, note)
    if isinstance(swapped, str):
        return Run(kind, {kind.key: swapped}, note=note, unset=unset)
    if target.install and target.install.words:
        program = target.install.program or kind.key
        return Run(kind, {program: swapped[0], target.install.words: swapped[1:]}, note=note, unset=unset)
    text = " ".join(quote_shell_word(word, expand) for word in swapped)
    return Run(kind, {kind.key: text}, note=note or f"its words are a command line there: {text}", unset=unset)


def quote_shell_word(word: str, expand: bool) -> str:
    """For a shell; where the agent put values for variables into words, the shell shall do so."""
    return '"' + word.replace('"', '\\"') + '"' if expand and EXPANDED.search(word) else shlex.quote(word)


def rename_variables(line: str | list[str], names: dict[str, str]) -> str | list[str]:
    if isinstance(line, list):
        return [swap(word, names) for word in line]
    return swap(line, names)


def swap(text: str, names: dict[str, str]) -> str:
    """Variables by their names there; one that is not given there stays as it is."""

    def other(found: re.Match[str]) -> str:
        name = found[1] or found[2]
        new = names.get(name, "")
        return (f"${{{new}}}" if found[1] else f"${new}") if new else found[0]

    return VARIABLE.sub(other, text)


def one_program(line: str | list[str], kind: Type, target: Dialect, note: str) -> Run:
    """A path from the project; a shell's text with more than that needs a script of its own."""
    words = line if isinstance(line, list) else split_plain_command(line)
    if len(words) != 1:
        shown = text_of(line)
        return Run(lost=f"{target.title} runs one program without a shell; put this into a script: {shown}")
    path = re.sub(r"^\$\{?\w+\}?/", "", words[0])
    return Run(
        kind, {kind.key: path}, note=note or (f"its path counts from the project: {path}" if path != line else "")
    )


def split_plain_command(text: str) -> list[str]:
    """The words of one plain command; none where there is more to it."""
    if SHELL_SYNTAX & set(text.replace("${", "").replace("}", "")):
        return []
    try:
        return shlex.split(text)
    except ValueError:
        return []
