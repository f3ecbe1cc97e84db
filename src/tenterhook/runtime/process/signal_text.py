"""What a shell says of a program that a signal ended, for one that was started in the shell's place."""

from __future__ import annotations

import subprocess
from functools import cache

__all__ = ["as_told_by"]


@cache
def as_told_by(shell: str, status: int) -> tuple[int, bytes]:
    """Its own exit status and words: some shells wait for a program, others have become it and end as it does.

    Nobody can tell which by the shell's name, because distributions change it. So it is tried once for each signal.
    """
    words = (shell, "-c", '"$0" -c "$1"', shell, f"ulimit -c 0; kill {status} $$")
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=10, check=False)
    except (OSError, subprocess.SubprocessError):
        return status, b""
    return (done.returncode, done.stderr) if done.returncode == 128 - status else (status, b"")
