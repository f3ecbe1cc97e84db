"""Git: bypassed hooks, and settings that are replaced."""

from __future__ import annotations

from tenterhook.library.guard.danger.rules import from_subcommand
from tenterhook.library.guard.paths import Territory
from tenterhook.support.shell.calls import ProgramCall
from tenterhook.support.shell.programs import whole
from tenterhook.support.shell.wrappers import has_option

HOOKS_PATH = "core.hookspath"
WITH_HOOKS = ("commit", "push", "merge", "rebase", "am", "cherry-pick", "revert", "pull")


def skips_hooks(call: ProgramCall, place: Territory) -> bool:
    command, *words = from_subcommand(call) or [""]
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


def restores_settings(call: ProgramCall, place: Territory) -> bool:
    """Whether it replaces the files that guard agents by those of another commit."""
    command, *words = from_subcommand(call) or [""]
    if command == "checkout":
        words = words[words.index("--") + 1 :] if "--" in words else words[1:]
    elif command not in ("restore", "mv", "rm"):
        return False
    named = [whole(call, word) for word in words if not word.startswith("-")]
    found = [one for path in named if path and (one := place.judged(f"{path}/"))]
    return any(one.rule in ("agent-settings", "protected-path") for one in found)
