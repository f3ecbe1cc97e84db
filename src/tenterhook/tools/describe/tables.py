"""A dialect as tables: what `tenter dialects NAME` prints and what docs/agents/dialects/ is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct

from tenterhook.config import entries
from tenterhook.config.entry_keys import SETTERS
from tenterhook.config.load import LAYERS
from tenterhook.config.timeouts import UNITS
from tenterhook.dialects.schema.dialect import AnswerField, Dialect, EventRule, Exit, Field, File
from tenterhook.dialects.schema.vocabulary import CAUTIONS
from tenterhook.pipeline.answer_effects import EFFECTS
from tenterhook.pipeline.apply import MERGES
from tenterhook.pipeline.event_reader import AUDIENCE
from tenterhook.pipeline.failure_policy import MODES
from tenterhook.pipeline.payload_fields import BASE, FORMS
from tenterhook.pipeline.plan import DEDUPES, ORDERS
from tenterhook.runtime.sandbox.abilities import NETWORKS
from tenterhook.tools.describe.glossary import describe_key, describe_matcher

__all__ = ["DialectTable", "overview", "tables"]

Rows = Iterable[Sequence[str]]


class DialectTable(Struct, frozen=True):
    """One table: a description, its columns, its rows."""

    title: str
    about: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def overview(dialects: Iterable[Dialect], versions: Mapping[str, Sequence[str]]) -> DialectTable:
    rows = [
        (
            d.name,
            d.title,
            ", ".join(versions[d.name]) or "-",
            d.about,
            str(len(d.events)),
            ", ".join(file.path for file in d.config.files),
        )
        for d in dialects
    ]
    about = "Whose hooks tenterhook runs, and where it looks for them."
    return DialectTable(
        "Dialects", about, ("name", "agent", "versions", "about", "events", "config files"), tuple(rows)
    )


def tables(dialect: Dialect) -> list[DialectTable]:
    """Everything about a dialect; tables without rows are left out."""
    made = [
        DialectTable(title, about.format(d=dialect), header, tuple(tuple(row) for row in rows(dialect)))
        for title, about, header, rows in TABLES
    ]
    return [table for table in made if table.rows]


def events(dialect: Dialect) -> Rows:
    for rule in dialect.events:
        yield (
            rule.name,
            rule.kind,
            yes(rule.can.block),
            yes(rule.can.ask),
            rule.target.field or "-",
            plain(dialect, rule),
            "log" if rule.text.muted else rule.deny.to,
            "; ".join([rule.about, *more(rule)]),
        )


def more(rule: EventRule) -> Iterable[str]:
    if rule.target.values:
        yield f"{rule.target.field} is one of: {', '.join(rule.target.values)}"
    if not rule.firing.awaited:
        yield "a session does not wait for its hooks"
    if rule.text.silence:
        yield f"silence counts as {rule.text.silence}"
    if rule.can.grant:
        yield "an allow stands for the user's permission"
    if rule.firing.output != "value":
        yield "hooks are told of a tool's result as a record"
    if rule.firing.tools:
        yield f"only for {', '.join(rule.firing.tools)}"
    if rule.firing.after_failures:
        yield "also after a tool that failed"
    if rule.overrides.chain_ends:
        yield f"the {' or the '.join(rule.overrides.chain_ends)} of one hook keeps those after it from running"
    if rule.merging.decisions == "last":
        yield "of several decisions the last one counts"
    if rule.deny.needs_reason:
        yield "a refusal needs a reason"


def plain(dialect: Dialect, rule: EventRule) -> str:
    """What plain text on stdout becomes if a hook exits with 0."""
    row = dialect.reading.exits[0]
    if rule.text.ignored:
        return "not read"
    if dialect.reading.text_fails or rule.text.fails:
        return "a failure"
    return (rule.text.becomes if row.text.becomes == "plain" else row.text.becomes) or "nothing"


def base(dialect: Dialect) -> Rows:
    return ((field.name, value(field)) for field in dialect.payload.base)


def value(field: Field) -> str:
    meaning = BASE[field.key].about if field.key in BASE else f"the event's {field.key}, where it has one"
    return f"{meaning} ({FORMS[field.form].about})" if field.form else meaning


def fields(dialect: Dialect) -> Rows:
    """All fields of an event whose payload differs from the others."""
    for rule in dialect.events:
        listed = ", ".join(map(describe_field, (*rule.overrides.base, *rule.fields)))
        if listed:
            yield rule.name, f"nothing but: {listed}" if rule.overrides.base else listed


def describe_field(field: Field) -> str:
    ours = field.key.partition("=")[2] or f"our {field.key}"
    shown = field.name if field.name == field.key else f"{field.name} ({ours})"
    return f"{shown}, {FORMS[field.form].about}" if field.form else shown


def environment(dialect: Dialect) -> Rows:
    yield from ((name, variable(what)) for name, what in dialect.payload.env.items())
    for rule in dialect.events:
        yield from ((name, f"{variable(what)}; on {rule.name}") for name, what in rule.overrides.env.items())


def variable(what: str) -> str:
    only = " (only where there is one)" if what.endswith("?") else ""
    word = what.rstrip("?")
    if word.startswith("="):
        return word[1:]
    if word.startswith("~/"):
        return f"{word}, unless the host has it set"
    return (f"the event's {word[1:]}" if word.startswith(".") else BASE[word].about) + only


def exits(dialect: Dialect) -> Rows:
    for status, row in dialect.reading.exits.items():
        yield str(status), row.means, row.decision or "-", yes(row.failed), json_counts(dialect, row), text(row)


def json_counts(dialect: Dialect, row: Exit) -> str:
    return "outranks the exit code" if dialect.reading.outranks_exit else yes(row.answer.read)


def text(row: Exit) -> str:
    if not row.text.source:
        return "-"
    becomes = "text" if row.text.becomes == "plain" else row.text.becomes
    return (
        f"{row.text.source} -> {row.text.prefix!r} + {becomes}"
        if row.text.prefix
        else f"{row.text.source} -> {becomes}"
    )


def answers(dialect: Dialect) -> Rows:
    return ((one.path, effect(one), ", ".join(one.events) or "all") for one in dialect.reading.answers)


def effect(answer: AnswerField) -> str:
    meaning = EFFECTS[answer.effect].about
    if answer.kind:
        meaning += f" of kind {answer.kind}"
    if answer.value.kinds:
        meaning += f"; {answer.value.kind_from} makes it " + ", ".join(
            f"{k} ({kind})" for k, kind in answer.value.kinds.items()
        )
    if answer.words:
        meaning += ": " + ", ".join(w if w == ours else f"{w} ({ours})" for w, ours in answer.words.items())
    return meaning


def audiences(dialect: Dialect) -> Rows:
    for kind, to in {**AUDIENCE, **dialect.messages.audience}.items():
        others = [f"{rule.text.audience[kind]} on {rule.name}" for rule in dialect.events if kind in rule.text.audience]
        yield kind, "; ".join([to, *others]), dialect.messages.marks.get(kind, "-")


def changes(dialect: Dialect) -> Rows:
    for rule in dialect.events:
        for change in sorted({*rule.merging.changes, *rule.merging.chain}):
            yield rule.name, change, describe_merge(rule, change), describe_chaining(rule, change)


def describe_merge(rule: EventRule, change: str) -> str:
    if merge := rule.merging.changes.get(change):
        return MERGES[merge].about
    return "is not used" if change in rule.merging.seen else f"added to {rule.merging.chain[change]}"


def describe_chaining(rule: EventRule, change: str) -> str:
    return MERGES[rule.merging.seen[change]].about if change in rule.merging.seen else yes(change in rule.merging.chain)


def files(dialect: Dialect) -> Rows:
    return ((file.path, file.scope, file.format, places(file)) for file in dialect.config.files)


def places(file: File) -> str:
    found = []
    for section in file.sections:
        where = f"{section.each}[].{section.hooks}" if section.each else section.hooks
        found.append(f"{where} (for the agent that {section.agent} names)" if section.agent else where)
    return ", ".join(found)


def keys(dialect: Dialect) -> Rows:
    form = dialect.config.form
    yield from ((key, "group", SETTERS[what].about) for key, what in form.group_keys.items())
    if form.group:
        yield form.group, "group", "the hooks of the group"
    yield from ((key, "mapping", "the hooks of the event") for key in form.lists)
    yield from ((key, "hook", describe_key(key, what)) for key, what in form.keys.items())


def types(dialect: Dialect) -> Rows:
    for kind in dialect.config.types:
        yield kind.name, kind.key or "-", entries.FORMS[kind.form], yes(kind.name == dialect.config.untyped)


def rules(dialect: Dialect) -> Rows:
    """The settings that are one word each; defaults are left out."""
    d = dialect
    yield "matcher", d.planning.matcher, describe_matcher(d.planning.matcher)
    yield (
        "time-out",
        f"{d.planning.timeout:g} s",
        f"where a hook says none; files write {UNITS[d.config.unit]}",
    )
    yield "order", d.planning.order, ORDERS[d.planning.order].about
    yield "layers", d.config.layers, LAYERS[d.config.layers]
    yield "mode", d.failures.mode, MODES[d.failures.mode]
    for cause, policy in d.failures.by_cause.items():
        yield "failure", f"{cause}: {policy}", f"a hook that failed by {cause} counts as {policy}"
    for handler, policy in d.failures.by_handler.items():
        yield "failure", f"{handler}: {policy}", f"a hook of type {handler} that failed counts as {policy}"
    if d.failures.mode == "faithful":
        goes_on = "after any other failure the operation goes on, unless the hook's on_failure differs"
        yield "failure", "else: allow", goes_on
    yield from (row for value, *row in optional(d) if value)
    yield from ((word, caution, CAUTIONS[word]) for word, caution in d.remarks.cautions.items())


def optional(d: Dialect) -> Iterable[tuple[object, str, str, str]]:
    """Settings that few dialects have, each after the value that says whether this one has it."""
    planning, switches, section = d.planning, d.config.switches, d.reading.section
    same = DEDUPES[planning.dedupe].about if planning.dedupe else ""
    ends = " or ".join(planning.chain_ends)
    off = f"{switches.off[0]}: {str(switches.off[1]).lower()}"
    names_event = f"{section.name}.{section.event}"
    return (
        (ends, "chain ends", ends, f"after a {ends} the hooks that have not run yet are skipped"),
        (same, "duplicates", planning.dedupe, f"of hooks with the same {same} only the first runs"),
        (switches.on, "switch", switches.on, "no hook runs unless a file sets it to true"),
        (switches.off[0], "off", off, "no hook runs where a file says so"),
        (
            switches.disabled,
            "disabled",
            switches.disabled,
            "names of hooks that do not run, or what those without a name run",
        ),
        (d.config.untyped, "no type", d.config.untyped, describe_untyped(d.config.untyped)),
        (planning.agent_from, "agent", ", ".join(planning.agent_from), "where the event's data names its agent"),
        (section.event, "section", names_event, "if given, must name the event that happened"),
        (
            section.reason_outranks,
            "section",
            "reason",
            f"the reason in {section.name} counts, whatever is decided beside it",
        ),
        (
            section.outranks,
            "section",
            "outranks",
            f"what {section.name} decides counts, whatever else is there",
        ),
        (
            d.reading.other_json == "nothing",
            "other JSON",
            "says nothing",
            "a list or number is neither answer nor text",
        ),
        (
            d.failures.missing_is_silent,
            "missing script",
            "skipped",
            "a hook whose script does not exist is skipped",
        ),
        (d.reading.twice_encoded, "JSON in JSON", "read", "an answer that was encoded twice counts"),
        (
            d.reading.deepest,
            "depth of answers",
            str(d.reading.deepest),
            "the agent does not read an answer that is nested deeper",
        ),
        (
            d.reading.broken == "text",
            "half an answer",
            "text",
            "an answer that is not valid JSON is text, like any other",
        ),
        (d.reading.stop_outranks, "stop", "outranks", "stopping the agent outranks every decision"),
    )


def describe_untyped(word: str) -> str:
    return entries.UNTYPED[word].about if word in entries.UNTYPED else "what a hook without a type is"


def sandbox(dialect: Dialect) -> Rows:
    asked = dialect.sandbox.default
    required = (
        "does not run" if dialect.failures.mode == "strict" else "runs, with a warning; in strict mode it does not run"
    )
    yield "network", f"{asked.network}: {NETWORKS[asked.network]}"
    yield "reads", ", ".join(["everything but secrets (keys, credentials, browsers)", *asked.read])
    yield "writes", ", ".join(["the project", "the temporary folder", "caches", *asked.write])
    yield "does not write", "hook config and agents' settings, git's hooks and config, shell start-up files"
    yield "where that cannot be had", f"the hook {required}"
    yield f"{dialect.title} itself", "confines hooks" if dialect.sandbox.confines else "does not confine hooks"


def tools(dialect: Dialect) -> Rows:
    for ours, tool in dialect.tools.names.items():
        renamed = (f"{theirs} (our {name})" for name, theirs in tool.inputs.items())
        yield tool.name, ours, ", ".join(renamed) or "-"
    if dialect.tools.names:
        yield (
            dialect.tools.mcp_tool,
            "-",
            f"a tool of an MCP server; servers are read from {', '.join(dialect.tools.mcp_files)}",
        )


def wrappers(dialect: Dialect) -> Rows:
    if dialect.setup:
        for one in dialect.setup.wrappers:
            limit = f"{one.timeout} {dialect.config.unit}" if one.timeout else "-"
            yield f"{dialect.setup.folder}/{one.script}", one.calls, one.event or "-", one.matcher or "-", limit


def notes(dialect: Dialect) -> Rows:
    return ((note,) for note in dialect.notes)


def yes(value: bool) -> str:
    return "yes" if value else "-"


TABLES: tuple[tuple[str, str, tuple[str, ...], Callable[[Dialect], Rows]], ...] = (
    (
        "Events",
        "When hooks run. A deny counts where an event can block; a matcher is compared with the field named here.",
        ("event", "our kind", "blocks", "asks", "matched on", "plain text becomes", "refusal told to", "about"),
        events,
    ),
    ("Payload", "What every hook is told: one JSON object on stdin.", ("field", "value"), base),
    ("Payload by event", "What is added for an event, as far as it is known.", ("event", "fields"), fields),
    ("Environment", "Variables that a hook's process is given.", ("variable", "value"), environment),
    (
        "Exit codes",
        "What a hook's exit status means, whether JSON on stdout is read then, and what becomes of its text.",
        ("exit", "means", "decision", "failed", "JSON", "text"),
        exits,
    ),
    ("Answers", "What a hook may say: fields of one JSON object on stdout.", ("field", "effect", "events"), answers),
    (
        "Messages",
        "Who is told a text of each kind, and how a host marks it for the model where not by `<hook>` tags.",
        ("kind", "told to", "marked"),
        audiences,
    ),
    (
        "Changes",
        "How the changes of several hooks become one, and whether the next hook sees them.",
        ("event", "change", "several hooks", "seen by the next"),
        changes,
    ),
    (
        "Config files",
        "Where hooks are looked for, in this order: ~ is the home folder, @config is $XDG_CONFIG_HOME or ~/.config.",
        ("file", "scope", "format", "hooks under"),
        files,
    ),
    ("Keys", "What an entry in a config file may hold.", ("key", "of a", "means"), keys),
    ("Types", "What a hook can be, and the key that says what runs.", ("type", "key", "runs", "default"), types),
    ("Rules", "How {d.title} treats hooks.", ("rule", "value", "means"), rules),
    (
        "Sandbox",
        "What a hook's process may do unless its `sandbox` says otherwise. Functions run in the host's process.",
        ("what", "value"),
        sandbox,
    ),
    (
        "Tools of the reference agent",
        "What `tenter agent` calls its tools, and those inputs that it does not call as we do.",
        ("tool", "our name", "inputs"),
        tools,
    ),
    (
        "Wrappers",
        "The scripts that `tenter init` writes, what of `tenter hook` each calls, and the entry that calls it.",
        ("script", "calls", "event", "matcher", "time-out"),
        wrappers,
    ),
    ("Notes", "What is easily missed.", (), notes),
)
