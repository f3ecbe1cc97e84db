"""OpenAI's Chat Completions: client.chat.completions.create, whole and streamed."""

from __future__ import annotations

import time
import uuid
from typing import Any

from tenterhook.clients.formats import Call, View, sdk
from tenterhook.clients.formats.candidates import Candidate, counts, recount, usable_candidates
from tenterhook.clients.formats.messages import Names, rebuilt, render_visible_messages
from tenterhook.clients.formats.openai_shared import (
    OWN_ROLES,
    CallableTool,
    apply_options,
    build_tool_choice,
    copy_without_field,
    dump_set_fields,
    options,
    retold,
    stable_role,
    system_word,
    texts,
    tool_config,
    tool_name,
    unchosen,
    usage_view,
)
from tenterhook.clients.formats.tools import NO_TOOLS, apply_choice, apply_config
from tenterhook.clients.formats.values import (
    asked_type,
    call_argument,
    copy_with_fields,
    get,
    list_from_iterable,
    read_as,
)

NAMES = {
    "temperature": "temperature",
    "topP": "top_p",
    "stopSequences": "stop",
    "candidateCount": "n",
    "presencePenalty": "presence_penalty",
    "frequencyPenalty": "frequency_penalty",
    "seed": "seed",
}
ENDS = {
    "stop": "STOP",
    "length": "MAX_TOKENS",
    "content_filter": "SAFETY",
    "tool_calls": "STOP",
    "function_call": "STOP",
}
OWN_ENDS = {"MAX_TOKENS": "length", "SAFETY": "content_filter", "RECITATION": "content_filter"}


class ChatMessages:
    """How Chat Completions write a message."""

    def __init__(self, messages: list[Any]) -> None:
        self.roles = {**OWN_ROLES, "system": system_word(messages)}

    def role(self, message: Any) -> str:
        return stable_role(message)

    def text(self, message: Any) -> str:
        return "".join(texts(get(message, "content")))

    def change(self, message: Any, text: str) -> Any:
        return copy_with_fields(message, content=retold(get(message, "content"), text))

    def new(self, role: str, text: str) -> Any:
        return {"role": self.roles[role], "content": text}

    def calls(self, message: Any) -> list[str]:
        calls = list_from_iterable(get(message, "tool_calls"), "tool_calls")
        return [get(call, "id") for call in calls if get(call, "id")]

    def results(self, message: Any) -> list[str]:
        return [get(message, "tool_call_id")] if get(message, "role") == "tool" else []

    def without(self, message: Any, ids: set[str]) -> Any:
        if self.results(message):
            return None
        left = [call for call in get(message, "tool_calls") if get(call, "id") not in ids]
        if left:
            return copy_with_fields(message, tool_calls=left)
        return copy_without_field(message, "tool_calls") if get(message, "content") else None


def names(call: Call) -> Names:
    """max_tokens is the older name, the only one that some servers know."""
    old = call_argument(call, "max_tokens") is not None and call_argument(call, "max_completion_tokens") is None
    return {**NAMES, "maxOutputTokens": "max_tokens" if old else "max_completion_tokens"}


def request_view(call: Call) -> View:
    messages = list_from_iterable(call_argument(call, "messages"), "messages")
    view = options(call, names(call))
    older = tool_config(call_argument(call, "function_call"))
    return {
        "model": view.pop("model"),
        "messages": render_visible_messages(messages, ChatMessages(messages)),
        **({"toolConfig": older} if older else {}),
        **view,
    }


def apply_request(view: View, call: Call) -> tuple[Call, list[str]]:
    before = request_view(call)
    new, problems = apply_options(view, before, call, names(call))
    if "messages" in view and view["messages"] != before["messages"]:
        messages = list_from_iterable(call_argument(call, "messages"), "messages")
        kind = ChatMessages(messages)
        new["messages"], more = rebuilt(messages, view["messages"], kind)
        problems += more
    new, more = apply_choice(view, before, new, choose, unchosen)
    return new, problems + more


def has_tools(call: Call) -> bool:
    return bool(definitions(call))


def apply_tools(config: View, call: Call) -> tuple[Call, list[str]]:
    return apply_config(config, request_view(call).get("toolConfig", {}), call, choose)


