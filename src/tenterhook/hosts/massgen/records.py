"""MassGen's records: the input of a hook, and the answer of hooks."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from enum import Enum
from typing import Any

from tenterhook.errors import UsageError
from tenterhook.types import Outcome

PREVIEW = 100


class HookType(Enum):
    """The events, under MassGen's names."""

    PRE_TOOL_USE = "PreToolUse"
    POST_TOOL_USE = "PostToolUse"


# Dataclasses, unlike the records of the core: programs take these apart with asdict and replace.
@dataclass
class HookEvent(Mapping[str, Any]):
    """The input of a hook, as attributes and as a mapping."""

    hook_type: str
    session_id: str = ""
    orchestrator_id: str = ""
    agent_id: str | None = None
    timestamp: datetime = field(default_factory=lambda: datetime.now(UTC))
    tool_name: str = ""
    tool_input: dict[str, Any] = field(default_factory=dict)
    tool_output: Any = None

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> HookEvent:
        """From the JSON that a command reads on its stdin."""
        missing = [name for name in ("hook_type", "tool_name") if not data.get(name)]
        if missing:
            raise UsageError(f"an event needs {' and '.join(missing)}; this one has {', '.join(data) or 'nothing'}")
        when = data.get("timestamp") or datetime.now(UTC)
        return cls(
            hook_type=data["hook_type"],
            session_id=data.get("session_id") or "",
            orchestrator_id=data.get("orchestrator_id") or "",
            agent_id=data.get("agent_id") or None,
            timestamp=datetime.fromisoformat(when) if isinstance(when, str) else when,
            tool_name=data["tool_name"],
            tool_input=data.get("tool_input", {}),
            tool_output=data.get("tool_output"),
        )

    @classmethod
    def from_json(cls, text: str | bytes) -> HookEvent:
        return cls.from_dict(json.loads(text))

    def to_dict(self) -> dict[str, Any]:
        return {**vars(self), "timestamp": self.timestamp.isoformat()}

    def to_json(self) -> str:
        return json.dumps(self.to_dict())

    def __getitem__(self, name: str) -> Any:
        return self.to_dict()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(vars(self))

    def __len__(self) -> int:
        return len(vars(self))


@dataclass
class HookResult:
    """The answer of one hook, or of all of them together.

    Together, `injections` holds every injection with its own strategy; `inject` all their texts in one, with the last
    one's strategy. `outcome` is the engine's own account: attempts, skipped hooks, warnings.
    """

    allowed: bool = True
    metadata: dict[str, Any] = field(default_factory=dict)
    modified_args: str | None = None
    decision: str = "allow"
    reason: str | None = None
    updated_input: dict[str, Any] | None = None
    inject: dict[str, Any] | None = None
    hook_errors: list[str] = field(default_factory=list)
    hook_name: str | None = None
    hook_type: str | None = None
    execution_time_ms: float | None = None
    executed_hooks: list[dict[str, Any]] = field(default_factory=list)
    injections: list[dict[str, Any]] = field(default_factory=list)
    outcome: Outcome | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Whether it is denied, by either field. A text does not count as yes: it may be "false"."""
        if isinstance(self.allowed, str):
            raise UsageError(f"allowed must be true or false, not {self.allowed!r}")
        if not self.allowed:
            self.decision = "deny"
        elif self.decision == "deny":
            self.allowed = False

    @classmethod
    def allow(cls) -> HookResult:
        return cls()

    @classmethod
    def deny(cls, reason: str | None = None) -> HookResult:
        return cls(allowed=False, decision="deny", reason=reason)

    @classmethod
    def ask(cls, reason: str | None = None) -> HookResult:
        """Whether the user has to confirm it."""
        return cls(decision="ask", reason=reason)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> HookResult:
        """Build a result; keys that results do not have are ignored."""
        known = {one.name for one in fields(cls)} - {"outcome"}
        return cls(**{name: value for name, value in data.items() if name in known and value is not None})

    def to_dict(self) -> dict[str, Any]:
        """The answer that a hook gives when it returns this. `modified_args` is the changed input as JSON text."""
        denied = not self.allowed or self.decision == "deny"
        changed = self.updated_input
        if self.modified_args is not None and not denied:  # text that cannot be read must not lift a refusal
            changed = json.loads(self.modified_args)
        answer = {
            "decision": "deny" if denied else self.decision,
            "reason": self.reason or (self.metadata or {}).get("reason"),
            "updated_input": None if denied else changed,
            "inject": self.inject,
        }
        return {name: value for name, value in answer.items() if value is not None}

    def add_error(self, error: str) -> None:
        self.hook_errors.append(error)

    def has_errors(self) -> bool:
        return bool(self.hook_errors)

    def add_executed_hook(
        self,
        hook_name: str,
        hook_type: str,
        decision: str,
        reason: str | None = None,
        execution_time_ms: float | None = None,
        injection_preview: str | None = None,
        injection_content: str | None = None,
    ) -> None:
        """For display: a hook that ran, and what it said."""
        if injection_content and not injection_preview:
            more = "..." if len(injection_content) > PREVIEW else ""
            injection_preview = f"{injection_content[:PREVIEW]}{more}"
        self.executed_hooks.append(
            {
                "hook_name": hook_name,
                "hook_type": hook_type,
                "decision": decision,
                "reason": reason,
                "execution_time_ms": execution_time_ms,
                "injection_preview": injection_preview,
                "injection_content": injection_content,
            }
        )
