"""Hooks in the background: started, never waited for, heard on the next turn, ended with their session."""

from __future__ import annotations

import asyncio
import gc
import json
import re
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from conftest import Project
from hosts.living import Does, Told, command, groups, hasty, running_in, soon, toml, twins
from processes import LINUX, linux
from requirements.llxprt import OUT_OF_SCOPE, group, settings, specific
from tenterhook import Engine, Outcome, UsageError, dialects
from tenterhook.hosts.session import Session

MOAI = ".claude/settings.json"
# Until the test lets it go on.
GATE = "until [ -e go ]; do sleep 0.01; done; "
BOTH = pytest.mark.parametrize("dialect", ["moai", "tenterhook"])


def configured(project: Project, dialect: str, event: str, text: str, **more: Any) -> None:
    """One hook in the background, written as the dialect writes it."""
    if dialect == "moai":
        names = {"tool.before": "PreToolUse", "tool.after": "PostToolUse", "prompt.submit": "UserPromptSubmit"}
        names |= {"notify": "Notification", "session.end": "SessionEnd", "agent.start": "SubagentStart"}
        names |= {"teammate.idle": "TeammateIdle"}
        groups(project, MOAI, **{names[event]: command(text, name="late", **{"async": True}, **more)})
    else:
        toml(project, {"on": event, "name": "late", "command": text, "background": True, **more})


def opened(project: Project, dialect: str, **options: Any) -> tuple[Session, Told, list[Outcome]]:
    """A session, its user, and what a tap hears."""
    told, heard = Told(), []
    engine = project.engine(dialect)
    engine.tap(heard.append)
    return engine.session(tell=told, **options), told, heard


def late(heard: list[Outcome]) -> list[Outcome]:
    """The outcomes that came after their events: those have an attempt that is no mere start."""
    return [one for one in heard if any(attempt.exit_code is not None or attempt.error for attempt in one.attempts)]


def printing(**answer: Any) -> str:
    return f"echo '{json.dumps(answer)}'"


SYSTEM = {"moai": "systemMessage", "tenterhook": "message"}
CONTEXT = {"moai": "additionalContext", "tenterhook": "context"}


def for_the_model(dialect: str, text: str) -> list[str]:
    """What the model is told of a system message, beside the user."""
    return [f'<hook name="late" kind="system">\n{text}\n</hook>'] if dialect == "moai" else []


# Started, not waited for, delivered


@pytest.mark.req("CC-TYPE-async")
@twins
@BOTH
def test_the_tool_does_not_wait_and_the_result_comes_with_the_next_prompt(
    project: Project, does: Does, dialect: str
) -> None:
    answer = {SYSTEM[dialect]: "lint is done", CONTEXT[dialect]: "2 errors in a.py"}
    configured(project, dialect, "tool.after", GATE + printing(**answer))
    session, told, heard = opened(project, dialect)

    result = session.tool("Edit")(lambda path: "edited")(path="a.py")

    assert (result.llm_content, result.user_messages) == ("edited", ())
    assert "background" in heard[-1].attempts[0].detail
    assert does(session, "prompt", "Go on.").text == "Go on."
    assert told == []

    project.write("go", "")
    assert soon(lambda: late(heard))
    assert told == []  # on the next turn, not before
    words = [*for_the_model(dialect, "lint is done"), '<hook name="late" kind="context">\n2 errors in a.py\n</hook>']
    assert sorted(does(session, "prompt", "And now?").text.split("\n\n")) == sorted(["And now?", *words])
    assert told == ["[hook late] lint is done"]
    assert (does(session, "prompt", "x").text, session.pending(), len(told)) == ("x", [], 1)


IN_CLAUDE = pytest.mark.parametrize("dialect", ["moai", "claude"])
# What a hook in the background does, what the model is told of it on the next turn, and what the user is.
LATE = {
    "systemMessage": (printing(systemMessage="lint is done"), ("system", "lint is done"), ["lint is done"]),
    "additionalContext": (
        printing(hookSpecificOutput={"hookEventName": "PostToolUse", "additionalContext": "2 errors"}),
        ("context", "2 errors"),
        [],
    ),
    "exit 2": ("echo 3 tests fail >&2; exit 2", ("feedback", "3 tests fail"), []),
    "a block": (printing(decision="block", reason="3 tests fail"), ("feedback", "3 tests fail"), []),
}


