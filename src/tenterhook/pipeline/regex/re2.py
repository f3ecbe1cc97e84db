"""RE2, if it is installed (the extra `re2`). Its time is proportional to a text's length, whatever the pattern.

It is used only for patterns that Python might take too long for, and only if both give them the same meaning.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

from tenterhook.pipeline.match import NOT_RUN

# Syntax that RE2 reads differently or only Python knows: possessive repeats, atomic groups, a count without a
# beginning, and sets that Python warns about.
# The end of a text, which RE2 writes with a small letter.
END = re.compile(r"(?<!\\)((?:\\\\)*)\\Z")
OTHERWISE = re.compile(r"[*+?}]\+|\(\?>|\{,|\[\^?\[|--|&&|~~|\|\|")


@cache
def engine() -> Any:
    """The module of google-re2; None if it is not installed. Other modules of that name use Python's own engine."""
    try:
        from tenterhook.support.project_imports import import_installed_module

        re2 = import_installed_module("re2")
    except ImportError:
        return None
    return re2 if hasattr(re2, "Options") else None


def linear(pattern: str, *, search: bool) -> Callable[[str], object] | None:
    """The test of a pattern; None if RE2 is not installed or would give it another meaning."""
    module = engine()
    if module is None or OTHERWISE.search(pattern):
        return None
    options = module.Options()
    options.log_errors = False
    try:
        compiled = module.compile(END.sub(r"\\1\\z", pattern), options)
    except module.error:
        return None
    run = compiled.search if search else compiled.fullmatch

    def test(target: str) -> object:
        # Beyond printable ASCII they differ about what is a letter, a blank, and the end of a line.
        return run(target) if target.isascii() and target.isprintable() else NOT_RUN

    return test
