"""The supervisor: forks spawners, watches the host, and lets nothing survive it."""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]
import gc
import marshal
import os

from tenterhook.runtime.process_tree import SIGKILL, descendants, send
from tenterhook.runtime.supervisor import spawner, system
from tenterhook.runtime.supervisor.wire import CHANNEL, HEAD, HERE, JOIN, RELEASE, Wire, pair, read_long_body, wire


def program(control: int, host: int) -> None:
    """Run as a separate program. Not a child of the host, which may wait for all its children to end."""
    if os.fork() == 0:
        run_forked_supervisor(control, host)
    os._exit(0)


def run_forked_supervisor(control: int, host: int) -> None:
    """Run in a process that was forked for it; the process exits afterwards."""
    try:
        gc.disable()  # nothing of the host is to be finalized here
        system.begin_anew([fd for fd in (control, host) if fd >= 0])
        system.adopt_orphans()
        system.keep_out()
        Supervisor(wire(control), host).serve()
    finally:
        os._exit(0)


class Supervisor:
    """One spawner for each profile and warm interpreter, by their packed form."""

    def __init__(self, control: Wire, host: int) -> None:
        self.control, self.host = control, host
        self.spawners: dict[bytes, tuple[int, Wire]] = {}
        self.bell = system.bell()
        self.poller = system.Poller(*(fd for fd in (control.fileno(), host, self.bell) if fd >= 0))

    def serve(self) -> None:
        self.control.send_packet(HEAD.pack(HERE, 0, os.getpid()))
        spawner.get_ready()
        while True:
            ready = self.poller.wait(None)
            if self.bell in ready:
                system.silence(self.bell)
                self.reap()
            # Before the host's exit, which may come right after its last message.
            if self.control.fileno() in ready and self.is_over():
                return
            if self.host in ready:
                system.end_all()
                return

    def is_over(self) -> bool:
        while (packet := system.next_packet(self.control)) is not None:
            data, files = packet
            if data[:1] == RELEASE:
                self.release()
                return True
            if data[:1] not in (CHANNEL, JOIN) or len(files) < 2:
                system.end_all()
                return True
            key = read_long_body(data, len(CHANNEL), files, 2)
            self.connect(key, wire(files[0]), files[1], join=data[:1] == JOIN)
            os.close(files[1])
        return False

    def release(self) -> None:
        for _, theirs in self.spawners.values():
            try:
                theirs.send_packet(RELEASE, wait=True)
            except OSError:
                continue

    def connect(self, key: bytes, channel: Wire, notes: int, *, join: bool) -> None:
        if key in self.spawners:
            try:
                self.spawners[key][1].send_packet(CHANNEL, [channel.fileno(), notes])
            except OSError:  # it has just ended, or does not read
                self.spawners.pop(key)[1].close()
            else:
                channel.close()
                return
        if join:
            channel.close()
            return
        ours, theirs = pair()
        pid = os.fork()
        if pid == 0:
            try:
                signal.set_wakeup_fd(-1)
                spawner.run(theirs, channel, notes, *marshal.loads(key))
            finally:
                os._exit(0)
        self.spawners[key] = pid, ours
        theirs.close()
        channel.close()

    def reap(self) -> None:
        """Take over the hooks of a spawner that was killed, and end them: no hook escapes by killing its spawner."""
        gone = {pid for pid, _ in system.ended_children()}
        for key, (pid, ours) in list(self.spawners.items()):
            if pid in gone:
                ours.close()
                del self.spawners[key]
            else:
                system.wake(pid)
        # In this order: a process that another spawner starts meanwhile is in the second list, if in any.
        every = set(descendants(os.getpid()))
        served = {name for pid, _ in self.spawners.values() for name in descendants(pid)}
        for name in every - served - {str(os.getpid())}:
            send(os.kill, int(name), SIGKILL)
