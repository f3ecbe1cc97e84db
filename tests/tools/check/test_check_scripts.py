"""Scripts that cannot run, or whose refusal nobody hears, and odd command lines are reported; others are not."""

import json
import os
import re

import pytest


def test_a_script_that_is_not_there_is_an_error(one_hook):
    lines = one_hook("wave", "Stop", command='"$WAVE_PROJECT_DIR"/gone.sh')

    assert lines == [".wave/settings.json:8:7: error: gone.sh does not exist, so the hook cannot run"]


@pytest.mark.parametrize(
    "command",
    [
        'bash "${CLAUDE_PROJECT_DIR}/gone.sh" --flag',
        "python3 gone.py",
        "X=1 ./gone.sh",
        "~/gone.sh",
        "/usr/bin/env python3 gone.py",
    ],
)
def test_a_missing_script_is_found_in_ordinary_shell_lines(one_hook, command):
    (line,) = one_hook("moai", "Stop", command=command)

    assert "error: " in line
    assert "gone." in line
    assert "(this agent then skips the hook without a message)" in line


@pytest.mark.parametrize(
    "command", ["./gone.sh | tee log", "./gone.sh || exit 2", "X=1 ./gone.sh 2>&1", "python3 gone.py; exit 0"]
)
def test_a_missing_script_in_a_longer_line_is_a_warning_because_the_shell_runs_the_hook(one_hook, command):
    (line,) = one_hook("moai", "Stop", command=command)

    assert "warning: " in line
    assert line.endswith("does not exist, so that part of the command fails")


def test_what_check_calls_skipped_is_skipped(one_hook, project):
    """The line of a user: the shell ran it, though check said that it is skipped."""
    command = "nosuchprog2 --x || exit 2"
    project.write(".claude/settings.json", json.dumps({"hooks": {"Stop": [{"hooks": [{"command": command}]}]}}))

    assert one_hook("moai", "Stop", command=command) == []
    assert project.fire("moai", "Stop").decision == "deny"


@pytest.mark.parametrize(
    "command",
    [
        "true",
        "nosuchprog | tee log",
        "nosuchfunction() { true; }; nosuchfunction",
        '"$WAVE_PROJECT_DIR"/gone.sh "$(date)"',
        "if test -e gone; then ./gone.sh; fi",
        "cd sub && ./gone.sh",
        "$(which gone) x",
        "python3 -m gone",
        "python3 -c 'print(1)'",
        "$UNKNOWN/gone.sh",
        "'unbalanced",
        "\n./gone.sh\nexit 0",
        "(./gone.sh)",
    ],
)
def test_nothing_is_said_about_what_only_a_shell_can_tell(one_hook, command):
    assert one_hook("wave", "PostToolUse", command=command) == []


def test_a_program_that_is_not_installed_is_a_warning(one_hook):
    (line,) = one_hook("wave", "Stop", command="surely-not-installed --now")

    assert "warning: surely-not-installed is not found in PATH" in line


def test_a_script_without_the_run_bit_is_an_error_only_where_it_is_the_program(one_hook, write):
    write("x.sh", "#!/bin/sh\n")

    assert (
        "x.sh is not executable, so the hook cannot run; run: chmod +x x.sh"
        in one_hook("wave", "Stop", command="./x.sh")[0]
    )
    assert one_hook("wave", "Stop", command="sh ./x.sh") == []


def test_line_ends_of_windows_are_an_error_where_they_break_the_script(one_hook, write):
    write("x.sh", "#!/bin/sh\r\nexit 0\r\n", mode=0o755)
    write("x.py", "import sys\r\n")

    assert "x.sh has CRLF line ends" in one_hook("wave", "Stop", command="./x.sh")[0]
    assert "x.sh has CRLF line ends" in one_hook("wave", "Stop", command="bash x.sh")[0]
    assert one_hook("wave", "Stop", command="python3 x.py") == []


def test_a_program_without_a_first_line_that_names_its_interpreter(one_hook, massgen, write):
    write("x", "echo hello\n", mode=0o755)

    assert "warning: x has no #! line" in one_hook("wave", "Stop", command="./x")[0]
    assert "error: x has no #! line" in massgen(handler="./x", type="command")[0]


