"""What a shell script sources and runs: files by a path in its text, or relative to the script."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Iterator

from tenterhook.support.paths import within
from tenterhook.support.shell.calls import CallReader, ProgramCall
from tenterhook.support.shell.piped_input import stdin_of
from tenterhook.support.shell.programs import code_from
from tenterhook.support.shell.records import UNKNOWN
from tenterhook.support.shell.wrappers import option_value
from tenterhook.trust.bind import RUNNERS
from tenterhook.trust.loads import language_of
from tenterhook.trust.loads.records import LoadedFile, Loads, SourceText

# How scripts write "this script", "its folder" and "the folder of the repository".
OPEN, CLOSE, QUOTE = r"(?:\$\(|`)\s*", r"\s*(?:\)|`)", r"[\"']?"
PLACE = r"\$\{known_place_(\d+)\}([^\"'`$(){}]*)"
ITSELF = r"\$\{BASH_SOURCE(?:\[0\])?(?::-\$0)?\}|\$BASH_SOURCE\b|\$\{0\}|\$0(?![0-9])"
CUT = r"\$\{(?:BASH_SOURCE(?:\[0\])?|0)%/\*\}"
TOP = OPEN + r"git\s+rev-parse\s+--show-toplevel[^()`]*" + CLOSE
HERE = OPEN + r"pwd(?:\s+-[PL])?" + CLOSE
REAL = OPEN + r"(?:realpath|readlink\s+-[fe]+)\s+(?:--\s+)?" + QUOTE + PLACE + QUOTE + CLOSE
FOLDER = OPEN + r"dirname\s+(?:--\s+)?" + QUOTE + PLACE + QUOTE + CLOSE
ENTERED = (
    OPEN + r"(?:builtin\s+)?cd\s+(?:-P\s+)?(?:--\s+)?" + QUOTE + PLACE + QUOTE
    + r"\s*(?:&?>\s*/dev/null\s*(?:2>&1\s*)?)?(?:&&|;)\s*pwd(?:\s+-[PL])?" + CLOSE
)  # fmt: skip
NESTED: tuple[tuple[str, Callable[[str], str]], ...] = (
    (REAL, os.path.realpath),
    (FOLDER, os.path.dirname),
    (ENTERED, os.path.normpath),
)
# Variables that make a program load something else.
LOADERS = re.compile(
    r"(?:LD_|DYLD_)\w+|PYTHON(?:PATH|HOME|STARTUP)|NODE_(?:OPTIONS|PATH)|BASH_ENV|ENV|PERL5\w+|RUBY\w+"
)
# What these run is read from their words.
READ = ("git", "find", "xargs", "eval", "ssh", "watch", "parallel")
# Their programs may be in a file, too.
FILTERS = ("awk", "gawk", "mawk", "nawk", "jq", "sed", "gsed")
FROM_FILE = ("-f", "--file", "--from-file")
MOST_MATCHES = 200
DEEPEST = 4


def read(source: SourceText) -> Loads:
    found = Loads()
    reader = CallReader(source.cwd, source.variables.get("HOME", "~"))
    script = source.main or source.path
    reader.variables |= {name: [value] for name, value in source.variables.items()}
    reader.variables |= {"PWD": [source.cwd], "0": [script], "BASH_SOURCE": [source.path]}
    text = source.text.decode("utf-8", "replace")
    text, places = substitute_known_paths(text, source, script)
    reader.variables |= places
    reader.read(text, source.cwd)
    if reader.problem:
        found.note(source, f"all that it runs: it cannot be read to its end ({reader.problem})")
    own = {*reader.functions, *reader.aliases}
    for call in reader.calls:
        ScriptCommand(source, found, call, own).follow()
    for value in reader.variables.get("PATH", ()):
        for folder in value.split(os.pathsep):
            path = os.path.normpath(os.path.join(source.cwd, folder))
            if UNKNOWN not in folder and within(os.path.realpath(path), source.project):
                look_for_programs(found, path, reader.calls)
    return found


def substitute_known_paths(text: str, source: SourceText, script: str) -> tuple[str, dict[str, list[str]]]:
    """The text with variables in place of expressions for the script's own path or folder; and the variables.

    No shell parses a variable's value, whatever a path holds.
    """
    places: list[str] = []

    def put(path: str) -> str:
        places.append(path)
        return f"${{known_place_{len(places) - 1}}}"

    def known_path(one: re.Match[str]) -> str:
        return places[int(one[1])] + one[2]

    text = re.sub(CUT, lambda one: put(os.path.dirname(script if "{0" in one[0] else source.path)), text)
    text = re.sub(ITSELF, lambda one: put(source.path if "BASH" in one[0] else script), text)
    text = re.sub(TOP, lambda _: put(source.project), text)
    text = re.sub(HERE, lambda _: put(source.cwd), text)
    for _ in range(DEEPEST):  # one may be inside another
        before = text
        for pattern, change in NESTED:
            text = re.sub(pattern, lambda one, change=change: put(change(known_path(one))), text)  # type: ignore[misc]
        if text == before:
            break
    text = re.sub(r"(?<==)\$\{known_place_\d+\}", lambda one: f'"{one[0]}"', text)  # an assignment is not split
    return text, {f"known_place_{n}": [path] for n, path in enumerate(places)}


def look_for_programs(found: Loads, folder: str, calls: list[ProgramCall]) -> None:
    """Find programs by name in a folder of the project that the script adds to PATH."""
    names = {call.named for call in calls if call.named}
    names |= {call.words[0] for call in calls if call.program in (".", "source") and call.words}
    names = {name for name in names if os.sep not in name and UNKNOWN not in name}
    found.look(folder, *names)
    found.files += [LoadedFile(path) for name in sorted(names) if os.path.isfile(path := os.path.join(folder, name))]


class ScriptCommand:
    """One command of the script."""

    def __init__(self, source: SourceText, found: Loads, call: ProgramCall, own: set[str]) -> None:
        self.source, self.found, self.call, self.own = source, found, call, own

    def follow(self) -> None:
        call = self.call
        for name in call.assigned:
            if LOADERS.fullmatch(name):
                self.note(f"{name}: what it makes {call.program} load")
        if call.remote or not call.named:
            return
        if UNKNOWN in call.named:
            self.note("runs a command that is computed")
            return
        if call.program in ("export", "declare", "typeset"):
            for name in (word.partition("=")[0] for word in call.words):
                if LOADERS.fullmatch(name):
                    self.note(f"{name}: what it makes programs load")
            return
        if call.program in (".", "source"):
            self.bind_sourced_file()
            return
        if os.sep in call.named:
            self.file(call.named)
        elif call.named in self.own:
            return
        if call.program in RUNNERS and call.program not in READ:
            self.note(f"{' '.join((call.program, *call.words[:1])).replace(UNKNOWN, '...')}: what it runs")
        elif call.program == "eval":
            if UNKNOWN in "".join(call.words):
                self.note("eval of what is computed")
        elif language_of(call.program):
            self.bind_interpreter(language_of(call.program))
        elif call.program in ("mapfile", "readarray") and "-C" in call.words:
            self.note(f"{call.program} -C: what it runs")
        elif call.program in FILTERS and option_value(call.words, *FROM_FILE):
            self.file(option_value(call.words, *FROM_FILE) or "", "data")

    def bind_sourced_file(self) -> None:
        if not self.call.words:
            return
        name = self.call.words[0]
        if name in ("-", "/dev/stdin"):
            if not stdin_of(self.call):
                self.note("sources what it is given")
            return
        self.file(name, "shell", main=self.source.main or self.source.path)

    def bind_interpreter(self, language: str) -> None:
        """The script of an interpreter; a text given instead is read if its language is not the shell's."""
        call = self.call
        kind, text = code_from(call)
        if language == "other":
            self.note(f"{call.program}: what it loads")
        elif language != "shell":
            self.hand_on(text if kind == "text" else "")
        if kind == "file" and text and not text.startswith("-"):
            self.file(text, language)
        elif kind == "text" and language != "shell":
            if UNKNOWN in text:
                self.note(f"{call.program}: a text that is computed")
        elif kind == "text" and UNKNOWN in text:
            self.note(f"{call.program} -c: a text that is computed")
        elif kind == "stdin":
            texts = stdin_of(call)
            for one in texts if language != "shell" else ():
                self.found.commands.append(([call.program, "-c", one.replace(UNKNOWN, "")], call.folder))
            for name in call.reads:
                self.file(name, language)
            if not texts and not call.reads:
                self.note(f"{call.program}: what it reads from its input")

        if language == "shell":
            if early := option_value(call.words, "--rcfile", "--init-file"):
                self.file(early, "shell")
            for word in call.words[call.words.index(text) + 1 :] if kind == "text" and text in call.words else ():
                if UNKNOWN not in word and os.path.isfile(os.path.join(call.folder, word)):  # $0, $1 of the text
                    self.file(word)

    def hand_on(self, text: str) -> None:
        """Python's and node's own options say which module, text or file they begin with."""
        words = [word.replace(UNKNOWN, "") if word == text or UNKNOWN not in word else "-" for word in self.call.words]
        self.found.commands.append(([self.call.program, *words], self.call.folder or self.source.cwd))

    def file(self, name: str, language: str = "", main: str = "") -> None:
        if UNKNOWN in name:
            self.note(f"{self.call.program}: a path that is computed")
            return
        if not self.call.folder and not os.path.isabs(name):
            self.note(f"{name}: it counts from a folder that is computed")
            return
        path = os.path.normpath(os.path.join(self.call.folder, name))
        for one in self.matches(path):
            self.found.files.append(LoadedFile(one, language, main=main))

    def matches(self, path: str) -> Iterator[str]:
        """The file itself, or all matching files if the name is a pattern."""
        if not glob.has_magic(path) or os.path.exists(path):
            yield path
            return
        folder = os.path.dirname(path)
        if glob.has_magic(folder):
            self.note(f"{os.path.relpath(path, self.source.project)}: files that fit a pattern")
        else:
            self.found.look(folder, os.path.basename(path))
        for n, one in enumerate(sorted(glob.iglob(path))):
            if n >= MOST_MATCHES:
                self.note(f"{os.path.relpath(path, self.source.project)}: more files than can be bound")
                return
            yield one

    def note(self, text: str) -> None:
        self.found.note(self.source, text)
