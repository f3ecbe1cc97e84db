"""Tool hooks of MassGen, Claude Code, AMCP and Wave in a host: the tool, the model, the user, the permission dialog."""

import asyncio
import json
import logging
import textwrap
from typing import Any

import pytest

from conftest import Project
from tenterhook.hosts.result import ToolResult
from tenterhook.hosts.session import Session

from .tools import Writer

CALL = {"path": "a.txt", "content": "x"}
WAYS = ["def", "async def"]


class Agent(Writer):
    """A host with one tool that keeps what it was given; a user who hears things and answers questions."""

    def __init__(self, session: Session, way: str = "def", returns: Any = "wrote it", says: Any = True) -> None:
        super().__init__(way, returns)
        self.session, self.says = session, says
        self.asked: list[Any] = []
        self.told: list[str] = []
        session.tell, session.ask = self.told.append, self.ask

    def ask(self, request: Any) -> Any:
        self.asked.append(request)
        return self.says

    def call(self, name: str = "write_file", *, asks: bool = False) -> ToolResult:
        tool = self.session.tool(name, asks=asks)
        if self.way == "def":
            return tool(self.write).run(CALL, tool_use_id="toolu_1")
        return asyncio.run(tool(self.awrite).arun(CALL, tool_use_id="toolu_1"))

    def heard(self) -> list[str]:
        """What the user was told, without the names of the hooks."""
        return [text.partition("] ")[2] for text in self.told]


def words(text: str) -> str:
    """A text for the model without the tags around it; reasons, and MassGen's injections, have none."""
    if not text.startswith("<hook"):
        return text.removeprefix("Error: denied by a hook: ")
    head, *body, tail = text.splitlines()
    assert head.startswith("<hook name=")
    assert tail == "</hook>"
    return "\n".join(body)


def conversation(agent: Agent) -> list[str]:
    """What is to be added as the user's words after the result."""
    return [words(text) for text in agent.session.pending()]


# MassGen


def massgen(project: Project, text: str, way: str = "def", agent: str = "", **options: Any) -> Agent:
    project.write("massgen.yaml", textwrap.dedent(text))
    return Agent(project.engine("massgen").session(agent_id=agent), way, **options)


def listed(project: Project, event: str, *answers: Any) -> str:
    """A config whose hooks for an event are programs that answer these."""
    names = [project.answers(f"hook{n}", answer) for n, answer in enumerate(answers)]
    return json.dumps({"hooks": {event: [{"handler": name, "type": "command"} for name in names]}})


@pytest.mark.req("MG-05.1")
@pytest.mark.parametrize("way", WAYS)
def test_massgen_a_denied_tool_does_not_run_and_the_agent_gets_an_error_with_the_reason(
    project: Project, way: str
) -> None:
    agent = massgen(project, listed(project, "PreToolUse", {"decision": "deny", "reason": "not here"}), way)

    result = agent.call()

    assert agent.given == []
    assert result.error is not None
    assert (result.error.message, words(result.llm_content)) == ("not here", "not here")


@pytest.mark.req("MG-05.2")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("changed", [{"path": "safe.txt"}, {"path": "safe.txt", "content": "y", "mode": 1}, {}])
def test_massgen_a_tool_runs_with_the_input_that_a_hook_put_in_its_place(
    project: Project, way: str, changed: dict[str, Any]
) -> None:
    agent = massgen(project, listed(project, "PreToolUse", {"updated_input": changed}), way)

    assert agent.call().error is None
    assert agent.given == [changed]


@pytest.mark.req("MG-05.3")
@pytest.mark.parametrize("answer", ["", {}, {"decision": "allow"}])
def test_massgen_an_allowed_tool_runs_normally(project: Project, answer: Any) -> None:
    agent = massgen(project, listed(project, "PreToolUse", answer))

    assert agent.call().llm_content == "wrote it"
    assert (agent.given, agent.asked) == ([CALL], [])


@pytest.mark.req("MG-06.1")
@pytest.mark.parametrize("inject", [{"content": "lint: fine", "strategy": "tool_result"}, {"content": "lint: fine"}])
@pytest.mark.parametrize("way", WAYS)
def test_massgen_an_injection_is_appended_to_the_tools_result(
    project: Project, way: str, inject: dict[str, str]
) -> None:
    agent = massgen(project, listed(project, "PostToolUse", {"inject": inject}), way)

    result = agent.call()

    own, _, injected = result.llm_content.partition("\n\n")
    assert (own, words(injected)) == ("wrote it", "lint: fine")
    assert (result.return_display, conversation(agent)) == ("wrote it", [])


