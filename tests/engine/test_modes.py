"""What an engine makes of failures, untrusted files, its environment, and the options that a hook itself may give."""

import json
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from processes import lives
from tenterhook import ConfigError
from tenterhook.testing import Did, simulate

CALL = {"tool_name": "Bash", "tool_input": {"command": "ls"}}
TENTER = str(Path(sys.executable).with_name("tenter"))


def toml(project, *hooks, name="tenterhook.toml"):
    """Hooks of our own dialect; a value as TOML, which for these is JSON, but for mappings."""
    text = "\n".join("[[hook]]\n" + "\n".join(f"{key} = {value(one)}" for key, one in hook.items()) for hook in hooks)
    return project.write(name, text)


def value(one):
    if isinstance(one, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {value(inner)}" for key, inner in one.items()) + "}"
    return json.dumps(one)


def wave(project, event, *hooks):
    entries = [{"type": "command", **(one if isinstance(one, dict) else {"command": one})} for one in hooks]
    project.write(".wave/settings.json", json.dumps({"hooks": {event: [{"hooks": entries}]}}))


def within(seconds, true):
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.01)
    return true()


def together(count, function):
    """In so many threads, all at the same moment."""
    barrier = threading.Barrier(count)

    def run():
        barrier.wait()
        function()

    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


# Failures, in each mode

FAILURES = {
    "exit": {"command": "exit 1"},
    "timeout": {"command": "sleep 30", "timeout": 0.2},
    "signal": {"command": "kill -9 $$"},
    "spawn": {"command": ["./none"]},
    "no script": {"script": "./none.py"},
    "import": {"function": "nothing.at_all"},
    "exception": {"function": "failing.boom"},
}


def failing(project, name, **more):
    project.write("failing.py", "def boom(event):\n    raise ValueError('boom')\n")
    toml(project, {"on": ["tool.before", "turn.stop", "tool.after"], **FAILURES[name], **more})


@pytest.mark.parametrize("cause", FAILURES)
def test_strict_asks_about_a_failed_hook_where_somebody_can_be_asked_and_denies_elsewhere(project, cause):
    failing(project, cause)

    before, stop, after = (
        project.fire("tenterhook", event, CALL) for event in ("tool.before", "turn.stop", "tool.after")
    )

    assert (before.mode, before.decision, before.blocked, before.success) == ("strict", "ask", False, False)
    assert (stop.decision, stop.blocked, stop.success) == ("deny", True, False)
    assert (after.decision, after.blocked, after.success) == ("none", False, False)
    assert [outcome.reason.startswith("Hook failed: ") for outcome in (before, stop)] == [True, True]


@pytest.mark.parametrize("cause", FAILURES)
@pytest.mark.parametrize("event", ["tool.before", "turn.stop", "tool.after"])
def test_faithful_goes_on_after_a_failed_hook_and_says_so(project, cause, event):
    failing(project, cause)

    outcome = project.fire("tenterhook", event, CALL, mode="faithful")

    assert (outcome.mode, outcome.decision, outcome.blocked, outcome.success) == ("faithful", "none", False, False)
    assert ["failed: " in warning for warning in outcome.warnings] == [True]


LOST = ['log line\n{"decision": "deny"}', '{"decision": "deny"']


@pytest.mark.parametrize("printed", [*LOST, '{"decision": "deny", "decision": "allow"}'])
def test_strict_denies_where_an_answer_could_not_be_read(project, printed):
    toml(project, {"on": "tool.before", "command": project.answers("hook", printed)})

    outcome = project.fire("tenterhook", "tool.before", CALL)

    assert (outcome.decision, outcome.blocked, outcome.success) == ("deny", True, False)


@pytest.mark.parametrize("answer", [{"decision": "DENY"}, {"decision": ["deny"]}, {"stop": "yes"}])
def test_strict_denies_where_a_deciding_field_says_what_nobody_knows(project, answer):
    toml(project, {"on": "tool.before", "command": project.answers("hook", answer)})

    assert project.fire("tenterhook", "tool.before", CALL).blocked
    assert not project.fire("tenterhook", "tool.before", CALL, mode="faithful").blocked


@pytest.mark.parametrize("printed", LOST)
@pytest.mark.parametrize("dialect", ["tenterhook", "wave"])
def test_faithful_never_loses_an_answer_silently(project, dialect, printed):
    hook = project.answers("hook", printed.replace("deny", "block") if dialect == "wave" else printed)
    toml(project, {"on": "tool.before", "command": hook})
    wave(project, "PreToolUse", hook)

    outcome = project.fire(dialect, "tool.before", CALL, mode="faithful")

    assert (outcome.decision, outcome.blocked) == ("none", False)
    assert ["looks like an answer" in warning for warning in outcome.warnings][:1] == [True]


