"""llxprt: hooks that crash, hang or cannot start never keep anything from going on; health is not policy."""

import os

import pytest

from tenterhook import Engine

from .llxprt import CALL, DATA, IN_SCOPE, RESPONSE, fire, says, specific, told

# A decision and every kind of change: none of it may count.
EVERYTHING = says(
    {
        "decision": "block",
        "reason": "no",
        "continue": False,
        "suppressOutput": True,
        "systemMessage": "m",
        "hookSpecificOutput": {
            "permissionDecision": "deny",
            "tool_input": {"path": "other"},
            "additionalContext": "c",
            "llm_request": {"model": "other"},
            "llm_response": {"text": "other"},
            "toolConfig": {"mode": "NONE"},
        },
    }
)
FAILURES = {
    "exit 1": "exit 1",
    "exit 3": "exit 3",
    "exit 255": "exit 255",
    "not found": "./no-such-program",
    "not executable": "./plain",
    "crash": "kill -SEGV $$",
    "killed": "kill -KILL $$",
    "timeout": {"type": "command", "command": f"{EVERYTHING}; exec sleep 30", "timeout": 150},
    "plugin": {"type": "plugin"},
}
# More than a program may be given: the child cannot be started at all.
TOO_MUCH = {"TOO_MUCH": "x" * 3_000_000}


def went_on(outcome):
    """As if the hook had not run, apart from a warning."""
    assert (outcome.blocked, outcome.stop, outcome.suppress, outcome.changes) == (False, False, False, {})
    assert outcome.decision in ("none", "allow")
    assert {message.kind for message in outcome.messages} <= {"system", "error"}
    assert outcome.success is False
    return True


@pytest.mark.req("HOOK-023", "HOOK-031", "HOOK-042", "HOOK-052", "HOOK-060", "HOOK-068", "HOOK-110")
@pytest.mark.parametrize("event", IN_SCOPE)
@pytest.mark.parametrize("failure", FAILURES)
def test_a_failed_hook_changes_nothing_and_is_reported(project, event, failure):
    project.write("plain", "not a program")
    outcome = fire(project, event, FAILURES[failure], environ={"LC_ALL": "C"})

    assert went_on(outcome)
    assert [warning for warning in outcome.warnings if ": failed: " in warning] == [outcome.warnings[-1]]


@pytest.mark.req("HOOK-110", "HOOK-023")
@pytest.mark.parametrize("event", IN_SCOPE)
def test_a_hook_that_cannot_be_started_changes_nothing(project, event):
    """The operating system refuses the process itself, as in the last row of the exit-code table."""
    outcome = fire(project, event, "exit 2", environ=TOO_MUCH)

    assert went_on(outcome)
    assert (outcome.attempts[0].error, outcome.attempts[0].exit_code) == ("spawn", None)
    assert len(outcome.warnings) == 1


@pytest.mark.req("HOOK-023", "HOOK-031", "HOOK-042", "HOOK-052", "HOOK-060", "HOOK-068")
@pytest.mark.parametrize("event", IN_SCOPE)
def test_the_warning_holds_the_exit_code_and_stderr(project, event):
    entry = {"type": "command", "name": "lint", "command": "echo 'no such rule' >&2; exit 7"}
    outcome = fire(project, event, entry)

    assert len(outcome.warnings) == 1
    assert "exit code 7" in outcome.warnings[0]
    assert "no such rule" in outcome.warnings[0]
    assert outcome.attempts[0].stderr == "no such rule\n"


@pytest.mark.req("HOOK-023", "HOOK-031")
@pytest.mark.parametrize("event", ["BeforeTool", "AfterTool"])
@pytest.mark.parametrize("end", ["kill -SEGV $$", "exec sleep 30"], ids=["crash", "timeout"])
def test_the_warning_of_a_crash_or_a_timeout_holds_stderr_too(project, event, end):
    command = f"echo 'no such rule' >&2; {end}"
    outcome = fire(project, event, {"type": "command", "name": "lint", "command": command, "timeout": 200})

    assert went_on(outcome)
    assert any("no such rule" in warning for warning in outcome.warnings)


