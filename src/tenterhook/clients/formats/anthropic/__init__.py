"""Anthropic's Messages API: `client.messages.create`, also with `stream=True`.

The `system` argument is not part of the messages: hooks do not see it, and it stays. A system message among the
messages is allowed only on newer models and only in some places, so one that a hook adds is sent as a user's, which
every model accepts; those that the call already had keep their role, even if a hook moves them.

Since 1.0 the SDK takes temperature, top_p and top_k only in `extra_body`; all versions accept them there, so they are
added there.
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
