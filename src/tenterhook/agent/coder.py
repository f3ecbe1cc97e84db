"""The agent with all its parts: a model, tools, a session with its hooks, the user, a screen, a transcript."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tenterhook.agent.loop import AgentLoop
from tenterhook.agent.screen import Screen
from tenterhook.agent.script import ModelScript
from tenterhook.agent.transcript import Transcript
from tenterhook.agent.turn_end import TurnEnd
from tenterhook.clients.tool_definition import Definition
from tenterhook.engine.engine import Engine
from tenterhook.errors import TenterhookError
from tenterhook.hosts.permission import Permission, PermissionRequest
from tenterhook.types import Outcome

if TYPE_CHECKING:
    from tenterhook.clients.models import Provider

# The limit of a conversation in tokens, and about how many characters a token has.
CONTEXT = 50_000
PER_TOKEN = 4

NO_USER = "there is no user to ask: --yes and --no answer every question"


class Coder:
    """One run of the agent. `start`, then `prompt` as often as there is one, then `close`."""

    def __init__(
        self,
        engine: Engine,
        provider: Provider,
        definitions: Sequence[Definition],
        screen: Screen,
        transcript: Transcript,
        *,
        answer: str = "",
        agent: str = "",
        context: int = CONTEXT,
    ) -> None:
        self.engine, self.provider, self.definitions = engine, provider, definitions
        self.screen, self.transcript, self.answer = screen, transcript, answer
        # A script's calls are the user's own, and it has no reply for an unexpected question.
        self.scripted = isinstance(provider, ModelScript)
        self.room = context * PER_TOKEN
        self.end = TurnEnd("interrupted")  # until the real reason is known
        self.session = engine.session(permission=self.permission, tell=screen.tell, watch=self.watch, agent_id=agent)
        engine.warned.update(engine.warnings)  # printed before the first prompt
        screen.label = engine.hookset.label
        self.loop = AgentLoop(self, self.session)

    async def start(self) -> None:
        await self.session.astart()

    async def prompt(self, text: str) -> TurnEnd:
        """One turn. Hooks are told of a failure."""
        self.end = TurnEnd("interrupted")  # until the real reason is known
        try:
            self.end = await self.loop.prompt(text)
        except TenterhookError as exc:
            self.end = TurnEnd("failed", str(exc))
            await self.session.afailed(str(exc))
            raise
        if self.end.reason == "script":
            await self.session.afailed(self.end.text)
        return self.end

    async def waits(self) -> None:
        """Between two prompts the agent waits for the user, and hooks may want to notify them."""
        await self.session.anotify("idle_prompt", "The agent waits for your next prompt.")

    async def close(self, reason: str) -> None:
        """Wait for background hooks, unless interrupted; their messages are still shown."""
        background, wait = self.session.background, self.end.reason != "interrupted"
        try:
            if wait and background.running:
                self.screen.note("waits for hooks in the background")
            while wait and background.running:
                await asyncio.sleep(0.02)
            self.session.received(self.session.pending())
            await self.session.aend(reason)
            if self.session.pending():
                self.screen.note("the model is not asked again, so it does not see what hooks told it last")
            await self.provider.aclose()
        finally:
            self.transcript.end(self.end.reason, self.end.text)

    def watch(self, outcome: Outcome, agent: str) -> None:
        self.screen.watch(outcome, agent)
        self.transcript.record_messages(outcome, agent)

    async def permission(self, request: PermissionRequest) -> Permission:
        """`--yes` and `--no` answer for the user. Without a user to ask, the answer is no."""
        if self.answer:
            return Permission(self.answer == "yes", "" if self.answer == "yes" else "the user said no")
        if sys.stdin.isatty() and sys.stdout.isatty():
            return await self.screen.asks(request)
        if self.scripted and not request.by_hook:
            return Permission(True)
        return Permission(False, NO_USER)
