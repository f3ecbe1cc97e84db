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

ENGINES: dict[str, type[Pattern]] = {"javascript": JavaScript, "javascript-2025": Modern, "rust": Rust}


def to_python(pattern: str, engine: str) -> str:
    """The same pattern as Python writes it; Invalid where the engine refuses it, Beyond where Python has no word."""
    return ENGINES[engine](pattern).whole()
