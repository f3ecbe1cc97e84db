"""What an agent's call costs through a resident server: `tenter-client run`, started by `sh -c` as an agent does.

Client and server are installed and compiled as a user has them (see startup.py). The project has approved hooks of
authors' files, each for the shell alone, so that a call of another tool is one that no hook matches.
"""

from __future__ import annotations

import contextlib
import json
import shlex
import subprocess
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

import startup
from figures import Pairs, Rounds, Unavailable
from outside import BENCH, environment
from serving import running
from startup import NATIVE, PYTHON, TENTER

CALLS, WARM, TEN = 101, 12, 10
# The tool of each call: the hooks are for the shell.
TOOLS = {"no hook": "Read", "deny": "Bash"}
CALL = shlex.join([str(NATIVE), "run", "--agent", "claude"])
BESIDE = {"true": "/bin/true", "json": shlex.join([str(PYTHON), "-c", "import json"])}
# As long as an agent thinks, at least; a copy of the hook gets ready meanwhile.
PAUSE = 0.02
# A file that was changed just now is not believed, and nothing of it is kept.
SETTLED = 0.2
QUIET = 1.0
TRUE = BESIDE["true"]
# What each call is in the tables of the curves; see growth.py.
CALLED = {"no hook": "a call that no hook matches", "deny": "a call that a Python hook denies"}
# At least so many calls for one figure of a curve.
BURST = 64

Cells = Iterator[tuple[str, float, str]]


class Agent:
    """An agent in a project whose hooks are approved, with a server that runs."""

    def __init__(self, folder: Path, home: str) -> None:
        self.folder, self.env = folder, environment(home)
        self.number = 0

    def call(self, tool: str) -> float:
        """Seconds of a call with an id of its own. A hook's refusal is in its output, the exit code is 0."""
        self.number += 1
        return self.started(CALL, self.payload(tool))

    def payload(self, tool: str) -> bytes:
        """What Claude Code says before a tool."""
        base = {"session_id": "bench", "transcript_path": "/t", "cwd": str(self.folder)}
        given = {"command": "git push --force"} if tool == "Bash" else {"file_path": "/a"}
        about = {"hook_event_name": "PreToolUse", "tool_name": tool, "tool_use_id": f"{tool}-{self.number}"}
        return json.dumps({**base, **about, "tool_input": given}).encode()

    def started(self, text: str, given: bytes = b"") -> float:
        """Seconds of a command, as an agent starts it."""
        began = time.perf_counter()
        out = {"stdout": subprocess.DEVNULL, "env": self.env, "cwd": self.folder}
        subprocess.run(["/bin/sh", "-c", text], input=given, check=True, **out)  # type: ignore[call-overload]
        return time.perf_counter() - began

    def approve(self) -> None:
        words = [str(TENTER), "trust", "--yes"]
        subprocess.run(words, cwd=self.folder, env=self.env, check=True, capture_output=True)

    def requests(self) -> int:
        """How many requests the server has answered."""
        told = subprocess.run([str(TENTER), "serve", "--status", "--json"], env=self.env, capture_output=True)
        return int(json.loads(told.stdout)["requests"])

    def settle(self) -> None:
        """The first call executes Python, which writes the record; the next ones warm the interpreter."""
        for _ in range(WARM):
            for tool in TOOLS.values():
                self.call(tool)
            time.sleep(PAUSE)


@contextlib.contextmanager
def agent_with(hooks: int) -> Iterator[Agent]:
    """An agent in a project with so many hooks, each in a file of its own."""
    if not NATIVE.exists():
        startup.install()
    if not NATIVE.exists():
        raise Unavailable("no C compiler here built the native client")
    with tempfile.TemporaryDirectory(dir=BENCH) as name:
        folder = Path(name, "project")
        folder.mkdir()
        for number in range(hooks):
            (folder / f"guard_{number}.py").write_text(startup.GUARD)
        entry = '[[hook]]\nuse = "guard_{}.py"\nmatch = "{}"\n'
        # One hook denies; the others are for tools that are not called.
        texts = [entry.format(number, f"Other{number}" if number else "shell") for number in range(hooks)]
        (folder / "tenterhook.toml").write_text("".join(texts))
        agent = Agent(folder, name)
        agent.approve()
        time.sleep(SETTLED)
        with running([str(TENTER), "serve"], agent.env, ""):
            agent.settle()
            yield agent