def test_an_interpreter_that_is_not_there_is_reported(one_hook, write):
    write("x", "#!/opt/nowhere/perl -w\n", mode=0o755)
    write("y", "#!/usr/bin/env surely-not-installed\n", mode=0o755)
    write("z", "#!/usr/bin/env -S python3 -u\n", mode=0o755)

    assert "error: the #! line of x names /opt/nowhere/perl" in one_hook("wave", "Stop", command="./x")[0]
    assert "warning: the #! line of y names surely-not-installed" in one_hook("wave", "Stop", command="./y")[0]
    assert one_hook("wave", "Stop", command="./z") == []
    assert one_hook("wave", "Stop", command="sh ./x") == []


def test_a_script_that_may_not_be_read_is_an_error_where_an_interpreter_reads_it(one_hook, write, monkeypatch):
    """Root may read everything, so the refusal is made up."""
    write("x.py", "")
    allowed = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.R_OK and allowed(path, mode))

    (line,) = one_hook("wave", "Stop", command="python3 x.py")

    assert line.endswith("error: x.py may not be read, so python cannot run it")


def test_a_binary_is_not_taken_for_a_script(one_hook, write):
    write("x", b"\x7fELF\0\0\r\n", mode=0o755)

    assert one_hook("wave", "Stop", command="./x") == []


SHELL_VETO = "#!/bin/sh\ngrep -q force && { echo no >&2; exit 1; }\nexit 0\n"
PYTHON_VETO = "import sys\nif 'force' in sys.stdin.read():\n    sys.exit(1)\n"


@pytest.mark.parametrize(("name", "text"), [("x.sh", SHELL_VETO), ("x.py", PYTHON_VETO)])
def test_a_veto_by_exit_one_is_reported_on_events_that_can_block(one_hook, write, name, text):
    write(name, text, mode=0o755)
    command = f"python3 {name}" if name.endswith(".py") else f"./{name}"

    (line,) = one_hook("wave", "PreToolUse", command=command)

    assert line.endswith(
        f"warning: {name} exits with 1, which does not block PreToolUse in Wave; to block, exit with 2"
    )
    assert one_hook("wave", "PostToolUse", command=command) == []


def test_a_veto_by_exit_one_in_the_command_itself_is_reported(one_hook):
    assert "the command exits with 1" in one_hook("wave", "Stop", command="make test || exit 1")[0]


@pytest.mark.parametrize(
    "text",
    [
        "exit 1\nexit 2\n",
        "# exit 1\nexit 0\n",
        "import sys\nsys.exit(1)\nsys.exit(2)\n",
        "exit $status\nexit 1\n",
        """echo '{"decision": "block"}'\nexit 1\n""",
        """jq -n '{hookSpecificOutput: {permissionDecision: "deny"}}' || exit 1\n""",
        "from tenterhook import hook\nexit(1)\n",
        "exit 0\n",
    ],
)
def test_a_script_that_can_block_otherwise_is_not_reported(one_hook, write, text):
    write("x", f"#!/bin/sh\n{text}", mode=0o755)

    assert one_hook("wave", "PreToolUse", command="./x") == []


def test_exit_one_is_not_reported_where_a_failure_denies(one_hook, write, check):
    write("x.sh", SHELL_VETO, mode=0o755)
    write("tenterhook.toml", '[[hook]]\non = "tool.before"\ncommand = "./x.sh"\n')

    assert one_hook("wave", "PreToolUse", command="./x.sh", tenterhook={"on_failure": "deny"}) == []
    assert check("--agent", "tenterhook") == (0, ["1 hook in 1 file: 0 errors, 0 warnings"])


def test_the_project_variable_outside_quotes_is_reported(one_hook, write):
    write("x.sh", "#!/bin/sh\n", mode=0o755)

    for command in ("$CLAUDE_PROJECT_DIR/x.sh", "sh ${CLAUDE_PROJECT_DIR}/x.sh", "true; $CLAUDE_PROJECT_DIR/x.sh"):
        (line,) = one_hook("moai", "Stop", command=command)
        assert re.search(r'write "\$\{?CLAUDE_PROJECT_DIR\}?"', line)


@pytest.mark.parametrize(
    "command",
    [
        '"$CLAUDE_PROJECT_DIR"/x.sh',
        '"${CLAUDE_PROJECT_DIR}/x.sh"',
        "D=$CLAUDE_PROJECT_DIR; true",
        r"echo \$CLAUDE_PROJECT_DIR",
    ],
)
def test_the_project_variable_in_quotes_or_in_an_assignment_is_fine(one_hook, write, command):
    write("x.sh", "#!/bin/sh\n", mode=0o755)

    assert one_hook("moai", "Stop", command=command) == []


