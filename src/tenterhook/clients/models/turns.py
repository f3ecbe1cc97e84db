"""A conversation in the library's types, arranged so that every API accepts it.

The APIs want alternating turns: user and model, the user first and last, each call followed by its result, no empty
texts. A conversation that hooks have changed need not be like that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from itertools import groupby
from typing import Any

from tenterhook.clients.formats.messages import ROLES
from tenterhook.clients.formats.plain import PLAIN
from tenterhook.support.terminal.text import as_json

Message = dict[str, Any]

UNSAFE = re.compile(r"[^A-Za-z0-9_-]")
LONGEST = 64

# Used if an API needs a user message and there is none.
GO_ON = "Go on."
NO_RESULT = "There is no result: the call was not completed."
CALLED = "[called {name}: {input}]"
STRAY = "The result of an earlier call of {name}:\n{text}"


class Names:
    """Map tool names to names that every API accepts, and back: letters, digits, `_` and `-`, a letter first, at most
    64.
    """

    def __init__(self, tools: Iterable[dict[str, Any]], messages: Iterable[Message] = ()) -> None:
        self.defined = [str(tool["name"]) for tool in tools]
        called = [str(call.get("name")) for message in messages for call in message.get("tool_calls") or ()]
        every = dict.fromkeys([*self.defined, *called])
        # Valid names come first, so that no other one can take their place.
        self.safe = {name: name for name in every if safe(name) == name}
        for name in every:
            if name not in self.safe:
                self.safe[name] = self.free(name)
        self.back = {theirs: ours for ours, theirs in self.safe.items()}

    def free(self, name: str) -> str:
        """The same for every order of the tools, unless two names differ only in unsafe characters."""
        new = safe(name)
        return f"{new[: LONGEST - 9]}_{digest(name)}" if new in self.safe.values() else new

    def theirs(self, name: str) -> str:
        return self.safe[name]

    def ours(self, name: str) -> str:
        """A name that the model invented stays as it is."""
        return self.back.get(name, name)

    def definitions(self, ai: Any, tools: Iterable[dict[str, Any]]) -> list[Any]:
        empty = {"type": "object", "properties": {}}
        return [
            ai.ToolDefinition(
                name=self.theirs(str(tool["name"])),
                description=tool.get("description") or None,
                parameters_json_schema=tool.get("parameters") or empty,
            )
            for tool in tools
        ]


def safe(name: str) -> str:
    new = UNSAFE.sub("_", name)
    new = new if new[:1].isalpha() or new[:1] == "_" else f"_{new}"
    return new if len(new) <= LONGEST else f"{new[: LONGEST - 9]}_{digest(name)}"


def digest(name: str) -> str:
    return blake2b(name.encode(errors="surrogatepass"), digest_size=4).hexdigest()


def turns(ai: Any, messages: Sequence[Message], names: Names) -> list[Any]:
    """Requests and responses in turn, a request first and last."""
    usable = [message if names.defined else render_calls_as_text(message) for message in messages if says(message)]
    made: list[Any] = []
    calls: list[dict[str, Any]] = []
    for models, group in groupby(usable, key=is_models):
        if models:
            if not made:
                made.append(ai.ModelRequest(parts=[ai.UserPromptPart(content=GO_ON)]))
            replies = list(group)
            calls = [call for message in replies for call in calls_of(message)]
            made.append(response(ai, replies, calls, names))
        else:
            made.append(request(ai, list(group), calls, names))
            calls = []
    if calls or not made or made[-1].kind == "response":
        made.append(request(ai, [], calls, names))
    return made


def says(message: Message) -> bool:
    return bool(PLAIN.text(message).strip() or message.get("tool_calls") or is_result(message))


def render_calls_as_text(message: Message) -> Message:
    """Its calls as text: some APIs refuse a conversation with calls if no tool is defined."""
    calls = [CALLED.format(name=call.get("name"), input=as_json(call.get("input"))) for call in calls_of(message)]
    if not calls:
        return message
    rest = {key: value for key, value in message.items() if key != "tool_calls"}
    return {**rest, "content": "\n".join(filter(None, [PLAIN.text(message), *calls]))}


def calls_of(message: Message) -> list[dict[str, Any]]:
    return list(message.get("tool_calls") or ())


def is_models(message: Message) -> bool:
    return ROLES.get(message.get("role", "")) == "model"


def is_result(message: Message) -> bool:
    return message.get("role") == "tool" or "tool_call_id" in message


def response(ai: Any, messages: list[Message], calls: list[dict[str, Any]], names: Names) -> Any:
    """The model's text, and after it its calls."""
    texts = [text for message in messages if (text := PLAIN.text(message)).strip()]
    made = [
        ai.ToolCallPart(
            tool_name=names.theirs(str(call.get("name"))),
            args=call.get("input") or {},
            tool_call_id=sanitise_call_id(call),
        )
        for call in calls
    ]
    return ai.ModelResponse(parts=[*(ai.TextPart(content=text) for text in texts), *made])


def request(ai: Any, messages: list[Message], calls: list[dict[str, Any]], names: Names) -> Any:
    """The results of the calls before it, in their order, then everything else."""
    results = {str(message.get("tool_call_id")): message for message in messages if is_result(message)}
    parts = []
    for call in calls:
        result = results.pop(str(call.get("id")), None)
        text = NO_RESULT if result is None else PLAIN.text(result)
        name = names.theirs(str(call.get("name")))
        parts.append(ai.ToolReturnPart(tool_name=name, content=text, tool_call_id=sanitise_call_id(call)))
    stray = list(results.values())
    rest = [build_prompt_part(ai, message) for message in messages if not is_result(message) or message in stray]
    if not parts and all(part.part_kind == "system-prompt" for part in rest):
        rest.append(ai.UserPromptPart(content=GO_ON))
    return ai.ModelRequest(parts=[*parts, *rest])


def build_prompt_part(ai: Any, message: Message) -> Any:
    text = PLAIN.text(message)
    if is_result(message):
        return ai.UserPromptPart(content=STRAY.format(name=message.get("name") or "a tool", text=text))
    if ROLES.get(message.get("role", "")) == "system":
        return ai.SystemPromptPart(content=text)
    return ai.UserPromptPart(content=text)


def sanitise_call_id(call: dict[str, Any]) -> str:
    return UNSAFE.sub("_", str(call.get("id")))
