"""One event's value in a config file -> Hooks. Wrong keys and values are reported with their position; the rest
works.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from tenterhook import handlers
from tenterhook.config.entry_keys import SETTERS
from tenterhook.config.timeouts import timeout
from tenterhook.dialects.schema.dialect import Dialect, EventRule, File, Type
from tenterhook.errors import UsageError, nearest
from tenterhook.pipeline.match import engine, is_broken
from tenterhook.support.strategy import Strategy
from tenterhook.types import RULE, Hook, Path, Source

LONGEST_NAME = 60
# Files whose hooks are not duplicates of those in other files.
APART = ("plugin", "skill")
# The mode in which what cannot be checked is refused, and the name of a hook whose entry cannot be read.
STRICT, HOOK = "strict", "hook"

if TYPE_CHECKING:
    from tenterhook.support.readers import Document


# The rule of `tenter check` for an entry that cannot be read.
UNREADABLE = "malformed-entry"


class Problem(Struct, frozen=True):
    """Something wrong in a file. Prints as `file:line:column: text`."""

    level: str
    file: str
    line: int
    column: int
    text: str
    # The name of the rule of `tenter check`, and the place in the file's data.
    rule: str = UNREADABLE
    path: Path = ()

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}:{self.column}" if self.line else self.file
        return f"{where}: {self.text}"


TYPE_WORDS = {
    dict: "a mapping",
    list: "a list",
    str: "text",
    bool: "true or false",
    int: "a number",
    float: "a number",
    type(None): "null",
}


def kind_of(event: str) -> str:
    """The kind of an event that an agent has another name for; empty if no agent has such an event."""
    from tenterhook.author.kinds import EVENTS

    return EVENTS.get(event, "")


def type_word(value: object) -> str:
    """What a value of a config file is called."""
    return TYPE_WORDS.get(type(value), type(value).__name__)


class EntryReader:
    """Reads the hooks that one file gives for one event."""

    def __init__(
        self,
        document: Document,
        scope: str,
        dialect: Dialect,
        agent: str | None,
        problems: list[Problem],
        file: File | None = None,
    ) -> None:
        self.document, self.scope, self.dialect, self.agent = document, scope, dialect, agent
        self.problems = problems
        self.override = False
        self.refused = False
        self.origin = file.origin if file else "settings"
        self.apart = document.file if self.origin in APART else ""
        self.env = {name: beside(document.file, path) for name, path in file.env.items()} if file else {}
        self.folder = {"cwd": beside(document.file, file.cwd)} if file and file.cwd else {}
        # What one bad entry costs; in some agents that depends on the event.
        self.usual = self.costs = (file.malformed if file else "") or dialect.config.form.malformed
        # Why the agent refuses the whole file.
        self.ruined: list[Problem] = []

    def event(self, rule: EventRule, value: Any, path: Path) -> list[Hook]:
        """A list of groups or hooks, a single one, or a mapping that holds the list under a key."""
        form = self.dialect.config.form
        self.costs = rule.overrides.malformed or self.costs
        if not isinstance(value, dict) or form.unlisted == "file":
            return self.items(rule, value, path, None)
        if form.lists:
            holding = next((key for key in form.lists if key in value), None)
            if holding is None and form.keys.keys() & value.keys() - form.group_keys.keys():
                return self.item(rule, value, path, None)
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
            setter = self.dialect.config.form.group_keys.get(key)
            if one is None and self.dialect.config.form.nulls:
                continue
            if setter is None:
                self.unknown_key(key, (*path, key), {*self.dialect.config.form.group_keys, *known})
            else:
                SETTERS[setter].run(self, found, key, one, (*path, key))
        return found

    def items(self, rule: EventRule, value: Any, path: Path, group: dict[str, Any] | None) -> list[Hook]:
        """The items of a list; `group` holds their group's keys, None if they are in none."""
        if isinstance(value, dict) and group is not None and self.dialect.config.form.flat:
            return self.item(rule, value, path, group)
        if not isinstance(value, list):
            if value is None and group is None:  # as if the event were missing
                self.costs = self.usual
            costs = self.ruin if self.dialect.config.form.unlisted == "file" else self.report_malformed
            text = f"{path[-1]} must be a list, not {type_word(value)}"
            costs(path, text, "its hooks never run", UNREADABLE)
            return []
        return [hook for n, one in enumerate(value) for hook in self.item(rule, one, (*path, n), group)]

    def item(self, rule: EventRule, value: Any, path: Path, group: dict[str, Any] | None) -> list[Hook]:
        form = self.dialect.config.form
        if not isinstance(value, dict):
            text = f"a hook must be a mapping, not {type_word(value)}"
            self.report_malformed(path, text, "it never runs", UNREADABLE)
            return []
        if group is None and form.group:
            if form.group in value:
                self.refused = False
                said = self.group(value, path, {form.group})
                return [] if self.refused else self.items(rule, value[form.group], (*path, form.group), said)
            if not form.flat:
                self.costs = form.bare or self.costs
                text = f"a group needs a list under {form.group!r}"
                self.report_malformed(path, text, "it runs nothing", UNREADABLE)
                return []
        hook = self.hook(rule, value, path, group or {})
        return [hook] if hook else []

    def entries(self, value: Any, path: Path) -> list[Hook]:
        """A flat list whose items name their events themselves."""
        if not isinstance(value, list):
            self.warn(path, "write hooks as [[hook]] tables; these never run", UNREADABLE)
            return []
        hooks: list[Hook] = []
        for n, one in enumerate(value):
            known = len(self.problems)
            found = self.entry(one, (*path, n))
            if not found and self.dialect.failures.mode == STRICT:
                found = self.failing((*path, n), one, self.problems[known:])
            hooks += found
        return hooks

    def entry(self, value: Any, path: Path) -> list[Hook]:
        if not isinstance(value, dict):
            self.warn(path, f"a hook must be a table, not {type_word(value)}; it never runs", UNREADABLE)
            return []
        found = [(rule, one) for one in self.expand(value, path) for rule in self.events_of(one, path)]
        return [hook for rule, one in found if (hook := self.hook(rule, one, path, {}))]

    def failing(self, path: Path, value: Any, problems: list[Problem]) -> list[Hook]:
        """A hook that fails at each event that a guard may be for, in place of an entry that cannot run."""
        from tenterhook.config.unreadable import failing, guards

        name = value.get("name") if isinstance(value, dict) else None
        source = Source(self.document.file, path, self.document.where, self.scope)
        text = "; ".join(map(str, problems))
        rules = [rule for rule in self.dialect.events if guards(rule)] if problems else []
        return [failing(name if isinstance(name, str) else HOOK, source, text, rule, self.agent) for rule in rules]

    def expand(self, entry: dict[str, Any], path: Path) -> list[dict[str, Any]]:
        """The entry itself; or, where its handler knows better, one for each hook that it stands for."""
        kinds = [kind for kind in self.dialect.config.types if kind.key in entry]
        kind = next((one for one in kinds if hasattr(handlers.get(one.handler), "entries")), None)
        if kind is None:
            return [entry]
        others = [one.key for one in kinds if one.key != kind.key]
        if others or not isinstance(entry[kind.key], str):
            wrong = f"stands beside {others[0]}" if others else f"must be text, not {entry[kind.key]!r}"
            self.warn((*path, kind.key), f"{kind.key} {wrong}; the hook never runs", "wrong-value")
            return []
        read = handlers.get(kind.handler).entries  # type: ignore[union-attr]
        try:
            found: list[dict[str, Any]] = read(
                entry, os.path.dirname(self.document.file), whole=self.scope != "project"
            )
        except UsageError as exc:
            self.warn((*path, kind.key), f"{exc}; what it guards is refused", "broken-use")
            return []
        wanted = entry.get("on")
        wanted = [wanted] if isinstance(wanted, str) else wanted
        if isinstance(wanted, list):
            wanted = [*wanted, *(kind_of(name) for name in wanted if isinstance(name, str))]
        chosen = [one for one in found if not isinstance(wanted, list) or one["on"] in wanted]
        if not chosen:
            known = ", ".join(dict.fromkeys(one["on"] for one in found))
            text = f"the hooks of {entry[kind.key]} are for {known}; the entry never runs"
            self.warn((*path, "on"), text, "unknown-event")
        return chosen

    def events_of(self, entry: dict[str, Any], path: Path) -> list[EventRule]:
        key = next(key for key, setter in self.dialect.config.form.keys.items() if setter == "event")
        named = entry.get(key)
        if named is None or named == []:
            self.warn(path, f"a hook needs {key!r}: the event it is for; it never runs", "unknown-event")
        rules = {rule.name: rule for rule in self.dialect.events}
        found = []
        for name in named if isinstance(named, list) else [named] if named is not None else []:
            if isinstance(name, str) and (rule := rules.get(name) or rules.get(kind_of(name))):
                found.append(rule)
            else:
                hint = nearest(str(name), rules)
                text = f"{self.dialect.title} has no event {name!r}{hint}; the hook never runs"
                self.warn((*path, key), text, "unknown-event")
        return found

    def hook(self, rule: EventRule, entry: dict[str, Any], path: Path, group: dict[str, Any]) -> Hook | None:
        """One entry, or None if it cannot run."""
        found: dict[str, Any] = {"spec": {}, **group}
        self.refused = False
        keys, nulls = self.dialect.config.form.keys, self.dialect.config.form.nulls
        for key, value in entry.items():
            setter = keys.get(key) if value is not None or not nulls else "note"
            if setter is None:
                self.unknown_key(key, (*path, key), keys)
            else:
                SETTERS[setter].run(self, found, key, value, (*path, key))
        if set(entry) and all(keys.get(key) == "override" for key in entry):
            return None
        kind = self.type_of(found, path)
        if kind is None or self.refused:
            return None
        for key in kind.ignores:
            if found.pop(keys[key], None) or found["spec"].pop(keys[key], None):
                self.no_effect(key, kind, path)
        self.check_matcher(rule, found, path)
        limit = timeout(self, pop_timeout(found), rule, kind)
        if self.refused or not self.runs(kind, rule, path):
            return None
        if found.get("background") and not handlers.starts_child(kind.handler):
            text = f"only a process can run in the background, not a hook of type {kind.name!r}"
            self.warn(path, text, "ignored-option")
            found["background"] = False
        self.close(rule, found, path)
        if RULE in (found.get("condition") or {}) and rule.target.field != "tool_name":
            text = f"{rule.name} is not about a tool, so a hook that is for some calls only never runs"
            self.warn(path, text, "bad-condition")
        spec = {**kind.spec, **self.folder_for(kind), **found.pop("spec")}
        beyond = [key for key in spec if key not in (*self.same_command(kind), *kind.spec)] if kind.key else []
        for key in beyond:
            if key not in handlers.traits(kind.handler).options:
                self.no_effect(key, kind, path)
        if "stop_cap" in spec and rule.stop.cap is None:
            text = f"{rule.name} cannot keep an agent from stopping, so the limit has no effect"
            self.warn(path, text, "ignored-option")
        found.pop("type", None)
        return Hook(
            name=found.pop("name", None) or NAMES.get(kind.form, str)(spec.get(kind.key) or kind.name),
            event=rule.name,
            handler=kind.handler,
            spec=whole(spec, kind),
            source=Source(self.document.file, path, self.document.where, self.scope, apart=self.apart),
            timeout=limit,
            agent=self.agent,
            match_kind=found.pop("match_kind", rule.overrides.matcher),
            env={**self.env, **found.pop("env", {})},
            **found,
        )

    def same_command(self, kind: Type) -> list[str]:
        """The keys of a command for one shell or system or another: the agent takes the one that fits."""
        return [one.key for one in self.dialect.config.types if (one.name, one.form) == (kind.name, kind.form)]

    def folder_for(self, kind: Type) -> dict[str, Any]:
        """The working directory that the file gives to its hooks, where hooks of this type have one."""
        return self.folder if self.folder and "cwd" in handlers.traits(kind.handler).options else {}

    def close(self, rule: EventRule, found: dict[str, Any], path: Path) -> None:
        """Apply fail-closed, if the event can be refused and the engine waits for the hook."""
        if not found.pop("closed", False):
            return
        if rule.can.fail_closed and not found.get("background"):
            found["on_failure"] = {"default": "deny", **found.get("on_failure", {})}
        else:
            where = "in the background" if rule.can.fail_closed else f"on {rule.name}"
            self.warn(path, f"a failure of this hook does not block: {where} it cannot", "ignored-option")

    def runs(self, kind: Type, rule: EventRule, path: Path) -> bool:
        """Whether the agent runs hooks of this type, and on this event."""
        title = self.dialect.title
        if kind.does == "ruins":
            self.ruin(path, f"{title} refuses a file with a hook of type {kind.name!r}", rule="type-not-run")
        elif kind.does == "inert":
            self.warn(path, f"{title} reads hooks of type {kind.name!r} and never runs them", "type-not-run")
        elif rule.overrides.types and kind.name not in rule.overrides.types:
            text = f"hooks of type {kind.name!r} never run on {rule.name}, only: {', '.join(rule.overrides.types)}"
            self.warn(path, text, "type-not-run")
        else:
            return True
        return False

    def type_of(self, found: dict[str, Any], path: Path) -> Type | None:
        """The handler that runs the entry; None, with a warning, if none can."""
        spec, types = found["spec"], self.dialect.config.types
        untyped = self.dialect.config.untyped
        chosen = UNTYPED[untyped].run(self.dialect, spec) if untyped in UNTYPED else untyped
        name = found.get("type") or chosen
        fitting = [kind for kind in types if kind.name == name]
        if not fitting:
            known = sorted({kind.name for kind in types})
            why = f"no type {name!r}{nearest(str(name), known)}" if name else "a hook needs a type"
            text = f"{why}; it may be: {', '.join(known)}"
            self.report_malformed(path, text, "the hook never runs", "unknown-type")
            return None
        for kind in fitting:
            if isinstance(spec.get(kind.key), list) and kind.form != "shell":
                text = f"{kind.key} must be text, not a list"
                self.report_malformed((*path, kind.key), text, "the hook never runs", "wrong-value")
                return None
            if not kind.key or spec.get(kind.key) or kind.does == "inert":
                return kind
        needed = " or ".join(repr(kind.key) for kind in fitting)
        if any(spec.get(kind.key) == "" for kind in fitting):  # it is text, so that no other entry is affected
            self.costs = "entry"
        self.report_malformed(path, f"a hook of type {name!r} needs {needed}", "it never runs", UNREADABLE)
        return None

    def check_matcher(self, rule: EventRule, found: dict[str, Any], path: Path) -> None:
        matcher = found.get("matcher")
        if matcher not in (None, "", "*") and not rule.target.field:
            text = f"{rule.name} has nothing to match on, so the matcher {matcher!r} is ignored"
            self.warn(path, text, "ignored-matcher")
        elif matcher and is_broken(
            matcher, kind := found.get("match_kind") or rule.overrides.matcher or self.dialect.planning.matcher
        ):
            from tenterhook.pipeline.regex import whose

            text = f"the matcher {matcher!r} is not a {whose(engine(kind))}regular expression"
            self.warn(path, f"{text}: it matches nothing, the hook never runs", "bad-regex")

    def unknown_key(self, key: Any, path: Path, known: Any) -> None:
        self.warn(path, f"unknown key {key!r}{nearest(str(key), known)}; it is ignored", "unknown-key")

    def no_effect(self, key: str, kind: Type, path: Path) -> None:
        text = f"{key} has no effect on a hook of type {kind.name!r}; it is ignored"
        self.warn((*path, key), text, "ignored-option")

    def warn(self, path: Path, text: str, rule: str = UNREADABLE) -> None:
        self.problems.append(problem(self.document, path, text, rule))

    def report_malformed(self, path: Path, text: str, cost: str, rule: str) -> None:
        """Report what is wrong, and what that costs: in some agents all hooks of the file."""
        if self.costs == "file":
            self.ruin(path, text, rule=rule)
        elif self.costs == "item":
            self.refuse(path, text, rule)
        else:
            self.warn(path, f"{text}; {cost}", rule)

    def ruin(self, path: Path, text: str, _: str = "", rule: str = "") -> None:
        self.ruined.append(problem(self.document, path, f"{text}; so no hook of this file runs", rule, "error"))

    def refuse(self, path: Path, text: str, rule: str = "refused-value") -> None:
        """A value that must not be guessed: the hook is left out."""
        self.refused = True
        self.warn(path, f"{text}; the hook never runs", rule)

    def wrong(self, path: Path, key: str, value: Any, wanted: str) -> None:
        self.report_malformed(path, f"{key} must be {wanted}, not {value!r}", "it is ignored", "wrong-value")


