"""`tenter check` without options: every agent with hook files here, and what only shows when several are looked at."""

import json
import stat

import pytest

from tenterhook.cli.main import main

GUARD = "#!/bin/sh\nexit 0\n"


def claude(command="true", matcher="Bash", event="PreToolUse", **more):
    group = {"matcher": matcher, "hooks": [{"type": "command", "command": command, **more}]}
    return json.dumps({"hooks": {event: [group]}}, indent=1)


def copilot(command):
    return json.dumps({"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": command}]}})


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Programs that are in PATH, alone."""
    folder = tmp_path.parent / f"{tmp_path.name}-programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")

    def make(name):
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)

    return make


def test_an_agent_that_only_reads_anothers_file_counts_if_it_is_in_use(write, check, program):
    write(".claude/settings.json", claude(matcher="bash"))
    alone = check()[1]
    program("copilot")
    both = check()[1]

    assert alone[-1].startswith("1 hook in 1 file: 0 errors, 1 warning")
    assert both[0] == ".claude/settings.json  1 hook, read by GitHub Copilot CLI and Claude Code"
    assert [line for line in both if "TH202" in line or "fits no tool" in line] == [f"  {alone[0]}"]


def test_agents_in_use_come_first_and_files_of_the_user_are_looked_at(write, check, home):
    write(".claude/settings.json", claude("./gone.sh"))
    (home / ".qwen").mkdir()
    (home / ".qwen/settings.json").write_text(claude("./gone.sh", "run_shell_command"))

    lines = check()[1]

    assert [line.partition("  ")[0] for line in lines if "read by" in line] == [
        "~/.qwen/settings.json",
        ".claude/settings.json",
    ]
    assert lines[-1] == "2 hooks in 2 files: 2 errors, 0 warnings"


def test_a_finding_of_a_file_that_two_agents_read_names_both(write, tmp_path, capsys):
    write(".claude/settings.json", claude("./gone.sh"))
    assert main(["check", "--project", str(tmp_path), "--agent", "claude,copilot"]) == 2
    (line,) = [line for line in capsys.readouterr().out.splitlines() if "gone.sh" in line]

    assert line.endswith("so the hook cannot run [TH301 Claude Code, GitHub Copilot CLI]")


def test_a_hook_that_an_agent_reads_in_two_files_runs_twice(write, check):
    write("guard.sh", GUARD, mode=0o755)
    write(".claude/settings.json", claude("./guard.sh"))
    write(".github/hooks/guard.json", copilot("./guard.sh"))
    (line,) = [line for line in check("--agent", "claude,copilot")[1] if "twice" in line]

    assert "GitHub Copilot CLI runs this twice for the same tool.before: it is in " in line
    assert not [line for line in check("--agent", "claude")[1] if "twice" in line]


@pytest.mark.parametrize(
    ("first", "second", "twice"),
    [
        (("./guard.sh", "Bash"), ("./guard.sh", "Edit"), False),
        (("./guard.sh", "Bash"), ("./guard.sh", "Bash|Edit"), False),  # Claude Code runs the same text once
        (("./guard.sh", "Bash"), ("sh guard.sh", "Bash|Edit"), False),  # another program, with the script for it
        (("./guard.sh", "Bash"), ('"$CLAUDE_PROJECT_DIR"/guard.sh', "Bash|Edit"), True),
        (("./guard.sh a", "Bash"), ('"$CLAUDE_PROJECT_DIR"/guard.sh b', "Bash"), False),
    ],
)
def test_two_entries_run_the_same_only_for_the_same_tools_with_the_same_words(write, check, first, second, twice):
    write("guard.sh", GUARD, mode=0o755)
    groups = [{"matcher": m, "hooks": [{"type": "command", "command": c}]} for c, m in (first, second)]
    write(".claude/settings.json", json.dumps({"hooks": {"PreToolUse": groups}}))

    assert any("twice" in line for line in check("--agent", "claude")[1]) == twice


def test_what_an_older_version_reads_in_another_way_is_a_note(write, check):
    write(".claude/settings.json", claude(matcher="Edit,Write"))
    code, lines = check("--strict")

    assert code == 0
    assert ": note: in Claude Code 2.1.190: the matcher 'Edit,Write' has commas" in lines[0]
    assert lines[-1] == "1 hook in 1 file: 0 errors, 0 warnings, 1 note"
    assert check("--dialect", "claude@2.1.190", "--strict")[0] == 2


def test_strict_does_not_count_what_only_this_machine_lacks(write, check):
    write(".claude/settings.json", claude("surely-not-installed"))
    assert check("--strict")[0] == 0
    assert check()[1][0].startswith(".claude/settings.json:9:7: warning: surely-not-installed is not found in PATH")

    write(".claude/settings.json", claude(matcher="bash"))
    assert check("--strict")[0] == 2


def test_a_named_file_is_read_as_the_agent_reads_it_whose_file_it_is(write, check, tmp_path):
    write("sub/.codex/hooks.json", claude(matcher="bash"))
    write("mine.json", json.dumps({"version": 1, "hooks": {"beforeShellExecution": [{"command": "./gone.sh"}]}}))

    assert "no tool of Codex CLI" in check("--config", str(tmp_path / "sub/.codex/hooks.json"))[1][0]
    assert check("--config", str(tmp_path / "mine.json"))[1][-1].startswith("1 hook in 1 file: 1 error")


def test_the_hooks_of_a_plugin_under_development_are_pointed_out_and_checked(write, tmp_path, capsys):
    write("hooks/hooks.json", claude('"${CLAUDE_PLUGIN_ROOT}"/scripts/gone.sh'))
    assert main(["check", "--project", str(tmp_path)]) == 1
    assert capsys.readouterr().err == "tenter: found hooks/hooks.json, as of a plugin: --config hooks/hooks.json\n"

    assert main(["check", "--project", str(tmp_path), "--config", str(tmp_path / "hooks/hooks.json")]) == 2
    assert "scripts/gone.sh does not exist" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("agent", "file", "event", "said"),
    [
        ("codex", ".codex/hooks.json", "preToolUse", "did you mean 'PreToolUse'?"),
        ("codex", ".codex/hooks.json", "AfterTool", "it is called 'PostToolUse' here"),
        ("gemini", ".gemini/settings.json", "PreToolUse", "did you mean 'BeforeTool'?"),
        ("claude", ".claude/settings.json", "tool.before", "it is called 'PreToolUse' here"),
    ],
)
def test_an_event_of_another_agent_is_named_and_mended(write, check, tmp_path, agent, file, event, said):
    write(file, claude(event=event, matcher="*"))

    assert said in check("--agent", agent)[1][0]
    assert check("--agent", agent, "--fix")[0] == 0
    assert event not in (tmp_path / file).read_text()


@pytest.mark.parametrize(
    ("agent", "file", "matcher", "said"),
    [
        ("claude", ".claude/settings.json", "run_shell_command", "Claude Code, which calls it 'Bash'"),
        ("gemini", ".gemini/settings.json", "^Bash$", ""),
        ("gemini", ".gemini/settings.json", "Bash", "Gemini CLI, which calls it 'run_shell_command'"),
        ("codex", ".codex/hooks.json", "Writ", "did you mean 'Write'?"),
        ("claude", ".claude/settings.json", "Edit|Frobnicate", "note: 'Frobnicate' in the matcher"),
        ("claude", ".claude/settings.json", "^(bash|nope)$", "that is known here"),
        ("claude", ".claude/settings.json", "Bash|Shell|run_shell_command", ""),
        ("claude", ".claude/settings.json", "mcp__github__.*", ""),
        ("claude", ".claude/settings.json", "Task|WebFetch|ExitPlanMode", ""),
        ("codex", ".codex/hooks.json", "Edit|Write|apply_patch", ""),
    ],
)
def test_a_matcher_that_fits_no_tool(write, check, agent, file, matcher, said):
    event = "BeforeTool" if agent == "gemini" else "PreToolUse"
    write(file, claude(matcher=matcher, event=event))
    lines = [line for line in check("--agent", agent)[1] if "fits no tool" in line]

    assert bool(lines) == bool(said) or matcher == "^Bash$"
    assert said in "".join(lines)


@pytest.mark.parametrize(
    ("agent", "file", "command", "said"),
    [
        ("claude", ".claude/settings.json", 'x "$CLAUDE_FILE_PATHS"', "$CLAUDE_FILE_PATHS is not set by Claude Code"),
        ("codex", ".codex/hooks.json", '"$CLAUDE_PROJECT_DIR"/x', "$CLAUDE_PROJECT_DIR is not set by Codex CLI"),
        ("claude", ".claude/settings.json", '"$CLAUDE_PLUGIN_ROOT"/x', "$CLAUDE_PLUGIN_ROOT is not set"),
        ("claude", ".claude/settings.json", 'echo "${CLAUDE_FILE_PATHS:-none}" "$MINE"', ""),
        ("claude", ".claude/settings.json", "CLAUDE_X=1; echo $CLAUDE_X", ""),
        ("claude", ".claude/settings.json", '"${CLAUDE_PROJECT_DIR:-$PLUGIN_ROOT}"/x', ""),
        ("claude", ".claude/settings.json", "echo 'write $CLAUDE_FILE_PATHS here'", ""),
        ("claude", ".claude/settings.json", "bash -c 'x $CLAUDE_FILE_PATHS'", "$CLAUDE_FILE_PATHS is not set"),
    ],
)
def test_a_variable_that_the_agent_does_not_set(write, check, agent, file, command, said):
    write(file, claude(command, "*"))
    lines = [line for line in check("--agent", agent)[1] if "is not set by" in line]

    assert bool(lines) == bool(said)
    assert said in "".join(lines)


@pytest.mark.parametrize(
    ("matcher", "text", "said"),
    [
        (
            "Write|Edit",
            'print(e["tool_input"]["path"])',
            "reads tool_input.path, which Write and Edit of Claude Code do",
        ),
        ("Bash", "jq -r '.tool_input.cmd'", "read command"),
        ("Bash", 'data.get("tool_input", {}).get("script")', "reads tool_input.script"),
        ("Write|Edit", "jq -r '.tool_input.file_path // .tool_input.path'", ""),
        ("Write|mcp__.*", "jq -r .tool_input.path", ""),
        ("*", "jq -r .tool_input.path", ""),
        ("Bash", 'e["tool_input"].get(key)', ""),
        ("Bash", "jq -r .toolArgs.command", "reads toolArgs, which Claude Code calls tool_input on PreToolUse"),
    ],
)
def test_a_script_that_reads_what_the_tools_do_not_have(write, check, matcher, text, said):
    write("guard.py", f"import sys\n{text}\n")
    write(".claude/settings.json", claude("python3 guard.py", matcher))
    lines = [line for line in check("--agent", "claude")[1] if "finds nothing there" in line]

    assert bool(lines) == bool(said)
    assert said in "".join(lines)
    assert all("guard.py:2 reads" in line for line in lines)


@pytest.mark.parametrize(
    ("condition", "matcher", "said"),
    [
        ("bash(git *)", "Bash", "fits no tool of Claude Code, which calls it 'Bash'"),
        ("run_shell_command(git *)", "*", "which calls it 'Bash'"),
        ("Bash(git *)", "Edit|Write", "which the matcher 'Edit|Write' leaves out"),
        ("Bash(git *)", "Bash|Edit", ""),
        ("mcp__github", "*", ""),
    ],
)
def test_a_condition_that_never_holds(write, check, condition, matcher, said):
    write(".claude/settings.json", claude(matcher=matcher, **{"if": condition}))
    lines = [line for line in check("--agent", "claude")[1] if "the condition" in line]

    assert bool(lines) == bool(said)
    assert said in "".join(lines)


def test_text_before_the_answer_is_found_only_where_it_is_printed_each_time(write, check):
    answer = """echo '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}}'"""
    write(".claude/settings.json", claude("./guard.sh"))

    def said(text):
        write("guard.sh", f"#!/bin/sh\n{text}\n{answer}\n", mode=0o755)
        return [line for line in check("--agent", "claude")[1] if "behind other output" in line]

    assert said('echo "Checking the command"')
    assert not said('echo "Checking the command" >&2')
    assert not said('if true; then\n  echo "fine"\nfi')


def test_events_below_no_key_are_put_below_it_and_comments_stay(write, check, tmp_path):
    write(".qwen/settings.json", '{\n  // mine\n  "theme": "dark",\n  "Stop": [] ,\n  "PreToolUse": [{}]\n}\n')
    assert check("--agent", "qwen")[0] == 2
    check("--agent", "qwen", "--fix")

    text = (tmp_path / ".qwen/settings.json").read_text()
    assert text.startswith('{\n  // mine\n  "theme": "dark",\n')
    assert '"hooks": {' in text


def test_what_can_only_be_seen_after_a_fix_is_mended_too(write, check, tmp_path):
    group = [{"matcher": "bash", "hooks": [{"type": "command", "command": "true", "timeout": 9000}]}]
    write(".codex/hooks.json", json.dumps({"preToolUse": group}, indent=1))
    code, lines = check("--agent", "codex", "--fix")

    assert (code, len([line for line in lines if line.startswith("mended: ")])) == (0, 4)
    mended = [{"matcher": "Bash", "hooks": [{"type": "command", "command": "true", "timeout": 9}]}]
    assert json.loads((tmp_path / ".codex/hooks.json").read_text()) == {"hooks": {"PreToolUse": mended}}


def test_only_files_of_the_project_are_mended_and_only_where_it_is_right_for_all(write, check, home, tmp_path):
    (home / ".claude").mkdir()
    (home / ".claude/settings.json").write_text(claude(matcher="bash"))
    write(".claude/settings.json", claude(matcher="bash", timeout=5000))
    lines = check("--agent", "claude", "--fix")[1]

    assert sum(line.startswith("mended: ") for line in lines) == 2
    assert next(line for line in lines if "not in the project" in line).startswith("not mended: ~/.claude/settings")
    assert '"bash"' in (home / ".claude/settings.json").read_text()
    assert '"timeout": 5' in (tmp_path / ".claude/settings.json").read_text()

    write(".claude/settings.json", claude(matcher="bash"))
    assert any("reads this file, too" in line for line in check("--agent", "claude,copilot", "--fix")[1])


def test_values_in_toml_are_mended_in_place(write, check, tmp_path):
    hook = '[[hook]]  # first\non = "Tool.Before"   # not its name\ncommand = "true"\ntimeout = 9000 # long\n'
    write("tenterhook.toml", hook)
    assert check("--fix")[0] == 0

    assert (tmp_path / "tenterhook.toml").read_text() == hook.replace("Tool.Before", "tool.before").replace("9000", "9")


def test_the_head_of_a_skill_is_mended_and_its_text_stays(write, check, tmp_path):
    text = (
        "---\nname: mine\nhooks:\n  PreToolUse:\n    - matcher: bash  # all\n      hooks:\n"
        "        - type: command\n          command: true\n          timeout: 9000\n---\nUse bash, 9000 times.\n"
    ).replace("command: true", "command: 'true'")
    write(".claude/skills/mine/SKILL.md", text)
    assert check("--fix")[0] == 0

    right = text.replace("matcher: bash", "matcher: Bash", 1).replace("timeout: 9000", "timeout: 9")
    assert (tmp_path / ".claude/skills/mine/SKILL.md").read_text() == right


def test_the_run_bit_is_set_as_far_as_reading_is_allowed(write, check, tmp_path):
    write("guard.sh", GUARD, mode=0o640)
    write(".claude/settings.json", claude("./guard.sh"))
    assert check("--fix")[0] == 0

    assert stat.S_IMODE((tmp_path / "guard.sh").stat().st_mode) == 0o750


@pytest.mark.parametrize(
    ("agent", "file", "command", "said"),
    [
        ("gemini", ".gemini/settings.json", '"$GEMINI_PROJECT_DIR"/there.sh', 'write "${GEMINI_PROJECT_DIR}"'),
        ("gemini", ".gemini/settings.json", 'sh -c "x $CLAUDE_PROJECT_DIR/y"', 'write "${CLAUDE_PROJECT_DIR}"'),
        ("gemini", ".gemini/settings.json", "$GEMINI_PROJECT_DIR/there.sh", ""),
        ("gemini", ".gemini/settings.json", 'true "a" $GEMINI_PROJECT_DIR "b"', ""),
        ("gemini", ".gemini/settings.json", '"${GEMINI_PROJECT_DIR}"/there.sh', ""),
        ("gemini", ".gemini/settings.json", "${GEMINI_PROJECT_DIR}/there.sh", "${GEMINI_PROJECT_DIR} is not quoted"),
        ("qwen", ".qwen/settings.json", '"$QWEN_PROJECT_DIR"/there.sh', "Qwen Code writes it with quotes of its own"),
        ("claude", ".claude/settings.json", '"$CLAUDE_PROJECT_DIR"/there.sh', ""),
        ("claude", ".claude/settings.json", "$CLAUDE_PROJECT_DIR/there.sh", "$CLAUDE_PROJECT_DIR is not quoted"),
    ],
)
def test_quotes_around_the_projects_folder(write, check, agent, file, command, said):
    write("there.sh", "#!/bin/sh\n", mode=0o755)
    event = "BeforeTool" if agent == "gemini" else "PreToolUse"
    write(file, claude(command, "*", event=event))
    lines = [line for line in check("--agent", agent)[1] if "quote" in line]

    assert len(lines) == bool(said)
    assert said in "".join(lines)
