"""An agent hook whose model wants out of the project: by every road, and while links are swapped under its feet."""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from conftest import Project

from .conftest import Court, said

# What stands in a file outside that is asked for, and the name of another that is not: neither may ever come back.
CANARY, HIDDEN = "canary-5d1c93ab", "hidden-77e0.txt"
NAME = "ledger.txt"


@pytest.fixture
def outside(chat: Court) -> Path:
    """A folder beside the project, and links to it from the inside."""
    root = chat.project.root
    folder = root.parent / "outside"
    folder.mkdir()
    (folder / NAME).write_text(CANARY)
    (folder / HIDDEN).write_text(CANARY)
    near = Path(f"{root}-2")
    near.mkdir()
    (near / NAME).write_text(CANARY)
    (near / HIDDEN).write_text(CANARY)
    chat.project.write("sub/inside.txt", "inside")
    chat.project.home(NAME, CANARY)
    chat.project.home(HIDDEN, CANARY)
    (root / "file link").symlink_to(f"../outside/{NAME}")
    (root / "whole file link").symlink_to(folder / NAME)
    (root / "folder link").symlink_to("../outside")
    (root / "up").symlink_to("..")
    (root / "sub" / "first").symlink_to("second")
    (root / "sub" / "second").symlink_to("../third")
    (root / "third").symlink_to("up/outside")
    return folder


# {name} is the file's name; {out} its folder, {root} the project.
ROADS = {
    "back": "../outside/{name}",
    "back from below": "sub/../../outside/{name}",
    "a whole path": "{out}/{name}",
    "many slashes": "//{out}////{name}",
    "from the project on": "{root}/../outside/{name}",
    "a name that begins alike": "{root}-2/{name}",
    "a link to the file": "file link",
    "a link with a whole path": "whole file link",
    "a link to the folder": "folder link/{name}",
    "a link back": "up/outside/{name}",
    "a chain of links": "sub/first/{name}",
    "a link and back": "folder link/../outside/{name}",
    "the process": "/proc/self/cwd/../outside/{name}",
    "the process's root": "/proc/self/root{out}/{name}",
    "home": "~/{name}",
    "a NUL": "sub/inside.txt\0/../../outside/{name}",
    "percent signs": "..%2foutside%2f{name}",
    "dots in percent": "%2e%2e/outside/{name}",
    "backslashes": "..\\outside\\{name}",
    "wide dots": "\uff0e\uff0e/outside/{name}",
    "a file's descriptor": "/dev/fd/../../..{out}/{name}",
}


def looked(chat: Court, *calls: tuple[str, dict[str, Any]]) -> list[str]:
    chat.hook("PreToolUse", "agent")
    chat.calls(*calls)
    chat.answers(said(True))
    outcome = chat.fire()
    assert outcome.decision == "none", outcome.reason
    return list(chat.results())


@pytest.mark.req("CC-SEC-readonly")
@pytest.mark.parametrize("road", ROADS.values(), ids=ROADS)
def test_no_road_leads_out(road: str, chat: Court, outside: Path) -> None:
    path = road.format(name=NAME, out=outside, root=chat.project.root)
    folder = path.removesuffix(f"/{NAME}")

    results = looked(
        chat,
        ("Read", {"file_path": path}),
        ("Grep", {"pattern": "can.ry", "path": path}),
        ("Grep", {"pattern": "can.ry", "path": folder}),
        ("Grep", {"pattern": "can.ry", "glob": path}),
        ("Glob", {"pattern": "*", "path": folder}),
        ("Glob", {"pattern": f"{folder}/*"}),
        ("Glob", {"pattern": f"{folder}/**/hid*"}),
    )

    assert len(results) == 7
    assert not [text for text in results if CANARY in text or HIDDEN in text]


@pytest.mark.req("CC-SEC-readonly")
def test_whether_a_file_outside_is_there_is_not_told(chat: Court, outside: Path) -> None:
    """The same words for one that is there and one that is not, by each tool."""

    def all_three(path: str) -> list[tuple[str, dict[str, Any]]]:
        return [
            ("Read", {"file_path": path}),
            ("Grep", {"pattern": "x", "path": path}),
            ("Glob", {"pattern": path}),
        ]

    results = looked(chat, *all_three(f"{outside}/{NAME}"), *all_three(f"{outside}/nothing.txt"))

    assert [text.replace(NAME, "nothing.txt") for text in results[:3]] == results[3:]


def test_what_is_inside_can_be_seen_by_the_same_calls(chat: Court, outside: Path) -> None:
    """Else the others would prove nothing."""
    (chat.project.root / "inner link").symlink_to("sub")

    read, grep, glob = looked(
        chat,
        ("Read", {"file_path": "inner link/inside.txt"}),
        ("Grep", {"pattern": "ins.de", "path": "sub"}),
        ("Glob", {"pattern": "sub/../sub/*.txt"}),
    )

    assert read.endswith("inside")
    assert grep == "sub/inside.txt:1:inside"
    assert glob == "sub/inside.txt"


def test_a_project_that_is_itself_named_by_a_link_is_a_project(chat: Court, outside: Path) -> None:
    root = chat.project.root
    root.rename(root.parent / "moved")
    root.symlink_to("moved")

    read, leak = looked(chat, ("Read", {"file_path": f"{root}/sub/inside.txt"}), ("Read", {"file_path": "file link"}))

    assert read.endswith("inside")
    assert CANARY not in leak


@contextmanager
def swapped(project: Project, outside: Path) -> Iterator[list[int]]:
    """`swap` is a folder of the project and a link to the one outside, by turns, as fast as can be."""
    place, aside, turns, over = project.root / "swap", project.root / "aside", [0], threading.Event()

    def swap() -> None:
        while not over.is_set():
            os.rename(place, aside)
            os.symlink(outside, place)
            os.unlink(place)
            os.rename(aside, place)
            turns[0] += 1

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield turns
    finally:
        over.set()
        thread.join()


@pytest.mark.req("CC-SEC-readonly")
def test_swapping_a_folder_and_a_link_meanwhile_leads_nowhere(chat: Court, outside: Path) -> None:
    chat.project.write("swap/shared.txt", "inside")
    (outside / "shared.txt").write_text(CANARY)
    chat.hook("PreToolUse", "agent")
    reads = [("Read", {"file_path": "swap/shared.txt"})] * 40
    chat.calls(*reads, ("Grep", {"pattern": "can.ry|inside"}), ("Glob", {"pattern": "swap/*"}), *reads)
    again = chat.api.replies[0]
    until, seen = time.monotonic() + 0.5, []
    with swapped(chat.project, outside) as turns:
        while time.monotonic() < until:
            chat.api.replies[:] = [again]
            chat.answers(said(True))
            chat.fire()
            seen += chat.results()

    assert not [text for text in seen if CANARY in text or HIDDEN in text]
    assert [text for text in seen if "inside" in text]
    assert turns[0] > 50
