"""Subagents of a session, and several sessions, threads and tasks at once."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

from conftest import Project
from hosts.living import Does, Told, bare, hasty, refusing, toml, twins

# Subagents


@twins
def test_every_event_of_a_subagent_names_it_and_its_parent(project: Project, does: Does) -> None:
    events = ["agent.start", "prompt.submit", "tool.before", "permission.ask", "task.done", "notify", "agent.stop"]
    keep = "cat > $TENTERHOOK_EVENT.json"
    toml(project, {"on": events, "command": keep})
    session = project.engine("tenterhook").session(id="s", transcript="/t", permission=lambda request: True)
    child = does(session, "agent", "look", agent_type="reviewer", agent_name="Rita", id="r-1")

    does(child, "prompt", "deeper")
    child.tool("Read")(lambda: "text")()
    does(child, "permission", "Bash", {})
    does(child, "task_done", "1", "x")
    does(child, "stop")

    for event in events:
        told = project.json(f"{event}.json")
        assert {key: told.get(key) for key in ("agent_id", "agent_type", "agent_name", "parent_agent_id")} == {
            "agent_id": "r-1",
            "agent_type": "reviewer",
            "agent_name": "Rita",
            "parent_agent_id": "",
        }, event
        assert (told["session_id"], told["transcript_path"]) == ("s", "/t"), event


@twins
def test_the_main_agent_has_no_parent(project: Project, does: Does) -> None:
    toml(project, {"on": "notify", "command": project.answers("hook")})
    does(project.engine("tenterhook").session(), "notify", "a", "b")

    assert "parent_agent_id" not in project.json("hook.json")


@twins
def test_context_for_a_subagent_stands_in_its_opening_prompt_and_nowhere_else(project: Project, does: Does) -> None:
    said = {"context": "Read only.", "message": "started"}
    entry = {"on": "agent.start", "match": "reviewer", "name": "h", "command": project.answers("h", said)}
    toml(project, entry)
    told = Told()
    session = project.engine("tenterhook").session(tell=told)

    child = does(session, "agent", "Review it.", agent_type="reviewer")
    other = does(session, "agent", "Write it.", agent_type="writer")

    assert child.opening == 'Review it.\n\n<hook name="h" kind="context">\nRead only.\n</hook>'
    assert other.opening == "Write it."
    assert child.outcome.messages[0].text == "Read only."
    assert told == ["[hook h] started"]
    assert (session.pending(), child.pending(), other.pending()) == ([], [], [])


@twins
def test_subagents_have_ids_of_their_own_down_to_the_last(does: Does) -> None:
    session = bare().session()

    one = does(session, "agent")
    two = does(session, "agent")
    inner = does(one, "agent")

    assert len({one.agent_id, two.agent_id, inner.agent_id, ""}) == 4
    assert (one.opening, inner.parent, inner.id) == ("", one, session.id)


@twins
def test_a_nested_subagent_is_told_apart_from_its_parent(does: Does) -> None:
    engine, seen = bare(), []
    engine.add("agent.start", lambda event: seen.append(dict(event)))
    engine.add("agent.stop", lambda event: seen.append(dict(event)))
    session = engine.session()

    outer = does(session, "agent", "a", agent_type="planner", agent_name="Paula")
    inner = does(outer, "agent", "b")
    does(inner, "stop")

    keys = ("agent_id", "parent_agent_id", "agent_type", "agent_name")
    assert [tuple(one.get(key, "") for key in keys) for one in seen] == [
        (outer.agent_id, "", "planner", "Paula"),
        (inner.agent_id, outer.agent_id, "", ""),
        (inner.agent_id, outer.agent_id, "", ""),
    ]


@twins
def test_each_subagent_has_a_stop_guard_of_its_own(does: Does) -> None:
    engine, active = refusing()
    told = Told()
    session = engine.session(tell=told, stop_limit=2)
    one, two = does(session, "agent"), does(session, "agent")
    inner = does(one, "agent")

    for agent in (one, inner, session, two):
        assert [does(agent, "stop").goes_on for _ in range(3)] == [True, True, False]
    assert active == [False, True, True] * 4
    assert len(told) == 4


@twins
def test_a_subagent_stops_with_its_own_event(does: Does) -> None:
    engine, seen = bare(), []
    engine.tap(lambda outcome: seen.append(outcome.event))
    child = does(engine.session(), "agent")

    does(child, "stop")

    assert seen == ["agent.start", "agent.stop"]


@twins
def test_what_is_said_to_a_subagent_stays_with_it(does: Does) -> None:
    engine = bare()
    engine.add("notify", lambda event: {"context": event.message})
    session = engine.session()
    child = does(session, "agent")

    does(child, "notify", "t", "for the child")
    does(session, "notify", "t", "for the main agent")

    assert ["for the child" in text for text in child.pending()] == [True]
    assert ["for the main agent" in text for text in session.pending()] == [True]


@twins
def test_what_a_subagent_leaves_goes_past_those_above_it_that_have_ended(does: Does) -> None:
    engine = bare()
    engine.add("agent.stop", lambda event: {"context": f"of {event.agent_id}"})
    session = engine.session()
    outer = does(session, "agent", id="outer")
    middle = does(outer, "agent", id="middle")
    inner = does(middle, "agent", id="inner")

    for agent in (middle, inner):
        does(agent, "stop")
    assert ["of middle" in text or "of inner" in text for text in outer.pending()] == [True, True]
    assert session.pending() == []


def test_a_subagent_as_a_block_neither_starts_nor_ends_a_session() -> None:
    engine, seen = bare(), []
    engine.tap(lambda outcome: seen.append(outcome.event))

    with engine.session().agent("look"):
        pass

    assert not {"session.start", "session.end"} & set(seen)


# Several at once


def test_two_sessions_on_one_engine_know_nothing_of_each_other() -> None:
    engine, active = refusing()
    engine.add("session.start", lambda event: {"context": event.session_id, "message": event.session_id})
    users = Told(), Told()
    one, two = (engine.session(tell=user, stop_limit=2) for user in users)
    assert one.id != two.id

    for session in (one, two):
        session.start()
    assert [one.stop().goes_on, two.stop().goes_on, one.stop().goes_on, one.stop().goes_on] == [True, True, True, False]

    assert two.stop().goes_on
    assert active == [False, False, True, True, True]
    assert [len(user) for user in users] == [2, 1]
    assert (users[1][0].endswith(two.id), one.id in json.dumps(users[1])) == (True, False)


def at_once(*functions: Callable[[], object]) -> None:
    """In threads that take turns as often as they can."""
    gate = threading.Barrier(len(functions))

    def run(function: Callable[[], object]) -> None:
        gate.wait()
        function()

    threads = [threading.Thread(target=run, args=(function,)) for function in functions]
    with hasty():
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def noting(function: Callable[[], object], failed: list[Any]) -> None:
    try:
        function()
    except Exception as exc:
        failed.append(exc)


def test_sessions_made_in_many_threads_at_once_have_ids_of_their_own() -> None:
    for _ in range(200):
        engine, made = bare(), []

        at_once(*[lambda made=made, engine=engine: made.append(engine.session())] * 4)

        assert len({session.id for session in made}) == 4
        assert all(engine.keepers[session.id] is session.background for session in made)


def test_texts_that_come_while_others_are_taken_are_given_exactly_once() -> None:
    engine = bare()
    engine.add("notify", lambda event: {"context": event.message})
    session, taken, over = engine.session(), [], threading.Event()

    def take() -> None:
        while not over.is_set():
            taken.extend(session.pending())

    def say(first: int) -> None:
        for n in range(first, first + 250):
            session.notify("t", f"text {n}.")

    failed: list[Any] = []
    takers = [threading.Thread(target=noting, args=(take, failed)) for _ in range(2)]
    for taker in takers:
        taker.start()
    at_once(*(partial(say, first) for first in range(0, 1000, 250)))
    over.set()
    for taker in takers:
        taker.join()
    assert failed == []
    taken += session.pending()

    assert sorted(int(text.split("text ")[1].split(".")[0]) for text in taken) == list(range(1000))


def test_many_tasks_share_one_session_on_a_loop() -> None:
    engine = bare()

    @engine.on("notify")
    async def slow(event: Any) -> Any:
        await asyncio.sleep(0.001)
        return {"context": event.message}

    session = engine.session()

    async def host() -> None:
        await asyncio.gather(*(session.anotify("t", f"{n}") for n in range(50)))

    asyncio.run(host())

    assert len(set(session.pending())) == 50
