"""The answers of hooks: each class takes a mapping in the form that hooks print, and says what a caller has to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from tenterhook.dialects.llxprt import DIALECT, WORDS
from tenterhook.dialects.schema.dialect import EventRule
from tenterhook.hosts.llxprt.names import HookEventName
from tenterhook.hosts.llxprt.translator import Request, default_hook_translator
from tenterhook.pipeline.answer_validity import response_fault
from tenterhook.pipeline.apply import stop_response
from tenterhook.pipeline.deliver import for_model
from tenterhook.pipeline.verdict import NO_REASON
from tenterhook.types import Message, Outcome, Verdict

# The name of a change in an answer.
CHANGES = {"input": "tool_input", "request": "llm_request", "response": "llm_response", "tool_config": "toolConfig"}


class DefaultHookOutput(Struct, frozen=True):
    """One answer, or the combination of all. A value of the wrong type counts as absent."""

    data: dict[str, Any] = {}

    @property
    def decision(self) -> str | None:
        return text(self.data, "decision") or None

    @property
    def reason(self) -> str:
        return text(self.data, "reason")

    @property
    def stop_reason(self) -> str:
        return text(self.data, "stopReason")

    @property
    def system_message(self) -> str:
        return text(self.data, "systemMessage")

    @property
    def suppress_output(self) -> bool:
        return self.data.get("suppressOutput") is True

    @property
    def hook_specific_output(self) -> dict[str, Any]:
        found = self.data.get("hookSpecificOutput")
        return found if isinstance(found, dict) else {}

    def is_blocking_decision(self) -> bool:
        return denies(self.decision)

    def should_stop_execution(self) -> bool:
        return self.data.get("continue") is False

    def get_effective_reason(self) -> str:
        return self.reason or self.stop_reason or (NO_REASON if self.is_blocking_decision() else "")

    def get_additional_context(self) -> str:
        return text(self.hook_specific_output, "additionalContext")


class BeforeToolHookOutput(DefaultHookOutput, frozen=True):
    """The output of a tool event, which also reads the fields that hooks of another agent use."""

    def is_blocking_decision(self) -> bool:
        return super().is_blocking_decision() or denies(text(self.hook_specific_output, "permissionDecision"))

    def get_effective_reason(self) -> str:
        return text(self.hook_specific_output, "permissionDecisionReason") or super().get_effective_reason()

    def get_modified_tool_input(self) -> dict[str, Any] | None:
        return mapping(self.hook_specific_output, "tool_input")


class BeforeModelHookOutput(DefaultHookOutput, frozen=True):
    def get_synthetic_response(self, llm_request: Request | None = None) -> Any:
        """The hook's own response in the SDK's type; None if it gave none, even if it stops the agent."""
        view = response(self.hook_specific_output)
        return None if view is None else default_hook_translator.from_hook_llm_response(view, llm_request)

    def apply_llm_request_modifications(self, llm_request: Request) -> Request:
        """The request as hooks changed it, with their texts for the model after all other messages; else the same."""
        changed = llm_request
        if view := mapping(self.hook_specific_output, "llm_request"):
            changed = default_hook_translator.from_hook_llm_request(view, changed)
        if texts := self.texts():
            messages = default_hook_translator.to_hook_llm_request(changed)["messages"]
            added = [{"role": "user", "content": one} for one in texts]
            changed = default_hook_translator.from_hook_llm_request({"messages": [*messages, *added]}, changed)
        return changed

    def texts(self) -> list[str]:
        """The texts for the model: system messages and context."""
        texts = {"system": self.system_message, "context": self.get_additional_context()}
        return for_model([Message("model", kind, one) for kind, one in texts.items() if one], DIALECT.messages.marks)


class AfterModelHookOutput(DefaultHookOutput, frozen=True):
    def get_modified_response(self, llm_request: Request | None = None, llm_response: Any = None) -> Any:
        """The response that replaces the model's; None if the model's is kept. A stop makes its own."""
        stopped = stop_response(self.stop_reason) if self.should_stop_execution() else None
        view = stopped or response(self.hook_specific_output)
        if view is None:
            return None
        return default_hook_translator.from_hook_llm_response(view, llm_request, llm_response)


class BeforeToolSelectionHookOutput(DefaultHookOutput, frozen=True):
    def apply_tool_config_modifications(self, config: Any) -> Any:
        """A request's `config` with the mode and the allowed names that hooks want; its tools stay as they are."""
        wanted = mapping(self.hook_specific_output, "toolConfig")
        return config if wanted is None else default_hook_translator.from_hook_tool_config(wanted, config)


SPECIFIC: dict[str, type[DefaultHookOutput]] = {
    HookEventName.BEFORE_MODEL: BeforeModelHookOutput,
    HookEventName.AFTER_MODEL: AfterModelHookOutput,
    HookEventName.BEFORE_TOOL_SELECTION: BeforeToolSelectionHookOutput,
}


def create_hook_output(event_name: str, data: Mapping[str, Any] | DefaultHookOutput) -> DefaultHookOutput:
    """The output class of an event; for a tool the default one: only aggregated outputs read more."""
    return SPECIFIC.get(event_name, DefaultHookOutput)(plain(data))


def create_specific_hook_output(data: Mapping[str, Any] | DefaultHookOutput, event_name: str) -> DefaultHookOutput:
    if event_name == HookEventName.BEFORE_TOOL:
        return BeforeToolHookOutput(plain(data))
    return create_hook_output(event_name, data)


def plain(data: Mapping[str, Any] | DefaultHookOutput) -> dict[str, Any]:
    return dict(data.data if isinstance(data, DefaultHookOutput) else data)


def build_hook_output(decided: Verdict | Outcome, rule: EventRule) -> dict[str, Any]:
    """A verdict or an outcome in the form of one answer; texts of one kind are joined, one a line."""
    texts = {
        kind: "\n".join(message.text for message in decided.messages if message.kind == kind)
        for kind in ("system", "context")
    }
    specific = {"additionalContext": texts["context"]} if texts["context"] else {}
    specific |= {CHANGES[change]: value for change, value in decided.changes.items()}
    fields = {
        "decision": "" if decided.decision == "none" else decided.decision,
        "reason": decided.reason,
        "stopReason": decided.stop_reason,
        "suppressOutput": decided.suppress,
        "systemMessage": texts["system"],
        "hookSpecificOutput": {"hookEventName": rule.name, **specific} if specific else {},
    }
    return {key: value for key, value in fields.items() if value} | ({"continue": False} if decided.stop else {})


def response(data: Mapping[str, Any]) -> dict[str, Any] | None:
    """The response if it is valid, else None: an invalid one would empty the model's own."""
    view = mapping(data, "llm_response")
    return None if view is None or response_fault(view) else view


def denies(word: str | None) -> bool:
    return WORDS.get(word or "") == "deny"


def text(data: Mapping[str, Any], key: str) -> str:
    value = data.get(key)
    return value if isinstance(value, str) else ""


def mapping(data: Mapping[str, Any], key: str) -> dict[str, Any] | None:
    value = data.get(key)
    return value if isinstance(value, dict) else None
