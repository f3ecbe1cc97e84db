"""JSON Schemas of our own config and of the outcome, made from the data and types that the engine itself uses.

The shipped files in schemas/ are written by scripts/schemas.py; `tenter schema` only prints them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
from msgspec.structs import asdict

from tenterhook import dialects
from tenterhook.author.kinds import EVENTS
from tenterhook.config.entry_keys import CLOSED, OURS
from tenterhook.config.settings import CHOICES, Settings, fields_of
from tenterhook.dialects.schema.dialect import Dialect
from tenterhook.dialects.schema.vocabulary import AUDIENCES, CHANGES, KINDS
from tenterhook.dialects.schema.words import CAUSES, MATCHERS, NETWORKS, WISHES
from tenterhook.handlers import traits
from tenterhook.library.actions.settings import KINDS as COMMANDS
from tenterhook.pipeline.failure_policy import MODES
from tenterhook.types import POLICIES, Outcome

__all__ = ["BASE", "SCHEMAS", "read_schema_file"]

Schema = dict[str, Any]

# What the ids begin with; the documentation's site has the files there.
BASE = "https://tenterhook.github.io/tenterhook/schemas"
DRAFT = "https://json-schema.org/draft/2020-12/schema"
FOLDER = os.path.join(os.path.dirname(__file__), "schemas")
TEXT: Schema = {"type": "string"}
FLAG: Schema = {"type": "boolean"}
TEXTS: Schema = {"type": "array", "items": TEXT}
SOME_TEXT: Schema = {"type": "string", "minLength": 1}
SOME_TEXTS: Schema = {"type": "array", "items": SOME_TEXT}
POLICY: Schema = {"enum": sorted(POLICIES)}
DECISION: Schema = {"enum": ["allow", "ask", "defer", "deny", "none"]}

# What a key may hold, by the setter that reads it.
VALUES: dict[str, Schema] = {
    "type": TEXT,
    "spec": {"anyOf": [TEXT, {**TEXTS, "minItems": 1}]},
    "spec_flag": FLAG,
    "spec_texts": {"type": "object", "additionalProperties": TEXT},
    "spec_object": {"type": "object"},
    "spec_seconds": {"type": "number", "exclusiveMinimum": 0},
    "spec_count": {"type": "integer", "minimum": 1},
    "matcher": TEXT,
    "match_kind": {"enum": sorted(MATCHERS)},
    "timeout": {"type": "number", "exclusiveMinimum": 0},
    "enabled": FLAG,
    "name": TEXT,
    "sequential": FLAG,
    "override": FLAG,
    "priority": {"type": "integer"},
    "once": FLAG,
    "stop_cap": {"type": ["integer", "null"], "minimum": 0},
    "leftovers": {"enum": ["end", "keep"]},
    "condition": {"type": "object"},
    "on_failure": {
        "anyOf": [
            POLICY,
            {
                "type": "object",
                "properties": dict.fromkeys(sorted({*CAUSES, "default"}), POLICY),
                "additionalProperties": False,
            },
        ]
    },
    "env": {"anyOf": [TEXTS, {"type": "object", "additionalProperties": TEXT}]},
    "sandbox": {
        "anyOf": [
            {"const": "off"},
            {
                "type": "object",
                "properties": {"network": {"enum": sorted(NETWORKS)}, "read": TEXTS, "write": TEXTS},
                "additionalProperties": False,
            },
        ]
    },
    "background": FLAG,
    "warm": FLAG,
    "note": {},
}
# What only other agents' files hold.
VALUES |= {
    "words": TEXTS,
    "rule": TEXT,
    "closed": {"enum": [*CLOSED]},
    "wakes": FLAG,
    "once_in_skill": FLAG,
    "context_limit": {"type": "integer", "minimum": 1},
    "matcher_trimmed": TEXT,
    "timeout_else": {"type": "number", "exclusiveMinimum": 0},
    "ours": {
        "type": "object",
        "properties": {name: VALUES[setter] for name, setter in OURS.items()},
        "additionalProperties": False,
    },
}
SETTING: dict[type, Schema] = {bool: FLAG, int: {"type": "integer", "minimum": 1}, tuple: TEXTS}
# The table `actions`, which `tenter hook` reads (library/actions/settings.py).
ACTIONS: Schema = {
    "type": "object",
    "description": "how `tenter hook` works in this project",
    "properties": {
        "budget": {
            "description": "seconds for one action; without it 8 after a tool and at a subagent's end, 4 elsewhere",
            "type": "number",
            "exclusiveMinimum": 0,
            "maximum": 3600,
        },
        "missing_test": {"description": "what to do where a source file has no test", "enum": ["deny", "ask"]},
        "on_stop": {"description": "whether the end of a turn is refused while tests fail", "enum": ["report", "gate"]},
        "commands": {
            "description": "commands by what they are for; {files} stands for the files concerned",
            "type": "object",
            "properties": {kind: {"anyOf": [SOME_TEXT, {**SOME_TEXTS, "minItems": 1}]} for kind in COMMANDS},
            "additionalProperties": False,
        },
        "protected": {"description": "globs of files that are not to be written", **SOME_TEXTS},
        "outside": {"description": "folders outside of the project that may be written to", **SOME_TEXTS},
        "rules": {
            "description": "rules about commands, by name, that decide otherwise here",
            "type": "object",
            "additionalProperties": POLICY,
        },
        "not_secret": {"description": "globs of files in which text that looks like a secret is not one", **SOME_TEXTS},
        "documents": {
            "description": "globs of documents that must exist at the end, by action",
            "type": "object",
            "additionalProperties": SOME_TEXTS,
        },
        "headings": {
            "description": "headings that those documents must have, by action",
            "type": "object",
            "additionalProperties": SOME_TEXTS,
        },
    },
    "additionalProperties": False,
}
CHECK: Schema = {
    "description": "rules of tenter check, by id, beginning of an id or name, that do not count in this project",
    "type": "object",
    "properties": {
        "ignore": {"description": "in all files", **SOME_TEXTS},
        "files": {
            "description": "in some files, by the glob of their path",
            "type": "object",
            "additionalProperties": SOME_TEXTS,
        },
    },
    "additionalProperties": False,
}
# The tables of settings (settings.py), and what each is for.
TABLES = {
    "settings": "what the user and the system say about all hooks; nothing in a project's file",
    "serve": "what the user and the system say about the server; nothing in a project's file",
    "gate": "what tenter run does for an agent that calls it",
}
# Fields of the outcome that hold one of a few words, or an object of which more is known than its type says.
REFINED: dict[tuple[str, str], Schema] = {
    ("Outcome", "decision"): DECISION,
    ("Outcome", "mode"): {"enum": list(MODES)},
    ("Outcome", "changes"): {
        "type": "object",
        "properties": {change: {} for change in sorted(CHANGES | WISHES)},
        "additionalProperties": False,
    },
    ("Message", "to"): {"enum": sorted(AUDIENCES)},
    ("Message", "kind"): {"enum": sorted(KINDS)},
    ("Attempt", "decision"): DECISION,
}
# What only the engine needs, and the JSON outcome leaves out.
INTERNAL = {("Attempt", "answer"), ("Attempt", "warm")}


def settings_table(name: str, about: str) -> Schema:
    usual = asdict(Settings())
    return {
        "type": "object",
        "description": about,
        "properties": {
            key: {"enum": [*CHOICES[key]]} if key in CHOICES else SETTING[type(usual[field])]
            for key, field in fields_of(name).items()
        },
        "additionalProperties": False,
    }


def config() -> Schema:
    """A tenterhook.toml: a list of hooks. Other keys at the top belong to other programs."""
    dialect = dialects.get("tenterhook")
    section = dialect.config.files[0].sections[0].hooks
    return {
        "$schema": DRAFT,
        "$id": f"{BASE}/config.json",
        "title": "tenterhook.toml",
        "description": dialect.about,
        "type": "object",
        "properties": {
            section: {"type": "array", "items": {"$ref": "#/$defs/hook"}},
            "actions": ACTIONS,
            "check": CHECK,
            **{name: settings_table(name, about) for name, about in TABLES.items()},
        },
        "additionalProperties": False,
        "$defs": {
            "event": {"enum": [rule.name for rule in dialect.events]},
            "event_elsewhere": {"description": "an agent's name for an event", "enum": names_elsewhere(dialect)},
            "hook": hook(dialect),
        },
    }


def hook(dialect: Dialect) -> Schema:
    """One entry: which keys it may have, which event and which handler it must name."""
    from tenterhook.tools.describe.glossary import describe_key

    event = next(key for key, setter in dialect.config.form.keys.items() if setter == "event")
    kind = next(key for key, setter in dialect.config.form.keys.items() if setter == "type")
    values = {**VALUES, "event": events(), "type": {"enum": [one.name for one in dialect.config.types]}}
    return {
        "type": "object",
        "properties": {
            key: {"description": describe_key(key, setter), **values[setter]}
            for key, setter in dialect.config.form.keys.items()
        },
        "required": [event],
        "additionalProperties": False,
        "anyOf": list(handlers(dialect, kind)),
        **nothing_to_match(dialect, event),
    }


def names_elsewhere(dialect: Dialect) -> list[str]:
    """The names that agents have for these events."""
    own = {rule.name for rule in dialect.events}
    return sorted(name for name, kind in EVENTS.items() if kind in own)


def handlers(dialect: Dialect, kind: str) -> Iterator[Schema]:
    """For each type the keys it must have and those without effect; without a type the first one counts."""
    every = [key for key, setter in dialect.config.form.keys.items() if setter.startswith("spec")]
    before: set[str] = set()
    for one in dialect.config.types:
        foreign = [key for key in every if key not in (one.key, *traits(one.handler).options)]
        main = {"minLength": 1} if one.form == "shell" else SOME_TEXT
        yield {
            "properties": {kind: {"const": one.name}, one.key: main, **dict.fromkeys(foreign, False)},
            "required": [one.key, kind] if one.key in before else [one.key],
        }
        before.add(one.key)


def events() -> Schema:
    one = {"anyOf": [{"$ref": "#/$defs/event"}, {"$ref": "#/$defs/event_elsewhere"}]}
    return {"anyOf": [one, {"type": "array", "items": one, "minItems": 1}]}


def nothing_to_match(dialect: Dialect, event: str) -> Schema:
    """Events without a target, where a matcher has no effect."""
    matcher = next(key for key, setter in dialect.config.form.keys.items() if setter == "matcher")
    bare = {rule.name for rule in dialect.events if not rule.target.field}
    without = {"enum": [*sorted(bare), *(name for name in names_elsewhere(dialect) if EVENTS[name] in bare)]}
    named = {"anyOf": [without, {"type": "array", "contains": without}]}
    return {
        "if": {"properties": {event: named}, "required": [event]},
        "then": {"properties": {matcher: {"enum": ["", "*"]}}},
    }


def outcome() -> Schema:
    """What `tenter fire` prints. Every field is always there."""
    (_,), parts = msgspec.json.schema_components([Outcome], ref_template="#/$defs/{name}")
    for name, part in parts.items():
        fields = {field: refine_field_schema(name, field, one) for field, one in part["properties"].items()}
        part["properties"] = {field: one for field, one in fields.items() if (name, field) not in INTERNAL}
        part["required"] = list(part["properties"])
    top = parts.pop(Outcome.__name__)
    return {"$schema": DRAFT, "$id": f"{BASE}/outcome.json", **top, "$defs": parts}


def refine_field_schema(name: str, field: str, schema: Schema) -> Schema:
    """A default says nothing about a field that is always there."""
    return REFINED.get((name, field)) or {key: value for key, value in schema.items() if key != "default"}


SCHEMAS: dict[str, Callable[[], Schema]] = {"config": config, "outcome": outcome}


def read_schema_file(name: str) -> str:
    with open(os.path.join(FOLDER, f"{name}.json"), encoding="utf-8") as file:
        return file.read()
