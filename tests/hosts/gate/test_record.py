"""The journal has every call of an agent: the ones that no hook is for, and refusals that no hook made."""

import json
from typing import Any

import pytest

from .conftest import BEFORE, Agent, obeyed

START = {"hook_event_name": "SessionStart", "session_id": "s", "transcript_path": "/t", "source": "startup"}


def test_a_call_that_no_hook_is_for_has_a_line_of_its_own(approved: Agent) -> None:
    read = {**START, "hook_event_name": "PreToolUse", "tool_name": "Read", "tool_input": {"file_path": "/a/b.py"}}
    approved.call(**START, cwd=str(approved.folder), model="m")
    approved.call(**read, cwd=str(approved.folder), tool_use_id="1")
    approved.call(**read, cwd=str(approved.folder), tool_use_id="2")
    approved.env["TENTERHOOK_OFF"] = "1"
    approved.bash("git push --force")

    start, *reads, off = approved.journal()
    assert (start["kind"], start["target"], start["session"]) == ("session.start", "startup", "s")
    assert [(one["agent"], one["target"], one["what"], one["decision"]) for one in reads] == [
        ("claude", "Read", "/a/b.py", "none")
    ] * 2
    assert (off["what"], {one["why"] for one in off["skipped"]}) == ("git push --force", {"disabled"})
    assert len({one["id"] for one in (start, *reads, off)}) == 4
    assert start["time"] <= reads[0]["time"] < reads[1]["time"]


BROKEN = "[[hook\n"


@pytest.mark.parametrize(
    ("config", "event", "reason"),
    [
        (BROKEN, None, "tenterhook.toml:1:7: "),
        (BROKEN, {}, "the hooks cannot be read"),
        ("", {}, "none of the fields that Claude Code gives"),
    ],
    ids=["a broken config", "both", "an event that cannot be read"],
)
def test_a_refusal_that_no_hook_made_is_kept(
    approved: Agent, config: str, event: dict[str, Any] | None, reason: str
) -> None:
    approved.write("tenterhook.toml", config or '[[hook]]\nuse = "guard.py"\n')
    reply = approved.bash("ls") if event is None else approved.call(**event)

    assert obeyed("claude", "PreToolUse", reply).blocked
    [line] = approved.journal()
    assert (line["decision"], line["success"], line["by"]) == ("deny", False, ["tenterhook"])
    assert (line["agent"], line["obeys"], line["what"]) == ("claude", "enforced", "" if event == {} else "ls")
    assert reason in line["reason"]


def test_a_notice_that_is_no_refusal_is_kept_too(approved: Agent) -> None:
    approved.write("tenterhook.toml", BROKEN)
    approved.call(**START, cwd=str(approved.folder), model="m")

    [line] = approved.journal()
    assert (line["kind"], line["decision"], line["success"]) == ("session.start", "none", False)
    assert "tenterhook.toml:1:7" in line["reason"]


@pytest.mark.parametrize(
    ("name", "obeys"), [("claude", "enforced"), ("codex", "enforced"), ("gemini", "enforced"), ("qwen", "refused")]
)
def test_what_the_agent_does_with_a_rewrite_is_kept(approved: Agent, name: str, obeys: str) -> None:
    approved.bash("build", agent=name)

    [line] = approved.journal()
    assert (line["decision"], line["changes"], line["obeys"]) == (
        "none",
        {"no-force-push": ["input.command"]},
        obeys,
    )


@pytest.mark.parametrize(
    ("name", "variable", "value", "version"),
    [
        ("claude", "AI_AGENT", "claude-code_2-1-325_harness", "2.1.325"),
        ("claude", "AI_AGENT", "another_1-2", None),
        ("qwen", "QWEN_CODE_STARTUP_VERSION", "0.24.4", "0.24.4"),
        ("copilot", "COPILOT_CLI_BINARY_VERSION", "1.0.102", "1.0.102"),
        ("codex", "AI_AGENT", "claude-code_2-1-325_harness", None),
    ],
)
def test_the_agents_version_is_what_it_tells_its_hooks(
    approved: Agent, name: str, variable: str, value: str, version: str | None
) -> None:
    approved.env[variable] = value
    approved.bash("git push --force", agent=name)

    [line] = approved.journal()
    assert (line["agent"], line.get("version")) == (name, version)


def test_a_change_that_the_agent_cannot_carry_out_is_kept_as_the_refusal_that_it_is(approved: Agent) -> None:
    answer = {"updatedInput": {"command": "ls", "sandbox": True}, "permissionDecision": "allow"}
    said = json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", **answer}})
    approved.write("say.json", said)
    reply = approved.bash("build", "--as", "claude", "--", "cat say.json", agent="codex")

    assert obeyed("codex", BEFORE["codex"], reply).blocked
    by_hook, refusal = approved.journal()
    assert by_hook["by"] == ["cat say.json"]
    assert (refusal["decision"], refusal["by"]) == ("deny", ["tenterhook"])
    assert "sandbox" in refusal["reason"]


def test_a_remark_about_the_call_is_left_out_where_the_agents_tool_has_none(approved: Agent) -> None:
    answer = {"updatedInput": {"command": "ls", "description": "lists"}, "permissionDecision": "allow"}
    said = json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", **answer}})
    approved.write("say.json", said)
    reply = approved.bash("build", "--as", "claude", "--", "cat say.json", agent="codex")

    assert obeyed("codex", BEFORE["codex"], reply).changes["input"] == {"command": "ls"}
