"""Checks that run for real, within the time that is left."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from clean_start import works
from processes import ENV, linux, lives, within
from tenterhook.library.actions.settings import ActionSettings
from tenterhook.library.project.checks import checks
from tenterhook.library.project.run import Result, run
from tenterhook.library.project.subject import subject
from tenterhook.tools.approve import decide

from .conftest import Put

RUST = """pub fn add(a: i32, b: i32) -> i32 {
    a OP b
}

#[cfg(test)]
mod tests {
    #[test]
    fn adds() {
        assert_eq!(super::add(1, 2), 3);
    }
}
"""


def ran(root: Path, words: list[str], left: float = 20.0) -> Result:
    """A project's own test command."""
    settings = ActionSettings()
    settings.commands = {"test": words}
    (root / "app.py").touch()
    about = subject(str(root), str(root / "app.py"))
    assert about is not None
    (result,) = run(checks([about], settings, ("test",)), left, "")
    return result


def test_exit_zero_passes_and_another_fails_with_the_last_lines(tmp_path: Path) -> None:
    assert ran(tmp_path, ["true"]).state == "pass"
    failed = ran(tmp_path, ["sh", "-c", "echo one; echo two >&2; exit 3"])

    assert (failed.state, failed.first) == ("fail", ["one", "two"])


def test_a_program_that_is_not_there_is_not_run_and_no_failure(tmp_path: Path) -> None:
    absent = ran(tmp_path, ["no-such-program"])
    inside = ran(tmp_path, ["sh", "-c", "no-such-program"])

    assert (absent.state, inside.state) == ("absent", "absent")
    assert absent.detail.startswith("no-such-program: not found in PATH")
    assert inside.detail.endswith(": not run")


def test_what_takes_too_long_is_late_and_ended_with_its_children(tmp_path: Path) -> None:
    began = time.monotonic()
    late = ran(tmp_path, ["sh", "-c", "sleep 60 & echo $! > child; sleep 60"], left=1.5)

    assert time.monotonic() - began < 5
    assert (late.state, late.line.startswith("did not finish within 1.5 s: sh -c ")) == ("late", True)
    assert not lives(int((tmp_path / "child").read_text()))


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGTERM, 128 + signal.SIGTERM), pytest.param(signal.SIGKILL, -signal.SIGKILL, marks=linux)],
)
def test_a_hook_that_its_agent_ends_takes_along_what_it_runs(number: int, code: int, tmp_path: Path) -> None:
    command = ["sh", "-c", "trap '' TERM; sleep 60 & setsid sleep 60 & echo $! $$ > ids; mv ids pids; wait"]
    root, env = tmp_path / "project", {**ENV, "XDG_STATE_HOME": str(tmp_path / "state")}
    root.mkdir()
    (root / "tenterhook.toml").write_text(f"[actions]\ncommands = {{ test = {json.dumps(command)} }}\n")
    (root / "app.py").touch()
    found = decide.look(root, environ=env)
    decide.approve(found, found.standings)
    call = [sys.executable, "-m", "tenterhook", "hook", "post-tool", "--project", str(root), "--budget", "30"]
    event = {"tool_name": "Edit", "tool_input": {"file_path": "app.py", "old_string": "a", "new_string": "b"}}

    hook = subprocess.Popen(call, stdin=subprocess.PIPE, cwd=root, env=env, text=True)
    assert hook.stdin is not None
    with hook.stdin as stdin:
        json.dump(event, stdin)
    assert within(20, (root / "pids").exists)
    hook.send_signal(number)

    assert hook.wait(5) == code
    pids = [int(pid) for pid in (root / "pids").read_text().split()]
    assert within(5, lambda: not any(lives(pid) for pid in pids))


def test_without_time_nothing_is_started(tmp_path: Path) -> None:
    assert ran(tmp_path, ["touch", "started"], left=0.3).state == "late"
    assert not (tmp_path / "started").exists()


def test_one_that_is_killed_has_failed(tmp_path: Path) -> None:
    killed = ran(tmp_path, ["sh", "-c", "kill -9 $$"])

    assert killed.state == "fail"
    assert "SIGKILL" in killed.first[-1]


def test_what_stands_beside_the_program_is_found_first(put: Put) -> None:
    root = put({"bin/run": "#!/bin/sh\nother\n", "bin/other": "#!/bin/sh\necho the other one; exit 1\n"})

    assert ran(root, [str(root / "bin/run")]).first == ["the other one"]


def test_a_known_tool_is_known_behind_another_one(tmp_path: Path) -> None:
    failed = ran(tmp_path, ["env", "echo", "pytest"])

    assert (failed.tool, failed.state) == ("pytest", "pass")


def test_a_flood_of_output_is_no_danger(tmp_path: Path) -> None:
    flood = ran(tmp_path, ["sh", "-c", "yes | head -c 20000000; echo the end; exit 1"])

    assert flood.first[-1] == "the end"


@pytest.mark.req("CC-RULE-no-recursion")
def test_hooks_do_not_run_inside_of_what_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = ["sh", "-c", "echo $TENTERHOOK_DEPTH $CI $NO_COLOR $PYTHONDONTWRITEBYTECODE; exit 1"]

    assert ran(tmp_path, told).first == ["1 1 1 1"]
    monkeypatch.setenv("TENTERHOOK_DEPTH", "3")
    assert ran(tmp_path, told).first == ["3 1 1 1"]


def test_a_file_whose_name_is_no_text_is_tested(put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIRTUAL_ENV", sys.prefix)
    name = os.fsdecode(b"caf\xe9")
    root = put({f"{name}.py": "x = 1\n", f"tests/test_{name}.py": "def test_it():\n    assert str(1)\n"})
    about = subject(str(root), str(root / f"{name}.py"))
    assert about is not None
    (result,) = run(checks([about], ActionSettings(), ("test",)), 20, "")

    assert result.line.startswith("ran 1 test of caf\\udce9.py in ")


@pytest.mark.skipif(not works("cargo", "--version"), reason="cargo does not run here")
def test_a_rust_crate_is_tested_as_a_whole(put: Put, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CARGO_TARGET_DIR", str(tmp_path / "target"))
    crate = '[package]\nname = "sample"\nversion = "0.1.0"\nedition = "2021"\n'
    states = []
    for sign in "+-":
        root = put({"Cargo.toml": crate, "src/lib.rs": RUST.replace("OP", sign)}, tmp_path / "crate")
        about = subject(str(root), str(root / "src/lib.rs"))
        assert about is not None
        (result,) = run(checks([about], ActionSettings(), ("test",)), 120, "")
        states.append((result.state, result.tests))

    assert states == [("pass", 1), ("fail", 1)]
    assert any("panicked at src/lib.rs" in line for line in result.first)
