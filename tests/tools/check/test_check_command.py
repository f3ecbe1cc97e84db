"""`tenter check` names what is wrong in a project's hook config, with file and line, and runs nothing."""

import json
import os
import re
import sys

import pytest

from tenterhook.cli.main import main


def test_a_clean_project_gets_a_summary_and_exit_code_zero(write, check):
    write("tenterhook.toml", '[[hook]]\non = "tool.before"\nmatch = "Bash"\ncommand = "true"\n')

    assert check() == (0, ["1 hook in 1 file: 0 errors, 0 warnings"])


def test_a_project_without_config_is_told_where_config_was_looked_for(check):
    code, lines = check()

    assert code == 1
    assert len(lines) == 1
    assert lines[0].startswith("no config file found; looked for: ")
    assert {"tenterhook.toml", ".claude/settings.json", ".codex/hooks.json"} <= set(re.split("[,;] ", lines[0][34:]))
    assert check("--if-any")[0] == 0
    assert check("--agent", "codex")[0] == 1
    assert check("--dialect", "codex")[0] == 0


def test_an_untrusted_project_is_checked_and_nothing_of_it_runs(write, check, tmp_path):
    write("tenterhook.toml", '[[hook]]\non = "tool.before"\ncommand = "touch ran"\n[[hook]]\non = "x"\ncommand = "y"\n')
    write("spy.py", "import pathlib; pathlib.Path('ran').touch()")
    write("more.toml", "")

    code, lines = check()

    assert code == 2
    assert "1 error" in lines[-1]
    assert not (tmp_path / "ran").exists()


def test_the_summary_counts_only_what_fix_would_mend(write, check):
    group = '[{"hooks": [{"type": "command", "command": "true"}]}]'
    write(".claude/settings.json", f'{{"hooks": {{"Stop": {group}, "stop": {group}}}}}')

    assert check()[1][-1] == "1 hook in 1 file: 1 error, 0 warnings"


def test_a_path_that_stands_alone_is_told_its_option(tmp_path, capsys):
    assert main(["check", str(tmp_path)]) == 1
    assert f"(did you mean --project {tmp_path}?)" in capsys.readouterr().err


def test_a_wrong_agent_is_called_an_agent(check, capsys):
    assert main(["check", "--agent", "clade"]) == 1
    assert "no agent 'clade' (did you mean 'claude'?)" in capsys.readouterr().err


def test_a_file_that_cannot_be_parsed_is_an_error_with_line_and_column(write, check):
    write(".wave/settings.json", '{\n "hooks": {,}\n}')

    code, lines = check("--dialect", "wave")

    assert code == 2
    assert lines[0].startswith(".wave/settings.json:2:12: error: ")
    assert lines[-1] == "1 error, 0 warnings"


def test_the_other_files_are_checked_though_one_is_broken(write, check):
    write(".wave/settings.json", "{")
    write(".wave/settings.local.json", '{"hooks": {"Stopp": []}}')

    code, lines = check("--dialect", "wave")

    assert code == 2
    assert "did you mean 'Stop'" in "\n".join(lines)
    assert lines[-1] == "0 hooks in 1 file: 2 errors, 0 warnings"


def test_problems_are_sorted_by_file_and_line(write, check):
    write(
        "tenterhook.toml",
        '[[hook]]\non = "tool.befor"\ncommand = "x"\n\n[[hook]]\nfoo = 1\non = "notify"\ncommand="true"\n',
    )
    write("pyproject.toml", '[[tool.tenterhook.hook]]\non = "nothing"\n')

    lines = check()[1]

    assert [line.split(": ")[0] for line in lines[:-1]] == [
        "tenterhook.toml  1 hook, read by tenterhook",
        "  tenterhook.toml:2:1",
        "  tenterhook.toml:6:1",
        "pyproject.toml  0 hooks, read by tenterhook",
        "  pyproject.toml:2:1",
    ]


def test_warnings_alone_exit_with_zero_and_with_two_where_they_count_as_errors(write, check):
    write("tenterhook.toml", '[[hook]]\non = "tool.before"\ncommand = "true"\ntypo = 1\n')

    assert check()[0] == 0
    assert check("--strict")[0] == 2


def test_a_problem_of_a_hook_for_several_events_is_said_once(write, check):
    write("tenterhook.toml", '[[hook]]\non = ["tool.before", "tool.after"]\ncommand = "./gone.sh"\ntypo = 1\n')

    assert check()[1][-1] == "2 hooks in 1 file: 1 error, 1 warning"


def test_json_says_the_same_as_data(write, check):
    write("tenterhook.toml", '[[hook]]\non = "tool.before"\ncommand = "./gone.sh"\n')

    code, lines = check("--json")

    data = json.loads("\n".join(lines))
    assert code == 2
    assert (data["hooks"], data["errors"], data["warnings"], data["files"]) == (1, 1, 0, ["tenterhook.toml"])
    assert data["agents"] == ["tenterhook"]
    assert data["problems"][0] == {
        "rule": "TH301",
        "name": "missing-file",
        "level": "error",
        "file": "tenterhook.toml",
        "line": 3,
        "column": 1,
        "text": "./gone.sh does not exist, so the hook cannot run",
        "agents": ["tenterhook"],
        "fixable": False,
    }


