"""Anthropic's Messages API: `client.messages.create`, also with `stream=True`.

The `system` argument is not part of the messages: hooks do not see it, and it stays. A system message among the
messages is allowed only on newer models and only in some places, so one that a hook adds is sent as a user's, which
every model accepts; those that the call already had keep their role, even if a hook moves them.

Since 1.0 the SDK takes temperature, top_p and top_k only in `extra_body`; all versions accept them there, so they are
added there.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from itertools import zip_longest
from typing import Any
from uuid import uuid4

from tenterhook.clients.formats import Call, View, messages, sdk
from tenterhook.clients.formats.candidates import Candidate, counts, recount, usable_candidates
from tenterhook.clients.formats.tools import NO_TOOLS, NONE_ALLOWED, apply_choice, apply_config, unknown
from tenterhook.clients.formats.values import (
    asked_type,
    call_argument,
    copy_with_fields,
    get,
    list_from_iterable,
    read_as,
)

# ---- messages

ROLES = {"user": "user", "assistant": "model", "system": "system"}


def blocks(message: Any) -> list[Any]:
    content = get(message, "content")
    return [{"type": "text", "text": content}] if isinstance(content, str) else list_from_iterable(content, "content")


def text_of(block: Any) -> str | None:
    """The text of a text block; None for every other block, thinking among them."""
    text = get(block, "text") if get(block, "type") == "text" else None
    return text if isinstance(text, str) else None


def texts(message: Any) -> list[str]:
    return [text for block in blocks(message) if (text := text_of(block))]


def call_id(block: Any) -> str | None:
    """The id of a tool call, also of one that the API runs itself."""
    return get(block, "id") if str(get(block, "type")).endswith("tool_use") else None


class AnthropicMessages:
    """How this API writes a message. `system` are the texts of system messages in the call."""

    def __init__(self, all_of_them: list[Any]) -> None:
        self.system = {self.text(one) for one in all_of_them if self.role(one) == "system"}

    def role(self, message: Any) -> str:
        return ROLES.get(str(get(message, "role")), "")

    def text(self, message: Any) -> str:
        return "".join(texts(message))

    def change(self, message: Any, text: str) -> Any:
        """The first text block gets the text, and the cache mark of those that are removed."""
        if isinstance(get(message, "content"), str):
            return copy_with_fields(message, content=text)
        old = blocks(message)
        places = [n for n, block in enumerate(old) if text_of(block) is not None]
        marks = [mark for n in places if (mark := get(old[n], "cache_control"))]
        first = copy_with_fields(old[places[0]], text=text, **({"cache_control": marks[-1]} if marks else {}))
        gone = places[1:] if text else places
        left = [first if n == places[0] else block for n, block in enumerate(old) if n not in gone]
        return copy_with_fields(message, content=left)

    def new(self, role: str, text: str) -> Any:
        own = "assistant" if role == "model" else "system" if role == "system" and text in self.system else "user"
        return {"role": own, "content": text}

    def calls(self, message: Any) -> list[str]:
        return [id for block in blocks(message) if (id := call_id(block))]

    def results(self, message: Any) -> list[str]:
        own = self.calls(message)  # the API puts its own call beside the result
        return [id for block in blocks(message) if (id := get(block, "tool_use_id")) and id not in own]

    def without(self, message: Any, ids: set[str]) -> Any:
        """Thoughts alone are not a message: they are removed with the calls that they led to."""
        left = [one for one in blocks(message) if not ids.intersection((call_id(one), get(one, "tool_use_id")))]
        thoughts = all(str(get(one, "type")).endswith("thinking") for one in left)
        return None if thoughts else copy_with_fields(message, content=left)


# ---- requests

# The arguments of `create` in every version, and those that go through extra_body.
ARGUMENTS = {"maxOutputTokens": "max_tokens", "stopSequences": "stop_sequences"}
NAMES = {**ARGUMENTS, "temperature": "temperature", "topP": "top_p", "topK": "top_k"}
MODES = {"auto": "AUTO", "any": "ANY", "tool": "ANY", "none": "NONE"}


def options(call: Call) -> dict[str, Any]:
    """The settings of a call under their stable names. Those in extra_body are what is sent."""
    sent = {**call, **(call_argument(call, "extra_body") or {})}
    found = messages.settings(NAMES, lambda own: call_argument(sent, own))
    return {name: list(value) if isinstance(value, tuple) else value for name, value in found.items()}


def tool_view(call: Call) -> View:
    choice = call_argument(call, "tool_choice")
    mode, name = MODES.get(str(get(choice, "type"))), get(choice, "name")
    view: View = {"mode": mode} if mode else {}
    return {**view, "allowedFunctionNames": [name]} if isinstance(name, str) else view


def request_view(call: Call) -> View:
    history = list_from_iterable(call_argument(call, "messages"), "messages")
    model, config, tools = call_argument(call, "model"), options(call), tool_view(call)
    view: View = {"model": model} if isinstance(model, str) else {}
    view["messages"] = messages.render_visible_messages(history, AnthropicMessages(history))
    return {**view, **({"config": config} if config else {}), **({"toolConfig": tools} if tools else {})}


def apply_request(view: View, call: Call) -> tuple[Call, list[str]]:
    """Keys that a hook leaves out change nothing; inside of `config` they remove the setting."""
    made, now = dict(call), request_view(call)
    wanted = {key: value for key, value in view.items() if value is not None and value != now.get(key)}
    problems = [f"{key} has no place in a request" for key in wanted if key not in (*CHANGES, "toolConfig")]
    for key, change in CHANGES.items():
        made, more = change(wanted[key], made) if key in wanted else (made, [])
        problems += more
    made, more = apply_choice(view, now, made, choose, unchosen)
    return made, problems + more


def apply_model(model: Any, call: Call) -> tuple[Call, list[str]]:
    if isinstance(model, str) and model:
        return {**call, "model": model}, []
    return call, [f"model must be a name, not {model!r}: left as it was"]


def apply_messages(wanted: Any, call: Call) -> tuple[Call, list[str]]:
    history = list_from_iterable(call_argument(call, "messages"), "messages")
    made, problems = messages.rebuilt(history, wanted, AnthropicMessages(history))
    if any(one is not other for one, other in zip_longest(made, history)):
        call = {**call, "messages": made}
    return call, [*problems, *system_problems(wanted, AnthropicMessages(history))]


def system_problems(wanted: Any, kind: AnthropicMessages) -> list[str]:
    news = [text for role, text in messages.readable(wanted)[0] or () if role == "system" and text not in kind.system]
    return [messages.NO_SYSTEM] if news else []


def apply_options(config: Any, call: Call) -> tuple[Call, list[str]]:
    put, away, problems = messages.changed_settings(options(call), config, NAMES)
    if "max_tokens" in away:
        away.remove("max_tokens")
        problems.append("config.maxOutputTokens stays: this API takes no call without it")
    extra = dict(call_argument(call, "extra_body") or {})
    made = {name: value for name, value in call.items() if name not in away}
    rest = {name: value for name, value in extra.items() if name not in away}
    for own, value in put.items():
        place = made if own not in rest and (own in made or own in ARGUMENTS.values()) else rest
        place[own] = value
    if rest != extra:
        made["extra_body"] = rest
    return made, problems


def has_tools(call: Call) -> bool:
    return bool(list_from_iterable(call_argument(call, "tools"), "tools"))


def apply_tools(config: View, call: Call) -> tuple[Call, list[str]]:
    return apply_config(config, tool_view(call), call, choose)


def unchosen(call: Call) -> Call:
    return {key: value for key, value in call.items() if key != "tool_choice"}


def choose(mode: str, names: list[str] | None, call: Call) -> tuple[Call, list[str]]:
    """The call with a tool choice, which must not be made if there are no tools."""
    if not has_tools(call):
        return dict(call), [NO_TOOLS] if mode == "ANY" or names else []
    choice, problems = tool_choice(mode, names, call)
    parallel = get(call_argument(call, "tool_choice"), "disable_parallel_tool_use")
    if parallel is not None and choice["type"] != "none":
        choice["disable_parallel_tool_use"] = parallel
    return {**call, "tool_choice": choice}, problems


def tool_choice(mode: str, names: list[str] | None, call: Call) -> tuple[dict[str, Any], list[str]]:
    """The nearest that the API has: one name at most, and no forced call while the model thinks."""
    known = [get(tool, "name") for tool in list_from_iterable(call_argument(call, "tools"), "tools")]
    allowed = known if names is None else [name for name in names if name in known or None in known]
    problems = [] if names is None or mode == "NONE" or None in known else unknown(names, known)
    if mode == "NONE" or not allowed:
        return {"type": "none"}, problems + ([NONE_ALLOWED] if mode == "ANY" else [])
    if mode == "ANY" and get(call_argument(call, "thinking"), "type") not in (None, "disabled"):
        problems.append("this API cannot force a tool call while thinking is on: the model may choose")
        mode = "AUTO"
    if mode == "ANY" and names is not None and len(set(allowed)) == 1 and allowed[0] in known:
        return {"type": "tool", "name": allowed[0]}, problems
    if not set(known) <= set(allowed):
        problems.append(f"this API cannot restrict the model to {', '.join(allowed)}: it may call other tools")
    return {"type": mode.lower()}, problems


CHANGES = {"model": apply_model, "messages": apply_messages, "config": apply_options}


# ---- responses

ENDS = ("end_turn", "stop_sequence", "tool_use")
STOPS = {"MAX_TOKENS": "max_tokens", "SAFETY": "refusal", "RECITATION": "refusal"}
FINISH = {"max_tokens": "MAX_TOKENS", "refusal": "SAFETY", **dict.fromkeys(ENDS, "STOP")}
STOPPED = ("stop_reason", "stop_sequence", "stop_details")
SENT = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
# What a delta adds to which field of its block.
GROWTH = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature"}


def is_response(response: Any) -> bool:
    return get(response, "content") is not None


def response_view(response: Any) -> View:
    parts, stop, usage = texts(response), get(response, "stop_reason"), get(response, "usage")
    finish = {} if stop is None else {"finishReason": FINISH.get(stop, "OTHER")}
    candidate = {"content": {"role": "model", "parts": parts}, **finish, "index": 0}
    sent, got = sum(get(usage, name) or 0 for name in SENT), get(usage, "output_tokens") or 0
    counts = {"promptTokenCount": sent, "candidatesTokenCount": got, "totalTokenCount": sent + got}
    view: View = {"text": "".join(parts), "candidates": [candidate]}
    return view if usage is None else {**view, "usageMetadata": counts}


def build_response(view: View, call: Call, base: Any = None) -> Any:
    """The stop reason is the base's if the view agrees, except for tool calls, which are not in the result."""
    before = None if base is None else response_view(base)
    found, tokens = usable_candidates(view, before), recount(view, before)
    first = found[0] if found else Candidate([])
    reason, stop, schema = first.finish, get(base, "stop_reason"), asked_type(call_argument(call, "output_format"))
    content = [made_text(text, schema) for text in first.parts]
    same_end = stop not in (None, "tool_use") and FINISH.get(stop, "OTHER") == reason
    ended = base if same_end else {"stop_reason": STOPS.get(reason, "end_turn")}
    stopped = {name: get(ended, name) for name in STOPPED}
    usage = dict(zip(("input_tokens", "output_tokens"), tokens or counts(view), strict=False))
    if base is not None:
        counted = {"usage": construct_sdk_object("Usage", **usage)} if tokens else {}
        return copy_with_fields(base, content=content, **stopped, **counted)
    model = str(call_argument(call, "model") or "")
    new = {"id": f"msg_{uuid4().hex[:24]}", "type": "message", "role": "assistant", "model": model, "usage": usage}
    return construct_sdk_object("ParsedMessage" if schema else "Message", **new, content=content, **stopped)


