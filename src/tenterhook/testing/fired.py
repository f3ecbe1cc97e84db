"""What came of an event that was fired in a test: what the hook said, and what the agent makes of it."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from tenterhook.errors import TenterhookError
from tenterhook.types import Outcome

# So much of a value is shown of what was fired.
LONGEST = 80


class HookFailed(TenterhookError):
    """A hook that was fired raised, took too long or could not be loaded, so that nothing was decided by it."""


class Fired(Struct, frozen=True, kw_only=True):
    """One event, answered. The properties say what the agent would do; `outcome` holds everything.

    `seconds` is what the hooks took: their process from start to end, or their functions alone. `failures` is what
    went wrong in them, where the test allows that.
    """

    agent: str
    event: str
    outcome: Outcome
    data: dict[str, Any]
    exit_code: int
    stdout: str
    stderr: str
    seconds: float
    failures: tuple[str, ...] = ()

    @property
    def answer(self) -> dict[str, Any]:
        """The JSON object that was printed; empty where there was none."""
        try:
            found = msgspec.json.decode(self.stdout)
        except msgspec.DecodeError:
            return {}
        return found if isinstance(found, dict) else {}

    # ---- what the agent does

    @property
    def denied(self) -> bool:
        """The operation does not happen; the end of a turn does not."""
        return self.outcome.blocked

    @property
    def asked(self) -> bool:
        """The user is asked."""
        return self.outcome.decision == "ask" and not self.denied and not self.outcome.halts

    @property
    def stopped(self) -> bool:
        """The agent ends: at once, or when this one operation is done."""
        return self.outcome.stop

    @property
    def ran(self) -> bool:
        """The operation happens, and the user is not asked."""
        return not self.denied and not self.asked and not self.outcome.halts

    @property
    def reason(self) -> str:
        return self.outcome.reason or self.outcome.stop_reason

    @property
    def input(self) -> dict[str, Any]:
        """What the tool is given: as it was, or as the hook changed it."""
        found: dict[str, Any] = self.outcome.changes.get("input", self.data.get("tool_input") or {})
        return found

    @property
    def output(self) -> Any:
        """What the model gets to see of the tool's result."""
        return self.outcome.changes.get("output", self.data.get("tool_output"))

    @property
    def rewritten(self) -> bool:
        return bool(self.outcome.changes)

    # ---- who is told what

    @property
    def context(self) -> str:
        """What reaches the model."""
        return self.told("model")

    @property
    def notice(self) -> str:
        """What the user is shown."""
        return self.told("user")

    @property
    def everything(self) -> str:
        """All texts: for the model, for the user, and on the hook's stderr."""
        return "\n".join((self.reason, *(message.text for message in self.outcome.messages), self.stderr))

    def told(self, whom: str) -> str:
        return "\n".join(message.text for message in self.outcome.messages if message.to == whom)

    @property
    def lost(self) -> tuple[str, ...]:
        """What of the answer the agent does not heed, and why."""
        return self.outcome.warnings

    @property
    def failed(self) -> bool:
        """Whether a hook failed; what the agent does then is what its `on_failure` says."""
        return bool(self.failures)

    def __repr__(self) -> str:
        """On one line: who was told of what, and what came of it."""
        done = next((word for word in ("stopped", "denied", "asked") if getattr(self, word)), "ran")
        parts = {
            "reason": self.reason,
            "input": self.input if "input" in self.outcome.changes else "",
            "output": self.output if "output" in self.outcome.changes else "",
            "context": self.context if self.context != self.reason else "",
            "notice": self.notice if self.notice != self.reason else "",
            "failures": [text.partition("\n")[0] for text in self.failures],
            "lost": self.lost,
        }
        said = "".join(f", {name}={truncate_repr(value)}" for name, value in parts.items() if value)
        return f"<{self.agent} {self.event} {self.about}: {done}{said}>".replace(" :", ":")

    @property
    def about(self) -> str:
        """What the event was about, in short: the tool with its input, or the prompt."""
        tool = self.data.get("tool_name")
        if isinstance(tool, str) and tool:
            return f"{tool} {truncate_repr(self.data.get('tool_input'))}"
        return truncate_repr(self.data["prompt"]) if self.data.get("prompt") else ""


def truncate_repr(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 1]}…"
