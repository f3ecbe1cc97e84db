"""MCP servers that mean no good, or no sense."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from agent.agents import call, run, script, words
from conftest import Project

PROGRAM = str(Path(__file__).parent / "server_by_hand.py")
ANY = {"type": "object"}


def entry(*words: str) -> dict[str, Any]:
    return {"command": sys.executable, "args": [PROGRAM, *words]}


def serving(project: Project, **servers: Any) -> None:
    """Servers by name: their tools, as they tell them."""
    entries = {name: entry(json.dumps(tools)) for name, tools in servers.items()}
    project.write(".mcp.json", json.dumps({"mcpServers": entries}))


def test_an_input_without_a_description_takes_anything(project: Project) -> None:
    serving(project, odd=[{"name": "tool", "inputSchema": {**ANY, "properties": {"a": True}}}])

    done = run(project, "tenterhook", [call("mcp__odd__tool", a=[1])], "Done.")

    assert "called with" in done.of("tool")[0]["result"]


@pytest.mark.parametrize("numbers", [[signal.SIGTERM], [signal.SIGINT] * 2, [signal.SIGINT] * 3, [signal.SIGTERM] * 3])
def test_no_signal_while_servers_start_leaves_one_behind(project: Project, numbers: list[int]) -> None:
    started = project.home_folder / "started"
    project.write(".mcp.json", json.dumps({"mcpServers": {"mute": entry("mute", str(started))}}))
    options = ("--script", str(script(project, "Done.")), "--prompt", "Go.", "--trust")
    child = subprocess.Popen(words(project, "tenterhook", *options), env=project.environ())
    try:
        waited(started.exists)
        for number in numbers:
            child.send_signal(number)
            time.sleep(0.2)

        assert child.wait(15) in (130, -numbers[-1])  # the last one may find nothing left to end
        waited(lambda: not running(str(started)))
    finally:
        child.kill()
        child.wait()
        for pid in running(str(started)):
            os.kill(pid, signal.SIGKILL)


def waited(done: Any) -> None:
    limit = time.monotonic() + 10
    while not done():
        assert time.monotonic() < limit
        time.sleep(0.02)


def running(word: str) -> list[int]:
    """Processes with that word among their own."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if word.encode() in (folder / "cmdline").read_bytes().split(b"\0"):
                found.append(int(folder.name))
        except OSError:
            continue
    return found
