"""The host's own values, and whether it has hooks at all."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from typing import Any

from tenterhook.config.settings import CHOICES as SETTINGS
from tenterhook.dialects.llxprt import DIALECT
from tenterhook.engine.engine import Engine
from tenterhook.errors import UsageError, check_choice, folder
from tenterhook.hosts.llxprt.registry import engine_of, settings_of
from tenterhook.hosts.llxprt.system import HookSystem
from tenterhook.trust import CHOICES


class Config:
    """Hooks are off by default: then nothing is made, read or started.

    `enable_hooks=None` lets the settings files decide, which are read now. `hooks` has the form of the key "hooks" in
    settings.json and replaces the files, whose hooks are read when the first event fires. A host whose session or
    folder changes overrides the methods. `secrets`, `sandbox` and `journal` are as for an engine.
    """

    def __init__(
        self,
        project: str | os.PathLike[str] = ".",
        *,
        enable_hooks: bool | None = False,
        hooks: dict[str, Any] | None = None,
        session_id: str = "",
        trust: str = "all",
        home: str | os.PathLike[str] | None = None,
        environ: Mapping[str, str] | None = None,
        secrets: str = "",
        sandbox: str = "",
        journal: bool | str | os.PathLike[str] | None = None,
    ) -> None:
        check_choice("trust", trust, CHOICES)
        check_choice("secrets", secrets or "strip", SETTINGS["secrets"])
        check_choice("sandbox", sandbox or "default", SETTINGS["sandbox"])
        if hooks is not None and not isinstance(hooks, dict):
            raise UsageError(f"hooks must be a mapping of events to lists of groups, not {type(hooks).__name__}")
        self.project = folder(project) if enable_hooks is not False else os.path.abspath(project)
        self.hooks, self.session_id = hooks, session_id or os.urandom(16).hex()
        # The options of the engine.
        self.options: dict[str, Any] = {"trust": trust, "home": home, "environ": environ}
        self.options |= {"secrets": secrets, "sandbox": sandbox, "journal": journal}
        self.enable_hooks = self.said_in_files() if enable_hooks is None else enable_hooks
        self.lock = threading.Lock()
        self.system: HookSystem | None = None

    def said_in_files(self) -> bool:
        return not Engine(self.project, dialect=DIALECT, on_config_error="warn", **self.options).ready().off

    def get_enable_hooks(self) -> bool:
        return self.enable_hooks

    def get_hook_system(self) -> HookSystem | None:
        """The one system of this config; None while hooks are off. No file is read here."""
        if not self.get_enable_hooks():
            return None
        with self.lock:
            if self.system is None:
                self.system = HookSystem(self)
            return self.system

    def get_session_id(self) -> str:
        return self.session_id

    def get_working_dir(self) -> str:
        return self.project

    def get_hooks(self) -> dict[str, Any]:
        """The hooks by event, as the key "hooks" in settings.json has them: the given ones, else those of the files.

        The settings of the project, the user and the system, in this order; without the hooks of extensions, untrusted
        hooks, and keys of our own.
        """
        if self.hooks is not None:
            return self.hooks
        return settings_of(self.system.engine if self.system else engine_of(self))

    def own_hooks(self) -> dict[str, Any] | None:
        """The hooks that replace the files; None if the files count."""
        return self.hooks if type(self).get_hooks is Config.get_hooks else self.get_hooks()

    def close(self) -> None:
        """End what runs for this config, and finish writing its journal. Hooks may be fired again afterwards."""
        if self.system is not None:
            self.system.engine.close()

    def __enter__(self) -> Config:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def get_hook_system(config: Config) -> HookSystem | None:
    return config.get_hook_system()
