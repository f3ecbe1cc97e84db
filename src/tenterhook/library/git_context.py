"""At the start of a session the model is told the state of the git repository.

The branch, how far it is from its upstream, a merge or rebase that is under way, changed files, the last commits; and,
if wanted, the project's own commands for tests, linter, types and build. git is asked with a limit of time and without
running programs that the repository's config names.

Options:
    files: how many changed files are named
    commits: how many of the last commits are named
    commands: whether the project's own commands are told too
    seconds: how long git may take in all

What it cannot stop:
- Nothing is stopped: it is only told.
- What others wrote in branch names, file names and commit messages reaches the model as it is, on one line each; with
  `commits=0` no messages do.
- It is the state at the start; what the session changes is not told again.
"""

from __future__ import annotations

from tenterhook import hook

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.author import Answer, Event

UNDER_WAY = {
    "MERGE_HEAD": "a merge",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "BISECT_LOG": "a bisect",
}


@hook("session.start")
def git_context(
    event: Event, files: int = 10, commits: int = 5, commands: bool = False, seconds: float = 3.0
) -> Answer | None:
    from tenterhook.library.parts.decisions import positive
    from tenterhook.library.project.wording import truncate_lines

    lines = state(event, files, commits, positive("seconds", seconds))
    if commands:
        from tenterhook.library.actions.settings import ActionSettings
        from tenterhook.library.project.overview import overview

        lines += overview(event.project, ActionSettings())
    return hook.context(truncate_lines(["State of the project at the start:", *lines], 40)) if lines else None


def state(event: Event, files: int, commits: int, seconds: float) -> list[str]:
    import os

    from tenterhook.library.guard.branches import git_folder
    from tenterhook.library.project import changed
    from tenterhook.library.project.wording import count_with_noun, format_name_list, plain

    project = os.path.realpath(event.project)
    root = changed.repository(project)
    found = changed.status(project, seconds / 2) if root else None
    if found is None:
        return []
    lines = [f"branch: {plain(found.branch)}{f' ({found.distance})' if found.distance else ''}"]
    under_way = [what for name, what in UNDER_WAY.items() if os.path.exists(os.path.join(git_folder(root), name))]
    lines += [f"under way: {what}" for what in dict.fromkeys(under_way)]
    named = f": {format_name_list(found.files, files)}" if found.files and files else ""
    lines.append(f"{count_with_noun(len(found.files), 'changed file')}{named}")
    if commits > 0:
        lines += [f"commit {plain(line, 120)}" for line in changed.history(project, commits, seconds / 2)]
    return lines
