"""Before a frontend change: the guard, JSON that would still parse, and no server's secret in what browsers get."""

from __future__ import annotations

import os

from tenterhook.library.actions.happened import Happened
from tenterhook.library.actions.named.backend_validation import deny_if_unparsable
from tenterhook.library.actions.said import Said, deny
from tenterhook.library.actions.settings import Settings
from tenterhook.library.guard import judge

# Bundlers put variables with these prefixes into what every visitor can read.
PUBLIC = r"\b(?:NEXT_PUBLIC|VITE|REACT_APP|NUXT_PUBLIC|GATSBY|EXPO_PUBLIC|PUBLIC|VUE_APP)_\w*"
SECRET = r"(?:SECRET|PRIVATE_KEY|PASSWORD|SERVICE_ROLE|ACCESS_TOKEN)\w*"
PREFIXES = ("PUBLIC_", "VITE_", "REACT_APP_", "GATSBY_", "VUE_APP_")
CLIENT = ('"use client"', "'use client'")


def run(event: Happened, settings: Settings) -> Said:
    said = judge(event, settings)
    if said.decision == "deny" or not event.writes():
        return said
    name = find_exposed_secret("\n".join(event.texts()), event.after_change() or "")
    if name:
        where = os.path.relpath(event.path(), event.project)
        return deny(
            f"{where} gives browsers the server's secret {name}.\n"
            "Use it in code that runs on the server, and have the client ask that code."
        )
    return deny_if_unparsable(event, said)


def find_exposed_secret(added: str, whole: str) -> str:
    """The variable by which a secret would reach the client; nothing where there is none."""
    import re

    if any(prefix in added for prefix in PREFIXES):
        found = re.search(PUBLIC + SECRET, added)
        if found:
            return found[0]
    if "process.env" in added and whole.lstrip().startswith(CLIENT):
        found = re.search(r"process\.env\.(?!NEXT_PUBLIC_)(\w*" + SECRET + ")", added)
        return found[1] if found else ""
    return ""
