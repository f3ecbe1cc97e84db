"""AMCP's records: the input of a hook, the answer of hooks, and how a handler is written."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from msgspec.structs import replace

from tenterhook.dialects.amcp import DIALECT
from tenterhook.errors import UsageError
from tenterhook.pipeline.answer import read
from tenterhook.pipeline.match import match
from tenterhook.types import Hook, Outcome, Source

BLOCKING = 2


class HookEvent(Enum):
    """The events, under AMCP's names."""

    PRE_TOOL_USE = "PreToolUse"
    POST_TOOL_USE = "PostToolUse"
    USER_PROMPT_SUBMIT = "UserPromptSubmit"
    SESSION_START = "SessionStart"
    SESSION_END = "SessionEnd"
    STOP = "Stop"
    PRE_COMPACT = "PreCompact"
    NOTIFICATION = "Notification"


EVENTS = [event.value for event in HookEvent]


class HookDecision(Enum):
    """The decision of hooks; CONTINUE if they decided nothing."""

    ALLOW = "allow"
    DENY = "deny"
    ASK = "ask"
    CONTINUE = "continue"


# Dataclasses, unlike the records of the core: programs take these apart with asdict and replace.
@dataclass
class HookInput:
    """The input of a hook."""

    session_id: str
    hook_event_name: str
    cwd: str
    tool_name: str | None = None
    tool_input: dict[str, Any] | None = None
    tool_response: Any = None
    tool_use_id: str | None = None
    prompt: str | None = None
    message: str | None = None
    notification_type: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """All fields that are set; an empty tool_input counts as set."""
        given = {name: value for name, value in vars(self).items() if value is not None}
        if not self.metadata:
            del given["metadata"]
        return given

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), ensure_ascii=False)


@dataclass
class HookOutput:
    """The combined answer of all hooks. `outcome` is the engine's own record: attempts, skipped hooks, warnings."""

    success: bool = True
    continue_execution: bool = True
    stop_reason: str | None = None
    decision: HookDecision = HookDecision.CONTINUE
    decision_reason: str | None = None
    updated_input: dict[str, Any] | None = None
    updated_response: Any = None
    feedback: str | None = None
    system_message: str | None = None
    suppress_output: bool = False
    exit_code: int = 0
    stdout: str = ""
    stderr: str = ""
    outcome: Outcome | None = field(default=None, repr=False, compare=False)

    @classmethod
    def from_exit_code(cls, exit_code: int, stdout: str, stderr: str) -> HookOutput:
        """The meaning of a command's exit, on the event that its answer names; PreToolUse if it names none."""
        from tenterhook.engine.simulate import Did, simulate

        answer = read(stdout, twice=False).found
        section = (answer or {}).get(DIALECT.reading.section.name)
        named = section.get(DIALECT.reading.section.event) if isinstance(section, dict) else None
        event = HookEvent(named) if named in EVENTS else HookEvent.PRE_TOOL_USE
        outcome = simulate(DIALECT.name, event.value, [Did(exit_code=exit_code, stdout=stdout, stderr=stderr)])
        output = cls.from_outcome(outcome, {})
        output.success = exit_code == 0
        output.exit_code, output.stdout, output.stderr = exit_code, stdout, stderr
        return output

    @classmethod
    def from_outcome(cls, outcome: Outcome, tool_input: dict[str, Any]) -> HookOutput:
        """The engine's outcome under AMCP's names."""
        return cls(
            success=outcome.success,
            continue_execution=not outcome.stop,
            stop_reason=outcome.stop_reason or None,
            decision=HookDecision.CONTINUE if outcome.decision == "none" else HookDecision(outcome.decision),
            decision_reason=outcome.reason or None,
            updated_input=changed_fields(outcome.changes.get("input", {}), tool_input) or None,
            updated_response=outcome.changes.get("output"),
            feedback="\n".join(feedback(outcome)) or None,
            system_message="\n".join(texts(outcome, "system")) or None,
            suppress_output=outcome.suppress,
            outcome=outcome,
        )

    def to_dict(self) -> dict[str, Any]:
        """The answer that a function gives when it returns this."""
        section = {
            "permissionDecision": None if self.decision is HookDecision.CONTINUE else self.decision.value,
            "permissionDecisionReason": self.decision_reason,
            "updatedInput": self.updated_input,
            "updatedResponse": self.updated_response,
        }
        answer = {
            "continue": None if self.continue_execution else False,
            "stopReason": self.stop_reason,
            "feedback": self.feedback,
            "systemMessage": self.system_message,
            "suppressOutput": self.suppress_output or None,
            DIALECT.reading.section.name: drop_none_values(section) or None,
        }
        return drop_none_values(answer)