@pytest.mark.req("HOOK-198", "HOOK-042", "HOOK-052", "HOOK-060", "HOOK-031", "HOOK-110")
@pytest.mark.parametrize("event", IN_SCOPE)
@pytest.mark.parametrize("end", ["exit 1", "exit 3", "kill -KILL $$"])
def test_stdout_of_a_failed_hook_is_ignored(project, event, end):
    outcome = fire(project, event, f"{EVERYTHING}; {end}")

    assert went_on(outcome)
    assert outcome.messages == ()
    assert any("does not count" in warning for warning in outcome.warnings)


@pytest.mark.req("HOOK-209", "HOOK-068")
@pytest.mark.parametrize("event", IN_SCOPE)
@pytest.mark.parametrize("code", [1, 3, 127])
def test_stderr_of_a_failed_hook_becomes_a_warning_for_the_model(project, event, code):
    outcome = fire(project, event, f"echo ignored; echo 'lint crashed' >&2; exit {code}")

    assert (outcome.decision, outcome.blocked, outcome.success) == ("allow", False, False)
    assert told(outcome) == [("model", "system", "Warning: lint crashed")]


@pytest.mark.req("HOOK-209", "HOOK-031")
def test_a_failed_hook_without_stderr_says_nothing(project):
    outcome = fire(project, "AfterTool", "exit 1")

    assert (outcome.decision, outcome.messages) == ("none", ())


@pytest.mark.req("HOOK-196", "HOOK-070")
def test_death_by_a_signal_is_a_failure_and_stderr_becomes_a_warning(project):
    outcome = fire(project, "BeforeTool", "echo dying >&2; kill -TERM $$")

    assert (outcome.attempts[0].exit_code, outcome.attempts[0].signal) == (None, "SIGTERM")
    assert (outcome.decision, outcome.blocked, outcome.success) == ("allow", False, False)
    assert told(outcome) == [("model", "system", "Warning: dying")]


@pytest.mark.req("HOOK-196")
def test_death_by_a_signal_without_stderr_says_nothing(project):
    outcome = fire(project, "BeforeTool", "kill -KILL $$")

    assert (outcome.decision, outcome.blocked, outcome.success, outcome.messages) == ("none", False, False, ())
    assert outcome.attempts[0].signal == "SIGKILL"


@pytest.mark.req("HOOK-070", "HOOK-160", "HOOK-213")
@pytest.mark.parametrize(
    ("command", "success", "blocked"),
    [
        ("exit 0", True, False),
        (says({"decision": "deny"}), True, True),
        (says({"continue": False}), True, False),
        ("exit 2", False, True),
        ("exit 1", False, False),
        ("exit 77", False, False),
        ("kill -KILL $$", False, False),
        ({"type": "command", "command": "exec sleep 30", "timeout": 150}, False, False),
    ],
)
def test_success_is_health_and_blocked_is_policy(project, command, success, blocked):
    outcome = fire(project, "BeforeTool", command)

    assert (outcome.success, outcome.blocked) == (success, blocked)


@pytest.mark.req("HOOK-213", "HOOK-160", "HOOK-110")
def test_health_and_policy_of_several_hooks_are_told_apart(project):
    """One hook fails, another blocks in good health: both are seen."""
    outcome = fire(project, "BeforeTool", "exit 1", says({"decision": "block", "reason": "no"}))

    assert (outcome.success, outcome.blocked, outcome.decision, outcome.reason) == (False, True, "deny", "no")
    assert [attempt.decision for attempt in outcome.attempts] == ["none", "deny"]


@pytest.mark.req("HOOK-112")
@pytest.mark.parametrize("failing", [0, 1, 2])
@pytest.mark.parametrize("sequential", [False, True])
def test_one_failure_of_three_keeps_what_the_others_said(project, failing, sequential):
    hooks = [specific(additionalContext=text) for text in ("a", "b")]
    hooks.insert(failing, f"{specific(additionalContext='lost')}; exit 7")
    outcome = fire(project, "AfterTool", *hooks, sequential=sequential)

    assert told(outcome) == [("model", "context", "a"), ("model", "context", "b")]
    assert (outcome.success, len(outcome.attempts)) == (False, 3)


