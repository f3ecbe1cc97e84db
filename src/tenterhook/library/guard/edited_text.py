"""The text of a file before and after a change that a tool call asks for."""

from __future__ import annotations

from tenterhook.author import inputs
from tenterhook.support import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.author.event import Event


def text_after(event: Event) -> str | None:
    """The file's text after the change; None if that is not known beforehand."""
    for name in inputs.WHOLE:
        if isinstance(event.input.get(name), str):
            return str(event.input[name])
    try:
        now = files.text(event.path)
    except (OSError, ValueError):
        return None
    for edit in inputs.edits(event.input) or [event.input]:
        old, new = (next((edit[name] for name in names if name in edit), None) for names in (inputs.OLD, inputs.NEW))
        if not isinstance(old, str) or not isinstance(new, str) or not old or old not in now:
            return None
        now = now.replace(old, new) if edit.get("replace_all") else now.replace(old, new, 1)
    return now


def text_before(path: str) -> str:
    """The file's text; a missing file, or one that is not text, counts as one that parses."""
    try:
        return files.text(path)
    except (OSError, ValueError):
        return "" if not path.endswith((".json", ".jsonc")) else "{}"
