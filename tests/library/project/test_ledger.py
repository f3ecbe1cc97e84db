"""What is kept between the calls of a session."""

import os
import stat
import time
from pathlib import Path

import pytest

from tenterhook.author import Event
from tenterhook.library.project import ledger
from tenterhook.library.project.checks import Check
from tenterhook.library.project.commands import Command
from tenterhook.library.project.ledger import Ledger
from tenterhook.library.project.run import Result


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


def opened(session: str = "s", project: str = "/project") -> Ledger:
    return Ledger(Event("", {"session": session, "cwd": project}, raw={}))


def result(of: str = "a.py", state: str = "pass") -> Result:
    return Result(Check(Command("test", "pytest", "/project", ["pytest"]), "/project", [of], []), state)


def states(kept: Ledger) -> dict[tuple[str, str], str]:
    return {(one.kind, one.of): one.state for one in kept.entries()}


def test_the_last_result_of_each_check_counts() -> None:
    opened().keep([result("a.py", "fail"), result("b.py")], "a.py")
    opened().keep([result("a.py", "pass")])

    assert states(opened()) == {("test", "a.py"): "pass", ("test", "b.py"): "pass", ("changed", "a.py"): ""}


def test_sessions_and_projects_have_their_own() -> None:
    opened().keep([result()])

    assert not opened("other").entries()
    assert not opened(project="/elsewhere").entries()


def test_only_the_user_can_read_it_and_it_holds_no_names_of_sessions(state: Path) -> None:
    opened("../../secret").keep([result()])

    (file,) = state.rglob("*.jsonl")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert "secret" not in str(file)


def test_lines_that_cannot_be_read_are_skipped() -> None:
    kept = opened()
    kept.keep([result("a.py")])
    with open(kept.file, "ab") as file:
        file.write(b'{"kind": "te\nnull\n[]\n{}\n\xff\n{"kind": 1, "of": 2, "state": 3, "tool": 4, "at": 5}\n')
    kept.keep([result("b.py")])

    assert states(kept) == {("test", "a.py"): "pass", ("test", "b.py"): "pass"}


def test_it_stays_small_and_keeps_the_last_results(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "LARGEST", 4000)
    kept = opened()
    for number in range(300):
        kept.keep([result("a.py", "fail" if number < 299 else "pass")])

    assert os.path.getsize(kept.file) <= 4000
    assert states(kept) == {("test", "a.py"): "pass"}


def test_many_processes_add_to_it_at_once() -> None:
    children = []
    for number in range(8):
        child = os.fork()
        if not child:
            for turn in range(20):
                opened().keep([result(f"{number}-{turn}.py")])
            os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)

    assert len(opened().entries()) == 160


def test_what_is_a_week_old_is_taken_away(state: Path) -> None:
    old = opened("old", "/old")
    old.keep([result()])
    long_ago = time.time() - 8 * 24 * 3600
    os.utime(old.file, (long_ago, long_ago))
    os.utime(old.folder, (long_ago, long_ago))

    opened("new").keep([result()])

    assert not os.path.exists(old.file)
    assert len(opened("new").entries()) == 1


def test_what_cannot_be_taken_away_stays_and_costs_no_result(state: Path) -> None:
    odd = state / "tenterhook/actions/odd/odd.jsonl"
    odd.mkdir(parents=True)
    os.utime(odd, (0, 0))

    opened().keep([result()])

    assert odd.exists()
    assert states(opened()) == {("test", "a.py"): "pass"}


def test_where_nothing_can_be_kept_it_works_without(state: Path) -> None:
    state.write_text("not a folder")
    kept = opened()
    kept.keep([result()])

    assert not kept.entries()
    assert kept.cache() == ""
    assert not kept.forget()


def test_a_link_in_its_place_is_not_followed(tmp_path: Path) -> None:
    kept = opened()
    os.makedirs(kept.folder)
    (tmp_path / "target").write_text("")
    os.symlink(tmp_path / "target", kept.file)
    kept.keep([result()])

    assert (tmp_path / "target").read_text() == ""


def test_forgetting_takes_the_file_away() -> None:
    kept = opened()
    kept.keep([result()])

    assert kept.forget()
    assert not kept.entries()
