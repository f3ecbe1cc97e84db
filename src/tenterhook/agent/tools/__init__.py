"""What the agent can do: one file per tool, each with a function `definition` that makes it for a project. Tools that
only read are in clients/workspace/.

A tool's function takes its inputs by the names in `inputs` and gives a text, or raises with words for the model. What
each dialect's agent calls the tool and its inputs is the dialect's data; see clients/workspace/names.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tenterhook.clients.tool_definition import Definition
    from tenterhook.clients.workspace.workspace import Workspace


def built_in(workspace: Workspace) -> list[Definition]:
    """All tools that a workspace allows: none that write if it is read-only, no shell if it is confined."""
    from tenterhook.agent.tools import bash, edit, write
    from tenterhook.clients.workspace.read_only import read_only_tools

    reading = read_only_tools(workspace)
    if workspace.read_only:
        return reading
    read, *others = reading
    tools = [read, write.definition(workspace), edit.definition(workspace), *others]
    return tools if workspace.confined else [bash.definition(workspace), *tools]
