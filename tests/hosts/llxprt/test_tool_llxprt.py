"""llxprt in a host: what its tool hooks say is done to the tool, the model's content, the user and the loop."""

import asyncio
import inspect
import json
import logging
from collections.abc import Iterable
from typing import Any

import pytest

from conftest import Project
from hosts.tools import Writer
from processes import in_a_host
from requirements.llxprt import group, says, settings, specific
from tenterhook.hosts.result import ToolResult
from tenterhook.hosts.scheduler import Scheduler, ToolCall
from tenterhook.hosts.tool import execute_tool_with_hooks

CALL = {"path": "a.txt", "content": "x"}
WAYS = ["def", "async def", "execute_tool_with_hooks"]


class Agent(Writer):
    """A host with one tool, which keeps what it was given; a user who is told things, and could be asked."""

    def __init__(self, project: Project, way: str = "def", returns: Any = "wrote it", **options: Any) -> None:
        super().__init__(way, returns)
        self.told: list[str] = []
        self.asked: list[Any] = []
        self.session = project.engine("llxprt").session(tell=self.told.append, permission=self.ask)
        self.options = options

    def ask(self, request: Any) -> bool:
        self.asked.append(request)
        return True

    def call(self, input: dict[str, Any] = CALL, name: str = "write_file") -> ToolResult:
        if self.way == "def":
            return self.session.tool(name, **self.options)(self.write)(**input)
        if self.way == "async def":
            return asyncio.run(self.session.tool(name, **self.options)(self.awrite)(**input))  # type: ignore[arg-type]
        execute = execute_tool_with_hooks(self.session, name, input, lambda given: self.write(**given), **self.options)
        return asyncio.run(execute)

    def loop(self, inputs: Iterable[dict[str, Any]]) -> list[ToolResult]:
        """What an agent does: one call after another, until somebody says stop."""
        results = []
        for input in inputs:
            results.append(self.call(input))
            if results[-1].stop:
                break
        return results


def hooks(project: Project, before: Any = (), after: Any = (), **keys: Any) -> None:
    events = {"BeforeTool": before, "AfterTool": after}
    groups = {name: [group(*(one if isinstance(one, list | tuple) else [one]), **keys)] for name, one in events.items()}
    project.write(".llxprt/settings.json", settings(**groups))


# Nothing to do


@pytest.mark.req("HOOK-013")
@pytest.mark.parametrize(
    "text",
    [
        settings(switch=False, BeforeTool=[group("touch ran")], AfterTool=[group("touch ran")]),
        settings(),
        settings(BeforeTool=[group("touch ran", matcher="^other$")], AfterTool=[group("touch ran", matcher="^other$")]),
    ],
    ids=["switched off", "no hooks", "no match"],
)
def test_where_no_hook_is_to_run_a_call_touches_no_file_starts_nothing_and_never_waits(
    project: Project, text: str
) -> None:
    project.write(".llxprt/settings.json", text)

    said = in_a_host(f"""
from tenterhook import Engine

engine = Engine({str(project.root)!r}, dialect="llxprt", home={str(project.home_folder)!r}, trust="all")
@engine.tool("plain")
def plain(n): return n
@engine.tool("waits")
async def waits(n): return n
def at_once(coroutine):
    try:
        coroutine.send(None)
    except StopIteration as done:
        return done.value
    raise AssertionError("it was suspended")
plain(n=1), at_once(waits(n=1))  # the files are read here, once
seen, looking = [], True
sys.addaudithook(lambda event, args: looking and seen.append(event))
results = [plain(n=2), at_once(waits(n=3))]
looking = False
IO = ("open", "os.", "subprocess.", "socket.", "import", "_thread.", "shutil.", "glob.")
print([one for one in seen if one.startswith(IO)], engine.runner, [one.llm_content for one in results])
""")

    assert said == "[] None ['2', '3']\n"
    assert not project.has("ran")


# Before a tool


