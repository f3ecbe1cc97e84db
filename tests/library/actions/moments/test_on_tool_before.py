"""Before a tool: the guard, as agents call it."""

import json
from pathlib import Path
from typing import Any

import pytest

from tenterhook.dialects import moai
from tenterhook.support import tool_names


@pytest.mark.req("CC-ACT-table")
def test_a_dangerous_command_is_refused_and_a_harmless_one_is_not(act) -> None:
    assert act("tool.before", tool_name="Bash", tool_input={"command": "rm -rf /"}).decision == "deny"
    assert act("tool.before", tool_name="Bash", tool_input={"command": 'echo "rm -rf /"'}).decision == "none"


def test_the_command_answers_both_forms(hook, tmp_path: Path) -> None:
    session = {"id": "s", "cwd": str(tmp_path), "projectDir": str(tmp_path)}
    nested = {"eventType": "PreToolUse", "toolName": "Bash", "session": session}
    flat = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "cwd": str(tmp_path)}

    for command, code in (("rm -rf /", 2), ("ls", 0)):
        for event in ({**nested, "toolInput": {"command": command}}, {**flat, "tool_input": {"command": command}}):
            answer = hook("pre-tool", event)

            assert answer.code == code
            assert ("delete-root" in answer.stderr) == (code == 2)


def test_a_tool_that_watches_a_command_is_a_shell(hook, tmp_path: Path) -> None:
    """Claude Code's Monitor: the guard, a hook for shells, and the entry that `tenter init` writes see it."""
    given = {"command": "rm -rf /", "description": "x", "timeout_ms": 1000, "persistent": False}
    event = {"hook_event_name": "PreToolUse", "tool_name": "Monitor", "tool_input": given, "cwd": str(tmp_path)}

    assert hook("pre-tool", event).code == 2
    assert tool_names.kind("Monitor") == "shell"
    assert any("Monitor" in one.matcher.split("|") for one in moai.SETUP.wrappers if one.calls == "pre-tool")


BAD = "*** Begin Patch\n*** Add File: .git/hooks/x\n+x\n*** End Patch\n"
# How agents tell their hooks of a call, and of a patch in particular.
CALLS: dict[str, dict[str, Any]] = {
    "codex": {"hook_event_name": "PreToolUse", "tool_name": "apply_patch", "tool_input": {"command": BAD}},
    "copilot": {"toolName": "apply_patch", "toolArgs": BAD},
    "copilot, Pascal": {"hook_event_name": "PreToolUse", "tool_name": "Edit", "tool_input": BAD},
    "copilot, a file": {"toolName": "create", "toolArgs": {"path": ".git/hooks/x", "file_text": "x"}},
    "a text of JSON": {"toolName": "create", "toolArgs": '{"path": ".git/hooks/x", "file_text": "x"}'},
    "another name": {"tool_name": "ApplyPatch", "tool_input": {"diff": BAD}},
}


@pytest.mark.parametrize("name", CALLS)
def test_a_patch_is_no_command_and_its_files_are_guarded_in_the_form_of_every_agent(act, name: str) -> None:
    harmless = json.loads(json.dumps(CALLS[name]).replace(".git/hooks/x", "notes.txt"))
    refused = act("tool.before", **CALLS[name])

    assert refused.decision == "deny"
    assert "git-folder" in refused.reason
    assert "unknown-program" not in refused.reason
    assert act("tool.before", **harmless).decision == "none"


@pytest.mark.parametrize("tool", ["Bash", "dispatch", "mcp__box__patch"])
def test_a_command_that_speaks_of_a_patch_is_a_command(act, tool: str) -> None:
    given = {"command": "rm -rf / # *** Begin Patch"}

    assert "delete-root" in act("tool.before", tool_name=tool, tool_input=given).reason


def test_a_question_is_put_in_the_callers_words(hook, tmp_path: Path) -> None:
    event = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "git reset --hard"}}

    answer = hook("pre-tool", {**event, "cwd": str(tmp_path)})

    assert answer.code == 0
    assert '"ask"' in answer.stdout
    assert "git-discard" in answer.stdout


def test_paths_count_from_the_folder_that_the_agent_is_in(act, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    given = {"tool_name": "Bash", "cwd": str(tmp_path / "src")}

    assert act("tool.before", **given, tool_input={"command": "rm -rf .."}).decision == "deny"
    assert act("tool.before", **given, tool_input={"command": "touch ../x"}).decision == "none"


@pytest.mark.req("CC-SEC-validate")
@pytest.mark.parametrize(
    "event",
    [
        b"[" * 100_000,
        b"not json",
        b'{"tool_name": "Bash", "tool_input": []}',
        b'{"tool_name": "Bash", "tool_input": "ls"}',
        b'{"tool_name": "Bash", "tool_input": {"command": 7}}',
        b'{"tool_name": 7, "tool_input": {"command": "ls"}}',
        b'{"tool_name": "Write", "tool_input": {"file_path": "a\\u0000b", "content": "x"}}',
        b'{"tool_name": "Bash", "tool_input": {"command": "ls"}, "cwd": "a\\u0000b"}',
    ],
)
def test_what_cannot_be_checked_is_not_let_through(hook, event: bytes) -> None:
    answer = hook("pre-tool", event)

    assert answer.code == 2
    assert "Traceback" not in answer.stderr
    assert answer.stderr.strip()


def test_a_rule_that_nobody_knows_is_a_refusal_that_names_the_nearest(hook, approve, tmp_path: Path) -> None:
    (tmp_path / "tenterhook.toml").write_text('[actions.rules]\nforce-psuh = "allow"\n')
    approve(tmp_path)

    answer = hook("pre-tool", {"tool_name": "Bash", "tool_input": {"command": "ls"}, "cwd": str(tmp_path)})

    assert answer.code == 2
    assert "did you mean 'force-push'" in answer.stderr


def test_settings_that_nobody_approved_are_told_to_the_user_and_not_beside_a_refusal(hook, tmp_path: Path) -> None:
    """The model reads what stands beside one, and it names the command that would loosen the guard."""
    (tmp_path / "tenterhook.toml").write_text('[actions.rules]\ndelete-root = "allow"\n')
    event = {"tool_name": "Bash", "cwd": str(tmp_path)}

    refused = hook("pre-tool", {**event, "tool_input": {"command": "rm -rf /"}})
    harmless = hook("pre-tool", {**event, "tool_input": {"command": "ls"}})

    assert (refused.code, harmless.code) == (2, 0)
    assert "trust" not in refused.stderr + refused.stdout
    assert "not approved, so it does not count: actions.rules; see tenter trust" in harmless.stderr
