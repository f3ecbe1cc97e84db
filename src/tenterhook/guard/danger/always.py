"""Rules about every call, whatever the program."""

from __future__ import annotations

from tenterhook.guard.calls import Call
from tenterhook.guard.finding import Rule
from tenterhook.guard.paths import Place
from tenterhook.guard.shell.records import UNKNOWN
from tenterhook.guard.wrappers import PRIVILEGED

# Variables that switch hooks off.
SWITCHES = ("TENTERHOOK_OFF", "HUSKY", "HUSKY_SKIP_HOOKS", "LEFTHOOK", "SKIP", "PRE_COMMIT_ALLOW_NO_CONFIG")


def unknown(call: Call, place: Place) -> bool:
    return UNKNOWN in call.program


def privileged(call: Call, place: Place) -> bool:
    return call.program in PRIVILEGED or any(one in PRIVILEGED for one in call.by)


def forks(call: Call, place: Place) -> bool:
    """A function that calls itself in a pipe or in the background."""
    name = call.function
    return bool(name) and call.program == name and (call.background or any(one.program == name for one in call.fed))


def switches_off(call: Call, place: Place) -> bool:
    exported = [word.partition("=")[0] for word in call.words] if call.program in ("export", "declare") else []
    return any(name in SWITCHES for name in (*call.assigned, *exported))


RULES = (
    Rule(
        "unknown-program",
        "ask",
        "which program this runs only the shell knows; write the program's name",
        unknown,
    ),
    Rule(
        "privileged", "ask", "runs with the rights of another user; do it without, or have the user run it", privileged
    ),
    Rule("fork-bomb", "deny", "a function that starts itself without end; leave it out", forks),
    Rule("skip-hooks", "ask", "switches off hooks; run it with them and mend what they find", switches_off),
)
