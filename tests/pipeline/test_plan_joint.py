"""One of our kinds that is several events of a dialect: all their hooks run, each told and heard by its own event."""

from typing import Any

import pytest

from tenterhook import Engine, dialects
from tenterhook.dialects.schema.dialect import (
    AnswerField,
    AnswerSection,
    Can,
    DenyRules,
    Dialect,
    EventRule,
    EventTarget,
    Field,
    MergeRules,
    Overrides,
    ToolName,
    revise,
)
from tenterhook.testing import NOTHING_RUNS
from tenterhook.types import Hook, Outcome, Source

WAVE = dialects.get("wave")
PLAIN = EventRule(
    name="callTool",
    kind="tool.before",
    about="before a tool",
    fields=(Field("toolName", "tool_name"), Field("toolArgs", "tool_input")),
    target=EventTarget("tool_name"),
    can=Can(block=True),
    deny=DenyRules("model", "reason"),
    merging=MergeRules(changes={"input": "replace"}, chain={"input": "tool_input"}),
    overrides=Overrides(base=(Field("sessionId", "session"), Field("timestamp", "timestamp", "epoch-ms"))),
)
SHELL = revise(
    PLAIN,
    name="runShell",
    fields=(Field("command", "tool_input.command"),),
    target={"field": "tool_input.command"},
    firing={"tools": ("Bash",)},
    overrides={"base": (Field("event", "=shell"), Field("session_id", "session"))},
)
SERVER = revise(
    SHELL, name="askServer", fields=(Field("tool_name"),), target={"field": "tool_name"}, firing={"tools": ("mcp",)}
)
ANSWERS = (
    AnswerField(path="flat", effect="decision", events=("callTool",), words={"deny": "deny", "allow": "allow"}),
    AnswerField(path="args", effect="input", events=("callTool",)),
    AnswerField(path="shell", effect="decision", events=("runShell", "askServer"), words={"deny": "deny"}),
)
NOTHING: dict[str, Any] = {}
AT_ONCE = {"joint": "by-event", "order": "parallel"}
BASH = {"tool_name": "Shell", "tool_input": {"command": "ls"}}


def two(planning: dict[str, Any] = NOTHING, **options: Any) -> Dialect:
    fields: dict[str, Any] = {
        "events": (PLAIN, SHELL, SERVER),
        "reading": {"answers": ANSWERS, "section": AnswerSection(), "outranks_exit": False},
        "setup": None,
        "tools": {"names": {"Bash": ToolName("Shell")}},
        "planning": {"matcher": "regex-search", **planning},
    }
    return revise(WAVE, **{**fields, **options})


def fired(hooks: list[tuple[str, Any]], event: str = "tool.before", data: Any = BASH, **options: Any) -> Outcome:
    """Hooks as (event or event@file, what they answer or a function), in this order."""
    mode = options.pop("mode", "")
    engine = Engine(dialect=two(**options), mode=mode, files=False, environ={}, home="/", **NOTHING_RUNS)
    for number, (where, said) in enumerate(hooks):
        name, _, file = where.partition("@")
        call = said if callable(said) else lambda payload, said=said: said
        spec = {"main": call, "form": "function"}
        source = Source(file or "one", scope="project")
        engine.put(Hook(name=f"{number}", event=name, handler="python", spec=spec, source=source))
    return engine.fire(event, **data)


def ran(outcome: Outcome) -> list[str]:
    return [attempt.hook for attempt in outcome.attempts]


def test_a_kind_runs_the_hooks_of_every_event_that_is_for_the_tool() -> None:
    outcome = fired([("callTool", None), ("runShell", None), ("askServer", None)])

    assert ran(outcome) == ["0", "1"]
    assert [(one.hook, one.why) for one in outcome.skipped] == [("2", "tool")]


def test_a_servers_tool_is_known_by_how_it_is_called() -> None:
    outcome = fired([("runShell", None), ("askServer", None)], data={"tool_name": "mcp__maker__make", "tool_input": {}})

    assert ran(outcome) == ["1"]


def test_the_name_of_an_event_runs_the_hooks_of_that_event_alone() -> None:
    assert ran(fired([("callTool", None), ("runShell", None)], event="runShell")) == ["1"]


