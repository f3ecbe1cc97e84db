"""The suite's model: real HTTP in the protocol of OpenAI, Anthropic or Google, with replies that a case lays out."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from clients.models.provider_apis import (
    ANTHROPIC,
    anthropic_messages,
    anthropic_stream,
    chat_messages,
    chat_stream,
    google_messages,
    google_stream,
    google_tools,
)
from clients.models.provider_server import Api, Reply, Request, listening


class Turn(NamedTuple):
    """One reply of the model: a text, or calls of tools as (id, name, input)."""

    text: str = ""
    calls: tuple[tuple[str, str, dict[str, Any]], ...] = ()


class ScriptedModel(Api):
    """Each request takes the next turn; after the last one the model says that it is done."""

    def __init__(self, turns: list[Turn]) -> None:
        super().__init__()
        self.turns = turns
        self.called: list[str] = []

    def reply(self, request: Request) -> Reply:
        if is_aside(request):
            self.requests.remove(request)
            return Reply(events=tuple(anthropic_stream(["A word."])))
        turn = self.turns.pop(0) if self.turns else Turn("Done.")
        self.called += [call[0] for call in turn.calls]
        texts = [turn.text] if turn.text else []
        if is_google(request):
            if "stream" in request.path.lower():
                return Reply(events=tuple(google_stream(texts, turn.calls)))
            return Reply(body=google_response(turn))
        if is_anthropic(request):
            return Reply(events=tuple(anthropic_stream(texts, turn.calls)))
        if request.body.get("stream"):
            return Reply(events=tuple(chat_stream(texts, turn.calls)))
        return Reply(body=completion(turn))

    def messages(self, number: int = -1) -> list[tuple[str, Any]]:
        """What the model was shown with a request, as (role, what) pairs."""
        return messages_in(self.requests[number])

    def shown(self) -> str:
        """Everything that the model was ever shown, as text."""
        return "\n".join(str(messages_in(request)) for request in self.requests)

    def result(self, id: str) -> str:
        """What the model got as the result of this call. Some SDKs give calls other ids, in the order of ours."""
        shown = [what[0] for role, what in self.messages() if role == "call"]
        if id not in shown and len(shown) == len(self.called):
            id = shown[self.called.index(id)]
        found = [what[1] for role, what in self.messages() if role == "result" and what[0] == id]
        assert len(found) == 1, f"{len(found)} results for the call {id}"
        return flat(found[0])

    def tools(self, number: int = -1) -> set[str]:
        request = self.requests[number]
        if is_google(request):
            return set(google_tools(request.body))
        if is_anthropic(request):
            return set(ANTHROPIC.tools(request.body))
        return {tool["function"]["name"] for tool in request.body.get("tools", ())}

    def streamed(self, number: int = -1) -> bool:
        request = self.requests[number]
        return bool(request.body.get("stream")) or "stream" in request.path.lower()


def is_google(request: Request) -> bool:
    return "contents" in request.body


def is_anthropic(request: Request) -> bool:
    return "/v1/messages" in request.path


def is_aside(request: Request) -> bool:
    """Claude Code asks for more than the turn: a title, a count of tokens. Those requests offer no tool."""
    return is_anthropic(request) and not request.body.get("tools")


def messages_in(request: Request) -> list[tuple[str, Any]]:
    if is_anthropic(request):
        return anthropic_messages(request.body)
    return google_messages(request.body) if is_google(request) else chat_messages(request.body)


def flat(content: Any) -> str:
    """The text of a message's content."""
    if isinstance(content, dict):
        return json.dumps(content)
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def google_response(turn: Turn) -> dict[str, Any]:
    parts: list[Any] = [{"text": turn.text}] if turn.text else []
    parts += [{"functionCall": {"id": id, "name": name, "args": given}} for id, name, given in turn.calls]
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": 11, "candidatesTokenCount": 7, "totalTokenCount": 18}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "m", "responseId": "r"}


def completion(turn: Turn) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": turn.text or None}
    if turn.calls:
        message["tool_calls"] = [
            {"id": id, "type": "function", "function": {"name": name, "arguments": json.dumps(given)}}
            for id, name, given in turn.calls
        ]
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if turn.calls else "stop"}
    usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    return {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}


@contextmanager
def model_server(*turns: Turn) -> Iterator[ScriptedModel]:
    with listening(ScriptedModel(list(turns))) as model:
        yield model
