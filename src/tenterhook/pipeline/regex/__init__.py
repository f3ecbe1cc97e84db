"""The regular expressions of other languages in Python's spelling: each agent reads its matchers by its own engine.

These are rules of spelling alone; matching stays Python's. What a group captured is of no use in a matcher, so no group
captures.
"""

from __future__ import annotations

from tenterhook.pipeline.regex.javascript import JavaScript, Modern
from tenterhook.pipeline.regex.pattern import Beyond as Beyond
from tenterhook.pipeline.regex.pattern import Invalid as Invalid
from tenterhook.pipeline.regex.pattern import Pattern
from tenterhook.pipeline.regex.rust import Rust
from tenterhook.support.strategy import Strategy


class RegexEngine(Strategy[type[Pattern]]):
    """Whose patterns are read, and how: `whose` is for a sentence, with a blank at its end."""

    __slots__ = ("whose",)

    def __init__(self, run: type[Pattern], about: str, *, whose: str) -> None:
        super().__init__(run, about)
        self.whose = whose


ENGINES = {
    "javascript": RegexEngine(JavaScript, "patterns are read as JavaScript's", whose="JavaScript "),
    "javascript-2025": RegexEngine(
        Modern, "patterns are read as JavaScript's, with the modifiers of 2025, (?i:...)", whose="JavaScript "
    ),
    "rust": RegexEngine(Rust, "patterns are read as Rust's: without look-around, with flags anywhere", whose="Rust "),
}


def whose(engine: str) -> str:
    """Whose regular expressions they are, in a word with a blank; Python's need none."""
    return ENGINES[engine].whose if engine else ""


def to_python(pattern: str, engine: str) -> str:
    """The same pattern as Python writes it; Invalid where the engine refuses it, Beyond where Python has no word."""
    return ENGINES[engine].run(pattern).whole()
