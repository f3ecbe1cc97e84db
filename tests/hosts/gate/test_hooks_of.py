"""The hooks of one agent's own config, or one command of its, run unchanged when another agent calls."""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tenterhook.dialects import recorded

from .conftest import BEFORE, Agent, Reply, obeyed

# A command hook as its author wrote it for Claude Code, or for Gemini CLI: it reads one field of the tool's input.
HOOK = """\
import json, sys

event = json.load(sys.stdin)
given = event.get("tool_input", {{}})
with open({seen!r}, "a") as file:
    file.write(json.dumps(event) + "\\n")
text = str(given.get({field!r}, event.get("prompt", "")))
if "push --force" in text:
    print("no forced push", file=sys.stderr)
    sys.exit(2)
"""
MORE = """\
if "rm -rf" in text:
    said = {"permissionDecision": "deny", "permissionDecisionReason": "not that"}
elif "build" in text:
    said = {"permissionDecision": "allow", "updatedInput": {**given, "command": "make build"}}
elif "status" in text:
    said = {"additionalContext": "the tree is clean"}
else:
    sys.exit(0)
print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", **said}}))
"""
NO_KEY = "if 'KEY' in text:\n    print('no key', file=sys.stderr)\n    sys.exit(2)\n"
CALLERS = ("gemini", "codex", "qwen", "copilot", "cursor")


class Project:
    """A project whose only hooks are those of another agent's own config."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.seen = agent.folder / "seen.jsonl"
        agent.write("tenterhook.toml", "")

    def script(self, field: str = "command", more: str = MORE, name: str = "hook.py") -> str:
        """A hook's command."""
        path = self.agent.home / name
        path.write_text(HOOK.format(seen=str(self.seen), field=field) + more)
        return f"{shlex.quote(sys.executable)} {shlex.quote(str(path))}"

    def config(
        self, matcher: str, event: str = "PreToolUse", *, file: str = ".claude/settings.json", **more: Any
    ) -> None:
        """The user's own config with this one hook: it needs no approval."""
        entry = {"type": "command", "command": self.script(**more)}
        path = self.agent.home / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"hooks": {event: [{"matcher": matcher, "hooks": [entry]}]}}))

    def bash(self, command: str, name: str, *words: str) -> Reply:
        words = words or ("--hooks-of", "gemini" if name == "claude" else "claude")
        if name == "cursor":
            return self.cursor("Shell", {"command": command}, *words)
        return self.agent.bash(command, *words, agent=name)

    def cursor(self, tool: str, given: dict[str, Any], *words: str, **more: Any) -> Reply:
        """A call of a tool as Cursor's documents show it."""
        event = {
            "conversation_id": "c",
            "generation_id": "g",
            "model": "m",
            "hook_event_name": "preToolUse",
            "cursor_version": "2.0",
            "workspace_roots": [str(self.agent.folder)],
            "user_email": None,
            "transcript_path": None,
            "tool_name": tool,
            "tool_input": given,
            "tool_use_id": os.urandom(4).hex(),
            "cwd": str(self.agent.folder),
        }
        return self.agent.call(*words, agent="cursor", **event, **more)

    def call(self, name: str, tool: str, *words: str, event: str = "", **given: Any) -> Reply:
        """A recorded call of a tool, with another input."""
        event = event or BEFORE[name]
        known = recorded.of_event(name, event)[0]
        keys = ("toolName", "toolArgs") if "toolName" in known else ("tool_name", "tool_input")
        said = {**known, **dict(zip(keys, (tool, given), strict=True)), "cwd": str(self.agent.folder)}
        said |= {"tool_use_id": os.urandom(4).hex()} if "tool_use_id" in known else {}
        named = ("--event", event) if name == "copilot" else ()
        return self.agent.call(*named, *(words or ("--hooks-of", "claude")), agent=name, **said)

    def events(self) -> list[dict[str, Any]]:
        """What the hook was given."""
        return [json.loads(line) for line in self.seen.read_text().splitlines()] if self.seen.exists() else []


