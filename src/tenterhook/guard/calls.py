"""The programs that a shell text calls: variables put in, wrappers taken off, the texts that they run read too."""

from __future__ import annotations

import os

from tenterhook.guard.shell import Command, Script, parse
from tenterhook.guard.shell.expand import Variables, fields
from tenterhook.guard.shell.records import UNKNOWN
from tenterhook.guard.wrappers import (
    INTERPRETERS,
    SHELLS,
    command_of,
    found_by,
    interpreter_reads,
    is_assignment,
    option_value,
    program_of,
    shell_reads,
    wrapped,
)

DEEPEST = 8
MOST = 10_000
MOST_WORDS = 30_000
LONGEST = 4096
# What a shell does with its own words as a text.
EVALUATES = ("eval", "trap", "alias", "watch")
DECLARES = ("export", "declare", "local", "readonly", "typeset")
FORGETS = ("read", "unset", "mapfile", "readarray", "getopts")


class Call:
    """One program with its words. UNKNOWN stands in them for what only the shell knows.

    `folder` is where it runs, empty where that is unknown; `by` are the wrappers that run it; `remote` says that it
    runs on another machine; `fed` are the calls piped into it and `inner` those in its substitutions; `texts` is
    what it is given on stdin as far as that is written in the command.
    """

    __slots__ = (
        *("assigned", "background", "by", "fed", "folder", "function", "inner", "program", "reads", "remote"),
        *("texts", "words", "writes"),
    )

    def __init__(self, program: str, words: list[str], folder: str) -> None:
        self.program, self.words, self.folder = program, words, folder
        self.by: tuple[str, ...] = ()
        self.assigned: dict[str, str] = {}
        self.writes: list[str] = []
        self.reads: list[str] = []
        self.texts: list[str] = []
        self.fed: list[Call] = []
        self.inner: list[Call] = []
        self.background = self.remote = False
        self.function = ""

    def __str__(self) -> str:
        return " ".join((*self.by, self.program, *self.words[:30])).replace(UNKNOWN, "...")

    def run_as(self, program: str, words: list[str], by: str) -> Call:
        """What it runs in its turn, with all that it has around itself."""
        made = Call(program, words, self.folder)
        made.by = (*self.by, by)
        made.assigned, made.writes, made.reads, made.texts = self.assigned, self.writes, self.reads, self.texts
        made.fed, made.inner, made.background, made.function = self.fed, self.inner, self.background, self.function
        made.remote = self.remote or by == "ssh"
        return made


def calls(text: str, *, folder: str, home: str) -> tuple[list[Call], str]:
    """The calls of a text in order, and what keeps it from being read to its end."""
    reader = Reader(folder, home)
    reader.read(text, folder)
    return reader.calls, reader.problem