def problem(document: Document, path: Path, text: str, rule: str, level: str = "warning") -> Problem:
    line, column = document.where(path)
    return Problem(level, document.file, line, column, text, rule, path)


def pop_timeout(found: dict[str, Any]) -> Any:
    """The entry's time-out: the main key first, then its alternative."""
    spare = found.pop("timeout_else", None)
    return found.pop("timeout", spare)


def whole(spec: dict[str, Any], kind: Type) -> dict[str, Any]:
    """The spec with the names that all dialects share. A command that is a list of words runs without a shell."""
    main = spec.get(kind.key)
    rest = {key: value for key, value in spec.items() if key != "words"}
    if kind.form == "exec":
        return {**rest, "form": "shell", "main": [main, *spec.get("words", ())]}
    if "words" not in spec:
        return {**spec, "form": kind.form, "main": main}
    return {**rest, "form": kind.form, "main": [main, *spec["words"]], "placeholders": True}


def beside(file: str, path: str) -> str:
    """A path relative to the folder of a file."""
    return os.path.normpath(os.path.join(os.path.dirname(file), path))


def without_query(url: str) -> str:
    from tenterhook.support.terminal.urls import bare

    return bare(url)


def first_words(text: str) -> str:
    line = " ".join(str(text).split())
    return line if len(line) <= LONGEST_NAME else f"{line[: LONGEST_NAME - 3]}..."


