"""A program that a spawner starts for us. We hold its pipes; the spawner reports its start, exit and end over a
channel.
"""

from __future__ import annotations

import os

from tenterhook.runtime.process.program import Modified, Program
from tenterhook.runtime.process.running import Running
from tenterhook.runtime.process_tree import ProcessTable
from tenterhook.runtime.supervisor import ChannelLost, Outdated
from tenterhook.runtime.supervisor.channel import Channel
from tenterhook.runtime.supervisor.wire import END, GO, HEAD, send_long, start_packet


class SpawnedProgram(Running):
    busy_wait = 0.002

    def __init__(self, program: Program, channel: Channel, sandbox: str = "", notes: tuple[str, ...] = ()) -> None:
        super().__init__(program, sandbox, notes)
        self.channel = channel
        self.asked = False
        # The program's ends of its pipes, until its spawner has them.
        self.theirs: list[int] = []

    def begin(self) -> None:
        try:
            self.start()
            self.let_go()
        finally:
            for fd in self.theirs[1:]:  # the first one is held while we write
                os.close(fd)

    def start(self) -> None:
        program = self.program
        if not program.argv or not program.argv[0]:
            raise ValueError("no program")
        try:
            cwd = os.path.join(os.getcwd(), program.cwd) if program.cwd[:1] != "/" else program.cwd
            keep = program.leftovers == "keep"
            head, body = start_packet(self.number, self.token, cwd, program.argv, program.env, keep=keep)
            self.open_pipes(self.theirs)
            self.started = True  # from here on it may have been started, whatever interrupts us
            self.send_start(head, body, self.theirs)
        except Exception:
            self.started = False
            self.close()
            raise

    def let_go(self) -> None:
        """Tell the spawner to start it. We checked approvals while the spawner woke up and waited for this message."""
        try:
            self.look_around()
            self.channel.wire.send_packet(HEAD.pack(GO, self.number, 0))
        except (Modified, Outdated):
            self.started = False
            self.ask(self.began)
            self.close()
            raise
        except OSError as exc:
            raise ChannelLost(str(exc)) from None
        self.feed.push()

    def send_start(self, head: bytes, body: bytes, ends: list[int]) -> None:
        try:
            send_long(self.channel.wire, head, body, ends)
        except ConnectionError as exc:
            raise ChannelLost(str(exc)) from None

    def end(self, now: float, grace: float, error: str | None = None, detail: str = "") -> None:
        super().end(now, grace, error, detail)
        self.asked = False
        self.ask(now)

    def ask(self, now: float) -> None:
        grace = max(0, int((self.kill_at - now) * 1e6))
        try:
            self.channel.wire.send_packet(HEAD.pack(END, self.number, grace))
            self.asked = True
        except OSError:  # it does not keep up, or is gone, which we will be told
            return

    def sweep(self, table: ProcessTable | None, now: float) -> bool:
        if not self.asked:
            self.ask(now)
        return self.gone or now >= self.give_up_at

    def settle(self) -> bool:
        return self.status is not None

    def lost_status(self) -> str:
        return "the helper process that ran this hook ended, so the result of the hook is unknown"
