"""How an agent reads what a hook gave back: its exit status, its text, the fields of its answer."""

from __future__ import annotations

from msgspec import Struct


class ExitText(Struct, frozen=True):
    """The text that counts at an exit status, and what it becomes."""

    # Where the text is looked for: stdout, stderr, stdout-or-stderr. Empty: no text counts.
    source: str = ""
    # What kind of message the text is; `plain` is what the event makes of plain text.
    becomes: str = ""
    # What the text is where it was not on the first stream of the source.
    else_becomes: str = ""
    # The text is a reason besides.
    also_reason: bool = False
    # What is written before the text.
    prefix: str = ""
    # What a text decides.
    decision: str = ""
    # Without a text the status decides nothing and counts as a failure.
    needed: bool = False


class ExitAnswer(Struct, frozen=True, kw_only=True):
    """What an answer counts for at an exit status."""

    # Whether an answer is read at all.
    read: bool = True
    # Where it is looked for, if not where the dialect says.
    source: str = ""
    # The answer takes the place of the exit status.
    yields: bool = False
    # The hook has failed although its answer takes the place of the status.
    unhealthy: bool = False
    # Text that begins with one of these characters and is not an answer is a failure.
    broken_fails: str = ""
    # That is so only where the text ends in a closing brace, too.
    broken_closed: bool = False
    # Of the answer only the reason of a refusal counts.
    blocking_reason: bool = False
    # The section of the answer decides nothing.
    flat: bool = False


class Exit(Struct, frozen=True, kw_only=True):
    """What one exit status means."""

    # The meaning, for people.
    means: str
    # What the status decides: allow, ask, deny; or nothing.
    decision: str = ""
    # The hook has failed.
    failed: bool = False
    text: ExitText = ExitText()
    answer: ExitAnswer = ExitAnswer(read=False)


class AnswerChecks(Struct, frozen=True, kw_only=True):
    """When a field of an answer is wrong, and what that costs."""

    # Values (`any`, `true`, a word) that the agent knows and refuses: the hook fails.
    unsupported: tuple[str, ...] = ()
    # The decision without which the field makes the hook fail.
    only_with: str = ""
    # A path into the value: where nothing is there, the value does not count.
    needs: str = ""
    # Fields that must stand beside a word of a decision, by that word; without them the hook fails.
    words_need: dict[str, str] = {}
    # A change of a wrong type is a refusal; a reason that is not a text ruins all answers.
    fatal: bool = False
    # What null is where a change would be `fatal`: another wrong type, or nothing (ignored).
    null: str = ""


class AnswerValue(Struct, frozen=True, kw_only=True):
    """How the value of a field is understood where it is not simply taken."""

    # How a value that is not a text becomes one: as JavaScript writes it (text), or as JSON (json).
    written: str = ""
    # What any value decides that is not one of the words, null too.
    otherwise: str = ""
    # The field beside it that says what kind of message the text is, and the kinds by that field's words.
    kind_from: str = ""
    kinds: dict[str, str] = {}


class Answer(Struct, frozen=True, kw_only=True):
    """One field that a hook may answer with."""

    # Where it stands in the answer: keys with dots between them.
    path: str
    # What the field does; `pipeline/answer_effects` has the effects.
    effect: str
    # The events on which it counts; empty: on all.
    events: tuple[str, ...] = ()
    # What each of its words decides.
    words: dict[str, str] = {}
    # What kind of message its text is.
    kind: str = ""
    # What the value must be, where the effect does not say that already.
    type: str = ""
    # What the effect `set` sets.
    change: str = ""
    checks: AnswerChecks = AnswerChecks()
    value: AnswerValue = AnswerValue()


class AnswerSection(Struct, frozen=True, kw_only=True):
    """The object in an answer that is for one event, such as `hookSpecificOutput`."""

    # The key that it stands under. Empty: answers have no such section.
    name: str = ""
    # The key in it that names the event.
    event: str = ""
    # What a section does that does not name the event: counts, void, void-missing.
    unnamed: str = "counts"
    # Its decision counts, whatever stands beside it.
    outranks: bool = False
    # Its reason counts, though its decision be the weaker one.
    reason_outranks: bool = False
    # Where it has one of these keys, what stands outside of it decides nothing.
    alone: tuple[str, ...] = ()
    # What it does where it is a text, a number or true: nothing (ignored), or it ruins what all hooks of the event
    # answered, always (ruins) or only beside another answer (ruins-several).
    broken: str = "ignored"


class ReadingRules(Struct, frozen=True, kw_only=True):
    """How exit statuses and answers are read."""

    # What each exit status means; rows for 0 and `other` are needed.
    exits: dict[int | str, Exit]
    # The fields that an answer may have.
    answers: tuple[Answer, ...]
    section: AnswerSection = AnswerSection()
    # Where an answer is looked for, and in which of its lines.
    source: str = "stdout"
    lines: str = "all"
    # What keys do that no field has: tolerated, void (the answer does not count).
    unknown_keys: str = "tolerated"
    # What values of a wrong type do: ignored, void, void-also-null.
    wrong_types: str = "ignored"
    # An answer that decides counts in place of the exit status.
    outranks_exit: bool = False
    # Stopping the agent outranks every decision.
    stop_outranks: bool = False
    # An answer that was encoded as JSON twice counts.
    twice_encoded: bool = False
    # How many levels the agent's own parser takes; 0: any number.
    deepest: int = 0
    # What an answer is that the agent cannot parse: a failure of the hook (fails), or text like any other, unless the
    # hook says what a failure means (text).
    broken: str = "fails"
    # What JSON is that is not an object: text, nothing.
    other_json: str = "text"
    # What an answer is behind a byte order mark: still an answer (skipped), or text like any other (text).
    byte_order_mark: str = "skipped"
    # Text that is not an answer is a failure, on every event.
    text_fails: bool = False
