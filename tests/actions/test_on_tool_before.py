"""Before a tool: the guard, as agents call it."""

from pathlib import Path

import pytest

from tenterhook.author import tools
from tenterhook.dialects import moai


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
    assert tools.kind("Monitor") == "shell"
    assert any("Monitor" in one.matcher.split("|") for one in moai.SETUP.wrappers if one.calls == "pre-tool")


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