@pytest.mark.req("HOOK-014", "HOOK-025", "HOOK-134")
@pytest.mark.parametrize("way", WAYS)
def test_hooks_are_waited_for_right_before_the_tool_and_right_after_it(project: Project, way: str) -> None:
    hooks(project, "sleep 0.1; printf 'before ' >> order", "sleep 0.1; printf 'after ' >> order")
    agent = Agent(project, way)
    order = project.root / "order"
    agent.write = lambda **input: order.write_text(order.read_text() + "tool ")  # type: ignore[method-assign]

    result = agent.call()

    assert order.read_text() == "before tool after "
    assert result.error is None


BLOCKS = {
    "exit 2": ("echo 'not here' >&2; exit 2", "not here"),
    "decision block": (says({"decision": "block", "reason": "not here"}), "not here"),
    "decision deny": (says({"decision": "deny", "reason": "not here"}), "not here"),
    "permissionDecision": (specific(permissionDecision="deny", permissionDecisionReason="not here"), "not here"),
    "without a reason": (says({"decision": "block"}), "Blocked by hook"),
}


@pytest.mark.req("HOOK-017", "HOOK-156", "HOOK-177", "HOOK-183")
@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("way", WAYS)
def test_a_blocked_tool_does_not_run_and_the_model_gets_the_reason_as_its_result(
    project: Project, way: str, block: str
) -> None:
    command, reason = BLOCKS[block]
    hooks(project, command, "touch after")
    agent = Agent(project, way)

    result = agent.call()

    assert agent.given == []
    assert reason in result.llm_content.splitlines()
    assert result.error is not None
    assert (result.error.type, result.error.message, result.stop) == ("blocked", reason, False)
    assert not project.has("after")
    assert not hasattr(result, "blocked")


@pytest.mark.req("HOOK-017")
def test_the_reasons_of_all_hooks_that_block_reach_the_model(project: Project) -> None:
    hooks(project, [says({"decision": "block", "reason": one}) for one in ("first no", "second no")])

    lines = Agent(project).call().llm_content.splitlines()

    assert (lines.count("first no"), lines.count("second no")) == (1, 1)


@pytest.mark.req("HOOK-018")
@pytest.mark.parametrize(
    "command",
    [says({"decision": "allow"}), says({"decision": "approve"}), says({"reason": "none"}), says({}), "true"],
)
@pytest.mark.parametrize("way", WAYS)
def test_an_allowed_tool_runs_normally(project: Project, way: str, command: str) -> None:
    hooks(project, command)
    agent = Agent(project, way)

    result = agent.call()

    assert agent.given == [CALL]
    assert (result.llm_content, result.return_display, result.error) == ("wrote it", "wrote it", None)


@pytest.mark.req("HOOK-019", "HOOK-156", "HOOK-177")
@pytest.mark.parametrize("way", WAYS)
def test_a_tool_runs_with_the_arguments_that_a_hook_made_of_them(project: Project, way: str) -> None:
    hooks(project, specific(tool_input={"path": "safe.txt", "mode": 420}), project.answers("after"))
    agent = Agent(project, way)

    agent.call()

    assert agent.given == [{"path": "safe.txt", "content": "x", "mode": 420}]
    assert project.json("after.json")["tool_input"] == agent.given[0]
    assert CALL == {"path": "a.txt", "content": "x"}


@pytest.mark.req("HOOK-020", "HOOK-156", "HOOK-177")
@pytest.mark.parametrize("way", WAYS)
def test_a_stop_before_a_tool_ends_the_loop_and_the_user_hears_why(project: Project, way: str) -> None:
    hooks(project, says({"continue": False, "stopReason": "over budget"}), "touch after")
    agent = Agent(project, way)

    results = agent.loop([CALL, CALL, CALL])

    assert (len(results), agent.given) == (1, [])
    assert (results[0].stop, results[0].stop_reason) == (True, "over budget")
    assert [text.endswith("] over budget") for text in agent.told] == [True]
    assert not project.has("after")


MATCHERS = [("^write_file$", True), ("write", True), ("read_file|write_file", True), ("", True), ("^read", False)]