@dataclass
class HookHandler:
    """One configured handler. `hook` is the engine's form of it; if you change a field, that form is rebuilt."""

    matcher: str = "*"
    type: str = "command"
    command: str | list[str] | None = None
    script: str | None = None
    function: str | None = None
    timeout: float = 30
    enabled: bool = True
    name: str | None = None
    hook: Hook | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(cls, hook: Hook) -> HookHandler:
        """The handler of a hook from a file."""
        kind = next(kind for kind in DIALECT.config.types if kind.handler == hook.handler)
        main = hook.spec["main"]
        handler = cls(
            matcher="*" if hook.matcher is None else hook.matcher,
            type=kind.name,
            timeout=DIALECT.planning.timeout if hook.timeout is None else hook.timeout,
            enabled=hook.enabled,
            name=None if hook.name == str(main) else hook.name,
            hook=hook,
        )
        setattr(handler, kind.key, main)
        return handler

    def matches(self, tool_name: str | None) -> bool:
        """Whether it is for this tool."""
        test = match(self.matcher, DIALECT.planning.matcher)
        return test is None or bool(test(tool_name or ""))

    def as_hook(self, event: HookEvent) -> Hook:
        """The hook that the engine runs."""
        if self.hook is None or self.hook.event != event.value or HookHandler.of(self.hook) != self:
            self.hook = self.made(event)
        return self.hook

    def made(self, event: HookEvent) -> Hook:
        """Build the hook from the fields; other values from the hook's file stay."""
        kind = next((kind for kind in DIALECT.config.types if kind.name == self.type and getattr(self, kind.key)), None)
        if kind is None:
            known = " or ".join(f"{kind.name!r} with {kind.key}" for kind in DIALECT.config.types)
            raise UsageError(f"{self} cannot run; its type may be {known}")
        if isinstance(self.timeout, bool) or not isinstance(self.timeout, int | float) or not self.timeout > 0:
            raise UsageError(f"timeout must be a number of seconds above 0, not {self.timeout!r}")
        main = getattr(self, kind.key)
        given: dict[str, Any] = {
            "name": self.name or str(main),
            "event": event.value,
            "handler": kind.handler,
            "spec": {kind.key: main, "main": main, "form": kind.form},
            "matcher": self.matcher,
            "timeout": self.timeout,
            "enabled": self.enabled,
        }
        return replace(self.hook, **given) if self.hook else Hook(source=Source("HookHandler", scope="host"), **given)


@dataclass
class HookConfig:
    """The handlers of one event, in the order in which they run."""

    handlers: list[HookHandler] = field(default_factory=list)


def texts(outcome: Outcome, kind: str) -> list[str]:
    return [message.text for message in outcome.messages if message.kind == kind]


def feedback(outcome: Outcome) -> list[str]:
    """The texts for the model; on every event they include the text of an exit that blocks."""
    found = texts(outcome, "feedback")
    last = outcome.attempts[-1] if outcome.attempts else None
    if last and last.exit_code == BLOCKING and last.reason not in found:
        found.append(last.reason)
    return found


def changed_fields(now: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
    """Only the fields that hooks changed: a program lays them over its own input."""
    return {key: value for key, value in now.items() if key not in before or before[key] != value}


def drop_none_values(answer: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in answer.items() if value is not None}