def choose(mode: str, allowed: list[str] | None, call: Call) -> tuple[Call, list[str]]:
    """The call with a tool choice. The API refuses one if there are no tools."""
    tools = definitions(call)
    if not tools:
        return dict(call), [NO_TOOLS] if mode == "ANY" or allowed else []
    choice, problems = build_tool_choice(mode, allowed, tools, several)
    if call_argument(call, "tools") is None:
        return choose_older(choice, call, problems)
    return {**call, "tool_choice": choice}, problems


def choose_older(choice: Any, call: Call, problems: list[str]) -> tuple[Call, list[str]]:
    """`functions`, the older form of `tools`: automatic, none, or one function."""
    if choice in ("auto", "none"):
        return {**call, "function_call": choice}, problems
    name = get(get(choice, "function"), "name")
    if name:
        return {**call, "function_call": {"name": name}}, problems
    return dict(call), [*problems, "`functions` cannot be limited like this, only `tools` can: left as it was"]


def several(mode: str, pointers: list[Any]) -> Any:
    return {"type": "allowed_tools", "allowed_tools": {"mode": mode, "tools": pointers}}


def definitions(call: Call) -> list[CallableTool]:
    tools = list_from_iterable(call_argument(call, "tools"), "tools")
    older = [
        {"type": "function", "function": one}
        for one in list_from_iterable(call_argument(call, "functions"), "functions")
    ]
    found = [(get(tool, "type") or "function", tool_name(tool)) for tool in [*tools, *older]]
    return [CallableTool(name, {"type": kind, kind: {"name": name}}) for kind, name in found]


def is_response(response: Any) -> bool:
    return get(response, "choices") is not None


def response_view(response: Any) -> View:
    candidates = [choice_view(choice) for choice in get(response, "choices") or ()]
    first = candidates[0]["content"]["parts"] if candidates else []
    usage = usage_view(get(response, "usage"), "prompt_tokens", "completion_tokens")
    return {"text": "".join(first), "candidates": candidates, **usage}


def choice_view(choice: Any) -> View:
    end = get(choice, "finish_reason")
    return {
        "content": {"role": "model", "parts": texts(get(get(choice, "message"), "content"))},
        **({"finishReason": ENDS.get(end, "OTHER")} if end else {}),
        "index": get(choice, "index"),
    }


def build_response(view: View, call: Call, base: Any = None) -> Any:
    """The completion always has a choice here, if an empty one: callers read the first without a check."""
    types = sdk("openai", "openai.types.chat", "openai")
    schema = asked_type(call_argument(call, "response_format"))
    before = None if base is None else response_view(base)
    tokens = recount(view, before)
    completion = (types.ParsedChatCompletion if schema else types.ChatCompletion).model_construct(
        id=f"chatcmpl-{uuid.uuid4().hex}",
        object="chat.completion",
        created=int(time.time()),
        model=str(call_argument(call, "model") or ""),
        choices=[made_choice(one, schema) for one in usable_candidates(view, before) or [Candidate([])]],
        usage=dict(zip(("prompt_tokens", "completion_tokens", "total_tokens"), tokens or counts(view), strict=True)),
    )
    if base is None:
        return completion
    update = {"choices": completion.choices, **({"usage": completion.usage} if tokens else {})}
    return base.model_copy(update=update)


def made_choice(one: Candidate, schema: Any) -> View:
    text = "".join(one.parts)
    message = {"role": "assistant", "content": text, "refusal": None}
    if schema:
        message["parsed"] = read_as(schema, text)
    end = OWN_ENDS.get(one.finish, "stop")
    return {"index": one.place, "message": message, "logprobs": None, "finish_reason": end}


def as_chunks(response: Any) -> list[Any]:
    """Usage is in the last chunk that ends a choice: a chunk without choices is sent only on request."""
    types = sdk("openai", "openai.types.chat", "openai")
    fields = dump_set_fields(response)
    usage = fields.pop("usage", None)
    pieces = [piece for choice in fields.pop("choices", ()) for piece in choice_pieces(choice)]
    common = {**fields, "object": "chat.completion.chunk"}
    made = [{**common, "choices": [piece]} for piece in pieces]
    if made and usage:
        made[-1]["usage"] = usage
    return [types.ChatCompletionChunk.model_construct(**one) for one in made]


