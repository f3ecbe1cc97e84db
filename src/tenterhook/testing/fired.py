"""The result of an event that a test fired: the hook's answer, and what the agent does with it."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from tenterhook.errors import TenterhookError
from tenterhook.types import Outcome

# The most characters of a value that are shown.
LONGEST = 80


class HookFailed(TenterhookError):
    """A fired hook raised, took too long or could not be loaded, so it decided nothing."""


class Fired(Struct, frozen=True, kw_only=True):
    """One event, answered. The properties say what the agent would do; `outcome` holds everything.

    `seconds` is what the hooks took: their process from start to end, or their functions alone. `failures` is what went
    wrong in them, if the test allows that.
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
        """The JSON object that was printed; empty if there was none."""
        try:
            found = msgspec.json.decode(self.stdout)
        except msgspec.DecodeError:
            return {}
        return found if isinstance(found, dict) else {}

    # ---- what the agent does

    @property
    def denied(self) -> bool:
        """Whether the operation is refused; at the end of a turn, whether the agent has to go on."""
        return self.outcome.blocked

    @property
    def asked(self) -> bool:
        """Whether the user is asked."""
        return self.outcome.decision == "ask" and not self.denied and not self.outcome.halts

    @property
    def stopped(self) -> bool:
        """Whether the agent ends: at once, or after this operation."""
        return self.outcome.stop

    @property
    def ran(self) -> bool:
        """Whether the operation happens without a question to the user."""
        return not self.denied and not self.asked and not self.outcome.halts

    @property
    def reason(self) -> str:
        return self.outcome.reason or self.outcome.stop_reason

    @property
    def input(self) -> dict[str, Any]:
        """The tool's input: the original, or as the hook changed it."""
        found: dict[str, Any] = self.outcome.changes.get("input", self.data.get("tool_input") or {})
        return found

    @property
    def output(self) -> Any:
        """The tool's result as the model sees it."""
        return self.outcome.changes.get("output", self.data.get("tool_output"))

    @property
    def rewritten(self) -> bool:
        return bool(self.outcome.changes)

    # ---- the texts for each reader

    @property
    def context(self) -> str:
        """The texts for the model."""
        return self.told("model")

    @property
    def notice(self) -> str:
        """The texts for the user."""
        return self.told("user")

    @property
    def everything(self) -> str:
        """All texts: for the model, for the user, and on the hook's stderr."""
        return "\n".join((self.reason, *(message.text for message in self.outcome.messages), self.stderr))

    def told(self, whom: str) -> str:
        return "\n".join(message.text for message in self.outcome.messages if message.to == whom)

    @property
    def lost(self) -> tuple[str, ...]:
        """The parts of the answer that the agent ignores, and why."""
        return self.outcome.warnings

    @property
    def failed(self) -> bool:
        """Whether a hook failed; what the agent does then is what its `on_failure` says."""
        return bool(self.failures)

    def __repr__(self) -> str:
        """One line: the event, the agent, and the result."""
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
        shown = "".join(f", {name}={truncate_repr(value)}" for name, value in parts.items() if value)
        return f"<{self.agent} {self.event} {self.about}: {done}{shown}>".replace(" :", ":")

    @property
    def about(self) -> str:
        """The subject of the event, in short: the tool with its input, or the prompt."""
        tool = self.data.get("tool_name")
        if isinstance(tool, str) and tool:
            return f"{tool} {truncate_repr(self.data.get('tool_input'))}"
        return truncate_repr(self.data["prompt"]) if self.data.get("prompt") else ""


def truncate_repr(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 1]}…"
