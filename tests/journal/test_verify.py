"""The chain of lines: what `tenter log --verify` finds, in journals that engines wrote."""

import hashlib
import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Project
from tenterhook.journal.chain import digest, read_tail
from tenterhook.journal.files import JournalFiles, names
from tenterhook.journal.verify import verify

from .journals import DENIES, Kept, entry

Lines = list[bytes]


def fired(project: Project, number: int = 6) -> None:
    """An engine of its own for each event, as a command is."""
    project.write("tenterhook.toml", DENIES)
    for n in range(number):
        project.fire("tenterhook", "tool.before", {"tool_name": "Bash", "tool_input": {"command": f"echo {n}"}})


def problems(kept: Kept, **more: str) -> list[tuple[int, str]]:
    return [(one.line, one.text) for one in verify(str(kept.folder), **more).problems]


def rewrite(kept: Kept, change: Callable[[Lines], Lines]) -> None:
    [file] = kept.files()
    file.write_bytes(b"".join(change(file.read_bytes().splitlines(keepends=True))))


def test_each_line_carries_the_hash_of_the_one_before(project: Project, kept: Kept) -> None:
    fired(project)

    lines = kept.raw().splitlines()

    before = ["", *(hashlib.sha256(line).hexdigest() for line in lines)]
    assert [json.loads(line)["prev"] for line in lines] == before[:-1]
    assert verify(str(kept.folder)).head == before[-1]
    assert problems(kept) == []


@pytest.mark.parametrize(
    ("change", "line", "said"),
    [
        (lambda all: [*all[:2], all[2].replace(b"echo", b"exit"), *all[3:]], 4, "does not follow line 3"),
        (lambda all: [*all[:2], *all[3:]], 3, "does not follow line 2"),
        (lambda all: [all[0], all[2], all[1], *all[3:]], 2, "follows line 3, which comes after it"),
        (lambda all: [*all[:4], all[1], *all[4:]], 5, "follows line 1, not line 4"),
        (lambda all: all[1:], 1, "does not say which file it continues"),
        (lambda all: [*all[:-1], all[-1][:-20]], 7, "is cut"),
        (lambda all: [*all[:3], all[3][:-20] + b"\n", *all[4:]], 5, "does not follow line 4"),
        (lambda all: [*all, b'{"schema": 2, "decision": "allow"}\n'], 8, "does not name the line before it"),
    ],
    ids=["a byte", "removed", "swapped", "repeated", "first removed", "cut", "cut within", "added"],
)
def test_what_was_done_to_a_line_is_found(
    project: Project, kept: Kept, change: Callable[[Lines], Lines], line: int, said: str
) -> None:
    fired(project)
    rewrite(kept, change)

    [(where, text), *_] = problems(kept)
    done = kept.tenter("log", "--verify")

    assert (where, said in text) == (line, True)
    assert done.returncode == 1
    assert f"WRONG: {kept.files()[0].name}, line {line}: {text}" in done.stdout


def test_a_changed_byte_is_found_wherever_it_is(project: Project, kept: Kept) -> None:
    """But for the last line: only its hash, kept elsewhere, shows that."""
    fired(project, 3)
    head = verify(str(kept.folder)).head
    [file] = kept.files()
    whole = file.read_bytes()
    for at in range(0, len(whole), 7):
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])

        assert problems(kept, head=head), at


def test_a_tail_that_was_removed_is_found_by_the_hash_that_was_kept(project: Project, kept: Kept) -> None:
    fired(project)
    head = kept.tenter("log", "--verify").stdout.rpartition("head: ")[2].strip()
    fired(project, 1)
    newer = kept.tenter("log", "--verify", "--head", head)
    rewrite(kept, lambda lines: lines[:-3])

    older = kept.tenter("log", "--verify", "--head", head)

    assert newer.returncode == 0
    assert "the line of --head is there" in newer.stdout
    assert kept.tenter("log", "--verify").returncode == 0
    assert older.returncode == 1
    assert f"WRONG: no line has the hash {head}" in older.stdout


def test_the_chain_goes_on_from_file_to_file(tmp_path: Path) -> None:
    files = JournalFiles(str(tmp_path), 30, 1)
    for n in range(20):
        files.append([b'{"schema":2,"n":%d,"x":"%s"}\n' % (n, b"x" * 9_000)])
    one, two, three = names(str(tmp_path))
    assert verify(str(tmp_path)).problems == []

    (tmp_path / one).rename(tmp_path / "away")
    assert (verify(str(tmp_path)).problems, verify(str(tmp_path)).start[:26]) == ([], f"{two} cont")
    (tmp_path / "away").rename(tmp_path / one)
    lost = (tmp_path / two).read_bytes()
    (tmp_path / two).unlink()
    [missing] = verify(str(tmp_path)).problems
    (tmp_path / two).write_bytes(b"".join(lost.splitlines(keepends=True)[:-1]))
    [shorter] = verify(str(tmp_path)).problems

    assert (missing.file, missing.line, missing.text[:9]) == (three, 1, "continues")
    assert (shorter.file, shorter.line) == (three, 1)
    assert f"a line that {two} does not have" in shorter.text


