"""Task: a subagent does a piece of work in its own conversation; its last message is the result."""

from __future__ import annotations

from collections.abc import Callable

from tenterhook.clients.tool_definition import Definition

ABOUT = (
    "Gives a piece of work to a subagent, which has the same tools and none of this conversation. Its last words are "
    "the result. Say all that it has to know."
)


def definition(start: Callable[..., object]) -> Definition:
    """`start` is the agent's function that starts one."""
    return Definition(
        "Task",
        ABOUT,
        {
            "prompt": {"type": "string", "description": "the work, with all that the subagent has to know"},
            "description": {"type": "string", "description": "the work in a few words"},
            "subagent_type": {"type": "string", "description": "what kind of agent it shall be"},
        },
        start,
    )
