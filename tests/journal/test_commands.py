"""`tenter log` and `tenter stats`."""

import csv
import io
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

from .journals import DENIES, Kept, entry, plan, ran


def some(kept: Kept) -> None:
    kept.put(
        entry(
            *(1,),
            target="Bash",
            input={"command": "rm -rf /"},
            decision="deny",
            blocked=True,
            user="ada",
            reason="no\x1b[2J",
            attempts=[ran("guard\x07", 0.25, decision="deny")],
            agent="claude",
        ),
        plan("p", ("x", "matcher")),
        entry(2, count=12, until="2026-11-16T09:00:03.000Z", plan="p"),
        entry(3, session="second", success=False, attempts=[ran("flaky", 0.5, failed=True, error="timeout")]),
    )


def test_the_log_is_a_table_the_newest_last(kept: Kept) -> None:
    some(kept)

    done = kept.tenter("log")

    head, one, two, three = done.stdout.splitlines()
    assert head.split() == ["TIME", "ID", "AGENT", "TOOL", "WHAT", "DECISION", "REASON"]
    assert one.endswith("guard\\x07: no\\x1b[2J")
    assert one.split()[3:7] == ["claude", "Bash", "rm", "-rf"]
    assert "none x12" in two
    assert two.endswith("none ran: matcher")
    assert "failed" in three
    assert three.endswith("flaky: failed: timeout")
    assert {line.index("abc-") for line in (one, two, three)} == {head.index("ID")}
    assert (done.returncode, done.stderr) == (0, "")


def test_a_row_has_a_hundred_columns_and_a_longer_reason_its_own_line(kept: Kept) -> None:
    long = {
        "target": "mcp__server__a_very_long_tool",
        "input": {"file_path": "/work/" + "deep/" * 40},
        "agent": "x" * 40,
    }
    kept.put(entry(1, **long, decision="deny", reason="because " * 40, attempts=[ran("guard", decision="deny")]))

    done = kept.tenter("log")

    assert len(done.stdout.splitlines()) == 3
    assert max(map(len, done.stdout.splitlines())) <= 100


def test_the_log_says_why_a_hook_failed_beside_what_another_decided(project: Project, kept: Kept) -> None:
    project.write(
        "tenterhook.toml",
        f'{DENIES}\n[[hook]]\nname = "flaky"\non = "tool.before"\ncommand = "echo a; echo disk full >&2; exit 3"\n'
        'on_failure = "allow"\n',
    )
    kept.tenter("fire", "tool.before", "--trust", stdin='{"tool_name": "Bash"}')
    kept.tenter("fire", "tool.before", "--trust", stdin='{"tool_name": "Read"}')

    _, _, both, alone = kept.tenter("log").stdout.splitlines()

    assert both == "    guard: not here; flaky failed: exit code 3: disk full"
    assert alone.endswith("  flaky: failed: exit code 3: disk full")


@pytest.mark.parametrize("words", [["--json"], ["--format", "json"]])
def test_the_log_as_json_has_whole_entries(kept: Kept, words: list[str]) -> None:
    some(kept)

    one, two, three = map(json.loads, kept.tenter("log", *words).stdout.splitlines())

    assert (one["agent"], one["user"], one["target"], one["what"]) == ("claude", "ada", "Bash", "rm -rf /")
    assert (one["decision"], one["by"], one["reason"]) == ("deny", ["guard\x07"], "no\x1b[2J")
    assert two["skipped"] == [{"hook": "x", "source": "hooks.toml:1", "why": "matcher"}]
    assert (three["id"], three["ms"]) == ("abc-3", 500.0)


def test_the_log_as_csv(kept: Kept) -> None:
    some(kept)

    rows = list(csv.DictReader(io.StringIO(kept.tenter("log", "--format", "csv").stdout)))

    assert [row["id"] for row in rows] == ["abc-1", "abc-2", "abc-3"]
    assert (rows[0]["tool"], rows[0]["what"], rows[0]["by"]) == ("Bash", "rm -rf /", "guard\x07")
    assert rows[1]["count"] == "12"


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
        (["--event", "PreToolUse", "--limit", "1"], ["abc-3"]),
        (["--event", "Stop"], []),
        (["--since", "2026-11-16T09:00:02+00:00"], ["abc-2", "abc-3"]),
        (["--since", "9999w"], ["abc-1", "abc-2", "abc-3"]),
        (["--project", "/work/shop/../shop"], ["abc-1", "abc-2", "abc-3"]),
        (["--project", "/work"], []),
        (["--until", "2026-11-16T09:00:02+00:00"], ["abc-1", "abc-2"]),
        (["--tool", "Ba*"], ["abc-1"]),
        (["--agent", "claude"], ["abc-1"]),
        (["--user", "ada", "--agent", "tenterhook"], []),
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
    assert "agent     tenterhook" in done.stdout
    assert "obeyed    the agent does what was decided" in done.stdout
    [whole] = kept.tenter("log", "--id", outcome.id, "--json").stdout.splitlines()
    assert json.loads(whole)["attempts"] == kept.lines()[0]["attempts"]


def test_one_entry_names_every_hook_that_did_not_run(project: Project, kept: Kept) -> None:
    idle = '[[hook]]\nname = "idle {}"\non = "tool.before"\nmatch = "X"\ncommand = "x"\n'
    project.write("tenterhook.toml", DENIES + "".join(map(idle.format, range(150))))
    for _ in range(2):
        outcome = project.fire("tenterhook", "tool.before", {"tool_name": "Bash"})

    shown = kept.tenter("log", "--id", outcome.id).stdout

    assert len(kept.raw().splitlines()) == 4  # two parts and two entries
    assert all(f"  idle {n}: matcher (tenterhook.toml:" in shown for n in range(150))


