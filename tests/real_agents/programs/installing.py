"""How hooks get into a client: a plain program in a config written by hand, or a hook file by tenter install."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

from real_agents.effects import CHANGED, CONTEXT, DANGEROUS, TO_CHANGE, WHY

from .client import Client
from .scene import Answer, Scene, one_each

GUARD = Path(__file__).parents[1] / "guard.py"


def by_hand(client: Client, scene: Scene) -> None:
    """The client's own form of everything; what it cannot do is answered too, and does nothing."""
    answers: dict[str, list[tuple[str, Answer]]] = {}
    for kind, text in CONTEXT.items():
        event = client.events[kind]
        answers[event] = [("", client.context(event, text))]
    changed = client.rewrite(client.call(CHANGED))
    answers[client.events["tool.before"]] = [(DANGEROUS, client.deny(WHY)), (TO_CHANGE, changed)]
    scene.answer(answers)
    client.configure(scene, one_each(client.events.values()))


def by_tenter(client: Client, scene: Scene) -> None:
    """The same file for every client, and the command that a user types."""
    install(client.dialect, scene)


def for_claude(client: Client, scene: Scene) -> None:
    """As it is installed for Claude Code, whose file the client reads, too."""
    install("claude", scene)


def by_door(client: Client, scene: Scene) -> None:
    """With http hooks; the server ends when the scene's folders are removed."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    install(client.dialect, scene, "--http", "--port", port)


def install(agent: str, scene: Scene, *more: str) -> None:
    file = scene.write("guard.py", GUARD.read_text())
    words = [*more, "--agent", agent, str(file), "--project", str(scene.project), "--yes"]
    argv = [sys.executable, "-m", "tenterhook", "install", *words]
    done = subprocess.run(argv, env=scene.environ(), cwd=scene.project, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"


BY_HAND, BY_TENTER, FOR_CLAUDE = "by hand", "by tenter install", "by tenter install for Claude Code"
BY_DOOR = "by tenter install --http"
WAYS = {BY_HAND: by_hand, BY_TENTER: by_tenter, FOR_CLAUDE: for_claude, BY_DOOR: by_door}
