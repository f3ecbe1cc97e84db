"""Answers that hooks give, and how a dialect reads each; and which of them a script might print.

The answers are in answers.toml. Nothing is run: the dialect's own engine reads what a hook would have printed.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec
from msgspec import Struct

from tenterhook.author import callers, forms, hook
from tenterhook.author.event import Event
from tenterhook.config.entries import Problem
from tenterhook.dialects.schema.dialect import Dialect, EventRule
from tenterhook.engine.simulate import Did, simulate
from tenterhook.tools.check import HookInspection
from tenterhook.tools.check.scripts import COMMAND, COMMENT, text_run
from tenterhook.types import Hook, Outcome

FILE = os.path.join(os.path.dirname(__file__), "answers.toml")
TEXT = "a text of the hook"
# The kinds of events that answers are about.
DATA: dict[str, Any] = {
    "tool_name": "x",
    "tool_input": {"command": "a", "description": "b"},
    "tool_output": "c",
    "prompt": "d",
}
# What an answer does, by what its author intended.
DONE = {"deny": ("refused",), "ask": ("the user is asked", "refused"), "stop": ("the agent ends", "refused")}
# Our names for the fields that tell a hook at the end of a turn that a hook has kept the agent going: whether, and how
# often.
KEPT = ("stop_hook_active", "stop_count")
CHANGES = re.compile(r"\w+ becomes .*[}\"]")


class SampleAnswer(Struct, frozen=True, forbid_unknown_fields=True):
    """One answer from answers.toml."""

    name: str
    exit: int = 0
    stdout: str = ""
    stderr: str = ""
    error: str | None = None
    json: dict[str, Any] = {}
    kinds: tuple[str, ...] = ()
    means: str = ""
    hazard: int = 0
    like: str = ""
    has: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    # The rule of `tenter check` that a script breaks which prints it.
    rule: str = "refusal-form"

    def did(self, event: str) -> Did:
        """The attempt of a hook that was written for an event of this name."""
        written = msgspec.json.encode(self.json).decode().replace("{event}", event) if self.json else ""
        out = "\n".join(part for part in (self.stdout, written) if part)
        return Did(exit_code=self.exit, stdout=out, stderr=self.stderr, error=self.error)

    def is_printed_by(self, text: str) -> bool:
        """Whether a script looks as if it answered like this."""
        return bool(self.has) and all(re.search(one, text) for one in self.has) and not self.lacking(text)

    def line_in(self, text: str) -> int:
        """The line of a script's answer: the last of the patterns, which is the most specific."""
        found = re.search(self.has[-1], text) if self.has else None
        return text.count("\n", 0, found.start()) + 1 if found else 0

    def lacking(self, text: str) -> bool:
        return any(re.search(one, text) for one in self.lacks)

    def is_done(self, seen: str, before: str = "") -> bool:
        """Whether a reading is what the author intended; for a change, that it is the same change."""
        if self.means in DONE:
            return seen.startswith(DONE[self.means])
        changed = CHANGES.findall(seen)
        return bool(changed) and (not before or changed == CHANGES.findall(before))


@cache
def answers() -> tuple[SampleAnswer, ...]:
    with open(FILE, "rb") as file:
        return msgspec.convert(tomllib.load(file)["answer"], tuple[SampleAnswer, ...])


def fitting(kind: str) -> Iterator[SampleAnswer]:
    return (made for made in answers() if not made.kinds or kind in made.kinds)


def reading(dialect: Dialect, rule: EventRule, made: SampleAnswer, written_for: str, on_failure: dict[str, str]) -> str:
    """What the agent does if a hook written for an event of some name answers like this at this one."""
    return effect(simulate(dialect, rule.name, [made.did(written_for)], data=DATA, on_failure=on_failure), rule)


def effect(seen: Outcome, rule: EventRule, text: str = TEXT) -> str:
    """Describe an outcome: what happens, what is changed, who is told the text (an empty one: any text)."""
    parts = [fate(seen, rule)]
    parts += [f"{what} becomes {msgspec.json.encode(value).decode()}" for what, value in seen.changes.items()]
    for whom in ("model", "user"):
        if any(message.to == whom and text in message.text for message in seen.messages):
            parts.append(f"the {whom} is told")
    return ", ".join(parts)


