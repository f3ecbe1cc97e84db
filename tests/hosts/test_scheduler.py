"""Several tool calls of one reply at once: their states, the order of their results, what ends them early."""

import asyncio
import functools
import logging
import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from conftest import Project
from processes import lives, within
from tenterhook import Engine, UsageError
from tenterhook.hosts.permission import PermissionRequest
from tenterhook.hosts.result import ToolError, ToolResult
from tenterhook.hosts.scheduler import CANCELLED, STOPPED, Progress, Scheduler, ToolCall


class Watched(Scheduler):
    """A scheduler whose every state and publication is kept, in the order in which they came."""

    def __init__(self, *tools: Any, **options: Any) -> None:
        self.log: list[tuple[str, str]] = []
        super().__init__(tools, changed=self.on_change, publish=self.on_publish, **options)

    def on_change(self, one: Progress) -> None:
        self.log.append((one.call.id, one.state))

    def on_publish(self, call: ToolCall, result: ToolResult) -> None:
        self.log.append((call.id, "published"))

    def states(self, id: str) -> list[str]:
        return [state for one, state in self.log if one == id]

    def published(self) -> list[str]:
        return [id for id, state in self.log if state == "published"]


def calls(*names: str, **input: Any) -> list[ToolCall]:
    """Calls with the ids "1", "2", ..."""
    return [ToolCall(name, input, str(n)) for n, name in enumerate(names, 1)]


def kinds(results: list[ToolResult]) -> list[str]:
    return [result.error.type if result.error else "" for result in results]


def contents(results: list[ToolResult]) -> list[Any]:
    return [result.llm_content for result in results]


def listening(engine: Engine, event: str) -> list[Any]:
    seen: list[Any] = []
    engine.add(event, seen.append)
    return seen


async def until(true: Any) -> None:
    for _ in range(500):
        if true():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it did not come to that")


def sleeper(engine: Engine, name: str, seconds: float) -> Any:
    @engine.tool(name)
    async def sleeps() -> str:
        await asyncio.sleep(seconds)
        return name

    return sleeps


# States


def test_an_ordinary_call_is_validated_executed_and_published(engine: Engine) -> None:
    scheduler = Watched(engine.tool("t")(lambda n: n))

    results = scheduler.run([ToolCall("t", {"n": 5}, "1")])

    assert contents(results) == ["5"]
    assert scheduler.states("1") == ["validating", "executing", "success", "published"]
    assert scheduler.calls == []


ENDS: dict[str, tuple[dict[str, Any], str, str]] = {
    "deny": ({"decision": "deny", "reason": "no"}, "blocked", "idle"),
    "stop": ({"stop": True, "stop_reason": "over"}, "stopped", "idle"),
    "wrong input": ({"input": {"n": "many"}}, "invalid_input", "error"),
}


@pytest.mark.req("HOOK-129", "HOOK-130", "HOOK-204")
@pytest.mark.parametrize("end", ENDS)
def test_what_a_hook_refuses_ends_from_executing_is_published_and_never_tried_again(engine: Engine, end: str) -> None:
    answer, kind, state = ENDS[end]
    fired: list[Any] = []
    engine.add("tool.before", lambda data: fired.append(data["tool_input"]) or answer)
    runs: list[int] = []

    def run(n: int) -> None:
        runs.append(n)

    scheduler = Watched(engine.tool("t")(run))

    results = scheduler.run([ToolCall("t", {"n": 1}, "1")])

    assert scheduler.states("1") == ["validating", "executing", state, "published"]
    assert (kinds(results), runs) == ([kind], [])
    changed = [answer["input"]] if "input" in answer else []  # what was changed is judged once more
    assert fired == [{"n": 1}, *changed]