@pytest.mark.req("CC-TYPE-async")
@IN_CLAUDE
@pytest.mark.parametrize("what", LATE)
def test_results_reach_the_model_on_the_next_turn_as_in_claude_code(project: Project, dialect: str, what: str) -> None:
    text, (kind, words), for_user = LATE[what]
    project.script("late.sh", text + "\n")
    groups(project, MOAI, PostToolUse=command("./late.sh", **{"async": True}))
    session, told, heard = opened(project, dialect)

    result = session.tool("Edit")(lambda path: "edited")(path="a.py")
    assert soon(lambda: late(heard))

    assert (result.llm_content, result.user_messages) == ("edited", ())
    assert session.prompt("Go on.").text == f'Go on.\n\n<hook name="late.sh" kind="{kind}">\n{words}\n</hook>'
    assert told == [f"[hook late.sh] {one}" for one in for_user]


@pytest.mark.req("CC-TYPE-async")
@IN_CLAUDE
@pytest.mark.parametrize(
    ("event", "moment"),
    [("SessionStart", ("start",)), ("Notification", ("notify", "a", "b")), ("Stop", ("stop", "done"))],
)
def test_the_stderr_of_an_exit_2_reaches_the_model_whatever_the_event_was(
    project: Project, dialect: str, event: str, moment: tuple[str, ...]
) -> None:
    project.script("late.sh", "echo 3 tests fail >&2; exit 2\n")
    groups(project, MOAI, **{event: command("./late.sh", **{"async": True})})
    session, _, heard = opened(project, dialect)

    getattr(session, moment[0])(*moment[1:])
    assert soon(lambda: late(heard))

    assert session.prompt("Go on.").text == 'Go on.\n\n<hook name="late.sh" kind="feedback">\n3 tests fail\n</hook>'


@pytest.mark.req("CC-TYPE-async")
@IN_CLAUDE
@pytest.mark.parametrize(
    ("text", "warning"),
    [
        ("echo 3 tests fail", "printed text in the background, which is dropped here"),
        ("exit 2", "does not count in the background"),
        (printing(**{"continue": False, "stopReason": "over"}), "does not count in the background"),
    ],
    ids=["plain text", "a silent exit 2", "a stop"],
)
def test_what_no_one_is_told_of_a_late_hook_is_warned_about(
    project: Project, caplog: pytest.LogCaptureFixture, dialect: str, text: str, warning: str
) -> None:
    project.script("late.sh", text + "\n")
    groups(project, MOAI, PostToolUse=command("./late.sh", **{"async": True}))
    session, _, heard = opened(project, dialect)

    session.tool("Edit")(lambda path: "edited")(path="a.py")
    assert soon(lambda: late(heard))

    assert [one for one in late(heard)[0].warnings if warning in one]
    [record] = caplog.records
    assert record.getMessage().startswith("PostToolUse: late.sh: ")
    assert warning in record.getMessage()


@pytest.mark.req("CC-TYPE-async")
@BOTH
def test_what_is_late_comes_through_pending_too(project: Project, dialect: str) -> None:
    configured(project, dialect, "notify", printing(**{SYSTEM[dialect]: "u", CONTEXT[dialect]: "m"}))
    session, told, heard = opened(project, dialect)

    session.notify("idle_prompt", "x")
    assert soon(lambda: late(heard))

    words = ['<hook name="late" kind="context">\nm\n</hook>', *for_the_model(dialect, "u")]
    assert sorted(session.pending()) == sorted(words)
    assert (told, session.pending()) == (["[hook late] u"], [])


@twins
def test_what_is_late_goes_with_the_reason_to_go_on(project: Project, does: Does) -> None:
    configured(project, "tenterhook", "notify", printing(context="late words"))
    session, _, heard = opened(project, "tenterhook")
    session.engine.add("turn.stop", lambda event: {"decision": "deny", "reason": "go on"})
    does(session, "notify", "a", "b")
    assert soon(lambda: late(heard))

    assert "late words" in does(session, "stop").text
    assert session.pending() == []


