"""Who comes, and where: in a folder made anew, and somebody who changes his mind."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal

from .served import LONG, Served, until

WHO = """[[hook]]
on = "tool.before"
command = "cat who >&2; exit 2"
"""


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
