"""The channels that one loop uses, one for each profile, and the messages on them."""

from __future__ import annotations

import _socket
import os
import select
from functools import partial
from typing import TYPE_CHECKING

from tenterhook.runtime.process.remote import SpawnedProgram
from tenterhook.runtime.supervisor.wire import EXITED, EXITED_ALONE, FAILED, GONE, HEAD

if TYPE_CHECKING:
    from tenterhook.runtime.process.loop import ProcessLoop
    from tenterhook.runtime.process.program import Program
    from tenterhook.runtime.process.running import Running
    from tenterhook.runtime.process.ticket import Ticket
    from tenterhook.runtime.sandbox.profile import Profile
    from tenterhook.runtime.supervisor.channel import Channel, Key
    from tenterhook.runtime.supervisor.client import Helper


class Channels:
    """Channels are held while something runs, and given back when nothing does."""

    def __init__(self, loop: ProcessLoop, helper: Helper) -> None:
        self.loop, self.helper = loop, helper
        self.channels: dict[Profile | Key | None, Channel] = {}
        self.doubtful: set[Channel] = set()

    def acquire_remote(
        self, program: Program, profile: Profile | None, sandbox: str = "", notes: tuple[str, ...] = ()
    ) -> SpawnedProgram:
        """A program that is not started yet: a fork of a warm interpreter that is ready for it, else a new process."""
        if program.warm and self.helper.how == "auto":
            from tenterhook.runtime.process.warm import prepare_warm_run

            warm = prepare_warm_run(program, profile, self, sandbox)
            if not isinstance(warm, str):
                return warm
            notes += (warm,) if warm else ()
        channel = self.channel(profile)
        return SpawnedProgram(program, channel, sandbox or channel.mechanism, notes)

    def channel(self, profile: Profile | None) -> Channel:
        channel = self.channels.get(profile)
        if channel is None:
            channel = self.hold(profile, self.helper.channel(profile))
        return channel

    def join(self, key: Key) -> Channel | None:
        """A channel to a warm interpreter; None if it is gone."""
        channel = self.channels.get(key)
        if channel is None and (channel := self.helper.join_channel(key)):
            self.hold(key, channel)
        return channel

    def hold(self, name: Profile | Key | None, channel: Channel) -> Channel:
        self.channels[name] = channel
        self.loop.watch(channel.wire.fileno(), select.POLLIN, partial(self.receive, channel))
        return channel

    def receive(self, channel: Channel) -> None:
        while channel in self.channels.values():  # given back when the last hook ends
            try:
                # Not recvmsg: we want no descriptors that come along.
                data = channel.wire.recv(HEAD.size, _socket.MSG_DONTWAIT)
            except BlockingIOError:
                return
            except OSError:
                data = b""
            if len(data) < HEAD.size:
                self.handle_lost(channel)
                return
            self.handle_message(*HEAD.unpack(data))

    def handle_message(self, kind: bytes, number: int, value: int) -> None:
        ticket = self.loop.numbered.get(number)
        child = self.loop.running[ticket] if ticket else None
        if ticket is None or not isinstance(child, SpawnedProgram):
            return
        if kind == EXITED:
            child.status = value
            self.loop.exited(ticket)
        elif kind == EXITED_ALONE:
            child.status, child.gone = value, True
            self.loop.exited(ticket)
            if child.ending:
                self.loop.finish(ticket)
        elif kind == FAILED and not child.ending:
            self.loop.unwatch_pipes(child)
            child.close()
            code = value & 0xFFF  # at most an errno, whatever the spawner sends
            self.loop.not_started(ticket, OSError(code, os.strerror(code)), len(self.loop.running) > 1)
        elif kind in (FAILED, GONE):
            child.gone = True
            child.left = kind == GONE and value > 0
            if child.ending:
                self.loop.finish(ticket)

    def handle_lost(self, channel: Channel) -> None:
        """Handle a channel whose spawner is gone, with all that it ran. A program that was not started is tried once
        more.
        """
        self.drop(channel)
        theirs = [
            (t, c) for t, c in self.loop.running.items() if isinstance(c, SpawnedProgram) and c.channel is channel
        ]
        for ticket, child in theirs:
            child.gone = True
            if child.ending or ticket.retried or channel.has_reached(child.number):
                self.loop.finish(ticket)
            else:
                self.loop.unwatch_pipes(child)
                child.close()
                self.again(ticket)
        self.helper.discard(channel)

    def lost_with(self, ticket: Ticket) -> None:
        child = self.loop.running[ticket]
        assert isinstance(child, SpawnedProgram)
        self.handle_lost(child.channel)

    def check(self, child: Running) -> None:
        """Before a program is finished: a spawner that did not report in time that all is gone may be stuck."""
        if isinstance(child, SpawnedProgram) and child.ending and not child.gone:
            self.doubtful.add(child.channel)

    def again(self, ticket: Ticket) -> None:
        self.loop.unlist(ticket)
        ticket.retried, ticket.child = True, None
        self.loop.waiting.appendleft(ticket)

    def drop(self, channel: Channel) -> None:
        self.loop.unwatch(channel.wire.fileno())
        self.channels = {name: one for name, one in self.channels.items() if one is not channel}

    def rest(self) -> None:
        """Give the channels back: nothing is running any more."""
        for channel in list(self.channels.values()):
            self.drop(channel)
            if channel in self.doubtful:
                self.helper.discard(channel)
            else:
                self.helper.give_back(channel)
        self.doubtful.clear()

    def close(self) -> None:
        """In a fork of the host: close only our copies."""
        for channel in self.channels.values():
            channel.close()
        self.channels.clear()
