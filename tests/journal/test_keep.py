"""What is kept of an outcome, and when it is written."""

import asyncio
import gc
import json
import os
import subprocess
import sys
import threading
import time
import weakref
from pathlib import Path
from typing import Any

import pytest

from conftest import Project
from tenterhook import Engine
from tenterhook.hosts import amcp
from tenterhook.journal import WAIT
from tenterhook.types import Job

from .journals import DENIES, Kept

AMCP = '[[hooks.PreToolUse.handlers]]\ntype = "command"\ncommand = "echo not here >&2; exit 2"\n'
BASH = {"tool_name": "Bash", "tool_input": {"command": "ls"}}


@pytest.mark.req("AM-SEC-log")
@pytest.mark.parametrize("dialect", ["amcp", "tenterhook"])
def test_the_activity_of_hooks_is_logged(project: Project, kept: Kept, dialect: str) -> None:
    project.write("tenterhook.toml", DENIES)
    project.write(".amcp/hooks.toml", AMCP)

    outcome = project.fire(dialect, "tool.before", BASH)

    [line] = kept.lines()
    assert outcome.attempts
    assert line["id"] == outcome.id
    assert [one["exit_code"] for one in line["attempts"]] == [2]
    assert (line["dialect"], line["event"], line["kind"]) == (dialect, outcome.event, "tool.before")


@pytest.mark.parametrize("asynchronous", [False, True], ids=["fire", "afire"])
@pytest.mark.parametrize("hooks", [1, 3])
def test_what_is_known_of_an_event_is_written_down_while_its_hooks_run(
    project: Project, kept: Kept, asynchronous: bool, hooks: int
) -> None:
    """Each hook waits for a sign that is given at that moment, so that it fails where that never comes."""
    waits = '[[hook]]\non = "tool.before"\ncommand = "until test -e sign; do sleep 0.01; done"\ntimeout = 60\n'
    project.write("tenterhook.toml", "".join(f"{waits}name = '{n}'\n" for n in range(hooks)))
    engine = project.engine("tenterhook")
    engine.ready()
    assert engine.journal is not None
    known = engine.journal.expected

    def meanwhile(job: Job) -> None:
        type(engine).meanwhile(engine, job)
        assert [job.given.event] == [event for event, _ in known.values()]
        project.write("sign", "")

    engine.meanwhile = meanwhile  # type: ignore[method-assign]
    outcome = asyncio.run(engine.afire("tool.before", **BASH)) if asynchronous else engine.fire("tool.before", **BASH)

    [line] = kept.lines()
    assert ([one.error for one in outcome.attempts], known) == ([None] * hooks, {})
    assert (line["target"], line["input"], line["pid"]) == ("Bash", {"command": "ls"}, os.getpid())


def test_a_line_says_who_decided_what_and_why(project: Project, kept: Kept) -> None:
    project.write(
        "tenterhook.toml", DENIES + '[[hook]]\nname = "other"\non = "tool.before"\nmatch = "X"\ncommand = "x"\n'
    )

    project.fire("tenterhook", "tool.before", {**BASH, "session_id": "s-1", "agent_id": "helper"})

    [line] = kept.lines()
    assert line["schema"] == 2
    assert line["time"].endswith("Z")
    assert line["pid"] == os.getpid()
    assert (line["project"], line["session"], line["mode"]) == (str(project.root), "s-1", "strict")
    assert (line["target"], line["input"]) == ("Bash", {"command": "ls"})
    assert (line["decision"], line["blocked"], line["reason"]) == ("deny", True, "not here")
    [attempt] = line["attempts"]
    assert (attempt["hook"], attempt["type"], attempt["decision"]) == ("guard", "command", "deny")
    assert attempt["source"].endswith("tenterhook.toml:1")
    assert attempt["stderr"] == "not here\n"
    assert 0 < attempt["seconds"] < 60
    assert [(one["hook"], one["why"]) for one in line["skipped"]] == [("other", "matcher")]
    assert line["messages"][0]["text"] == "not here"


def test_who_changed_which_field_is_kept_but_not_the_value(project: Project, kept: Kept) -> None:
    engine = project.engine("tenterhook", mode="faithful")
    engine.add("tool.before", lambda event: {"input": {"command": "ls -la /private"}}, name="rewriter")

    engine.fire("tool.before", **BASH)

    assert [line["changes"] for line in kept.lines()] == [{"rewriter": ["input.command"]}]
    assert b"/private" not in kept.raw()


