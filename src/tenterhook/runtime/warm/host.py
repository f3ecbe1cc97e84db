"""The host's side: the warm interpreters that exist, and which scripts they are ready for.

An event never waits for one. A script that none is ready for runs in a new interpreter, as it would without this
package, while one is started or prepared.
"""

from __future__ import annotations

import _socket
import contextlib
import itertools
import marshal
import os
import select
import threading
import time
from typing import TYPE_CHECKING

from msgspec import Struct

from tenterhook.runtime.process_tree import TAG
from tenterhook.runtime.supervisor import NoHelper
from tenterhook.runtime.supervisor.wire import AGAIN, CONFINED, HEAD, PACKET, PREPARE, PREPARE_FILE, READY, STALE, UNFIT
from tenterhook.runtime.warm import EACH_TIME
from tenterhook.runtime.warm.script import NO_SCRIPT, recognise_script
from tenterhook.support.fingerprint import is_stamp_reliable, stamp

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tenterhook.runtime.process.program import Program
    from tenterhook.runtime.supervisor.channel import Channel, Key
    from tenterhook.runtime.supervisor.client import Helper
    from tenterhook.runtime.warm.script import PythonScript
    from tenterhook.support.fingerprint import Stamp

# The most interpreters; an idle one makes room after so many seconds. Otherwise a host with many environments would do
# nothing but start them.
MOST, RECENT = 4, 10.0
# Seconds between the starts of two interpreters.
PAUSE = 1.0
# A script that was prepared and then did not run in a fork, so many times, is given up.
TRIES = 3
# Seconds that the imports of a script may take when they are tried, and again when they are kept.
LONGEST = 30.0
# What is remembered of interpreters that cannot be warm, and of commands that are not scripts, the latter for so many
# seconds.
KNOWN, BELIEVED = 256, 1.0
# Differs from shell to shell and from folder to folder, and means nothing to a module.
PASSING = frozenset({TAG, "_", "PWD", "OLDPWD", "SHLVL"})
# Room for the tag of a run, beyond the tags of hooks that this host itself runs in.
ROOM = "-" * 64

UNUSUAL = f"{{}} {EACH_TIME}: {{}}"


class ReadyScript(Struct, frozen=True):
    """One script, the interpreter that is ready for it, and the interpreter's state for it."""

    script: PythonScript
    interpreter: Interpreter
    state: ScriptState


class ScriptState:
    """What an interpreter says about a script: asked, ready or unfit."""

    __slots__ = ("number", "reported", "stamp", "turned", "why", "word")

    def __init__(self, number: int) -> None:
        self.number, self.word, self.why = number, "", ""
        self.stamp: Stamp = ()
        self.reported, self.turned = False, 0


class Interpreter:
    """An interpreter that runs, or is starting. Has all scripts and files that it was asked about, by path and by
    number."""

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self.answered = self.over = False
        self.scripts: dict[str, ScriptState] = {}
        self.files: dict[str, ScriptState] = {}
        self.by_number: dict[int, ScriptState] = {}
        self.born = self.used = time.monotonic()

    @property
    def busy(self) -> bool:
        """Whether it is preparing for a script."""
        return not self.answered or any(state.word == "asked" for state in self.scripts.values())

    @property
    def preparing(self) -> bool:
        """Whether it is preparing for a script or a file."""
        return not self.answered or any(state.word == "asked" for state in self.by_number.values())

    def prepare(self, path: str) -> ScriptState:
        """Its state for a script, as the file is now; asks it to prepare if needed."""
        state = self.scripts.get(path) or self.add_state(self.scripts, path)
        self.ask(PREPARE, state, stamp(path), os.fsencode(path))
        return state

    def prepare_file(self, path: str, approved: Stamp) -> None:
        """Ask it to prepare for a file of hooks, with the fingerprint under which the file was approved."""
        state = self.files.get(path) or self.add_state(self.files, path)
        if is_stamp_reliable(approved):
            self.ask(PREPARE_FILE, state, approved, marshal.dumps((os.fsencode(path), approved)))

    def add_state(self, states: dict[str, ScriptState], path: str) -> ScriptState:
        state = states[path] = ScriptState(len(self.by_number) + 1)
        self.by_number[state.number] = state
        return state

    def ask(self, kind: bytes, state: ScriptState, now: Stamp, body: bytes) -> None:
        if (state.stamp != now or not state.word) and state.word != "asked":
            state.stamp, state.word = now, "asked"
            try:
                self.channel.wire.send_packet(HEAD.pack(kind, state.number, int(LONGEST * 1e6)) + body)
            except OSError:  # noticed on the next read
                self.over = True

    def listen(self) -> None:
        """Read all its messages."""
        while not self.over:
            try:
                data = self.channel.wire.recv(PACKET, _socket.MSG_DONTWAIT) if self.channel.usable else b""
            except BlockingIOError:
                return
            except OSError:
                data = b""
            self.read_packet(data)

    def read_packet(self, data: bytes) -> None:
        kind, number, _ = HEAD.unpack_from(data.ljust(HEAD.size, b"\0"))
        state = self.by_number.get(number)
        if kind == CONFINED:
            self.answered = True
        elif kind in (READY, AGAIN) and state:
            state.word = "ready" if kind == READY else "asked"
        elif kind == UNFIT and state:
            text = data[HEAD.size :].decode("utf-8", "replace")
            state.word, state.why = "unfit", "".join(c if c.isprintable() else "?" for c in text)
        else:  # its end, STALE, or that it cannot be confined
            self.answered = self.answered or kind == STALE
            self.over = True


