"""Apply the changes of verdicts: the event as the next hook sees it, and the changes that the host applies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any

from tenterhook.dialects.schema.dialect import EventRule
from tenterhook.support.strategy import Strategy
from tenterhook.types import Verdict

# The field of the event's data that a change is about.
FIELDS = {"input": "tool_input", "output": "tool_output", "request": "llm_request", "response": "llm_response"}
# What an answer may ask the host for, with the effect `set`. A host does what it supports.
WISHES = {
    "prompt": "another prompt in place of the user's",
    "hide_prompt": "the user's own prompt is not shown",
    "first_prompt": "the first prompt of a session",
    "follow_up": "the next prompt of the agent",
    "title": "the session's title",
    "shown": "the text that the user is shown in place of the model's",
    "terminal": "a sequence for the terminal",
    "env": "variables of the agent's environment",
    "watch": "files that are watched from now on",
    "reload_skills": "skills are read again",
    "retry": "the refused call is tried again",
    "interrupt": "the turn is interrupted",
    "permissions": "rules of permission that change",
    "elicited": "the answer to what an MCP server asked",
    "path": "the path of a worktree",
    "tail_call": "a tool that is called next",
    "clear": "the context is cleared",
    "classifier": "what the agent's classifier is told",
}
# The reason of a stop that gives none.
STOPPED = "Stopped by hook"
# Merges of hooks that ran at once in which the hook that finished last wins, not the last in order.
BY_FINISH = {"last-finished", "last-finished-alike"}
# AFRESH: merges that ignore earlier hooks and lay a change over the original value. ALONE: merges of hook values only.
AFRESH, ALONE = {"overlay-given"}, {"tools-of-hooks"}
# The most restrictive mode wins; the names of the stable tool configuration.
MODES = ("NONE", "ANY", "AUTO")
# When a response replaces the model's call, by what it needs; the arguments: a hook denied, a hook stopped.
RESPONDS: dict[str, Callable[[bool, bool], bool]] = {
    "": lambda denied, stopped: True,
    "block": lambda denied, stopped: denied or stopped,
    "deny": lambda denied, stopped: denied and not stopped,
}


class Changes:
    """The state of an event while its hooks run: the original data, and the hooks' changes so far."""

    __slots__ = ("given", "now", "rule", "values", "views")

    def __init__(self, rule: EventRule, data: dict[str, Any]) -> None:
        self.rule, self.given, self.now = rule, data, data
        self.values: dict[str, Any] = {}
        self.views: dict[str, Any] = {}

    def after(self, verdicts: Sequence[Verdict]) -> None:
        """Lay the changes of one batch over those of the batches before it."""
        for verdict in verdicts:
            if verdict.changes or verdict.messages:
                break
        else:
            return
        self.lay(self.values, self.rule.merging.changes, verdicts)
        self.lay(self.views, self.rule.merging.seen, verdicts)
        for verdict in verdicts:  # no event has a rule for it: the last value counts
            self.values.update(
                (c, v) for c, v in verdict.changes.items() if c in WISHES and c not in self.rule.merging.changes
            )
        self.chain(verdicts)

    def lay(self, values: dict[str, Any], merges: Mapping[str, str], verdicts: Sequence[Verdict]) -> None:
        for change, rule in merges.items():
            giving = [verdict for verdict in verdicts if change in verdict.changes]
            if giving:
                if rule in BY_FINISH:
                    giving.sort(key=attrgetter("seconds"))
                given = None if rule in ALONE else self.given.get(FIELDS.get(change, change))
                before = given if rule in AFRESH else values.get(change, given)
                values[change] = MERGES[rule].run(before, [verdict.changes[change] for verdict in giving])

    def chain(self, verdicts: Sequence[Verdict]) -> None:
        """The data that the next hook gets instead of the original."""
        for what, field in self.rule.merging.chain.items():
            values = self.views if what in self.rule.merging.seen else self.values
            if what in values:
                self.now = {**self.now, field: values[what]}
            for text in texts(verdicts, what):
                self.now = {**self.now, field: f"{self.now.get(field, '')}\n\n{text}"}

    def settled(self) -> dict[str, Any]:
        """The event as it will really happen, which may differ from what the last hook of a chain saw."""
        shown = [(what, self.rule.merging.chain[what]) for what in self.views]
        return {**self.now, **{field: self.values.get(what, self.given.get(field)) for what, field in shown}}

    def result(self, *, denied: bool, stopped: bool, stop_reason: str) -> dict[str, Any]:
        """Only the values that differ from the original."""
        rule, values = self.rule, self.values
        if not values and not stopped:
            return {}
        if not RESPONDS[rule.merging.response_needs](denied, stopped):
            values = {change: value for change, value in values.items() if change != "response"}
        if rule.stop.response and stopped:
            values = {**values, "response": stop_response(stop_reason)}
        return {c: v for c, v in values.items() if c not in FIELDS or v != self.given.get(FIELDS[c])}