def test_an_event_loop_never_stands_still_for_them(project: Project) -> None:
    configured(project, "tenterhook", "notify", GATE + "exit 2")
    session, _, _ = opened(project, "tenterhook")

    async def host() -> list[Outcome]:
        async with asyncio.timeout(2):
            return [await session.anotify("a", "b") for _ in range(5)]

    assert [one.blocked for one in asyncio.run(host())] == [False] * 5
    session.end()


@pytest.mark.req("CC-TYPE-async")
@BOTH
@pytest.mark.parametrize(
    "answer",
    [
        "echo no >&2; exit 2",
        {"decision": "deny", "reason": "no"},
        {"decision": "block", "reason": "no"},
        {"continue": False, "stopReason": "over"},
        {"stop": True, "stop_reason": "over"},
        {"hookSpecificOutput": {"updatedInput": {"command": "evil"}}},
        {"input": {"command": "evil"}},
        "exit 1",
    ],
)
def test_they_decide_nothing(project: Project, dialect: str, answer: Any) -> None:
    text = answer if isinstance(answer, str) else printing(**answer)
    configured(project, dialect, "tool.before", text)
    session, _, heard = opened(project, dialect)
    given: list[str] = []

    result = session.tool("Bash")(lambda command: given.append(command) or "done")(command="ls")
    assert soon(lambda: late(heard))
    session.prompt("x")

    assert (given, result.error, result.stop) == (["ls"], None, False)
    [outcome] = late(heard)
    assert (outcome.decision, outcome.blocked, outcome.stop, outcome.changes) == ("none", False, False, {})


@pytest.mark.req("CC-TYPE-async")
@twins
@BOTH
@pytest.mark.parametrize("event", ["prompt.submit", "teammate.idle"])
def test_they_neither_erase_a_prompt_nor_keep_an_agent_going(
    project: Project, does: Does, dialect: str, event: str
) -> None:
    configured(project, dialect, event, "echo no >&2; exit 2")
    session, told, heard = opened(project, dialect)

    assert does(session, "prompt", "Hello.").text == "Hello."
    assert not does(session, "idle").goes_on
    assert soon(lambda: late(heard))

    texts = [*session.pending(), *told]  # the words are told: where the dialect says system messages go
    assert len(texts) == 1
    assert "no" in texts[0]


@pytest.mark.req("CC-TYPE-async")
@BOTH
def test_time_outs_bind_in_the_background_too(project: Project, dialect: str) -> None:
    configured(project, dialect, "notify", "sleep 30 & sleep 30", timeout=0.2)
    session, told, heard = opened(project, dialect)

    session.notify("a", "b")

    assert soon(lambda: late(heard))
    assert late(heard)[0].attempts[0].error == "timeout"
    assert session.pending() == []
    assert len(told) == 1
    assert "no answer within 0.2 s" in told[0]
    assert not LINUX or not running_in(project.root)


@pytest.mark.req("CC-TYPE-async")
@twins
@BOTH
def test_without_a_session_there_is_no_next_turn_so_the_event_waits(project: Project, does: Does, dialect: str) -> None:
    answer = {SYSTEM[dialect]: "said"}
    configured(project, dialect, "notify", "sleep 0.05; " + printing(**answer))
    engine = project.engine(dialect)

    outcome = does(engine, "fire", "notify", type="a", message="b")

    readers = ["user", "model"] if dialect == "moai" else ["user"]
    assert [(one.to, one.text) for one in outcome.messages] == [(reader, "said") for reader in readers]
    assert outcome.attempts[0].exit_code == 0


def test_taps_hear_of_the_event_at_once_and_of_the_late_outcome_when_it_is_there(project: Project) -> None:
    configured(project, "tenterhook", "notify", GATE + printing(context="x"))
    session, _, heard = opened(project, "tenterhook")

    session.notify("a", "b")
    assert [(one.event, one.messages) for one in heard] == [("notify", ())]
    project.write("go", "")

    assert soon(lambda: len(heard) == 2)
    assert (heard[1].event, heard[1].dialect, heard[1].attempts[0].exit_code) == ("notify", "tenterhook", 0)
    assert [one.text for one in heard[1].messages] == ["x"]
    assert heard[0].id != heard[1].id