def test_each_hook_is_told_what_its_own_event_tells() -> None:
    told: list[Any] = []
    hooks = [("callTool", told.append), ("runShell", told.append)]

    fired(hooks, data={**BASH, "tool_use_id": "7", "session_id": "s", "timestamp": "2026-01-01T00:00:00.000Z"})

    assert told == [
        {
            "sessionId": "s",
            "timestamp": 1767225600000,
            "toolName": "Shell",
            "toolArgs": {"command": "ls"},
            "tool_use_id": "7",
        },
        {"event": "shell", "session_id": "s", "command": "ls", "tool_use_id": "7"},
    ]


def test_an_event_may_be_given_in_the_words_of_any_of_its_events() -> None:
    told: list[Any] = []

    fired([("callTool", told.append)], data={"tool_name": "Shell", "command": "ls", "sessionId": "s", "timestamp": 5})

    assert told == [{"sessionId": "s", "timestamp": 5, "toolName": "Shell", "toolArgs": {"command": "ls"}}]


@pytest.mark.parametrize(("event", "said", "blocked"), [("callTool", "flat", True), ("runShell", "shell", True)])
def test_each_answer_is_read_as_its_own_event_reads_it(event: str, said: str, blocked: bool) -> None:
    assert fired([(event, {said: "deny"})]).blocked is blocked


def test_an_answer_of_the_other_event_does_not_count_and_is_told() -> None:
    outcome = fired([("callTool", {"shell": "deny"})])

    assert not outcome.blocked
    assert outcome.warnings == ("0: shell has no effect on callTool",)


def test_hooks_run_file_by_file_and_within_a_file_event_by_event() -> None:
    hooks = [("runShell@a", None), ("callTool@a", None), ("runShell@b", None), ("callTool@b", None)]

    assert ran(fired(hooks, planning={"joint": "by-file"})) == ["1", "0", "3", "2"]
    assert ran(fired(hooks, planning={"joint": "by-event"})) == ["1", "3", "0", "2"]


def test_a_later_event_sees_what_hooks_of_an_earlier_one_changed() -> None:
    told: list[Any] = []

    outcome = fired([("callTool", {"args": {"command": "pwd"}}), ("runShell", told.append)])

    assert told[0]["command"] == "pwd"
    assert outcome.changes == {"input": {"command": "pwd"}}


def test_a_refusal_in_one_event_keeps_the_next_from_being_asked_where_the_dialect_says_so() -> None:
    hooks = [("callTool", {"flat": "deny"}), ("callTool", None), ("runShell", None)]

    at_once = fired(hooks, planning={**AT_ONCE, "chain_ends": ("deny",)})
    all_of_them = fired(hooks, planning=AT_ONCE)

    assert (ran(at_once), [one.why for one in at_once.skipped]) == (["0", "1"], ["chain ended"])
    assert ran(all_of_them) == ["0", "1", "2"]


@pytest.mark.parametrize(("mode", "blocked"), [("faithful", False), ("strict", True)])
def test_where_the_last_decision_counts_an_allow_erases_a_deny_but_not_in_strict_mode(mode: str, blocked: bool) -> None:
    hooks = [("callTool", {"flat": "deny"}), ("callTool", {"flat": "allow"})]

    assert (
        fired(hooks, events=(revise(PLAIN, merging={"decisions": "last"}), SHELL, SERVER), mode=mode).blocked is blocked
    )


def test_matchers_are_compared_with_what_their_event_is_about() -> None:
    engine = Engine(dialect=two(), files=False, environ={}, home="/", **NOTHING_RUNS)
    for event, matcher in (("callTool", "^ls"), ("runShell", "^ls"), ("runShell", "^rm"), ("callTool", "Shell")):
        engine.add(event, lambda payload: None, match=matcher, name=f"{event} {matcher}")

    assert ran(engine.fire("tool.before", **BASH)) == ["callTool Shell", "runShell ^ls"]


def test_what_hooks_call_a_tool_is_told_to_them_and_known_to_their_matchers() -> None:
    named = revise(
        PLAIN, fields=(Field("tool_name", form="called"),), target={"called": {"Shell": "Bash"}}, overrides={"base": ()}
    )
    told: list[Any] = []
    engine = Engine(
        dialect=two({"matcher": "names-or-regex-whole"}, events=(named, SHELL, SERVER)),
        files=False,
        environ={},
        home="/",
        **NOTHING_RUNS,
    )
    for matcher in ("Bash", "Shell", "B.*", "S.*", "*"):
        engine.add("callTool", told.append, match=matcher, name=matcher)

    assert ran(engine.fire("tool.before", **BASH)) == ["Bash", "Shell", "B.*", "*"]
    assert told[0]["tool_name"] == "Bash"
