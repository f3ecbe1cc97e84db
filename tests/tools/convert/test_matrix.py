"""The support matrix says what the engines do, and how that is known."""

import json
from pathlib import Path

import pytest

from tenterhook import dialects
from tenterhook.author import callers
from tenterhook.cli.main import main
from tenterhook.tools.matrix import EFFECTS, cells, matrix
from tenterhook.tools.matrix.evidence import MARKS, MEANINGS, known_by, marks

ROOT = Path(__file__).parents[3]
NAMES = dialects.names()
ALL = matrix(dialects.get(name) for name in NAMES)


def cell(agent: str, event: str, effect: str):
    return next(one for one in ALL if (one.agent, one.event, one.effect) == (agent, event, effect))


def test_there_is_a_cell_for_each_agent_event_and_effect():
    wanted = [(name, rule.name, effect) for name in NAMES for rule in dialects.get(name).events for effect in EFFECTS]

    assert [(one.agent, one.event, one.effect) for one in ALL] == wanted
    assert {one.support for one in ALL} == {"enforced", "advisory", "impossible"}
    assert all(one.known_by in MEANINGS for one in ALL)


@pytest.mark.parametrize("name", NAMES)
def test_what_no_form_says_is_impossible_and_what_one_says_is_not(name):
    says = {event: rule["says"] for event, rule in callers.load(name)["events"].items()}

    possible = {(one.event, one.effect) for one in cells(dialects.get(name)) if one.support != "impossible"}
    assert possible == {(event, effect) for event, said in says.items() for effect in said if effect in EFFECTS}


@pytest.mark.parametrize("name", NAMES)
def test_a_refusal_is_enforced_only_where_the_event_can_be_refused_and_never_just_told_there(name):
    found = {one.event: one.support for one in cells(dialects.get(name)) if one.effect == "deny"}

    for rule in dialects.get(name).events:
        assert found[rule.name] in (("enforced", "impossible") if rule.can.block else ("advisory", "impossible")), (
            rule.name
        )


def test_rows_that_a_reader_can_check_by_hand():
    assert cell("wave", "PreToolUse", "rewrite").note == "input"
    assert cell("wave", "PreToolUse", "context").support == "impossible"
    assert cell("wave", "PostToolUse", "deny").support == "advisory"
    assert cell("llxprt", "BeforeTool", "ask").support == "impossible"
    assert cell("llxprt", "BeforeTool", "allow").support == "advisory"
    assert cell("amcp", "Stop", "deny").support == "enforced"


def test_who_is_asked_for_the_user_can_answer_for_the_user():
    asked = [one for one in ALL if one.kind == "permission.ask" and one.effect == "allow"]

    assert {one.agent for one in asked} == {"claude", "codex", "copilot", "moai", "qwen", "tenterhook"}
    assert {one.support for one in asked} == {"enforced"}


# What the real programs were seen to do with such answers: the rows of the comparison that was measured.
YES, TOLD, NO = "enforced", "advisory", "impossible"
SEEN = {
    ("claude", "PreToolUse"): {"deny": YES, "ask": YES, "rewrite": YES, "stop": YES},
    ("claude", "PostToolUse"): {"deny": TOLD, "context": YES},
    ("claude", "UserPromptSubmit"): {"deny": YES, "context": YES},
    ("claude", "Stop"): {"deny": YES},
    ("codex", "PreToolUse"): {"deny": YES, "ask": NO, "rewrite": YES, "stop": NO},
    ("codex", "PostToolUse"): {"context": YES},
    ("codex", "UserPromptSubmit"): {"deny": YES, "context": YES},
    ("codex", "Stop"): {"deny": YES},
    ("gemini", "BeforeTool"): {"deny": YES, "ask": YES, "rewrite": YES, "stop": YES},
    ("gemini", "AfterTool"): {"deny": TOLD, "context": YES},
    ("gemini", "BeforeAgent"): {"deny": YES},
    ("gemini", "AfterAgent"): {"deny": YES},
    ("qwen", "PreToolUse"): {"deny": YES, "ask": YES, "rewrite": NO, "stop": NO},
    ("qwen", "PostToolUse"): {"deny": NO, "context": YES},
    ("qwen", "UserPromptSubmit"): {"deny": YES, "context": YES},
    ("qwen", "Stop"): {"deny": YES},
    ("copilot", "preToolUse"): {"deny": YES, "ask": YES, "rewrite": YES},
    ("copilot", "PreToolUse"): {"deny": YES, "rewrite": YES},
    ("copilot", "postToolUse"): {"deny": TOLD, "context": YES},
    ("copilot", "userPromptSubmitted"): {"deny": YES},
    ("copilot", "agentStop"): {"deny": YES},
}
KNOWN = [(agent, event) for agent, event in SEEN if agent in NAMES]


@pytest.mark.parametrize(("agent", "event"), KNOWN, ids=[" ".join(row) for row in KNOWN])
def test_what_was_measured_is_what_the_matrix_says_and_it_says_that_it_was(agent, event):
    found = {effect: cell(agent, event, effect) for effect in SEEN[agent, event]}

    assert {effect: one.support for effect, one in found.items()} == SEEN[agent, event]
    assert {one.known_by for one in found.values()} == {"measured"}


def test_evidence_is_of_events_and_effects_that_there_are():
    for name, found in marks().items():
        assert found["usual"] in MARKS
        events = {rule.name for rule in dialects.get(name).events} if name in NAMES else set(found.get("events", {}))
        assert set(found.get("events", {})) <= events, name
        for said in found.get("events", {}).values():
            assert set(said) <= set(EFFECTS)
            assert set(said.values()) <= set(MARKS)


def test_an_agent_of_another_package_has_its_data_alone_to_show():
    from msgspec.structs import replace

    assert known_by(replace(dialects.get("wave"), name="foreign"), "PreToolUse", "deny") == "derived"
    assert known_by(dialects.get("tenterhook"), "tool.before", "deny") == "our own"


def test_the_command_prints_all_agents_or_one(capsys):
    assert main(["dialects", "--matrix", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found) == len(ALL)
    assert found[0].keys() == {"agent", "version", "event", "kind", "effect", "support", "known_by", "note"}

    assert main(["dialects", "wave", "--matrix"]) == 0
    text = capsys.readouterr().out
    assert "PreToolUse        tool.before    enforced [D]" in text
    assert "BeforeTool" not in text
