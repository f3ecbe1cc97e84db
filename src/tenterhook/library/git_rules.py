"""Guard branches: force pushes, pushes to protected branches, and other rules.

The hook looks at every git command in a shell command, behind `sh -c`, `env` and their like too: what it pushes, with
or without force, which branch it commits to, deletes or makes. A push that names no branch pushes the branch that is
checked out: the hook reads that from the repository, and follows a switch of branches earlier in the same command.

Options:
    branches: names or globs of the protected branches
    force: what to do about a force push to any branch: deny, ask, warn or allow; `--force-with-lease` counts only if
        the branch is protected
    push: the same for a push to a protected branch
    delete: the same for deleting a protected branch, here or at the remote
    commit: the same for a commit or a merge into a protected branch that is checked out
    new_branches: globs that the name of a new branch must fit; empty for any name

What it cannot stop:
- Pushes by other programs: `gh pr merge`, an editor, a script of the project, an MCP server of the forge. Protect the
  branch at the remote too: only that rule holds for all users.
- A push whose branch is in git's own settings (`remote.*.push`, `push.default`), or in an alias of git.
- A branch that only the shell knows at run time: the hook asks about a push of one.
- Commands that rewrite a branch by other means: `git update-ref`, `git reset`, writing into .git.
"""

from __future__ import annotations

from tenterhook import hook

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tenterhook.author import Answer, Event
    from tenterhook.library.guard.branches import Step

PUSHES = ("push", "force", "lease")
SAYS = {
    "push": "is a push to the protected branch {}; push another branch and ask for a review",
    "force": "is a force push to {}, which overwrites others' commits; push without force",
    "lease": "is a force push to the protected branch {}; push another branch",
    "delete": "deletes the protected branch {}; leave it, or ask the user",
    "commit": "commits to the protected branch {}; make a branch of your own first",
}
UNKNOWN = "is a push whose branch only the shell knows; write its name"


@hook("tool.before")
def git_rules(
    event: Event,
    branches: tuple[str, ...] = ("main", "master"),
    force: str = "deny",
    push: str = "deny",
    delete: str = "deny",
    commit: str = "allow",
    new_branches: tuple[str, ...] = (),
) -> Answer | None:
    from tenterhook.library.parts.decisions import one_of

    given = {"force": force, "push": push, "delete": delete, "commit": commit}
    words = {name: one_of(name, word) for name, word in given.items()} | {"lease": force}
    if not event.command:
        return None
    taken, unread = parse_git_steps(event)
    found = [("ask", unread)] if unread else []
    found += [
        problem
        for step in taken
        for problem in (*against(step, branches, words), *check_new_branch_name(step, new_branches))
        if problem[0] != "allow"
    ]
    return strongest_answer(found)


def parse_git_steps(event: Event) -> tuple[Iterator[Step], str]:
    """The git steps of a command; and why it cannot be read to its end, if it may contain a push."""
    import os

    from tenterhook.library.guard.branches import steps
    from tenterhook.library.guard.danger import unparsable
    from tenterhook.support.shell.calls import calls

    called, problem = calls(event.command, folder=event.folder, home=os.path.expanduser("~"))
    return steps(called), unparsable(problem) if problem and "git" in event.command else ""


def against(step: Step, branches: tuple[str, ...], words: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Decision and text of each rule that the step violates."""
    if step.what in PUSHES and not step.branch:
        yield "ask" if words["push"] != "allow" else "allow", format_step(step, UNKNOWN)
    if step.what == "force":
        yield words["force"], format_step(step, SAYS["force"])
    if is_protected(step.branch, branches):
        if step.what in PUSHES:
            yield words["push"], format_step(step, SAYS["push"])
        if step.what in ("lease", "delete", "commit"):
            yield words[step.what], format_step(step, SAYS[step.what])


def check_new_branch_name(step: Step, globs: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    if globs and step.what == "create" and not is_protected(step.branch, globs):
        yield "deny", format_step(step, f"makes the branch {{}}; a new one must be called {' or '.join(globs)}")


def is_protected(branch: str, globs: tuple[str, ...]) -> bool:
    """Whether a branch is protected by its name; for a pattern in a refspec, whether it matches a protected name."""
    from fnmatch import fnmatchcase

    return any(fnmatchcase(branch, one) or ("*" in branch and fnmatchcase(one, branch)) for one in globs)


def format_step(step: Step, says: str) -> str:
    from tenterhook.library.guard.branches import EVERY
    from tenterhook.library.guard.danger import format_call

    branch = "all branches" if step.branch == EVERY else step.branch or "a branch that only the shell knows"
    return f"{format_call(step.call, ())}: {says.format(branch)}"


def strongest_answer(found: list[tuple[str, str]]) -> Answer | None:
    """The strongest decision, with the texts of all."""
    from tenterhook.library.parts.decisions import DECISIONS, answer

    if not found:
        return None
    decision = min((one for one, _ in found), key=DECISIONS.index)
    lines = dict.fromkeys(f"- {text}" for _, text in found)
    return answer(decision, "\n".join(("git-rules found this:", *lines)))
