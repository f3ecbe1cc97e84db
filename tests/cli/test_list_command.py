"""`tenter list`, called as a user calls it."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tenterhook.cli.main import main


class Ran(NamedTuple):
    code: int
    out: str
    err: str


Tenter = Callable[..., Ran]


@pytest.fixture
def tenter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Tenter:
    """`tenter list` in a project folder with a HOME beside it."""
    (tmp_path / "project").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.chdir(tmp_path / "project")

    def call(*words: str) -> Ran:
        code = main(["list", *words])
        return Ran(code, *capsys.readouterr())

    return call


def write(path: str, content: str | dict[str, Any]) -> None:
    file = Path(path).expanduser()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content if isinstance(content, str) else json.dumps(content, indent=1))


def moai(command: str = "true", matcher: str = "Bash", **more: Any) -> dict[str, Any]:
    group = {"matcher": matcher, "hooks": [{"type": "command", "command": command, **more}]}
    return {"hooks": {"PreToolUse": [group]}}


def row(ran: Ran, hook: str) -> str:
    return " ".join(next(line for line in ran.out.split("\n") if f" {hook} " in line).split())


def test_each_hook_is_told_with_state_matcher_type_time_out_and_place(tenter: Tenter) -> None:
    write(".claude/settings.json", moai(timeout=10))
    ran = tenter("--dialect", "moai", "--trust")

    assert row(ran, "true") == "runs Bash true command 10 s .claude/settings.json:7"


def test_hooks_stand_below_their_event(tenter: Tenter) -> None:
    write(".claude/settings.json", moai())
    ran = tenter("--dialect", "moai", "--trust")

    assert "\nPreToolUse  before a tool executes; can be blocked\n" in ran.out


def test_hooks_of_the_project_are_untrusted_unless_told_otherwise(tenter: Tenter) -> None:
    write(".claude/settings.json", moai("echo mine"))
    write("~/.claude/settings.json", moai("echo yours"))
    ran = tenter("--dialect", "moai")

    assert row(ran, "echo mine").startswith("untrusted")
    assert row(ran, "echo yours").startswith("runs")
    assert "tenter trust" in ran.out.split("\n")[0]


@pytest.mark.parametrize("trust", [(), ("--trust",)], ids=["untrusted", "trusted"])
def test_the_agent_that_a_hook_belongs_to_is_named(tenter: Tenter, trust: tuple[str, ...]) -> None:
    hook = "hooks:\n  PreToolUse:\n    - hooks:\n        - type: command\n          command: echo hers\n"
    write(".claude/agents/reviewer.md", f"---\nname: reviewer\n{hook}---\nReview it.\n")
    ran = tenter("--dialect", "moai", *trust)

    below = ran.out[ran.out.index(" echo hers ") :]
    if trust:
        assert row(ran, "echo hers").startswith("for agent reviewer")
    else:
        assert row(ran, "echo hers").startswith("untrusted")
        assert below.split("\n")[1].strip() == "for agent reviewer only"
    assert "for agent reviewer only" in tenter("--dialect", "moai", "--subagent", "reviewer", *trust).out


def test_every_agent_with_hook_files_is_listed_and_a_shared_file_once(tenter: Tenter) -> None:
    write("~/.wave/settings.json", moai("echo wave"))
    write(".claude/settings.json", moai("echo shared"))
    ran = tenter("--trust")

    assert [line for line in ran.out.split("\n") if " for " in line] == [
        "1 hook for Wave in 1 file: 1 runs",  # its folder at home says that it is in use
        "1 hook for Claude Code in 1 file: 1 runs",
    ]
    both = tenter("--trust", "--agent", "claude,copilot").out
    assert both.count("echo shared") == 1
    assert both.endswith("\n  .claude/settings.json: 1 hook, listed above for Claude Code\n")
    assert [one["dialect"] for one in json.loads(tenter("--json").out)["agents"]] == ["wave", "claude"]
    assert tenter("--dialect", "moai").err == ""
    assert tenter("--dialect", "codex").err == "tenter: found .claude/settings.json: --dialect claude\n"


def test_a_disabled_hook_says_so(tenter: Tenter) -> None:
    write("tenterhook.toml", '[[hook]]\non = "tool.before"\ncommand = "true"\nenabled = false\n')

    assert row(tenter("--trust"), "true").startswith("disabled")


def test_a_users_hook_that_the_project_replaces_is_overridden(tenter: Tenter) -> None:
    write(".amcp/hooks.toml", '[[hooks.PreToolUse.handlers]]\ncommand = "echo mine"\n')
    write("~/.config/amcp/hooks.toml", '[[hooks.PreToolUse.handlers]]\ncommand = "echo yours"\n')

    assert row(tenter("--dialect", "amcp", "--trust"), "echo yours").startswith("overridden")


def test_where_hooks_are_switched_off_the_reason_is_the_state(tenter: Tenter) -> None:
    group = {"hooks": [{"type": "command", "command": "true"}]}
    write(".llxprt/settings.json", {"hooks": {"BeforeTool": [group]}})

    assert row(tenter("--dialect", "llxprt", "--trust"), "true").startswith("off: enableHooks is not true")


AGENTS = """
hooks:
  PreToolUse: [{handler: "/bin/true", type: command}]
