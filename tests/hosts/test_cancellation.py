"""A host task that is cancelled, at any point: nothing left running, nothing applied by half."""

from __future__ import annotations

import asyncio
import random
import re
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from conftest import Project
from hosts.living import Told, running_in, soon, toml
from processes import linux, open_files
from tenterhook import Engine
from tenterhook.hosts.permission import PermissionRequest
from tenterhook.hosts.scheduler import ToolCall
from tenterhook.hosts.session import Session
from tenterhook.runtime.process import running

SEED = 17
POINTS = 100
EVENTS = [
    *("session.start", "session.end", "prompt.submit", "turn.stop", "agent.start", "agent.stop", "compact.before"),
    *("notify", "task.done", "permission.ask", "tool.before", "tool.after"),
    *("model.before", "model.after", "tools.select"),
]
HANDLERS = ["command", "thread", "async"]
CONTENT = "all of it\n" * 1000
# Waits for as long as it takes, in three generations, one of them in a session of its own.
COMMAND = """read -r stuck < stuck
if [ "$stuck" = "$TENTERHOOK_EVENT command" ]; then touch reached; sleep 30 & setsid sleep 30 & sleep 30; fi
echo '{"context": "c '$TENTERHOOK_EVENT'.", "feedback": "f '$TENTERHOOK_EVENT'.", "message": "u '$TENTERHOOK_EVENT'."}'
"""


class World:
    """A project whose every event has three hooks: a command, a function in a thread, a function on the loop.

    Each says something to the model and to the user. One place, a hook or a part of the host, may be stuck.
    """

    def __init__(self, project: Project) -> None:
        self.project = project
        project.script("hook.sh", COMMAND)
        toml(project, {"on": EVENTS, "command": "exec ./hook.sh"})
        self.engine: Engine = project.engine("tenterhook")
        for event in EVENTS:
            self.engine.add(event, self.blocking, timeout=5, name="thread")
            self.engine.add(event, self.awaiting, name="async")
        self.active = False
        self.free()

    def free(self) -> None:
        self.put("nowhere")

    def put(self, place: str) -> None:
        """From now on this is where it gets stuck."""
        self.place = place
        self.project.write("stuck", f"{place}\n")
        (self.project.root / "reached").unlink(missing_ok=True)

    def reached(self) -> bool:
        return self.project.has("reached")

    def blocking(self, event: Any) -> Any:
        if self.place == f"{event.event} thread":
            self.project.write("reached", "")
            time.sleep(0.3)  # nobody can end it
        return self.said(event.event)

    async def awaiting(self, event: Any) -> Any:
        await self.here(f"{event.event} async")
        more: dict[str, Any] = {}
        if event.event == "tools.select":
            more = {"tool_config": {"mode": "ANY", "allowedFunctionNames": ["Read"]}}
        if event.event == "turn.stop":
            self.active = event.stop_hook_active
            more = {} if self.active else {"decision": "deny", "reason": "once more"}
        return {**self.said(event.event), **more}

    def said(self, event: str) -> dict[str, Any]:
        return {"context": f"c {event}.", "feedback": f"f {event}.", "message": f"u {event}."}

    async def here(self, place: str) -> None:
        if self.place == place:
            self.project.write("reached", "")
            await asyncio.sleep(30)

    def here_in_a_thread(self, place: str) -> None:
        if self.place == place:
            self.project.write("reached", "")
            time.sleep(0.3)


