"""What a command line runs, as far as that can be told without a shell, and what is suspicious about the line
itself.
"""

from __future__ import annotations

import os
import re
import shlex
import string
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from msgspec import Struct

from tenterhook.config.entries import Problem
from tenterhook.support.command_line import (
    INTERPRETERS,
    at_home,
    one_program,
    simple_words,
    substitute_placeholders,
)
from tenterhook.support.secrets.names import named_secret
from tenterhook.tools.check import HookInspection

BEFORE_OPERATOR = re.compile(r"""(?:[^'"\\;&|<>()\n]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")*""")
# The 2 of 2>&1 is not a word of the command.
DESCRIPTOR = re.compile(r"(?<=\s)\d+$")
ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
# Text in which the shell reads no variable, and what it takes only if another variable is not set.
UNREAD = re.compile(r"(?<!-c )'[^']*'|\$\{\w+:?[-+=?][^}]*\}")
FLAGS_WITH_CODE = ("-c", "-m", "-e", "--eval", "-")
# A comment behind a command; a quote behind the # may be the end of a text in which it stands.
END_COMMENT = re.compile(r"""[ \t]#[^'"\n]*$""")
# Programs that run a script named among their arguments, and the options by which its path counts from elsewhere.
LAUNCHERS = ("uv", "bun", "deno", "tsx", "poetry", "pdm")
ELSEWHERE = re.compile(r"(?:^|\s)(?:--directory|--project|--cwd|-C)\b")
SCRIPT_NAME = re.compile(r"(?!\w+://)[^-\s]\S*\.(?:py|[cm]?[jt]s)")


class HookScript(Struct, frozen=True):
    """The file that a hook runs. `by` is the interpreter's name; empty if the file itself is the program."""

    path: str
    by: str = ""


def words(look: HookInspection) -> list[str]:
    """The program and its arguments, as the handler reads them; of a longer shell text, its first command's."""
    main = look.main
    if not look.is_command or not main:
        return []
    if isinstance(main, list):
        return substitute_placeholders(main, look.env) if look.hook.spec.get("placeholders") else list(main)
    if look.form == "program":
        return list(one_program(main, look.project, look.home))
    plain = simple_words(first_command(main), {**look.env, "PWD": look.project})
    if plain and os.path.basename(plain[0]) == "env" and not any(word.startswith("-") for word in plain):
        return plain[1:]
    return plain


def words_before_unset(look: HookInspection) -> list[str]:
    """The first words of a command line of which a later word is a variable that is not set."""
    text = first_command(look.shell_text)
    unset = next((one for one in VARIABLE.finditer(text) if (one[1] or one[2]) not in look.env), None)
    before = text[: unset.start()].rpartition(" ")[0] if unset else ""
    return simple_words(before, {**look.env, "PWD": look.project})


def first_command(text: str) -> str:
    """The text before the first operator; empty if that is not a command but a function, a subshell or an open
    quote.
    """
    text = END_COMMENT.sub("", text.strip())
    found = next(BEFORE_OPERATOR.finditer(text))[0]
    after = text[len(found) : len(found) + 1]
    if "\n" in text or after in ("(", ")", "'", '"', "\\"):
        return ""
    return DESCRIPTOR.sub("", found) if after in ("<", ">") else found


def is_simple(look: HookInspection) -> bool:
    """Whether the hook is one command: then what stops that command stops the hook."""
    return not look.shell_text or first_command(look.shell_text) == END_COMMENT.sub("", look.shell_text.strip())


def script(look: HookInspection) -> HookScript | None:
    """The file that the hook runs; None if it runs no file, or that cannot be told."""
    if look.form == "script":
        path = string.Template(look.main).safe_substitute(look.env) if isinstance(look.main, str) else ""
        return HookScript(os.path.join(look.project, at_home(path, look.home)), "python") if path else None
    first, *rest = words(look) or words_before_unset(look) or [""]
    by = interpreter(first)
    if by:
        plain = [word for word in rest if not word.startswith("-")]
        coded = any(word in FLAGS_WITH_CODE for word in rest)
        return HookScript(os.path.join(look.project, plain[0]), by) if plain and not coded else None
    if os.path.basename(first) in LAUNCHERS:
        named = next(filter(SCRIPT_NAME.fullmatch, rest), "")
        moved = ELSEWHERE.search(look.shell_text or " ".join(rest))
        return HookScript(os.path.join(look.project, named), first) if named and not moved else None
    return HookScript(os.path.join(look.project, first)) if os.sep in first else None


def interpreter(word: str) -> str:
    """The language's name, if the word is one of the usual interpreters, in any version."""
    name = os.path.basename(word).rstrip("0123456789.")
    return name if name in INTERPRETERS else ""


def needs_shell(look: HookInspection) -> Iterator[Problem]:
    """Words in a list, and a single program, do not go to a shell: their variables are not expanded."""
    main = look.main
    if not look.is_command or (isinstance(main, str) and look.form != "program"):
        return
    text = shlex.join(main) if isinstance(main, list) else str(main)
    named = [name for name in variables(text) if name in look.dialect.payload.env]
    if named and not look.hook.spec.get("placeholders"):
        text = f"${named[0]} is not replaced here, because this command runs without a shell"
        yield look.warning("no-shell", "main", text)


