"""Signals on an event loop: Ctrl-C cancels the current work, any other signal ends everything."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")


class SignalHandling:
    """Create it in the main task. A second Ctrl-C also ends what the first one left running."""

    def __init__(self) -> None:
        self.everything = asyncio.current_task()
        self.doing: asyncio.Task[Any] | None = None
        loop = asyncio.get_running_loop()
        for name, handler in (("SIGINT", self.interrupt), ("SIGTERM", self.end), ("SIGHUP", self.end)):
            number = getattr(signal, name, None)
            # An ignored signal was ignored on purpose: nohup. Outside of the main thread no signal can be handled.
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
                with suppress(NotImplementedError, RuntimeError, ValueError):
                    loop.add_signal_handler(number, handler)

    async def do(self, work: Coroutine[Any, Any, T]) -> T | None:
        """Its result; None if the user interrupted it."""
        self.doing = doing = asyncio.ensure_future(work)
        try:
            return await doing
        except asyncio.CancelledError:
            if self.everything and self.everything.cancelling():
                raise
            return None
        finally:
            self.doing = None

    def interrupt(self) -> None:
        if self.doing:
            self.doing.cancel()
        else:
            self.end()

    def end(self) -> None:
        if self.everything:
            self.everything.cancel()