def test_who_waits_for_a_late_hook_goes_on_when_its_outcome_is_journaled_logged_and_told(project: Project) -> None:
    configured(project, "tenterhook", "notify", printing(context="x"))
    engine, heard = project.engine("tenterhook"), []

    def hear_slowly(outcome: Outcome) -> None:
        time.sleep(0.3 if late([outcome]) else 0)
        heard.append(outcome)

    engine.tap(hear_slowly)
    session = engine.session()

    session.notify("a", "b")
    session.background.wait()

    assert [outcome.messages[0].text for outcome in late(heard)] == ["x"]


@pytest.mark.parametrize("guard", ["once = true", "if = {tool_name = 'X'}"])
def test_a_change_of_the_input_does_not_run_them_a_second_time(project: Project, guard: str) -> None:
    """A strict engine looks again at hooks with conditions when the input has changed; these have their start."""
    changing = json.dumps(printing(input={"command": "ls -a"}))
    text = f"""
[[hook]]
on = "tool.before"
command = {changing}

[[hook]]
on = "tool.before"
command = "echo ran >> runs"
background = true

[[hook]]
on = "tool.before"
command = "true"
{guard}
"""
    project.write("tenterhook.toml", text)
    session, _, heard = opened(project, "tenterhook")
    given: list[str] = []

    session.tool("Bash")(lambda command: given.append(command))(command="ls")

    assert given == ["ls -a"]
    assert soon(lambda: len(heard) > 2)  # before, after, late
    assert project.read("runs") == "ran\n"


def test_one_that_was_refused_is_not_run_and_waited_for_because_the_input_changed(project: Project) -> None:
    toml(
        project,
        {"on": "notify", "command": GATE + "true", "background": True},
        {"on": "tool.before", "command": printing(input={"command": "ls -a"}), "once": True},
        {"on": "tool.before", "name": "late", "command": "touch ran", "background": True},
    )
    session, _, heard = opened(project, "tenterhook", background_limit=1)
    for _ in range(101):
        session.notify("a", "b")

    session.tool("Bash")(lambda command: command)(command="ls")

    [before] = [one for one in heard if one.event == "tool.before"]
    assert [(one.hook, one.why) for one in before.skipped] == [("late", "too many in the background")]
    assert not project.has("ran")


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_under_which_none_could_ever_run_is_refused(project: Project, limit: int) -> None:
    with pytest.raises(UsageError, match="background_limit"):
        project.engine("tenterhook").session(background_limit=limit)


# Bounds


@linux
def test_so_many_run_at_once_and_the_others_wait_their_turn(project: Project) -> None:
    configured(project, "tenterhook", "notify", "echo >> started; exec 2>&-; " + GATE + printing(context="x"))
    session, _, heard = opened(project, "tenterhook", background_limit=2)

    for n in range(5):
        assert session.notify("a", str(n)).skipped == ()
    assert soon(lambda: project.has("started") and len(project.read("started")) == 2)
    time.sleep(0.1)
    assert len(project.read("started")) == 2

    project.write("go", "")
    assert soon(lambda: len(late(heard)) == 5)
    assert len(session.pending()) == 5


def test_what_is_beyond_that_is_refused_and_said(project: Project, caplog: pytest.LogCaptureFixture) -> None:
    configured(project, "tenterhook", "notify", GATE + printing(context="x"))
    session, _, heard = opened(project, "tenterhook", background_limit=20)

    outcomes = [session.notify("a", str(n)) for n in range(122)]

    assert {one.skipped for one in outcomes[:120]} == {()}
    for one in outcomes[120:]:
        [skipped] = one.skipped
        assert (skipped.hook, skipped.why) == ("late", "too many in the background")
        assert "tenterhook.toml:" in skipped.source
        assert any("1 hooks were not started" in warning for warning in one.warnings)
    assert "were not started" in caplog.text
    project.write("go", "")
    assert soon(lambda: len(late(heard)) == 120)
    assert len(session.pending()) == 120
    assert session.notify("a", "again").skipped == ()  # there is room again


