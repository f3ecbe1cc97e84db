"""A spawner: confines itself, then starts and ends the hooks of one profile, for any number of channels."""

from __future__ import annotations

import os
import time

from tenterhook.runtime.supervisor import system
from tenterhook.runtime.supervisor.hook_processes import HookProcesses
from tenterhook.runtime.supervisor.spawn import PreparedStart
from tenterhook.runtime.supervisor.wire import (
    CHANNEL,
    CONFINED,
    END,
    FILES,
    GO,
    HARK,
    HEAD,
    MECHANISMS,
    REFUSED,
    RELEASE,
    START,
    START_KEEPING,
    UNCONFINED,
    Wire,
    decode_start,
    note,
    read_long_body,
    wire,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Packed = tuple[Any, ...] | None
    # The interpreter, its options, its environment, and a number that tells it from others.
    Warmth = tuple[str, tuple[str, ...], tuple[tuple[str, str], ...], int] | None

LONGEST = 1000  # the longest reason, in bytes
# The most messages from one host in a turn: hooks that end together are reported together, and 500 at once take a tenth
# less time. Not more, or one hook's end would wait for the start of too many others.
BURST = 8
# Seconds of busy-waiting for a start message, and for the one that lets the hook go.
MOMENT = 0.0003


def run(control: Wire, channel: Wire, notes: int, packed: Packed, warmth: Warmth) -> None:
    """The main function of a process forked as a spawner. The process exits when it returns."""
    files = control.fileno(), channel.fileno(), notes
    system.begin_anew(files)
    system.adopt_orphans()
    hello = confine(packed)
    system.keep_out()
    if hello[:1] == CONFINED and warmth is not None:
        warm(warmth, files, hello)
    elif hello[:1] == CONFINED:
        Spawner(control, hello, channel, notes).serve()
        system.wake_parent()
    else:
        channel.send_packet(hello, wait=True)


def warm(warmth: Warmth, files: tuple[int, ...], hello: bytes) -> None:
    """Exec an interpreter that serves in our place. If that fails, our exit tells."""
    assert warmth is not None
    interpreter, flags, env, _ = warmth
    # Its streams are pipes, like those of hooks; they lead nowhere.
    (stdin, a), (b, stdout), (c, stderr) = os.pipe(), os.pipe(), os.pipe()
    for fd, number in ((stdin, 0), (stdout, 1), (stderr, 2)):
        os.dup2(fd, number)
    for fd in (stdin, a, b, stdout, c, stderr):
        os.close(fd)
    for fd in files:
        os.set_inheritable(fd, True)
    program = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "warm", "program.py")
    try:
        os.execve(interpreter, [interpreter, *flags, program, *map(str, files), hello.hex()], dict(env))
    except OSError:
        return


def get_ready() -> None:
    """Import the sandbox modules, so that no spawner has to, while the host still prepares its request."""
    try:
        import tenterhook.runtime.sandbox.restrict  # noqa: F401
    except Exception:  # the spawner that needs it reports what is wrong
        return


def confine(packed: Packed) -> bytes:
    """Confine this process. Returns the first message for every channel."""
    if packed is None:
        return HEAD.pack(CONFINED, 0, 0)
    from tenterhook.runtime.sandbox.profile import Profile

    try:
        from tenterhook.runtime.sandbox.restrict import restrict

        mechanism = restrict(Profile(*packed))
        return HEAD.pack(CONFINED, 0, MECHANISMS.index(mechanism))
    except Exception as exc:
        kind = REFUSED if getattr(exc, "refused", False) else UNCONFINED
        return HEAD.pack(kind, 0, 0) + (str(exc) or type(exc).__name__).encode("utf-8", "replace")[:LONGEST]