@pytest.mark.parametrize("dialect", ["massgen", "moai", "amcp", "wave", "llxprt"])
def test_the_dialects_of_agents_are_faithful_and_ours_is_strict(project, dialect):
    assert project.engine(dialect).mode == "faithful"
    assert project.engine("tenterhook").mode == "strict"


def test_an_agents_dialect_can_be_strict(project):
    wave(project, "PreToolUse", "exit 1")

    assert project.fire("wave", "PreToolUse", CALL).decision == "none"
    assert project.fire("wave", "PreToolUse", CALL, mode="strict").decision == "ask"


def test_strict_changes_nothing_about_hooks_that_work(project):
    toml(project, {"on": "tool.before", "command": "true"}, {"on": "tool.before", "command": "echo text"})

    outcome = project.fire("tenterhook", "tool.before", CALL)

    assert (outcome.decision, outcome.blocked, outcome.success, outcome.warnings) == ("none", False, True, ())


# Observe


def test_observe_runs_and_records_every_hook_and_applies_nothing(project):
    answer = {"decision": "deny", "reason": "no", "stop": True, "message": "m", "suppress": True, "input": {"a": 1}}
    toml(
        project,
        {"on": "tool.before", "command": f"touch ran; {project.answers('hook', answer)}", "name": "guard"},
        {"on": "tool.before", "command": "exit 1", "name": "broken"},
    )
    heard = []

    engine = project.engine("tenterhook", mode="observe")
    engine.tap(heard.append)
    outcome = engine.fire("tool.before", **CALL)

    assert project.has("ran")
    assert (outcome.mode, outcome.decision, outcome.blocked, outcome.reason) == ("observe", "none", False, "")
    assert (outcome.stop, outcome.suppress, outcome.changes, outcome.messages) == (False, False, {}, ())
    assert [(a.hook, a.reason, a.exit_code) for a in outcome.attempts][:1] == [("guard", "no", 0)]
    assert [a.decision for a in outcome.attempts] == ["deny", "none"]
    assert [a.changed for a in outcome.attempts] == [("input.a",), ()]
    assert (outcome.success, heard) == (False, [outcome])


def test_a_mode_that_nobody_knows_is_refused_with_the_nearest(project):
    from tenterhook.errors import UsageError

    with pytest.raises(UsageError, match=r"'strikt'.*did you mean 'strict'"):
        project.engine("wave", mode="strikt")


# Off


@pytest.mark.parametrize("value", ["1", "true", "yes"])
def test_one_variable_switches_all_hooks_off_loudly(project, value):
    toml(project, {"on": "tool.before", "command": "touch ran; exit 2"})
    engine = project.engine("tenterhook", environ={"TENTERHOOK_OFF": value})
    engine.add("tool.before", lambda event: {"decision": "deny"}, name="mine")
    heard = []
    engine.tap(heard.append)

    outcome = engine.fire("tool.before", **CALL)

    assert (project.has("ran"), outcome.decision, outcome.blocked) == (False, "none", False)
    assert [(one.hook, one.why) for one in outcome.skipped] == [("mine", "disabled"), ("touch ran; exit 2", "disabled")]
    assert ["TENTERHOOK_OFF" in text for text in outcome.warnings] == [True]
    assert heard == [outcome]


@pytest.mark.parametrize("value", ["", "0", None])
def test_without_it_hooks_run(project, value):
    toml(project, {"on": "tool.before", "command": "touch ran"})

    outcome = project.fire("tenterhook", "tool.before", CALL, environ={"TENTERHOOK_OFF": value})

    assert (project.has("ran"), outcome.warnings) == (True, ())


@pytest.mark.parametrize("event", ["tool.before", "turn.stop"])
def test_being_off_is_said_where_no_hook_listens_too(project, event):
    assert project.fire("tenterhook", event, {}, environ={"TENTERHOOK_OFF": "1"}).warnings != ()


# Trust


