"""`tenter install --http`: what is written for which agent, that the token stays out of it, and the way back."""

from __future__ import annotations

import http.client
import json
import shlex
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tenterhook import dialects
from tenterhook.support.http_door import VARIABLE
from tenterhook.tools.install.door_line import takes_door, why_no_door
from tenterhook.tools.install.target import installable

from .served import Done, Served
from .test_http_door import event, free_port, guard_project, ran, refused

OWN_SETTINGS = b'{\n "model": "opus"\n}\n'


class Installed:
    """A project with a guard, and a user with settings of Claude Code."""

    def __init__(self, served: Served) -> None:
        self.served, self.root, self.port = served, guard_project(served, served.project.root, "this"), free_port()
        self.home = Path(served.environ["HOME"])
        self.settings = self.home / ".claude/settings.json"
        self.settings.parent.mkdir(parents=True)
        self.settings.write_bytes(OWN_SETTINGS)
        self.before = self.files()

    def files(self) -> dict[str, bytes]:
        roots = [self.root / ".claude", self.root / ".codex", self.root / ".github", self.home / ".claude"]
        found = [path for root in roots for path in sorted(root.rglob("*")) if path.is_file()]
        return {str(path): path.read_bytes() for path in found}

    def install(self, *words: str, **options: Any) -> Done:
        return self.served.run("install", "--http", "--port", str(self.port), *words, "--yes", **options)

    @property
    def token(self) -> str:
        found: str = json.loads(self.settings.read_bytes())["env"][VARIABLE]
        return found

    def entries(self, agent: str = "claude") -> Any:
        path = dialects.get(agent).install.project  # type: ignore[union-attr]
        return json.loads((self.root / path).read_text())["hooks"]


def call_as_agent(entry: dict[str, Any], body: bytes, variables: dict[str, str]) -> tuple[int, Any]:
    """Post an event as Claude Code does: variables that the entry lists are put into its headers."""
    url, headers = urlsplit(entry["url"]), {"Content-Type": "application/json"}
    for name, value in entry["headers"].items():
        for variable in entry["allowedEnvVars"]:
            value = value.replace(f"${variable}", variables.get(variable, ""))
        headers[name] = value
    wire = http.client.HTTPConnection(url.hostname or "", url.port, timeout=60)
    try:
        wire.request("POST", f"{url.path}?{url.query}", body, headers)
        response = wire.getresponse()
        text = response.read().decode()
        return response.status, json.loads(text) if response.status == 200 else text
    finally:
        wire.close()


@pytest.fixture
def installed(served: Served) -> Iterator[Installed]:
    yield Installed(served)
    served.run("serve", "--stop")


def test_what_is_written_denies_and_is_taken_back_byte_for_byte(installed: Installed) -> None:
    done = installed.install("--agent", "claude")
    said, entries = done.stdout.decode(), installed.entries()
    entry = entries["PreToolUse"][0]["hooks"][0]

    assert done.returncode == 0, done
    assert f"POST 'http://127.0.0.1:{installed.port}/run?agent=claude'" in said
    assert "PreToolUse fires: guard: refused, as it said" in said
    assert "PreToolUse: each call is refused" in said
    assert ran(installed.root) == []
    assert entry == {
        "type": "http",
        "url": f"http://127.0.0.1:{installed.port}/run?agent=claude",
        "headers": {"Authorization": f"Bearer ${VARIABLE}"},
        "allowedEnvVars": [VARIABLE],
        "timeout": 600,
        "onFailure": "block",
    }
    assert refused(call_as_agent(entry, event("rm x", installed.root), {VARIABLE: installed.token})) == "not this"
    status, why = call_as_agent(entry, event("rm x", installed.root), {})
    assert (status, "no token came" in why) == (401, True)
    checked = installed.served.run("check", "--dialect", "claude")
    assert (checked.returncode, VARIABLE.encode() in checked.stdout) == (0, False), checked
    again = installed.install("--agent", "claude")
    assert b"nothing to do: the entries are there" in again.stdout

    undone = installed.served.run("uninstall", "--yes")
    assert undone.returncode == 0, undone
    assert installed.files() == installed.before