@pytest.mark.parametrize(("says", "end"), [(True, "success"), (False, "cancelled")])
def test_a_call_that_needs_permission_awaits_it_and_the_others_go_on(engine: Engine, says: bool, end: str) -> None:
    order: list[str] = []

    async def ask(request: PermissionRequest) -> bool:
        await until(lambda: "other" in order)
        order.append("asked")
        return says

    asking = engine.tool("asking", asks=True, permission=ask)(lambda: order.append("asking"))
    scheduler = Watched(asking, engine.tool("other")(lambda: order.append("other")))

    results = scheduler.run(calls("asking", "other"))

    states = ["validating", "executing", "awaiting_approval", "executing", end, "published"]
    assert scheduler.states("1") == states
    assert order == ["other", "asked", *(["asking"] if says else [])]
    assert kinds(results) == ["" if says else "refused", ""]
    assert scheduler.published() == ["1", "2"]


def test_what_is_wrong_with_a_call_is_its_own_result_and_no_hook_is_fired(engine: Engine) -> None:
    seen = listening(engine, "tool.before")

    def write(path: str) -> str:
        return path

    scheduler = Watched(engine.tool("write")(write))

    results = scheduler.run([*calls("wriet", "write", paht="a"), ToolCall("write", {"path": "a"}, "3")])

    assert kinds(results) == ["unknown_tool", "invalid_input", ""]
    assert results[0].llm_content.startswith("there is no tool 'wriet'")
    assert "write" in results[0].llm_content
    assert (scheduler.states("1")[-2:], scheduler.states("2")) == (
        ["error", "published"],
        ["validating", "error", "published"],
    )
    assert [data["tool_input"] for data in seen] == [{"path": "a"}]


@pytest.mark.parametrize("failure", [ValueError("odd"), SystemExit(3), asyncio.CancelledError("by itself")])
@pytest.mark.parametrize("kind", ["def", "async def"])
def test_a_tool_that_fails_fails_alone(engine: Engine, failure: BaseException, kind: str) -> None:
    seen = listening(engine, "tool.failed")

    def fails() -> None:
        raise failure

    async def afails() -> None:
        raise failure

    scheduler = Watched(engine.tool("fails")(fails if kind == "def" else afails), sleeper(engine, "fine", 0.02))

    results = scheduler.run(calls("fails", "fine", "fails"))

    assert kinds(results) == ["failed", "", "failed"]
    assert [data["is_interrupt"] for data in seen] == [False, False]
    assert scheduler.states("1")[-2:] == ["error", "published"]
    assert scheduler.published() == ["1", "2", "3"]


def test_a_result_with_an_error_of_its_own_ends_as_an_error(engine: Engine) -> None:
    own = ToolResult("partly", error=ToolError("timed out", "network"))
    scheduler = Watched(engine.tool("t")(lambda: own))

    assert kinds(scheduler.run(calls("t"))) == ["network"]
    assert scheduler.states("1")[-2:] == ["error", "published"]


def test_no_calls_no_results(engine: Engine) -> None:
    assert Watched().run([]) == []


# Order and number


def test_results_come_in_the_order_of_the_calls_although_later_ones_are_done_first(engine: Engine) -> None:
    @engine.tool("after")
    async def after(id: str) -> str:
        await until(lambda: not id or (id, "success") in scheduler.log)
        return f"after {id}"

    scheduler = Watched(after)
    results = scheduler.run([ToolCall("after", {"id": id}, str(n)) for n, id in ((1, "2"), (2, "3"), (3, ""))])

    assert contents(results) == ["after 2", "after 3", "after "]
    done = [id for id, state in scheduler.log if state == "success"]
    assert (done, scheduler.published()) == (["3", "2", "1"], ["1", "2", "3"])


def test_a_result_is_published_as_soon_as_those_before_it_are(engine: Engine) -> None:
    @engine.tool("slow")
    async def slow() -> None:
        await until(lambda: ("1", "published") in scheduler.log)

    scheduler = Watched(sleeper(engine, "quick", 0), slow)

    assert kinds(scheduler.run(calls("quick", "slow"))) == ["", ""]


