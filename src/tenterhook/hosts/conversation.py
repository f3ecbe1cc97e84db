"""Deliver hooks' texts: to the user, to the log, and to the model as user input."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from tenterhook.errors import UsageError
from tenterhook.hosts.steps import is_async
from tenterhook.pipeline.deliver import for_model, for_user
from tenterhook.support import logs
from tenterhook.types import Message, Outcome

if TYPE_CHECKING:
    from tenterhook.engine.background import Background
    from tenterhook.engine.engine import Engine

log = logs.redacting_logger("tenterhook.session")

# Called with each outcome, late for background hooks, and with the id of its agent.
Watch = Callable[[Outcome, str], object]


class Conversation:
    """The texts that wait for the model, and the callback for the user. Thread-safe."""

    engine: Engine
    background: Background

    def __init__(self, tell: Callable[[str], object] | None, watch: Watch | None, agent_id: str) -> None:
        for name, callback in (("tell", tell), ("watch", watch)):
            if callback is not None and is_async(callback):
                raise UsageError(f"{name} is called and never awaited: give a function that is not async")
        self.tell, self.watch, self.agent_id = tell, watch, agent_id
        self.inbox: deque[str] = deque()

    def pending(self) -> list[str]:
        """The texts to add to the conversation as user input before the next model call. Each is returned once."""
        for late in self.background.take(self.agent_id):
            self.heard(late)
            self.received(self.for_model(late))
        texts: list[str] = []
        with suppress(IndexError):  # one by one: other threads may add and take meanwhile
            while True:
                texts.append(self.inbox.popleft())
        return texts

    def received(self, texts: Sequence[str]) -> Sequence[str]:
        self.inbox.extend(texts)
        return ()

    def for_model(self, outcome: Outcome) -> list[str]:
        return for_model(outcome.messages, self.engine.dialect.messages.marks, self.engine.hookset.label)

    def heard(self, outcome: Outcome) -> Outcome:
        """Deliver texts to user and log; the model's texts stay. The engine has logged the failures."""
        if self.watch:
            self.notify_watcher(self.watch, outcome)
        for message in outcome.messages:
            if message.to == "user":
                self.user(for_user(message, self.engine.hookset.label))
            elif message.to == "log":
                self.logged(outcome, message)
        return outcome

    def logged(self, outcome: Outcome, message: Message) -> None:
        log.info("%s: %s", outcome.event, for_user(message, self.engine.hookset.label))

    def notify_watcher(self, watch: Watch, outcome: Outcome) -> None:
        try:
            watch(outcome, self.agent_id)
        except Exception:
            log.exception("the `watch` callback of this session failed on %s; the outcome counts", outcome.event)

    def user(self, text: str) -> None:
        """Without a callback for the user, warn in the log: nothing is lost."""
        if self.tell is None:
            log.warning("%s", text)
            return
        try:
            self.tell(text)
        except Exception:
            log.exception("this text could not be delivered to the user: %s", text)
