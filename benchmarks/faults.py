"""What happens when hooks misbehave, in figures: python benchmarks/faults.py [R1 R2 ...]

One line for each row of the list of faults: its number, what is done, the goal, what was measured here, and whether
that is enough. The exit code is 0 whatever the figures are.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest import mock

from fault_rows import (
    client_faults,  # noqa: F401
    containment_faults,  # noqa: F401
    gate_faults,  # noqa: F401
    host_faults,  # noqa: F401
    journal_faults,  # noqa: F401
    network_faults,  # noqa: F401
    path_faults,  # noqa: F401
    sandbox_faults,  # noqa: F401
    secret_faults,  # noqa: F401
    supervisor_faults,  # noqa: F401
    trust_faults,  # noqa: F401
)
from fault_tools import (
    ENV,
    HOST,
    ROWS,
    Figures,
    children,
    host,
    memory,
    open_files,
    program,
    reactor,
    row,
    run,
    run_all,
    sh,
    survivors,
)
from tenterhook.runtime.process import Completed, Program, Reactor

STUBBORN = "import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(60)"
ZOO = [
    "sleep 60",
    "trap '' TERM; sleep 60; sleep 60",
    "trap 'sleep 60' TERM; sleep 60",
    "while :; do :; done",
    "yes",
    "yes >&2",
    "trap '' TERM; yes & yes >&2",
    "sleep 60 & sleep 60 & wait",
    "(trap '' TERM; sleep 60; sleep 60) & exec sleep 60",
    "setsid sleep 60 & sleep 60",
    "(setsid sleep 60 &); sleep 60",
    "(setsid sh -c \"trap '' TERM; sleep 60; sleep 60\" &); sleep 60",
    "kill -STOP $$; sleep 60",
    "exec >&- 2>&- 0<&-; sleep 60",
    "trap '' TERM; while :; do sleep 0.01; done",
    f"exec {sys.executable} -S -c '{STUBBORN}'",
]


@row("R1", "deadline: 16 faults x 20, timeout 0.3, grace 0.2", "320 of 320 <= 0.75 s, none survives")
def deadline() -> Figures:
    mark = f"FAULTS={os.getpid()}"
    env = {**ENV, "FAULTS": str(os.getpid())}
    zoo = [sh(text, env=env, stdin=bytes(10_000_000), timeout=0.3, grace=0.2) for text in ZOO * 20]
    done = run_all(zoo)
    late = [d.seconds for d in done if d.seconds > 0.75]
    wrong = sum(d.error != "timeout" for d in done)
    left = survivors(mark)
    figures = f"{320 - len(late)} of 320, slowest {max(d.seconds for d in done):.3f} s, {left} survive, {wrong} wrong"
    return figures, not late and not left and not wrong


@row("R2", "decision kept though a child holds stdout, 100 runs", "100 of 100, <= 100 ms after the exit")
def held() -> Figures:
    text = "sleep 3 & echo deny; date +%s%N >&2; exit 2"
    after, right = [], 0
    for _ in range(100):
        done = run(sh(text))
        now = time.time_ns()
        after.append((now - int(done.stderr or 0)) / 1e6)
        right += (done.exit_code, done.stdout) == (2, b"deny\n")
    time.sleep(3.2)  # what these left running is in nobody else's way
    return f"{right} of 100, slowest {max(after):.1f} ms after the exit", right == 100 and max(after) <= 100


LINES = f"exec {sys.executable} -S -c 'for n in range(500000): print(n, \"x\" * 190)'"


ZEROS = "exec head -c 1000000000 /dev/zero"


def bare_and_ours(text: str) -> tuple[float, Completed]:
    """The better of three, in turns, because the machine is not ours alone."""
    argv, bare, ours = ["/bin/sh", "-c", text], [], []
    for _ in range(3):
        begun = time.perf_counter()
        subprocess.run(argv, env=ENV, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        bare.append(time.perf_counter() - begun)
        ours.append(run(sh(text)))
    return min(bare), min(ours, key=lambda done: done.seconds)


@row("R5", "flood: 1 GB on either stream; 100 MB in lines", "<= 1.5 x /dev/null (1 GB: <= 1 s), <= +8 MB")
def flood() -> Figures:
    figures, good = [], True
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")  # the peak counts from here
    before = memory()
    for name, text in {"stdout": ZEROS, "stderr": f"{ZEROS} >&2", "lines": LINES}.items():
        bare, ours = bare_and_ours(text)
        figures.append(f"{name} {ours.seconds:.2f} s = {ours.seconds / bare:.1f} x")
        good &= ours.truncated and ours.exit_code == 0 and ours.seconds <= 1.5 * bare
    grown = (memory("VmHWM") - before) / 1e6
    return f"{', '.join(figures)}, RSS +{grown:.1f} MB", good and grown <= 8


@row("R6", "stdin: 10 MB closed early, never read, read slowly", "right, no hang, no EPIPE")
def stdin() -> Figures:
    slow = "import os, time; n = 0\nwhile (p := os.read(0, 65536)): n += len(p); time.sleep(0.001)\nprint(n)"
    cases = {
        "closed early": (sh("exec 0<&-; sleep 0.2; exit 2", stdin=bytes(10_000_000)), (2, b"")),
        "never read": (sh("sleep 0.2; exit 2", stdin=bytes(10_000_000)), (2, b"")),
        "read slowly": (program(sys.executable, "-S", "-c", slow, stdin=bytes(10_000_000)), (0, b"10000000\n")),
        "some read": (sh("head -c 5; exit 2", stdin=b"0123456789" * 1_000_000), (2, b"01234")),
    }
    done = {name: run(case) for name, (case, _) in cases.items()}
    wrong = [name for name, d in done.items() if (d.exit_code, d.stdout) != cases[name][1] or d.error]
    slowest = max(d.seconds for d in done.values())
    return f"{4 - len(wrong)} of 4 right, slowest {slowest:.2f} s {' '.join(wrong)}", not wrong and slowest < 5


@row("R7", "leaks: 10,000 events", "fds +0, RSS <= +5 MB, zombies 0, <= 20 s")
def leaks() -> Figures:
    true = program("/bin/true")
    run_all([true] * 200)
    files, rss, before, wrong = open_files(), memory(), children(), 0
    begun = time.perf_counter()
    for _ in range(9_000):
        wrong += run(true).exit_code != 0
    wrong += sum(done.exit_code != 0 for done in run_all([true] * 1_000))
    seconds = time.perf_counter() - begun
    files, grown, left = open_files() - files, (memory() - rss) / 1e6, children() - before
    figures = f"fds {files:+}, RSS {grown:+.1f} MB, children {left:+}, {seconds:.1f} s, {wrong} wrong"
    return figures, files == 0 and grown <= 5 and left <= 0 and seconds <= 20 and wrong == 0


async def finished(reactor: Reactor, case: Program, latencies: list[float]) -> Completed:
    """What an async host does: a future for each hook; a cancelled task cancels its hook and waits for its end."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Completed] = loop.create_future()
    ended: list[float] = []

    def done(completed: Completed) -> None:
        ended.append(time.perf_counter())
        loop.call_soon_threadsafe(future.set_result, completed)

    ticket = reactor.submit(case, done)
    try:
        return await asyncio.shield(future)
    except asyncio.CancelledError:
        begun = time.perf_counter()
        ticket.cancel()
        await future
        latencies.append(max(0.0, ended[0] - begun))
        raise