@pytest.mark.parametrize("trust", ["ask", "none"])
def test_a_projects_hooks_do_not_run_before_somebody_trusts_them_and_a_users_do(project, trust):
    project.home(".config/tenterhook/tenterhook.toml", '[[hook]]\non = "tool.before"\ncommand = "touch user-ran"\n')
    project.write("evil.py", "open('imported', 'w')\ndef hook(event):\n    pass\n")
    toml(
        project,
        {"on": "tool.before", "command": "touch project-ran; exit 2", "name": "one"},
        {"on": "tool.before", "function": "evil.hook", "name": "two"},
    )

    outcome = project.fire("tenterhook", "tool.before", CALL, trust=trust)

    assert [project.has(name) for name in ("user-ran", "project-ran", "imported")] == [True, False, False]
    assert [(one.hook, one.why) for one in outcome.skipped] == [("one", "untrusted"), ("two", "untrusted")]
    assert not outcome.blocked


def test_trust_is_asked_for_unless_the_host_says_otherwise(project):
    from tenterhook import Engine

    toml(project, {"on": "tool.before", "command": "touch ran"})

    outcome = Engine(project.root, environ=project.environ()).fire("tool.before", **CALL)

    assert (project.has("ran"), [one.why for one in outcome.skipped]) == (False, ["untrusted"])


AMCP = '[hooks.PreToolUse]\n[[hooks.PreToolUse.handlers]]\ncommand = "touch {}"\n'


def test_untrusted_files_override_nothing(project):
    project.home(".config/amcp/hooks.toml", AMCP.format("user-ran"))
    project.write(".amcp/hooks.toml", AMCP.format("project-ran"))

    outcome = project.fire("amcp", "PreToolUse", CALL, trust="ask")

    assert (project.has("user-ran"), project.has("project-ran")) == (True, False)
    assert [one.why for one in outcome.skipped] == ["untrusted"]


def llxprt(*commands, on=True, sequential=False):
    entries = [{"type": "command", "command": command} for command in commands]
    group = {"sequential": sequential, "hooks": entries}
    return json.dumps({**({} if on is None else {"enableHooks": on}), "hooks": {"BeforeTool": [group]}})


def test_untrusted_files_switch_nothing_off(project):
    project.write(".llxprt/settings.json", llxprt("touch project-ran", on=False))
    project.home(".llxprt/settings.json", llxprt("touch user-ran"))

    outcome = project.fire("llxprt", "BeforeTool", CALL, trust="ask")

    assert (project.has("user-ran"), project.has("project-ran")) == (True, False)
    assert [one.why for one in outcome.skipped] == ["untrusted"]


def test_untrusted_files_switch_nothing_on(project):
    project.write(".llxprt/settings.json", llxprt("touch project-ran", on=True))
    project.home(".llxprt/settings.json", llxprt("touch user-ran", on=None))

    outcome = project.fire("llxprt", "BeforeTool", CALL, trust="ask")

    assert (project.has("user-ran"), project.has("project-ran")) == (False, False)
    assert sorted(one.why for one in outcome.skipped) == ["disabled", "untrusted"]


def test_untrusted_files_win_no_dedupe(project):
    project.write(".llxprt/settings.json", llxprt("touch ran; exit 2"))
    project.home(".llxprt/settings.json", llxprt("touch ran; exit 2"))

    untrusting = project.fire("llxprt", "BeforeTool", CALL, trust="ask")
    assert (project.has("ran"), untrusting.blocked) == (True, True)
    assert [one.why for one in untrusting.skipped] == ["untrusted"]

    trusting = project.fire("llxprt", "BeforeTool", CALL, trust="all")
    assert [one.why for one in trusting.skipped] == ["duplicate"]


def test_untrusted_files_make_nothing_sequential(project):
    """Two hooks of the user's that wait for each other end at once only where they run at once."""
    meet = "touch {0}; for i in $(seq 400); do [ -e {1} ] && exit 0; sleep 0.05; done; exit 2"
    project.write(".llxprt/settings.json", llxprt("touch project-ran", sequential=True))
    project.home(".llxprt/settings.json", llxprt(meet.format("a", "b"), meet.format("b", "a")))

    assert not project.fire("llxprt", "BeforeTool", CALL, trust="ask").blocked


@pytest.mark.parametrize(
    ("dialect", "name", "text"),
    [
        ("llxprt", ".llxprt/settings.json", '{"hooks": '),
        ("wave", ".wave/settings.json", "nonsense"),
        ("tenterhook", "tenterhook.toml", "[[hook]\n"),
        ("massgen", "massgen.yaml", "hooks: [\n"),
    ],
)
def test_errors_of_untrusted_files_are_warnings_and_those_of_trusted_ones_are_raised(project, dialect, name, text):
    path = project.write(name, text)
    event = "tool.before"

    outcome = project.fire(dialect, event, CALL, trust="ask")
    assert [text.startswith(f"{path}:") for text in outcome.warnings] == [True]

    with pytest.raises(ConfigError) as caught:
        project.fire(dialect, event, CALL, trust="all")
    assert caught.value.file == str(path)


