"""Faults of containment: what hooks leave behind, what outlives a host that dies, blocks that get lost.

Importing this adds its rows to those of faults.py.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from fault_tools import ENV, Figures, reactor, row, run_all, sh
from tenterhook.engine.engine import Engine
from tenterhook.runtime.process import Completed
from tenterhook.types import Outcome

# Each says the numbers of what should be gone, then stays.
SHAPES = {
    "ignores SIGTERM": "trap '' TERM; echo $$; sleep 60; sleep 60",
    "child": "sleep 60 & echo $!; sleep 60",
    "session": "setsid sh -c 'echo $$; exec sleep 60' & sleep 60",
    "orphan": "(setsid sh -c 'echo $$; exec sleep 60' &); sleep 60",
    "stubborn orphan": "(setsid sh -c 'trap \"\" TERM; echo $$; sleep 60; sleep 60' &); sleep 60",
    "nohup": "nohup sleep 60 & echo $!; sleep 60",
    "unmarked orphan": "(setsid env -i /bin/sh -c 'echo $$; exec sleep 60' &); sleep 60",
}
TIMES = 20
# Whose hook nobody can tell when several run.
ALONE = "unmarked orphan"


@row("R3", "7 shapes x 20: time-out, cancellation, leftovers: end", "0 alive 100 ms after the return")
def no_survivors() -> Figures:
    if sys.platform != "linux":
        return "needs /proc", None
    figures, good = [], True
    for way in (timed_out, cancelled, left_over):
        pids = [pid for name in SHAPES if name != ALONE for pid in way([SHAPES[name]] * TIMES)]
        pids += [pid for _ in range(TIMES) for pid in way([SHAPES[ALONE]])]
        time.sleep(0.1)
        alive = sum(map(lives, pids))
        figures.append(f"{way.__name__.replace('_', ' ')}: {alive} of {len(pids)}")
        good &= not alive and len(pids) == TIMES * len(SHAPES)
    return ", ".join(figures), good


def numbers(done: list[Completed]) -> list[int]:
    return [int(word) for one in done for word in one.stdout.split()]


def timed_out(texts: list[str]) -> list[int]:
    return numbers(run_all([sh(text, timeout=0.25, grace=0.1) for text in texts]))


def left_over(texts: list[str]) -> list[int]:
    return numbers(run_all([sh(f"({text}) & sleep 0.3", leftovers="end") for text in texts]))


def cancelled(texts: list[str]) -> list[int]:
    serving, done, over = reactor(64), [], threading.Event()

    def keep(completed: Completed) -> None:
        done.append(completed)
        if len(done) == len(texts):
            over.set()

    tickets = [serving.submit(sh(text), keep) for text in texts]
    time.sleep(0.25)
    for ticket in tickets:
        ticket.cancel()
    over.wait(20)
    serving.close()
    return numbers(done)


def lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


# One of 20 hooks: five processes, the last two of which have left their parents, and one of these its mark.
FIVE = """
sleep 60 & echo $! >> "$PIDS"
setsid sh -c 'echo $$ >> "$PIDS"; exec sleep 60' &
(setsid sh -c 'echo $$ >> "$PIDS"; exec sleep 60' &)
(setsid env -i PIDS="$PIDS" /bin/sh -c 'echo $$ >> "$PIDS"; exec sleep 60' &)
echo $$ >> "$PIDS"; exec sleep 60
"""
HOST = f"""
import os, sys
from tenterhook import Engine
engine = Engine(files=False, home="/", environ=dict(os.environ), mode="faithful", sandbox="off", journal=False)
from tenterhook.types import Hook, Source
for n in range(20):
    spec = {{"main": {FIVE!r}, "form": "shell"}}
    engine.put(Hook(name=str(n), event="tool.before", handler="command", spec=spec, source=Source("user")))
