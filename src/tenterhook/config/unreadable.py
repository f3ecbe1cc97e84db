"""Hooks of one agent's file that cannot be parsed: they fail, and the hooks of all other files run.

Such a file is for a single agent, and many are hand-written with a colon or a quote that YAML does not accept. It must
not stop the events of other agents, and what it guarded must not be left open.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tenterhook.config.locations import ConfigLocation
from tenterhook.dialects.schema.dialect import Dialect, EventRule, Section
from tenterhook.errors import ConfigError
from tenterhook.support.readers.frontmatter import frontmatter
from tenterhook.types import Hook, Source

NAME = re.compile(r"^name:[ \t]*[\"']?([^\"'\n#]+?)[\"']?[ \t]*(?:#.*)?$", re.MULTILINE)
LARGEST = 1 << 20
# How such a hook is marked in its spec.
FORM = "unread"


def failing_hooks(place: ConfigLocation, exc: ConfigError, dialect: Dialect) -> Iterator[Hook]:
    """A failing hook for each event that the text names; if it names none, for each event that guards."""
    try:
        with open(place.path, encoding="utf-8", errors="replace") as file:
            text = frontmatter(file.read(LARGEST))
    except OSError:
        text = ""
    for section in place.file.sections:
        named = [rule for rule in dialect.events if names(text, rule, section)]
        where = (exc.line, exc.column)
        source = Source(place.path, (), lambda path, where=where: where, place.file.scope)  # type: ignore[misc]
        problem = f"{exc}; its hooks cannot be run until that is fixed"
        for rule in named or filter(guards, dialect.events):
            yield failing(place.path.rpartition("/")[2], source, problem, rule, agent_of(text, place, section))


def guards(rule: EventRule) -> bool:
    """Whether a hook there decides about a call. A hook that keeps an agent from ending is not a guard."""
    return rule.can.block and (rule.can.ask or rule.target.field == "tool_name")


def names(text: str, rule: EventRule, section: Section) -> bool:
    called = [rule.name, *(old for old, new in section.renames.items() if new == rule.name)]
    return any(re.search(rf"^\s*[\"']?{re.escape(one)}[\"']?\s*:", text, re.MULTILINE) for one in called)


def failing(name: str, source: Source, problem: str, rule: EventRule, agent: str | None) -> Hook:
    return Hook(
        name=name,
        event=rule.name,
        handler="unread",
        spec={"main": problem, "form": FORM},
        source=source,
        agent=agent,
        on_failure={"default": "deny"} if guards(rule) else {},
    )


def agent_of(text: str, place: ConfigLocation, section: Section) -> str | None:
    if not section.agent:
        return None
    if found := NAME.search(text):
        return found[1]
    folder, _, file = place.path.rpartition("/")
    return folder.rpartition("/")[2] if section.by_folder else file.rpartition(".")[0]


def is_readable(hook: Hook) -> bool:
    """Whether it is a hook of its own, and does not stand for an entry or a file that cannot be read."""
    return hook.spec.get("form") != FORM
