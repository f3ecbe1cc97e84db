"""RE2, where it is installed: the extra `re2`. It takes time in proportion to a text's length, whatever the pattern.

It is used for nothing but patterns that Python might take too long for, and only where both mean the same by them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

from tenterhook.pipeline.match import NOT_RUN

# What RE2 reads in its own way or Python alone knows: possessive repeats, atomic groups, a count without a beginning,
# and what Python itself finds doubtful in a set.
# The end of a text, which RE2 writes with a small letter.
END = re.compile(r"(?<!\\)((?:\\\\)*)\\Z")
OTHERWISE = re.compile(r"[*+?}]\+|\(\?>|\{,|\[\^?\[|--|&&|~~|\|\|")


@cache
def engine() -> Any:
    """The module of google-re2; None where there is none. Others of that name fall back on Python's own engine."""
    try:
        from tenterhook.support.project_imports import import_installed_module

        re2 = import_installed_module("re2")
    except ImportError:
        return None
    return re2 if hasattr(re2, "Options") else None


def linear(pattern: str, *, search: bool) -> Callable[[str], object] | None:
    """The test of a pattern; None where RE2 is not there or would not mean the same."""
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
