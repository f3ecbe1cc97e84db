"""The tools of a judge: Read, Grep and Glob, confined to the project's folder, whatever the model calls."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from inspect import iscoroutinefunction
from typing import Any

from tenterhook import dialects
from tenterhook.clients.tool_inputs import WrongInput
from tenterhook.clients.workspace.names import DialectTool, translate_tool_call
from tenterhook.clients.workspace.read_only import read_only_tools
from tenterhook.clients.workspace.workspace import Workspace, WorkspaceError
from tenterhook.errors import format_exception_line


class JudgeTools:
    """The tools of a read-only, confined workspace, by our own names."""

    def __init__(self, project: str, environ: Mapping[str, str]) -> None:
        self.dialect = dialects.get(dialects.DEFAULT)
        workspace = Workspace(project, read_only=True, confined=True, environ=environ)
        self.named = {one.name: one for one in (DialectTool(made, self.dialect) for made in read_only_tools(workspace))}
        self.definitions = [
            {"name": name, "description": one.definition.about, "parameters": one.parameters}
            for name, one in self.named.items()
        ]

    async def result(self, name: str, input: dict[str, Any]) -> str:
        """A call's result, or why there is none, for the model."""
        name, input = translate_tool_call(name, input, self.dialect)
        named = self.named.get(name)
        if named is None:
            return (
                f"there is no tool {name!r} here: there are {', '.join(self.named)}, and none of them changes anything"
            )
        function = named.definition.function
        try:
            given = named.ours(input)
            if iscoroutinefunction(function):
                return str(await function(**given))
            return str(await asyncio.to_thread(function, **given))
        except WrongInput as exc:
            return f"{name} does not take this input: {exc}"
        except WorkspaceError as exc:
            return str(exc)
        except Exception as exc:  # a file system can fail in unforeseen ways, and the model may try something else
            return f"{name} failed: {format_exception_line(exc)}"