def made_text(text: str, schema: Any) -> Any:
    if schema is None:
        return construct_sdk_object("TextBlock", type="text", text=text)
    return construct_sdk_object("ParsedTextBlock", type="text", text=text, parsed_output=read_as(schema, text))


def called_tools(response: Any) -> list[str]:
    """Those that the caller has to run. What the API ran itself is done."""
    return [get(block, "name") for block in blocks(response) if get(block, "type") == "tool_use"]


def as_chunks(response: Any) -> list[Any]:
    whole = plain(response)
    content, usage = whole.get("content") or [], whole.get("usage") or {}
    end = {name: whole.get(name) for name in STOPPED}
    start = {**whole, "content": [], **dict.fromkeys(STOPPED), "usage": {**usage, "output_tokens": 0}}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": start}]
    for n, block in enumerate(content):
        begun, deltas = split_block_deltas(block)
        events.append({"type": "content_block_start", "index": n, "content_block": begun})
        events += [{"type": "content_block_delta", "index": n, "delta": delta} for delta in deltas]
        events.append({"type": "content_block_stop", "index": n})
    counted = {"output_tokens": usage.get("output_tokens", 0)}
    events += [{"type": "message_delta", "delta": end, "usage": counted}, {"type": "message_stop"}]
    return [construct_sdk_object(f"Raw{event['type'].title().replace('_', '')}Event", **event) for event in events]


