"""What an administrator installs: the files of all agents, and the bundle for other machines."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tenterhook import Engine, dialects
from tenterhook.dialects import recorded
from tenterhook.engine.simulate import Did, simulate
from tenterhook.tools.install.target import installable
from tools.install.conftest import HOOKS, Call

AGENTS = installable(managed=True)
# A mount namespace in which /etc and /var/lib are folders of the test's own, over those of the machine.
MACHINE = """\
set -e
mount -t tmpfs none /mnt
for one in etc var/lib; do
  mkdir -p "/mnt/$one/new" "/mnt/$one/work"
  mount -t overlay overlay -o "lowerdir=/$one,upperdir=/mnt/$one/new,workdir=/mnt/$one/work" "/$one"
done
shift
exec "$@"
"""
GUARD = """\
from tenterhook import hook


@hook("tool.before", match="shell")
def by_policy(event, word="force"):
    if word in event.command:
        return hook.deny(f"the company forbids {word}")
"""
# Run in that machine: installs, calls, takes back; says what it saw as JSON.
VISIT = """\
import hashlib, json, os, subprocess, sys

TENTER = [sys.executable, "-m", "tenterhook"]
calls = json.load(open(sys.argv[1]))

def run(*words, given="", **more):
    done = subprocess.run([*TENTER, *words], input=given, capture_output=True, text=True, env={**os.environ, **more})
    return [done.returncode, done.stdout, done.stderr]

def files():
    found = {}
    for folder, folders, names in (*os.walk("/etc"), *os.walk("/var/lib/tenterhook")):
        found[f"{folder}/"] = ""
        for name in names:
            path = f"{folder}/{name}"
            if os.path.isfile(path) and os.access(path, os.R_OK):
                found[path] = [hashlib.sha256(open(path, "rb").read()).hexdigest(), os.stat(path).st_mode]
    return found

os.umask(0o022)
os.makedirs("/etc/codex"), os.makedirs("/etc/gemini-cli")
policy = '# ours\\nallowed_sandbox_modes = ["read-only"]\\n\\n[features]\\nhooks = true\\n'
open("/etc/codex/requirements.toml", "w").write(policy)
open("/etc/gemini-cli/settings.json", "w").write('{\\n  // note\\n  "ui": {"theme": "x"}\\n}\\n')
said = {"before": files()}
os.chmod("/etc/gemini-cli", 0o777)
said["open"] = run("install", "--managed", "guard.py", "--yes")
said["refused"] = files() == said["before"]
os.chmod("/etc/gemini-cli", 0o755)
said["install"] = run("install", "--managed", "guard.py", "library:git-rules", "--yes", "--json")
said["written"] = files()
for off in ("TENTERHOOK_OFF", "TENTERHOOK_DEPTH"):
    said[off] = {name: run("run", *words, given=given, **{off: "1"}) for name, (words, given) in calls.items()}
