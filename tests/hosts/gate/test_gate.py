"""An agent calls `tenter run --agent NAME`: the whole engine answers, from the config that all agents share."""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tenterhook import Engine, Outcome
from tenterhook.dialects import recorded
from tenterhook.hosts.gate.answer import answer_call

from .conftest import BEFORE, Agent, Reply, obeyed


@pytest.mark.parametrize("name", BEFORE)
def test_a_hook_of_the_project_refuses_in_every_agent(approved: Agent, name: str) -> None:
    seen = obeyed(name, BEFORE[name], approved.bash("git push --force", agent=name))

    assert seen.blocked
    assert "no forced push to main" in str(seen)


@pytest.mark.parametrize("name", BEFORE)
def test_what_no_hook_is_against_goes_on(approved: Agent, name: str) -> None:
    seen = obeyed(name, BEFORE[name], approved.bash("ls", agent=name))

    assert (seen.blocked, seen.decision, seen.warnings) == (False, "none", ())


@pytest.mark.parametrize("name", ["claude", "codex", "copilot"])
def test_a_rewrite_reaches_the_agent_under_its_own_names(approved: Agent, name: str) -> None:
    seen = obeyed(name, BEFORE[name], approved.bash("build", agent=name))

    assert seen.changes["input"]["command"] == "make build"


def test_a_context_reaches_the_model(approved: Agent) -> None:
    reply = approved.bash("status")

    assert reply.answer["hookSpecificOutput"]["additionalContext"] == "the tree is clean"


def test_the_end_of_a_turn_is_held_back(approved: Agent) -> None:
    stop = {"session_id": "s", "transcript_path": "/t", "cwd": str(approved.folder), "hook_event_name": "Stop"}
    first = approved.call(**stop, stop_hook_active=False)
    again = approved.call(**stop, stop_hook_active=True)

    assert obeyed("claude", "Stop", first).blocked
    assert not obeyed("claude", "Stop", again).blocked


def test_every_call_is_in_the_journal_with_its_decision(approved: Agent) -> None:
    approved.bash("git push --force")
    approved.bash("ls", agent="gemini")
    [first, second] = approved.journal()

    assert (first["decision"], first["event"], first["agent"]) == ("deny", "tool.before", "claude")
    assert (first["obeys"], first["target"], first["what"]) == ("enforced", "Bash", "git push --force")
    assert "no forced push" in json.dumps(first)
    assert (second["decision"], second["agent"]) == ("none", "gemini")


def test_hooks_that_are_not_approved_are_set_aside_and_the_user_is_told_once_a_session(agent: Agent) -> None:
    first, second = agent.bash("git push --force"), agent.bash("git push --force")
    other = agent.bash("git push --force", session_id="another")

    assert not obeyed("claude", "PreToolUse", first).blocked
    assert "tenter trust" in first.answer["systemMessage"]
    assert "no-force-push" in first.answer["systemMessage"]
    assert second.out in ("", "{}\n")
    assert "tenter trust" in other.out


def test_a_changed_hook_fails_and_is_not_silently_gone(approved: Agent) -> None:
    approved.write(
        "guard.py", "from tenterhook import hook\n\n@hook('tool.before')\ndef no_force_push(event):\n    pass\n"
    )
    seen = obeyed("claude", "PreToolUse", approved.bash("git push --force"))

    assert seen.blocked or seen.decision == "ask"
    assert "modified since it was approved" in str(seen)


def test_a_hook_cannot_read_the_users_keys(agent: Agent) -> None:
    (agent.home / ".ssh").mkdir()
    (agent.home / ".ssh" / "id_rsa").write_text("PRIVATE KEY")
    text = (
        "import os\nfrom tenterhook import hook\n\n@hook('tool.before', on_failure='allow')\ndef reads(event):\n"
        "    return hook.context(open(os.path.expanduser('~/.ssh/id_rsa')).read())\n"
    )
    agent.write("guard.py", text)
    agent.tenter("trust", "--yes")
    reply = agent.bash("ls")

    assert "PRIVATE KEY" not in reply.out
    assert "hook reads failed" in reply.out


def test_a_ready_hook_is_used_with_its_options(agent: Agent) -> None:
    agent.write("tenterhook.toml", '[[hook]]\nuse = "library:git-rules"\noptions = { branches = ["release/*"] }\n')
    agent.tenter("trust", "--yes")

    assert obeyed("claude", "PreToolUse", agent.bash("git push origin release/1")).blocked
    assert not obeyed("claude", "PreToolUse", agent.bash("git push origin topic")).blocked


def test_the_users_and_the_projects_hooks_run_in_one_flow(approved: Agent) -> None:
    folder = approved.home / ".config" / "tenterhook"
    folder.mkdir(parents=True)
    (folder / "mine.py").write_text(
        "from tenterhook import hook\n\n@hook('tool.before')\ndef mine(e):\n    return hook.context('from the user')\n"
    )
    (folder / "tenterhook.toml").write_text('[[hook]]\nuse = "mine.py"\n')
    reply = approved.bash("status")

    assert "the tree is clean" in reply.out
    assert "from the user" in reply.out


