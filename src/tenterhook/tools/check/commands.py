"""What a command line runs, as far as that can be told without a shell, and what is suspicious about the line
itself.
"""

from __future__ import annotations

import os
import re
import shlex
import string
from collections.abc import Iterable, Iterator

from msgspec import Struct

from tenterhook.config.entries import Problem
from tenterhook.support.command_line import INTERPRETERS, at_home, one_program, simple_words
from tenterhook.support.secrets.names import named_secret
from tenterhook.tools.check import HookInspection

BEFORE_OPERATOR = re.compile(r"""(?:[^'"\\;&|<>()\n]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")*""")
# The 2 of 2>&1 is not a word of the command.
DESCRIPTOR = re.compile(r"(?<=\s)\d+$")
ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
FLAGS_WITH_CODE = ("-c", "-m", "-e", "--eval", "-")


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
        return list(main)
    if look.form == "program":
        return list(one_program(main, look.project, look.home))
    plain = simple_words(first_command(main), {**look.env, "PWD": look.project})
    if plain and os.path.basename(plain[0]) == "env" and not any(word.startswith("-") for word in plain):
        return plain[1:]
    return plain


def first_command(text: str) -> str:
    """The text before the first operator; empty if that is not a command but a function, a subshell or an open
    quote.
    """
    text = text.strip()
    found = next(BEFORE_OPERATOR.finditer(text))[0]
    after = text[len(found) : len(found) + 1]
    if "\n" in text or after in ("(", ")", "'", '"', "\\"):
        return ""
    return DESCRIPTOR.sub("", found) if after in ("<", ">") else found


def is_simple(look: HookInspection) -> bool:
    """Whether the hook is one command: then what stops that command stops the hook."""
    return not look.shell_text or first_command(look.shell_text) == look.shell_text.strip()


def script(look: HookInspection) -> HookScript | None:
    """The file that the hook runs; None if it runs no file, or that cannot be told."""
    if look.form == "script":
        path = string.Template(look.main).safe_substitute(look.env) if isinstance(look.main, str) else ""
        return HookScript(os.path.join(look.project, at_home(path, look.home)), "python") if path else None
    first, *rest = words(look) or [""]
    by = interpreter(first)
    if by:
        plain = [word for word in rest if not word.startswith("-")]
        coded = any(word in FLAGS_WITH_CODE for word in rest)
        return HookScript(os.path.join(look.project, plain[0]), by) if plain and not coded else None
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
        yield look.warning("main", f"${named[0]} is not replaced here, because this command runs without a shell")


def check_variable_quoting(look: HookInspection) -> Iterator[Problem]:
    """The project's folder may have a blank in its name."""
    for name in unquoted_variables(look.shell_text) if look.is_command else ():
        if name in folder_variables(look):
            text = f'${name} is not quoted: in a folder with a blank in its name this breaks; write "${name}"'
            yield look.warning("main", text)
            return


def withheld(look: HookInspection) -> Iterator[Problem]:
    """A variable whose name says that it holds a secret, and that the command itself does not set."""
    main = look.main
    if not look.is_command or not isinstance(main, str) or not look.strip:
        return
    for name in dict.fromkeys(variables(main)):
        if named_secret(name) and name not in look.env and name not in look.hook.env and f"{name}=" not in main:
            text = f"${name} holds a secret by its name and is kept from hooks; an `env` that names it passes it on"
            yield look.warning("main", text)


def relative(look: HookInspection) -> Iterator[Problem]:
    """A warning only: we run hooks in the project's folder, but not every agent does."""
    first = next(iter(words(look)), "")
    if not interpreter(first) or os.sep not in first or os.path.isabs(first):
        return
    name = next(iter(folder_variables(look)), "")
    path = first.removeprefix("./")
    hint = f'write "${name}"/{path}' if name and look.shell_text else "write an absolute path"
    yield look.warning("main", f"{first} is looked for in the folder in which the agent runs hooks; {hint}")


def folder_variables(look: HookInspection) -> list[str]:
    """The variables for the project's folder: some agents give the working directory, which usually is the same."""
    return [name for name, what in look.dialect.payload.env.items() if what.rstrip("?") in ("project", "cwd")]


def variables(text: str) -> Iterable[str]:
    return (found[1] or found[2] for found in VARIABLE.finditer(text))


def unquoted_variables(text: str) -> Iterator[str]:
    """Variables outside quotes, which the shell splits at blanks; in an assignment it does not."""
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
        elif char == "$" and not quote and not assigns:
            found = VARIABLE.match(text, at)
            if found:
                yield found[1] or found[2]
        at += 1
