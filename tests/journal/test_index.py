"""The index: built from the lines, extended, begun anew where it is not good."""

import os
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from tenterhook.journal.index import FILE, Index
from tenterhook.journal.query import EntryFilter, HookCost, entries, groups, hooks, part, sessions
from tenterhook.journal.read import JournalEntry

from .journals import Kept, entry, plan, ran


def found(kept: Kept, **wanted: str) -> list[JournalEntry]:
    with Index(str(kept.folder)) as index:
        return list(entries(index, EntryFilter(**wanted), 10_000))


def ids(kept: Kept, **wanted: str) -> list[str]:
    return [one.id for one in found(kept, **wanted)]


def test_entries_come_back_in_their_order_the_newest_last(kept: Kept) -> None:
    kept.put(entry(2), file="2026-11-17-0001.jsonl")
    kept.put(entry(1), entry(3))

    assert ids(kept) == ["abc-1", "abc-2", "abc-3"]


def test_an_entry_has_what_its_parts_say(kept: Kept) -> None:
    context = {"schema": 2, "part": "c", "agent": "claude", "user": "ada", "policy": "f00"}
    own = entry(1, context="c", plan="p", agent="codex")
    kept.put(context, plan("p", ("idle", "matcher")), own, entry(2, plan="?"))

    one, two = found(kept)

    assert (one.user, one.policy, one.agent) == ("ada", "f00", "codex")
    assert [(skipped.hook, skipped.why) for skipped in one.skipped] == [("idle", "matcher")]
    assert two.skipped == []


def test_parts_that_another_process_has_read_are_found(kept: Kept) -> None:
    kept.put(entry(1))
    with Index(str(kept.folder)) as index:
        kept.put({"schema": 2, "part": "c", "user": "ada"}, entry(2, context="c"))
        ids(kept)

        assert [one.user for one in entries(index, EntryFilter(), 10)] == ["", "ada"]


def test_what_is_new_is_added(kept: Kept) -> None:
    kept.put(entry(1))
    first = ids(kept)
    kept.put(entry(2))
    kept.put(entry(3), file="2026-11-16-0002.jsonl")

    assert [first, ids(kept)] == [["abc-1"], ["abc-1", "abc-2", "abc-3"]]


def test_the_index_remembers_how_far_it_has_read(kept: Kept) -> None:
    kept.put(entry(1))
    ids(kept)
    [file] = kept.files()
    size = file.stat().st_size
    file.write_bytes(b"?" * (size - 1) + b"\n")  # the same file, the same size: nothing to read again
    kept.put(entry(2))

    with Index(str(kept.folder)) as index:
        assert index.ask("SELECT id FROM events ORDER BY id") == [("abc-1",), ("abc-2",)]


def test_a_line_that_is_still_being_written_is_read_when_it_is_whole(kept: Kept) -> None:
    kept.put(entry(1), entry(2))
    [file] = kept.files()
    whole = file.read_bytes()
    file.write_bytes(whole[:-10])
    before = ids(kept)
    kept.add(whole[-10:])

    assert [before, ids(kept)] == [["abc-1"], ["abc-1", "abc-2"]]


def test_lines_that_cannot_be_read_are_counted_and_left_out(kept: Kept) -> None:
    kept.put(entry(1))
    torn = [b'{"schema": 1, "ti', b"\xff\xfe", b"null", b'{"schema": 3, "new": true}', b"[" * 100_000]
    kept.add(b"\n\n".join(torn) + b"\n")
    kept.put(entry(2))

    with Index(str(kept.folder)) as index:
        assert index.damaged == len(torn)
    assert ids(kept) == ["abc-1", "abc-2"]


def test_files_that_were_deleted_or_replaced_are_forgotten(kept: Kept) -> None:
    kept.put(entry(1, attempts=[ran("a")]))
    kept.put(entry(2, attempts=[ran("b")]), file="2026-11-16-0002.jsonl")
    kept.put(entry(3, attempts=[ran("c")]), file="2026-11-16-0003.jsonl")
    ids(kept)
    one, two, three = kept.files()
    one.unlink()
    two.rename(two.with_suffix(".old"))
    kept.put(entry(7, attempts=[ran("new")]), file=two.name)
    three.write_bytes(b"")

    assert ids(kept) == ["abc-7"]
    with Index(str(kept.folder)) as index:
        assert index.ask("SELECT hook FROM attempts") == [("new",)]


