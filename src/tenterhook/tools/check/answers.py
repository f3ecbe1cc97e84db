"""Answers that hooks give, and what a dialect makes of each; and which of them a script might print.

The answers stand in answers.toml. Nothing is run: the dialect's own engine reads what a hook would have printed.
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
from tenterhook.tools.check import Look
from tenterhook.tools.check.commands import script
from tenterhook.tools.check.scripts import COMMENT, content, shorten_project_path
from tenterhook.types import Hook, Outcome

FILE = os.path.join(os.path.dirname(__file__), "answers.toml")
TEXT = "a text of the hook"
# What happens, as far as answers are about it.
DATA: dict[str, Any] = {
    "tool_name": "x",
    "tool_input": {"command": "a", "description": "b"},
    "tool_output": "c",
    "prompt": "d",
}
# What an answer does, by what its author meant with it.
DONE = {"deny": ("refused",), "ask": ("the user is asked", "refused"), "stop": ("the agent ends", "refused")}
# Our names for what tells a hook at the end of a turn that one has kept the agent going: whether, and how often.
KEPT = ("stop_hook_active", "stop_count")
COMMAND = "the command"
CHANGES = re.compile(r"\w+ becomes .*[}\"]")


class Made(Struct, frozen=True, forbid_unknown_fields=True):
    """One answer, as answers.toml has it."""

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

    def did(self, event: str) -> Did:
        """What a hook does that was written for an event of this name."""
        written = msgspec.json.encode(self.json).decode().replace("{event}", event) if self.json else ""
        out = "\n".join(part for part in (self.stdout, written) if part)
        return Did(exit_code=self.exit, stdout=out, stderr=self.stderr, error=self.error)

    def is_printed_by(self, text: str) -> bool:
        """Whether a script looks as if it answered so."""
        return bool(self.has) and all(re.search(one, text) for one in self.has) and not self.lacking(text)

    def line_in(self, text: str) -> int:
        """Where a script has what it answers with: the last of the patterns, which is the most particular."""
        found = re.search(self.has[-1], text) if self.has else None
        return text.count("\n", 0, found.start()) + 1 if found else 0

    def lacking(self, text: str) -> bool:
        return any(re.search(one, text) for one in self.lacks)

    def is_done(self, seen: str, before: str = "") -> bool:
        """Whether a reading is what the author meant; of a change, that it is the one that was made before."""
        if self.means in DONE:
            return seen.startswith(DONE[self.means])
        changed = CHANGES.findall(seen)
        return bool(changed) and (not before or changed == CHANGES.findall(before))


@cache
def answers() -> tuple[Made, ...]:
    with open(FILE, "rb") as file:
        return msgspec.convert(tomllib.load(file)["answer"], tuple[Made, ...])


def fitting(kind: str) -> Iterator[Made]:
    return (made for made in answers() if not made.kinds or kind in made.kinds)


def reading(dialect: Dialect, rule: EventRule, made: Made, written_for: str, on_failure: dict[str, str]) -> str:
    """What the agent does when a hook that was written for an event of some name answers so at this one."""
    return effect(simulate(dialect, rule.name, [made.did(written_for)], data=DATA, on_failure=on_failure), rule)


def effect(seen: Outcome, rule: EventRule, text: str = TEXT) -> str:
    """An outcome in words: what happens, what is changed, who is told the text (the empty one: anything)."""
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


def misread(look: Look) -> Iterator[Problem]:
    """A refusal, a question or a stop that the script seems to print in a form that this agent does not obey."""
    text = script_text(look)
    if not text or not look.rule.can.block:
        return
    for made in fitting(look.rule.kind):
        if made.means in DONE and made.is_printed_by(text):
            seen = reading(look.dialect, look.rule, made, look.rule.name, look.hook.on_failure)
            if not made.is_done(seen):
                who, event = look.dialect.title, look.rule.name
                where = f":{made.line_in(text)}" if script_label(look) != COMMAND else ""
                said = f"{script_label(look)}{where} seems to answer with {made.name}; in {who} {event} then {seen}"
                yield look.warning("main", f"{said}; {instead(look, made.means)}")
                return


def instead(look: Look, means: str) -> str:
    """The form that the agent obeys, as our own hooks write it."""
    event = Event(look.rule.kind, dict(DATA), raw={}, name=look.rule.name)
    wish = {"deny": hook.deny, "ask": hook.ask, "stop": hook.stop}[means]
    said = forms.render_answer(wish("why"), event, callers.load(look.dialect.name))
    ends = f" and exit with {said.code}" if said.code else ""
    return f"print {said.out}{ends}" if said.out else f"write why to stderr{ends}"


def endless(look: Look) -> Iterator[Problem]:
    """A hook that keeps the agent from ending, each time it wants to, in an agent that never gives up."""
    text, rule = script_text(look), look.rule
    if (
        text
        and without_end(rule, look.hook)
        and not checks_continuation(rule, text)
        and keeps_going(look.dialect, rule, text)
    ):
        why = f"{look.dialect.title} asks again for ever"
        yield look.warning(
            "main", f"{script_label(look)} keeps the agent going and never looks at {telling(rule)[0]}: {why}"
        )


def without_end(rule: EventRule, hook: Hook) -> bool:
    """Whether nobody counts how often it keeps the agent going: as its entry says, else as the agent does it."""
    return hook.spec["stop_cap"] is None if "stop_cap" in hook.spec else rule.stop.cap == 0


def checks_continuation(rule: EventRule, text: str) -> bool:
    """Whether a script looks at what tells it that the agent goes on because of a hook."""
    return any(name in text for name in telling(rule))


def telling(rule: EventRule) -> tuple[str, ...]:
    """The agent's names for that; the usual one where its payload is not known to have any."""
    return tuple(field.name for field in (*rule.overrides.base, *rule.fields) if field.key in KEPT) or KEPT[:1]


def keeps_going(dialect: Dialect, rule: EventRule, text: str) -> bool:
    """Whether a script seems to answer so: with the agent's next prompt, where there is that; else it refuses."""
    here = [one for one in dialect.reading.answers if rule.name in (one.events or (rule.name,))]
    prompts = [one.path.rpartition(".")[2] for one in here if one.effect == "follow_up"]
    return any(key in text for key in prompts) if prompts else refuses(text)


def refuses(text: str) -> bool:
    return bool(re.search(r"""["'](?:block|deny)["']|(?:\bexit|\bSystemExit)[ \t]*\(?[ \t]*2\b""", text))


def script_text(look: Look) -> str:
    """What the hook's script says, or its command; nothing where our own library answers, which knows the forms."""
    main = look.hook.spec.get("main")
    text = content(script(look)) or (main if isinstance(main, str) and look.hook.spec.get("form") == "shell" else "")
    text = COMMENT.sub("", text)
    return "" if "tenterhook" in text or "tenter " in text else text


def script_label(look: Look) -> str:
    found = script(look)
    return shorten_project_path(found.path, look) if found and content(found) else COMMAND
