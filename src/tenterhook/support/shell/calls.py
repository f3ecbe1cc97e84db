"""The programs that a shell text calls: variables filled in, wrappers removed, the texts that they run parsed too."""

from __future__ import annotations

import os

from tenterhook.support.shell import ShellScript, SimpleCommand, parse
from tenterhook.support.shell.expand import Variables, fields, positional
from tenterhook.support.shell.piped_input import xargs_input_words
from tenterhook.support.shell.programs import code_from, made_by, texts_run, whole
from tenterhook.support.shell.records import UNKNOWN
from tenterhook.support.shell.startup_files import DECLARES, MAKES, runs_remote_code, shell_startup_files
from tenterhook.support.shell.wrappers import (
    AWKS,
    CLIENTS,
    EDITORS,
    ELSEWHERE,
    INTERPRETERS,
    SEDS,
    SHELLS,
    TCLS,
    command_of,
    found_by,
    is_assignment,
    option_value,
    program_of,
    replaced_by,
    shell_reads,
    single_quote_word,
    split_string,
    split_wrapper_name,
)

DEEPEST = 8
MOST = 10_000
MOST_WORDS = 30_000
LONGEST = 4096
# The most characters in all texts that are read.
LARGEST = 3 << 20
# Wrappers whose -c is a text for a shell.
CALL = ("npx", "npm exec")
# Programs whose words or input may be code.
CODE = (*INTERPRETERS, *AWKS, *SEDS, *EDITORS, *TCLS, *CLIENTS, *MAKES)
FORGETS = ("read", "unset", "mapfile", "readarray", "getopts")


class ProgramCall:
    """One program with its words. UNKNOWN among them means that only the shell knows.

    `named` is the program as it was written; `loaded`: it runs what was just downloaded; `folder` is where it runs,
    empty if unknown; `by` are the wrappers that run it; `remote`: it runs on another machine; `fed` are the calls piped
    into it and `inner` those in its substitutions; `texts` is its stdin, as far as the command itself has it.
    """

    __slots__ = (
        *("assigned", "background", "by", "fed", "folder", "function", "inner", "loaded", "named", "program"),
        *("reads", "remote", "texts", "words", "writes"),
    )

    def __init__(self, program: str, words: list[str], folder: str) -> None:
        self.program, self.words, self.folder = program, words, folder
        self.by: tuple[str, ...] = ()
        self.assigned: dict[str, str] = {}
        self.writes: list[str] = []
        self.reads: list[str] = []
        self.texts: list[str] = []
        self.fed: list[ProgramCall] = []
        self.inner: list[ProgramCall] = []
        self.background = self.remote = self.loaded = False
        self.function = self.named = ""

    def __str__(self) -> str:
        return " ".join((*self.by, self.program, *self.words[:30])).replace(UNKNOWN, "...")

    def run_as(self, program: str, words: list[str], by: str) -> ProgramCall:
        """What it runs in turn, with its own surroundings."""
        made = ProgramCall(program, words, "" if by in ELSEWHERE else self.folder)
        made.by = (*self.by, by)
        made.assigned, made.writes, made.reads, made.texts = self.assigned, self.writes, self.reads, self.texts
        made.fed, made.inner, made.background, made.function = self.fed, self.inner, self.background, self.function
        made.remote = self.remote or by in ELSEWHERE
        return made


def calls(text: str, *, folder: str, home: str) -> tuple[list[ProgramCall], str]:
    """The calls of a text in order, and why it could not be read to its end."""
    reader = CallReader(folder, home)
    reader.read(text, folder)
    return reader.calls, reader.problem


