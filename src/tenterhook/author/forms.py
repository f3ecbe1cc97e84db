"""How an answer is written so that the calling agent obeys it: JSON fields, exit code, stdout and stderr.

The forms of each dialect are kept in forms/, one file each. engine/make_forms.py makes them from the dialect's own data
and proves them: the dialect's own engine read each one, and it had exactly its effect. If an agent cannot do something,
its file has no form for it; then the nearest safe thing is done and reported.
"""

from __future__ import annotations

import os

from tenterhook.author.answers import append_unique_line
from tenterhook.author.inputs import output_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tenterhook.author.answers import Answer
    from tenterhook.author.event import Event

    # One line about a hook that failed, and the exception.
    Failure = tuple[str, BaseException]

FOLDER = os.path.join(os.path.dirname(__file__), "forms")
# Kinds at which a refusal prevents something. A stop, or a change that cannot be made, becomes a refusal there.
BEFORE = ("tool.before", "permission.ask", "prompt.submit", "model.before")
REFUSED = 2  # every agent understands it
# For an agent that is not known.
UNKNOWN: dict[str, Any] = {"says": {"deny": {"exit": REFUSED, "text": "stderr"}}}
DENIED = "Refused by a hook"


class Said:
    """The reply to the agent; `refusal` is the reason if it refuses. `failures` is what went wrong in hooks."""

    __slots__ = ("code", "err", "failures", "out", "refusal")

    def __init__(self, code: int = 0, out: str = "", err: str = "", refusal: str = "") -> None:
        self.code, self.out, self.err, self.refusal = code, out, err, refusal
        self.failures: list[Failure] = []


def render_answer(answer: Answer, event: Event, dialect: dict[str, Any], *, by_exit: bool = False) -> Said:
    """An answer in the one form that the agent is known to obey at this event.

    `by_exit`: a refusal is exit code 2, with the reason on stderr, if the agent obeys that too.
    """
    rule = dialect.get("events", {}).get(event.name, UNKNOWN)
    if by_exit and "refusal" in rule:
        apart = {**rule.get("apart", {}), "deny": ["stop", "context", "notify"]}
        rule = {**rule, "says": {**rule["says"], "deny": rule["refusal"]}, "apart": apart}
    writer = Writer(rule, dialect.get("title", "this agent"), event)
    writer.all_of(answer)
    section, key = dialect.get("section", ("", ""))
    if key and section in writer.object:
        writer.object[section] = {key: event.name, **writer.object[section]}
    reply = writer.said()
    reply.out = reply.out or dialect.get("quiet", "")
    return reply