@pytest.mark.req("HOOK-021", "HOOK-177")
@pytest.mark.parametrize(("matcher", "matches"), MATCHERS)
def test_only_hooks_whose_regex_matches_can_block_a_tool(project: Project, matcher: str, matches: bool) -> None:
    hooks(project, "touch ran; exit 2", matcher=matcher)
    agent = Agent(project)

    result = agent.call()

    assert (agent.given == [], result.error is not None, project.has("ran")) == (matches, matches, matches)


@pytest.mark.req("HOOK-022")
@pytest.mark.parametrize("name", ["write_file", "read_file", "mcp__server__tool", "ein Werkzeug"])
def test_a_hook_without_a_matcher_blocks_every_tool(project: Project, name: str) -> None:
    hooks(project, "exit 2")
    agent = Agent(project)

    assert agent.call(name=name).error is not None
    assert agent.given == []


@pytest.mark.req("HOOK-032")
@pytest.mark.parametrize(("matcher", "matches"), MATCHERS)
def test_only_hooks_whose_regex_matches_add_to_a_result(project: Project, matcher: str, matches: bool) -> None:
    hooks(project, after=specific(additionalContext="noted"), matcher=matcher)

    assert ("noted" in Agent(project).call().llm_content) is matches


FAILURES = {
    "exit 1": ("exit 1", "exit code 1"),
    "exit 3 with words": ("echo 'disk full' >&2; exit 3", "exit code 3: disk full"),
    "crash": ("kill -SEGV $$", "SIGSEGV"),
    "time-out": ({"type": "command", "command": "exec sleep 30", "timeout": 100}, "within 0.1 s"),
    "no program": ("./no-such-program", "exit code 127"),
    "printed a block": (f"{says({'decision': 'block', 'continue': False})}; exit 1", "exit code 1"),
}


@pytest.mark.req("HOOK-023", "HOOK-031")
@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_failed_hook_lets_the_tool_be_and_each_failure_is_in_the_log(
    project: Project, caplog: pytest.LogCaptureFixture, when: str, failure: str
) -> None:
    command, said = FAILURES[failure]
    hooks(project, **{when: command})
    agent = Agent(project)

    results = agent.loop([CALL, CALL])

    assert agent.given == [CALL, CALL]
    for result in results:
        assert (result.error, result.stop, result.suppress_display) == (None, False, False)
        assert result.llm_content.split("\n\n[System] Warning: ")[0] == "wrote it"
    warned = [one.getMessage() for one in caplog.records if one.levelno == logging.WARNING]
    assert len([text for text in warned if said in text]) == 2
    assert agent.told == []


@pytest.mark.req("HOOK-031")
@pytest.mark.parametrize("failure", ["exit 1", "crash", "time-out"])
def test_a_failed_hook_without_words_leaves_the_result_as_it_is(project: Project, failure: str) -> None:
    hooks(project, after=FAILURES[failure][0])
    returned = ToolResult("for the model", "for the user", {"n": 1})

    result = Agent(project, returns=returned).call()

    assert (result.llm_content, result.return_display, result.metadata) == ("for the model", "for the user", {"n": 1})


@pytest.mark.req("HOOK-024", "HOOK-106")
@pytest.mark.parametrize("way", WAYS)
def test_in_a_chain_each_hook_and_then_the_tool_get_the_input_as_changed_so_far(project: Project, way: str) -> None:
    first = project.answers("first", {"hookSpecificOutput": {"tool_input": {"path": "b.txt", "mode": 1}}})
    second = project.answers("second", {"hookSpecificOutput": {"tool_input": {"mode": 2}}})
    third = project.answers("third")
    hooks(project, [first, second, third], sequential=True)
    agent = Agent(project, way)

    agent.call()

    seen = [project.json(f"{name}.json")["tool_input"] for name in ("first", "second", "third")]
    assert seen == [CALL, {**CALL, "path": "b.txt", "mode": 1}, {**CALL, "path": "b.txt", "mode": 2}]
    assert agent.given == [seen[-1]]


@pytest.mark.req("HOOK-107")
@pytest.mark.parametrize("way", WAYS)
def test_a_block_ends_a_chain_and_the_tool_is_not_run(project: Project, way: str) -> None:
    hooks(project, [specific(tool_input={"path": "b"}), "echo no >&2; exit 2", "touch ran"], sequential=True)
    agent = Agent(project, way)

    result = agent.call()

    assert (agent.given, project.has("ran")) == ([], False)
    assert "no" in result.llm_content.splitlines()


