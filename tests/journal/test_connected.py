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

    claude, codex, guard = [(one["name"], one["state"], one["detail"]) for one in found[:3]]
    assert claude[:2] == ("claude", "works")
    assert claude[2] == "1 hook, last fired 2 min ago, median 250.0 ms, 95th percentile 500.0 ms, failed open 1 time"
    assert codex == ("codex", "off", "connected, never fired: its hooks need review there")
    assert guard == ("guard, claude", "works", claude[2].removeprefix("1 hook, "))
    assert shown[0] == "agents that call your hooks"
    assert [line.split(maxsplit=1)[1][:24] for line in shown[1:3]] == [
        "claude: 1 hook, last fir",
        "codex: connected, never ",
    ]


def test_each_hook_that_never_ran_in_an_agent_says_why(project: Project, kept: Kept) -> None:
    more = '\n[[hook]]\nname = "{}"\non = "{}"\ncommand = "x"\n'
    project.write("guard.py", GUARD)
    kept.tenter("install", "guard.py", "--agent", "claude,codex", "--yes")
    with project.write("tenterhook.toml", (project.root / "tenterhook.toml").read_text()).open("a") as file:
        file.write(more.format("later", "tool.before") + more.format("models", "model.before"))
    fired = {"agent": "claude", "project": str(project.root)}
    kept.put(entry(1, **fired, attempts=[ran("guard", 0.5)]))

    silent = json.loads(kept.tenter("stats", "--by", "hook", "--json").stdout)["never"]
    doctor = json.loads(kept.tenter("doctor", "--json").stdout)
    kept.tenter("trust", "--yes")
    approved = kept.tenter("stats", "--by", "hook", "--agent", "claude").stdout.splitlines()

    assert [(one["hook"], one["agent"], one["why"]) for one in silent] == [
        ("guard", "codex", ""),
        *[(hook, agent, "not approved: tenter trust") for hook in ("later", "models") for agent in ("claude", "codex")],
    ]
    assert doctor[0]["detail"].endswith(", 2 more not approved: tenter trust")
    assert [one["name"] for one in doctor if one["area"] == "hooks"] == [
        "guard, claude",
        "later, claude",
        "models, claude",
    ]
    assert [line.partition(": ")[2] for line in approved if line.startswith("never ran in claude")] == [
        "later (tenterhook.toml:4)",
        "models (tenterhook.toml:9): Claude Code has no such event",
    ]
