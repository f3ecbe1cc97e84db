"""A Python script that a warm interpreter runs for us: see tenterhook.runtime.warm."""

from __future__ import annotations

import marshal
import os
from typing import TYPE_CHECKING

from msgspec.structs import replace

from tenterhook.runtime.process.program import Completed, Program
from tenterhook.runtime.process.remote import SpawnedProgram
from tenterhook.runtime.process.stream import close
from tenterhook.runtime.supervisor import ChannelLost
from tenterhook.runtime.supervisor.wire import decode_start
from tenterhook.runtime.warm.host import TRIES, Interpreters, ReadyScript
from tenterhook.support.fingerprint import stamp

if TYPE_CHECKING:
    from tenterhook.runtime.process.channels import Channels
    from tenterhook.runtime.sandbox.profile import Profile
    from tenterhook.runtime.supervisor.channel import Channel
    from tenterhook.support.fingerprint import Stamp

# The first byte of the memory file, until the script's process has found that it can run there.
NOT_YET, RAN = b"-", b"w"


def prepare_warm_run(program: Program, profile: Profile | None, channels: Channels, sandbox: str) -> WarmProgram | str:
    """A program that is not started yet; or, if it needs a new interpreter, a text that says why."""
    helper = channels.helper
    if helper.warm is None:
        helper.warm = Interpreters(helper)
    wanted = helper.warm.find_ready(program, None if profile is None else profile.pack())
    if isinstance(wanted, str):
        return wanted
    channel = channels.join(wanted.interpreter.channel.key)
    if channel is None:
        wanted.interpreter.over = True
        return ""
    return WarmProgram(program, channel, sandbox or channel.mechanism, wanted, helper.warm)


class WarmProgram(SpawnedProgram):
    """The script's input goes through a memory file, which the warm interpreter itself never reads."""

    busy_wait = 0.004

    def __init__(
        self, program: Program, channel: Channel, sandbox: str, wanted: ReadyScript, interpreters: Interpreters
    ) -> None:
        super().__init__(program, channel, sandbox)
        self.wanted, self.interpreters = wanted, interpreters
        self.memory = -1

    def send_start(self, head: bytes, body: bytes, ends: list[int]) -> None:
        script = self.wanted.script
        token, cwd, argv, env = decode_start(len(self.program.argv), body)
        words = [os.fsencode(word) for word in script.words]
        self.memory = os.memfd_create("start")
        given = memoryview(NOT_YET + marshal.dumps((argv, words, len(script.flags), env)))
        while given:
            given = given[os.write(self.memory, given) :]
        known = b"\0".join((token.encode(), cwd, os.fsencode(script.path), os.fsencode(self.program.ahead)))
        try:
            self.channel.wire.send_packet(head + known, (*ends, self.memory))
        except ConnectionError as exc:
            raise ChannelLost(str(exc)) from None

    def let_go(self) -> None:
        super().let_go()
        path = self.program.ahead
        if path and (approved := self.approved_stamp(path)):
            self.interpreters.prepare_file(self.wanted.interpreter, path, approved)

    def approved_stamp(self, path: str) -> Stamp:
        """The fingerprint under which a file was read for its approval; without approvals, that of now."""
        if self.program.seal is None:
            return stamp(path)
        return next((known for one, known in self.program.seal.files if one.path == path), ())

    def completed(self) -> Completed:
        ran = self.memory >= 0 and os.pread(self.memory, 1, 0) == RAN
        if not ran and self.status is not None and self.error is None:
            self.turn_cold()
        return replace(super().completed(), warm=ran)

    def turn_cold(self) -> None:
        """The fork found that a new interpreter would behave differently. It may be ready again after another check."""
        state = self.wanted.state
        state.turned += 1
        if state.turned >= TRIES:
            state.word, state.why = "unfit", "it was prepared and found changed, again and again"
        elif state.word == "ready":
            state.word = ""

    def close(self) -> None:
        super().close()
        fd, self.memory = self.memory, -1
        close(fd)
