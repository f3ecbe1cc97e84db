"""The command line that an agent runs: the same after every upgrade, and safe for any path."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from shlex import quote
from typing import Any, Protocol

from msgspec import Struct
from msgspec.structs import replace

from tenterhook.config.entry_keys import key_of
from tenterhook.config.settings import is_roots
from tenterhook.dialects.schema.dialect import Dialect, EventRule, Install, Type
from tenterhook.errors import UsageError
from tenterhook.library.actions import wrapper_script
from tenterhook.support.paths import CLIENT
from tenterhook.tools.install.init.additions import command_type

PROGRAM = wrapper_script.PROGRAM
# What an entry of ours may call.
PROGRAMS = (PROGRAM, CLIENT)


class PathInFolder(Struct, frozen=True):
    """A file below a folder: the project's, if the agent has a variable for it, else its own."""

    folder: str
    rest: str


Word = str | PathInFolder


class EntryCall(Protocol):
    """What one entry of an agent's config calls: a command line, or the HTTP door."""

    def kind(self, dialect: Dialect) -> Type: ...

    def entry(self, dialect: Dialect, install: Install) -> dict[str, Any]: ...

    def text(self) -> str: ...


class Line(Protocol):
    """What all entries of an agent call."""

    @property
    def fixed(self) -> bool: ...

    def at(self, dialect: Dialect, rule: EventRule) -> EntryCall: ...

    def entries_at(self, dialect: Dialect, rule: EventRule) -> list[EntryCall]: ...

    def text(self) -> str: ...


class CommandLine(Struct, frozen=True):
    """The program and its arguments."""

    program: str
    words: tuple[Word, ...]
    folder: str = ""

    def at(self, dialect: Dialect, rule: EventRule) -> CommandLine:
        """The same for one event: the event is named if the agent does not name it on stdin."""
        if any(field.key == "event" for field in rule.overrides.base or dialect.payload.base):
            return self
        return replace(self, words=(*self.words, "--event", rule.name))

    def entries_at(self, dialect: Dialect, rule: EventRule) -> list[EntryCall]:
        """What the entries at one event call; the first answers the event."""
        return [self.at(dialect, rule)]

    def kind(self, dialect: Dialect) -> Type:
        return command_type(dialect)

    def entry(self, dialect: Dialect, install: Install) -> dict[str, Any]:
        """The keys of an entry that say what it calls."""
        kind = self.kind(dialect)
        return {key_of(dialect.config.form.keys, "type"): kind.name, install.program or kind.key: self.text()}

    def argv(self) -> list[str]:
        """For agents that expand `${NAME}` in each word, and use no shell."""
        return [self.plain(word) for word in self.words]

    def plain(self, word: Word) -> str:
        if isinstance(word, str):
            return word
        return f"${{{self.folder}}}/{word.rest}" if self.folder else os.path.join(word.folder, word.rest)

    def text(self) -> str:
        """For a shell; an entry is recognised by it."""
        return " ".join([quote_escaping_dollars(self.program), *map(self.shell_word, self.words)])

    def shell_word(self, word: Word) -> str:
        if isinstance(word, PathInFolder) and self.folder:
            return f'"${{{self.folder}}}"/{quote_escaping_dollars(word.rest)}'
        return quote_escaping_dollars(self.plain(word))

    @property
    def fixed(self) -> bool:
        """Whether it works on this machine only."""
        whole = any(isinstance(word, PathInFolder) and not self.folder for word in self.words)
        return whole or os.path.isabs(self.program) or any(os.path.isabs(w) for w in self.words if isinstance(w, str))


def quote_escaping_dollars(text: str) -> str:
    """Quote for a shell; and with a quote after every `$`, because some agents expand variables before the shell
    does.
    """
    first, *rest = text.split("$")
    return (quote(first) if first or not rest else "") + "".join(f"\\${in_quotes(part)}" for part in rest)


def in_quotes(text: str) -> str:
    return "'" + text.replace("'", "'\"'\"'") + "'"


def line_of(agent: str, program: str, hooks_of: Sequence[str] = ()) -> CommandLine:
    """`tenter run --agent NAME`: what every entry of this agent calls."""
    words: list[Word] = ["run", *(["--hooks-of", ",".join(hooks_of)] if hooks_of else []), "--agent", agent]
    check_text(program)
    return CommandLine(program, tuple(words))


def check_text(word: str) -> None:
    """A config is UTF-8, and the name of a file need not be."""
    try:
        word.encode()
    except UnicodeEncodeError:
        shown = word.encode(errors="backslashreplace").decode()
        raise UsageError(f"{shown} is not UTF-8, so no config can name it; rename it first") from None


def program_for(environ: Mapping[str, str], *, user: bool) -> str:
    """What the agent calls: the plain name if it is permanently on PATH; else a path, symlinks not resolved, and that
    of the native client if it is there.

    A user's own config gets the path: agents that are not started by a shell have another PATH. In a file that others
    share there is the plain name, because their tenterhook may have no native client.
    """
    from shutil import which

    found = which(PROGRAM, path=environ.get("PATH"))
    if found and not user and not in_virtualenv(found):
        return PROGRAM
    place = os.path.abspath(found) if found else wrapper_script.program()
    if not place:
        raise UsageError(f"{PROGRAM} is not on PATH; say where it is with --program")
    if sys.platform == "win32":  # every shell there reads it so
        return place.replace("\\", "/")
    native = os.path.join(os.path.dirname(place), CLIENT)
    return native if os.access(native, os.X_OK) else place


def about_program(program: str) -> list[str]:
    """What an administrator has to know of the program that all users' agents will call."""
    real = os.path.realpath(program)
    if not os.path.isabs(program):
        raise UsageError(f"an administrator's file needs the whole path of {PROGRAM}, not {program!r}: --program PATH")
    if not os.access(real, os.X_OK):
        return [f"{program} is not there; install tenterhook at this path for all users"]
    if not is_roots(real):
        return [
            f"{program} can be changed by others than root; install tenterhook for all users, or name it: --program"
        ]
    return []


def in_virtualenv(program: str) -> bool:
    return os.path.exists(os.path.join(os.path.dirname(os.path.dirname(program)), "pyvenv.cfg"))
