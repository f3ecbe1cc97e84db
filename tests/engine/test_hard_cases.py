"""What hosts, files and callers do that nobody plans for: deep input, forks, pipes that break, signals, odd files."""

from __future__ import annotations

import gc
import json
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from conftest import Project
from processes import in_a_host, linux, lives, open_files, within
from tenterhook import ConfigError, Engine
from tenterhook.dialects import get
from tenterhook.pipeline.answer import KEPT
from tenterhook.testing import Did, simulate

CALL: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "ls"}}
DENY = {"decision": "deny", "reason": "no"}
TENTER = str(Path(sys.executable).with_name("tenter"))
FIRE = [TENTER, "fire", "tool.before", "--trust"]


def toml(project: Project, *lines: str) -> None:
    project.write("tenterhook.toml", "".join(f'[[hook]]\non = "tool.before"\n{text}\n' for text in lines))


def tenter(project: Project, *words: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """`tenter fire` in this project, its output captured unless told otherwise."""
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "input": json.dumps(CALL), **options}
    return subprocess.run(
        words or FIRE, cwd=project.root, env=project.environ(), text=True, timeout=60, check=False, **streams
    )


# Deep input


def nested(levels: int, kind: type) -> Any:
    value: Any = "the bottom"
    for _ in range(levels):
        value = {"x": value} if kind is dict else [value]
    return value


@pytest.mark.parametrize("dialect", ["tenterhook", "wave"])
@pytest.mark.parametrize("kind", [dict, list])
def test_input_nested_500_deep_is_still_denied_by_a_command(project: Project, kind: type, dialect: str) -> None:
    toml(project, 'command = "grep -q bottom && exit 2"')
    entry = {"type": "command", "command": "grep -q bottom && exit 2"}
    project.write(".wave/settings.json", json.dumps({"hooks": {"PreToolUse": [{"hooks": [entry]}]}}))

    outcome = project.fire(dialect, "tool.before", {"tool_name": "X", "tool_input": {"deep": nested(500, kind)}})

    assert (outcome.decision, outcome.blocked) == ("deny", True)


@pytest.mark.parametrize("timeout", [None, 20.0])
@pytest.mark.parametrize("dialect", ["tenterhook", "massgen"])
@pytest.mark.parametrize("kind", [dict, list])
def test_input_nested_500_deep_is_still_denied_by_a_function(
    project: Project, kind: type, dialect: str, timeout: float | None
) -> None:
    engine, seen = project.engine(dialect, files=False), []

    def guard(event: Any) -> Any:
        seen.append(event["tool_input"]["deep"])
        return DENY

    engine.add("tool.before", guard, timeout=timeout)
    outcome = engine.fire("tool.before", tool_name="X", tool_input={"deep": nested(500, kind)})

    assert (outcome.decision, outcome.blocked, len(seen)) == ("deny", True, 1)


# Functions and threads


def test_four_functions_that_hang_share_one_time_out(project: Project) -> None:
    """One after another they would take four times as long."""
    engine, release = project.engine("moai", files=False), threading.Event()
    for _ in range(4):
        engine.add("PreToolUse", lambda event: bool(release.wait(120)) and None, timeout=3)

    began = time.monotonic()
    outcome = engine.fire("PreToolUse", **CALL)
    took = time.monotonic() - began
    release.set()

    assert [attempt.error for attempt in outcome.attempts] == ["timeout"] * 4
    assert (took < 9, engine.abandoned) == (True, 4)


def test_functions_with_a_time_out_still_run_after_a_fork() -> None:
    """The child has none of its parent's threads, but it has their names in its memory."""
    text = """
import warnings; warnings.simplefilter("ignore")
from tenterhook import Engine
engine = Engine(files=False, environ={}, home="/", journal=False)
engine.add("tool.before", lambda event: {"decision": "deny", "reason": str(os.getpid())}, timeout=10)
fire = lambda: engine.fire("tool.before", tool_name="X", tool_input={}).reason == str(os.getpid())
before = fire()
if (pid := os.fork()) == 0:
    os._exit(4 if fire() and fire() else 5)
print(before, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), fire())
"""
    assert in_a_host(text) == "True 4 True\n"


