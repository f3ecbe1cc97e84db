"""The schema of a dialect: one agent's rules for hooks, as data. Every word in it is checked when it is imported.

A dialect says *names* of behaviours ("glob", "overlay", "join"); the module that owns a behaviour holds its code
under that name. No `if dialect` stands anywhere, so a new agent is one new file in dialects/.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from tenterhook.errors import DialectError
from tenterhook.types import Sandbox

# The words a dialect may use, next to the module that gives each its meaning.
MATCHERS = {"glob", "glob-nocase", "regex-full", "regex-search", "literal"}  # match
ORDERS = {"parallel", "sequential", "parallel-unless-sequential"}  # plan
MERGES = {"replace", "overlay", "overlay-last", "union-tools"}  # apply
REASONS = {"first", "join"}  # merge
EFFECTS = {  # verdict
    *("decision", "reason", "continue", "stop", "stop_reason", "suppress", "text"),
    *("input", "output", "request", "response", "tool_config", "note"),
}
CHANGES = {"input", "output", "request", "response", "tool_config"}
KINDS = {"context", "system", "reason", "feedback", "error", "result", "user_message"}
AUDIENCES = {"model", "user", "log"}
POLICIES = {"allow", "ask", "deny"}
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
}
FORMATS = {"json", "jsonc", "toml", "yaml", "frontmatter"}  # readers
KEYS = {  # config
    *("type", "spec", "matcher", "match_kind", "timeout", "enabled", "name", "sequential", "override", "event"),
    *("priority", "once", "leftovers", "condition", "on_failure", "env", "background", "note", "ours"),
    *("sandbox", "warm"),
    *("spec_flag", "spec_texts", "spec_seconds", "spec_count"),
}
# config: how a type's main value is to be understood
FORMS = {"shell", "program", "function", "script", "url", "prompt", "agent", "none"}
NETWORKS = {"none", "loopback", "full"}  # sandbox
LAYERS = {"add", "override-by-event"}  # config
OUTPUTS = {"value", "record"}  # hosts: what hooks are told of a tool's result
TOOLS = {"Bash", "Read", "Write", "Edit", "Grep", "Glob", "Task"}  # agent
CALLS = {"session-start", "compact", "pre-tool", "post-tool", "stop", "agent"}  # setup: what a wrapper calls
BASE = {"session", "cwd", "project", "event", "timestamp", "transcript", "agent", "tool"}  # payload


class Field(Struct, frozen=True):
    """One payload field: the dialect's name, and where its value comes from in ours."""

    name: str
    ours: str = ""

    @property
    def key(self) -> str:
        return self.ours or self.name


class Exit(Struct, frozen=True, kw_only=True):
    """What one exit status means."""

    means: str
    decision: str = ""
    failed: bool = False
    answer: bool = False
    text: str = ""
    becomes: str = ""
    prefix: str = ""
    text_decision: str = ""


class Answer(Struct, frozen=True, kw_only=True):
    """One field that a hook may answer with: a path into its JSON, and the effect."""

    path: str
    effect: str
    kind: str = ""
    events: tuple[str, ...] = ()
    words: dict[str, str] = {}
    kind_from: str = ""
    kinds: dict[str, str] = {}


class EventRule(Struct, frozen=True, kw_only=True):
    """One event: what it is called, what a hook is told, and what its answers can do."""

    name: str
    kind: str
    about: str
    target: str = ""
    targets: tuple[str, ...] = ()
    fields: tuple[Field, ...] = ()
    blocks: bool = False
    asks: bool = False
    grants: bool = False
    output_form: str = "value"
    hears_failures: bool = False
    stops: bool = True
    muted: bool = False
    deaf: bool = False
    plain: str = ""
    silent: str = ""
    deny: tuple[str, str] = ("user", "reason")
    audience: dict[str, str] = {}
    erased: bool = False
    needs_reason: bool = False
    reasons: str = "first"
    merges: dict[str, str] = {}
    chain: dict[str, str] = {}
    response_needs_block: bool = False
    stop_response: bool = False


class Type(Struct, frozen=True, kw_only=True):
    """One handler type as its config writes it: which of our handlers runs it, from which key."""

    name: str
    handler: str
    key: str
    form: str = "shell"