@pytest.mark.parametrize(("parallel", "most"), [(1, 1), (3, 3), (0, 1), (100, 12)])
@pytest.mark.parametrize("kind", ["def", "async def"])
def test_so_many_calls_run_at_once_and_no_more(engine: Engine, kind: str, parallel: int, most: int) -> None:
    lock, now, peak = threading.Lock(), 0, 0
    late = time.monotonic() + 5

    def entered(step: int) -> bool:
        """Whether as many are here as may be."""
        nonlocal now, peak
        with lock:
            now += step
            peak = max(peak, now)
            return peak >= most or time.monotonic() > late

    def plain() -> None:
        entered(1)
        while not entered(0):
            time.sleep(0.001)
        time.sleep(0.005)
        entered(-1)

    async def waits() -> None:
        entered(1)
        while not entered(0):
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.005)
        entered(-1)

    scheduler = Watched(engine.tool("t")(plain if kind == "def" else waits), parallel=parallel)

    assert kinds(scheduler.run(calls(*["t"] * 12))) == [""] * 12
    assert peak == most
    assert scheduler.published() == [str(n) for n in range(1, 13)]


def test_tools_that_are_not_async_run_in_threads_at_the_same_time(engine: Engine) -> None:
    together = threading.Barrier(3, timeout=5)
    tool = engine.tool("t")(lambda: together.wait() >= 0)

    assert contents(Scheduler([tool]).run(calls("t", "t", "t"))) == ["true"] * 3


def test_run_is_for_threads_without_a_loop(engine: Engine) -> None:
    scheduler = Scheduler([engine.tool("t")(lambda: "done")])

    async def host() -> None:
        with pytest.raises(UsageError, match="await arun"):
            scheduler.run(calls("t"))
        assert contents(await scheduler.arun(calls("t"))) == ["done"]

    asyncio.run(host())


def test_one_scheduler_may_be_at_several_replies_at_once(engine: Engine) -> None:
    scheduler = Watched(sleeper(engine, "slow", 0.05), sleeper(engine, "quick", 0))

    async def host() -> list[list[ToolResult]]:
        return list(await asyncio.gather(scheduler.arun(calls("slow")), scheduler.arun(calls("quick", "quick"))))

    first, second = asyncio.run(host())
    assert (contents(first), contents(second), scheduler.calls) == (["slow"], ["quick", "quick"], [])


# Stop and cancel


@pytest.mark.parametrize("when", ["tool.before", "tool.after"])
def test_a_stop_cancels_the_calls_that_have_not_begun(engine: Engine, when: str) -> None:
    engine.add(when, lambda data: {"stop": True, "stop_reason": "over"}, match="last")
    runs: list[str] = []
    tools = [engine.tool(name)(functools.partial(runs.append, name)) for name in ("first", "last", "never")]
    failed = listening(engine, "tool.failed")
    scheduler = Watched(*tools, parallel=1)

    results = scheduler.run(calls("first", "last", "never", "never"))

    assert runs == ["first", *(["last"] if when == "tool.after" else [])]
    assert [result.stop for result in results] == [False, True, False, False]
    assert kinds(results)[2:] == ["cancelled", "cancelled"]
    assert contents(results)[2:] == [STOPPED, STOPPED]
    assert (scheduler.states("3"), failed) == (["cancelled", "published"], [])
    assert scheduler.published() == ["1", "2", "3", "4"]


def test_a_stop_lets_calls_that_run_already_come_to_their_end(engine: Engine) -> None:
    engine.add("tool.before", lambda data: {"stop": True, "stop_reason": "over"}, match="last")
    scheduler = Watched(sleeper(engine, "slow", 0.05), engine.tool("last")(lambda: None))

    assert kinds(scheduler.run(calls("slow", "last"))) == ["", "stopped"]