agents:
  - id: alpha
    backend: {hooks: {PreToolUse: {override: true, hooks: [{handler: "/bin/echo", type: command}]}}}
"""


def test_a_hook_of_one_agent_names_it(tenter: Tenter) -> None:
    write("massgen.yaml", AGENTS)
    ran = tenter("--dialect", "massgen", "--trust")

    assert row(ran, "/bin/echo").startswith("for agent alpha")
    assert "not for agent alpha, which overrides it" in ran.out


def test_for_one_agent_its_own_hooks_run_and_the_general_ones_are_overridden(tenter: Tenter) -> None:
    write("massgen.yaml", AGENTS)
    ran = tenter("--dialect", "massgen", "--trust", "--subagent", "alpha")

    assert row(ran, "/bin/true").startswith("overridden")
    assert row(ran, "/bin/echo").startswith("runs")


def test_a_script_that_is_not_there_is_missing_where_the_dialect_skips_it(tenter: Tenter) -> None:
    write(".claude/settings.json", moai("$CLAUDE_PROJECT_DIR/gone.sh"))
    ran = tenter("--dialect", "moai", "--trust")

    assert row(ran, "$CLAUDE_PROJECT_DIR/gone.sh").startswith("missing")
    assert f"no such program or script: {Path.cwd()}/gone.sh" in ran.out


def test_a_program_of_the_project_without_a_slash_is_not_missing(tenter: Tenter) -> None:
    write("guard.py", "")
    write("massgen.yaml", 'hooks: {PreToolUse: [{handler: "guard.py", type: command}]}')

    assert "no such" not in tenter("--dialect", "massgen", "--trust").out


def test_a_hook_type_that_nothing_handles_says_so(tenter: Tenter) -> None:
    group = {"hooks": [{"type": "plugin"}]}
    write(".llxprt/settings.json", {"enableHooks": True, "hooks": {"BeforeTool": [group]}})

    assert "no handler for hooks of type 'plugin'" in tenter("--dialect", "llxprt", "--trust").out


def test_options_that_change_when_a_hook_runs_stand_below_it(tenter: Tenter) -> None:
    write(
        "tenterhook.toml",
        '[[hook]]\non = "tool.before"\ncommand = "true"\nonce = true\npriority = 5\n'
        'if = {"tool_input.command" = "git*"}\non_failure = {timeout = "deny", default = "allow"}\n',
    )

    wanted = "if tool_input.command fits 'git*'; once; priority 5; on timeout: deny; on failure: allow"
    assert wanted in tenter("--trust").out


def test_without_hooks_the_files_that_were_looked_for_are_named(tenter: Tenter) -> None:
    ran = tenter()

    assert ran.out.startswith("no hooks for tenterhook in ")
    assert "not there  project  toml  tenterhook.toml" in ran.out
    assert "not there  user     toml  ~/.config/tenterhook/tenterhook.toml" in ran.out


def test_warnings_about_the_config_go_to_stderr(tenter: Tenter) -> None:
    write(".claude/settings.json", moai(tmeout=5))
    ran = tenter("--dialect", "moai", "--trust")

    assert ran.code == 0
    assert "tenter: warning: .claude/settings.json:10:7: unknown key 'tmeout' (did you mean 'timeout'?)" in ran.err


def test_a_broken_file_is_an_error_with_its_place(tenter: Tenter) -> None:
    write("tenterhook.toml", "[[hook]]\non = \n")
    ran = tenter("--trust")

    assert ran.code == 1
    assert ran.out == ""
    assert "tenterhook.toml:2:" in ran.err


def test_json_has_every_hook_every_file_and_the_warnings(tenter: Tenter) -> None:
    write(".claude/settings.json", moai(tmeout=5))
    found = json.loads(tenter("--dialect", "moai", "--trust", "--json").out)

    assert [(one["event"], one["hook"], one["state"]) for one in found["hooks"]] == [("PreToolUse", "true", "runs")]
    assert [str(Path.cwd() / ".claude/settings.json")] == [one["path"] for one in found["files"] if one["found"]]
    assert len(found["warnings"]) == 1


def test_one_file_can_be_listed_alone(tenter: Tenter) -> None:
    write("~/.claude/settings.json", moai("echo yours"))
    write("other.json", moai("echo other"))
    ran = tenter("--dialect", "moai", "--config", "other.json", "--trust")

    assert "echo other" in ran.out
    assert "echo yours" not in ran.out


def test_a_hooks_name_cannot_move_the_cursor(tenter: Tenter) -> None:
    write(".claude/settings.json", moai("true", name="\x1b[2Jgone"))

    assert r"\x1b[2Jgone" in tenter("--dialect", "moai", "--trust").out


@pytest.mark.parametrize("words", [("--project", "nowhere"), ("--dialekt", "moai"), ("--dialect", "moia"), ("extra",)])
def test_a_call_that_cannot_work_ends_in_one(tenter: Tenter, words: tuple[str, ...]) -> None:
    ran = tenter(*words)

    assert ran.code == 1
    assert ran.err.startswith("tenter: ")


def test_help_has_an_example(tenter: Tenter) -> None:
    ran = tenter("--help")

    assert ran.code == 0
    assert "example:\n  tenter list" in ran.out


@pytest.mark.skipif(sys.platform == "darwin", reason="its file names are always UTF-8")
@pytest.mark.parametrize("words", [(), ("--json",)])
def test_a_path_that_is_no_text_can_be_printed(tenter: Tenter, words: tuple[str, ...]) -> None:
    folder = os.fsdecode(b"caf\xe9")
    write(f"{folder}/.claude/settings.json", moai())
    ran = tenter("--dialect", "moai", "--trust", "--project", folder, *words)

    assert ran.code == 0
    assert r"caf\udce9/.claude/settings.json" in ran.out


def test_of_a_token_in_a_command_line_not_even_a_part_is_listed(
    tenter: Tenter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    write(".claude/settings.json", moai("./guard.sh --token=ghp_" + "a1B2c3D4e5F6" * 3))

    assert "e5F6" not in tenter("--dialect", "moai").out


def test_entries_that_call_tenterhook_are_one_line(tenter: Tenter) -> None:
    calls = {event: moai("tenter run --agent claude", "")["hooks"]["PreToolUse"] for event in ("PreToolUse", "Stop")}
    write(".claude/settings.json", {"hooks": calls})
    write("tenterhook.toml", '[[hook]]\nname = "guard"\non = "tool.before"\ncommand = "true"\n')
    ran = tenter()

    assert "Claude Code calls tenterhook at 2 events, from .claude/settings.json" in ran.out
    assert "run --agent claude" not in ran.out
    assert row(ran, "guard").startswith("untrusted")