class Life:
    """One session, and all that its host learns of it."""

    def __init__(self, world: World, number: int) -> None:
        self.world, self.number = world, number
        self.told = Told()
        self.session: Session = world.engine.session(tell=self.told, permission=self.ask)
        self.session.received(["seed 1.", "seed 2."])
        self.texts: list[str] = []
        self.continued = 0
        self.allowed: frozenset[str] | None = None
        self.closed = self.opened = 0
        self.answered = self.stopped = False

    # The host's own parts

    async def ask(self, request: PermissionRequest) -> bool:
        await self.world.here("ask")
        return True

    def ask_in_a_thread(self, request: PermissionRequest) -> bool:
        self.world.here_in_a_thread("ask in a thread")
        return True

    def file(self, name: str) -> Path:
        return self.world.project.root / f"{name}-{self.number}.txt"

    async def write(self, name: str) -> str:
        await self.world.here("tool")
        self.file(name).write_text(CONTENT)
        return "written"

    def write_in_a_thread(self, name: str) -> str:
        self.world.here_in_a_thread("tool in a thread")
        self.file(name).write_text(CONTENT)
        return "written"

    async def stream(self, **call: Any) -> AsyncIterator[Any]:
        await self.world.here("model")
        return self.chunks()

    async def chunks(self) -> AsyncIterator[Any]:
        self.opened += 1
        try:
            for n in range(5):
                if n == 3:
                    await self.world.here("chunk")
                await asyncio.sleep(0)
                yield {"text": f"{n}"}
            yield {"candidates": [{"finishReason": "STOP"}]}
        finally:
            self.closed += 1

    async def plain(self, **call: Any) -> Any:
        await self.world.here("call")
        return {"text": "hello", "candidates": [{"finishReason": "STOP"}]}

    # What it does

    async def prompting(self) -> None:
        self.texts.append((await self.session.aprompt("Hello.")).text)

    async def moments(self) -> None:
        await self.session.astart()
        await self.session.acompact()
        await self.session.anotify("idle", "x")
        await self.session.atask_done("1", "x")

    async def stopping(self) -> None:
        self.stopped = True
        while (stop := await self.session.astop()).goes_on:
            self.continued += 1
            self.texts.append(stop.text)
        self.continued = 0

    async def delegating(self) -> None:
        child = await self.session.aagent("look")
        self.texts.append(child.opening)
        await child.astop()

    async def tooling(self) -> None:
        await self.session.tool("Write", asks=True)(self.write)(name="one")
        await self.session.tool("Copy", asks=True, permission=self.ask_in_a_thread)(self.write_in_a_thread).arun(
            {"name": "two"}
        )

    async def permitting(self) -> None:
        await self.session.apermission("Bash", {"command": "ls"})

    async def scheduling(self) -> None:
        tools = [self.session.tool("Write")(self.write), self.session.tool("Copy")(self.write_in_a_thread)]
        calls = [ToolCall(name, {"name": f"{name}{n}"}) for name in ("Write", "Copy") for n in range(2)]
        await self.session.scheduler(tools, parallel=3).arun(calls)

    async def streaming(self) -> None:
        model = self.session.model(self.stream, format="plain", stream=True)
        reply = await model(messages=[{"role": "user", "content": "hi"}], tools=[{"name": "Read"}])
        self.allowed = frozenset(["Read"])
        async with reply:
            async for _ in reply:
                await self.world.here("between")
        self.answered = True

    async def calling(self) -> None:
        model = self.session.model(self.plain, format="plain")
        await model(messages=[{"role": "user", "content": "hi"}], tools=[{"name": "Read"}])
        self.allowed = frozenset(["Read"])

    async def ending(self) -> None:
        await self.session.aend()


def hooks(*events: str) -> list[str]:
    return [f"{event} {handler}" for event in events for handler in HANDLERS]


DOES: dict[Callable[[Life], Coroutine[Any, Any, None]], list[str]] = {
    Life.prompting: hooks("prompt.submit"),
    Life.moments: hooks("session.start", "compact.before", "notify", "task.done"),
    Life.stopping: hooks("turn.stop"),
    Life.delegating: hooks("agent.start", "agent.stop"),
    Life.tooling: [*hooks("tool.before", "permission.ask", "tool.after"), "ask", "ask in a thread", "tool"]
    + ["tool in a thread"],
    Life.permitting: [*hooks("permission.ask", "notify"), "ask"],
    Life.scheduling: [*hooks("tool.before", "tool.after"), "tool", "tool in a thread"],
    Life.streaming: [*hooks("model.before", "tools.select", "model.after"), "model", "chunk", "between"],
    Life.calling: [*hooks("model.before", "tools.select", "model.after"), "call"],
    Life.ending: hooks("session.end"),
}