@row("R8", "burst: 500 at once through asyncio, 64 in parallel", "500 right, <= 3 s, never more than 64")
def burst() -> Figures:
    serving, most, over = reactor(64), [0], threading.Event()
    children()  # finds out where to look

    def watch() -> None:
        while not over.wait(0.002):
            most[0] = max(most[0], children())

    async def all_of_them() -> list[Completed]:
        cases = [sh(f"cat; exit {n % 200}", stdin=str(n).encode()) for n in range(500)]
        return await asyncio.gather(*(finished(serving, case, []) for case in cases))

    watcher = threading.Thread(target=watch)
    watcher.start()
    begun = time.perf_counter()
    done = asyncio.run(all_of_them())
    seconds = time.perf_counter() - begun
    over.set()
    watcher.join()
    serving.close()
    right = sum((d.exit_code, d.stdout) == (n % 200, str(n).encode()) for n, d in enumerate(done))
    return f"{right} right, {seconds:.2f} s, at most {most[0]} seen", right == 500 and seconds <= 3 and most[0] <= 64


@row("R9", "cancellation: storm of 2,000, 40 % cancelled", "cancel <= 100 ms, fds +0, children 0, <= 10 s")
def storm() -> Figures:
    before, files, chance = children(), open_files(), random.Random(9)
    latencies: list[float] = []
    serving = reactor(64)

    async def one(case: Program) -> Completed | None:
        task = asyncio.ensure_future(finished(serving, case, latencies))
        if chance.random() < 0.4:
            await asyncio.sleep(chance.random() * 1.2)
            task.cancel()
        try:
            return await task
        except asyncio.CancelledError:
            return None

    async def all_of_them() -> list[Completed | None]:
        return await asyncio.gather(*(one(sh("sleep 0.02 & sleep 0.03; exit 2")) for _ in range(2_000)))

    begun = time.perf_counter()
    done = asyncio.run(all_of_them())
    seconds = time.perf_counter() - begun
    serving.close()
    wrong = sum(d is not None and d.exit_code != 2 for d in done)
    files, left, slowest = open_files() - files, children() - before, max(latencies) * 1000
    figures = f"{len(latencies)} cancelled, slowest {slowest:.0f} ms, fds {files:+}, children {left:+}, {seconds:.1f} s"
    return f"{figures}, {wrong} wrong", slowest <= 100 and files <= 0 and left <= 0 and seconds <= 10 and wrong == 0


