"""What the tests of sessions share: both twins of a method, config files, and looking at what is left running."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import Project
from tenterhook import Engine
from tenterhook.hosts.session import Session

Does = Callable[..., Any]

# moment, its arguments, its event, what hooks are told of it
MOMENTS = [
    ("start", ("resume",), "session.start", {"source": "resume"}),
    ("start", (), "session.start", {"source": "startup"}),
    ("end", ("logout",), "session.end", {"reason": "logout"}),
    ("end", (), "session.end", {"reason": "other"}),
    ("prompt", ("do it",), "prompt.submit", {"prompt": "do it"}),
    ("stop", ("done",), "turn.stop", {"stop_hook_active": False}),
    ("idle", ("two left",), "teammate.idle", {"tasks_summary": "two left"}),
    ("compact", ("manual",), "compact.before", {"trigger": "manual"}),
    ("compact", (), "compact.before", {"trigger": "auto"}),
    ("compacted", ("manual",), "compact.after", {"trigger": "manual"}),
    ("notify", ("idle_prompt", "waiting"), "notify", {"type": "idle_prompt", "message": "waiting"}),
    ("notify", ("x", "y", "z"), "notify", {"type": "x", "message": "y", "title": "z"}),
    ("failed", ("overloaded",), "turn.failed", {"error": "overloaded"}),
    ("task_created", ("t1", "test it"), "task.created", {"task_id": "t1", "task_summary": "test it"}),
    ("task_done", ("t1", "test it"), "task.done", {"task_id": "t1", "task_summary": "test it"}),
    (
        "permission",
        ("Bash", {"command": "ls"}),
        "permission.ask",
        {"tool_name": "Bash", "tool_input": {"command": "ls"}},
    ),
    ("agent", ("look",), "agent.start", {"prompt": "look", "agent_id": "agent-1", "parent_agent_id": ""}),
]


def in_a_thread(session: Session, moment: str, *args: Any, **more: Any) -> Any:
    return getattr(session, moment)(*args, **more)


def on_a_loop(session: Session, moment: str, *args: Any, **more: Any) -> Any:
    return asyncio.run(getattr(session, f"a{moment}")(*args, **more))


twins = pytest.mark.parametrize("does", [in_a_thread, on_a_loop], ids=["thread", "loop"])


def toml(project: Project, *entries: dict[str, Any]) -> None:
    """Our own config file; what JSON writes of texts, numbers and lists is TOML too."""
    tables = ["[[hook]]\n" + "".join(f"{key} = {json.dumps(one)}\n" for key, one in entry.items()) for entry in entries]
    project.write("tenterhook.toml", "\n".join(tables))


def groups(project: Project, name: str, **events: Any) -> None:
    """A settings file with groups; each event has one hook, or a list of them."""
    hooks = {event: [{"hooks": one if isinstance(one, list) else [one]}] for event, one in events.items()}
    project.write(name, json.dumps({"enableHooks": True, "hooks": hooks}))


def command(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "command", "command": text, **more}


def running_in(folder: Path) -> list[int]:
    """Every process below this one's machine whose environment names the folder, as that of each hook does."""
    wanted, found = os.fsencode(folder), []
    for entry in os.scandir("/proc"):
        if not entry.name.isdecimal() or int(entry.name) == os.getpid():
            continue
        try:
            environ = Path(entry.path, "environ").read_bytes()
        except OSError:  # gone, or somebody else's
            continue
        if wanted in environ:
            found.append(int(entry.name))
    return found


def soon(true: Callable[[], Any], seconds: float = 5.0) -> Any:
    """What it says as soon as that is something, else what it says in the end."""
    end = time.monotonic() + seconds
    while not (said := true()) and time.monotonic() < end:
        time.sleep(0.005)
    return said


def ids(moment: Any) -> str:
    return moment[0] if isinstance(moment, tuple) else str(moment)


def bare(**options: Any) -> Engine:
    return Engine(files=False, **{"environ": {}, "journal": False, **options})


class Told(list[str]):
    """The user."""

    def __call__(self, text: str) -> None:
        self.append(text)


def refusing(reason: str = "tests fail", **options: Any) -> tuple[Engine, list[Any]]:
    engine, seen = bare(), []

    def never(event: Any) -> Any:
        seen.append(event.get("stop_hook_active"))
        return {"decision": "deny", "reason": reason}

    for event in ("turn.stop", "agent.stop", "teammate.idle"):
        engine.add(event, never, name="gate", **options)
    return engine, seen


@contextlib.contextmanager
def hasty() -> Iterator[None]:
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(before)
