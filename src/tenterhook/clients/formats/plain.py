"""No SDK at all: a call is the stable request itself, its response the stable response.

For hosts with their own layer over models: `model(model=..., messages=[{"role", "content"}], tools=[...])` gives a
response in the stable form, or a stream of parts of one. Other fields of a message or of the call, such as tools, stay.
"""

from __future__ import annotations

from itertools import chain, count
from typing import Any

from tenterhook.clients.formats import Call, View
from tenterhook.clients.formats.candidates import COUNTS, recount, usable_candidates
from tenterhook.clients.formats.messages import ROLES, rebuilt, render_visible_messages
from tenterhook.clients.formats.tools import said_tools


def text_of(part: Any) -> str | None:
    """The text of a part of a list; None if it is not text."""
    text = part.get("text") if isinstance(part, dict) else part
    return text if isinstance(text, str) else None


class PlainMessages:
    """Messages as mappings; `tool_calls` and `tool_call_id` connect calls and their results."""

    def role(self, message: Any) -> str:
        return ROLES.get(message.get("role", ""), "")

    def text(self, message: Any) -> str:
        content = message.get("content")
        return content if isinstance(content, str) else "".join(text_of(part) or "" for part in content or ())

    def change(self, message: Any, text: str) -> Any:
        """In a list, the first text holds it, other texts are removed, and other parts stay."""
        content = message.get("content")
        if isinstance(content, str) or not any(text_of(part) is None for part in content):
            return {**message, "content": text}
        first = next(n for n, part in enumerate(content) if text_of(part))
        changed = text if isinstance(content[first], str) else {**content[first], "text": text}
        left = [changed if n == first else part for n, part in enumerate(content) if n == first or not text_of(part)]
        return {**message, "content": left}

    def new(self, role: str, text: str) -> Any:
        return {"role": role, "content": text}

    def calls(self, message: Any) -> list[str]:
        return [str(call.get("id")) for call in message.get("tool_calls") or ()]

    def results(self, message: Any) -> list[str]:
        return [str(message["tool_call_id"])] if "tool_call_id" in message else []

    def without(self, message: Any, ids: set[str]) -> Any:
        if ids.intersection(self.results(message)):
            return None
        left = [call for call in message["tool_calls"] if str(call.get("id")) not in ids]
        rest = {key: value for key, value in message.items() if key != "tool_calls"}
        if left:
            return {**rest, "tool_calls": left}
        return rest if self.text(rest) else None


PLAIN = PlainMessages()


def record_reply(messages: list[Any], response: View, used: set[str]) -> list[dict[str, Any]]:
    """Add a model's reply to a conversation, and return its calls.

    Each call gets an id that is not used yet, so that results are not mixed up.
    """
    calls: list[dict[str, Any]] = response.get("tool_calls") or []
    for call in calls:
        numbered = (f"{call['id']}-{n}" for n in count(1))
        call["id"] = next(id for id in chain([call["id"]], numbered) if id not in used)
        used.add(call["id"])
    if response["text"] or calls:
        message = {"role": "model", "content": response["text"]}
        messages.append({**message, "tool_calls": calls} if calls else message)
    return calls


OPTIONS = ("config", "toolConfig")


def request_view(call: Call) -> View:
    view = {"model": call.get("model", ""), "messages": render_visible_messages(call.get("messages", ()), PLAIN)}
    return {**view, **{key: call[key] for key in OPTIONS if call.get(key)}}


def apply_request(view: View, call: Call) -> tuple[Call, list[str]]:
    messages, problems = rebuilt(call.get("messages", ()), view.get("messages"), PLAIN)
    changed = {key: value for key, value in view.items() if key in ("model", *OPTIONS)}
    rest = {key: value for key, value in call.items() if key not in OPTIONS or key in view}
    return {**rest, **changed, "messages": messages}, problems


def has_tools(call: Call) -> bool:
    return bool(call.get("tools"))


def apply_tools(config: View, call: Call) -> tuple[Call, list[str]]:
    mode, names, problems = said_tools(config)
    wanted = {"mode": mode, "allowedFunctionNames": names}
    new = {key: value for key, value in wanted.items() if value is not None}
    return {**call, "toolConfig": {**(call.get("toolConfig") or {}), **new}}, problems


def is_response(response: Any) -> bool:
    return isinstance(response, dict)


def response_view(response: Any) -> View:
    """Tool calls and other parts without text are not shown."""
    known = ("text", "candidates", "usageMetadata")
    return {key: response[key] for key in known if key in response}


def build_response(view: View, call: Call, base: Any = None) -> Any:
    """Text only, whatever a hook sent; the usage of `base` stays, unless the view has other counts."""
    before = None if base is None else response_view(base)
    made = [
        {
            **candidate(one.parts),
            "finishReason": one.finish,
            "index": one.place,
            **({"safetyRatings": one.ratings} if one.ratings else {}),
        }
        for one in usable_candidates(view, before)
    ]
    usage = (view if base is None else base).get("usageMetadata")
    if base is not None and (tokens := recount(view, before)):
        usage = {**(usage if isinstance(usage, dict) else {}), **dict(zip(COUNTS, tokens, strict=True))}
    text = "".join(made[0]["content"]["parts"]) if made else ""
    return {"text": text, "candidates": made, **({"usageMetadata": usage} if isinstance(usage, dict) else {})}


def candidate(parts: list[str]) -> View:
    return {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}


def as_chunks(response: Any) -> list[Any]:
    return [response]


def called_tools(response: Any) -> list[str]:
    return [str(call.get("name")) for call in response.get("tool_calls") or ()]


class JoinedParts:
    """Joins texts; for anything else the last value counts. Complete with a finishReason."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.rest: View = {}

    def add(self, chunk: Any) -> None:
        self.texts.append(chunk.get("text") or "")
        self.rest.update((key, value) for key, value in chunk.items() if key != "text")

    def response(self) -> Any:
        ends = [one.get("finishReason") for one in self.rest.get("candidates", ()) if isinstance(one, dict)]
        if not any(ends):
            return None
        text = "".join(self.texts)
        whole = [{**candidate([text] if text else []), "finishReason": next(filter(None, ends))}]
        return {**self.rest, "text": text, "candidates": whole}


def collector() -> JoinedParts:
    return JoinedParts()
