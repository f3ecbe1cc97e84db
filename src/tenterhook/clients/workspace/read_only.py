"""The tools that only read: Read, Grep and Glob."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tenterhook.clients.workspace import glob, grep, read

if TYPE_CHECKING:
    from tenterhook.clients.tool_definition import Definition
    from tenterhook.clients.workspace.workspace import Workspace


def read_only_tools(workspace: Workspace) -> list[Definition]:
    return [module.definition(workspace) for module in (read, grep, glob)]
