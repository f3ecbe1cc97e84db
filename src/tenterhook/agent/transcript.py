"""What happened, one JSON object per line, in order: what the model saw, what ran, what the user was told, the end."""

from __future__ import annotations

from contextlib import suppress
from typing import IO, Any

from tenterhook.errors import UsageError
from tenterhook.support.clean_text import clean
from tenterhook.support.terminal.text import as_json
from tenterhook.types import Outcome


class Transcript:
    """Each line is written when its event is over, so that an interrupted run is recorded as far as it came."""

    def __init__(self, file: str = "") -> None:
        self.file, self.problem = file, ""
        self.opened: IO[str] | None = None
        if file:
            try:
                self.opened = open(file, "w", encoding="utf-8")
            except OSError as exc:
                raise UsageError(f"--transcript {file!r}: {exc.strerror}") from None

    def prompt(self, text: str) -> None:
        """As it entered the context."""
        self.write("prompt", "", text=text)

    def model(self, call: dict[str, Any], reply: dict[str, Any], *, synthetic: bool, agent: str) -> None:
        """One call of the model: `call` is what it saw, or would have seen."""
        mode, names = choices(call)
        self.write(
            "model",
            agent,
            messages=[{"role": one["role"], "text": one["content"]} for one in call["messages"]],
            tools=names,
            mode=mode,
            reply={"text": reply.get("text") or "", "calls": calls(reply)},
            synthetic=synthetic,
        )

    def tool(self, name: str, input: Any, *, ran: bool, result: Any, agent: str) -> None:
        self.write("tool", agent, name=name, input=input, ran=ran, result=result)

    def record_messages(self, outcome: Outcome, agent: str) -> None:
        """What hooks told the user, in their own words."""
        for message in outcome.messages:
            if message.to == "user":
                self.write("user", agent, text=clean(message.text))

    def end(self, reason: str, text: str) -> None:
        self.write("end", "", reason=reason, text=text)

    def write(self, kind: str, agent: str, **fields: Any) -> None:
        """`agent` is the id of a subagent; the main agent's lines have none."""
        if self.opened:
            line = {"kind": kind, **fields, **({"agent": agent} if agent else {})}
            try:
                self.opened.write(as_json(line) + "\n")
                self.opened.flush()
            except OSError as exc:  # reported at the end: the agent is in the middle of something
                self.problem = f"--transcript {self.file!r} is not complete: {exc.strerror}"

    def close(self) -> None:
        if self.opened:
            with suppress(OSError):
                self.opened.close()


def choices(call: dict[str, Any]) -> tuple[str, list[str]]:
    """The model's tool choice, and the tools that it may choose from."""
    config = call.get("toolConfig") or {}
    mode, allowed = config.get("mode") or "AUTO", config.get("allowedFunctionNames")
    names = [tool["name"] for tool in call.get("tools") or ()]
    if mode == "NONE":
        return mode, []
    return mode, names if allowed is None else [name for name in allowed if name in names]


def calls(reply: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"name": call["name"], "input": call["input"]} for call in reply.get("tool_calls") or ()]