def test_what_cannot_run_at_all_exits_with_one(check, tmp_path, capsys):
    assert check("--dialect", "wavee")[0] == 1
    assert check("--config", str(tmp_path / "gone.toml"))[0] == 1
    assert main(["check", "--project", str(tmp_path / "gone")]) == 1
    assert "is not a folder" in capsys.readouterr().err


def test_help_has_an_example(capsys):
    assert main(["check", "--help"]) == 0
    assert "example:\n  tenter check" in capsys.readouterr().out


def test_config_names_the_only_file_to_check(write, check, tmp_path):
    write("tenterhook.toml", "broken")
    write("other.toml", '[[hook]]\non = "tool.before"\ncommand = "true"\n')

    assert check("--config", str(tmp_path / "other.toml")) == (0, ["1 hook in 1 file: 0 errors, 0 warnings"])


def test_a_named_file_without_hooks_is_reported(write, check, tmp_path):
    write("other.toml", "[hooks]\nx = 1\n")

    _, lines = check("--config", str(tmp_path / "other.toml"))

    assert lines[0] == "other.toml:1:2: warning: unknown key 'hooks' (did you mean 'hook'?); it is ignored"


def test_a_nul_in_a_path_is_no_reason_to_fall_over(massgen):
    assert "does not exist" in massgen(handler="./a\0.py", type="command")[0]


def test_files_of_the_user_are_checked_too(check, home):
    (home / ".wave").mkdir()
    (home / ".wave" / "settings.json").write_text('{"hooks": {"Stop": [{"hooks": [{"command": "~/gone.sh"}]}]}}')

    assert "gone.sh does not exist" in check("--dialect", "wave")[1][0]


def test_control_characters_of_a_hostile_file_do_not_reach_the_terminal(write, check):
    write("tenterhook.toml", '[[hook]]\non = "tool.before"\ncommand = "true"\n"a\\u001b[2Jb" = 1\n')

    assert "\x1b" not in "".join(check()[1])


def test_keys_that_stand_twice_are_reported_with_their_place(write, check):
    write(".wave/settings.json", '{"hooks": {},\n "hooks": {}}')

    assert check("--dialect", "wave")[1][0] == (
        ".wave/settings.json:2:2: warning: key 'hooks' occurs twice; the last one counts"
    )


def test_an_implausible_time_out_is_reported_once(one_hook):
    lines = one_hook("wave", "Stop", timeout=5000)

    assert len(lines) == 1
    assert "timeout is 5000, and this dialect counts in seconds; were milliseconds meant?" in lines[0]