def test_the_users_hooks_run_beside_a_broken_untrusted_file(project):
    project.write(".llxprt/settings.json", '{"hooks": ')
    project.home(".llxprt/settings.json", llxprt("touch user-ran"))

    project.fire("llxprt", "BeforeTool", CALL, trust="ask")

    assert project.has("user-ran")


# A hook's own word about its failures, in every dialect


def configure(project, dialect, program, ours, **entry):
    """One hook before a tool, with our options beside those of the dialect."""
    ours = {"tenterhook": ours}
    as_json = json.dumps
    if dialect == "tenterhook":
        toml(project, {"on": "tool.before", "command": program, **entry, **ours["tenterhook"]})
    elif dialect == "massgen":
        hook = {"handler": program, "type": "command", **entry, **ours}
        project.write("massgen.yaml", as_json({"hooks": {"PreToolUse": [hook]}}))
    elif dialect == "amcp":
        hook = {"type": "command", "command": program, **entry, **ours}
        project.write(".amcp/hooks.json", as_json({"hooks": {"PreToolUse": {"handlers": [hook]}}}))
    elif dialect == "llxprt":
        entry = {key: one * 1000 for key, one in entry.items()}
        group = {"hooks": [{"type": "command", "command": program, **entry, **ours}]}
        project.write(".llxprt/settings.json", as_json({"enableHooks": True, "hooks": {"BeforeTool": [group]}}))
    else:
        group = {"hooks": [{"type": "command", "command": program, **entry, **ours}]}
        folder = {"wave": ".wave", "moai": ".claude"}[dialect]
        project.write(f"{folder}/settings.json", as_json({"hooks": {"PreToolUse": [group]}}))


DIALECTS = ["massgen", "moai", "amcp", "wave", "llxprt", "tenterhook"]
OPEN = {"exit": "exit 1\n", "timeout": "sleep 30\n", "signal": "kill -9 $$\n"}
LIMIT = {"exit": 20, "timeout": 0.3, "signal": 20}


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("cause", OPEN)
def test_a_hook_may_say_that_its_failure_denies(project, dialect, cause):
    configure(project, dialect, project.script("hook", OPEN[cause]), {"on_failure": "deny"}, timeout=LIMIT[cause])

    outcome = project.fire(dialect, "tool.before", CALL)

    assert (outcome.decision, outcome.blocked, outcome.success) == ("deny", True, False)
    assert outcome.reason.startswith("Hook failed: ")
    assert ("model", "reason", outcome.reason) in project.told(outcome)
    assert not any("on_failure" in warning for warning in outcome.warnings)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("cause", ["exit", "timeout"])
def test_a_hook_may_say_so_for_one_cause_only(project, dialect, cause):
    policy = {"on_failure": {"timeout": "deny", "default": "allow"}}
    configure(project, dialect, project.script("hook", OPEN[cause]), policy, timeout=LIMIT[cause])

    outcome = project.fire(dialect, "tool.before", CALL)

    assert (outcome.blocked, outcome.success) == (cause == "timeout", False)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_hook_may_say_that_its_failure_asks_and_a_dialect_that_cannot_ask_denies(project, dialect):
    configure(project, dialect, project.script("hook", "exit 1\n"), {"on_failure": "ask"})

    outcome = project.fire(dialect, "tool.before", CALL)

    assert outcome.decision == ("deny" if dialect == "llxprt" else "ask")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_hook_may_say_that_its_failure_is_nothing_even_to_a_strict_engine(project, dialect):
    configure(project, dialect, project.script("hook", "exit 1\n"), {"on_failure": "allow"})

    outcome = project.fire(dialect, "tool.before", CALL, mode="strict")

    assert (outcome.decision in ("none", "allow"), outcome.blocked, outcome.success) == (True, False, False)


def test_a_hooks_own_word_opens_what_its_dialect_closes(project):
    hook = {"handler": "no.such", "type": "python", "tenterhook": {"on_failure": {"import": "allow"}}}
    project.write("massgen.yaml", json.dumps({"hooks": {"PreToolUse": [hook]}}))

    outcome = project.fire("massgen", "PreToolUse", CALL)

    assert (outcome.blocked, outcome.success) == (False, False)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("wrong", ["closed", {"tiemout": "deny"}, {"timeout": "never"}, 7])
