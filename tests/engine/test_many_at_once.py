"""Many events at once: so many processes over the whole engine, first come, first served, and nothing hangs."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Project
from processes import in_a_host, within
from tenterhook import Engine, Outcome
from tenterhook.runtime.process import Completed, Program, Reactor
from tenterhook.runtime.process.pool import Pool, QueuedBatch
from tenterhook.runtime.process.slots import ProcessSemaphore

# Notes how many of its kind run beside it, itself included.
COUNTED = 'mkdir -p running; own=$(mktemp running/XXXXXX); ls running | wc -l; sleep 0.01; rm "$own"\n'
SUPERVISORS = ["auto", "off"] if sys.platform == "linux" else ["off"]


def hooked(project: Project, *commands: str, **options: object) -> Engine:
    entries = (f'[[hook]]\non = "tool.before"\ncommand = "{command}"\n' for command in commands)
    project.write("tenterhook.toml", "\n".join(entries))
    if options.get("supervisor") == "off":  # which would confine them; not everybody has another way
        options["sandbox"] = "off"
    return project.engine("tenterhook", **options)


def in_threads(count: int, function: Callable[[int], object]) -> None:
    threads = [threading.Thread(target=function, args=(n,)) for n in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def fired(engine: Engine, name: str = "Bash") -> Outcome:
    return engine.fire("tool.before", tool_name=name, tool_input={})


def said(outcomes: list[Outcome]) -> list[int]:
    attempts = [attempt for outcome in outcomes for attempt in outcome.attempts]
    assert {(one.exit_code, one.error) for one in attempts} == {(0, None)}
    return [int(attempt.stdout) for attempt in attempts]


@pytest.mark.parametrize("supervisor", SUPERVISORS)
def test_threads_and_loops_together_never_run_more_than_the_engine_may(project: Project, supervisor: str) -> None:
    engine = hooked(project, project.script("counted", COUNTED), parallel=3, supervisor=supervisor)
    outcomes: list[Outcome] = []

    async def all_of_them() -> None:
        given = {"tool_name": "Bash", "tool_input": {}}
        outcomes.extend(await asyncio.gather(*(engine.afire("tool.before", **given) for _ in range(20))))

    loop = threading.Thread(target=asyncio.run, args=(all_of_them(),))
    loop.start()
    in_threads(20, lambda n: outcomes.append(fired(engine)))
    loop.join()

    assert len(outcomes) == 40
    assert max(said(outcomes)) <= 3


def test_an_event_with_more_hooks_than_slots_comes_to_its_end(project: Project) -> None:
    command = project.script("counted", COUNTED)
    engine = hooked(project, *(f"{command} {n}" for n in range(9)), parallel=2)
    outcomes: list[Outcome] = []
    in_threads(4, lambda n: outcomes.append(fired(engine)))

    assert len(said(outcomes)) == 36
    assert max(said(outcomes)) <= 2


def test_no_thread_is_added_for_an_event_that_waits(project: Project) -> None:
    project.script("held", "touch held; while [ ! -e go ]; do sleep 0.01; done\n")
    engine = hooked(project, "./held", parallel=1)
    outcomes: list[Outcome] = []

    async def all_of_them() -> None:
        given = {"tool_name": "Bash", "tool_input": {}}
        events = [asyncio.ensure_future(engine.afire("tool.before", **given)) for _ in range(50)]
        while not project.has("held"):
            await asyncio.sleep(0.01)
        assert threading.active_count() <= before + 1
        project.write("go", "")
        outcomes.extend(await asyncio.gather(*events))

    before = threading.active_count()
    asyncio.run(all_of_them())

    assert [outcome.attempts[0].exit_code for outcome in outcomes] == [0] * 50


def program(text: str, **options: object) -> Program:
    usual = {"stdin": b"", "env": dict(os.environ), "cwd": "/", "timeout": 60.0}
    return Program(("/bin/sh", "-c", text), **{**usual, **options})  # type: ignore[arg-type]


def test_first_come_first_served_whoever_waits(tmp_path: Path) -> None:
    """One seat: threads and loops take turns in the order in which they came."""
    pool = Pool(1, "off")
    first = pool.start([program(f"while [ ! -e {tmp_path}/go ]; do sleep 0.01; done")])
    texts = [f"echo {n} >> {tmp_path}/order" for n in range(12)]
    queued = []
    for n, text in enumerate(texts):
        if n % 2:
            pool.submit(program(text), id)
        else:
            queued.append(pool.start([program(text)]))
    assert all(isinstance(one, QueuedBatch) for one in queued)
    (tmp_path / "go").touch()
    first.wait()
    for one in queued:
        one.wait()
    assert within(30, lambda: (tmp_path / "order").read_text().split() == [str(n) for n in range(12)])
    pool.close()


def test_cancelled_in_line_it_never_starts_and_the_others_go_on(tmp_path: Path) -> None:
    pool = Pool(1, "off")
    got: list[Completed] = []
    first = pool.start([program(f"while [ ! -e {tmp_path}/go ]; do sleep 0.01; done")])
    tickets = [pool.submit(program(f"touch {tmp_path}/{n}"), got.append) for n in range(5)]
    for n in (0, 2, 4):
        tickets[n].cancel()
    assert within(30, lambda: len(got) == 3)
    assert {one.error for one in got} == {"cancelled"}
    (tmp_path / "go").touch()
    first.wait()

    assert within(30, lambda: len(got) == 5)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1", "3", "go"]
    assert within(30, lambda: pool.semaphore.free == 1)
    pool.close()


def test_close_ends_what_loops_wait_for_and_leaves_threads_theirs(tmp_path: Path) -> None:
    pool = Pool(1, "off")
    got: list[Completed] = []
    first = pool.start([program(f"while [ ! -e {tmp_path}/go ]; do sleep 0.01; done; exit 3")])
    mine = pool.start([program("exit 4"), program("exit 5")])
    pool.submit(program("exit 6"), got.append)
    pool.close()
    assert [one.error for one in got] == ["cancelled"]
    (tmp_path / "go").touch()

    assert [one.exit_code for one in (*first.wait(), *mine.wait())] == [3, 4, 5]


def test_a_fire_from_the_thread_that_serves_them_all_does_not_wait_for_itself(project: Project) -> None:
    """A tap hears of a hook in the background there, and may fire."""
    pool = Pool(1, "off")
    got: list[list[Completed]] = []
    second = threading.Event()

    def done(completed: Completed) -> None:
        got.append(pool.start([program("exit 7")]).wait())

    pool.submit(program("exit 0"), done)
    pool.submit(program("exit 0"), lambda completed: second.set())

    assert second.wait(30)
    assert [one.exit_code for one in got[0]] == [7]
    pool.close()


def test_a_host_without_threads_to_spare_runs_them_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(self: Reactor) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(Reactor, "start_thread", none)
    pool = Pool(1, "off")

    assert [one.exit_code for one in pool.start([program("exit 1"), program("exit 2")]).wait()] == [1, 2]
    assert pool.semaphore.free == 1


def test_what_a_thread_took_is_given_back_whatever_happens() -> None:
    semaphore = ProcessSemaphore(4)
    held = semaphore.take(3)
    assert held is not None
    assert (semaphore.take(2), semaphore.free) == (None, 1)
    held.give()
    held.give_rest()
    held.give()

    assert (semaphore.free, semaphore.takers) == (4, 0)


INTERRUPTED = """
from tenterhook.runtime.process.pool import Pool
pool = Pool(1, "off")
first = pool.start([sh("sleep 60")])
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
try: pool.start([sh("sleep 61"), sh("sleep 62")]).wait()
except KeyboardInterrupt: print("interrupted", len(pool.semaphore.queue))
first.end_all()
print(pool.semaphore.free)
"""

FORKED = """
from tenterhook.runtime.process.pool import Pool
pool = Pool(1, "off")
first = pool.start([sh("sleep 1; exit 3")])
waits = pool.start([sh("exit 4")])
if os.fork() == 0:
    done = [*pool.start([sh("exit 5")]).wait(), *pool.start([sh("exit 6"), sh("exit 7")]).wait()]
    os._exit(sum(one.exit_code for one in done))
print(os.waitstatus_to_exitcode(os.wait()[1]), first.wait()[0].exit_code, waits.wait()[0].exit_code)
"""


def test_an_interrupt_while_it_waits_ends_what_is_its_own() -> None:
    assert in_a_host(INTERRUPTED) == "interrupted 0\n1\n"


def test_in_a_fork_all_slots_are_free_and_the_parents_hooks_are_the_parents() -> None:
    assert in_a_host(FORKED) == "18 3 4\n"
