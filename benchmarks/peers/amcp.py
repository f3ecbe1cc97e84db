"""amcp-agent's HooksManager: hooks.toml, every program through asyncio, one hook after the other."""

from __future__ import annotations

import importlib.util
import json
import sys
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any

from peers.driving import Fire, Job, drive

GIVEN = {"command": "ls -la"}


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


hooks = module_alone("amcp", "hooks")


def nothing(event: object) -> None:
    """The hook that is a function."""


def entry(number: int, hook: dict[str, Any], folder: Path) -> str:
    words = {"matcher": hook.get("matcher", "Bash"), "timeout": 30}
    if "function" in hook:
        words |= {"type": "python", "function": f"{__spec__.name}.nothing"}
    elif "script" in hook:
        script = folder / f"hook{number}.py"
        script.write_text(hook["script"])
        words |= {"type": "python", "script": str(script)}
    else:
        words |= {"type": "command", "command": hook["command"]}
    lines = [f"{key} = {json.dumps(value)}" for key, value in words.items()]
    return "\n".join(["[[hooks.PreToolUse.handlers]]", *lines, ""])


async def prepare(job: Job, folder: Path) -> Fire:
    Path(folder, ".amcp").mkdir(exist_ok=True)
    text = "".join(entry(number, hook, folder) for number, hook in enumerate(job["hooks"]))
    Path(folder, ".amcp", "hooks.toml").write_text(text)
    manager = hooks.HooksManager(folder)
    event = hooks.HookEvent.PRE_TOOL_USE

    async def fire() -> Any:
        given = hooks.HookInput("session", event.value, str(folder), tool_name="Bash", tool_input=GIVEN)
        return await manager.execute_hooks(event, given, "Bash")

    output = await fire()
    assert output.success, output
    assert output.feedback is None, output
    assert len(manager.hooks[event].handlers if job["hooks"] else ()) == len(job["hooks"]), manager.hooks
    return fire


if __name__ == "__main__":
    drive(version("amcp-agent"), prepare)