@pytest.fixture
def project(agent: Agent) -> Project:
    return Project(agent)


def before(name: str) -> str:
    return BEFORE.get(name, "preToolUse")


# ---- Claude's hooks in another agent


@pytest.mark.parametrize("name", CALLERS)
def test_a_hook_of_claude_refuses_by_its_exit_code_and_by_its_answer(project: Project, name: str) -> None:
    project.config("Bash")
    refused = [obeyed(name, before(name), project.bash(one, name)) for one in ("git push --force", "rm -rf /")]
    quiet = obeyed(name, before(name), project.bash("ls", name))

    assert [one.blocked for one in refused] == [True, True]
    assert "no forced push" in str(refused[0])
    assert "not that" in str(refused[1])
    assert (quiet.blocked, quiet.decision) == (False, "none")
    [first, *_] = project.events()
    assert (first["hook_event_name"], first["tool_name"]) == ("PreToolUse", "Bash")
    assert first["tool_input"]["command"] == "git push --force"
    assert first["session_id"]


@pytest.mark.parametrize("name", ["codex", "qwen", "copilot", "cursor", "gemini"])
def test_a_rewrite_of_claude_reaches_the_agent_or_is_a_refusal_that_says_it(project: Project, name: str) -> None:
    project.config("Bash")
    seen = obeyed(name, before(name), project.bash("build", name))

    if name == "qwen":  # a hook cannot change an input there
        assert seen.blocked
        assert '"command": "make build"' in seen.reason
    else:
        assert seen.changes["input"]["command"] == "make build"


@pytest.mark.parametrize(("name", "to"), [("codex", "model"), ("copilot", "model"), ("qwen", "user")])
def test_a_context_of_claude_reaches_the_model_or_else_the_user(project: Project, name: str, to: str) -> None:
    project.config("Bash")
    seen = obeyed(name, before(name), project.bash("status", name))

    assert "the tree is clean" in [one.text for one in seen.messages if one.to == to]


@pytest.mark.parametrize(
    ("name", "tool", "given"),
    [
        ("gemini", "write_file", {"file_path": "a/.env", "content": "KEY"}),
        ("copilot", "create", {"path": "a/.env", "file_text": "KEY"}),
        ("qwen", "write_file", {"file_path": "a/.env", "content": "KEY"}),
    ],
)
def test_a_file_is_named_as_claude_names_it(project: Project, name: str, tool: str, given: dict[str, Any]) -> None:
    project.config("Write|Edit", field="file_path", more="if text.endswith('.env'): sys.exit(2)\n")
    seen = obeyed(name, before(name), project.call(name, tool, **given))

    assert seen.blocked
    [event] = project.events()
    assert event["tool_name"] == "Write"
    assert event["tool_input"] == {"file_path": str(project.agent.folder / "a" / ".env"), "content": "KEY"}


def test_each_file_of_a_patch_is_an_edit_for_a_hook_of_claude(project: Project) -> None:
    project.config("Write|Edit", field="file_path", more="if text.endswith('.env'): sys.exit(2)\n")
    patch = (
        "*** Begin Patch\n*** Update File: a.txt\n@@\n-old\n+new\n*** Add File: .env\n+KEY=1\n+B=2\n"
        "*** Delete File: c.txt\n*** End Patch\n"
    )
    seen = obeyed("codex", "PreToolUse", project.call("codex", "apply_patch", command=patch))

    assert seen.blocked
    told = [(one["tool_name"], one["tool_input"]) for one in project.events()]
    folder = project.agent.folder
    assert told == [
        ("Edit", {"file_path": str(folder / "a.txt"), "old_string": "old", "new_string": "new"}),
        ("Write", {"file_path": str(folder / ".env"), "content": "KEY=1\nB=2"}),
        ("Edit", {"file_path": str(folder / "c.txt"), "old_string": "", "new_string": ""}),
    ]


