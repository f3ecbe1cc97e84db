"""Attempt -> Verdict: what one hook's exit and output mean in its dialect."""

from __future__ import annotations

from typing import Any

from tenterhook.answer import LINES, Refused, is_json, looks_like, read, said_on
from tenterhook.apply import RESPONDS
from tenterhook.dialect import Answer, Exit
from tenterhook.effects import EFFECT, RANK, stronger
from tenterhook.policy import ended, explained, policy_for
from tenterhook.rules import Rules, Table
from tenterhook.stops import STOPS, nobody_decides
from tenterhook.types import Attempt, Hook, Message, Verdict
from tenterhook.validity import fault, objection

NO_REASON = "Blocked by hook"
# The one exit code that is meant as a refusal everywhere: a strict engine takes it for one, silent or not.
REFUSAL = 2
# How many characters make a token, about.
TOKEN = 4


def verdict(attempt: Attempt, hook: Hook, rules: Rules) -> Verdict:
    """What the attempt means. Never raises, whatever the hook printed."""
    quiet = attempt.answer is None and not (attempt.stdout or attempt.error or attempt.exit_code or attempt.stderr)
    if quiet and not attempt.notes and not must_answer(hook, rules):
        silent = "" if hook.background else rules.rule.silent
        return Verdict(attempt.hook, silent or "none")  # the commonest end of all: a clean exit, no word
    reader = Reader(attempt, hook, rules)
    outranks = rules.dialect.answer_outranks_exit
    killed = rules.exits.get("signal") if attempt.error == "signal" else None
    row = killed or rules.exits.get(attempt.exit_code or 0, rules.exits["other"])
    answered = False
    if attempt.error is None or (killed and killed.answer) or (attempt.error == "signal" and outranks):
        answered = reader.answer(row if attempt.error is None or killed else rules.exits["other"])
        if answered and reader.decided and outranks:
            return reader.settle()
    if attempt.error is None:
        reader.exit(row, answered)
    else:
        reader.failure(attempt.error, answered and row.yields)
    return reader.settle()


