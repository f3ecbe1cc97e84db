"""What the guard found, and the rules that find it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from tenterhook.library.guard.paths import Place
    from tenterhook.support.shell.calls import Call


class Rule:
    """One rule about calls: what it is called, what it answers, what is wrong and what to do instead."""

    __slots__ = ("decision", "name", "programs", "says", "test")

    def __init__(
        self, name: str, decision: str, says: str, test: Callable[[Call, Place], bool], programs: str = ""
    ) -> None:
        self.name, self.decision, self.says, self.test = name, decision, says, test
        # The programs it is about; none where it is about all.
        self.programs = programs.split()


class Finding:
    """Something against it: by which rule, and in which words."""

    __slots__ = ("decision", "rule", "text")

    def __init__(self, rule: str, decision: str, text: str) -> None:
        self.rule, self.decision, self.text = rule, decision, text