def test_a_rewrite_of_one_file_of_a_patch_is_a_refusal(project: Project) -> None:
    more = "print(json.dumps({'hookSpecificOutput': {'hookEventName': 'PreToolUse', 'permissionDecision': 'allow',"
    more += " 'updatedInput': {**given, 'new_string': 'better'}}}))\n"
    project.config("Edit", field="file_path", more=more)
    patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-old\n+new\n*** End Patch\n"
    seen = obeyed("codex", "PreToolUse", project.call("codex", "apply_patch", command=patch))

    assert seen.blocked
    assert "better" in seen.reason


@pytest.mark.parametrize(
    ("name", "tool"), [("gemini", "mcp_box_put"), ("copilot", "box-put"), ("qwen", "mcp__box__put")]
)
def test_a_tool_of_a_server_has_the_name_that_claude_gives_it(project: Project, name: str, tool: str) -> None:
    project.config("mcp__box__.*", field="value", more="sys.exit(2)\n")

    assert obeyed(name, before(name), project.call(name, tool, value="v")).blocked
    [event] = project.events()
    assert event["tool_name"] == "mcp__box__put"
    assert event["tool_input"] == {"value": "v"}


def test_a_matcher_that_does_not_match_calls_nothing(project: Project) -> None:
    project.config("Write")

    assert not obeyed("gemini", "BeforeTool", project.bash("git push --force", "gemini")).blocked
    assert project.events() == []


@pytest.mark.parametrize(("name", "event"), [("gemini", "AfterAgent"), ("codex", "Stop"), ("copilot", "agentStop")])
def test_the_end_of_a_turn_is_held_back(project: Project, name: str, event: str) -> None:
    more = "if not event.get('stop_hook_active'):\n    print('tests first', file=sys.stderr)\n    sys.exit(2)\n"
    project.config("", "Stop", more=more)
    given = {**recorded.of_event(name, event)[0], "cwd": str(project.agent.folder), "stop_hook_active": False}
    named = ("--event", event) if name == "copilot" else ()
    first = project.agent.call("--hooks-of", "claude", *named, agent=name, **given)
    again = project.agent.call("--hooks-of", "claude", *named, agent=name, **{**given, "stop_hook_active": True})

    assert "tests first" in str(obeyed(name, event, first))
    assert "tests first" not in str(obeyed(name, event, again))
    assert project.events()[0]["hook_event_name"] == "Stop"


def test_the_output_of_a_tool_has_the_form_that_claude_gives_it(project: Project) -> None:
    project.config("Bash", "PostToolUse", more="")
    given = next(one for one in recorded.of_event("gemini", "AfterTool") if "command" in str(one.get("tool_input")))
    project.agent.call(
        "--hooks-of",
        "claude",
        agent="gemini",
        **{**given, "tool_response": {"llmContent": "a.txt", "returnDisplay": "a"}},
    )

    [event] = project.events()
    assert event["tool_response"]["stdout"] == "a.txt"


# ---- the other way round


def test_a_hook_of_gemini_refuses_in_claude(project: Project) -> None:
    project.config("run_shell_command", "BeforeTool", file=".gemini/settings.json", more="")
    seen = obeyed("claude", "PreToolUse", project.bash("git push --force", "claude"))

    assert seen.blocked
    assert "no forced push" in str(seen)
    [event] = project.events()
    assert (event["hook_event_name"], event["tool_name"]) == ("BeforeTool", "run_shell_command")


def test_fields_of_gemini_are_carried_back_to_claude(project: Project) -> None:
    more = (
        "print(json.dumps({'hookSpecificOutput': {'tool_input': {**given, 'dir_path': '/b', 'names_only': True}}}))\n"
    )
    project.config("glob", "BeforeTool", file=".gemini/settings.json", field="pattern", more=more)
    reply = project.call("claude", "Glob", "--hooks-of", "gemini", pattern="*.py", path="/a")
    [event] = project.events()

    assert event["tool_input"] == {"pattern": "*.py", "dir_path": "/a"}
    assert obeyed("claude", "PreToolUse", reply).changes["input"]["path"] == "/b"