def gate_pairs(rounds: int = CALLS) -> dict[tuple[str, str], Pairs]:
    """Seconds of an agent's call through the native client, beside /bin/true and beside Python, all by `sh -c`."""
    startup.install()
    found: dict[tuple[str, str], Pairs] = {(what, to): [] for what in TOOLS for to in BESIDE}
    with agent_with(1) as agent:
        for _ in range(rounds):
            for what, tool in TOOLS.items():
                mine = agent.call(tool)
                for to, text in BESIDE.items():
                    found[what, to].append((mine, agent.started(text)))
        assert agent.requests() >= 2 * rounds
    return found


def resident_memory() -> float:
    """Bytes of all processes of a server for a project with ten hooks, each of which has run."""
    with agent_with(TEN) as agent:
        text = (agent.folder / "tenterhook.toml").read_text()
        for number in range(1, TEN):
            text = text.replace(f'"Other{number}"', '"shell"')
        (agent.folder / "tenterhook.toml").write_text(text)
        agent.approve()
        time.sleep(SETTLED)
        agent.settle()
        time.sleep(QUIET)
        return float(sum(map(proportional_size, processes_of(str(startup.HOME)))))


def processes_of(folder: str) -> list[Path]:
    """The processes that run what is installed in a folder."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if folder in (place / "cmdline").read_text():
                found.append(place)
    return found


def proportional_size(place: Path) -> int:
    """The PSS of a process: what it shares with others is divided among them."""
    try:
        text = (place / "smaps_rollup").read_text()
    except FileNotFoundError:  # it has just ended
        return 0
    except OSError as exc:
        raise Unavailable(f"the memory of the server's processes cannot be read: {exc.strerror}") from exc
    return next(int(line.split()[1]) * 1024 for line in text.splitlines() if line.startswith("Pss:"))


def with_hooks(hooks: int, rounds: Rounds) -> Cells:
    with agent_with(hooks) as agent:
        times: dict[str, list[float]] = {TRUE: [], **{tool: [] for tool in TOOLS.values()}}
        for _ in range(rounds(41)):
            time.sleep(PAUSE)
            agent.started(TRUE)  # after a pause the first one is slow, whatever it is
            for tool in TOOLS.values():
                times[tool].append(agent.call(tool))
            times[TRUE].append(agent.started(TRUE))
    for what, tool in TOOLS.items():
        yield CALLED[what], median(times[tool]), "s"
        ratios = (mine / theirs for mine, theirs in zip(times[tool], times[TRUE], strict=True))
        yield f"ratio to /bin/true: {CALLED[what]}", median(ratios), ""


def at_once(calls: int, rounds: Rounds) -> Cells:
    """So many calls at once, in a project with ten hooks, beside as many of /bin/true."""
    with agent_with(TEN) as agent, ThreadPoolExecutor(calls) as pool:
        pairs: dict[str, Pairs] = {}
        for what, tool in TOOLS.items():
            burst(pool, agent, CALL, tool)
            pairs[what] = [(burst(pool, agent, CALL, tool), burst(pool, agent, TRUE)) for _ in range(rounds(7))]
    for what, column in CALLED.items():
        yield f"{column}, per second", BURST / median(mine for mine, _ in pairs[what]), "/s"
        yield f"ratio to /bin/true: {column}", median(mine / theirs for mine, theirs in pairs[what]), ""


def burst(pool: ThreadPoolExecutor, agent: Agent, text: str, tool: str = "") -> float:
    """Seconds of so many commands, as many at once as the pool has threads."""
    given = []
    for _ in range(BURST):
        agent.number += 1
        given.append(agent.payload(tool) if tool else b"")
    began = time.perf_counter()
    list(pool.map(lambda one: agent.started(text, one), given))
    return time.perf_counter() - began
