"""What a host says about itself, and whether it has hooks at all."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from typing import Any

from tenterhook.choices import check_choice, folder
from tenterhook.dialects.llxprt import DIALECT
from tenterhook.engine import Engine
from tenterhook.errors import UsageError
from tenterhook.hosts.llxprt.system import HookSystem
from tenterhook.trust import CHOICES


class Config:
    """Hooks are off unless the host says otherwise: then nothing is made, read or started.

    `enable_hooks=None` leaves the word to the settings files, which are asked now. `hooks` has the form of the key
    "hooks" in settings.json and stands in place of the files, whose hooks are read when the first event fires. A host
    whose session or folder changes overrides the methods.
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
    ) -> None:
        check_choice("trust", trust, CHOICES)
        if hooks is not None and not isinstance(hooks, dict):
            raise UsageError(f"hooks must be a mapping of events to lists of groups, not {type(hooks).__name__}")
        self.project = folder(project) if enable_hooks is not False else os.path.abspath(project)
        self.hooks, self.session_id = hooks, session_id or os.urandom(16).hex()
        self.trust, self.home, self.environ = trust, home, environ
        self.enable_hooks = self.said_in_files() if enable_hooks is None else enable_hooks
        self.lock = threading.Lock()
        self.system: HookSystem | None = None

    def said_in_files(self) -> bool:
        options = {"trust": self.trust, "home": self.home, "environ": self.environ, "on_config_error": "warn"}
        return not Engine(self.project, dialect=DIALECT, **options).ready().off  # type: ignore[arg-type]

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

    def get_hooks(self) -> dict[str, Any] | None:
        """The hooks that the host gave; None where they stand in settings files."""
        return self.hooks


def get_hook_system(config: Config) -> HookSystem | None:
    return config.get_hook_system()
