"""A shell text becomes a flat list of simple commands.

The flow of compound commands is dropped: the commands of both branches are there, in order. What is kept decides
whether a shell would accept the text, and which command is piped into which.
"""

from __future__ import annotations

import re

from tenterhook.support.shell.compound import Compound
from tenterhook.support.shell.records import (
    BARE,
    HIDDEN,
    QUOTED,
    UNKNOWN,
    Redirection,
    ShellScript,
    SimpleCommand,
    Unparsable,
    Word,
)
from tenterhook.support.shell.words import ASSIGNMENT, IN_BODY

LARGEST = 1 << 20

REDIRECTIONS = ("&>>", "<<<", "<<-", "<<", "<>", "<&", ">&", ">>", ">|", "&>", "<", ">")
SEPARATORS = (";;&", ";;", ";&", "&&", "||", "|&", ";", "&", "|")


def parse(text: str, *, inner: bool = False) -> ShellScript:
    """The commands of a text. `inner`: it was made of another's words and may hold UNKNOWN."""
    script = ShellScript()
    try:
        if len(text) > LARGEST:
            raise Unparsable(f"it is longer than {LARGEST >> 20} MiB")
        if UNKNOWN in text and not inner:
            raise Unparsable("it holds a NUL character")
        Parser(text, script).listing("")
    except Unparsable as exc:
        script.problem = str(exc)
    except RecursionError:  # the caller's own stack may be nearly full
        script.problem = "its parts are nested too deeply"
    return script


class Parser(Compound):
    """One text, or one substitution of it, from its first command to its last."""

    def listing(self, end: str) -> None:
        """Commands up to the end of the text, or to the closing parenthesis."""
        while True:
            self.blanks()
            if self.frames and self.frames[-1].word == "pattern":
                self.pattern()
                continue
            if self.at >= self.size:
                break
            self.count()
            char = self.text[self.at]
            if char == ")" and end and not self.frames:
                break
            if char == "\n":
                self.newline()
            elif char == "#":
                self.comment()
            elif (char in "<>" and not self.text.startswith("(", self.at + 1)) or self.text.startswith("&>", self.at):
                self.redirection()
            elif char in ";&|()":
                self.operator(char)
            else:
                self.token()
        self.finish()
        self.check_end(end)

    def check_end(self, end: str) -> None:
        if self.at >= self.size:
            self.bodies()
            if end:
                raise Unparsable("a ( is not closed")
        if self.frames:
            raise Unparsable(f"{self.frames[-1].word} is not closed")
        if self.needs or self.named:
            raise Unparsable("a command is missing at the end")
        self.at += len(end)

    def newline(self) -> None:
        self.at += 1
        self.finish()
        self.bodies()
        if not self.needs:
            self.separate()

    # ---- operators

    def operator(self, char: str) -> None:
        if char == "(":
            self.parse_parenthesis()
        elif char == ")":
            self.at += 1
            self.finish()
            self.close(")", ("(",), lacking=self.needs)
        else:
            self.separator()

    def separator(self) -> None:
        found = next(one for one in SEPARATORS if self.text.startswith(one, self.at))
        self.at += len(found)
        self.finish()
        if found in (";;&", ";;", ";&"):
            self.next_case()
            return
        if not self.element:
            raise Unparsable(f"there is no command before {found}")
        element = range(self.start, len(self.made.commands))
        if found == "&":
            for place in element:
                self.made.commands[place].background = True
        self.separate()
        self.needs = found in ("&&", "||", "|", "|&")
        if found in ("|", "|&"):
            self.piped = element

    def parse_parenthesis(self) -> None:
        """A function's name, arithmetic or a subshell."""
        command = self.command
        if command and len(command.words) == 1 and not command.assigned and not command.redirections:
            self.command = None
            self.name(command.words[0].bare)
        elif command or self.closed:
            raise Unparsable("there is a ( after a word")
        elif self.text.startswith("((", self.at) and self.arithmetic_at(self.at + 2):
            self.at += 2
            self.begin()
            self.arithmetic()
            self.whole()
        else:
            self.at += 1
            self.open("(")
            self.scope = self.made.subshell(self.scope)

    # ---- words

    def token(self) -> None:
        """A word: of a command, of an assignment before it, or a reserved one."""
        before, first, lacking = self.at, self.command is None, self.needs
        command = self.begin()
        word = self.word()
        if self.at == before:
            raise Unparsable(f"{self.text[before]} is there in place of a word")
        if first and self.handle_reserved_word(word.bare, lacking):
            return
        if self.closed or self.named:
            raise Unparsable("a word cannot be here")
        number = word.bare.isdigit() and self.text[self.at : self.at + 1] in ("<", ">")
        if word.pieces and not number:
            self.put(command, word)

    def put(self, command: SimpleCommand, word: Word) -> None:
        kind, text = word.pieces[0]
        found = ASSIGNMENT.match(text) if kind == BARE and not command.words else None
        if not found:
            command.words.append(word)
            return
        value = Word([(BARE, text[found.end() :]), *word.pieces[1:]])
        array = word.pieces[1][1] if word.pieces[1:] and word.pieces[1][0] == HIDDEN else None
        values = array if isinstance(array, list) else [value]
        # A part of an array, or something appended to a variable, leaves it unknown.
        command.assigned.append((found[1], [] if found[2] else values))

    # ---- redirections

    def redirection(self) -> None:
        operator = next(one for one in REDIRECTIONS if self.text.startswith(one, self.at))
        self.at += len(operator)
        command = self.begin()
        self.blanks()
        before = self.at
        made = Redirection(operator, self.word())
        if self.at == before:
            raise Unparsable(f"{operator} is followed by no file")
        command.redirections.append(made)
        if operator == "<<<":
            made.body = made.target
        elif operator in ("<<", "<<-"):
            raw = self.text[before : self.at]
            quoted = any(char in raw for char in "'\"\\")
            self.pending.append((command, made, made.target.text if quoted else raw, quoted))

    def bodies(self) -> None:
        """The here-documents of the line that has just ended."""
        for command, made, delimiter, quoted in self.pending:
            text = self.body(delimiter, tabs=made.operator == "<<-")
            made.body = Word([(QUOTED, text)])
            if not quoted:
                inner = Parser(text, self.made, self)
                inner.outer, made.body = command, Word([])
                inner.quoted_until("", re.compile(IN_BODY), made.body.pieces)
        self.pending.clear()

    def body(self, delimiter: str, *, tabs: bool) -> str:
        """One that is not closed goes to the end of the text."""
        lines: list[str] = []
        while self.at < self.size:
            end = self.text.find("\n", self.at)
            end = self.size if end < 0 else end
            line = self.text[self.at : end].lstrip("\t" if tabs else "")
            self.at = min(end + 1, self.size)
            if line == delimiter:
                break
            lines.append(line + "\n")
        return "".join(lines)

    # ---- what words hold

    def substitution(self) -> None:
        self.count()
        inner = Parser(self.text, self.made, self)
        inner.at, inner.scope = self.at, self.made.subshell(self.scope)
        inner.listing(")")
        self.at = inner.at

    def parse_nested(self, text: str) -> None:
        self.count()
        inner = Parser(text, self.made, self)
        inner.scope = self.made.subshell(self.scope)
        inner.listing("")

    def array(self) -> list[Word]:
        found: list[Word] = []
        while True:
            self.whitespace()
            if self.text.startswith(")", self.at):
                self.at += 1
                return found
            self.count()
            found.append(self.word_here())
