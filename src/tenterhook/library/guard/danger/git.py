"""Rules about git: history and work that cannot be had back, and hooks that are gone around."""

from __future__ import annotations

from tenterhook.library.guard.finding import Rule
from tenterhook.library.guard.paths import Place
from tenterhook.support.shell.calls import Call
from tenterhook.support.shell.wrappers import after_options
from tenterhook.support.shell.writes import whole

GLOBAL = ["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env"]
HOOKS_PATH = "core.hookspath"
WITH_HOOKS = ("commit", "push", "merge", "rebase", "am", "cherry-pick", "revert", "pull")


def split_subcommand(call: Call) -> tuple[str, list[str]]:
    """The subcommand and its words."""
    at = after_options(call.words, GLOBAL)
    rest = call.words[at:]
    return (rest[0], rest[1:]) if rest else ("", [])


def has_option(words: list[str], letter: str, *names: str) -> bool:
    """Whether an option is there, by its letter, alone or among others, or by a long name."""
    before = words[: words.index("--")] if "--" in words else words
    return any(
        is_short_for(word.partition("=")[0], names)
        or (letter and word[:1] == "-" and word[1:2] != "-" and letter in word[1:])
        for word in before
    )


def is_short_for(word: str, names: tuple[str, ...]) -> bool:
    """Git takes the beginning of a long option for the whole."""
    return word in names or (word[:2] == "--" and len(word) > 4 and any(name.startswith(word) for name in names))


def forces(call: Call, place: Place) -> bool:
    command, words = split_subcommand(call)
    if command != "push" or has_option(words, "n", "--dry-run"):
        return False
    pushed = [word for word in words if not word.startswith("-")]
    return has_option(words, "f", "--force", "--mirror") or any(word.startswith("+") for word in pushed[1:])


def discards(call: Call, place: Place) -> bool:
    command, words = split_subcommand(call)
    first = words[0] if words else ""
    if command == "reset":
        return has_option(words, "", "--hard", "--merge")
    if command == "clean":
        return has_option(words, "f", "--force") and not has_option(words, "n", "--dry-run")
    if command in ("checkout", "switch"):
        return has_option(words, "f", "--force", "--discard-changes") or bool({".", ":/", "*"} & set(words))
    if command == "restore":
        index_only = has_option(words, "S", "--staged") and not has_option(words, "W", "--worktree")
        return bool({".", ":/", "*"} & set(words)) and not index_only
    if command == "rm":
        return bool({".", ":/", "*", "./"} & set(words)) and not has_option(words, "", "--cached")
    if command == "checkout-index":
        return has_option(words, "f", "--force")
    if command == "branch":
        return has_option(words, "D") or (has_option(words, "d", "--delete") and has_option(words, "f", "--force"))
    if command == "push":
        pushed = [word for word in words if not word.startswith("-")]
        return has_option(words, "d", "--delete", "--prune") or any(word.startswith(":") for word in pushed[1:])
    if command in ("stash", "reflog"):
        return first in ("clear", "drop", "expire", "delete")
    if command == "worktree":
        return first == "remove" and has_option(words, "f", "--force")
    if command == "gc":
        return "--prune=now" in words or "--prune=all" in words
    return command in ("filter-branch", "filter-repo") or (
        command == "update-ref" and has_option(words, "d", "--stdin")
    )


def skips_hooks(call: Call, place: Place) -> bool:
    if call.program == "pre-commit":
        return call.words[:1] == ["uninstall"]
    command, words = split_subcommand(call)
    if any(value.lower() == HOOKS_PATH for name, value in call.assigned.items() if name.startswith("GIT_CONFIG_KEY")):
        return True
    if HOOKS_PATH in call.assigned.get("GIT_CONFIG_PARAMETERS", "").lower():
        return True
    paths = [word for word in call.words if word.lower().removeprefix("--config-env=").startswith(HOOKS_PATH)]
    if paths and command == "config":
        asks = has_option(words, "", "--get", "--get-all") or "get" in words[:1]
        sets = len(words) > words.index(paths[0]) + 1 or has_option(
            words, "", "--unset", "--unset-all", "--remove-section"
        )
        return not asks and (sets or "unset" in words[:1])
    if any("=" in one for one in paths):
        return True
    if command not in WITH_HOOKS:
        return False
    return has_option(words, "", "--no-verify") or (command == "commit" and short_of_no_verify(words))


def short_of_no_verify(words: list[str]) -> bool:
    """-n among the letters of an option, before one that takes the rest as its value."""
    letters = [word[1:] for word in words if word[:1] == "-" and word[1:2] != "-"]
    return any("n" in one.partition("m")[0].partition("F")[0].partition("C")[0].partition("c")[0] for one in letters)


def restores_settings(call: Call, place: Place) -> bool:
    """Files of another commit in the place of those that guard agents."""
    command, words = split_subcommand(call)
    if command == "checkout":
        words = words[words.index("--") + 1 :] if "--" in words else words[1:]
    elif command not in ("restore", "mv", "rm"):
        return False
    named = [whole(call, word) for word in words if not word.startswith("-")]
    found = [one for path in named if path and (one := place.judged(f"{path}/"))]
    return any(one.rule in ("agent-settings", "protected-path") for one in found)


RULES = (
    Rule(
        "agent-settings",
        "deny",
        "changes the settings and hooks that guard agents; tell the user what should change",
        restores_settings,
        "git",
    ),
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
