"""Check a command, a path or a text by the guard's rules, for any caller and any form of event.

The settings of a Territory switch the rules by name.
"""

from __future__ import annotations

from tenterhook.errors import UsageError, nearest
from tenterhook.library.guard.finding import Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from tenterhook.library.guard.paths import Territory

SECRET, IN_COMMAND = "secret", "secret-in-command"
INSTEAD = "read it from the environment or a secret store; where it is none, say so to the user"
# Files that are meant to hold secrets, or hold only checksums.
KEEPERS = ("env-file", "lock-file")
MOST, LONGEST = 12, 1800


def at_command(text: str, place: Territory, folder: str, *, programs: bool = True, paths: bool = True) -> list[Finding]:
    """All findings about a shell text: about the programs that it calls, and the paths that they write."""
    from tenterhook.library.guard import danger, secret

    values = tuple(text[start:end] for _, start, end in secret.find_secret_spans(text))
    return danger.findings(text, place, folder, values, programs=programs, paths=paths)


def secrets_of_command(text: str, decision: str) -> list[Finding]:
    from tenterhook.library.guard import secret

    lines = secret.describe_new_secrets(text) if decision != "allow" else []
    return [Finding(IN_COMMAND, decision, f"the command holds {line}; {INSTEAD}") for line in lines]


def at_paths(paths: Iterable[str], place: Territory) -> list[Finding]:
    """All findings about writing these paths; each text once."""
    found: dict[str, Finding] = {}
    for path in paths:
        try:
            one = place.judged(path)
        except ValueError:
            raise UsageError(f"the tool's path {path!r:.80} cannot be the path of a file") from None
        if one:
            found.setdefault(one.text, one)
    return list(found.values())


def may_hold_secrets(path: str, place: Territory) -> bool:
    """Whether a file is meant to hold secrets, or the settings say that apparent secrets in it are none."""
    from tenterhook.library.guard.paths import below, matches_any_glob

    inside = below(path, place.project)
    if not inside:
        return False
    globs = place.settings.not_secret
    return place.rule_inside(inside) in KEEPERS or bool(globs and matches_any_glob(inside, globs))


def secrets_of_texts(texts: Iterable[str], name: str, decision: str, before: str = "") -> list[Finding]:
    """Findings about new secrets in texts for a file of that name."""
    from tenterhook.library.guard import secret

    return [
        Finding(SECRET, decision, f"{name}, {line}; {INSTEAD}")
        for text in texts
        for line in secret.describe_new_secrets(text, before=before)
    ]


def weigh(found: list[Finding], name: str) -> tuple[str, str]:
    """The decision of all findings, a deny before an ask; and the reason, one line per finding, denies first."""
    ordered = sorted(found, key=lambda one: one.decision != "deny")
    lines = [f"- {one.text} [{one.rule}]" for one in ordered[:MOST]]
    if len(found) > MOST:
        lines.append(f"- and {len(found) - MOST} more")
    decision = ordered[0].decision
    first = f"{name} refuses this:" if decision == "deny" else f"{name} wants the user's word for this:"
    return decision, "\n".join((first, *lines))[:LONGEST]


def check_name(name: str, known: Iterable[str]) -> str:
    """What is wrong with the name of a rule; empty if the rule exists."""
    known = set(known)
    return "" if name in known else f"there is no rule {name!r}{nearest(name, known)} to switch"


def names() -> set[str]:
    """The names of all rules."""
    from tenterhook.library.guard import paths
    from tenterhook.library.guard.danger import rules

    return {*rules.RULES, *paths.RULES, SECRET, IN_COMMAND}