def test_a_hook_that_runs_once_and_was_refused_has_not_run(project: Project) -> None:
    toml(
        project,
        {"on": "notify", "command": GATE + "true", "background": True},
        {"on": "turn.failed", "command": "touch ran", "background": True, "once": True},
    )
    session, _, heard = opened(project, "tenterhook", background_limit=1)
    for _ in range(101):
        session.notify("a", "b")
    assert [one.why for one in session.failed("x").skipped] == ["too many in the background"]
    project.write("go", "")
    assert soon(lambda: len(late(heard)) == 101)

    assert session.failed("x").skipped == ()
    assert soon(lambda: project.has("ran"))


@linux
@pytest.mark.parametrize("twin", ["threads", "loop"])
def test_of_a_thousand_fast_hooks_each_is_heard_exactly_once(project: Project, twin: str) -> None:
    said = 'read -r x; echo "got ${x##*trigger}"'
    toml(project, {"on": "compact.after", "name": "fast", "command": said, "background": True})
    session, _, heard = opened(project, "tenterhook", background_limit=500)
    count = 1000 if twin == "threads" else 200
    taken: list[str] = []
    over = threading.Event()

    def fire(first: int) -> None:
        for n in range(first, count, 4):
            while session.compacted(f"n{n}n").skipped:
                time.sleep(0.01)

    async def afire() -> None:
        await asyncio.gather(*(session.acompacted(f"n{n}n") for n in range(count)))

    def take() -> None:
        while not over.is_set():
            taken.extend(session.pending())
            time.sleep(0.001)

    takers = [threading.Thread(target=take) for _ in range(2)]
    threads = [threading.Thread(target=fire, args=(first,)) for first in range(4)] if twin == "threads" else []
    for thread in threads:
        thread.start()
    if twin == "loop":
        asyncio.run(afire())
    assert soon(lambda: len(session.background.finished) > count / 2, 20)  # they wait for as long as it takes
    for thread in takers:
        thread.start()
    for thread in threads:
        thread.join()
    assert soon(lambda: len(late(heard)) == count, 20)
    over.set()
    for thread in takers:
        thread.join()
    taken += session.pending()

    assert sorted(int(n) for text in taken for n in re.findall(r"n(\d+)n", text)) == list(range(count))


# The end


@linux
@pytest.mark.req("CC-TYPE-async")
@twins
@BOTH
def test_the_end_of_a_session_ends_what_runs_and_starts_nothing_more(
    project: Project, does: Does, dialect: str
) -> None:
    configured(project, dialect, "notify", "echo >> started; sleep 30 & setsid sleep 30 & sleep 30")
    session, told, _ = opened(project, dialect, background_limit=2)
    for n in range(6):
        does(session, "notify", "a", str(n))
    assert soon(lambda: project.has("started") and len(project.read("started")) == 2)
    assert running_in(project.root)

    does(session, "end")

    assert soon(lambda: not running_in(project.root), 1)
    assert len(project.read("started")) == 2
    assert (session.pending(), told) == ([], [])


@twins
@BOTH
def test_what_had_finished_before_the_end_is_not_lost_by_it(project: Project, does: Does, dialect: str) -> None:
    answer = {SYSTEM[dialect]: "u", CONTEXT[dialect]: "m"}
    configured(project, dialect, "notify", printing(**answer))
    session, told, heard = opened(project, dialect)
    does(session, "notify", "a", "b")
    assert soon(lambda: late(heard))

    does(session, "end")

    assert told == ["[hook late] u"]
    words = ['<hook name="late" kind="context">\nm\n</hook>', *for_the_model(dialect, "u")]
    assert sorted(session.pending()) == sorted(words)