class Writer:
    """Builds one reply. The strongest effect comes first; effects that cannot be combined with it become text."""

    def __init__(self, rule: dict[str, Any], agent: str, event: Event) -> None:
        self.says: dict[str, dict[str, Any]] = rule["says"]
        self.apart: dict[str, list[str]] = rule.get("apart", {})
        self.agent, self.event = agent, event
        self.object: dict[str, Any] = {}
        self.texts: dict[str, str] = {}
        self.plain: list[str] = []
        self.errors: list[str] = []
        self.code = 0
        self.done: list[str] = []
        self.refusal = ""

    def all_of(self, answer: Answer) -> None:
        contexts = "\n\n".join(answer.contexts)
        reason = self.decide(answer, contexts)
        if contexts and not reason.endswith(contexts):
            self.tell("context", contexts, "the model cannot be told here")
        if answer.notices:
            self.tell("notify", "\n".join(answer.notices), "")
        if not self.done and "none" in self.says:
            self.say("none", "no permission is granted")

    def decide(self, answer: Answer, contexts: str) -> str:
        """Write decision, change and stop; return the reason."""
        decision, reason = self.closest_decision(answer)
        before = self.event.kind in BEFORE
        if answer.changes and decision != "deny" and not self.change(decision, answer, reason):
            if before:
                decision, reason = "deny", self.instead(answer, reason)
            else:
                self.errors.append(f"what {self.agent} has at {self.event.name} cannot be changed by a hook")
        if decision == "deny" and contexts and "context" in self.apart.get("deny", ()):
            reason = f"{reason}\n\n{contexts}".strip()
        if decision == "deny":
            self.tell("deny", reason or DENIED, f"{self.agent} lets no hook refuse {self.event.name}")
        elif decision != "none" and decision in self.says and decision not in self.done:
            self.say(decision, reason)
        if answer.stop is not None:
            self.stop(answer.stop)
        return reason

    def closest_decision(self, answer: Answer) -> tuple[str, str]:
        """The closest decision that the agent has, and its reason: a stop beforehand, or an ask without a user,
        refuses.
        """
        decision, reason = answer.decision, answer.reason
        if decision == "ask" and not self.asks:
            decision = "deny"
            reason = f"{reason or DENIED} (the user would have to allow this, and {self.agent} cannot ask here)"
        if answer.stop is not None and self.event.kind in BEFORE and decision != "deny":
            decision, reason = "deny", append_unique_line(reason, answer.stop)
        return decision, reason

    @property
    def asks(self) -> bool:
        return "ask" in self.says or "rewrite+ask" in self.says

    def change(self, decision: str, answer: Answer, reason: str) -> bool:
        """Write a change with the decision that it needs; false if the agent cannot do it that way."""
        effect = "rewrite" if decision == "none" else f"rewrite+{decision}"
        if effect not in self.says and decision == "allow":
            effect = "rewrite"
        if effect not in self.says or self.event.has_text_input:
            return False
        self.say(effect, reason, self.event.after(answer).subject)
        self.done.append(decision)
        return True

    def instead(self, answer: Answer, reason: str) -> str:
        """The text of a refusal that replaces a change; it tells the model what to do."""
        import json

        wanted = self.event.after(answer).subject
        shown = wanted if isinstance(wanted, str) else json.dumps(wanted, ensure_ascii=False)
        why = f"{reason}\n" if reason else ""
        return f"{why}{self.agent} lets no hook change this; do it again with: {shown}"

    def stop(self, reason: str) -> None:
        if "stop" in self.says and not self.conflicts("stop"):
            self.say("stop", reason or "Stopped by a hook")
        else:
            self.errors.append(f"{self.agent} cannot be stopped at {self.event.name}: {reason}")

    def tell(self, effect: str, text: str, problem: str) -> None:
        """Deliver a text the best way there is: as meant, else to the model, to the user, or on stderr."""
        for way in dict.fromkeys((effect, "context" if effect == "deny" else "notify", "notify")):
            if way in self.says and not self.conflicts(way):
                self.say(way, text)
                break
        else:
            self.errors.append(text)
            way = ""
        if problem and way != effect:
            self.errors.append(problem)

    def conflicts(self, effect: str) -> bool:
        return any(effect in self.apart.get(one, ()) for one in self.done)

    def say(self, effect: str, text: str, value: Any = None) -> None:
        form = self.says[effect]
        for path, constant in form.get("set", {}).items():
            put(self.object, path, constant)
        if "value" in form:
            put(self.object, form["value"], output_text(value) if "as" in form else value)
        if "out" in form:
            self.plain.append(form["out"])
        place = form.get("text", "")
        if place == "stderr" or "stderr" in form:
            self.errors.insert(0, text)
        if place == "stdout":
            self.plain.append(text)
        elif place != "stderr":
            self.write(place, text)
        self.write(form.get("also", ""), text)
        self.code = form.get("exit", 0) or self.code
        self.done.append(effect)
        if effect == "deny":
            self.refusal = text

    def write(self, place: str, text: str) -> None:
        """Put a text into its place, after any text that is already there."""
        if place and text:
            before = self.texts.get(place)
            self.texts[place] = f"{before}\n\n{text}" if before else text
            put(self.object, place, self.texts[place])

    def said(self) -> Said:
        from tenterhook.support import light_json as json

        out = json.dumps(self.object) if self.object else "\n\n".join(self.plain)
        return Said(self.code, out, "\n".join(self.errors), self.refusal)


def put(into: dict[str, Any], path: str, value: Any) -> None:
    *parents, leaf = path.split(".")
    for parent in parents:
        into = into.setdefault(parent, {})
        if not isinstance(into, dict):
            return  # its container is not an object
    into[leaf] = value