# ---- named files


def test_a_named_file_runs_beside_the_config_once_it_is_approved(approved: Agent) -> None:
    approved.write(
        "more.py", "from tenterhook import hook\n\n@hook('tool.before')\ndef more(e):\n    return hook.deny('more')\n"
    )
    approved.write(
        ".claude/settings.json",
        json.dumps(
            {
                "hooks": {
                    "PreToolUse": [{"hooks": [{"type": "command", "command": "tenter run more.py --agent claude"}]}]
                }
            }
        ),
    )
    before = approved.bash("ls", "more.py")
    assert approved.tenter("trust", "--yes").code == 0
    after = approved.bash("ls", "more.py")

    assert not obeyed("claude", "PreToolUse", before).blocked
    assert "tenter trust" in before.out
    assert obeyed("claude", "PreToolUse", after).blocked


def test_a_named_file_of_the_users_own_needs_no_approval(agent: Agent, tmp_path: Path) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text(
        "from tenterhook import hook\n\n@hook('tool.before')\ndef m(e, why='no'):\n    return hook.deny(why)\n"
    )
    reply = agent.bash("ls", str(mine), "--set", "why=because")

    assert "because" in str(obeyed("claude", "PreToolUse", reply))


@pytest.mark.parametrize("words", [("missing.py",), ("--nonsense",), ("guard.py", "--set", "nothing=1")])
def test_a_mistake_in_the_command_line_refuses(agent: Agent, words: tuple[str, ...]) -> None:
    agent.tenter("trust", "--yes")
    agent.write(".claude/settings.json", "{}")

    seen = obeyed("claude", "PreToolUse", agent.bash("ls", *words))
    assert seen.blocked or seen.decision == "ask" or "tenter trust" in str(seen)


def test_a_named_file_with_a_hook_for_an_event_that_does_not_exist_is_refused(agent: Agent) -> None:
    agent.write("typo.py", "from tenterhook import hook\n\n@hook('tool.befor')\ndef guard(event):\n    pass\n")
    seen = obeyed("claude", "PreToolUse", agent.bash("ls", "typo.py"))

    assert seen.blocked
    assert "there is no event 'tool.befor' (did you mean 'tool.before'?)" in str(seen)


# ---- what cannot be read


UNREADABLE = [
    "",
    "nonsense",
    "[]",
    "{}",
    '{"some": "thing"}',
    '{"hook_event_name": "PreToolUse", "session_id": "1", "cwd": "/"}',
    '{"hook_event_name": "PreToolUse", "session_id": "1", "tool_name": 3, "tool_input": {}}',
    '{"hookEventName": "pre_tool_use", "sessionId": "1", "cwd": "/", "toolName": "run_terminal_cmd", '
    '"toolInput": {"command": "git push --force"}, "toolUseId": "1", "timestamp": "1"}',
]


@pytest.mark.parametrize("given", UNREADABLE)
def test_a_payload_without_the_promised_fields_is_refused_where_a_hook_guards(approved: Agent, given: str) -> None:
    reply = approved.tenter("run", "--agent", "claude", given=given)

    assert reply.code == 2
    assert "cannot be checked" in reply.err
    [entry] = approved.journal()
    assert entry["decision"] == "deny"
    assert "cannot be checked" in json.dumps(entry)


def test_a_payload_that_cannot_be_read_refuses_nothing_where_no_hook_guards(agent: Agent) -> None:
    agent.write("tenterhook.toml", "")

    assert agent.tenter("run", "--agent", "claude", given="{}").code == 1


def test_a_broken_config_of_the_users_refuses(approved: Agent) -> None:
    folder = approved.home / ".config" / "tenterhook"
    folder.mkdir(parents=True)
    (folder / "tenterhook.toml").write_text("[[hook\n")
    seen = obeyed("claude", "PreToolUse", approved.bash("ls"))

    assert seen.blocked
    assert "tenterhook.toml" in str(seen)


def test_another_agent_that_reads_the_same_file_is_answered_in_its_own_form(approved: Agent) -> None:
    given = {
        "conversation_id": "c",
        "generation_id": "g",
        "hook_event_name": "preToolUse",
        "cursor_version": "2.0",
        "workspace_roots": [str(approved.folder)],
        "tool_name": "Shell",
        "tool_input": {"command": "git push --force"},
        "tool_use_id": "1",
        "cwd": str(approved.folder),
    }
    approved.env["CURSOR_PROJECT_DIR"] = str(approved.folder)
    approved.env["CURSOR_VERSION"] = "2.0"
    reply = approved.call(agent="claude", **given)

    assert obeyed("cursor", "preToolUse", reply).blocked


