"""What git commands do to branches: which they push to, commit to, delete or make, from their words and HEAD."""

from __future__ import annotations

import os

from tenterhook.library.guard.danger.rules import GLOBAL, from_subcommand
from tenterhook.support import files
from tenterhook.support.shell.records import UNKNOWN
from tenterhook.support.shell.wrappers import after_options, has_option, operands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tenterhook.support.shell.calls import ProgramCall

HEADS, TAGS = "refs/heads/", "refs/tags/"
EVERY = "*"  # all branches that there are
COMMITTING = ("commit", "merge", "cherry-pick", "revert", "am")
VALUED = ("-o", "--push-option", "--receive-pack", "--exec", "--repo")
CREATING = ("-b", "-B", "-c", "-C", "--create", "--force-create", "--orphan")
LARGEST = 1 << 20


class Step:
    """One effect on a branch: push, force, lease (forced if the remote did not change), delete, commit, create.

    The branch is empty if only the shell knows it, and EVERY if all are meant.
    """

    __slots__ = ("branch", "call", "what")

    def __init__(self, what: str, branch: str, call: ProgramCall) -> None:
        self.what, self.branch, self.call = what, "" if UNKNOWN in branch else branch, call


def steps(called: Iterable[ProgramCall]) -> Iterator[Step]:
    """The steps in order; a switch to another branch counts for the steps after it."""
    moved: dict[str, str] = {}
    for call in called:
        if call.program != "git" or call.remote:
            continue
        command, *words = from_subcommand(call) or [""]
        repository = git_folder(folder_of(call))
        current = moved.get(repository) or head(repository)
        if command == "push":
            yield from parse_push_steps(call, words, current)
        elif command in COMMITTING:
            yield Step("commit", current, call)
        elif command == "branch":
            yield from parse_branch_steps(call, words)
        elif command in ("checkout", "switch"):
            target, made = parse_switch_target(words, repository)
            if made:
                yield Step("create", target, call)
            moved[repository] = target or current


def folder_of(call: ProgramCall) -> str:
    """The folder in which git works: the call's folder, changed by -C."""
    folder, words = call.folder, call.words[: after_options(call.words, GLOBAL["git"].split())]
    for at, word in enumerate(words[:-1]):
        if word == "-C":
            folder = os.path.join(folder, words[at + 1])
    return folder


# ---- pushes


def parse_push_steps(call: ProgramCall, words: list[str], current: str) -> Iterator[Step]:
    if has_option(words, "n", "--dry-run"):
        return
    specs = operands(words, VALUED)[1:]
    how = kind_of(words)
    if has_option(words, "", "--all", "--branches", "--mirror"):
        yield Step("force" if has_option(words, "", "--mirror") else how, EVERY, call)
    elif not specs and not has_option(words, "", "--tags"):
        yield Step(how, current, call)
    for spec in specs:
        source, colon, target = spec.lstrip("+").partition(":")
        if colon and not source and not target:  # all that exist on both sides
            source = target = EVERY
        target = target if colon else source
        target = current if target in ("HEAD", "@") else target
        if not target.startswith(TAGS):
            what = "delete" if colon and not source else "force" if spec.startswith("+") else how
            yield Step(what, target.removeprefix("refs/").removeprefix("heads/"), call)


def kind_of(words: list[str]) -> str:
    if has_option(words, "d", "--delete"):
        return "delete"
    if has_option(words, "f", "--force"):
        return "force"
    return "lease" if any(word.startswith("--force-") for word in words) else "push"


# ---- local branches


def parse_branch_steps(call: ProgramCall, words: list[str]) -> Iterator[Step]:
    """What `git branch` deletes, makes, or moves."""
    names = operands(words, ("-u", "--set-upstream-to"))
    if has_option(words, "d", "--delete") or has_option(words, "D"):
        yield from (Step("delete", name, call) for name in names)
    elif has_option(words, "m", "--move") or has_option(words, "M"):
        yield from (Step("delete", name, call) for name in names[:-1])
        yield from (Step("create", name, call) for name in names[-1:])
    elif names and not has_option(words, "", "--list", "--contains", "--merged", "--no-merged", "--set-upstream-to"):
        yield Step("commit" if has_option(words, "f", "--force") else "create", names[0], call)


def parse_switch_target(words: list[str], repository: str) -> tuple[str, bool]:
    """The branch that is switched to, and whether it is new; empty if only files are restored."""
    for at, word in enumerate(words[:-1]):
        if word in CREATING:
            return words[at + 1], True
    names = operands(words)
    target = names[0] if names and "--" not in words else ""
    return (target, False) if target and exists(repository, target) else ("", False)


# ---- the repository, without a process


def git_folder(folder: str) -> str:
    """The .git folder of the repository around a folder, or of its worktree. Empty if there is none."""
    while folder and os.path.isabs(folder):
        place = os.path.join(folder, ".git")
        if os.path.isdir(place):
            return place
        if os.path.isfile(place):
            named = beginning(place).removeprefix("gitdir: ").strip()
            return os.path.normpath(os.path.join(folder, named))
        folder, last = os.path.split(folder)
        if not last:
            return ""
    return ""


def head(repository: str) -> str:
    """The branch that is checked out; empty if there is none, or no repository."""
    text = beginning(os.path.join(repository, "HEAD")) if repository else ""
    return text.removeprefix("ref: ").strip().removeprefix(HEADS) if text.startswith("ref: ") else ""


def exists(repository: str, branch: str) -> bool:
    common = beginning(os.path.join(repository, "commondir")).strip()
    folder = os.path.join(repository, common) if common else repository
    if os.path.isfile(os.path.join(folder, HEADS, branch)):
        return True
    return any(
        line.endswith(f" {HEADS}{branch}") for line in beginning(os.path.join(folder, "packed-refs")).split("\n")
    )


def beginning(path: str) -> str:
    try:
        return files.beginning(path, LARGEST)
    except (OSError, ValueError):
        return ""
