"""The event that an action is called for, however the caller wrote it: nested or flat, camelCase or snake_case."""

from __future__ import annotations

import os
import time

from tenterhook.errors import UsageError
from tenterhook.support import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

LARGEST = 32 << 20
# The flat names for what the nested form groups, the agents' own spellings first.
NAMES = {
    "kind": ("eventType", "hook_event_name", "hookEventName", "hook_type", "event"),
    "tool": ("toolName", "tool_name"),
    "input": ("toolInput", "tool_input", "toolArgs", "tool_args"),
    "output": ("toolOutput", "tool_output", "tool_response", "toolResponse"),
    "session": ("sessionId", "session_id"),
    "project": ("projectDir", "project_dir", "project"),
    "cwd": ("cwd",),
    "agent": ("agent", "agentName", "agent_name", "agentType", "agent_type", "agent_id"),
}
# How tools call what an action looks for.
PATHS = ("file_path", "path", "notebook_path", "absolute_path", "filename", "filePath", "file")
COMMANDS = ("command", "cmd")
FOLDERS = ("directory", "dir_path", "workdir", "work_dir", "working_directory", "cwd")
TEXTS = ("content", "file_text", "new_string", "new_str", "newText", "new_source", "text", "patch")
OLD_TEXTS = ("old_string", "old_str", "oldText")


class Happened:
    """One event as an action sees it. `project` is a whole path; `tool` and `input` are empty where there are none."""

    __slots__ = (
        *(
            "agent",
            "began",
            "cwd",
            "data",
            "deadline",
            "input",
            "kind",
            "limit",
            "output",
            "project",
            "session",
            "tool",
        ),
    )

    def __init__(self, kind: str, data: dict[str, Any], *, seconds: float, project: str = "") -> None:
        self.kind, self.data = kind, data
        self.begin(seconds)
        session, inner = table(data, "session"), table(data, "data")
        flat = {**inner, **data}
        self.tool = text(flat, "tool")
        self.input: dict[str, Any] = normalise_tool_input(self.tool, value(flat, "input"))
        self.output = value(flat, "output")
        self.session = session.get("id") or text(flat, "session")
        self.agent = text(flat, "agent")
        self.cwd = session.get("cwd") or text(flat, "cwd") or os.getcwd()
        project = session.get("projectDir") or text(flat, "project") or project or self.cwd
        for name, one in (("session.id", self.session), ("session.cwd", self.cwd), ("session.projectDir", project)):
            if not isinstance(one, str) or "\0" in one:
                raise UsageError(f"the event's {name} must be text, not {one!r:.80}")
        self.project = os.path.abspath(project)

    def begin(self, seconds: float, limit: Callable[[], float] | None = None) -> None:
        """From now on its budget runs. `limit` finds another one, which takes its time: only `settle` asks for it."""
        self.began = time.monotonic()
        self.deadline = self.began + seconds
        self.limit = limit

    def settle(self) -> None:
        """Before something is run that may take all of its time: the hook's own time-out becomes the budget."""
        found = self.limit() if self.limit else 0.0
        self.limit = None
        if found:
            self.deadline = self.began + found

    def left(self) -> float:
        """Seconds of the action's budget that are left."""
        return max(0.0, self.deadline - time.monotonic())

    def path(self) -> str:
        """The whole path of the file that the tool works on; empty where it works on none."""
        found = self.text_input(PATHS)
        if not found:
            return ""
        if found == "~" or found.startswith("~/"):
            found = os.path.expanduser(found)
        return os.path.normpath(os.path.join(self.cwd, found))

    def writes(self) -> bool:
        """Whether the tool changes a file: it is given a path, and something to put there."""
        return bool(self.texts() and self.path())

    def command(self) -> str:
        return self.text_input(COMMANDS)

    def folder(self) -> str:
        """Where the tool runs its command."""
        return os.path.abspath(os.path.join(self.cwd, self.text_input(FOLDERS)))

    def text_input(self, names: tuple[str, ...]) -> str:
        return next(iter(self.text_inputs(names)), "")

    def text_inputs(self, names: tuple[str, ...]) -> list[str]:
        """All that is given under these names: which of them a tool goes by is known to the tool alone."""
        for name in names:
            if not isinstance(self.input.get(name, ""), str):
                raise UsageError(f"the tool's {name} must be text, not {type(self.input[name]).__name__}")
        return [self.input[name] for name in names if name in self.input]

    def texts(self) -> list[str]:
        """The texts that the tool is about to write, or wrote."""
        return self.texts_of(TEXTS)

    def old_texts(self) -> list[str]:
        """The texts that make place for them, as far as the tool is told."""
        return self.texts_of(OLD_TEXTS)

    def texts_of(self, names: tuple[str, ...]) -> list[str]:
        given = (self.input, *self.edits())
        return [one[name] for one in given for name in names if isinstance(one.get(name), str)]

    def edits(self) -> list[dict[str, Any]]:
        """Several edits of one call."""
        return [one for one in list_or_empty(self.input.get("edits")) if isinstance(one, dict)]

    def after_change(self) -> str | None:
        """The file's text as it will be; None where that cannot be told beforehand."""
        for name in ("content", "file_text"):
            if isinstance(self.input.get(name), str):
                return str(self.input[name])
        try:
            now = files.text(self.path())
        except (OSError, ValueError):
            return None
        for edit in self.edits() or [self.input]:
            old, new = edit.get("old_string"), edit.get("new_string")
            if not isinstance(old, str) or not isinstance(new, str) or not old or old not in now:
                return None
            now = now.replace(old, new) if edit.get("replace_all") else now.replace(old, new, 1)
        return now