@twins
@BOTH
def test_at_the_end_of_a_session_there_is_no_next_turn_so_its_own_hooks_are_waited_for(
    project: Project, does: Does, dialect: str
) -> None:
    configured(project, dialect, "session.end", "sleep 0.1; touch reported")
    session, _, _ = opened(project, dialect)

    does(session, "end")

    assert project.has("reported")


@twins
def test_an_event_after_the_end_waits_for_its_hooks(project: Project, does: Does) -> None:
    configured(project, "tenterhook", "notify", "touch ran")
    session, _, _ = opened(project, "tenterhook")
    does(session, "end")

    outcome = does(session, "notify", "a", "b")

    assert (outcome.skipped, outcome.warnings) == ((), ())
    assert project.has("ran")


@linux
@BOTH
def test_closing_the_engine_ends_what_runs(project: Project, dialect: str) -> None:
    configured(project, dialect, "notify", "sleep 30 & sleep 30")
    session, _, _ = opened(project, dialect, background_limit=3)
    for n in range(6):
        session.notify("a", str(n))
    assert soon(lambda: len(running_in(project.root)) >= 3)

    session.engine.close()

    assert soon(lambda: not running_in(project.root), 1)
    time.sleep(0.05)
    assert not running_in(project.root)


def test_closing_the_engine_starts_none_of_those_that_wait(project: Project) -> None:
    """At any moment: also when one has just ended and the next one is about to start."""
    configured(project, "tenterhook", "notify", "true")
    with hasty():
        for n in range(60):
            session, _, _ = opened(project, "tenterhook", background_limit=1)
            for m in range(40):
                session.notify("a", str(m))
            time.sleep(n * 0.0003)
            session.engine.close()
            time.sleep(0.002)

            assert session.engine.runner is None  # it is made anew with the next process


def test_a_session_that_is_dropped_is_forgotten_by_its_engine(project: Project) -> None:
    engine = project.engine("tenterhook")
    ids = {engine.session().id for _ in range(10)}
    gc.collect()

    assert len(engine.keepers) == 0
    assert ids


@twins
def test_the_end_of_a_subagent_is_not_the_end_of_the_session(project: Project, does: Does) -> None:
    configured(project, "tenterhook", "notify", GATE + printing(context="x"), timeout=2)
    session, _, heard = opened(project, "tenterhook")
    child = does(session, "agent")
    does(session, "notify", "a", "b")

    does(child, "end")
    assert does(session, "notify", "a", "b").attempts[0].exit_code is None  # not waited for
    project.write("go", "")

    assert soon(lambda: len(late(heard)) == 2)
    assert len(session.pending()) == 2


# Whose it is


@twins
@BOTH
def test_each_agent_hears_what_its_own_hooks_say(project: Project, does: Does, dialect: str) -> None:
    told = 'x=$(cat); x=${x##*\\"message\\":\\"}; '
    say = f"""printf '{{"{CONTEXT[dialect]}":"%s"}}' "${{x%%.*}}\""""
    configured(project, dialect, "notify", told + say)
    session, _, heard = opened(project, dialect)
    one, two = does(session, "agent"), does(session, "agent")
    inner = does(one, "agent")
    who = {"main": session, "one": one, "two": two, "inner": inner}

    for name, agent in who.items():
        does(agent, "notify", "a", f"for {name}.")
    assert soon(lambda: len(late(heard)) == 4)

    for name, agent in who.items():
        assert agent.pending() == [f'<hook name="late" kind="context">\nfor {name}\n</hook>'], name


@twins
@pytest.mark.parametrize("way", ["stopped before it came", "stopped after it came", "dropped"])
def test_what_is_left_of_a_subagent_that_has_ended_is_for_the_main_agent(
    project: Project, does: Does, way: str
) -> None:
    configured(project, "tenterhook", "notify", GATE + printing(context="of the subagent"))
    session, _, heard = opened(project, "tenterhook")
    child: Session | None = does(session, "agent")
    assert child
    does(child, "notify", "a", "b")

    if way == "stopped before it came":
        does(child, "stop")
    elif way == "dropped":
        child = None
        gc.collect()
    project.write("go", "")
    assert soon(lambda: late(heard))
    if way == "stopped after it came":
        does(child, "stop")

    assert session.pending() == ['<hook name="late" kind="context">\nof the subagent\n</hook>']