engine.fire("tool.before", tool_name="Bash", tool_input={{}})
"""


@row("R4", "host with 20 hooks, 100 processes, dies: KILL, TERM", "0 of 100 after 250 ms")
def host_dies() -> Figures:
    if sys.platform != "linux":
        return "there is a supervisor on Linux only", None
    figures, good = [], True
    for name, number in {"KILL": 9, "TERM": 15}.items():
        begun, after, last = one_death(number)
        figures.append(f"{name}: {after} of {begun}, the last one after {last * 1000:.0f} ms")
        good &= begun == 100 and after == 0
    return ", ".join(figures), good


def one_death(number: int) -> tuple[int, int, float]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "pids")
        file.write_text("")
        host = subprocess.Popen([sys.executable, "-c", HOST], env={**ENV, "PIDS": str(file)})
        until = time.monotonic() + 20
        while len(file.read_text().split()) < 100 and time.monotonic() < until:
            time.sleep(0.01)
        pids = [int(word) for word in file.read_text().split()]
        begun = sum(map(lives, pids))
        host.send_signal(number)
        died = time.monotonic()
        host.wait()
        while any(map(lives, pids)) and time.monotonic() < died + 0.25:
            time.sleep(0.001)
        last = time.monotonic() - died
        return begun, sum(map(lives, pids)), last


# A hook that says no, and then: what can go wrong on the way. DENY stands for the answer of the dialect.
BLOCKS = {
    "plain": "echo 'DENY'",
    "exit 2": "echo no >&2; exit 2",
    "a child keeps stdout": "echo 'DENY'; sleep 20 &",
    "so does one of another session": "echo 'DENY'; setsid sleep 20 &",
    "hangs afterwards": "echo 'DENY'; sleep 20",
    "ignores SIGTERM": "trap '' TERM; echo 'DENY'; sleep 20; sleep 20",
    "killed": "echo 'DENY'; kill -9 $$",
    "exit 1": "echo 'DENY'; exit 1",
    "exit 127": "echo 'DENY'; no-such-program",
    "a log line before": "echo loading; echo 'DENY'",
    "a log line after": "echo 'DENY'; echo done",
    "a byte order mark": "printf '\\357\\273\\277'; echo 'DENY'",
    "twice": "echo 'DENY'; echo 'DENY'",
    "a second decision": """echo 'DENY' | sed 's/}$/, "decision": "allow"}/'""",
    "not a number": "echo 'DENY' | sed 's/}$/, \"x\": NaN}/'",
    "deep": f"{sys.executable} -S -c \"print('DENY'[:-1] + ',\\\"x\\\":' + '[' * 100000 + ']' * 100000 + '}}')\"",
    "a wrong type": """echo '{"decision": ["deny"]}'""",
    "in quotes": "echo 'QUOTED'",
    "cut off": "echo 'DENY' | head -c 18",
    "too long": f"{sys.executable} -S -c \"print('DENY'[:-1] + ',\\\"x\\\":\\\"' + 'y' * 2000000 + '\\\"}}')\"",
    "kills who started it": "echo 'DENY'; kill -9 $PPID; sleep 20",
    "stdin unread": "exec 0<&-; echo 'DENY'",
}
GROUP = (
    '{{"hooks": {{"{0}": [{{"hooks": [{{"type": "command", "timeout": {1}, "command": %s}}]}}]}}, "enableHooks": true}}'
)
TOML = '[[hook]]\non = "tool.before"\ntimeout = 0.7\ncommand = %s\n'
# The mode, the word for no, the file, and what stands in it.
DIALECTS = {
    "tenterhook": ("strict", "deny", "tenterhook.toml", TOML),
    "wave": ("faithful", "block", ".wave/settings.json", GROUP.format("PreToolUse", 0.7)),
    "llxprt": ("faithful", "block", ".llxprt/settings.json", GROUP.format("BeforeTool", 700)),
    "moai": ("faithful", "block", ".claude/settings.json", GROUP.format("PreToolUse", 0.7)),
}


@row("R18", f"lost blocks: {len(BLOCKS)} faults x 4 dialects", "strict 0; faithful 0 that nobody hears of")
def lost_blocks() -> Figures:
    lost: dict[str, list[str]] = {"strict": [], "faithful": []}
    silent = []
    for dialect, (mode, word, file, form) in DIALECTS.items():
        deny = json.dumps({"decision": word, "reason": "no"})
        for name, text in BLOCKS.items():
            written = text.replace("DENY", deny).replace("QUOTED", json.dumps(deny))
            if sys.executable in written:
                written = text.replace("DENY", deny.replace('"', '\\"'))
            outcome = fired(dialect, file, form % json.dumps(written))
            if not (outcome.blocked or outcome.decision == "ask"):
                lost[mode].append(name)
                if not heard(outcome):
                    silent.append(f"{dialect}: {name}")
    figures = f"strict {len(lost['strict'])} {' '.join(lost['strict'])}, faithful {len(lost['faithful'])}"
    return f"{figures}, silent {len(silent)} {'; '.join(silent)}", not lost["strict"] and not silent


def fired(dialect: str, file: str, text: str) -> Outcome:
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        path = Path(folder, file)
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        options = {"home": folder, "environ": dict(ENV), "sandbox": "off", "journal": False, "grace": 0.1}
        engine = stack.enter_context(Engine(folder, dialect=dialect, trust="all", **options))  # type: ignore[arg-type]
        return engine.fire("tool.before", tool_name="Bash", tool_input={"command": "ls"})


def heard(outcome: Outcome) -> bool:
    """Whether anything says that a hook went wrong."""
    return bool(outcome.warnings or outcome.messages or not outcome.success)
