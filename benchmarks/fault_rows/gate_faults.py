"""The server that answers agents is killed with -9, between calls and during them.

Importing this adds its row to those of faults.py. The seed is fixed; where the kills fall is up to the machine.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from fault_tools import ENV, Figures, row
from tenterhook.support.paths import native_client

KILLS, SECONDS, LATEST = 100, 60, 0.06
DENIED, UNKNOWN = "not this", "the result is unknown"
# It writes down each of its runs, and takes its time, so that kills fall into it.
GUARD = f"""
import time
from tenterhook import hook

@hook("tool.before", match="shell")
def guard(event):
    with open("ran", "a") as file:
        file.write(event.command + "\\n")
    time.sleep(0.02)
    return hook.deny("{DENIED}")
"""


class Answered(NamedTuple):
    """What the agent read of a call: its command, and the reply's text."""

    command: str
    reply: str


class AgentBeside:
    """An agent that calls the installed client in a project; the server is one that the first call starts."""

    def __init__(self, folder: str) -> None:
        self.project = Path(folder, "project")
        (Path(folder) / "run").mkdir(mode=0o700)
        self.project.mkdir()
        (self.project / "guard.py").write_text(GUARD)
        (self.project / "tenterhook.toml").write_text('[[hook]]\nuse = "guard.py"\n')
        state = {"XDG_STATE_HOME": f"{folder}/state", "XDG_RUNTIME_DIR": f"{folder}/run", "HOME": folder}
        # A client with a path of its own for modules is not served, because it may load other code.
        self.environ = {name: value for name, value in ENV.items() if name != "PYTHONPATH"} | state
        client = native_client()
        self.client = [client] if client else [sys.executable, "-m", "tenterhook"]
        self.tenter("trust", "--yes")

    def tenter(self, *words: str) -> str:
        argv = [sys.executable, "-m", "tenterhook", *words]
        done = subprocess.run(
            argv, cwd=self.project, env=self.environ, capture_output=True, text=True, timeout=SECONDS, check=False
        )
        return done.stdout

    def begin(self, command: str) -> subprocess.Popen[str]:
        event: dict[str, Any] = {"session_id": "s", "transcript_path": "/t", "hook_event_name": "PreToolUse"}
        event |= {"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": command}
        pipe = subprocess.PIPE
        argv = [*self.client, "run", "--agent", "claude"]
        call = subprocess.Popen(
            argv, stdin=pipe, stdout=pipe, stderr=pipe, text=True, cwd=self.project, env=self.environ
        )
        assert call.stdin is not None
        call.stdin.write(json.dumps(event))
        call.stdin.close()
        call.stdin = None
        return call

    def end(self, command: str, call: subprocess.Popen[str]) -> Answered:
        out, _ = call.communicate(timeout=SECONDS)
        said = json.loads(out or "{}").get("hookSpecificOutput", {})
        return Answered(command, said.get("permissionDecisionReason", "") if said else "")

    def processes(self) -> list[int]:
        """The server and its workers; none if no server is there."""
        status = json.loads(self.tenter("serve", "--status", "--json") or "{}")
        return [status["pid"], *(one["pid"] for one in status["workers"])] if status.get("running") else []


@row(
    "R27",
    f"gate: the server and its workers killed with -9, {KILLS} times, between calls and during them",
    "0 decisions lost, 0 of them twice, 0 hooks run twice",
)
def gate() -> Figures:
    if sys.platform != "linux":
        return "no server here", None
    with tempfile.TemporaryDirectory() as folder:
        agent = AgentBeside(folder)
        try:
            answers, during = killed(agent, random.Random(1))
        finally:
            agent.tenter("serve", "--stop")
        lost, doubled = judge(answers, agent)
        ran = Counter((agent.project / "ran").read_text().splitlines())
    twice = sum(number > 1 for number in ran.values())
    unknown = sum(UNKNOWN in one.reply for one in answers)
    figures = (
        f"{KILLS} kills, {during} during a call: {len(answers)} calls, {unknown} refused as unknown; "
        f"{lost} lost, {doubled} doubled, {twice} hooks run twice"
    )
    return figures, (lost, doubled, twice) == (0, 0, 0) and unknown >= KILLS / 10


def killed(agent: AgentBeside, chance: random.Random) -> tuple[list[Answered], int]:
    """The calls' replies, and how many kills fell into a call."""
    answers: list[Answered] = []
    during = kills = 0
    while kills < KILLS:
        server, *workers = wait_for_server(agent, answers)
        victims = [server, *workers] if chance.random() < 0.5 else workers
        inside = chance.random() < 0.7
        command = f"rm {len(answers)}"
        call = agent.begin(command) if inside else None
        if call:
            time.sleep(chance.random() * LATEST)
        during += call is not None and call.poll() is None
        for victim in victims:
            with contextlib.suppress(ProcessLookupError):
                os.kill(victim, signal.SIGKILL)
        kills += 1
        answers.append(agent.end(command, call or agent.begin(command)))
    return answers, during


def wait_for_server(agent: AgentBeside, answers: list[Answered]) -> list[int]:
    """A server and its workers; where there are none, a further call starts them."""
    until = time.monotonic() + SECONDS
    while len(there := agent.processes()) < 2:
        assert time.monotonic() < until, "no server came up"
        command = f"rm {len(answers)}"
        answers.append(agent.end(command, agent.begin(command)))
    return there


def judge(answers: list[Answered], agent: AgentBeside) -> tuple[int, int]:
    """How many replies were no refusal or are not in the journal, and how many decisions are there twice."""
    log = agent.tenter("log", "--format", "json", "--limit", "100000")
    entries = [json.loads(line) for line in log.splitlines()]
    kept = Counter((one["what"], UNKNOWN in one["reason"]) for one in entries if one["decision"] == "deny")
    lost = sum(
        not (DENIED in one.reply or UNKNOWN in one.reply) or not kept[one.command, UNKNOWN in one.reply]
        for one in answers
    )
    return lost, sum(number > 1 for number in kept.values())