@pytest.mark.parametrize("words", [("claude",), ("copilot", "--event", "preToolUse")], ids=lambda words: words[0])
def test_an_editor_that_reads_the_file_of_an_agent_is_told_in_the_form_that_both_obey(
    approved: Agent, words: tuple[str, ...]
) -> None:
    """VS Code, as its documents show an event; it obeys a decision in hookSpecificOutput."""
    given = {
        "timestamp": "2026-02-09T10:30:00.000Z",
        "cwd": str(approved.folder),
        "sessionId": "one",
        "hookEventName": "PreToolUse",
        "transcript_path": "/t.json",
        "tool_name": "run_in_terminal",
        "tool_input": {"command": "git push --force", "isBackground": False},
        "tool_use_id": "1",
    }
    reply = approved.call(*words[1:], agent=words[0], **given)

    assert reply.answer["hookSpecificOutput"]["permissionDecision"] == "deny"
    [entry] = approved.journal()
    assert entry["session"] == "one"


# ---- once


def test_calls_that_come_at_the_same_moment_run_once_and_are_all_refused(approved: Agent) -> None:
    approved.write(
        "guard.py",
        "import time\n\nfrom tenterhook import hook\n\n\n"
        '@hook("tool.before")\ndef slow(event):\n    time.sleep(0.5)\n    return hook.deny("once")\n',
    )
    approved.tenter("trust", "--yes")
    with ThreadPoolExecutor(3) as pool:
        calls = [pool.submit(approved.bash, "ls", tool_use_id="same") for _ in range(3)]
    replies = [one.result() for one in calls]

    assert all(obeyed("claude", "PreToolUse", reply).blocked for reply in replies)
    assert len(approved.journal()) == 1


def test_a_call_that_comes_twice_runs_once_and_is_refused_twice(approved: Agent) -> None:
    both = [approved.bash("git push --force", tool_use_id="same") for _ in range(2)]
    again = [approved.bash("status", tool_use_id="other") for _ in range(2)]

    assert [obeyed("claude", "PreToolUse", one).blocked for one in both] == [True, True]
    assert "the tree is clean" in again[0].out
    assert "the tree is clean" not in again[1].out
    assert len(approved.journal()) == 2


def test_the_switch_for_all_hooks_leaves_a_word(approved: Agent) -> None:
    approved.env["TENTERHOOK_OFF"] = "1"
    reply = approved.bash("git push --force")

    assert not obeyed("claude", "PreToolUse", reply).blocked
    assert "TENTERHOOK_OFF" in reply.out


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can write a file that counts as the system's")
def test_the_systems_hooks_hold_against_the_users_switch(approved: Agent, tmp_path: Path) -> None:
    (tmp_path / "etc").mkdir()
    system = tmp_path / "etc" / "tenterhook.toml"
    system.write_text('[[hook]]\non = "tool.before"\nname = "policy"\ncommand = "echo by policy >&2; exit 2"\n')
    environ = {**approved.environ(), "TENTERHOOK_OFF": "1"}
    given = {**recorded.of_event("claude", "PreToolUse")[0], "cwd": str(approved.folder)}

    def engine_for(options: dict[str, Any]) -> Engine:
        return Engine(**options, system=str(system), home=str(approved.home), environ=environ)

    def fire(engine: Engine, kind: str, data: dict[str, Any], finish: object) -> Outcome:
        return engine.fire(kind, **data)

    said = answer_call(["--agent", "claude"], json.dumps(given).encode(), environ, engine_for, fire)
    seen = obeyed("claude", "PreToolUse", Reply(said.code, said.out, said.err))

    assert seen.blocked
    assert "by policy" in str(seen)


MISTAKES = {
    "use = 3": "tenterhook.toml:2:1: use must be text, not 3",
    'use = "guard.py"\ncommand = "true"': "use stands beside command",
    'use = "guard.py"\non = "tool.befor"': "the hooks of guard.py are for tool.before",
    'use = "guard.py"\noptions = { brunch = "x" }': "no hook of this file has an option 'brunch'",
    'use = "guard.py"\noptions = 3': "options must be a table",
    'use = "gaurd.py"': "gaurd.py: No such file",
    'command = "true"': "a hook needs 'on'",
}


@pytest.mark.parametrize("entry", [pytest.param(entry, id=said) for entry, said in MISTAKES.items()])
def test_an_entry_of_the_user_that_cannot_run_refuses_and_says_where(agent: Agent, entry: str) -> None:
    folder = agent.home / ".config" / "tenterhook"
    folder.mkdir(parents=True)
    (folder / "guard.py").write_text(agent.folder.joinpath("guard.py").read_text())
    (folder / "tenterhook.toml").write_text(f"[[hook]]\n{entry}\n")
    agent.write("tenterhook.toml", "")
    seen = obeyed("claude", "PreToolUse", agent.bash("ls"))

    assert seen.blocked
    assert MISTAKES[entry] in seen.reason


def test_a_key_that_is_ignored_is_told_once_a_session(approved: Agent) -> None:
    approved.write("tenterhook.toml", '[[hook]]\nuse = "guard.py"\nsandbx = true\n')
    replies = [approved.bash("ls") for _ in range(2)]

    assert "unknown key 'sandbx'" in replies[0].out
    assert "sandbx" not in replies[1].out
