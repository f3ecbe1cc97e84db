"""A tool's result: what the model gets, what the user sees, and the changes of hooks."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from tenterhook.errors import UsageError
from tenterhook.hosts.parts import are_parts, as_json, is_genai, is_genai_object, is_sdk_object, with_texts
from tenterhook.pipeline.deliver import Label, for_model, truncate_message_text, wrap_in_hook_tags
from tenterhook.pipeline.payload import in_json
from tenterhook.support.clean_text import clean
from tenterhook.types import Message, Outcome

# Kinds of texts that enter the conversation as user input, after the result; all others go into the result itself.
AS_USER = ("feedback", "user_message")


class ToolError(Struct, frozen=True):
    """Why there is no ordinary result: blocked, refused, stopped, invalid_input, unknown_tool, failed, cancelled."""

    message: str
    type: str = "failed"
    exception: BaseException | None = None


class Heard:
    """The combined outcomes of one call."""

    __slots__ = ()
    outcomes: tuple[Outcome, ...]

    @property
    def stop(self) -> bool:
        """Whether the agent must end its loop after this call."""
        return any(outcome.stop for outcome in self.outcomes)

    @property
    def stop_reason(self) -> str:
        return next((one.stop_reason for one in self.outcomes if one.stop), "")

    @property
    def messages(self) -> tuple[Message, ...]:
        """All messages of hooks, as the hooks gave them."""
        return tuple(message for outcome in self.outcomes for message in outcome.messages)


class ToolResult(Heard, Struct, frozen=True):
    """The result of a tool call.

    `llm_content` is for the model, `return_display` for the user (hidden if `suppress_display` is set). `user_messages`
    are to be added to the conversation as user input, after the result. Check `stop` first.
    """

    llm_content: Any = ""
    return_display: Any = ""
    metadata: dict[str, Any] = {}
    error: ToolError | None = None
    suppress_display: bool = False
    user_messages: tuple[str, ...] = ()
    outcomes: tuple[Outcome, ...] = ()

    def __str__(self) -> str:
        """What the model gets, for frameworks that turn a tool's result into text."""
        content = as_json(self.llm_content)
        if isinstance(content, str):
            return content
        if isinstance(content, list) and all(isinstance(part, dict) and "text" in part for part in content):
            return "\n\n".join(str(part["text"]) for part in content)
        return msgspec.json.encode(content, enc_hook=str).decode()

    @property
    def __pydantic_serializer__(self) -> Any:
        """What the model gets, for frameworks that serialise a tool's result with pydantic."""
        from pydantic_core import SchemaSerializer, core_schema

        plain = core_schema.plain_serializer_function_ser_schema(lambda result: as_json(result.llm_content))
        return SchemaSerializer(core_schema.any_schema(serialization=plain))


def result_of(value: Any) -> ToolResult:
    """The result of a function's return value: text and parts as they are, anything else as JSON."""
    if isinstance(value, ToolResult):
        if value.error is not None and not isinstance(value.error, ToolError):
            raise UsageError(f"the error of a ToolResult is a ToolError, not {type(value.error).__name__}")
        return value
    content = text_of(value)
    return ToolResult(content, content)


def text_of(value: Any) -> Any:
    if isinstance(value, str) or (isinstance(value, list) and are_parts(value)):
        return value
    if isinstance(value, tuple) and any(map(is_genai, value)) and are_parts(value):
        return list(value)
    if is_genai_object(value):
        return [value]
    if value is None:
        return ""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if inspect.iscoroutine(value):
        value.close()
        raise UsageError("the tool returned a coroutine: make it an async def")
    try:
        return msgspec.json.encode(value, enc_hook=in_json).decode()
    except Exception:  # JSON cannot hold it, so it becomes text
        return str(value)


def result_for_hooks(result: ToolResult, value: Any, form: str) -> Any:
    """The result in the form for hooks: the tool's return value, or the record that some agents use."""
    if form == "value":
        return result.llm_content if isinstance(value, ToolResult) else value
    record = {"llmContent": as_json(result.llm_content), "returnDisplay": as_json(result.return_display)}
    if form == "record":
        record["metadata"] = result.metadata
    if result.error:
        record["error"] = {"message": result.error.message, "type": result.error.type}
    return record


def with_words(
    result: ToolResult, outcomes: Sequence[Outcome], marks: Mapping[str, str], label: Label = str
) -> ToolResult:
    """Add the hooks' texts for the model: to the result, or after it as user input."""
    if not any(outcome.messages for outcome in outcomes):
        return replace(result, outcomes=(*result.outcomes, *outcomes))
    messages = [message for outcome in outcomes for message in outcome.messages if not is_result(message, outcome)]
    inside = for_model([message for message in messages if message.kind not in AS_USER], marks, label)
    after = for_model([message for message in messages if message.kind in AS_USER], marks, label)
    return replace(
        result,
        llm_content=append_texts(result.llm_content, inside),
        user_messages=(*result.user_messages, *after),
        outcomes=(*result.outcomes, *outcomes),
    )


def is_result(message: Message, outcome: Outcome) -> bool:
    """Whether a text has become the result itself: then it is not delivered a second time."""
    output = outcome.changes.get("output")
    return message.kind == "feedback" and isinstance(output, str) and stands(message.text, output)


def append_texts(content: Any, texts: Iterable[str]) -> Any:
    """Add texts: text grows by paragraphs; parts, even a single one, become a list that grows by text parts."""
    added = list(texts)
    if not added:
        return content
    if isinstance(content, list | tuple):
        return with_texts(content, added)
    if content and (isinstance(content, dict) or is_sdk_object(content)):
        return with_texts([content], added)
    return "\n\n".join([text_of(content), *added] if content else added)


def refusal(
    kind: str, reason: str, outcomes: Sequence[Outcome], marks: Mapping[str, str], label: Label = str
) -> ToolResult:
    """The result of a call that was not made: its content is the reason."""
    last = outcomes[-1] if outcomes else Outcome()
    words = next((one for one in (last.stop_reason, last.reason) if one and reason.endswith(one)), "")
    inside = [message for message in last.messages if message.kind == "reason" and stands(message.text, words)]
    hooks = dict.fromkeys(message.hook for message in inside)
    if kind == "stopped" and not hooks:  # a stop without a reason does not name its hook
        hooks = dict.fromkeys(attempt.hook for attempt in last.attempts)
    by = [Message("model", "reason", reason, ", ".join(dict.fromkeys(map(label, hooks))))]
    reason = truncate_message_text(clean(reason))
    content = wrap_in_hook_tags(by, marks) if hooks else reason
    # A text that is already there is not repeated; all other texts, and other hooks' reasons, come after it.
    left = replace(last, messages=tuple(one for one in last.messages if one not in inside))
    result = ToolResult(content, reason, {}, ToolError(reason, kind))
    return replace(with_words(result, (*outcomes[:-1], left), marks, label), outcomes=tuple(outcomes))


def stands(text: str, words: str) -> bool:
    """Whether a text is in another, whole or on lines of its own: some dialects join reasons, some do not."""
    return f"\n{text}\n" in f"\n{words}\n"