def texts(verdicts: Iterable[Verdict], kind: str) -> list[str]:
    return [message.text for verdict in verdicts for message in verdict.messages if message.kind == kind]


def paths(changes: dict[str, Any], data: dict[str, Any]) -> tuple[str, ...]:
    """List what one hook changed in its input, by top-level key: `input.command`."""
    found: list[str] = []
    for change, value in changes.items():
        before = data.get(FIELDS.get(change, ""))
        if isinstance(value, dict) and isinstance(before, dict):
            found += [f"{change}.{key}" for key in value if key not in before or before[key] != value[key]]
        elif value != before:
            found.append(change)
    return tuple(found)


def replace(before: Any, given: list[Any]) -> Any:
    return given[-1]


def replace_alike(before: Any, given: list[Any]) -> Any:
    return next((one for one in reversed(given) if is_alike(before, one)), before)


def is_alike(before: Any, value: Any) -> bool:
    """Whether a value can replace an object. The schema is not known here: all texts must be there, and types must
    match.
    """
    if not isinstance(before, dict):
        return True
    return isinstance(value, dict) and all(
        type(value[key]) is type(one) if key in value else not isinstance(one, str) for key, one in before.items()
    )


def union(before: Any, given: list[Any]) -> list[Any]:
    """The union of all lists, each item once."""
    return list(dict.fromkeys(one for many in given if isinstance(many, list) for one in many if isinstance(one, str)))


def overlay(before: Any, given: list[Any]) -> Any:
    """Each object over the one before it, by top-level key."""
    result = dict(before) if isinstance(before, Mapping) else {}
    for one in given:
        result = {**result, **one}
    return result


def overlay_last(before: Any, given: list[Any]) -> Any:
    """The last change of hooks that ran at once counts, laid over the value from before them."""
    return overlay(before, given[-1:])


def any_true(before: Any, given: list[Any]) -> bool:
    return any(one is True for one in given)


def tools_of_hooks(before: Any, given: list[Any]) -> dict[str, Any]:
    """Like a union, but only of hook values, and always with a mode and a list."""
    return {"mode": "AUTO", "allowedFunctionNames": [], **union_tools(before, given)}


def union_tools(before: Any, given: list[Any]) -> dict[str, Any]:
    """All allowed names together, sorted; the most restrictive mode; NONE allows nothing."""
    configs = [*([normalise_tool_config(before)] if isinstance(before, dict) else []), *given]
    modes = {config["mode"] for config in configs if "mode" in config}
    mode = next((mode for mode in MODES if mode in modes), None)
    result: dict[str, Any] = {} if mode is None else {"mode": mode}
    if mode == "NONE":
        return {**result, "allowedFunctionNames": []}
    lists = [config["allowedFunctionNames"] for config in configs if "allowedFunctionNames" in config]
    if lists:
        result["allowedFunctionNames"] = sorted({name for names in lists for name in names})
    return result


def normalise_tool_config(config: dict[str, Any]) -> dict[str, Any]:
    """The valid parts of the host's tool configuration: a known mode, a list of names."""
    mode, names = config.get("mode"), config.get("allowedFunctionNames")
    made = {"mode": mode} if mode in MODES else {}
    if not isinstance(names, list):
        return made
    return {**made, "allowedFunctionNames": [name for name in names if isinstance(name, str)]}


def stop_response(reason: str) -> dict[str, Any]:
    """A response in the stable form that says why the agent stopped; it replaces the model's."""
    text = reason or STOPPED
    candidate = {"content": {"role": "model", "parts": [text]}, "finishReason": "STOP", "index": 0}
    return {"text": text, "candidates": [candidate]}


MERGES: dict[str, Strategy[Callable[[Any, list[Any]], Any]]] = {
    "replace": Strategy(replace, "the last hook's value counts as a whole"),
    "last-finished": Strategy(replace, "the value of the hook that finished last counts as a whole"),
    "last-finished-alike": Strategy(
        replace_alike, "the same, of values that have the form of what was there; others count for nothing"
    ),
    "union": Strategy(union, "what any hook lists"),
    "overlay": Strategy(overlay, "each hook's object is laid over the one before, by top-level key"),
    "overlay-last": Strategy(
        overlay_last, "of hooks that ran at once the last one's object is laid over what was there"
    ),
    "overlay-given": Strategy(overlay_last, "the last hook's object is laid over what was there before all of them"),
    "any": Strategy(any_true, "true where any hook says so"),
    "union-tools": Strategy(union_tools, "all allowed names together; the most restrictive mode counts"),
    "tools-of-hooks": Strategy(
        tools_of_hooks,
        "all names that hooks allow together; the most restrictive mode counts, AUTO if no hook names one",
    ),
}
