"""The commands that check a file, as words that are ready to run."""

from __future__ import annotations

import os

from tenterhook.library.project import commands
from tenterhook.library.project.tests import companions
from tenterhook.library.project.wording import command_line, format_name_list, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tenterhook.library.actions.settings import ActionSettings
    from tenterhook.library.project.commands import Command
    from tenterhook.library.project.subject import Subject

ALL = ("lint", "types", "test")
CODE = ("source", "test")


class Check:
    """One command about some files: `of` are their names from the project on, `about` is the text for people."""

    __slots__ = ("about", "absent", "files", "folder", "kind", "of", "ours", "shown", "tool", "words")

    def __init__(self, command: Command, project: str, of: list[str], files: list[str], cwd: str = "") -> None:
        self.kind, self.tool, self.folder, self.absent = command.kind, command.tool, command.folder, command.absent
        self.of, self.about, self.ours, self.files = of, format_name_list(of), command.ours, files
        if not command.takes_files:
            inside = os.path.relpath(command.folder, project)
            self.about = "the project" if inside == os.curdir else plain(inside)
        given = arguments(command, files) if command.takes_files else []
        self.words = command.run(given)
        self.shown = format_check_command(command, given, project, cwd)


def checks(
    subjects: list[Subject], settings: ActionSettings, wanted: tuple[str, ...] = ALL, *, cwd: str = ""
) -> list[Check]:
    """The wanted kinds of checks that have a command; one command takes all files that it fits.

    `cwd` is the agent's folder, from which it would type a command.
    """
    grouped: dict[tuple[str, ...], tuple[Command, list[str], list[str]]] = {}
    for subject in subjects:
        for command, files in fitting(subject, settings, wanted):
            _, of, all_files = grouped.setdefault((command.kind, command.folder, *command.words), (command, [], []))
            of.append(subject.name)
            all_files += [file for file in files if file not in all_files]
    return [Check(command, subjects[0].project, of, files, cwd) for command, of, files in grouped.values()]


def fitting(subject: Subject, settings: ActionSettings, wanted: tuple[str, ...]) -> Iterator[tuple[Command, list[str]]]:
    """Commands with their files: the tests of the subject, or the subject itself."""
    tests = companions.tests_of(subject) if "test" in wanted and subject.kind in CODE else []
    found = commands_of(subject, settings, tests)
    for kind in wanted:
        command = found.get(kind)
        files = tests if kind == "test" else [subject.path]
        if command and fits(subject, kind) and (files or not command.takes_files):
            yield command, files


def commands_of(subject: Subject, settings: ActionSettings, tests: list[str]) -> dict[str, Command]:
    folders = subject.folders()
    if subject.kind == "style":
        from tenterhook.library.project.languages import node

        return {**node.for_styles(folders), **commands.load_configured_commands(subject.project, settings)}
    return commands.find(folders, subject.language, settings, tests)


def fits(subject: Subject, kind: str) -> bool:
    """Whether a kind of check fits: types are for code, not for its tests; a style sheet has no tests."""
    if kind == "types":
        return subject.kind in ("source", "declaration")
    return kind == "lint" or subject.kind in CODE


def arguments(command: Command, files: list[str]) -> list[str]:
    """The files from the command's folder on; a name that starts with a dash must not become an option."""
    names = [os.path.relpath(path, command.folder) for path in files]
    if command.by_folder:
        return sorted({os.path.join(os.curdir, os.path.dirname(name)) for name in names})
    return [os.path.join(os.curdir, name) if name.startswith("-") else name for name in names]


def format_check_command(command: Command, files: list[str], project: str, cwd: str = "") -> str:
    """As a person would type it: in the project's folder, or in `cwd`."""
    words = command.shown(files)
    if words and words[0].startswith(project + os.sep) and command.folder == project:
        words[0] = os.path.relpath(words[0], project)
    line = command_line(words)
    if cwd and os.path.realpath(cwd) != project:
        return f"cd {command_line([command.folder])} && {line}"
    if command.folder == project:
        return line
    return f"cd {command_line([os.path.relpath(command.folder, project)])} && {line}"
