"""Our reading of answers agrees with the recorded one, row by row: same answer, different fate."""

import json
from typing import Any

import pytest

from tenterhook import Engine, Outcome
from tenterhook.testing import Did, simulate

from .fates import AFTER, BEFORE, PROMPT, REWRITTEN, STOP_CAPS, Fate

INPUT = {"command": "./mark.sh ORIGINAL", "description": "test"}
TOOLS = {"gemini": "run_shell_command", "qwen": "run_shell_command", "copilot": "bash", "cursor": "Shell"}
# Nobody sat in front of the agents that were recorded.
ALONE: dict[str, Any] = {"files": False, "environ": {}, "home": "/", "journal": False, "sandbox": "off"}


def rows(table: tuple[Fate, ...]) -> list[Any]:
    return [
        pytest.param(agent, fate, wanted, id=f"{agent}: {fate.what}")
        for fate in table
        for agent, wanted in fate.fates.items()
    ]


def fired(agent: str, kind: str, fate: Fate, data: dict[str, Any], stdout: str = "") -> Outcome:
    answer = fate.native.get(agent, fate.answer)
    engine = Engine(dialect=agent, attended=False, **ALONE)
    did = Did(
        exit_code=fate.exit,
        stdout=json.dumps(answer) if answer else stdout,
        stderr=fate.stderr,
        error=fate.error or None,
    )
    return simulate(agent, kind, [did], data=data, engine=engine)


def call(agent: str) -> dict[str, Any]:
    return {"tool_name": TOOLS.get(agent, "Bash"), "tool_input": INPUT}


def fate_of(outcome: Outcome) -> str:
    if outcome.halts:
        return "stopped"
    if outcome.blocked:
        return "denied"
    return "ran, then stopped" if outcome.stop_after else "ran"


@pytest.mark.parametrize(("agent", "fate", "wanted"), rows(BEFORE))
def test_before_a_tool_each_answer_has_the_fate_that_was_recorded(agent: str, fate: Fate, wanted: str) -> None:
    outcome = fired(agent, "tool.before", fate, call(agent))

    if wanted in ("changed", "unchanged"):
        assert fate_of(outcome) == "ran"
        assert outcome.changes == ({"input": REWRITTEN} if wanted == "changed" else {})
    else:
        assert fate_of(outcome) == wanted


@pytest.mark.parametrize(("agent", "fate", "wanted"), rows(AFTER))
def test_after_a_tool_the_model_sees_what_was_recorded(agent: str, fate: Fate, wanted: str) -> None:
    outcome = fired(agent, "tool.after", fate, {**call(agent), "tool_output": "done"})
    told = [(one.kind, one.text) for one in outcome.messages if one.to == "model"]

    assert ({"output": "no"} if wanted == "replaced" else {}) == outcome.changes
    if wanted == "replaced":  # where the model is told besides, a host leaves out what is the result by now
        assert told in ([], [("feedback", "no")])
    else:
        assert ({"beside": [("feedback", "no")], "context": [("context", "no")]}.get(wanted, [])) == told


@pytest.mark.parametrize(("agent", "fate", "wanted"), rows(PROMPT))
def test_at_a_prompt_the_fate_is_the_recorded_one(agent: str, fate: Fate, wanted: str) -> None:
    outcome = fired(agent, "prompt.submit", fate, {"prompt": "hi"}, stdout="" if fate.exit else "some text")
    told = [one.text for one in outcome.messages if one.to == "model" and one.kind == "context"]

    assert (["some text"] if wanted == "context" else []) == told
    assert ("denied" if wanted == "denied" else "ran") == fate_of(outcome)


@pytest.mark.parametrize("agent", STOP_CAPS)
def test_a_stop_can_be_refused_as_often_as_was_recorded(agent: str) -> None:
    """Where it has no end, twenty times stand for all: the engine itself would stop after eight."""
    engine = Engine(dialect=agent, **ALONE)
    engine.add("turn.stop", lambda event: {"decision": "block", "reason": "go on"})
    with engine.session() as session:
        session.prompt("hi")
        goes_on = [session.stop().goes_on for _ in range(20)]

    cap = STOP_CAPS[agent] or 20
    assert goes_on == [True] * cap + [False] * (20 - cap)
