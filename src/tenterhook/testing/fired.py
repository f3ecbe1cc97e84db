"""What came of an event that was fired in a test: what the hook said, and what the agent makes of it."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from tenterhook.types import Outcome


class Fired(Struct, frozen=True, kw_only=True):
    """One event, answered. The properties say what the agent would do; `outcome` holds everything.

    `seconds` is what the hooks took: their process from start to end, or their functions alone.
    """

    agent: str
    event: str
    outcome: Outcome
    data: dict[str, Any]
    exit_code: int
    stdout: str
    stderr: str
    seconds: float

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
        """The operation happens, and nobody is asked."""
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
        """All that anybody is told: the model, the user, and whoever reads the hook's stderr."""
        return "\n".join((self.reason, *(message.text for message in self.outcome.messages), self.stderr))

    def told(self, whom: str) -> str:
        return "\n".join(message.text for message in self.outcome.messages if message.to == whom)

    @property
    def lost(self) -> tuple[str, ...]:
        """What of the answer the agent does not heed, and why."""
        return self.outcome.warnings
