"""What goes wrong with hooks is in the log, once, however the event was fired."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from conftest import Project
from hosts.living import toml
from tenterhook import Engine, execute_tool_with_hooks
from tenterhook.hosts.llxprt import Config
from tenterhook.hosts.llxprt import execute_tool_with_hooks as execute_in_llxprt
from tenterhook.types import Outcome

TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3
Way = Callable[[Engine], Any]


def call_model(host: Any) -> Any:
    return host.model(lambda **call: {"text": "fine"}, format="plain")(messages=[{"role": "user", "content": "hi"}])


def call_tool_awaited(engine: Engine) -> Any:
    return asyncio.run(execute_tool_with_hooks(engine, "Bash", {"command": "ls"}, lambda given: "done"))


WAYS: dict[str, tuple[str, Way]] = {
    "fire": ("tool.before", lambda engine: engine.fire("tool.before", tool_name="Bash")),
    "afire": ("tool.before", lambda engine: asyncio.run(engine.afire("tool.before", tool_name="Bash"))),
    "tool": ("tool.before", lambda engine: engine.tool("Bash")(lambda: "done")()),
    "tool, after": ("tool.after", lambda engine: engine.tool("Bash")(lambda: "done")()),
    "execute_tool_with_hooks": ("tool.before", call_tool_awaited),
    "model": ("model.before", call_model),
    "model, after": ("model.after", call_model),
    "session": ("notify", lambda engine: engine.session(tell=print).notify("idle_prompt", "x")),
    "session.tool": ("tool.before", lambda engine: engine.session(tell=print).tool("Bash")(lambda: "done")()),
    "session.model": ("model.before", lambda engine: call_model(engine.session(tell=print))),
}
FAILURES = {
    "exit code": ({"command": "echo first >&2; echo last >&2; exit 7"}, ("exit code 7", "first\nlast")),
    "time-out": ({"command": "exec sleep 30", "timeout": 0.2}, ("no answer within 0.2 s",)),
    "no program": ({"command": "./no-such-program"}, ("exit code 127",)),
}


def warned(caplog: pytest.LogCaptureFixture) -> list[str]:
    """All that any of our loggers warned of; it all comes from one."""
    ours = [one for one in caplog.records if one.name.startswith("tenterhook") and one.levelno >= logging.WARNING]
    assert {(one.name, one.levelname) for one in ours} <= {("tenterhook.hooks", "WARNING")}
    return [one.getMessage() for one in ours]


@pytest.mark.req("HOOK-023", "HOOK-031", "HOOK-042", "HOOK-052", "HOOK-060", "HOOK-068", "HOOK-119")
@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("way", WAYS)
def test_a_failure_is_in_the_log_once_with_exit_code_and_stderr(
    project: Project, caplog: pytest.LogCaptureFixture, way: str, failure: str
) -> None:
    entry, words = FAILURES[failure]
    event, fire = WAYS[way]
    toml(project, {"on": event, "name": "guard", "on_failure": "allow", **entry})
    engine = project.engine("tenterhook")

    fire(engine)
    fire(engine)

    said = warned(caplog)
    assert len(said) == 2  # each failure is one of its own
    for text in said:
        assert text.startswith(f"{event}: guard: failed: ")
        assert all(word in text for word in words)


@pytest.mark.parametrize("way", WAYS)
def test_an_untrusted_hook_is_in_the_log_once_with_what_to_type(
    project: Project, caplog: pytest.LogCaptureFixture, way: str
) -> None:
    event, fire = WAYS[way]
    toml(project, {"on": event, "name": "guard", "command": "exit 2"})
    engine = project.engine("tenterhook", trust="ask")

    fire(engine)
    fire(engine)

    [text] = warned(caplog)
    assert text.startswith(f"{event}: not run, because not trusted: guard (")
    assert text.endswith("tenterhook.toml:1); tenter trust approves it")


@pytest.mark.parametrize("way", ["fire", "tool", "model", "session"])
def test_what_is_wrong_with_a_config_is_in_the_log_once_also_where_no_hook_listens(
    project: Project, caplog: pytest.LogCaptureFixture, way: str
) -> None:
    toml(project, {"on": "session.end", "name": "guard", "command": "true", "nonsense": 1})
    engine = project.engine("tenterhook")

    for _ in range(2):
        WAYS[way][1](engine)
        engine.fire("compact.before")

    [text] = warned(caplog)
    assert "unknown key 'nonsense'" in text


@pytest.mark.req("HOOK-023", "HOOK-031")
def test_the_documents_own_call_of_a_tool_logs_a_failure_once(
    project: Project, caplog: pytest.LogCaptureFixture
) -> None:
    hooks = {"BeforeTool": [{"hooks": [{"type": "command", "command": "echo disk full >&2; exit 3"}]}]}
    config = Config(enable_hooks=True, hooks=hooks, project=project.root)

    asyncio.run(execute_in_llxprt(config, "Bash", {"command": "ls"}, lambda given: "done"))

    [text] = warned(caplog)
    assert text == "BeforeTool: echo: failed: exit code 3: disk full"


def test_the_log_holds_no_secrets(project: Project, caplog: pytest.LogCaptureFixture) -> None:
    text = f'echo "$DEPLOY_TOKEN {TOKEN}" >&2; exit 1'
    toml(project, {"on": "notify", "command": f"sh -c '{text}' --token={TOKEN}", "env": ["DEPLOY_TOKEN"]})
    engine = project.engine("tenterhook", environ={"DEPLOY_TOKEN": "0815-x-y-z-secret"})

    engine.fire("notify", type="a", message="b")

    assert warned(caplog) == ["notify: sh: failed: exit code 1: [redacted] [redacted]"]


def test_an_engine_that_is_not_to_log_is_silent(project: Project, caplog: pytest.LogCaptureFixture) -> None:
    toml(project, {"on": "notify", "command": "exit 1", "nonsense": 1})

    outcome: Outcome = project.engine("tenterhook", log=False).fire("notify", type="a", message="b")

    assert not outcome.success
    assert not caplog.records


def test_where_nothing_fails_nothing_is_loaded_for_the_log(project: Project) -> None:
    program = """
import sys, tenterhook
engine = tenterhook.Engine(files=False, journal=False)
engine.add("notify", lambda event: {"message": "fine"})
engine.fire("notify", type="a", message="b")
engine.fire("tool.before", tool_name="Bash")
late = ("logging", "tenterhook.engine.hook_log", "tenterhook.pipeline.hook_labels")
print([name for name in late if name in sys.modules])
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=project.root, timeout=60)

    assert (ran.stdout, ran.stderr) == ("[]\n", "")
