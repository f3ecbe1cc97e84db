"""What a server imports before the first client comes, and how it notices that its own files have changed."""

from __future__ import annotations

import importlib
import pkgutil
import sys

import tenterhook

# Imported before the first client comes, so that every worker and fork has it.
READY = (
    *(
        "author",
        "cli",
        "dialects",
        "handlers",
        "hosts.gate",
        "journal",
        "library.actions",
        "library.guard",
        "library.project",
    ),
    *("runtime.process", "runtime.sandbox", "runtime.supervisor", "support.readers", "support.shell", "trust"),
)
ELSEWHERE = ("cli.commands.agent", "cli.commands.serve")


def own_files() -> list[str]:
    """The files of our own loaded modules: when one changes, this process runs outdated code."""
    modules = [module for name, module in list(sys.modules.items()) if name.partition(".")[0] == tenterhook.__name__]
    return [file for module in modules if (file := getattr(module, "__file__", None))]


def get_ready() -> None:
    """Import what clients will need."""
    for package in READY:
        home = importlib.import_module(f"{tenterhook.__name__}.{package}")
        for one in pkgutil.walk_packages(home.__path__, f"{home.__name__}."):
            if one.name.partition(".")[2] not in ELSEWHERE:
                importlib.import_module(one.name)