@pytest.mark.req("MG-01.2")
def test_massgen_hooks_after_a_tool_are_for_those_that_completed(project: Project) -> None:
    text = listed(project, "PostToolUse", {"inject": {"content": "lint: fine"}})

    assert massgen(project, text, returns=OSError("disk full")).call().llm_content == "OSError: disk full"
    assert not project.has("hook0.json")


@pytest.mark.req("MG-06.2")
@pytest.mark.parametrize("way", WAYS)
def test_massgen_an_injection_becomes_a_user_message_after_the_result(project: Project, way: str) -> None:
    inject = {"content": "now run the tests", "strategy": "user_message"}
    agent = massgen(project, listed(project, "PostToolUse", {"inject": inject}), way)

    assert agent.call().llm_content == "wrote it"
    assert conversation(agent) == ["now run the tests"]


@pytest.mark.req("MG-06.2")
def test_massgen_without_a_session_the_user_message_comes_with_the_result(project: Project) -> None:
    inject = {"content": "now run the tests", "strategy": "user_message"}
    project.write("massgen.yaml", listed(project, "PostToolUse", {"inject": inject}))

    result = project.engine("massgen").tool("write_file")(lambda: "wrote it")()

    assert result.llm_content == "wrote it"
    assert [words(text) for text in result.user_messages] == ["now run the tests"]


@pytest.mark.req("MG-10.1")
@pytest.mark.parametrize("place", [0, 1, 2])
def test_massgen_one_deny_among_allows_is_a_denial(project: Project, place: int) -> None:
    answers: list[Any] = [{"decision": "allow"}, {"updated_input": {"path": "b"}}, {}]
    answers[place] = {"decision": "deny", "reason": "not here"}
    agent = massgen(project, listed(project, "PreToolUse", *answers))

    assert words(agent.call().llm_content) == "not here"
    assert agent.given == []


@pytest.mark.req("MG-10.2")
@pytest.mark.parametrize("way", WAYS)
def test_massgen_changed_inputs_chain_down_to_the_tool(project: Project, way: str) -> None:
    text = listed(project, "PreToolUse", {"updated_input": {"path": "b"}}, {"updated_input": {"path": "c"}}, {})
    agent = massgen(project, text, way)

    agent.call()

    seen = [project.json(f"hook{n}.json")["tool_input"] for n in range(3)]
    assert [*seen, *agent.given] == [CALL, {"path": "b"}, {"path": "c"}, {"path": "c"}]


@pytest.mark.req("MG-10.3")
def test_massgen_all_injections_arrive_each_by_its_own_strategy(project: Project) -> None:
    texts = [("one", "tool_result"), ("two", "user_message"), ("three", "tool_result"), ("four", "user_message")]
    answers = [{"inject": {"content": content, "strategy": strategy}} for content, strategy in texts]
    agent = massgen(project, listed(project, "PostToolUse", *answers))

    own, *injected = agent.call().llm_content.split("\n\n")

    assert (own, [words(text) for text in injected]) == ("wrote it", ["one", "three"])
    assert conversation(agent) == ["two", "four"]


PER_AGENT = """
    hooks:
      PreToolUse: [{{handler: ./all, type: command}}]
    agents:
      - id: a1
        backend: {{hooks: {{PreToolUse: {own}}}}}
      - id: a2
        backend: {{type: openai}}
"""


@pytest.mark.req("MG-03.1")
def test_massgen_an_agents_session_has_the_global_hooks_and_its_own(project: Project) -> None:
    project.script("all", 'printf \'%s\' \'{"updated_input": {"path": "b"}}\'\n')
    project.script("own", "echo 'not for a1' >&2; exit 2\n")
    text = PER_AGENT.format(own="[{handler: ./own, type: command}]")

    first, second = massgen(project, text, agent="a1"), massgen(project, text, agent="a2")

    assert (words(first.call().llm_content), first.given) == ("not for a1", [])
    assert (second.call().llm_content, second.given) == ("wrote it", [{"path": "b"}])


