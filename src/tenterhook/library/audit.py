"""Write down what an agent does: one line of JSON for each event, without secrets.

Sessions, prompts, tools, permissions, subagents, tasks and the ends of turns are written down: the time, the agent, the
session and the event, and of a tool its name, command, paths and input. Each day has a file in the user's state folder,
which only the user can read, unless `file` names another one. Each line is written at once, so agents that run at the
same time can share a file.

Options:
    file: where to write; `%Y`, `%m` and `%d` stand for the day
    kinds: the kinds of events to write down; empty for all
    inputs: whether to write down a tool's whole input, up to 2,000 characters of each text
    prompts: whether to write down the user's prompts; without it, only their length
    required: whether to refuse a tool if the line cannot be written

What it cannot stop:
- It stops nothing, unless `required` is set and a line cannot be written.
- It does not see what happens without an event: what a program does, and moments for which the agent calls no hooks.
- A program that may write the file can change it, such as the agent's own shell. If that matters to you, send the lines
  elsewhere too.
- A secret that does not look like one is written down as it is.
- It records what was asked for, not what other hooks or the user decided; the journal of `tenter fire` has outcomes.
- It does not record calls of the model, and it never deletes anything.
"""

from __future__ import annotations

from tenterhook import hook

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tenterhook.author import Answer, Event
    from tenterhook.support.secrets.redact import Redactor

# No model calls, which some agents report piece by piece, and no events that a hook changes by listening to them.
KINDS = (
    *("session.start", "session.end", "prompt.submit", "tool.before", "tool.after", "tool.failed"),
    *("permission.ask", "permission.denied", "agent.start", "agent.stop", "task.created", "task.done"),
    *("notify", "turn.stop", "turn.failed"),
)
LONGEST, DEEPEST, MOST = 2000, 6, 100


@hook(*KINDS, on_failure="allow")
def audit(
    event: Event,
    file: str = "",
    kinds: tuple[str, ...] = (),
    inputs: bool = True,
    prompts: bool = False,
    required: bool = False,
) -> Answer | None:
    import os

    from tenterhook.library.parts.decisions import all_of
    from tenterhook.library.parts.session_lines import append

    if kinds and event.kind not in all_of("kinds", kinds, KINDS):
        return None
    path = place(file, event)
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        append(path, line(event, inputs=inputs, prompts=prompts))
    except OSError as exc:
        problem = f"audit: {path}: {exc.strerror or exc}: nothing is written down"
        return hook.deny(problem) if required else hook.notify(problem)
    return None


def place(file: str, event: Event) -> str:
    import os
    import time

    from tenterhook.support.paths import state_folder

    usual = os.path.join(state_folder(os.environ, os.path.expanduser("~")), "audit", "%Y-%m-%d.jsonl")
    return os.path.join(event.project, time.strftime(os.path.expanduser(file) or usual, time.gmtime()))


def line(event: Event, *, inputs: bool, prompts: bool) -> str:
    import json
    import os
    import time

    from tenterhook.support.clock import stamp
    from tenterhook.support.secrets.redact import Redactor

    served = event.mcp
    found: dict[str, Any] = {
        "at": stamp(time.time_ns() // 1_000_000),
        "agent": event.agent,
        "session": event.session,
        "kind": event.kind,
        "event": event.name,
        "project": event.project,
        "cwd": event.cwd,
        "tool": event.tool_name,
        "server": served.server if served else "",
        "command": event.command,
        "paths": list(event.paths),
        "input": event.input if inputs else {},
        "prompt": event.prompt if prompts else "",
        "prompt_length": len(event.prompt),
        "error": event.error,
    }
    redactor = Redactor(os.environ)
    shown = {name: redact_and_truncate(value, redactor) for name, value in found.items() if value}
    return json.dumps(shown, ensure_ascii=False)


def redact_and_truncate(value: Any, redactor: Redactor, deep: int = DEEPEST) -> Any:
    """Remove secrets, then cut to a readable length."""
    if isinstance(value, str):
        text = redactor.text(value)
        return text if len(text) <= LONGEST else f"{text[:LONGEST]}... ({len(value)} characters)"
    if isinstance(value, dict | list) and not deep:
        return "..."
    if isinstance(value, dict):
        return {
            redactor.text(str(key)): redact_and_truncate(one, redactor, deep - 1)
            for key, one in list(value.items())[:MOST]
        }
    if isinstance(value, list):
        return [redact_and_truncate(one, redactor, deep - 1) for one in value[:MOST]]
    return value
