"""`tenter convert`: what it prints and writes, and its exit codes."""

import json

import pytest

from tenterhook import Engine, dialects
from tenterhook.cli.main import main

MOAI = ".claude/settings.json"
GUARD = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "./guard.sh"}]}]}}


@pytest.fixture
def guard(write):
    write("guard.sh", '#!/bin/sh\necho "no" >&2\nexit 2\n', mode=0o755)
    write(MOAI, GUARD)


def test_it_prints_the_config_and_tells_the_losses_apart_from_it(guard, command):
    code, out, err = command("--from", "moai", "--to", "wave", "--all")

    assert code == 3
    assert json.loads(out)["hooks"]["PreToolUse"][0]["matcher"] == "Bash"
    assert err.startswith("1 of 1 hook from moai to wave: for ")
    assert (
        "PreToolUse -> PreToolUse: decision deny at the top level: refused, the model is told | goes on [hazard 8"
        in err
    )


def test_each_hook_works_is_changed_or_is_broken_with_the_reason_and_the_fix(guard, write, command, tmp_path):
    entry = {"type": "command", "command": "./guard.sh"}
    hooks = {"PreToolUse": [{"matcher": "Bash", "hooks": [entry]}]}
    hooks["TeammateIdle"] = [{"hooks": [{"type": "command", "command": "./idle.sh"}]}]
    write("idle.sh", "#!/bin/sh\n", mode=0o755)
    write(MOAI, {"hooks": hooks})

    code, out, _ = command("--from", "moai", "--to", "moai", "-o", str(tmp_path / "same.json"))
    assert code == 0
    assert "  works    guard.sh  " in out

    code, _, err = command("--from", "moai", "--to", "wave")
    assert code == 3
    assert "  broken   idle.sh  " in err
    assert "not converted: " in err
    assert "--all lists them" in err
    assert "PreToolUse -> PreToolUse" not in err

    _, _, err = command("--from", "moai", "--to", "gemini")
    assert "  changed  guard.sh  " in err
    assert "Bash is run_shell_command there" in err


def test_without_a_loss_the_exit_code_is_0(guard, command):
    code, _, err = command("--from", "moai", "--to", "moai")

    assert code == 0
    assert err.endswith("nothing is lost\n")


def test_written_into_a_file_that_is_there_what_stands_in_it_stays(guard, write, command, tmp_path):
    there = write(".llxprt/settings.json", '{\n  // mine\n  "theme": "dark"\n}\n')

    code, out, _ = command("--from", "moai", "--to", "llxprt", "--write")
    first = there.read_text()
    assert code == 3
    assert "written to" in out
    assert first.startswith('{\n  // mine\n  "theme": "dark",\n')
    with Engine(tmp_path, dialect="llxprt", trust="all", journal=False) as engine:
        assert [hook.matcher for hook in engine.hooks()] == ["^run_shell_command$"]

    command("--from", "moai", "--to", "llxprt", "--write")
    assert there.read_text() == first


def test_written_to_a_file_of_ones_own_its_name_says_the_format(guard, command, tmp_path):
    target = tmp_path / "deep" / "hooks.json"

    code, _, _ = command("--from", "moai", "--to", "amcp", "-o", str(target))

    assert code == 3
    assert json.loads(target.read_text())["hooks"]["PreToolUse"]


def test_where_nothing_can_be_converted_nothing_is_written(write, command, tmp_path):
    write(MOAI, {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "a | b"}]}]}})

    code, out, _ = command("--from", "moai", "--to", "massgen", "--write")

    assert code == 1
    assert out.startswith("0 of 1 hook from moai to massgen: nothing was written to ")
    assert not (tmp_path / "massgen.yaml").exists()


def test_hooks_are_not_added_to_the_file_in_which_they_stand(guard, command, tmp_path):
    """They would run twice there, and what the other agent calls malformed would stay."""
    before = (tmp_path / MOAI).read_text()

    code, _, err = command("--from", "moai", "--to", "claude", "--write")

    assert code == 1
    assert err == f"tenter: {MOAI} is where the hooks are; write them to another file with -o, to take its place\n"
    assert (tmp_path / MOAI).read_text() == before


