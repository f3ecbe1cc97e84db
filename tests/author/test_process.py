"""A hook's whole process: what it reads, what it prints, and its exit code, whatever it is given."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tenterhook.author.start import RUN_HOOK

GUARD = """
import sys
from tenterhook import hook

print("while it is loaded")

@hook("tool.before", match="shell", on_failure=ON_FAILURE)
def guard(event, words=("rm",), strict=False):
    print("noise")
    if "crash" in event.command:
        raise KeyError("odd")
    if strict or any(word in event.command for word in words):
        return hook.deny(f"{event.agent}: not {event.command}")

@hook("turn.stop")
def tests_first(event):
    return hook.deny("run the tests")

if __name__ == "__main__":
    hook.main()
"""
CALL = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "rm x"}}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    found = tmp_path / "guard.py"
    found.write_text(GUARD.replace("ON_FAILURE", '""'))
    return found


def called(*argv: str | Path, given: Any = CALL, **env: str) -> subprocess.CompletedProcess[bytes]:
    data = given if isinstance(given, bytes) else json.dumps(given).encode()
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("CLAUDE", "PYTHON"))} | env
    return subprocess.run([sys.executable, *map(str, argv)], input=data, capture_output=True, env=environ, timeout=30)


def run(*argv: str | Path, **options: Any) -> subprocess.CompletedProcess[bytes]:
    return called(RUN_HOOK, *argv, **options)


def said(done: subprocess.CompletedProcess[bytes]) -> dict[str, Any]:
    return dict(json.loads(done.stdout)["hookSpecificOutput"])


def test_the_answer_alone_is_on_stdout_and_what_a_hook_prints_on_stderr(file: Path) -> None:
    done = called(file, "--agent", "moai")

    assert said(done)["permissionDecisionReason"] == "moai: not rm x"
    assert done.stderr.decode().split("\n") == ["while it is loaded", "noise", ""]
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("wrong", "why"),
    [('"tool.befor"', "did you mean 'tool.before'?"), ('"tool.before", match="("', "is not a regular expression")],
)
def test_a_mistake_in_a_hooks_own_line_refuses_instead_of_ending_in_a_traceback(
    tmp_path: Path, wrong: str, why: str
) -> None:
    file = tmp_path / "guard.py"
    file.write_text(GUARD.replace('"tool.before", match="shell", on_failure=ON_FAILURE', wrong))
    done = called(file, "--agent", "claude")

    assert said(done)["permissionDecision"] == "deny"
    assert why in said(done)["permissionDecisionReason"]
    assert b"Traceback" not in done.stderr


def test_a_byte_order_mark_is_no_part_of_the_event(file: Path) -> None:
    done = called(file, "--agent=moai", given=b"\xef\xbb\xbf" + json.dumps(CALL).encode())

    assert said(done)["permissionDecision"] == "deny"


@pytest.mark.parametrize("given", [b"", b"{", b"[]", b"\xff\xfe", b"[" * 100_000], ids=len)
def test_an_event_that_cannot_be_read_is_refused_as_every_agent_understands(file: Path, given: bytes) -> None:
    done = called(file, "--agent", "moai", given=given)

    assert (done.returncode, done.stdout) == (2, b"")
    assert b"This cannot be checked: " in done.stderr


def test_where_no_hook_guards_an_unreadable_event_refuses_nothing(tmp_path: Path) -> None:
    open_file = tmp_path / "open.py"
    open_file.write_text(GUARD.replace("ON_FAILURE", '"allow"'))

    assert called(open_file, "--agent", "moai", given=b"{").returncode == 1


def test_a_refusal_that_cannot_be_printed_is_an_exit_code(file: Path) -> None:
    argv = ["sh", "-c", '"$0" "$1" --agent moai >&-', sys.executable, str(file)]
    done = subprocess.run(argv, input=json.dumps(CALL).encode(), capture_output=True, timeout=30)

    assert done.returncode == 2
    assert b"moai: not rm x" in done.stderr


@pytest.mark.parametrize(
    ("policy", "decision"), [("", "deny"), ("deny", "deny"), ("ask", "ask"), ("allow", None)], ids=str
)
def test_an_exception_is_reported_with_its_line_and_follows_on_failure(
    policy: str, decision: str | None, tmp_path: Path
) -> None:
    file = tmp_path / "guard.py"
    file.write_text(GUARD.replace("ON_FAILURE", repr(policy)))
    done = called(file, "--agent", "moai", given={**CALL, "tool_input": {"command": "crash"}})

    report = "hook guard failed: KeyError: 'odd' (guard.py, line 11)"
    assert report in done.stderr.decode()
    answer = json.loads(done.stdout)
    if decision:
        assert answer["hookSpecificOutput"]["permissionDecision"] == decision
        assert report in answer["hookSpecificOutput"]["permissionDecisionReason"]
    else:
        assert answer == {"systemMessage": report}


def test_several_files_give_one_answer_each_with_its_own_options(file: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.py"
    other.write_text(GUARD.replace("ON_FAILURE", '""').replace("not {", "never {"))
    words = ("--agent", "moai")
    both = run(file, other, "--set", "words=mv", *words)
    all_strict = run(file, other, "--set", "strict=yes", *words, given={**CALL, "tool_input": {"command": "ls"}})
    neither = run("--set", "words=mv, cp", file, other, *words)

    assert said(both)["permissionDecisionReason"] == "moai: not rm x"
    assert said(all_strict)["permissionDecisionReason"] == "moai: never ls"
    assert neither.stdout == b""


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--set", "wrods=mv"), "no hook here has an option 'wrods' (did you mean 'words'?)"),
        (("--set", "strict=perhaps"), "yes or no is needed, not 'perhaps'"),
        (("--bogus",), "no option '--bogus'"),
        (("--agent",), "--agent needs a value"),
        (("no-such-file.py",), "FileNotFoundError"),
        (("library:no-such-hook",), "the library has no hook 'no-such-hook'"),
        (("broken.py",), "NameError: name 'nowhere' is not defined (line 2)"),
        (("--options", "no-such.toml"), "no-such.toml"),
        (("--options", "flat.toml"), "flat.toml: words is not in a table: write it below [guard]"),
        (("--options", "spelled.toml"), "spelled.toml: there is no hook 'Tests_First'; did you mean [tests-first]?"),
    ],
    ids=str,
)
def test_a_hook_that_cannot_be_had_as_it_was_meant_refuses_what_it_guards(
    words: tuple[str, ...], problem: str, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (file.parent / "broken.py").write_text("from tenterhook import hook\nnowhere\n")
    (file.parent / "flat.toml").write_text('words = ["mv"]\n')
    (file.parent / "spelled.toml").write_text("[Tests_First]\n")
    monkeypatch.chdir(file.parent)
    given = {**CALL, "tool_input": {"command": "ls"}}
    done = run("--agent", "moai", file, *words, given=given)
    elsewhere = run("--agent", "moai", file, *words, given={"hook_event_name": "SessionStart"})

    assert said(done)["permissionDecision"] == "deny"
    assert problem in said(done)["permissionDecisionReason"]
    assert problem in json.loads(elsewhere.stdout)["systemMessage"]


def test_a_file_that_is_called_by_itself_is_as_strict(file: Path) -> None:
    options = file.parent / "flat.toml"
    options.write_text('words = ["mv"]\n')
    more, flat = (called(file, "--agent", "moai", *words) for words in (("more.py",), ("--options", options)))

    assert said(more)["permissionDecision"] == said(flat)["permissionDecision"] == "deny"
    assert "'more.py' is not an option" in said(more)["permissionDecisionReason"]
    assert "words is not in a table" in said(flat)["permissionDecisionReason"]


def test_options_may_stand_in_a_file_under_the_hooks_name(file: Path) -> None:
    options = file.parent / "options.toml"
    options.write_text('[guard]\nwords = ["mv"]\n[other]\nx = 1\n')

    assert run(file, "--agent", "moai", "--options", options).stdout == b""
    options.write_text("[guard]\nwords = 7\n")
    assert (
        "must be like ('rm',), not 7"
        in said(run(file, "--agent", "moai", "--options", options))["permissionDecisionReason"]
    )


def test_all_hooks_are_off_where_the_user_says_so_and_that_is_said(file: Path) -> None:
    done = called(file, "--agent", "moai", TENTERHOOK_OFF="1")

    assert (done.returncode, done.stdout) == (0, b"")
    assert b"TENTERHOOK_OFF is set" in done.stderr


def test_a_file_that_calls_main_without_a_condition_answers_once(tmp_path: Path) -> None:
    file = tmp_path / "bare.py"
    file.write_text(
        'from tenterhook import hook\n@hook("tool.before")\ndef no(event): return hook.deny("no")\nhook.main()\n'
    )

    assert said(run(file, "--agent", "moai"))["permissionDecision"] == "deny"
    assert said(called(file, "--agent", "moai"))["permissionDecision"] == "deny"


@pytest.mark.parametrize(
    "agent", ["claude@x", "claude@", "claude@2.x", "claude@2..1", "claude@-1", "moai@x", "claude@@1"]
)
def test_a_version_that_is_none_is_told_and_the_plain_agent_is_answered(file: Path, agent: str) -> None:
    plain = run(file, "--agent", agent.partition("@")[0])
    done = run(file, "--agent", agent)

    assert (done.returncode, done.stdout) == (plain.returncode, plain.stdout)
    assert b"rm x" in plain.stdout
    assert b"is not a version (numbers with dots between them)" not in plain.stderr
    assert f"--agent {agent}: ".encode() in done.stderr
    assert b"is not a version (numbers with dots between them)" in done.stderr


@pytest.mark.parametrize("agent", ["claude@2.1.240", "claude@99", "claude"])
def test_nothing_is_said_of_a_version_that_may_be_one(file: Path, agent: str) -> None:
    done = run(file, "--agent", agent)

    assert said(done)["permissionDecision"] == "deny"
    assert b"no version" not in done.stderr
