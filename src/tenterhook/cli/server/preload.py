"""What a server imports before the first client comes, and how it notices that its own files have changed."""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys

import tenterhook

# Imported before the first client comes, so that every worker has it.
READY = (
    *("author", "dialects", "engine", "handlers", "hosts.gate", "journal", "pipeline", "runtime.process"),
    *("runtime.sandbox", "runtime.supervisor", "runtime.warm.host", "support.shell", "trust", "cli.commands.run"),
    *("cli.commands.fire", "cli.server.worker"),
)
# Imported by a worker for `tenter hook` alone, whose forks run these; a third of the memory.
OF_HOOKS = ("cli", "library.actions", "library.guard", "library.project", "support.readers")
ELSEWHERE = ("cli.commands.agent", "cli.commands.serve")


def own_files() -> list[str]:
    """The files of our own loaded modules: when one changes, this process runs outdated code. Clients know a version by
    `version.py`, which need not be loaded.
    """
    modules = [module for name, module in list(sys.modules.items()) if name.partition(".")[0] == tenterhook.__name__]
    files = [file for module in modules if (file := getattr(module, "__file__", None))]
    return list(dict.fromkeys([*files, os.path.join(tenterhook.__path__[0], "version.py")]))


def get_ready(names: tuple[str, ...] = READY) -> None:
    """Import what clients will need: modules, and packages with all that is in them."""
    for name in names:
        home = importlib.import_module(f"{tenterhook.__name__}.{name}")
        for one in pkgutil.walk_packages(getattr(home, "__path__", ()), f"{home.__name__}."):
            if one.name.partition(".")[2] not in ELSEWHERE:
                importlib.import_module(one.name)
