"""`tenter trust`, `tenter lock`, `tenter audit`, and what other commands say about trust."""

from __future__ import annotations

import json
import os
import pty
import select
import shlex
import subprocess
import sys
import time
from pathlib import Path

import pytest

from trust.conftest import TENTER, Trusting

EVENT = json.dumps({"tool_name": "Bash", "tool_input": {"command": "ls"}})


def test_everything_that_would_run_is_shown_and_nothing_is_approved_without_a_yes(guarded: Trusting) -> None:
    done = guarded.tenter("trust")

    assert done.returncode == 1
    assert all(text in done.stdout for text in ("untrusted  guard", "./guard.sh", "matches Bash", "bound to guard.sh"))
    assert "--yes" in done.stderr
    assert guarded.states() == ["untrusted"]


def test_yes_approves_what_is_shown(guarded: Trusting) -> None:
    assert guarded.tenter("trust", "--yes").returncode == 0
    assert guarded.states() == ["trusted"]
    again = guarded.tenter("trust")
    assert (again.returncode, "1 trusted" in again.stdout) == (0, True)


def test_a_change_is_shown_as_a_diff(guarded: Trusting) -> None:
    guarded.approve()
    guarded.project.script("guard.sh", "exit 0\n")
    shown = guarded.tenter("trust").stdout

    assert "modified  guard" in shown
    assert "-exit 2" in shown
    assert "+exit 0" in shown


def test_the_entries_by_which_agents_call_this_program_are_shown_together(guarded: Trusting) -> None:
    """What else such an entry does, or another program of that name, is shown like any hook."""
    program = Path(sys.executable).with_name("tenter")
    other = guarded.project.script("bin/tenter", "exit 0\n")
    calls = [f"{program} run --agent claude", f"{other} run --agent claude", f"{program} run --agent claude; true"]
    hooks = [{"type": "command", "command": one} for one in calls]
    groups = {event: [{"hooks": hooks}] for event in ("PreToolUse", "Stop")}
    guarded.project.write(".claude/settings.json", json.dumps({"hooks": groups}))
    shown = guarded.tenter("trust", "--yes").stdout

    assert shown.count(f"untrusted  {calls[0]}  ") == 1
    assert "    at PreToolUse, Stop\n" in shown
    assert all(shown.count(f"untrusted  {one}  ") >= 2 for one in calls[1:])
    assert set(guarded.states()) == {"trusted"}


def test_one_of_several_is_approved_by_its_name(trusting: Trusting) -> None:
    entry = '[[hook]]\non = "tool.before"\nname = "{0}"\ncommand = "touch {0}"\n'
    trusting.project.write("tenterhook.toml", entry.format("one") + entry.format("two"))

    assert trusting.tenter("trust", "--yes", "two").returncode == 0
    assert trusting.states() == ["untrusted", "trusted"]
    wrong = trusting.tenter("trust", "--yes", "thre")
    assert (wrong.returncode, "no hook 'thre'" in wrong.stderr) == (1, True)


def test_approving_around_a_denied_one_exits_one(trusting: Trusting) -> None:
    entry = '[[hook]]\non = "tool.before"\nname = "{0}"\ncommand = "touch {0}"\n'
    trusting.project.write("tenterhook.toml", entry.format("one") + entry.format("two"))
    trusting.deny("one")

    assert trusting.tenter("trust", "--yes").returncode == 1
    assert trusting.states() == ["denied", "trusted"]


def test_deny_and_revoke(guarded: Trusting) -> None:
    guarded.approve()
    assert guarded.tenter("trust", "--deny", "guard").returncode == 0
    assert guarded.states() == ["denied"]
    refused = guarded.tenter("trust", "--yes")
    assert (refused.returncode, "1 item denied; --revoke takes that back" in refused.stderr) == (1, True)
    assert guarded.states() == ["denied"]
    assert guarded.tenter("trust", "--revoke", "guard").returncode == 0
    assert guarded.states() == ["untrusted"]
    assert guarded.tenter("trust", "--deny").returncode == 0
    assert guarded.states() == ["denied"]
    assert guarded.tenter("trust", "--revoke").returncode == 0
    assert guarded.states() == ["untrusted"]


def test_two_words_at_once_are_a_wrong_call(guarded: Trusting) -> None:
    done = guarded.tenter("trust", "--yes", "--deny")

    assert (done.returncode, "cannot be used together" in done.stderr) == (1, True)


def test_json_has_everything(guarded: Trusting) -> None:
    found = json.loads(guarded.tenter("trust", "--json").stdout)
    [item] = found["items"]

    assert (item["state"], item["name"], item["event"]) == ("untrusted", "guard", "tool.before")
    assert item["entry"]["spec"]["main"] == "./guard.sh"
    assert item["files"][0]["bound"] == "content"


