"""Items + what the user approved -> the state of each item."""

from __future__ import annotations

import os
from collections import Counter, defaultdict, deque
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from tenterhook.trust import approval_book, changes
from tenterhook.trust.approval_book import ApprovalBook, ItemHistory
from tenterhook.trust.bind import Binder, Binding
from tenterhook.trust.item import FOLLOWED, Item, hook_item, other_item
from tenterhook.trust.parts import again
from tenterhook.trust.seal import HINT, Seal
from tenterhook.types import Event, Hook

if TYPE_CHECKING:
    from tenterhook.dialects.schema.dialect import Dialect


class ItemState(Struct, frozen=True):
    """One item, its state, and its history in the book."""

    item: Item
    state: str
    history: ItemHistory | None = None


def standings(items: Sequence[Item], book: ApprovalBook | None) -> list[ItemState]:
    """Classify items: *trusted* (identical to an approved version, even if moved), *modified* (another version was
    approved under this name or position), *denied*, *untrusted*.
    """
    if book is None:
        return [ItemState(item, "untrusted") for item in items]
    if book.denied:
        return [ItemState(item, "denied") for item in items]
    denied = [(history, by_name(history.last), history.bonds) for history in book.lines if history.state == "denied"]
    free = [history for history in book.lines if history.state != "denied"]
    approved = {bond: history for history in free for bond in history.bonds}
    found: dict[int, ItemState] = {}
    for n, item in enumerate(items):
        name, bond = by_name(item), item.bond
        if refused := next((history for history, names, bonds in denied if name == names or bond in bonds), None):
            found[n] = ItemState(item, "denied", refused)
        elif exact := approved.get(bond):
            found[n] = ItemState(item, "trusted", exact)
    taken = {id(one.history) for one in found.values()}
    for place in (by_name, by_order):
        waiting: defaultdict[Hashable, deque[ItemHistory]] = defaultdict(deque)
        for history in free:
            if id(history) not in taken:
                waiting[place(history.last)].append(history)
        for n, item in enumerate(items):
            if n not in found and waiting[place(item)]:
                found[n] = ItemState(item, "modified", waiting[place(item)].popleft())
                taken.add(id(found[n].history))
    return [found.get(n) or ItemState(item, "untrusted") for n, item in enumerate(items)]


def by_name(item: Item) -> Hashable:
    return item.slot, item.name


def by_order(item: Item) -> Hashable:
    return item.slot, item.order


def missing_approvals(book: ApprovalBook | None, found: Iterable[ItemState]) -> list[ItemHistory]:
    """Approved items that no longer exist, unless the user has confirmed that."""
    there = {id(one.history) for one in found}
    lines = book.lines if book and not book.denied else []
    return [
        history for history in lines if history.state == "approved" and not history.gone and id(history) not in there
    ]