@pytest.mark.parametrize("kind", ["def", "async def"])
def test_a_running_call_that_the_user_takes_back_is_told_to_hooks_as_interrupted(engine: Engine, kind: str) -> None:
    answers = listening(engine, "tool.failed")
    engine.add("tool.before", lambda data: {"input": {"n": 2}}, match="long")
    begun, release = threading.Event(), threading.Event()
    ended: list[str] = []

    def plain(n: int) -> None:
        begun.set()
        release.wait(5)

    async def waits(n: int) -> None:
        begun.set()
        try:
            await asyncio.sleep(30)
        finally:
            ended.append("ended")

    scheduler = Watched(engine.tool("long")(plain if kind == "def" else waits), sleeper(engine, "fine", 0.01))

    async def host() -> list[ToolResult]:
        task = asyncio.ensure_future(scheduler.arun([ToolCall("long", {"n": 1}, "1"), *calls("", "fine")[1:]]))
        await until(begun.is_set)
        assert scheduler.cancel("1", "the user pressed Esc")
        assert not scheduler.cancel("1")
        assert not scheduler.cancel("no such call")
        return await task

    before = engine.abandoned
    results = asyncio.run(host())
    release.set()

    assert (kinds(results), results[0].llm_content) == (["cancelled", ""], "the user pressed Esc")
    assert [(data["tool_name"], data["error"], data["is_interrupt"], data["tool_use_id"]) for data in answers] == [
        ("long", "the user pressed Esc", True, "1")
    ]
    assert answers[0]["tool_input"] == {"n": 2}
    assert scheduler.states("1") == ["validating", "executing", "cancelled", "published"]
    assert (engine.abandoned - before, ended) == ((1, []) if kind == "def" else (0, ["ended"]))


def test_a_call_that_waits_for_its_turn_is_taken_back_without_a_failure(engine: Engine) -> None:
    failed, begun = listening(engine, "tool.failed"), listening(engine, "tool.before")
    scheduler = Watched(sleeper(engine, "slow", 0.05), sleeper(engine, "never", 0), parallel=1)

    async def host() -> list[ToolResult]:
        task = asyncio.ensure_future(scheduler.arun(calls("slow", "never", "never")))
        await until(lambda: begun)
        assert scheduler.cancel("2")
        return await task

    results = asyncio.run(host())

    assert (kinds(results), results[1].llm_content) == (["", "cancelled", ""], CANCELLED)
    assert (failed, [data["tool_name"] for data in begun]) == ([], ["slow", "never"])
    assert scheduler.published() == ["1", "2", "3"]


def test_a_call_that_awaits_approval_is_taken_back_and_the_tool_never_runs(engine: Engine) -> None:
    failed, runs = listening(engine, "tool.failed"), []

    async def ask(request: PermissionRequest) -> bool:
        await asyncio.sleep(30)
        return True

    scheduler = Watched(engine.tool("t", asks=True, permission=ask)(lambda: runs.append(1)))

    async def host() -> list[ToolResult]:
        task = asyncio.ensure_future(scheduler.arun(calls("t")))
        await until(lambda: ("1", "awaiting_approval") in scheduler.log)
        assert scheduler.cancel("1")
        return await task

    assert kinds(asyncio.run(host())) == ["cancelled"]
    assert (failed, runs) == ([], [])
    assert scheduler.states("1")[-3:] == ["awaiting_approval", "cancelled", "published"]


def test_a_call_that_is_taken_back_is_over_at_once_although_its_result_waits_for_its_place(engine: Engine) -> None:
    failed = listening(engine, "tool.failed")

    @engine.tool("first")
    async def first() -> None:
        await until(lambda: ("2", "executing") in scheduler.log)
        await asyncio.sleep(0.02)
        assert scheduler.cancel("2")
        await until(lambda: ("2", "cancelled") in scheduler.log)

    scheduler = Watched(first, sleeper(engine, "long", 30))

    assert kinds(scheduler.run(calls("first", "long"))) == ["", "cancelled"]
    assert [data["tool_name"] for data in failed] == ["long"]
    assert scheduler.published() == ["1", "2"]


def test_a_call_that_is_done_cannot_be_taken_back(engine: Engine) -> None:
    taken: list[bool] = []

    @engine.tool("second")
    async def second() -> None:
        await until(lambda: ("1", "success") in scheduler.log)
        taken.append(scheduler.cancel("1"))

    scheduler = Watched(sleeper(engine, "first", 0), second)

    assert kinds(scheduler.run(calls("first", "second"))) == ["", ""]
    assert taken == [False]


