"""The manager of AMCP's hooks, and a function for each event that its program fires."""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import Any

from tenterhook.config.locations import resolve_config_path
from tenterhook.dialects.amcp import DIALECT
from tenterhook.engine.engine import Engine
from tenterhook.hosts.amcp.records import HookConfig, HookEvent, HookHandler, HookInput, HookOutput
from tenterhook.hosts.with_hooks import with_hooks
from tenterhook.support import logs
from tenterhook.types import Hook

# The package's logger: its listeners get everything.
logger = logs.redacting_logger(__package__)

# Rule files and plugins are not part of AMCP's document; the log warns that these files have no effect here.
UNREAD = ("hooks/*.md", "plugins/*/hooks/*.md", "plugins/*/hooks.toml")


class HooksManager:
    """The hooks of one project. `hooks` shows what its files say, and may be changed.

    `trust` is "all" by default: every hook of the project runs.
    """

    def __init__(self, project_dir: str | PathLike[str] | None = None, *, trust: str = "all") -> None:
        self.project_dir = Path(project_dir) if project_dir else Path.cwd()
        self.trust = trust
        self.hooks: dict[HookEvent, HookConfig] = {}
        self.engine = Engine(self.project_dir, dialect=DIALECT, trust=trust, on_config_error="warn")
        self.aside: list[Hook] = []
        self.loaded = False

    def load_config(self) -> None:
        """Read the files, once. Mistakes in them are logged; the rest of them works."""
        with self.engine.lock:
            if not self.loaded:
                self.show()
                self.loaded = True

    def show(self) -> None:
        for hook in self.engine.hooks():
            if hook.overridden or not hook.trusted:
                self.aside.append(hook)
            else:
                config = self.hooks.setdefault(HookEvent(hook.event), HookConfig())
                config.handlers.append(HookHandler.of(hook))
        for text in (*self.engine.warnings, *self.unread()):
            logger.warning(text)
        self.engine.warned.update(self.engine.warnings)

    def unread(self) -> Iterator[str]:
        user = resolve_config_path("@config/amcp", self.engine.project, self.engine.home, self.engine.environ)
        for folder in (self.project_dir / ".amcp", Path(user)):
            for path in (path for pattern in UNREAD for path in sorted(folder.glob(pattern))):
                yield f"{path}: rule files and plugins are not read; write its hooks into {folder / 'hooks.toml'}"

    def get_handlers(self, event: HookEvent, tool_name: str | None = None) -> list[HookHandler]:
        """The hooks that would run."""
        target = self.engine.rule(event.value).target.field
        return [one for one in self.all_of(event) if one.enabled and (not target or one.matches(tool_name))]

    def all_of(self, event: HookEvent) -> list[HookHandler]:
        self.load_config()
        return self.hooks[event].handlers if event in self.hooks else []

    async def execute_hooks(self, event: HookEvent, hook_input: HookInput, tool_name: str | None = None) -> HookOutput:
        """Run the hooks of an event. A hook that fails is logged and never raises."""
        hooks = [one.as_hook(event) for one in self.all_of(event)]
        data = hook_input.to_dict()
        if tool_name:
            data["tool_name"] = tool_name
        outcome = await with_hooks(self.engine, (*self.aside, *hooks)).afire(event.value, **data)
        return HookOutput.from_outcome(outcome, hook_input.tool_input or {})

    def close(self) -> None:
        """End what still runs; the manager may be used again."""
        self.engine.close()


current: HooksManager | None = None


def get_hooks_manager(project_dir: str | PathLike[str] | None = None, *, trust: str | None = None) -> HooksManager:
    """The manager that the functions below use; a new one for another project or another trust.

    A trust that was given once also counts for the following projects.
    """
    global current
    project = Path(project_dir) if project_dir else current.project_dir if current else Path.cwd()
    wanted = trust or (current.trust if current else "all")
    if current is None or (current.project_dir, current.trust) != (project, wanted):
        current = HooksManager(project, trust=wanted)
    return current


def reset_hooks_manager() -> None:
    """Forget the manager and its trust: files are read again, by a manager that trusts everything."""
    global current
    if current:
        current.close()
    current = None


Folder = str | PathLike[str] | None


async def run(event: HookEvent, session_id: str, project_dir: Folder, **given: Any) -> HookOutput:
    cwd = str(project_dir or Path.cwd())
    hook_input = HookInput(session_id=session_id, hook_event_name=event.value, cwd=cwd, **given)
    return await get_hooks_manager(project_dir).execute_hooks(event, hook_input, given.get("tool_name"))


async def run_pre_tool_use_hooks(
    session_id: str,
    tool_name: str,
    tool_input: dict[str, Any],
    tool_use_id: str | None = None,
    project_dir: Folder = None,
) -> HookOutput:
    """Before a tool runs: check `decision`, then lay `updated_input` over the input."""
    given = {"tool_name": tool_name, "tool_input": tool_input, "tool_use_id": tool_use_id}
    return await run(HookEvent.PRE_TOOL_USE, session_id, project_dir, **given)


async def run_post_tool_use_hooks(
    session_id: str,
    tool_name: str,
    tool_input: dict[str, Any],
    tool_response: Any,
    tool_use_id: str | None = None,
    project_dir: Folder = None,
) -> HookOutput:
    """After a tool ran: `updated_response` replaces the response, `feedback` is for the model."""
    given = {"tool_name": tool_name, "tool_input": tool_input, "tool_use_id": tool_use_id}
    return await run(HookEvent.POST_TOOL_USE, session_id, project_dir, tool_response=tool_response, **given)


async def run_user_prompt_hooks(session_id: str, prompt: str, project_dir: Folder = None) -> HookOutput:
    return await run(HookEvent.USER_PROMPT_SUBMIT, session_id, project_dir, prompt=prompt)


async def run_session_start_hooks(session_id: str, project_dir: Folder = None) -> HookOutput:
    return await run(HookEvent.SESSION_START, session_id, project_dir)


async def run_session_end_hooks(session_id: str, project_dir: Folder = None) -> HookOutput:
    return await run(HookEvent.SESSION_END, session_id, project_dir)


async def run_stop_hooks(session_id: str, project_dir: Folder = None) -> HookOutput:
    """The agent wants to stop; a DENY keeps it going, with the reason as its next task."""
    return await run(HookEvent.STOP, session_id, project_dir)


async def run_pre_compact_hooks(session_id: str, compact_type: str = "auto", project_dir: Folder = None) -> HookOutput:
    return await run(HookEvent.PRE_COMPACT, session_id, project_dir, metadata={"compact_type": compact_type})
