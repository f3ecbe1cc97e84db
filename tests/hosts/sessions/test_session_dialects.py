"""The sessions of other agents: their hooks, from their own files, and what really happens in the host."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest

from conftest import Project
from hosts.living import Does, Told, command, groups, twins
from processes import within
from tenterhook.hosts.session import Session

MOAI, WAVE, LLXPRT = ".claude/settings.json", ".wave/settings.json", ".llxprt/settings.json"
DIALECTS = ["massgen", "moai", "amcp", "wave", "llxprt", "tenterhook"]


def said(kind: str, text: str, name: str = "h") -> str:
    """A reason stands there as it is, everything else between tags."""
    return text if kind == "reason" else f'<hook name="{name}" kind="{kind}">\n{text}\n</hook>'


def in_wave(project: Project, event: str, answer: Any = "", **more: Any) -> tuple[Session, Told]:
    groups(project, WAVE, **{event: command(project.answers("h", answer, **more), name="h")})
    return opened(project, "wave")


def in_moai(project: Project, event: str, answer: Any = "", *, matcher: str = "", **more: Any) -> tuple[Session, Told]:
    hook = command(project.answers("h", answer, **more), name="h")
    project.write(MOAI, json.dumps({"hooks": {event: [{"matcher": matcher, "hooks": [hook]}]}}))
    return opened(project, "moai")


def in_amcp(project: Project, event: str, *commands: str) -> tuple[Session, Told]:
    handlers = [
        f'[[hooks.{event}.handlers]]\nname = "h{n}"\ncommand = {json.dumps(one)}' for n, one in enumerate(commands)
    ]
    project.write(".amcp/hooks.toml", "\n".join(handlers))
    return opened(project, "amcp")


def opened(project: Project, dialect: str) -> tuple[Session, Told]:
    told = Told()
    return project.engine(dialect).session(tell=told, id="s-1", permission=lambda request: True), told


# Events that a dialect lacks are nothing


@twins
@pytest.mark.parametrize("dialect", DIALECTS)
def test_without_hooks_every_moment_is_nothing_in_every_dialect(
    project: Project, does: Does, dialect: str, caplog: pytest.LogCaptureFixture
) -> None:
    session, told = opened(project, dialect)

    with caplog.at_level(logging.INFO, "tenterhook"):
        does(session, "start")
        prompt = does(session, "prompt", "Hello.")
        child = does(session, "agent", "Look.", agent_type="a", agent_name="b")
        stops = [does(one, moment) for one in (session, child) for moment in ("stop", "idle")]
        outcomes = [
            does(session, name, *args)
            for name, args in {
                "compact": (),
                "compacted": (),
                "notify": ("type", "message", "title"),
                "failed": ("error",),
                "task_created": ("1", "x"),
                "task_done": ("1", "x"),
                "end": (),
            }.items()
        ]
        answer = does(session, "permission", "Bash", {})

    assert (prompt.text, prompt.blocked, prompt.stop) == ("Hello.", False, False)
    assert child.opening == "Look."
    assert [(stop.goes_on, stop.text, stop.stop) for stop in stops] == [(False, "", False)] * 4
    assert {(one.decision, one.blocked, one.stop, one.messages) for one in outcomes} == {("none", False, False, ())}
    assert answer.allowed
    assert (session.pending(), child.pending(), told, caplog.records) == ([], [], [], [])


# MoAI


@pytest.mark.req("CC-EV-UserPromptSubmit")
@twins
@pytest.mark.parametrize("matcher", ["", "never|this"])
def test_moai_a_prompt_hook_adds_context_to_the_prompt(project: Project, does: Does, matcher: str) -> None:
    session, told = in_moai(project, "UserPromptSubmit", {"additionalContext": "Branch: main"}, matcher=matcher)

    prompt = does(session, "prompt", "Fix it.")

    assert prompt.text == f"Fix it.\n\n{said('context', 'Branch: main')}"
    assert project.json("h.json")["prompt"] == "Fix it."
    assert told == []


@pytest.mark.req("CC-EV-UserPromptSubmit")
@twins
@pytest.mark.parametrize(
    ("answer", "stderr"),
    [("", "no secrets"), ({"reason": "no secrets"}, ""), ({"reason": "no secrets"}, "not this")],
)
def test_moai_exit_two_erases_the_prompt_and_tells_the_user_alone(
    project: Project, does: Does, answer: Any, stderr: str
) -> None:
    session, told = in_moai(project, "UserPromptSubmit", answer, exit_code=2, stderr=stderr)

    prompt = does(session, "prompt", "the password is x")

    assert (prompt.blocked, prompt.text, prompt.reason) == (True, "", "no secrets")
    assert told == ["[hook h] no secrets"]
    assert session.pending() == []


@pytest.mark.req("CC-EV-SessionStart")
@twins
@pytest.mark.parametrize("answer", ["Read AGENTS.md.", {"additionalContext": "Read AGENTS.md."}], ids=["text", "json"])
def test_moai_context_of_a_start_comes_with_the_first_prompt(project: Project, does: Does, answer: Any) -> None:
    session, _ = in_moai(project, "SessionStart", answer, matcher="ignored")

    does(session, "start", "resume")

    told = project.json("h.json")
    assert (told["source"], told["session_id"], told["sessionId"]) == ("resume", "s-1", "s-1")
    assert does(session, "prompt", "Go.").text == f"Go.\n\n{said('context', 'Read AGENTS.md.')}"
    assert does(session, "prompt", "Go.").text == "Go."


@pytest.mark.req(
    "CC-EV-SessionStart", "CC-EV-PreCompact", "CC-EV-Notification", "CC-EV-SubagentStart", "CC-EV-SessionEnd"
)
@twins
@pytest.mark.parametrize(
    ("event", "moment", "args"),
    [
        ("SessionStart", "start", ()),
        ("PreCompact", "compact", ()),
        ("Notification", "notify", ("idle_prompt", "x")),
        ("SubagentStart", "agent", ("look",)),
        ("SessionEnd", "end", ("other",)),
    ],
)
def test_moai_what_cannot_be_blocked_goes_on(
    project: Project, does: Does, event: str, moment: str, args: tuple[str, ...]
) -> None:
    session, _ = in_moai(project, event, exit_code=2, stderr="I object")

    done = does(session, moment, *args)

    outcome = done.outcome if moment == "agent" else done
    assert (outcome.decision, outcome.blocked) == ("deny", False)
    prompt = does(session, "prompt", "Go.")
    assert prompt.text.startswith("Go.")
    assert not prompt.blocked


@pytest.mark.req("CC-EV-PreCompact")
@twins
def test_moai_a_compaction_is_told_to_hooks_and_their_context_survives_it(project: Project, does: Does) -> None:
    session, _ = in_moai(project, "PreCompact", {"additionalContext": "Keep the plan."}, matcher="auto")

    does(session, "compact", "manual")

    assert project.json("h.json")["trigger"] == "manual"
    assert session.pending() == [said("context", "Keep the plan.")]


@pytest.mark.req("CC-EV-Notification")
@twins
@pytest.mark.parametrize("type", ["permission_prompt", "idle_prompt", "auth_success", "elicitation_dialog"])
def test_moai_notifications_are_matched_by_their_type(project: Project, does: Does, type: str) -> None:
    session, told = in_moai(project, "Notification", {"systemMessage": "ding"}, matcher=type)

    does(session, "notify", "another_type", "no")
    assert not project.has("h.json")
    does(session, "notify", type, "look here")

    given = project.json("h.json")
    assert (given["type"], given["message"]) == (type, "look here")
    assert told == ["[hook h] ding"]


@pytest.mark.req("CC-EV-Notification")
@twins
def test_moai_a_question_to_the_user_is_a_notification_too(project: Project, does: Does) -> None:
    session, _ = in_moai(project, "Notification", matcher="permission_prompt")

    assert does(session, "permission", "Bash", {"command": "ls"}).allowed

    assert project.json("h.json")["message"] == "Bash needs permission"


@pytest.mark.req("CC-EV-SubagentStart")
@twins
def test_moai_context_for_a_subagent_goes_into_its_prompt(project: Project, does: Does) -> None:
    session, _ = in_moai(project, "SubagentStart", {"additionalContext": "Read only."}, matcher="review.*")

    child = does(session, "agent", "Review.", agent_type="reviewer", agent_name="Rita")
    other = does(session, "agent", "Write.", agent_type="writer")

    assert (child.opening, other.opening) == (f"Review.\n\n{said('context', 'Read only.')}", "Write.")
    told = project.json("h.json")
    assert (told["agentType"], told["agentName"], told["agent_id"]) == ("reviewer", "Rita", child.agent_id)


@pytest.mark.req("CC-EV-SubagentStop")
@twins
@pytest.mark.parametrize("code", [0, 2])
def test_moai_a_subagent_stops_whatever_hooks_say(project: Project, does: Does, code: int) -> None:
    session, told = in_moai(project, "SubagentStop", {"systemMessage": "bye"}, exit_code=code, matcher="ignored")
    child = does(session, "agent", agent_type="qa", agent_name="Quinn")
    does(session, "stop")
    assert not project.has("h.json")

    turn = does(child, "stop")

    assert (turn.goes_on, turn.text) == (False, "")
    assert project.json("h.json")["agentName"] == "Quinn"
    assert told == ["[hook h] bye"]


@pytest.mark.req("CC-EV-SubagentStop", "CC-RULE-user-input")
@twins
def test_moai_what_hooks_report_at_a_subagents_end_reaches_the_agent_that_started_it(
    project: Project, does: Does
) -> None:
    """The subagent is gone, and nobody asks its model again."""
    session, _ = in_moai(project, "SubagentStop", {"additionalContext": "3 files changed"})
    child = does(session, "agent", agent_type="qa")

    does(child, "stop")

    assert does(session, "prompt", "And?").text == f"And?\n\n{said('context', '3 files changed')}"


@pytest.mark.req("CC-EV-Stop", "CC-RULE-user-input")
@twins
def test_moai_a_stop_cannot_be_refused_and_the_words_come_as_user_input_next_time(project: Project, does: Does) -> None:
    session, _ = in_moai(project, "Stop", exit_code=2, stderr="tests fail", matcher="ignored")

    turn = does(session, "stop")

    assert (turn.goes_on, turn.text) == (False, "")
    assert project.json("h.json")["stop_hook_active"] is False
    assert does(session, "prompt", "Next.").text == f"Next.\n\n{said('reason', 'tests fail')}"


@pytest.mark.req("CC-EV-TeammateIdle")
@twins
def test_moai_exit_two_keeps_a_teammate_working_with_guidance_for_the_model(project: Project, does: Does) -> None:
    session, told = in_moai(project, "TeammateIdle", {"systemMessage": "Do 7."}, exit_code=2, stderr="1 open")
    mate = does(session, "agent", agent_type="dev", agent_name="Dora")

    turns = [does(mate, "idle", "1 open task") for _ in range(9)]

    assert [turn.goes_on for turn in turns] == [True] * 8 + [False]
    assert sorted(turns[0].text.split("\n\n")) == [said("reason", "1 open"), said("system", "Do 7.")]
    given = project.json("h.json")
    assert (given["agentType"], given["agentName"], given["tasksSummary"]) == ("dev", "Dora", "1 open task")
    assert told == ["Hooks kept the agent from stopping 8 times in a row; it stops now all the same."]


@pytest.mark.req("CC-EV-TeammateIdle")
@twins
def test_moai_a_teammate_may_idle_where_hooks_are_content(project: Project, does: Does) -> None:
    session, _ = in_moai(project, "TeammateIdle", {"systemMessage": "Well done."})

    assert not does(session, "idle", "").goes_on
    assert session.pending() == [said("system", "Well done.")]


@pytest.mark.req("CC-EV-TaskCompleted")
@twins
@pytest.mark.parametrize(("answer", "stderr"), [("", "no tests"), ({"reason": "no tests"}, "")])
def test_moai_exit_two_sends_a_task_back_and_the_model_learns_why(
    project: Project, does: Does, answer: Any, stderr: str
) -> None:
    session, told = in_moai(project, "TaskCompleted", answer, exit_code=2, stderr=stderr)
    mate = does(session, "agent", agent_name="Dora")

    done = does(mate, "task_done", "7", "write it")

    assert (done.blocked, done.reason) == (True, "no tests")
    assert (mate.pending(), session.pending(), told) == ([said("reason", "no tests")], [], [])
    given = project.json("h.json")
    assert (given["taskId"], given["taskSummary"], given["agentName"]) == ("7", "write it", "Dora")


@pytest.mark.req("CC-EV-SessionEnd")
@twins
@pytest.mark.parametrize("reason", ["clear", "logout", "prompt_input_exit", "bypass_permissions_disabled", "other"])
def test_moai_a_session_ends_for_a_reason_and_nobody_reads_what_is_printed(
    project: Project, does: Does, reason: str
) -> None:
    answer = {"systemMessage": "wait", "additionalContext": "more", "continue": False, "decision": "block"}
    session, told = in_moai(project, "SessionEnd", answer, matcher=reason)

    does(session, "end", "another")
    assert not project.has("h.json")
    outcome = does(session, "end", reason)

    assert (outcome.stop, outcome.blocked, told, session.pending()) == (False, False, [], [])
    given = project.json("h.json")
    assert (given["reason"], given["sessionId"]) == (reason, "s-1")


@pytest.mark.req("CC-FM-scope", "CC-FM-frontmatter")
@twins
@pytest.mark.parametrize("place", [".claude/agents/reviewer.md", ".claude/agents/deep/er/x.md"])
def test_moai_hooks_in_an_agents_file_run_in_that_subagents_session_alone(
    project: Project, does: Does, place: str
) -> None:
    front = """---
