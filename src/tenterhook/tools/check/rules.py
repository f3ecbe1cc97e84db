"""The rules of `tenter check`: each with its id, its name, why it is one, an example, and what to do. The table is
rules.toml, which the pages in docs/reference/rules/ are written from too.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Sequence
from functools import cache

import msgspec
from msgspec import Struct

from tenterhook.errors import UsageError, nearest

FILE = os.path.join(os.path.dirname(__file__), "rules.toml")


class Example(Struct, frozen=True, forbid_unknown_fields=True):
    """Files that break the rule, as one agent reads them; `right` are the same files without the mistake."""

    agent: str
    files: dict[str, str]
    right: dict[str, str] = {}


class Rule(Struct, frozen=True, forbid_unknown_fields=True):
    """One rule. `here`: it depends on this machine; `fixable`: --fix can mend it."""

    id: str
    name: str
    about: str
    why: str
    do: str
    example: Example | None = None
    here: bool = False
    fixable: bool = False

    @property
    def page(self) -> str:
        return f"docs/reference/rules/{self.id[:3]}/{self.id}.md"


@cache
def rules() -> dict[str, Rule]:
    """All rules, by name."""
    with open(FILE, "rb") as file:
        found = msgspec.convert(tomllib.load(file)["rule"], tuple[Rule, ...])
    return {rule.name: rule for rule in found}


def rule_of(name: str) -> Rule:
    return rules()[name]


def find_rules(words: Iterable[str], option: str) -> set[str]:
    """The names of the rules that words mean: a rule's id, the beginning of an id, or a name."""
    found = set()
    for word in words:
        meant = {rule.name for rule in rules().values() if word == rule.name or rule.id.startswith(word.upper())}
        if not word or not meant:
            known = [one for rule in rules().values() for one in (rule.id, rule.name)]
            raise UsageError(f"{option}: no rule {word!r}{nearest(word, known)}; see tenter check --rules")
        found |= meant
    return found


def all_rules() -> Sequence[Rule]:
    return sorted(rules().values(), key=lambda rule: rule.id)
