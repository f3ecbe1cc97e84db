"""The guard's rules for an author's event: the same rules as those of `tenter hook`, set up by a hook's options."""

from __future__ import annotations

import os

from tenterhook.author import hook
from tenterhook.errors import UsageError
from tenterhook.library.actions.settings import ActionSettings
from tenterhook.library.guard import look
from tenterhook.library.guard.paths import Territory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from tenterhook.author import Answer, Event
    from tenterhook.library.guard.finding import Finding


def rule_overrides(known: Iterable[str], **lists: tuple[str, ...]) -> dict[str, str]:
    """The decisions of rules by name: `allow=`, `ask=` and `deny=` are lists of names."""
    known = set(known)
    rules: dict[str, str] = {}
    for decision, names in lists.items():
        for name in names:
            problem = look.check_name(name, known)
            if problem or name in rules:
                raise UsageError(f"{decision}: {problem or f'{name} is in two lists'}")
            rules[name] = decision
    return rules


def place(event: Event, rules: dict[str, str], **lists: tuple[str, ...]) -> Territory:
    """The project with its rules; `protected`, `outside` and `not_secret` are lists of globs and folders."""
    settings = ActionSettings()
    settings.rules = rules
    for name, value in lists.items():
        setattr(settings, name, list(value))
    return Territory(os.path.abspath(event.project), settings)


def answer(found: list[Finding], name: str) -> Answer | None:
    """One answer for all findings: a deny before an ask."""
    if not found:
        return None
    decision, reason = look.weigh(found, name)
    return hook.deny(reason) if decision == "deny" else hook.ask(reason)