def test_a_policy_or_cause_that_nobody_knows_is_said_with_its_place(project, dialect, wrong):
    configure(project, dialect, project.script("hook", "true\n"), {"on_failure": wrong})

    warnings = project.fire(dialect, "tool.before", CALL).warnings

    assert len(warnings) == 1
    assert warnings[0].startswith(str(project.root))
    assert all(part.isdigit() for part in warnings[0].split(": ")[0].split(":")[1:])


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_failing_decision_of_a_hook_that_worked_is_no_failure(project, dialect):
    configure(project, dialect, project.answers("hook", "", exit_code=2, stderr="no"), {"on_failure": "allow"})

    outcome = project.fire(dialect, "tool.before", CALL)

    assert (outcome.blocked, outcome.reason) == (True, "no")


# Hooks inside hooks

LIBRARY = "import tenterhook\nengine = tenterhook.Engine('.', trust='all')\nprint(engine.fire('turn.stop').warnings)\n"


@pytest.mark.parametrize(
    "inner",
    [f"{shlex.quote(TENTER)} fire turn.stop --trust", f"{shlex.quote(sys.executable)} inner.py"],
    ids=["the command", "the library"],
)
def test_hooks_do_not_run_inside_hooks(project, inner):
    project.write("inner.py", LIBRARY)
    toml(project, {"on": "turn.stop", "command": f"echo ran >> runs; {inner} > inner.out"})

    outcome = project.fire("tenterhook", "turn.stop", {})

    assert outcome.success
    assert project.read("runs").split() == ["ran"]
    assert "hooks do not run inside hooks" in project.read("inner.out")


def test_hooks_do_not_run_inside_hooks_of_another_dialect_or_in_grandchildren(project):
    wave(project, "Stop", "touch never")
    inner = f"{shlex.quote(TENTER)} fire Stop --dialect wave --trust > inner.json"
    toml(project, {"on": "turn.stop", "command": f"sh -c {shlex.quote(f'sh -c {shlex.quote(inner)}')}"})

    project.fire("tenterhook", "turn.stop", {})

    assert not project.has("never")
    assert [one["why"] for one in project.json("inner.json")["skipped"]] == ["disabled"]


# once, if, priority


def test_a_hook_that_runs_once_runs_at_the_first_event_that_fits(project):
    toml(project, {"on": "tool.before", "command": "echo ran >> runs", "once": True, "match": "Bash"})
    engine = project.engine("tenterhook")

    outcomes = [engine.fire("tool.before", tool_name=name, tool_input={}) for name in ("Read", "Bash", "Bash")]

    assert project.read("runs").split() == ["ran"]
    assert [[one.why for one in outcome.skipped] for outcome in outcomes] == [["matcher"], [], ["once"]]


def test_a_hook_that_runs_once_does_so_once_for_each_engine(project):
    toml(project, {"on": "tool.before", "command": "echo ran >> runs", "once": True})

    for _ in range(2):
        project.fire("tenterhook", "tool.before", CALL)

    assert project.read("runs").split() == ["ran", "ran"]


def test_each_hook_that_runs_once_has_its_own_turn(project):
    """Also where one was taken away before the next was added, and the next one stands where it stood in memory."""
    engine = project.engine("tenterhook", files=False)
    runs = []
    for n in range(100):
        undo = engine.add("tool.before", lambda event, n=n: runs.append(n), once=True)
        engine.fire("tool.before", **CALL)
        engine.fire("tool.before", **CALL)
        undo()

    assert runs == list(range(100))


def test_a_hook_that_runs_once_does_so_once_for_all_threads(project):
    runs, rounds, threads = [], 100, 8
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(rounds):
            engine = project.engine("tenterhook", files=False)
            engine.add("tool.before", lambda event: runs.append(1), once=True, match="Bash")
            engine.fire("tool.before", tool_name="Read", tool_input={})
            together(threads, lambda engine=engine: engine.fire("tool.before", **CALL))
    finally:
        sys.setswitchinterval(interval)

    assert len(runs) == rounds


@pytest.mark.parametrize("dialect", ["wave", "amcp"])
def test_once_may_stand_in_an_agents_own_config(project, dialect):
    configure(project, dialect, "echo ran >> runs", {"once": True})
    engine = project.engine(dialect)

    for _ in range(3):
        engine.fire("PreToolUse", **CALL)

    assert project.read("runs").split() == ["ran"]


