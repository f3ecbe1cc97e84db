"""`tenter run` through the server: the same reply as without it, and no refusal lost when the server dies."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tenterhook import dialects
from tenterhook.engine.simulate import Did, simulate

from .served import Done, Served

GUARD = """\
import os, time
from tenterhook import hook


@hook("tool.before", match="shell")
def guard(event, wait=0.0):
    with open("ran", "a") as file:
        file.write(event.raw["tool_use_id"] + "\\n")
    time.sleep(wait)
    if "rm" in event.command:
        return hook.deny("not this")
    return hook.context(f"{event.agent} in {os.getcwd()}")
"""


def event(command: str, number: str = "") -> bytes:
    base = {"session_id": "s", "transcript_path": "/t", "hook_event_name": "PreToolUse", "tool_name": "Bash"}
    data: dict[str, Any] = {**base, "tool_input": {"command": command}, "tool_use_id": number or os.urandom(6).hex()}
    return json.dumps(data).encode()


def call(served: Served, command: str, *words: str, number: str = "", **options: Any) -> Done:
    return served.run("run", *words, "--agent", "claude", stdin=event(command, number), **options)


def is_refused(done: Done) -> bool:
    did = Did(exit_code=done.returncode, stdout=done.stdout.decode(), stderr=done.stderr.decode())
    return simulate(dialects.get("claude"), "PreToolUse", [did]).blocked


@pytest.fixture
def guarded(served: Served) -> Served:
    root = served.project.root
    (root / "guard.py").write_text(GUARD)
    (root / "tenterhook.toml").write_text('[[hook]]\nuse = "guard.py"\n')
    assert served.run("trust", "--yes").returncode == 0
    return served


def facts(done: Done) -> tuple[int, bytes, bytes]:
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("words", "given"),
    [
        (("--agent", "claude"), event("ls")),
        (("--agent", "claude"), event("rm x")),
        (("--agent", "claude"), b"{}"),
        (("--agent", "claude"), b"nonsense"),
        (("--agent", "nobody"), event("ls")),
        (("--agent", "claude", "--bogus"), event("ls")),
        (("--agent", "claude", "missing.py"), event("ls")),
    ],
)
def test_the_reply_is_the_same_with_and_without_a_server(guarded: Served, words: tuple[str, ...], given: bytes) -> None:
    guarded.start()
    with_server = guarded.run("run", *words, stdin=given)
    again = guarded.run("run", *words, stdin=given.replace(b'"tool_use_id": "', b'"tool_use_id": "2'))
    without = guarded.run("run", *words, stdin=given.replace(b'"tool_use_id": "', b'"tool_use_id": "3'), served=False)

    assert facts(with_server) == facts(again) == facts(without)
    assert guarded.requests() == 2


def test_an_engine_is_kept_and_a_changed_hook_is_noticed(guarded: Served) -> None:
    guarded.start()
    first = call(guarded, "rm x")
    (guarded.project.root / "guard.py").write_text(GUARD.replace("not this", "something else"))
    changed = call(guarded, "rm x")
    guarded.run("trust", "--yes")
    approved = call(guarded, "rm x")

    assert b"not this" in first.stdout
    assert b"modified since it was approved" in changed.stdout
    assert b"something else" in approved.stdout
    assert len(guarded.workers()) == 1


@pytest.mark.parametrize("locale", ["C.UTF-8", "C", ""])
def test_the_first_call_starts_a_server_that_the_next_one_uses(guarded: Served, locale: str) -> None:
    """Also where no locale is set, as in a container."""
    guarded.environ = {name: value for name, value in guarded.environ.items() if not name.startswith(("LANG", "LC_"))}
    guarded.environ |= {"LANG": locale} if locale else {}
    assert is_refused(call(guarded, "rm x"))
    until = time.monotonic() + 30
    while not guarded.status()["running"]:
        assert time.monotonic() < until
        time.sleep(0.05)
    try:
        assert is_refused(call(guarded, "rm x"))
        assert guarded.requests() == 1
    finally:
        assert guarded.run("serve", "--stop").returncode == 0


def test_a_setting_keeps_the_server_from_starting_by_itself(guarded: Served) -> None:
    folder = Path(guarded.environ["HOME"], ".config", "tenterhook")
    folder.mkdir(parents=True)
    (folder / "tenterhook.toml").write_text("[serve]\nauto = false\n")
    assert is_refused(call(guarded, "rm x"))

    time.sleep(0.5)
    assert not guarded.status()["running"]


def test_a_wrong_setting_says_where(guarded: Served) -> None:
    folder = Path(guarded.environ["HOME"], ".config", "tenterhook")
    folder.mkdir(parents=True)
    (folder / "tenterhook.toml").write_text("[serve]\nautomatic = false\n")
    done = call(guarded, "ls")

    assert is_refused(done)
    assert b"unknown key 'serve.automatic'" in done.stdout + done.stderr


def test_no_refusal_is_lost_and_no_hook_runs_twice_while_workers_are_killed(guarded: Served) -> None:
    """Killed between calls and during them: each call is refused, by the hook or because its result is unknown."""
    root = guarded.project.root
    (root / "tenterhook.toml").write_text('[[hook]]\nuse = "guard.py"\noptions = { wait = 0.05 }\n')
    guarded.run("trust", "--yes")
    guarded.start()
    over = threading.Event()

    def kill() -> None:
        while not over.wait(0.15):
            for worker in guarded.workers():
                os.kill(worker, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        done = [call(guarded, f"rm {n}", number=f"call-{n}") for n in range(12)]
    finally:
        over.set()
        killer.join()

    assert all(map(is_refused, done))
    assert all(b"not this" in one.stdout or b"the result is unknown" in one.stdout for one in done)
    ran = (root / "ran").read_text().split() if (root / "ran").exists() else []
    assert len(ran) == len(set(ran))
    log = guarded.run("log", "--json", "--decision", "deny").stdout.splitlines()
    kept = Counter((line["what"], *line["by"]) for line in map(json.loads, log))
    told = ["guard" if b"not this" in one.stdout else "tenterhook" for one in done]
    assert all(kept[f"rm {n}", who] == 1 for n, who in enumerate(told))
    assert max(kept.values()) == 1
