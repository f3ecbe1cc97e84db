"""The words that a dialect may use, each with its sentence: read from the tables of the modules that own them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from tenterhook import handlers
from tenterhook.config import entries, entry_keys, load, timeouts
from tenterhook.dialects.schema.kinds import KINDS
from tenterhook.pipeline import (
    answer,
    answer_effects,
    answer_validity,
    apply,
    failure_policy,
    judge,
    match,
    merge,
    payload_fields,
    plan,
    plan_joint,
    stop_rules,
)
from tenterhook.runtime.sandbox import abilities
from tenterhook.support.strategy import Strategy
from tenterhook.tools.describe.glossary import describe_matcher

__all__ = ["WORDS", "WordTable"]

Table = Mapping[str, "str | Strategy[Any]"]


class WordTable(Struct, frozen=True):
    """One table of words.

    `name` is what it is called in `dialects/schema/words.py`, empty where a dialect does not use its words.
    """

    name: str
    title: str
    # What the words say, and where they stand.
    says: str
    table: Table

    def names(self) -> set[str]:
        return set(self.table)

    def rows(self) -> list[tuple[str, str]]:
        return [(name, about(one)) for name, one in self.table.items()]


def about(word: str | Strategy[Any]) -> str:
    return word if isinstance(word, str) else word.about


def matcher_kinds() -> dict[str, str]:
    """The kinds of matchers, and each with the engines that dialects have for it."""
    kinds = [kind for name, one in match.MATCHERS.items() for kind in (name, *(f"{name}@{by}" for by in one.engines))]
    return {kind: describe_matcher(kind) for kind in kinds}


def handler_sentences() -> dict[str, str]:
    """The handlers, each with the sentence of its traits."""
    found = sorted(file[:-3] for file in os.listdir(os.path.dirname(handlers.__file__)) if file.endswith(".py"))
    return {name: handlers.traits(name).about for name in found if not name.startswith("_")}


WORDS = (
    WordTable("", "Kinds of events", "Our own names of what can happen in an agent: `EventRule.kind`.", KINDS),
    WordTable("", "Handlers", "What runs a hook: `Type.handler`.", handler_sentences()),
    WordTable("MATCHERS", "Matchers", "How a matcher is read: `planning.matcher`, `match_kind`.", matcher_kinds()),
    WordTable("ORDERS", "Order", "How the hooks of an event run: `planning.order`.", plan.ORDERS),
    WordTable("DEDUPES", "Duplicates", "By what hooks are the same one: `planning.dedupe`.", plan.DEDUPES),
    WordTable(
        "JOINTS",
        "Several events at once",
        "How hooks of events that are one moment run: `planning.joint`.",
        plan_joint.JOINTS,
    ),
    WordTable(
        "ENDS", "Ends of a chain", "What keeps the hooks after it from running: `planning.chain_ends`.", judge.ENDS
    ),
    WordTable(
        "BASE",
        "Values",
        "What payload fields and variables may hold: `Field.ours`, `payload.env`.",
        payload_fields.BASE,
    ),
    WordTable("FIELD_FORMS", "Forms of fields", "How a payload field is written: `Field.form`.", payload_fields.FORMS),
    WordTable(
        "SOURCES",
        "Streams",
        "Where text and answers are looked for: `ExitText.source`, `reading.source`.",
        answer.SOURCES,
    ),
    WordTable("LINES", "Lines", "Which lines of the output are the answer: `reading.lines`.", answer.LINES),
    WordTable("EFFECTS", "Effects", "What a field of an answer does: `Answer.effect`.", answer_effects.EFFECTS),
    WordTable("TYPES", "Types of values", "What a field's value must be: `Answer.type`.", answer_validity.TYPES),
    WordTable("WISHES", "What `set` sets", "What an answer asks the host for: `Answer.change`.", apply.WISHES),
    WordTable("STOPS", "Stops", "What a wish to stop does: `StopRules.does`.", stop_rules.STOPS),
    WordTable(
        "UNATTENDED",
        "Asks without a user",
        "What an ask does where no user can be asked: `Can.unattended`.",
        stop_rules.UNATTENDED,
    ),
    WordTable(
        "MERGES",
        "Changes of several hooks",
        "How several changes become one: `MergeRules.changes`, `seen`.",
        apply.MERGES,
    ),
    WordTable(
        "WEIGHED",
        "Decisions of several hooks",
        "Which of several decisions counts: `MergeRules.decisions`.",
        merge.WEIGHED,
    ),
    WordTable(
        "REASONS", "Reasons of several hooks", "Which of several reasons counts: `MergeRules.reasons`.", merge.REASONS
    ),
    WordTable(
        "STOP_REASONS",
        "Reasons to stop",
        "Which of several reasons to stop counts: `StopRules.reasons`.",
        merge.STOP_REASONS,
    ),
    WordTable(
        "CAUSES", "Causes of failure", "Why a hook failed: `failures.by_cause`, `on_failure`.", failure_policy.CAUSES
    ),
    WordTable("MODES", "Modes", "What an engine makes of failures: `failures.mode`.", failure_policy.MODES),
    WordTable(
        "KEYS",
        "Keys of an entry",
        "What a key in a config file sets: `Form.keys`, `Form.group_keys`.",
        entry_keys.SETTERS,
    ),
    WordTable("FORMS", "What runs", "How the main value of a type is understood: `Type.form`.", entries.FORMS),
    WordTable("UNITS", "Units", "What time-outs are counted in: `config.unit`, `Type.unit`.", timeouts.UNITS),
    WordTable("LAYERS", "Layers", "How hooks of several files come together: `config.layers`.", load.LAYERS),
    WordTable("NETWORKS", "Networks", "What a confined hook can reach: `sandbox.default`.", abilities.NETWORKS),
)
