"""AMCP's own API over the engine: its document's examples unchanged, its functions, its manager."""

from __future__ import annotations

import ast
import asyncio
import json
import logging
import os
import re
import shutil
import sys
import threading
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

from conftest import Project
from tenterhook import UsageError
from tenterhook.hosts import amcp
from tenterhook.hosts.amcp import (
    HookConfig,
    HookDecision,
    HookEvent,
    HookHandler,
    HookInput,
    HookOutput,
    HooksManager,
    get_hooks_manager,
    reset_hooks_manager,
)

HERE = Path(__file__).parent
EXAMPLES = HERE.parent / "peers" / "examples"
DOCUMENTS = HERE.parent.parent.parent.parent / "shared" / "seeds"
NAMES = ("block_sensitive_files", "log_tool_calls", "lint_after_write", "programmatic_usage")
LOG = Path("/tmp/amcp_tool_calls.log")
PRE = HookEvent.PRE_TOOL_USE


@pytest.fixture(autouse=True)
def _own_home(project: Project, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The functions take the project from where the program runs, and the user's files from HOME."""
    monkeypatch.setenv("HOME", str(project.home_folder))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.chdir(project.root)
    yield
    reset_hooks_manager()


@pytest.fixture
def logged(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.WARNING, "tenterhook.hosts.amcp")
    return caplog


def handlers(project: Project, event: str, *entries: dict[str, Any], name: str = ".amcp/hooks.json") -> None:
    project.write(name, json.dumps({"hooks": {event: {"handlers": list(entries)}}}))


def command(text: str | list[str], **more: Any) -> dict[str, Any]:
    return {"type": "command", "command": text, **more}


def before(tool: str = "write_file", path: str = "src/a.py", **more: Any) -> HookOutput:
    given = {"session_id": "s1", "tool_name": tool, "tool_input": {"path": path}, **more}
    return asyncio.run(amcp.run_pre_tool_use_hooks(**given))


def after(tool: str = "write_file", path: str = "src/a.py", **more: Any) -> HookOutput:
    given = {"session_id": "s1", "tool_name": tool, "tool_input": {"path": path}, "tool_response": {}, **more}
    return asyncio.run(amcp.run_post_tool_use_hooks(**given))


# ---- the document's examples


@pytest.mark.req("AM-EX-1", "AM-EX-2", "AM-EX-3", "AM-API-functions")
def test_the_examples_here_are_the_documents_own() -> None:
    """Where the document is at hand; a clone has the examples alone."""
    found = list(DOCUMENTS.glob("002_*.txt"))
    if not found:
        pytest.skip("the document is not beside this checkout")
    examples = found[0].read_text().partition("## Examples")[2]

    blocks = re.findall(r"```(?:python|bash)\n(.*?)```", examples, re.DOTALL)
    assert blocks == [example(name) for name in NAMES]


def example(name: str) -> str:
    return (EXAMPLES / f"{name}.txt").read_text()


@pytest.mark.req("AM-EX-1")
@pytest.mark.parametrize(
    ("tool", "path", "blocked"),
    [
        ("write_file", "/home/me/.ENV", True),
        ("apply_patch", ".ssh/id", True),
        ("write_file", "a.py", False),
        ("bash", ".env", False),
    ],
)
@pytest.mark.parametrize(
    "kind", [{"type": "command", "command": "./block.py"}, {"type": "python", "script": "./block.py"}]
)
def test_example_one_blocks_writes_to_sensitive_files(
    project: Project, kind: dict[str, Any], tool: str, path: str, blocked: bool
) -> None:
    project.write("block.py", example("block_sensitive_files"))
    handlers(project, "PreToolUse", kind)

    output = before(tool, path)

    assert output.decision is (HookDecision.DENY if blocked else HookDecision.CONTINUE)
    assert output.decision_reason == (f"Writing to '{path.lower()}' is blocked for security" if blocked else None)


@pytest.fixture
def tool_log() -> Iterator[str]:
    """The session whose lines the example adds to its own log in /tmp; whatever else stands there is put back."""
    session, existed = f"a-test-of-tenterhook-{os.getpid()}", LOG.exists()
    yield session
    lines = LOG.read_text().splitlines(keepends=True) if LOG.exists() else []
    others = [line for line in lines if session not in line]
    if others or existed:
        LOG.write_text("".join(others))
    else:
        LOG.unlink(missing_ok=True)


@pytest.mark.req("AM-EX-2")
def test_example_two_logs_every_tool_call(project: Project, tool_log: str) -> None:
    project.write("log.py", example("log_tool_calls"))
    handlers(project, "PreToolUse", {"type": "python", "script": "./log.py"})

    outputs = [before(tool, session_id=tool_log) for tool in ("one", "two")]

    entries = [json.loads(line) for line in LOG.read_text().splitlines() if tool_log in line]
    assert [(entry["tool_name"], entry["tool_input"]) for entry in entries] == [
        ("one", {"path": "src/a.py"}),
        ("two", {"path": "src/a.py"}),
    ]
    assert [(output.decision, output.success) for output in outputs] == [(HookDecision.CONTINUE, True)] * 2


@pytest.mark.req("AM-EX-3")
@pytest.mark.parametrize(
    ("path", "text", "words"),
    [
        ("clean.py", "print(1)\n", ["Lint issues: All checks passed!"]),
        ("dirty.py", "import os\n", ["Lint issues: ", "F401"]),
        ("notes.txt", "import os\n", []),
    ],
)
def test_example_three_lints_after_writes(
    project: Project, monkeypatch: pytest.MonkeyPatch, path: str, text: str, words: list[str]
) -> None:
    folder = Path(sys.executable).parent
    if shutil.which("ruff", path=str(folder)) is None:
        pytest.skip("no ruff beside this Python")
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.setenv("RUFF_CACHE_DIR", str(project.home_folder))
    project.write(path, text)
    project.write("lint.sh", example("lint_after_write"))
    handlers(project, "PostToolUse", command("./lint.sh", matcher="write_file"))

    output = after(path=path)

    assert (output.decision, output.success, bool(output.feedback)) == (HookDecision.CONTINUE, True, bool(words))
    assert [word for word in words if word not in str(output.feedback)] == []


def usage() -> CodeType:
    """The document's own program; only its import is changed."""
    text = example("programmatic_usage")
    changed = text.replace("from amcp.hooks import", "from tenterhook.hosts.amcp import")
    assert changed != text
    return compile(changed, "usage", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)


@pytest.mark.req("AM-API-functions")
@pytest.mark.parametrize(
    ("answer", "printed", "path"),
    [
        ({"permissionDecision": "deny", "permissionDecisionReason": "not there"}, "Blocked: not there\n", "/given.py"),
        ({"updatedInput": {"path": "/elsewhere.py"}}, "", "/elsewhere.py"),
        ({}, "", "/given.py"),
    ],
    ids=["denied", "changed", "nothing"],
)
def test_the_documents_program_works_with_only_its_import_changed(
    project: Project, capsys: pytest.CaptureFixture[str], answer: dict[str, Any], printed: str, path: str
) -> None:
    section = {"hookSpecificOutput": {"hookEventName": "PreToolUse", **answer}}
    handlers(project, "PreToolUse", command(project.answers("hook", section)))
    names: dict[str, Any] = {"tool_input": {"path": "/given.py", "content": "..."}}

    asyncio.run(eval(usage(), names))

    assert capsys.readouterr().out == printed
    assert names["tool_input"] == {"path": path, "content": "..."}
    told = project.json("hook.json")
    assert (told["session_id"], told["tool_name"]) == ("my-session", "write_file")
    assert told["tool_input"] == {"path": "/test.py", "content": "..."}


# ---- the functions

RUNS: dict[HookEvent, tuple[str, dict[str, Any]]] = {
    HookEvent.PRE_TOOL_USE: ("run_pre_tool_use_hooks", {"tool_name": "t", "tool_input": {}, "tool_use_id": "u"}),
    HookEvent.POST_TOOL_USE: (
        "run_post_tool_use_hooks",
        {"tool_name": "t", "tool_input": {"a": 1}, "tool_response": {"b": 2}, "tool_use_id": "u"},
    ),
    HookEvent.USER_PROMPT_SUBMIT: ("run_user_prompt_hooks", {"prompt": "hello"}),
    HookEvent.SESSION_START: ("run_session_start_hooks", {}),
    HookEvent.SESSION_END: ("run_session_end_hooks", {}),
    HookEvent.STOP: ("run_stop_hooks", {}),
}


@pytest.mark.req("AM-API-functions", "AM-IN-fields")
@pytest.mark.parametrize("event", RUNS, ids=lambda event: event.value)
@pytest.mark.parametrize("named", [True, False], ids=["with a folder", "where it runs"])
def test_each_function_runs_the_hooks_of_its_event(project: Project, event: HookEvent, named: bool) -> None:
    name, given = RUNS[event]
    handlers(project, event.value, command(project.answers("hook", "words")))
    where = {"project_dir": project.root} if named else {}

    output = asyncio.run(getattr(amcp, name)(session_id="s1", **given, **where))

    assert (output.feedback, output.decision) == ("words", HookDecision.CONTINUE)
    told = project.json("hook.json")
    assert told == {"session_id": "s1", "hook_event_name": event.value, "cwd": str(project.root), **given}


@pytest.mark.req("AM-API-functions", "AM-EV-PreCompact")
def test_before_compaction_the_kind_of_it_is_told(project: Project) -> None:
    handlers(project, "PreCompact", command(project.answers("hook")))

    asyncio.run(amcp.run_pre_compact_hooks("s1"))
    first = project.json("hook.json")["metadata"]
    asyncio.run(amcp.run_pre_compact_hooks("s1", "manual"))

    assert (first, project.json("hook.json")["metadata"]) == ({"compact_type": "auto"}, {"compact_type": "manual"})


@pytest.mark.req("AM-EV-Notification")
def test_a_notification_goes_through_the_manager(project: Project) -> None:
    handlers(project, "Notification", command(project.answers("hook")))
    told = HookInput("s1", "Notification", str(project.root), message="m", notification_type="idle")

    asyncio.run(get_hooks_manager().execute_hooks(HookEvent.NOTIFICATION, told))

    assert project.json("hook.json") == json.loads(told.to_json())


@pytest.mark.req("AM-OUT-ask", "AM-OUT-updatedResponse", "AM-OUT-suppressOutput", "AM-OUT-systemMessage")
def test_every_answer_has_its_field(project: Project) -> None:
    section = {"hookSpecificOutput": {"permissionDecision": "ask", "permissionDecisionReason": "sure?"}}
    handlers(
        project,
        "PreToolUse",
        command(project.answers("one", {"systemMessage": "m", "suppressOutput": True, **section})),
    )
    asked = before()
    reset_hooks_manager()
    handlers(
        project, "PostToolUse", command(project.answers("two", {"hookSpecificOutput": {"updatedResponse": "short"}}))
    )

    assert (asked.decision, asked.decision_reason) == (HookDecision.ASK, "sure?")
    assert (asked.system_message, asked.suppress_output) == ("m", True)
    assert after().updated_response == "short"


@pytest.mark.req("AM-OUT-updatedInput")
def test_two_changes_of_the_input_add_up_and_only_they_come_back(project: Project) -> None:
    for name, changes in (("one", {"a": 1, "b": 1}), ("two", {"b": 2})):
        project.answers(name, {"hookSpecificOutput": {"updatedInput": changes}})
    handlers(project, "PreToolUse", command("./one"), command("./two"))

    output = before(path="kept")

    assert output.updated_input == {"a": 1, "b": 2}
    assert project.json("two.json")["tool_input"] == {"path": "kept", "a": 1, "b": 1}


@pytest.mark.req("AM-OUT-other", "AM-SEC-log")
def test_a_handler_that_fails_is_logged_and_execution_continues(
    project: Project, logged: pytest.LogCaptureFixture
) -> None:
    handlers(project, "PreToolUse", command("echo broken pipe >&2; exit 3"))

    output = before()

    assert (output.success, output.decision, output.feedback) == (False, HookDecision.CONTINUE, None)
    assert "exit code 3: broken pipe" in logged.text
    assert output.outcome is not None
    assert [attempt.exit_code for attempt in output.outcome.attempts] == [3]


def test_two_functions_at_once_share_the_manager_and_do_not_mix(project: Project) -> None:
    project.write("hook.py", "import json, sys\nprint(json.load(sys.stdin)['tool_input']['path'])\n")
    handlers(project, "PreToolUse", {"type": "python", "script": "./hook.py"})

    async def both() -> list[HookOutput]:
        calls = (amcp.run_pre_tool_use_hooks("s", "write_file", {"path": str(n)}) for n in range(4))
        return await asyncio.gather(*calls)

    assert [output.feedback for output in asyncio.run(both())] == ["0", "1", "2", "3"]


# ---- the manager


@pytest.mark.req("AM-API-functions")
def test_the_manager_is_one_until_the_project_changes_or_it_is_reset(project: Project, tmp_path: Path) -> None:
    first = get_hooks_manager()

    assert first is get_hooks_manager() is get_hooks_manager(project.root) is get_hooks_manager(str(project.root))
    other = get_hooks_manager(tmp_path)
    assert (other.project_dir, other is first) == (tmp_path, False)
    reset_hooks_manager()
    assert get_hooks_manager(tmp_path) is not other


@pytest.mark.req("AM-API-functions")
def test_files_are_read_once_until_the_manager_is_reset(project: Project) -> None:
    handlers(project, "PreToolUse", command("echo one"))
    first = before().feedback
    handlers(project, "PreToolUse", command("echo two"))
    second = before().feedback
    reset_hooks_manager()

    assert (first, second, before().feedback) == ("one", "one", "two")


def test_every_hook_of_the_project_runs_unless_another_trust_is_given(project: Project, tmp_path: Path) -> None:
    handlers(project, "PreToolUse", command("echo ran"))
    project.home(".config/amcp/hooks.toml", "[[hooks.Stop.handlers]]\ncommand = 'echo mine'\n")

    assert before().feedback == "ran"
    asked = get_hooks_manager(trust="ask")
    output = before()
    assert (output.feedback, asked.get_handlers(PRE, "write_file")) == (None, [])
    assert output.outcome is not None
    assert [one.why for one in output.outcome.skipped] == ["untrusted"]
    assert asyncio.run(amcp.run_stop_hooks("s")).feedback == "mine"
    assert get_hooks_manager(tmp_path).trust == "ask"
    reset_hooks_manager()
    assert get_hooks_manager().trust == "all"


def test_a_tap_hears_every_outcome(project: Project) -> None:
    handlers(project, "PreToolUse", command("true"))
    heard: list[Any] = []
    undo = get_hooks_manager().engine.tap(heard.append)

    outputs = [before(), after()]
    undo()
    before()

    assert heard == [output.outcome for output in outputs]


@pytest.mark.req("AM-CFG-override")
def test_handlers_are_the_projects_where_both_have_some(project: Project) -> None:
    project.home(".config/amcp/hooks.toml", "[[hooks.PreToolUse.handlers]]\ncommand = 'echo user'\n")
    handlers(project, "PreToolUse", command("echo project"))

    output = before()

    assert [one.command for one in get_hooks_manager().get_handlers(PRE, "x")] == ["echo project"]
    assert output.outcome is not None
    assert (output.feedback, [one.why for one in output.outcome.skipped]) == ("project", ["overridden"])


@pytest.mark.req("AM-MATCH-exact", "AM-MATCH-regex", "AM-MATCH-wildcard", "AM-MATCH-all")
def test_handlers_are_those_that_match_and_are_enabled(project: Project) -> None:
    matchers = ("write_file", "write_file|apply_patch", r"mcp\..*", "*", "")
    handlers(
        project,
        "PreToolUse",
        *(command("true", matcher=one, name=one or "empty") for one in matchers),
        command("true", name="off", enabled=False),
    )
    manager = HooksManager(project.root)

    found = {tool: [one.name for one in manager.get_handlers(PRE, tool)] for tool in ("write_file", "mcp.a", "bash")}
    assert found == {
        "write_file": ["write_file", "write_file|apply_patch", "*", "empty"],
        "mcp.a": [r"mcp\..*", "*", "empty"],
        "bash": ["*", "empty"],
    }
    assert manager.get_handlers(HookEvent.STOP) == []


def test_what_the_files_say_can_be_read_and_changed(project: Project) -> None:
    handlers(project, "PreToolUse", command("echo one", timeout=5), {"type": "python", "script": "./s.py"})
    manager = HooksManager(project.root)
    manager.load_config()
    shown = manager.hooks[PRE].handlers

    assert shown == [
        HookHandler(command="echo one", timeout=5),
        HookHandler(type="python", script="./s.py"),
    ]
    shown[0].command = "echo changed"
    shown[1] = HookHandler(command="echo code", name="mine")
    shown.append(HookHandler(command="echo never", matcher="bash"))
    output = asyncio.run(manager.execute_hooks(PRE, HookInput("s", PRE.value, "."), "write_file"))
    manager.close()
    assert output.feedback == "changed\ncode"
    assert output.outcome is not None
    assert [attempt.hook for attempt in output.outcome.attempts] == ["echo changed", "mine"]
    assert output.outcome.attempts[0].source.startswith(str(project.root / ".amcp" / "hooks.json"))


def test_a_handler_that_is_moved_or_changed_keeps_what_else_its_file_said(project: Project) -> None:
    options = {"env": {"WORD": "kept"}}
    handlers(project, "PreToolUse", command("true", tenterhook=options), command(["echo", "as", "words"]))
    manager = HooksManager(project.root)
    manager.load_config()
    changed, words = manager.hooks.pop(PRE).handlers
    changed.command = "echo $WORD"
    manager.hooks[HookEvent.STOP] = HookConfig([changed, words])

    output = asyncio.run(manager.execute_hooks(HookEvent.STOP, HookInput("s", "Stop", ".")))

    assert output.feedback == "kept\nas words"


def test_handlers_may_be_the_hosts_own_alone(project: Project) -> None:
    manager = HooksManager(project.root)
    project.write("own.py", "def check(event):\n    return {'continue': False, 'stopReason': event['prompt']}\n")
    own = HookHandler(type="python", function="own.check")
    manager.hooks[HookEvent.USER_PROMPT_SUBMIT] = HookConfig(handlers=[own])

    told = HookInput("s", "UserPromptSubmit", ".", prompt="enough")
    output = asyncio.run(manager.execute_hooks(HookEvent.USER_PROMPT_SUBMIT, told))

    assert (output.continue_execution, output.stop_reason) == (False, "enough")


@pytest.mark.parametrize(
    "handler",
    [
        HookHandler(),
        HookHandler(type="poem", command="x"),
        HookHandler(command="x", timeout=0),
        HookHandler(script="x"),
    ],
    ids=str,
)
def test_a_handler_in_code_that_cannot_run_is_an_error(project: Project, handler: HookHandler) -> None:
    manager = HooksManager(project.root)
    manager.hooks[PRE] = HookConfig([handler])

    with pytest.raises(UsageError):
        asyncio.run(manager.execute_hooks(PRE, HookInput("s", PRE.value, "."), "x"))


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not a folder"):
        get_hooks_manager(tmp_path / "nowhere")


def test_what_is_wrong_with_the_files_is_logged_once_and_the_rest_works(
    project: Project, logged: pytest.LogCaptureFixture
) -> None:
    project.write(".amcp/hooks.toml", "[hooks")
    handlers(project, "PreToolUse", command("echo fine", timeot=5))

    assert [before().feedback, before().feedback] == ["fine", "fine"]
    assert len([one for one in logged.messages if "hooks.toml:1" in one]) == 1
    assert len([one for one in logged.messages if "timeot" in one]) == 1


@pytest.mark.parametrize("name", [".amcp/hooks/a.md", ".amcp/plugins/p/hooks.toml", ".amcp/plugins/p/hooks/a.md"])
@pytest.mark.parametrize("user", [True, False])
def test_rule_files_and_plugins_that_are_not_read_are_named(
    project: Project, logged: pytest.LogCaptureFixture, name: str, user: bool
) -> None:
    path = project.home(f".config/{name.replace('.amcp', 'amcp')}", "x") if user else project.write(name, "x")

    HooksManager(project.root).load_config()

    assert [one for one in logged.messages if str(path) in one and "not read" in one]


def test_a_manager_is_loaded_once_by_many_threads(project: Project) -> None:
    handlers(project, "PreToolUse", *(command("true", name=str(n)) for n in range(200)))
    manager = HooksManager(project.root)
    found: list[int] = []
    threads = [threading.Thread(target=lambda: found.append(len(manager.get_handlers(PRE, "x")))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert found == [200] * 8


# ---- the records


def test_an_output_is_a_dataclass_that_a_function_may_return(project: Project) -> None:
    project.write(
        "own.py",
        "from tenterhook.hosts.amcp import HookDecision, HookOutput\n\n"
        "def check(event):\n"
        "    return HookOutput(decision=HookDecision.ASK, decision_reason='sure?', updated_input={'a': 1})\n",
    )
    handlers(project, "PreToolUse", {"type": "python", "function": "own.check"})

    output = before()

    assert replace(output, success=True) == HookOutput(
        decision=HookDecision.ASK, decision_reason="sure?", updated_input={"a": 1}
    )
    assert asdict(output)["updated_input"] == {"a": 1}
    assert output.outcome is not None
    assert output.outcome.warnings == ()


@pytest.mark.req("AM-OUT-exit0", "AM-OUT-exit2", "AM-OUT-other")
def test_an_exit_code_says_what_it_means() -> None:
    blocked = HookOutput.from_exit_code(2, "", "no\n")
    failed = HookOutput.from_exit_code(1, "out", "err")
    fine = HookOutput.from_exit_code(0, "words", "")

    assert (blocked.decision, blocked.decision_reason, blocked.feedback) == (HookDecision.DENY, "no", "no")
    assert (blocked.success, failed.success, fine.success) == (False, False, True)
    assert (failed.decision, failed.feedback, fine.feedback) == (HookDecision.CONTINUE, None, "words")
    assert (failed.exit_code, failed.stdout, failed.stderr) == (1, "out", "err")


def test_the_public_names_are_those_of_the_program() -> None:
    assert all(hasattr(amcp, name) for name in amcp.__all__)
    assert [event.value for event in HookEvent] == [rule.name for rule in get_hooks_manager().engine.dialect.events]