def fate(seen: Outcome, rule: EventRule) -> str:
    if seen.halts:
        return "the agent ends"
    if seen.blocked:
        return "refused"
    if seen.decision == "ask" and rule.can.ask:
        return "the user is asked"
    if seen.stop:
        return "goes on, then the agent ends"
    return "goes on without a question" if seen.decision == "allow" and rule.can.grant else "goes on"


def misread(look: HookInspection) -> Iterator[Problem]:
    """A refusal, a question or a stop that the script seems to print in a form that this agent does not obey."""
    text = script_text(look)
    if not text or not look.rule.can.block:
        return
    for made in fitting(look.rule.kind):
        if made.means in DONE and made.is_printed_by(text):
            seen = reading(look.dialect, look.rule, made, look.rule.name, look.hook.on_failure)
            if not made.is_done(seen):
                what, _ = text_run(look)
                where = f":{made.line_in(text)}" if what != COMMAND else ""
                effect = f"in {look.dialect.title} {look.rule.name} then {seen}"
                advice = instead(look, made.means)
                text = f"{what}{where} seems to answer with {made.name}; {effect}; {advice}"
                yield look.warning(made.rule, "main", text)
                return


def instead(look: HookInspection, means: str) -> str:
    """The form that the agent obeys, as our own hooks write it."""
    event = Event(look.rule.kind, dict(DATA), raw={}, name=look.rule.name)
    wish = {"deny": hook.deny, "ask": hook.ask, "stop": hook.stop}[means]
    answer = forms.render_answer(wish("why"), event, callers.load(look.dialect.name))
    ends = f" and exit with {answer.code}" if answer.code else ""
    return f"print {answer.out}{ends}" if answer.out else f"write why to stderr{ends}"


def endless(look: HookInspection) -> Iterator[Problem]:
    """A hook that keeps the agent from ending every time, in an agent that never gives up."""
    text, rule = script_text(look), look.rule
    if (
        text
        and without_end(rule, look.hook)
        and not checks_continuation(rule, text)
        and keeps_going(look.dialect, rule, text)
    ):
        what, _ = text_run(look)
        why = f"{look.dialect.title} asks again and again without end"
        text = f"{what} keeps the agent going and never looks at {telling(rule)[0]}: {why}"
        yield look.warning("endless-turn", "main", text)


def without_end(rule: EventRule, hook: Hook) -> bool:
    """Whether there is no limit on how often it keeps the agent going: in its entry, else in the agent."""
    return hook.spec["stop_cap"] is None if "stop_cap" in hook.spec else rule.stop.cap == 0


def checks_continuation(rule: EventRule, text: str) -> bool:
    """Whether a script checks the field that says that a hook has kept the agent going."""
    return any(name in text for name in telling(rule))


def telling(rule: EventRule) -> tuple[str, ...]:
    """The agent's names for those fields; the usual one if its payload is not known to have any."""
    return tuple(field.name for field in (*rule.overrides.base, *rule.fields) if field.key in KEPT) or KEPT[:1]


def keeps_going(dialect: Dialect, rule: EventRule, text: str) -> bool:
    """Whether a script seems to keep the agent going: with its next prompt, if there is that; else by a refusal."""
    here = [one for one in dialect.reading.answers if rule.name in (one.events or (rule.name,))]
    prompts = [one.path.rpartition(".")[2] for one in here if one.effect == "follow_up"]
    return any(key in text for key in prompts) if prompts else refuses(text)


def refuses(text: str) -> bool:
    return bool(re.search(r"""["'](?:block|deny)["']|(?:\bexit|\bSystemExit)[ \t]*\(?[ \t]*2\b""", text))


def script_text(look: HookInspection) -> str:
    """The text of the hook's script or command; empty if our own library answers, which knows the forms."""
    text = COMMENT.sub("", text_run(look)[1])
    return "" if "tenterhook" in text or "tenter " in text else text
