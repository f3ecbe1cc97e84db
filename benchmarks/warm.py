"""Python scripts as hooks, in copies of an interpreter that is running already: through the whole engine, in turns."""

from __future__ import annotations

import os
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

from tenterhook.engine.engine import Engine
from tenterhook.runtime.warm.host import wait

ROUNDS, COLD_ROUNDS = 300, 25
Pairs = list[tuple[float, float]]

READS = "import json, sys\n{imports}event = json.load(sys.stdin)\njson.dump({{}}, sys.stdout)\n"
HOOK = '[[hook]]\non = "tool.before"\nscript = "{name}.py"\nmatch = "{name}"\n'
GIVEN = {"command": "ls"}
# What is used of a package that loads its parts when they are asked for.
HEAVY = {"pydantic": "from pydantic import BaseModel\n"}


def script_pairs(heavy: str = "pydantic") -> dict[str, Pairs]:
    """(ours, yardstick) for each round: a warm script beside a new interpreter with it, and beside a bare spawn."""
    folder = Path(tempfile.mkdtemp(prefix="warm"))
    try:
        write(folder, "small", "")
        write(folder, "heavy", HEAVY.get(heavy, f"import {heavy}\n"))
        environ = {"PATH": os.environ["PATH"], "HOME": str(folder), "XDG_STATE_HOME": str(folder / "state")}
        with Engine(folder, trust="all", home=folder, environ=environ) as engine:
            return {
                "json, cold": in_turns(fired(engine, "small"), bare(folder, "small"), COLD_ROUNDS),
                "json, spawn": in_turns(fired(engine, "small"), spawned, ROUNDS),
                f"{heavy}, cold": in_turns(fired(engine, "heavy"), bare(folder, "heavy"), COLD_ROUNDS),
                f"{heavy}, spawn": in_turns(fired(engine, "heavy"), spawned, ROUNDS),
            }
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def write(folder: Path, name: str, imports: str) -> None:
    path = folder / f"{name}.py"
    path.write_text(READS.format(imports=imports))
    os.utime(path, (1_700_000_000, 1_700_000_000))
    with (folder / "tenterhook.toml").open("a") as file:
        file.write(HOOK.format(name=name))


def fired(engine: Engine, name: str) -> Callable[[], Any]:
    """One event whose hook is the script. The first ones are cold; it is checked that the others are not."""

    def fire() -> None:
        [attempt] = engine.fire("tool.before", tool_name=name, tool_input=GIVEN).attempts
        assert (attempt.warm, attempt.exit_code) == (True, 0), attempt

    for _ in range(3):  # the first run of a package may write its caches, which makes the interpreter start anew
        engine.fire("tool.before", tool_name=name, tool_input=GIVEN)
        assert wait(120)
    return fire


def bare(folder: Path, name: str) -> Callable[[], Any]:
    """The interpreter started with the script, and nothing else."""
    with (folder / "input.json").open("w") as file:
        file.write('{"tool_name": "small"}')
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, str(folder / "input.json"), os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
    ]
    argv = [sys.executable, str(folder / f"{name}.py")]

    def start() -> None:
        pid = os.posix_spawn(sys.executable, argv, {"PATH": os.environ["PATH"]}, file_actions=actions)
        assert os.waitpid(pid, 0)[1] == 0

    return start


def spawned() -> None:
    os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0)


def in_turns(ours: Callable[[], Any], theirs: Callable[[], Any], rounds: int) -> Pairs:
    ours(), theirs()
    return [(timed(ours), timed(theirs)) for _ in range(rounds)]


def timed(call: Callable[[], Any]) -> float:
    began = perf_counter()
    call()
    return perf_counter() - began


if __name__ == "__main__":
    for what, pairs in script_pairs().items():
        ratio = statistics.median(ours / theirs for ours, theirs in pairs)
        ours, theirs = (statistics.median(column) * 1000 for column in zip(*pairs, strict=True))
        print(f"{what:20} {ratio:8.3f}   ours {ours:8.3f} ms   yardstick {theirs:8.3f} ms")