class Section(Struct, frozen=True, kw_only=True):
    """Where hooks stand in a file: under one key, or under one key of each item of a list."""

    hooks: str = "hooks"
    each: str = ""
    agent: str = ""


class File(Struct, frozen=True, kw_only=True):
    """A config file: `~/` is the user's home, `@config/` the XDG config folder, `/` the system, else the project."""

    path: str
    scope: str
    format: str
    sections: tuple[Section, ...] = (Section(),)
    switches: bool = True
    hooks_only: bool = False
    # Keys that stand beside the hooks and are read by somebody else.
    beside: tuple[str, ...] = ()


class Form(Struct, frozen=True, kw_only=True):
    """How a file writes the hooks of an event."""

    lists: tuple[str, ...] = ()
    group: str = ""
    flat: bool = False
    entries: bool = False
    keys: dict[str, str] = {}
    group_keys: dict[str, str] = {}


class ToolName(Struct, frozen=True):
    """What the agent calls one of its tools; and its inputs, where it does not call them as we do."""

    name: str
    inputs: dict[str, str] = {}


class Wrapper(Struct, frozen=True):
    """A script around `tenter hook CALLS`. Without an event no config names it: who calls it names an action."""

    script: str
    calls: str
    event: str = ""
    timeout: int = 0
    matcher: str = ""


class Setup(Struct, frozen=True, kw_only=True):
    """What `tenter init` writes: wrappers into a folder, entries into the first of the files that is there."""

    folder: str
    files: tuple[str, ...]
    wrappers: tuple[Wrapper, ...]
    command: str = "{path}"
    list_key: str = ""


class Dialect(Struct, frozen=True, kw_only=True):
    """One agent's rules for hooks."""

    name: str
    title: str
    about: str
    events: tuple[EventRule, ...]
    base: tuple[Field, ...]
    env: dict[str, str]
    exits: dict[int | str, Exit]
    answers: tuple[Answer, ...]
    files: tuple[File, ...]
    form: Form
    types: tuple[Type, ...]
    untyped: str = ""
    agent_from: tuple[str, ...] = ()
    matcher: str
    timeout: float
    unit: str = "seconds"
    order: str
    chain_ends: tuple[str, ...] = ()
    dedupe: str = ""
    layers: str = "add"
    switch: str = ""
    section: str = ""
    section_event: str = ""
    answer_outranks_exit: bool = False
    twice_encoded: bool = False
    text_fails: bool = False
    stop_outranks: bool = False
    missing_is_silent: bool = False
    audience: dict[str, str] = {}
    marks: dict[str, str] = {}
    failure: dict[str, str] = {}
    failure_of: dict[str, str] = {}
    tools: dict[str, ToolName] = {}
    mcp_tool: str = "mcp__{server}__{tool}"
    mcp_files: tuple[str, ...] = (".mcp.json",)
    status_line: str = ""
    # Whether a caller of `tenter hook` that does not say who it is speaks this; true of one dialect.
    usual_caller: bool = False
    mode: str = "faithful"
    # How a hook's process is confined unless its entry says otherwise; and whether the agent itself does so.
    sandbox: Sandbox = Sandbox(network="full")
    confines: bool = False
    setup: Setup | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        problems = list(check(self))
        if problems:
            raise DialectError(f"dialect {self.name!r}: " + "; ".join(problems))

    def rule(self, event: str) -> EventRule | None:
        """The event of that name, or the first of that kind."""
        by_kind = None
        for rule in self.events:
            if rule.name == event:
                return rule
            if by_kind is None and rule.kind == event:
                by_kind = rule
        return by_kind