said["again"] = run("install", "--managed", "guard.py", "library:git-rules", "--yes", "--json")
said["same"] = files() == said["written"]
said["uninstall"] = run("uninstall", "--managed", "--yes")
said["after"] = files()
print(json.dumps(said))
"""


def machine(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = ["unshare", "-m", "-r", "sh", "-c", MACHINE, "sh", str(folder), *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture
def calls(project: Path, tmp_path: Path) -> Path:
    """A forced push by each agent, as it was recorded."""
    found: dict[str, Any] = {}
    for name in AGENTS:
        rule = next(one for one in dialects.get(name).events if one.kind == "tool.before" and not one.firing.tools)
        given = next((one for one in recorded.of_event(name, rule.name) if "command" in str(one)), None)
        if given is None:
            continue
        key = "toolArgs" if "toolArgs" in given else "tool_input"
        given = {**given, key: {**given[key], "command": "git push --force"}, "cwd": str(project)}
        found[name] = [["--agent", name, "--event", rule.name], json.dumps(given)]
    path = tmp_path / "calls.json"
    path.write_text(json.dumps(found))
    return path


@pytest.mark.skipif(
    sys.platform != "linux" or not shutil.which("unshare"), reason="a machine of its own is made on Linux"
)
def test_every_agent_obeys_the_administrators_hooks_and_every_file_comes_back(
    project: Path, calls: Path, tmp_path: Path
) -> None:
    if machine("true", folder=tmp_path).returncode:
        pytest.skip("no overlay can be mounted here")
    (project / "guard.py").write_text(GUARD)
    done = machine(sys.executable, "-c", VISIT, str(calls), folder=tmp_path)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)

    assert "/etc/gemini-cli/settings.json or its folder can be changed by others than root" in said["open"][2]
    assert said["refused"], "nothing was written"
    assert said["install"][0] == 0, said["install"]
    report = json.loads(said["install"][1])
    assert [one["agent"] for one in report["agents"]] == AGENTS
    assert all(one["proven"] for agent in report["agents"] for one in agent["canaries"])
    for name, (_, given) in json.loads(calls.read_text()).items():
        for off in ("TENTERHOOK_OFF", "TENTERHOOK_DEPTH"):
            code, out, err = said[off][name]
            event = json.loads(calls.read_text())[name][0][-1]
            seen = simulate(dialects.get(name), event, [Did(exit_code=code, stdout=out, stderr=err)])
            assert seen.blocked, (name, off, given)
            assert "the company forbids force" in str(seen), (name, off)
    for name in AGENTS:
        install = dialects.get(name).install
        assert install
        assert install.managed
        assert said["written"][install.managed.linux][1] & 0o777 == 0o644
    assert said["written"]["/etc/tenterhook/hooks/guard.py"][0] == hashlib.sha256(GUARD.encode()).hexdigest()
    assert said["same"], "a second install changes nothing"
    assert said["uninstall"][0] == 0
    assert said["after"] == said["before"]


def test_a_bundle_has_the_files_of_both_systems_at_their_paths(tenter: Call, project: Path) -> None:
    (project / "guard.py").write_text(GUARD)
    ran = tenter("install", "--managed", "--out", "out", "guard.py", "--set", "word=rm", "--program", "/opt/t/tenter")
    assert ran.code == 0, ran.err
    page = (project / "out" / "README.md").read_text()

    for system, field in (("linux", "linux"), ("macos", "macos")):
        folder = project / "out" / system
        assert (folder / "etc/tenterhook/hooks/guard.py").read_text() == GUARD
        own = tomllib.loads((folder / "etc/tenterhook/tenterhook.toml").read_text())
        assert own == {"hook": [{"use": "hooks/guard.py", "options": {"word": "rm"}}]}
        for name in AGENTS:
            install = dialects.get(name).install
            assert install
            assert install.managed
            path = getattr(install.managed, field)
            text = (folder / path.lstrip("/")).read_text()
            assert "/opt/t/tenter run" in text.replace('", "', " ") or '"/opt/t/tenter"' in text
            assert f"`{path}`" in page
            assert f"`{install.managed.windows}`" in page
    assert (
        tenter(
            "install", "--managed", "--out", "out", "guard.py", "--set", "word=rm", "--program", "/opt/t/tenter"
        ).code
        == 0
    )
    other = tenter("install", "--managed", "--out", "out", "guard.py")
    assert other.code == 1
    assert "is there with another content" in other.err


def test_a_file_of_a_bundle_connects_the_agent(tenter: Call, project: Path) -> None:
    """The agent's own rules find a call of ours at each usual event."""
    assert tenter("install", "--managed", "--out", "out", "--agent", "codex").code == 0
    file = project / "out/linux/etc/codex/requirements.toml"
    (project / ".codex").mkdir()
    shutil.copy(file, project / ".codex" / "config.toml")
    with Engine(str(project), dialect="codex", trust="all") as engine:
        found = {hook.event: hook.spec["main"] for hook in engine.hooks()} if engine.ready() else {}

    assert found["PreToolUse"] == "/usr/local/bin/tenter run --agent codex"
    assert len(found) >= 8


WRONG = {
    "--managed --user": "cannot be used together",
    "--managed --project .": "cannot be used together",
    "--out x --agent claude": "--out belongs to --managed",
    "--managed --out x --agent moai": "no administrators' file",
    "--managed --out x --program tenter": "must be the whole path",
    "--managed --out guard.py": "guard.py",
}


@pytest.mark.parametrize("words", WRONG)
def test_a_wrong_call_writes_nothing(words: str, tenter: Call, project: Path) -> None:
    (project / "guard.py").write_text(HOOKS)
    ran = tenter("install", *words.split())

    assert ran.code == 1
    assert WRONG[words] in ran.err
    assert not (project / "x").exists()


def test_without_root_it_says_what_to_do(tenter: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)

    for command in ("install", "uninstall"):
        ran = tenter(command, "--managed", "--yes")
        assert ran.code == 1
        assert "sudo" in ran.err
