"""One event's value in a config file -> Hooks. Wrong keys and values are said with their place; the rest works."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from tenterhook.dialect import CAUSES, MATCHERS, POLICIES, Dialect, EventRule, Type
from tenterhook.errors import nearest
from tenterhook.types import Hook, Path, Source

if TYPE_CHECKING:
    from tenterhook.readers import Document

# Above this, seconds were probably meant as milliseconds; below it, milliseconds as seconds.
IMPLAUSIBLE = {"seconds": lambda value: value >= 1000, "milliseconds": lambda value: value < 100}
DIVISOR = {"seconds": 1.0, "milliseconds": 1000.0}
# What a `tenterhook` block in another agent's entry may hold.
OURS = {
    "on_failure": "on_failure",
    "leftovers": "leftovers",
    "once": "once",
    "if": "condition",
    "env": "env",
    "name": "name",
}


class Problem(Struct, frozen=True):
    """Something wrong in a file. Prints as `file:line:column: text`."""

    level: str
    file: str
    line: int
    column: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.text}"


class Reading:
    """Reads the hooks that one file gives for one event."""

    def __init__(
        self,
        document: Document,
        scope: str,
        dialect: Dialect,
        agent: str | None,
        trusted: bool,
        problems: list[Problem],
    ) -> None:
        self.document, self.scope, self.dialect, self.agent = document, scope, dialect, agent
        self.trusted, self.problems = trusted, problems
        self.override = False

    def event(self, rule: EventRule, value: Any, path: Path) -> list[Hook]:
        """A list of groups or hooks, a single one, or a mapping that holds the list under a key."""
        form = self.dialect.form
        if not isinstance(value, dict):
            return self.items(rule, value, path, None)
        if form.lists:
            holding = next((key for key in form.lists if key in value), None)
            self.group(value, path, set(form.lists))
            return self.items(rule, value[holding], (*path, holding), None) if holding else []
        if form.flat:
            return self.item(rule, value, path, None)
        return self.items(rule, value, path, None)

    def group(self, value: dict[str, Any], path: Path, known: set[str]) -> dict[str, Any]:
        """The keys beside a list of hooks: a matcher for all of them, an override."""
        found: dict[str, Any] = {}
        for key, one in value.items():
            if key in known:
                continue
            setter = self.dialect.form.group_keys.get(key)
            if setter is None:
                self.unknown_key(key, (*path, key), {*self.dialect.form.group_keys, *known})
            else:
                SETTERS[setter](self, found, key, one, (*path, key))
        return found

    def items(self, rule: EventRule, value: Any, path: Path, group: dict[str, Any] | None) -> list[Hook]:
        """The items of a list; `group` holds what their group said, None where they stand in none."""
        if not isinstance(value, list):
            self.warn(path, f"{path[-1]} must be a list, not {type(value).__name__}; its hooks never run")
            return []
        return [hook for n, one in enumerate(value) for hook in self.item(rule, one, (*path, n), group)]

    def item(self, rule: EventRule, value: Any, path: Path, group: dict[str, Any] | None) -> list[Hook]:
        form = self.dialect.form
        if not isinstance(value, dict):
            self.warn(path, f"a hook must be a mapping, not {type(value).__name__}; it never runs")
            return []
        if group is None and form.group:
            if form.group in value:
                said = self.group(value, path, {form.group})
                return self.items(rule, value[form.group], (*path, form.group), said)
            if not form.flat:
                self.warn(path, f"a group needs a list under {form.group!r}; it runs nothing")
                return []
        hook = self.hook(rule, value, path, group or {})
        return [hook] if hook else []

    def entries(self, value: Any, path: Path) -> list[Hook]:
        """A flat list whose items name their events themselves."""
        if not isinstance(value, list):
            self.warn(path, "write hooks as [[hook]] tables")
            return []
        hooks: list[Hook] = []
        for n, one in enumerate(value):
            here = (*path, n)
            if isinstance(one, dict):
                hooks += [hook for rule in self.events_of(one, here) if (hook := self.hook(rule, one, here, {}))]
            else:
                self.warn(here, f"a hook must be a table, not {type(one).__name__}")
        return hooks

    def events_of(self, entry: dict[str, Any], path: Path) -> list[EventRule]:
        key = next(key for key, setter in self.dialect.form.keys.items() if setter == "event")
        named = entry.get(key)
        if named is None:
            self.warn(path, f"a hook needs {key!r}: the event it is for; it never runs")
        rules = {rule.name: rule for rule in self.dialect.events}
        found = []
        for name in named if isinstance(named, list) else [named] if named is not None else []:
            if name in rules:
                found.append(rules[name])
            else:
                hint = nearest(str(name), rules)
                self.warn((*path, key), f"{self.dialect.title} has no event {name!r}{hint}; the hook never runs")
        return found

    def hook(self, rule: EventRule, entry: dict[str, Any], path: Path, group: dict[str, Any]) -> Hook | None:
        """One entry, or None where it cannot run."""
        found: dict[str, Any] = {"spec": {}, **group}
        keys = self.dialect.form.keys
        for key, value in entry.items():
            setter = keys.get(key)
            if setter is None:
                self.unknown_key(key, (*path, key), keys)
            else:
                SETTERS[setter](self, found, key, value, (*path, key))
        if set(entry) and all(keys.get(key) == "override" for key in entry):
            return None
        kind = self.type_of(found, path)
        if kind is None:
            return None
        self.check_matcher(rule, found, path)
        spec = found.pop("spec")
        found.pop("type", None)
        return Hook(
            name=found.pop("name", None) or str(spec.get(kind.key) or kind.name),
            event=rule.name,
            handler=kind.handler,
            spec={**spec, "form": kind.form, "main": spec.get(kind.key)},
            source=Source(self.document.file, path, self.document.where, self.scope),
            timeout=found.pop("timeout", self.dialect.timeout),
            agent=self.agent,
            trusted=self.trusted,
            **found,
        )

    def type_of(self, found: dict[str, Any], path: Path) -> Type | None:
        """Which handler runs the entry; None, with a warning, where none can."""
        spec, types = found["spec"], self.dialect.types
        name = found.get("type") or UNTYPED.get(self.dialect.untyped, named)(self.dialect, spec)
        fitting = [kind for kind in types if kind.name == name]
        if not fitting:
            known = sorted({kind.name for kind in types})
            said = f"no type {name!r}{nearest(str(name), known)}" if name else "a hook needs a type"
            self.warn(path, f"{said}; it may be: {', '.join(known)}; the hook never runs")
            return None
        for kind in fitting:
            if not kind.key or spec.get(kind.key):
                return kind
        needed = " or ".join(repr(kind.key) for kind in fitting)
        self.warn(path, f"a hook of type {name!r} needs {needed}; it never runs")
        return None

    def check_matcher(self, rule: EventRule, found: dict[str, Any], path: Path) -> None:
        matcher = found.get("matcher")
        if matcher not in (None, "", "*") and not rule.target:
            self.warn(path, f"{rule.name} has nothing to match on, so the matcher {matcher!r} is ignored")

    def unknown_key(self, key: Any, path: Path, known: Any) -> None:
        self.warn(path, f"unknown key {key!r}{nearest(str(key), known)}; it is ignored")

    def warn(self, path: Path, text: str) -> None:
        line, column = self.document.where(path)
        self.problems.append(Problem("warning", self.document.file, line, column, text))

    def wrong(self, path: Path, key: str, value: Any, wanted: str) -> None:
        self.warn(path, f"{key} must be {wanted}, not {value!r}; it is ignored")


def named(dialect: Dialect, spec: dict[str, Any]) -> str:
    return dialect.untyped


def by_key(dialect: Dialect, spec: dict[str, Any]) -> str:
    """The type whose main key is there."""
    return next((kind.name for kind in dialect.types if kind.key in spec), "")


def path_or_dotted(dialect: Dialect, spec: dict[str, Any]) -> str:
    """A path is a command, a dotted name a function."""
    main = str(spec.get(dialect.types[0].key, ""))
    dotted = all(part.isidentifier() for part in main.split(".")) and "." in main
    form = "function" if dotted and not main.endswith((".py", ".sh")) else "program"
    return next(kind.name for kind in dialect.types if kind.form == form)


UNTYPED: dict[str, Callable[[Dialect, dict[str, Any]], str]] = {"by-key": by_key, "path-or-dotted": path_or_dotted}


def set_text(r: Reading, found: dict[str, Any], key: str, value: Any, path: Path, to: str = "") -> None:
    if isinstance(value, str):
        found[to or key] = value
    else:
        r.wrong(path, key, value, "text")


def set_flag(r: Reading, found: dict[str, Any], key: str, value: Any, path: Path, to: str = "") -> None:
    if isinstance(value, bool):
        found[to or key] = value
    else:
        r.wrong(path, key, value, "true or false")


def set_spec(r: Reading, found: dict[str, Any], key: str, value: Any, path: Path) -> None:
    words = isinstance(value, list) and value and all(isinstance(word, str) for word in value)
    if isinstance(value, str) or words:
        found["spec"][key] = value
    else:
        r.wrong(path, key, value, "text")


def set_timeout(r: Reading, found: dict[str, Any], key: str, value: Any, path: Path) -> None:
    unit = r.dialect.unit
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < float("inf"):
        r.warn(path, f"{key} must be a number above 0, not {value!r}; the default of {r.dialect.timeout:g} s is used")
        return
    found["timeout"] = value / DIVISOR[unit]
    if IMPLAUSIBLE[unit](value):
        r.warn(path, f"{key} is {value:g} {unit}, which is {found['timeout']:g} s; is that meant?")


def set_choice(r: Reading, found: dict[str, Any], key: str, value: Any, path: Path, to: str, known: set[str]) -> None:
    if isinstance(value, str) and value in known:
        found[to] = value
    else:
        r.wrong(path, key, value, f"one of {', '.join(sorted(known))}")


def set_on_failure(r: Reading, found: dict[str, Any], key: str, value: Any, path: Path) -> None:
    """One policy for all causes, or a policy by cause."""
    table = value if isinstance(value, dict) else {"default": value}
    policies = {}
    for cause, policy in table.items():
        if cause not in CAUSES and cause != "default":
            r.unknown_key(cause, (*path, cause), {*CAUSES, "default"})
        elif not isinstance(policy, str) or policy not in POLICIES:
            r.wrong(path, f"{key}.{cause}", policy, f"one of {', '.join(sorted(POLICIES))}")
        else:
            policies[cause] = policy
    found["on_failure"] = policies


def set_env(r: Reading, found: dict[str, Any], key: str, value: Any, path: Path) -> None:
    """Names to pass on from the host, or values to set."""
    if isinstance(value, list) and all(isinstance(name, str) for name in value):
        found["env"] = dict.fromkeys(value)
    elif isinstance(value, dict) and all(isinstance(v, str) for v in value.values()):
        found["env"] = value
    else:
        r.wrong(path, key, value, "a list of names or a mapping of names to text")


def set_condition(r: Reading, found: dict[str, Any], key: str, value: Any, path: Path) -> None:
    if isinstance(value, dict):
        found["condition"] = flat(value)
    else:
        r.wrong(path, key, value, "a mapping of dotted paths to globs")


def flat(value: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """TOML reads `tool_input.command = "x"` as nested tables; both spellings mean the same path."""
    result: dict[str, Any] = {}
    for key, one in value.items():
        result.update(flat(one, f"{prefix}{key}.") if isinstance(one, dict) else {f"{prefix}{key}": one})
    return result


def set_priority(r: Reading, found: dict[str, Any], key: str, value: Any, path: Path) -> None:
    if isinstance(value, int) and not isinstance(value, bool):
        found["priority"] = value
    else:
        r.wrong(path, key, value, "a whole number")


def set_override(r: Reading, found: dict[str, Any], key: str, value: Any, path: Path) -> None:
    if isinstance(value, bool):
        r.override = r.override or value
    else:
        r.wrong(path, key, value, "true or false")


def set_ours(r: Reading, found: dict[str, Any], key: str, value: Any, path: Path) -> None:
    """Our own options in another agent's entry, under a key that the agent ignores."""
    if not isinstance(value, dict):
        r.wrong(path, key, value, "a mapping")
        return
    for name, one in value.items():
        if name in OURS:
            SETTERS[OURS[name]](r, found, name, one, (*path, name))
        else:
            r.unknown_key(name, (*path, name), OURS)