def check_variable_quoting(look: HookInspection) -> Iterator[Problem]:
    """The project's folder may have a blank in its name."""
    folders, written = folder_variables(look), look.dialect.payload.written
    bare = [
        found for found in unquoted_variables(look.shell_text) if name_of(found) in folders and found[2] not in written
    ]
    if not bare or not look.is_command:
        return
    quoted = look.shell_text
    for found in reversed(bare):
        quoted = f'{quoted[: found.start()]}"{found[0]}"{quoted[found.end() :]}'
    name = bare[0][0]
    text = f'{name} is not quoted: in a folder with a blank in its name this breaks; write "{name}"'
    yield look.warning("unquoted-variable", "main", text, quoted)


def check_double_quoting(look: HookInspection) -> Iterator[Problem]:
    """Some agents write a variable's value into the command themselves, with quotes around it."""
    text, written = look.shell_text, look.dialect.payload.written
    held = [found for found, quote in shell_variables(text) if quote and found[2] in written] if written else []
    if not held or not look.is_command:
        return
    better = text
    for found in reversed(held):
        better = f"{better[: found.start()]}${{{found[2]}}}{better[found.end() :]}"
    said = f"{held[0][0]} is in quotes, and {look.dialect.title} writes it with quotes of its own"
    why = f'in a folder with a blank in its name this breaks; write "${{{held[0][2]}}}"'
    yield look.warning("quoted-twice", "main", f"{said}: {why}", better)


def withheld(look: HookInspection) -> Iterator[Problem]:
    """A variable whose name says that it holds a secret, and that the command itself does not set."""
    main = look.main
    if not look.is_command or not isinstance(main, str) or not look.strip:
        return
    for name in dict.fromkeys(variables(main)):
        if named_secret(name) and name not in look.env and name not in look.hook.env and f"{name}=" not in main:
            text = f"${name} holds a secret by its name and is kept from hooks; an `env` that names it passes it on"
            yield look.warning("withheld-secret", "main", text)


def unset_variables(look: HookInspection) -> Iterator[Problem]:
    """A variable that another agent sets, or that has this agent's prefix, and that this agent does not set."""
    text, main = look.shell_text, look.main
    if not look.is_command or not isinstance(main, str):
        return
    known_here = {*look.env, *look.hook.env, *look.dialect.payload.env, *look.rule.overrides.env}
    for name in dict.fromkeys(variables(UNREAD.sub("", text))):
        if name in known_here or f"{name}=" in text or f"read {name}" in text:
            continue
        meaning = agents_variables().get(name, "")
        prefixes = {own.partition("_")[0] + "_" for own in look.dialect.payload.env if "_" in own}
        if not meaning and not name.startswith(tuple(prefixes)):
            continue
        own = [mine for mine, what in look.dialect.payload.env.items() if what.rstrip("?") == meaning]
        known = own or [mine for mine in look.dialect.payload.env if mine.startswith(tuple(prefixes))]
        instead = f"write ${own[0]}" if own else f"it sets {', '.join(known)}" if known else "it tells hooks by stdin"
        said = f"${name} is not set by {look.dialect.title} for this hook, so it is empty; {instead}"
        yield look.warning("unset-variable", "main", said)
        return


@cache
def agents_variables() -> Mapping[str, str]:
    """The variables that agents set for hooks, each with its meaning; a plugin's file has some of its own."""
    from tenterhook import dialects

    found: dict[str, str] = {}
    for name in dialects.names():
        dialect = dialects.get(name)
        found |= {variable: what.rstrip("?") for variable, what in dialect.payload.env.items() if "=" not in what}
        found |= {variable: "plugin" for file in dialect.config.files for variable in file.env}
    return found


def relative(look: HookInspection) -> Iterator[Problem]:
    """A warning only: we run hooks in the project's folder, but not every agent does."""
    first = next(iter(words(look)), "")
    if not interpreter(first) or os.sep not in first or os.path.isabs(first):
        return
    name = next(iter(folder_variables(look)), "")
    path = first.removeprefix("./")
    hint = f'write "${{{name}}}"/{path}' if name and look.shell_text else "write an absolute path"
    text = f"{first} is looked for in the folder in which the agent runs hooks; {hint}"
    yield look.warning("relative-program", "main", text)


def folder_variables(look: HookInspection) -> list[str]:
    """The variables for the project's folder: some agents give the working directory, which usually is the same."""
    return [name for name, what in look.dialect.payload.env.items() if what.rstrip("?") in ("project", "cwd")]


def variables(text: str) -> Iterable[str]:
    return map(name_of, VARIABLE.finditer(text))


def name_of(found: re.Match[str]) -> str:
    return found[1] or found[2]


def unquoted_variables(text: str) -> Iterator[re.Match[str]]:
    """Variables outside quotes, which the shell splits at blanks; in an assignment it does not."""
    return (found for found, quote in shell_variables(text) if not quote)


def shell_variables(text: str) -> Iterator[tuple[re.Match[str], str]]:
    """Variables with the double quote in which they stand, or nothing; those outside quotes in assignments are left
    out.
    """
    at, quote, assigns = 0, "", ASSIGNMENT.match(text)
    while at < len(text):
        char = text[at]
        if char == "\\" and quote != "'":
            at += 1
        elif char == quote:
            quote = ""
        elif char in "\"'" and not quote:
            quote = char
        elif not quote and char in " \t\n;&|":
            assigns = ASSIGNMENT.match(text, at + 1)
        elif char == "$" and quote != "'" and (quote or not assigns):
            found = VARIABLE.match(text, at)
            if found:
                yield found, quote
        at += 1