def test_a_file_may_go_on_a_little_after_the_next_was_begun(tmp_path: Path) -> None:
    """Two processes may not see midnight at once, or one is held up with the lock in its hand."""
    first, second = JournalFiles(str(tmp_path), 30, 64), JournalFiles(str(tmp_path), 30, 64)
    first.append([b'{"schema":2,"n":1}\n'])
    second.prepare(first.day)
    second.turn_page()
    second.append([b'{"schema":2,"n":2}\n'])
    first.append([b'{"schema":2,"n":3}\n'])

    found = verify(str(tmp_path))

    assert found.problems == []
    assert [one.text for one in found.notes] == [f"was begun before 1 lines of {names(str(tmp_path))[0]} were written"]


def test_a_process_that_stops_in_the_middle_does_not_hold_up_others(tmp_path: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    files = JournalFiles(str(tmp_path), 30, 64)
    files.append([b'{"schema":2,"n":1}\n'])
    [name] = names(str(tmp_path))
    with (tmp_path / name).open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        begun = time.monotonic()
        files.append([b'{"schema":2,"n":2}\n'])
        took = time.monotonic() - begun

    assert len(names(str(tmp_path))) == 2
    assert took < 5
    assert verify(str(tmp_path)).problems == []


def test_lines_of_before_the_chain_are_counted_and_the_first_one_follows_them(tmp_path: Path) -> None:
    files = JournalFiles(str(tmp_path), 30, 64)
    files.append([b'{"schema":2}\n'])
    [name] = names(str(tmp_path))
    (tmp_path / name).write_bytes(b'{"schema": 1}\n' * 3)
    files.append([b'{"schema":2}\n'])

    assert (verify(str(tmp_path)).unlinked, verify(str(tmp_path)).problems) == (3, [])


def test_an_empty_journal_has_nothing_to_check(kept: Kept) -> None:
    done = kept.tenter("log", "--verify")

    assert (done.returncode, "there is nothing to check" in done.stdout) == (0, True)


@pytest.mark.parametrize("length", [10, 20_000, 300_000])
def test_the_last_line_is_found_however_long_it_is(tmp_path: Path, length: int) -> None:
    file = tmp_path / "lines"
    file.write_bytes(b"first\n" + b"x" * length + b"\n")
    with file.open("rb") as opened:
        tail = read_tail(opened.fileno(), file.stat().st_size)

    assert tail.splitlines()[-1] == b"x" * length


# ---- processes

ENDLESS = """
import sys
from tenterhook import Engine
engine = Engine(files=False, environ={}, journal=sys.argv[1], session=sys.argv[2])
engine.add("tool.before", lambda event: {"decision": "deny", "reason": "no " * 50}, name="guard")
n = 0
while n < int(sys.argv[3]):
    n += 1
    engine.fire("tool.before", tool_name=str(n), tool_input={"text": "x" * (n % 40) * 100})
    print(n, flush=True)
"""


def writer(kept: Kept, name: str, number: int) -> "subprocess.Popen[str]":
    argv = [sys.executable, "-c", ENDLESS, str(kept.folder), name, str(number)]
    return subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)


def test_eight_engines_at_once_keep_the_chain(kept: Kept) -> None:
    writers = [writer(kept, f"writer {n}", 500) for n in range(8)]
    for one in writers:
        one.communicate(timeout=60)

    found = [(line["session"], line["target"]) for line in kept.lines()]
    assert sorted(found) == sorted((f"writer {who}", str(n)) for who in range(8) for n in range(1, 501))
    assert problems(kept) == []


def test_a_refusal_is_in_the_journal_although_its_host_is_killed_and_the_chain_goes_on(kept: Kept) -> None:
    said: set[tuple[str, str]] = set()
    for number in range(0, 8, 2):
        pair = {f"victim {n}": writer(kept, f"victim {n}", 1_000_000) for n in (number, number + 1)}
        for one in pair.values():
            assert one.stdout is not None
            one.stdout.readline()
        time.sleep(0.05 + number / 100)
        for name, one in pair.items():
            one.send_signal(signal.SIGKILL)
            out = one.communicate(timeout=20)[0]
            said |= {(name, word) for word in out.splitlines(keepends=True) if word.endswith("\n")}
    kept.tenter("fire", "tool.before", "--trust", stdin='{"tool_name": "Bash"}')

    assert {(name, word.strip()) for name, word in said} <= {(line["session"], line["target"]) for line in kept.lines()}
    assert problems(kept) == []


def test_a_line_by_half_is_followed_like_any_other(project: Project, kept: Kept) -> None:
    fired(project, 2)
    kept.add(b'{"prev":"' + digest(kept.raw().splitlines()[-1]).encode() + b'","schema":2,"con')
    torn = kept.tenter("log", "--verify")
    fired(project, 2)
    after = kept.tenter("log", "--verify")

    assert (torn.returncode, after.returncode) == (1, 0)
    assert "line 4: is cut: its writer was killed, or its end was removed" in torn.stdout
    assert "note: " in after.stdout
    assert "line 4: is not complete: its writer was killed, or the disk was full" in after.stdout


def test_many_findings_are_counted(kept: Kept) -> None:
    kept.put(*({"prev": "0" * 64, **entry(n)} for n in range(50)))
    [file] = kept.files()
    file.write_bytes(file.read_bytes().replace(b'"prev": ', b'"prev":'))

    assert "... and " in kept.tenter("log", "--verify").stdout