def test_the_token_is_only_where_the_user_alone_can_read_it(installed: Installed) -> None:
    done = installed.install("--agent", "claude")
    token = installed.token

    assert len(token) == 64
    assert installed.settings.stat().st_mode & 0o777 == 0o600
    assert token.encode() not in done.stdout + done.stderr + installed.served.run("uninstall", "--dry-run").stdout
    holding = [path for path in installed.root.rglob("*") if path.is_file() and token.encode() in path.read_bytes()]
    assert holding == []


def test_an_event_that_may_block_and_could_not_refuse_without_a_server_keeps_its_command(installed: Installed) -> None:
    installed.install("--agent", "claude")
    entries = installed.entries()
    types = {name: groups[0]["hooks"][0]["type"] for name, groups in entries.items()}

    assert {name for name, kind in types.items() if kind == "command"} == {
        *("SessionStart", "UserPromptSubmit", "PermissionRequest", "SubagentStop", "Stop", "PreCompact")
    }
    opening = shlex.split(entries["SessionStart"][1]["hooks"][0]["command"])
    assert opening[1:] == ["serve", "--http", str(installed.port), "--detach"]
    assert installed.served.run("serve", "--stop").returncode == 0
    assert installed.served.run(*opening[1:]).returncode == 0
    assert installed.served.status()["http"]["port"] == installed.port


def test_only_an_agent_that_can_be_made_to_refuse_calls_the_door() -> None:
    able = {name for name in installable() if not why_no_door(dialects.get(name))}

    assert able == {"claude"}
    assert why_no_door(dialects.get("claude@2.1.240")).startswith("its http hooks let the operation go on")
    claude = dialects.get("claude")
    assert takes_door(claude, claude.events[[rule.name for rule in claude.events].index("PreToolUse")])


def test_the_others_get_their_command_and_the_reason(installed: Installed) -> None:
    done = installed.install("--agent", "claude,codex,copilot")
    said = done.stdout.decode()

    assert done.returncode == 0, done
    assert "Codex CLI keeps the command, and not the HTTP door: one http hook makes it refuse the whole file" in said
    assert "GitHub Copilot CLI keeps the command, and not the HTTP door: before a tool it calls https alone" in said
    assert "GitHub Copilot CLI reads this file, too, and its http hooks cannot be made to refuse" in said
    assert installed.entries("codex")["PreToolUse"][0]["hooks"][0]["type"] == "command"
    assert installed.entries("copilot")["preToolUse"][0]["type"] == "command"


def test_an_agent_that_comes_later_does_not_share_entries_for_the_door(installed: Installed) -> None:
    installed.install("--agent", "claude")
    done = installed.served.run("install", "--agent", "copilot", "--yes")

    assert done.returncode == 0, done
    assert installed.entries("copilot")["preToolUse"][0]["type"] == "command"


def test_a_command_entry_gives_way_to_an_http_entry_and_back(installed: Installed) -> None:
    def kinds() -> list[str]:
        return [hook["type"] for group in installed.entries()["PreToolUse"] for hook in group["hooks"]]

    installed.served.run("install", "--agent", "claude", "--yes")
    assert kinds() == ["command"]
    installed.install("--agent", "claude")
    assert kinds() == ["http"]
    installed.served.run("install", "--agent", "claude", "--yes")
    assert kinds() == ["command"]
    installed.served.run("uninstall", "--yes")
    assert installed.files() == installed.before


def test_the_token_stays_as_long_as_another_project_needs_it(installed: Installed, tmp_path: Path) -> None:
    other = guard_project(installed.served, tmp_path / "other", "that")
    installed.install("--agent", "claude")
    installed.install("--agent", "claude", cwd=other)
    token = installed.token
    installed.served.run("uninstall", "--yes")

    assert installed.token == token
    installed.served.run("uninstall", "--yes", cwd=other)
    assert installed.settings.read_bytes() == OWN_SETTINGS


