"""What a shell prints about a program that a signal killed, for a program that was started without the shell."""

from __future__ import annotations

import subprocess
from functools import cache


@cache
def as_told_by(shell: str, status: int) -> tuple[int, bytes]:
    """The shell's exit status and message: some shells wait for the program, others exec it and end as it does.

    The shell's name does not tell which, because distributions differ. So it is tried once for each signal.
    """
    words = (shell, "-c", '"$0" -c "$1"', shell, f"ulimit -c 0; kill {status} $$")
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=10, check=False)
    except (OSError, subprocess.SubprocessError):
        return status, b""
    return (done.returncode, done.stderr) if done.returncode == 128 - status else (status, b"")
