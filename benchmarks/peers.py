"""The same hooks in tenterhook and in the agent whose dialect it speaks, side by side in one process.

Each peer has an environment of its own in .bench, made once; there this file runs itself as a worker, with our present
source on its path. Both sides are awaited on the same event loop, in turns.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parent.parent
BENCH = ROOT / ".bench"
# What each peer's worker needs. amcp's hooks module is complete in itself, its 120 dependencies are not needed.
PACKAGES = {"amcp": (("--no-deps", "amcp-agent"),), "massgen": (("massgen",),)}
OURS = ("msgspec", "pyyaml")

GIVEN = {"command": "ls -la"}
TOML = '[[hooks.PreToolUse.handlers]]\nmatcher = "bash"\ntype = "command"\ncommand = "true"\ntimeout = 30\n'
YAML = "hooks:\n  PreToolUse:\n    - matcher: bash\n      type: python\n      handler: bench_hook.nothing\n"

Pairs = list[tuple[float, float]]
Call = Callable[[], Awaitable[Any]]


class Unavailable(Exception):
    """Why the peer is not here."""


def measure(name: str) -> dict[str, Pairs]:
    """Seconds for one event, (ours, theirs) for each round, by what was measured."""
    python = installed(name)
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    with tempfile.TemporaryDirectory(dir=BENCH) as folder:
        env |= {"HOME": folder, "XDG_CONFIG_HOME": folder}
        said = checked([str(python), __file__, name, folder], env)
    return {what: [(ours, theirs) for ours, theirs in pairs] for what, pairs in json.loads(said).items()}


def installed(name: str) -> Path:
    """The interpreter of the peer's environment. One that could not be finished is thrown away."""
    home = BENCH / name
    python = home / "bin" / "python"
    if not python.exists():
        venv.create(home, symlinks=True, with_pip=False)
        try:
            for words in (*PACKAGES[name], OURS):
                checked([sys.executable, "-m", "pip", "--python", str(python), "install", "-q", *words], os.environ)
        except BaseException:
            shutil.rmtree(home, ignore_errors=True)
            raise
    return python


def checked(argv: list[str], env: Any) -> str:
    """What the program's last line says."""
    done = subprocess.run(argv, env=env, capture_output=True, text=True)
    if done.returncode:
        said = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise Unavailable(f"{' '.join(argv[1:])[:80]}: {said[-1]}")
    return (done.stdout.strip().splitlines() or [""])[-1]


# From here on: the worker, in the peer's environment


async def amcp(folder: str) -> dict[str, Pairs]:
    from tenterhook.engine import Engine

    Path(folder, ".amcp").mkdir()
    Path(folder, ".amcp", "hooks.toml").write_text(TOML)
    theirs = module_alone("amcp", "hooks")
    manager = theirs.HooksManager(Path(folder))
    event = theirs.HookEvent.PRE_TOOL_USE

    async def execute(tool: str) -> Any:
        given = theirs.HookInput("session", event.value, folder, tool_name=tool, tool_input=GIVEN)
        return await manager.execute_hooks(event, given, tool)

    with Engine(folder, dialect="amcp", trust="all", home=folder, session="session") as engine:
        afire, fire = firing(engine.afire), blocking(engine.fire)
        outcome = await afire("bash")()
        assert [attempt.exit_code for attempt in outcome.attempts] == [0], outcome
        assert (await execute("bash")).success
        return {
            "a `true` hook, awaited": await turns(afire("bash"), lambda: execute("bash"), number=20, rounds=31),
            "a `true` hook, blocking": await turns(fire("bash"), lambda: execute("bash"), number=20, rounds=31),
            "no hook matches": await turns(afire("read_file"), lambda: execute("read_file"), number=2_000, rounds=15),
        }


async def massgen(folder: str) -> dict[str, Pairs]:
    """Its hooks are Python functions only, called in an executor with a time-out."""
    from massgen.mcp_tools.hooks import (  # type: ignore[import-not-found,unused-ignore]
        GeneralHookManager,
        HookType,
    )

    from tenterhook.engine import Engine

    Path(folder, "massgen.yaml").write_text(YAML)
    Path(folder, "bench_hook.py").write_text("def nothing(event):\n    return None\n")
    sys.path.append(folder)
    manager = GeneralHookManager()
    manager.register_hooks_from_config({"PreToolUse": [{"matcher": "bash", "handler": "bench_hook.nothing"}]})
    text = json.dumps(GIVEN)

    def execute(tool: str) -> Awaitable[Any]:
        context = {"session_id": "session", "agent_id": "agent"}
        return manager.execute_hooks(HookType.PRE_TOOL_USE, tool, text, context)  # type: ignore[no-any-return,unused-ignore]

    with Engine(folder, dialect="massgen", trust="all", home=folder, session="session", agent="agent") as engine:
        afire = firing(engine.afire)
        outcome = await afire("bash")()
        assert [attempt.error for attempt in outcome.attempts] == [None], outcome
        assert len((await execute("bash")).executed_hooks) == 1
        return {
            "a function, awaited": await turns(afire("bash"), lambda: execute("bash"), number=300, rounds=15),
            "no hook matches": await turns(afire("read_file"), lambda: execute("read_file"), number=300, rounds=15),
        }


def firing(afire: Callable[..., Awaitable[Any]]) -> Callable[[str], Call]:
    return lambda tool: lambda: afire("PreToolUse", tool_name=tool, tool_input=GIVEN)


def blocking(fire: Callable[..., Any]) -> Callable[[str], Call]:
    """The same in the calling thread, for hosts without a loop."""

    def of_tool(tool: str) -> Call:
        async def call() -> Any:
            return fire("PreToolUse", tool_name=tool, tool_input=GIVEN)

        return call

    return of_tool


async def turns(ours: Call, theirs: Call, *, number: int, rounds: int) -> Pairs:
    for call in (ours, theirs):
        await seconds(call, max(1, number // 10))
    return [(await seconds(ours, number), await seconds(theirs, number)) for _ in range(rounds)]


async def seconds(call: Call, number: int) -> float:
    began = time.perf_counter()
    for _ in range(number):
        await call()
    return (time.perf_counter() - began) / number


def module_alone(package: str, name: str) -> ModuleType:
    """One module of a package as installed, without the package's own imports (amcp's take two seconds)."""
    found = next(
        Path(place, package, f"{name}.py") for place in sys.path if Path(place, package, f"{name}.py").exists()
    )
    spec = importlib.util.spec_from_file_location(f"{package}_{name}", found)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


WORKERS = {"amcp": amcp, "massgen": massgen}

if __name__ == "__main__":
    print(json.dumps(asyncio.run(WORKERS[sys.argv[1]](sys.argv[2]))))