def test_a_function_is_looked_for_without_importing_anything(massgen, write, tmp_path):
    write("mine.py", "open('ran', 'w')")
    write("package/__init__.py", "open('ran', 'w')")

    assert massgen(handler="mine.check") == []
    assert massgen(handler="package.check") == []
    assert massgen(handler="os.path.join") == []
    assert "no module 'gone' in the project" in massgen(handler="gone.check")[0]
    assert "names no function" in massgen(handler="gone", type="python")[0]
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("type", ["prompt", "agent"])
def test_a_hook_that_asks_a_model_needs_one(write, check, monkeypatch, type):
    for variable in ("TENTERHOOK_MODEL", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(variable, raising=False)

    def said(model):
        hook = {"type": type, "prompt": "Fine?", "model": model}
        write(".claude/settings.json", json.dumps({"hooks": {"PreToolUse": [hook]}}))
        return check("--dialect", "moai")[1][:-1]

    assert "error: no model 'hiku': " in said("hiku")[0]
    assert said("haiku") == said("m@http://127.0.0.1:1/v1") == []
    assert said("inherit") == []  # the agent's own model
    write("tenterhook.toml", f'[[hook]]\non = "tool.before"\ntype = "{type}"\nprompt = "Fine?"\n')
    assert "warning: no model to ask: " in check("--agent", "tenterhook")[1][0]
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    assert len(check("--agent", "tenterhook")[1]) == 1


def test_a_script_of_its_own_type_is_looked_for_in_the_project(write, check):
    write("tenterhook.toml", '[[hook]]\non = "tool.before"\nscript = "$TENTERHOOK_PROJECT/gone.py"\n')

    assert check()[1][0] == "tenterhook.toml:3:1: error: gone.py does not exist, so the hook cannot run"


@pytest.mark.parametrize("key", ["script", "function"])
def test_words_where_text_is_needed_are_reported(write, check, key):
    write("tenterhook.toml", f'[[hook]]\non = "tool.before"\n{key} = ["a", "b"]\n')

    code, lines = check()

    assert code == 2
    assert lines[0] == f"tenterhook.toml:3:1: error: {key} must be text, not a list; the hook never runs"


@pytest.mark.parametrize(
    "hook",
    ['on = "tool.befor"\ncommand = "true"', 'command = "true"', 'on = "notify"', 'on = "notify"\ntype = "shell"'],
)
def test_a_hook_that_never_runs_is_an_error_here_and_a_warning_elsewhere(write, check, tmp_path, capsys, hook):
    write("tenterhook.toml", f"[[hook]]\n{hook}\n")

    code, lines = check()

    assert code == 2
    assert ": error: " in lines[0]
    assert main(["list", "--project", str(tmp_path), "--trust"]) == 0
    assert "warning: " in capsys.readouterr().err


def test_every_agent_whose_files_are_there_is_looked_at_and_no_other(write, check):
    write(".claude/settings.json", '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}')
    write(".wave/settings.json", '{"hooks": {,}}')
    write(".llxprt/settings.json", '{"theme": "dark"}')
    write("config.yaml", "{{ broken")
    write("pyproject.toml", "[project]\n")

    code, lines = check()

    assert code == 2
    assert lines == [
        ".claude/settings.json  1 hook, read by Claude Code",
        ".wave/settings.json",
        "  .wave/settings.json:1:12: error: expected a key in double quotes, found ','",
        "1 hook in 1 file: 1 error, 0 warnings",
    ]
    assert check("--agent", "claude") == (0, ["1 hook in 1 file: 0 errors, 0 warnings"])


def test_hooks_behind_a_switch_are_looked_at_all_the_same(write, check):
    hook = '{"hooks": [{"type": "command", "command": "./gone.sh"}]}'
    write(".llxprt/settings.json", '{"enableHooks": false, "hooks": {"BeforeTool": [' + hook + "]}}")

    assert "gone.sh does not exist" in "\n".join(check("--dialect", "llxprt")[1])


def test_a_type_that_nothing_can_run_is_reported(one_hook):
    assert "hooks of the type 'plugin' cannot be run here" in one_hook("llxprt", "BeforeTool", type="plugin")[0]


def test_a_hook_that_is_switched_off_is_not_looked_at(write, check):
    write("tenterhook.toml", '[[hook]]\non = "tool.before"\ncommand = "./gone.sh"\nenabled = false\n')

    assert check() == (0, ["1 hook in 1 file: 0 errors, 0 warnings"])


def test_hooks_behind_a_switch_that_is_off_are_reported_with_switch_and_file(write, check):
    hooks = '"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "true"}]}]}'
    write(".llxprt/settings.json", "{" + hooks + "}")
    absent = check("--dialect", "llxprt")[1][0]
    write(".llxprt/settings.json", "{\n" + hooks + ',\n"enableHooks": false}')
    off = check("--dialect", "llxprt")[1][0]

    assert absent == (
        ".llxprt/settings.json:1:1: warning: enableHooks is not set in any file, so no hook runs (1 configured); "
        "set it to true"
    )
    assert off.startswith(".llxprt/settings.json:3:1: warning: enableHooks is False here")


def test_a_file_with_hooks_under_an_extension_that_is_not_read_is_reported(write, check):
    write(".amcp/hooks.yaml", "hooks:\n  Stop:\n    handlers: []\n")
    write(".amcp/hooks.yml", "other: 1\n")

    _, lines = check("--dialect", "amcp")

    assert lines[0] == (
        ".amcp/hooks.yaml:1:1: warning: this file is not read, and has hooks in it; "
        "AMCP reads .amcp/hooks.toml, .amcp/hooks.json"
    )
    assert len(lines) == 2


@pytest.mark.skipif(sys.platform == "darwin", reason="its file names are always UTF-8")
@pytest.mark.parametrize("option", [[], ["--json"], ["--format", "sarif"], ["--format", "github"], ["--fix"]])
def test_a_folder_whose_name_is_no_text_can_be_checked(option, tmp_path, capsys):
    folder = os.fsencode(tmp_path) + b"/\xff"
    os.mkdir(folder)
    with open(folder + b"/tenterhook.toml", "w") as file:
        file.write('[[hook]]\non = "tool.before"\ncommand = "./gone.sh"\n')

    assert main(["check", "--project", os.fsdecode(folder), *option]) == 2
    assert "gone.sh does not exist" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("hook", "said"),
    [
        ({"command": "tenter hook agent ddd-pre-transformation", "timeout": 1}, "runs tests, and is ended after 1 s"),
        (
            {"command": "tenter hook agent tdd-post-implementation --budget 30", "timeout": 10},
            "may take 30 s, and is ended after 10 s: what it would refuse passes",
        ),
        ({"command": "tenter hook agent ddd-pre-transformation", "timeout": 5}, ""),
        ({"command": "tenter hook agent ddd-pre-transformation"}, ""),
        ({"command": "tenter hook agent backend-validation", "timeout": 1}, ""),
        ({"command": "true", "timeout": 1}, ""),
    ],
)
def test_a_gate_that_would_be_ended_before_it_answers(one_hook, hook: dict[str, object], said: str) -> None:
    lines = [line for line in one_hook("moai", "PreToolUse", matcher="Write", **hook) if "is ended after" in line]

    assert len(lines) == bool(said)
    assert all(said in line and "warning" in line for line in lines)