@pytest.mark.req("HOOK-182")
@pytest.mark.parametrize("answer", [{"decision": "ask"}, {"hookSpecificOutput": {"permissionDecision": "ask"}}])
def test_ask_is_as_good_as_allow_and_nobody_is_asked(project: Project, answer: dict[str, Any]) -> None:
    hooks(project, says(answer))
    agent = Agent(project)

    result = agent.call()

    assert (agent.given, agent.asked, result.error) == ([CALL], [], None)


@pytest.mark.req("HOOK-182")
@pytest.mark.parametrize("word", ["ask", "allow"])
def test_neither_ask_nor_allow_takes_the_users_own_decision_away(project: Project, word: str) -> None:
    hooks(project, says({"decision": word}))
    agent = Agent(project, asks=True)

    agent.call()

    assert [request.tool_name for request in agent.asked] == ["write_file"]
    assert agent.given == [CALL]


# After a tool


RECORDS = {
    "text": ("wrote it", {"llmContent": "wrote it", "returnDisplay": "wrote it", "metadata": {}}),
    "a result": (
        ToolResult("for the model", "for the user", {"bytes": 3}),
        {"llmContent": "for the model", "returnDisplay": "for the user", "metadata": {"bytes": 3}},
    ),
    "parts": (
        [{"type": "text", "text": "one"}],
        {
            "llmContent": [{"type": "text", "text": "one"}],
            "returnDisplay": [{"type": "text", "text": "one"}],
            "metadata": {},
        },
    ),
    "an error": (
        OSError("disk full"),
        {
            "llmContent": "OSError: disk full",
            "returnDisplay": "OSError: disk full",
            "metadata": {},
            "error": {"message": "OSError: disk full", "type": "failed"},
        },
    ),
}


@pytest.mark.req("HOOK-025", "HOOK-026")
@pytest.mark.parametrize("kind", RECORDS)
@pytest.mark.parametrize("way", WAYS)
def test_hooks_after_a_tool_are_told_its_whole_result_also_where_it_failed(
    project: Project, way: str, kind: str
) -> None:
    returned, record = RECORDS[kind]
    hooks(project, after=project.answers("after"))
    agent = Agent(project, way, returned)

    agent.call()

    seen = project.json("after.json")
    base = {name: seen.pop(name) for name in ("session_id", "cwd", "timestamp", "transcript_path")}
    assert base["session_id"] == agent.session.id
    assert seen == {
        "hook_event_name": "AfterTool",
        "tool_name": "write_file",
        "tool_input": CALL,
        "tool_response": record,
    }


@pytest.mark.req("HOOK-027", "HOOK-156", "HOOK-178", "HOOK-217")
@pytest.mark.parametrize("way", WAYS)
def test_context_is_appended_to_what_the_model_gets_and_not_to_what_the_user_sees(project: Project, way: str) -> None:
    hooks(project, after=specific(additionalContext="three warnings"))

    result = Agent(project, way).call()

    assert result.llm_content.startswith("wrote it\n\n")
    assert result.llm_content.endswith("three warnings")
    assert result.return_display == "wrote it"


@pytest.mark.req("HOOK-028", "HOOK-156", "HOOK-178", "HOOK-217")
@pytest.mark.parametrize("way", WAYS)
def test_a_stop_after_a_tool_ends_the_loop_with_the_result_kept(project: Project, way: str) -> None:
    hooks(project, after=says({"continue": False, "stopReason": "enough for today"}))
    agent = Agent(project, way)

    results = agent.loop([CALL, CALL, CALL])

    assert (len(results), agent.given) == (1, [CALL])
    assert (results[0].stop, results[0].stop_reason) == (True, "enough for today")
    assert (results[0].llm_content, results[0].error) == ("wrote it", None)
    assert [text.endswith("] enough for today") for text in agent.told] == [True]