name: reviewer
hooks:
  PreToolUse:
    - matcher: "Write|Edit"
      hooks:
        - type: command
          command: "echo 'reviewers only read' >&2; exit 2"
  SubagentStop:
    hooks:
      - type: command
        command: "echo $CLAUDE_PROJECT_DIR > stopped"
---
Review.
"""
    project.write(place, front)
    session, _ = opened(project, "moai")
    reviewer = does(session, "agent", "a", agent_type="reviewer")
    named = does(session, "agent", "b", agent_type="general", agent_name="reviewer")
    writer = does(session, "agent", "c", agent_type="writer")
    helper = does(reviewer, "agent", "d", agent_type="helper")
    written: list[str] = []

    for who in (session, writer, helper):
        assert who.tool("Write")(lambda text: written.append(text) or "written")(text="x").llm_content == "written"
        does(who, "stop")
        assert not project.has("stopped")
    for who in (reviewer, named):
        result = who.tool("Write")(lambda text: written.append(text))(text="y")
        assert result.error is not None
        assert "reviewers only read" in result.llm_content
        assert who.tool("Read")(lambda: "text")().llm_content == "text"

    does(reviewer, "stop")
    assert project.read("stopped").strip() == str(project.root)
    assert written == ["x"] * 3


# AMCP


@pytest.mark.req("AM-EV-UserPromptSubmit")
@twins
def test_amcp_a_prompt_hook_adds_text_and_json_feedback(project: Project, does: Does) -> None:
    session, told = in_amcp(
        project,
        "UserPromptSubmit",
        project.answers("a", "be brief"),
        """echo '{"feedback": "no jokes", "systemMessage": "noted"}'""",
    )

    prompt = does(session, "prompt", "Hi.")

    assert prompt.text.split("\n\n") == ["Hi.", said("feedback", "be brief", "h0"), said("feedback", "no jokes", "h1")]
    assert project.json("a.json")["prompt"] == "Hi."
    assert told == ["[hook h1] noted"]


@pytest.mark.req("AM-EV-UserPromptSubmit")
@twins
def test_amcp_a_prompt_hook_blocks_and_what_others_said_of_the_erased_prompt_is_logged(
    project: Project, does: Does, caplog: pytest.LogCaptureFixture
) -> None:
    session, told = in_amcp(project, "UserPromptSubmit", "echo of this prompt", "echo not this >&2; exit 2")

    with caplog.at_level(logging.INFO, "tenterhook.session"):
        prompt = does(session, "prompt", "Hi.")

    assert (prompt.blocked, prompt.text, prompt.reason) == (True, "", "not this")
    assert told == ["[hook h1] not this"]
    assert session.pending() == []
    assert "of this prompt" in caplog.text


@pytest.mark.req("AM-EV-UserPromptSubmit")
@twins
def test_amcp_continue_false_on_a_prompt_stops_the_agent(project: Project, does: Does) -> None:
    session, told = in_amcp(project, "UserPromptSubmit", """echo '{"continue": false, "stopReason": "too late"}'""")

    prompt = does(session, "prompt", "Hi.")

    assert (prompt.stop, prompt.text, prompt.reason, told) == (True, "", "too late", ["[hook h0] too late"])


@pytest.mark.req("AM-EV-SessionStart", "AM-EV-SessionEnd", "AM-EV-PreCompact", "AM-EV-Notification")
@twins
@pytest.mark.parametrize(
    ("event", "moment", "args", "given"),
    [
        ("SessionStart", "start", (), {}),
        ("SessionEnd", "end", (), {}),
        ("PreCompact", "compact", (), {}),
        ("Notification", "notify", ("idle", "waiting"), {"message": "waiting", "notification_type": "idle"}),
    ],
)
def test_amcp_moments_run_their_hooks_and_feedback_comes_as_user_input(
    project: Project, does: Does, event: str, moment: str, args: tuple[str, ...], given: dict[str, str]
) -> None:
    session, told = in_amcp(project, event, project.answers("h", {"feedback": "noted", "systemMessage": "shown"}))

    outcome = does(session, moment, *args)

    assert not outcome.blocked
    seen = project.json("h.json")
    assert {"hook_event_name": event, "session_id": "s-1", **given}.items() <= seen.items()
    assert told == ["[hook h0] shown"]
    assert does(session, "prompt", "Go.").text == f"Go.\n\n{said('feedback', 'noted', 'h0')}"


@pytest.mark.req("AM-EV-Stop")
@twins
def test_amcp_exit_two_keeps_the_agent_going_with_the_reason(project: Project, does: Does) -> None:
    session, told = in_amcp(project, "Stop", "cat >> seen; echo 'run the tests' >&2; exit 2")

    turns = [does(session, "stop") for _ in range(9)]

    assert [turn.goes_on for turn in turns] == [True] * 8 + [False]
    assert {turn.text for turn in turns[:8]} == {said("reason", "run the tests", "h0")}
    assert project.read("seen").count('"stop_hook_active":true') == 8
    assert len(told) == 1


@pytest.mark.req("AM-EV-Stop")
@twins
def test_amcp_an_agent_that_may_stop_has_final_words_waiting(project: Project, does: Does) -> None:
    session, _ = in_amcp(project, "Stop", "echo 'summary written'")

    assert not does(session, "stop").goes_on
    assert session.pending() == [said("feedback", "summary written", "h0")]


# Wave


@pytest.mark.req("WV-US1.1", "WV-FR-001", "WV-FR-015", "WV-US5.2", "WV-FR-008")
@twins
@pytest.mark.parametrize(
    "answer",
    [
        "the branch is main\n",
        {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "the branch is main"}},
    ],
    ids=["stdout", "json"],
)
def test_wave_both_ways_to_add_context_end_in_the_prompt(project: Project, does: Does, answer: Any) -> None:
    session, told = in_wave(project, "UserPromptSubmit", answer)

    prompt = does(session, "prompt", "Which branch?")

    assert prompt.text == f"Which branch?\n\n{said('context', 'the branch is main')}"
    assert (prompt.blocked, told) == (False, [])
    assert project.json("h.json")["user_prompt"] == "Which branch?"


@pytest.mark.req("WV-US1.1", "WV-FR-001")
@twins
def test_wave_what_other_hooks_print_reaches_nobody(project: Project, does: Does) -> None:
    talk = command("echo chatter")
    groups(project, WAVE, Stop=talk, PreToolUse=talk, PostToolUse=talk)
    session, told = opened(project, "wave")

    assert not does(session, "stop").goes_on
    result = session.tool("Read")(lambda: "text")()

    assert (result.llm_content, result.user_messages, session.pending(), told) == ("text", (), [], [])
    assert does(session, "prompt", "x").text == "x"


@pytest.mark.req("WV-US5.1", "WV-FR-008", "WV-FR-013")
@twins
@pytest.mark.parametrize("way", ["json", "exit"])
def test_wave_a_blocked_prompt_is_erased_and_the_reason_is_for_the_user_only(
    project: Project, does: Does, way: str
) -> None:
    more = {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "more"}}
    block = {"decision": "block", "reason": "no secrets", **more}
    options: dict[str, Any] = {"answer": block} if way == "json" else {"exit_code": 2, "stderr": "no secrets"}
    session, told = in_wave(project, "UserPromptSubmit", **options)

    prompt = does(session, "prompt", "my password")

    assert (prompt.blocked, prompt.text, prompt.reason) == (True, "", "no secrets")
    assert (told, session.pending()) == (["[hook h] no secrets"], [])


@pytest.mark.req("WV-FR-008")
@twins
def test_wave_a_prompt_without_a_decision_goes_on(project: Project, does: Does) -> None:
    session, told = in_wave(project, "UserPromptSubmit", {"reason": "unused", "systemMessage": "seen"})

    assert does(session, "prompt", "Hi.").text == "Hi."
    assert told == ["[hook h] seen"]


@pytest.mark.req("WV-US5.3", "WV-FR-009", "WV-FR-013")
@twins
@pytest.mark.parametrize("way", ["json", "exit"])
def test_wave_a_blocked_stop_goes_on_with_the_reason_for_the_model(project: Project, does: Does, way: str) -> None:
    block = {"decision": "block", "reason": "the tests fail"}
    options: dict[str, Any] = {"answer": block} if way == "json" else {"exit_code": 2, "stderr": "the tests fail"}
    session, told = in_wave(project, "Stop", **options)

    turn = does(session, "stop")

    assert (turn.goes_on, turn.text) == (True, said("reason", "the tests fail"))
    assert (told, session.pending()) == ([], [])


@pytest.mark.req("WV-FR-009")
@twins
def test_wave_a_stop_that_is_blocked_without_its_reason_goes_on_and_the_log_says_what_is_missing(
    project: Project, does: Does, caplog: pytest.LogCaptureFixture
) -> None:
    session, _ = in_wave(project, "Stop", {"decision": "block"})

    turn = does(session, "stop")

    assert (turn.goes_on, turn.text) == (True, said("reason", "Blocked by hook"))
    assert "a block on Stop must give a reason" in caplog.text


@pytest.mark.req("WV-FR-009")
@twins
@pytest.mark.parametrize("answer", [{"reason": "only words"}, {"continue": False, "decision": "block", "reason": "no"}])
def test_wave_without_a_block_or_with_continue_false_the_agent_stops(project: Project, does: Does, answer: Any) -> None:
    session, _ = in_wave(project, "Stop", answer)

    turn = does(session, "stop")

    assert (turn.goes_on, turn.text, turn.stop) == (False, "", "continue" in answer)


@pytest.mark.req("WV-FR-013")
@twins
def test_wave_exit_two_around_a_tool_reaches_the_model(project: Project, does: Does) -> None:
    groups(project, WAVE, PreToolUse=command("grep -q rm && { echo no rm >&2; exit 2; }; true"))
    session, told = opened(project, "wave")
    ran: list[str] = []
    bash = session.tool("Bash")(lambda command: ran.append(command) or "done")

    assert "no rm" in bash(command="rm x").llm_content
    assert bash(command="ls").llm_content == "done"
    assert (ran, told) == (["ls"], [])

    groups(project, WAVE, PostToolUse=command("echo unformatted >&2; exit 2"))
    session, told = opened(project, "wave")
    result = session.tool("Bash")(lambda command: "done")(command="ls")
    assert result.llm_content == "done"
    assert "unformatted" in does(session, "prompt", "x").text
    assert told == []


# LLxprt Code: six events that run, and whose answers nobody applies


SIX = [
    ("SessionStart", "start", ("resume",), {"source": "resume"}),
    ("SessionEnd", "end", ("exit",), {"reason": "exit"}),
    (
        *("Notification", "notify", ("ToolPermission", "look")),
        {"notification_type": "ToolPermission", "message": "look", "details": {}},
    ),
    ("PreCompress", "compact", ("manual",), {"trigger": "manual"}),
    ("BeforeAgent", "prompt", ("Hello.",), {"prompt": "Hello."}),
    ("AfterAgent", "stop", ("Done.",), {"prompt": "", "prompt_response": "Done.", "stop_hook_active": False}),
]
EVERYTHING = {
    "decision": "block",
    "reason": "a reason",
    "continue": False,
    "stopReason": "a stop",
    "systemMessage": "a message",
    "suppressOutput": True,
    "hookSpecificOutput": {"additionalContext": "a context"},
}


@pytest.mark.req("HOOK-203")
@twins
def test_llxprt_hooks_hear_which_prompt_a_turn_was_for_and_which_call_a_question_is_about(
    project: Project, does: Does
) -> None:
    keeps = {event: command(f"cat > part.$$; mv part.$$ {event}.$$") for event in ("AfterAgent", "Notification")}
    groups(project, LLXPRT, **keeps)
    session, _ = opened(project, "llxprt")

    does(session, "prompt", "Mend it.")
    does(session, "permission", "write_file", {"path": "a"})
    does(session, "notify", "idle", "come", details={"since": 5})
    does(session, "stop", "Done.")

    assert within(20, lambda: len(list(project.root.glob("*.[0-9]*"))) == 3 and not list(project.root.glob("part.*")))
    (ended,) = (json.loads(file.read_text()) for file in project.root.glob("AfterAgent.*"))
    noticed = [json.loads(file.read_text()) for file in project.root.glob("Notification.*")]
    assert ended["prompt"] == "Mend it."
    assert {one["notification_type"]: one["details"] for one in noticed} == {
        "permission_prompt": {"tool_name": "write_file", "tool_input": {"path": "a"}},
        "idle": {"since": 5},
    }


@pytest.mark.req("HOOK-203")
@twins
@pytest.mark.parametrize(("event", "moment", "args", "given"), SIX, ids=[one[0] for one in SIX])
@pytest.mark.parametrize(
    ("answer", "code", "stderr"),
    [(EVERYTHING, 0, ""), ("a text", 0, ""), ("", 2, "a block"), ("", 1, "a warning")],
    ids=["json", "text", "block", "failure"],
)
def test_llxprt_hooks_of_events_without_a_caller_run_and_change_nothing(
    project: Project,
    does: Does,
    event: str,
    moment: str,
    args: tuple[str, ...],
    given: dict[str, Any],
    answer: Any,
    code: int,
    stderr: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    groups(project, LLXPRT, **{event: command(project.answers("h", answer, exit_code=code, stderr=stderr), name="h")})
    session, told = opened(project, "llxprt")
    session.engine.grace = 20.0  # a busy machine needs a while to start the hook

    with caplog.at_level(logging.INFO, "tenterhook.session"):
        done = does(session, moment, *args)
        session.background.wait_for_chains()  # nobody else does
        waiting = session.pending()

    seen = project.json("h.json")
    assert {"hook_event_name": event, "session_id": "s-1", **given}.items() <= seen.items()
    if moment == "prompt":
        assert (done.text, done.blocked) == ("Hello.", False)
    elif moment == "stop":
        assert (done.goes_on, done.text) == (False, "")
    else:
        assert not done.blocked
    outcome = getattr(done, "outcome", done)
    assert (outcome.stop, outcome.suppress, told, waiting) == (False, False, [], [])
    words = ["a reason", "a stop", "a message", "a context"] if answer is EVERYTHING else [answer or stderr]
    assert all(word in caplog.text for word in words)