@pytest.mark.req("MG-03.2")
@pytest.mark.parametrize(
    "own",
    ["{override: true, hooks: [{handler: ./own, type: command}]}", "[{handler: ./own, type: command, override: true}]"],
)
def test_massgen_an_agents_session_may_have_its_own_hooks_instead_of_the_global_ones(
    project: Project, own: str
) -> None:
    project.script("all", "echo 'nobody writes' >&2; exit 2\n")
    project.script("own", 'printf \'%s\' \'{"updated_input": {"path": "b"}}\'\n')

    first, second = (massgen(project, PER_AGENT.format(own=own), agent=agent) for agent in ("a1", "a2"))

    assert (first.call().error, first.given) == (None, [{"path": "b"}])
    assert (words(second.call().llm_content), second.given) == ("nobody writes", [])


@pytest.mark.req("MG-03.2")
def test_massgen_a_subagent_of_a_session_has_the_hooks_of_its_own_id(project: Project) -> None:
    project.script("all", "echo 'nobody writes' >&2; exit 2\n")
    project.write("massgen.yaml", PER_AGENT.format(own="{override: true, hooks: []}"))
    main = project.engine("massgen").session(agent_id="a2")

    child = Agent(main.agent("help", id="a1"))

    assert (child.call().llm_content, child.given) == ("wrote it", [CALL])
    assert words(Agent(main).call().llm_content) == "nobody writes"


# Claude Code


def claude(
    project: Project, events: dict[str, Any], way: str = "def", session: dict[str, Any] | None = None, **options: Any
) -> Agent:
    """An agent whose settings hold one program for each event, which answers this: (stdout, exit code, stderr)."""
    hooks = {}
    for event, given in events.items():
        answer, exit_code, stderr = given if isinstance(given, tuple) else (given, 0, "")
        command = project.answers(event, answer, exit_code=exit_code, stderr=stderr)
        hooks[event] = [{"matcher": "write_file", "hooks": [{"type": "command", "command": command}]}]
    project.write(".claude/settings.json", json.dumps({"hooks": hooks}))
    return Agent(project.engine("moai").session(**(session or {})), way, **options)


def permission(word: str, reason: str = "because", **more: Any) -> dict[str, Any]:
    return pre(permissionDecision=word, permissionDecisionReason=reason, **more)


def pre(**fields: Any) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **fields}}


def post(**fields: Any) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": "PostToolUse", **fields}}


@pytest.mark.req("CC-EV-PreToolUse")
@pytest.mark.parametrize(
    "answer",
    [
        ("", 2, "not here"),
        ({"reason": "not here"}, 2, "other words"),
        {"decision": "block", "reason": "not here"},
        permission("deny", "not here"),
    ],
    ids=["stderr", "reason", "decision", "permissionDecision"],
)
@pytest.mark.parametrize("way", WAYS)
def test_claude_code_a_blocked_tool_does_not_run_and_the_model_hears_why(
    project: Project, way: str, answer: Any
) -> None:
    agent = claude(project, {"PreToolUse": answer, "PostToolUse": "", "PostToolUseFailure": ""}, way)

    assert words(agent.call().llm_content) == "not here"
    assert agent.given == []
    assert not project.has("PostToolUse.json")
    assert not project.has("PostToolUseFailure.json")
    assert agent.call("read_file").llm_content == "wrote it"


@pytest.mark.req("CC-EV-PreToolUse")
def test_claude_code_the_input_is_replaced_and_every_hook_is_told_the_calls_id(project: Project) -> None:
    agent = claude(project, {"PreToolUse": pre(updatedInput={"path": "b"}), "PostToolUse": ""})

    agent.call()

    assert agent.given == [{"path": "b"}]
    after = project.json("PostToolUse.json")
    assert (after["toolInput"], after["tool_response"], after["tool_use_id"]) == ({"path": "b"}, "wrote it", "toolu_1")


@pytest.mark.req("CC-EV-PostToolUse")
@pytest.mark.parametrize("way", WAYS)
def test_claude_code_after_a_tool_everybody_gets_what_is_theirs(project: Project, way: str) -> None:
    answer = {
        "decision": "block",
        "reason": "undo it",
        "systemMessage": "look out",
        "suppressOutput": True,
        **post(additionalContext="two warnings"),
    }
    agent = claude(project, {"PostToolUse": answer, "PostToolUseFailure": ""}, way)

    result = agent.call()

    own, _, context = result.llm_content.partition("\n\n")
    assert (own, words(context)) == ("wrote it", "two warnings")
    assert (conversation(agent), agent.heard()) == (["undo it"], ["look out"])
    assert (result.error, result.suppress_display, result.return_display) == (None, True, "wrote it")
    assert not project.has("PostToolUseFailure.json")


