"""What the journal does when everybody writes at once, a writer is killed, or the disk is full.

Importing this adds its row to those of faults.py.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from fault_tools import ENV, Figures, row

WRITERS, ROWS, KILLS = 4, 2_000, 40
# An engine whose every outcome is written before `fire` returns. It prints how long each took, or an acknowledgement.
HOST = """
import sys, time
from tenterhook import Engine
engine = Engine(files=False, environ={}, journal=sys.argv[1], session=sys.argv[2])
engine.add("tool.before", lambda event: {"decision": "deny", "reason": "no " * 50}, name="guard")
keep = engine.fire("tool.before", tool_name="0") and engine.journal.keep
"""
MANY = (
    HOST
    + """
took = []
def timed(event, outcome):
    begun = time.perf_counter()
    keep(event, outcome)
    took.append(time.perf_counter() - begun)
engine.journal.keep = timed
print("ready", flush=True)
sys.stdin.readline()
for n in range(1, int(sys.argv[3])):
    engine.fire("tool.before", tool_name=str(n), tool_input={"command": "x" * (n % 500)})
print(*took)
"""
)
ENDLESS = (
    HOST
    + """
n = 0
while True:
    n += 1
    engine.fire("tool.before", tool_name=str(n), tool_input={"text": "x" * (n % 40) * 500})
    print(n, flush=True)
"""
)
FULL = (
    HOST
    + """
import resource
if int(sys.argv[3]):
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]),) * 2)
denied = sum(engine.fire("tool.before", tool_name=str(n)).blocked for n in range(1, 1_000))
print(denied)
"""
)


def host(text: str, *words: object) -> subprocess.Popen[str]:
    argv = [sys.executable, "-c", text, *map(str, words)]
    return subprocess.Popen(
        argv, env=ENV, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def kept(folder: str) -> tuple[list[tuple[str, str]], int]:
    """(session, target) of every whole line, and how many lines are not whole."""
    found, torn = [], 0
    for file in sorted(Path(folder).glob("*.jsonl")):
        for line in filter(None, file.read_bytes().splitlines()):
            try:
                entry = json.loads(line)
                if "part" not in entry:  # what entries have in common
                    found.append((entry["session"], entry["target"]))
            except ValueError:
                torn += 1
    return found, torn


@row(
    "R13",
    "journal: 4 processes x 2,000, kill -9 x 40, a full disk",
    "all rows, 0 acknowledged lost, p99 <= 10 ms, 1 warning",
)
def journal() -> Figures:
    exact, late = together()
    lost, acknowledged = killed()
    decided, warnings, where = full()
    figures = (
        f"{exact:,} of {WRITERS * ROWS:,} rows, p99 {late * 1000:.2f} ms; {lost} of {acknowledged:,} acknowledged lost;"
        f" {where}: {decided} of 999 decisions, {warnings} warning{'' if warnings == 1 else 's'}"
    )
    good = exact == WRITERS * ROWS and late <= 0.01 and lost == 0 and acknowledged > KILLS
    return figures, good and (decided, warnings) == (999, 1)


def together() -> tuple[int, float]:
    """How many different rows are there in the end, and the 99th percentile of what keeping one took."""
    with tempfile.TemporaryDirectory() as folder:
        writers = [host(MANY, folder, f"writer {n}", ROWS) for n in range(WRITERS)]
        for one in writers:
            assert one.stdout is not None
            one.stdout.readline()
        times = [float(word) for one in started(writers) for word in one.split()]
        found, torn = kept(folder)
    exact = len(set(found)) if len(set(found)) == len(found) and not torn else -1
    return exact, sorted(times)[int(len(times) * 0.99)]


def started(writers: list[subprocess.Popen[str]]) -> list[str]:
    for one in writers:
        assert one.stdin is not None
        one.stdin.write("\n")
        one.stdin.flush()
    return [one.communicate(timeout=50)[0] for one in writers]


def killed() -> tuple[int, int]:
    """Two at a time, so that what one leaves by half is in the other's way."""
    lost = acknowledged = 0
    with tempfile.TemporaryDirectory() as folder:
        said: set[tuple[str, str]] = set()
        for n in range(0, KILLS, 2):
            pair = {f"victim {m}": host(ENDLESS, folder, f"victim {m}", 0) for m in (n, n + 1)}
            for one in pair.values():
                assert one.stdout is not None
                one.stdout.readline()
            time.sleep(0.02 + n / 1000)
            for name, one in pair.items():
                one.send_signal(signal.SIGKILL)
                out = one.communicate(timeout=20)[0]
                said |= {(name, word) for word in re.findall(r"(\d+)\n", out)}
        acknowledged = len(said)
        lost = len(said - set(kept(folder)[0]))
    return lost, acknowledged


def full() -> tuple[int, int, str]:
    """Decisions and warnings of a host whose disk has no room: a small one, else a limit on the file."""
    with tempfile.TemporaryDirectory() as folder, small_disk(folder) as mounted:
        one = host(FULL, f"{folder}/journal", "full", 0 if mounted else 64_000)
        out, told = one.communicate(timeout=50)
    where = "full disk" if mounted else "file size limit (no disk may be mounted here)"
    return int(out or 0), told.count("the journal in"), where


@contextlib.contextmanager
def small_disk(folder: str) -> Iterator[bool]:
    """64 KB of memory as a disk, where we may mount one."""
    mount = shutil.which("mount")
    argv = [mount or "mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder]
    mounted = bool(mount) and os.geteuid() == 0 and not subprocess.run(argv, stderr=subprocess.DEVNULL).returncode
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", folder], check=True)