# What a hook without a name is called, if not simply by what it runs.
NAMES: dict[str, Callable[[str], str]] = {"url": without_query, "prompt": first_words, "agent": first_words}


def by_key(dialect: Dialect, spec: dict[str, Any]) -> str:
    """The type whose main key is present."""
    return next((kind.name for kind in dialect.config.types if kind.key in spec), "")


def path_or_dotted(dialect: Dialect, spec: dict[str, Any]) -> str:
    """A path is a command, a dotted name a function."""
    main = str(spec.get(dialect.config.types[0].key, ""))
    dotted = all(part.isidentifier() for part in main.split(".")) and "." in main
    form = "function" if dotted and not main.endswith((".py", ".sh")) else "program"
    return next(kind.name for kind in dialect.config.types if kind.form == form)


UNTYPED: dict[str, Strategy[Callable[[Dialect, dict[str, Any]], str]]] = {
    "by-key": Strategy(by_key, "the type whose key is there"),
    "path-or-dotted": Strategy(path_or_dotted, "a path is a command, a dotted name a function"),
}
# How the main value of a type is understood; the handlers do it.
FORMS = {
    "shell": "a shell runs the text; a list of words runs without a shell",
    "program": "one program, without a shell",
    "exec": "a program with its arguments, without a shell",
    "function": "a Python function, in the host's process",
    "script": "a Python file, in a process of its own",
    "url": "the event is sent to a URL, the response is the answer",
    "prompt": "a model is asked, in one turn",
    "agent": "a model is asked that can read and search the project's files",
    "use": "functions with @hook of a Python file, or a ready hook, in a process of its own",
    "mcp": "a tool of an MCP server is called, its text is the answer",
    "none": "depends on the host",
}
