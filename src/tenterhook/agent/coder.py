"""The agent with all it needs: a model, tools, a session with its hooks, somebody to ask, a screen, a transcript."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tenterhook.agent.end import End
from tenterhook.agent.loop import Loop
from tenterhook.agent.screen import Screen
from tenterhook.agent.script import Script
from tenterhook.agent.transcript import Transcript
from tenterhook.clients.tool_definition import Definition
from tenterhook.engine.engine import Engine
from tenterhook.errors import TenterhookError
from tenterhook.hosts.permission import Permission, PermissionRequest
from tenterhook.types import Outcome

if TYPE_CHECKING:
    from tenterhook.clients.models import Provider

# The room for a conversation in tokens, and how many characters are about one.
CONTEXT = 50_000
PER_TOKEN = 4

NOBODY = "nobody can be asked here: --yes and --no answer every question"


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
        # A script's calls are the user's own wish, and it has no line for a question that nobody foresaw.
        self.scripted = isinstance(provider, Script)
        self.room = context * PER_TOKEN
        self.end = End("interrupted")  # until it is known better
        self.session = engine.session(permission=self.permission, tell=screen.tell, watch=self.watch, agent_id=agent)
        engine.warned.update(engine.warnings)  # said before the first prompt
        screen.label = engine.hookset.label
        self.loop = Loop(self, self.session)

    async def start(self) -> None:
        await self.session.astart()

    async def prompt(self, text: str) -> End:
        """One turn. What cannot go on, hooks are told of."""
        self.end = End("interrupted")  # until it is known better
        try:
            self.end = await self.loop.prompt(text)
        except TenterhookError as exc:
            self.end = End("failed", str(exc))
            await self.session.afailed(str(exc))
            raise
        if self.end.reason == "script":
            await self.session.afailed(self.end.text)
        return self.end

    async def waits(self) -> None:
        """Between two prompts it is the person's turn, and hooks may want to call them."""
        await self.session.anotify("idle_prompt", "The agent waits for your next prompt.")

    async def close(self, reason: str) -> None:
        """Hooks in the background are waited for, unless somebody is in a hurry; what they say is still told."""
        background, wait = self.session.background, self.end.reason != "interrupted"
        try:
            if wait and background.running:
                self.screen.note("waits for hooks in the background")
            while wait and background.running:
                await asyncio.sleep(0.02)
            self.session.received(self.session.pending())
            await self.session.aend(reason)
            if self.session.pending():
                self.screen.note("what hooks said last to the model it does not hear: it is not asked again")
            await self.provider.aclose()
        finally:
            self.transcript.end(self.end.reason, self.end.text)

    def watch(self, outcome: Outcome, agent: str) -> None:
        self.screen.watch(outcome, agent)
        self.transcript.heard(outcome, agent)

    async def permission(self, request: PermissionRequest) -> Permission:
        """`--yes` and `--no` answer for the person. A hook's question is never answered by nobody."""
        if self.answer:
            return Permission(self.answer == "yes", "" if self.answer == "yes" else "the user said no")
        if sys.stdin.isatty() and sys.stdout.isatty():
            return await self.screen.asks(request)
        if self.scripted and not request.by_hook:
            return Permission(True)
        return Permission(False, NOBODY)
