"""The report at the end: what changed, what was tested, what is red. Red checks run once more, so it is not stale."""

from __future__ import annotations

import os

from tenterhook.library.actions.answers import ActionAnswer, deny, fine
from tenterhook.library.project.ledger import CHANGED, Ledger
from tenterhook.library.project.wording import count_with_noun, format_name_list, plain, truncate_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.library.actions.settings import ActionSettings
    from tenterhook.library.parts.timed import TimedEvent
    from tenterhook.library.project.checks import Check
    from tenterhook.library.project.ledger import Entry
    from tenterhook.library.project.run import Result
    from tenterhook.library.project.subject import Subject

NOUNS = {"test": "tests", "lint": "lint", "types": "types", "build": "build"}
STALE = "stale"
MOST_PARSED = 200


class Standing:
    """The current state: changed files, and the last state of each check by kind and file."""

    def __init__(self, event: TimedEvent) -> None:
        from tenterhook.library.project.changed import changes

        self.project = os.path.realpath(event.project)
        found = changes(event)
        entries = Ledger(event).entries()
        written = [one.of for one in entries if one.kind == CHANGED]
        self.changed = list(dict.fromkeys([*written, *sorted(found.files)]))
        checked = [one for one in entries if one.kind != CHANGED and self.has(one.of)]
        self.states = {(one.kind, one.of): STALE if self.is_stale(one) else one.state for one in checked}
        self.results: list[Result] = []

    def has(self, name: str) -> bool:
        return os.path.isfile(os.path.join(self.project, name))

    def is_stale(self, entry: Entry) -> bool:
        """Whether the file changed after its check passed, without an action seeing it."""
        return entry.state != "fail" and os.path.getmtime(os.path.join(self.project, entry.of)) > entry.at

    def names(self, kind: str, *states: str) -> list[str]:
        return [of for (one, of), state in self.states.items() if one == kind and state in states]

    def of(self, state: str) -> list[str]:
        """`tests of src/app.py`, for checks in that state."""
        found = {noun: self.names(kind, state) for kind, noun in NOUNS.items()}
        return [f"{noun} of {format_name_list(names, 8)}" for noun, names in found.items() if names]

    def subjects(self, names: list[str]) -> list[Subject]:
        from tenterhook.library.project.subject import subject

        found = (subject(self.project, os.path.join(self.project, name)) for name in names if self.has(name))
        return [one for one in found if one]

    def code(self) -> list[Subject]:
        """The changed files that can be tested."""
        return [one for one in self.subjects(self.changed) if one.kind in ("source", "test")]

    def find_untested(self) -> list[str]:
        return [one.name for one in self.code() if self.states.get(("test", one.name)) not in ("pass", "fail")]

    def unproven(self) -> list[str]:
        """Changed code that has tests which prove nothing."""
        from tenterhook.library.project.verify import is_unproven

        return [one.name for one in self.code() if is_unproven(one, self.states.get(("test", one.name), ""))]

    def unparsable(self, seconds: float) -> list[str]:
        """Changed files that do not parse."""
        from tenterhook.library.project.parsing import unparsable

        wrong = unparsable(self.subjects(self.changed)[:MOST_PARSED], seconds)
        return [f"{plain(name)} does not parse: {problem}" for name, problem in wrong.items()]

    def find_deleted_tests(self) -> list[str]:
        """Deleted tests whose code still exists and has no other test."""
        from tenterhook.library.project.subject import Subject
        from tenterhook.library.project.tests import companions

        gone = [Subject(self.project, os.path.join(self.project, name)) for name in self.changed if not self.has(name)]
        found = []
        for test in (one for one in gone if one.kind == "test"):
            sources = [
                path
                for path in companions.sources_of(test)
                if not companions.has_named_test(Subject(self.project, path))
            ]
            if sources:
                about = format_name_list([os.path.relpath(path, self.project) for path in sources], 3)
                found.append(f"{test.shown} was deleted, and {about} has no other test")
        return found

    def due(self, settings: ActionSettings, cwd: str) -> list[Check]:
        """The checks to run: red, stale or unproven ones, and tests of changed files that were not tested."""
        from tenterhook.library.project.checks import ALL, checks

        subjects = {kind: self.subjects(self.names(kind, "fail", STALE)) for kind in ALL}
        known = {one.name for one in subjects["test"]}
        untested = set(self.find_untested())
        subjects["test"] += [one for one in self.code() if one.name in untested and one.name not in known]
        return [check for kind, some in subjects.items() for check in checks(some, settings, (kind,), cwd=cwd)]

    def refresh(self, event: TimedEvent, settings: ActionSettings) -> None:
        """Run the checks that are due. A red one that does not finish stays red."""
        due = self.due(settings, event.cwd)
        if not due:
            return
        from tenterhook.library.project.run import run

        event.settle()
        ledger = Ledger(event)
        self.results = run(due, event.left(), ledger.cache())
        red = {key for key, state in self.states.items() if state == "fail"}
        known = [r for r in self.results if r.state != "late" or red.isdisjoint((r.kind, name) for name in r.of)]
        ledger.keep(known)
        self.states.update({(one.kind, name): one.state for one in known for name in one.of})

    def calm(self) -> str:
        """The text if nothing is known to be red: it never claims more than what ran."""
        untested = self.find_untested()
        passed = any(state == "pass" for state in self.states.values())
        if untested:
            return f"{'nothing that ran is red; ' if passed else ''}not tested: {format_name_list(untested, 3)}"
        return "nothing is red" if passed else "nothing was to be tested"

    def text(self) -> str:
        changed = (
            f"{count_with_noun(len(self.changed), 'file')} ({format_name_list(self.changed, 8)})"
            if self.changed
            else "nothing"
        )
        rows = [
            ("changed", changed),
            ("passed", "; ".join(self.of("pass"))),
            ("red", "; ".join(self.of("fail"))),
            ("not finished", "; ".join(self.of("late"))),
            ("not tested", format_name_list(self.find_untested(), 8)),
        ]
        return "\n".join(f"{name}: {value}" for name, value in rows if value)