@pytest.mark.parametrize(
    ("condition", "runs"),
    [
        ({"tool_input.command": "git push*"}, True),
        ({"tool_input.command": ["rm *", "git *"]}, True),
        ({"tool_input.command": "git"}, False),
        ({"tool_input.command": "rm *"}, False),
        ({"tool_input.path": "*"}, False),
        ({"tool_input.force": True}, True),
        ({"tool_input.force": "True"}, True),
        ({"tool_input.count": 3}, True),
        ({"tool_input.count": 4}, False),
        ({"tool_input.command": "git *", "tool_input.count": 4}, False),
        ({"session_id": "s-*"}, True),
    ],
)
@pytest.mark.parametrize("dialect", ["tenterhook", "wave"])
def test_a_hook_may_have_conditions_on_the_event(project, dialect, condition, runs):
    configure(project, dialect, "touch ran", {"if": condition})
    data = {"tool_input": {"command": "git push --force", "force": True, "count": 3}, "session_id": "s-1"}

    outcome = project.fire(dialect, "tool.before", {"tool_name": "Bash", **data})

    assert project.has("ran") is runs
    assert [one.why for one in outcome.skipped] == ([] if runs else ["condition"])


def test_a_condition_sees_the_event_as_it_was_not_what_memory_says_of_the_tool(project):
    toml(project, {"on": "tool.before", "command": "echo ran >> runs", "if": {"tool_input.command": "rm *"}})
    engine = project.engine("tenterhook")

    for command in ("ls", "rm a", "ls", "rm b"):
        engine.fire("tool.before", tool_name="Bash", tool_input={"command": command})

    assert project.read("runs").split() == ["ran", "ran"]


def test_hooks_of_higher_priority_run_first_and_equals_as_they_were_written(project):
    def hook(word, **more):
        return {"on": "tool.before", "command": f"printf {word} >> order", "sequential": True, **more}

    toml(project, hook("c"), hook("d"), hook("a", priority=10), hook("e", priority=-1), hook("b", priority=1))

    project.fire("tenterhook", "tool.before", CALL)

    assert project.read("order") == "abcde"


def test_functions_of_the_host_come_before_hooks_of_files_of_the_same_priority(project):
    toml(project, {"on": "tool.before", "command": "printf file, >> order", "sequential": True})
    engine = project.engine("tenterhook")

    def note(word):
        def hook(event):
            with (project.root / "order").open("a") as order:
                order.write(word)

        return hook

    engine.add("tool.before", note("last,"), priority=-1)
    engine.add("tool.before", note("code,"))

    engine.fire("tool.before", **CALL)

    assert project.read("order") == "code,file,last,"


# What hooks leave running

LEAVES = 'sleep 60 & echo $! > pid; echo \'{"decision": "deny"}\''


@pytest.fixture
def leftover(project):
    """The pid of what a hook left running; ended whatever the test did."""

    def pid():
        return int(project.read("pid"))

    yield pid
    if project.has("pid"):
        try:
            os.kill(pid(), signal.SIGKILL)
        except ProcessLookupError:
            return


@pytest.mark.parametrize("ours", [{"leftovers": "keep"}, {"sandbox": "off"}])
@pytest.mark.parametrize("dialect", ["tenterhook", "amcp"])
def test_what_a_hook_leaves_running_goes_on_and_its_decision_counts_at_once(project, leftover, dialect, ours):
    """The child holds the hook's stdout; nobody waits for it. Of a confined hook it goes on where the entry says so."""
    decided = LEAVES if dialect == "tenterhook" else LEAVES.replace("echo '{", "echo no >&2; exit 2; echo '{")
    configure(project, dialect, decided, ours, timeout=20)

    began = time.monotonic()
    with project.engine(dialect) as engine:
        outcome = engine.fire("tool.before", **CALL)
    assert time.monotonic() - began < 15

    assert (outcome.blocked, outcome.success) == (True, True)
    time.sleep(0.3)
    assert lives(leftover())


@pytest.mark.parametrize("dialect", ["tenterhook", "amcp"])
@pytest.mark.parametrize(
    "how", ["sleep 60 &", "nohup sleep 60 > /dev/null 2>&1 &", "setsid sleep 60 &", "trap '' TERM; sleep 60 &"]
)
def test_a_hook_may_have_what_it_leaves_running_ended(project, leftover, dialect, how):
    configure(project, dialect, f"{how}sleep 60 & echo $! > pid; exit 2", {"leftovers": "end"})

    outcome = project.fire(dialect, "tool.before", CALL)

    assert (outcome.blocked, outcome.success) == (True, True)
    assert within(2, lambda: not lives(leftover()))


