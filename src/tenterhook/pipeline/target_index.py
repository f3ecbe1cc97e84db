"""Find the hooks that match an event's target: names by dictionary, everything else tested once per target."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any, TypeVar

from tenterhook.dialects.schema.dialect import Dialect, EventRule
from tenterhook.pipeline.match import LONGEST_NAME, exact, fits_all, match, names
from tenterhook.pipeline.payload_fields import lookup
from tenterhook.types import Hook

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

# Targets remembered for each event, twice at most: the names of tools are few, but a host may make them up.
MEMO = 512
# How many hooks all remembered plans may name together: each names all hooks.
NAMED = 1 << 19


class Memo(dict[Key, Value]):
    """A bounded cache of recent results. When it is full it starts again, but keeps what is used again.

    So a host that makes up names cannot evict those in use, and nothing grows.
    """

    __slots__ = ("most", "older")

    def __init__(self, hooks: int = 0) -> None:
        super().__init__()
        self.most = min(MEMO, max(16, NAMED // (hooks + 1)))
        self.older: dict[Key, Value] = {}

    def recall(self, key: Key) -> Value | None:
        """Look up a key that is not in the current generation; if the older one has it, keep it."""
        found = self.older.get(key)
        if found is not None:
            self.keep(key, found)
        return found

    def keep(self, key: Key, value: Value) -> Value:
        if len(self) >= self.most:
            self.older = dict(self)
            self.clear()
        self[key] = value
        return value

    def forget(self) -> None:
        self.older = {}
        self.clear()


class Fitting:
    """The places of the hooks that fit a target, in their order."""

    __slots__ = ("all", "always", "memo", "named", "rule", "tested")

    def __init__(self, hooks: Iterable[tuple[int, Hook]], dialect: Dialect, rule: EventRule) -> None:
        self.all, self.rule = dict(hooks), rule
        self.always: list[int] = []
        self.named: dict[str, list[int]] = {}
        self.tested: dict[int, Hook] = {}
        self.memo: Memo[str, tuple[int, ...]] = Memo()
        for place, hook in self.all.items():
            kind = hook.match_kind or dialect.planning.matcher
            fits = names(hook.matcher, kind)
            if not rule.target.field or fits_all(hook.matcher, kind):
                self.always.append(place)
            elif fits is None or (hook.seal and hook.seal.before):
                self.tested[place] = hook
            else:
                for name in fits:
                    self.named.setdefault(name, []).append(place)

    def of(self, target: str, dialect: Dialect) -> tuple[int, ...]:
        found = self.memo.get(target)
        if found is None:
            found = self.memo.recall(target)
        if found is None and len(target) > LONGEST_NAME:  # not a name, and it would take too much room in the cache
            fitting = (place for place, hook in self.all.items() if matches(hook, target, dialect, self.rule))
            return tuple(fitting if self.rule.target.field else self.all)
        if found is None:
            tested = [place for place, hook in self.tested.items() if matches(hook, target, dialect, self.rule)]
            named = {place for name in known_as(target, dialect, self.rule) for place in self.named.get(name, ())}
            found = self.memo.keep(target, tuple(sorted({*self.always, *named, *tested})))
        return found


def aim(rule: EventRule, data: Mapping[str, Any]) -> object:
    """The text that an event's matchers are compared with; None if the event has none. `=TEXT` is constant."""
    target = rule.target.field
    if target.startswith("="):
        return target[1:]
    return lookup(target, data) if "." in target else data.get(target)


def known_as(target: str, dialect: Dialect, rule: EventRule) -> tuple[str, ...]:
    """The target and its other names that matchers know, the name that hooks use first."""
    if rule.target.called:
        return tuple(dict.fromkeys((rule.target.called.get(target, target), target)))
    return (target, *dialect.planning.aliases.get(target, ())) if dialect.planning.aliases else (target,)


def matches(hook: Hook, target: object, dialect: Dialect, rule: EventRule) -> bool:
    """For a hook that was modified, also what its approved version would have matched."""
    kind = hook.match_kind or dialect.planning.matcher
    test = match(hook.matcher, kind)
    own, *others = known_as("" if target is None else str(target), dialect, rule)
    if test is None or test(own) or (others and any(map(exact(hook.matcher or "", kind), others))):
        return True
    before = hook.seal.before if hook.seal else None
    return before is not None and matches(before, target, dialect, rule)
