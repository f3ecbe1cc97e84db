"""With a server and without one a command says the same, ends the same and does the same."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from conftest import Project
from tenterhook.cli.commands import fire, hook
from tenterhook.cli.server import client
from tenterhook.dialects import names

from .served import LONG, Served, plain

CONFIG = """
[[hook]]
on = "tool.before"
match = "Deny"
command = "./deny"

[[hook]]
on = "tool.before"
match = "Ask"
command = '''printf '{"decision": "ask", "reason": "really?"}' '''

[[hook]]
on = "tool.before"
match = "Stop"
command = '''printf '{"continue": false, "stopReason": "enough"}' '''

[[hook]]
on = "tool.before"
match = "Function"
type = "python"
function = "guard.answer"

[[hook]]
on = "tool.before"
match = "Crash"
type = "python"
function = "guard.crash"

[[hook]]
on = "tool.before"
match = "Absent"
type = "python"
function = "absent.crash"

[[hook]]
on = "tool.before"
match = "Once"
command = "echo once"
once = true

[[hook]]
on = "tool.before"
match = "World"
command = '''umask; ulimit -Sn; ulimit -Hn; pwd; echo $MARK; wc -c; id -G; nice
grep -E 'SigIgn|Cpus_allowed:' /proc/self/status'''
"""
GUARD = """
import os, sys

def answer(event):
    print("to stdout")
    print("to stderr \\u00e9", file=sys.stderr)
    return {"reason": os.environ.get("MARK", "") + os.getcwd(), "decision": "deny"}

def crash(event):
    raise ValueError("on purpose")
