"""Rules about git: history and work that cannot be had back, and hooks that are gone around."""

from __future__ import annotations

from tenterhook.guard.calls import Call
from tenterhook.guard.finding import Rule
from tenterhook.guard.paths import Place
from tenterhook.guard.wrappers import after_options

GLOBAL = ["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env"]
WITH_HOOKS = ("commit", "push", "merge", "rebase", "am", "cherry-pick", "revert", "pull")


def split(call: Call) -> tuple[str, list[str]]:
    """The subcommand and its words."""
    at = after_options(call.words, GLOBAL)
    rest = call.words[at:]
    return (rest[0], rest[1:]) if rest else ("", [])


def given(words: list[str], letter: str, *names: str) -> bool:
    """Whether an option is there, by its letter, alone or among others, or by a long name."""
    before = words[: words.index("--")] if "--" in words else words
    return any(
        word.partition("=")[0] in names or (letter and word[:1] == "-" and word[1:2] != "-" and letter in word[1:])
        for word in before
    )


def forces(call: Call, place: Place) -> bool:
    command, words = split(call)
    if command != "push":
        return False
    pushed = [word for word in words if not word.startswith("-")]
    return given(words, "f", "--force", "--mirror") or any(word.startswith("+") for word in pushed[1:])


def discards(call: Call, place: Place) -> bool:
    command, words = split(call)
    first = words[0] if words else ""
    if command == "reset":
        return given(words, "", "--hard", "--merge")
    if command == "clean":
        return given(words, "f", "--force") and not given(words, "n", "--dry-run")
    if command in ("checkout", "switch"):
        return given(words, "f", "--force", "--discard-changes") or bool({".", ":/", "*"} & set(words))
    if command == "restore":
        index_only = given(words, "S", "--staged") and not given(words, "W", "--worktree")
        return bool({".", ":/", "*"} & set(words)) and not index_only
    if command == "branch":
        return given(words, "D") or (given(words, "d", "--delete") and given(words, "f", "--force"))
    if command == "push":
        pushed = [word for word in words if not word.startswith("-")]
        return given(words, "d", "--delete", "--prune") or any(word.startswith(":") for word in pushed[1:])
    if command in ("stash", "reflog"):
        return first in ("clear", "drop", "expire", "delete")
    if command == "worktree":
        return first == "remove" and given(words, "f", "--force")
    if command == "gc":
        return "--prune=now" in words or "--prune=all" in words
    return command in ("filter-branch", "filter-repo") or (command == "update-ref" and given(words, "d", "--stdin"))


def skips_hooks(call: Call, place: Place) -> bool:
    if call.program == "pre-commit":
        return call.words[:1] == ["uninstall"]
    command, words = split(call)
    paths = [word for word in call.words if word.lower().startswith("core.hookspath")]
    if paths and command == "config":
        asks = given(words, "", "--get", "--get-all", "--unset") or "get" in words[:1]
        return not asks and (len(words) > words.index(paths[0]) + 1)
    if any("=" in one for one in paths):
        return True
    if command not in WITH_HOOKS:
        return False
    return given(words, "", "--no-verify") or (command == "commit" and short_of_no_verify(words))


def short_of_no_verify(words: list[str]) -> bool:
    """-n among the letters of an option, before one that takes the rest as its value."""
    letters = [word[1:] for word in words if word[:1] == "-" and word[1:2] != "-"]
    return any("n" in one.partition("m")[0].partition("F")[0].partition("C")[0].partition("c")[0] for one in letters)


RULES = (
    Rule(
        "force-push",
        "deny",
        "overwrites others' commits; push without force, or with --force-with-lease",
        forces,
        "git",
    ),
    Rule(
        "git-discard",
        "ask",
        "throws away work or history that cannot be had back; commit or stash it first",
        discards,
        "git",
    ),
    Rule(
        "skip-hooks",
        "ask",
        "goes around the project's hooks; run it with them and mend what they find",
        skips_hooks,
        "git pre-commit",
    ),
)
