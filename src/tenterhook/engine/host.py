"""An engine as a host: the methods that need no session, and those that open a host, which import it when called."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from typing import Unpack

    from tenterhook.engine.background import Background
    from tenterhook.engine.engine import Engine
    from tenterhook.hosts.model import Model
    from tenterhook.hosts.options import ModelOptions, SessionOptions, ToolOptions
    from tenterhook.hosts.permission import Ask
    from tenterhook.hosts.session import Session
    from tenterhook.hosts.tool import Decorator

SdkClient = TypeVar("SdkClient")


class BareHost:
    """A host without a session: it has no user to ask, no turns and no conversation."""

    ask: Ask | None = None
    # The tools that hooks leave the model for a turn; None means all.
    allowed: frozenset[str] | None = None

    @property
    def engine(self) -> Engine:
        """An engine is its own host."""
        return cast("Engine", self)

    def narrow_tools(self, allowed: frozenset[str] | None) -> None:
        """Nothing to do: there are no turns, and the caller has it in the reply."""

    def received(self, texts: Sequence[str]) -> Sequence[str]:
        """Nothing to do: there is no conversation for the texts; the caller keeps them."""
        return texts

    def tool(self, name: str, **options: Unpack[ToolOptions]) -> Decorator:
        """Put hooks around a function that is a tool; see docs/embed/tools.md for the options."""
        from tenterhook.hosts.tool import tool

        return tool(self.engine, name, **options)

    def model(self, function: Callable[..., Any], **options: Unpack[ModelOptions]) -> Model:
        """Put hooks around a function that calls a model; see docs/embed/models.md for the options."""
        from tenterhook.hosts.model import model

        return model(self.engine, function, **options)

    def client(self, sdk_client: SdkClient, *, hold: bool = True) -> SdkClient:
        """A copy of an SDK's client with hooks inside, for a framework that takes a client; see docs/embed/models.md.

        `hold`: a streamed response is given on when hooks have heard all of it.
        """
        from tenterhook.hosts.client import client

        return client(self.engine, sdk_client, hold=hold)

    def session(self, **options: Unpack[SessionOptions]) -> Session:
        """One agent's life: prompts, stops, subagents, notices; see docs/embed/sessions.md for the options."""
        from tenterhook.hosts.session import Session

        return Session(self.engine, **options)

    def own_background(self) -> Background:
        """The background for a host without a session: results go to the journal, the log and taps."""
        from tenterhook.engine.background import Background

        engine = self.engine
        with engine.lock:
            if engine.background is None:
                engine.background = Background(engine, engine.session_id, keep=0)
            return engine.background
