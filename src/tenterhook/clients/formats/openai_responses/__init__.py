"""OpenAI's Responses: client.responses.create, whole and streamed. `instructions` stay in the call, unseen by hooks."""

from __future__ import annotations

from tenterhook.clients.formats.openai_responses.request import apply_request, apply_tools, has_tools, request_view
from tenterhook.clients.formats.openai_responses.response import (
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