class Approvals:
    """The user's approvals for one project, used while its files are read for one dialect."""

    def __init__(self, dialect: Dialect, project: str, home: str, environ: Mapping[str, str]) -> None:
        self.dialect, self.project, self.home, self.environ = dialect, project, home, environ
        self.book, self.problem = approval_book.load_book(project, home, environ)
        self.by_words: dict[Hashable, list[Item]] | None = None

    def knows(self, file: str) -> bool:
        """Whether something in this file is approved: then the file must not be skipped if it is broken."""
        real = os.path.realpath(file)
        return self.book is not None and any(
            history.state == "approved" and history.last.file == real for history in self.book.lines
        )

    def words(self, file: str, directives: dict[str, Any]) -> tuple[dict[str, Any], str]:
        """The approved directives of a file about other hooks; and their state.

        While they are modified, the approved version stays in force.
        """
        item = other_item("words", file, directives, dialect=self.dialect.name)
        [found] = standings([item], self.book)
        if found.state == "modified" and found.history:
            return found.history.last.entry, "modified"
        return (item.entry if found.state == "trusted" else {}), found.state

    def hooks(self, hooks: Sequence[Hook]) -> tuple[list[Hook], list[ItemHistory]]:
        """A project's hooks with their states and seals; and the approved ones that no longer exist."""
        if self.book is None or self.book.denied:
            state = "denied" if self.book else "untrusted"
            return [replace(hook, state=state) for hook in hooks], []
        binder = binder_for(self.dialect, self.project, self.home, self.environ)
        bound = [self.bind_hook(hook, binder) if self.knows(hook.source.file) else Binding() for hook in hooks]
        items = [hook_item(h, self.dialect, n, b) for h, n, b in zip(hooks, orders(hooks), bound, strict=True)]
        found = standings(items, self.book)
        lost = [
            history
            for history in missing_approvals(self.book, found)
            if history.last.kind == "hook" and history.last.dialect == self.dialect.name
        ]
        return [self.standing(hook, one, b, binder) for hook, one, b in zip(hooks, found, bound, strict=True)], lost

    def bind_hook(self, hook: Hook, binder: Binder) -> Binding:
        """The files of the hook now. They are parsed only if the approval was made by older rules."""
        found = binder.hook(hook)
        identity = hook_item(hook, self.dialect, 0, found).identity
        versions = self.versions().get(identity, ())
        if any(as_approved(binder, found, version) for version in versions):
            return found
        if all(version.followed == FOLLOWED for version in versions):
            return found  # whatever it loads, it is not what was approved
        from tenterhook.trust.closure import follow

        return follow(binder, found)

    def versions(self) -> dict[Hashable, list[Item]]:
        """The approved versions, by what their entry says, the latest first."""
        if self.by_words is None:
            self.by_words = {}
            for history in self.book.lines if self.book else ():
                for one in history.versions if history.state == "approved" else ():
                    self.by_words.setdefault(one.identity, []).insert(0, one)
        return self.by_words

    def standing(self, hook: Hook, found: ItemState, bound: Binding, binder: Binder) -> Hook:
        if found.state == "trusted":
            files = list(bound.parts.values())
            return replace(hook, state="trusted", seal=Seal(files, binder.where) if files else None)
        if found.state == "modified" and found.history:
            return block_modified_hook(hook, found.history.last, found.item, binder)
        return replace(hook, state=found.state)


def as_approved(binder: Binder, found: Binding, version: Item) -> bool:
    """Whether all files that a version was bound to are unchanged; if so, they are added to the binding.

    What is loaded depends only on the texts and names that the version is bound to, so nothing has to be parsed to know
    that it is the same.
    """
    if version.followed != FOLLOWED:
        return False
    here = {one.path: one for one, _ in found.parts.values()}
    approved = {one.path: one for one in version.parts}
    if any(path not in approved or approved[path].key != one.key for path, one in here.items()):
        return False
    more = {}
    for path, one in approved.items():
        if path in here:
            continue
        if path not in binder.seen or one.how == "names":
            more[path] = again(one, binder.where)
        else:
            more[path] = binder.seen[path]
        if more[path][0].key != one.key:
            return False
        if one.how != "names":
            binder.seen[path] = more[path]
    found.parts.update(more)
    found.unbound[:] = version.unbound
    return True


def block_modified_hook(hook: Hook, before: Item, now: Item, binder: Binder) -> Hook:
    """A hook that fails instead of disappearing: it blocks wherever the old or the new version would have run."""
    was = before.entry
    there = {one.path for one in now.parts}
    more = (again(one, binder.where)[0] for one in before.parts if one.path not in there)
    now = replace(now, parts=(*now.parts, *more))
    old = replace(hook, matcher=was.get("matcher"), match_kind=was.get("match_kind", ""))
    why = f"modified since it was approved: {changes.summary(before, now)}; {HINT}"
    return replace(
        hook,
        state="modified",
        seal=Seal([], binder.where, why, old),
        enabled=hook.enabled or was.get("enabled", True),
        background=hook.background and was.get("background", False),
        condition=hook.condition if hook.condition == was.get("condition") else None,
        once=False,
    )


def orders(hooks: Iterable[Hook]) -> list[int]:
    """The position of each among those of the same file, event and agent."""
    seen: Counter[tuple[str, str, str | None]] = Counter()
    found = []
    for hook in hooks:
        where = (hook.source.file, hook.event, hook.agent)
        found.append(seen[where])
        seen[where] += 1
    return found


def binder_for(dialect: Dialect, project: str, home: str, environ: Mapping[str, str], *, texts: bool = False) -> Binder:
    """A binder with the variables that the hook would see."""
    from tenterhook.pipeline.environment import environment
    from tenterhook.pipeline.payload import compile_shape
    from tenterhook.trust.parts import ground

    rule = dialect.events[0]
    event = Event(rule.kind, rule.name, {}, project, "", (), environ)
    env = environment(event, compile_shape(dialect, rule, strict=False))
    return Binder(ground(project, home, texts=texts), project, {**env, "HOME": environ.get("HOME") or home})
