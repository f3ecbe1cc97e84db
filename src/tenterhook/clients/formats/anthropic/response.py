"""A response, whole or in events <-> the response that hooks see."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from uuid import uuid4

from tenterhook.clients.formats import Call, View, sdk
from tenterhook.clients.formats.anthropic.blocks import blocks, texts
from tenterhook.clients.formats.candidates import Candidate, counts, recount, usable_candidates
from tenterhook.clients.formats.values import asked_type, call_argument, copy_with_fields, get, read_as

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
    kept = stop not in (None, "tool_use") and FINISH.get(stop, "OTHER") == reason
    ended = base if kept else {"stop_reason": STOPS.get(reason, "end_turn")}
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
            usage = laid_over(self.message.get("usage") or {}, plain(get(chunk, "usage")))
            self.message = {**laid_over(self.message, plain(get(chunk, "delta"))), "usage": usage}
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


def laid_over(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """Final values replace those that the stream began with, unless they are None."""
    return {**old, **{name: value for name, value in new.items() if value is not None or name not in old}}


def parse_partial_input(text: str) -> Any:
    """A tool's input. An unfinished one is parsed as far as it goes, like the SDK does."""
    with suppress(ValueError):  # one without any input is streamed as nothing at all
        return sdk("anthropic", "jiter", "anthropic").from_json(text.encode(), partial_mode=True)
    return {}


collector = CollectedEvents
