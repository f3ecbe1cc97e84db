"""What the guard finds."""

from __future__ import annotations


class Finding:
    """One finding: its rule, its decision, its text."""

    __slots__ = ("decision", "rule", "text")

    def __init__(self, rule: str, decision: str, text: str) -> None:
        self.rule, self.decision, self.text = rule, decision, text
