"""The command line that an agent runs: the same after every upgrade, and safe in whatever a path may hold."""

from __future__ import annotations

import os
from collections.abc import Mapping
from shlex import quote

from msgspec import Struct
from msgspec.structs import replace

from tenterhook.author.calls import Call
from tenterhook.author.loading import LIBRARY
from tenterhook.config.locations import within
from tenterhook.dialects.schema.dialect import Dialect, EventRule, Install
from tenterhook.errors import UsageError
from tenterhook.library.actions import wrapper_script
from tenterhook.tools.install.editing.edit import join_argv

PROGRAM = wrapper_script.PROGRAM


class Inside(Struct, frozen=True):
    """A file below a folder: the project's, where the agent has a variable for that, else the one it lies in."""

    folder: str
    rest: str


Word = str | Inside


class Line(Struct, frozen=True):
    """The program, and the words that it is called with."""

    program: str
    words: tuple[Word, ...]
    folder: str = ""

    def at(self, dialect: Dialect, rule: EventRule) -> Line:
        """The same for one event: it is named where the agent does not name it on stdin."""
        if any(field.key == "event" for field in rule.overrides.base or dialect.payload.base):
            return self
        return replace(self, words=(*self.words, "--event", rule.name))

    def argv(self) -> list[str]:
        """For agents that put `${NAME}` into each word, and hand them over without a shell."""
        return [self.plain(word) for word in self.words]

    def plain(self, word: Word) -> str:
        if isinstance(word, str):
            return word
        return f"${{{self.folder}}}/{word.rest}" if self.folder else os.path.join(word.folder, word.rest)

    def text(self) -> str:
        """For agents that hand a text to a shell."""
        return " ".join([quote_escaping_dollars(self.program), *map(self.shell_word, self.words)])

    def shell_word(self, word: Word) -> str:
        if isinstance(word, Inside) and self.folder:
            return f'"${{{self.folder}}}"/{quote_escaping_dollars(word.rest)}'
        return quote_escaping_dollars(self.plain(word))

    def says(self, install: Install) -> str:
        """By which an entry with it is known."""
        return join_argv(self.argv()) if install.words else self.text()

    @property
    def fixed(self) -> bool:
        """Whether it holds on this machine alone."""
        whole = any(isinstance(word, Inside) and not self.folder for word in self.words)
        return whole or os.path.isabs(self.program) or any(os.path.isabs(w) for w in self.words if isinstance(w, str))


def quote_escaping_dollars(text: str) -> str:
    """For a shell; and with a quote behind every `$`, because some agents put in variables before the shell does."""
    first, *rest = text.split("$")
    return (quote(first) if first or not rest else "") + "".join(f"\\${in_quotes(part)}" for part in rest)


def in_quotes(text: str) -> str:
    return "'" + text.replace("'", "'\"'\"'") + "'"


def line_of(call: Call, agent: str, program: str, install: Install, project: str) -> Line:
    """`tenter run FILE... --agent NAME`. Files of the project are named from its folder, all others by whole paths."""
    words: list[Word] = ["run", *settings(call.settings)]
    for word, own in call.words:
        words += [word if word.startswith(LIBRARY) else project_relative_word(word, project), *settings(own)]
    if call.options:
        words += ["--options", project_relative_word(call.options, project)]
    line = Line(program, (*words, "--agent", agent), install.folder if project else "")
    for word in (line.program, *line.argv()):
        check_text(word)
    return line


def check_text(word: str) -> None:
    """A config is UTF-8, and the name of a file need not be."""
    try:
        word.encode()
    except UnicodeEncodeError:
        shown = word.encode(errors="backslashreplace").decode()
        raise UsageError(f"{shown} is no UTF-8, so no config can name it; rename it first") from None


def settings(given: list[str]) -> list[str]:
    return [part for one in given for part in ("--set", one)]


def project_relative_word(path: str, project: str) -> Word:
    whole = os.path.abspath(path)
    folder = os.path.realpath(os.path.dirname(whole))
    root = os.path.realpath(project) if project else ""
    if not root or not within(folder, root):
        return whole
    return Inside(project, os.path.relpath(os.path.join(folder, os.path.basename(whole)), root))


def program_for(environ: Mapping[str, str], *, user: bool) -> str:
    """What the agent calls: the plain name where it is on PATH for good; else where it is, links left as they are.

    A user's own file names the place: agents that are no child of a shell know another PATH.
    """
    from shutil import which

    found = which(PROGRAM, path=environ.get("PATH"))
    if found and not user and not in_virtualenv(found):
        return PROGRAM
    place = os.path.abspath(found) if found else wrapper_script.program()
    if not place:
        raise UsageError(f"{PROGRAM} is not on PATH; say where it is with --program")
    return place


def in_virtualenv(program: str) -> bool:
    return os.path.exists(os.path.join(os.path.dirname(os.path.dirname(program)), "pyvenv.cfg"))
