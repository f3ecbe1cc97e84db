"""The event on stdin of `tenter hook`: nested as in its own interface, or flat as agents write it, in any spelling."""

from __future__ import annotations

from tenterhook.author import callers, inputs
from tenterhook.errors import UsageError
from tenterhook.library.parts.timed import TimedEvent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

LARGEST = 32 << 20
NESTED = {"id": "session_id", "cwd": "cwd", "projectDir": "project_dir"}
# Names of the event's name, and of everything else that actions look at; an agent's own are in its forms.
NAMES = ("eventType", "hook_event_name", "hookEventName", "hook_type", "event")
SPELLINGS = {
    "tool_name": ("toolName", "tool_name"),
    "tool_input": ("toolInput", "tool_input", "toolArgs", "tool_args"),
    "tool_output": ("toolOutput", "tool_output", "tool_response", "toolResponse"),
    "session": ("sessionId", "session_id", "session"),
    "project": ("projectDir", "project_dir", "project"),
    "prompt": ("prompt", "user_prompt", "userPrompt", "message", "input", "text"),
    "stop_hook_active": ("stop_hook_active", "stopHookActive"),
}
TEXTS = ("tool_name", "session", "cwd", "project")


def read(given: bytes) -> dict[str, Any]:
    """One JSON object, flat; empty input is an event without data."""
    if len(given) > LARGEST:
        raise UsageError(f"the event on stdin is larger than {LARGEST >> 20} MiB")
    return flatten(callers.payload(given)) if given.strip() else {}


def flatten(raw: dict[str, Any]) -> dict[str, Any]:
    """Flatten the nested form: groups become fields beside the others; fields in `data` have the lowest rank."""
    session, inner = table(raw, "session"), table(raw, "data")
    flat = {**inner, **{key: value for key, value in raw.items() if value is not session and value is not inner}}
    flat |= {ours: session[name] for name, ours in NESTED.items() if session.get(name)}
    for name in NAMES:
        if not isinstance(flat.get(name), str | None):
            raise UsageError(f"the event's {name} must be text, not {type(flat[name]).__name__}")
    if "eventType" in flat:
        flat.setdefault("hook_event_name", flat.pop("eventType"))
    return flat


def table(raw: dict[str, Any], key: str) -> dict[str, Any]:
    found = raw.get(key)
    if found is None or isinstance(found, str):  # some agents give only the session's id
        return {}
    if not isinstance(found, dict):
        raise UsageError(f"the event's {key} must be an object, not {type(found).__name__}")
    return found


def event_of(
    flat: dict[str, Any], kind: str, name: str, dialect: dict[str, Any], environ: Mapping[str, str]
) -> TimedEvent:
    """The event of that kind and name in our words, checked: a value of the wrong type raises."""
    found = {ours: value(flat, names) for ours, names in SPELLINGS.items()}
    known = {ours: one for ours, one in found.items() if one is not None}
    event = callers.event_in({**flat, **known}, dialect, name, environ)
    event.kind = kind
    for key in TEXTS:
        check_text(key, event.data.get(key))
    given = event.data.get("tool_input")
    if not (given is None or isinstance(given, dict) or (isinstance(given, str) and inputs.patch(event.input))):
        raise UsageError(f"the event's tool input must be an object, not {type(given).__name__}")
    return TimedEvent(event)


def value(flat: dict[str, Any], names: tuple[str, ...]) -> Any:
    return next((flat[name] for name in names if flat.get(name) is not None), None)


def check_text(key: str, found: object) -> None:
    found = found[0] if key == "project" and isinstance(found, list) and found else found  # of several, the first
    if found is not None and (not isinstance(found, str) or "\0" in found):
        raise UsageError(f"the event's {key} must be text, not {found!r:.80}")
