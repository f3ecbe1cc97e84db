"""The check that a dialect uses no unknown word.

The words of strategies are in `words.py`, which is written from the tables of the modules that own them.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from tenterhook.dialects.schema.words import (
    BASE,
    CAUSES,
    DEDUPES,
    EFFECTS,
    ENDS,
    FIELD_FORMS,
    FORMS,
    JOINTS,
    KEYS,
    LAYERS,
    LINES,
    MATCHERS,
    MERGES,
    MODES,
    NETWORKS,
    ORDERS,
    REASONS,
    SOURCES,
    STOP_REASONS,
    STOPS,
    TYPES,
    UNATTENDED,
    UNITS,
    WEIGHED,
    WISHES,
)
from tenterhook.types import POLICIES

if TYPE_CHECKING:
    from tenterhook.dialects.schema.answer import AnswerField, Exit, ReadingRules
    from tenterhook.dialects.schema.dialect import Dialect, PlanningRules
    from tenterhook.dialects.schema.event import EventRule, Field, MergeRules, Overrides
    from tenterhook.dialects.schema.files import ConfigRules, Install, Setup

# What an answer may change, the kinds and receivers of messages, and the decisions.
CHANGES = {"input", "output", "request", "response", "tool_config"}
KINDS = {"context", "system", "reason", "feedback", "error", "result", "user_message"}
AUDIENCES = {"model", "user", "log"}
DECISIONS = POLICIES | {"defer"}
# Words that the schema itself defines, beside the field.
UNKNOWN_KEYS = {"tolerated", "void"}
WRONG_TYPES = {"ignored", "void", "void-also-null"}
UNNAMED = {"counts", "void", "void-missing"}
BROKEN = {"ignored", "ruins", "ruins-several"}
DOES = {"runs", "inert", "ruins"}
MALFORMED = {"entry", "item", "file"}
ORIGINS = {"settings", "plugin", "skill", "agent"}
OUTPUTS = {"value", "record", "short-record"}
FORMATS = {"json", "jsonc", "toml", "yaml", "frontmatter"}
# What users must know before they bring a hook to an agent.
CAUTIONS = {
    "approval": "what the agent's user must approve before a hook runs",
    "byte order mark": "where what hooks are told begins with one",
    "keys": "whose keys hooks are given with the environment",
}
# Our names of tools, and what a wrapper of `tenter init` may call.
TOOLS = {"Bash", "Read", "Write", "Edit", "Grep", "Glob", "Task"}
CALLS = {"session-start", "compact", "pre-tool", "post-tool", "stop", "agent"}


def check(dialect: Dialect) -> Iterable[str]:
    """Every word that no module knows."""
    names = [rule.name for rule in dialect.events]
    if len(names) != len(set(names)):
        yield "an event is listed twice"
    for rule in dialect.events:
        yield from check_event(rule)
        yield from unknown(f"event {rule.name} types", rule.overrides.types, {one.name for one in dialect.config.types})
    yield from check_env("payload env", dialect.payload.env)
    yield from check_fields("payload base", dialect.payload.base)
    yield from check_reading(dialect.reading, set(names))
    yield from check_config(dialect.config, set(names))
    yield from check_planning(dialect.planning)
    yield from unknown("failures mode", [dialect.failures.mode], MODES)
    yield from unknown("failures by_cause", dialect.failures.by_cause, CAUSES)
    yield from unknown("failures by_cause", dialect.failures.by_cause.values(), POLICIES)
    yield from unknown("failures by_handler", dialect.failures.by_handler.values(), POLICIES)
    yield from unknown("messages audience", dialect.messages.audience, KINDS)
    yield from unknown("messages audience", dialect.messages.audience.values(), AUDIENCES)
    yield from unknown("messages marks", dialect.messages.marks, KINDS)
    yield from unknown("tools names", dialect.tools.names, TOOLS)
    if "{tool}" not in dialect.tools.mcp_tool:
        yield "tools mcp_tool: the name of a server's tool needs {tool}, and {server} where the agent names it"
    yield from unknown("sandbox default", [dialect.sandbox.default.network], NETWORKS)
    yield from unknown("remarks cautions", dialect.remarks.cautions, CAUTIONS.keys())
    if dialect.setup:
        yield from check_setup(dialect, dialect.setup)
    if dialect.install:
        yield from check_install(dialect, dialect.install)


def check_reading(reading: ReadingRules, events: set[str]) -> Iterable[str]:
    """How exit statuses and answers are read."""
    if "other" not in reading.exits or 0 not in reading.exits:
        yield "the exit table needs rows for 0 and 'other'"
    elif reading.exits[0].decision or reading.exits[0].failed:
        yield "exit 0 without output decides nothing; an event may say otherwise with `text.silence`"
    yield from check_exits("exit", reading.exits)
    for answer in reading.answers:
        yield from check_answer(answer, events)
    yield from unknown("reading section unnamed", [reading.section.unnamed], UNNAMED)
    yield from unknown("reading section broken", [reading.section.broken], BROKEN)
    yield from unknown("reading source", [reading.source], SOURCES)
    yield from unknown("reading lines", [reading.lines], LINES)
    yield from unknown("reading unknown_keys", [reading.unknown_keys], UNKNOWN_KEYS)
    yield from unknown("reading wrong_types", [reading.wrong_types], WRONG_TYPES)
    yield from unknown("reading broken", [reading.broken], {"fails", "text"})
    yield from unknown("reading other_json", [reading.other_json], {"text", "nothing"})
    yield from unknown("reading byte_order_mark", [reading.byte_order_mark], {"skipped", "text"})


def check_config(config: ConfigRules, events: set[str]) -> Iterable[str]:
    """Its files, what an entry may hold, and the types of hooks."""
    for file in config.files:
        yield from unknown(f"file {file.path}", [file.format], FORMATS)
        yield from unknown(f"file {file.path} origin", [file.origin], ORIGINS)
        yield from unknown(f"file {file.path} malformed", [file.malformed], {"", *MALFORMED})
        for section in file.sections:
            yield from unknown(f"file {file.path} renames", [*section.renames, *section.renames.values()], events)
    yield from unknown("form malformed", [config.form.malformed, config.form.unlisted], MALFORMED)
    yield from unknown("form bare", [config.form.bare], {"", *MALFORMED})
    for keys in (config.form.keys, config.form.group_keys):
        yield from unknown("form", keys.values(), KEYS)
    for kind in config.types:
        yield from unknown(f"type {kind.name}", [kind.form], FORMS)
        yield from unknown(f"type {kind.name} unit", [kind.unit], {"", *UNITS})
        yield from unknown(f"type {kind.name} does", [kind.does], DOES)
        yield from unknown(f"type {kind.name} ignores", kind.ignores, set(config.form.keys))
    untyped = {"", "path-or-dotted", "by-key", *(kind.name for kind in config.types)}
    yield from unknown("config untyped", [config.untyped], untyped)
    yield from unknown("config unit", [config.unit], UNITS)
    yield from unknown("config layers", [config.layers], LAYERS)


def check_planning(planning: PlanningRules) -> Iterable[str]:
    yield from unknown("planning matcher", [planning.matcher], MATCHERS)
    yield from unknown("planning order", [planning.order], ORDERS)
    yield from unknown("planning joint", [planning.joint], JOINTS)
    yield from unknown("planning dedupe", [planning.dedupe], {"", *DEDUPES})
    yield from unknown("planning chain_ends", planning.chain_ends, ENDS)


def check_event(rule: EventRule) -> Iterable[str]:
    where = f"event {rule.name}"
    yield from check_fields(f"{where} fields", rule.fields)
    yield from unknown(f"{where} can", [rule.can.unattended], UNATTENDED)
    yield from unknown(f"{where} deny", [rule.deny.to], AUDIENCES)
    yield from unknown(f"{where} deny", [rule.deny.kind], KINDS)
    yield from unknown(f"{where} deny", [rule.deny.unreasoned], {"counts", "fails", "ignored", "ignored-unless-text"})
    yield from unknown(f"{where} stop", [rule.stop.does], STOPS)
    yield from unknown(f"{where} stop", [rule.stop.reasons], STOP_REASONS)
    yield from unknown(f"{where} text", [rule.text.becomes], {"", *KINDS})
    yield from unknown(f"{where} text sets", [rule.text.sets], {"", *WISHES})
    yield from unknown(f"{where} text silence", [rule.text.silence], {"", *POLICIES})
    yield from unknown(f"{where} text audience", rule.text.audience, KINDS)
    yield from unknown(f"{where} text audience", rule.text.audience.values(), AUDIENCES)
    yield from unknown(f"{where} firing tools", rule.firing.tools, {*TOOLS, "mcp"})
    yield from unknown(f"{where} firing output", [rule.firing.output], OUTPUTS)
    yield from check_merging(f"{where} merging", rule.merging)
    yield from check_overrides(where, rule.overrides)


def check_merging(where: str, merging: MergeRules) -> Iterable[str]:
    yield from unknown(f"{where} changes", merging.changes, CHANGES | WISHES)
    yield from unknown(f"{where} changes", merging.changes.values(), MERGES)
    yield from unknown(f"{where} chain", merging.chain, {*CHANGES, "context"})
    yield from unknown(f"{where} seen", merging.seen, set(merging.chain))
    yield from unknown(f"{where} seen", merging.seen.values(), MERGES)
    yield from unknown(f"{where} decisions", [merging.decisions], WEIGHED)
    yield from unknown(f"{where} reasons", [merging.reasons], REASONS)
    yield from unknown(f"{where} reasons_told", [merging.reasons_told], {"all", "counting"})
    yield from unknown(f"{where} contexts", [merging.contexts], {"all", "last"})
    yield from unknown(f"{where} response_needs", [merging.response_needs], {"", "block", "deny"})


def check_overrides(where: str, here: Overrides) -> Iterable[str]:
    """The differences of an event from the dialect."""
    yield from check_fields(f"{where} base", here.base)
    yield from check_env(f"{where} env", here.env)
    yield from unknown(f"{where} matcher", [here.matcher], {"", *MATCHERS})
    yield from check_exits(f"{where} exit", here.exits)
    yield from unknown(f"{where} failure", here.failure, CAUSES)
    yield from unknown(f"{where} failure", here.failure.values(), POLICIES)
    yield from unknown(f"{where} malformed", [here.malformed], {"", *MALFORMED})
    yield from unknown(f"{where} broken_section", [here.broken_section], {"", *BROKEN})
    yield from unknown(f"{where} chain_ends", here.chain_ends, ENDS)


def check_exits(where: str, exits: dict[int | str, Exit]) -> Iterable[str]:
    for key, row in exits.items():
        yield from unknown(f"{where} {key}", [row.decision], {"", *POLICIES})
        yield from unknown(f"{where} {key} text", [row.text.source], {"", *SOURCES})
        yield from unknown(f"{where} {key} text", [row.text.becomes, row.text.else_becomes], {"", "plain", *KINDS})
        yield from unknown(f"{where} {key} text decision", [row.text.decision], {"", *POLICIES})
        yield from unknown(f"{where} {key} answer", [row.answer.source], {"", *SOURCES})


def check_answer(answer: AnswerField, events: set[str]) -> Iterable[str]:
    where = f"answer {answer.path}"
    yield from unknown(where, [answer.effect], EFFECTS)
    yield from unknown(f"{where} kind", [answer.kind, *answer.value.kinds.values()], {"", *KINDS})
    yield from unknown(f"{where} events", answer.events, events)
    yield from unknown(f"{where} words", answer.words.values(), DECISIONS)
    yield from unknown(f"{where} type", [answer.type], {"", *TYPES})
    yield from unknown(f"{where} written", [answer.value.written], {"", "text", "json"})
    yield from unknown(f"{where} null", [answer.checks.null], {"", "ignored"})
    yield from unknown(f"{where} otherwise", [answer.value.otherwise], {"", *DECISIONS})
    yield from unknown(f"{where} only_with", [answer.checks.only_with], {"", "any", *DECISIONS})
    yield from unknown(f"{where} change", [answer.change], WISHES if answer.effect == "set" else {""})


def check_fields(where: str, fields: Iterable[Field]) -> Iterable[str]:
    for field in fields:
        yield from unknown(f"{where} {field.name}", [field.form], {"", *FIELD_FORMS})


def check_env(where: str, env: dict[str, str]) -> Iterable[str]:
    """A word of BASE; `=TEXT`; `.PATH` into the event's data; `~/PATH`, unless the host has it set. `?`: optional."""
    for value in env.values():
        if not value.startswith(("=", ".", "~/")):
            yield from unknown(where, [value.rstrip("?")], BASE)