def test_an_edit_is_a_patch_for_a_hook_of_codex(project: Project) -> None:
    project.config("apply_patch", file=".codex/hooks.json", more=NO_KEY)
    reply = project.call("claude", "Write", "--hooks-of", "codex", file_path="/p/.env", content="KEY=1")

    assert obeyed("claude", "PreToolUse", reply).blocked
    assert "*** Add File: /p/.env" in project.events()[0]["tool_input"]["command"]


# ---- with our own hooks


def test_our_hooks_and_theirs_are_one_answer_and_theirs_see_our_change(project: Project) -> None:
    project.config("Bash", more="if 'make build' in text: print('not now', file=sys.stderr); sys.exit(2)\n")
    project.agent.write("tenterhook.toml", '[[hook]]\nuse = "guard.py"\n')
    assert project.agent.tenter("trust", "--yes").code == 0
    built = obeyed("codex", "PreToolUse", project.bash("build", "codex"))
    pushed = obeyed("codex", "PreToolUse", project.bash("git push --force", "codex"))

    assert built.blocked
    assert "not now" in str(built)
    assert project.events()[0]["tool_input"]["command"] == "make build"
    assert "no forced push to main" in str(pushed)


def test_the_journal_has_both_events_and_who_called(project: Project) -> None:
    project.config("Bash")
    project.bash("git push --force", "gemini")
    [line] = [one for one in project.agent.journal() if one["dialect"] == "claude"]

    assert (line["event"], line["decision"]) == ("PreToolUse", "deny")


def test_a_call_that_comes_twice_runs_their_hooks_once(project: Project) -> None:
    project.config("Bash")
    both = [project.agent.bash("rm -rf /", "--hooks-of", "claude", agent="qwen", tool_use_id="same") for _ in "12"]

    assert [obeyed("qwen", "PreToolUse", one).blocked for one in both] == [True, True]
    assert len(project.events()) == 1


@pytest.mark.parametrize("scope", ["user", "project"])
def test_a_line_in_our_config_names_the_agents(project: Project, scope: str) -> None:
    project.config("Bash")
    text = '[gate]\nhooks_of = ["claude"]\n'
    if scope == "project":
        project.agent.write("tenterhook.toml", text)
    else:
        path = project.agent.home / ".config" / "tenterhook" / "tenterhook.toml"
        path.parent.mkdir(parents=True)
        path.write_text(text)
    reply = project.agent.bash("git push --force", agent="gemini")

    assert obeyed("gemini", "BeforeTool", reply).blocked


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[gate]\nhooks_of = "claude"\n', "tenterhook.toml:2: gate.hooks_of must be a list of texts"),
        ('[gate]\nhooks_of = ["cluade"]\n', "gate.hooks_of: no dialect 'cluade'"),
        ("[gate]\nhook_of = []\n", "tenterhook.toml:2: unknown key 'gate.hook_of'"),
    ],
)
def test_a_mistake_in_the_projects_line_is_told_once(project: Project, text: str, said: str) -> None:
    project.agent.write("tenterhook.toml", text)
    first, second = (project.agent.bash("ls", agent="claude") for _ in "12")

    assert said in first.answer["systemMessage"]
    assert "gate." not in second.out


def test_a_mistake_in_the_users_line_refuses(project: Project) -> None:
    path = project.agent.home / ".config" / "tenterhook" / "tenterhook.toml"
    path.parent.mkdir(parents=True)
    path.write_text('[gate]\nhooks_of = ["cluade"]\n')
    seen = obeyed("claude", "PreToolUse", project.agent.bash("ls"))

    assert seen.blocked
    assert "cluade" in str(seen)


# ---- what does not run


