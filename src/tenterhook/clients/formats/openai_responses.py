"""OpenAI's Responses: client.responses.create, whole and streamed. `instructions` stay in the call, unseen by hooks."""

from __future__ import annotations

import time
import uuid
from typing import Any

from tenterhook.clients.formats import Call, View, sdk
from tenterhook.clients.formats.candidates import Candidate, counts, recount, usable_candidates
from tenterhook.clients.formats.messages import rebuilt, render_visible_messages
from tenterhook.clients.formats.openai_shared import (
    OWN_ROLES,
    CallableTool,
    apply_options,
    build_tool_choice,
    options,
    retold,
    stable_role,
    system_word,
    texts,
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

# ---- messages

# The items that belong together: thoughts, the message that they led to, and its calls. The API refuses a thought
# without what it led to, so nothing comes between them and they are removed together.
Turn = list[Any]


class Turns:
    """How Responses write a message."""

    def __init__(self, items: list[Any]) -> None:
        self.roles = {**OWN_ROLES, "system": system_word(items)}

    def message(self, turn: Turn) -> Any:
        return next((item for item in turn if is_message(item)), None)

    def role(self, turn: Turn) -> str:
        return stable_role(self.message(turn))

    def text(self, turn: Turn) -> str:
        return "".join(texts(get(self.message(turn), "content")))

    def change(self, turn: Turn, text: str) -> Turn:
        message = self.message(turn)
        other = copy_with_fields(message, content=retold(get(message, "content"), text))
        return [other if item is message else item for item in turn]

    def new(self, role: str, text: str) -> Turn:
        return [{"role": self.roles[role], "content": text}]

    def calls(self, turn: Turn) -> list[str]:
        return [call_id(item) for item in turn if is_call(item) and call_id(item)]

    def results(self, turn: Turn) -> list[str]:
        return [call_id(item) for item in turn if is_result(item) and call_id(item)]

    def without(self, turn: Turn, ids: set[str]) -> Turn | None:
        left = [item for item in turn if is_message(item) or kind_of(item) == "reasoning" or call_id(item) not in ids]
        return left if any(kind_of(item) != "reasoning" for item in left) else None


def kind_of(item: Any) -> str:
    kind = get(item, "type")
    return kind if isinstance(kind, str) else ""


def is_message(item: Any) -> bool:
    return kind_of(item) in ("", "message") and get(item, "role") is not None


def is_call(item: Any) -> bool:
    return kind_of(item).endswith("_call") or kind_of(item) in ("program", "mcp_approval_request")


def is_result(item: Any) -> bool:
    return kind_of(item).endswith("_output") or kind_of(item) == "mcp_approval_response"


def call_id(item: Any) -> str:
    """The id that a call and its result share."""
    return str(get(item, "call_id") or get(item, "approval_request_id") or get(item, "id") or "")


def items_of(call: Call) -> list[Any]:
    """The input as a list: a text is one user message."""
    value = call_argument(call, "input")
    return [{"role": "user", "content": value}] if isinstance(value, str) else list_from_iterable(value, "input")


def turns_of(items: list[Any]) -> list[Turn]:
    found: list[Turn] = []
    opened = False
    for item in items:
        thinking = opened and all(kind_of(one) == "reasoning" for one in found[-1])
        answer = is_message(item) and stable_role(item) == "model"
        if opened and (is_call(item) or (thinking and (answer or kind_of(item) == "reasoning"))):
            found[-1].append(item)
        else:
            found.append([item])
            opened = answer or is_call(item) or kind_of(item) == "reasoning"
    return found


# ---- requests

NAMES = {"temperature": "temperature", "topP": "top_p", "maxOutputTokens": "max_output_tokens"}


def request_view(call: Call) -> View:
    items = items_of(call)
    view = options(call, NAMES)
    return {"model": view.pop("model"), "messages": render_visible_messages(turns_of(items), Turns(items)), **view}


def apply_request(view: View, call: Call) -> tuple[Call, list[str]]:
    before = request_view(call)
    new, problems = apply_options(view, before, call, NAMES)
    if "messages" in view and view["messages"] != before["messages"]:
        items = items_of(call)
        kind = Turns(items)
        turns, more = rebuilt(turns_of(items), view["messages"], kind)
        new["input"] = as_input([item for turn in turns for item in turn], call.get("input"))
        problems += more
    new, more = apply_choice(view, before, new, choose, unchosen)
    return new, problems + more


def as_input(items: list[Any], original: Any) -> Any:
    """A text stays a text if that is enough."""
    if isinstance(original, str) and len(items) == 1 and items[0]["role"] == "user":
        return items[0]["content"]
    return items


def has_tools(call: Call) -> bool:
    """Tools also come with a stored prompt, whose content only the API knows."""
    return bool(definitions(call)) or call_argument(call, "prompt") is not None


def apply_tools(config: View, call: Call) -> tuple[Call, list[str]]:
    return apply_config(config, options(call, NAMES).get("toolConfig", {}), call, choose)


def choose(mode: str, allowed: list[str] | None, call: Call) -> tuple[Call, list[str]]:
    """The call with a tool choice, which must not be made if there are no tools."""
    if not has_tools(call):
        return dict(call), [NO_TOOLS] if mode == "ANY" or allowed else []
    tools = definitions(call)
    if allowed and call_argument(call, "prompt") is not None:
        known = {tool.name for tool in tools}
        tools += [CallableTool(name, None) for name in allowed if name not in known]
    choice, problems = build_tool_choice(mode, allowed, tools, several)
    return {**call, "tool_choice": choice}, problems


def several(mode: str, pointers: list[Any]) -> Any:
    return {"type": "allowed_tools", "mode": mode, "tools": pointers}


def definitions(call: Call) -> list[CallableTool]:
    """The tools of the call, with those that its input brings along."""
    brought = [
        get(item, "tools") for item in items_of(call) if kind_of(item) in ("additional_tools", "tool_search_output")
    ]
    lists = [call_argument(call, "tools"), *brought]
    return [found for tools in lists for tool in list_from_iterable(tools, "tools") for found in tools_in(tool)]


def tools_in(tool: Any) -> list[CallableTool]:
    """The tools in a definition that can be allowed. The functions of a namespace cannot be allowed one by one."""
    kind, name = kind_of(tool) or "function", tool_name(tool)
    if kind == "namespace":
        return [CallableTool(tool_name(one), None) for one in list_from_iterable(get(tool, "tools"), "tools")]
    field = {"mcp": "server_label", "function": "name", "custom": "name"}.get(kind)
    return [CallableTool(name, {"type": kind, field: name} if field else {"type": kind})]


# ---- responses

# Why a response is incomplete, and what hooks are told.
REASONS = {"max_output_tokens": "MAX_TOKENS", "content_filter": "SAFETY"}
OWN_REASONS = {"MAX_TOKENS": "max_output_tokens", "SAFETY": "content_filter", "RECITATION": "content_filter"}
# Settings of a call that its response repeats.
ECHOED = (
    *("instructions", "metadata", "temperature", "top_p", "max_output_tokens", "previous_response_id"),
    *("reasoning", "service_tier", "truncation", "user"),
)
# What the model asks the agent to run; the API has run the other calls itself.
CALLS = {
    "function_call": "",
    "custom_tool_call": "",
    "mcp_approval_request": "",
    "computer_call": "computer",
    "local_shell_call": "local_shell",
    "shell_call": "shell",
    "apply_patch_call": "apply_patch",
}
FINAL = ("response.completed", "response.incomplete", "response.failed")


def is_response(response: Any) -> bool:
    return get(response, "output") is not None


def response_view(response: Any) -> View:
    """All messages of a response are one candidate."""
    messages = [item for item in get(response, "output") or () if is_message(item)]
    parts = [text for message in messages for text in texts(get(message, "content"))]
    end = finish(response)
    candidate = {
        "content": {"role": "model", "parts": parts},
        **({"finishReason": end} if end else {}),
        "index": 0,
    }
    usage = usage_view(get(response, "usage"), "input_tokens", "output_tokens")
    return {"text": "".join(parts), "candidates": [candidate], **usage}


def finish(response: Any) -> str:
    """Why the response ended; empty if it has not, like one in the background."""
    status = get(response, "status")
    if status == "incomplete":
        return REASONS.get(get(get(response, "incomplete_details"), "reason"), "OTHER")
    return {"completed": "STOP", "failed": "OTHER", "cancelled": "OTHER"}.get(status, "")


def build_response(view: View, call: Call, base: Any = None) -> Any:
    """Only the first candidate fits into a response; without text the response has no output."""
    types = sdk("openai", "openai.types.responses", "openai")
    before = None if base is None else response_view(base)
    found, tokens = usable_candidates(view, before), recount(view, before)
    first = found[0] if found else Candidate([])
    reason = OWN_REASONS.get(first.finish)
    schema = asked_type(call_argument(call, "text_format"))
    output = [made_message(first.parts, base, "incomplete" if reason else "completed", schema)] if first.parts else []
    response = (types.ParsedResponse if schema else types.Response).model_construct(
        **echo_request_fields(call),
        id=f"resp_{uuid.uuid4().hex}",
        object="response",
        created_at=float(int(time.time())),
        model=str(call_argument(call, "model") or ""),
        status="incomplete" if reason else "completed",
        error=None,
        incomplete_details={"reason": reason} if reason else None,
        output=output,
        usage=made_usage(*(tokens or counts(view))),
    )
    if base is None or before is None:
        return response
    update = {"output": response.output, **({"usage": response.usage} if tokens else {})}
    if not found or first.finish != before["candidates"][0].get("finishReason"):
        update |= {key: getattr(response, key) for key in ("status", "error", "incomplete_details")}
    return base.model_copy(update=update)


def echo_request_fields(call: Call) -> View:
    parallel, choice = call_argument(call, "parallel_tool_calls"), call_argument(call, "tool_choice")
    return {
        **{key: call_argument(call, key) for key in ECHOED if call_argument(call, key) is not None},
        "parallel_tool_calls": True if parallel is None else parallel,
        "tool_choice": "auto" if choice is None else choice,
        "tools": list_from_iterable(call_argument(call, "tools"), "tools"),
    }


def made_message(parts: list[str], base: Any, status: str, schema: Any) -> View:
    old = next((item for item in get(base, "output") or () if is_message(item)), None)
    return {
        "id": get(old, "id") or f"msg_{uuid.uuid4().hex}",
        "type": "message",
        "role": "assistant",
        "status": status,
        "content": [made_text(part, schema) for part in parts],
    }


def made_text(text: str, schema: Any) -> View:
    made = {"type": "output_text", "text": text, "annotations": []}
    return {**made, "parsed": read_as(schema, text)} if schema else made


def made_usage(prompt: int, answer: int, total: int) -> View:
    return {
        "input_tokens": prompt,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens": answer,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": total,
    }


def as_chunks(response: Any) -> list[Any]:
    begun = response.model_copy(update={"status": "in_progress", "output": [], "usage": None, "completed_at": None})
    events: list[tuple[str, View]] = [("created", {"response": begun}), ("in_progress", {"response": begun})]
    for n, item in enumerate(response.output):
        parts = item.content if is_message(item) else []
        start = item.model_copy(update={"status": "in_progress", "content": []}) if parts else item
        events.append(("output_item.added", {"output_index": n, "item": start}))
        for m, part in enumerate(parts):
            place = {"output_index": n, "content_index": m, "item_id": item.id}
            events += [(kind, {**place, **fields}) for kind, fields in part_events(part)]
        events.append(("output_item.done", {"output_index": n, "item": item}))
    end = response.status if response.status in ("incomplete", "failed") else "completed"
    events.append((end, {"response": response}))
    return [made_event(n, kind, fields) for n, (kind, fields) in enumerate(events)]


def part_events(part: Any) -> list[tuple[str, View]]:
    """One part of a message: added, its text as one delta, done."""
    if kind_of(part) != "output_text":
        return [("content_part.added", {"part": part}), ("content_part.done", {"part": part})]
    return [
        ("content_part.added", {"part": part.model_copy(update={"text": ""})}),
        ("output_text.delta", {"delta": part.text, "logprobs": []}),
        ("output_text.done", {"text": part.text, "logprobs": []}),
        ("content_part.done", {"part": part}),
    ]


def made_event(number: int, kind: str, fields: View) -> Any:
    """An event of the SDK's own type, whose name follows from the event's."""
    types = sdk("openai", "openai.types.responses", "openai")
    words = kind.replace("output_text", "text").replace(".", "_").split("_")
    made = getattr(types, f"Response{''.join(word.title() for word in words)}Event")
    return made.model_construct(type=f"response.{kind}", sequence_number=number, **fields)


def called_tools(response: Any) -> list[str]:
    items = [item for item in get(response, "output") or () if kind_of(item) in CALLS]
    return [CALLS[kind_of(item)] or str(get(item, "name") or "") for item in items]


class Events:
    """The last event of a stream holds the whole response; some servers leave the items out of it."""

    def __init__(self) -> None:
        self.last: Any = None
        self.items: list[Any] = []

    def add(self, chunk: Any) -> None:
        kind = get(chunk, "type")
        if kind == "response.output_item.done":
            self.items.append(get(chunk, "item"))
        elif kind in FINAL:
            self.last = get(chunk, "response")

    def response(self) -> Any:
        if self.last is None or not self.items or get(self.last, "output"):
            return self.last
        return copy_with_fields(self.last, output=self.items)


def collector() -> Events:
    return Events()