@pytest.mark.req("HOOK-112")
def test_one_failure_of_three_keeps_the_changes_of_the_others(project):
    hooks = [specific(tool_input={"path": "b.txt"}), "exit 1", specific(tool_input={"content": "y"})]
    outcome = fire(project, "BeforeTool", *hooks)

    assert outcome.changes == {"input": {"path": "b.txt", "content": "y"}}


# Time-outs


def limited(command, milliseconds):
    return {"type": "command", "command": command, "timeout": milliseconds}


@pytest.mark.req("HOOK-117", "HOOK-119")
def test_a_hook_that_takes_too_long_gets_sigterm_and_may_clean_up(project):
    command = "trap 'echo TERM >> signals; exit 0' TERM; sleep 30 & wait"
    outcome = fire(project, "BeforeTool", limited(command, 300), grace=20.0)
    attempt = outcome.attempts[0]

    assert project.read("signals") == "TERM\n"
    assert 0.3 <= attempt.seconds < 15
    assert (attempt.error, outcome.success, outcome.blocked, outcome.decision) == ("timeout", False, False, "none")


@pytest.mark.req("HOOK-117")
def test_a_hook_within_its_time_gets_no_signal(project):
    command = "trap 'echo TERM >> signals; exit 0' TERM; sleep 0.2; echo done"
    outcome = fire(project, "BeforeTool", limited(command, 5000))

    assert (outcome.success, project.has("signals")) == (True, False)


@pytest.mark.req("HOOK-118")
def test_a_hook_that_ignores_sigterm_gets_sigkill_after_the_grace(project):
    command = "trap 'touch asked' TERM; echo $$ > pid; while :; do [ -e asked ] && echo x >> on; sleep 0.02; done"
    outcome = fire(project, "BeforeTool", limited(command, 300), grace=0.4)

    assert project.read("on").count("x") > 5
    assert 0.7 <= outcome.attempts[0].seconds < 15
    assert (outcome.attempts[0].error, outcome.blocked, outcome.success) == ("timeout", False, False)
    with pytest.raises(ProcessLookupError):
        os.kill(int(project.read("pid")), 0)


@pytest.mark.req("HOOK-118")
def test_the_grace_is_five_seconds(project):
    assert Engine(project.root, dialect="llxprt").grace == 5.0


@pytest.mark.req("HOOK-119")
@pytest.mark.parametrize("event", IN_SCOPE)
def test_a_timeout_is_a_warning_that_names_the_duration(project, event):
    outcome = fire(project, event, limited(f"{EVERYTHING}; exec sleep 30", 250))

    assert went_on(outcome)
    assert any(": failed: " in warning and "0.25 s" in warning for warning in outcome.warnings)


@pytest.mark.req("HOOK-119", "HOOK-112")
def test_a_timeout_of_one_hook_keeps_what_the_others_said(project):
    outcome = fire(project, "AfterTool", limited("exec sleep 30", 250), specific(additionalContext="a"))

    assert told(outcome)[-1] == ("model", "context", "a")
    assert [attempt.error for attempt in outcome.attempts] == ["timeout", None]


# A hook that does not read


@pytest.mark.req("HOOK-192")
@pytest.mark.parametrize("command", ["exec <&-; sleep 0.1; ", "exec <&-; ", ""], ids=["waits", "closes", "ignores"])
def test_a_hook_that_closes_its_stdin_early_still_decides(project, command):
    """A megabyte does not fit into a pipe: writing the rest gives EPIPE."""
    data = {**CALL, "tool_input": {"content": "x" * 1_000_000}}
    outcome = fire(project, "BeforeTool", command + says({"decision": "deny", "reason": "unread"}), data=data)

    assert (outcome.decision, outcome.blocked, outcome.reason) == ("deny", True, "unread")
    assert (outcome.success, outcome.warnings) == (True, ())


@pytest.mark.req("HOOK-192")
def test_stderr_of_a_hook_that_closes_its_stdin_early_is_still_the_reason(project):
    data = {"llm_request": {"messages": [{"role": "user", "content": "x" * 1_000_000}]}, "llm_response": RESPONSE}
    outcome = fire(project, "BeforeModel", "exec <&-; echo unread >&2; exit 2", data={**DATA["BeforeModel"], **data})

    assert (outcome.decision, outcome.blocked, outcome.reason) == ("deny", True, "unread")
