"""Findings of the guard, and its rules."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from tenterhook.library.guard.paths import Place
    from tenterhook.support.shell.calls import Call


class Rule:
    """One rule about calls: its name, its decision, what is wrong and what to do instead."""

    __slots__ = ("decision", "name", "programs", "says", "test")

    def __init__(
        self, name: str, decision: str, says: str, test: Callable[[Call, Place], bool], programs: str = ""
    ) -> None:
        self.name, self.decision, self.says, self.test = name, decision, says, test
        # The programs that it is about; empty: all.
        self.programs = programs.split()


class Finding:
    """One finding: its rule, its decision, its text."""

    __slots__ = ("decision", "rule", "text")

    def __init__(self, rule: str, decision: str, text: str) -> None:
        self.rule, self.decision, self.text = rule, decision, text
