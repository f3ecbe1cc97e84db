"""The parts of a shell text."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Marks in a text what only the shell knows. No word of a shell can hold this character.
UNKNOWN = "\0"

# The kinds of pieces of a word.
BARE, QUOTED, BRACE, VARIABLE, HIDDEN = "bare", "quoted", "brace", "variable", "hidden"


class Unparsable(Exception):
    """What is wrong with a text; not raised outside of the package."""


class Variable:
    """`$name`, in double quotes or not.

    `operand` is the word of `${name:-word}` and its like, `change` what follows the name in `${name%x}` and its like.
    """

    __slots__ = ("change", "name", "operand", "quoted")

    def __init__(self, name: str, quoted: bool, operand: Word | None = None, change: str = "") -> None:
        self.name, self.quoted, self.operand, self.change = name, quoted, operand, change


class Word:
    """One word as pieces: pairs of a kind and a text, or of VARIABLE and a Variable."""

    __slots__ = ("pieces",)

    def __init__(self, pieces: list[tuple[str, Any]]) -> None:
        self.pieces = pieces

    @property
    def text(self) -> str:
        """Its text without quotes, with UNKNOWN for what only the shell knows."""
        return "".join(UNKNOWN if kind in (VARIABLE, HIDDEN) else text for kind, text in self.pieces)

    @property
    def bare(self) -> str:
        """The text of a word without any quote or expansion, as reserved words are; else empty."""
        return self.text if all(kind in (BARE, BRACE) for kind, _ in self.pieces) else ""


class Redirection:
    """`> file`; `body` is the text of a here-document or here-string."""

    __slots__ = ("body", "operator", "target")

    def __init__(self, operator: str, target: Word) -> None:
        self.operator, self.target = operator, target
        self.body: Word | None = None


class SimpleCommand:
    """One simple command: its words without assignments and redirections.

    `sources` are the indexes of the commands piped into it, `outer` the command whose substitution it is in, `scope`
    the subshell it runs in, `function` the name of the function whose body it belongs to.
    """

    __slots__ = ("assigned", "background", "function", "outer", "redirections", "scope", "sources", "words")

    def __init__(self, outer: SimpleCommand | None, scope: int, sources: range, function: str) -> None:
        self.outer, self.scope, self.sources, self.function = outer, scope, sources, function
        self.words: list[Word] = []
        self.assigned: list[tuple[str, list[Word]]] = []
        self.redirections: list[Redirection] = []
        self.background = False


class ShellScript:
    """All commands of a text, and what is wrong if it could not be read to its end."""

    __slots__ = ("commands", "problem", "scopes", "tokens")

    def __init__(self) -> None:
        self.commands: list[SimpleCommand] = []
        # The scope around each scope; the first is the script's own.
        self.scopes = [0]
        self.problem = ""
        self.tokens = 0

    def subshell(self, scope: int) -> int:
        """A new scope within that one."""
        self.scopes.append(scope)
        return len(self.scopes) - 1
