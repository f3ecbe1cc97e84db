"""Tell the model the state of the git repository at the start of a session.

It gets the branch, how far that is from its upstream, a merge or rebase that is not finished, changed files and the
last commits. If you want, it also gets the project's own commands for tests, linter, types and build. The hook calls
git with a time limit, and without running programs that the repository's config names.

Options:
    files: how many changed files to name
    commits: how many of the last commits to name
    commands: whether to name the project's own commands too
    seconds: how long all calls of git may take

What it cannot stop:
- It stops nothing: it only tells.
- The model gets branch names, file names and commit messages as others wrote them, each on one line; with `commits=0`
  it gets no messages.
- It is the state at the start. The model is not told again of what the session changes.
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
