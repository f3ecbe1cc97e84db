"""The folder: whose it is, when a file is begun and deleted, what stands in the way."""

import errno
import hashlib
import json
import logging
import multiprocessing
import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conftest import Project
from tenterhook import Outcome
from tenterhook.journal.files import TRIES, JournalFiles, names, place
from tenterhook.journal.verify import verify

from .journals import DENIES, Kept

BASH = {"tool_name": "Bash", "tool_input": {"command": "ls"}}
MEGABYTE = 1_000_000
LINE = b'{"schema": 2}\n'


def deny(project: Project) -> Outcome:
    project.write("tenterhook.toml", DENIES)
    return project.fire("tenterhook", "tool.before", BASH)


def test_the_place_is_the_users_state_folder_and_never_a_relative_one() -> None:
    assert place("/home/a", {"XDG_STATE_HOME": "/var/a"}) == "/var/a/tenterhook/journal"
    assert place("/home/a", {"XDG_STATE_HOME": "here"}) == "/home/a/.local/state/tenterhook/journal"
    assert place("/home/a", {}) == "/home/a/.local/state/tenterhook/journal"


def test_folder_and_files_are_their_owners_alone(project: Project, kept: Kept) -> None:
    before = os.umask(0)
    try:
        deny(project)
        kept.tenter("log")
    finally:
        os.umask(before)

    assert stat.S_IMODE(kept.folder.stat().st_mode) == 0o700
    assert {path.name[-6:]: stat.S_IMODE(path.stat().st_mode) for path in kept.folder.iterdir()} == {
        ".jsonl": 0o600,
        "sqlite": 0o600,
    }


def test_a_line_that_its_writer_could_not_end_is_left_behind(tmp_path: Path) -> None:
    files = JournalFiles(str(tmp_path / "journal"), 30, 64)
    files.append([b'{"a": 1}\n'])
    [name] = names(files.folder)
    with (tmp_path / "journal" / name).open("ab") as opened:
        opened.write(b'{"torn": ')

    JournalFiles(files.folder, 30, 64).append([b'{"b": 2}\n'])

    one, torn, two = (tmp_path / "journal" / name).read_bytes().splitlines()
    assert json.loads(one) == {"prev": "", "a": 1}
    assert torn == b'{"torn": '
    assert json.loads(two) == {"prev": hashlib.sha256(torn).hexdigest(), "b": 2}


def test_a_full_file_is_followed_by_the_next_and_the_oldest_are_deleted(tmp_path: Path) -> None:
    files = JournalFiles(str(tmp_path / "journal"), 30, 1)
    line = b'{"x": "' + b"x" * 9_900 + b'"}\n'

    for _ in range(400):
        files.append([line])

    sizes = [(tmp_path / "journal" / name).stat().st_size for name in names(files.folder)]
    assert sum(sizes) <= MEGABYTE
    assert sum(sizes) > 0.8 * MEGABYTE
    assert all(size <= MEGABYTE // 16 + 10_200 for size in sizes)


def test_what_is_too_old_is_deleted_when_a_file_is_begun(tmp_path: Path) -> None:
    folder = tmp_path / "journal"
    folder.mkdir()
    today = time.strftime("%Y-%m-%d", time.gmtime())
    yesterday = time.strftime("%Y-%m-%d", time.gmtime(time.time() - 86_400))
    for name in ("2020-01-01-0001.jsonl", f"{yesterday}-0001.jsonl", "2020-01-01-notes.txt"):
        (folder / name).write_text("x\n")

    JournalFiles(str(folder), 7, 64).append([LINE])

    assert names(str(folder)) == [f"{yesterday}-0001.jsonl", f"{today}-0001.jsonl"]
    assert (folder / "2020-01-01-notes.txt").exists()


def test_files_are_ordered_by_number_and_not_by_letter(tmp_path: Path) -> None:
    for number in ("10000", "9999", "0002"):
        (tmp_path / f"2026-01-01-{number}.jsonl").touch()

    assert [name[11:-6] for name in names(str(tmp_path))] == ["0002", "9999", "10000"]


def test_a_folder_that_was_deleted_is_made_again(tmp_path: Path) -> None:
    files = JournalFiles(str(tmp_path / "state" / "journal"), 30, 64)
    files.append([LINE])
    for name in names(files.folder):
        os.unlink(os.path.join(files.folder, name))
    os.rmdir(files.folder)

    files.append([LINE])

    assert len([(tmp_path / "state/journal" / name).read_bytes() for name in names(files.folder)]) == 1


@pytest.mark.parametrize("kind", ["folder", "link", "dangling link", "pipe"])
def test_what_stands_at_a_files_place_is_left_alone(tmp_path: Path, kind: str) -> None:
    folder, elsewhere = tmp_path / "journal", tmp_path / "elsewhere"
    folder.mkdir()
    taken = folder / f"{time.strftime('%Y-%m-%d', time.gmtime())}-0001.jsonl"
    if kind == "folder":
        taken.mkdir()
    elif kind == "pipe":
        os.mkfifo(taken)
    else:
        if kind == "link":
            elsewhere.write_text("mine\n")
        taken.symlink_to(elsewhere)

    JournalFiles(str(folder), 30, 64).append([LINE])

    assert json.loads((folder / taken.name.replace("0001", "0002")).read_bytes()) == {"prev": "", "schema": 2}
    assert not elsewhere.exists() or elsewhere.read_text() == "mine\n"


def test_a_folder_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "journal").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(OSError, match="link"):
        JournalFiles(str(tmp_path / "journal"), 30, 64).append([LINE])
    assert not list((tmp_path / "elsewhere").iterdir())


