"""Anthropic's Messages API: `client.messages.create`, also with `stream=True`.

The `system` argument stands outside of the messages: hooks do not see it, and it stays. A message with the role system
stands among the messages only on newer models and only in some places, so one that a hook adds is sent as a user's,
which every model takes; those that the call already had keep their role, also where a hook moves them.

Since 1.0 the SDK takes temperature, top_p and top_k in `extra_body` alone; as all versions do, they are added there.
"""

from __future__ import annotations

from tenterhook.clients.formats.anthropic.request import apply_request, apply_tools, has_tools, request_view
from tenterhook.clients.formats.anthropic.response import (
    as_chunks,
    build_response,
    called_tools,
    collector,
    is_response,
    response_view,
)

__all__ = [
    "apply_request",
    "apply_tools",
    "as_chunks",
    "build_response",
    "called_tools",
    "collector",
    "has_tools",
    "is_response",
    "request_view",
    "response_view",
]
