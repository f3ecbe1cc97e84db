"""Signals on an event loop: Ctrl-C ends what is being done for the person, any other signal ends everything."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")


class SignalHandling:
    """To be made in the task that is everything. A second Ctrl-C ends also what the first one left to be done."""

    def __init__(self) -> None:
        self.everything = asyncio.current_task()
        self.doing: asyncio.Task[Any] | None = None
        loop = asyncio.get_running_loop()
        for name, handler in (("SIGINT", self.interrupt), ("SIGTERM", self.end), ("SIGHUP", self.end)):
            number = getattr(signal, name, None)
            # What is ignored is somebody's choice: nohup. Elsewhere than in the main thread no signal is heard.
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
                with suppress(NotImplementedError, RuntimeError, ValueError):
                    loop.add_signal_handler(number, handler)

    async def do(self, work: Coroutine[Any, Any, T]) -> T | None:
        """Its result; None where the person interrupted it."""
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
