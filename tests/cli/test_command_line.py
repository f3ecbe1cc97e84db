"""What all commands share: groups in the help, one meaning of --agent, completion, the manual page."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tenterhook.cli.complete import SHELLS
from tenterhook.cli.main import COMMANDS, GROUPS, main
from tenterhook.cli.usages import usages

ROOT = Path(__file__).parents[2]
TAB = """
source "$1"; shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
_tenter
printf '%s\\n' "${COMPREPLY[@]}"
"""
HOOK = '[[hook]]\non = "{}"\nname = "guard"\ncommand = "exit 2"\n'


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def test_every_command_stands_in_one_group_of_the_help(capsys):
    main(["--help"])

    shown = capsys.readouterr().out
    grouped = [name for names in GROUPS.values() for name in names]
    assert [shown.count(f"\n  {name} ") for name in COMMANDS] == [1] * len(COMMANDS)
    assert all(f"\n{group}:\n" in shown for group in GROUPS)
    assert sorted(grouped) == sorted(set(grouped))


def test_agent_means_whose_rules_count(here, capsys):
    claude = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}}
    (here / ".claude").mkdir()
    (here / ".claude" / "settings.json").write_text(json.dumps(claude))

    assert main(["check", "--agent", "claude"]) == 0
    assert "1 hook in 1 file" in capsys.readouterr().out
    assert main(["list", "--agent", "claude", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["agents"][0]["hooks"][0]["event"] == "PreToolUse"


def test_the_id_of_a_subagent_is_still_taken_and_its_new_name_is_said(here, capsys):
    (here / "event.json").write_text("{}")
    fire = ["fire", "PreToolUse", "--dialect", "moai", "--input", "event.json"]

    assert main([*fire, "--agent", "reviewer"]) == 0
    assert "--subagent reviewer" in capsys.readouterr().err
    assert main([*fire, "--subagent", "reviewer"]) == 0
    assert "--subagent" not in capsys.readouterr().err


def test_two_agents_in_one_call_are_refused(here, capsys):
    assert main(["check", "--dialect", "claude", "--agent", "codex"]) == 1
    assert "cannot be used together" in capsys.readouterr().err


@pytest.mark.parametrize("event", ["tool.before", "PreToolUse", "BeforeTool", "preToolUse"])
def test_an_agent_s_name_of_an_event_is_understood_where_a_kind_is(here, event, capsys):
    (here / "tenterhook.toml").write_text(HOOK.format(event))

    assert main(["check", "--strict"]) == 0, capsys.readouterr().out
    assert main(["explain", event, "--trust"]) == 0
    assert "guard" in capsys.readouterr().out
    assert main(["new", "one", "--kind", event]) == 0
    assert '"tool.before"' in (here / "one.py").read_text()


def test_a_misspelt_event_is_still_an_error_that_names_the_right_one(here, capsys):
    (here / "tenterhook.toml").write_text(HOOK.format("tool.befor"))

    assert main(["check"]) == 2
    assert "did you mean 'tool.before'" in capsys.readouterr().out


# ---- completion


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        (("tenter", "ex"), {"explain"}),
        (("tenter", "fire", "--dialect", "c"), {"claude", "codex", "copilot", "cursor"}),
        (("tenter", "fire", "--mode", ""), {"faithful", "strict", "observe"}),
        (("tenterhook", "explain", "PreToolU"), {"PreToolUse"}),
        (("tenter", "run", "--hooks"), {"--hooks-of"}),
        (("tenter", "schema", "gem"), {"gemini"}),
        (("tenter", "check", "--project", "fol"), {"folder"}),
        (("tenter", "run", "gua"), {"guard.py"}),
    ],
)
def test_bash_completes_commands_options_and_values(here, typed, offered):
    (here / "folder").mkdir()
    (here / "guard.py").touch()
    (here / "script").write_text(SHELLS["bash"]())

    done = subprocess.run(["bash", "-c", TAB, "bash", "./script", *typed], cwd=here, capture_output=True, text=True)

    assert (set(done.stdout.split()), done.stderr) == (offered, "")


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_names_every_command_and_option_and_its_shell_can_read_it(shell, here, capsys):
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    (here / "script").write_text(script)

    names = {option.name for usage in usages().values() for option in usage.options}
    assert not {name for name in (*COMMANDS, *names) if name not in script}
    if not shutil.which(shell):
        pytest.skip(f"no {shell} here")
    assert subprocess.run([shell, "-n", "script"], capture_output=True).returncode == 0


def test_a_shell_that_is_not_known_is_named_with_those_that_are(capsys):
    assert main(["completion", "basch"]) == 1
    assert "did you mean 'bash'" in capsys.readouterr().err


# ---- the manual page


def test_the_manual_page_has_every_command_and_no_error(here):
    if not shutil.which("groff"):
        pytest.skip("no groff here")
    page = ROOT / "man" / "tenter.1"
    done = subprocess.run(["groff", "-man", "-Tascii", "-ww", page], capture_output=True, text=True)

    assert (done.returncode, done.stderr) == (0, "")
    assert all(f"tenter {name}" in done.stdout for name in COMMANDS)