def garbage(path: Path) -> None:
    path.write_bytes(b"not a database" * 1000)


def torn(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[4096 : len(data)] = os.urandom(len(data) - 4096)
    path.write_bytes(data)


def empty(path: Path) -> None:
    path.write_bytes(b"")


def of_another_version(path: Path) -> None:
    path.unlink()
    base = sqlite3.connect(path)
    base.execute("CREATE TABLE events (x)")
    base.execute("PRAGMA user_version = 99")
    base.close()


@pytest.mark.parametrize("harm", [garbage, torn, empty, of_another_version])
def test_an_index_that_is_not_good_is_made_anew(kept: Kept, harm: Callable[[Path], None]) -> None:
    kept.put(*(entry(n, attempts=[ran("a")]) for n in range(50)))
    ids(kept)
    harm(kept.folder / FILE)

    assert len(ids(kept)) == 50
    assert len(ids(kept)) == 50
    with closing(sqlite3.connect(kept.folder / FILE)) as base:
        assert base.execute("PRAGMA integrity_check").fetchone() == ("ok",)


@pytest.mark.parametrize("kind", ["folder", "link"])
def test_where_there_is_no_place_for_it_the_index_is_in_memory(kept: Kept, tmp_path: Path, kind: str) -> None:
    kept.put(entry(1))
    if kind == "folder":
        (kept.folder / FILE).mkdir()
    else:
        (kept.folder / FILE).symlink_to(tmp_path / "elsewhere")

    assert ids(kept) == ["abc-1"]
    assert not (tmp_path / "elsewhere").exists()


def test_an_empty_journal_leaves_nothing_behind(kept: Kept) -> None:
    assert found(kept) == []
    assert not kept.folder.exists()


def test_several_may_build_it_at_once(kept: Kept) -> None:
    kept.put(*(entry(n) for n in range(2_000)))
    counts: list[int] = []
    threads = [threading.Thread(target=lambda: counts.append(len(found(kept)))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert counts == [2_000] * 6
    with Index(str(kept.folder)) as index:
        assert index.ask("SELECT count(*) FROM events") == [(2_000,)]


# ---- questions


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({"event": "tool.*"}, [1, 2]),
        ({"event": "PreToolUse"}, [2]),
        ({"decision": "deny"}, [2]),
        ({"session": "sec"}, [2]),
        ({"session": "ec"}, []),
        ({"session": "s*"}, []),
        ({"project": "/work/shop"}, [1, 2]),
        ({"since": "2026-11-16T09:00:02.000Z"}, [2, 3]),
        ({"until": "2026-11-16T09:00:02.000Z"}, [1, 2]),
        ({"tool": "Ba*"}, [1]),
        ({"user": "ada"}, [1]),
        ({"agent": "tenter*"}, [2, 3]),
        ({"hook": "gu*"}, [2, 3]),
        ({"hook": "other"}, []),
        ({"id": "abc-3"}, [3]),
        ({"event": "tool.*", "decision": "none"}, [1]),
        ({"hook": "'; DROP TABLE events; --"}, []),
    ],
)
def test_entries_are_found_by_what_they_say(kept: Kept, wanted: dict[str, str], expected: list[int]) -> None:
    kept.put(
        plan("a", ("other", "matcher")),
        plan("b", ("guard", "untrusted")),
        entry(1, plan="a", target="Bash", user="ada", agent="claude"),
        entry(2, event="PreToolUse", decision="deny", session="second", attempts=[ran("guard")]),
        entry(3, event="turn.stop", kind="turn.stop", project="/work/else", plan="b"),
    )

    assert ids(kept, **wanted) == [f"abc-{n}" for n in expected]


def test_what_a_hook_cost_is_exact(kept: Kept) -> None:
    kept.put(*(entry(n, attempts=[ran("slow", n / 1000)]) for n in range(1, 101)))
    kept.put(
        entry(200, attempts=[{**ran("quick", 0.00001, type="python"), "each": [1, 2, 7]}], count=3),
        entry(201, attempts=[ran("slow", 1.0, error="timeout", failed=True)]),
        entry(202, attempts=[ran("slow", 0.5, exit_code=1, failed=True), ran("judge", 0.25, decision="deny")]),
        entry(203, attempts=[ran("judge", 0.25, usage={"model": "m", "calls": 1, "cost": 0.125})]),
        entry(204, attempts=[ran("judge", 0.25, usage={"model": "m", "calls": 1, "cost": None})]),
    )

    with Index(str(kept.folder)) as index:
        slow, judge, quick = hooks(index, EntryFilter())
        assert hooks(index, EntryFilter(hook="judge")) == [judge_alone(judge)]
    assert (slow.runs, slow.p50, slow.p95, slow.max) == (102, 0.051, 0.097, 1.0)
    assert (slow.failed, slow.timeouts, slow.blocks, slow.cost) == (2, 1, 0, 0)
    assert (judge.runs, judge.blocks, judge.cost) == (3, 1, 0.125)
    assert (quick.runs, quick.p50, quick.max) == (3, 2e-6, 7e-6)
    assert slow.share + judge.share + quick.share == pytest.approx(1)


def judge_alone(judge: HookCost) -> HookCost:
    return replace(judge, share=1.0)


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        ("agent", [("claude", 4, 1, 0), ("tenterhook", 1, 0, 1)]),
        ("day", [("2026-11-15", 1, 0, 1), ("2026-11-16", 4, 1, 0)]),
        ("project", [("/work/shop", 4, 1, 1), ("/work/else", 1, 0, 0)]),
        ("decision", [("none", 4, 0, 1), ("deny", 1, 1, 0)]),
    ],
)
def test_events_are_counted_by_what_they_have_in_common(kept: Kept, by: str, expected: list[object]) -> None:
    kept.put(
        entry(1, agent="claude", decision="deny", attempts=[ran("a", decision="deny"), ran("b")]),
        entry(2, agent="claude", count=2),
        entry(3, agent="claude", project="/work/else"),
        entry(4, time="2026-11-15T09:00:00.000Z", attempts=[ran("a", failed=True, error="timeout")]),
    )

    with Index(str(kept.folder)) as index:
        found = groups(index, EntryFilter(), by)

    assert [(one.value, one.events, one.denied, one.opened) for one in found] == expected