def check(dialect: Dialect) -> Iterable[str]:
    """Every word that no module knows."""
    names = [rule.name for rule in dialect.events]
    yield from unknown("matcher", [dialect.matcher], MATCHERS)
    yield from unknown("order", [dialect.order], ORDERS)
    yield from unknown("layers", [dialect.layers], LAYERS)
    yield from unknown("unit", [dialect.unit], {"seconds", "milliseconds"})
    yield from unknown("mode", [dialect.mode], {"faithful", "strict", "observe"})
    yield from unknown("chain_ends", dialect.chain_ends, {"deny", "stop"})
    yield from unknown("failure", dialect.failure, CAUSES)
    yield from unknown("failure", [*dialect.failure.values(), *dialect.failure_of.values()], POLICIES)
    yield from unknown("audience", dialect.audience, KINDS)
    yield from unknown("audience", dialect.audience.values(), AUDIENCES)
    yield from unknown("marks", dialect.marks, KINDS)
    yield from unknown("tools", dialect.tools, TOOLS)
    yield from unknown("env", [value.rstrip("?") for value in dialect.env.values()], BASE)
    yield from unknown("untyped", [dialect.untyped], {"", "path-or-dotted", "by-key", *(t.name for t in dialect.types)})
    if any(field not in dialect.mcp_tool for field in ("{server}", "{tool}")):
        yield "mcp_tool: the name of a server's tool needs {server} and {tool}"
    yield from unknown("sandbox", [dialect.sandbox.network], NETWORKS)
    if len(names) != len(set(names)):
        yield "an event stands twice"
    if "other" not in dialect.exits or 0 not in dialect.exits:
        yield "the exit table needs rows for 0 and 'other'"
    elif dialect.exits[0].decision or dialect.exits[0].failed:
        yield "exit 0 without a word decides nothing; an event may say otherwise with `silent`"
    for rule in dialect.events:
        yield from check_event(rule)
    for key, row in dialect.exits.items():
        yield from unknown(f"exit {key}", [row.decision, row.text_decision], {"", *POLICIES})
        yield from unknown(f"exit {key} text", [row.text], {"", "stdout", "stderr"})
        yield from unknown(f"exit {key} becomes", [row.becomes], {"", "plain", *KINDS})
    for answer in dialect.answers:
        yield from unknown(f"answer {answer.path}", [answer.effect], EFFECTS)
        yield from unknown(f"answer {answer.path} kind", [answer.kind, *answer.kinds.values()], {"", *KINDS})
        yield from unknown(f"answer {answer.path} events", answer.events, set(names))
        yield from unknown(f"answer {answer.path} words", answer.words.values(), POLICIES)
    for file in dialect.files:
        yield from unknown(f"file {file.path}", [file.format], FORMATS)
    for keys in (dialect.form.keys, dialect.form.group_keys):
        yield from unknown("form", keys.values(), KEYS)
    for kind in dialect.types:
        yield from unknown(f"type {kind.name}", [kind.form], FORMS)
    if dialect.setup:
        yield from check_setup(dialect, dialect.setup)


def check_event(rule: EventRule) -> Iterable[str]:
    where = f"event {rule.name}"
    yield from unknown(f"{where} plain", [rule.plain], {"", *KINDS})
    yield from unknown(f"{where} silent", [rule.silent], {"", *POLICIES})
    yield from unknown(f"{where} deny", [rule.deny[0]], AUDIENCES)
    yield from unknown(f"{where} deny", [rule.deny[1]], KINDS)
    yield from unknown(f"{where} audience", rule.audience, KINDS)
    yield from unknown(f"{where} audience", rule.audience.values(), AUDIENCES)
    yield from unknown(f"{where} reasons", [rule.reasons], REASONS)
    yield from unknown(f"{where} merges", rule.merges, CHANGES)
    yield from unknown(f"{where} merges", rule.merges.values(), MERGES)
    yield from unknown(f"{where} output_form", [rule.output_form], OUTPUTS)
    yield from unknown(f"{where} chain", rule.chain, {*CHANGES, "context"})


def check_setup(dialect: Dialect, setup: Setup) -> Iterable[str]:
    targets = {rule.name: rule.target for rule in dialect.events}
    own = {file.path for file in dialect.files if file.scope == "project" and "*" not in file.path}
    yield from unknown("setup files", setup.files or [""], own)
    yield from unknown("setup list_key", [setup.list_key], {"", *dialect.form.lists})
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


def unknown(where: str, words: Iterable[Any], known: set[str]) -> Iterable[str]:
    for word in words:
        if word not in known:
            yield f"{where}: no {word!r}, only {', '.join(sorted(filter(None, known)))}"
