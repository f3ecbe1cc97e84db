"""Hooks of one agent's file that cannot be parsed: they fail, and the hooks of all other files run.

Such a file is for a single agent, and many are written by hand with a colon or a quote that YAML does not take. It must
not stop the events of the others; nor may what it guarded be open.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tenterhook.config.locations import Place
from tenterhook.dialects.schema.dialect import Dialect, EventRule, Section
from tenterhook.errors import ConfigError
from tenterhook.support.readers.frontmatter import frontmatter
from tenterhook.types import Hook, Source

NAME = re.compile(r"^name:[ \t]*[\"']?([^\"'\n#]+?)[\"']?[ \t]*(?:#.*)?$", re.MULTILINE)
LARGEST = 1 << 20


def failing_hooks(place: Place, exc: ConfigError, dialect: Dialect) -> Iterator[Hook]:
    """One for each event that the text names; for each that guards, where it names none."""
    try:
        with open(place.path, encoding="utf-8", errors="replace") as file:
            text = frontmatter(file.read(LARGEST))
    except OSError:
        text = ""
    for section in place.file.sections:
        named = [rule for rule in dialect.events if names(text, rule, section)]
        for rule in named or filter(guards, dialect.events):
            yield failing(place, exc, rule, agent_of(text, place, section))


def guards(rule: EventRule) -> bool:
    """Whether a hook there decides about a call. One that keeps an agent from ending guards nothing."""
    return rule.can.block and (rule.can.ask or rule.target.field == "tool_name")


def names(text: str, rule: EventRule, section: Section) -> bool:
    called = [rule.name, *(old for old, new in section.renames.items() if new == rule.name)]
    return any(re.search(rf"^\s*[\"']?{re.escape(one)}[\"']?\s*:", text, re.MULTILINE) for one in called)


def failing(place: Place, exc: ConfigError, rule: EventRule, agent: str | None) -> Hook:
    where = (exc.line, exc.column)
    return Hook(
        name=place.path.rpartition("/")[2],
        event=rule.name,
        handler="unread",
        spec={"main": f"{exc}; its hooks cannot be run until that is mended", "form": "unread"},
        source=Source(place.path, (), lambda path: where, place.file.scope),
        agent=agent,
        on_failure={"default": "deny"} if guards(rule) else {},
    )


def agent_of(text: str, place: Place, section: Section) -> str | None:
    if not section.agent:
        return None
    if found := NAME.search(text):
        return found[1]
    folder, _, file = place.path.rpartition("/")
    return folder.rpartition("/")[2] if section.by_folder else file.rpartition(".")[0]
