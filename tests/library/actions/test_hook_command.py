"""`tenter hook` as agents call it: every form of the event, every dialect's answer, everything that can be wrong."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tenterhook import Engine, dialects
from tenterhook.author import Event, callers, forms
from tenterhook.cli.main import main
from tenterhook.library.actions import (
    ACTIONS,
    MOMENTS,
    SHARED,
    WRAPPED,
    action,
    function_at,
    function_of,
    settings,
)
from tenterhook.library.actions.answers import ActionAnswer, ask, deny, fine
from tenterhook.testing import Did, simulate
from tenterhook.types import Outcome

from .conftest import TENTER, Answered

Hook = Callable[..., Answered]

DANGEROUS = {"command": "rm -rf /"}
HARMLESS = {"command": "ls"}
QUESTIONABLE = {"command": "git reset --hard"}

# The table as MoAI's document has it.
TABLE = """
manager-ddd      ddd-pre-transformation   PreToolUse
manager-ddd      ddd-post-transformation  PostToolUse
manager-ddd      ddd-completion           SubagentStop
manager-tdd      tdd-pre-implementation   PreToolUse
manager-tdd      tdd-post-implementation  PostToolUse
manager-tdd      tdd-completion           SubagentStop
expert-backend   backend-validation       PreToolUse
expert-backend   backend-verification     PostToolUse
expert-frontend  frontend-validation      PreToolUse
expert-frontend  frontend-verification    PostToolUse
expert-testing   testing-verification     PostToolUse
expert-testing   testing-completion       SubagentStop
expert-debug     debug-verification       PostToolUse
expert-debug     debug-completion         SubagentStop
expert-devops    devops-verification      PostToolUse
expert-devops    devops-completion        SubagentStop
manager-quality  quality-completion       SubagentStop
manager-spec     spec-completion          SubagentStop
manager-docs     docs-verification        PostToolUse
manager-docs     docs-completion          SubagentStop
"""


# ---- the table and the factory


@pytest.mark.req("CC-ACT-table")
def test_the_table_has_the_twenty_actions_each_with_its_agent_and_event() -> None:
    moai = dialects.get("moai")
    ours = {(one.agent, one.name, moai.rule(one.kind).name) for one in ACTIONS.values()}  # type: ignore[union-attr]

    assert ours == {tuple(line.split()) for line in TABLE.strip().splitlines()}


@pytest.mark.req("CC-ACT-factory")
@pytest.mark.parametrize("name", ACTIONS)
def test_each_action_has_a_function_of_its_own_or_options_for_a_shared_one(name: str) -> None:
    function = function_of(name)

    assert function.__name__ == (name.replace("-", "_") if name not in SHARED else "<lambda>")


@pytest.mark.parametrize("kind", MOMENTS)
def test_each_moment_has_a_function_of_its_own(kind: str) -> None:
    function = function_at(kind)

    assert function
    assert function.__name__ == kind.replace(".", "_")


@pytest.mark.req("CC-ACT-factory")
@pytest.mark.parametrize("name", ["nonsense", "ddd", "backend-", "../../etc", "default", "said", "", "a" * 10_000])
def test_a_name_that_nobody_knows_is_left_to_the_default(name: str) -> None:
    assert function_of(name).__name__ == "default"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("mobile-validation", "tool.before"),
        ("mobile-verification", "tool.after"),
        ("x-pre-transformation", "tool.before"),
        ("x-post-implementation", "tool.after"),
        ("mobile-completion", "agent.stop"),
        ("mobile", "tool.before"),
    ],
)
def test_an_unknown_actions_moment_is_in_its_name(name: str, kind: str) -> None:
    assert action(name).kind == kind


@pytest.mark.req("CC-ACT-factory", "CC-ACT-command")
def test_the_default_does_the_guards_work_and_says_that_nobody_knows_the_action(
    hook: Hook, nested: Any, tmp_path: Path
) -> None:
    refused = hook("backend-validatoin", nested("mobile-validation", tmp_path, "Bash", DANGEROUS))
    fine = hook("backend-validatoin", nested("mobile-validation", tmp_path, "Bash", HARMLESS))

    assert refused.code == 2
    assert fine.code == 0
    assert "backend-validation" in fine.stderr


# ---- what stands on stdin


@pytest.mark.req("CC-ACT-command")
@pytest.mark.parametrize(("input", "code"), [(DANGEROUS, 2), (HARMLESS, 0)])
def test_nested_and_flat_events_mean_the_same(
    hook: Hook, nested: Any, tmp_path: Path, input: dict[str, str], code: int
) -> None:
    forms: list[dict[str, Any]] = [
        nested("backend-validation", tmp_path, "Bash", input),
        {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": input, "cwd": str(tmp_path)},
        {"hookEventName": "PreToolUse", "toolName": "Bash", "toolInput": input, "cwd": str(tmp_path)},
        {"toolInput": input},
    ]
    answers = [hook("backend-validation", form) for form in forms]

    assert [one.code for one in answers] == [code] * 4
    assert len({(one.stdout, one.stderr) for one in answers}) == 1


@pytest.mark.req("CC-ACT-command")
def test_nulls_and_empty_texts_of_the_nested_form_are_nothing(hook: Hook, nested: Any, tmp_path: Path) -> None:
    answer = hook("tdd-pre-implementation", nested("tdd-pre-implementation", tmp_path))

    assert answer.code == 0
    assert answer.stdout == ""
    assert answer.stderr


def test_nothing_on_stdin_is_an_event_without_data(hook: Hook) -> None:
    assert hook("pre-tool", "").code == 0
    assert hook("pre-tool", " \n").code == 0


@pytest.mark.req("CC-SEC-validate")
@pytest.mark.parametrize(
    "given",
    [
        b"{",
        b"[]",
        b"7",
        b'"text"',
        b"\xff\xfe",
        b'{"tool_input": []}',
        b'{"tool_input": "rm -rf /"}',
        b'{"tool_input": {"command": ["rm", "-rf", "/"]}}',
        b'{"tool_input": {"command": 7}}',
        b'{"tool_name": 7}',
        b'{"eventType": 7}',
        b'{"eventType": ["PreToolUse"]}',
        b'{"hook_event_name": {}, "tool_input": {"command": "ls"}}',
        b'{"session": 7}',
        b'{"session": {"projectDir": 7}}',
        b'{"session": {"cwd": "a\\u0000b"}}',
        b'{"session": {"projectDir": "/no/such/folder"}}',
        b'{"tool_input": {"file_path": {}, "content": "x"}}',
        b"[" * 100_000,
    ],
)
def test_what_cannot_be_read_is_refused_before_a_tool_and_never_a_traceback(hook: Hook, given: bytes) -> None:
    answer = hook("pre-tool", given)

    assert answer.code == 2
    assert "Traceback" not in answer.stderr
    assert "cannot be checked" in answer.stderr


@pytest.mark.req("CC-SEC-validate")
def test_elsewhere_it_is_an_error_that_says_what_is_wrong(hook: Hook) -> None:
    answer = hook("stop", b"{")

    assert answer.code == 1
    assert answer.stdout == ""
    assert answer.stderr.startswith("tenter: the event on stdin is not JSON")


@pytest.mark.req("CC-SEC-validate")
def test_an_event_beyond_all_measure_is_refused(hook: Hook) -> None:
    answer = hook("pre-tool", b'{"tool_input": {"command": "' + b"x" * (33 << 20) + b'"}}')

    assert answer.code == 2
    assert "larger than 32 MiB" in answer.stderr


@pytest.mark.parametrize(
    ("name", "pipe", "input"),
    [
        ("backend-validation", "pipe.py", {"file_path": "pipe.py", "old_string": "a", "new_string": "b"}),
        ("backend-validation", "pipe.py", {"file_path": "pipe.py", "content": "x = ("}),
        ("tdd-pre-implementation", "test_pipe.py", {"file_path": "app.py", "content": "x = 1"}),
        ("docs-verification", "pipe.md", {"file_path": "pipe.md", "content": "x"}),
    ],
)
def test_a_pipe_holds_nothing_up(state: Path, tmp_path: Path, name: str, pipe: str, input: dict[str, str]) -> None:
    os.mkfifo(tmp_path / pipe)
    done = subprocess.run(
        [str(TENTER), "hook", "agent", name],
        input=json.dumps({"tool_input": input, "cwd": str(tmp_path)}),
        capture_output=True,
        text=True,
        timeout=30,
    )

    assert done.returncode in (0, 2)
    assert done.stderr


# ---- how it is called


def test_list_shows_every_event_and_action(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hook", "list"]) == 0

    shown = capsys.readouterr().out
    assert [name for name in (*ACTIONS, *MOMENTS) if name not in shown] == []


def test_list_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hook", "list", "--json"]) == 0

    listed = json.loads(capsys.readouterr().out)
    assert [one["action"] for one in listed["actions"]] == list(ACTIONS)
    assert [one["event"] for one in listed["events"]] == list(MOMENTS)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["hook"], "EVENT is missing"),
        (["hook", "agent"], "which action?"),
        (["hook", "pre-tol"], "did you mean 'pre-tool'?"),
        (["hook", "PreToolUze"], "did you mean 'PreToolUse'?"),
        (["hook", "pre-tool", "more"], "unexpected argument"),
        (["hook", "agent", "a", "b"], "unexpected argument"),
        (["hook", "pre-tool", "--dialect", "moia"], "did you mean 'moai'?"),
        (["hook", "stop", "--budget", "soon"], "--budget must be a number"),
        (["hook", "stop", "--budget", "-1"], "--budget must be a number"),
        (["hook", "stop", "--budget", "nan"], "--budget must be a number"),
        (["hook", "stop", "--json"], "--json is for tenter hook list"),
        (["hook", "stop", "--project", "/no/such/folder"], "is not there"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(words: list[str], said: str) -> None:
    done = subprocess.run([str(TENTER), *words], capture_output=True, text=True, input="{}")

    assert done.returncode == 1
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("word", ["pre-tool", "PreToolUse", "tool.before"])
def test_an_event_goes_by_the_wrappers_the_dialects_and_our_own_name(hook: Hook, tmp_path: Path, word: str) -> None:
    done = subprocess.run(
        [str(TENTER), "hook", word, "--project", str(tmp_path)],
        input=json.dumps({"tool_input": DANGEROUS}),
        capture_output=True,
        text=True,
    )

    assert done.returncode == 2


def test_an_event_without_work_of_ours_goes_on_in_silence(hook: Hook, tmp_path: Path) -> None:
    done = subprocess.run([str(TENTER), "hook", "Notification"], input="{}", capture_output=True, text=True)

    assert (done.returncode, done.stdout) == (0, "")


def test_the_switch_for_all_hooks_is_one_for_ours_too_and_is_said(hook: Hook) -> None:
    answer = hook("pre-tool", {"tool_input": DANGEROUS}, env={"TENTERHOOK_OFF": "1"})

    assert (answer.code, answer.stdout) == (0, "")
    assert "TENTERHOOK_OFF is set" in answer.stderr


# ---- the settings


def test_settings_that_cannot_be_read_refuse_before_a_tool(hook: Hook, tmp_path: Path) -> None:
    (tmp_path / "tenterhook.toml").write_text('[actions]\nbudget = "long"\n')

    answer = hook("pre-tool", {"tool_input": HARMLESS, "cwd": str(tmp_path)})

    assert answer.code == 2
    assert "tenterhook.toml" in answer.stderr
    assert "actions.budget must be a number of seconds above 0" in answer.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[actions", "tenterhook.toml"),
        ("[actions]\nbudgte = 3\n", "did you mean 'budget'?"),
        ("actions = 3\n", "actions must be a table"),
        ("[actions]\nmissing_test = 'shrug'\n", "one of deny, ask"),
        ("[actions]\ncommands = {deploy = 'x'}\n", "a table of test, lint, types, build"),
        ("[actions]\nrules = {x = 'maybe'}\n", "each allow, ask or deny"),
        ("[actions]\nprotected = 'x'\n", "a list of texts"),
        ("[actions]\ndocuments = {spec = 'x'}\n", "a table of lists of texts"),
    ],
)
def test_wrong_settings_are_named(hook: Hook, tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "tenterhook.toml").write_text(text)

    answer = hook("stop", {"cwd": str(tmp_path)})

    assert answer.code == 1
    assert said in answer.stderr


def test_settings_may_stand_in_pyproject(hook: Hook, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.tenterhook.actions]\nbudgte = 3\n")

    assert "tool.tenterhook.actions.budgte" in hook("stop", {"cwd": str(tmp_path)}).stderr


# ---- the answer, as the caller's dialect has it

STRANGE = 'it\'s a "project" $(touch pwned) `touch pwned` é'


CONFIGS: dict[str, tuple[str, Callable[[str], str]]] = {
    "moai": (
        ".claude/settings.json",
        lambda c: json.dumps({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": c}]}]}}),
    ),
    "wave": (
        ".wave/settings.json",
        lambda c: json.dumps({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": c}]}]}}),
    ),
    "llxprt": (
        ".llxprt/settings.json",
        lambda c: json.dumps(
            {"enableHooks": True, "hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": c}]}]}}
        ),
    ),
    "amcp": (".amcp/hooks.json", lambda c: json.dumps({"hooks": {"PreToolUse": {"handlers": [{"command": c}]}}})),
    "massgen": (
        "massgen.yaml",
        lambda c: json.dumps({"hooks": {"PreToolUse": [{"type": "command", "handler": "./guard.sh"}]}}),
    ),
    "tenterhook": (
        "tenterhook.toml",
        lambda c: f"[[hook]]\non = 'tool.before'\ncommand = {json.dumps(c)}\n",
    ),
}


def fired(folder: Path, dialect: str, input: dict[str, str]) -> Any:
    """The outcome in a project whose one hook is ours, in a folder of a strange name."""
    project = folder / STRANGE
    project.mkdir()
    command = f"{shlex.quote(str(TENTER))} hook pre-tool --dialect {dialect}"
    (project / "guard.sh").write_text(f"#!/bin/sh\nexec {command}\n")
    (project / "guard.sh").chmod(0o755)
    file, text = CONFIGS[dialect]
    (project / file).parent.mkdir(exist_ok=True)
    (project / file).write_text(text(command))
    engine = Engine(project, dialect=dialect, trust="all", home=str(folder), environ=dict(os.environ))
    with engine:
        outcome = engine.fire("tool.before", tool_name="Bash", tool_input=input)
    assert not list(folder.rglob("pwned"))
    return outcome


@pytest.mark.req("CC-ACT-command")
@pytest.mark.parametrize("dialect", CONFIGS)
def test_a_refusal_is_one_in_every_dialect(tmp_path: Path, dialect: str) -> None:
    outcome = fired(tmp_path, dialect, DANGEROUS)

    assert outcome.decision == "deny"
    assert outcome.blocked
    assert "rm" in outcome.reason
    assert outcome.warnings == ()


@pytest.mark.parametrize("dialect", CONFIGS)
def test_what_is_fine_goes_on_in_every_dialect_and_grants_nothing(tmp_path: Path, dialect: str) -> None:
    outcome = fired(tmp_path, dialect, HARMLESS)

    assert not outcome.blocked
    assert outcome.attempts[0].exit_code == 0
    assert outcome.attempts[0].stdout == ""
    assert outcome.success
    assert outcome.warnings == ()


def test_no_permission_is_granted_where_silence_is_a_yes(tmp_path: Path) -> None:
    command = f"{shlex.quote(str(TENTER))} hook PermissionRequest"
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude/settings.json").write_text(json.dumps({"hooks": {"PermissionRequest": {"command": command}}}))
    with Engine(tmp_path, dialect="moai", trust="all", home=str(tmp_path), environ=dict(os.environ)) as engine:
        outcome = engine.fire("PermissionRequest", tool_name="Bash", tool_input=DANGEROUS)

    assert outcome.decision == "none"
    assert "no permission is granted" in outcome.attempts[0].stderr


@pytest.mark.parametrize("dialect", CONFIGS)
def test_a_question_is_asked_where_it_can_be_and_refused_elsewhere(tmp_path: Path, dialect: str) -> None:
    rule = dialects.get(dialect).rule("tool.before")
    assert rule is not None

    outcome = fired(tmp_path, dialect, QUESTIONABLE)

    assert outcome.decision == ("ask" if rule.can.ask else "deny")
    assert outcome.reason
    assert outcome.warnings == ()


SAYS = {"none": fine("note", message="message", context="context"), "deny": deny("why"), "ask": ask("why")}


def rendered(said: ActionAnswer, dialect: str, event: str) -> tuple[forms.Said, Outcome]:
    """What goes out, and what the dialect makes of it."""
    kind = callers.load(dialect)["events"][event]["kind"]
    out = forms.render_answer(said, Event(kind, {}, raw={}, name=event), callers.load(dialect), by_exit=True)
    return out, simulate(dialect, event, [Did(exit_code=out.code, stdout=out.out, stderr=out.err)])


@pytest.mark.parametrize("dialect", dialects.names())
@pytest.mark.parametrize("decision", SAYS)
def test_every_event_of_every_dialect_can_be_answered(dialect: str, decision: str) -> None:
    """A refusal is never lost, and nothing is granted. One agent is told its context as plain text at one event."""
    for rule in dialects.get(dialect).events:
        out, seen = rendered(SAYS[decision], dialect, rule.name)

        assert out.out == "context" or isinstance(json.loads(out.out or "{}"), dict)
        assert seen.decision != "allow" or not rule.can.grant, rule.name
        if decision == "none":
            assert not seen.blocked, rule.name
        else:
            assert seen.decision == "ask" or seen.blocked == rule.can.block, rule.name
            assert "why" in out.out + out.err, rule.name


@pytest.mark.parametrize("dialect", dialects.names())
def test_a_refusal_by_exit_code_does_what_the_form_of_answers_does(dialect: str) -> None:
    for rule in dialects.get(dialect).events:
        event = Event(rule.kind, {}, raw={}, name=rule.name)
        plain = forms.render_answer(deny("why"), event, callers.load(dialect))
        wanted = simulate(dialect, rule.name, [Did(exit_code=plain.code, stdout=plain.out, stderr=plain.err)])
        out, seen = rendered(deny("why"), dialect, rule.name)

        assert (seen.decision, seen.blocked, seen.reason) == (wanted.decision, wanted.blocked, wanted.reason), rule.name
        assert told_to_model(seen) == told_to_model(wanted), rule.name
        assert out.code in (0, forms.REFUSED), rule.name


def told_to_model(seen: Outcome) -> bool:
    return any(message.to == "model" and "why" in message.text for message in seen.messages)


def test_messages_for_user_and_model_stand_where_the_dialect_has_them() -> None:
    out, _ = rendered(fine("n", message="for the user", context="for the model"), "moai", "SessionStart")

    assert json.loads(out.out) == {
        "systemMessage": "for the user",
        "hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "for the model"},
    }


@pytest.mark.parametrize(
    ("payload", "environ", "dialect"),
    [
        ({"hook_event_name": "BeforeTool"}, {}, "llxprt"),
        ({"hook_event_name": "PreToolUse"}, {"AMCP_PROJECT_DIR": "."}, "amcp"),
        ({"hook_event_name": "PreToolUse"}, {"WAVE_PROJECT_DIR": "."}, "wave"),
        ({"hook_event_name": "PreToolUse"}, {"CLAUDE_PROJECT_DIR": "."}, "claude"),
        ({"hook_event_name": "PreToolUse"}, {}, "moai"),
        ({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/", "tool_name": "Bash"}, {}, "moai"),
        ({"event": "tool.before"}, {}, "tenterhook"),
        (
            {"hook_event_name": "BeforeTool"},
            {"LLXPRT_PROJECT_DIR": ".", "GEMINI_PROJECT_DIR": ".", "CLAUDE_PROJECT_DIR": "."},
            "llxprt",
        ),
        ({"hook_event_name": "BeforeTool"}, {"GEMINI_PROJECT_DIR": ".", "CLAUDE_PROJECT_DIR": "."}, "gemini"),
        (
            {"hook_event_name": "PreToolUse"},
            {"QWEN_PROJECT_DIR": ".", "GEMINI_PROJECT_DIR": ".", "CLAUDE_PROJECT_DIR": "."},
            "qwen",
        ),
        ({"hook_event_name": "Stop", "transcript_path": "/home/me/.codex/sessions/1.jsonl"}, {}, "codex"),
        ({}, {}, "moai"),
    ],
)
def test_the_caller_is_known_by_its_event_its_variables_and_its_folder(
    payload: dict[str, str], environ: dict[str, str], dialect: str
) -> None:
    assert callers.guess(payload, environ, usual=True) == dialect


# ---- what it costs

HEAVY = {"msgspec", "typing", "dataclasses", "asyncio", "subprocess", "inspect", "shlex", "pathlib", "tomllib"}


@pytest.mark.parametrize(
    "words",
    [["pre-tool"], ["agent", "backend-validation"], ["agent", "frontend-validation"]],
)
def test_a_call_imports_no_engine_and_nothing_heavy(tmp_path: Path, state: Path, words: list[str]) -> None:
    """Most of a call's cost is Python's start; what it imports is the rest."""
    code = (
        "import sys\n"
        "from tenterhook.cli.main import main\n"
        f"code = main(['hook', *{words!r}])\n"
        "print(*sys.modules, file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", code],
        input=json.dumps({"tool_name": "Bash", "tool_input": {"command": "ls -la | wc -l > out.txt"}}),
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=True,
    )
    before = subprocess.run(
        [sys.executable, "-I", "-c", "import sys; print(*sys.modules)"], capture_output=True, text=True
    )
    loaded = set(done.stderr.splitlines()[-1].split()) - set(before.stdout.split())

    assert not loaded & HEAVY
    assert not loaded & {"tenterhook.engine.engine", "tenterhook.types", "tenterhook.dialects.schema.dialect"}


@pytest.mark.parametrize("dialect", [name for name in dialects.names() if dialects.get(name).setup])
def test_an_action_is_done_before_the_agent_loses_patience(dialect: str) -> None:
    found = dialects.get(dialect)
    assert found.setup
    for wrapper in found.setup.wrappers:
        given = wrapper.timeout / (1000 if found.config.unit == "milliseconds" else 1)

        assert not wrapper.event or settings.ActionSettings().seconds(WRAPPED[wrapper.calls]) <= given - 1


def test_every_wrappers_event_has_work() -> None:
    assert set(WRAPPED.values()) <= set(MOMENTS)