def test_numbers_are_not_tried_for_ever(tmp_path: Path) -> None:
    day = time.strftime("%Y-%m-%d", time.gmtime())
    for number in range(1, TRIES + 2):
        (tmp_path / f"{day}-{number:04}.jsonl").mkdir()
    files = JournalFiles(str(tmp_path), 30, 64)
    files.prepare(day)
    files.number = 1

    with pytest.raises(OSError) as raised:
        files.append([LINE])
    assert raised.value.errno == errno.EISDIR


# ---- nothing that is wrong with it changes a decision


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [one.getMessage() for one in caplog.records if one.name == "tenterhook.journal"]


@pytest.mark.parametrize("obstacle", ["file in the way", "link", "no home"])
def test_a_journal_that_cannot_be_written_gives_one_warning(
    project: Project, kept: Kept, caplog: pytest.LogCaptureFixture, obstacle: str
) -> None:
    home = project.home_folder
    if obstacle == "file in the way":
        (home / ".local").write_text("")
    elif obstacle == "link":
        kept.folder.parent.mkdir(parents=True)
        kept.folder.symlink_to(home)
    else:
        home = Path("/proc/no/such/home")
    project.write("tenterhook.toml", DENIES)
    engine = project.engine("tenterhook", journal=home / ".local/state/tenterhook/journal")

    with caplog.at_level(logging.WARNING):
        outcomes = [engine.fire("tool.before", **BASH) for _ in range(3)]

    assert [(one.blocked, one.reason, one.warnings) for one in outcomes] == [(True, "not here", ())] * 3
    [warning] = warnings(caplog)
    assert "the journal in" in warning
    assert "cannot be written" in warning


def test_what_cannot_be_written_down_gives_a_warning_and_no_error(
    project: Project, kept: Kept, caplog: pytest.LogCaptureFixture
) -> None:
    class Odd(dict[str, str]):
        def __iter__(self) -> object:  # type: ignore[override]
            raise RuntimeError("not today")

        def keys(self) -> object:  # type: ignore[override]
            raise RuntimeError("not today")

    engine = project.engine("tenterhook")
    engine.add("turn.stop", lambda event: {"decision": "deny", "reason": "no"}, name="guard")

    outcome = engine.fire("turn.stop", tool_input=Odd(a="b"))

    assert outcome.decision == "deny"
    assert [text for text in warnings(caplog) if "RuntimeError: not today" in text]


def test_the_command_says_it_on_stderr_and_decides_as_always(project: Project, kept: Kept) -> None:
    (project.home_folder / ".local").write_text("")
    project.write("tenterhook.toml", DENIES)

    done = kept.tenter("fire", "tool.before", "--trust", stdin='{"tool_name": "Bash"}')

    assert done.returncode == 2
    assert done.stderr.count("the journal in") == 1
    assert '"blocked":true' in done.stdout


FULL = """
import resource, signal, sys
from tenterhook import Engine
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
engine = Engine(files=False)
engine.add("tool.before", lambda event: {"decision": "deny", "reason": "no " * 100}, name="guard")
print(sum(engine.fire("tool.before", tool_name="Bash").blocked for _ in range(100)))
"""


def test_a_file_that_cannot_grow_changes_no_decision(project: Project, kept: Kept) -> None:
    argv = [sys.executable, "-c", FULL]
    env = project.environ(PYTHONDONTWRITEBYTECODE="1")  # a cached module may not be cut short
    done = subprocess.run(argv, env=env, cwd=project.root, capture_output=True, text=True, timeout=60)

    assert done.stdout == "100\n"
    assert done.stderr.count("the journal in") == 1
    assert len(kept.lines()) >= 2
    assert verify(str(kept.folder)).problems == []


# ---- several processes


def write_many(folder: str, who: int, number: int) -> None:
    files = JournalFiles(folder, 30, 4)
    for n in range(number):
        parts = {f"{n % 3:016}": b'{"schema":2,"part":"%016d","n":%d}\n' % (n % 3, n % 3)}
        line = f'{{"schema":2,"context":"{n % 3:016}","who":{who},"n":{n},"x":"{"x" * (n % 300)}"}}\n'
        files.append([line.encode()], parts)


def test_several_processes_write_whole_lines_and_the_chain_holds(tmp_path: Path) -> None:
    folder = str(tmp_path / "journal")
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=write_many, args=(folder, who, 500)) for who in range(8)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)

    assert verify(folder).problems == []
    found = []
    for name in names(folder):
        parts = set()
        for line in map(json.loads, (tmp_path / "journal" / name).read_text().splitlines()):
            if "part" in line:
                parts.add(line["part"])
            else:
                assert line["context"] in parts
                found.append((line["who"], line["n"]))
    assert len(names(folder)) > 1
    assert sorted(found) == [(who, n) for who in range(8) for n in range(500)]
