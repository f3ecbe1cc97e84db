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

# How long the helper may take for its first message, and later for that of a new channel: a fraction of a second, even
# on a busy machine. One that takes longer was stopped, perhaps by a hook.
HELLO, ANSWER = 20.0, 5.0
TRIES = 3
# After a failed start, hooks are started by this process for this long.
PAUSE = 30.0
# Idle channels kept for the next event. A spawner without channels ends, so this also limits the idle spawners.
IDLE = 16
ROUSING = HEAD.pack(HARK, 0, 0)


class Helper:
    """The supervisor's client. Nothing is started before the first channel is requested."""

    def __init__(self, how: str) -> None:
        self.how = how
        # The engines that use it; weak references, because a dropped engine needs nothing any more.
        self.users: WeakSet[object] = WeakSet()
        self.begin_empty()

    def begin_empty(self) -> None:
        """Also called in a fork of the host: the parent's connections are not ours."""
        self.lock = threading.Lock()
        self.control: HelperConnection | None = None
        self.popen: subprocess.Popen[bytes] | None = None
        self.answered: tuple[HelperConnection, ...] = ()
        self.idle: list[Channel] = []
        # The warm interpreters; None until one is requested.
        self.warm: Interpreters | None = None
        # Profiles that this machine cannot enforce: why, and whether the hook must not run then.
        self.unconfined: dict[Key, tuple[str, bool]] = {}
        self.complained = False
        self.failed: tuple[float, str] | None = None

    def channel(self, profile: Profile | None) -> Channel:
        """A channel for exclusive use. Raises NotConfined or NoHelper."""
        key = profile_channel_key(profile)
        if self.unconfined and lasting(key) in self.unconfined:
            raise NotConfined(*self.unconfined[lasting(key)])
        return self.take_idle(key) or self.open_channel(key)

    def prepare(self) -> None:
        """Start the supervisor, if it is not running; errors are reported when a channel is requested."""
        with self.lock, contextlib.suppress(NoHelper):
            self.running()

    def take_idle(self, key: Key) -> Channel | None:
        """The channel used last: the others may be dropped. Channels for an older state of the files are closed."""
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
        """Wake the spawner that was used last, if it fits: a hook is about to start."""
        with self.lock:
            channel = self.idle[-1] if self.idle else None
            if channel is None or channel.roused or lasting(channel.key)[0] != lasting(profile_channel_key(profile))[0]:
                return
            if channel.usable:
                channel.roused = True  # once, until the channel is used: many threads at once would fill it up
                try:
                    channel.wire.send_packet(ROUSING)
                except OSError:  # it is gone, as the next user of the channel finds out
                    return

    def give_back(self, channel: Channel) -> None:
        """Return a channel. The oldest idle one is dropped; a broken one is not kept."""
        with self.lock:
            if channel.sound and self.wants(channel.key):  # whether it is still ours is checked when it is taken
                channel.roused = False
                self.idle.append(channel)
            else:
                channel.close()
            if len(self.idle) > IDLE:
                self.idle.pop(0).close()

    def wants(self, key: Key) -> bool:
        """False for an interpreter that is about to end."""
        return key[1] is None or (self.warm is not None and self.warm.lives(key))

    def discard(self, channel: Channel) -> None:
        """Drop a channel whose spawner did not obey: the next request asks the supervisor for a sign of life first."""
        channel.close()
        with self.lock:
            for other in [one for one in self.idle if one.key == channel.key]:
                self.idle.remove(other)
                other.close()

    def open_channel(self, key: Key) -> Channel:
        """Open a channel. Try again if the spawner ended just when we asked for it, or the supervisor was killed."""
        why = "it exits at once"
        for _ in range(TRIES):
            with self.lock:
                control = self.running()
                channel = self.request_channel(control, key)
            seconds = ANSWER if control in self.answered else HELLO
            packet = first_word(channel.wire, seconds) if channel else b""
            if channel and packet:
                self.reap()
                self.answered = (control,)
                return self.check_hello(channel, packet)
            if channel:
                channel.close()
            if packet is None:
                why = f"it did not answer within {seconds:g} s"
                self.stop(control)
        self.failed = time.monotonic(), why
        self.stop(control)
        raise NoHelper(why)

    def join_channel(self, key: Key) -> Channel | None:
        """A channel to a spawner that is known to run; None if it has ended, or does not answer as it should.

        It was confined when it started and has run other code since then, so its further claims are not trusted:
        otherwise an installed package could talk a hook out of its sandbox.
        """
        if channel := self.take_idle(key):
            return channel
        with self.lock:
            channel = self.request_channel(self.control, key, JOIN) if self.control else None
        packet = first_word(channel.wire, ANSWER) if channel else b""
        kind, _, value = HEAD.unpack_from((packet or b"").ljust(HEAD.size, b"\0"))
        if channel and kind == CONFINED and 0 <= value < len(MECHANISMS):
            channel.mechanism = MECHANISMS[value]
            return channel
        if channel:
            channel.close()
        return None

    def request_channel(self, control: HelperConnection, key: Key, how: bytes = CHANNEL) -> Channel | None:
        """Request a channel, without waiting for the answer; None if there is no supervisor. With the lock held."""
        ours, theirs = pair()
        try:
            channel = Channel(ours, os.memfd_create("notes"), key)
            # In marshal version 2 equal keys have equal bytes, whatever other references their parts have.
            send_long(control.wire, how, marshal.dumps(key, 2), [theirs.fileno(), channel.notes], wait=True)
        except ConnectionError:
            channel.close()
            self.end()
            return None
        finally:
            theirs.close()
        return channel

    def check_hello(self, channel: Channel, packet: bytes) -> Channel:
        kind, _, value = HEAD.unpack_from(packet)
        if kind == CONFINED:
            channel.mechanism = MECHANISMS[value]
            return channel
        channel.close()
        text = "".join(c if c.isprintable() else "?" for c in packet[HEAD.size :].decode("utf-8", "replace"))
        self.unconfined[lasting(channel.key)] = text, kind == REFUSED
        raise NotConfined(text, kind == REFUSED)

    def stop(self, control: HelperConnection) -> None:
        """Stop this supervisor, unless another thread has done so and a new one runs."""
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
        """Stop the supervisor, which ends everything it started. One that was stopped by a signal is continued
        first.
        """
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
        """Close connections: warm interpreters without any end; those of running hooks are closed when they are given
        back.
        """
        warm, self.warm = self.warm, None
        if warm is not None:
            warm.close()
        for channel in [one for one in self.idle if one.key[1] is not None]:
            self.idle.remove(channel)
            channel.close()

    def reap(self) -> None:
        """Reap the process that we started, which has forked the supervisor and ended; or failed to."""
        popen, self.popen = self.popen, None
        if popen is not None:
            popen.kill()
            popen.wait()

    def release(self) -> None:
        """Let processes that hooks left running go on after we end."""
        with self.lock:
            if self.control is not None and self.control.usable:
                with contextlib.suppress(OSError):
                    self.control.wire.send_packet(RELEASE)
            self.end()

    def release_user(self, user: object) -> None:
        """When the last engine is gone, end the warm interpreters."""
        with self.lock:
            self.users.discard(user)
            if not self.users and self.warm is not None:
                self.cool()

    def complaint(self, exc: NoHelper) -> tuple[str, ...]:
        """A note about the missing supervisor; given once."""
        if self.complained:
            return ()
        self.complained = True
        return (f"hooks run without a supervisor: {exc}; if this host is killed, they may survive it",)


def profile_channel_key(profile: Profile | None) -> Key:
    return None if profile is None else profile.pack(), None


def lasting(key: Key) -> Key:
    """A profile without the identities of files at the time of the request."""
    packed, warmth = key
    return packed and packed[:-1], warmth


ours: list[Helper] = []
lock = threading.Lock()


def helper(how: str, user: object | None = None) -> Helper:
    """The helper of this process; the first request decides how it is started."""
    with lock:
        if not ours:
            ours.append(Helper(how))
        if user is not None:
            ours[0].users.add(user)
        return ours[0]


def forget() -> None:
    """In a fork of the host: forget the parent's helper and channels."""
    global lock
    lock = threading.Lock()  # the old lock may be held for ever by a thread that does not exist here
    for one in ours:
        for line in (*one.idle, *one.answered):
            line.close()
        if one.warm is not None:
            one.warm.close()
        one.begin_empty()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=forget)