class Interpreters:
    """The warm interpreters of one helper. A hook's profile, Python, options and variables decide which one may run
    it.
    """

    def __init__(self, helper: Helper) -> None:
        self.helper = helper
        self.lock = threading.Lock()
        self.interpreters: dict[Key, Interpreter] = {}
        self.hopeless: set[Key] = set()
        self.last: dict[Key, float] = {}
        self.numbers = itertools.count(1)
        # Commands that are not scripts, and how long that is remembered: running cold is always right.
        self.others: dict[tuple[str, ...], float] = {}

    def find_ready(self, program: Program, packed: tuple[object, ...] | None) -> ReadyScript | str:
        """What is ready to run this; or a note, empty if there is nothing new to say."""
        if self.others and self.others.get(program.argv, 0.0) > time.monotonic():
            return ""
        cwd = program.cwd if os.path.isabs(program.cwd) else os.path.join(os.getcwd(), program.cwd)
        script = recognise_script(program.argv, program.env, cwd)
        if isinstance(script, str):
            if script is NO_SCRIPT:
                self.believe(program.argv)
            return ""
        key = packed, (script.interpreter, script.flags, lasting_variables(program.env, program.varying))
        with self.lock:
            one = self.find_interpreter(key)
            if one is None:
                return ""
            state = one.prepare(script.path)
            one.used = time.monotonic()
            if state.word == "unfit" and not state.reported:
                state.reported = True
                return UNUSUAL.format(script.path, state.why)
            return ReadyScript(script, one, state) if state.word == "ready" and not one.busy else ""

    def prepare_file(self, interpreter: Interpreter, path: str, approved: Stamp) -> None:
        with self.lock:
            interpreter.prepare_file(path, approved)

    def believe(self, argv: tuple[str, ...]) -> None:
        if len(self.others) >= KNOWN:
            self.others.clear()
        self.others[argv] = time.monotonic() + BELIEVED

    def find_interpreter(self, key: Key) -> Interpreter | None:
        one = self.interpreters.get(key)
        if one is not None:
            one.listen()
        if one is None or one.over:
            self.drop(key)
            one = self.start_interpreter(key)
        return one

    def start_interpreter(self, key: Key) -> Interpreter | None:
        """Start a new one, if there is room for it."""
        now = time.monotonic()
        if key in self.hopeless or now < self.last.get(key, 0.0) + PAUSE:
            return None
        packed, warmth = key
        for other in [other for other in self.interpreters if is_superseded_key(other, key)]:
            self.drop(other)
        if len(self.interpreters) >= MOST:
            oldest = min(self.interpreters, key=lambda one: self.interpreters[one].used)
            if now < self.interpreters[oldest].used + RECENT:
                return None
            self.drop(oldest)
        assert warmth is not None
        interpreter, flags, env = warmth
        # Numbered, so that it is never mistaken for the one before, which may still be ending.
        asked = packed, (interpreter, flags, env, next(self.numbers))
        channel = None
        with contextlib.suppress(NoHelper), self.helper.lock:
            channel = self.helper.request_channel(self.helper.running(), asked)
        if channel is None:
            return None
        if len(self.last) >= KNOWN:
            self.last.clear()
            self.hopeless.clear()
        self.last[key] = now
        one = self.interpreters[key] = Interpreter(channel)
        return one

    def drop(self, key: Key) -> None:
        """Drop it. It ends when no hook runs in it any more, because no connection is left."""
        one = self.interpreters.pop(key, None)
        if one is not None:
            if not one.answered:
                self.hopeless.add(key)
            one.over = True
            self.helper.discard(one.channel)

    def lives(self, key: Key) -> bool:
        return any(one.channel.key == key and not one.over for one in list(self.interpreters.values()))

    def wait(self, seconds: float) -> bool:
        """Wait until every script that was asked about is ready or unfit. False if that took too long."""
        until = time.monotonic() + seconds
        while True:
            with self.lock:
                for one in self.interpreters.values():
                    one.listen()
                busy = [one for one in self.interpreters.values() if one.preparing and not one.over]
            left = until - time.monotonic()
            if not busy or left <= 0:
                return not busy
            poller = select.poll()
            for one in busy:
                poller.register(one.channel.wire.fileno(), select.POLLIN)
            poller.poll(left * 1000)

    def close(self) -> None:
        """Without the lock: also in a fork of the host, where the thread that holds it may not exist."""
        for one in list(self.interpreters.values()):
            one.over = True
            one.channel.close()


def lasting_variables(env: Mapping[str, str], varying: frozenset[str]) -> tuple[tuple[str, str], ...]:
    """The variables that an interpreter is started with: all but those that differ from event to event."""
    lasting = [(name, value) for name, value in env.items() if name not in varying and name not in PASSING]
    return (*sorted(lasting), (TAG, env.get(TAG, "") + ROOM))


def is_superseded_key(other: Key, key: Key) -> bool:
    """Whether it is for the same hooks, but confined by an older state of the files."""
    return other[1] == key[1] and other != key and (other[0] and other[0][:-1]) == (key[0] and key[0][:-1])


def wait(seconds: float = 60.0) -> bool:
    """Wait until all earlier scripts are ready to run in forks, or known not to be. For tests and benchmarks."""
    from tenterhook.runtime.supervisor import client

    return all(one.warm is None or one.warm.wait(seconds) for one in client.ours)
