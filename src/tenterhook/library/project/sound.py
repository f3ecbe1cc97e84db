"""Check files that are read and not run, documents and config: one after a change, and all of them at the end."""

from __future__ import annotations

import os

from tenterhook.library.actions.answers import ActionAnswer, deny, fine
from tenterhook.library.project.ledger import Ledger
from tenterhook.library.project.parsing import text_of
from tenterhook.library.project.subject import resolve_written_subject
from tenterhook.library.project.walk import walk
from tenterhook.library.project.wording import count_with_noun, format_name_list, plain, truncate_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tenterhook.library.actions.settings import ActionSettings
    from tenterhook.library.parts.timed import TimedEvent

SPARE = 0.3
SHOWN = frozenset(".github .gitlab .circleci .devcontainer .vscode".split())


class Documents:
    """Pages: their links must lead somewhere, their code blocks must be closed."""

    noun, wrong = "document", "links that lead nowhere, or a code block that is not closed"

    def __init__(self, project: str) -> None:
        from tenterhook.library.project.pages.links import Links

        self.project = project
        self.links = Links(project)
        self.unchecked: dict[str, str] = {}

    def takes(self, name: str) -> bool:
        from tenterhook.library.project.pages.links import PAGES

        return name.lower().endswith(PAGES)

    def problems(self, name: str, text: str, seconds: float) -> list[str]:
        from tenterhook.library.project.pages.links import LARGEST

        if len(text) > LARGEST:
            self.unchecked[f"the links of a page above {LARGEST >> 10} KiB (make several of it)"] = name
            return []
        return self.links.problems(os.path.join(self.project, name), text)

    def besides(self, changed: list[str], until: TimedEvent) -> Iterator[str]:
        """Problems of other pages with files that changed or are gone: a renamed heading, a removed page."""
        targets = {os.path.basename(name) for name in changed if self.takes(name) or not has(self.project, name)}
        others = (name for name in files(self.project) if self.takes(name) and name not in changed)
        for name in others if targets else ():
            if until.left() < SPARE:
                return
            text = text_of(os.path.join(self.project, name)) or ""
            for problem in self.problems(name, text, 0) if any(one in text for one in targets) else ():
                if any(one in problem for one in targets):
                    yield f"{plain(name)}:{problem}"


class Configs:
    """Config files: their syntax, and a linter's problems for a CI file, a Compose file or a Dockerfile."""

    noun, wrong = "config file", "something that the program which reads it would refuse"

    def __init__(self, project: str) -> None:
        self.project = project
        self.unchecked: dict[str, str] = {}

    def takes(self, name: str) -> bool:
        from tenterhook.library.project.config_files import linters, syntax

        return syntax.kind(name) not in ("", "python") or bool(linters.kind(name))

    def problems(self, name: str, text: str, seconds: float) -> list[str]:
        from tenterhook.library.project.config_files import linters, syntax

        path = os.path.join(self.project, name)
        found = syntax.problems(path, text, min(2.0, seconds))
        if not found:
            found, unchecked = linters.lint(path, text, seconds)
            self.unchecked |= {unchecked: name} if unchecked else {}
        return found

    def besides(self, changed: list[str], until: TimedEvent) -> Iterator[str]:
        """Nothing: config files do not depend on each other."""
        return iter(())


# By name, as the table of actions has them.
CONCERNS: dict[str, type[Documents | Configs]] = {"Documents": Documents, "Configs": Configs}


def after(event: TimedEvent, settings: ActionSettings, kind: str) -> ActionAnswer:
    """Check the file that a tool wrote; problems are feedback for the model."""
    subject = resolve_written_subject(event)
    if isinstance(subject, str):
        return fine(subject)
    concern = CONCERNS[kind](subject.project)
    Ledger(event).keep([], subject.name)
    if not concern.takes(subject.name):
        from tenterhook.library.project.verify import deny_unparsable_file

        problem = deny_unparsable_file(event, subject)
        return problem or fine(f"nothing to check: {subject.shown} is not a {concern.noun} that can be checked")
    text = text_of(subject.path) if os.path.isfile(subject.path) else None
    if text is None:
        return fine(f"nothing to check: {subject.shown} is not there, cannot be read, or is larger than 1 MiB")
    found = concern.problems(subject.name, text, event.left() - SPARE)
    if not found and concern.unchecked:
        return fine(f"read {subject.shown}: no fault found; not checked: {'; '.join(concern.unchecked)}")
    if not found:
        return fine(f"read {subject.shown}: sound")
    head = (
        f"{subject.shown} has {concern.wrong}. Correct it ({count_with_noun(len(found), 'problem')}, as line:column):"
    )
    return deny(truncate_lines([head, *(f"  {plain(one)}" for one in found)]))


def at_the_end(event: TimedEvent, settings: ActionSettings, kind: str, title: str) -> ActionAnswer:
    """Report what changed and whether every such file is sound; refuse while one is not, but never twice in a row."""
    from tenterhook.library.project.changed import repository
    from tenterhook.library.project.report import Standing

    standing = Standing(event)
    concern = CONCERNS[kind](standing.project)
    known = bool(repository(standing.project))
    names = standing.changed if known else list(files(standing.project))
    names = [name for name in names if concern.takes(name) and has(standing.project, name)]
    found, late = problems(concern, names, event)
    found += concern.besides(standing.changed, event) if known else []
    changed = [name for name in standing.changed if concern.takes(name)]
    rows = [
        f"changed: {count_with_noun(len(changed), concern.noun)} ({format_name_list(changed, 8)})"
        if changed
        else "changed: nothing",
        f"read: {count_with_noun(len(names) - late, concern.noun)}, "
        + (count_with_noun(len(found), "problem") if found else "no fault found" if concern.unchecked else "sound"),
        *(f"not checked: {what}, in {plain(name)}" for what, name in concern.unchecked.items()),
        *([f"out of time: {count_with_noun(late, concern.noun)} not read"] if late else []),
    ]
    note = f"{title}: {'; '.join(rows[1:])}"
    if found and not event.stop_active:
        head = f"{title}: not done yet, {count_with_noun(len(found), 'problem')} ({concern.wrong}). Correct each:"
        return deny(truncate_lines([head, *(f"  {one}" for one in found)]), note=note)
    if not names and not changed:
        return fine(f"nothing to check: no {concern.noun} changed")
    return fine(note, message=truncate_lines([title, *rows, *found]))


def problems(concern: Documents | Configs, names: list[str], event: TimedEvent) -> tuple[list[str], int]:
    """The problems of the files, and how many files there was no time for."""
    found: list[str] = []
    for done, name in enumerate(names):
        if event.left() < SPARE:
            return found, len(names) - done
        text = text_of(os.path.join(concern.project, name))
        wrong = concern.problems(name, text, event.left() - SPARE) if text is not None else []
        found += [f"{plain(name)}:{plain(one)}" for one in wrong]
    return found, 0


def has(project: str, name: str) -> bool:
    return os.path.isfile(os.path.join(project, name))


def files(project: str) -> Iterator[str]:
    """The files that people write, relative to the project."""
    return (os.path.relpath(path, project) for path in walk(project, SHOWN))