class Spawner:
    """Ends when the supervisor does, and when it is not needed any more."""

    def __init__(self, control: Wire, hello: bytes, first: Wire, notes: int) -> None:
        self.control, self.hello = control, hello
        self.bell = system.bell()
        self.poller = system.Poller(control.fileno(), self.bell)
        # Each with the file in which its host looks up what was started.
        self.channels: dict[int, tuple[Wire, int]] = {}
        # Starts that wait for the next message on their channel: number, what to start, its files, whether it is kept.
        self.waiting: dict[int, tuple[int, Any, list[int], bool]] = {}
        self.roused = False
        self.jobs = HookProcesses()
        self.open(first, notes)

    @property
    def needed(self) -> bool:
        """Processes that hooks left running need us, so that they end with the host."""
        return bool(self.channels or self.jobs.by_number) or system.has_children()

    def serve(self) -> None:
        while self.needed:
            self.before_waiting()
            ready = self.soon() if self.waiting or self.roused else self.poller.wait(self.jobs.patience())
            if self.bell in ready:
                self.handle_exit()  # report first; a child's exit from here on is not missed
                system.silence(self.bell)
                while self.handle_exit():
                    continue
            if self.control.fileno() in ready and self.is_over():
                return
            for fd in ready:
                for _ in range(BURST):
                    if fd not in self.channels or not self.read_packet(*self.channels[fd]):
                        break
            now = time.monotonic()
            if self.jobs.ending and now >= self.jobs.sweeps.at:
                self.jobs.sweep(now)

    def soon(self) -> list[int]:
        """Poll briefly for the host's next message before blocking: a wake-up would take as long."""
        self.roused = False
        until = time.monotonic() + MOMENT
        while time.monotonic() < until:
            if ready := self.poller.wait(0.0):
                return ready
            os.sched_yield()
        return self.poller.wait(self.jobs.patience())

    def handle_exit(self) -> bool:
        """Whether a hook had ended; its exit is then reported."""
        ended = next(system.ended_children(), None)
        if ended is not None:
            self.jobs.exited(*ended)
        return ended is not None

    def is_over(self) -> bool:
        packet = system.next_packet(self.control)
        if packet is None:
            return False
        data, files = packet
        if data[:1] == CHANNEL and len(files) == 2:
            self.open(wire(files[0]), files[1])
            return False
        if data[:1] != RELEASE:  # the supervisor is gone, which would end the hooks if we died
            system.end_all()
        return True

    def open(self, channel: Wire, notes: int) -> None:
        try:
            channel.send_packet(self.hello)
        except OSError:
            os.close(notes)
            return
        self.channels[channel.fileno()] = channel, notes
        self.poller.add(channel.fileno())

    def read_packet(self, channel: Wire, notes: int) -> bool:
        """Read one packet. Returns whether there may be more."""
        packet = system.next_packet(channel)
        if packet is None:
            return False
        data, files = packet
        if len(data) < HEAD.size:
            self.close(channel)
            return False
        kind, number, value = HEAD.unpack_from(data)
        if kind == HARK:
            self.roused = True
            return False
        if kind == GO:
            self.let_go(channel, notes, number)
            return True
        self.take_back(channel)
        if kind == END:
            self.jobs.end(channel, number, value / 1e6)
        elif kind in (START, START_KEEPING):
            given = self.taken_apart(value, data, files)
            self.waiting[channel.fileno()] = number, given, files, kind == START_KEEPING
        else:
            self.handle_packet(channel, data)
        return True

    def let_go(self, channel: Wire, notes: int, number: int) -> None:
        waiting = self.waiting.pop(channel.fileno(), None)
        if waiting is not None and waiting[0] == number:
            note(notes, number)
            _, given, files, keep = waiting
            self.start(channel, number, given, files, keep=keep)

    def take_back(self, channel: Wire) -> None:
        """Any message but GO means that it is not to be started."""
        waiting = self.waiting.pop(channel.fileno(), None) if self.waiting else None
        for fd in waiting[2] if waiting else ():
            os.close(fd)

    def before_waiting(self) -> None:
        """Hook for subclasses: called when there is nothing to do."""

    def handle_packet(self, channel: Wire, data: bytes) -> None:
        """Hook for subclasses: other messages."""

    def taken_apart(self, words: int, data: bytes, files: list[int]) -> Any:
        """The parts of a start packet; None if it is incomplete."""
        body = read_long_body(data, HEAD.size, files, FILES - 1)
        if not body:
            return None
        token, cwd, argv, env = decode_start(words, body)
        return token, cwd, PreparedStart(argv, env, cwd)

    def start(self, channel: Wire, number: int, given: Any, files: list[int], *, keep: bool) -> None:
        self.jobs.start(channel, number, given, files, keep=keep)

    def close(self, channel: Wire) -> None:
        self.take_back(channel)
        self.poller.remove(channel.fileno())
        os.close(self.channels.pop(channel.fileno())[1])
        self.jobs.abandon(channel)
        channel.close()