@pytest.mark.req("CC-EV-PostToolUse")
@pytest.mark.parametrize("field", ["updatedToolOutput", "updatedMCPToolOutput"])
def test_claude_code_the_model_gets_the_output_that_a_hook_put_in_its_place(project: Project, field: str) -> None:
    agent = claude(project, {"PostToolUse": post(**{field: "[redacted]"})}, returns="the secret")

    assert agent.call().llm_content == "[redacted]"


@pytest.mark.req("CC-EV-PostToolUseFailure")
@pytest.mark.parametrize("way", WAYS)
def test_claude_code_a_failed_tool_has_an_event_of_its_own(project: Project, way: str) -> None:
    answer = {"systemMessage": "the disk is full again", "additionalContext": "free some space"}
    agent = claude(project, {"PostToolUse": "", "PostToolUseFailure": answer}, way, returns=OSError("disk full"))

    result = agent.call()

    seen = project.json("PostToolUseFailure.json")
    assert (seen["toolName"], seen["toolInput"], seen["tool_use_id"]) == ("write_file", CALL, "toolu_1")
    assert (seen["error"], seen["is_interrupt"]) == ("OSError: disk full", False)
    own, _, context = result.llm_content.partition("\n\n")
    assert (own, words(context)) == ("OSError: disk full", "free some space")
    assert agent.heard() == ["the disk is full again"]
    assert not project.has("PostToolUse.json")
    agent.call("read_file")
    assert len(agent.told) == 1


@pytest.mark.req("CC-EV-PostToolUseFailure")
def test_claude_code_an_interrupted_tool_is_told_as_interrupted(project: Project) -> None:
    agent = claude(project, {"PostToolUseFailure": ""}, returns=KeyboardInterrupt())

    with pytest.raises(KeyboardInterrupt):
        agent.call()

    assert project.json("PostToolUseFailure.json")["is_interrupt"] is True


@pytest.mark.req("CC-EV-PermissionRequest")
@pytest.mark.parametrize(
    ("answer", "asked", "given"),
    [
        (("", 0, ""), 0, [CALL]),
        (
            {"hookSpecificOutput": {"decision": {"behavior": "allow", "updatedInput": {"path": "b"}}}},
            0,
            [{"path": "b"}],
        ),
        (("", 1, "broken"), 1, [CALL]),
    ],
    ids=["exit 0", "allow with another input", "failed"],
)
@pytest.mark.parametrize("way", WAYS)
def test_claude_code_a_hook_may_answer_the_dialog_and_one_that_fails_leaves_it_to_the_user(
    project: Project, way: str, answer: Any, asked: int, given: list[Any]
) -> None:
    agent = claude(project, {"PreToolUse": permission("ask"), "PermissionRequest": answer}, way)

    assert agent.call().error is None
    assert (len(agent.asked), agent.given) == (asked, given)
    seen = project.json("PermissionRequest.json")
    assert (seen["toolName"], seen["toolInput"]) == ("write_file", CALL)


@pytest.mark.req("CC-EV-PermissionRequest")
@pytest.mark.parametrize(
    "answer",
    [
        ({"reason": "not today"}, 2, ""),
        ("", 2, "not today"),
        {"hookSpecificOutput": {"decision": {"behavior": "deny", "message": "not today"}}},
    ],
    ids=["reason", "stderr", "deny"],
)
@pytest.mark.parametrize("why", ["the hook asks", "the tool asks"])
def test_claude_code_a_hook_may_refuse_in_the_users_place(project: Project, why: str, answer: Any) -> None:
    events = {"PermissionRequest": answer, **({"PreToolUse": permission("ask")} if why == "the hook asks" else {})}
    agent = claude(project, events)

    result = agent.call(asks=why == "the tool asks")

    assert (agent.asked, agent.given) == ([], [])
    assert "not today" in words(result.llm_content)


@pytest.mark.req("CC-EV-PermissionRequest")
def test_claude_code_no_dialog_no_event(project: Project) -> None:
    agent = claude(project, {"PermissionRequest": ("", 2, "no"), "PreToolUse": permission("allow")})

    assert agent.call(asks=True).llm_content == "wrote it"
    assert (agent.asked, project.has("PermissionRequest.json")) == ([], False)


# AMCP