def test_prompts_and_model_requests_are_counted_only(project: Project, kept: Kept) -> None:
    engine = project.engine("tenterhook")
    engine.add("prompt.submit", lambda event: {"context": "noted"}, name="a")
    engine.add("model.before", lambda event: {"message": "noted"}, name="b")

    engine.fire("prompt.submit", prompt="the plan of a lifetime")
    engine.fire("model.before", llm_request={"messages": [{"role": "user", "content": "the plan"}]})

    assert [line["sizes"] for line in kept.lines()] == [{"prompt": 22}, {"llm_request": 12}]
    assert b"the plan" not in kept.raw()


def test_long_texts_are_cut_and_large_inputs_stay_small(project: Project, kept: Kept) -> None:
    project.write(
        "tenterhook.toml", '[[hook]]\non = "tool.before"\ncommand = "head -c 300000 /dev/zero | tr \'\\\\0\' x"\n'
    )
    deep: Any = "end"
    for _ in range(400):
        deep = [deep]
    huge = {"text": "y" * 5_000_000, "many": list(range(100_000)), "deep": deep, **{f"k{n}": n for n in range(1000)}}

    project.fire("tenterhook", "tool.before", {"tool_name": "Bash", "tool_input": huge}, mode="faithful")

    [line] = kept.lines()
    assert len(kept.raw()) < 20_000
    assert line["attempts"][0]["stdout"].startswith("xxx")
    assert line["input"]["text"].endswith("(5,000,000 characters)")


@pytest.mark.parametrize("cut", range(0, 40, 7))
def test_a_secret_is_not_kept_wherever_a_text_is_cut(project: Project, kept: Kept, cut: int) -> None:
    secret = "s3cr3t-Zq8vT1mXw5Lr9-canary-of-the-test"
    engine = project.engine("tenterhook", environ={"SERVICE_TOKEN": secret})
    engine.add("tool.before", lambda event: {"decision": "deny", "reason": "x" * (2_000 - cut) + secret}, name="a")

    engine.fire("tool.before", tool_name="Bash", tool_input={"command": "y" * (2_000 - cut) + secret})

    assert kept.lines()
    assert secret[: max(cut, 8)].encode() not in kept.raw()


def test_what_is_no_utf8_is_kept_too(project: Project, kept: Kept) -> None:
    engine = project.engine("tenterhook")
    engine.add("tool.before", lambda event: {"decision": "deny", "reason": "no"}, name="a")

    engine.fire("tool.before", tool_name="Bash", tool_input={"path": "odd\udcff", "object": object()})

    assert [line["input"] for line in kept.lines()] == [{"path": "odd\\udcff", "object": "<object>"}]


def test_many_hooks_do_not_make_a_line_endless(project: Project, kept: Kept) -> None:
    engine = project.engine("tenterhook")
    for n in range(2_500):
        engine.add("tool.before", lambda event: None, match="Other", name=f"hook {n}")
    engine.add("tool.before", lambda event: {"decision": "deny", "reason": "no"}, name="guard")

    engine.fire("tool.before", **BASH)

    [line] = kept.lines()
    assert (len(line["skipped"]), line["unlisted"]) == (2_000, 500)


# ---- what had nothing to say


def quiet(project: Project, **options: Any) -> Engine:
    engine = project.engine("tenterhook", **options)
    engine.add("tool.before", lambda event: None, match="Bash", name="silent")
    return engine


def test_silent_functions_are_written_together_when_the_engine_closes(project: Project, kept: Kept) -> None:
    with quiet(project) as engine:
        for _ in range(7):
            engine.fire("tool.before", **BASH)
        for _ in range(3):
            engine.fire("tool.before", tool_name="Other")
        assert not kept.files()

    ran, none = kept.lines()
    assert (ran["count"], ran["target"], len(ran["attempts"][0]["each"])) == (7, "Bash", 7)
    assert (none["count"], none["target"], none["skipped"][0]["why"]) == (3, "Other", "matcher")
    assert ran["time"] <= ran["until"]


def test_what_is_not_alike_is_not_counted_together(project: Project, kept: Kept) -> None:
    with quiet(project) as engine:
        for session in ("one", "two", "one"):
            engine.fire("tool.before", session_id=session, **BASH)

    assert [(line["session"], line.get("count", 1)) for line in kept.lines()] == [("one", 2), ("two", 1)]


