"""One event of one dialect, compiled for reading answers: everything that is known before a hook answers."""

from __future__ import annotations

from msgspec import Struct

from tenterhook.dialects.schema.dialect import AnswerField, AnswerSection, Dialect, EventRule, Exit, ReadingRules

AUDIENCE = {
    "context": "model",
    "system": "user",
    "feedback": "model",
    "error": "log",
    "reason": "user",
    "result": "model",
    "user_message": "model",
}

# Effects other than a decision's word that decide something, so that a reason can belong to them.
DECIDES = {"continue": {"false": "stop"}, "stop": {"true": "stop"}}

# Effects that must not be lost: without them an operation goes on as if the hook had not answered.
WEIGHTY = frozenset(("decision", *DECIDES, "hold", "input", "output", "request", "response", "tool_config"))

Table = dict[str, "AnswerField | Table"]


class Rules(Struct, frozen=True):
    """One event of one dialect, compiled for reading answers."""

    dialect: Dialect
    rule: EventRule
    # The parts of the dialect that are used most.
    reading: ReadingRules
    section: AnswerSection
    strict: bool
    table: Table
    elsewhere: frozenset[str]
    guarded: tuple[str, ...]
    known: tuple[str, ...]
    # The paths that decide or change something here.
    weighty: tuple[str, ...]
    audience: dict[str, str]
    exits: dict[int | str, Exit]
    failure: dict[str, str]
    text_fails: bool
    # Whether an answer can be refused as a whole; the key with the event's name; what decides, what needs a decision.
    refuses: bool
    naming: str
    deciding: tuple[tuple[str, dict[str, str]], ...]
    companions: tuple[tuple[str, str], ...]
    # Words of decisions that need a field beside them.
    wordy: tuple[tuple[str, dict[str, str]], ...]
    # Whether a user can be asked; None if the host did not say.
    attended: bool | None


def compile_rules(dialect: Dialect, rule: EventRule, *, strict: bool, attended: bool | None = None) -> Rules:
    reading, section = dialect.reading, dialect.reading.section
    table: Table = {}
    elsewhere = set()
    here: list[AnswerField] = []
    for answer in reading.answers:
        if answer.events and rule.name not in answer.events:
            elsewhere.add(answer.path)
        else:
            here.append(answer)
            *parents, leaf = answer.path.split(".")
            level = table
            for parent in parents:
                level = level.setdefault(parent, {})  # type: ignore[assignment]
            level[leaf] = answer
    leaves = [(answer.effect, answer.path.rpartition(".")[2]) for answer in reading.answers]
    guarded = tuple(dict.fromkeys(leaf for effect, leaf in leaves if effect in ("decision", "continue", "stop")))
    audience = {**AUDIENCE, **dialect.messages.audience, **rule.text.audience}
    if rule.text.muted:
        audience = dict.fromkeys(audience, "log")
    known = tuple(dict.fromkeys(leaf for _, leaf in leaves))
    odd = any(answer.checks.unsupported or answer.checks.only_with for answer in here)
    lenient = (reading.unknown_keys, reading.wrong_types, section.unnamed) == (
        "tolerated",
        "ignored",
        "counts",
    )
    return Rules(
        dialect,
        rule,
        reading,
        section,
        strict,
        table,
        frozenset(elsewhere),
        guarded,
        known,
        tuple(one.path for one in here if one.effect in WEIGHTY),
        audience,
        {**reading.exits, **rule.overrides.exits},
        {**dialect.failures.by_cause, **rule.overrides.failure},
        reading.text_fails or rule.text.fails,
        odd or not lenient,
        f"{section.name}.{section.event}",
        tuple((one.path, DECIDES.get(one.effect, one.words)) for one in here if one.effect in ("decision", *DECIDES)),
        tuple((answer.path, answer.checks.only_with) for answer in here if answer.checks.only_with),
        tuple((answer.path, answer.checks.words_need) for answer in here if answer.checks.words_need),
        attended,
    )