def test_a_variable_in_a_list_of_words_is_never_replaced(one_hook, write):
    (line,) = one_hook("moai", "Stop", command=["echo", "$CLAUDE_PROJECT_DIR"])

    assert "$CLAUDE_PROJECT_DIR is not replaced here" in line


def test_a_relative_interpreter_is_reported_with_what_to_write(one_hook, write):
    write("venv/bin/python", "#!/bin/sh\n", mode=0o755)
    write("x.py", "")

    (line,) = one_hook("moai", "Stop", command="./venv/bin/python x.py")

    assert 'write "${CLAUDE_PROJECT_DIR}"/venv/bin/python' in line
    assert one_hook("moai", "Stop", command="python3 x.py") == []


@pytest.mark.parametrize(
    ("limit", "text", "warned"),
    [
        ({"loop_limit": None}, 'echo \'{"followup_message": "more"}\'', True),
        ({"loop_limit": None}, 'grep -q loop_count || echo \'{"followup_message": "more"}\'', False),
        ({"loop_limit": None}, 'grep -q stop_hook_active || echo \'{"followup_message": "more"}\'', True),
        ({"loop_limit": None}, "exit 2", False),  # which keeps nobody from stopping there
        ({"loop_limit": 3}, 'echo \'{"followup_message": "more"}\'', False),
        ({}, 'echo \'{"followup_message": "more"}\'', False),
    ],
)
def test_a_hook_that_never_looks_how_often_it_kept_the_agent_going_is_reported(write, check, limit, text, warned):
    write("more.sh", f"#!/bin/sh\n{text}\n", mode=0o755)
    write(".cursor/hooks.json", json.dumps({"version": 1, "hooks": {"stop": [{"command": "./more.sh", **limit}]}}))
    lines = [line for line in check("--dialect", "cursor")[1] if "keeps the agent going" in line]

    assert bool(lines) == warned
    assert all(line.endswith("never looks at loop_count: Cursor asks again and again without end") for line in lines)


@pytest.mark.parametrize(("looks", "warned"), [("", True), ("grep -q stop_hook_active && exit 0; ", False)])
def test_where_every_hook_may_go_on_for_ever_the_agents_own_field_is_named(write, check, looks, warned):
    write("more.sh", f"#!/bin/sh\n{looks}echo more >&2; exit 2\n", mode=0o755)
    group = {"hooks": [{"type": "command", "command": "./more.sh"}]}
    write(".codex/hooks.json", json.dumps({"hooks": {"Stop": [group]}}))
    lines = [line for line in check("--dialect", "codex")[1] if "never looks at stop_hook_active" in line]

    assert bool(lines) == warned


# ---- refusals in another agent's form

PRINTED = {
    "python.py": "#!/usr/bin/env python3\nimport json\n\nprint(json.dumps({%s}))\n",
    "shell.sh": "#!/bin/sh\n# a guard\n\necho '{%s}'\n",
    "quoted.sh": '#!/bin/bash\nname=x\n\nprintf "%%s" "{%s}"\n',
    "script.js": "#!/usr/bin/env node\n// a guard\n\nconsole.log(JSON.stringify({%s}))\n",
}
FLAT = {"permissionDecision": "deny", "permissionDecisionReason": "no"}
BLOCK = {"permissionDecision": "block"}
PERMISSION = {"permission": "deny", "agent_message": "no"}
FORMS = {
    "permissionDecision deny at the top level": FLAT,
    "permissionDecision block at the top level": BLOCK,
    "permissionDecision block": {"hookSpecificOutput": {"hookEventName": "PreToolUse", **BLOCK}},
    "permission deny": PERMISSION,
}
INSTEAD = (
    '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", '
    '"permissionDecisionReason": "why"}}'
)


def printed(name: str, answer: dict[str, object]) -> str:
    """The script with the answer as its language writes it."""
    inner = json.dumps(answer)[1:-1]
    if name == "quoted.sh":
        inner = inner.replace('"', r"\"")
    if name == "script.js":
        inner = re.sub(r'"(\w+)":', r"\1:", inner)
    return PRINTED[name] % inner