class Reader:
    """Reads one attempt into one verdict."""

    def __init__(self, attempt: Attempt, hook: Hook, rules: Rules) -> None:
        self.attempt, self.hook, self.rules = attempt, hook, rules
        self.verdict = Verdict(attempt.hook)
        self.decided = self.garbled = False
        self.cause = ""
        self.spare = ""
        self.answered_on = ""
        self.second = False
        for note in attempt.notes:
            self.warn(note)

    def answer(self, row: Exit) -> bool:
        """Read the hook's answer where this exit status allows one; whether there was one."""
        attempt, rules = self.attempt, self.rules
        if rules.rule.deaf or not (row.answer or rules.dialect.answer_outranks_exit):
            if looks_like(attempt.stdout, rules.guarded):
                self.warn("printed a decision, but stdout is not read here, so it does not count")
            elif attempt.decision != "none" or any(key in rules.guarded for key in attempt.answer or ()):
                self.warn("decided, but answers are not read here, so it does not count")
            return False
        if attempt.answer is not None:
            self.verdict.decision, self.verdict.reason = attempt.decision, attempt.reason  # what a model decided, say
            self.verdict.stop = attempt.decision == "deny" and ends_turn(self.hook.spec)
            return self.accept(attempt.answer)
        stream, text = said_on(attempt, row.answer_from or rules.dialect.answer_from)
        text = LINES[rules.dialect.answer_lines](text)
        found, problem = read(text, twice=rules.dialect.twice_encoded, guarded=rules.guarded)
        if found is not None:
            self.answered_on = stream
            if row.flat and found.pop(rules.dialect.section, None) is not None:
                self.warn(f"its {rules.dialect.section} does not count at exit code {attempt.exit_code}")
            return self.accept(found)
        refused = isinstance(problem, Refused)
        if rules.dialect.other_json == "nothing" and not refused and is_json(text, twice=rules.dialect.twice_encoded):
            self.warn("printed JSON that is no object, which says nothing here")
            return True
        if looks_like(text, rules.guarded, rules.known):
            cut = "more was printed than is read, and the rest was dropped" if attempt.truncated else ""
            why = cut or problem or "other text stands beside it"
            self.unreadable(f"printed what looks like an answer but is not one JSON object: {why}")
        elif refused:
            self.warn(f"printed an object that does not count: {problem}")
        if refused:
            self.answered_on = stream  # it is no text all the same
        if text.startswith(tuple(row.broken_fails)):
            self.fail("output")
            self.tell("error", text)
            return True
        return False

    def accept(self, found: dict[str, Any]) -> bool:
        """The answer, unless the dialect refuses it as a whole."""
        rule, rules = self.rules.rule, self.rules
        problem = fault(found, rules) if rules.refuses else ""
        if not problem:
            self.take(found, rules.table, "")
            problem = objection(found, rules) if rules.refuses else ""
            if rule.unreasoned != "counts" and self.verdict.decision == "deny" and not self.verdict.reason.strip():
                problem = problem or self.unreasoned()
        if problem:
            said = [one for one in self.verdict.messages if one.kind == "system"]
            self.verdict = Verdict(self.attempt.hook, messages=said, warnings=self.verdict.warnings)
            self.decided = False
            self.warn(f"its answer does not count: {problem}")
            self.fail("output")
        return True

    def unreasoned(self) -> str:
        """A refusal without a word: a fault, or one that does not count; a strict engine does not let it pass."""
        name, ignored = self.rules.rule.name, self.rules.rule.unreasoned == "ignored"
        if ignored and not self.rules.strict:
            self.verdict.decision = "none"
            self.warn(f"refuses without a reason, which does not count on {name}")
        return "" if ignored else f"a refusal on {name} needs a reason"

    def unreadable(self, problem: str) -> None:
        """What was meant as an answer and is none: said in every mode, a failure in a strict engine."""
        self.warn(problem)
        self.garbled = True
        if self.rules.strict:
            self.fail("output")

    def take(self, found: dict[str, Any], table: Table, path: str) -> None:
        """Every field of the answer, the event-specific section last: what it says is closer to the event."""
        section = self.rules.dialect.section
        for key, value in found.items():
            place = f"{path}{key}"
            entry = table.get(key) if isinstance(key, str) else None
            if isinstance(entry, Answer):
                EFFECT[entry.effect](self, value, entry, found)
            elif entry is None:
                self.unknown(place)
            elif place != section:
                self.inner(value, entry, place)
        if not path and section in found and isinstance(entry := table.get(section), dict):
            self.section(found[section], entry, section)

    def section(self, value: Any, table: Table, name: str) -> None:
        """Its reason outranks the general one, unless its decision is the weaker of the two and the dialect minds."""
        general, reason = self.verdict.decision, self.verdict.reason
        self.verdict.decision, self.verdict.reason = "none", ""
        if self.fits(value):
            self.inner(value, table, name)
        mine = self.verdict.decision
        outranks = self.rules.dialect.section_outranks and mine != "none"
        weaker = mine != "none" and RANK[mine] < RANK[general] and not (outranks or self.rules.dialect.section_reason)
        if reason and (not self.verdict.reason or weaker):
            self.verdict.reason = reason
        self.verdict.decision = mine if outranks else stronger(general, mine)

    def fits(self, value: Any) -> bool:
        dialect = self.rules.dialect
        named = value.get(dialect.section_event) if dialect.section_event and isinstance(value, dict) else None
        if named is None or named == self.rules.rule.name or dialect.unnamed_section == "void-missing":
            return True
        self.warn(f"its {dialect.section} names the event {named!r}, so that section does not count")
        return False

    def inner(self, value: Any, table: Table, place: str) -> None:
        if isinstance(value, dict):
            self.take(value, table, f"{place}.")
        elif value is not None:
            self.wrong(place, value, "an object")

    def unknown(self, place: str) -> None:
        dialect, rule = self.rules.dialect, self.rules.rule
        if place == f"{dialect.section}.{dialect.section_event}":
            return
        if any(place == path or path.startswith(f"{place}.") for path in self.rules.elsewhere):
            self.warn(f"{place} has no effect on {rule.name}")
        else:
            self.warn(f"{place} is not part of this dialect's answers")

    def wrong(self, place: str, value: Any, wanted: str) -> None:
        self.warn(f"{place} must be {wanted}, not {type(value).__name__}")

    def warn(self, text: str) -> None:
        self.verdict.warnings.append(f"{self.attempt.hook}: {text}")

    def exit(self, row: Exit, answered: bool) -> None:
        """What the exit status itself says, and the text that goes with it."""
        verdict, attempt, rules = self.verdict, self.attempt, self.rules
        if answered and row.yields:
            verdict.failed = verdict.failed or row.unhealthy
            return
        text = self.text_of(row, answered)
        speechless = row.needs_text and not text and not (rules.strict and attempt.exit_code == REFUSAL)
        if speechless:
            self.warn(f"exits with {attempt.exit_code} and says nothing, so that does not count")
        if row.blocking_reason and verdict.decision != "deny":
            verdict.reason = ""
        verdict.decision = stronger(verdict.decision, "none" if speechless else row.decision or "none")
        if row.failed or speechless:
            verdict.failed = True
            if not row.decision or speechless:
                self.fail("exit")
        if not attempt.stdout.strip() and not attempt.exit_code and must_answer(self.hook, rules):
            self.fail("silence")
        if rules.text_fails and row.answer and not answered and attempt.stdout.strip():
            self.warn("printed text that is no JSON object")
            self.fail("output")
            self.tell("error", attempt.stdout.strip())
        self.text(row, text)

    def text_of(self, row: Exit, answered: bool) -> str:
        """The text that goes with an exit; the answer itself is none, nor is what a deaf event's hook prints."""
        stream, text = said_on(self.attempt, row.text) if row.text else ("", "")
        unheard = stream == "stdout" and (answered or self.rules.rule.deaf)
        self.second = not row.text.startswith(stream)
        return "" if unheard or (stream and stream == self.answered_on) else text

    def text(self, row: Exit, text: str) -> None:
        rule = self.rules.rule
        becomes = row.else_becomes if self.second and row.else_becomes else row.becomes
        kind = rule.plain if becomes == "plain" else becomes
        if text and becomes == "plain" and rule.plain_sets:
            self.verdict.changes[rule.plain_sets] = text.splitlines()[-1].strip()
        if not text or not kind:
            return
        if kind == "reason":
            self.verdict.reason = (self.verdict.reason or text) if row.answer else text
        else:
            self.tell(kind, f"{row.prefix}{text}")
            self.verdict.decision = stronger(self.verdict.decision, row.text_decision or "none")

    def failure(self, cause: str, answered: bool) -> None:
        """A hook that did not come to an exit of its own; it may have answered before."""
        self.fail(cause)
        if answered:
            return
        row = self.rules.exits.get(cause)
        said = said_on(self.attempt, row.text if row and row.text else "stderr")[1] if cause == "signal" else ""
        if row is not None:
            self.text(row, said)
        else:
            self.tell("error", said or explained(self.attempt))
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
        """Health becomes policy where somebody asked for that; then say who is told the reason."""
        verdict, rule = self.verdict, self.rules.rule
        if verdict.failed:
            self.warn(f"failed: {explained(self.attempt)}")
        if self.hook.background:
            return self.too_late()
        if verdict.failed:
            self.fail_closed()
        if rule.silent and verdict.decision == "none" and not verdict.failed and not self.garbled:
            verdict.decision = rule.silent
        if verdict.decision in ("ask", "defer"):
            nobody_decides(self)
        if verdict.stop:
            at_once = verdict.decision == "defer" or (self.rules.strict and rule.stops == "after")
            STOPS["first" if at_once else rule.stops](self)
        else:
            verdict.stop_reason = ""
        if rule.muted:
            verdict.suppress = False
        verdict.seconds = self.attempt.seconds
        if "response" in verdict.changes and not RESPONDS[rule.response_needs](
            verdict.decision == "deny", verdict.stop
        ):
            self.warn("gives a response, which counts only where the call is blocked")
        self.reasons()
        return verdict

    def too_late(self) -> Verdict:
        """A background hook answers when the event has gone on: its texts are told, it decides and changes nothing."""
        verdict = self.verdict
        if verdict.reason:
            wakes = verdict.decision == "deny" and self.hook.spec.get("wakes")
            self.tell("feedback" if wakes else "system", verdict.reason)
        return Verdict(verdict.hook, failed=verdict.failed, messages=verdict.messages, warnings=verdict.warnings)

    def fail_closed(self) -> None:
        policy = policy_for(self.cause, self.hook, self.rules) if self.cause else "allow"
        if policy == "ask" and not self.rules.rule.asks:
            policy = "deny" if self.rules.rule.blocks else "allow"
        if policy != "allow":
            self.verdict.decision = stronger(self.verdict.decision, policy)
            # An agent that itself refuses where a hook fails keeps the hook's stderr to its log.
            say = ended if self.cause in self.rules.rule.failure else explained
            self.verdict.reason = self.verdict.reason or f"Hook failed: {say(self.attempt)}"

    def reasons(self) -> None:
        verdict, rule = self.verdict, self.rules.rule
        if verdict.decision == "ask" and not rule.asks:
            self.warn(f"asks, but nobody can be asked on {rule.name}")
            if self.rules.strict and rule.blocks:
                verdict.decision = "deny"
        if verdict.decision == "deny":
            if not verdict.reason and rule.needs_reason:
                self.warn(f"a block on {rule.name} must give a reason")
            verdict.reason = verdict.reason or self.spare or NO_REASON
            to, kind = rule.deny
            if not rule.blocks and kind == "reason":  # after a tool it is feedback, and not lost
                self.warn(f"refuses, which does not count on {rule.name}")
            self.add("log" if rule.muted else to, kind, verdict.reason)
        elif verdict.decision != "none" and verdict.reason:
            self.tell("reason", verdict.reason)
        if verdict.stop_reason:
            self.add("user", "reason", verdict.stop_reason)

    def add(self, to: str, kind: str, text: str) -> None:
        message = Message(to, kind, text, self.attempt.hook)
        if message not in self.verdict.messages:
            self.verdict.messages.append(message)


def must_answer(hook: Hook, rules: Rules) -> bool:
    """Whether silence is a failure of this hook: where an agent wants an answer, of hooks that fail closed."""
    return rules.rule.needs_answer and policy_for("silence", hook, rules) != "allow"


def ends_turn(spec: dict[str, Any]) -> bool:
    """Whether a model's refusal ends the turn as well, as some agents have it unless the entry says otherwise."""
    return bool(spec.get("ends_turn")) and not spec.get("continueOnBlock")