def ignore(r: Reading, found: dict[str, Any], key: str, value: Any, path: Path) -> None:
    """A key that is read elsewhere, or is there for people only."""


SETTERS: dict[str, Callable[[Reading, dict[str, Any], str, Any, Path], None]] = {
    "type": lambda r, f, k, v, p: set_text(r, f, k, v, p, "type"),
    "spec": set_spec,
    "matcher": lambda r, f, k, v, p: set_text(r, f, k, v, p, "matcher"),
    "match_kind": lambda r, f, k, v, p: set_choice(r, f, k, v, p, "match_kind", MATCHERS),
    "timeout": set_timeout,
    "enabled": lambda r, f, k, v, p: set_flag(r, f, k, v, p, "enabled"),
    "name": lambda r, f, k, v, p: set_text(r, f, k, v, p, "name"),
    "sequential": lambda r, f, k, v, p: set_flag(r, f, k, v, p, "sequential"),
    "override": set_override,
    "event": ignore,
    "priority": set_priority,
    "once": lambda r, f, k, v, p: set_flag(r, f, k, v, p, "once"),
    "leftovers": lambda r, f, k, v, p: set_choice(r, f, k, v, p, "leftovers", {"keep", "end"}),
    "condition": set_condition,
    "on_failure": set_on_failure,
    "env": set_env,
    "background": ignore,
    "note": ignore,
    "ours": set_ours,
}
