"""The usage of every command, for what is made of all of them: completion, the manual."""

from __future__ import annotations

from importlib import import_module

from tenterhook.cli.main import COMMANDS, GROUPS
from tenterhook.cli.options import CommandUsage

__all__ = ["COMMANDS", "GROUPS", "usages"]


def usages() -> dict[str, CommandUsage]:
    """By command, in the order of the overview."""
    grouped = [name for names in GROUPS.values() for name in names]
    return {name: usage_of(name) for name in dict.fromkeys([*grouped, *COMMANDS])}


def usage_of(command: str) -> CommandUsage:
    """Of its module's USAGE, or made by its `usage()` where each call would pay for it."""
    module = import_module(f"tenterhook.cli.commands.{command}")
    return module.usage() if hasattr(module, "usage") else module.USAGE  # type: ignore[no-any-return]
