"""The result of a tool of an MCP server as hooks see it, and what they made of it."""

from __future__ import annotations

from typing import Any

import msgspec

from tenterhook.adapters.mcp.messages import VERSION
from tenterhook.hosts.result import ToolResult
from tenterhook.pipeline.apply import STOPPED


def shown_output(record: dict[str, Any]) -> Any:
    """What hooks see of a result: its text, or all of it where the text is not all."""
    content = record.get("content", [])
    structured = record.get("structuredContent")
    texts = [one.get("text") for one in content if isinstance(one, dict) and one.get("type") == "text"]
    text = "\n".join(str(one) for one in texts)
    if len(texts) == len(content) and (structured is None or says_the_same(text, structured)):
        return text
    return {"content": content, **({} if structured is None else {"structuredContent": structured})}


def says_the_same(text: str, structured: Any) -> bool:
    if structured == {"result": text}:
        return True
    try:
        value = msgspec.json.decode(text)
    except msgspec.MsgspecError:
        return False
    return bool(structured in (value, {"result": value}))


def as_text(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value, enc_hook=str).decode()


def changes_of_result(record: dict[str, Any], shown: Any, result: ToolResult) -> dict[str, Any]:
    """The members of the result that hooks changed; empty if it stays as it is."""
    before = now = as_text(shown)
    if result.outcomes and "output" in result.outcomes[-1].changes:
        now = as_text(result.outcomes[-1].changes["output"])
    added = list(result.user_messages)
    if rest := str(result.llm_content).removeprefix(now).strip():
        added.insert(0, rest)
    if result.stop:
        added.append(result.stop_reason or STOPPED)
    if now == before and not added:
        return {}
    texts = [{"type": "text", "text": text} for text in added]
    changed = {"content": record.get("content", [])} if now == before else replaced_output(record, now)
    return {**changed, "content": [*changed["content"], *texts]}


def replaced_output(record: dict[str, Any], now: str) -> dict[str, Any]:
    """What hooks put in the place of a result. Structured content would still hold what they took away."""
    try:
        value = msgspec.json.decode(now)
    except msgspec.MsgspecError:
        value = None
    if isinstance(value, dict) and isinstance(value.get("content"), list):
        return {"structuredContent": None, **value}
    content = [{"type": "text", "text": now}]
    old = record.get("structuredContent")
    if old is None:
        return {"content": content}
    if isinstance(value, dict):
        return {"content": content, "structuredContent": value}
    if isinstance(old, dict) and [*old] == ["result"]:
        return {"content": content, "structuredContent": {"result": now}}
    # A client that knows the tool's schema would not accept a result without structured content.
    return {"content": content, "structuredContent": None, "isError": True}


def without_structure(members: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """The members after the changes; structured content that was taken away is not there."""
    made = {**members, **changes}
    if changes.get("structuredContent", ...) is None:
        del made["structuredContent"]
    return made


def refused_content(params: dict[str, Any], reason: str) -> dict[str, Any]:
    """The result of a call that was not made; the stateless protocol wants to know that it is the whole result."""
    content = {"content": [{"type": "text", "text": reason}], "isError": True}
    meta = params.get("_meta")
    return {**content, "resultType": "complete"} if isinstance(meta, dict) and VERSION in meta else content


def text_with(result: ToolResult, text: str) -> str:
    return "\n\n".join([text, *result.user_messages])