class Reader:
    """What is known while a text is read: the variables so far."""

    def __init__(self, folder: str, home: str) -> None:
        self.variables: Variables = {"HOME": [home], "PWD": [folder], "IFS": [" \t\n"]}
        self.calls: list[Call] = []
        self.problem = ""
        self.depth = 0

    def read(self, text: str, folder: str, around: Call | None = None) -> None:
        if self.depth > DEEPEST:
            self.problem = self.problem or "its parts are nested too deeply"
            return
        script = parse(text, inner=around is not None)
        self.problem = self.problem or script.problem
        folders = {0: folder}
        made: dict[Command, list[Call]] = {}
        within: dict[Command, list[Call]] = {}
        self.depth += 1
        for command in script.commands:
            scope = command.scope
            if scope not in folders:
                folders[scope] = folders[known_scope(script, scope, folders)]
            call = self.called(command, folders[scope])
            if around:
                call.by, call.remote = around.by, around.remote
            call.fed = [one for place in command.sources[-50:] for one in made.get(script.commands[place], [])]
            call.inner = within.setdefault(command, [])
            before = len(self.calls)
            self.take(call)
            if call.program in ("cd", "pushd", "chdir"):
                folders[scope] = self.changed(call)
                self.variables["PWD"] = [folders[scope] or UNKNOWN]
            made[command] = self.calls[before:]
            if command.outer:
                within.setdefault(command.outer, []).extend(made[command])
            if len(self.calls) > MOST:
                self.problem = "it has more commands than can be looked through"
                break
        self.depth -= 1

    # ---- one command

    def called(self, command: Command, folder: str) -> Call:
        found: list[str] = []
        for word in command.words:
            found += fields(word, self.variables)
            if len(found) > MOST_WORDS:
                self.problem = self.problem or "it has more words than can be looked through"
                break
        call = Call(program_of(found[0]) if found else "", found[1:], folder)
        call.background, call.function = command.background, command.function
        for name, words in command.assigned:
            values = [one for word in words for one in fields(word, self.variables)]
            if found:
                call.assigned[name] = values[0] if values else UNKNOWN
            else:
                self.assign(name, values)
        for one in command.redirections:
            if one.body is not None:
                call.texts.append("".join(fields(one.body, self.variables)))
            elif one.operator in ("<", "<>"):
                call.reads += fields(one.target, self.variables)
            elif one.operator != "<&":
                target = fields(one.target, self.variables)
                if one.operator != ">&" or not all(name.isdigit() or name == "-" for name in target):
                    call.writes += target
        return call

    def assign(self, name: str, values: list[str]) -> None:
        if values and sum(map(len, values)) <= LONGEST:  # a text that doubles with each assignment has no end
            self.variables[name] = values
        else:
            self.variables.pop(name, None)

    def changed(self, call: Call) -> str:
        """The folder after cd; nothing where that is unknown."""
        targets = [word for word in call.words if not word.startswith("-") or word == "-"]
        target = targets[0] if targets else self.variables["HOME"][0]
        if UNKNOWN in target or target == "-" or not (call.folder or target.startswith("/")):
            return ""
        return os.path.normpath(os.path.join(call.folder, target))

    # ---- what a call runs in its turn

    def take(self, call: Call, layers: int = 0) -> None:
        """The call itself, or what it is a wrapper of; and the texts that it has a shell read."""
        program, words = call.program, call.words
        name, rest = wrapped(program, words)
        if name and layers < DEEPEST:
            self.unwrap(call, name, rest, layers)
            return
        if name:
            self.problem = self.problem or "its wrappers are nested too deeply"
        self.calls.append(call)
        if program in DECLARES:
            for word in words:
                if is_assignment(word):
                    self.assign(word.partition("=")[0], [word.partition("=")[2]])
        elif program in FORGETS:
            for word in words:
                self.assign(word, [])
        elif program == "find":
            self.found(call, layers)
        else:
            for text in texts_run(call):
                self.read(text, call.folder, call)

    def unwrap(self, call: Call, name: str, words: list[str], layers: int) -> None:
        split = option_value(words, "-S", "--split-string") if name == "env" else None
        if split is not None:
            self.read(split, call.folder, call)
            return
        inner, assigned = command_of(name, words)
        for word in assigned:
            key, _, value = word.partition("=")
            call.assigned[key] = value
        if not inner:
            self.calls.append(call)
        elif name == "ssh":
            self.read(" ".join(inner), "", call.run_as(call.program, call.words, name))
        else:
            if name == "xargs":
                self.calls.append(call)
                inner = [*inner, *(said(call) or [UNKNOWN])]
            self.take(call.run_as(program_of(inner[0]), inner[1:], name), layers + 1)

    def found(self, call: Call, layers: int) -> None:
        """What find runs: on everything below its starting points, or on what only find knows."""
        starts, everything, runs = found_by(call.words)
        for run in runs:
            words = [one for word in run for one in (starts if word == "{}" and everything else [spelled(word)])]
            if words and layers < DEEPEST:
                self.take(call.run_as(program_of(words[0]), words[1:], "find"), layers + 1)


def spelled(word: str) -> str:
    return word.replace("{}", UNKNOWN)


def known_scope(script: Script, scope: int, folders: dict[int, str]) -> int:
    while scope not in folders:
        scope = script.scopes[scope]
    return scope


def said(call: Call) -> list[str]:
    """The words that echo or printf pipe into a call."""
    return [
        word
        for one in call.fed
        if one.program in ("echo", "printf")
        for word in one.words
        if word not in ("-n", "-e", "-E", "%s", "%s\\n")
    ]


def texts_run(call: Call) -> list[str]:
    """The texts that a call has a shell read, as far as they are known."""
    program, words = call.program, call.words
    if program in SHELLS:
        kind, text = shell_reads(words)
        if kind == "text":
            return [text]
        return [*call.texts, *fed_texts(call)] if kind == "stdin" else []
    if program in ("su", "runuser", "script"):
        text = option_value(words, "-c", "--command") or ""
        return [text] if text else []
    if program == "trap":
        return words[:1]
    if program == "alias":
        return [word.partition("=")[2] for word in words]
    if program in EVALUATES:
        return [" ".join(words)]
    if program in (".", "source") and words[:1] == ["/dev/stdin"]:
        return [*call.texts, *fed_texts(call)]
    return []


def fed_texts(call: Call) -> list[str]:
    """What is piped into a call, where it is written in the command."""
    words = said(call)
    bodies = [text for one in call.fed if one.program in ("cat", "tee") for text in one.texts]
    return [*([" ".join(words)] if words else []), *bodies]


def code_from(call: Call) -> tuple[str, str]:
    """Where the code comes from that a shell or an interpreter is to run: text, file or stdin; ("", "") for others."""
    if call.program in SHELLS:
        return shell_reads(call.words)
    if call.program.rstrip("0123456789.") in INTERPRETERS:
        return interpreter_reads(call.words)
    if call.program == "eval":
        return "text", " ".join(call.words)
    if call.program in (".", "source"):
        return ("file", call.words[0]) if call.words else ("", "")
    return "", ""
