"""Make the forms of one dialect: try candidates in the dialect's own engine, and keep the first that works.

A hook's process never loads this module: scripts/schemas.py writes its results into author/forms/. Only the forms of
another package's dialect are made on demand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any

from tenterhook import dialects
from tenterhook.author import answers, forms
from tenterhook.author.answers import Answer
from tenterhook.author.event import SUBJECTS, Event
from tenterhook.author.inputs import SAME, any_of
from tenterhook.dialects import recorded
from tenterhook.dialects.schema.dialect import Dialect, EventRule, Field
from tenterhook.dialects.schema.words import BASE
from tenterhook.engine.form_candidates import Candidates, Form
from tenterhook.engine.simulate import Did, simulate
from tenterhook.support import tool_names
from tenterhook.types import Outcome

Check = Callable[[Outcome, str], bool]


def response(text: str) -> dict[str, Any]:
    """A model's response in the stable form."""
    candidate = {"content": {"role": "model", "parts": [text]}, "finishReason": "STOP", "index": 0}
    return {"text": text, "candidates": [candidate]}


ONE, OTHER = "a text of the hook's", "another text of the hook's"
# The name of each subject of a change in answers and outcomes, with a value before and after.
CHANGES: dict[str, tuple[str, Any, Any]] = {
    "tool_input": ("input", {"command": "one", "stays": "as it is"}, {"command": "two", "stays": "as it is"}),
    "tool_output": ("output", "one", "two"),
    "prompt": ("prompt", "one", "two"),
    "transformed_prompt": ("prompt", "one", "two"),
    "prompt_response": ("output", "one", "two"),
    "llm_request": ("request", {"model": "one"}, {"model": "two"}),
    "llm_response": ("response", response("one"), response("two")),
    "tool_config": ("tool_config", {"mode": "AUTO"}, {"mode": "NONE", "allowedFunctionNames": []}),
}
# Kinds of tools that cannot be called without their subject: a command, a file, a text.
ABOUT_ONE = ("shell", "read", "write", "edit")
REWRITES = ("rewrite", "rewrite+allow", "rewrite+ask")
# What each effect is, in a reader's words.
EFFECTS = {
    "deny": "the operation does not happen; at the end of a turn the agent goes on",
    "ask": "the user is asked",
    "allow": "the user is not asked any more",
    "rewrite": "a tool's input or output, a prompt, a model's request or response is another one",
    "context": "the model is told something",
    "stop": "the agent ends",
    "notify": "the user is shown something",
}
STRONG, WEAK = ("deny", "ask", "allow", *REWRITES, "stop", "context"), ("stop", "context", "notify")
# The dialect's warning about a refusal that it hears but cannot carry out; after a tool that is expected.
EXPECTED = "refuses, which does not count"


def made_of(dialect: Dialect) -> dict[str, Any]:
    """Everything that a hook's process needs to know about a dialect."""
    made = signs_of(dialect)
    for rule in dialect.events:
        made["events"][rule.name] |= Trial(dialect, rule).rule()
    return {
        "title": dialect.title,
        "version": dialect.version,
        "version_in": dialect.payload.version_in,
        "quiet": quiet(dialect),
        "section": [dialect.reading.section.name, dialect.reading.section.event],
        "between": between(dialect.tools.mcp_tool),
        "fields": payload_key_map(dialect.payload.base),
        "takes": takes(dialect),
        "others": agents_that_may_call(dialect),
        "project": [name for name, word in dialect.payload.env.items() if word.rstrip("?") in ("project", "cwd")],
        **made,
    }


def between(pattern: str) -> str:
    """The separator of server and tool, if the names of such tools begin with the server's."""
    return pattern[len("{server}") : -len("{tool}")] if pattern.startswith("{server}") else ""


def payload_key_map(fields: Iterable[Field]) -> dict[str, str]:
    return {field.name: field.key for field in fields if not field.key.startswith("=")}


def agents_that_may_call(dialect: Dialect) -> dict[str, list[str]]:
    """Other agents that may call an entry written for this one, with the variables that identify them.

    An agent may read another's config file. Agents whose own hooks are installed in this one's file are left out: the
    user chose between them.
    """
    if dialect.install is None:
        return {}
    others = [
        one
        for one in map(dialects.get, dialects.names())
        if not one.install or one.install.project != dialect.install.project
    ]
    own = {one.name: [name for name in own_variables(one) if name not in dialect.payload.env] for one in others}
    return {name: variables for name, variables in own.items() if name not in (dialect.name, dialects.DEFAULT)}


def own_variables(dialect: Dialect) -> list[str]:
    plain = dialect.name.partition("@")[0]
    return [name for name in dialect.payload.env if plain in name.lower()]


def takes(dialect: Dialect) -> dict[str, list[str]]:
    """The fields of each tool, as the agent describes them to its model, if that was recorded.

    For other tools they are not known: take the fields of such tools in any agent, except the subject's, which the tool
    has only if a call has it.
    """
    found = fields_of(recorded.tools(dialect.name))
    if not found:
        for tool in dialect.tools.names.values():
            if (kind := tool_names.kind(tool.name)) in ABOUT_ONE:
                found[tool.name] = sorted({*usual()[kind], *tool.inputs.values()} - subjects())
    for own, called in ((own, called) for rule in dialect.events for own, called in rule.target.called.items()):
        if own in found:
            found[called] = sorted({*found.get(called, ()), *found[own]})
    return found | {any_of(kind): sorted(usual()[kind] - subjects()) for kind in ABOUT_ONE}


