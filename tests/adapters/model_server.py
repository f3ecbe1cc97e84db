"""The model of the behaviour suite: OpenAI's chat completions over real HTTP, with replies that a case lays out."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from agent.provider_apis import chat_messages, chat_stream
from agent.provider_server import Api, Reply, Request, listening


class Turn(NamedTuple):
    """One reply of the model: a text, or calls of tools as (id, name, input)."""

    text: str = ""
    calls: tuple[tuple[str, str, dict[str, Any]], ...] = ()


class ScriptedModel(Api):
    """Each request takes the next turn; after the last one the model says that it is done."""

    def __init__(self, turns: list[Turn]) -> None:
        super().__init__()
        self.turns = turns

    def reply(self, request: Request) -> Reply:
        turn = self.turns.pop(0) if self.turns else Turn("Done.")
        events = chat_stream([turn.text] if turn.text else [], turn.calls)
        return Reply(events=tuple(events)) if request.body.get("stream") else Reply(body=completion(turn))

    def messages(self, number: int = -1) -> list[tuple[str, Any]]:
        """What the model was shown with a request, as (role, what) pairs."""
        return chat_messages(self.requests[number].body)

    def shown(self) -> str:
        """Everything that the model was ever shown, as text."""
        return "\n".join(str(chat_messages(request.body)) for request in self.requests)

    def result(self, id: str) -> str:
        """What the model got as the result of this call."""
        found = [what[1] for role, what in self.messages() if role == "result" and what[0] == id]
        assert len(found) == 1, f"{len(found)} results for the call {id}"
        return flat(found[0])

    def tools(self, number: int = -1) -> set[str]:
        return {tool["function"]["name"] for tool in self.requests[number].body.get("tools", ())}


def flat(content: Any) -> str:
    """The text of a message's content."""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def completion(turn: Turn) -> dict[str, Any]:
    from json import dumps

    message: dict[str, Any] = {"role": "assistant", "content": turn.text or None}
    if turn.calls:
        message["tool_calls"] = [
            {"id": id, "type": "function", "function": {"name": name, "arguments": dumps(given)}}
            for id, name, given in turn.calls
        ]
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if turn.calls else "stop"}
    usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    return {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}


@contextmanager
def model_server(*turns: Turn) -> Iterator[ScriptedModel]:
    with listening(ScriptedModel(list(turns))) as model:
        yield model
