"""A session in our own dialect: every moment in both twins, permission, the stop guard."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest

from conftest import Project
from hosts.living import MOMENTS, Does, Told, bare, ids, refusing, toml, twins
from tenterhook.hosts.permission import Permission, PermissionRequest
from tenterhook.hosts.session import Session

KEEPING = [moment for moment in MOMENTS if moment[0] not in ("prompt", "agent")]


# Every moment


@twins
@pytest.mark.parametrize("moment", MOMENTS, ids=ids)
def test_every_moment_fires_its_event_with_the_fields_of_the_session(project: Project, does: Does, moment: Any) -> None:
    name, args, event, given = moment
    toml(project, {"on": event, "command": project.answers("hook")})
    session = project.engine("tenterhook").session(id="s-1", transcript="/t.jsonl", cwd="/work", agent_name="")

    does(session, name, *args)

    told = project.json("hook.json")
    assert {key: told[key] for key in given} == given
    assert (told["event"], told["session_id"], told["transcript_path"], told["cwd"]) == (
        event,
        "s-1",
        "/t.jsonl",
        "/work",
    )


@twins
@pytest.mark.parametrize("moment", KEEPING, ids=ids)
def test_what_a_moment_says_to_the_model_enters_once_as_user_input(project: Project, does: Does, moment: Any) -> None:
    name, args, event, _ = moment
    toml(project, {"on": event, "name": "rules", "command": project.answers("hook", {"context": "Be quick."})})
    session = project.engine("tenterhook").session()
    text = '<hook name="rules" kind="context">\nBe quick.\n</hook>'

    does(session, name, *args)
    assert does(session, "prompt", "Go.").text == f"Go.\n\n{text}"
    assert does(session, "prompt", "Go.").text == "Go."

    does(session, name, *args)
    assert session.pending() == [text]
    assert session.pending() == []


@twins
def test_each_moment_gives_its_outcome(does: Does) -> None:
    engine = bare()
    for event in ("session.start", "compact.before", "notify", "task.created"):
        engine.add(event, lambda event: {"decision": "deny", "reason": f"not {event.event}"})
    session = engine.session()

    assert does(session, "task_created", "1", "x").blocked
    assert does(session, "task_created", "1", "x").reason == "not task.created"
    for name, args in (("start", ()), ("compact", ()), ("notify", ("a", "b"))):
        outcome = does(session, name, *args)
        assert (outcome.decision, outcome.blocked) == ("deny", False), name


@pytest.mark.parametrize("dialect", ["tenterhook", "wave"])
def test_with_starts_and_ends_a_session_in_both_twins(project: Project, dialect: str) -> None:
    engine, seen = project.engine(dialect), []
    engine.tap(lambda outcome: seen.append(outcome.event))
    events = ["session.start", "session.end"] if dialect == "tenterhook" else []

    with engine.session() as session:
        assert isinstance(session, Session)
    assert seen == events

    async def host() -> None:
        async with engine.session() as session:
            assert isinstance(session, Session)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        asyncio.run(host())
    assert seen == events * 2


@twins
def test_a_prompt_goes_in_with_what_hooks_add_after_what_was_pending(does: Does) -> None:
    engine = bare()
    engine.add("session.start", lambda event: {"context": "early"}, name="a")
    engine.add("prompt.submit", lambda event: {"context": "late"}, name="b")
    session = engine.session()
    does(session, "start")

    prompt = does(session, "prompt", "Words.")

    assert prompt.text == (
        'Words.\n\n<hook name="a" kind="context">\nearly\n</hook>\n\n<hook name="b" kind="context">\nlate\n</hook>'
    )
    assert (prompt.blocked, prompt.stop, prompt.reason) == (False, False, "")


@twins
def test_a_blocked_prompt_is_erased_and_what_was_pending_waits_for_the_next(project: Project, does: Does) -> None:
    guard = "grep -q secret && { echo 'No secrets.' >&2; exit 2; }; echo 'plain context'"
    toml(
        project,
        {"on": "session.start", "command": "echo 'Tests are in tests/.'"},
        {"on": "prompt.submit", "name": "guard", "command": guard},
    )
    told = Told()
    session = project.engine("tenterhook").session(tell=told)
    does(session, "start")

    blocked = does(session, "prompt", "my secret")

    assert (blocked.text, blocked.blocked, blocked.reason) == ("", True, "No secrets.")
    assert told == ["[hook guard] No secrets."]
    prompt = does(session, "prompt", "something else")
    assert "Tests are in tests/." in prompt.text
    assert "plain context" in prompt.text
    assert "secret" not in prompt.text.lower()


@twins
def test_the_context_beside_a_block_goes_to_the_log_alone(does: Does, caplog: pytest.LogCaptureFixture) -> None:
    engine = bare()
    engine.add("prompt.submit", lambda event: {"context": "for an erased prompt"})
    engine.add("prompt.submit", lambda event: {"decision": "deny", "reason": "no"})
    session = engine.session(tell=Told())

    with caplog.at_level(logging.INFO, "tenterhook.session"):
        does(session, "prompt", "x")

    assert session.pending() == []
    assert "for an erased prompt" in caplog.text


@twins
def test_a_stop_on_a_prompt_is_not_a_block_and_the_user_is_told_why(does: Does) -> None:
    engine, told = bare(), Told()
    engine.add("prompt.submit", lambda event: {"stop": True, "stop_reason": "out of budget"}, name="budget")
    session = engine.session(tell=told)

    prompt = does(session, "prompt", "more")

    assert (prompt.stop, prompt.blocked, prompt.text, prompt.reason) == (True, False, "", "out of budget")
    assert told == ["[hook budget] out of budget"]


# Permission


@twins
@pytest.mark.parametrize(
    ("answer", "said", "allowed", "asked"),
    [
        (None, True, True, True),
        (None, "allow", True, True),
        (None, False, False, True),
        (None, "deny", False, True),
        (None, None, False, True),
        (None, "yes", False, True),
        ({"decision": "allow"}, False, True, False),
        ({"decision": "deny", "reason": "never"}, True, False, False),
        ({"stop": True, "stop_reason": "over"}, True, False, False),
        ({"decision": "ask"}, True, True, True),
        ({"input": {"command": "ls -a"}}, True, True, True),
    ],
)
def test_hooks_answer_for_the_user_or_the_user_is_asked(
    does: Does, answer: Any, said: Any, allowed: bool, asked: bool
) -> None:
    engine, requests = bare(), []
    engine.add("permission.ask", lambda event: answer)

    def ask(request: PermissionRequest) -> Any:
        requests.append(request)
        return said

    permission = does(engine.session(permission=ask), "permission", "Bash", {"command": "ls"}, "a hook asks")

    assert permission.allowed is allowed
    assert bool(requests) is asked
    command = "ls -a" if answer and "input" in answer else "ls"
    by_hook = bool(answer) and answer.get("decision") == "ask"
    wanted = PermissionRequest("Bash", {"command": command}, "a hook asks", by_hook=by_hook)
    assert all(one == wanted for one in requests)
    assert permission.input == ({"command": "ls -a"} if command == "ls -a" else None)


@twins
def test_with_nobody_to_ask_the_answer_is_no_and_says_so(does: Does) -> None:
    answer = does(bare().session(), "permission", "Bash", {})

    assert not answer.allowed
    assert "no way to ask" in answer.reason


@twins
def test_a_way_to_ask_that_fails_is_a_no_and_the_log_hears_why(does: Does, caplog: pytest.LogCaptureFixture) -> None:
    def ask(request: PermissionRequest) -> bool:
        raise ConnectionError("the window is closed")

    answer = does(bare().session(permission=ask), "permission", "Bash", {})

    assert (answer.allowed, answer.reason) == (False, "permission could not be asked for")
    assert "the window is closed" in caplog.text


def test_an_async_way_to_ask_is_awaited_on_the_loop() -> None:
    async def ask(request: PermissionRequest) -> Permission:
        await asyncio.sleep(0)
        return Permission(True, "sure", {"command": "pwd"})

    answer = asyncio.run(bare().session(permission=ask).apermission("Bash", {"command": "ls"}))

    assert (answer.allowed, answer.reason, answer.input) == (True, "sure", {"command": "pwd"})


@twins
def test_a_question_is_notified_and_a_no_is_told_to_hooks_whose_words_reach_the_model(
    project: Project, does: Does
) -> None:
    toml(
        project,
        {"on": "notify", "match": "permission_prompt", "command": project.answers("bell")},
        {"on": "permission.denied", "name": "audit", "command": project.answers("audit", {"feedback": "Ask later."})},
    )
    session = project.engine("tenterhook").session(permission=lambda request: Permission(False, "not today"))

    does(session, "permission", "Bash", {"command": "rm x"})

    assert project.json("bell.json")["message"] == "Bash needs permission"
    assert project.json("audit.json")["reason"] == "not today"
    assert session.pending() == ['<hook name="audit" kind="feedback">\nAsk later.\n</hook>']


# The stop guard


@twins
def test_an_agent_goes_on_eight_times_in_a_row_and_then_stops_and_the_user_is_told(does: Does) -> None:
    engine, active = refusing()
    told = Told()
    session = engine.session(tell=told)

    turns = [does(session, "stop") for _ in range(9)]

    assert [turn.goes_on for turn in turns] == [True] * 8 + [False]
    assert {turn.text for turn in turns[:8]} == {'<hook name="gate" kind="reason">\ntests fail\n</hook>'}
    assert turns[8].text == ""
    assert active == [False] + [True] * 8
    assert told == ["Hooks kept the agent from stopping 8 times in a row; it stops now all the same."]


@twins
@pytest.mark.parametrize("limit", [0, 1, 3, 20])
def test_the_limit_can_be_set(does: Does, limit: int) -> None:
    engine, _ = refusing()
    told = Told()
    session = engine.session(stop_limit=limit, tell=told)

    turns = [does(session, "stop").goes_on for _ in range(limit + 1)]

    assert turns == [True] * limit + [False]
    assert len(told) == 1
    assert f" {limit} times" in told[0]


@twins
@pytest.mark.parametrize("words", ["next", "blocked"])
def test_the_next_prompt_starts_the_count_anew(does: Does, words: str) -> None:
    engine, active = refusing()
    engine.add("prompt.submit", lambda event: {"decision": "deny"} if event.prompt == "blocked" else None)
    session = engine.session(tell=Told())
    for _ in range(8):
        assert does(session, "stop").goes_on

    does(session, "prompt", words)

    assert does(session, "stop").goes_on
    assert active[-1] is False
    assert [does(session, "stop").goes_on for _ in range(8)] == [True] * 7 + [False]


@twins
def test_an_agent_that_was_let_go_starts_the_count_anew(does: Does) -> None:
    engine, answers = bare(), iter([{"decision": "deny"}, None] * 20)
    engine.add("turn.stop", lambda event: next(answers))
    told = Told()
    session = engine.session(tell=told, stop_limit=2)

    assert [does(session, "stop").goes_on for _ in range(12)] == [True, False] * 6
    assert told == []


@twins
def test_a_stop_outranks_a_refusal_to_stop(does: Does) -> None:
    engine = bare()
    engine.add("turn.stop", lambda event: {"decision": "deny", "reason": "go on", "stop": True, "stop_reason": "no"})

    turn = does(engine.session(tell=Told()), "stop")

    assert (turn.goes_on, turn.stop, turn.text) == (False, True, "")


@twins
def test_a_teammate_is_kept_from_idling_in_the_same_way(does: Does) -> None:
    engine, _ = refusing()
    told = Told()
    session = engine.session(tell=told)

    turns = [does(session, "idle", "two tasks left") for _ in range(9)]

    assert [turn.goes_on for turn in turns] == [True] * 8 + [False]
    assert "tests fail" in turns[0].text
    assert len(told) == 1


@twins
def test_a_teammate_that_may_stop_but_never_idle_comes_to_an_end_too(does: Does) -> None:
    """A host asks both, one after the other; that the one lets go must not start the other's count anew."""
    engine = bare()
    engine.add("teammate.idle", lambda event: {"decision": "deny", "reason": "more work"})
    told = Told()
    session = engine.session(tell=told)

    turns = 0
    while turns < 50 and (does(session, "stop").goes_on or does(session, "idle").goes_on):
        turns += 1

    assert turns == 8
    assert len(told) == 1


