"""Attempt -> Verdict: what one hook's exit and output mean in its dialect."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from tenterhook.dialects.schema.dialect import AnswerField, Exit
from tenterhook.pipeline.answer import KEPT, LINES, is_json, looks_like, read, said_on
from tenterhook.pipeline.answer_effects import EFFECTS
from tenterhook.pipeline.answer_intent import meant_by, says_no, what_is_wrong
from tenterhook.pipeline.answer_validity import effects_of, fault, keep_texts, kind_of, objection, without_rivals
from tenterhook.pipeline.apply import RESPONDS
from tenterhook.pipeline.event_reader import WEIGHTY, Rules, Table
from tenterhook.pipeline.failure_policy import closes, describe_attempt_failure, fail_closed, must_answer
from tenterhook.pipeline.stop_rules import STOPS, decide_unattended, ends_turn
from tenterhook.types import RANK, Attempt, Hook, Message, Parts, Verdict, stronger

NO_REASON = "Blocked by hook"
# The one exit code that means a refusal everywhere: a strict engine takes it for one, with or without text.
REFUSAL = 2
TOO_LATE = "which does not count in the background: the event has gone on"
# Bytes that one character takes at most.
WIDEST = 4
# How many characters make a token, about.
TOKEN = 4


def verdict(attempt: Attempt, hook: Hook, rules: Rules) -> Verdict:
    """The verdict of an attempt. Never raises, whatever the hook printed."""
    quiet = attempt.answer is None and not (attempt.stdout or attempt.error or attempt.exit_code or attempt.stderr)
    if quiet and not attempt.notes and not must_answer(hook, rules):
        silent = "" if hook.background else rules.rule.text.silence
        return Verdict(attempt.hook, silent or "none")  # the commonest end: a clean exit without output
    reader = Reader(attempt, hook, rules)
    outranks = rules.reading.outranks_exit
    killed = rules.exits.get("signal") if attempt.error == "signal" else None
    row = killed or rules.exits.get(attempt.exit_code or 0, rules.exits["other"])
    answered = False
    if attempt.error is None or (killed and killed.answer.read) or (attempt.error == "signal" and outranks):
        answered = reader.answer(row if attempt.error is None or killed else rules.exits["other"])
        if answered and reader.decided and outranks:
            return reader.settle()
    if attempt.error is None:
        reader.exit(row, answered)
    else:
        reader.failure(attempt.error, answered and row.answer.yields)
    return reader.settle()


class Reader:
    """Reads one attempt into one verdict."""

    def __init__(self, attempt: Attempt, hook: Hook, rules: Rules) -> None:
        self.attempt, self.hook, self.rules = attempt, hook, rules
        self.verdict = Verdict(attempt.hook)
        self.decided = self.garbled = self.cut = False
        self.cause = self.problem = ""
        self.spare = ""
        self.answered_on = ""
        self.second = False
        self.parts: Parts | None = None
        self.reason_is_text = False
        self.verdict.warnings += [f"{attempt.hook}: {note}" for note in attempt.notes]

    def answer(self, row: Exit) -> bool:
        """Read the hook's answer if this exit status allows one; return whether there was one."""
        attempt, rules = self.attempt, self.rules
        if rules.rule.text.ignored or not (row.answer.read or rules.reading.outranks_exit):
            if looks_like(attempt.stdout, rules.guarded):
                self.warn("printed a decision, but stdout is not read here, so it does not count")
            elif attempt.decision != "none" or any(key in rules.guarded for key in attempt.answer or ()):
                self.warn("decided, but answers are not read here, so it does not count")
            return False
        if attempt.answer is not None:
            self.verdict.decision, self.verdict.reason = attempt.decision, attempt.reason  # such as a model's decision
            self.verdict.stop = attempt.decision == "deny" and ends_turn(self.hook.spec)
            self.cut = attempt.truncated
            return self.accept(attempt.answer)
        stream, text = said_on(attempt, row.answer.source or rules.reading.source)
        text = LINES[rules.reading.lines].run(text)
        if text.startswith("\ufeff") and rules.reading.byte_order_mark == "text":
            if looks_like(text[:KEPT], rules.guarded, rules.known):
                self.lost(
                    "printed what looks like an answer behind a byte order mark, so the agent does not read it", stream
                )
            return False
        reading = read(text, twice=rules.reading.twice_encoded, guarded=rules.guarded, deepest=rules.reading.deepest)
        found = reading.found
        if found is not None and not (reading.twin and rules.strict):
            self.answered_on, self.cut = stream, reading.cut
            if reading.twin:
                self.warn(f"its key {reading.twin!r} occurs twice, with different values; the last one counts")
            if row.answer.flat and keep_texts(found, rules):
                self.warn(f"its {rules.section.name} decides nothing at exit code {attempt.exit_code}")
            return self.accept(found)
        cut = attempt.truncated and len(text) >= KEPT // WIDEST
        if problem := what_is_wrong(text, reading, rules, cut=cut):
            half = reading.begins and (cut or rules.reading.broken == "fails")
            self.lost(problem, stream, fails=half or reading.refused or bool(reading.twin))
        void = rules.reading.other_json == "nothing" and not reading.begins
        if void and is_json(text, twice=rules.reading.twice_encoded):
            self.warn("printed JSON that is not an object, which means nothing here")
            return True
        if text.startswith(tuple(row.answer.broken_fails)) and (text.endswith("}") or not row.answer.broken_closed):
            self.fail("output")
            self.tell("error", text[:KEPT])
            return True
        return False

    def lost(self, problem: str, stream: str, *, fails: bool = False) -> None:
        """Handle an answer that cannot be read: it is a failure, so that a hook that guards can refuse.

        If the agent takes half an answer for text, it is text, unless the hook or the mode says what a failure means.
        """
        fails = fails or closes(self.hook, "output", self.rules)
        self.unreadable(problem, fails=fails)
        if fails:
            self.answered_on = stream  # it is not a text for any reader

    def accept(self, found: dict[str, Any]) -> bool:
        """Take the answer, unless the dialect refuses it as a whole."""
        rule, rules = self.rules.rule, self.rules
        problem = fault(found, rules) if rules.refuses else ""
        if not problem and rules.section.alone:
            fields = without_rivals(found, rules)
            for key in found.keys() - fields.keys():
                self.warn(f"its {key} does not count beside what its {rules.section.name} says")
            found = fields
        if not problem:
            self.take(found, rules.table, "")
            problem = objection(found, rules) if rules.refuses else ""
            if rule.deny.unreasoned != "counts" and self.verdict.decision == "deny" and not self.has_reason():
                problem = problem or self.unreasoned()
        if problem:
            notices = [one for one in self.verdict.messages if one.kind == "system"]
            self.verdict = Verdict(self.attempt.hook, messages=notices, warnings=self.verdict.warnings)
            self.decided = False
            self.problem = problem
            self.warn(f"its answer does not count: {problem}")
            self.fail("output")
        return True

    def has_reason(self) -> bool:
        if self.rules.rule.deny.unreasoned == "ignored-unless-text":
            return self.reason_is_text
        stopping = self.verdict.stop and self.rules.rule.stop.does == "replaces-by-reason"  # a stop needs no reason
        return stopping or bool(self.verdict.reason.strip())

    def unreasoned(self) -> str:
        """Handle a refusal without a reason: an error, or it does not count; a strict engine does not ignore it."""
        name, ignored = self.rules.rule.name, self.rules.rule.deny.unreasoned != "fails"
        if ignored and not self.rules.strict:
            # If another hook's reason may serve for it, only the merge can tell whether it counts.
            self.verdict.decision = "deny" if self.rules.rule.merging.reasons == "last-any" else "none"
            self.warn(f"refuses without a reason, which does not count on {name}")
        return "" if ignored else f"a refusal on {name} needs a reason"

    def unreadable(self, problem: str, *, fails: bool = False) -> None:
        """Report something that was meant as an answer but is not valid; a failure if `fails` or in a strict engine."""
        self.warn(problem)
        self.garbled = True
        self.problem = self.problem or problem
        if fails or self.rules.strict:
            self.fail("output")

    def loses(self, problem: str, *, weighty: bool = True) -> None:
        """Report something that does not count. If it may be a refusal, a strict engine treats it as unreadable."""
        if weighty and self.rules.strict:
            self.unreadable(problem)
        else:
            self.warn(problem)

    def take(self, found: dict[str, Any], table: Table, path: str) -> None:
        """Apply every field of the answer, the event's own section last: it is closer to the event."""
        section = self.rules.section.name
        for key, value in found.items():
            place = f"{path}{key}"
            entry = table.get(key) if isinstance(key, str) else None
            if isinstance(entry, AnswerField):
                EFFECTS[entry.effect].run(self, value, entry, found)
            elif entry is None:
                self.unknown(place, value)
            elif place != section:
                self.inner(value, entry, place)
        if not path and section in found and isinstance(entry := table.get(section), dict):
            self.section(found[section], entry, section)

    def section(self, value: Any, table: Table, name: str) -> None:
        """Apply a section. Its reason outranks the general one, unless its decision is weaker and the dialect compares
        them.
        """
        general, reason = self.verdict.decision, self.verdict.reason
        self.verdict.decision, self.verdict.reason = "none", ""
        if self.fits(value, table):
            self.inner(value, table, name)
        mine = self.verdict.decision
        if self.rules.rule.merging.decisions == "section-last":
            keys = effects_of(value, table)
            decides, reasons = "decision" in keys, "reason" in keys
            self.parts = Parts(general, reason, mine if decides else None, self.verdict.reason if reasons else None)
        outranks = self.rules.section.outranks and mine != "none"
        weaker = mine != "none" and RANK[mine] < RANK[general] and not (outranks or self.rules.section.reason_outranks)
        if reason and (not self.verdict.reason or weaker):
            self.verdict.reason = reason
        self.verdict.decision = mine if outranks else stronger(general, mine)

    def fits(self, value: Any, table: Table) -> bool:
        section = self.rules.section
        named = value.get(section.event) if section.event and isinstance(value, dict) else None
        if named is None or named == self.rules.rule.name or section.unnamed == "void-missing":
            return True
        self.loses(
            f"its {section.name} names the event {named!r}, so that section does not count",
            weighty=not WEIGHTY.isdisjoint(effects_of(value, table)),
        )
        return False

    def inner(self, value: Any, table: Table, place: str) -> None:
        if isinstance(value, dict):
            self.take(value, table, f"{place}.")
        elif value is not None:
            self.loses(f"{place} must be an object, not {kind_of(value)}")
            if place == self.rules.section.name and value and not isinstance(value, list):
                self.verdict.ruins = f"its {place} is not an object"

    def unknown(self, place: str, value: Any) -> None:
        """Handle a key that has no effect. A strict engine refuses if it was probably meant to have one."""
        rule = self.rules.rule
        if place == self.rules.naming:
            return
        if any(place == path or path.startswith(f"{place}.") for path in self.rules.elsewhere):
            self.loses(f"{place} has no effect on {rule.name}", weighty=says_no(place, value))
        elif self.rules.strict and value is not None and (meant := meant_by(place, value, self.rules)):
            self.unreadable(meant)
        else:
            self.warn(f"{place} is not part of this dialect's answers")

    def wrong(self, place: str, value: Any, wanted: str) -> None:
        self.warn(f"{place} must be {wanted}, not {type(value).__name__}")

    def warn(self, text: str) -> None:
        self.verdict.warnings.append(f"{self.attempt.hook}: {text}")

    def exit(self, row: Exit, answered: bool) -> None:
        """Apply the exit status itself, and the text that goes with it."""
        verdict, attempt, rules = self.verdict, self.attempt, self.rules
        if answered and row.answer.yields:
            verdict.failed = verdict.failed or row.answer.unhealthy
            return
        text = self.text_of(row, answered)
        speechless = row.text.needed and not text and not (rules.strict and attempt.exit_code == REFUSAL)
        if speechless:
            self.warn(f"exits with {attempt.exit_code} without a message, so that does not count")
        if row.answer.blocking_reason and verdict.decision != "deny":
            verdict.reason = ""
        verdict.decision = stronger(verdict.decision, "none" if speechless else row.decision or "none")
        if row.failed or speechless:
            verdict.failed = True
            if not row.decision or speechless:
                self.fail("exit")
        silent = attempt.answer is None and not attempt.stdout.strip()
        if silent and not attempt.exit_code and must_answer(self.hook, rules):
            self.fail("silence")
        if rules.text_fails and row.answer.read and not answered and attempt.stdout.strip():
            self.warn("printed text that is not a JSON object")
            self.fail("output")
            self.tell("error", attempt.stdout.strip())
        self.text(row, text)

    def text_of(self, row: Exit, answered: bool) -> str:
        """The text that goes with an exit: not the answer itself, nor the output on an event that ignores it."""
        stream, text = said_on(self.attempt, row.text.source) if row.text.source else ("", "")
        unheard = stream == "stdout" and (answered or self.rules.rule.text.ignored)
        self.second = not row.text.source.startswith(stream)
        return "" if unheard or (stream and stream == self.answered_on) else text

    def text(self, row: Exit, text: str) -> None:
        rule = self.rules.rule
        becomes = row.text.else_becomes if self.second and row.text.else_becomes else row.text.becomes
        kind = rule.text.becomes if becomes == "plain" else becomes
        if text and becomes == "plain" and rule.text.sets:
            self.verdict.changes[rule.text.sets] = text.splitlines()[-1].strip()
        if not text or not kind:
            return
        if kind == "reason":
            self.verdict.reason = (self.verdict.reason or text) if row.answer.read else text
        else:
            self.tell(kind, f"{row.text.prefix}{text}")
            self.verdict.reason = self.verdict.reason or (text if row.text.also_reason else "")
            self.verdict.decision = stronger(self.verdict.decision, row.text.decision or "none")

    def failure(self, cause: str, answered: bool) -> None:
        """Handle a hook that did not exit by itself; it may have answered before."""
        self.fail(cause)
        if answered:
            return
        row = self.rules.exits.get(cause)
        answered_before = (
            said_on(self.attempt, row.text.source if row and row.text.source else "stderr")[1]
            if cause == "signal"
            else ""
        )
        if row is not None:
            self.text(row, answered_before)
        else:
            self.tell("error", answered_before or describe_attempt_failure(self.attempt))
        if looks_like(self.attempt.stdout, self.rules.guarded):
            self.warn("printed a decision before it failed, so it does not count")

    def fail(self, cause: str) -> None:
        self.verdict.failed = True
        self.cause = self.cause or cause

    def tell(self, kind: str, text: str) -> None:
        most = self.hook.spec.get("context_limit", 0) * TOKEN
        if kind == "context" and 0 < most < len(text):
            self.warn(f"gives more context than its entry allows: {len(text):,} characters were cut to {most:,}")
            text = text[:most]
        self.verdict.messages.append(Message(self.rules.audience[kind], kind, text, self.attempt.hook))

    def settle(self) -> Verdict:
        """Turn a failure into a decision if a setting says so, then route the reason to its reader."""
        verdict, rule = self.verdict, self.rules.rule
        if rule.merging.decisions == "section-last":
            parts = self.parts or Parts(verdict.decision, verdict.reason)
            said = self.answered_on or verdict.decision != "none"
            verdict.parts = replace(parts, stop_reason=verdict.stop_reason) if said else None
        if verdict.failed:
            self.warn(f"failed: {describe_attempt_failure(self.attempt)}")
        if self.hook.background:
            return self.too_late()
        if verdict.failed:
            fail_closed(self)
        if rule.text.silence and verdict.decision == "none" and not verdict.failed and not self.garbled:
            verdict.decision = rule.text.silence
        if verdict.decision in ("ask", "defer"):
            decide_unattended(self)
        if verdict.stop:
            at_once = verdict.decision == "defer" or (self.rules.strict and rule.stop.does == "after")
            STOPS["first" if at_once else rule.stop.does].run(self)
        else:
            verdict.stop_reason = ""
        if rule.text.muted:
            verdict.suppress = False
        verdict.seconds = self.attempt.seconds
        if "response" in verdict.changes and not RESPONDS[rule.merging.response_needs](
            verdict.decision == "deny", verdict.stop
        ):
            self.warn("gives a response, which counts only where the call is blocked")
        self.reasons()
        return verdict

    def too_late(self) -> Verdict:
        """A background hook answers after the event has gone on: its texts are delivered, it decides and changes
        nothing.

        If the agent tells its model what such hooks say, system messages go to both the user and the model.
        """
        verdict, attempt, for_model = self.verdict, self.attempt, self.rules.dialect.messages.late_to_model
        system = [one for one in verdict.messages if one.kind == "system" and one.to != "model"]
        verdict.messages += [Message("model", one.kind, one.text, one.hook) for one in system if for_model]
        if verdict.reason:
            wakes = verdict.decision == "deny" and (for_model or self.hook.spec.get("wakes"))
            self.tell("feedback" if wakes else "system", verdict.reason)
        elif for_model and attempt.exit_code == 2 and not attempt.error and attempt.stderr.strip():
            self.add("model", "feedback", attempt.stderr.strip())
        if verdict.stop or verdict.changes or (verdict.decision in ("deny", "ask") and not verdict.reason):
            self.warn(f"decides, stops or changes something, {TOO_LATE}")
        elif attempt.stdout.strip() and not (verdict.messages or verdict.failed or self.answered_on or self.garbled):
            self.warn("printed text in the background, which is dropped here: answer with a system message")
        return Verdict(verdict.hook, failed=verdict.failed, messages=verdict.messages, warnings=verdict.warnings)

    def reasons(self) -> None:
        verdict, rule = self.verdict, self.rules.rule
        if verdict.decision == "ask" and not rule.can.ask:
            self.warn(f"asks, but the user cannot be asked on {rule.name}")
            if self.rules.strict and rule.can.block:
                verdict.decision = "deny"
        if verdict.decision == "deny":
            if not verdict.reason and rule.deny.needs_reason:
                self.warn(f"a block on {rule.name} must give a reason")
            shared = rule.merging.reasons == "last-any" and rule.deny.unreasoned == "ignored" and not self.rules.strict
            if shared and not verdict.reason:
                return
            verdict.reason = verdict.reason or self.spare or NO_REASON
            to, kind = rule.deny.to, rule.deny.kind
            if not rule.can.block and kind == "reason":  # after a tool it is feedback, and not lost
                self.warn(f"refuses, which does not count on {rule.name}")
            self.add("log" if rule.text.muted else to, kind, verdict.reason)
        elif verdict.decision != "none" and verdict.reason:
            self.tell("reason", verdict.reason)
        if verdict.stop_reason:
            self.add("user", "reason", verdict.stop_reason)

    def add(self, to: str, kind: str, text: str) -> None:
        message = Message(to, kind, text, self.attempt.hook)
        if message not in self.verdict.messages:
            self.verdict.messages.append(message)
