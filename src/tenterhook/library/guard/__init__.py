"""Is it safe? What a tool is about to do, looked at before it does it.

    danger/       rules about the programs that a command calls; support/shell/ reads it as a shell would
    branches.py   what a command does to branches of git
    paths.py      where may be written
    secret.py     what looks like a secret in a text
    own.py        our own settings among others in a file
    look.py       all of these for one command, path or text: what library/ asks too

A seat belt, not a cell: it sees what is written in a command or a file, not what a program does once it runs.
"""

from __future__ import annotations

import os

from tenterhook.errors import ConfigError
from tenterhook.library.actions.happened import COMMANDS, PATHS
from tenterhook.library.actions.said import Said, ask, deny, fine
from tenterhook.library.guard import look, own

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.library.actions.happened import Happened
    from tenterhook.library.actions.settings import Settings
    from tenterhook.library.guard.finding import Finding
    from tenterhook.library.guard.paths import Place

# How tools that move files call the two ends.
ENDS = ("source", "destination", "old_path", "new_path")


def judge(event: Happened, settings: Settings) -> Said:
    """The strongest of all that is against a tool's call: a deny before an ask."""
    if settings.rules:
        check_names(settings)
    command, texts = any(event.text_inputs(COMMANDS)), event.texts()
    found: list[Finding] = []
    if texts or moves(event):
        found += about_files(event, settings)
    if command:
        found += about_command(event, settings)
    if found:
        return answer(found)
    if command:
        return fine("the guard found nothing against the command")
    if texts:
        return fine(f"the guard found nothing against writing {os.path.basename(event.path()) or 'the text'}")
    return fine("nothing to check: no command and no text to be written")


def answer(found: list[Finding]) -> Said:
    """All findings in one reason, denies first. The model reads it: how a rule is loosened stands in the docs alone."""
    found = sorted(found, key=lambda one: one.decision != "deny")
    denied = found[0].decision == "deny"
    first = "The guard refuses this:" if denied else "The guard wants the user's word for this:"
    reason = "\n".join((first, *look.in_words(found)))
    note = f"{'refused' if denied else 'asked'}: {', '.join(dict.fromkeys(one.rule for one in found))}"
    return deny(reason, note=note) if denied else ask(reason, note=note)


# ---- commands


def about_command(event: Happened, settings: Settings) -> list[Finding]:
    from tenterhook.library.guard.paths import Place

    place, found = Place(event.project, settings), []
    decision = settings.rules.get(look.IN_COMMAND, "ask")
    for text in event.text_inputs(COMMANDS):
        found += look.at_command(text, place, event.folder())
        found += look.secrets_of_command(text, decision)
    return found


# ---- files


def about_files(event: Happened, settings: Settings) -> list[Finding]:
    from tenterhook.library.guard.paths import Place

    place = Place(event.project, settings)
    return [
        *look.at_paths(collect_write_paths(event), place),
        *own_settings(event, place),
        *secrets(event, settings, place),
    ]


def own_settings(event: Happened, place: Place) -> list[Finding]:
    """What a tool would change of the guard's settings in a file that holds others too."""
    path = event.path()
    if os.path.basename(path) != own.FILE or not own.changes_own_settings(path, event.after_change(), event.texts()):
        return []
    one = place.finding("agent-settings", f"tool.tenterhook in {place.shown(path)}")
    return [one] if one else []


def moves(event: Happened) -> bool:
    """Whether the tool takes files away, for which it needs no text."""
    return any(word in event.tool.lower() for word in ("delete", "remove", "move", "rename"))


def collect_write_paths(event: Happened) -> list[str]:
    """The paths that a tool is to write: as given, since a link before `..` leads elsewhere; and those in a patch."""
    given = event.text_inputs((*PATHS, *ENDS) if moves(event) else PATHS)
    home = [os.path.expanduser(one) for one in given if one.startswith("~")]
    named = [os.path.join(event.cwd, one) for one in (*given, *home) if one]
    patch = event.input.get("patch")
    if isinstance(patch, str):
        from tenterhook.support.patches import in_patch

        named += [os.path.join(event.cwd, one) for one in in_patch(patch)]
    return named


def secrets(event: Happened, settings: Settings, place: Place) -> list[Finding]:
    """What a tool would write that looks like a secret and was not there before."""
    decision, path = settings.rules.get(look.SECRET, "deny"), event.path()
    if decision == "allow" or look.may_hold_secrets(path, place):
        return []
    name = place.shown(path) if path else "the text"
    return look.secrets_of_texts(event.texts(), name, decision, "\n".join(event.old_texts()))


# ---- names


def check_names(settings: Settings) -> None:
    """A rule that does not exist would be switched without effect."""
    known = look.names()
    for name in settings.rules:
        problem = look.check_name(name, known)
        if problem:
            raise ConfigError(f"actions.rules: {problem}", file=settings.file)
