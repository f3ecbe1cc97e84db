"""Requests and responses of google-genai for the tests of LLxprt Code's own API."""

from typing import Any

from google.genai import types as T  # noqa: N812

from hosts.models.genai_host import CALLED, COUNTS, RATING


def response(*parts: dict[str, Any]) -> Any:
    """A response of the SDK that says "Hello you", or has these parts."""
    content = {"role": "model", "parts": list(parts) or [{"text": "Hello you"}]}
    ratings = [{**RATING, "blocked": True}]
    candidate = {"content": content, "finishReason": "STOP", "index": 0, "safetyRatings": ratings}
    return T.GenerateContentResponse.model_validate(
        {"candidates": [candidate], "usageMetadata": COUNTS, "responseId": "r1", "modelVersion": "m"}
    )


def calling() -> Any:
    """One that wants to call a tool as well."""
    return response({"text": "Hello you"}, CALLED)