def amcp(project: Project, event: str, *answers: Any, way: str = "def", **options: Any) -> Agent:
    """An agent whose handlers for an event are programs that answer these: (stdout, exit code, stderr)."""
    handlers = []
    for n, given in enumerate(answers):
        answer, exit_code, stderr = given if isinstance(given, tuple) else (given, 0, "")
        command = project.answers(f"hook{n}", answer, exit_code=exit_code, stderr=stderr)
        handlers.append({"type": "command", "command": command, "matcher": "write_file"})
    project.write(".amcp/hooks.json", json.dumps({"hooks": {event: {"handlers": handlers}}}))
    return Agent(project.engine("amcp").session(), way, **options)


@pytest.mark.req("AM-EV-PreToolUse", "AM-OUT-deny", "AM-OUT-exit2")
@pytest.mark.parametrize("answer", [("", 2, "not here"), permission("deny", "not here")])
@pytest.mark.parametrize("way", WAYS)
def test_amcp_a_denied_tool_does_not_run_and_the_reason_goes_to_the_model(
    project: Project, way: str, answer: Any
) -> None:
    agent = amcp(project, "PreToolUse", answer, {"feedback": "never reached"}, way=way)

    assert words(agent.call().llm_content) == "not here"
    assert (agent.given, agent.told, project.has("hook1.json")) == ([], [], False)
    assert agent.call("read_file").llm_content == "wrote it"


@pytest.mark.req("AM-EV-PreToolUse", "AM-OUT-updatedInput")
@pytest.mark.parametrize("way", WAYS)
def test_amcp_updated_input_is_laid_over_what_the_tool_gets(project: Project, way: str) -> None:
    agent = amcp(project, "PreToolUse", pre(updatedInput={"path": "b"}), pre(updatedInput={"mode": 1}), way=way)

    agent.call()

    assert agent.given == [{"path": "b", "content": "x", "mode": 1}]
    assert project.json("hook1.json")["tool_input"] == {"path": "b", "content": "x"}


@pytest.mark.req("AM-OUT-allow")
@pytest.mark.parametrize(("answer", "asked"), [(permission("allow"), 0), ({}, 1)])
def test_amcp_allow_goes_past_the_permission_check(project: Project, answer: Any, asked: int) -> None:
    agent = amcp(project, "PreToolUse", answer, says=False)

    agent.call(asks=True)

    assert (len(agent.asked), len(agent.given)) == (asked, 1 - asked)


@pytest.mark.req("AM-OUT-ask", "WV-US3.3", "WV-FR-006", "WV-FR-014")
@pytest.mark.parametrize("says", [True, False])
@pytest.mark.parametrize("dialect", ["amcp", "wave"])
@pytest.mark.parametrize("way", WAYS)
def test_ask_prompts_the_user_with_the_reason_and_the_input_as_it_will_be(
    project: Project, way: str, dialect: str, says: bool
) -> None:
    answer = permission("ask", "it is a config file", updatedInput={"path": "b", "content": "x"})
    agent = (amcp if dialect == "amcp" else wave)(project, "PreToolUse", answer, way=way, says=says)

    result = agent.call()

    changed = {"path": "b", "content": "x"}
    assert [(one.tool_name, one.tool_input, one.reason, one.tool_use_id) for one in agent.asked] == [
        ("write_file", changed, "it is a config file", "toolu_1")
    ]
    assert agent.given == ([changed] if says else [])
    assert agent.heard() == ["it is a config file"]
    assert "it is a config file" not in result.llm_content
    assert (result.error is None) is says


@pytest.mark.req("AM-EV-PostToolUse", "AM-OUT-updatedResponse", "AM-OUT-feedback", "AM-OUT-systemMessage")
@pytest.mark.parametrize("way", WAYS)
def test_amcp_after_a_tool_the_response_changes_and_model_and_user_are_told(project: Project, way: str) -> None:
    answer = {"feedback": "two lint issues", "systemMessage": "linted", **post(updatedResponse="[redacted]")}
    agent = amcp(project, "PostToolUse", answer, way=way, returns={"secret": 7})

    result = agent.call()

    assert project.json("hook0.json")["tool_response"] == {"secret": 7}
    assert result.llm_content == "[redacted]"
    assert (conversation(agent), agent.heard()) == (["two lint issues"], ["linted"])


