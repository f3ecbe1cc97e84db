"""A JSON Schema of an agent's hook files, made from the dialect: for editors, and to check a file without us.

It refuses what `tenter check` says of the form of a file: unknown keys, events and types, values that are ignored,
hooks that never run. What a schema cannot see is left to `check`: programs that are missing, patterns, other files.
"""

from __future__ import annotations

from collections.abc import Iterator

from tenterhook import dialects
from tenterhook.config.timeouts import WHOLE
from tenterhook.dialects.schema.dialect import Dialect, EventRule
from tenterhook.dialects.schema.files import Type
from tenterhook.errors import UsageError, nearest
from tenterhook.handlers import traits
from tenterhook.tools.describe.glossary import describe_key
from tenterhook.tools.describe.schema import BASE, DRAFT, SCHEMAS, SOME_TEXT, VALUES, Schema, read_schema_file

# What a setter stores a value under, if that is not the key itself.
STORED = {"words": "words", "wakes": "wakes", "context_limit": "context_limit", "stop_cap": "stop_cap"}
MATCHER, TIMEOUT = ("matcher", "matcher_trimmed"), ("timeout", "timeout_else")


def schema_text(name: str) -> str:
    """The schema of that name: one of our own, or an agent's."""
    import msgspec

    if name == dialects.DEFAULT:
        name = next(iter(SCHEMAS))
    if name in SCHEMAS:
        return read_schema_file(name)
    if name.partition("@")[0] not in dialects.names():
        known = (*SCHEMAS, *dialects.names())
        raise UsageError(f"no schema {name!r}{nearest(name, known)}; there are: {', '.join(known)}")
    return msgspec.json.format(msgspec.json.encode(agent_schema(dialects.get(name))), indent=2).decode() + "\n"


def agent_schema(dialect: Dialect) -> Schema:
    """All files of the agent: a key that only some of them have may stand in each."""
    config = dialect.config
    alone = all(file.hooks_only for file in config.files)
    version = next((file.version for file in config.files if file.version), 0)
    return {
        "$schema": DRAFT,
        "$id": f"{BASE}/{dialect.name}.json",
        "title": f"hooks of {dialect.title}",
        "description": dialect.about,
        "type": "object",
        "properties": {
            **({"version": {"description": "the form of this file", "const": version}} if version else {}),
            **switch_schemas(dialect),
            **section_schemas(dialect),
            **{key: {} for file in config.files for key in file.beside if alone and key != "version"},
        },
        **({"additionalProperties": False} if alone else {}),
        "$defs": {
            "entry": entry_schema(dialect, matched=True),
            "entry_for_all": entry_schema(dialect, matched=False),
            **({"group": group_schema(dialect, matched=True)} if config.form.group else {}),
            **({"group_for_all": group_schema(dialect, matched=False)} if config.form.group else {}),
            "hooks": hooks_schema(dialect),
        },
    }


def switch_schemas(dialect: Dialect) -> dict[str, Schema]:
    switches = dialect.config.switches
    found: dict[str, Schema] = {}
    for dotted, value in (
        (switches.on, {"type": "boolean", "description": "must be true for any hook to run"}),
        (switches.off[0], {"type": "boolean", "description": f"{str(switches.off[1]).lower()}: no hook runs"}),
        (switches.only_system, {"type": "boolean", "description": "true: only the system's hooks run"}),
        (switches.disabled, {"type": "array", "items": {"type": "string"}, "description": "hooks that do not run"}),
    ):
        if dotted:
            put(found, dotted, value)
    return found


def section_schemas(dialect: Dialect) -> dict[str, Schema]:
    """The hooks, under one key or in the items of a list."""
    found: dict[str, Schema] = {}
    hooks = {"$ref": "#/$defs/hooks"}
    for key, each in dict.fromkeys((part.hooks, part.each) for file in dialect.config.files for part in file.sections):
        inner: dict[str, Schema] = {}
        put(inner, key, hooks)
        if not each:
            found |= inner
        else:
            item = {"type": "object", "properties": inner}
            found[each] = {"anyOf": [item, {"type": "array", "items": item}]}
    return found


def put(found: dict[str, Schema], dotted: str, value: Schema) -> None:
    """Put a schema at a dotted path, with objects on the way."""
    first, _, rest = dotted.partition(".")
    if not rest:
        found[first] = value
        return
    outer = found.setdefault(first, {"type": "object", "properties": {}})
    put(outer["properties"], rest, value)