def test_hooks_of_a_project_that_are_not_approved_are_set_aside(project: Project) -> None:
    project.config("Bash")
    (project.agent.home / ".claude" / "settings.json").rename(project.agent.write(".claude/settings.json", ""))
    first, second = (project.bash("git push --force", "codex") for _ in "12")
    assert project.agent.tenter("trust", "--dialect", "claude", "--yes").code == 0
    approved = project.bash("git push --force", "codex")

    assert not obeyed("codex", "PreToolUse", first).blocked
    assert "tenter trust --dialect claude" in first.out
    assert "tenter trust" not in second.out
    assert obeyed("codex", "PreToolUse", approved).blocked


def test_an_agent_runs_its_own_hooks_and_the_files_that_it_reads_itself(project: Project) -> None:
    project.config("Bash")
    own = project.bash("git push --force", "claude", "--hooks-of", "claude")
    project.agent.write(".claude/settings.json", (project.agent.home / ".claude" / "settings.json").read_text())
    assert project.agent.tenter("trust", "--dialect", "claude", "--yes").code == 0
    project.bash("git push --force", "copilot")

    assert not obeyed("claude", "PreToolUse", own).blocked
    assert len(project.events()) == 1  # the user's file; Copilot reads the project's itself


def test_a_call_of_ours_in_their_config_does_not_run_again(project: Project) -> None:
    path = project.agent.home / ".claude" / "settings.json"
    path.parent.mkdir()
    entries = [
        {"type": "command", "command": f"{sys.executable} -c 'open(1)' # tenter run --agent claude"},
        {"type": "command", "command": "tenter run guard.py --agent claude"},
        {"type": "command", "command": "'/a b/tenter-client' run guard.py --agent claude"},
    ]
    path.write_text(json.dumps({"hooks": {"PreToolUse": [{"hooks": entries}]}}, indent=1))
    reply = project.bash("git push --force", "codex")

    assert not obeyed("codex", "PreToolUse", reply).blocked
    assert reply.out.count("is a call of tenter run") == 2


def test_an_event_that_they_do_not_have_is_said_once(project: Project) -> None:
    project.config("Bash")
    given = {**recorded.of_event("gemini", "BeforeModel")[0], "cwd": str(project.agent.folder)}
    first, second = (project.agent.call("--hooks-of", "claude", agent="gemini", **given) for _ in "12")

    assert "Claude Code has no event model.before" in first.out
    assert "no event" not in second.out


def test_a_broken_config_of_theirs_refuses(project: Project) -> None:
    path = project.agent.home / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text("{")
    seen = obeyed("codex", "PreToolUse", project.bash("ls", "codex"))

    assert seen.blocked
    assert "settings.json" in str(seen)


def test_a_payload_that_cannot_be_read_is_refused_where_their_hooks_guard(project: Project) -> None:
    words = ("run", "--agent", "codex", "--hooks-of", "claude")
    without = project.agent.tenter(*words, given="{}")
    project.config("Bash")

    assert without.code == 1
    assert project.agent.tenter(*words, given="{}").code == 2


# ---- a single command


@pytest.mark.parametrize("name", CALLERS)
def test_a_single_command_of_claude_refuses_elsewhere(project: Project, name: str) -> None:
    reply = project.bash("git push --force", name, "--as", "claude", "--", project.script())

    assert obeyed(name, before(name), reply).blocked
    assert project.events()[0]["tool_name"] == "Bash"


def test_a_single_command_in_several_words_needs_no_shell(project: Project) -> None:
    words = ("--as", "gemini", "--", *shlex.split(project.script(more="")), "$(not a shell)")
    refused = project.bash("git push --force", "claude", *words)
    quiet = project.bash("ls", "claude", *words)

    assert obeyed("claude", "PreToolUse", refused).blocked
    assert quiet.out in ("", "{}\n")


def test_a_single_command_runs_without_our_own_hooks(project: Project) -> None:
    project.agent.write("tenterhook.toml", '[[hook]]\nuse = "guard.py"\n')
    project.agent.tenter("trust", "--yes")
    reply = project.bash("git push --force", "codex", "--as", "claude", "--", "true")

    assert not obeyed("codex", "PreToolUse", reply).blocked