def table(data: dict[str, Any], key: str) -> dict[str, Any]:
    found = data.get(key)
    if found is None or isinstance(found, str):  # some agents give a session by its id alone
        return {}
    if not isinstance(found, dict):
        raise UsageError(f"the event's {key} must be an object, not {type(found).__name__}")
    return found


def normalise_tool_input(tool: str, found: Any) -> dict[str, Any]:
    """A tool's input; a patch in it stands under `patch`, whatever the agent calls it, or though it be all of it."""
    if isinstance(found, str):
        found = written_out(found)
    if isinstance(found, dict) and "patch" in tool.lower():
        from tenterhook.author import tools
        from tenterhook.author.inputs import PATCHES, patch

        held = next((name for name in PATCHES if patch({name: found.get(name)})), "")
        if held and tools.kind(tool) in tools.WRITING:
            found = {**{name: one for name, one in found.items() if name != held}, "patch": found[held]}
    if found is not None and not isinstance(found, dict):
        raise UsageError(f"the event's tool input must be an object, not {type(found).__name__}")
    return found or {}


def written_out(text: str) -> Any:
    """What a text stands for that is the whole input: an object or a text in JSON, a patch; else itself."""
    import json

    from tenterhook.author.inputs import patch

    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = text
    return {"patch": found} if isinstance(found, str) and patch({"patch": found}) else found


def value(flat: dict[str, Any], what: str) -> Any:
    return next((flat[name] for name in NAMES[what] if flat.get(name) is not None), None)


def text(flat: dict[str, Any], what: str) -> str:
    found = value(flat, what)
    if found is not None and not isinstance(found, str):
        raise UsageError(f"the event's {what} must be text, not {type(found).__name__}")
    return found or ""


def list_or_empty(found: object) -> list[Any]:
    return found if isinstance(found, list) else []


def read(text: bytes) -> dict[str, Any]:
    """One JSON object; nothing at all is an event without data."""
    import json

    if len(text) > LARGEST:
        raise UsageError(f"the event on stdin is larger than {LARGEST >> 20} MiB")
    if not text.strip():
        return {}
    try:
        found = json.loads(text.decode("utf-8-sig"))
    except (ValueError, RecursionError) as exc:
        raise UsageError(f"the event on stdin is no JSON: {exc}") from None
    if not isinstance(found, dict):
        raise UsageError(f"the event on stdin must be one JSON object, not {type(found).__name__}")
    return found
