"""Functions in a client's own thread: one that is late is gone on without, by another thread."""

from __future__ import annotations

import json
import threading
import time
from typing import Any

import pytest

from conftest import Project
from tenterhook.serve.turns import Clock, Watched
from tenterhook.types import Hook, Job, Source

from .served import LONG, Raw, Served, plain, until

HOOK = '[[hook]]\non = "tool.before"\nsequential = true\ntype = "python"\nname = "{0}"\nfunction = "guard.{0}"\n'
GUARD = f"""
import sys, threading, time

def late(event):
    time.sleep({LONG * 10})

def a_little_late(event):
    time.sleep(0.35)
    print("never heard")
    return {{"decision": "deny", "reason": "never counted"}}

def thread(event):
    print("said by the last one", file=sys.stderr)
    return {{"decision": "deny", "reason": threading.current_thread().name}}

def interrupts(event):
    raise KeyboardInterrupt

def exits(event):
    sys.exit("on purpose")
"""
EVENT = b'{"tool_name": "Bash"}'


def outcome(raw: Raw) -> dict[str, Any]:
    _, text = raw.ask("tool.before", "--trust", "--mode", "faithful", stdin=EVENT)
    found: dict[str, Any] = json.loads(text[1:])
    return found


def hooked(project: Project, *names: str) -> None:
    entries = [HOOK.format(name) + ("timeout = 0.2\n" if "late" in name else "") for name in names]
    project.write("tenterhook.toml", "\n".join(entries))
    project.write("guard.py", GUARD)


def test_a_function_runs_in_its_clients_thread(raw: Raw, project: Project) -> None:
    hooked(project, "thread")

    assert outcome(raw)["reason"] == "tenterhook client"


@pytest.mark.parametrize("names", [("late", "thread"), ("a_little_late", "late", "thread")])
def test_after_functions_that_are_late_the_others_have_their_say(
    names: tuple[str, ...], served: Served, project: Project
) -> None:
    """The same as without a server: which hooks failed, what the last one said, and where that was printed."""
    hooked(project, *names)
    words = ("fire", "tool.before", "--trust", "--mode", "faithful")
    alone = served.run(*words, stdin=EVENT, served=False)
    served.start()
    done = served.run(*words, stdin=EVENT)
    found = json.loads(done.stdout)

    assert [one["error"] for one in found["attempts"]] == ["timeout"] * (len(names) - 1) + [None]
    assert (done.returncode, found["decision"], found["reason"]) == (2, "deny", "tenterhook client")
    assert b"said by the last one" in done.stderr
    assert plain(done)[2] == plain(alone)[2]
    expected = json.loads(alone.stdout)["attempts"]
    for one, other in zip(found["attempts"], expected, strict=True):
        assert (one["hook"], one["error"], one["detail"]) == (other["hook"], other["error"], other["detail"])
    assert served.requests() == 1
    until(lambda: not served.workers(), "the worker ends")


def test_one_that_comes_back_too_late_changes_nothing_and_the_next_client_is_served(
    raw: Raw, project: Project, served: Served
) -> None:
    hooked(project, "a_little_late")
    found = outcome(raw)
    assert (found["decision"], found["attempts"][0]["error"]) == ("none", "timeout")

    for _ in range(3):  # by new workers, while the first one's thread comes back
        found = outcome(raw)
        assert (found["decision"], found["attempts"][0]["error"]) == ("none", "timeout")
    until(lambda: not served.workers(), "the workers end")


@pytest.mark.parametrize(
    ("name", "detail"), [("interrupts", "KeyboardInterrupt: "), ("exits", "SystemExit: on purpose")]
)
def test_one_that_raises_anything_fails_alone(name: str, detail: str, raw: Raw, project: Project) -> None:
    hooked(project, name)
    for _ in range(2):
        [attempt] = outcome(raw)["attempts"]

        assert (attempt["error"], attempt["detail"]) == ("exception", detail)


# The clock


class Said(list[Watched]):
    """Who was overtaken."""


def job() -> Job:
    hook = Hook(name="a", event="tool.before", handler="python", spec={}, source=Source("here"))
    return Job(hook, None, "/", 1.0, 1.0)  # type: ignore[arg-type]


def ticking() -> tuple[Clock, Said]:
    said = Said()
    clock = Clock(said.append)
    clock.start()
    return clock, said


def begun(clock: Clock, seconds: float) -> Watched:
    return clock.begin(None, job(), seconds)  # type: ignore[arg-type]


def test_a_call_that_ends_in_time_is_nobody_elses() -> None:
    clock, said = ticking()
    calls = [begun(clock, 60.0) for _ in range(100)]

    assert all(clock.end(one) for one in calls)
    assert (said, clock.calls) == ([], set())


def test_the_one_that_is_late_is_overtaken_once_whenever_it_began() -> None:
    clock, said = ticking()
    patient = begun(clock, 60.0)
    hasty = begun(clock, 0.05)
    until(lambda: said)

    assert said == [hasty]
    assert not clock.end(hasty)
    assert clock.end(patient)
    assert hasty.thread is threading.current_thread()


def test_the_clock_is_set_anew_for_who_comes_after_a_rest() -> None:
    clock, said = ticking()
    assert clock.end(begun(clock, 0.05))
    time.sleep(0.2)
    assert (said, clock.next) == ([], float("inf"))

    late = begun(clock, 0.05)
    until(lambda: said)
    assert said == [late]


def test_many_threads_race_with_the_clock_and_each_call_has_one_end() -> None:
    clock, said = ticking()
    kept: list[Watched] = []

    def calls() -> None:
        for n in range(50):
            one = begun(clock, 0.004)
            time.sleep(0.002 if n % 2 else 0.006)
            if clock.end(one):
                kept.append(one)

    threads = [threading.Thread(target=calls) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    until(lambda: len(kept) + len(said) == 400)

    assert not set(kept) & set(said)
    assert clock.calls == set()