@pytest.mark.req("HOOK-029", "HOOK-132", "HOOK-149", "HOOK-178", "HOOK-217")
@pytest.mark.parametrize(("answer", "hidden"), [(True, True), (False, False)])
@pytest.mark.parametrize("way", WAYS)
def test_a_suppressed_result_is_not_for_the_user_and_still_for_the_model(
    project: Project, way: str, answer: bool, hidden: bool
) -> None:
    hooks(project, after=says({"suppressOutput": answer}))

    result = Agent(project, way).call()

    assert (result.suppress_display, result.llm_content) == (hidden, "wrote it")
    assert ToolResult().suppress_display is False


@pytest.mark.req("HOOK-030", "HOOK-131", "HOOK-159", "HOOK-178", "HOOK-217")
@pytest.mark.parametrize("way", WAYS)
def test_a_system_message_is_annotated_in_the_models_content_and_never_shown_to_the_user(
    project: Project, way: str
) -> None:
    hooks(project, after=says({"systemMessage": "run the tests"}))
    agent = Agent(project, way)

    result = agent.call()

    assert result.llm_content == "wrote it\n\n[System] run the tests"
    assert (result.return_display, agent.told) == ("wrote it", [])


@pytest.mark.req("HOOK-159")
@pytest.mark.parametrize(
    ("before", "content"),
    [
        (says({"systemMessage": "mind the style"}), "wrote it\n\n[System] mind the style"),
        ("echo 'mind the style'", "wrote it\n\n[System] mind the style"),
    ],
)
def test_a_system_message_before_a_tool_comes_with_its_result(project: Project, before: str, content: str) -> None:
    hooks(project, before)
    agent = Agent(project)

    assert agent.call().llm_content == content
    assert agent.told == []


@pytest.mark.req("HOOK-159")
def test_a_system_message_beside_a_block_reaches_the_model_too(project: Project) -> None:
    hooks(project, says({"decision": "block", "reason": "not here", "systemMessage": "use /tmp"}))
    agent = Agent(project)

    result = agent.call()

    assert "not here" in result.llm_content
    assert result.llm_content.endswith("\n\n[System] use /tmp")
    assert agent.told == []


@pytest.mark.req("HOOK-208")
@pytest.mark.parametrize("way", WAYS)
def test_all_effects_of_all_hooks_after_a_tool_apply_beside_one_another(project: Project, way: str) -> None:
    one = {"systemMessage": "s1", "hookSpecificOutput": {"additionalContext": "c1"}}
    two = {"systemMessage": "s2", "suppressOutput": True, "hookSpecificOutput": {"additionalContext": "c2"}}
    hooks(project, after=[says(one), says(two)])

    result = Agent(project, way).call()

    head, *texts = result.llm_content.split("\n\n")
    assert head == "wrote it"
    assert sorted(texts) == ["[Context] c1\nc2", "[System] s1\ns2"]
    assert (result.suppress_display, result.return_display) == (True, "wrote it")


@pytest.mark.req("HOOK-178")
@pytest.mark.parametrize("command", ["echo 'undo it' >&2; exit 2", says({"decision": "block", "reason": "undo it"})])
@pytest.mark.parametrize("way", WAYS)
def test_after_a_tool_nothing_can_be_blocked_but_the_model_hears_the_reason(
    project: Project, way: str, command: str
) -> None:
    hooks(project, after=command)
    agent = Agent(project, way)

    result = agent.call()

    assert (result.error, result.stop, result.llm_content) == (None, False, "wrote it")
    assert [text.splitlines()[1] for text in agent.session.pending()] == ["undo it"]


@pytest.mark.req("HOOK-178")
@pytest.mark.parametrize("field", ["tool_response", "tool_output", "updatedResponse", "llmContent"])
def test_no_answer_after_a_tool_replaces_its_output(project: Project, field: str) -> None:
    hooks(project, after=says({field: "other", "hookSpecificOutput": {field: "other"}}))

    result = Agent(project).call()

    assert (result.llm_content, result.return_display) == ("wrote it", "wrote it")


