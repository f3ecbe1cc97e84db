"""What counts is looked up, so that thousands of hooks are read at once; it must be what a plain comparison says."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tenterhook.trust.approval_book import ApprovalBook, ItemHistory
from tenterhook.trust.approvals import standings
from tenterhook.trust.item import Item
from tenterhook.trust.parts import BoundFile

PARTS = [BoundFile(path="a.sh", real="/p/a.sh", how="run", digest=digest) for digest in ("1", "2")]
ITEMS = st.builds(
    Item,
    kind=st.just("hook"),
    file=st.sampled_from(["/p/one", "/p/two"]),
    # Equal numbers of different types are one value, as they are in a file that was written and read again.
    entry=st.fixed_dictionaries({"timeout": st.sampled_from([1, 1.0, 2]), "args": st.lists(st.just("x"), max_size=1)}),
    name=st.sampled_from(["a", "b"]),
    event=st.sampled_from(["x", "y"]),
    order=st.integers(0, 2),
    parts=st.lists(st.sampled_from(PARTS), max_size=2).map(tuple),
)
LINES = st.builds(
    ItemHistory, versions=st.lists(ITEMS, min_size=1, max_size=2), state=st.sampled_from(["approved", "denied"])
)


def same(one: Item, other: Item) -> bool:
    parts = [sorted(part.key for part in item.parts) for item in (one, other)]
    return one.slot == other.slot and one.entry == other.entry and parts[0] == parts[1]


def holds(line: ItemHistory, item: Item) -> bool:
    return any(same(one, item) for one in line.versions)


def stands(line: ItemHistory, item: Item, field: str) -> bool:
    return line.last.slot == item.slot and getattr(line.last, field) == getattr(item, field)


def plainly(items: list[Item], lines: list[ItemHistory]) -> list[tuple[str, ItemHistory | None]]:
    """Each item against each line: denied first, then exactly approved, then what has the name or the place of one."""
    found: dict[int, tuple[str, ItemHistory | None]] = {}
    for n, item in enumerate(items):
        for line in lines:
            if line.state == "denied" and n not in found and (stands(line, item, "name") or holds(line, item)):
                found[n] = "denied", line
    free = [line for line in lines if line.state != "denied"]
    exact = {n: line for n, item in enumerate(items) if n not in found for line in free if holds(line, item)}
    found |= {n: ("trusted", line) for n, line in exact.items()}
    taken = {id(line) for line in exact.values()}
    for field in ("name", "order"):
        for n, item in enumerate(items):
            left = (line for line in free if id(line) not in taken and stands(line, item, field))
            if n not in found and (line := next(left, None)):
                taken.add(id(line))
                found[n] = "modified", line
    return [found.get(n, ("untrusted", None)) for n in range(len(items))]


@given(st.lists(ITEMS, max_size=6), st.lists(LINES, max_size=6))
def test_what_counts_is_what_a_comparison_with_every_line_says(items: list[Item], lines: list[ItemHistory]) -> None:
    bond: dict[str, Any] = {"project": "/p", "user": 0, "machine": "", "place": ""}

    found = standings(items, ApprovalBook(**bond, lines=lines))

    assert [one.item for one in found] == items
    wanted = plainly(items, lines)
    assert [one.state for one in found] == [state for state, _ in wanted]
    assert all(one.history is line for one, (_, line) in zip(found, wanted, strict=True))