@twins
def test_an_agent_of_which_the_user_was_told_that_it_stops_is_not_kept_from_idling(does: Does) -> None:
    engine, _ = refusing()
    told = Told()
    session = engine.session(tell=told)

    turns = 0
    while turns < 50 and (does(session, "stop").goes_on or does(session, "idle").goes_on):
        turns += 1

    assert turns == 8
    assert len(told) == 1
    does(session, "prompt", "next")
    assert does(session, "idle").goes_on


@twins
def test_what_is_pending_goes_with_the_reason_to_go_on(does: Does) -> None:
    engine, _ = refusing()
    engine.add("compact.after", lambda event: {"context": "compacted"}, name="notes")
    session = engine.session()
    does(session, "compacted")

    assert does(session, "stop").text.split("\n\n") == [
        '<hook name="gate" kind="reason">\ntests fail\n</hook>',
        '<hook name="notes" kind="context">\ncompacted\n</hook>',
    ]
    assert session.pending() == []


@twins
def test_words_beside_a_stop_that_is_let_go_wait_for_the_next_prompt(does: Does) -> None:
    engine = bare()
    engine.add("turn.stop", lambda event: {"context": "The build is green."}, name="ci")
    session = engine.session()

    assert does(session, "stop").text == ""
    assert does(session, "prompt", "And now?").text.endswith("The build is green.\n</hook>")


@pytest.mark.parametrize("moment", ["prompt", "stop", "idle"])
def test_a_stop_hook_that_uses_the_session_cannot_start_the_count_anew(moment: str) -> None:
    engine = bare()
    session = engine.session(tell=Told())

    def never(event: Any) -> Any:
        getattr(session, moment)(*(["again"] if moment == "prompt" else []))
        return {"decision": "deny", "reason": "go on"}

    engine.add("turn.stop", never)
    turns = 0
    while turns < 50 and session.stop().goes_on:
        turns += 1

    assert turns == 8
