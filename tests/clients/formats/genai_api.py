"""What the tests of google-genai share: its client on the loopback, an answer, two functions."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from google import genai as google
from google.genai import types as T  # noqa: N812

from .loopback import Loopback

MODEL = "gemini-3.8-flash"
ANSWER = {
    "candidates": [{"content": {"role": "model", "parts": [{"text": "hi"}]}, "finishReason": "STOP"}],
    "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
    "modelVersion": MODEL,
    "responseId": "r1",
}
LOOK_UP = {"name": "look_up", "description": "Look up.", "parameters": {"type": "OBJECT", "properties": {}}}
DELETE = {"name": "delete", "description": "Delete.", "parameters": {"type": "OBJECT", "properties": {}}}


@contextmanager
def client(api: Loopback) -> Iterator[google.Client]:
    plain = {"verify": False}  # to read the certificates of the world takes longer than a test
    options = T.HttpOptions(base_url=api.url, client_args=plain, async_client_args=plain)
    made = google.Client(api_key="none", http_options=options)
    try:
        yield made
    finally:
        made.close()


def sent(api: Loopback, call: dict[str, Any]) -> dict[str, Any]:
    """The body that the server gets of a call."""
    api.json(ANSWER)
    with client(api) as made:
        made.models.generate_content(**call)
    return api.last
