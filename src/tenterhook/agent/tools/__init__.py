"""What the agent can do: one file per tool, each with a function `definition` that makes it for a project.

A tool's function takes its inputs by the names in `inputs` and gives a text, or raises with words for the model. What
each dialect's agent calls the tool and its inputs is the dialect's data; see agent/names.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from msgspec import Struct

if TYPE_CHECKING:
    from tenterhook.agent.workspace import Workspace


class Definition(Struct, frozen=True):
    """A tool as a model is told of it, and what it does."""

    name: str
    about: str
    # JSON Schemas of the inputs, by our names for them.
    inputs: dict[str, dict[str, Any]]
    function: Callable[..., Any]
    required: tuple[str, ...] = ()
    # Whether the user is to be asked first; a function is given the input by our names.
    asks: bool | Callable[[dict[str, Any]], bool] = False
    # The whole JSON Schema, where it says more than its inputs do: what they refer to, say.
    schema: dict[str, Any] | None = None


def built_in(workspace: Workspace) -> list[Definition]:
    """All that a workspace allows: one that is read-only is not written to, and a shell cannot be confined."""
    from tenterhook.agent.tools import bash, edit, glob, grep, read, write

    modules = [read, grep, glob]
    if not workspace.read_only:
        modules = [read, write, edit, grep, glob]
        if not workspace.confined:
            modules = [bash, *modules]
    return [module.definition(workspace) for module in modules]