def hooks_schema(dialect: Dialect) -> Schema:
    """Hooks by event."""
    if dialect.config.form.entries:
        return {"type": "array", "items": {"$ref": "#/$defs/entry"}}
    properties = {rule.name: {"description": rule.about, **event_schema(dialect, rule)} for rule in dialect.events}
    return {"type": "object", "properties": properties, "additionalProperties": False}


def event_schema(dialect: Dialect, rule: EventRule) -> Schema:
    """What may stand at one event: a list of groups or entries, and what else the agent reads as one."""
    form = dialect.config.form
    every = "" if rule.target.field else "_for_all"
    entry, group = {"$ref": f"#/$defs/entry{every}"}, {"$ref": f"#/$defs/group{every}"}
    items = [entry] if not form.group else [group, entry] if form.flat else [group]
    whole: Schema = {"type": "array", "items": items[0] if len(items) == 1 else {"anyOf": items}}
    ways = [whole]
    if form.lists:
        around = {key: {"description": describe_key(key, one), **VALUES[one]} for key, one in form.group_keys.items()}
        ways += [
            {
                "type": "object",
                "properties": {**around, **dict.fromkeys(form.lists, whole)},
                "additionalProperties": False,
                "anyOf": [{"required": [key]} for key in (*form.lists, *around)],
            }
        ]
    if form.flat and form.unlisted != "file":
        ways.append(entry)
    return whole if len(ways) == 1 else {"anyOf": ways}


def group_schema(dialect: Dialect, *, matched: bool) -> Schema:
    form = dialect.config.form
    entry = {"$ref": f"#/$defs/entry{'' if matched else '_for_all'}"}
    hooks: Schema = {"type": "array", "items": entry}
    return {
        "type": "object",
        "properties": {
            **{key: value_schema(dialect, key, setter, matched) for key, setter in form.group_keys.items()},
            form.group: {"anyOf": [hooks, entry]} if form.flat and form.unlisted != "file" else hooks,
        },
        "required": [form.group],
        "additionalProperties": False,
    }


def value_schema(dialect: Dialect, key: str, setter: str, matched: bool) -> Schema:
    """What one key may hold. A matcher has no effect where there is nothing to match."""
    value = VALUES[setter]
    if setter in TIMEOUT and dialect.config.unit == WHOLE:
        value = {"type": "integer", "minimum": 0}
    if setter in MATCHER and not matched:
        value = {"enum": ["", "*"]}
    if dialect.config.form.nulls:
        value = {"anyOf": [value, {"type": "null"}]}
    return {"description": describe_key(key, setter), **value}


def entry_schema(dialect: Dialect, *, matched: bool) -> Schema:
    keys = dialect.config.form.keys
    types = [kind for kind in dialect.config.types if kind.does == "runs"]
    type_key = next(key for key, setter in keys.items() if setter == "type")
    ways = list(ways_to_write(dialect, type_key, types))
    if alone := [key for key, setter in keys.items() if setter == "override"]:
        ways.append({"propertyNames": {"enum": alone}, "required": alone})
    return {
        "type": "object",
        "properties": {key: value_schema(dialect, key, setter, matched) for key, setter in keys.items()}
        | {
            type_key: {
                "description": describe_key(type_key, "type"),
                "enum": [*dict.fromkeys(kind.name for kind in types)],
            }
        },
        "additionalProperties": False,
        "anyOf": ways,
    }


def ways_to_write(dialect: Dialect, type_key: str, types: list[Type]) -> Iterator[Schema]:
    """For each type the keys that it must have, and those that have no effect on it."""
    form, untyped = dialect.config.form, dialect.config.untyped
    named = {kind.name for kind in types}
    for kind in types:
        siblings = {one.key for one in types if one.name == kind.name}
        known = {*traits(kind.handler).options, *kind.spec, *siblings} - {*kind.ignores}
        foreign = [
            key
            for key, setter in form.keys.items()
            if (setter.startswith("spec") or setter in STORED) and STORED.get(setter, key) not in known
        ]
        typed = untyped in named and untyped != kind.name
        needed = [type_key] if typed or not untyped else []
        main = VALUES["spec"] if kind.form == "shell" else SOME_TEXT
        yield {
            "properties": {
                type_key: {"const": kind.name},
                **({kind.key: main} if kind.key else {}),
                **dict.fromkeys((*foreign, *kind.ignores), False),
            },
            "required": [*needed, *([kind.key] if kind.key else [])],
        }
