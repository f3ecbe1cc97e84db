"""A person at a terminal: runs the command on a pseudo-terminal, waits for words on the screen and answers."""

import fcntl
import os
import pty
import re
import select
import subprocess
import termios
import time

from conftest import Project

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


class Person:
    """`sees` waits until a text is on the screen, `types` answers, `leaves` gives the exit code."""

    def __init__(self, project: Project, command: list[str]) -> None:
        self.mine, theirs = pty.openpty()
        environ = {**project.environ(), "TERM": "xterm", "COLUMNS": "100"}
        self.child = subprocess.Popen(
            command,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=environ,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # so that Ctrl-C is a signal
        )
        os.close(theirs)
        self.screen = ""
        self.read_to = 0

    def sees(self, text: str, seconds: float = 20) -> None:
        limit = time.monotonic() + seconds
        while text not in self.screen[self.read_to :]:
            if time.monotonic() > limit or not self.read(limit):
                raise AssertionError(f"{text!r} is not on the screen:\n{self.screen}")
        self.read_to = self.screen.index(text, self.read_to) + len(text)

    def read(self, limit: float) -> bool:
        ready, _, _ = select.select([self.mine], [], [], max(0.0, limit - time.monotonic()))
        try:
            data = os.read(self.mine, 65536) if ready else b""
        except OSError:  # the other side is gone
            data = b""
        self.screen += ESCAPES.sub("", data.decode(errors="replace").replace("\r\n", "\n"))
        return bool(data)

    def types(self, text: str) -> None:
        os.write(self.mine, text.encode())

    def leaves(self, seconds: float = 20) -> int:
        limit = time.monotonic() + seconds
        while self.read(limit):
            pass
        return self.child.wait(max(0.1, limit - time.monotonic()))

    def __enter__(self) -> "Person":
        return self

    def __exit__(self, *exc: object) -> None:
        if self.child.poll() is None:
            self.child.kill()
            self.child.wait()
        os.close(self.mine)
