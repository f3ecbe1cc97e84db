"""What the copy of a warm interpreter does while it waits for an event: it runs the file of hooks, and rehearses.

The interpreter calls this for a file whose text says that it makes no difference when it runs. See runtime/warm.
"""

from __future__ import annotations

import sys

from tenterhook.author import answers, loading, own_forms, process
from tenterhook.author.calls import handle_event
from tenterhook.author.registered import Registered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType

KIND = "tool.before"
WORDS = ["", "--agent", own_forms.FORMS["name"], "--event", KIND, "--only", "", "--given", "{}"]
EVENT = b'{"tool_name": "Bash", "tool_input": {"command": "true"}, "session_id": "", "cwd": "/"}'


def run_file(path: str, code: CodeType, imports: list[tuple[str, tuple[str, ...]]]) -> None:
    """Run a file of hooks for the one call that this process gets. A file with an error reports it at the call."""
    rehearse()
    if not all(is_loaded(*one) for one in imports):
        return
    try:
        found = loading.run_code(code, path)
    except BaseException:
        return
    loading.AHEAD[path] = found


def is_loaded(module: str, names: tuple[str, ...]) -> bool:
    """Whether an import runs no code."""
    found = sys.modules.get(module)
    return found is not None and all(f"{module}.{name}" in sys.modules or hasattr(found, name) for name in names)


def rehearse() -> None:
    """Answer an event with a hook of our own: the memory of what that needs is copied now, and not when it counts."""
    hook = Registered(lambda event: answers.deny("no"), (KIND,), match="Bash", name="rehearsal")
    handle_event([hook], EVENT, process.parse_argv(WORDS), {})
