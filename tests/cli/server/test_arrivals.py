"""Who comes, and where: many at once, in a folder made anew, and somebody who changes his mind."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import threading
from types import SimpleNamespace
from typing import Any

import pytest

from conftest import Project
from tenterhook.cli.server.worker import EngineWorker
from tenterhook.runtime.sandbox import quarantine

from .served import LONG, Raw, Served, settle, until

WHO = """[[hook]]
on = "tool.before"
command = "cat who >&2; exit 2"
"""


def test_those_who_come_first_together_share_one_worker(raw: Raw, served: Served) -> None:
    found: list[bytes] = []
    threads = [threading.Thread(target=lambda: found.append(raw.ask("tool.before", stdin=b"{}")[0])) for _ in range(30)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LONG)

    assert found == [b"X"] * 30
    assert len(served.workers()) == 1


def test_a_worker_that_is_killed_makes_room_though_an_older_one_still_works(raw: Raw, project: Project) -> None:
    """The older one had to end, for a module that changed, and has somebody to serve."""
    project.write("tenterhook.toml", '[[hook]]\non = "tool.before"\ntype = "python"\nfunction = "guard.answer"\n')
    text = "import os, time\n\ndef answer(event):\n    open(event['tool_name'], 'w').write(str(os.getpid()))\n"
    text += "    while event['tool_name'] == 'Held' and not os.path.exists('go'):\n        time.sleep(0.01)\n"
    project.write("guard.py", text)
    settle()
    ask = ("tool.before", "--trust")
    held = threading.Thread(target=raw.ask, args=ask, kwargs={"stdin": b'{"tool_name": "Held"}'})
    held.start()
    until((project.root / "Held").exists)
    project.write("guard.py", f"{text}#\n")
    settle()
    assert raw.ask(*ask, stdin=b'{"tool_name": "Bash"}')[0] == b"X"
    os.kill(int((project.root / "Bash").read_text()), signal.SIGKILL)

    assert until(lambda: raw.ask(*ask, stdin=b'{"tool_name": "Bash"}')[0] == b"X")
    (project.root / "go").touch()
    held.join(LONG)


def test_a_thread_that_cannot_be_started_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever is there goes on."""
    monkeypatch.setattr(quarantine, "kind", quarantine.kind)
    post: Any = SimpleNamespace(parallel=8)
    context: Any = SimpleNamespace(command="fire")
    anything: Any = None
    worker = EngineWorker(post, context, anything)

    def refused(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refused)
        worker.keep_one_waiting(0)

    assert (worker.threads, worker.free) == (0, 0)


def test_a_folder_that_was_made_anew_is_another_one(served: Served) -> None:
    """A worker that stood in the old one would stand nowhere, or where the old one is now."""
    served.start()
    folder = served.project.root / "work"
    found = []
    for who in ("one", "two", "three"):
        folder.mkdir()
        (folder / "tenterhook.toml").write_text(WHO)
        (folder / "who").write_text(who)
        found.append(served.fire("Bash", "--trust", cwd=folder)["reason"])
        folder.rename(served.project.root / who) if who == "two" else shutil.rmtree(folder)

    assert found == ["one", "two", "three"]
    assert served.requests() == 3


def test_a_function_has_the_clients_time_zone(served: Served) -> None:
    served.start()
    project = served.project
    project.write("tenterhook.toml", '[[hook]]\non = "tool.before"\ntype = "python"\nfunction = "guard.answer"\n')
    project.write(
        "guard.py",
        "import time\n\ndef answer(event):\n    return {'decision': 'deny', 'reason': time.strftime('%z')}\n",
    )
    found = served.fire("Bash", "--trust", environ={"TZ": "XYZ-7"})

    assert (found["reason"], served.requests()) == ("+0700", 1)


def test_ctrl_c_while_stdin_is_read_is_as_without_a_server(served: Served) -> None:
    served.start()
    client = served.popen("fire", "tool.before")
    # It has found the server, and waits for the event.
    until(lambda: "socket:" in " ".join(opened(client.pid)))
    client.send_signal(signal.SIGINT)
    _, said = client.communicate(timeout=LONG)

    assert (client.returncode, said) == (130, b"")


def opened(pid: int) -> list[str]:
    found = []
    for file in os.listdir(f"/proc/{pid}/fd"):
        with contextlib.suppress(OSError):  # closed meanwhile
            found.append(os.readlink(f"/proc/{pid}/fd/{file}"))
    return found
