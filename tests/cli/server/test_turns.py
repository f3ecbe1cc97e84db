"""Functions in a client's own thread: one that is late is gone on without, by another thread."""

from __future__ import annotations

import json
import subprocess
import threading
import time
from typing import Any

import pytest

from conftest import Project
from tenterhook.cli.server.event_thread import Watchdog, WatchedCall
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


def asking(served: Served) -> subprocess.Popen[bytes]:
    """A client that waits for its answer."""
    child = served.popen("fire", "tool.before", "--trust", "--mode", "faithful")
    assert child.stdin
    child.stdin.write(EVENT)
    child.stdin.close()
    child.stdin = None
    return child


def both(served: Served, *words: str) -> list[Any]:
    """Without a server, and by one."""
    alone = plain(served.run("fire", "tool.before", *words, stdin=EVENT, served=False))
    if not served.servers:
        served.start()
    return [alone, plain(served.run("fire", "tool.before", *words, stdin=EVENT))]


PAIR = """
[[hook]]
on = "tool.before"
type = "python"
function = "one.denies"

[[hook]]
on = "tool.before"
type = "python"
function = "two.late"
timeout = 0.2
"""


@pytest.mark.parametrize("mode", ["strict", "faithful"])
def test_a_refusal_beside_one_that_is_late_is_not_lost(mode: str, served: Served, project: Project) -> None:
    """One was modified since it was approved, so that the other one is all that runs of its batch."""
    project.write("tenterhook.toml", PAIR)
    project.write("one.py", "def denies(event):\n    return {'decision': 'deny', 'reason': 'no'}\n")
    project.write("two.py", "import time\n\ndef late(event):\n    time.sleep(1)\n")
    assert served.run("trust", "--yes", served=False).returncode == 0
    project.write("one.py", "def denies(event):\n    return None  # changed\n")
    alone, done = both(served, "--mode", mode)

    assert done == alone
    assert (done[1]["decision"], [one["error"] for one in done[1]["attempts"]]) == ("ask", ["modified", "timeout"])


def test_one_that_cannot_be_told_in_words_fails_and_is_over(served: Served, project: Project) -> None:
    """The hook after it runs once, and nobody comes back to the event when its time would be up."""
    project.write("tenterhook.toml", HOOK.format("odd") + "timeout = 0.4\n" + HOOK.format("second"))
    text = "class Odd(BaseException):\n    def __str__(self):\n        return self.missing\n"
    text += "\ndef odd(event):\n    raise Odd\n"
    text += "\ndef second(event):\n    with open('ran', 'a') as file:\n        file.write('x')\n"
    project.write("guard.py", text)
    alone, done = both(served, "--trust", "--mode", "faithful")

    assert done == alone
    assert done[1]["attempts"][0]["detail"] == "Odd: its message cannot be read"
    time.sleep(0.8)
    assert (project.root / "ran").read_text() == "xx"
    assert len(served.workers()) == 1


def test_a_client_that_goes_while_a_function_is_late_is_missed_by_nobody(served: Served, project: Project) -> None:
    hooked(project, "late", "thread")
    served.start()
    child = asking(served)
    until(lambda: served.requests() == 1)
    child.kill()
    child.communicate(timeout=LONG)

    until(lambda: not served.workers(), "the worker ends")
    assert served.run("fire", "tool.before", stdin=b"{}").returncode == 0


def test_a_function_runs_on_though_its_client_has_gone(served: Served, project: Project) -> None:
    """With the programs that it runs by our own means."""
    project.write("tenterhook.toml", HOOK.format("runs") + "timeout = 20\n")
    text = "import os\nfrom tenterhook.runtime.process import Program, run\n\n"
    text += "def runs(event):\n    open('begun', 'w').close()\n"
    text += "    done = run(Program(('/bin/sleep', '0.5'), b'', dict(os.environ), '/', None))\n"
    project.write("guard.py", text + "    with open('said', 'w') as file:\n        file.write(str(done.exit_code))\n")
    served.start()
    child = asking(served)
    until((project.root / "begun").exists)
    child.kill()
    child.communicate(timeout=LONG)

    said = project.root / "said"
    assert until(lambda: said.exists() and said.read_text()) == "0"


def test_a_worker_that_is_told_to_end_waits_for_whoever_goes_on(served: Served, project: Project) -> None:
    hooked(project, "late", "thread")
    served.start()
    child = asking(served)
    until(lambda: served.requests() == 1)
    assert served.run("serve", "--stop").returncode == 0
    out, said = child.communicate(timeout=LONG)

    assert child.returncode == 2, said
    assert [one["error"] for one in json.loads(out)["attempts"]] == ["timeout", None]


SECRET = """
import os, time

def slow(event):
    before = os.umask(0o077)
    open("begun", "w").close()
    time.sleep(0.5)
    os.close(os.open("secret", os.O_CREAT | os.O_WRONLY, 0o666))
    os.umask(before)

def quick(event):
    return None
"""


def test_the_umask_of_a_function_at_work_is_not_touched(raw: Raw, project: Project) -> None:
    entry = '[[hook]]\non = "tool.before"\nmatch = "{0}"\ntype = "python"\nfunction = "guard.{0}"\n'
    project.write("tenterhook.toml", entry.format("slow") + entry.format("quick"))
    project.write("guard.py", SECRET)
    thread = threading.Thread(
        target=raw.ask, args=("tool.before", "--trust"), kwargs={"stdin": b'{"tool_name": "slow"}'}
    )
    thread.start()
    until((project.root / "begun").exists)
    for _ in range(3):
        raw.ask("tool.before", "--trust", stdin=b'{"tool_name": "quick"}')
    thread.join()

    assert (project.root / "secret").stat().st_mode & 0o777 == 0o600


# The clock


class Said(list[WatchedCall]):
    """Who was overtaken."""


def job() -> Job:
    hook = Hook(name="a", event="tool.before", handler="python", spec={}, source=Source("here"))
    return Job(hook, None, "/", 1.0, 1.0)  # type: ignore[arg-type]


def ticking() -> tuple[Watchdog, Said]:
    said = Said()
    clock = Watchdog(said.append)
    clock.start()
    return clock, said


def begun(clock: Watchdog, seconds: float) -> WatchedCall:
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
    kept: list[WatchedCall] = []

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
