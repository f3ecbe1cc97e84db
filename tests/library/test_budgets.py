"""library:time-budget and library:cost-budget: what a session has used is kept between calls."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tenterhook.library import time_budget
from tenterhook.library.parts import tokens
from tenterhook.testing import Fired, agents, each_dialect

from .conftest import Fire

TIME, COST = "time-budget", "cost-budget"


class Clock:
    """A time that goes on only when it is told to."""

    now = 1_000_000.0

    def time(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    import time

    made = Clock()
    monkeypatch.setattr(time, "time", made.time)
    return made


def spend(
    fire: Fire, clock: Clock, takes: float, command: str = "make", agent: str = "tenterhook", **options: Any
) -> Fired:
    """A command that takes so long, where it is let run."""
    call = {"agent": agent, "tool": "shell", "command": command, "options": options}
    before = fire(TIME, "tool.before", **call)
    clock.now += takes
    if before.ran:
        fire(TIME, "tool.after", **call, tool_output="done")
    return before


@each_dialect("tool.before")
def test_commands_are_refused_when_their_time_is_used_up(agent: str, fire: Fire, clock: Clock) -> None:
    turns = [spend(fire, clock, 40, agent=agent, seconds=100.0) for _ in range(4)]

    assert [one.ran for one in turns] == [True, True, True, False]
    assert "commands of this session took 120 s, of 100 s in all" in turns[3].reason


@each_dialect("tool.before")
def test_so_many_commands_and_no_more(agent: str, fire: Fire, clock: Clock) -> None:
    turns = [spend(fire, clock, 0, agent=agent, commands=2) for _ in range(3)]

    assert [one.ran for one in turns] == [True, True, False]


def test_time_between_commands_and_other_tools_do_not_count(fire: Fire, clock: Clock, folder: Path) -> None:
    spend(fire, clock, 60, seconds=100.0)
    clock.now += 5000
    read = fire(TIME, "tool.before", tool="read", file_path=str(folder / "a"), options={"seconds": 100.0})

    assert read.ran
    assert spend(fire, clock, 60, seconds=100.0).ran
    assert not spend(fire, clock, 60, seconds=100.0).ran


def test_a_new_session_has_a_new_budget(fire: Fire, clock: Clock) -> None:
    def ran(session: str) -> bool:
        options = {"commands": 1}
        return fire(
            TIME, "tool.before", agent="moai", session_id=session, tool="shell", command="x", options=options
        ).ran

    assert [ran("one"), ran("one"), ran("two")] == [True, False, True]


def test_commands_that_run_at_once_each_count_with_their_own_time() -> None:
    lines = [{"start": 0, "id": "a"}, {"start": 1, "id": "b"}, {"start": 2, "id": "a"}]
    lines += [{"end": 5, "id": "b"}, {"end": 6, "id": "a"}, {"end": 8, "id": "a"}, {"end": 9, "id": "c"}]

    assert time_budget.sum_elapsed_seconds(lines) == 4 + 6 + 6


@pytest.mark.parametrize(("then", "what"), [("ask", "asked"), ("stop", "stopped"), ("deny", "denied")])
def test_what_comes_then_is_an_option(fire: Fire, clock: Clock, then: str, what: str) -> None:
    spend(fire, clock, 40, seconds=30.0)

    assert getattr(spend(fire, clock, 0, seconds=30.0, then=then), what)


def test_wrong_options_refuse_and_say_why(fails: Fire, clock: Clock) -> None:
    assert "then may be deny, ask, stop; not 'warn'" in spend(fails, clock, 0, then="warn").reason
    assert "seconds must be a number above 0" in spend(fails, clock, 0, seconds=0.0).reason


def test_where_nothing_can_be_kept_commands_are_refused(fails: Fire, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "/dev/null/state")
    fired = fails(TIME, "tool.before", tool="shell", command="ls")

    assert fired.denied
    assert "without it nothing can be counted" in fired.reason


# ---- tokens

ANTHROPIC = {"input_tokens": 10, "cache_creation_input_tokens": 20, "cache_read_input_tokens": 300, "output_tokens": 5}
OPENAI = {"input_tokens": 330, "cached_input_tokens": 300, "output_tokens": 5, "total_tokens": 335}
CHAT = {"prompt_tokens": 30, "completion_tokens": 5}
GENAI = {"promptTokenCount": 330, "cachedContentTokenCount": 300, "candidatesTokenCount": 4, "thoughtsTokenCount": 1}
TRANSCRIPTS = {
    "a message for each line, some twice": [
        {"type": "user", "message": {"content": "tokens"}},
        {"type": "assistant", "message": {"id": "m1", "usage": {**ANTHROPIC, "output_tokens": 1}}},
        {"type": "assistant", "message": {"id": "m1", "usage": ANTHROPIC}},
    ],
    "sums": [
        {"payload": {"info": {"total_token_usage": CHAT, "last_token_usage": CHAT}}},
        {"payload": {"info": {"total_token_usage": OPENAI, "last_token_usage": CHAT}}},
    ],
    "one object": [{"messages": [{"id": "1", "tokens": {"input": 330, "cached": 300, "output": 4, "thoughts": 1}}]}],
    "metadata": [{"uuid": "1", "usageMetadata": GENAI}],
}


@pytest.mark.parametrize("form", TRANSCRIPTS)
def test_transcripts_of_several_agents_are_understood(form: str, tmp_path: Path) -> None:
    file = tmp_path / "transcript.jsonl"
    file.write_text(
        "\n".join(map(json.dumps, TRANSCRIPTS[form])) + ("" if form == "one object" else '\n{"usage": {"cut')
    )
    found = tokens.of_transcript(str(file))

    assert found
    assert (found.input, found.cached, found.output) == (30, 300, 5)


def test_what_is_no_transcript_tells_nothing(tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("")
    (tmp_path / "other").write_text('{"usage": {"disk": 7}}\n{"tokens": 3}\n')

    assert [tokens.of_transcript(str(tmp_path / name)) for name in ("none", "empty", "other", "")] == [None] * 4


@each_dialect("tool.before")
def test_tools_are_refused_when_the_tokens_are_used_up(agent: str, fire: Fire, tmp_path: Path) -> None:
    file = tmp_path / "transcript.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in TRANSCRIPTS["sums"]))

    def fired(**options: Any) -> Fired:
        call = {"tool": "shell", "command": "ls", "transcript_path": str(file)}
        return fire(COST, "tool.before", agent=agent, options=options, **call)

    prices = {"input_price": 10_000.0, "cached_price": 1000.0, "output_price": 20_000.0}
    assert fired(tokens=336).ran
    assert "has used 335 tokens, of 335 in all" in fired(tokens=335).reason
    assert fired(cost=0.71, **prices).ran
    assert "has cost 0.70, of 0.69 in all" in fired(cost=0.69, **prices).reason
    assert fired(tokens=1).denied


@each_dialect("model.after")
def test_model_calls_are_counted_where_the_agent_tells_of_them(agent: str, fire: Fire) -> None:
    options = {"tokens": 600}
    response = {"usageMetadata": GENAI, "candidates": []}
    ran = []
    for _ in range(3):
        fire(COST, "model.after", agent=agent, llm_response=response, token_usage=OPENAI, options=options)
        ran.append(fire(COST, "tool.before", agent=agent, tool="shell", command="ls", options=options).ran)

    assert ran == [True, False, False]


def test_a_stream_is_counted_once_at_its_end(fire: Fire) -> None:
    def piece(finish: str | None) -> dict[str, Any]:
        return {"candidates": [{"finishReason": finish}], "usageMetadata": GENAI}

    assert tokens.of_response({"llm_response": piece(None)}) is None
    assert tokens.of_response({"llm_response": piece("STOP")})
    assert tokens.of_response({"token_usage": OPENAI})


def test_an_agent_that_tells_of_no_tokens_is_said_to_once(fire: Fire) -> None:
    for agent in agents("tool.before"):
        call = {"agent": agent, "tool": "shell", "command": "ls", "transcript_path": "", "options": {"tokens": 5}}
        first, second = (fire(COST, "tool.before", **call) for _ in range(2))
        assert first.ran
        assert f"{agent} has told of no tokens yet" in first.everything
        assert "no tokens" not in second.everything


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({}, "there is no budget: set tokens=NUMBER"),
        ({"cost": 1.0}, "cost needs the prices"),
        ({"tokens": 5, "then": "warn"}, "then may be deny, ask, stop"),
    ],
)
def test_a_budget_that_is_none_refuses_and_says_why(fails: Fire, options: dict[str, Any], problem: str) -> None:
    fired = fails(COST, "tool.before", tool="shell", command="ls", options=options)

    assert fired.denied
    assert problem in fired.reason


def test_then_may_be_to_ask_or_to_stop(fire: Fire, tmp_path: Path) -> None:
    file = tmp_path / "transcript.jsonl"
    file.write_text(json.dumps(TRANSCRIPTS["sums"][1]))

    def then(word: str) -> Fired:
        options = {"tokens": 1, "then": word}
        return fire(COST, "tool.before", tool="shell", command="ls", transcript_path=str(file), options=options)

    assert then("ask").asked
    assert then("stop").stopped


@pytest.mark.parametrize(("option", "value"), [("seconds", float("nan")), ("seconds", -1.0), ("commands", -1)])
def test_a_budget_that_nothing_could_use_up_is_refused(option: str, value: float, fails: Fire) -> None:
    fired = fails("time-budget", "tool.before", tool="shell", command="ls", options={option: value})

    assert fired.denied
    assert f"{option} must be a number above 0, not {value:g}" in fired.reason
