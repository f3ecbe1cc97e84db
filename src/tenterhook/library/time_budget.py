"""Limit how many shell commands a session may run, and how long they may take together.

The hook counts the time between the moment before a command and the moment after it, as the agent reports both. When
the session has used up its budget, the hook refuses further commands or asks about them.

Options:
    seconds: how long all commands of a session may take together
    commands: how many commands a session may run; 0 for no limit
    then: what to do when it is used up: deny, ask, or stop the agent

What it cannot stop:
- A command that is running. Use the agent's own limit for one command against that.
- Time that an agent spends without commands, and what a command leaves running in the background.
- The time that the user takes to permit a command: it counts in agents that call their hooks before they ask.
- A command that another hook or the user refused counts as a command, although it took no time.
- A new session begins with a new budget.
"""

from __future__ import annotations

from tenterhook import hook

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tenterhook.author import Answer, Event

NAME = "time-budget"
IDS = ("tool_use_id", "toolUseId", "tool_call_id", "toolCallId", "call_id")


@hook("tool.before", "tool.after", "tool.failed", match="shell")
def time_budget(event: Event, seconds: float = 1800.0, commands: int = 0, then: str = "deny") -> Answer | None:
    import time

    from tenterhook.library.parts.decisions import ENDS, one_of, positive, used_up
    from tenterhook.library.parts.kept import Kept

    one_of("then", then, ENDS)
    positive("seconds", seconds)
    if commands:
        positive("commands", commands)
    store = Kept(event, NAME)
    if event.kind != "tool.before":
        store.add({"end": time.time(), "id": identity(event)})
        return None
    lines = store.lines()
    spent, ran = sum_elapsed_seconds(lines), sum("start" in line for line in lines)
    if spent >= seconds:
        return used_up(then, f"{NAME}: commands of this session took {spent:.0f} s, of {seconds:g} s in all")
    if 0 < commands <= ran:
        return used_up(then, f"{NAME}: this session has run {ran} commands, of {commands} in all")
    store.add({"start": time.time(), "id": identity(event)})
    return None


def identity(event: Event) -> str:
    """The id that a command has before and after it runs."""
    import json

    from tenterhook.library.parts.session_lines import digest

    given = next((event.raw[name] for name in IDS if isinstance(event.raw.get(name), str)), "")
    return given or digest(json.dumps([event.tool_name, event.command]))


def sum_elapsed_seconds(lines: list[dict[str, Any]]) -> float:
    """Seconds between each start and the first end after it with the same id."""
    open_since: dict[str, list[float]] = {}
    total = 0.0
    for line in lines:
        if "start" in line:
            open_since.setdefault(str(line.get("id")), []).append(float(line["start"]))
        elif "end" in line and (began := open_since.get(str(line.get("id")))):
            total += max(0.0, float(line["end"]) - began.pop(0))
    return total
