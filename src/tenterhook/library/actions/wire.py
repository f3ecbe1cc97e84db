"""How an action's answer is written in each dialect: which JSON fields and which exit code say it.

Made from the dialects' own data into wire.json, which is read without importing a dialect; one of another package is
looked at when it is asked for.
"""

from __future__ import annotations

import json
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tenterhook.dialects.schema.dialect import Answer, Dialect, EventRule
    from tenterhook.library.actions.said import Said

REFUSED = 2
# Where an action tells the model what is wrong with what it did: a refusal that it does not hear is none.
HEARD = ("tool.after", "turn.stop", "agent.stop")
FILE = os.path.join(os.path.dirname(__file__), "wire.json")


def load_wire_dialects() -> dict[str, Any]:
    """Our own dialects, as scripts/schemas.py wrote them down."""
    with open(FILE, encoding="utf-8") as file:
        found: dict[str, Any] = json.load(file)
    return found


def of(name: str, made: dict[str, Any]) -> dict[str, Any]:
    """One dialect's part, from what is known or from the dialect itself."""
    if name in made:
        found: dict[str, Any] = made[name]
        return found
    from tenterhook import dialects

    return made_of(dialects.get(name))


# Writing an answer


def render_response(said: Said, dialect: dict[str, Any], name: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr for a caller of that dialect, at the event of that name."""
    event = dialect["events"][name]
    decision, fields = said.decision, event["fields"]
    if decision == "ask" and "ask" not in event:
        decision = "deny"  # nobody can be asked there
    answer: dict[str, Any] = {}
    if decision in event:
        path, word = event[decision]
        put(answer, path, word or said.reason)
        put(answer, fields.get("reason"), said.reason)
    put(answer, fields.get("message"), said.message)
    unheard = decision == "deny" and "deny" not in event and not event["refused"]
    context = "\n".join(filter(None, (said.reason, said.context))) if unheard else said.context
    put(answer, fields.get("context"), context)
    section, key = dialect["section"]
    if key and section in answer:
        answer[section] = {key: name, **answer[section]}
    text = json.dumps(answer) if answer else ""
    if decision == "deny" and event["refused"]:
        return event["refused"], text if event["read"] else "", said.reason
    if decision == "none" and event.get("silent"):  # there silence is a yes, and no action gives one
        return 1, "", f"{said.note}; no permission is granted"
    return 0, text, said.reason if unheard else said.note  # where nobody refuses anything, it is at least told


def put(answer: dict[str, Any], path: str | None, value: str) -> None:
    if not path or not value:
        return
    *parents, leaf = path.split(".")
    for parent in parents:
        answer = answer.setdefault(parent, {})
    answer[leaf] = value


# Making the table


def made_of(dialect: Dialect) -> dict[str, Any]:
    """A dialect's events by name, each with what an answer to it looks like, and how to know its caller."""
    return {
        "events": {rule.name: event(dialect, rule) for rule in dialect.events},
        "project": [name for name, word in dialect.payload.env.items() if word in ("project", "cwd")],
        "section": [dialect.reading.section.name, dialect.reading.section.event],
        "set_up": dialect.setup is not None,
        "usual": bool(dialect.setup and dialect.setup.usual_caller),
    }


def event(dialect: Dialect, rule: EventRule) -> dict[str, Any]:
    """Where an answer to one event stands; `read` is whether it is looked at beside the exit code of a refusal.

    `refused` is that code, which every agent understands, but not at each of its events. `silent` is there where the
    dialect takes it for a decision that nothing is said.
    """
    answers = [one for one in dialect.reading.answers if not one.events or rule.name in one.events]
    texts = {one.kind: one.path for one in answers if one.effect == "text"}
    fields = {
        "reason": ([one.path for one in answers if one.effect == "reason"] or [""])[-1],
        "message": texts.get("system"),
        "context": texts.get("context") or texts.get("feedback") or texts.get("result"),
    }
    row = {**dialect.reading.exits, **rule.overrides.exits}.get(REFUSED)
    made: dict[str, Any] = {
        "kind": rule.kind,
        "refused": REFUSED if row and row.decision == "deny" and not row.failed and by_code(dialect, rule) else 0,
        "fields": {what: path for what, path in fields.items() if path},
        "read": bool(row and (row.answer.read or dialect.reading.outranks_exit)) and not rule.text.ignored,
    }
    if rule.text.silence:
        made["silent"] = rule.text.silence
    for decision in ("deny", "ask") if rule.can.ask else ("deny",):
        if found := deciding(dialect, answers, decision):
            made[decision] = found
    if "deny" in made and not by_field(dialect, rule, made["deny"], fields["reason"]):
        del made["deny"]
    tasks = [one.path for one in answers if one.effect == "follow_up"]
    if tasks and "deny" not in made:
        made["deny"] = [tasks[-1], ""]  # what to do next is the reason itself
    return made


def by_code(dialect: Dialect, rule: EventRule) -> bool:
    return is_heard(dialect, rule, exit_code=REFUSED, stderr="why")


def by_field(dialect: Dialect, rule: EventRule, deny: list[str], reason: str | None) -> bool:
    answer: dict[str, Any] = {}
    put(answer, *deny)
    put(answer, reason, "why")
    if dialect.reading.section.name in answer:
        put(answer[dialect.reading.section.name], dialect.reading.section.event, rule.name)
    return is_heard(dialect, rule, stdout=json.dumps(answer))


def is_heard(dialect: Dialect, rule: EventRule, **did: Any) -> bool:
    """Whether a refusal is obeyed, or told the model where that is what it is for."""
    from tenterhook.engine.simulate import Did, simulate

    seen = simulate(dialect, rule.name, [Did(**did)])
    return seen.blocked or rule.kind not in HEARD or any(one.to == "model" for one in seen.messages)


def deciding(dialect: Dialect, answers: list[Answer], decision: str) -> list[str]:
    """Path and word of the field that decides: of several the one that is closest to the event, which comes last."""
    fitting = [one for one in answers if one.effect == "decision" and decision in one.words.values()]
    if not fitting:
        return []
    chosen = fitting[-1]
    spelled = [word for word, means in chosen.words.items() if means == decision]
    special = dialect.reading.section.name and chosen.path.startswith(f"{dialect.reading.section.name}.")
    return [chosen.path, decision if special and decision in spelled else spelled[0]]
