"""Rules about git: lost history and work, and bypassed hooks."""

from __future__ import annotations

from tenterhook.library.guard.finding import Rule
from tenterhook.library.guard.paths import Place
from tenterhook.support.shell.calls import Call
from tenterhook.support.shell.programs import whole
from tenterhook.support.shell.wrappers import after_options, operands

GLOBAL = ["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env"]
HOOKS_PATH = "core.hookspath"
# Subcommands, the signs that make them dangerous (one of each group between &), and those that make them harmless.
FORCES = (("push", "-f --force --mirror +*", "-n --dry-run"),)
DISCARDS = (
    ("reset", "--hard --merge", ""),
    ("clean", "-f --force", "-n --dry-run"),
    ("checkout switch", "-f --force --discard-changes . :/ *", ""),
    ("restore", ". :/ *", "-S --staged"),
    ("restore", ". :/ * & -W --worktree", ""),
    ("rm", ". :/ * ./", "--cached"),
    ("checkout-index", "-f --force", ""),
    ("branch", "-D", ""),
    ("branch", "-d --delete & -f --force", ""),
    ("push", "-d --delete --prune :*", ""),
    ("stash reflog", "=clear =drop =expire =delete", ""),
    ("worktree", "=remove & -f --force", ""),
    ("gc", "--prune=now --prune=all", ""),
    ("filter-branch filter-repo", "", ""),
    ("update-ref", "-d --stdin", ""),
)
WITH_HOOKS = ("commit", "push", "merge", "rebase", "am", "cherry-pick", "revert", "pull")


def split_subcommand(call: Call) -> tuple[str, list[str]]:
    """The subcommand and its arguments."""
    at = after_options(call.words, GLOBAL)
    rest = call.words[at:]
    return (rest[0], rest[1:]) if rest else ("", [])


def has_option(words: list[str], letter: str, *names: str) -> bool:
    """Whether an option is given: by its letter, alone or among others, or by a long name."""
    before = words[: words.index("--")] if "--" in words else words
    return any(
        is_short_for(word.partition("=")[0], names)
        or (letter and word[:1] == "-" and word[1:2] != "-" and letter in word[1:])
        for word in before
    )


def is_short_for(word: str, names: tuple[str, ...]) -> bool:
    """Whether a word abbreviates a long option: git accepts that."""
    return word in names or (word[:2] == "--" and len(word) > 4 and any(name.startswith(word) for name in names))


def holds(words: list[str], sign: str) -> bool:
    """Whether a sign of the tables is present: an option, a word, =word as the first, :* a ref that begins so."""
    if sign[1:] == "*":
        return any(word[:1] == sign[0] for word in operands(words)[1:])
    if sign[:1] == "=":
        return words[:1] == [sign[1:]]
    if sign[:1] != "-" or "=" in sign:
        return sign in words
    return has_option(words, "", sign) if sign[:2] == "--" else has_option(words, sign[1:])


def is_one_of(call: Call, rows: tuple[tuple[str, str, str], ...]) -> bool:
    command, words = split_subcommand(call)
    return any(
        all(any(holds(words, sign) for sign in group.split()) for group in wanted.split("&") if group)
        and not any(holds(words, sign) for sign in unless.split())
        for commands, wanted, unless in rows
        if command in commands.split()
    )


def forces(call: Call, place: Place) -> bool:
    return is_one_of(call, FORCES)


def discards(call: Call, place: Place) -> bool:
    return is_one_of(call, DISCARDS)


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
    """Whether -n is among the letters of an option, before a letter that takes the rest as its value."""
    letters = [word[1:] for word in words if word[:1] == "-" and word[1:2] != "-"]
    return any("n" in one.partition("m")[0].partition("F")[0].partition("C")[0].partition("c")[0] for one in letters)


def restores_settings(call: Call, place: Place) -> bool:
    """Whether it replaces the files that guard agents by those of another commit."""
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