IGNORING = HOST + "signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
REAPING = f"""{HOST}
def reap():
    while True:
        try: os.waitpid(-1, 0)
        except ChildProcessError: time.sleep(0.0001)
threading.Thread(target=reap, daemon=True).start()
"""
FIFTY = """
done = [run(sh("exit 2")) for _ in range(25)] + run_all([sh("exit 2")] * 25)
print(sum(d.exit_code != 2 and d.error is None for d in done), sum(d.error == "status" for d in done))
"""


@row("R10", "exit status: SIGCHLD ignored, foreign reaper, 50 each", "0 wrong")
def truth() -> Figures:
    wrong, unknown = zip(*(map(int, host(text + FIFTY).split()) for text in (IGNORING, REAPING)), strict=True)
    figures = f"ignored: {wrong[0]} wrong, {unknown[0]} unknown; reaped: {wrong[1]} wrong, {unknown[1]} unknown"
    return figures, wrong == (0, 0)


@contextlib.contextmanager
def no_files_left() -> Iterator[None]:
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (open_files(), limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


def no_memory() -> contextlib.AbstractContextManager[object]:
    if sys.platform != "linux":
        return mock.patch.object(subprocess.Popen, "__init__", side_effect=OSError(errno.ENOMEM, "stub"))
    return mock.patch("tenterhook.runtime.process.remote.send_long", side_effect=OSError(errno.ENOMEM, "stub"))


@row("R11", "spawn errors: 9 kinds", "9 clear lines, 0 exceptions")
def spawn_errors() -> Figures:
    with tempfile.TemporaryDirectory() as folder:
        scripts = {"plain": "#!/bin/sh\n", "bad": "#!/no/such/sh\n", "crlf": "#!/bin/sh\r\nexit 0\r\n"}
        for name, text in scripts.items():
            Path(folder, name).write_bytes(text.encode())
            Path(folder, name).chmod(0o644 if name == "plain" else 0o755)
        ordinary = contextlib.nullcontext
        kinds: list[tuple[Program, Callable[[], contextlib.AbstractContextManager[object]], str]] = [
            (program("/no/such"), ordinary, "no such file"),
            (program(f"{folder}/plain"), ordinary, "chmod +x"),
            (program(f"{folder}/bad"), ordinary, "interpreter /no/such/sh"),
            (program(f"{folder}/crlf"), ordinary, "CRLF"),
            (sh("exit 0", cwd=f"{folder}/gone"), ordinary, "working directory"),
            (sh("exit\0"), ordinary, "NUL"),
            (sh("exit 0", env={**ENV, "A": "x" * 9_000_000}), ordinary, "too long"),
            (sh("exit 0"), no_files_left, "too many open files"),
            (sh("exit 0"), no_memory, "out of memory"),
        ]
        clear = raised = 0
        for case, circumstances, expected in kinds:
            try:
                with circumstances():
                    done = run(case)
                clear += done.error == "spawn" and expected in done.detail and "\n" not in done.detail
            except Exception:
                raised += 1
    return f"{clear} clear lines, {raised} exceptions", (clear, raised) == (9, 0)


# The clock is turned from outside, because time.sleep fails under faketime.
CLOCK = f"""{HOST}
import json
walls, off = [], []
for _ in range(6):
    walls.append(time.time())
    begun = time.monotonic()
    run(sh("trap '' TERM; while :; do sleep 0.05; done", timeout=0.3, grace=0.2))
    off.append(time.monotonic() - begun - 0.5)
print(json.dumps([max(off), min(off), max(walls) - min(walls)]))
"""


@contextlib.contextmanager
def turning(file: Path) -> Iterator[None]:
    """A wall clock that jumps every 0.1 s."""
    over = threading.Event()

    def turn() -> None:
        while not over.is_set():
            for text in ("+0", "+1d", "-1d"):
                file.write_text(text)
                over.wait(0.1)

    file.write_text("+0")
    thread = threading.Thread(target=turn)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@row("R15", "wall clock +- 1 day in mid-hook, timeout 0.3, grace 0.2", "within 50 ms")
def clock() -> Figures:
    if not shutil.which("faketime"):
        return "not run: faketime absent", None
    argv = ["faketime", "-f", "+0", "sh", "-c", "echo $LD_PRELOAD"]
    preload = subprocess.run(argv, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    with tempfile.TemporaryDirectory() as folder, turning(Path(folder, "clock")):
        text = host(
            CLOCK, LD_PRELOAD=preload, FAKETIME_TIMESTAMP_FILE=f"{folder}/clock", FAKETIME_NO_CACHE="1",
            FAKETIME_DONT_FAKE_MONOTONIC="1", DONT_FAKE_MONOTONIC="1",
        )  # fmt: skip
    late, early, jumped = json.loads(text)
    figures = f"{early * 1000:+.0f} to {late * 1000:+.0f} ms, the wall clock jumped {jumped / 86400:.1f} days"
    return figures, early >= -0.05 and late <= 0.05 and jumped > 86400


def main(names: list[str]) -> int:
    unknown = [name for name in names if name not in ROWS]
    if unknown:
        print(f"no row {', '.join(unknown)}; there are {', '.join(ROWS)}", file=sys.stderr)
        return 1
    for name in names or ROWS:
        what, goal, measure = ROWS[name]
        try:
            figures, enough = measure()
        except Exception as error:
            traceback.print_exc()
            figures, enough = f"broke off: {error!r}", False
        verdict = {True: "ok", False: "short", None: "not run"}[enough]
        print(f"{name:4} {what:58} goal: {goal:48} {verdict:7} {figures}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
