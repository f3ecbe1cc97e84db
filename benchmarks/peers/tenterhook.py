"""Ours, as it comes: our own dialect, strict, with approved hooks, journal, supervisor and sandbox."""

from __future__ import annotations

import json
from pathlib import Path
from time import monotonic
from typing import Any

from peers.driving import Cannot, Fire, Job, drive
from tenterhook.engine.engine import Engine
from tenterhook.version import __version__

GIVEN = {"command": "ls -la"}
# How long a warm process may take to get ready; until then events run cold.
PATIENCE = 20.0


def nothing(event: object) -> None:
    """The hook that is a function."""


def entry(number: int, hook: dict[str, Any], folder: Path) -> str:
    words = {"on": "tool.before", "match": hook.get("matcher", "Bash")}
    if "script" in hook:
        Path(folder, f"hook{number}.py").write_text(hook["script"])
        words |= {"script": f"hook{number}.py", "warm": hook.get("warm", False)}
    else:
        words |= {"command": hook["command"]}
    return "\n".join(["[[hook]]", *(f"{key} = {json.dumps(value)}" for key, value in words.items()), ""])


async def prepare(job: Job, folder: Path) -> Fire:
    wanted = job["hooks"]
    texts = [entry(number, hook, folder) for number, hook in enumerate(wanted) if "function" not in hook]
    # A file that counts without approvals, where their number is the point: the user's, and not the project's.
    file = Path.home() / ".config" / "tenterhook" / "tenterhook.toml" if job["memory"] else folder / "tenterhook.toml"
    if not file.exists():  # else an earlier process has done it, and this one need not load what it takes
        from engines import approve

        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(texts))
        approve(folder)
    engine = Engine(folder)
    for _ in range(len(wanted) - len(texts)):
        engine.add("tool.before", nothing, match="Bash")

    async def fire() -> Any:
        return await engine.afire("tool.before", tool_name="Bash", tool_input=GIVEN)

    async def blocking() -> Any:
        return engine.fire("tool.before", tool_name="Bash", tool_input=GIVEN)

    outcome = await fire()
    matching = sum(hook.get("matcher", "Bash") == "Bash" for hook in wanted)
    assert (len(outcome.attempts), len(outcome.skipped)) == (matching, len(wanted) - matching), outcome
    assert outcome.success, outcome
    if any(hook.get("warm") for hook in wanted):
        await until_warm(fire)
    return blocking if job["blocking"] else fire


async def until_warm(fire: Fire) -> None:
    until = monotonic() + PATIENCE
    while not all(attempt.warm for attempt in (await fire()).attempts):
        if monotonic() > until:
            raise Cannot("no warm process on this system")


if __name__ == "__main__":
    drive(__version__, prepare)