def construct_sdk_object(name: str, **fields: Any) -> Any:
    """One of the SDK's objects, made as the SDK makes it: fields of a newer API are kept, not refused."""
    return getattr(sdk("anthropic", "anthropic.types", "anthropic"), name).model_construct(**fields)


def split_block_deltas(block: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """A block as it begins, and its deltas."""
    kind = str(block.get("type"))
    if kind.endswith("tool_use"):
        return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": json.dumps(block.get("input"))}]
    grown = {delta: name for delta, name in GROWTH.items() if kind in ("text", "thinking") and name in block}
    deltas = [{"type": delta, name: block[name]} for delta, name in grown.items()]
    return {**block, **dict.fromkeys(grown.values(), "")}, deltas


class CollectedEvents:
    """The message that a stream adds up to. It is complete only with message_stop."""

    def __init__(self) -> None:
        self.message: dict[str, Any] = {}
        self.blocks: dict[int, dict[str, Any]] = {}
        self.inputs: dict[int, str] = {}
        self.done = False

    def add(self, chunk: Any) -> None:
        kind = get(chunk, "type")
        if kind == "message_start":
            self.message = plain(get(chunk, "message"))
        elif kind == "content_block_start":
            self.blocks[get(chunk, "index")] = plain(get(chunk, "content_block"))
        elif kind == "content_block_delta":
            self.grow(get(chunk, "index"), plain(get(chunk, "delta")))
        elif kind == "message_delta":
            usage = with_final_values(self.message.get("usage") or {}, plain(get(chunk, "usage")))
            self.message = {**with_final_values(self.message, plain(get(chunk, "delta"))), "usage": usage}
        elif kind == "message_stop":
            self.done = bool(self.message)

    def grow(self, index: int, delta: dict[str, Any]) -> None:
        block, kind = self.blocks.setdefault(index, {}), delta.get("type")
        if kind == "citations_delta":
            block["citations"] = [*(block.get("citations") or ()), delta["citation"]]
        elif kind == "input_json_delta":
            self.inputs[index] = self.inputs.get(index, "") + delta["partial_json"]
        elif kind in GROWTH:
            block[GROWTH[kind]] = block.get(GROWTH[kind], "") + delta[GROWTH[kind]]

    def response(self) -> Any:
        if not self.done:
            return None
        for index, text in self.inputs.items():
            self.blocks[index]["input"] = parse_partial_input(text)
        return construct_sdk_object(
            "Message", **{**self.message, "content": [self.blocks[n] for n in sorted(self.blocks)]}
        )


def plain(value: Any) -> dict[str, Any]:
    return dict(value) if isinstance(value, Mapping) else value.to_dict(warnings=False) if value is not None else {}


def with_final_values(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """The old fields with the new values. A value of None replaces nothing; an empty one does."""
    return {**old, **{name: value for name, value in new.items() if value is not None or name not in old}}


def parse_partial_input(text: str) -> Any:
    """A tool's input. An unfinished one is parsed as far as it goes, like the SDK does."""
    with suppress(ValueError):  # one without any input is streamed as nothing at all
        return sdk("anthropic", "jiter", "anthropic").from_json(text.encode(), partial_mode=True)
    return {}


collector = CollectedEvents