def test_for_all_projects_the_entries_and_the_token_share_the_users_file(installed: Installed) -> None:
    done = installed.install("--agent", "claude", "--user")

    assert done.returncode == 0, done
    settings = json.loads(installed.settings.read_bytes())
    assert settings["hooks"]["PreToolUse"][0]["hooks"][0]["type"] == "http"
    assert len(settings["env"][VARIABLE]) == 64
    assert installed.served.run("uninstall", "--user", "--yes").returncode == 0
    assert installed.files() == installed.before


def test_without_a_record_our_entries_are_still_known(installed: Installed) -> None:
    installed.install("--agent", "claude")
    for record in (Path(installed.served.environ["XDG_STATE_HOME"]) / "tenterhook/installs").iterdir():
        record.unlink()
    done = installed.served.run("uninstall", "--agent", "claude", "--yes")

    assert done.returncode == 0, done
    assert "tenter" not in (installed.root / ".claude/settings.json").read_text()


def test_hooks_of_another_agent_do_not_run_through_the_door_again(installed: Installed) -> None:
    installed.install("--agent", "claude")
    body = json.dumps(
        {"hook_event_name": "BeforeTool", "session_id": "1", "tool_name": "run_shell_command", "tool_use_id": "1"}
        | {"tool_input": {"command": "rm x"}}
    ).encode()
    done = installed.served.run("run", "--agent", "gemini", "--hooks-of", "claude", stdin=body)

    assert b"not this" in done.stdout
    assert len(ran(installed.root)) == 1


def test_what_cannot_be_done_is_refused_before_anything_is_written(installed: Installed) -> None:
    def said(*words: str) -> bytes:
        done = installed.install(*words)
        assert done.returncode == 1, done
        assert installed.files() == installed.before
        return done.stderr

    assert b"Claude Code and Claude Code (MoAI) read the same file" in said("--agent", "claude,moai")
    dry = installed.served.run("install", "--http", "--port", str(installed.port), "--agent", "claude", "--dry-run")
    assert (dry.returncode, installed.files()) == (0, installed.before)
    assert b"(the token)" in dry.stdout
    managed = installed.install("--managed", "--agent", "claude").stderr
    assert b"--managed and --http cannot be used together: the HTTP door and its token belong to one user" in managed
    assert b"--port is for --http" in installed.served.run("install", "--port", "1", "--agent", "claude").stderr
    installed.settings.rename(installed.home / "mine.json")
    installed.settings.symlink_to(installed.home / "mine.json")
    assert b"is a link" in said("--agent", "claude")
    installed.settings.unlink()
    installed.settings.write_text(json.dumps({"env": {VARIABLE: "mine"}}))
    installed.before = installed.files()
    assert b"to something else; take it out" in said("--agent", "claude")
    installed.settings.write_bytes(OWN_SETTINGS)
    installed.before = installed.files()
    taken = free_port()
    with socket.socket() as other:
        other.bind(("127.0.0.1", taken))
        other.listen()
        installed.port = taken
        assert b"nothing was written: 127.0.0.1:" in said("--agent", "claude")


ABOUT = """\
import json
from tenterhook.cli.door_state import about_door
from tenterhook.engine.hookset import HookSet
from tenterhook.engine.options import EngineOptions
[one] = about_door(HookSet(EngineOptions(".")))
print(json.dumps([one.state, one.detail]))
"""


def test_doctor_says_whether_the_door_is_open_and_who_needs_it(installed: Installed) -> None:
    def about() -> list[str]:
        program = [sys.executable, "-c", ABOUT]
        done = subprocess.run(
            program, env=installed.served.environ, cwd=installed.root, capture_output=True, check=True
        )
        found: list[str] = json.loads(done.stdout)
        return found

    assert about()[0] == "absent"
    installed.install("--agent", "claude")
    state, detail = about()
    assert (state, f"open at http://127.0.0.1:{installed.port}; " in detail) == ("works", True)
    assert b"HTTP door" in installed.served.run("doctor").stdout
    installed.served.run("serve", "--stop")
    state, detail = about()
    assert (state, f"tenter serve --http {installed.port} --detach" in detail) == ("broken", True)