def subjects() -> set[str]:
    """The fields that hold a tool's subject."""
    return {name for group in SAME for name in group}


def fields_of(calls: list[dict[str, Any]]) -> dict[str, list[str]]:
    return {call["tool"]: call["fields"] for call in calls if "fields" in call}


@cache
def usual() -> dict[str, set[str]]:
    """The fields of tools of a kind in any agent."""
    found: dict[str, set[str]] = {kind: set() for kind in ABOUT_ONE}
    for agent in recorded.agents():
        for tool, fields in fields_of(recorded.tools(agent)).items():
            found.setdefault(tool_names.kind(tool), set()).update(fields)
    return found


def quiet(dialect: Dialect) -> str:
    """The output of an empty answer: an empty object if the agent would otherwise read stderr as an answer."""
    event = dialect.events[0].name
    loud = [simulate(dialect, event, [Did(stdout=out, stderr=ONE)]) for out in ("", "{}")]
    noticed = [seen.decision != "none" or bool(seen.messages) for seen in loud]
    return "{}" if noticed == [True, False] else ""


def caller_of(dialect: Dialect) -> dict[str, Any]:
    """The signs of a call by that agent: its payloads, its variables, its folder.

    `lends` are other agents' variables that it sets too. `usual`: our own command assumes this caller if in doubt.
    """
    plain, own = dialect.name.partition("@")[0], own_variables(dialect)
    return {
        **signs_of(dialect),
        "own": own,
        "lends": [name for name in dialect.payload.env if name not in own],
        "home": next((file.path.split("/")[1] for file in dialect.config.files if file.path.startswith("~/.")), plain),
        **({"usual": True} if dialect.setup and dialect.setup.usual_caller else {}),
    }


def signs_of(dialect: Dialect) -> dict[str, Any]:
    """The keys of its payloads."""
    bases = [dialect.payload.base, *(rule.overrides.base for rule in dialect.events)]
    return {
        "name": dialect.name,
        **always(dialect.payload.base),
        "named": list(dict.fromkeys(field.name for base in bases for field in base if field.key == "event")),
        "events": {rule.name: signs_at(rule) for rule in dialect.events},
    }


def signs_at(rule: EventRule) -> dict[str, Any]:
    found: dict[str, Any] = {"keys": [field.name for field in rule.fields]}
    return {**found, **always(rule.overrides.base)} if rule.overrides.base else found


def always(base: tuple[Field, ...]) -> dict[str, Any]:
    """Base fields: those that are always present, and those that may be."""
    there = [field.name for field in base if field.key in BASE or field.key.startswith("=")]
    return {"base": there, "maybe": [field.name for field in base if field.name not in there]}


