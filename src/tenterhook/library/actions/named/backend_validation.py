"""Before a backend change: the guard, and a file that would still parse (Python, JSON, TOML, YAML)."""

from __future__ import annotations

import os

from tenterhook.library.actions.happened import Happened
from tenterhook.library.actions.said import Said, deny, fine
from tenterhook.library.actions.settings import Settings
from tenterhook.library.guard import judge
from tenterhook.support import files


def run(event: Happened, settings: Settings) -> Said:
    said = judge(event, settings)
    return said if said.decision == "deny" or not event.writes() else deny_if_unparsable(event, said)


def deny_if_unparsable(event: Happened, said: Said) -> Said:
    """What was said, unless the change breaks the file. One that is broken already may be mended in steps."""
    from tenterhook.library.project.config_files.syntax import first_error

    path, text = event.path(), event.after_change()
    name = os.path.relpath(path, event.project)
    if text is None:
        return said
    wrong = first_error(path, text)
    if not wrong:
        return said
    if first_error(path, now(path)):
        return said if said.decision == "ask" else fine(f"{name} does not parse, and did not before: {wrong}")
    return deny(f"{name} would not parse after this change: {wrong}\nWrite it so that it parses as a whole.")


def now(path: str) -> str:
    """The file's text; one that is not there, or is no text, counts as one that parses."""
    try:
        return files.text(path)
    except (OSError, ValueError):
        return "" if not path.endswith((".json", ".jsonc")) else "{}"
