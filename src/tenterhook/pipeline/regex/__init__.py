"""Translate the regular expressions of other languages to Python: each agent reads matchers with its own engine.

Only the spelling is translated; Python does the matching. A matcher does not use captured groups, so no group captures.
"""

from __future__ import annotations

from tenterhook.pipeline.regex.javascript import JavaScript, Modern
from tenterhook.pipeline.regex.pattern import Beyond as Beyond
from tenterhook.pipeline.regex.pattern import Invalid as Invalid
from tenterhook.pipeline.regex.pattern import Pattern
from tenterhook.pipeline.regex.rust import Rust
from tenterhook.support.strategy import Strategy


class RegexEngine(Strategy[type[Pattern]]):
    """A language of patterns and its reader. `whose` is for sentences and ends with a blank."""

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
    """The language of the patterns, as a word followed by a blank; empty for Python."""
    return ENGINES[engine].whose if engine else ""


def to_python(pattern: str, engine: str) -> str:
    """The same pattern in Python's spelling; Invalid if the engine refuses it, Beyond if Python cannot express it."""
    return ENGINES[engine].run(pattern).whole()