def test_a_file_that_the_other_agent_reads_too_is_named(guard, command):
    _, _, err = command("--from", "claude", "--to", "copilot")
    assert "GitHub Copilot CLI reads this file too, so that what it can run of it runs twice" in err

    assert "reads this file too" not in command("--from", "claude", "--to", "codex")[2]


def test_a_limit_of_follow_ups_is_lost_by_the_name_that_it_had(write, command):
    write(".cursor/hooks.json", {"version": 1, "hooks": {"stop": [{"command": "true", "loop_limit": 1}]}})

    _, _, err = command("--from", "cursor", "--to", "codex")

    assert "key (loop_limit): loop_limit has no key there, so it does not count" in err


def test_a_byte_order_mark_stays(guard, command, tmp_path):
    there = tmp_path / ".wave" / "settings.json"
    there.parent.mkdir()
    there.write_bytes(b'\xef\xbb\xbf{"a": 1}\r\n')

    command("--from", "moai", "--to", "wave", "--write")

    assert there.read_bytes().startswith(b'\xef\xbb\xbf{"a": 1, "hooks": ')
    assert there.read_bytes().endswith(b"}\r\n")


def test_what_is_no_file_is_not_written_over(guard, command, tmp_path):
    (tmp_path / ".wave" / "settings.json").mkdir(parents=True)

    code, _, err = command("--from", "moai", "--to", "wave", "--write")

    assert code == 1
    assert err == "tenter: .wave/settings.json is not a regular file; move it away first\n"


def test_everything_as_json(guard, command):
    code, out, _ = command("--from", "moai", "--to", "amcp", "--json")

    data = json.loads(out)
    assert code == 3
    assert data.keys() == {
        *("source", "target", "file", "format", "text", "hooks", "converted", "fates", "losses", "differences"),
    }
    assert data["differences"][0].keys() == {"event", "to", "case", "before", "after", "hazard", "advice"}
    assert data["losses"][0].keys() >= {"number", "name", "level", "file", "line", "column", "key", "hook", "text"}


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (("--from", "moai"), "--to is missing"),
        (("--to", "moai"), "--from is missing"),
        (("--from", "moai", "--to", "nobody"), "no dialect 'nobody'"),
        (("--from", "moai", "--to", "wave", "--write", "-o", "x.json"), "cannot be used together"),
        (("--from", "moai", "--to", "wave", "-o", "x.ini"), "does not read a project file like 'x.ini'"),
        (("--from", "wave", "--to", "moai"), "no hooks of Wave here; looked for:"),
    ],
)
def test_what_cannot_be_done_is_said_and_the_exit_code_is_1(argv, said, guard, command):
    code, out, err = command(*argv)

    assert (code, out) == (1, "")
    assert said in err


def test_a_broken_file_is_named_with_line_and_column(write, command):
    write(MOAI, '{"hooks": {\n  "PreToolUse": [,]\n}}')

    code, _, err = command("--from", "moai", "--to", "wave")

    assert code == 1
    assert f"{MOAI}:2:18: " in err


def test_hooks_run_only_where_they_were_approved_and_both_sides_are_compared(guard, write, command, tmp_path, capsys):
    write("guard.sh", f'#!/bin/sh\ntouch {tmp_path}/ran\necho \'{{"decision": "deny"}}\'\n', mode=0o755)

    code, _, err = command("--from", "moai", "--to", "wave", "--check")
    assert code == 3
    assert "not run: ./guard.sh is not approved" in err
    assert not (tmp_path / "ran").exists()

    assert main(["trust", "--project", str(tmp_path), "--dialect", "moai", "--yes"]) == 0
    capsys.readouterr()
    _, _, err = command("--from", "moai", "--to", "wave", "--check")
    assert (tmp_path / "ran").exists()
    assert "PreToolUse -> PreToolUse: run with Bash: refused, the model is told | goes on" in err


@pytest.mark.parametrize("name", dialects.names())
def test_a_place_for_hooks_is_known_in_each_dialect(name):
    from tenterhook.tools.convert.write_file import file_for, path_of

    file = file_for(dialects.get(name))

    assert file.scope == "project"
    assert "*" not in path_of(file)
