"""The words a dialect may use, next to the module that gives each its meaning, and the check that it uses no other."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tenterhook.dialects.schema.dialect import Answer, Dialect, EventRule, Exit, Field, Install, Setup

MATCHERS = {  # match
    *("glob", "glob-nocase", "regex-full", "regex-search", "literal"),
    *("names-or-regex", "names-or-regex-narrow", "names-or-regex-whole", "names-and-regex", "regex-whole"),
    *("names-or-regex@javascript-2025", "names-or-regex-narrow@javascript-2025", "names-or-regex-narrow@rust"),
    *("regex-search@javascript", "names-and-regex@javascript"),
    *("regex-whole@javascript-2025", "names-or-regex-whole@javascript-2025"),
}
# Where a hook's condition holds a permission rule, among dotted paths.
RULE = "permission rule"  # permission_rules
ENDS = {"deny", "ask", "stop", "failure", "input"}  # judge
WEIGHED = {"strongest", "last", "section-last"}  # merge
ORDERS = {"parallel", "sequential", "parallel-unless-sequential"}  # plan
MERGES = {  # apply
    *("replace", "last-finished", "last-finished-alike", "overlay", "overlay-last", "overlay-given", "union", "any"),
    *("union-tools", "tools-of-hooks"),
}
REASONS = {"first", "last", "last-any", "last-finished", "join", "join-ruled", "paragraphs"}  # merge
EFFECTS = {  # verdict
    *("decision", "reason", "notice", "follow_up", "continue", "stop", "stop_reason", "suppress", "text"),
    *("input", "output", "request", "response", "tool_config", "set", "hold", "note"),
}
CHANGES = {"input", "output", "request", "response", "tool_config"}
# What the effect `set` may set, for hosts that know it.
WISHES = {
    *("prompt", "hide_prompt", "first_prompt", "follow_up", "title", "shown", "terminal", "env"),
    *("watch", "reload_skills", "retry", "interrupt", "permissions", "elicited", "path", "tail_call", "clear"),
    *("classifier",),
}
TYPES = {"text", "flag", "number", "object", "list", "any"}  # answer_validity
KINDS = {"context", "system", "reason", "feedback", "error", "result", "user_message"}
AUDIENCES = {"model", "user", "log"}
POLICIES = {"allow", "ask", "deny"}
DECISIONS = POLICIES | {"defer"}  # what an answer may decide
STOPS = {"first", "after", "denies", "denies-by-stop", "replaces", "replaces-by-reason", "ignored"}  # stop_rules
UNATTENDED = {"deny", "allow", "stop"}  # merge
LINES = {"all", "but-progress"}  # answer
SOURCES = {"stdout", "stderr", "stdout-or-stderr"}  # verdict: where a text is looked for
UNKNOWN_KEYS = {"tolerated", "void"}  # answer_validity
WRONG_TYPES = {"ignored", "void", "void-also-null"}
UNNAMED = {"counts", "void", "void-missing"}
CAUSES = {
    "spawn",
    "timeout",
    "signal",
    "import",
    "exception",
    "output",
    "network",
    "status",
    "exit",
    "cancelled",
    "payload",
    "modified",
    "sandbox",
    "silence",
}
FORMATS = {"json", "jsonc", "toml", "yaml", "frontmatter"}  # readers
KEYS = {  # config
    *("type", "spec", "matcher", "match_kind", "timeout", "enabled", "name", "sequential", "override", "event"),
    *("priority", "once", "leftovers", "condition", "on_failure", "env", "background", "note", "ours"),
    *("sandbox", "warm", "matcher_trimmed", "words", "rule", "closed", "wakes", "once_in_skill", "timeout_else"),
    "stop_cap",
    *("spec_flag", "spec_texts", "spec_seconds", "spec_count", "spec_object", "context_limit"),
}
# What the agent's user must approve before a hook runs; where payloads begin with a byte order mark; which providers'
# keys hooks are given.
CAUTIONS = {"approval", "byte order mark", "keys"}
UNITS = {"seconds", "whole-seconds", "milliseconds", "seconds-below-1000"}  # config/entry_keys
DOES = {"runs", "inert", "ruins"}
MALFORMED = {"entry", "item", "file"}
ORIGINS = {"settings", "plugin", "skill", "agent"}
DEDUPES = {"", "command", "name-command", "name-main", "main"}  # plan
# config: how a type's main value is to be understood
FORMS = {"shell", "exec", "program", "function", "script", "url", "prompt", "agent", "mcp", "none"}
NETWORKS = {"none", "loopback", "full"}  # sandbox
LAYERS = {"add", "override-by-event"}  # config
JOINTS = {"by-file", "by-event"}  # plan_joint
OUTPUTS = {"value", "record", "short-record"}  # hosts: what hooks are told of a tool's result
TOOLS = {"Bash", "Read", "Write", "Edit", "Grep", "Glob", "Task"}  # agent
CALLS = {"session-start", "compact", "pre-tool", "post-tool", "stop", "agent"}  # setup: what a wrapper calls
BASE = {"session", "cwd", "project", "event", "timestamp", "transcript", "agent", "tool", "pid"}  # payload
FIELD_FORMS = {  # payload_fields
    *(
        "",
        "json",
        "epoch-ms",
        "iso",
        "nullable",
        "list",
        "called",
        "result",
        "result-snake",
        "error",
        "edits",
        "after-colon",
    ),
}


def check(dialect: Dialect) -> Iterable[str]:
    """Every word that no module knows."""
    names = [rule.name for rule in dialect.events]
    yield from unknown("matcher", [dialect.planning.matcher], MATCHERS)
    yield from unknown("order", [dialect.planning.order], ORDERS)
    yield from unknown("joint", [dialect.planning.joint], JOINTS)
    yield from unknown("layers", [dialect.config.layers], LAYERS)
    yield from unknown("unit", [dialect.config.unit], UNITS)
    yield from unknown("dedupe", [dialect.planning.dedupe], DEDUPES)
    yield from unknown("unknown_keys", [dialect.reading.unknown_keys], UNKNOWN_KEYS)
    yield from unknown("wrong_types", [dialect.reading.wrong_types], WRONG_TYPES)
    yield from unknown("unnamed_section", [dialect.reading.section.unnamed], UNNAMED)
    yield from unknown("answer_from", [dialect.reading.source], SOURCES)
    yield from unknown("byte_order_mark", [dialect.reading.byte_order_mark], {"skipped", "text"})
    broken = {"", "ignored", "ruins", "ruins-several"}
    yield from unknown(
        "broken_section",
        [dialect.reading.section.broken, *(one.overrides.broken_section for one in dialect.events)],
        broken,
    )
    yield from unknown("other_json", [dialect.reading.other_json], {"text", "nothing"})
    yield from unknown("broken_answer", [dialect.reading.broken], {"fails", "text"})
    yield from unknown("answer_lines", [dialect.reading.lines], LINES)
    yield from unknown("mode", [dialect.failures.mode], {"faithful", "strict", "observe"})
    yield from unknown("chain_ends", dialect.planning.chain_ends, ENDS)
    yield from unknown("cautions", dialect.remarks.cautions, CAUTIONS)
    yield from unknown("failure", dialect.failures.by_cause, CAUSES)
    yield from unknown(
        "failure", [*dialect.failures.by_cause.values(), *dialect.failures.by_handler.values()], POLICIES
    )
    yield from unknown("audience", dialect.messages.audience, KINDS)
    yield from unknown("audience", dialect.messages.audience.values(), AUDIENCES)
    yield from unknown("marks", dialect.messages.marks, KINDS)
    yield from unknown("tools", dialect.tools.names, TOOLS)
    yield from check_env("env", dialect.payload.env)
    yield from check_fields("base", dialect.payload.base)
    yield from unknown(
        "untyped", [dialect.config.untyped], {"", "path-or-dotted", "by-key", *(t.name for t in dialect.config.types)}
    )
    if "{tool}" not in dialect.tools.mcp_tool:
        yield "mcp_tool: the name of a server's tool needs {tool}, and {server} where the agent names it"
    yield from unknown("sandbox", [dialect.sandbox.default.network], NETWORKS)
    if len(names) != len(set(names)):
        yield "an event stands twice"
    if "other" not in dialect.reading.exits or 0 not in dialect.reading.exits:
        yield "the exit table needs rows for 0 and 'other'"
    elif dialect.reading.exits[0].decision or dialect.reading.exits[0].failed:
        yield "exit 0 without a word decides nothing; an event may say otherwise with `silent`"
    for rule in dialect.events:
        yield from check_event(rule)
    yield from check_exits("exit", dialect.reading.exits)
    for answer in dialect.reading.answers:
        yield from check_answer(answer, set(names))
    yield from check_config(dialect, set(names))
    for rule in dialect.events:
        yield from unknown(
            f"event {rule.name} types", rule.overrides.types, {kind.name for kind in dialect.config.types}
        )
    if dialect.setup:
        yield from check_setup(dialect, dialect.setup)
    if dialect.install:
        yield from check_install(dialect, dialect.install)


def check_config(dialect: Dialect, names: set[str]) -> Iterable[str]:
    """Its files, what an entry may hold, and the types of hooks."""
    for file in dialect.config.files:
        yield from unknown(f"file {file.path}", [file.format], FORMATS)
        yield from unknown(f"file {file.path} origin", [file.origin], ORIGINS)
        yield from unknown(f"file {file.path} malformed", [file.malformed], {"", *MALFORMED})
        for section in file.sections:
            yield from unknown(f"file {file.path} renames", [*section.renames, *section.renames.values()], names)
    yield from unknown("event malformed", [rule.overrides.malformed for rule in dialect.events], {"", *MALFORMED})
    yield from unknown("form malformed", [dialect.config.form.malformed, dialect.config.form.unlisted], MALFORMED)
    yield from unknown("form bare", [dialect.config.form.bare], {"", *MALFORMED})
    for keys in (dialect.config.form.keys, dialect.config.form.group_keys):
        yield from unknown("form", keys.values(), KEYS)
    for kind in dialect.config.types:
        yield from unknown(f"type {kind.name}", [kind.form], FORMS)
        yield from unknown(f"type {kind.name} unit", [kind.unit], {"", *UNITS})
        yield from unknown(f"type {kind.name} does", [kind.does], DOES)
        yield from unknown(f"type {kind.name} ignores", kind.ignores, set(dialect.config.form.keys))


def check_event(rule: EventRule) -> Iterable[str]:
    where = f"event {rule.name}"
    yield from unknown(f"{where} plain", [rule.text.becomes], {"", *KINDS})
    yield from unknown(f"{where} silent", [rule.text.silence], {"", *POLICIES})
    yield from unknown(f"{where} deny", [rule.deny[0]], AUDIENCES)
    yield from unknown(f"{where} deny", [rule.deny[1]], KINDS)
    yield from unknown(f"{where} audience", rule.text.audience, KINDS)
    yield from unknown(f"{where} audience", rule.text.audience.values(), AUDIENCES)
    yield from unknown(f"{where} reasons", [rule.merging.reasons, rule.stop.reasons], REASONS)
    yield from unknown(f"{where} merges", rule.merging.changes, CHANGES | WISHES)
    yield from unknown(f"{where} merges", [*rule.merging.changes.values(), *rule.merging.seen.values()], MERGES)
    yield from unknown(f"{where} seen", rule.merging.seen, set(rule.merging.chain))
    yield from unknown(f"{where} response_needs", [rule.merging.response_needs], {"", "block", "deny"})
    yield from unknown(f"{where} output_form", [rule.firing.output], OUTPUTS)
    yield from unknown(f"{where} chain", rule.merging.chain, {*CHANGES, "context"})
    yield from unknown(f"{where} plain_sets", [rule.text.sets], {"", *WISHES})
    yield from unknown(f"{where} stops", [rule.stop.does], STOPS)
    yield from unknown(f"{where} unattended", [rule.can.unattended], UNATTENDED)
    yield from unknown(
        f"{where} unreasoned", [rule.deny.unreasoned], {"counts", "fails", "ignored", "ignored-unless-text"}
    )
    yield from unknown(f"{where} matcher", [rule.overrides.matcher], {"", *MATCHERS})
    yield from unknown(f"{where} failure", rule.overrides.failure, CAUSES)
    yield from unknown(f"{where} failure", rule.overrides.failure.values(), POLICIES)
    yield from unknown(f"{where} tools", rule.firing.tools, {*TOOLS, "mcp"})
    yield from unknown(f"{where} chain_ends", rule.overrides.chain_ends, ENDS)
    yield from unknown(f"{where} decisions", [rule.merging.decisions], WEIGHED)
    yield from unknown(f"{where} contexts", [rule.merging.contexts], {"all", "last"})
    yield from unknown(f"{where} reasons_told", [rule.merging.reasons_told], {"all", "counting"})
    yield from check_env(f"{where} env", rule.overrides.env)
    yield from check_fields(f"{where} base", rule.overrides.base)
    yield from check_fields(f"{where} fields", rule.fields)
    yield from check_exits(f"{where} exit", rule.overrides.exits)


def check_exits(where: str, exits: dict[int | str, Exit]) -> Iterable[str]:
    for key, row in exits.items():
        yield from unknown(f"{where} {key}", [row.decision, row.text.decision], {"", *POLICIES})
        yield from unknown(f"{where} {key} text", [row.text.source], {"", *SOURCES})
        yield from unknown(f"{where} {key} becomes", [row.text.becomes, row.text.else_becomes], {"", "plain", *KINDS})
        yield from unknown(f"{where} {key} answer_from", [row.answer.source], {"", *SOURCES})


def check_answer(answer: Answer, events: set[str]) -> Iterable[str]:
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
        yield from unknown(f"{where} {field.name}", [field.form], FIELD_FORMS)


def check_env(where: str, env: dict[str, str]) -> Iterable[str]:
    """A word of BASE; `=TEXT`; `.PATH` into the event's data; `~/PATH`, unless the host has it set. `?`: if any."""
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
        yield f"setup folder: {setup.folder!r} is no folder of a project"
    if len({one.script for one in setup.wrappers}) != len(setup.wrappers):
        yield "setup: a wrapper stands twice"
    for one in setup.wrappers:
        yield from unknown(f"wrapper {one.script}", [one.calls], CALLS)
        yield from unknown(f"wrapper {one.script} event", [one.event], {"", *targets})
        if not one.script or "/" in one.script:
            yield f"wrapper {one.script!r}: the name of a file in the folder is needed"
        if one.matcher and not targets.get(one.event):
            yield f"wrapper {one.script}: {one.event or 'no event'} has nothing to match on"


def check_install(dialect: Dialect, install: Install) -> Iterable[str]:
    for scope, path in (("project", install.project), ("user", install.user)):
        if not any(covers(file.path, path) for file in dialect.config.files if file.scope == scope):
            yield f"install {scope}: {path!r} is none of its files"
    keys, setters = dialect.config.form.keys, set(dialect.config.form.keys.values())
    yield from unknown("install words", [install.words], {"", *(key for key in keys if keys[key] == "words")})
    yield from unknown("install program", [install.program], {"", *keys})
    yield from unknown("install folder", [install.folder], {"", *dialect.payload.env})
    if install.closed and "closed" not in setters:
        yield "install closed: no key of an entry says that"
    if not any(kind.form == "shell" for kind in dialect.config.types):
        yield "install: no type takes a command with words"


def covers(pattern: str, path: str) -> bool:
    """Whether a file of a dialect may have that path; `**/` stands for any folders, or none."""
    return fnmatchcase(path, pattern) or fnmatchcase(path, pattern.replace("**/", ""))


def unknown(where: str, words: Iterable[Any], known: set[str]) -> Iterable[str]:
    for word in words:
        if word not in known:
            yield f"{where}: no {word!r}, only {', '.join(sorted(filter(None, known)))}"