def test_what_a_session_cost_counts_what_was_written_together(kept: Kept) -> None:
    kept.put(
        entry(1, count=5, attempts=[{**ran("a", 0.005), "each": [1000] * 5}]),
        entry(2, session="second", attempts=[ran("a", 0.5), ran("b", 0.25)]),
        entry(3, session="third"),
    )

    with Index(str(kept.folder)) as index:
        assert [(one.session, one.events, one.runs, one.seconds) for one in sessions(index, EntryFilter())] == [
            ("second", 1, 2, 0.75),
            ("first", 5, 5, 0.005),
            ("third", 1, 0, 0.0),
        ]


def test_a_hook_that_was_only_started_in_the_background_counts_when_it_ends(kept: Kept) -> None:
    started = ran("late", 0.0, detail="runs in the background; its answer comes on the next turn")
    kept.put(entry(1, attempts=[started]), entry(2, attempts=[ran("late", 0.5)]))

    with Index(str(kept.folder)) as index:
        assert [one.runs for one in hooks(index, EntryFilter())] == [1]


@pytest.mark.parametrize(("number", "half", "most"), [(0, 0, 0), (1, 1, 1), (2, 1, 2), (100, 50, 95)])
def test_parts_are_of_the_values_themselves(number: int, half: int, most: int) -> None:
    values = list(range(1, number + 1))

    assert (part(values, 0.5), part(values, 0.95)) == (half, most)
