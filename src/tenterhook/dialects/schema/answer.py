"""How an agent reads a hook's result: its exit status, its text, the fields of its answer."""

from __future__ import annotations

from msgspec import Struct


class ExitText(Struct, frozen=True):
    """The text that counts at an exit status, and what it becomes."""

    # The stream with the text: stdout, stderr, stdout-or-stderr. Empty: no text counts.
    source: str = ""
    # The kind of message that the text becomes; `plain` is the event's own rule for plain text.
    becomes: str = ""
    # The kind of message if the text was not on the first stream of the source.
    else_becomes: str = ""
    # The text is also a reason.
    also_reason: bool = False
    # A prefix for the text.
    prefix: str = ""
    # The decision that a text makes.
    decision: str = ""
    # Without a text the status decides nothing and counts as a failure.
    needed: bool = False


class ExitAnswer(Struct, frozen=True, kw_only=True):
    """How an answer counts at an exit status."""

    # Whether an answer is read at all.
    read: bool = True
    # The stream with the answer, if it differs from the dialect's.
    source: str = ""
    # The answer replaces the exit status.
    yields: bool = False
    # The hook has failed although its answer replaces the status.
    unhealthy: bool = False
    # Text that begins with one of these characters and is not an answer is a failure.
    broken_fails: str = ""
    # That is so only if the text also ends in a closing brace.
    broken_closed: bool = False
    # Only the reason of a refusal counts, nothing else of the answer.
    blocking_reason: bool = False
    # The section of the answer decides nothing.
    flat: bool = False


class Exit(Struct, frozen=True, kw_only=True):
    """The meaning of one exit status."""

    # The meaning, for people.
    means: str
    # The decision of the status: allow, ask, deny; or nothing.
    decision: str = ""
    # The hook has failed.
    failed: bool = False
    text: ExitText = ExitText()
    answer: ExitAnswer = ExitAnswer(read=False)


class AnswerChecks(Struct, frozen=True, kw_only=True):
    """When a field of an answer is wrong, and what that costs."""

    # Values (`any`, `true`, a word) that the agent knows and refuses: the hook fails.
    unsupported: tuple[str, ...] = ()
    # The decision that the field needs; without it the hook fails.
    only_with: str = ""
    # A path into the value: if nothing is there, the value does not count.
    needs: str = ""
    # Fields that a word of a decision needs beside it, by that word; without them the hook fails.
    words_need: dict[str, str] = {}
    # A change of a wrong type is a refusal; a reason that is not text makes the agent lose all answers.
    fatal: bool = False
    # How null counts if a change is `fatal`: as another wrong type, or not at all (ignored).
    null: str = ""


class AnswerValue(Struct, frozen=True, kw_only=True):
    """How the value of a field is converted, if it is not simply taken."""

    # How a value that is not a text becomes one: as JavaScript writes it (text), or as JSON (json).
    written: str = ""
    # The decision of any value that is not one of the words, null included.
    otherwise: str = ""
    # The field beside it that names the kind of message, and the kinds by that field's words.
    kind_from: str = ""
    kinds: dict[str, str] = {}


class AnswerField(Struct, frozen=True, kw_only=True):
    """One field that a hook may answer with."""

    # Its place in the answer: keys with dots between them.
    path: str
    # The effect of the field; `pipeline/answer_effects` has the effects.
    effect: str
    # The events on which it counts; empty: on all.
    events: tuple[str, ...] = ()
    # The decision of each of its words.
    words: dict[str, str] = {}
    # The kind of message that its text becomes.
    kind: str = ""
    # The type of the value, if the effect does not define it.
    type: str = ""
    # What the effect `set` sets.
    change: str = ""
    checks: AnswerChecks = AnswerChecks()
    value: AnswerValue = AnswerValue()


class AnswerSection(Struct, frozen=True, kw_only=True):
    """The object in an answer that is for one event, such as `hookSpecificOutput`."""

    # The key of the section. Empty: answers have no such section.
    name: str = ""
    # The key in it that names the event.
    event: str = ""
    # How a section counts that does not name the event: counts, void, void-missing.
    unnamed: str = "counts"
    # Its decision counts, whatever other fields say.
    outranks: bool = False
    # Its reason counts, even if its decision is the weaker one.
    reason_outranks: bool = False
    # If it has one of these keys, fields outside of it decide nothing.
    alone: tuple[str, ...] = ()
    # What happens if it is a text, a number or true: nothing (ignored), or the agent loses the answers of all hooks of
    # the event, always (ruins) or only if there is another answer (ruins-several).
    broken: str = "ignored"


class ReadingRules(Struct, frozen=True, kw_only=True):
    """How exit statuses and answers are read."""

    # The meaning of each exit status; rows for 0 and `other` are required.
    exits: dict[int | str, Exit]
    # The fields that an answer may have.
    answers: tuple[AnswerField, ...]
    section: AnswerSection = AnswerSection()
    # The stream of an answer, and which of its lines.
    source: str = "stdout"
    lines: str = "all"
    # How unknown keys count: tolerated, void (the answer does not count).
    unknown_keys: str = "tolerated"
    # How values of a wrong type count: ignored, void, void-also-null.
    wrong_types: str = "ignored"
    # An answer that decides replaces the exit status.
    outranks_exit: bool = False
    # Stopping the agent outranks every decision.
    stop_outranks: bool = False
    # An answer that was encoded as JSON twice counts.
    twice_encoded: bool = False
    # How many levels the agent's own parser takes; 0: any number.
    deepest: int = 0
    # How an answer counts that the agent cannot parse: as a failure of the hook (fails), or as text like any other,
    # unless the hook's entry says what a failure means (text).
    broken: str = "fails"
    # How JSON counts that is not an object: text, nothing.
    other_json: str = "text"
    # How an answer after a byte order mark counts: as an answer (skipped), or as text like any other (text).
    byte_order_mark: str = "skipped"
    # Text that is not an answer is a failure, on every event.
    text_fails: bool = False