@pytest.mark.parametrize("script", PRINTED)
@pytest.mark.parametrize(("form", "answer"), FORMS.items(), ids=FORMS)
def test_a_refusal_in_a_form_that_claude_code_does_not_read_is_found_with_its_line(
    one_hook, write, form, answer, script
):
    write(script, printed(script, answer), mode=0o755)
    (line,) = one_hook("claude", "PreToolUse", command=f"./{script}")

    said = f"{script}:4 seems to answer with {form}; in Claude Code PreToolUse then goes on; print {INSTEAD}"
    assert line == f".claude/settings.json:8:7: warning: {said}"


@pytest.mark.parametrize("script", PRINTED)
@pytest.mark.parametrize(
    ("agent", "file", "event", "answer"),
    [
        ("cursor", ".cursor/hooks.json", "beforeShellExecution", PERMISSION),
        ("cursor", ".cursor/hooks.json", "preToolUse", PERMISSION),
        ("copilot", ".github/hooks/a.json", "preToolUse", FLAT),
        ("copilot", ".github/hooks/a.json", "PreToolUse", FLAT),
    ],
)
def test_the_same_form_is_right_where_the_agent_reads_it(write, check, agent, file, event, answer, script):
    write(script, printed(script, answer), mode=0o755)
    write(file, json.dumps({"version": 1, "hooks": {event: [{"type": "command", "command": f"./{script}"}]}}))

    assert [line for line in check("--dialect", agent)[1] if "seems to answer" in line] == []


@pytest.mark.parametrize(
    "text",
    [
        """out = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}}\nprint(out)\n""",
        """if data["permission"] == "deny":\n    pass\n""",
        """print({"permission": "deny", "decision": "block", "reason": "no"})\n""",
        """# {"permission": "deny"}\nprint({})\n""",
        """if data.get("permission_mode") == "deny": pass\n""",
        """from tenterhook import hook\nprint({"permission": "deny"})\n""",
    ],
)
def test_what_only_looks_like_such_a_form_is_not_reported(one_hook, write, text):
    write("guard.py", text)

    assert one_hook("claude", "PreToolUse", command="python3 guard.py") == []


def test_a_flat_refusal_that_is_put_together_is_found(one_hook, write):
    write("guard.py", 'verdict = "deny"\n\nprint({"permissionDecision": verdict, "permissionDecisionReason": "no"})\n')
    (line,) = one_hook("claude", "PreToolUse", command="python3 guard.py")

    assert "guard.py:3 seems to answer with permissionDecision deny at the top level" in line


LOOKS_AT_ARGUMENTS = '#!/bin/sh\nif echo "$1" | grep -q rm; then exit 2; fi\n'


@pytest.mark.parametrize(
    ("arguments", "text", "said"),
    [
        ("", LOOKS_AT_ARGUMENTS, "guard.sh looks at its arguments, of which this entry gives none"),
        (
            ' "$NOBODY_SETS"',
            LOOKS_AT_ARGUMENTS,
            "and this entry gives it a variable that is not set",
        ),
        (" strict", LOOKS_AT_ARGUMENTS, ""),
        ("", "#!/bin/sh\nmode=${1:-strict}\ncat | grep -q rm && exit 2\n", ""),
        ("", '#!/bin/sh\nsay() {\n  echo "$1" >&2\n}\nsay hello\n', ""),
        ("", "#!/usr/bin/env python3\nimport sys\nprint(sys.argv[1])\n", "guard.sh looks at its arguments"),
    ],
)
def test_a_script_that_looks_for_the_event_in_its_arguments(write, one_hook, arguments, text, said):
    write("guard.sh", text, mode=0o755)

    lines = one_hook("moai", "PreToolUse", command=f'"$CLAUDE_PROJECT_DIR"/guard.sh{arguments}')

    assert len(lines) == bool(said)
    assert said in "".join(lines)


def test_a_refusal_by_one_is_found_though_an_argument_is_not_set(write, one_hook):
    write("guard.sh", "#!/bin/sh\ngrep -q rm && exit 1\n", mode=0o755)

    (line,) = one_hook("moai", "PreToolUse", command='./guard.sh "$NOBODY_SETS"')

    assert "guard.sh exits with 1, which does not block PreToolUse" in line