def check_setup(dialect: Dialect, setup: Setup) -> Iterable[str]:
    targets = {rule.name: rule.target.field for rule in dialect.events}
    own = {file.path for file in dialect.config.files if file.scope == "project" and "*" not in file.path}
    yield from unknown("setup files", setup.files or [""], own)
    yield from unknown("setup list_key", [setup.list_key], {"", *dialect.config.form.lists})
    if "{path}" not in setup.command:
        yield "setup command: the path of a wrapper needs {path}"
    if not setup.folder or setup.folder.startswith(("/", "~", ".git/")) or ".." in setup.folder.split("/"):
        yield f"setup folder: {setup.folder!r} is not a folder of a project"
    if len({one.script for one in setup.wrappers}) != len(setup.wrappers):
        yield "setup: a wrapper is listed twice"
    for one in setup.wrappers:
        yield from unknown(f"wrapper {one.script}", [one.calls], CALLS)
        yield from unknown(f"wrapper {one.script} event", [one.event], {"", *targets})
        if not one.script or "/" in one.script:
            yield f"wrapper {one.script!r}: the name of a file in the folder is needed"
        if one.matcher and not targets.get(one.event):
            yield f"wrapper {one.script}: {one.event or 'no event'} has nothing to match on"


# Scopes of files that only root can write.
OF_SYSTEM = ("system", "managed")