def test_an_engine_that_is_dropped_leaves_no_thread_and_no_descriptor(project: Project) -> None:
    import asyncio

    def use_one() -> None:
        engine = Engine(project.root, home=project.home_folder, environ=project.environ(), trust="all")
        engine.add("tool.before", lambda event: None, timeout=20)
        assert engine.fire("tool.before", **CALL).success
        assert asyncio.run(engine.afire("tool.before", **CALL)).success

    toml(project, 'command = "true"')
    use_one()  # the supervisor and a channel to it are the process's, and stay
    gc.collect()
    before = set(threading.enumerate())
    files = open_files()
    for _ in range(3):
        use_one()
    gc.collect()

    assert within(20, lambda: not set(threading.enumerate()) - before)
    assert within(20, lambda: open_files() <= files)


LATE = pytest.mark.xfail(reason="an import inside a function finds the module of whichever project came first")


@pytest.mark.parametrize(
    "late",
    [pytest.param(False, id="imported at the top"), pytest.param(True, id="imported when called", marks=LATE)],
)
def test_two_projects_with_the_same_helper_module_each_get_their_own(tmp_path: Path, late: bool) -> None:
    """A guard that is silently another project's guards nothing. In a host of its own: modules stay imported."""
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "helper_of_both.py").write_text(f"WORD = {name!r}\n")
        line, answer = "from helper_of_both import WORD\n", "    return {'decision': 'deny', 'reason': WORD}\n"
        body = f"def check(event):\n    {line}{answer}" if late else f"{line}def check(event):\n{answer}"
        (folder / "guard_of_both.py").write_text(body)
        (folder / "tenterhook.toml").write_text('[[hook]]\non = "tool.before"\nfunction = "guard_of_both.check"\n')
    text = f"""
from tenterhook import Engine
make = lambda name: Engine({str(tmp_path)!r} + "/" + name, home="/", journal=False, environ={{}}, trust="all")
engines = [make("one"), make("two"), make("one")]
print(*[engine.fire("tool.before", tool_name="X", tool_input={{}}).reason for engine in engines])
"""
    assert in_a_host(text) == "one two one\n"


# Rewrites


@pytest.mark.parametrize("first", ["rewrite", "guard"])
def test_a_hook_whose_condition_holds_only_after_a_rewrite_denies_in_strict_mode(project: Project, first: str) -> None:
    rewrite = project.answers("rewrite", {"input": {"command": "rm -rf /"}})
    hooks = {
        "rewrite": f'command = "{rewrite}"',
        "guard": 'command = "echo no rm >&2; exit 2"\nif = {"tool_input.command" = "rm *"}',
    }
    toml(project, hooks.pop(first), *hooks.values())

    strict = project.fire("tenterhook", "tool.before", CALL)
    harmless = project.fire("tenterhook", "tool.before", {**CALL, "tool_input": {"command": "ls"}}, mode="faithful")

    assert (strict.decision, strict.blocked, strict.reason) == ("deny", True, "no rm")
    assert harmless.blocked is False


# The command


@pytest.mark.parametrize("closed", [">&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_the_exit_code_is_two_although_stdout_is_closed(project: Project, closed: str) -> None:
    toml(project, 'command = "exit 2"')

    done = tenter(project, "sh", "-c", f"{shlex.join(FIRE)} {closed}")

    assert (done.returncode, "Traceback" in done.stderr) == (2, False)


@pytest.mark.parametrize("size", [0, 500_000], ids=["small", "more than a pipe holds"])
def test_the_exit_code_is_two_although_nobody_reads(project: Project, size: int) -> None:
    toml(project, f"command = \"head -c {size} /dev/zero | tr '\\\\000' x >&2; exit 2\"")
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = tenter(project, stdout=writer)
    finally:
        os.close(writer)

    assert (done.returncode, "Traceback" in done.stderr) == (2, False)


@linux
def test_the_exit_code_is_two_although_the_disk_is_full(project: Project) -> None:
    toml(project, 'command = "exit 2"')
    with open("/dev/full", "w") as full:
        done = tenter(project, stdout=full)

    assert (done.returncode, "Traceback" in done.stderr) == (2, False)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT], ids=lambda one: one.name)