def test_what_a_repository_says_cannot_draw_on_the_terminal(trusting: Trusting) -> None:
    """Neither hide a line with an escape sequence, nor turn the text around."""
    name = "\\u001b[2K\\u001b[1Aharmless \\u202e"
    trusting.project.write(
        "tenterhook.toml", f'[[hook]]\non = "tool.before"\nname = "{name}"\ncommand = "touch \\u001b[8mx"\n'
    )
    trusting.approve()
    trusting.project.write(
        "tenterhook.toml", f'[[hook]]\non = "tool.before"\nname = "{name}"\ncommand = "touch \\u001b[8my"\n'
    )
    shown = trusting.tenter("trust").stdout

    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "harmless" in shown


def typed(trusting: Trusting, answer: str, *words: str) -> tuple[int, str]:
    """The command at a terminal, and a person who types."""
    mine, theirs = pty.openpty()
    environ = trusting.project.environ(TERM="dumb")
    child = subprocess.Popen(
        [str(TENTER), *words], cwd=trusting.root, env=environ, stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    said, sent, until = b"", False, time.monotonic() + 60
    while time.monotonic() < until:
        if select.select([mine], [], [], 0.2)[0]:
            try:
                more = os.read(mine, 65536)
            except OSError:
                break
            if not more:
                break
            said += more
        if b"[y/N]" in said and not sent:
            os.write(mine, answer.encode())
            sent = True
    code = child.wait(timeout=60)
    os.close(mine)
    return code, said.decode()


@pytest.mark.parametrize(
    ("answer", "state"),
    [("y\n", "trusted"), ("yes\n", "trusted"), ("\n", "untrusted"), ("n\n", "untrusted"), ("\x04", "untrusted")],
)
def test_at_a_terminal_it_asks_and_the_default_is_no(guarded: Trusting, answer: str, state: str) -> None:
    code, said = typed(guarded, answer, "trust")

    assert "Approve 1 item? [y/N]" in said
    assert guarded.states() == [state]
    assert code == (0 if state == "trusted" else 1)


def test_fire_without_approval_skips_and_require_trusted_says_so(guarded: Trusting) -> None:
    plain = guarded.tenter("fire", "tool.before", given=EVENT)
    required = guarded.tenter("fire", "tool.before", "--require-trusted", given=EVENT)

    assert (plain.returncode, required.returncode) == (0, 4)
    assert [one["why"] for one in json.loads(plain.stdout)["skipped"]] == ["untrusted"]


@pytest.mark.parametrize("count", [1, 2])
def test_fire_without_approval_says_so_on_one_line_with_what_to_type(guarded: Trusting, count: int) -> None:
    guarded.project.write("tenterhook.toml", guarded.project.read("tenterhook.toml") * count)
    here = guarded.tenter("fire", "tool.before", given=EVENT)
    elsewhere = guarded.tenter("fire", "tool.before", "--project", str(guarded.root), given=EVENT)
    [line] = here.stderr.splitlines()
    command = elsewhere.stderr.rpartition(": ")[2]

    what, them = ("1 hook", "it") if count == 1 else ("2 hooks", "them")
    assert line == (
        f"tenter: warning: {what} of the project did not run, because you have not approved {them}: tenter trust"
    )
    assert shlex.split(command) == ["tenter", "trust", "--project", str(guarded.root)]
    guarded.approve()
    assert guarded.tenter("fire", "tool.before", given=EVENT).stderr == ""


def test_a_secret_in_a_command_line_is_not_in_the_json_of_fire(guarded: Trusting) -> None:
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    hooks = ((match, f"./guard.sh --token {token} {match}") for match in ("Bash", "Other"))
    text = "".join(f'[[hook]]\non = "tool.before"\nmatch = "{match}"\ncommand = "{main}"\n' for match, main in hooks)
    guarded.project.write("tenterhook.toml", text)

    done = guarded.tenter("fire", "tool.before", "--trust", given=EVENT)

    outcome = json.loads(done.stdout)
    assert done.returncode == 2
    assert token not in done.stdout
    assert [one["hook"] for one in outcome["attempts"]] == ["./guard.sh --token [redacted] Bash"]
    assert [one["hook"] for one in outcome["skipped"]] == ["./guard.sh --token [redacted] Other"]
    assert {one["hook"] for one in outcome["messages"]} == {"./guard.sh --token [redacted] Bash"}


@pytest.mark.parametrize("state", ["modified", "denied"])
def test_require_trusted_counts_modified_and_denied_ones(guarded: Trusting, state: str) -> None:
    guarded.approve()
    guarded.project.script("guard.sh", "exit 0\n") if state == "modified" else guarded.deny("guard")

    assert guarded.tenter("fire", "tool.before", "--require-trusted", given=EVENT).returncode == 4


def test_an_agent_that_requires_trust_does_not_start_without(guarded: Trusting) -> None:
    script = guarded.project.write("replies.jsonl", '{"text": "Done."}\n')
    words = ("agent", "--require-trusted", "--script", str(script), "--prompt", "Go on.")
    before = guarded.tenter(*words)
    guarded.approve()

    assert (before.returncode, before.stdout) == (4, "")
    assert "guard (untrusted)" in before.stderr
    assert guarded.tenter(*words).returncode == 0


def test_an_approved_hook_needs_no_bypass(guarded: Trusting) -> None:
    guarded.approve()
    done = guarded.tenter("fire", "tool.before", "--require-trusted", given=EVENT)

    assert (done.returncode, done.stderr) == (2, "")


def test_a_bypass_prints_one_warning(guarded: Trusting) -> None:
    done = guarded.tenter("fire", "tool.before", "--trust", given=EVENT)

    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "without your approval" in done.stderr


def test_list_and_explain_say_what_state_a_hook_is_in(guarded: Trusting) -> None:
    assert "untrusted" in guarded.tenter("list").stdout
    assert "you have not approved it" in guarded.tenter("explain", "tool.before").stdout
    guarded.approve()
    guarded.project.script("guard.sh", "exit 0\n")
    assert "modified" in guarded.tenter("list").stdout
    assert "modified since it was approved: guard.sh" in guarded.tenter("explain", "tool.before").stdout.replace(
        "\n      ", " "
    )
    guarded.deny("guard")
    assert "you denied it" in guarded.tenter("explain", "tool.before").stdout


def test_a_lockfile_is_the_same_wherever_the_project_lies(guarded: Trusting) -> None:
    import shutil

    assert guarded.tenter("lock").returncode == 0
    text = guarded.project.read("tenterhook.lock")
    other = guarded.root.with_name("other")
    shutil.copytree(guarded.root, other)
    assert guarded.tenter("lock", "--project", str(other)).returncode == 0

    assert (other / "tenterhook.lock").read_text() == text
    assert str(guarded.root.parent) not in text


def test_audit_finds_what_differs(guarded: Trusting) -> None:
    assert guarded.tenter("audit").returncode == 2
    guarded.tenter("lock")
    assert guarded.tenter("audit").returncode == 0
    guarded.project.script("guard.sh", "exit 0\n")
    done = guarded.tenter("audit")
    assert done.returncode == 1
    assert "changed: guard" in done.stdout
    found = json.loads(guarded.tenter("audit", "--json").stdout)
    assert len(found["differences"]) == 1


@pytest.mark.parametrize("text", ["{", "[]", '{"items": 1}', '{"items": [], "version": 99}'])
def test_a_lockfile_that_is_none_is_said(guarded: Trusting, text: str) -> None:
    guarded.project.write("tenterhook.lock", text)
    done = guarded.tenter("audit")

    assert done.returncode == 2
    assert "tenterhook.lock" in done.stderr
    assert "Traceback" not in done.stderr


def test_audit_finds_added_and_removed_hooks(guarded: Trusting) -> None:
    guarded.tenter("lock")
    text = guarded.project.read("tenterhook.toml")
    guarded.project.write("tenterhook.toml", text + '[[hook]]\non = "turn.stop"\ncommand = "true"\n')
    assert "added: true" in guarded.tenter("audit").stdout
    guarded.project.write("tenterhook.toml", "")
    assert "removed: guard" in guarded.tenter("audit").stdout


def test_a_file_that_cannot_be_read_is_no_file_without_hooks(guarded: Trusting) -> None:
    guarded.approve()
    assert guarded.tenter("lock").returncode == 0
    guarded.project.write("tenterhook.toml", "[[hook")
    trust, lock, audit = (guarded.tenter(*words) for words in (("trust", "--yes"), ("lock",), ("audit",)))

    assert (trust.returncode, lock.returncode, audit.returncode) == (1, 1, 2)
    assert "gone" not in trust.stdout
    assert "nothing was locked" in lock.stderr


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_of_somebody_elses_is_shown_as_untrusted(guarded: Trusting) -> None:
    guarded.approve()
    os.chown(guarded.root / "tenterhook.toml", 65534, 65534)
    done = guarded.tenter("trust", "--yes")

    assert (done.returncode, "belongs to another user" in done.stderr) == (1, True)
    assert "untrusted  guard" in done.stdout
    assert not any("no longer exists" in text for text in guarded.fire().warnings)


def test_a_lockfile_that_cannot_be_written_is_said_and_leaves_nothing_behind(guarded: Trusting) -> None:
    (guarded.root / "tenterhook.lock").mkdir()
    done = guarded.tenter("lock")

    assert (done.returncode, "tenterhook.lock is not a regular file; move it away first" in done.stderr) == (1, True)
    assert not [*guarded.root.glob("*.tmp")]
