"""Whether anything of a project runs, decides or is believed before its user said so: rows of faults.py.

The hostile repositories, the changes after an approval and the attempts to get more are those of the tests.
"""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from fault_tools import ENV, Figures, row
from hostile.repositories import EVENT, REPOSITORIES, Trap, watched
from tenterhook import Engine
from tenterhook.errors import ConfigError
from trust.attempts import Scene, possible
from trust.mutations import MUTATIONS, approve, build, fell

SECONDS = 3.0
HOOKS = "".join(f'[[hook]]\non = "tool.before"\nname = "{n}"\ncommand = "true"\n' for n in range(40))


@contextlib.contextmanager
def own_home(folder: Path) -> Iterator[None]:
    """What asks the process's own environment finds a home of the row's own."""
    before = {name: os.environ.pop(name, None) for name in ("HOME", "XDG_STATE_HOME")}
    os.environ["HOME"] = str(folder)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None) if value is None else os.environ.update({name: value})


@row("S1", f"{len(REPOSITORIES)} hostile repositories, every command and dialect, before trust", "0 executed")
def load_order() -> Figures:
    executed, calls, broken = 0, 0, 0
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.05)
        for name, make in REPOSITORIES.items():
            with tempfile.TemporaryDirectory() as folder:
                home = Path(folder, "home")
                home.mkdir()
                trap = Trap(Path(folder, "repository"), Path(folder, "canaries"), server.getsockname()[1])
                make(trap)
                seen, codes = watched(trap, home)
                ran = list(trap.canaries.iterdir())
                executed += len(seen) + len(ran)
                calls += len(codes)
                broken += sum(isinstance(code, str) for code in codes) + (not codes)
                if seen or ran:
                    print(f"S1   {name}: {seen[:2]} {ran}", file=sys.stderr)
        with contextlib.suppress(TimeoutError):
            server.accept()
            executed += 1
    return f"{executed} executed in {calls} commands, {broken} broke", executed == 0 and broken == 0


@row("S2", f"trust binding: {len(MUTATIONS)} changes after an approval", "all fall to modified or untrusted")
def binding() -> Figures:
    fallen, stood = 0, []
    for name, mutate in MUTATIONS.items():
        with tempfile.TemporaryDirectory() as folder:
            root, home = Path(folder, "project"), Path(folder, "home")
            home.mkdir()
            build(root)
            environ = {"PATH": ENV["PATH"], "HOME": str(home)}  # approvals are where mutations look for them
            approve(root, home, environ)
            if name == next(iter(MUTATIONS)) and fell(root, home, environ):
                return "an approval does not hold at all", False
            (root / "ran").unlink(missing_ok=True)
            fine = fell(mutate(root, home), home, environ)
            fallen += fine
            stood += [] if fine else [name]
    return f"{fallen} of {len(MUTATIONS)} fall {' '.join(stood)}", not stood


@row("S3", "headless: untrusted, --require-trusted, a bypass", "never runs, exit 4, one warning")
def headless() -> Figures:
    with tempfile.TemporaryDirectory() as folder:
        root, home = Path(folder, "project"), Path(folder, "home")
        home.mkdir()
        build(root)

        def fire(*words: str) -> tuple[int, str, bool]:
            argv = [sys.executable, "-m", "tenterhook", "fire", "tool.before", *words]
            env = {**ENV, "HOME": str(home)}
            done = subprocess.run(argv, cwd=root, env=env, input=EVENT, capture_output=True, text=True, check=False)
            ran = (root / "ran").exists()
            (root / "ran").unlink(missing_ok=True)
            return done.returncode, done.stderr, ran

        plain, required, bypass = fire(), fire("--require-trusted"), fire("--trust")
        approve(root, home, {**ENV, "HOME": str(home)})
        approved = fire("--require-trusted")
    good = (plain[0], plain[2]) == (0, False) and (required[0], required[2]) == (4, False)
    good &= (approved[0], approved[2]) == (0, True)
    good &= bypass[2] and bypass[1].count("\n") == 1 and "without your approval" in bypass[1]
    figures = f"untrusted ran {plain[2] + required[2]} times, exit {required[0]}, {bypass[1].count(chr(10))} warning"
    return f"{figures}, approved: exit {approved[0]}, ran {approved[2]}", good


@row("S4", f"scope: {len(possible())} attempts of a project's file to get more", "0 succeed")
def scope() -> Figures:
    succeeded = []
    for name, attempt in possible().items():
        with tempfile.TemporaryDirectory() as folder, own_home(Path(folder, "home")):
            if attempt(Scene(Path(folder))):
                succeeded.append(name)
    return f"{len(succeeded)} of {len(possible())} succeed {', '.join(succeeded)}", not succeeded


@row(
    "R14", "config rewritten in place for 3 s, read by an engine and by new ones", "0 half configs used, snapshot kept"
)
def in_flux() -> Figures:
    with tempfile.TemporaryDirectory() as folder:
        file, over = Path(folder, "tenterhook.toml"), threading.Event()
        file.write_text(HOOKS)
        writer = subprocess.Popen([sys.executable, "-c", WRITER, str(file), HOOKS], env=ENV)
        options: dict[str, Any] = {
            "home": folder,
            "environ": ENV,
            "trust": "all",
            "supervisor": "off",
            "journal": False,
        }
        half = reads = refused = kept = 0
        try:
            engine = first(folder, options)
            until = time.monotonic() + SECONDS
            while time.monotonic() < until:
                kept += len(engine.hooks()) == 40
                reads += 1
                with contextlib.suppress(ConfigError):
                    engine.reload()
                half += len(engine.hooks()) != 40
                try:
                    half += len(Engine(folder, **options).hooks()) != 40
                except ConfigError:
                    refused += 1
        finally:
            over.set()
            writer.kill()
            writer.wait()
        file.write_text("[[hook]\n")
        loud = False
        try:
            engine.reload()
        except ConfigError:
            loud = any("stays in force" in text for text in engine.warnings)
        last_good = len(engine.hooks()) == 40
    figures = f"{half} half of {2 * reads} reads ({refused} new engines refused), snapshot {kept} of {reads}"
    good = half == 0 and kept == reads > 0 and loud and last_good
    return f"{figures}, broken file: {'last good, loudly' if loud and last_good else 'WRONG'}", good


# Emptied, half, whole; over and over, in a process of its own.
WRITER = """
import sys
file, text = sys.argv[1:]
while True:
    with open(file, "w") as opened:
        opened.write(text[: len(text) // 3])
        opened.flush()
        opened.write(text[len(text) // 3 :])
"""


def first(folder: str, options: dict[str, Any]) -> Engine:
    """An engine that got hold of a whole config; under a writer that never rests it may take a while."""
    while True:
        engine = Engine(folder, **options)
        with contextlib.suppress(ConfigError):
            engine.ready()
            return engine
