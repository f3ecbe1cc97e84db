"""An outcome -> one line for each hook that did something, so that the user sees hooks at work.

Messages to the user are not here: they are shown in the hook's own words. Nor are failures: they are logged. A system
message for the model is mentioned and not quoted: it must never be shown to the user.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tenterhook.dialects.schema.dialect import Dialect
from tenterhook.pipeline.judge import IN_BACKGROUND
from tenterhook.support.clean_text import clean
from tenterhook.support.terminal.text import one_line, shorten
from tenterhook.tools.report import format_token_usage
from tenterhook.types import Attempt, Outcome

# What a refusal does, by the kind of event; anything else is blocked.
REFUSALS = {
    "turn.stop": "sends the agent back to work",
    "agent.stop": "sends the subagent back to work",
    "teammate.idle": "keeps the subagent at work",
    "task.done": "does not take the task for done",
    "prompt.submit": "blocked the prompt",
    "model.before": "blocked the call of the model",
    "permission.ask": "refused permission",
}
CHANGED = {
    "input": "the input",
    "output": "the output",
    "request": "the request to the model",
    "response": "the model's response",
    "tool_config": "the tools that the model may use",
}
VALUE = 60


def lines(outcome: Outcome, dialect: Dialect, tool: str = "") -> Iterator[tuple[str, str, str]]:
    """(style, hook, what it did). `tool` is the tool that the event is about, if any."""
    rule = dialect.rule(outcome.event)
    kind = rule.kind if rule else ""
    for attempt in outcome.attempts:
        for style, text in deeds(attempt, outcome, kind, tool):
            yield style, attempt.hook, text
    if outcome.suppress:
        yield "dim", "", "the output is not shown"


def deeds(attempt: Attempt, outcome: Outcome, kind: str, tool: str) -> Iterator[tuple[str, str]]:
    messages = [one for one in outcome.messages if one.hook == attempt.hook]
    texts = [
        clean(one.text) for one in messages if one.to == "model" and one.kind not in ("reason", "feedback", "system")
    ]
    reason = next((clean(one.text) for one in messages if one.to == "model" and one.kind in ("reason", "feedback")), "")
    if attempt.detail == IN_BACKGROUND:
        yield "dim", IN_BACKGROUND
    if attempt.decision == "deny" and outcome.blocked:
        yield "red", with_words(REFUSALS.get(kind, f"blocked {tool}".strip()), reason)
    elif attempt.decision == "ask":
        yield "yellow", "wants a person to decide"
    elif attempt.decision == "allow" and kind in ("tool.before", "permission.ask"):
        yield "green", f"allowed {tool}".strip()
    elif reason:
        yield "cyan", with_words("tells the model", reason)
    if what := describe_changes(attempt, outcome):
        yield "yellow", f"changed {what}"
    for text in texts:
        yield "cyan", with_words("adds for the model", text)
    if any(one.to == "model" and one.kind == "system" for one in messages):
        yield "cyan", "adds a system message for the model"
    if attempt.usage:
        yield "dim", f"asked {attempt.usage.model}: {format_token_usage(attempt.usage)}"
    if outcome.stop and any(one.text == outcome.stop_reason for one in messages):
        yield "red", "stops the agent"


def with_words(deed: str, words: str) -> str:
    return f"{deed}: {words}" if words else deed


def describe_changes(attempt: Attempt, outcome: Outcome) -> str:
    """What it changed, with the new value if that is short enough."""
    parts = []
    for path in attempt.changed:
        thing, _, rest = path.partition(".")
        if thing not in outcome.changes:  # a request that does not count here
            continue
        value = looked_up(outcome.changes[thing], rest)
        name = f"{CHANGED.get(thing, thing)}{f', {rest}' if rest else ''}"
        short = isinstance(value, str) and rest
        parts.append(f"{name}: {shorten(one_line(str(value)), VALUE)}" if short else name)
    return "; ".join(parts)


def looked_up(value: Any, path: str) -> Any:
    for key in path.split(".") if path else ():
        value = value.get(key) if isinstance(value, dict) else None
    return value