@pytest.mark.req("AM-OUT-exit0")
@pytest.mark.parametrize("event", ["PreToolUse", "PostToolUse"])
def test_amcp_plain_text_is_feedback_for_the_model(project: Project, event: str) -> None:
    agent = amcp(project, event, "mind the style\n")

    assert agent.call().llm_content == "wrote it"
    assert (conversation(agent), agent.told) == (["mind the style"], [])


@pytest.mark.req("AM-OUT-exit2")
def test_amcp_exit_2_after_a_tool_is_heard_by_the_model_and_undoes_nothing(project: Project) -> None:
    agent = amcp(project, "PostToolUse", ("", 2, "undo it"))

    assert (agent.call().error, conversation(agent)) == (None, ["undo it"])


@pytest.mark.req("AM-OUT-other")
@pytest.mark.parametrize("event", ["PreToolUse", "PostToolUse"])
def test_amcp_any_other_exit_is_logged_as_a_warning_and_the_tool_runs(
    project: Project, caplog: pytest.LogCaptureFixture, event: str
) -> None:
    agent = amcp(project, event, ("", 1, "no such linter"))

    assert agent.call().llm_content == "wrote it"
    assert (agent.given, agent.told, conversation(agent)) == ([CALL], [], [])
    warned = [one.getMessage() for one in caplog.records if one.levelno == logging.WARNING]
    assert [("exit code 1" in text, "no such linter" in text) for text in warned] == [(True, True)]


@pytest.mark.req("AM-OUT-continue", "WV-US2.1", "WV-FR-012")
@pytest.mark.parametrize("event", ["PreToolUse", "PostToolUse"])
@pytest.mark.parametrize("dialect", ["amcp", "wave"])
@pytest.mark.parametrize("beside", [{}, {"decision": "block", "reason": "no"}], ids=["alone", "with a block"])
def test_continue_false_stops_the_agent_and_the_user_sees_the_stop_reason(
    project: Project, dialect: str, event: str, beside: dict[str, str]
) -> None:
    answer = {"continue": False, "stopReason": "over budget", **beside}
    agent = (amcp if dialect == "amcp" else wave)(project, event, answer)

    results = []
    for _ in range(3):
        results.append(agent.call())
        if results[-1].stop:
            break

    assert (len(results), len(agent.given)) == (1, 0 if event == "PreToolUse" else 1)
    assert results[0].stop_reason == "over budget"
    assert agent.heard() == ["over budget"]


@pytest.mark.req("AM-OUT-suppressOutput")
@pytest.mark.parametrize("hidden", [True, False])
def test_amcp_suppressed_output_is_not_for_the_user(project: Project, hidden: bool) -> None:
    agent = amcp(project, "PostToolUse", {"suppressOutput": hidden})

    result = agent.call()

    assert (result.suppress_display, result.llm_content) == (hidden, "wrote it")


# Wave


def wave(project: Project, event: str, answer: Any, way: str = "def", **options: Any) -> Agent:
    """An agent with one hook, which answers this: (stdout, exit code, stderr)."""
    answer, exit_code, stderr = answer if isinstance(answer, tuple) else (answer, 0, "")
    command = project.answers("hook", answer, exit_code=exit_code, stderr=stderr)
    group = {"matcher": "write_*", "hooks": [{"type": "command", "command": command}]}
    project.write(".wave/settings.json", json.dumps({"hooks": {event: [group]}}))
    return Agent(project.engine("wave").session(), way, **options)


@pytest.mark.req("WV-US1.2", "WV-FR-002", "WV-FR-013")
@pytest.mark.parametrize("way", WAYS)
def test_wave_exit_2_blocks_a_tool_and_shows_stderr_to_the_model(project: Project, way: str) -> None:
    agent = wave(project, "PreToolUse", ("", 2, "not here"), way)

    assert words(agent.call().llm_content) == "not here"
    assert (agent.given, agent.told) == ([], [])
    assert agent.call("read_file").llm_content == "wrote it"


@pytest.mark.req("WV-US1.2", "WV-FR-002", "WV-FR-013")
def test_wave_exit_2_after_a_tool_shows_stderr_to_the_model(project: Project) -> None:
    agent = wave(project, "PostToolUse", ("", 2, "undo it"))

    assert agent.call().llm_content == "wrote it"
    assert (conversation(agent), agent.told) == (["undo it"], [])