def test_silent_functions_are_written_before_the_next_line(project: Project, kept: Kept) -> None:
    engine = quiet(project)
    engine.fire("tool.before", **BASH)
    engine.add("tool.before", lambda event: {"decision": "deny", "reason": "no"}, match="Write", name="guard")

    engine.fire("tool.before", tool_name="Write")

    assert [line["decision"] for line in kept.lines()] == ["none", "deny"]


def test_silent_functions_are_written_when_they_are_many(
    project: Project, kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tenterhook.journal.PATIENCE", 60)  # on a slow machine they would be written by themselves
    engine = quiet(project)

    for _ in range(WAIT):
        engine.fire("tool.before", **BASH)

    assert sum(line.get("count", 1) for line in kept.lines()) == WAIT


def test_silent_functions_are_written_soon_by_themselves(project: Project, kept: Kept) -> None:
    engine = quiet(project)
    engine.fire("tool.before", **BASH)

    end = time.monotonic() + 30
    while not kept.files() and time.monotonic() < end:
        time.sleep(0.05)
    assert len(kept.lines()) == 1


def test_threads_lose_nothing(project: Project, kept: Kept) -> None:
    with quiet(project) as engine:
        threads = [
            threading.Thread(target=lambda: [engine.fire("tool.before", **BASH) for _ in range(600)]) for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert sum(line.get("count", 1) for line in kept.lines()) == 8 * 600
    assert sum(len(line["attempts"][0].get("each", [0])) for line in kept.lines()) == 8 * 600


def test_nothing_of_the_hosts_is_held_or_seen_later(project: Project, kept: Kept) -> None:
    class Held(dict[str, str]):
        pass

    engine = quiet(project)
    given, target = Held(command="before"), Held()
    engine.fire("tool.before", tool_name="Bash", tool_input=given)
    engine.fire("tool.before", tool_name=target)
    gone = weakref.ref(given), weakref.ref(target)
    given["command"] = "after"
    del given, target
    gc.collect()

    assert [one() for one in gone] == [None, None]
    engine.close()
    assert b"after" not in kept.raw()


@pytest.mark.parametrize(
    "answer",
    [
        {"decision": "allow"},
        {"message": "hello"},
        {"input": {"command": "x"}},
        {"stop": True},
        {"suppress": True},
        "text",
    ],
    ids=str,
)
def test_a_function_that_said_something_is_written_before_fire_returns(
    project: Project, kept: Kept, answer: Any
) -> None:
    engine = project.engine("tenterhook")
    engine.add("tool.before", lambda event: answer, name="talker")

    engine.fire("tool.before", **BASH)

    assert len(kept.lines()) == 1


def test_what_was_only_observed_is_written_before_fire_returns(project: Project, kept: Kept) -> None:
    engine = project.engine("tenterhook", mode="observe")
    engine.add("tool.before", lambda event: {"decision": "deny", "reason": "no"}, name="guard")

    engine.fire("tool.before", **BASH)

    [line] = kept.lines()
    assert (line["decision"], line["attempts"][0]["decision"]) == ("none", "deny")


def test_a_hook_that_was_not_trusted_is_written_before_fire_returns(project: Project, kept: Kept) -> None:
    project.write("tenterhook.toml", DENIES)
    engine = project.engine("tenterhook", trust="ask")

    for _ in range(2):
        engine.fire("tool.before", **BASH)

    assert [[one["why"] for one in line["skipped"]] for line in kept.lines()] == [["untrusted"]] * 2


def test_an_event_without_any_hook_is_not_kept(project: Project, kept: Kept) -> None:
    with project.engine("tenterhook") as engine:
        engine.fire("tool.before", **BASH)

    assert not kept.folder.exists()


def test_the_journal_can_be_switched_off_and_put_elsewhere(project: Project, kept: Kept, tmp_path: Path) -> None:
    for journal in (False, tmp_path / "elsewhere"):
        with quiet(project, journal=journal) as engine:
            engine.fire("tool.before", **BASH)

    assert not kept.folder.exists()
    assert len(list((tmp_path / "elsewhere").glob("*.jsonl"))) == 1


def test_settings_switch_it_off(project: Project, kept: Kept) -> None:
    project.home(".config/tenterhook/tenterhook.toml", "[settings]\njournal = false\n")

    with quiet(project) as engine:
        engine.fire("tool.before", **BASH)

    assert not kept.folder.exists()


# ---- processes

HOST = """
import os, sys
from tenterhook import Engine
engine = Engine(files=False)
engine.add("tool.before", lambda event: None, name="silent")
engine.fire("tool.before", tool_name="Bash")
{rest}
"""


def host(project: Project, rest: str) -> None:
    argv = [sys.executable, "-c", HOST.format(rest=rest)]
    subprocess.run(argv, cwd=project.root, env=project.environ(), check=True, timeout=60)


@pytest.mark.parametrize("rest", ["", "del engine", "sys.exit(0)"])
def test_an_engine_that_nobody_closed_writes_when_the_process_ends(project: Project, kept: Kept, rest: str) -> None:
    host(project, rest)

    assert len(kept.lines()) == 1


def test_a_forked_child_does_not_write_what_is_its_parents(project: Project, kept: Kept) -> None:
    host(project, "child = os.fork()\nengine.fire('tool.before', tool_name='Write')\nif child: os.waitpid(child, 0)")

    assert sorted(line["target"] for line in kept.lines()) == ["Bash", "Write", "Write"]
    assert len({line["pid"] for line in kept.lines()}) == 2


def test_firing_from_the_command_line_is_kept(project: Project, kept: Kept) -> None:
    project.write("tenterhook.toml", DENIES)

    for name in ("Bash", "Other"):
        kept.tenter("fire", "tool.before", "--trust", stdin=json.dumps({"tool_name": name}))

    assert [(line["target"], line["decision"]) for line in kept.lines()] == [("Bash", "deny"), ("Other", "none")]


def test_the_reference_agent_is_kept_alike(project: Project, kept: Kept) -> None:
    project.write("tenterhook.toml", DENIES.replace("tool.before", "prompt.submit").replace('match = "Bash"\n', ""))
    project.write("script.jsonl", '{"text": "Done."}\n')

    done = kept.tenter("agent", "--trust", "--script", "script.jsonl", "--prompt", "Go.")

    assert done.returncode == 2, done.stderr
    assert [(line["kind"], line["decision"]) for line in kept.lines()] == [("prompt.submit", "deny")]


def test_a_host_with_an_agents_own_api_is_kept_alike(
    project: Project, kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write(".amcp/hooks.toml", AMCP)
    for name, value in (("HOME", str(project.home_folder)), ("XDG_STATE_HOME", "")):
        monkeypatch.setenv(name, value)
    manager = amcp.HooksManager(project.root, trust="all")

    given = amcp.HookInput("s", "PreToolUse", str(project.root), "write_file", {})
    for _ in range(2):
        asyncio.run(manager.execute_hooks(amcp.HookEvent.PRE_TOOL_USE, given))

    assert [(line["event"], line["decision"]) for line in kept.lines()] == [("PreToolUse", "deny")] * 2


def test_a_secret_that_a_hooks_entry_sets_is_not_kept(project: Project, kept: Kept) -> None:
    """Of two hooks with the same variable, neither's; nor the one of the environment."""
    secrets = ["first-Zq8vT1mXw5Lr9", "second-Zq8vT1mXw5Lr9", "third-Zq8vT1mXw5Lr9"]
    hook = '[[hook]]\non = "tool.before"\ncommand = "echo $DB_PASSWORD >&2; exit 2"\nenv = {{DB_PASSWORD = "{}"}}\n'
    project.write("tenterhook.toml", "".join(hook.format(one) for one in secrets[:2]))
    outcome = project.engine("tenterhook", environ=project.environ(DB_PASSWORD=secrets[2])).fire(
        "tool.before", tool_name="Bash", tool_input={"command": f"x {secrets[2]}"}
    )

    assert secrets[0] in outcome.reason
    assert kept.lines()
    assert not [one for one in secrets if one.encode() in kept.raw()]


def test_an_event_that_a_hook_fires_is_kept_once(project: Project, kept: Kept) -> None:
    """No hook runs for it, and there is one line to say so."""
    with project.engine("tenterhook") as engine:
        engine.add("prompt.submit", lambda event: engine.fire("tool.before", **BASH) and None)
        engine.add("tool.before", lambda event: None)
        engine.fire("prompt.submit", prompt="hello")

    [line] = [line for line in kept.lines() if line["event"] == "tool.before"]
    assert "count" not in line
    assert "inside a hook" in line["warnings"][0]
