"""A host over google-genai for the tests of llxprt's model events: its real client, an answer in every way to ask."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from google.genai import types as T  # noqa: N812

from clients.formats.genai_api import DELETE, LOOK_UP, MODEL, client
from clients.formats.loopback import Loopback, loopback, sse
from conftest import Project
from requirements.llxprt import group, settings
from tenterhook import Engine, Reply, Session
from tenterhook.hosts.model import BeforeModel
from tenterhook.hosts.steps import drive

WAYS = ["plain", "stream", "async", "async stream"]
STREAMS = ["stream", "async stream"]
ways = pytest.mark.parametrize("way", WAYS)

IMAGE = {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}
RATING = {"category": "HARM_CATEGORY_HARASSMENT", "probability": "LOW"}
COUNTS = {"promptTokenCount": 7, "candidatesTokenCount": 5, "totalTokenCount": 12}
CALLED = {"functionCall": {"name": "look_up", "args": {}}}
ANSWERED = {"functionResponse": {"name": "look_up", "response": {"result": "secret"}}}
TOOLS = [{"functionDeclarations": [LOOK_UP, DELETE]}]
PIECES = [{"text": "Hel"}, {"text": "lo "}, {"text": "you"}, CALLED]
STREAMED = ["Hel", "lo ", "you", None, ""]
# Blanks go where text is not shown: the parts of one candidate, whole or streamed.
RESPONSE = {
    "text": "Hello you",
    "candidates": [
        {
            "content": {"role": "model", "parts": ["Hello you"]},
            "finishReason": "STOP",
            "index": 0,
            "safetyRatings": [RATING],
        }
    ],
    "usageMetadata": COUNTS,
}
REQUEST = {
    "model": MODEL,
    "messages": [{"role": "user", "content": "look"}, {"role": "model", "content": "I ask"}],
    "config": {"temperature": 0.5, "topP": 0.9, "topK": 40, "maxOutputTokens": 100},
    "toolConfig": {"mode": "AUTO"},
}


def call(**more: Any) -> dict[str, Any]:
    """A call of the SDK with everything in it that hooks do not see, and a tool's result at its end."""
    contents = [
        {"role": "user", "parts": [{"text": "look"}, IMAGE]},
        {"role": "model", "parts": [{"text": "I ask"}, CALLED]},
        {"role": "user", "parts": [ANSWERED]},
    ]
    config = {
        "systemInstruction": "be kind",
        "tools": TOOLS,
        "toolConfig": {"functionCallingConfig": {"mode": "AUTO"}},
        "temperature": 0.5,
        "topP": 0.9,
        "topK": 40,
        "maxOutputTokens": 100,
    }
    return {"model": MODEL, "contents": contents, "config": config, **more}


BARE = {"model": MODEL, "contents": "hi"}


def hooked(project: Project, *, sequential: bool = False, matcher: str = "", **events: Any) -> Engine:
    """An engine for this project with these commands for each event."""
    keys = {"sequential": sequential, "matcher": matcher}
    groups = {name: [group(*(one if isinstance(one, list) else [one]), **keys)] for name, one in events.items()}
    project.write(".llxprt/settings.json", settings(**groups))
    return project.engine("llxprt")


def program(project: Project, name: str, change: str) -> str:
    """A hook that answers with a field of what it was told: `it` is that field, to be changed in place or anew."""
    field = name.partition(".")[0]
    lines = ["import json, sys", f"it = json.load(sys.stdin)[{field!r}]", change]
    answer = f"print(json.dumps({{'hookSpecificOutput': {{{field!r}: it}}}}))"
    return project.script(f"{name}.py", "\n".join([*lines, answer]) + "\n")


def candidate(*parts: Any, **more: Any) -> dict[str, Any]:
    held = {"content": {"role": "model", "parts": list(parts)}} if parts else {}
    made = {"candidates": [{**held, "index": 0, **more}], "usageMetadata": {"promptTokenCount": 7}}
    return {**made, "modelVersion": MODEL, "responseId": "r1"}


def lay_out(api: Loopback, way: str, *pieces: dict[str, Any], cut: bool = False, end: bool = True) -> None:
    """The server's next answer: a whole one, or a chunk for each piece. `cut` breaks the connection after them."""
    last = {"finishReason": "STOP", "safetyRatings": [{**RATING, "blocked": True}]}
    if "stream" in way:
        finish = [{**candidate({"text": ""}, **last), "usageMetadata": COUNTS}] if end and not cut else []
        api.events(*(sse(one) for one in [*map(candidate, pieces), *finish]), cut=cut)
    else:
        text = {"text": "".join(piece.get("text", "") for piece in pieces)}
        others = [piece for piece in pieces if "text" not in piece]
        api.json({**candidate(text, *others, **last), "usageMetadata": COUNTS})


@contextmanager
def serving() -> Iterator[Loopback]:
    """The API with one client and one event loop for all tests of a file: to make them takes longer than to ask."""
    with loopback() as api, client(api) as made, asyncio.Runner() as runner:
        api.client, api.run = made, runner.run
        yield api
        runner.run(made.aio.aclose())


def ask(host: Engine | Session, api: Loopback, way: str, given: Any = None) -> tuple[Reply, list[str | None]]:
    """One call through the real client; the reply, and the texts that a host showed while they were streamed."""
    arguments = call() if given is None else given
    models = api.client.aio.models if way.startswith("async") else api.client.models
    function = models.generate_content_stream if "stream" in way else models.generate_content
    model = host.model(function, format="genai", collect=True)
    if not way.startswith("async"):
        reply = model(**arguments)
        return reply, [chunk.text for chunk in reply] if way == "stream" else []

    async def later() -> tuple[Reply, list[str | None]]:
        reply = await model(**arguments)
        return reply, [chunk.text async for chunk in reply] if way == "async stream" else []

    return api.run(later())


def asked(host: Engine | Session, api: Loopback, way: str, given: Any = None) -> tuple[Reply, list[str | None]]:
    lay_out(api, way, *PIECES)
    return ask(host, api, way, given)


def sent(api: Loopback) -> list[tuple[str, str]]:
    """The texts of the last request, as the server got them."""
    return [(one["role"], part["text"]) for one in api.last["contents"] for part in one["parts"] if "text" in part]


def choice(api: Loopback) -> Any:
    return api.last["toolConfig"]["functionCallingConfig"]


def loop(host: Engine | Session, api: Loopback, way: str, limit: int = 3) -> int:
    """A host's loop, as long as the model calls a tool: it always does here. How many turns there were."""
    for turn in range(1, limit + 1):
        lay_out(api, way, *PIECES)
        reply, _ = ask(host, api, way)
        if reply.stop or not reply.response.function_calls:
            return turn
    return limit + 1


def genuine(response: Any) -> bool:
    """A response of the SDK's own type that looks like a real one."""
    return type(response) is T.GenerateContentResponse and bool(response.response_id and response.model_version)


def prepared(engine: Engine, given: dict[str, Any]) -> BeforeModel:
    return drive(engine, engine.model(lambda **call: None, format="genai").prepared(given))
