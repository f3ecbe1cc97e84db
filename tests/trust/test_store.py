"""Where approvals are kept: nobody else's file counts, and a broken one is no approval and no crash."""

from __future__ import annotations

import json
import os
import stat
import threading
from pathlib import Path

import pytest

from tenterhook.trust import store
from tenterhook.trust.approval_book import ApprovalBook, ItemHistory, change, load_book
from tenterhook.trust.item import Item
from tenterhook.trust.store import StoreError
from trust.conftest import Trusting, as_root


def kept(trusting: Trusting) -> Path:
    return Path(store.place(str(trusting.root), str(trusting.home), trusting.project.environ()))


def test_it_lies_in_the_users_state_folder_closed_to_others(guarded: Trusting) -> None:
    before = os.umask(0)
    try:
        guarded.approve()
    finally:
        os.umask(before)
    file = kept(guarded)

    assert file.is_relative_to(guarded.home / ".local/state/tenterhook/trust")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [stat.S_IMODE(one.stat().st_mode) for one in (file.parent, file.parent.parent)] == [0o700, 0o700]


def test_xdg_state_home_moves_it_and_a_relative_one_does_not(guarded: Trusting, tmp_path: Path) -> None:
    home = str(guarded.home)
    moved = store.place(str(guarded.root), home, {"XDG_STATE_HOME": str(tmp_path / "state")})
    usual = store.place(str(guarded.root), home, {})

    assert moved.startswith(str(tmp_path / "state"))
    assert store.place(str(guarded.root), home, {"XDG_STATE_HOME": "state"}) == usual


def test_no_two_projects_share_a_file() -> None:
    names = ["/a/b", "/a%2Fb", "/a/b/", "/" + "x" * 300 + "/a", "/" + "y" * 300 + "/a", "/" + "x" * 300 + "/b"]

    assert len({store.file_name(name) for name in names}) == len(names)
    assert all(len(os.fsencode(store.file_name(name))) < 255 for name in names)


BROKEN = [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"lines": 7}', b"[" * 100_000, b'{"version": 99}', b"0" * 1000]


@pytest.mark.parametrize("data", BROKEN, ids=range(len(BROKEN)))
def test_a_broken_store_is_no_approval_and_no_crash(guarded: Trusting, data: bytes) -> None:
    guarded.approve()
    kept(guarded).write_bytes(data)
    outcome = guarded.fire()

    assert [one.why for one in outcome.skipped] == ["untrusted"]
    assert outcome.warnings or not data


def test_a_broken_store_is_written_anew_by_the_next_approval(guarded: Trusting) -> None:
    guarded.approve()
    kept(guarded).write_bytes(b"{")
    guarded.approve()

    assert guarded.states() == ["trusted"]


def test_a_store_behind_a_link_is_not_read(guarded: Trusting) -> None:
    guarded.approve()
    file = kept(guarded)
    file.rename(file.with_name("elsewhere"))
    file.symlink_to("elsewhere")

    assert guarded.states() == ["untrusted"]


def test_a_folder_behind_a_link_is_not_read(guarded: Trusting) -> None:
    guarded.approve()
    folder = kept(guarded).parent
    folder.rename(guarded.home / "real")
    folder.symlink_to(guarded.home / "real")

    assert guarded.states() == ["untrusted"]


@pytest.mark.parametrize("which", ["file", "folder", "folder above"])
def test_a_store_that_others_can_write_to_is_not_read_and_said(guarded: Trusting, which: str) -> None:
    guarded.approve()
    file = kept(guarded)
    {"file": file, "folder": file.parent, "folder above": file.parent.parent}[which].chmod(0o777)
    outcome = guarded.fire()

    assert [one.why for one in outcome.skipped] == ["untrusted"]
    assert any("other users can write" in text for text in outcome.warnings)


@as_root
def test_a_store_that_is_somebody_elses_is_not_read(guarded: Trusting) -> None:
    guarded.approve()
    os.chown(kept(guarded), 65534, 65534)

    assert guarded.states() == ["untrusted"]


def test_a_store_inside_the_project_is_neither_written_nor_read(guarded: Trusting) -> None:
    """A repository could bring its own approvals along."""
    environ = guarded.project.environ(XDG_STATE_HOME=str(guarded.root / "state"))
    with pytest.raises(StoreError, match="inside the project"):
        change(str(guarded.root), str(guarded.home), environ, lambda book: None)
    guarded.approve()
    inside = Path(store.place(str(guarded.root), str(guarded.home), environ))
    inside.parent.mkdir(parents=True, mode=0o700)
    inside.write_bytes(kept(guarded).read_bytes())

    found = load_book(str(guarded.root), str(guarded.home), environ)
    assert found[0] is None
    assert "inside the project" in found[1]


def test_a_pipe_in_its_place_is_not_waited_for(guarded: Trusting) -> None:
    guarded.approve()
    kept(guarded).unlink()
    os.mkfifo(kept(guarded), 0o600)

    assert guarded.states() == ["untrusted"]


def test_a_place_where_nothing_can_be_written_is_an_error_in_words(guarded: Trusting, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    environ = guarded.project.environ(XDG_STATE_HOME=str(tmp_path / "file"))

    with pytest.raises(StoreError):
        change(str(guarded.root), str(guarded.home), environ, lambda book: None)


def test_two_writers_at_once_lose_nothing(guarded: Trusting) -> None:
    environ = guarded.project.environ()

    def add(number: int) -> None:
        def note(book: ApprovalBook) -> None:
            book.lines.append(ItemHistory([Item(kind="hook", file="f", name=str(number), entry={})]))

        change(str(guarded.root), str(guarded.home), environ, note)

    threads = [threading.Thread(target=add, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    book, _ = load_book(str(guarded.root), str(guarded.home), environ)
    assert book
    assert {line.last.name for line in book.lines} == {str(number) for number in range(20)}


def test_nothing_is_left_behind_beside_it(guarded: Trusting) -> None:
    guarded.approve()
    guarded.approve()

    assert {one.name for one in kept(guarded).parent.iterdir()} == {kept(guarded).name, "lock"}


def test_what_is_kept_can_be_read_by_people(guarded: Trusting) -> None:
    guarded.approve()
    found = json.loads(kept(guarded).read_text())

    assert found["project"] == os.path.realpath(guarded.root)
    assert found["lines"][0]["versions"][0]["name"] == "guard"
