"""What `tenter doctor` says first: the agents that were connected, and when they last called."""

import json
import time

from conftest import Project

from .journals import Kept, entry, ran

GUARD = """
from tenterhook import hook

@hook("tool.before", match="Bash")
def guard(event):
    return hook.deny("no")
"""


def test_doctor_leads_with_what_each_connected_agent_did(project: Project, kept: Kept) -> None:
    project.write("guard.py", GUARD)
    done = kept.tenter("install", "guard.py", "--agent", "claude,codex", "--yes")
    assert done.returncode == 0, done.stdout + done.stderr
    now = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(time.time() - 150))
    broken = ran("guard", 0.25, failed=True, error="timeout")
    fired = {"agent": "claude", "project": str(project.root)}
    kept.put(entry(1, **fired, attempts=[ran("guard", 0.5)]), entry(2, **fired, time=f"{now}.000Z", attempts=[broken]))
    kept.put(entry(3, agent="codex", time=f"{now}.000Z"))  # of another project

    found = json.loads(kept.tenter("doctor", "--json").stdout)
    shown = kept.tenter("doctor").stdout.splitlines()

    claude, codex = [(one["name"], one["state"], one["detail"]) for one in found[:2]]
    assert claude[:2] == ("claude", "works")
    assert claude[2] == (
        "1 hook, last fired 2 min ago, median 250.0 ms, 95th percentile at most 500.0 ms, failed open 1 time"
    )
    assert codex == ("codex", "off", "1 hook connected, never fired: its hooks need review there")
    assert shown[0] == "agents that call your hooks"
    assert [line.split()[1] for line in shown[1:3]] == ["claude", "codex"]
