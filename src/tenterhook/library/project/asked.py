"""Read the output of one short, well-behaved program, such as git, without importing a process runner."""

from __future__ import annotations

import os
import select
import signal
import time

LARGEST = 4 << 20


def output_of(words: list[str], env: dict[str, str], seconds: float) -> bytes | None:
    """Its output, if it exits with 0; None on another status, a time-out, or too much output."""
    if not hasattr(os, "posix_spawnp"):
        return output_of_subprocess(words, env, seconds)
    ours, theirs = os.pipe()
    try:
        child = os.posix_spawnp(
            words[0],
            words,
            env,
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_DUP2, theirs, 1),
                (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
            ],
            setpgroup=0,
        )
    except OSError:  # not installed
        os.close(ours)
        return None
    finally:
        os.close(theirs)
    try:
        output = read(ours, time.monotonic() + seconds)
    finally:
        os.close(ours)
    if output is None:
        os.killpg(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return output if status == 0 else None


def output_of_subprocess(words: list[str], env: dict[str, str], seconds: float) -> bytes | None:
    """The same on Windows, where that import is the only way."""
    import subprocess

    try:
        ran = subprocess.run(words, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return ran.stdout if ran.returncode == 0 and len(ran.stdout) <= LARGEST else None


def read(descriptor: int, deadline: float) -> bytes | None:
    """Read everything up to the end; None if that takes too long, or is too much."""
    waiting = select.poll()
    waiting.register(descriptor, select.POLLIN)
    parts: list[bytes] = []
    size = 0
    while size <= LARGEST and (left := deadline - time.monotonic()) > 0 and waiting.poll(left * 1000):
        part = os.read(descriptor, 1 << 16)
        if not part:
            return b"".join(parts)
        parts.append(part)
        size += len(part)
    return None
