"""One moment for which an agent has several events: each runs by its own rules, and one outcome comes of all of them.

A host fires our kind of the moment. Some agents then ask hooks twice, once of any tool and once of tools of a sort, or
know the same event under two names with two sorts of payload.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from functools import cache
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from tenterhook.apply import FIELDS
from tenterhook.effects import stronger
from tenterhook.types import Attempt, Event, Job, Outcome

if TYPE_CHECKING:
    from tenterhook.dialect import Dialect, EventRule
    from tenterhook.engine import Engine
    from tenterhook.slot import Slot

Flow = Generator[list[Job], list[Attempt], tuple[Event, Outcome]]


def several(engine: Engine, slot: Slot, data: dict[str, Any]) -> Flow:
    """Every event of the moment in its turn, as long as nothing keeps it from going on."""
    first: Event | None = None
    found: Outcome | None = None
    for one in (slot, *slot.also):
        if found is not None and (found.blocked or found.stop):
            break
        if not concerns(one.rule, data, engine.dialect):
            continue
        begun = engine.begin_one(one, data)
        event, outcome = begun if isinstance(begun, tuple) else (yield from begun)
        first = first or event
        found = outcome if found is None else joined(found, outcome)
        data = {**data, **{FIELDS[change]: value for change, value in outcome.changes.items() if change in FIELDS}}
    assert first is not None
    assert found is not None
    return first, found


def joined(one: Outcome, other: Outcome) -> Outcome:
    """What two events of the same moment mean together; the first one's name and id stay."""
    decision = stronger(one.decision, other.decision)
    return replace(
        one,
        decision=decision,
        blocked=one.blocked or other.blocked,
        reason=one.reason if one.decision == decision and one.reason else other.reason or one.reason,
        stop=one.stop or other.stop,
        stop_after=one.stop_after or other.stop_after,
        stop_reason=one.stop_reason or other.stop_reason,
        suppress=one.suppress or other.suppress,
        changes={**one.changes, **other.changes},
        messages=(*one.messages, *other.messages),
        success=one.success and other.success,
        attempts=(*one.attempts, *other.attempts),
        skipped=(*one.skipped, *other.skipped),
        warnings=tuple(dict.fromkeys((*one.warnings, *other.warnings))),
    )


def concerns(rule: EventRule, data: dict[str, Any], dialect: Dialect) -> bool:
    """Whether an event that is for some tools is for this one."""
    return not rule.tools or our_name(str(data.get("tool_name", "")), dialect) in rule.tools


def our_name(tool: str, dialect: Dialect) -> str:
    """What we call a tool of the agent's; `mcp` for one of a server."""
    ours = next((ours for ours, own in dialect.tools.items() if own.name == tool), "")
    return ours or ("mcp" if template(dialect.mcp_tool).fullmatch(tool) else "")


@cache
def template(pattern: str) -> re.Pattern[str]:
    return re.compile(re.escape(pattern).replace(r"\{server\}", "(?P<server>.+?)").replace(r"\{tool\}", "(?P<tool>.+)"))
