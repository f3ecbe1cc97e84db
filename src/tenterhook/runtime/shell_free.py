"""Run a simple command text without a shell: find the words, program and environment that the shell would use.

The only difference may be the time it takes: anything that is not certainly simple is left to the shell. A text is
parsed once; only its variables' values are filled in for each event.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache

from msgspec import Struct

from tenterhook.support.command_line import BUILTINS

# Characters that stand for themselves outside of quotes, and those that a program's name may begin with.
PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./,:+@%=-")
FIRST = PLAIN - frozenset("/,:+@%=-")
# Characters before which a backslash is removed, between double quotes.
ESCAPED = frozenset('$`"\\')
# Words that dash and bash run themselves, or read as something other than a command.
OWN = BUILTINS | frozenset(
    "[[ ]] { } ! bind caller chdir compgen complete compopt coproc dirs disown do done elif else enable esac fc fi "
    "function help history in logout mapfile readarray suspend then".split()
)
# Variables that a shell reads, changes or drops when it starts.
READ_BY_ALL = frozenset("ENV IFS LINENO OPTERR OPTIND POSIXLY_CORRECT PPID SHELLOPTS".split())
READ_BY_BASH = READ_BY_ALL | frozenset(
    "COMP_WORDBREAKS DIRSTACK EPOCHREALTIME EPOCHSECONDS EUID FUNCNAME GROUPS HISTCMD PIPESTATUS PS1 PS2 PS4 RANDOM "
    "SECONDS SRANDOM UID".split()
)
# Variables that a shell changes on its way, so that only it knows their values.
ITS_OWN = frozenset({"_", "OLDPWD", "SHLVL"})
# For any other locale bash complains on stderr if it is not installed.
LOCALES = ("", "C", "POSIX", "C.UTF-8", "C.utf8")
# The longest text that a shell can be given on Linux, and how much of a file the kernel reads to see what it is.
LONGEST, HEAD = 1 << 17, 256


class NotPlain(Exception):
    """Only a shell can tell what this means."""


class LateVariable(Struct, frozen=True):
    """A variable whose value is filled in when the command runs."""

    name: str
    quoted: bool


Word = tuple[str | LateVariable, ...]


class DirectCommand(Struct, frozen=True):
    """What to start instead of the shell."""

    argv: tuple[str, ...]
    env: Mapping[str, str]


def direct(text: str, env: Mapping[str, str], cwd: str, shell: str) -> DirectCommand | None:
    """The command to start directly; None if it needs the shell."""
    kind, template = kind_of(shell), words(text)
    if not kind or template is None:
        return None
    left = environment(kind, env, cwd)
    argv = expand_template(template, left) if left else None
    if not left or not argv:
        return None
    place = resolve_shell_command(argv[0], folders(left["PATH"]), cwd)
    if not place:
        return None
    if kind == "bash":
        left["_"] = place
    return DirectCommand(argv, left)


@cache
def kind_of(shell: str) -> str:
    """dash or bash, whatever its name is; empty for an unknown shell."""
    name = os.path.basename(os.path.realpath(shell))
    return name if name in ("bash", "dash") else ""


@lru_cache(maxsize=1024)
def words(text: str) -> tuple[Word, ...] | None:
    """The words of one simple command, variables not filled in; None if it is more than that."""
    if len(text) >= LONGEST or not text.isascii() or not text.replace("\t", " ").isprintable():
        return None
    made: list[list[str | LateVariable]] = []
    between = True
    try:
        for piece in pieces(text):
            if piece is not None:
                made += [[]] if between else []
                made[-1].append(piece)
            between = piece is None
    except NotPlain:
        return None
    return tuple(map(tuple, made)) or None


def pieces(text: str) -> Iterator[str | LateVariable | None]:
    """The parts of words, in order; None for the blank between two words."""
    at, quoted, blank = 0, False, 0  # where the last separating blank ended
    while at < len(text):
        char, rest = text[at], text[at + 1 : at + 2]
        size = 1
        if char == '"':
            quoted = not quoted
            yield ""  # there is a word, even if it is empty
        elif char == "$":
            name, size = variable(text, at)
            yield LateVariable(name, quoted)
        elif char == "\\" and rest and (not quoted or rest in ESCAPED):
            size = 2
            yield rest
        elif quoted and char != "`":
            yield char
        elif char in " \t":
            blank = at + 1
            yield None
        elif char == "'" and (end := text.find("'", at + 1)) > 0:
            size = end + 1 - at
            yield text[at + 1 : end]
        elif char == "~" and rest == "/" and at == blank:
            yield LateVariable("HOME", quoted=True)
        elif char in PLAIN:
            yield char
        else:
            raise NotPlain(char)
        at += size
    if quoted:
        raise NotPlain('"')


def variable(text: str, at: int) -> tuple[str, int]:
    """The name after a dollar sign, and how many characters it takes in all."""
    braced = text[at + 1 : at + 2] == "{"
    begin = end = at + 1 + braced
    while text[begin : end + 1].isidentifier() and end < len(text):
        end += 1
    if begin == end or (braced and text[end : end + 1] != "}"):
        raise NotPlain(text[at : end + 1])
    return text[begin:end], end + braced - at


def expand_template(template: Sequence[Word], env: Mapping[str, str]) -> tuple[str, ...] | None:
    """The words with their values; None if a value is unknown, or would not stay one word."""
    argv = []
    for word in template:
        text = ""
        for part in word:
            if isinstance(part, str):
                text += part
                continue
            value = env.get(part.name)
            if value is None or part.name in ITS_OWN or not (part.quoted or (value and PLAIN.issuperset(value))):
                return None
            text += value
        argv.append(text)
    return tuple(argv)


def environment(kind: str, env: Mapping[str, str], cwd: str) -> dict[str, str] | None:
    """The environment that the shell would leave, with PWD and what else it adds; None if only the shell can tell."""
    if not folders(env.get("PATH", "")) or not env.get("HOME", "/") or cwd[:1] != "/":
        return None
    left = after_dash(env) if kind == "dash" else after_bash(env)
    if left is not None:
        try:
            left["PWD"] = working_folder(env.get("PWD", ""), cwd)
        except OSError:
            return None
    return left


def after_dash(env: Mapping[str, str]) -> dict[str, str] | None:
    """dash drops variables that it could not name."""
    if not READ_BY_ALL.isdisjoint(env):
        return None
    return {name: value for name, value in env.items() if name.isascii() and name.isidentifier()}


def after_bash(env: Mapping[str, str]) -> dict[str, str] | None:
    """The environment that `bash -c` leaves for the program it execs. bash raises SHLVL and lowers it again before
    exec, so it stays the same.
    """
    if not READ_BY_BASH.isdisjoint(env) or not env.get("SHLVL", "0").isdecimal() or len(env.get("SHLVL", "")) > 2:
        return None
    if any(name.startswith("BASH") or (name[:3] == "LC_" and env[name] not in LOCALES) for name in env):
        return None
    left = {**env, "SHLVL": str(int(env.get("SHLVL", "0")))}
    if not os.path.isdir(left.get("OLDPWD", "/")):
        del left["OLDPWD"]
    return left


def working_folder(named: str, cwd: str) -> str:
    """The path by which the host knows the folder, if it really leads there."""
    if named == cwd or (named[:1] == "/" and is_same(named, cwd)):
        if named == os.path.normpath(named):
            return named
        raise OSError("shells differ in what they make of it")
    return os.path.realpath(cwd, strict=True)


def is_same(one: str, other: str) -> bool:
    try:
        return os.path.samestat(os.stat(one), os.stat(other))
    except OSError:
        return False


@lru_cache(maxsize=64)
def folders(path: str) -> tuple[str, ...]:
    """The folders of PATH; none if one of them is relative."""
    found = tuple(path.split(":"))
    return found if all(one[:1] == "/" and one[-1] != "/" for one in found) else ()


def resolve_shell_command(name: str, places: Sequence[str], cwd: str) -> str:
    """The file that the shell would start, by the shell's name for it; empty if that is not certain."""
    if "/" in name:
        return name if "=" not in name and will_start(os.path.join(cwd, name)) else ""
    if name in OWN or name[:1] not in FIRST or not PLAIN.issuperset(name) or "=" in name:
        return ""
    for folder in places:
        place = f"{folder}/{name}"
        if (sure := will_start(place)) is not None:
            return place if sure else ""
    return ""


def will_start(path: str) -> bool | None:
    """Whether the kernel starts this file; None if there is none."""
    try:
        found = os.stat(path)
        if not stat.S_ISREG(found.st_mode) or not os.access(path, os.X_OK):
            return False
        interpreter = begins(path, found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        return False
    return interpreter == "" or (interpreter is not None and is_program(interpreter))


@lru_cache(maxsize=256)
def begins(path: str, *stamp: int) -> str | None:
    """Empty for a binary, the interpreter for a script; None for anything else, which a shell would interpret."""
    with open(path, "rb") as file:
        head = file.read(HEAD)
    if head.startswith(b"\x7fELF"):
        return ""
    line, end, _ = head.partition(b"\n")
    named = line[2:].split()
    if not line.startswith(b"#!") or not end or b"\r" in line or not named or named[0][:1] != b"/":
        return None
    return os.fsdecode(named[0])


def is_program(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)
