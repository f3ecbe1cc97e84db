"""Format and lint a file after an edit, and tell the model what is wrong.

The hook uses the project's own tools: the formatter that its config names (ruff, black, prettier, gofmt, rustfmt), and
the linter that it uses (ruff, flake8, eslint, a script or a Makefile's target). If the formatter changed the file, the
model is told, so that it reads the file again before its next edit. Both share one time limit.

Options:
    format: whether to format
    lint: whether to lint
    types: whether to check types too
    formatter: a command of your own to format with; {files} stands for the files
    linter: a command of your own to lint with; {files} stands for the files
    seconds: how long all of it may take; keep it below the agent's own limit for a hook

What it cannot stop:
- The edit: it is done when the agent calls this hook. The model is told, and may still go on.
- Files that a shell command wrote: the hook follows only tools that write and edit.
- A tool that is not installed, or does not finish in time. The user is told, and nothing is checked.
- In an agent that does not let hooks speak to the model after a tool, only the user is told.
"""

from __future__ import annotations

from tenterhook import hook

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.author import Answer, Event
    from tenterhook.library.project.checks import Check
    from tenterhook.library.project.run import Result
    from tenterhook.library.project.subject import Subject


@hook("tool.after", match="write|edit")
def format_and_lint(
    event: Event,
    format: bool = True,
    lint: bool = True,
    types: bool = False,
    formatter: str = "",
    linter: str = "",
    seconds: float = 20.0,
) -> Answer | None:
    from tenterhook.library.parts import working
    from tenterhook.library.parts.decisions import positive
    from tenterhook.library.parts.timed import TimedEvent

    time = TimedEvent(event, positive("seconds", seconds))
    subjects = working.written_code_files(event)
    if not subjects:
        return None
    from tenterhook.library.project.checks import checks
    from tenterhook.library.project.run import run

    before = {one.path: contents(one.path) for one in subjects}
    formatted = run(formatting(subjects, formatter), time.left(), "") if format else []
    changed = [one.shown for one in subjects if contents(one.path) != before[one.path]]
    wanted = tuple(kind for kind, is_wanted in (("lint", lint), ("types", types)) if is_wanted)
    linted = run(checks(subjects, working.settings(lint=linter), wanted), time.left(), "") if wanted else []
    return build_lint_answer(changed, [*formatted, *linted])


def formatting(subjects: list[Subject], given: str) -> list[Check]:
    """Run each formatter once, with all of its files."""
    from tenterhook.library.parts import working
    from tenterhook.library.project import commands
    from tenterhook.library.project.checks import Check
    from tenterhook.library.project.formatting import FORMAT, formatter

    project = subjects[0].project
    own = commands.load_configured_commands(project, working.settings(**{FORMAT: given})).get(FORMAT) if given else None
    found = [(own or formatter(one), one) for one in subjects]
    grouped: dict[tuple[str, ...], list[Subject]] = {}
    by = {(command.folder, *command.words): command for command, _ in found if command}
    for command, one in found:
        if command:
            grouped.setdefault((command.folder, *command.words), []).append(one)
    return [
        Check(by[key], project, [one.name for one in some], [one.path for one in some]) for key, some in grouped.items()
    ]


def contents(path: str) -> bytes:
    from tenterhook.support import files

    try:
        return files.contents(path)
    except OSError:
        return b""


def build_lint_answer(changed: list[str], results: list[Result]) -> Answer | None:
    """Problems as feedback, formatted files for the model, and what could not be run for the user."""
    from tenterhook.library.project.verify import failures
    from tenterhook.library.project.wording import format_name_list, truncate_lines

    failed = [one for one in results if one.state == "fail"]
    answer = (
        hook.deny(truncate_lines(["format-and-lint: the edit leaves this:", *failures(failed)])) if failed else None
    )
    if changed:
        text = hook.context(
            f"format-and-lint: {format_name_list(changed)} was formatted; read it again before you edit it"
        )
        answer = answer & text if answer else text
    missed = [one.line for one in results if one.state in ("late", "absent")]
    if missed:
        text = hook.notify(f"format-and-lint: {'; '.join(missed)}")
        answer = answer & text if answer else text
    return answer
