"""Code that runs before a program's own, or instead of it: shell start-up files, libraries, makefiles, downloads."""

from __future__ import annotations

import re

from tenterhook.support.shell.records import UNKNOWN
from tenterhook.support.shell.wrappers import SHELLS, STDIN, is_assignment, option_value, program_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.support.shell.calls import ProgramCall

DECLARES = ("export", "declare", "local", "readonly", "typeset")
MAKES = ("make", "gmake")
# Libraries that every program loads, and where those of the system are.
PRELOADS = ("LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES")
LIBRARIES = ("/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/")
PROGRAMS = ("/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/")
# Shells that read the file of ENV if they are interactive.
POSIX = ("sh", "dash", "ksh", "ash", "mksh")
NOWHERE = ("", "/dev/null")
ADDRESS = r"(?i)(?:git\+)?(?:https?|ftp)://"
# Wrappers that download what they run, with the options that name it.
FETCHES = {
    **dict.fromkeys(("npx", "npm exec", "pnpm dlx", "yarn dlx"), ("-p", "--package")),
    "bunx": (),
    "uvx": ("--from", "--with"),
    "uv run": ("--with",),
}
# The defaults of a makefile's own variables.
USUAL = {"RM": "rm -f", "MAKE": "make"}
SOME = "make-variable"
DEEPEST, LONGEST_VALUE, LONGEST_LINE = 3, 200, 20_000
REFERENCE = r"\$(?:\((\w+)\)|\{(\w+)\}|([^\s({$]))"


def assigned_variables(call: ProgramCall) -> dict[str, str]:
    """The variables that it sets for what it runs; for all later commands, if it declares them."""
    if call.program not in DECLARES:
        return call.assigned
    named = (word.partition("=") for word in call.words if is_assignment(word) or word.isidentifier())
    return {**call.assigned, **{name: value if sign else UNKNOWN for name, sign, value in named}}


def shell_startup_files(call: ProgramCall) -> list[str]:
    """The files that a shell reads before its command."""
    variables, program = assigned_variables(call), call.program
    found = [variables.get("BASH_ENV", "")]
    if program in POSIX and interactive(call.words):
        found.append(variables.get("ENV", ""))
    if program == "zsh" and variables.get("ZDOTDIR"):
        found.append(f"{variables['ZDOTDIR']}/.zshenv")
    if program in ("bash", "rbash"):
        found.append(option_value(call.words, "--rcfile", "--init-file") or "")
    return [one for one in found if one not in NOWHERE]


def interactive(words: list[str]) -> bool:
    options = []
    for word in words:
        if word[:1] != "-":
            break
        options.append(word)
    return any("i" in one for one in options if not one.startswith("--"))


def preloads(call: ProgramCall) -> bool:
    """Whether a library that is not the system's is preloaded."""
    values = [assigned_variables(call).get(name, "") for name in PRELOADS]
    libraries = [one for value in values for one in value.replace(":", " ").split(" ") if one]
    return any(not one.startswith(LIBRARIES) or ".." in one for one in libraries)


def is_address(word: str | None) -> bool:
    return bool(word and re.match(ADDRESS, word))


def runs_remote_code(name: str, own: list[str], inner: list[str]) -> bool:
    """Whether a wrapper runs what it gets from a URL."""
    if name not in FETCHES:
        return False
    named = [option_value(own, option) for option in FETCHES[name]]
    return any(map(is_address, [*inner[:1], *named]))


# ---- make


def makefile(words: list[str]) -> tuple[str, str]:
    """What make reads: ("stdin", "") or ("file", its name)."""
    glued = next((word[2:] for word in words if word[:2] == "-f" and len(word) > 2), None)
    name = glued or option_value(words, "-f", "--file", "--makefile")
    return ("stdin", "") if name in STDIN else ("file", name or "Makefile")


def shell_of(call: ProgramCall) -> str:
    """The shell that make is to use for each line, if its words say so."""
    return next((word.partition("=")[2] for word in call.words if word.startswith("SHELL=")), "")


def odd_shell(call: ProgramCall) -> bool:
    """A shell for make that is not a shell, or is in an unusual place."""
    path = (shell_of(call).split() or [""])[0]
    if call.program not in MAKES or not path:
        return False
    return program_of(path) not in SHELLS or ("/" in path and not path.startswith(PROGRAMS))


def recipes(text: str) -> list[str]:
    """The lines of a makefile that a shell runs. Of variables only those that it sets itself are known."""
    lines = text.replace("\\\n", " ").split("\n")
    known = dict(USUAL)
    found: list[str] = []
    for line in lines:
        if one := re.match(r"(\w+)\s*(?::{0,2}|\?|\+)=\s*(.*)", line):
            known[one[1]] = one[2] if len(one[2]) <= LONGEST_VALUE else SOME
        elif one := re.match(r"\w+\s*!=\s*(.+)", line):
            found.append(one[1])
        elif line.startswith("\t"):
            found.append(line)
        elif one := re.match(r"[^#:;]+:[^;]*;(.+)", line):
            found.append(one[1])
        found += [one.rpartition(")")[0] or one for one in line.split("$(shell ")[1:]]
    return [expand_make_variables(one.lstrip("\t @+-"), known) for one in found]


def expand_make_variables(line: str, known: dict[str, str]) -> str:
    def value(one: re.Match[str]) -> str:
        return known.get(one[1] or one[2] or "", SOME)

    parts = line.split("$$")  # which make passes on as one
    for _ in range(DEEPEST):
        if sum(map(len, parts)) <= LONGEST_LINE:  # a variable that contains itself has no end
            parts = [re.sub(REFERENCE, value, part) for part in parts]
    return "$".join(parts)