def applied_whole(life: Life) -> None:
    """Of every event, what all its hooks said has reached its reader, or nothing of it has."""
    session = life.session
    entered = [*life.texts, *session.inbox]
    words = Counter(re.findall(r"[cf] [a-z]+\.[a-z]+\.", "\n".join(entered)))
    shown = Counter(re.findall(r"u [a-z]+\.[a-z]+\.", "\n".join(life.told)))
    assert {word: n for word, n in (words + shown).items() if n % 3} == {}
    for n in (1, 2):
        assert sum(text.count(f"seed {n}.") for text in entered) == 1
    assert session.allowed == life.allowed
    assert life.opened == life.closed


async def cancelled_at(life: Life, does: Any, wait: float, until: Callable[[], bool] | None = None) -> bool:
    """Whether it was still at work after so many seconds, counted from the place where it is stuck if there is one."""
    task = asyncio.create_task(does(life))
    async with asyncio.timeout(10):
        while until and not until():
            await asyncio.sleep(0.002)
    await asyncio.sleep(wait)
    task.cancel()
    [result] = await asyncio.gather(task, return_exceptions=True)
    assert result is None or isinstance(result, asyncio.CancelledError)
    return result is not None


@linux
def test_at_a_hundred_random_points_nothing_is_left_and_nothing_is_applied_by_half(project: Project) -> None:
    world, chance = World(project), random.Random(SEED)
    lives = [Life(world, n) for n in range(POINTS)]
    stuck = Counter[str]()

    async def host() -> None:
        world.put("notify thread")  # as many threads as ever are needed at once
        await asyncio.gather(*(Life(world, POINTS).session.anotify("a", "b") for _ in range(4)))
        world.free()
        for n, does in enumerate(DOES):
            await does(Life(world, POINTS + n))
        assert world.engine.abandoned == 0
        threads, files = threading.active_count(), open_files()
        turns = [(does, place) for does, places in DOES.items() for place in places]
        for life, (does, place) in zip(lives, chance.choices(turns, k=POINTS), strict=True):
            world.put(place)
            until = world.reached if chance.random() < 0.7 else None
            at_work = await cancelled_at(life, does, chance.uniform(0.0, 0.02 if until else 0.06), until)
            stuck[place] += at_work and world.reached()
            left = running_in(project.root)
            assert not left or soon(lambda: not running_in(project.root), 0.5), place
            applied_whole(life)
            assert threading.active_count() <= threads + world.engine.abandoned
        world.free()
        assert open_files() <= files
        await asyncio.sleep(0.35)  # those that could not be ended come to their own end
        for life in lives:
            applied_whole(life)
            for file in project.root.glob(f"*-{life.number}.txt"):
                assert file.read_text() == CONTENT
            if life.stopped:
                await life.session.astop()
                assert world.active is (life.continued > 0)
        assert threading.active_count() <= threads + world.engine.abandoned

    asyncio.run(host())

    assert sum(stuck.values()) >= POINTS // 2, stuck