def check_install(dialect: Dialect, install: Install) -> Iterable[str]:
    for scope, path in (("project", install.project), ("user", install.user)):
        if not any(covers(file.path, path) for file in dialect.config.files if file.scope == scope):
            yield f"install {scope}: {path!r} is none of its files"
    for path in (install.managed.linux, install.managed.macos) if install.managed else ():
        if path and not any(covers(file.path, path) for file in dialect.config.files if file.scope in OF_SYSTEM):
            yield f"install managed: {path!r} is none of the system's files"
    keys, setters = dialect.config.form.keys, set(dialect.config.form.keys.values())
    yield from unknown("install program", [install.program], {"", *keys})
    yield from unknown("install folder", [install.folder], {"", *dialect.payload.env})
    if install.closed and "closed" not in setters:
        yield "install closed: no key of an entry says that"
    if not any(kind.form == "shell" for kind in dialect.config.types):
        yield "install: no type takes a command with words"


def covers(pattern: str, path: str) -> bool:
    """Whether a file of a dialect may have that path; `**/` matches any folders, or none."""
    return fnmatchcase(path, pattern) or fnmatchcase(path, pattern.replace("**/", ""))


def unknown(where: str, words: Iterable[Any], known: AbstractSet[str]) -> Iterable[str]:
    for word in words:
        if word not in known:
            yield f"{where}: no {word!r}, only {', '.join(sorted(filter(None, known)))}"