@twins
def test_a_main_agent_with_an_id_hears_its_hooks_turn_after_turn(project: Project, does: Does) -> None:
    configured(project, "tenterhook", "notify", printing(context="x"))
    session, _, heard = opened(project, "tenterhook", agent_id="main")

    for turn in range(1, 4):
        does(session, "notify", "a", "b")
        assert soon(lambda turn=turn: len(late(heard)) == turn)
        assert len(session.pending()) == 1, turn
        assert not does(session, "stop").goes_on


@twins
def test_a_main_agent_with_an_id_hears_what_is_left_of_its_subagents(project: Project, does: Does) -> None:
    configured(project, "tenterhook", "notify", printing(context="x"))
    session, _, heard = opened(project, "tenterhook", agent_id="main")
    child = does(session, "agent")
    does(child, "notify", "a", "b")
    assert soon(lambda: late(heard))

    does(child, "stop")

    assert len(session.pending()) == 1


def test_a_subagent_whose_start_was_cancelled_leaves_its_words_to_the_main_agent(project: Project) -> None:
    toml(
        project,
        {"on": "agent.start", "command": printing(context="late"), "background": True},
        {"on": "agent.start", "command": "sleep 30"},
    )
    session, _, heard = opened(project, "tenterhook")

    async def host() -> None:
        task = asyncio.create_task(session.aagent("look"))
        while not session.background.finished:
            await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(asyncio.wait_for(host(), 10))

    assert late(heard)
    assert len(session.pending()) == 1


@twins
def test_two_sessions_on_one_engine_each_hear_their_own(project: Project, does: Does) -> None:
    configured(project, "tenterhook", "notify", 'echo "{\\"context\\": \\"$TENTERHOOK_SESSION\\"}"')
    engine = project.engine("tenterhook")
    heard: list[Outcome] = []
    engine.tap(heard.append)
    sessions = [engine.session(id=f"s-{n}") for n in range(3)]
    for session in sessions:
        does(session, "notify", "a", "b")
    assert soon(lambda: len(late(heard)) == 3)
    does(sessions[0], "end")

    assert [["s-" + text.split("s-")[1][0] for text in one.pending()] for one in sessions] == [
        ["s-0"],
        ["s-1"],
        ["s-2"],
    ]


def test_a_tap_that_fails_loses_nothing(project: Project, caplog: pytest.LogCaptureFixture) -> None:
    configured(project, "tenterhook", "notify", printing(context="x"))
    engine = project.engine("tenterhook")
    late = threading.Event()

    def broken(outcome: Outcome) -> None:
        if outcome.messages:
            late.set()
        raise ZeroDivisionError

    engine.tap(broken)
    session = engine.session()
    session.notify("a", "b")

    assert late.wait(5)
    assert soon(lambda: len(session.pending()) == 1)
    assert "a tap failed on notify" in caplog.text


# ---- events that the agent itself does not wait for


def unawaited(project: Project, **events: list[str]) -> Engine:
    groups = {name: [group(*commands, sequential=True)] for name, commands in events.items()}
    project.write(".llxprt/settings.json", settings(**groups))
    return project.engine("llxprt", grace=20)


SLOW = "while [ ! -e go ]; do sleep 0.02; done; cat > told.json; echo done >> order"


@pytest.mark.req("HOOK-203")
def test_the_events_that_an_agent_does_not_wait_for_are_data_of_its_dialect() -> None:
    rules = dialects.get("llxprt").events

    assert {rule.name for rule in rules if not rule.firing.awaited} == set(OUT_OF_SCOPE)


