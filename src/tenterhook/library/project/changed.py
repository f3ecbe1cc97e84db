"""What changed in the project, as git sees it, within a time limit; empty if there is no git or no repository."""

from __future__ import annotations

import os

from tenterhook.support import files as regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.library.parts.timed import TimedEvent

LIMIT = 2.0
# A repository can name programs that git runs to watch or read its files; a report must not run them.
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


class GitChanges:
    """The branch, how far it is from its upstream, and the files that differ from the last commit, by project paths."""

    __slots__ = ("branch", "distance", "files")

    def __init__(self, branch: str = "", files: list[str] | None = None) -> None:
        self.branch, self.distance, self.files = branch, "", files or []


def changes(event: TimedEvent) -> GitChanges:
    limit = min(LIMIT, event.left() - 0.3)
    found = status(os.path.realpath(event.project), limit) if limit > 0 else None
    return found or GitChanges()


def status(project: str, limit: float) -> GitChanges | None:
    """None if there is no repository, or git does not answer in time."""
    root = repository(project)
    if not root:
        return None
    from tenterhook.library.project.asked import output_of

    env = environment()
    if may_filter(root):
        limit /= 2
        env.update(without(output_of([*GIT, "-C", project, *FILTERS], env, limit) or b""))
    output = output_of([*GIT, "-C", project, *STATUS, "--", "."], env, limit)
    return None if output is None else parse_git_status(output, root, project)


def history(project: str, most: int, limit: float) -> list[str]:
    """The last commits, one line each; none if there are none, or git does not answer in time."""
    from tenterhook.library.project.asked import output_of

    words = ("log", f"--max-count={most}", "--no-show-signature", "--no-color", "--format=%h %s")
    output = output_of([*GIT, "-C", project, *words], environment(), limit) or b""
    return output.decode("utf-8", "replace").splitlines()


def environment() -> dict[str, str]:
    """The environment for git: without the caller's GIT_ variables, optional locks and translations."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return {**env, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}


def without(names: bytes) -> dict[str, str]:
    """The variables that empty these settings of git, whatever characters their names have."""
    found = [os.fsdecode(name) for name in names.split(b"\0") if name]
    settings = {f"GIT_CONFIG_KEY_{at}": name for at, name in enumerate(found)}
    return {
        "GIT_CONFIG_COUNT": str(len(found)),
        **settings,
        **{f"GIT_CONFIG_VALUE_{at}": "" for at in range(len(found))},
    }


def may_filter(root: str) -> bool:
    """Whether the repository's config may name programs that read files; then git is asked for their names."""
    try:
        text = regular.contents(os.path.join(root, ".git", "config")).lower()
    except OSError:  # the config of a worktree is elsewhere
        return True
    return b"filter" in text or b"include" in text


def repository(folder: str) -> str:
    """The folder that holds .git, from here upwards."""
    while not os.path.exists(os.path.join(folder, ".git")):
        folder, last = os.path.split(folder)
        if not last:
            return ""
    return folder


def parse_git_status(output: bytes, root: str, project: str) -> GitChanges:
    """Parse names from the repository's root on; each is two letters of state, a blank, and bytes up to NUL."""
    found = GitChanges()
    for record in output.split(b"\0"):
        if record.startswith(b"## "):
            text = record[3:].decode("utf-8", "replace")
            found.branch, found.distance = branch(text), distance(text)
        elif len(record) > 3:
            found.files.append(os.path.relpath(os.path.join(root, os.fsdecode(record[3:])), project))
    return found


def branch(text: str) -> str:
    """`main` of `main...origin/main [ahead 1]` and of `No commits yet on main`."""
    if text.startswith("HEAD (no branch)"):
        return "no branch"
    return text.removeprefix("No commits yet on ").partition("...")[0].partition(" [")[0]


def distance(text: str) -> str:
    """`ahead 1, behind 2` of `main...origin/main [ahead 1, behind 2]`; `gone` if the upstream is."""
    _, mark, upstream = text.partition("...")
    return upstream.rpartition(" [")[2].removesuffix("]") if mark and upstream.endswith("]") else ""
