"""How a program is started: the way that every Python has and the quicker one do the same."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from processes import linux
from tenterhook.runtime.supervisor import spawn
from tenterhook.runtime.supervisor.spawn import PreparedStart, by_fork_exec, by_posix_spawn

pytestmark = linux
PATH = {b"PATH": b"/nowhere:/usr/bin:/bin"}


@pytest.fixture(params=[by_posix_spawn, by_fork_exec])
def _way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spawn, "ways", [request.param])


@pytest.fixture
def files(tmp_path: Path) -> Iterator[tuple[int, int, int]]:
    (tmp_path / "in").write_bytes(b"given")
    opened = (
        os.open(tmp_path / "in", os.O_RDONLY | os.O_CLOEXEC),
        os.open(tmp_path / "out", os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC),
        os.open(tmp_path / "err", os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC),
    )
    yield opened
    for fd in opened:
        os.close(fd)


def ended(pid: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def left_over() -> tuple[set[str], set[str]]:
    """Open files and children, those that have ended too."""
    children = (path.read_text().split() for path in Path("/proc/self/task").glob("*/children"))
    return set(os.listdir("/proc/self/fd")), {child for each in children for child in each}


@pytest.mark.usefixtures("_way")
def test_it_has_its_own_streams_environment_and_session(files: tuple[int, int, int], tmp_path: Path) -> None:
    text = 'cat; echo "$A" >&2; cut -d" " -f1,6 /proc/$$/stat >&2; exit 3'
    pid = PreparedStart([b"sh", b"-c", text.encode()], {**PATH, b"A": b"one=two\xff"}).run(files)

    assert ended(pid) == 3
    assert (tmp_path / "out").read_bytes() == b"given"
    told = (tmp_path / "err").read_bytes().split(b"\n")
    assert told[0] == b"one=two\xff"
    assert told[1] == f"{pid} {pid}".encode()


@pytest.mark.usefixtures("_way")
@pytest.mark.parametrize("path", [b"bin", b"./bin:/bin", b"/nowhere:../here/bin"])
def test_folders_of_path_count_from_where_it_runs(
    files: tuple[int, int, int], path: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = tmp_path / "here" / "bin" / "tool"
    tool.parent.mkdir(parents=True)
    tool.write_text("#!/bin/sh\nexit 7\n")
    tool.chmod(0o755)
    start = PreparedStart([b"tool"], {b"PATH": path}, os.fsencode(tmp_path / "here"))
    monkeypatch.chdir(tmp_path / "here")  # as a spawner does when its turn comes

    assert ended(start.run(files)) == 7


@pytest.mark.usefixtures("_way")
def test_it_is_ended_by_signals_that_python_ignores_for_itself(files: tuple[int, int, int]) -> None:
    for name in ("PIPE", "XFSZ"):
        assert ended(PreparedStart([b"sh", b"-c", f"kill -{name} $$".encode()], PATH).run(files)) < 0


@pytest.mark.usefixtures("_way")
@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        (b"there-is-none-of-this-name", {errno.ENOENT}),
        (b"/nowhere/at/all", {errno.ENOENT}),
        (b"/etc/passwd/below", {errno.ENOENT, errno.ENOTDIR}),
        (b"/etc/passwd", {errno.EACCES}),
        (b"/etc", {errno.EACCES}),
    ],
)
def test_what_cannot_be_started_is_an_error_and_leaves_nothing(
    files: tuple[int, int, int], name: bytes, numbers: set[int]
) -> None:
    before = left_over()

    with pytest.raises(OSError) as caught:
        PreparedStart([name], PATH).run(files)

    assert caught.value.errno in numbers
    assert left_over() == before


@pytest.mark.usefixtures("_way")
def test_of_several_places_the_first_that_can_be_run_counts(files: tuple[int, int, int], tmp_path: Path) -> None:
    for folder, mode in (("one", 0o644), ("two", 0o755)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "tool").write_text("#!/bin/sh\nexit 7\n")
        (tmp_path / folder / "tool").chmod(mode)
    places = [os.fsencode(tmp_path / folder) for folder in ("none", "one", "two")]

    assert ended(PreparedStart([b"tool"], {b"PATH": b":".join(places)}).run(files)) == 7
    with pytest.raises(PermissionError):
        PreparedStart([b"tool"], {b"PATH": b":".join(places[:2])}).run(files)


def test_where_the_quicker_way_takes_other_arguments_the_other_one_serves(
    monkeypatch: pytest.MonkeyPatch, files: tuple[int, int, int]
) -> None:
    def changed(*_: Any) -> int:
        raise TypeError("fork_exec() takes exactly 24 arguments")

    known: list[Callable[..., int]] = [by_posix_spawn, by_fork_exec]
    monkeypatch.setattr(spawn, "fork_exec", changed)
    monkeypatch.setattr(spawn, "ways", known)

    assert ended(PreparedStart([b"true"], PATH).run(files)) == 0
    assert known == [by_posix_spawn]