@pytest.mark.req("HOOK-203")
@pytest.mark.parametrize("way", ["threads", "a loop"])
def test_a_slow_hook_of_such_an_event_delays_nothing_and_is_heard_at_the_end(project: Project, way: str) -> None:
    """The hook ends when the session has gone on: were it waited for, it would take its whole time-out of a minute."""
    engine = unawaited(project, Notification=[SLOW], BeforeAgent=[SLOW], AfterAgent=[SLOW], PreCompress=[SLOW])
    watched: list[Outcome] = []
    session = engine.session(watch=lambda outcome, agent: watched.append(outcome))

    def live() -> None:
        session.start()
        session.notify("ToolPermission", "may I?")
        assert session.prompt("do it").text == "do it"
        session.compact()
        assert not session.stop().goes_on
        project.write("go", "")
        session.end()

    async def alive() -> None:
        await session.astart()
        await session.anotify("ToolPermission", "may I?")
        assert (await session.aprompt("do it")).text == "do it"
        await session.acompact()
        assert not (await session.astop()).goes_on
        project.write("go", "")
        await session.aend()

    asyncio.run(alive()) if way == "a loop" else live()

    assert project.read("order").split() == ["done"] * 4
    assert all("runs in the background" in one.attempts[0].detail for one in watched[:4] if one.attempts)
    assert len([one for one in watched if one.attempts and one.attempts[0].exit_code == 0]) == 4


@pytest.mark.req("HOOK-203", "HOOK-211")
def test_such_hooks_run_one_after_another_and_see_what_those_before_them_added(project: Project) -> None:
    engine = unawaited(project, BeforeAgent=[specific(additionalContext="and so"), SLOW, "exit 1"])
    with engine.session() as session:
        session.prompt("do it")
        project.write("go", "")

    assert "and so" in project.json("told.json")["prompt"]


@pytest.mark.req("HOOK-203")
def test_a_hook_at_the_end_is_run_and_what_does_not_end_is_ended(project: Project) -> None:
    engine = unawaited(project, SessionEnd=["echo end >> order", "echo $$ > pid; sleep 100; echo late >> order"])
    engine.grace = 0.5
    with engine.session():
        pass

    assert project.read("order") == "end\n"
    assert not Path(f"/proc/{project.read('pid').strip()}").exists()


@pytest.mark.req("HOOK-203")
@pytest.mark.parametrize("way", ["threads", "a loop"])
def test_a_tool_without_a_session_does_not_wait_for_a_slow_notification(project: Project, way: str) -> None:
    """The hook ends once the tool has returned: were it waited for, the tool would never be called."""
    engine = unawaited(project, Notification=[SLOW])
    heard: list[Outcome] = []
    engine.tap(heard.append)

    def run() -> str:
        project.write("go", "")
        return "ran"

    async def arun() -> str:
        return run()

    with engine:
        options: Any = {"asks": True, "permission": lambda request: True}
        if way == "threads":
            assert engine.tool("shell", **options)(run)().llm_content == "ran"
        else:
            assert asyncio.run(engine.tool("shell", **options)(arun)()).llm_content == "ran"

    assert project.read("order") == "done\n"
    assert [one.attempts[0].exit_code for one in heard if one.event == "Notification" and one.attempts][-1] == 0


@pytest.mark.req("HOOK-203")
def test_closing_the_engine_ends_a_notification_that_does_not_end_by_itself(project: Project) -> None:
    engine = unawaited(project, Notification=["echo $$ > pid; sleep 100; echo late >> order"])
    engine.grace = 0.5
    pid = project.write("pid", "")
    with engine:
        engine.tool("shell", asks=True, permission=lambda request: bool(soon(pid.read_text)))(lambda: None)()

    assert not Path(f"/proc/{project.read('pid').strip()}").exists()


@pytest.mark.req("HOOK-203")
def test_without_a_session_there_is_no_next_turn_so_they_are_waited_for(project: Project) -> None:
    engine = unawaited(project, Notification=["sleep 0.2; echo done >> order"])

    assert engine.fire("Notification", type="x", message="m").attempts[0].exit_code == 0
    assert project.read("order") == "done\n"


@pytest.mark.req("HOOK-203")
def test_a_function_of_the_hosts_own_is_called_at_once(project: Project) -> None:
    engine = unawaited(project, Notification=[SLOW])
    called: list[str] = []
    engine.add("Notification", lambda event: called.append(event["message"]))
    with engine.session() as session:
        session.notify("x", "m")
        assert called == ["m"]
        project.write("go", "")

    assert project.read("order") == "done\n"
