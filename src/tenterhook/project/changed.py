"""What changed in the project, as git sees it, within a time limit; nothing where there is no git or no repository."""

from __future__ import annotations

import os

from tenterhook import regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.actions.happened import Happened

LIMIT = 2.0
# A repository can name programs that git runs to watch its files or to read them; a report is no reason to run one.
GIT = ("git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
FILTERS = ("config", "--local", "--includes", "--null", "--name-only", "--get-regexp", r"^filter\.")
STATUS = (
    "status",
    "--porcelain=v1",
    "-z",
    "--branch",
    "--untracked-files=all",
    "--no-renames",
    "--ignore-submodules=dirty",
)


class Changes:
    """The branch, and the files that differ from the last commit, from the project on."""

    __slots__ = ("branch", "files")

    def __init__(self, branch: str = "", files: list[str] | None = None) -> None:
        self.branch, self.files = branch, files or []


def changes(event: Happened) -> Changes:
    project = os.path.realpath(event.project)
    root = repository(project)
    limit = min(LIMIT, event.left() - 0.3)
    if not root or limit <= 0:
        return Changes()
    from tenterhook.project.asked import output_of

    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    env.update({"GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"})
    if may_filter(root):
        limit /= 2
        env.update(without(output_of([*GIT, "-C", project, *FILTERS], env, limit) or b""))
    output = output_of([*GIT, "-C", project, *STATUS, "--", "."], env, limit)
    return Changes() if output is None else parsed(output, root, project)


def without(names: bytes) -> dict[str, str]:
    """The variables that empty these settings of git, whatever is in their names."""
    found = [os.fsdecode(name) for name in names.split(b"\0") if name]
    settings = {f"GIT_CONFIG_KEY_{at}": name for at, name in enumerate(found)}
    return {
        "GIT_CONFIG_COUNT": str(len(found)),
        **settings,
        **{f"GIT_CONFIG_VALUE_{at}": "" for at in range(len(found))},
    }


def may_filter(root: str) -> bool:
    """Whether the repository's own config may name programs that read files; git itself is asked for their names."""
    try:
        text = regular.contents(os.path.join(root, ".git", "config")).lower()
    except OSError:  # a worktree has it elsewhere
        return True
    return b"filter" in text or b"include" in text


def repository(folder: str) -> str:
    """The folder that holds .git, from here upwards."""
    while not os.path.exists(os.path.join(folder, ".git")):
        folder, last = os.path.split(folder)
        if not last:
            return ""
    return folder


def parsed(output: bytes, root: str, project: str) -> Changes:
    """Names count from the repository's root; each is two letters of state, a blank, and bytes up to NUL."""
    found = Changes()
    for record in output.split(b"\0"):
        if record.startswith(b"## "):
            found.branch = branch(record[3:].decode("utf-8", "replace"))
        elif len(record) > 3:
            found.files.append(os.path.relpath(os.path.join(root, os.fsdecode(record[3:])), project))
    return found


def branch(text: str) -> str:
    """`main` of `main...origin/main [ahead 1]` and of `No commits yet on main`."""
    if text.startswith("HEAD (no branch)"):
        return "no branch"
    return text.removeprefix("No commits yet on ").partition("...")[0].partition(" [")[0]