def choice_pieces(choice: View) -> list[View]:
    """A choice as three chunks: its role, its content, its end."""
    content = {key: value for key, value in choice["message"].items() if key != "role" and value}
    if "tool_calls" in content:
        content["tool_calls"] = [{"index": n, **call} for n, call in enumerate(content["tool_calls"])]
    start = {"role": "assistant", "content": None if choice["message"].get("content") is None else "", "refusal": None}
    steps: list[View] = [{"delta": start}, {"delta": content}] if content else [{"delta": start}]
    steps[-1]["logprobs"] = choice.get("logprobs")
    return [
        *({**step, "index": choice["index"], "finish_reason": None} for step in steps),
        {"delta": {}, "index": choice["index"], "finish_reason": choice.get("finish_reason")},
    ]


def called_tools(response: Any) -> list[str]:
    found = []
    for choice in get(response, "choices") or ():
        message = get(choice, "message")
        older = get(message, "function_call")
        found += [tool_name(call) for call in list_from_iterable(get(message, "tool_calls"), "tool_calls")]
        found += [tool_name(older)] if older else []
    return found


class Chunks:
    """Assembles a streamed completion."""

    def __init__(self) -> None:
        self.fields: View = {}
        self.choices: dict[int, View] = {}

    def add(self, chunk: Any) -> None:
        """A chunk, or an event of `chat.completions.stream`, some of which hold one."""
        chunk = get(chunk, "chunk") or chunk
        if get(chunk, "choices") is None and get(chunk, "type") is not None:
            return
        fields = dump_set_fields(chunk)
        for choice in fields.pop("choices", None) or ():
            self.grow_choice(choice)
        fields.pop("obfuscation", None)  # padding that hides the length of a chunk
        for key, value in fields.items():
            if value or key not in self.fields:
                self.fields[key] = value

    def grow_choice(self, choice: View) -> None:
        found = self.choices.setdefault(choice["index"], {"message": {"role": "assistant"}, "finish_reason": None})
        for key, value in choice.items():
            if key == "delta":
                grow(found["message"], value or {})
            elif key == "logprobs":
                grow(found, {key: value})
            elif value is not None:
                found[key] = value

    def response(self) -> Any:
        """Complete if every choice has ended."""
        choices = [self.choices[index] for index in sorted(self.choices)]
        if not choices or not all(choice["finish_reason"] for choice in choices):
            return None
        types = sdk("openai", "openai.types.chat", "openai")
        made = [{**choice, "message": finalise_tool_calls(choice["message"])} for choice in choices]
        return types.ChatCompletion.model_construct(**{**self.fields, "object": "chat.completion", "choices": made})


# Texts that come whole; some servers repeat them in every chunk.
WHOLE = ("id", "type", "role", "name")


def grow(found: View, piece: View) -> None:
    """Merge a piece of a message into what came before it: texts and lists grow, items of one index are merged."""
    for key, value in piece.items():
        before = found.get(key)
        if isinstance(value, list):
            found[key] = before if isinstance(before, list) else []
            grow_list(found[key], value)
        elif isinstance(value, dict):
            found[key] = before if isinstance(before, dict) else {}
            grow(found[key], value)
        elif isinstance(value, str) and isinstance(before, str) and key not in WHOLE:
            found[key] = before + value
        elif value not in (None, "") or before is None:
            found[key] = value


def grow_list(found: list[Any], pieces: list[Any]) -> None:
    for piece in pieces:
        index = piece.get("index") if isinstance(piece, dict) else None
        same = [one for one in found if index is not None and one.get("index") == index]
        if not same:
            same = [{}] if index is not None else [piece]
            found += same
        if index is not None:
            grow(same[0], piece)


def finalise_tool_calls(message: View) -> View:
    """A message as in a whole response: its calls in order and without their index."""
    if not message.get("tool_calls"):
        return message
    calls = sorted(message["tool_calls"], key=lambda call: call.get("index", 0))
    return {**message, "tool_calls": [copy_without_field({"type": "function", **call}, "index") for call in calls]}


def collector() -> Chunks:
    return Chunks()
