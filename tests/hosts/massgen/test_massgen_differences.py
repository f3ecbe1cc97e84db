"""Where the manager differs from MassGen 0.1.97's own: each row of the table, shown."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import Project
from hosts.peers.differences import MASSGEN, TABLES
from tenterhook.hosts.massgen import GeneralHookManager, HookResult, HookType, PatternHook, PythonCallableHook

PAGE = Path(__file__).parents[3] / "docs" / "embed" / "hosts" / "massgen.md"
PRE, POST = HookType.PRE_TOOL_USE, HookType.POST_TOOL_USE


class Bench:
    """A manager, and what it says about one call."""

    def __init__(self, project: Project, logged: pytest.LogCaptureFixture) -> None:
        self.project, self.logged = project, logged
        self.manager = GeneralHookManager(project.root)
        self.context: dict[str, Any] = {"agent_id": "a1"}

    def answers(self, *answers: Any, when: HookType = PRE) -> HookResult:
        """Functions that answer this, called one, two and so on."""
        for name, answer in zip(("one", "two"), answers, strict=False):
            self.manager.register_global_hook(when, PythonCallableHook(name, lambda event, answer=answer: answer))
        return self.call(when)

    def config(self, entries: Any, agent: str | None = None) -> HookResult:
        self.manager.register_hooks_from_config({"PreToolUse": entries}, agent)
        return self.call(PRE)

    def call(self, when: HookType) -> HookResult:
        output = "done" if when is POST else None
        return asyncio.run(self.manager.execute_hooks(when, "Write", '{"a": 1}', self.context, output))


@pytest.fixture
def bench(project: Project, caplog: pytest.LogCaptureFixture) -> Bench:
    caplog.set_level(logging.WARNING, "tenterhook.hosts.massgen")
    return Bench(project, caplog)


def command(bench: Bench) -> None:
    handler = bench.project.answers("guard", {"decision": "deny", "reason": "a program says no"})

    assert bench.config([{"handler": handler, "type": "command"}]).reason == "a program says no"


def untyped(bench: Bench) -> None:
    handler = bench.project.answers("guard", {"decision": "deny", "reason": "a program says no"})

    assert bench.config([{"handler": handler}]).reason == "a program says no"


def override(bench: Bench) -> None:
    assert bench.answers(HookResult.deny()).allowed is False
    assert bench.config([{"override": True}], "a1").allowed is True


def project_module(bench: Bench) -> None:
    bench.project.write("own_of_project.py", "def check(event):\n    return {'decision': 'deny', 'reason': 'found'}\n")

    assert bench.config([{"handler": "own_of_project.check"}]).reason == "found"


def time(bench: Bench) -> None:
    class Slow(PatternHook):
        async def execute(self, function_name: str, arguments: str, context: Any = None, **kwargs: Any) -> HookResult:
            await asyncio.sleep(10)
            return HookResult.deny("late")

    bench.manager.register_global_hook(PRE, Slow("slow", timeout=0.1))
    result = bench.call(PRE)

    assert (result.allowed, "slow failed" in result.hook_errors[0]) == (True, True)


def session(bench: Bench) -> None:
    seen: list[str] = []
    bench.manager.register_global_hook(PRE, PythonCallableHook("h", lambda event: seen.append(event.session_id)))
    bench.call(PRE)

    assert seen[0]


def context(bench: Bench) -> None:
    bench.answers(None, when=POST)

    assert bench.context == {"agent_id": "a1"}


def both_names(bench: Bench) -> None:
    result = bench.answers({"updated_input": {"b": 2}})

    assert json.loads(str(result.modified_args)) == result.updated_input == {"b": 2}


def bad_text(bench: Bench) -> None:
    result = bench.answers(HookResult(modified_args="{half"))

    assert (result.allowed, result.modified_args, result.has_errors()) == (True, None, True)


def unknown_word(bench: Bench) -> None:
    assert bench.answers({"decision": "block"}).allowed
    assert "'block', which decides nothing" in bench.logged.text


def allow_reason(bench: Bench) -> None:
    assert bench.answers({"decision": "allow", "reason": "fine"}).reason == "fine"


def early_inject(bench: Bench) -> None:
    assert bench.answers({"inject": {"content": "c"}}).inject is None
    assert "inject" in bench.logged.text


def text_result(bench: Bench) -> None:
    assert bench.answers("words").has_errors()
    bench.manager.clear_hooks()
    assert bench.answers('{"decision": "deny"}').allowed is False


def strategies(bench: Bench) -> None:
    first, second = {"content": "1", "strategy": "user_message"}, {"content": "2", "strategy": "tool_result"}
    result = bench.answers({"inject": first}, {"inject": second}, when=POST)

    assert result.injections == [first, second]
    assert result.inject == {"content": "1\n2", "strategy": "tool_result"}


def trace(bench: Bench) -> None:
    injection = {"content": "c", "strategy": "tool_result"}
    result = bench.answers({"inject": injection}, HookResult.deny("no"), when=POST)

    assert [(one["hook_name"], one["decision"]) for one in result.executed_hooks] == [("one", "allow"), ("two", "deny")]
    assert (result.allowed, result.reason, result.injections) == (False, "no", [injection])


def first_reason(bench: Bench) -> None:
    assert bench.answers(HookResult.ask("first"), HookResult.ask("second")).reason == "first"


def no_reason(bench: Bench) -> None:
    result = bench.answers(HookResult.deny())

    assert (result.reason, result.executed_hooks[0]["hook_name"]) == ("Blocked by hook", "one")


def failed_import(bench: Bench) -> None:
    result = bench.config([{"handler": "no_such_module.check"}])

    assert (result.allowed, "no_such_module" in result.hook_errors[0]) == (False, True)


SHOWN: dict[str, Callable[[Bench], None]] = {
    "command": command,
    "untyped": untyped,
    "override": override,
    "project-module": project_module,
    "time": time,
    "session": session,
    "context": context,
    "both-names": both_names,
    "bad-text": bad_text,
    "unknown-word": unknown_word,
    "allow-reason": allow_reason,
    "early-inject": early_inject,
    "text-result": text_result,
    "strategies": strategies,
    "trace": trace,
    "first-reason": first_reason,
    "no-reason": no_reason,
    "import": failed_import,
}


@pytest.mark.parametrize("row", MASSGEN)
def test_each_row_of_the_table_is_so(bench: Bench, row: str) -> None:
    SHOWN[row](bench)


def test_the_page_has_the_table() -> None:
    assert set(SHOWN) == set(MASSGEN)
    assert TABLES["massgen"] in PAGE.read_text(), "print it with `python tests/hosts/peers/differences.py massgen`"