def test_a_signal_to_fire_ends_its_hook_too(project: Project, number: signal.Signals) -> None:
    toml(project, 'command = "sleep 60 & echo $$ $! > new; mv new pids; wait"\ntimeout = 90')
    # A shell without job control and nohup leave SIGINT ignored; here it must count.
    reset = f"import os, signal, sys; signal.signal({number:d}, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])"
    process = subprocess.Popen(
        [sys.executable, "-c", reset, *FIRE],
        cwd=project.root,
        env=project.environ(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert within(30, lambda: project.has("pids"))
    process.send_signal(number)
    _, stderr = process.communicate(timeout=40)

    assert (process.returncode, b"Traceback" in stderr) == (128 + number, False)
    assert within(20, lambda: not any(lives(int(pid)) for pid in project.read("pids").split()))


def test_what_a_function_prints_does_not_reach_stdout_of_fire(project: Project) -> None:
    """Neither by print, nor past Python, nor by a child of the function's own; it is all on stderr."""
    project.write(
        "noisy.py",
        "import os, subprocess\n"
        "print('at import')\n"
        "def check(event):\n"
        "    print('by print')\n"
        "    os.write(1, b'past python\\n')\n"
        "    subprocess.run(['echo', 'by a child'])\n"
        "    return {'decision': 'deny', 'reason': 'no'}\n",
    )
    toml(project, 'function = "noisy.check"')

    done = tenter(project)

    assert (done.returncode, json.loads(done.stdout)["reason"]) == (2, "no")
    bypass, *printed = done.stderr.splitlines()
    assert "without your approval" in bypass
    assert sorted(printed) == ["at import", "by a child", "by print", "past python"]


# Odd files and values


def odd(path: Path, kind: str) -> None:
    if kind == "a FIFO":
        os.mkfifo(path)
    elif kind == "a loop of links":
        path.symlink_to(path.with_name("other"))
        path.with_name("other").symlink_to(path)
    elif kind == "a folder":
        path.mkdir()
    else:
        path.symlink_to(kind)


ODD = ["a FIFO", "/dev/zero", "/dev/stdin", "/dev/tty", "a loop of links", "a folder"]


@pytest.mark.parametrize("kind", ODD)
@pytest.mark.parametrize("words", [("fire", "tool.before", "--trust"), ("fire", "tool.before"), ("check",), ("list",)])
def test_an_odd_file_as_config_does_not_hang(project: Project, kind: str, words: tuple[str, ...]) -> None:
    odd(project.root / "tenterhook.toml", kind)
    held, writer = os.pipe()  # a stdin that never ends, for whoever reads it in place of the file
    options: dict[str, Any] = {} if words[0] == "fire" else {"stdin": held, "input": None}
    try:
        done = tenter(project, TENTER, *words, **options)
    finally:
        os.close(held)
        os.close(writer)

    assert "Traceback" not in done.stderr
    assert "tenterhook.toml" in done.stdout + done.stderr
    assert words[-1] != "--trust" or done.returncode == 1


@pytest.mark.parametrize("kind", ODD)
def test_an_odd_file_as_config_is_an_error_of_the_engines(project: Project, kind: str) -> None:
    odd(project.root / "tenterhook.toml", kind)

    with pytest.raises(ConfigError, match=r"tenterhook\.toml"):
        project.fire("tenterhook", "tool.before", CALL)


VALUES = {
    "5": "5",
    "a number that is none": "nan",
    "a table": "{}",
    "a list": "[]",
    "a list of numbers": "[1]",
    "empty": '""',
    "a word": '"None"',
    "a date": "1979-05-27",
    "a number of 401 digits": str(10**400),
}
FINE = {
    *(("timeout", "5"), ("priority", "5"), ("priority", "a number of 401 digits")),
    *(("env", "a list"), ("env", "a table"), ("if", "a table"), ("on_failure", "a table"), ("type", "empty")),
    ("sandbox", "a table"),
    *((key, value) for key in ("name", "match", "args") for value in ("empty", "a word")),
    *(("command", "a word"), ("script", "a word"), ("function", "a word"), ("url", "a word"), ("prompt", "a word")),
}
# The key that says what runs, for keys that only some handlers look at.
MAIN = {
    **dict.fromkeys(("headers", "loopback", "private", "connect_timeout"), ("url", "http://localhost/")),
    **dict.fromkeys(("model", "max_tokens"), ("prompt", "Is it fine?")),
    "args": ("script", "guard.py"),
}
GOOD = {("headers", "a table"), ("connect_timeout", "5"), ("max_tokens", "5"), ("model", "empty"), ("model", "a word")}
FINE |= GOOD | {("max_tokens", "a number of 401 digits")}
# What is there for people only may be anything.
KEYS = [key for key, sets in get("tenterhook").config.form.keys.items() if sets != "note"]


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("key", KEYS)
def test_a_wrong_value_of_any_key_is_said_with_its_place_and_raises_nothing(
    project: Project, key: str, value: str
) -> None:
    entry = {"on": '"tool.before"', "command": '"exit 2"'}
    if key in ("script", "function", "url", "prompt", *MAIN):
        del entry["command"]
    if key in MAIN:
        main, text = MAIN[key]
        entry[main] = json.dumps(text)
    entry[key] = VALUES[value]
    project.write("tenterhook.toml", "[[hook]]\n" + "".join(f"{name} = {one}\n" for name, one in entry.items()))

    outcome = project.fire("tenterhook", "tool.before", CALL)
    places = [text for text in outcome.warnings if text.startswith(f"{project.root}/tenterhook.toml:")]

    assert (key, value) in FINE or places


def test_keys_that_mean_nothing_to_a_hook_are_said_in_the_order_of_the_file(project: Project) -> None:
    odd = ["prompt", "max_turns", "url", "loopback", "headers", "script"]
    values = {"max_turns": "3", "loopback": "true", "headers": "{}"}
    lines = [f"{key} = {values.get(key, repr('x'))}" for key in ["command", *odd]]
    project.write("tenterhook.toml", "\n".join(["[[hook]]", 'on = "tool.before"', "type = 'command'", *lines]))

    warnings = project.fire("tenterhook", "tool.before", CALL).warnings
    said = [text.split(": ")[1] for text in warnings if "has no effect" in text]

    assert said == [f"{key} has no effect on a hook of type 'command'; it is ignored" for key in odd]


@pytest.mark.parametrize("value", [None, 5, {}, [], [1], "", 10**400], ids=lambda one: repr(one)[:9])
@pytest.mark.parametrize("key", ["on_failure", "leftovers", "once", "if", "env", "name"])
def test_a_wrong_value_of_our_options_in_another_agents_entry_raises_nothing(
    project: Project, key: str, value: Any
) -> None:
    hook = {"type": "command", "command": "exit 2", "tenterhook": {key: value}}
    project.write(".wave/settings.json", json.dumps({"hooks": {"PreToolUse": [{"hooks": [hook]}]}}))

    outcome = project.fire("wave", "PreToolUse", CALL)

    assert outcome.blocked
    fine = {"env": ({}, []), "if": ({},), "name": ("",), "on_failure": ({},)}
    assert outcome.warnings or any(value == one and type(value) is type(one) for one in fine.get(key, ()))


@pytest.mark.parametrize("dialect", ["tenterhook", "wave", "massgen"])
@pytest.mark.parametrize("start", ["", '"', '{"decision": "', '{"', "log {"])
def test_a_mebibyte_of_backslashes_is_judged_in_half_a_second(dialect: str, start: str) -> None:
    """Of processor time, the best of three: the machine may be busy."""
    text, seconds = (start + "\\" * KEPT)[:KEPT], []
    for _ in range(3):
        began = time.process_time()
        simulate(dialect, "tool.before", [Did(stdout=text)], data=CALL)
        seconds.append(time.process_time() - began)

    assert min(seconds) < 0.5
