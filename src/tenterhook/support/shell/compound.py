"""Compound commands: what opens, continues and closes them, and what is restored afterwards."""

from __future__ import annotations

from tenterhook.support.shell.records import Redirection, ShellScript, SimpleCommand, Unparsable, Word
from tenterhook.support.shell.words import DEEPEST, WordReader

# A word that continues, or ends, what an earlier one began; with the words that it may follow.
MIDDLE = {
    "then": ("if", "elif"),
    "elif": ("then",),
    "else": ("then",),
    "do": ("while", "until", "for"),
}
CLOSING = {"fi": ("then", "else"), "done": ("do",), "}": ("{",), "esac": ("case", "pattern")}
OPENING = ("if", "while", "until", "{")
LOOPS = ("for", "select")
MOST = 30_000


class Frame:
    """An open compound command, and the state to restore when it closes."""

    __slots__ = ("function", "inherited", "scope", "start", "word")

    def __init__(self, word: str, parser: Compound) -> None:
        self.word, self.start = word, parser.start
        self.scope, self.function, self.inherited = parser.scope, parser.function, parser.inherited


class Compound(WordReader):
    """The state between commands: the current one, what is open around it, what is piped into it."""

    def __init__(self, text: str, made: ShellScript, around: Compound | None = None) -> None:
        super().__init__(text)
        self.made = made
        self.deeper(around.depth + 1 if around else 0)
        self.outer: SimpleCommand | None = (around.command or around.outer) if around else None
        self.scope: int = around.scope if around else 0
        self.function: str = around.function if around else ""
        self.named = ""  # the function whose body comes next
        self.frames: list[Frame] = []
        self.command: SimpleCommand | None = None
        self.start: int = len(made.commands)  # of the current command, simple or compound
        self.piped = range(0)
        self.inherited: range = range(0)
        # Whether a command must come; whether one is there since the last separator, and is a closed compound.
        self.needs = self.element = self.closed = False
        self.pending: list[tuple[SimpleCommand, Redirection, str, bool]] = []

    def count(self) -> None:
        """A limit for the whole text, which keeps a long one from taking long."""
        self.made.tokens += 1
        if self.made.tokens > MOST:
            raise Unparsable("it has more words than can be looked through")

    # ---- between words

    def blanks(self) -> None:
        text, size = self.text, self.size
        while self.at < size:
            if text[self.at] in " \t":
                self.at += 1
            elif text[self.at] == "\\" and text.startswith("\n", self.at + 1):
                self.at += 2
            else:
                return

    def comment(self) -> None:
        end = self.text.find("\n", self.at)
        self.at = self.size if end < 0 else end

    def whitespace(self) -> None:
        """Blanks, line ends and comments."""
        while True:
            self.blanks()
            if self.text.startswith("#", self.at):
                self.comment()
            elif self.text.startswith("\n", self.at):
                self.at += 1
            else:
                return

    def word_here(self) -> Word:
        """A word that must be there."""
        before = self.at
        word = self.word()
        if self.at == before:
            raise Unparsable(f"{self.text[before : before + 1] or 'the end'} is there in place of a word")
        return word

    # ---- the current command

    def begin(self) -> SimpleCommand:
        if self.command is None:
            if not self.closed:
                self.start = len(self.made.commands)
            self.command = SimpleCommand(self.outer, self.scope, self.piped or self.inherited, self.function)
            self.element, self.needs = True, False
        return self.command

    def finish(self) -> None:
        if self.command:
            self.made.commands.append(self.command)
            self.command = None

    def separate(self) -> None:
        """The next command is not piped from this one."""
        self.element = self.closed = False
        self.piped = range(0)

    def whole(self) -> None:
        """A compound command is complete; only redirections and operators may follow."""
        self.command, self.named = None, ""
        self.element = self.closed = True
        self.needs = False

    # ---- reserved words

    def handle_reserved_word(self, word: str, lacking: bool) -> bool:
        """Whether the word is reserved, and handle it then. `lacking`: a command must come."""
        if word in OPENING:
            self.open(word)
        elif word in MIDDLE:
            self.middle(word, lacking)
        elif word in CLOSING:
            self.close(word, CLOSING[word], lacking)
        elif word in LOOPS:
            self.loop()
        elif word == "case":
            self.case()
        elif word == "function":
            self.blanks()
            self.command = None
            self.name(self.word_here().bare)
        elif word == "[[":
            self.condition()
        elif word in ("!", "time"):
            self.command = None
            self.blanks()
            self.at += 2 * (word == "time" and self.text.startswith("-p", self.at))
        else:
            return False
        return True

    def open(self, word: str) -> None:
        if self.closed or len(self.frames) > DEEPEST:
            raise Unparsable(f"{word} comes after a compound command" if self.closed else "it is nested too deeply")
        self.command = None
        self.start = len(self.made.commands)
        self.frames.append(Frame(word, self))
        self.function, self.named = self.named or self.function, ""
        self.inherited = self.piped or self.inherited
        self.separate()
        self.needs = True

    def middle(self, word: str, lacking: bool) -> None:
        if lacking or not self.frames or self.frames[-1].word not in MIDDLE[word]:
            raise Unparsable(f"{word} has no meaning here")
        self.command = None
        self.frames[-1].word = word
        self.separate()
        self.needs = True

    def close(self, word: str, opened: tuple[str, ...], lacking: bool) -> None:
        if lacking or not self.frames or self.frames[-1].word not in opened:
            raise Unparsable(f"{word} closes nothing")
        frame = self.frames.pop()
        self.scope, self.function, self.inherited = frame.scope, frame.function, frame.inherited
        self.start = frame.start
        self.whole()

    def name(self, name: str) -> None:
        """The name of a function; its body comes next."""
        self.blanks()
        if self.text.startswith("(", self.at):
            self.at += 1
            self.blanks()
            if not self.text.startswith(")", self.at):
                raise Unparsable("there is a ( after a word")
            self.at += 1
        if not name:
            raise Unparsable("a function has no name")
        self.named, self.element, self.needs = name, False, True

    # ---- those with their own grammar

    def loop(self) -> None:
        """`for x in words;` or `for ((...));`, up to its `do`. The variable takes each word in turn."""
        self.open("for")
        self.needs = False
        self.blanks()
        if self.text.startswith("((", self.at):
            self.at += 2
            self.arithmetic()
        else:
            self.begin().assigned.append((self.word_here().bare, self.values()))
            self.finish()
        self.blanks()
        self.separate()
        if self.text.startswith(";", self.at):
            self.at += 1

    def values(self) -> list[Word]:
        """The words after `in`; none if the loop is over the arguments."""
        found: list[Word] = []
        self.whitespace()
        before = self.at
        if self.word().bare != "in":
            self.at = before
            return found
        self.blanks()
        while self.text[self.at : self.at + 1] not in ("", "\n", ";", "#"):
            self.count()
            found.append(self.word_here())
            self.blanks()
        return found

    def case(self) -> None:
        self.open("case")
        self.needs = False
        self.blanks()
        self.word_here()
        self.whitespace()
        if self.word().bare != "in":
            raise Unparsable("case needs an in")
        self.frames[-1].word = "pattern"

    def pattern(self) -> None:
        """The text before the ) of one case, or the end of all cases."""
        self.whitespace()
        opened = self.text.startswith("(", self.at)
        self.at += opened
        while True:
            self.blanks()
            if self.word_here().bare == "esac" and not opened:
                self.close("esac", CLOSING["esac"], lacking=False)
                return
            opened = True
            self.blanks()
            char = self.text[self.at : self.at + 1]
            self.at += 1
            if char == ")":
                break
            if char != "|":
                raise Unparsable("a pattern of case is not closed")
        self.frames[-1].word = "case"
        self.separate()

    def next_case(self) -> None:
        if self.needs or not self.frames or self.frames[-1].word != "case":
            raise Unparsable(";; is only for case")
        self.frames[-1].word = "pattern"
        self.separate()

    def condition(self) -> None:
        """`[[ ... ]]`, in which operators are words."""
        while True:
            self.count()
            self.whitespace()
            char = self.text[self.at : self.at + 1]
            if char in ("<", ">", "(", ")", "&", "|") and not self.text.startswith(("<(", ">("), self.at):
                self.at += 1
            elif self.word_here().bare == "]]":
                break
        self.whole()
