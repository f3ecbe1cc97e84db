"""`tenter log` and `tenter stats`."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from conftest import Project
from tenterhook.cli.commands import log

from .journals import DENIES, Kept, entry, ran


def some(kept: Kept) -> None:
    kept.put(
        entry(1, target="Bash", decision="deny", blocked=True, reason="no\x1b[2J", attempts=[ran("guard\x07", 0.25)]),
        entry(2, count=12, until="2026-11-16T09:00:03.000Z", skipped=[{"hook": "x", "source": "y", "why": "matcher"}]),
        entry(3, session="second", success=False, attempts=[ran("flaky", 0.5, failed=True, error="timeout")]),
    )


def test_the_log_is_a_table_the_newest_last(kept: Kept) -> None:
    some(kept)

    done = kept.tenter("log")

    head, one, two, three = done.stdout.splitlines()
    assert head.split() == ["TIME", "ID", "PROJECT", "EVENT", "ABOUT", "DECISION", "TOOK", "HOOKS"]
    assert one.endswith("guard\\x07: no\\x1b[2J")
    assert "none x12" in two
    assert two.endswith("none ran: matcher")
    assert "failed" in three
    assert three.endswith("flaky: failed: timeout")
    assert all(line[head.index("PROJECT") :].startswith("/work/shop ") for line in (one, two, three))
    assert {line.index("tool.before") for line in (one, two, three)} == {head.index("EVENT")}
    assert (done.returncode, done.stderr) == (0, "")


def test_the_log_says_why_a_hook_failed_beside_what_another_decided(project: Project, kept: Kept) -> None:
    project.write(
        "tenterhook.toml",
        f'{DENIES}\n[[hook]]\nname = "flaky"\non = "tool.before"\ncommand = "echo a; echo disk full >&2; exit 3"\n'
        'on_failure = "allow"\n',
    )
    kept.tenter("fire", "tool.before", "--trust", stdin='{"tool_name": "Bash"}')
    kept.tenter("fire", "tool.before", "--trust", stdin='{"tool_name": "Read"}')

    _, both, alone = kept.tenter("log").stdout.splitlines()

    assert both.endswith("guard, flaky: not here; flaky failed: exit code 3: disk full")
    assert alone.endswith("flaky: failed: exit code 3: disk full")


def test_the_log_as_json_is_the_lines(kept: Kept) -> None:
    some(kept)

    done = kept.tenter("log", "--json", "--limit", "2")

    assert done.stdout.encode() == b"".join(kept.raw().splitlines(keepends=True)[1:])


def test_why_a_hook_failed_can_be_read_on_a_narrow_terminal(
    project: Project, kept: Kept, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    entry = '[[hook]]\non = "notify"\nname = "backup"\ncommand = "echo no room on the disk >&2; exit 7"\n'
    project.write("tenterhook.toml", entry)
    project.fire("tenterhook", "notify", {"type": "a", "message": "b"})
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("XDG_STATE_HOME", str(kept.folder.parents[1]))

    assert log.run([]) == 0

    assert capsys.readouterr().out.endswith("\n    backup: failed: exit code 7: no room on the disk\n")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--decision", "deny"], ["abc-1"]),
        (["--hook", "fl*"], ["abc-3"]),
        (["--session", "sec"], ["abc-3"]),
        (["--event", "tool.before", "--limit", "1"], ["abc-3"]),
        (["--since", "2026-11-16T09:00:02+00:00"], ["abc-2", "abc-3"]),
        (["--since", "9999w"], ["abc-1", "abc-2", "abc-3"]),
        (["--project", "/work/shop/../shop"], ["abc-1", "abc-2", "abc-3"]),
        (["--project", "/work"], []),
    ],
)
def test_the_log_is_filtered(kept: Kept, words: list[str], expected: list[str]) -> None:
    some(kept)

    done = kept.tenter("log", "--json", *words)

    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == expected


def test_one_entry_in_full(project: Project, kept: Kept) -> None:
    project.write("tenterhook.toml", DENIES)
    outcome = project.fire("tenterhook", "tool.before", {"tool_name": "Bash", "tool_input": {"command": "ls"}})

    done = kept.tenter("log", "--id", outcome.id)

    assert done.returncode == 0
    assert 'input     {"command":"ls"}' in done.stdout
    assert "tool.before: blocked" in done.stdout
    assert "ran 1 hook" in done.stdout
    assert kept.tenter("log", "--id", outcome.id, "--json").stdout.encode() == kept.raw()


def test_statistics_are_a_table_of_hooks_and_one_of_sessions(kept: Kept) -> None:
    some(kept)

    done = kept.tenter("stats")

    assert [line.split()[:2] for line in done.stdout.splitlines()[1:3]] == [["flaky", "1"], ["guard\\x07", "1"]]
    assert "14 events in 2 sessions" in done.stdout
    assert (done.returncode, done.stderr) == (0, "")


def test_statistics_as_json(kept: Kept) -> None:
    some(kept)

    found = json.loads(kept.tenter("stats", "--json", "--limit", "1").stdout)

    assert [(one["hook"], one["timeouts"], one["p95"]) for one in found["hooks"]] == [("flaky", 1, 0.5)]
    assert [one["session"] for one in found["sessions"]] == ["second"]
    assert (found["totals"]["hooks"], found["totals"]["events"], found["totals"]["seconds"]) == (2, 14, 0.75)


@pytest.mark.parametrize("command", ["log", "stats"])
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--since", "yesterday"], "--since must be 30m, 2h, 7d"),
        (["--since", "999999w"], "--since must be 30m"),
        (["--limit", "0"], "--limit must be a whole number of at least 1, not '0'"),
        (["--limit", "many"], "--limit must be a whole number"),
        (["--decision", "block"], "--decision may be allow, ask, deny, none; not 'block'"),
        (["--journal", "/no/such/folder"], "is not a folder"),
        (["--sesion", "x"], "did you mean '--session'?"),
    ],
)
def test_a_wrong_call_is_said_in_one_line(kept: Kept, command: str, words: list[str], said: str) -> None:
    done = kept.tenter(command, *words)

    assert done.returncode == 1
    assert said in done.stderr.splitlines()[0]
    assert "Traceback" not in done.stderr


def test_an_entry_that_is_not_there_is_said(kept: Kept) -> None:
    done = kept.tenter("log", "--id", "nothing")

    assert (done.returncode, done.stdout) == (1, "")
    assert "no entry 'nothing'" in done.stderr


@pytest.mark.parametrize("command", ["log", "stats"])
def test_an_empty_journal_and_one_without_a_fitting_entry_are_told_apart(kept: Kept, command: str) -> None:
    empty = kept.tenter(command)
    kept.put(entry(1))
    unfit = kept.tenter(command, "--session", "other")

    assert [empty.returncode, unfit.returncode] == [0, 0]
    assert "is empty" in empty.stderr
    assert "no entry of the journal matches" in unfit.stderr


@pytest.mark.parametrize("command", ["log", "stats"])
def test_a_journal_that_is_switched_off_or_damaged_is_said(project: Project, kept: Kept, command: str) -> None:
    project.home(".config/tenterhook/tenterhook.toml", "[settings]\njournal = false\n")
    kept.put(entry(1))
    kept.add(b"torn\n")

    done = kept.tenter(command)

    assert done.returncode == 0
    assert "the journal is switched off (settings.journal)" in done.stderr
    assert "left out: 1 line" in done.stderr


def test_another_journal_can_be_read(project: Project, kept: Kept) -> None:
    some(kept)
    kept.folder.rename(project.root / "moved")

    assert len(kept.tenter("log", "--json", "--journal", "moved").stdout.splitlines()) == 3


@contextmanager
def following(kept: Kept, *words: str) -> Iterator[subprocess.Popen[str]]:
    argv = [sys.executable, "-u", "-m", "tenterhook.cli.main", "log", "--follow", "--json", *words]
    child = subprocess.Popen(
        argv,
        env=kept.project.environ(),
        cwd=kept.project.root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield child
    finally:
        child.kill()
        child.communicate(timeout=60)


def test_following_goes_on_across_files_until_ctrl_c(kept: Kept) -> None:
    kept.put(entry(1))
    with following(kept) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        seen = [child.stdout.readline()]
        kept.put(entry(2))
        seen.append(child.stdout.readline())
        kept.put(entry(3), entry(4), file="2026-11-17-0001.jsonl")
        seen += [child.stdout.readline(), child.stdout.readline()]
        child.send_signal(signal.SIGINT)

        assert child.wait(60) == 0
        assert [json.loads(line)["id"] for line in seen] == ["abc-1", "abc-2", "abc-3", "abc-4"]
        assert child.stderr.read() == ""


def test_following_ends_when_nobody_reads_any_more(kept: Kept) -> None:
    kept.put(entry(1))
    with following(kept) as child:
        assert child.stdout is not None
        child.stdout.readline()
        child.stdout.close()

        end = time.monotonic() + 60
        while child.poll() is None and time.monotonic() < end:
            time.sleep(0.05)
        assert child.returncode == 0


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_journal_that_may_not_be_read_is_said(kept: Kept) -> None:
    kept.put(entry(1))
    kept.folder.chmod(0)
    try:
        done = kept.tenter("log")
    finally:
        kept.folder.chmod(0o700)

    assert done.returncode == 1
    assert "cannot be read: Permission denied" in done.stderr


@pytest.mark.parametrize("command", ["log", "stats"])
def test_something_else_where_the_journal_belongs_is_no_empty_journal(kept: Kept, command: str) -> None:
    kept.folder.parent.mkdir(parents=True, exist_ok=True)
    kept.folder.write_text("")

    done = kept.tenter(command)

    assert done.returncode == 1
    assert "cannot be read: it is not a folder" in done.stderr
