"""All ways in which a dialect's data may let an effect be written, the likeliest first. None is proven here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tenterhook.dialects.schema.dialect import AnswerField, Dialect, EventRule

Form = dict[str, Any]

# The kinds of texts, those most likely for the model first.
TO_MODEL = ("context", "feedback", "result", "user_message", "reason", "system", "error")


class Candidates:
    """The forms that one event of a dialect may have."""

    def __init__(self, dialect: Dialect, event: EventRule, change: str) -> None:
        self.dialect, self.event, self.change = dialect, event, change
        self.answers = [one for one in dialect.reading.answers if not one.events or event.name in one.events]

    def of(self, effect: str) -> Iterator[Form]:
        if effect in ("deny", "ask", "allow"):
            yield from self.deciding(effect)
            if effect == "deny":
                yield from ({"text": one.path} for one in self.having("follow_up"))
                yield from self.stopping()  # in some agents this refuses one operation
            yield from self.exits(effect)
        elif effect in ("context", "notify"):
            yield from ({"text": one.path} for one in self.texts())
            if effect == "context":
                yield {"text": "stdout"}
            yield from ({"set": form["set"], "text": one.path} for one in self.texts() for form in self.assent())
        elif effect == "stop":
            yield from self.stopping()
        elif effect.startswith("rewrite"):
            yield from self.rewriting(effect.partition("+")[2])
        elif effect == "none":
            yield {"out": "{}"}
            yield from self.assent()
            yield {"exit": 1, "text": "stderr"}

    def having(self, *effects: str) -> list[AnswerField]:
        return [one for one in self.answers if one.effect in effects]

    def deciding(self, decision: str) -> Iterator[Form]:
        """Fields that decide. The last one in a dialect is closest to the event and the agent's newer way.

        It uses a decision's own name; for older fields the first word in the dialect is used.
        """
        for one in reversed(self.having("decision")):
            words = [word for word, means in one.words.items() if means == decision]
            special = parent(one.path) == self.dialect.reading.section.name != ""
            for word in sorted(words, key=lambda word: special and word != decision):
                for reason in [*self.reasons(one), ""]:
                    form: Form = {"set": {one.path: word}, **({"text": reason} if reason else {})}
                    if decision != "allow":  # some agents tell the user separately
                        yield from ({**form, "also": notice.path} for notice in self.having("notice"))
                    yield form

    def reasons(self, beside: AnswerField) -> list[str]:
        """The fields for a reason, those beside the decision first."""
        paths = [one.path for one in self.having("reason")]
        return sorted(paths, key=lambda path: parent(path) != parent(beside.path))

    def exits(self, decision: str) -> Iterator[Form]:
        for code, row in {**self.dialect.reading.exits, **self.event.overrides.exits}.items():
            if isinstance(code, int) and code and row.decision == decision:
                yield {"exit": code, "text": "stderr"}

    def texts(self) -> list[AnswerField]:
        """Texts for the model first; of two such fields the one that is closer to the event."""
        section = f"{self.dialect.reading.section.name}."
        found = self.having("text", "notice")
        return sorted(found, key=lambda one: (TO_MODEL.index(one.kind or "system"), not one.path.startswith(section)))

    def stopping(self) -> Iterator[Form]:
        reasons = [one.path for one in (*self.having("stop_reason"), *self.having("reason"))]
        for one in self.having("continue", "stop"):
            yield from ({"set": {one.path: one.effect == "stop"}, "text": reason} for reason in reasons)

    def assent(self) -> Iterator[Form]:
        """An allow, if it only means that this hook does not object."""
        if not self.event.can.grant and self.event.kind != "permission.ask":
            yield from self.deciding("allow")

    def rewriting(self, decision: str) -> Iterator[Form]:
        """Fields that change something, those beside the decision first; inside a decision they need one."""
        decided = list(self.deciding(decision)) if decision else [{}, *self.assent()]
        places = [parent(one.path) for one in self.having("decision")]
        fields = [one for one in self.answers if self.change in (one.effect, one.change)]
        for one in sorted(fields, key=lambda one: parent(one.path) not in places[-1:]):
            within = parent(one.path) in places and parent(one.path) not in ("", self.dialect.reading.section.name)
            value = {"value": one.path, **({"as": "text"} if one.type == "text" else {})}
            yield from ({**form, **value} for form in decided if form or not within)
        if self.event.deny.replaces and not decision:
            reasons = (form for form in self.deciding("deny") if "text" in form)
            yield from ({"set": form["set"], "value": form["text"], "as": "text"} for form in reasons)


def parent(path: str) -> str:
    return path.rpartition(".")[0]
