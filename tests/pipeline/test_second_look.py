"""What a second look found: each was a decision lost, or an exception in the host, and must stay mended."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import types
from pathlib import Path
from typing import Any

import pytest

from conftest import Project
from tenterhook import Engine, dialects
from tenterhook.cli.main import main
from tenterhook.config.locations import places

CALL: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "ls"}}
GUARD = json.dumps({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}})


class Mute:
    def __str__(self) -> str:
        raise RuntimeError("no words")


def deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value",
    [{"a": "\ud800", "x": deep(100_000)}, {"a": "\ud800", "x": {(1, 2): 3}}, {"x": Mute()}],
    ids=["half a pair, deep", "half a pair, odd key", "no words"],
)
def test_an_event_that_cannot_be_written_does_not_get_past_a_command(project: Project, value: Any) -> None:
    project.write(".wave/settings.json", GUARD)

    assert project.fire("wave", "PreToolUse", {"tool_name": "Bash", "tool_input": value}).blocked


@pytest.mark.skipif(sys.platform != "linux", reason="such names cannot be had elsewhere")
def test_a_guard_is_found_in_a_folder_whose_name_is_no_text(tmp_path: Path) -> None:
    root = os.path.join(str(tmp_path), os.fsdecode(b"caf\xe9"))
    os.makedirs(os.path.join(root, ".wave"))
    entry = {"type": "command", "command": '"$WAVE_PROJECT_DIR"/hook.sh'}
    Path(root, ".wave/settings.json").write_text(json.dumps({"hooks": {"PreToolUse": [{"hooks": [entry]}]}}))
    Path(root, "hook.sh").write_text("#!/bin/sh\nexit 2\n")
    Path(root, "hook.sh").chmod(0o755)

    with Engine(root, dialect="wave", trust="all", home=tmp_path) as engine:
        assert engine.fire("PreToolUse", **CALL).blocked


def test_hooks_of_an_agent_without_a_name_run_where_no_agent_is_named(project: Project) -> None:
    project.write("guard.py", "def check(event):\n    return {'decision': 'deny'}\n")
    hooks = "{hooks: {PreToolUse: [{handler: guard.check, type: python}]}}"
    project.write("massgen.yaml", f"agents:\n  - backend: {hooks}\n")

    assert project.fire("massgen", "PreToolUse", CALL).blocked


def test_a_hook_that_a_rewrite_awakes_may_stop_the_agent(project: Project) -> None:
    engine = project.engine("tenterhook", files=False)
    engine.add("tool.before", lambda event: {"input": {"command": "rm x"}})
    stop = {"stop": True, "stop_reason": "enough", "context": "c"}
    engine.add("tool.before", lambda event: stop, condition={"tool_input.command": "rm*"})

    outcome = engine.fire("tool.before", **CALL)

    assert (outcome.stop, outcome.stop_reason) == (True, "enough")
    assert ("model", "context", "c") in [(one.to, one.kind, one.text) for one in outcome.messages]


def test_a_hook_that_runs_once_keeps_its_turn_where_the_chain_ended_before_it(project: Project) -> None:
    engine, runs = project.engine("tenterhook", files=False), []
    engine.add("tool.before", lambda event: {"input": {"command": "x"}}, sequential=True, once=True, priority=2)
    undo = engine.add("tool.before", lambda event: {"decision": "deny"}, priority=1)
    engine.add("tool.before", lambda event: runs.append(1), once=True)
    engine.fire("tool.before", **CALL)
    undo()
    engine.fire("tool.before", **CALL)

    assert runs == [1]


@pytest.mark.parametrize("dialect", ["llxprt", "wave", "moai", "amcp"])
def test_the_users_own_file_stays_the_users_where_the_project_is_the_home(dialect: str) -> None:
    known = dialects.get(dialect)
    scopes = {place.path: place.file.scope for place in places(known, "/h", "/h", {})}
    users = {path for path, scope in scopes.items() if scope == "user"}

    assert {place.path for place in places(known, "/elsewhere", "/h", {}) if place.file.scope == "user"} <= users


def test_a_time_out_of_two_hours_in_milliseconds_is_two_hours(project: Project) -> None:
    group = {"hooks": [{"type": "command", "command": "true", "timeout": 7_200_000}]}
    project.write(".llxprt/settings.json", json.dumps({"enableHooks": True, "hooks": {"BeforeTool": [group]}}))

    assert [hook.timeout for hook in project.engine("llxprt").hooks()] == [7200.0]


def test_odd_things_among_the_loaded_modules_do_no_harm(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    odd = types.ModuleType("odd_one")
    odd.__file__ = Path("/somewhere")  # type: ignore[assignment]
    monkeypatch.setitem(sys.modules, "odd_one", odd)
    project.write("guard.py", "def check(event):\n    return {'decision': 'deny'}\n")
    project.write("massgen.yaml", "hooks: {PreToolUse: [{handler: guard.check, type: python}]}\n")

    assert project.fire("massgen", "PreToolUse", CALL).attempts[0].error is None


def test_the_command_can_be_called_from_a_thread(project: Project, tmp_path: Path) -> None:
    (tmp_path / "in.json").write_text(json.dumps(CALL))
    words = ["fire", "tool.before", "--project", str(project.root), "--input", str(tmp_path / "in.json")]
    codes: list[int] = []
    thread = threading.Thread(target=lambda: codes.append(main(words)))
    thread.start()
    thread.join(30)

    assert codes == [0]


def test_what_a_host_does_with_a_signal_is_left_to_it(project: Project, tmp_path: Path) -> None:
    (tmp_path / "in.json").write_text(json.dumps(CALL))
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        main(["fire", "tool.before", "--project", str(project.root), "--input", str(tmp_path / "in.json")])

        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_names_that_are_no_names_do_not_reach_the_host_as_an_error(project: Project) -> None:
    names = {"hookSpecificOutput": {"toolConfig": {"allowedFunctionNames": ["b"]}}}
    engine = project.engine("llxprt", files=False)
    engine.add("BeforeToolSelection", lambda event: names)

    outcome = engine.fire("BeforeToolSelection", tool_config={"allowedFunctionNames": [1, "a"]}, llm_request={})

    assert outcome.changes["tool_config"]["allowedFunctionNames"] == ["a", "b"]


@pytest.mark.parametrize("dialect", ["tenterhook", "moai", "llxprt", "massgen"])
def test_a_refusal_that_names_a_file_whose_name_is_no_text_stands(project: Project, dialect: str) -> None:
    engine = Engine(project.root, dialect=dialect, files=False)

    @engine.on("tool.before")
    def guard(event: Any) -> dict[str, str]:
        return {"decision": "deny", "reason": os.fsdecode(b"secret-\xff is not for you")}

    outcome = engine.fire("tool.before", **CALL)

    assert outcome.blocked
    assert outcome.reason == "secret-\ufffd is not for you"