def test_placeholders_in_arguments_are_filled_in_before_a_file_is_looked_for(write, one_hook):
    write("guard.py", "")

    there = one_hook("claude", "PreToolUse", command="python3", args=["${CLAUDE_PROJECT_DIR}/guard.py"])
    (gone,) = one_hook("claude", "PreToolUse", command="python3", args=["${CLAUDE_PROJECT_DIR}/gone.py"])

    assert there == []
    assert gone.endswith("error: gone.py does not exist, so the hook cannot run")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("#!/bin/sh\njq -r '.command' | grep -q rm && exit 2\n", "guard.sh:2 reads command at the top of the event"),
        (
            "#!/bin/sh\npython3 -c 'import json,sys; d=json.load(sys.stdin); print(d.get(\"command\"))'\n",
            "guard.sh:2 reads",
        ),
        ("#!/usr/bin/env node\nconst e = JSON.parse(text);\nif (/rm/.test(e.file_path)) stop();\n", "reads file_path"),
        ("#!/usr/bin/env python3\nprint(json.loads(sys.stdin.read())['command'])\n", "gives it as tool_input.command"),
        ("#!/bin/sh\n# jq .command\njq -r '.tool_input.command' | grep -q rm && exit 2\n", ""),
        ("#!/bin/sh\njq -r '.tool_input.command // .command'\n", ""),
        ("#!/bin/sh\njq -r '.session_id'\n", ""),
    ],
)
def test_a_script_that_looks_for_the_tools_input_at_the_top_of_the_event(write, one_hook, text, said):
    write("guard.sh", text, mode=0o755)

    lines = one_hook("claude", "PreToolUse", command='"$CLAUDE_PROJECT_DIR"/guard.sh')

    assert len(lines) == bool(said)
    assert said in "".join(lines)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('#!/bin/sh\necho "$CLAUDE_TOOL_INPUT" | jq -r .command\n', "guard.sh:2 parses $CLAUDE_TOOL_INPUT, which"),
        (
            '#!/bin/bash\njq -r .command <<< "${TOOL_INPUT}"\n',
            "guard.sh:2 parses $TOOL_INPUT, which Claude Code does not",
        ),
        ('#!/bin/sh\nevent=$(cat)\necho "$event" | jq -r .tool_input.command\n', ""),
        ('#!/bin/sh\nread -r event\nprintf "%s" "$event" | jq -r .tool_input.command\n', ""),
        ('#!/bin/sh\necho "$CLAUDE_PROJECT_DIR" | jq -R .\n', ""),
        ('#!/bin/sh\n. ./common.sh\necho "$EVENT" | jq -r .tool_input.command\n', ""),
        ('#!/bin/sh\nsay() {\n  echo "$1" | jq -R .\n}\ncommand=$(cat)\nsay "$command"\n', ""),
        ('#!/bin/sh\necho "$NOBODY_SETS" | wc -c\n', ""),
    ],
)
def test_a_script_that_looks_for_the_event_in_a_variable(write, one_hook, text, said):
    write("guard.sh", text, mode=0o755)

    lines = one_hook("claude", "PreToolUse", command='"$CLAUDE_PROJECT_DIR"/guard.sh')

    assert len(lines) == bool(said)
    assert said in "".join(lines)


def test_an_agent_that_gives_the_command_at_the_top_is_read_there(write, check):
    write("guard.sh", "#!/bin/sh\njq -r '.command' | grep -q rm && exit 2\n", mode=0o755)
    entry = {"command": "./guard.sh"}
    write(".cursor/hooks.json", json.dumps({"version": 1, "hooks": {"beforeShellExecution": [entry]}}))

    assert check("--dialect", "cursor")[1] == ["1 hook in 1 file: 0 errors, 0 warnings"]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("uv run gone.py", "error: gone.py does not exist, so the hook cannot run"),
        ("uv run --quiet gone.py --fast", "error: gone.py does not exist, so the hook cannot run"),
        ("uv run gone.py || true", "warning: gone.py does not exist, so that part of the command fails"),
        ("uv run there.py", ""),
        ("uv run --directory=src gone.py", ""),
        ("uv run https://example.com/gone.py", ""),
        ("uv run ruff check", ""),
        ("nosuchprogram # of the team", "warning: nosuchprogram is not found in PATH"),
        ("true '# no comment'", ""),
    ],
)
def test_a_script_behind_a_launcher_and_a_program_before_a_comment(
    write, one_hook, monkeypatch, tmp_path, command, said
):
    write("bin/uv", "#!/bin/sh\n", mode=0o755)
    write("there.py", "")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)

    lines = one_hook("wave", "Stop", command=command)

    assert len(lines) == bool(said)
    assert said in "".join(lines)