@linux
@pytest.mark.parametrize(
    "place", sorted({place for places in DOES.values() for place in places if " command" in place})
)
def test_a_command_hook_is_ended_with_its_family_before_the_cancellation_goes_on(
    project: Project, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cancellation waits at most CANCEL_WAIT for the end of what it killed: that bound is not the subject here."""
    monkeypatch.setattr(running, "CANCEL_WAIT", 10.0)
    world = World(project)
    does = next(does for does, places in DOES.items() if place in places)
    life = Life(world, 0)

    async def host() -> list[int]:
        world.put(place)
        assert await cancelled_at(life, does, 0, world.reached)
        return running_in(project.root)

    assert asyncio.run(host()) == []
    applied_whole(life)


def test_what_comes_after_a_cancellation_works_as_before(project: Project) -> None:
    world = World(project)
    life = Life(world, 0)

    async def host() -> None:
        for does, place in ((Life.prompting, "prompt.submit async"), (Life.stopping, "turn.stop thread")):
            world.put(place)
            assert await cancelled_at(life, does, 0, world.reached)
        world.free()
        await life.prompting()
        await life.stopping()
        await life.ending()

    asyncio.run(host())

    prompt, stop = life.texts
    assert prompt.startswith("Hello.\n\nseed 1.\n\nseed 2.\n\n")
    assert prompt.count("c prompt.submit.") == 3
    assert "once more" in stop
    assert "Hooks kept" not in "".join(life.told)


def test_a_tool_whose_first_hooks_were_cancelled_has_not_run(project: Project) -> None:
    world = World(project)
    life = Life(world, 0)
    for handler in HANDLERS:
        world.put(f"tool.before {handler}")
        assert asyncio.run(cancelled_at(life, Life.tooling, 0, world.reached))
    time.sleep(0.35)

    assert not list(project.root.glob("*.txt"))


@pytest.mark.parametrize("place", ["chunk", "between"])
def test_a_stream_that_was_cancelled_is_closed_and_no_hook_is_told_of_it(project: Project, place: str) -> None:
    """While it waits for a chunk, or while the host does something with one."""
    world, seen = World(project), []
    world.engine.tap(lambda outcome: seen.append(outcome.event))
    life = Life(world, 0)
    world.put(place)

    assert asyncio.run(cancelled_at(life, Life.streaming, 0, world.reached))

    assert (life.opened, life.closed, life.answered) == (1, 1, False)
    assert seen == ["model.before", "tools.select"]


@pytest.mark.parametrize("place", ["model.before async", "tools.select command", "model.after thread", "call"])
def test_a_model_call_that_was_cancelled_leaves_the_tools_as_they_were(project: Project, place: str) -> None:
    world = World(project)
    one, two = Life(world, 1), Life(world, 2)
    two.session.narrow_tools(frozenset(["Grep"]))

    for life in (one, two):
        world.put(place)
        assert asyncio.run(cancelled_at(life, Life.calling, 0, world.reached))

    assert (one.session.allowed, two.session.allowed) == (None, frozenset(["Grep"]))


@pytest.mark.parametrize("place", ["permission.ask thread", "ask in a thread", "tool in a thread"])
def test_functions_that_cannot_be_ended_are_counted_and_their_threads_serve_again(project: Project, place: str) -> None:
    world = World(project)

    async def host() -> None:
        for n in range(3):
            world.put(place)
            assert await cancelled_at(Life(world, n), Life.tooling, 0, world.reached)
            assert world.engine.abandoned == n + 1
        world.free()
        await asyncio.sleep(0.4)
        before = threading.active_count()
        for n in range(3):
            await Life(world, n).tooling()
        assert threading.active_count() <= before

    asyncio.run(host())
    assert world.engine.abandoned == 3


@linux
def test_a_host_that_cancels_again_and_again_leaves_nothing_either(project: Project) -> None:
    world = World(project)
    world.put("tool.before command")
    life = Life(world, 0)

    async def host() -> None:
        task = asyncio.create_task(life.scheduling())
        async with asyncio.timeout(10):
            while not world.reached():
                await asyncio.sleep(0.002)
        while not task.done():
            task.cancel()
            await asyncio.sleep(0)

    asyncio.run(host())

    assert soon(lambda: not running_in(project.root), 1)
    applied_whole(life)


@linux
def test_an_end_that_is_cancelled_still_ends_what_runs_in_the_background(project: Project) -> None:
    toml(
        project,
        {"on": "notify", "command": "touch reached; sleep 30 & sleep 30", "background": True},
        {"on": "session.end", "command": "sleep 30"},
    )
    session = project.engine("tenterhook").session()

    async def host() -> None:
        await session.anotify("a", "b")
        async with asyncio.timeout(10):
            while not project.has("reached"):
                await asyncio.sleep(0.005)
        task = asyncio.create_task(session.aend())
        await asyncio.sleep(0.05)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert task.cancelled()

    asyncio.run(host())

    assert soon(lambda: not running_in(project.root), 1)


@linux
def test_a_host_that_times_out_inside_async_with_ends_its_session(project: Project) -> None:
    world = World(project)
    world.put("turn.stop command")
    seen: list[str] = []
    world.engine.tap(lambda outcome: seen.append(outcome.event))

    async def host() -> None:
        async with asyncio.timeout(1), world.engine.session(tell=Told()) as session:
            await session.astop()

    with pytest.raises(TimeoutError):
        asyncio.run(host())

    assert seen == ["session.start", "session.end"]
    assert not running_in(project.root)