class CallReader:
    """The state while a text is read: the variables so far."""

    def __init__(self, folder: str, home: str) -> None:
        self.variables: Variables = {"HOME": [home], "PWD": [folder], "IFS": [" \t\n"]}
        self.aliases: dict[str, str] = {}
        # The commands in the body of each function.
        self.functions: dict[str, list[SimpleCommand]] = {}
        # The files that the text itself has written: their content, or None if it was downloaded.
        self.files: dict[str, list[str] | None] = {}
        self.calls: list[ProgramCall] = []
        self.problem = ""
        self.depth = self.size = 0

    def read(self, text: str, folder: str, around: ProgramCall | None = None) -> None:
        if self.depth > DEEPEST:
            self.problem = self.problem or "its parts are nested too deeply"
            return
        self.size += len(text)
        if self.size > LARGEST:
            self.problem = self.problem or "the texts that it runs are too long together"
            return
        script = parse(text, inner=around is not None)
        self.problem = self.problem or script.problem
        folders = {0: folder}
        made: dict[SimpleCommand, list[ProgramCall]] = {}
        within: dict[SimpleCommand, list[ProgramCall]] = {}
        self.depth += 1
        for command in script.commands:
            scope = command.scope
            if scope not in folders:
                folders[scope] = folders[known_scope(script, scope, folders)]
            call = self.read_command(command, folders[scope])
            if around:
                call.by, call.remote = around.by, around.remote
            call.fed = [one for place in command.sources[-50:] for one in made.get(script.commands[place], [])]
            call.inner = within.setdefault(command, [])
            before = len(self.calls)
            if command.function:
                self.functions.setdefault(command.function, []).append(command)
            self.take(call)
            self.call_function(call)
            self.files |= made_by(call)
            if call.program in ("cd", "pushd", "chdir"):
                folders[scope] = self.folder_after(call)
                self.variables["PWD"] = [folders[scope] or UNKNOWN]
            made[command] = self.calls[before:]
            if command.outer:
                within.setdefault(command.outer, []).extend(made[command])
            if len(self.calls) > MOST:
                self.problem = "it has more commands than can be looked through"
                break
        self.depth -= 1

    def call_function(self, call: ProgramCall) -> None:
        """The body of a function, or the text of an alias, with the words it is called with."""
        alias, body = self.aliases.get(call.program), self.functions.get(call.program, [])
        if (alias is None and not body) or self.depth > DEEPEST or call.function == call.program:
            return
        if alias is not None:
            self.aliases.pop(call.program)  # which may call itself
            self.read(" ".join((alias, *map(single_quote_word, call.words))), call.folder, call)
            return
        self.depth += 1
        before, self.variables = self.variables, self.variables | positional(call.words)
        for command in body:
            if len(self.calls) <= MOST:
                self.take(self.read_command(command, call.folder))
        self.variables = before
        self.depth -= 1

    def run_file(self, call: ProgramCall) -> None:
        """A script that the text itself has written before."""
        if not self.files:
            return
        kind, name = code_from(call)
        name = name if kind == "file" else call.named if "/" in call.named else ""
        for one in (name, *shell_startup_files(call)):
            path = whole(call, one)
            texts = self.files.get(os.path.normpath(path), []) if path else []
            call.loaded = call.loaded or texts is None
            if one != name or call.program in SHELLS or not kind:
                for text in texts or []:
                    self.read(text, call.folder, call)
            elif texts:
                self.read_code(call, texts)

    # ---- one command

    def read_command(self, command: SimpleCommand, folder: str) -> ProgramCall:
        found: list[str] = []
        for word in command.words:
            found += fields(word, self.variables)
            if len(found) > MOST_WORDS:
                self.problem = self.problem or "it has more words than can be looked through"
                break
        call = ProgramCall(program_of(found[0]) if found else "", found[1:], folder)
        call.background, call.function, call.named = command.background, command.function, found[0] if found else ""
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

    def folder_after(self, call: ProgramCall) -> str:
        """The folder after cd; empty if unknown."""
        targets = [word for word in call.words if not word.startswith("-") or word == "-"]
        target = targets[0] if targets else self.variables["HOME"][0]
        return "" if target == "-" else self.resolve_folder(call.folder, target)

    def resolve_folder(self, folder: str, target: str) -> str:
        if UNKNOWN in target or not (folder or target.startswith("/")):
            return ""
        path = os.path.normpath(os.path.join(folder, target))
        return path if len(path) <= LONGEST else ""

    # ---- what a call runs in turn

    def take(self, call: ProgramCall, layers: int = 0) -> None:
        """The call itself, or what it wraps; and the texts that it has a shell read."""
        if call.program == "rimraf":
            call.program, call.words = "rm", ["-rf", *call.words]
        program, words = call.program, call.words
        name, rest = split_wrapper_name(program, words)
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
            self.find_calls(call, layers)
        elif program == "set" and "--" in words:
            self.variables |= positional(words[words.index("--") + 1 :])
        elif program == "alias":
            self.aliases |= {name: text for name, sign, text in (word.partition("=") for word in words) if sign}
        else:
            self.run_texts(call)
        self.run_file(call)

    def run_texts(self, call: ProgramCall) -> None:
        """The texts that it has a shell read, with the words after -c as the shell's arguments."""
        before = dict(self.variables)
        if call.program in SHELLS and shell_reads(call.words)[0] == "text":
            text = shell_reads(call.words)[1]
            self.variables |= positional(call.words[call.words.index(text) + 2 :] if text else [])
        for text in texts_run(call):
            self.read(text, call.folder, call)
        self.variables = before if call.program in SHELLS else self.variables
        if stem(call.program) in CODE:
            self.read_code(call)

    def read_code(self, call: ProgramCall, code: list[str] | None = None) -> None:
        """What code in another language does. Text that is not shell text is not an error of the command."""
        from tenterhook.support.shell.inline_code import texts_of

        problem = self.problem
        for text in texts_of(call, code):
            self.read(text, call.folder, call)
        self.problem = problem

    def unwrap(self, call: ProgramCall, name: str, words: list[str], layers: int) -> None:
        for local in texts_run(call):
            self.read(local, call.folder, call)
        inner, assigned = command_of(name, words)
        own = words[: len(words) - len(inner)]
        text = split_string(words) if name == "env" else option_value(own, "--call", *(["-c"] if name in CALL else []))
        if text is not None:
            self.read(text, call.folder, call)
            return
        into = option_value(own, "-C", "--chdir") if name == "env" else None
        if into:
            call.folder = self.resolve_folder(call.folder, into)
        for word in assigned:
            key, _, value = word.partition("=")
            call.assigned[key] = value
        if not inner:
            self.calls.append(call)
        elif name == "ssh":
            self.read(" ".join(inner), "", call.run_as(call.program, call.words, name))
        elif name == "flock" and inner[0] in ("-c", "--command"):
            self.read(" ".join(inner[1:2]), call.folder, call)
        elif name == "parallel" and (inner[0] == ":::" or " " in inner[0]):
            for one in inner:
                self.read(one if one != ":::" else "", call.folder, call)
        else:
            if name == "xargs" or name in ELSEWHERE:
                self.calls.append(call)
            if name == "xargs":
                inner = fill_xargs_command(inner, replaced_by(own), xargs_input_words(call) or [UNKNOWN])
            made = call.run_as(program_of(inner[0]), inner[1:], name)
            made.named, made.loaded = inner[0], runs_remote_code(name, own, inner)
            self.take(made, layers + 1)

    def find_calls(self, call: ProgramCall, layers: int) -> None:
        """What find runs: on everything below its starting points, or on what only find knows."""
        starts, everything, runs = found_by(call.words)
        for run in runs:
            all_of = [f"{start}/*" for start in starts] if everything else [UNKNOWN]
            words = [one for word in run for one in (all_of if word == "{}" else [replace_braces_by_unknown(word)])]
            if words and layers < DEEPEST:
                made = call.run_as(program_of(words[0]), words[1:], "find")
                made.named = words[0]
                self.take(made, layers + 1)


def fill_xargs_command(words: list[str], mark: str, given: list[str]) -> list[str]:
    """A command of xargs with its input, in place of a mark or at its end."""
    if not mark:
        return [*words, *given]
    return [word.replace(mark, " ".join(given)) for word in words]


def stem(program: str) -> str:
    """Without its version."""
    return program.rstrip("0123456789.")


def replace_braces_by_unknown(word: str) -> str:
    return word.replace("{}", UNKNOWN)


def known_scope(script: ShellScript, scope: int, folders: dict[int, str]) -> int:
    while scope not in folders:
        scope = script.scopes[scope]
    return scope
