"""Plan the hooks of several events of a dialect that are one kind of ours, each by the rule of its own event.

Some agents fire two events for the same thing, each with its own payload and answers. Others have an event for every
tool and further ones for some tools only. A host that fires one of our kinds means all of these events.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from tenterhook.dialects.schema.dialect import Dialect, EventRule
from tenterhook.pipeline.plan import (
    OTHER_AGENT,
    batches,
    doubts,
    duplicate,
    is_other,
    objection,
    unevaluated_hook_warnings,
)
from tenterhook.support.strategy import Strategy
from tenterhook.types import Event, Hook, Plan, Skipped

Batches = tuple[tuple[Hook, ...], ...]


class JointPlanner:
    """A Planner for hooks of several events. It caches no plans: each event has a target of its own."""

    def __init__(
        self,
        hooks: Sequence[Hook],
        dialect: Dialect,
        rules: Sequence[EventRule],
        *,
        off: str = "",
        overrides: Collection[tuple[str, str]] = (),
    ) -> None:
        self.hooks, self.dialect, self.off, self.overrides = hooks, dialect, off, overrides
        self.rules = {rule.name: rule for rule in rules}

    def plan(self, event: Event, spent: Collection[int] = ()) -> Plan:
        chosen: list[Hook] = []
        skipped: list[Skipped] = []
        seen: dict[str, set[str]] = {name: set() for name in self.rules}
        for hook in self.hooks:
            other = is_other(hook, event.agents or ("",))
            why = OTHER_AGENT if other else self.objection(hook, event, spent)
            if not why and hook.state == "trusted":
                why = duplicate(hook, self.dialect.planning.dedupe, seen[hook.event])
            if why:
                skipped.append(Skipped(hook.name, str(hook.source), why))
            else:
                chosen.append(hook)
        ordered = JOINTS[self.dialect.planning.joint].run(chosen, self.rules, self.dialect.planning.order)
        return Plan(ordered, tuple(skipped), tuple(self.warnings(event, chosen)))

    def objection(self, hook: Hook, event: Event, spent: Collection[int]) -> str:
        if not concerns(self.rules[hook.event], event.data, self.dialect):
            return "tool"
        overridden = any((hook.event, agent) in self.overrides for agent in event.agents)
        return objection(hook, event, self.dialect, self.rules[hook.event], self.off, overridden, spent)

    def warnings(self, event: Event, chosen: Sequence[Hook]) -> Iterable[str]:
        for name, rule in self.rules.items():
            yield from doubts(event, rule, [hook for hook in self.hooks if hook.event == name])
            yield from unevaluated_hook_warnings(
                event, rule, [hook for hook in chosen if hook.event == name], self.dialect
            )

    def forget(self) -> None:
        """Nothing is cached."""


def concerns(rule: EventRule, data: Mapping[str, Any], dialect: Dialect) -> bool:
    """Whether an event that is for some tools includes this one."""
    return not rule.firing.tools or our_name(str(data.get("tool_name", "")), dialect) in rule.firing.tools


def our_name(tool: str, dialect: Dialect) -> str:
    """Our name for a tool of the agent; `mcp` for a tool of an MCP server."""
    ours = next((ours for ours, own in dialect.tools.names.items() if own.name == tool), "")
    return ours or ("mcp" if template(dialect.tools.mcp_tool).fullmatch(tool) else "")


@cache
def template(pattern: str) -> re.Pattern[str]:
    """A pattern for the names of MCP tools, with groups for server and tool."""
    return re.compile(re.escape(pattern).replace(r"\{server\}", "(?P<server>.+?)").replace(r"\{tool\}", "(?P<tool>.+)"))


def by_event(hooks: Sequence[Hook], events: Iterable[str], order: str) -> Batches:
    """The hooks of each event after those of the event before it, however the hooks of one event run."""
    return tuple(batch for name in events for batch in batches([one for one in hooks if one.event == name], order))


def by_file(hooks: Sequence[Hook], events: Iterable[str], order: str) -> Batches:
    """In the order of the files; within a file the hooks of each event after those of the event before it."""
    places = {name: place for place, name in enumerate(events)}
    files = {file: place for place, file in enumerate(dict.fromkeys(hook.source.file for hook in hooks))}
    return batches(sorted(hooks, key=lambda hook: (files[hook.source.file], places[hook.event])), order)


JOINTS: dict[str, Strategy[Callable[[Sequence[Hook], Any, str], Batches]]] = {
    "by-file": Strategy(by_file, "file by file, and within a file event by event"),
    "by-event": Strategy(by_event, "event by event, whatever files the hooks are in"),
}