@pytest.mark.req("WV-US1.3", "WV-FR-003")
@pytest.mark.parametrize("event", ["PreToolUse", "PostToolUse"])
@pytest.mark.parametrize("code", [1, 3, 255])
def test_wave_any_other_exit_shows_stderr_to_the_user_and_goes_on(project: Project, event: str, code: int) -> None:
    agent = wave(project, event, ("", code, "no such linter"))

    assert (agent.call().llm_content, agent.given) == ("wrote it", [CALL])
    assert (agent.heard(), conversation(agent)) == (["no such linter"], [])


@pytest.mark.req("WV-US2.2")
@pytest.mark.parametrize("event", ["PreToolUse", "PostToolUse"])
def test_wave_a_system_message_is_for_the_user(project: Project, event: str) -> None:
    agent = wave(project, event, {"systemMessage": "the branch is main"})

    assert agent.call().llm_content == "wrote it"
    assert (agent.heard(), conversation(agent)) == (["the branch is main"], [])


@pytest.mark.req("WV-US2.3")
@pytest.mark.parametrize(
    ("answer", "runs"),
    [((permission("allow"), 2, "stderr says no"), True), ((permission("deny", "no"), 0, ""), False)],
)
def test_wave_json_outranks_the_exit_code(project: Project, answer: Any, runs: bool) -> None:
    agent = wave(project, "PreToolUse", answer)

    assert (agent.call().error is None) is runs
    assert agent.given == [CALL] * runs


@pytest.mark.req("WV-US3.1", "WV-FR-006", "WV-FR-014")
@pytest.mark.parametrize("way", WAYS)
def test_wave_an_allowed_tool_runs_without_the_user_who_is_told_the_reason(project: Project, way: str) -> None:
    agent = wave(project, "PreToolUse", permission("allow", "it is safe"), way, says=False)

    assert agent.call(asks=True).llm_content == "wrote it"
    assert (agent.asked, agent.given) == ([], [CALL])
    assert (agent.heard(), conversation(agent)) == (["it is safe"], [])


@pytest.mark.req("WV-US3.2", "WV-FR-006", "WV-FR-014")
@pytest.mark.parametrize("way", WAYS)
def test_wave_a_denied_tool_is_blocked_and_only_the_model_is_told_the_reason(project: Project, way: str) -> None:
    agent = wave(project, "PreToolUse", permission("deny", "it is not safe"), way)

    assert words(agent.call(asks=True).llm_content) == "it is not safe"
    assert (agent.asked, agent.given, agent.told) == ([], [], [])


@pytest.mark.req("WV-US3.4", "WV-FR-006")
@pytest.mark.parametrize("changed", [{"path": "b"}, {"path": "b", "content": "x", "mode": 1}, {}])
@pytest.mark.parametrize("way", WAYS)
def test_wave_the_tool_receives_the_updated_input(project: Project, way: str, changed: dict[str, Any]) -> None:
    agent = wave(project, "PreToolUse", pre(updatedInput=changed), way)

    agent.call()

    assert agent.given == [changed]


@pytest.mark.req("WV-US3.3", "WV-US3.4")
def test_wave_the_user_is_asked_about_an_input_that_a_hook_emptied(project: Project) -> None:
    agent = wave(project, "PreToolUse", permission("ask", updatedInput={}))

    agent.call()

    assert [one.tool_input for one in agent.asked] == agent.given == [{}]


@pytest.mark.req("WV-US4.1", "WV-US4.2", "WV-FR-007")
@pytest.mark.parametrize("way", WAYS)
def test_wave_after_a_tool_the_model_is_prompted_with_the_reason_and_has_the_context(
    project: Project, way: str
) -> None:
    answer = {"decision": "block", "reason": "undo it", **post(additionalContext="two warnings")}
    agent = wave(project, "PostToolUse", answer, way)

    own, _, context = agent.call().llm_content.partition("\n\n")

    assert (own, words(context)) == ("wrote it", "two warnings")
    assert (conversation(agent), agent.told) == (["undo it"], [])


@pytest.mark.req("WV-US4.3", "WV-FR-007")
@pytest.mark.parametrize("answer", [{}, {"reason": "only words"}, "plain text"])
def test_wave_without_a_decision_nobody_is_prompted(project: Project, answer: Any) -> None:
    agent = wave(project, "PostToolUse", answer)

    result = agent.call()

    assert (result.llm_content, result.error, result.stop) == ("wrote it", None, False)
    assert (conversation(agent), agent.told) == ([], [])
