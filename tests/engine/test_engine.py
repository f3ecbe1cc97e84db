"""The engine as a host uses it: from threads and loops, with taps and functions, opened, closed and used again."""

import asyncio
import os
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import msgspec
import pytest

import tenterhook
from tenterhook import ConfigError, Engine, TenterhookError, UnknownDialect, UnknownEvent
from tenterhook.engine.confinement import Confinement

BASH = {"tool_name": "Bash", "tool_input": {"command": "ls"}}
ECHO = "import json, sys\nprint(json.dumps({'decision': 'deny', 'reason': json.load(sys.stdin)['tool_name']}))\n"


def hook(project, command, **more):
    """One hook before a tool, in our own dialect."""
    lines = [f'on = "tool.before"\ncommand = """{command}"""', *(f"{key} = {value}" for key, value in more.items())]
    path = project.root / "tenterhook.toml"
    before = path.read_text() if path.exists() else ""
    project.write("tenterhook.toml", before + "[[hook]]\n" + "\n".join(lines) + "\n")


def deny(reason):
    return lambda event: {"decision": "deny", "reason": reason}


def gone(pid):
    """Whether a process has ended, or does so soon."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.01)
    return False


# Reading


@pytest.mark.parametrize(("words", "options"), [((".", "claude"), {}), ((), {"dialekt": "claude"})])
def test_options_are_given_by_their_names(words, options):
    with pytest.raises(TypeError):
        Engine(*words, **options)


def test_nothing_is_read_before_the_first_event(project):
    engine = project.engine("wave")
    project.write(".wave/settings.json", '{"hooks": ')

    with pytest.raises(ConfigError):
        engine.fire("Stop")


def test_what_was_written_before_the_first_event_counts_and_later_changes_do_not(project):
    engine = project.engine("tenterhook")
    engine.add("tool.before", lambda event: None)
    hook(project, "printf 1 >> order")
    engine.fire("tool.before", **BASH)
    hook(project, "printf 2 >> order")

    engine.fire("tool.before", **BASH)

    assert project.read("order") == "11"


def test_load_reads_at_once(project):
    project.write(".wave/settings.json", '{"hooks": ')

    with pytest.raises(ConfigError):
        tenterhook.load(project.root, dialect="wave", trust="all", home=project.home_folder, environ={})


def test_load_gives_an_engine(project):
    hook(project, "exit 2")

    with tenterhook.load(project.root, trust="all", environ=project.environ()) as engine:
        assert isinstance(engine, Engine)
        assert engine.fire("tool.before", **BASH).blocked


def test_an_engine_without_files_reads_none(project):
    project.write(".wave/settings.json", '{"hooks": ')

    assert project.engine("wave", files=False).fire("Stop").warnings == ()


def test_nothing_is_started_for_an_event_without_hooks(project):
    threads = threading.active_count()

    outcome = project.engine("wave").fire("PreToolUse", **BASH)

    assert (outcome.decision, outcome.attempts, outcome.skipped, outcome.success) == ("none", (), (), True)
    assert threading.active_count() == threads


def test_every_outcome_has_its_own_id(project):
    engine = project.engine("wave")
    engine.add("Stop", lambda event: None)

    ids = {engine.fire("Stop").id for _ in range(10)} | {project.engine("wave").fire("Stop").id}

    assert len(ids) == 11


# What is wrong before a hook runs


def test_an_unknown_dialect_is_refused_with_the_nearest_name():
    with pytest.raises(UnknownDialect, match=r"'wafe'.*'wave'"):
        Engine(dialect="wafe")


@pytest.mark.parametrize(
    ("dialect", "event", "near"), [("wave", "PreToolUze", "PreToolUse"), ("amcp", "Stopp", "Stop")]
)
def test_an_unknown_event_is_refused_with_the_nearest_name(project, dialect, event, near):
    engine = project.engine(dialect)

    with pytest.raises(UnknownEvent, match=f"{event!r}.*{near!r}"):
        engine.fire(event)
    with pytest.raises(UnknownEvent, match=f"{event!r}.*{near!r}"):
        engine.add(event, print)
    with pytest.raises(UnknownEvent, match=f"{event!r}.*{near!r}"):
        asyncio.run(engine.afire(event))


def test_our_own_kinds_are_suggested_too(project):
    with pytest.raises(UnknownEvent, match=r"'tool.befor'.*'tool.before'"):
        project.engine("wave").fire("tool.befor")


def test_all_errors_have_one_root():
    assert {ConfigError, UnknownDialect, UnknownEvent} <= set(TenterhookError.__subclasses__())


@pytest.mark.parametrize(
    ("dialect", "name", "text", "line"),
    [
        ("wave", ".wave/settings.json", '{\n  "hooks": {\n    "Stop": [,]\n  }\n}\n', 3),
        ("llxprt", ".llxprt/settings.json", '// fine\n{"hooks": {]}\n', 2),
        ("tenterhook", "tenterhook.toml", '[[hook]]\non = "turn.stop"\ncommand = \n', 3),
        ("amcp", ".amcp/hooks.toml", "[hooks\n", 1),
        ("massgen", "massgen.yaml", "hooks:\n  PreToolUse: [\n", 3),
    ],
)
def test_a_file_that_cannot_be_parsed_names_file_line_and_column(project, dialect, name, text, line):
    path = project.write(name, text)

    with pytest.raises(ConfigError) as caught:
        project.fire(dialect, "tool.before", BASH)

    error = caught.value
    assert (error.file, error.column > 0) == (str(path), True)
    assert abs(error.line - line) <= 1
    assert str(error).startswith(f"{path}:{error.line}:{error.column}: ")


def test_a_host_may_ask_for_warnings_and_then_the_other_files_count(project):
    broken = project.write(".wave/settings.json", '{"hooks": ')
    project.write(".wave/settings.local.json", '{"hooks": {"Stop": [{"hooks": [{"command": "touch local"}]}]}}')
    project.home(".wave/settings.json", '{"hooks": {"Stop": [{"hooks": [{"command": "touch user"}]}]}}')

    outcome = project.fire("wave", "Stop", on_config_error="warn")

    assert (project.has("local"), project.has("user")) == (True, True)
    assert [text.startswith(f"{broken}:1:") for text in outcome.warnings] == [True]


def test_the_file_that_a_host_names_replaces_the_search(project):
    hook(project, "touch searched")
    project.write("other.toml", '[[hook]]\non = "tool.before"\ncommand = "touch named"\n')

    project.fire("tenterhook", "tool.before", BASH, config="other.toml")

    assert (project.has("named"), project.has("searched")) == (True, False)


@pytest.mark.parametrize("name", ["none.toml", "notes.txt"])
def test_a_named_file_that_is_not_there_or_of_no_known_form_is_refused(project, name):
    project.write("notes.txt", "")

    with pytest.raises(ConfigError, match=name):
        project.fire("tenterhook", "tool.before", BASH, config=name)


@pytest.mark.parametrize("option", ["trust", "mode", "on_config_error"])
def test_an_option_that_nobody_knows_is_refused(project, option):
    with pytest.raises(TenterhookError, match=f"no {option} 'maybe'"):
        project.engine("wave", **{option: "maybe"})


# Functions


def test_a_function_decides_and_is_named_with_its_place(project):
    engine = project.engine("tenterhook", files=False)

    def guard(event):
        return {"decision": "deny", "reason": event.tool_name}

    engine.add("tool.before", guard)
    outcome = engine.fire("tool.before", **BASH)

    assert (outcome.blocked, outcome.reason) == (True, "Bash")
    attempt = outcome.attempts[0]
    assert attempt.hook.endswith("guard")
    assert attempt.source == f"{__file__}:{guard.__code__.co_firstlineno}"


def test_a_decorator_registers_for_several_events_and_gives_the_function_back(project):
    engine = project.engine("tenterhook", files=False)
    seen = []

    @engine.on("tool.before", "turn.stop", match="Bash", name="watch")
    def watch(event):
        seen.append(event["event"])

    engine.fire("tool.before", **BASH)
    engine.fire("tool.before", tool_name="Read", tool_input={})
    outcome = engine.fire("turn.stop")

    assert seen == ["tool.before", "turn.stop"]
    assert watch({"event": "by hand"}) is None
    assert outcome.attempts[0].hook == "watch"


def test_a_function_taken_away_runs_no_more(project):
    engine = project.engine("tenterhook", files=False)
    undo, other = engine.add("tool.before", deny("one")), engine.add("tool.before", deny("two"))
    assert engine.fire("tool.before", **BASH).reason == "one"

    undo()
    undo()
    assert engine.fire("tool.before", **BASH).reason == "two"

    other()
    assert engine.fire("tool.before", **BASH).decision == "none"


def test_a_function_added_twice_is_there_twice(project):
    engine, runs = project.engine("tenterhook", files=False), []
    undo = engine.add("tool.before", runs.append, name="a")
    engine.add("tool.before", runs.append, name="b")
    engine.fire("tool.before", **BASH)

    undo()
    engine.fire("tool.before", **BASH)

    assert len(runs) == 3


def test_functions_may_come_and_go_while_an_event_is_under_way(project):
    engine = project.engine("tenterhook", files=False)
    undos = []
    engine.add("tool.before", lambda event: undos.append(engine.add("tool.before", deny("late"))))

    assert engine.fire("tool.before", **BASH).decision == "none"
    assert engine.fire("tool.before", **BASH).reason == "late"


def test_a_function_that_raises_fails_its_hook_and_not_the_host(project):
    engine = project.engine("wave", files=False)
    engine.add("PreToolUse", lambda event: 1 / 0)
    engine.add("PreToolUse", lambda event: {"decision": "block", "reason": "second"})

    outcome = engine.fire("PreToolUse", **BASH)

    assert (outcome.attempts[0].error, outcome.blocked, outcome.reason) == ("exception", True, "second")
    assert "ZeroDivisionError" in outcome.attempts[0].stderr


def test_an_interrupt_still_ends_the_host(project):
    engine = project.engine("wave", files=False)

    def leave(event):
        raise KeyboardInterrupt

    engine.add("PreToolUse", leave)

    with pytest.raises(KeyboardInterrupt):
        engine.fire("PreToolUse", **BASH)


def test_a_function_that_exits_has_failed(project):
    """Scripts that became functions still call sys.exit; that ends the hook, not the host."""
    engine = project.engine("wave", files=False)

    def leave(event):
        raise SystemExit(3)

    engine.add("PreToolUse", leave)

    assert engine.fire("PreToolUse", **BASH).attempts[0].error == "exception"


@pytest.mark.parametrize("answer", [7, ["deny"], object(), b"deny"])
def test_an_answer_that_is_none_is_a_failure(project, answer):
    engine = project.engine("wave", files=False)
    engine.add("PreToolUse", lambda event: answer)

    outcome = engine.fire("PreToolUse", **BASH)

    assert (outcome.attempts[0].error, outcome.decision, outcome.success) == ("output", "none", False)


def test_a_function_without_a_time_out_runs_in_the_hosts_own_thread(project):
    engine, threads = project.engine("wave", files=False), []
    engine.add("Stop", lambda event: threads.append(threading.current_thread()))
    engine.add("PreToolUse", lambda event: threads.append(threading.current_thread()), timeout=5)

    engine.fire("Stop")
    engine.fire("PreToolUse", **BASH)

    assert threads[0] is threading.current_thread()
    assert threads[1] is not threading.current_thread()


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_function_past_its_time_is_abandoned_and_counted(project, asynchronous):
    engine, release, ended = project.engine("wave", files=False), threading.Event(), threading.Event()

    def slow(event):
        release.wait(60)
        ended.set()
        return {"decision": "block"}

    engine.add("PreToolUse", slow, timeout=0.1)
    assert engine.abandoned == 0

    began = time.monotonic()
    outcome = asyncio.run(engine.afire("PreToolUse", **BASH)) if asynchronous else engine.fire("PreToolUse", **BASH)

    assert time.monotonic() - began < 20
    assert (outcome.attempts[0].error, outcome.blocked, engine.abandoned) == ("timeout", False, 1)
    assert not ended.is_set()
    release.set()
    assert ended.wait(5)
    assert engine.abandoned == 1


def test_the_thread_of_an_abandoned_function_serves_again_when_it_is_free(project):
    engine, release, threads = project.engine("wave", files=False), threading.Event(), []
    before = set(threading.enumerate())
    engine.add("Stop", lambda event: release.wait(10), timeout=0.05)
    engine.add("PreToolUse", lambda event: threads.append(threading.get_ident()), timeout=5)
    engine.fire("Stop")
    engine.fire("PreToolUse", **BASH)
    release.set()
    time.sleep(0.2)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda _: engine.fire("PreToolUse", **BASH), range(20)))

    workers = [one for one in threading.enumerate() if one.name == "tenterhook-worker" and one not in before]
    assert len(threads) == 21
    assert len(workers) <= 3


def test_all_slow_functions_of_an_event_share_the_time(project):
    """Each waits for all the others, which only those can do that run at once."""
    engine, meeting = project.engine("moai", files=False), threading.Barrier(8)

    def meet(event):
        meeting.wait(20)

    for _ in range(8):
        engine.add("PreToolUse", meet, timeout=30)

    outcome = engine.fire("PreToolUse", **BASH)

    assert (len(outcome.attempts), outcome.success) == (8, True)


# What hooks are given


@pytest.mark.parametrize("name", ["event", "self", "data", "dialect", "options"])
def test_an_event_may_have_data_of_any_name(project, name):
    project.write(".wave/settings.json", '{"hooks": {"Stop": [{"hooks": [{"command": "cat > seen.json"}]}]}}')

    project.fire("wave", "Stop", {name: "given"})

    assert project.json("seen.json")[name] == "given"


ODD = {
    "a set": {1},
    "an object": object(),
    "bytes": b"\xff",
    "a path": os.fspath,
    "not a number": float("nan"),
    "infinity": float("inf"),
    "a huge number": 10**400,
    "a lone surrogate": "\ud800",
    "a lone surrogate in a key": {"\ud800": 1},
    "a tuple as a key": {(1, 2): 3},
    "None as a key": {None: 1},
}


@pytest.mark.parametrize("value", ODD.values(), ids=ODD)
def test_an_odd_value_of_the_hosts_does_not_lose_the_event(project, value):
    """The hook runs, reads JSON, and its deny counts."""
    check = "import json, sys\nprint(json.load(sys.stdin)['tool_name'], file=sys.stderr)\nsys.exit(2)\n"
    project.script("check.py", check)
    project.write(".wave/settings.json", '{"hooks": {"PreToolUse": [{"hooks": [{"command": "./check.py"}]}]}}')

    outcome = project.fire("wave", "PreToolUse", {"tool_name": "Bash", "tool_input": {"odd": value}})

    assert (outcome.blocked, outcome.reason) == (True, "Bash")


def test_the_hosts_own_data_stays_as_it_was(project):
    engine = project.engine("tenterhook", files=False)
    engine.add("tool.before", lambda event: {"input": {"command": "pwd"}})
    given = {"command": "ls", "cwd": "/"}

    outcome = engine.fire("tool.before", tool_name="Bash", tool_input=given)

    assert outcome.changes == {"input": {"command": "pwd", "cwd": "/"}}
    assert given == {"command": "ls", "cwd": "/"}


# Taps


def test_a_tap_hears_every_outcome_until_it_is_undone(project):
    engine, heard = project.engine("wave", files=False), []
    undo = engine.tap(heard.append)
    undo_guard = engine.add("PreToolUse", lambda event: {"decision": "block"})

    outcomes = [engine.fire("PreToolUse", **BASH), engine.fire("Stop"), asyncio.run(engine.afire("PreToolUse", **BASH))]
    undo_guard()
    outcomes.append(engine.fire("PreToolUse", **BASH))
    undo()
    undo()
    engine.fire("PreToolUse", **BASH)

    assert heard == outcomes
    assert [len(outcome.attempts) for outcome in heard] == [1, 0, 1, 0]


def test_a_tap_hears_why_hooks_did_not_run(project):
    hook(project, "true", match='"Write"')
    engine, heard = project.engine("tenterhook"), []
    engine.tap(heard.append)

    for _ in range(2):
        engine.fire("tool.before", **BASH)

    assert [[one.why for one in outcome.skipped] for outcome in heard] == [["matcher"], ["matcher"]]


def test_taps_hear_in_the_order_they_came_and_each_undo_is_its_own(project):
    engine, heard = project.engine("wave", files=False), []
    first = engine.tap(lambda outcome: heard.append("first"))
    engine.tap(lambda outcome: heard.append("second"))
    engine.fire("Stop")
    first()
    engine.fire("Stop")

    assert heard == ["first", "second", "second"]


def test_a_function_that_taps_twice_hears_twice_and_undoes_once(project):
    engine, heard = project.engine("wave", files=False), []
    append = heard.append
    undo = engine.tap(append)
    engine.tap(append)
    engine.fire("Stop")
    assert len(heard) == 2

    undo()
    engine.fire("Stop")

    assert len(heard) == 3


# Threads and loops


def test_many_threads_fire_at_once_and_each_gets_its_own_answer(project):
    project.script("echo.py", ECHO)
    hook(project, "./echo.py")
    engine = project.engine("tenterhook")
    engine.add("tool.before", lambda event: {"context": event.tool_name}, timeout=10)
    heard = []
    engine.tap(heard.append)
    names = [f"tool-{n}" for n in range(24)]

    with ThreadPoolExecutor(12) as pool:
        outcomes = list(pool.map(lambda name: engine.fire("tool.before", tool_name=name, tool_input={}), names))

    assert [outcome.reason for outcome in outcomes] == names
    assert [[m.text for m in outcome.messages if m.kind == "context"] for outcome in outcomes] == [[n] for n in names]
    assert len({outcome.id for outcome in heard}) == len(names)


def test_the_files_are_read_once_however_many_threads_ask_first(project):
    hook(project, "true")
    engine, barrier = project.engine("tenterhook"), threading.Barrier(8)

    def fire(_):
        barrier.wait()
        return engine.fire("tool.before", **BASH)

    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(fire, range(8)))

    assert [len(outcome.attempts) for outcome in outcomes] == [1] * 8
    assert len(engine.hooks()) == 1


def test_several_event_loops_share_an_engine(project):
    project.script("echo.py", ECHO)
    hook(project, "./echo.py")
    engine = project.engine("tenterhook")

    async def several(loop):
        names = [f"{loop}-{n}" for n in range(4)]
        outcomes = await asyncio.gather(*(engine.afire("tool.before", tool_name=name, tool_input={}) for name in names))
        return [outcome.reason for outcome in outcomes] == names

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda loop: asyncio.run(several(loop)), range(4))) == [True] * 4
    assert asyncio.run(several("one after another"))


def plain(outcome):
    """An outcome without what differs from run to run."""
    built = {**msgspec.to_builtins(outcome, enc_hook=str), "id": ""}
    return {**built, "attempts": [{**attempt, "seconds": 0} for attempt in built["attempts"]]}


@pytest.mark.parametrize("dialect", ["wave", "moai", "amcp"])
def test_afire_says_what_fire_says(project, dialect):
    """Commands, scripts that fail, functions, coroutines, and a chain in which each sees what the others changed."""
    update = {"hookSpecificOutput": {"updatedInput": {"command": "pwd"}}, "systemMessage": "m"}
    commands = [
        project.answers("one", update),
        "exit 3",
        "./none",
        project.answers("two", "text", exit_code=2, stderr="r"),
    ]
    entries = [f'{{"type": "command", "command": "{command}"}}' for command in commands]
    texts = {
        "wave": (".wave/settings.json", '{"hooks": {"PreToolUse": [{"hooks": [%s]}]}}'),
        "moai": (".claude/settings.json", '{"hooks": {"PreToolUse": [%s]}}'),
        "amcp": (".amcp/hooks.json", '{"hooks": {"PreToolUse": {"handlers": [%s]}}}'),
    }
    name, text = texts[dialect]
    project.write(name, text.replace("%s", ", ".join(entries)))
    engine = project.engine(dialect, session="s")
    engine.add("PreToolUse", lambda event: {"systemMessage": event.tool_input["command"]})

    async def coroutine(event):
        await asyncio.sleep(0)
        return {"systemMessage": "awaited"}

    engine.add("PreToolUse", coroutine)
    engine.add("PreToolUse", lambda event: 1 / 0, timeout=5)

    fired, awaited = engine.fire("PreToolUse", **BASH), asyncio.run(engine.afire("PreToolUse", **BASH))

    assert fired.decision == "deny"
    assert plain(fired) == plain(awaited)


def test_afire_does_not_block_the_loop(project):
    """Both hooks go on only when the loop has turned ten times meanwhile."""
    hook(project, "for i in $(seq 400); do [ -e go ] && exit 0; sleep 0.05; done; exit 1")
    engine, go, waited = project.engine("tenterhook"), threading.Event(), []
    engine.add("tool.before", lambda event: waited.append(go.wait(20)), timeout=30)

    async def tick():
        for _ in range(10):
            await asyncio.sleep(0.01)
        project.write("go", "")
        go.set()

    async def main():
        ticking = asyncio.create_task(tick())
        outcome = await engine.afire("tool.before", **BASH)
        await ticking
        return outcome

    assert asyncio.run(main()).success
    assert waited == [True]


@pytest.mark.parametrize("background", ["true", "false"])
def test_afire_confines_processes_off_the_loop_and_then_knows_how(project, monkeypatch, background):
    """To find out takes milliseconds, makes folders, and is done once."""
    hook(project, "true", background=background)
    engine, threads, profile = project.engine("tenterhook"), [], Confinement.profile
    monkeypatch.setattr(Confinement, "profile", lambda *own: threads.append(threading.get_ident()) or profile(*own))

    async def main():
        async with engine.session() as session:
            return [await session.afire("tool.before", **BASH) for _ in range(2)]

    assert [one.success for one in asyncio.run(main())] == [True, True]
    assert len(threads) == 1
    assert threads != [threading.get_ident()]


def test_a_coroutine_runs_on_the_hosts_own_loop(project):
    engine, loops = project.engine("wave", files=False), []

    async def note(event):
        loops.append(asyncio.get_running_loop())

    engine.add("PreToolUse", note)
    engine.add("PreToolUse", note, timeout=5)

    async def main():
        await engine.afire("PreToolUse", **BASH)
        return asyncio.get_running_loop()

    loop = asyncio.run(main())
    assert loops == [loop, loop]


def test_fire_runs_a_coroutine_too_even_where_a_loop_is_running(project):
    engine = project.engine("wave", files=False)

    async def block(event):
        await asyncio.sleep(0.01)
        return {"decision": "block", "reason": "awaited"}

    engine.add("PreToolUse", block, timeout=5)
    assert engine.fire("PreToolUse", **BASH).reason == "awaited"

    async def main():
        return engine.fire("PreToolUse", **BASH)

    assert asyncio.run(main()).reason == "awaited"


def test_fire_inside_a_loop_runs_a_coroutine_without_a_time_out_too(project):
    engine = project.engine("wave", files=False)

    async def block(event):
        return {"decision": "block", "reason": "awaited"}

    engine.add("PreToolUse", block)

    async def main():
        return engine.fire("PreToolUse", **BASH)

    assert asyncio.run(main()).reason == "awaited"


def test_hooks_of_an_event_run_at_once_in_afire_too(project):
    meet = "touch {0}; for i in $(seq 400); do [ -e {1} ] && exit 0; sleep 0.05; done; exit 2"
    hook(project, meet.format("a", "b"))
    hook(project, meet.format("b", "a"))

    assert asyncio.run(project.engine("tenterhook").afire("tool.before", **BASH)).success


# Cancellation


async def cancelled(project, engine, *files):
    """Fire, wait until the hooks have said that they run, cancel. The seconds that took."""
    task = asyncio.create_task(engine.afire("tool.before", **BASH))
    for file in files:
        for _ in range(500):
            if project.has(file) and project.read(file).strip():
                break
            await asyncio.sleep(0.01)
    began = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    return time.monotonic() - began


def test_cancelling_afire_ends_the_hook_with_its_children(project):
    hook(project, "sleep 60 & echo $$ $! > pids; wait")
    engine, heard = project.engine("tenterhook"), []
    engine.tap(heard.append)

    assert asyncio.run(cancelled(project, engine, "pids")) < 20

    assert [gone(int(pid)) for pid in project.read("pids").split()] == [True, True]
    assert heard == []


def test_cancelling_afire_ends_every_hook_of_the_event(project):
    hook(project, "echo $$ > one; sleep 60")
    hook(project, "trap '' TERM; echo $$ > two; sleep 60; sleep 60")

    assert asyncio.run(cancelled(project, project.engine("tenterhook"), "one", "two")) < 20

    assert (gone(int(project.read("one"))), gone(int(project.read("two")))) == (True, True)


def test_cancelling_afire_cancels_a_coroutine(project):
    engine, ends = project.engine("tenterhook", files=False), []

    async def slow(event):
        (project.root / "running").write_text("yes")
        try:
            await asyncio.sleep(60)
        finally:
            ends.append("ended")

    engine.add("tool.before", slow)
    asyncio.run(cancelled(project, engine, "running"))

    assert ends == ["ended"]


def test_an_engine_goes_on_after_a_cancellation(project):
    hook(project, "echo $$ > pid; [ -e quick ] || sleep 60")
    engine = project.engine("tenterhook")

    async def main():
        await cancelled(project, engine, "pid")
        project.write("quick", "")
        return await engine.afire("tool.before", **BASH)

    assert asyncio.run(main()).success


def test_a_time_limit_of_the_hosts_ends_the_hook(project):
    hook(project, "echo $$ > pid; sleep 60")
    engine = project.engine("tenterhook")

    async def main():
        async with asyncio.timeout(0.5):
            await engine.afire("tool.before", **BASH)

    with pytest.raises(TimeoutError):
        asyncio.run(main())
    assert gone(int(project.read("pid")))


# Closing


def test_a_closed_engine_may_be_used_again(project):
    hook(project, "exit 2")
    engine = project.engine("tenterhook")
    engine.add("tool.before", lambda event: None, timeout=5)

    for _ in range(3):
        assert engine.fire("tool.before", **BASH).blocked
        assert asyncio.run(engine.afire("tool.before", **BASH)).blocked
        engine.close()
        engine.close()


def test_closing_ends_the_threads_that_the_engine_started(project):
    hook(project, "true")
    engine = project.engine("tenterhook")
    engine.add("tool.before", lambda event: None, timeout=5)

    def ours():
        return {thread for thread in threading.enumerate() if thread.name.startswith("tenterhook")}

    before = ours()
    asyncio.run(engine.afire("tool.before", **BASH))
    assert ours() - before
    engine.close()

    for thread in ours() - before:
        thread.join(3)
    assert ours() - before == set()


def test_closing_ends_hooks_that_run_for_another_thread(project):
    hook(project, "echo $$ > pid; sleep 60", timeout=60)
    engine, outcomes = project.engine("tenterhook"), []
    thread = threading.Thread(target=lambda: outcomes.append(asyncio.run(engine.afire("tool.before", **BASH))))
    thread.start()
    while not (project.has("pid") and project.read("pid").strip()):
        time.sleep(0.01)

    engine.close()
    thread.join(5)

    assert not thread.is_alive()
    assert gone(int(project.read("pid")))
    assert (outcomes[0].attempts[0].error, outcomes[0].success) == ("cancelled", False)


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_with_block_closes(project, asynchronous):
    hook(project, "true")

    def ours():
        return {thread for thread in threading.enumerate() if thread.name == "tenterhook-reactor"}

    async def main():
        async with project.engine("tenterhook") as engine:
            assert (await engine.afire("tool.before", **BASH)).success
            assert ours()

    before = ours()
    if asynchronous:
        asyncio.run(main())
    else:
        with project.engine("tenterhook") as engine:
            assert asyncio.run(engine.afire("tool.before", **BASH)).success
    assert ours() == before


@pytest.mark.skipif(sys.platform != "linux", reason="counts in /proc")
def test_an_engine_leaves_nothing_open(project):
    hook(project, "echo hello")

    def use():
        with project.engine("tenterhook") as engine:
            engine.add("tool.before", lambda event: None, timeout=5)
            for _ in range(5):
                engine.fire("tool.before", **BASH)
                asyncio.run(engine.afire("tool.before", **BASH))

    use()
    before = len(os.listdir("/proc/self/fd"))
    use()

    assert len(os.listdir("/proc/self/fd")) <= before


@pytest.mark.parametrize(
    ("dialect", "options", "said"),
    [
        ("llxprt", {"match": "write_(file"}, "is not a regular expression: missing \\), unterminated"),
        ("claude", {"match": "Bash(["}, "is not a regular expression"),
        ("tenterhook", {"match": "[", "match_kind": "regex-full"}, "correct it, or say match_kind='literal'"),
        ("tenterhook", {"match": 7}, "match must be text, not 7"),
    ],
)
def test_a_matcher_in_code_that_is_no_regular_expression_is_an_error_at_once(project, dialect, options, said):
    engine = project.engine(dialect)

    with pytest.raises(tenterhook.UsageError, match=said):
        engine.on("tool.before", **options)(lambda event: None)
    assert engine.hooks() == []
    engine.add("tool.before", lambda event: None, match="[", match_kind="literal")