def test_a_time_out_ends_the_whole_family(project, leftover):
    toml(project, {"on": "tool.before", "command": "sleep 60 & echo $! > pid; sleep 60", "timeout": 0.3})

    outcome = project.fire("tenterhook", "tool.before", CALL)

    assert outcome.attempts[0].error == "timeout"
    assert within(2, lambda: not lives(leftover()))


def test_after_a_one_shot_fire_what_was_left_running_goes_on(project, leftover):
    command = "sleep 60 > /dev/null 2>&1 & echo $! > pid"
    toml(project, {"on": "turn.stop", "command": command, "leftovers": "keep"})

    done = subprocess.run(
        [TENTER, "fire", "turn.stop", "--trust"],
        cwd=project.root,
        env=project.environ(),
        capture_output=True,
        timeout=20,
    )

    assert done.returncode == 0
    time.sleep(0.3)
    assert lives(leftover())


# Strict: the final input, the environment

GUARD = """import json, sys
event = json.load(sys.stdin)
print(event["tool_input"]["path"], file=open("seen", "a"))
if event["tool_input"]["path"].startswith("/etc"):
    print("not in /etc", file=sys.stderr)
    sys.exit(2)
"""


@pytest.mark.parametrize("sequential", [True, False])
def test_a_strict_engine_shows_the_final_input_to_those_that_judged_another(project, sequential):
    project.script("guard.py", GUARD)
    rewrite = project.answers("rewrite", {"input": {"path": "/etc/passwd"}})
    toml(
        project,
        {"on": "tool.before", "command": "./guard.py", "name": "guard", "sequential": sequential},
        {"on": "tool.before", "command": rewrite, "name": "rewrite"},
    )
    data = {"tool_name": "Write", "tool_input": {"path": "notes"}}

    outcome = project.fire("tenterhook", "tool.before", data)

    assert (outcome.decision, outcome.blocked, outcome.reason) == ("deny", True, "not in /etc")
    assert project.read("seen").split() == ["notes", "/etc/passwd"]


def test_a_faithful_engine_does_not(project):
    project.script("guard.py", GUARD)
    rewrite = {"hookSpecificOutput": {"updatedInput": {"path": "/etc/passwd"}}}
    wave(project, "PreToolUse", "./guard.py", project.answers("rewrite", rewrite))
    data = {"tool_name": "Write", "tool_input": {"path": "notes"}}

    faithful = project.fire("wave", "PreToolUse", data)
    assert (faithful.blocked, project.read("seen").split()) == (False, ["notes"])

    strict = project.fire("wave", "PreToolUse", data, mode="strict")
    assert (strict.blocked, strict.reason) == (True, "not in /etc")


def test_hooks_that_saw_the_final_input_are_not_asked_again(project):
    project.script("guard.py", GUARD)
    rewrite = project.answers("rewrite", {"input": {"path": "b"}})
    toml(
        project,
        {"on": "tool.before", "command": rewrite, "sequential": True, "priority": 1},
        {"on": "tool.before", "command": "./guard.py"},
    )

    outcome = project.fire("tenterhook", "tool.before", {"tool_name": "Write", "tool_input": {"path": "a"}})

    assert project.read("seen").split() == ["b"]
    assert (outcome.blocked, outcome.changes) == (False, {"input": {"path": "b"}})


def test_the_second_look_refuses_but_changes_nothing(project):
    """A hook that always adds to the input adds once."""
    engine = project.engine("tenterhook", files=False)
    engine.add("tool.before", lambda event: {"input": {"path": event.tool_input["path"] + "x"}}, sequential=True)

    outcome = engine.fire("tool.before", tool_name="Write", tool_input={"path": "a"})

    assert (outcome.blocked, outcome.changes) == (False, {"input": {"path": "ax"}})


HOST = {
    "SECRET_TOKEN": "s",
    "AWS_SECRET_ACCESS_KEY": "k",
    "LD_PRELOAD_NOT": "x",
    "PYTHONSTARTUP": "p",
    "LANG": "C",
    "LC_ALL": "C",
    "EXTRA": "e",
}


def environment(project, dialect, ours, **options):
    configure(project, dialect, "env > env", ours)
    project.fire(dialect, "tool.before", CALL, environ=HOST, **options)
    return dict(line.split("=", 1) for line in project.read("env").splitlines() if "=" in line)