@pytest.mark.parametrize(
    "words",
    [
        ("--as", "claude", "--", "/not/there.sh"),
        ("--as", "claude", "--", "/not/there.sh", "-v"),
        ("--as", "claude", "--", "kill -9 $$"),
        ("--as", "claude"),
        ("--as", "cluade", "--", "true"),
        ("--as", "claude", "--nonsense", "--", "true"),
        ("--as", "claude", "guard.py", "--", "true"),
        ("--hooks-of", "cluade"),
        ("--", "true"),
    ],
)
def test_a_command_that_cannot_be_run_refuses(project: Project, words: tuple[str, ...]) -> None:
    assert obeyed("codex", "PreToolUse", project.bash("ls", "codex", *words)).blocked


def test_a_refusal_after_a_tool_is_told_once(project: Project) -> None:
    given = {**recorded.of_event("copilot", "postToolUse")[0], "cwd": str(project.agent.folder)}
    words = ("--event", "postToolUse", "--as", "claude", "--", "echo wrong >&2; exit 2")
    reply = project.agent.call(*words, agent="copilot", **given)

    assert reply.out.count("wrong") == 1


def test_what_a_failure_of_a_command_means_is_its_agents_word(project: Project) -> None:
    reply = project.bash("ls", "codex", "--as", "claude", "--", "exit 1")

    assert not obeyed("codex", "PreToolUse", reply).blocked


def test_a_command_for_an_event_that_its_agent_does_not_have_refuses_where_it_guards(project: Project) -> None:
    given = {**recorded.of_event("claude", "PermissionRequest")[0], "cwd": str(project.agent.folder)}
    reply = project.agent.call("--as", "gemini", "--", "true", **given)

    assert obeyed("claude", "PermissionRequest", reply).blocked


# ---- served


@pytest.fixture
def served(project: Project, tmp_path: Path) -> Iterator[Project]:
    """A server answers all calls."""
    if sys.platform != "linux":
        pytest.skip("tenter serve needs Linux")
    (tmp_path / "run").mkdir(mode=0o700)
    project.agent.env = {"XDG_RUNTIME_DIR": str(tmp_path / "run"), "TENTERHOOK_SERVE": ""}
    words = [sys.executable, "-m", "tenterhook", "serve"]
    server = subprocess.Popen(words, stderr=subprocess.PIPE, env=project.agent.environ(), cwd="/")
    assert server.stderr
    assert b"listening in" in server.stderr.readline()
    yield project
    server.terminate()
    server.communicate(timeout=60)


def test_the_server_answers_with_the_hooks_of_another_agent_and_with_one_command(served: Project) -> None:
    served.config("Bash")
    first, second = (obeyed("gemini", "BeforeTool", served.bash("rm -rf /", "gemini")) for _ in "12")
    single = served.bash("rm -rf /", "codex", "--as", "claude", "--", served.script())

    assert first.blocked
    assert second.blocked
    assert obeyed("codex", "PreToolUse", single).blocked
    assert len(served.events()) == 3
    assert len({one["pid"] for one in served.agent.journal() if one["dialect"] == "claude"}) == 1  # a worker


def test_a_hook_of_ours_that_is_late_in_the_server_loses_no_refusal_of_theirs(served: Project) -> None:
    served.config("Bash")
    folder = served.agent.home / ".config" / "tenterhook"
    folder.mkdir(parents=True)
    (folder / "slow.py").write_text("import time\n\ndef wait(event):\n    time.sleep(1.5)\n")
    (folder / "tenterhook.toml").write_text(
        '[[hook]]\non = "tool.before"\nfunction = "slow.py:wait"\ntimeout = 0.3\non_failure = "allow"\n'
    )
    reply = served.bash("git push --force", "gemini")

    assert obeyed("gemini", "BeforeTool", reply).blocked
    assert "no forced push" in reply.out
    assert len(served.events()) == 1
