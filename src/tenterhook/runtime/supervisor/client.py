"""The host's side of the supervisor: one for the whole process, started when the first hook needs it.

All engines and threads share it. After os.fork the child starts its own.
"""

from __future__ import annotations

import contextlib
import marshal
import os
import threading
import time
from weakref import WeakSet

from tenterhook.runtime.supervisor import NoHelper, NotConfined
from tenterhook.runtime.supervisor.channel import Channel, HelperConnection, first_word
from tenterhook.runtime.supervisor.launch import fork, is_single_threaded, launch
from tenterhook.runtime.supervisor.wire import (
    CHANNEL,
    CONFINED,
    HARK,
    HEAD,
    HERE,
    JOIN,
    MECHANISMS,
    REFUSED,
    RELEASE,
    pair,
    send_long,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import subprocess

    from tenterhook.runtime.sandbox.profile import Profile
    from tenterhook.runtime.supervisor.channel import Key
    from tenterhook.runtime.warm.host import Interpreters

__all__ = ["Helper", "helper"]

# How long the helper may take for its first word, and later for that of a new channel: a fraction of a second, even on
# a busy machine. One that takes longer was stopped, perhaps by a hook.
HELLO, ANSWER = 20.0, 5.0
TRIES = 3
# After it could not be started, hooks are started by ourselves for this long.
PAUSE = 30.0
# Channels kept for the next event. A spawner without channels ends, so this also bounds the idle spawners.
IDLE = 16
ROUSING = HEAD.pack(HARK, 0, 0)


class Helper:
    """Nothing is started before the first channel is asked for."""

    def __init__(self, how: str) -> None:
        self.how = how
        # Who may run hooks; weakly, because one that is dropped needs nothing any more.
        self.users: WeakSet[object] = WeakSet()
        self.begin_empty()

    def begin_empty(self) -> None:
        """Also in a fork of the host: what its parent uses is not ours."""
        self.lock = threading.Lock()
        self.control: HelperConnection | None = None
        self.popen: subprocess.Popen[bytes] | None = None
        self.answered: tuple[HelperConnection, ...] = ()
        self.idle: list[Channel] = []
        # The warm interpreters; none where nobody has asked for one.
        self.warm: Interpreters | None = None
        # Profiles that this machine cannot confine a hook to: why, and whether it must not run then.
        self.unconfined: dict[Key, tuple[str, bool]] = {}
        self.complained = False
        self.failed: tuple[float, str] | None = None

    def channel(self, profile: Profile | None) -> Channel:
        """One that nobody else uses. NotConfined, or NoHelper."""
        key = profile_channel_key(profile)
        if self.unconfined and lasting(key) in self.unconfined:
            raise NotConfined(*self.unconfined[lasting(key)])
        return self.kept(key) or self.opened(key)

    def prepare(self) -> None:
        """Start it, if it does not run; whatever is wrong with that is said when a channel is asked for."""
        with self.lock, contextlib.suppress(NoHelper):
            self.running()

    def kept(self, key: Key) -> Channel | None:
        """The one used last: the others may make room. Those that closed and hid other files are of no use any more."""
        with self.lock:
            if self.idle and self.idle[-1].key == key and self.idle[-1].usable:
                return self.idle.pop()
            for channel in [one for one in self.idle if one.key != key and lasting(one.key) == lasting(key)]:
                self.idle.remove(channel)
                channel.close()
            for channel in [one for one in reversed(self.idle) if one.key == key]:
                self.idle.remove(channel)
                if channel.usable:
                    return channel
        return None

    def rouse(self, profile: Profile | None) -> None:
        """Have the spawner wake up that was used last, if it is one for such hooks: there is one to start."""
        with self.lock:
            channel = self.idle[-1] if self.idle else None
            if channel is None or channel.roused or lasting(channel.key)[0] != lasting(profile_channel_key(profile))[0]:
                return
            if channel.usable:
                channel.roused = True  # once, until somebody uses it: many who come at once would fill it up
                try:
                    channel.wire.send_packet(ROUSING)
                except OSError:  # it is gone, as whoever takes the channel finds out
                    return

    def give_back(self, channel: Channel) -> None:
        """The oldest makes room; one that is not sound is no use to anybody."""
        with self.lock:
            if channel.sound and self.wants(channel.key):  # whether it is still ours is looked at when it is taken
                channel.roused = False
                self.idle.append(channel)
            else:
                channel.close()
            if len(self.idle) > IDLE:
                self.idle.pop(0).close()

    def wants(self, key: Key) -> bool:
        """Not one to an interpreter that is to end."""
        return key[1] is None or (self.warm is not None and self.warm.lives(key))

    def discard(self, channel: Channel) -> None:
        """Its spawner did not do as it was told: the next one to need it asks for a sign of life first."""
        channel.close()
        with self.lock:
            for other in [one for one in self.idle if one.key == channel.key]:
                self.idle.remove(other)
                other.close()

    def opened(self, key: Key) -> Channel:
        """Not at the first try where a spawner ended just when we asked for it, or the supervisor was killed."""
        why = "it exits at once"
        for _ in range(TRIES):
            with self.lock:
                control = self.running()
                channel = self.asked(control, key)
            seconds = ANSWER if control in self.answered else HELLO
            packet = first_word(channel.wire, seconds) if channel else b""
            if channel and packet:
                self.reap()
                self.answered = (control,)
                return self.judged(channel, packet)
            if channel:
                channel.close()
            if packet is None:
                why = f"it did not answer within {seconds:g} s"
                self.stop(control)
        self.failed = time.monotonic(), why
        self.stop(control)
        raise NoHelper(why)

    def joined(self, key: Key) -> Channel | None:
        """One to a spawner that is known to be there; None if it is not any more, or does not answer as it should.

        It was confined when it started, and has run other people's code since then: whatever else it says about that
        is not to be believed, or a package that is installed for a hook could talk the hook out of its sandbox.
        """
        if channel := self.kept(key):
            return channel
        with self.lock:
            channel = self.asked(self.control, key, JOIN) if self.control else None
        packet = first_word(channel.wire, ANSWER) if channel else b""
        kind, _, value = HEAD.unpack_from((packet or b"").ljust(HEAD.size, b"\0"))
        if channel and kind == CONFINED and 0 <= value < len(MECHANISMS):
            channel.mechanism = MECHANISMS[value]
            return channel
        if channel:
            channel.close()
        return None

    def asked(self, control: HelperConnection, key: Key, how: bytes = CHANNEL) -> Channel | None:
        """Not heard of yet; None if nobody is there to ask. With the lock held."""
        ours, theirs = pair()
        try:
            channel = Channel(ours, os.memfd_create("notes"), key)
            # In version 2 equal keys are equal bytes, whoever else holds their parts.
            send_long(control.wire, how, marshal.dumps(key, 2), [theirs.fileno(), channel.notes], wait=True)
        except ConnectionError:
            channel.close()
            self.end()
            return None
        finally:
            theirs.close()
        return channel

    def judged(self, channel: Channel, packet: bytes) -> Channel:
        kind, _, value = HEAD.unpack_from(packet)
        if kind == CONFINED:
            channel.mechanism = MECHANISMS[value]
            return channel
        channel.close()
        text = "".join(c if c.isprintable() else "?" for c in packet[HEAD.size :].decode("utf-8", "replace"))
        self.unconfined[lasting(channel.key)] = text, kind == REFUSED
        raise NotConfined(text, kind == REFUSED)

    def stop(self, control: HelperConnection) -> None:
        """Unless another thread has done so, and a new one runs."""
        with self.lock:
            if self.control is control:
                self.end()

    # With the lock held

    def running(self) -> HelperConnection:
        if self.control is not None and not self.control.usable:
            self.end()
        if self.control is None:
            if self.failed and time.monotonic() < self.failed[0] + PAUSE:
                raise NoHelper(self.failed[1])
            try:
                self.start()
            except (OSError, ValueError) as exc:
                self.failed = time.monotonic(), str(exc)
                raise NoHelper(str(exc)) from None
        assert self.control is not None
        return self.control

    def start(self) -> None:
        ours, theirs = pair()
        host = -1
        with contextlib.suppress(OSError):  # an old kernel: then only the end of the connection tells of our end
            host = os.pidfd_open(os.getpid())
        try:
            if self.how == "fork" and is_single_threaded():
                fork(theirs.fileno(), host)
            else:
                self.popen = launch(theirs.fileno(), host)
        finally:
            theirs.close()
            if host >= 0:
                os.close(host)
        self.control = HelperConnection(ours)
        self.failed = None

    def end(self) -> None:
        """It ends everything it has started. One that was stopped by a signal must go on to do so."""
        for channel in self.idle:
            channel.close()
        self.idle.clear()
        if self.warm is not None:
            self.cool()
        self.reap()
        control, self.control = self.control, None
        if control is not None and control.usable:
            with contextlib.suppress(OSError):
                kind, _, pid = HEAD.unpack_from(control.wire.receive_packet()[0].ljust(HEAD.size, b"\0"))
                if kind == HERE:
                    os.kill(pid, 18)  # SIGCONT
            control.close()

    def cool(self) -> None:
        """Without connections warm interpreters end; those of hooks that run are closed when they are given back."""
        warm, self.warm = self.warm, None
        if warm is not None:
            warm.close()
        for channel in [one for one in self.idle if one.key[1] is not None]:
            self.idle.remove(channel)
            channel.close()

    def reap(self) -> None:
        """What we started has forked the supervisor and ended; or never came to that."""
        popen, self.popen = self.popen, None
        if popen is not None:
            popen.kill()
            popen.wait()

    def release(self) -> None:
        """What hooks left running goes on though we end."""
        with self.lock:
            if self.control is not None and self.control.usable:
                with contextlib.suppress(OSError):
                    self.control.wire.send_packet(RELEASE)
            self.end()

    def left(self, user: object) -> None:
        """Interpreters that are kept warm end with the last who could use them."""
        with self.lock:
            self.users.discard(user)
            if not self.users and self.warm is not None:
                self.cool()

    def complaint(self, exc: NoHelper) -> tuple[str, ...]:
        """Said once."""
        if self.complained:
            return ()
        self.complained = True
        return (f"hooks run without a supervisor: {exc}; if this host is killed, they may survive it",)


def profile_channel_key(profile: Profile | None) -> Key:
    return None if profile is None else profile.pack(), None


def lasting(key: Key) -> Key:
    """A profile but for what was seen when it was asked for."""
    packed, warmth = key
    return packed and packed[:-1], warmth


ours: list[Helper] = []
lock = threading.Lock()


def helper(how: str, user: object | None = None) -> Helper:
    """That of this process, started in the way that was asked for first."""
    with lock:
        if not ours:
            ours.append(Helper(how))
        if user is not None:
            ours[0].users.add(user)
        return ours[0]


def forget() -> None:
    """In a fork of the host: what its helper and its channels are to it, ours are to us."""
    global lock
    lock = threading.Lock()  # the old one may be held, for ever, by a thread that is not here
    for one in ours:
        for line in (*one.idle, *one.answered):
            line.close()
        if one.warm is not None:
            one.warm.close()
        one.begin_empty()


os.register_at_fork(after_in_child=forget)