@pytest.mark.req("HOOK-217")
def test_the_tools_own_result_is_never_changed_in_place(project: Project) -> None:
    answer = {"systemMessage": "s", "suppressOutput": True, "hookSpecificOutput": {"additionalContext": "c"}}
    hooks(project, after=says(answer))
    parts = [{"type": "text", "text": "one"}]
    mine = ToolResult(parts, "seen", {"n": 1})

    result = Agent(project, returns=mine).call()

    assert [part["text"] for part in result.llm_content] == ["one", "[System] s", "[Context] c"]
    assert parts == [{"type": "text", "text": "one"}]
    assert mine == ToolResult([{"type": "text", "text": "one"}], "seen", {"n": 1})


# All at once


@pytest.mark.req("HOOK-063", "HOOK-156")
@pytest.mark.parametrize("way", WAYS)
def test_all_that_a_hooks_json_says_at_exit_0_is_done_to_the_operation(project: Project, way: str) -> None:
    before = {"decision": "allow", "systemMessage": "s1", "hookSpecificOutput": {"tool_input": {"path": "b.txt"}}}
    after = {
        "continue": False,
        "stopReason": "done for today",
        "suppressOutput": True,
        "systemMessage": "s2",
        "hookSpecificOutput": {"additionalContext": "c"},
    }
    hooks(project, says(before), says(after))
    agent = Agent(project, way)

    results = agent.loop([CALL, CALL])

    assert agent.given == [{**CALL, "path": "b.txt"}]
    assert results[0].llm_content == "wrote it\n\n[System] s1\ns2\n\n[Context] c"
    assert results[0].suppress_display
    assert [text.endswith("] done for today") for text in agent.told] == [True]


@pytest.mark.req("HOOK-133")
def test_the_wrapper_takes_host_name_input_and_function_and_gives_a_result(project: Project) -> None:
    parameters = list(inspect.signature(execute_tool_with_hooks).parameters.values())
    assert [one.name for one in parameters if one.kind is one.POSITIONAL_OR_KEYWORD] == [
        "host",
        "tool_name",
        "tool_input",
        "execute_fn",
    ]
    hooks(project, specific(tool_input={"n": 2}), says({"systemMessage": "odd"}))

    async def double(input: dict[str, Any]) -> dict[str, int]:
        return {"twice": 2 * input["n"]}

    for function in (double, lambda input: {"twice": 2 * input["n"]}):
        coroutine = execute_tool_with_hooks(project.engine("llxprt"), "double", {"n": 1}, function)
        assert inspect.iscoroutine(coroutine)
        result = asyncio.run(coroutine)
        assert isinstance(result, ToolResult)
        assert result.llm_content == '{"twice":4}\n\n[System] odd'


# Several calls


@pytest.mark.req("HOOK-129", "HOOK-130", "HOOK-204")
def test_a_blocked_call_goes_from_executing_to_idle_is_published_once_and_never_tried_again(project: Project) -> None:
    log = "printf '%s\\n' \"$(cat)\" >> fired"
    guard = project.script("guard.sh", f'{log}\ncase "$(tail -n 1 fired)" in *secret*) echo no >&2; exit 2;; esac\n')
    hooks(project, guard)
    agent = Agent(project)
    states: dict[str, list[str]] = {"1": [], "2": [], "3": []}
    published: list[tuple[str, str]] = []
    scheduler = Scheduler(
        [agent.session.tool("write_file")(agent.write)],
        parallel=1,
        changed=lambda one: states[one.call.id].append(one.state),
        publish=lambda call, result: published.append((call.id, result.llm_content)),
    )

    calls = [ToolCall("write_file", {"path": path}, id) for id, path in (("1", "a"), ("2", "secret"), ("3", "b"))]
    results = scheduler.run(calls)

    assert states["2"] == ["validating", "executing", "idle"]
    assert states["1"] == states["3"] == ["validating", "executing", "success"]
    assert agent.given == [{"path": "a"}, {"path": "b"}]
    assert [id for id, _ in published] == ["1", "2", "3"]
    assert "no" in published[1][1].splitlines()
    assert [result.llm_content for result in results] == [content for _, content in published]
    fired = [json.loads(line)["tool_input"]["path"] for line in project.read("fired").splitlines()]
    assert fired == ["a", "secret", "b"]