@pytest.mark.parametrize(("dialect", "mode"), [("tenterhook", ""), ("wave", "strict")])
def test_the_environment_of_a_strict_engine_is_an_allow_list(project, dialect, mode):
    env = environment(project, dialect, {}, mode=mode)

    assert not {"SECRET_TOKEN", "AWS_SECRET_ACCESS_KEY", "LD_PRELOAD_NOT", "PYTHONSTARTUP", "EXTRA"} & env.keys()
    wanted = {"PATH": os.environ["PATH"], "HOME": str(project.home_folder), "LANG": "C", "LC_ALL": "C"}
    assert {name: env.get(name) for name in wanted} == wanted
    own = "TENTERHOOK_PROJECT" if dialect == "tenterhook" else "WAVE_PROJECT_DIR"
    assert env[own] == str(project.root)


@pytest.mark.parametrize(("dialect", "mode"), [("tenterhook", "faithful"), ("wave", "")])
def test_the_environment_of_a_faithful_engine_is_the_hosts_where_secrets_pass(project, dialect, mode):
    env = environment(project, dialect, {}, mode=mode, secrets="pass")

    assert {name: env.get(name) for name in HOST} == HOST


@pytest.mark.parametrize("dialect", ["tenterhook", "wave", "amcp"])
def test_a_hook_names_what_it_needs_of_the_environment(project, dialect):
    env = environment(project, dialect, {"env": ["EXTRA", "NOT_THERE"]}, mode="strict")

    assert (env["EXTRA"], "NOT_THERE" in env, "SECRET_TOKEN" in env) == ("e", False, False)


@pytest.mark.parametrize("dialect", ["tenterhook", "wave", "amcp"])
def test_a_hook_may_set_variables_of_its_own(project, dialect):
    env = environment(project, dialect, {"env": {"LEVEL": "high $HOME", "LANG": "de"}}, mode="strict")

    assert (env["LEVEL"], env["LANG"]) == ("high $HOME", "de")


@pytest.mark.parametrize(
    "host", [os.environ, {"PATH": os.environ["PATH"], "HOME": "/"}], ids=["os.environ", "a mapping"]
)
def test_a_change_of_the_environment_between_two_events_reaches_the_next_hook(project, monkeypatch, host):
    """Also one that leaves as many variables as there were, and one of a secret's."""
    configure(project, "wave", "env > env", {})
    monkeypatch.setitem(host, "NOTE", "first")
    engine = project.engine("wave")
    engine.environ = host  # itself: what the project gives an engine is a copy
    seen = []
    for changes in ({}, {"NOTE": "second"}, {"NOTE_TOKEN": "abcdefgh"}, {"NOTE": "abc", "PLAIN": "ghp_" + "x" * 36}):
        for name, value in changes.items():
            monkeypatch.setitem(host, name, value)
        engine.fire("tool.before", **CALL)
        seen.append([line for line in project.read("env").splitlines() if line.startswith(("NOTE", "PLAIN"))])
    monkeypatch.delitem(host, "NOTE")
    engine.fire("tool.before", **CALL)

    assert seen == [["NOTE=first"], ["NOTE=second"], ["NOTE=second"], ["NOTE=abc"]]
    assert "NOTE=" not in project.read("env")


# Agents


def test_functions_may_be_for_one_agent(project):
    engine = project.engine("massgen", files=False)
    engine.add("PreToolUse", lambda event: {"decision": "deny"}, agent="a1")

    assert [engine.fire("PreToolUse", **CALL, agent_id=agent).blocked for agent in ("a1", "a2", "")] == [
        True,
        False,
        False,
    ]


def test_the_engines_own_agent_outranks_the_events(project):
    engine = project.engine("massgen", files=False, agent="a1")
    engine.add("PreToolUse", lambda event: {"decision": "deny"}, agent="a1")

    assert engine.fire("PreToolUse", **CALL, agent_id="a2").blocked


@pytest.mark.parametrize("sequential", [True, False])
def test_a_failure_that_asks_does_not_keep_a_later_hook_from_refusing(sequential):
    acts = [Did(error="timeout"), Did(stdout='{"permissionDecision": "deny", "permissionDecisionReason": "no"}')]
    outcome = simulate("copilot", "preToolUse", acts, mode="strict", sequential=sequential)

    assert (outcome.decision, outcome.skipped) == ("deny", ())


def test_a_function_that_answers_with_nothing_to_say_is_not_silent():
    assert simulate("cursor", "preToolUse", [Did(answer={})], on_failure={"default": "ask"}).success