class Trial:
    """Tries the candidates for one event of a dialect."""

    def __init__(self, dialect: Dialect, event: EventRule) -> None:
        self.dialect, self.event = dialect, event
        self.subject = SUBJECTS.get(event.kind, "")
        self.change, self.before, self.wanted = CHANGES.get(self.subject, ("", None, None))
        self.candidates = Candidates(dialect, event, self.change)
        self.checks: dict[str, Check] = {
            "deny": self.denied,
            "ask": lambda seen, text: seen.decision == "ask" and text in seen.reason,
            "allow": lambda seen, text: seen.decision == "allow",
            "stop": lambda seen, text: seen.stop and text in seen.stop_reason,
            "context": lambda seen, text: has_message_containing(seen, "model", text),
            "notify": lambda seen, text: has_message_containing(seen, "user", text),
            "none": lambda seen, text: seen.decision == "none" or self.harmless(seen),
            "rewrite": self.changed,
            "rewrite+allow": lambda seen, text: self.changed(seen, text) and seen.decision == "allow",
            "rewrite+ask": lambda seen, text: self.changed(seen, text) and seen.decision == "ask",
        }

    def rule(self) -> dict[str, Any]:
        """The data of the event: its fields, the effects that it has, and those that cannot be combined."""
        made: dict[str, Any] = {"kind": self.event.kind}
        if self.event.target.field:
            made["target"] = self.event.target.field
        own = (*self.event.overrides.base, *self.event.fields)
        if self.event.firing.tools and self.event.target.field != "tool_name":
            made["tool"] = self.dialect.tools.names[self.event.firing.tools[0]].name
        if self.event.firing.tools == (tool_names.MCP,):
            made["served"] = True
        if encoded := [field.name for field in own if field.form == "json"]:
            made["json"] = encoded
        if fields := {
            name: key for name, key in payload_key_map(own).items() if name != key or self.event.overrides.base
        }:
            made["fields"] = fields
        says = {effect: form for effect in self.effects() if (form := self.first(effect)) is not None}
        apart = {one: found for one in STRONG if one in says and (found := self.conflicts(one, says))}
        made |= {"says": says, **({"apart": apart} if apart else {})}
        refusal = self.refusal(says.get("deny"))
        return {**made, "refusal": refusal} if refusal else made

    def effects(self) -> Iterator[str]:
        """The effects that make sense there: a change if there is a subject, an allow if a deny would count."""
        for effect in self.checks:
            possible = {"allow": self.event.can.block or self.event.can.grant, "rewrite": bool(self.change)}
            if all(possible.get(part, True) for part in effect.split("+")):
                yield effect

    def first(self, effect: str) -> Form | None:
        """The first candidate that has its effect and no other."""
        if effect == "none" and self.checks["none"](self.outcome({}, Answer()), ""):
            return None  # no output means the same
        found = self.candidates.of(effect)
        return next((form for form in found if self.proven({effect: form}, effect)), None)

    def refusal(self, deny: Form | None) -> Form | None:
        """A refusal by exit code 2, if the agent neither counts it as a failure nor warns.

        The reason is on stderr; and also in a field, if the agent reads that beside the exit code.
        """
        plain = {"exit": forms.REFUSED, "text": "stderr"}
        both = {**(deny or {}), "exit": forms.REFUSED}
        if plain == deny or plain not in self.candidates.exits("deny"):
            return None
        if "text" in both and self.proven({"deny": both}, "deny", by_code=False):
            return {**both, "stderr": True}
        return plain if self.proven({"deny": plain}, "deny", by_code=False) else None

    def conflicts(self, strong: str, says: dict[str, Form]) -> list[str]:
        """The effects that cannot go into one answer with this one. Beforehand a stop goes only with a refusal."""
        refused = self.event.kind in forms.BEFORE and "deny" in says
        weaker = [one for one in WEAK if one in says and one != strong]
        if refused:
            weaker = [one for one in weaker if one != "stop" or strong == "deny"]
        return [one for one in weaker if not (refused and strong == "stop") and not self.proven(says, strong, one)]

    # ---- trials

    def proven(self, says: dict[str, Form], *effects: str, by_code: bool = True) -> bool:
        """Whether an answer with these effects, written in these forms, has them all and no other.

        `by_code`: an exit code may have its effect even if the dialect counts that as a failure.
        """
        texts = (ONE, OTHER)
        answer = Answer()
        for effect, text in zip(effects, texts, strict=False):
            answer &= self.wish(effect, text)
        seen = self.outcome(says, answer)
        expected = {"none", answer.decision}
        if answer.changes:
            expected |= {"allow"} if not self.event.deny.replaces else {"allow", "deny"}
        by_code = by_code and any("exit" in says[effect] for effect in effects)
        return (
            all(self.checks[effect](seen, text) for effect, text in zip(effects, texts, strict=False))
            and (seen.decision in expected or (effects == ("none",) and self.harmless(seen)))
            and seen.stop == ("stop" in effects)
            and (by_code or (seen.success and not [one for one in seen.warnings if EXPECTED not in one]))
        )

    def wish(self, effect: str, text: str) -> Answer:
        if effect.startswith("rewrite"):
            changed = answers.rewrite(self.wanted)
            decided = effect.partition("+")[2]
            return changed & WISHES[decided](text) if decided else changed
        return Answer() if effect == "none" else WISHES[effect](text)

    @property
    def data(self) -> dict[str, Any]:
        return {self.subject: self.before} if self.subject else {}

    def said(self, says: dict[str, Form], answer: Answer) -> forms.Said:
        """The answer, written in these forms."""
        section = [self.dialect.reading.section.name, self.dialect.reading.section.event]
        event = Event(self.event.kind, self.data, raw={}, name=self.event.name)
        return forms.render_answer(answer, event, {"section": section, "events": {event.name: {"says": says}}})

    def outcome(self, says: dict[str, Form], answer: Answer) -> Outcome:
        """The dialect's outcome for the answer, written in these forms."""
        out = self.said(says, answer)
        did = Did(exit_code=out.code, stdout=out.out, stderr=out.err)
        return simulate(self.dialect, self.event.name, [did], data=self.data)

    def harmless(self, seen: Outcome) -> bool:
        """Whether it is an allow that gives no permission."""
        return seen.decision == "allow" and not self.event.can.grant and self.event.kind != "permission.ask"

    def denied(self, seen: Outcome, text: str) -> bool:
        if self.event.can.block:
            outranked = self.dialect.reading.stop_outranks and seen.halts  # then the stop prevents it
            return (seen.blocked or outranked) and text in seen.reason
        replaced = self.event.deny.replaces and text in str(seen.changes.get("output"))
        return seen.decision == "deny" and (replaced or has_message_containing(seen, "model", text))

    def changed(self, seen: Outcome, text: str) -> bool:
        return bool(seen.changes.get(self.change) == self.wanted)


WISHES: dict[str, Callable[[str], Answer]] = {
    name: getattr(answers, name) for name in ("deny", "ask", "allow", "stop", "context", "notify")
}


def has_message_containing(seen: Outcome, whom: str, text: str) -> bool:
    return any(message.to == whom and text in message.text for message in seen.messages)
