"""google-genai: calls of client.models.generate_content and generate_content_stream, and of their client.aio twins."""

from __future__ import annotations

from tenterhook.clients.formats.genai.request import apply_request, apply_tools, has_tools, request_view
from tenterhook.clients.formats.genai.response import (
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