@pytest.mark.parametrize("reason", ["", "not now"])
def test_a_call_is_taken_back_with_or_without_a_reason(engine: Engine, reason: str) -> None:
    @engine.tool("first")
    async def first() -> None:
        await until(lambda: ("2", "executing") in scheduler.log)
        assert scheduler.cancel("2", reason)

    scheduler = Watched(first, sleeper(engine, "long", 30))

    results = scheduler.run(calls("first", "long"))

    assert (kinds(results), results[1].llm_content) == (["", "cancelled"], reason or CANCELLED)


def test_cancelling_right_after_the_start_cancels_what_has_not_begun(engine: Engine) -> None:
    runs: list[str] = []
    scheduler = Watched(engine.tool("t")(lambda: runs.append("t")))

    async def host() -> list[ToolResult]:
        task = asyncio.ensure_future(scheduler.arun(calls("t", "t")))
        await asyncio.sleep(0)
        assert scheduler.cancel("2")
        return await task

    assert kinds(asyncio.run(host())) == ["", "cancelled"]
    assert runs == ["t"]


def test_cancelling_the_whole_leaves_no_process_no_task_and_nothing_published(project: Project) -> None:
    for name in ("one", "two"):
        project.script(name, f"echo $$ > {name}.pid\nexec sleep 30\n")
    project.write(
        "tenterhook.toml",
        "[[hook]]\non = 'tool.before'\nmatch = 'hooked'\ncommand = './one'\n"
        "[[hook]]\non = 'tool.after'\nmatch = 'done'\ncommand = './two'\n",
    )
    engine = project.engine("tenterhook")
    runs: list[str] = []
    failed = listening(engine, "tool.failed")
    scheduler = Watched(
        engine.tool("hooked")(lambda: runs.append("hooked")),
        engine.tool("done")(lambda: runs.append("done")),
        sleeper(engine, "long", 30),
    )

    def pid(name: str) -> int:
        path = Path(project.root / f"{name}.pid")
        return int(path.read_text() or 0) if path.exists() else 0

    async def host() -> None:
        task = asyncio.ensure_future(scheduler.arun(calls("hooked", "done", "long")))
        await until(lambda: pid("one") and pid("two"))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(host())

    assert within(2, lambda: not lives(pid("one")) and not lives(pid("two")))
    assert (scheduler.published(), scheduler.calls, runs, failed) == ([], [], ["done"], [])


# Callbacks


def test_callbacks_that_raise_are_logged_and_the_calls_go_on(engine: Engine, caplog: pytest.LogCaptureFixture) -> None:
    def broken(*what: Any) -> None:
        raise ValueError("no screen")

    scheduler = Scheduler([engine.tool("t")(lambda: "done")], changed=broken, publish=broken)

    with caplog.at_level(logging.ERROR, "tenterhook.scheduler"):
        assert contents(scheduler.run(calls("t", "t"))) == ["done", "done"]
    assert len(caplog.records) == 2 * (3 + 1)
    assert all(record.exc_info for record in caplog.records)


def test_a_session_makes_a_scheduler_whose_feedback_goes_into_its_conversation(engine: Engine) -> None:
    engine.add("tool.after", lambda data: {"feedback": f"seen {data['tool_output']}"})
    session = engine.session()
    scheduler = session.scheduler([session.tool("t")(lambda n: n)])

    results = scheduler.run([ToolCall("t", {"n": n}, str(n)) for n in range(3)])

    assert contents(results) == ["0", "1", "2"]
    assert sorted(text.splitlines()[1] for text in session.pending()) == ["seen 0", "seen 1", "seen 2"]


def test_the_programs_of_hooks_for_many_calls_run_at_once(project: Project) -> None:
    """Each of them waits until all are there."""
    here = '"$(ls here.* | wc -l)"'
    wait = f"n=0\nwhile [ {here} -lt 3 ] && [ $n -lt 500 ]; do sleep 0.01; n=$((n+1)); done\n"
    project.script("gather", f'touch "here.$$"\n{wait}[ {here} -ge 3 ]\n')
    project.write("tenterhook.toml", "[[hook]]\non = 'tool.before'\ncommand = './gather'\n")
    engine = project.engine("tenterhook")

    results = Scheduler([engine.tool("t")(lambda: os.getpid())]).run(calls("t", "t", "t"))

    assert contents(results) == [str(os.getpid())] * 3
