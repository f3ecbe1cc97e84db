"""The hazards of a conversion: 23 rules, each with its number, a name, a condition and what to do.

Those about answers (`answer`) are found twice: in a hook's script, if it seems to print such an answer (answers.toml
says how that looks), and by letting both dialects read the answer, whatever the script prints.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from tenterhook.dialects.schema.dialect import Dialect
from tenterhook.tools.check import HookInspection, answers
from tenterhook.tools.check.commands import relative, script, words
from tenterhook.tools.convert.convert_hook import ConvertedHook
from tenterhook.tools.convert.losses import LOST, NOTE, Loss
from tenterhook.tools.convert.read_hooks import SourceHook

# A script that parses its input.
READS_STDIN = re.compile(r"json\.loads?\(|JSON\.parse|\bjq\b")


class ConversionCase(Struct, frozen=True):
    """One hook being converted: the result, and an inspection of the program that it runs."""

    placed: ConvertedHook
    look: HookInspection
    source: Dialect
    target: Dialect

    @property
    def taken(self) -> SourceHook:
        return self.placed.taken

    @property
    def text(self) -> str:
        return answers.script_text(self.look)


Found = Iterator[tuple[str, str]]


class ConversionRule(Struct, frozen=True):
    """One hazard. `find` yields a level and a text for each hook that it applies to."""

    number: int
    name: str
    advice: str
    find: Callable[[ConversionCase], Found]


def judge(case: ConversionCase) -> Iterator[Loss]:
    """Every hazard of one hook; losses of the conversion itself get the number of their rule."""
    numbered = {name: number for number, names in OWN.items() for name in names}
    for loss in case.placed.losses:
        number = numbered.get(loss.name, 0)
        advice = f"; {RULES[number].advice}" if number and loss.level == LOST else ""
        name = RULES[number].name if number else loss.name
        yield replace(loss, number=number, name=name, text=loss.text + advice)
    for rule in RULES.values():
        if not case.placed.written or (case.placed.carried and rule.number in THROUGH_GATE):
            continue
        for level, text in rule.find(case):
            yield case.taken.loss(rule.name, f"{text}; {rule.advice}", level=level, number=rule.number)


# The rule about failures.
FAILURES = 22
# The rules that do not apply to a hook behind the gate: it has its own agent's variables, and its answer is translated.
THROUGH_GATE = frozenset({2, 3, 4, 5, 6, 7, 8, 9, 14, 17, 18, 19, 21})
# Losses of the conversion itself, by the number of their rule.
OWN: dict[int, tuple[str, ...]] = {
    1: ("timeout",),
    11: ("type",),
    12: ("matcher broken",),
    13: ("matcher names", "matcher"),
    20: ("once", "condition"),
    FAILURES: ("on_failure",),
}


def nothing(case: ConversionCase) -> Found:
    """Reported by the conversion itself (OWN)."""
    return iter(())


def answer(number: int) -> Callable[[ConversionCase], Found]:
    """A hook that seems to give an answer of this rule, which both sides read differently."""

    def find(case: ConversionCase) -> Found:
        rule, text = case.taken.rule, case.text
        known = {made.name: made for made in answers.fitting(rule.kind)}
        for made in known.values():
            plainer = known.get(made.like)
            if (
                made.hazard == number
                and made.is_printed_by(text)
                and not (plainer and list(find_answer_change(case, plainer)))
            ):
                yield from find_answer_change(case, made)

    return find


def find_answer_change(case: ConversionCase, made: answers.SampleAnswer) -> Found:
    """If the answer does what was intended here, and not there."""
    rule = case.taken.rule
    before = answers.reading(case.source, rule, made, rule.name, case.taken.hook.on_failure)
    for to in {one.rule.name: one.rule for one in case.placed.written}.values():
        after = answers.reading(case.target, to, made, rule.name, {})
        if made.is_done(before) and not made.is_done(after, before):
            yield LOST, f"it seems to answer with {made.name}: {before} before, {after} there"


def bare_entry(case: ConversionCase) -> Found:
    """An entry that its own agent accepts although something is missing that the other one requires."""
    form, group = case.target.config.form, case.source.config.form.group
    bare = group not in case.taken.hook.source.path[-2:-1] or not case.taken.saying(case.source, ("type",))
    void = any("file" in (form.malformed, one.rule.overrides.malformed) for one in case.placed.written)
    if void and form.group == group and bare:
        yield NOTE, "the entry had no type or no list around it, for which the whole file would be void there"


def endless(case: ConversionCase) -> Found:
    if answers.without_end(case.taken.rule, case.taken.hook):
        return
    for rule in {one.rule.name: one.rule for one in case.placed.written if one.rule.stop.cap == 0}.values():
        if answers.keeps_going(case.target, rule, case.text) and not answers.checks_continuation(rule, case.text):
            field = answers.telling(rule)[0]
            yield LOST, f"it keeps the agent going and never looks at {field}, and no limit there ends that"


def caution_finder(word: str, text: str) -> Callable[[ConversionCase], Found]:
    """What must be known for the target and not for the source."""

    def find(case: ConversionCase) -> Found:
        caution = case.target.remarks.cautions.get(word)
        if caution and caution != case.source.remarks.cautions.get(word):
            yield NOTE, text.format(agent=case.target.title, caution=caution)

    return find


def elsewhere(case: ConversionCase) -> Found:
    """A path relative to a folder that may differ; a variable that the target does not provide."""
    for name in case.placed.unset:
        yield LOST, f"${name} is not given there"
    paths = [word for word in words(case.look)[:2] if "/" in word and not word.startswith(("/", "-", "~"))]
    loose = bool(list(relative(case.look))) or (script(case.look) is not None and bool(paths))
    if loose and case.look.form == "shell" and case.source.name != case.target.name:
        yield NOTE, "its path counts from the folder in which the agent runs hooks, which may be another one there"


def find_bom_hazard(case: ConversionCase) -> Found:
    where = case.target.remarks.cautions.get("byte order mark")
    new = where and where != case.source.remarks.cautions.get("byte order mark")
    if new and READS_STDIN.search(case.text) and "utf-8-sig" not in case.text:
        yield LOST, f"the event begins with a byte order mark there: {where}"


def open_guard(case: ConversionCase) -> Found:
    """A failure that blocks here and not there, without a key of the hook itself."""
    for made in answers.fitting(case.taken.rule.kind) if not case.taken.hook.on_failure else ():
        if made.hazard == FAILURES:
            yield from (
                (level, text.removeprefix("it seems to answer with ")) for level, text in find_answer_change(case, made)
            )


REVIEW = "{agent} runs it only when its user has approved {caution}"
KEYS = "{agent} gives its hooks keys of providers with the environment: {caution}"

TABLE = (
    ConversionRule(1, "units", "write the time-out in the unit that is counted in there", nothing),
    ConversionRule(2, "silent exit 2", "print the reason on stderr before exit 2", answer(2)),
    ConversionRule(3, "no reason", "give a reason with every refusal", answer(3)),
    ConversionRule(4, "extra keys", "print only the keys that the agent knows", answer(4)),
    ConversionRule(5, "suppressOutput", "leave suppressOutput out of a refusal", answer(5)),
    ConversionRule(6, "ask", "refuse where no user is asked, with the question as the reason", answer(6)),
    ConversionRule(7, "hookEventName", "name the event in hookSpecificOutput.hookEventName", answer(7)),
    ConversionRule(8, "decision deny", "write block at the top level, or exit with 2 and a text on stderr", answer(8)),
    ConversionRule(
        9, "answers of another shape", "exit with 2 and a text on stderr, or let `tenter run` answer", answer(9)
    ),
    ConversionRule(10, "bare entries", "it was written in full", bare_entry),
    ConversionRule(11, "types of hooks", "call it from a command, or leave it out there", nothing),
    ConversionRule(12, "broken matchers", "write a pattern that is one, or a list of names", nothing),
    ConversionRule(13, "names in matchers", "write the names that the tools have there", nothing),
    ConversionRule(
        14, "continue false", "refuse with exit 2 and a text on stderr; a request to stop is not a veto", answer(14)
    ),
    ConversionRule(
        15, "endless stops", "let the agent end where the event says that a hook has kept it going already", endless
    ),
    ConversionRule(
        16, "review", "approve the hooks there, and see to it in CI too", caution_finder("approval", REVIEW)
    ),
    ConversionRule(17, "folders", "write paths from the project's folder, by a variable or in full", elsewhere),
    ConversionRule(18, "other output", "print nothing on stdout but the answer", answer(18)),
    ConversionRule(19, "byte order mark", "read stdin as utf-8-sig", find_bom_hazard),
    ConversionRule(20, "once and if", "let the script remember, or look at the call itself", nothing),
    ConversionRule(21, "partial input", "print the whole input, with what stays", answer(21)),
    ConversionRule(
        22, "open guards", "say so where there is a key for it; let the script catch its own failures", open_guard
    ),
    ConversionRule(23, "secrets", "run it with an environment that holds none", caution_finder("keys", KEYS)),
)
RULES: dict[int, ConversionRule] = {rule.number: rule for rule in TABLE}