"""
TOOLS = ("Deny", "Ask", "Stop", "Function", "Crash", "Absent", "Once", "World", "Other")
ODD = ("fire", "tool.before", "--session", "--input", "--trust")
Case = tuple[tuple[str | bytes, ...], bytes, dict[str, str]]


def call(tool: str) -> bytes:
    return json.dumps({"tool_name": tool, "tool_input": {"command": "ls"}, "session_id": "s"}).encode()


def fires() -> list[Case]:
    event = ("fire", "tool.before")
    cases: list[Case] = [((*event, "--trust"), call(tool), {}) for tool in TOOLS]
    cases += [((*event, "--dialect", name), call("Deny"), {}) for name in names()]
    cases += [
        (event, call("Deny"), {}),
        ((*event, "--require-trusted"), call("Deny"), {}),
        ((*event, "--trust", "--mode", "observe", "--json"), call("Deny"), {}),
        ((*event, "--trust", "--session", "mine", "--agent", "a"), call("World"), {}),
        ((*event, "--trust", "--input", "input.json"), b"no JSON", {}),
        ((*event, "--trust", "--input=absent.json"), b"", {}),
        (ODD, call("Deny"), {}),
        ((*event, "--trust", "--config", "broken.toml"), call("Deny"), {}),
        ((*event, "--trust", "--config", "absent.toml"), call("Deny"), {}),
        ((*event, "--trust", "--project", "absent"), call("Deny"), {}),
        ((*event, "--dialect", "nobody"), call("Deny"), {}),
        ((*event, "--tust"), call("Deny"), {}),
        (("fire", "tool.befor"), call("Deny"), {}),
        (("fire",), b"", {}),
        (("fire", "--help"), b"", {}),
        ((*event, "--trust"), b"", {}),
        ((*event, "--trust"), b"[1]", {}),
        ((*event, "--trust"), b'{"tool_name": ', {}),
        ((*event, "--trust"), b'{"tool_name": "World", "note": "\xff\xfe"}', {}),
        ((*event, "--trust"), json.dumps({"tool_name": "World", "note": "x" * 3_000_000}).encode(), {}),
        ((*event, "--trust"), call("Deny"), {"TENTERHOOK_OFF": "1"}),
        ((*event, "--trust", b"--session", b"\xff"), call("Deny"), {}),
    ]
    return cases


def hooks() -> list[Case]:
    danger = json.dumps({"tool_name": "Bash", "tool_input": {"command": "rm -rf /"}}).encode()
    return [
        (("hook", "pre-tool"), danger, {}),
        (("hook", "pre-tool"), call("Bash"), {}),
        (("hook", "pre-tool", "--dialect", "llxprt"), danger, {}),
        (("hook", "pre-tool"), b"no JSON", {}),
        (("hook", "pre-tool"), b"", {}),
        (("hook", "session-start"), b"{}", {}),
        (("hook", "agent", "backend-validation"), danger, {}),
        (("hook", "agent", "nobody"), b"{}", {}),
        (("hook", "pretool"), b"{}", {}),
        (("hook", "list"), b"", {}),
        (("hook", "pre-tool"), danger, {"TENTERHOOK_OFF": "1"}),
    ]


@pytest.fixture
def filled(served: Served) -> Served:
    project = served.project
    project.write("tenterhook.toml", CONFIG)
    project.write("guard.py", GUARD)
    project.write("broken.toml", "[[hook]\n")
    project.write("input.json", call("Stop").decode())
    project.script("deny", "cat > given.json\necho refused >&2\nexit 2\n")
    return served


@pytest.mark.parametrize("cases", [fires, hooks], ids=["fire", "hook"])
def test_every_call_comes_to_the_same(filled: Served, cases: Any) -> None:
    """Errors, refusals, prints of functions, every dialect; and the server did it, but for what it leaves alone."""
    calls: list[Case] = cases()
    alone = [plain(filled.run(*words, stdin=stdin, environ=more, served=False)) for words, stdin, more in calls]
    filled.start()
    before = filled.requests()
    for (words, stdin, more), expected in zip(calls, alone, strict=True):
        assert plain(filled.run(*words, stdin=stdin, environ=more)) == expected, words

    # Help, and a value that looks like an option.
    left = sum(words in (("fire", "--help"), ODD) for words, _, _ in calls)
    assert filled.requests() - before == len(calls) - left


def test_a_hook_sees_the_clients_own_world(filled: Served) -> None:
    """Umask, limits, folder and environment, in a command and in a function; all of them of one server."""
    deep = filled.project.root / "deep"
    deep.mkdir()
    words = filled.command("fire", "tool.before", "--trust", "--project", str(filled.project.root))
    worlds: list[tuple[str, dict[str, Any]]] = [
        ("", {}),
        ("umask 027;", {}),
        ("ulimit -Sn 900; ulimit -f 5000;", {}),
        ("", {"cwd": deep}),
        ("MARK='it is mine'; export MARK;", {}),
        ("trap '' USR1 QUIT;", {}),
        ("", {"preexec_fn": partial(os.nice, 3)}),
        ("", {"preexec_fn": partial(os.sched_setaffinity, 0, [min(os.sched_getaffinity(0))])}),
    ]

    def all_of_them(**switch: str) -> list[Any]:
        found = []
        for first, options in worlds:
            shell = ["/bin/sh", "-c", f'{first} exec "$@"', "sh", *words]
            for tool in ("World", "Function"):
                done = subprocess.run(
                    shell, input=call(tool), capture_output=True, env={**filled.environ, **switch}, timeout=LONG,
                    **{"cwd": filled.project.root, **options},
                )  # fmt: skip
                found.append(plain(done))
        return found

    alone = all_of_them(**{client.SWITCH: "off"})
    filled.start()

    assert all_of_them() == alone
    # A command's umask and limits, a function's folder and environment: each differs from the plain world's.
    same = (len(os.sched_getaffinity(0)) == 1) + (os.nice(0) == 19)  # no fewer processors, no nicer
    assert len({str(one) for one in alone}) == 9 - same
    assert filled.requests() == len(alone)
    assert len(filled.workers()) == len(worlds) - same


def test_what_a_worker_cannot_take_on_is_done_by_the_command_itself(filled: Served) -> None:
    """A limit on processor time would end a process that stays."""
    filled.start()
    shell = [
        "/bin/sh",
        "-c",
        'ulimit -t 300; exec "$@"',
        "sh",
        *map(str, filled.command("fire", "tool.before", "--trust")),
    ]
    done = subprocess.run(
        shell, input=call("Deny"), capture_output=True, env=filled.environ, cwd=filled.project.root, timeout=LONG
    )

    assert done.returncode == 2
    assert filled.requests() == 0


def test_on_a_terminal_it_is_readable(filled: Served) -> None:
    words = filled.command("fire", "tool.before", "--trust")

    def once(served: bool) -> bytes:
        ours, theirs = pty.openpty()
        environ = {**filled.environ, **({} if served else {client.SWITCH: "off"})}
        with subprocess.Popen(
            words, stdin=theirs, stdout=theirs, stderr=subprocess.PIPE, env=environ, cwd=filled.project.root
        ) as child:
            os.close(theirs)
            shown = b""
            try:
                while part := os.read(ours, 4096):
                    shown += part
            except OSError:  # the other end was closed
                pass
            os.close(ours)
            assert child.stderr
            child.stderr.read()
        return shown

    alone = once(False)
    filled.start()

    assert once(True) == alone
    assert b"tool.before" in alone
    assert filled.requests() == 1


def test_output_that_nobody_takes_does_not_change_the_exit_code(filled: Served) -> None:
    filled.start()
    with open("/dev/full", "wb") as full:
        found = [
            subprocess.run(
                filled.command("fire", "tool.before", "--trust"), input=call(tool), stdout=full,
                stderr=subprocess.PIPE, env=filled.environ, cwd=filled.project.root, timeout=LONG,
            )
            for tool in ("Deny", "Other")
        ]  # fmt: skip

    assert [done.returncode for done in found] == [2, 1]
    assert b"could not be printed" in found[1].stderr


def test_each_event_is_the_first_of_its_session(filled: Served, tmp_path: Path) -> None:
    """What runs once runs for each, and no two have the same id or session."""
    filled.project.write("tenterhook.toml", '[[hook]]\non = "tool.before"\ncommand = "cat >> seen"\nonce = true\n')
    filled.start()
    outcomes = [filled.fire("Bash", "--trust") for _ in range(3)]

    assert [len(outcome["attempts"]) for outcome in outcomes] == [1, 1, 1]
    assert len({outcome["id"] for outcome in outcomes}) == 3
    decoder, text, sessions = json.JSONDecoder(), filled.project.read("seen"), set()
    while text:
        event, end = decoder.raw_decode(text)
        sessions.add(event["session_id"])
        text = text[end:].lstrip()
    assert len(sessions) == 3


def test_a_project_is_its_own(filled: Served, project: Project) -> None:
    """Two projects whose modules have the same name, from one folder."""
    other = project.root / "other"
    other.mkdir()
    (other / "guard.py").write_text('def answer(event):\n    return {"decision": "deny", "reason": "the other one"}\n')
    (other / "tenterhook.toml").write_text(CONFIG)
    filled.start()
    found = [filled.fire("Function", "--trust", "--project", where)["reason"] for where in (".", "other", ".")]

    assert found[1] == "the other one"
    assert found[0] == found[2] != found[1]


@pytest.mark.parametrize("command", [fire, hook])
def test_the_client_knows_every_option_without_a_value(command: ModuleType) -> None:
    """Else it would take such an option for one with a value, and run the command itself."""
    assert {f"--{one.name}" for one in command.USAGE.options if not one.value} <= {*client.FLAGS}