def test_statistics_are_a_table_of_hooks_and_one_of_sessions(kept: Kept) -> None:
    some(kept)

    done = kept.tenter("stats")

    rows = [line.split()[:3] for line in done.stdout.splitlines()[1:3]]
    assert rows == [["flaky", "tenterhook", "1"], ["guard\\x07", "claude", "1"]]
    assert "14 events in 2 sessions" in done.stdout
    assert (done.returncode, done.stderr) == (0, "")


def test_statistics_as_json(kept: Kept) -> None:
    some(kept)

    found = json.loads(kept.tenter("stats", "--json", "--limit", "1").stdout)

    assert [(one["hook"], one["timeouts"], one["p95"]) for one in found["hooks"]] == [("flaky", 1, 0.5)]
    assert [one["session"] for one in found["sessions"]] == ["second"]
    assert (found["totals"]["hooks"], found["totals"]["events"], found["totals"]["seconds"]) == (2, 14, 0.75)


def test_statistics_by_hook_say_when_each_last_ran_and_which_never_did(project: Project, kept: Kept) -> None:
    never = '[[hook]]\nname = "idle"\non = "tool.before"\nmatch = "X"\ncommand = "x"\n'
    flaky = '[[hook]]\nname = "flaky"\non = "tool.before"\ncommand = "exit 3"\non_failure = "allow"\n'
    project.write("tenterhook.toml", DENIES + never + flaky)
    project.fire("tenterhook", "tool.before", {"tool_name": "Bash"})

    shown = kept.tenter("stats", "--by", "hook")
    plain = json.loads(kept.tenter("stats", "--by", "hook", "--json").stdout)

    assert "just now" in shown.stdout
    assert "never ran: idle (tenterhook.toml:" in shown.stdout
    assert {one["hook"]: (one["agent"], one["opened"], one["blocks"]) for one in plain["hooks"]} == {
        "guard": ("tenterhook", 0, 1),
        "flaky": ("tenterhook", 1, 0),
    }
    assert [one["hook"] for one in plain["never"]] == ["idle"]


@pytest.mark.parametrize("by", ["agent", "day", "project", "decision"])
def test_statistics_by_something_else_are_a_table_of_it(kept: Kept, by: str) -> None:
    some(kept)

    head, *rows = kept.tenter("stats", "--by", by).stdout.splitlines()
    plain = json.loads(kept.tenter("stats", "--by", by, "--json").stdout)

    assert head.split()[:3] == [by.upper(), "EVENTS", "DENIED"]
    assert len(rows) == len(plain[by])
    assert sum(one["events"] for one in plain[by]) == 14


def test_the_log_says_what_hooks_did_that_decided_nothing(kept: Kept) -> None:
    told = {"to": "model", "kind": "context", "hook": "info", "size": 30, "text": "x"}
    runs = [ran("info"), ran("newer"), ran("info")]
    kept.put(
        entry(1, attempts=runs, changes={"newer": ["input.command"]}, messages=[told]),
        entry(2, attempts=runs, messages=[told]),
        entry(3, attempts=runs),
        entry(4, kind="session.start", event="session.start", target="startup"),
        entry(5, decision="deny", blocked=True, success=False, reason="no JSON"),
    )

    shown = kept.tenter("log").stdout.replace("\n    ", " ")
    rows = [row.split(maxsplit=4)[4] for row in shown.splitlines()[1:]]

    assert [" ".join(row.split()) for row in rows] == [
        "tool.before changed newer: changed input.command",
        "tool.before told info: told the model 30 characters",
        "tool.before none info, newer",
        "session.start startup none no hook listens to this event",
        "tool.before deny tenterhook: no JSON",
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--agent", "gemini"], "--agent 'gemini' is none of its agents: claude, tenterhook"),
        (["--tool", "bash"], "--tool 'bash' is none of its tools: Bash"),
        (["--event", "Stop"], "--event 'Stop' is none of its events: tool.before"),
        (["--user", "x", "--tool", "B*"], "--user 'x' is none of its users: ada"),
        (["--agent", "claude", "--decision", "ask"], "no entry of the journal matches"),
    ],
)
def test_a_name_that_the_journal_does_not_have_is_said_with_those_that_it_has(
    kept: Kept, words: list[str], said: str
) -> None:
    some(kept)

    for command in (["log"], ["stats", "--by", "day"]):
        assert kept.tenter(*command, *words).stderr.endswith(f"{said}\n")


@pytest.mark.parametrize("command", ["log", "stats"])
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--since", "yesterday"], "--since must be 30m, 2h, 7d"),
        (["--since", "999999w"], "--since must be 30m"),
        (["--until", "soon"], "--until must be 30m, 2h, 7d"),
        (["--since", "1h", "--until", "2h"], "--since 1h is later than --until 2h: no entry can match"),
        (["--tool", ""], "--tool is empty; leave it out for all"),
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


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["log", "--format", "xml"], "--format may be text, json, csv; not 'xml'"),
        (["log", "--format", "csv", "--json"], "--json and --format csv cannot be used together"),
        (["log", "--follow", "--id", "x"], "--follow and --id cannot be used together"),
        (["log", "--head", "0" * 64], "--head needs --verify"),
        (["log", "--verify", "--head", "abc"], "--head must be the 64 digits that --verify printed, not 'abc'"),
        (["log", "--verify", "--tool", "Bash"], "--verify reads every line: --tool cannot be used with it"),
        (["stats", "--by", "colour"], "--by may be hook, agent, day, project, decision; not 'colour'"),
    ],
)
def test_options_that_do_not_go_together_are_said(kept: Kept, words: list[str], said: str) -> None:
    done = kept.tenter(*words)

    assert (done.returncode, done.stdout) == (1, "")
    assert said in done.stderr.splitlines()[0]


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