def report(
    event: TimedEvent, settings: ActionSettings, title: str, *, gate: bool = True, problems: bool = False
) -> ActionAnswer:
    """Refuse the end while something is red, if it is a gate; but never twice in a row, or the agent could not end.

    With `problems`, changed tests that test nothing count as red.
    """
    standing = Standing(event)
    if not standing.changed and not standing.states:
        return fine("nothing changed and nothing was tested")
    bad = [
        *standing.unparsable(event.left()),
        *standing.find_deleted_tests(),
        *(empty_tests(standing) if problems else []),
    ]
    standing.refresh(event, settings)
    text = f"{title}\n{standing.text()}"
    unproven = [f"no test of {plain(name)} ran that could fail" for name in standing.unproven()]
    red = [*bad, *standing.of("fail"), *unproven]
    state = f"red: {plain(red[0])}" if red else standing.calm()
    note = f"{title}: {count_with_noun(len(standing.changed), 'changed file')}, {state}"
    if red and gate and not event.stop_active:
        from tenterhook.library.project.verify import failures

        failed = [
            one for one in standing.results if one.state in ("fail", "skipped") or (one.state == "none" and unproven)
        ]
        late = [f"  {result.detail}" for result in standing.results if result.state == "late"]
        head = f"{title}: not done yet, something is red: {'; '.join(red[:3])}"
        return deny(truncate_lines([head, *(f"  {one}" for one in bad), *failures(failed), *late]), note=note)
    return fine(note, message=truncate_lines([*text.splitlines(), *bad]))


def empty_tests(standing: Standing) -> list[str]:
    from tenterhook.library.project.commands import read
    from tenterhook.library.project.tests.assertions import problems

    tests = [one for one in standing.code() if one.kind == "test"]
    return [f"{one.shown}: {problem}" for one in tests for problem in problems(one.path, read(one.path))]
