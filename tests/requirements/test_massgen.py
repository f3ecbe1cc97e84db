"""MassGen (MassGen's document): every scenario of its hook framework, with real programs and functions."""

import os
import time
from textwrap import dedent

import pytest

CALL = {"tool_name": "Write", "tool_input": {"path": "a"}}
RESULT = {**CALL, "tool_output": "done"}
DENY = 'def check(event):\n    return {"decision": "deny", "reason": "python says no"}\n'


def config(project, text, name="massgen.yaml"):
    project.write(name, dedent(text))


def programs(*names):
    """A list of command hooks, as YAML."""
    return f"[{', '.join(f'{{handler: {name}, type: command}}' for name in names)}]"


@pytest.mark.req("MG-01.1")
def test_every_matching_hook_has_run_before_the_tool_does(project):
    project.logs("one", "two", "other")
    config(
        project,
        """
        hooks:
          PreToolUse:
            - {handler: one, type: command, matcher: Write}
            - {handler: other, type: command, matcher: Read}
            - {handler: two, type: command}
        """,
    )

    outcome = project.fire("massgen", "PreToolUse", CALL)

    assert not outcome.blocked
    assert project.read("order") == "one two "
    assert [(one.hook, one.why) for one in outcome.skipped] == [("other", "matcher")]


@pytest.mark.req("MG-01.2")
def test_every_matching_hook_is_given_the_result_of_a_tool_that_ran(project):
    project.answers("one", {})
    project.answers("two", {})
    project.answers("other", {})
    config(
        project,
        """
        hooks:
          PostToolUse:
            - {handler: one, type: command, matcher: Write}
            - {handler: two, type: command}
            - {handler: other, type: command, matcher: Read}
        """,
    )

    project.fire("massgen", "PostToolUse", RESULT)

    assert (project.json("one.json")["tool_output"], project.json("two.json")["tool_output"]) == ("done", "done")
    assert not project.has("other.json")


@pytest.mark.req("MG-01.1", "MG-01.2")
def test_hooks_of_one_event_do_not_run_at_the_other(project):
    project.logs("before", "after")
    config(
        project,
        """
        hooks:
          PreToolUse: [{handler: before, type: command}]
          PostToolUse: [{handler: after, type: command}]
        """,
    )

    project.fire("massgen", "tool.before", CALL)
    assert project.read("order") == "before "

    project.fire("massgen", "tool.after", RESULT)
    assert project.read("order") == "before after "


@pytest.mark.req("MG-02.1")
@pytest.mark.parametrize("agent", ["", "a1", "a2", "an agent that no file names"])
def test_a_global_python_hook_is_registered_for_all_agents(project, agent):
    project.write("guard.py", DENY)
    config(
        project,
        """
        hooks:
          PreToolUse:
            - handler: "guard.check"
              type: "python"
        agents: [{id: a1}, {id: a2}]
        """,
    )

    outcome = project.fire("massgen", "PreToolUse", CALL, agent=agent)

    assert (outcome.blocked, outcome.decision, outcome.reason) == (True, "deny", "python says no")
    assert outcome.attempts[0].type == "python"


@pytest.mark.req("MG-02.1")
@pytest.mark.parametrize(
    "body",
    [
        'def check(event):\n    return {"decision": "deny", "reason": event["tool_input"]["path"]}\n',
        'def check(event):\n    return {"decision": "deny", "reason": event.tool_input["path"]}\n',
        'async def check(event):\n    return {"decision": "deny", "reason": event.tool_input["path"]}\n',
        "from dataclasses import dataclass\n\n@dataclass\nclass HookResult:\n    decision: str\n    reason: str\n\n"
        'def check(event):\n    return HookResult("deny", event.tool_input["path"])\n',
    ],
    ids=["mapping", "attributes", "coroutine", "hook result"],
)
def test_a_python_hook_gets_a_mapping_with_attributes_and_returns_a_mapping_or_a_result(project, body):
    project.write("guard.py", body)
    config(project, "hooks: {PreToolUse: [{handler: guard.check, type: python}]}")

    outcome = project.fire("massgen", "PreToolUse", CALL)

    assert (outcome.decision, outcome.reason) == ("deny", "a")


@pytest.mark.req("MG-02.2")
@pytest.mark.parametrize("agent", ["", "a1", "an agent that no file names"])
def test_a_global_command_hook_is_registered_for_all_agents(project, agent):
    project.script("path/to/script.py", 'open("ran", "w").write("yes")\n')
    config(
        project,
        """
        hooks:
          PostToolUse:
            - handler: "path/to/script.py"
              type: "command"
        agents: [{id: a1}]
        """,
    )

    outcome = project.fire("massgen", "PostToolUse", RESULT, agent=agent)

    assert outcome.success
    assert project.read("ran") == "yes"


@pytest.mark.req("MG-02.2")
def test_a_python_file_without_the_run_bit_is_a_program_too(project):
    project.write("script.py", 'print(\'{"inject": {"content": "ran"}}\')\n')
    config(project, "hooks: {PostToolUse: [{handler: script.py, type: command}]}")

    assert project.told(project.fire("massgen", "PostToolUse", RESULT)) == [("model", "result", "ran")]


@pytest.mark.req("MG-02.2")
def test_a_command_is_one_program_and_never_a_shell_line(project):
    project.script("my hook; touch pwned", "touch ran\n")
    config(project, """hooks: {PostToolUse: [{handler: "my hook; touch pwned", type: command}]}""")

    project.fire("massgen", "PostToolUse", RESULT)

    assert project.has("ran")
    assert not project.has("pwned")


@pytest.mark.req("MG-02.1", "MG-02.2")
def test_without_a_type_a_path_is_a_command_and_a_dotted_name_a_function(project):
    project.write("guard.py", "def check(event):\n    return {}\n")
    project.logs("one.sh")
    config(project, "hooks: {PreToolUse: [{handler: ./one.sh}, {handler: guard.check}, {handler: one.sh}]}")

    outcome = project.fire("massgen", "PreToolUse", CALL)

    assert [attempt.type for attempt in outcome.attempts] == ["command", "python", "command"]
    assert outcome.success


@pytest.mark.req("MG-02.2")
@pytest.mark.parametrize("name", ["massgen.yaml", "config.yaml", ".massgen/config.yaml"])
def test_each_of_its_three_files_is_read(project, name):
    project.logs("one")
    config(project, "hooks: {PreToolUse: [{handler: one, type: command}]}", name)

    project.fire("massgen", "PreToolUse", CALL)

    assert project.read("order") == "one "


EXTENDED = """
    hooks:
      PreToolUse: [{handler: global, type: command}]
      PostToolUse: [{handler: after, type: command}]
    agents:
      - id: a1
        backend:
          hooks:
            PreToolUse: [{handler: own, type: command}]
      - id: a2
        backend: {type: openai}
    """


@pytest.mark.req("MG-03.1")
@pytest.mark.parametrize(("agent", "order"), [("a1", "global own "), ("a2", "global "), ("", "global ")])
def test_an_agents_hooks_run_for_that_agent_after_the_global_ones(project, agent, order):
    project.logs("global", "own", "after")
    config(project, EXTENDED)

    project.fire("massgen", "PreToolUse", CALL, agent=agent)

    assert order == project.read("order")


@pytest.mark.req("MG-03.1")
def test_the_global_hooks_of_every_file_come_first(project):
    project.logs("global", "own", "after", "second", "last")
    config(project, EXTENDED)
    config(project, "hooks: {PreToolUse: [{handler: second, type: command}]}", "config.yaml")
    config(project, "hooks: {PreToolUse: [{handler: last, type: command}]}", ".massgen/config.yaml")

    project.fire("massgen", "PreToolUse", CALL, agent="a1")

    assert project.read("order") == "global second last own "


@pytest.mark.req("MG-03.1")
def test_the_agent_may_stand_in_the_event(project):
    project.logs("global", "own", "after")
    config(project, EXTENDED)

    project.fire("massgen", "PreToolUse", {**CALL, "agent_id": "a1"})

    assert project.read("order") == "global own "


OVERRIDES = {
    "beside its list": "{override: true, hooks: [{handler: own, type: command}]}",
    "in an entry of its list": "[{handler: own, type: command, override: true}]",
    "as an entry of its own": "[{override: true}, {handler: own, type: command}]",
}


@pytest.mark.req("MG-03.2")
@pytest.mark.parametrize("form", OVERRIDES.values(), ids=OVERRIDES)
def test_an_override_switches_the_global_hooks_of_that_event_off_for_that_agent(project, form):
    project.logs("global", "own", "after")
    config(project, EXTENDED.replace("[{handler: own, type: command}]", form))

    outcome = project.fire("massgen", "PreToolUse", CALL, agent="a1")

    assert project.read("order") == "own "
    assert [(one.hook, one.why) for one in outcome.skipped] == [("global", "overridden")]


@pytest.mark.req("MG-03.2")
@pytest.mark.parametrize("form", ["{override: true, hooks: []}", "{override: true}", "[{override: true}]"])
def test_an_override_counts_with_an_empty_list_too(project, form):
    project.logs("global", "own", "after")
    config(project, EXTENDED.replace("[{handler: own, type: command}]", form))

    outcome = project.fire("massgen", "PreToolUse", CALL, agent="a1")

    assert not project.has("order")
    assert [one.why for one in outcome.skipped] == ["overridden"]
    assert outcome.warnings == ()


@pytest.mark.req("MG-03.2")
@pytest.mark.parametrize(
    ("event", "agent", "order"),
    [("PreToolUse", "a2", "global "), ("PreToolUse", "", "global "), ("PostToolUse", "a1", "after ")],
)
def test_an_override_changes_nothing_for_other_agents_and_other_events(project, event, agent, order):
    project.logs("global", "own", "after")
    config(project, EXTENDED.replace("[{handler: own, type: command}]", OVERRIDES["beside its list"]))

    project.fire("massgen", event, RESULT, agent=agent)

    assert order == project.read("order")


@pytest.mark.req("MG-03.1")
def test_override_false_extends(project):
    project.logs("global", "own", "after")
    config(project, EXTENDED.replace("[{handler: own", "[{override: false, handler: own"))

    project.fire("massgen", "PreToolUse", CALL, agent="a1")

    assert project.read("order") == "global own "


@pytest.mark.req("MG-04.1", "MG-04.2", "MG-04.3")
@pytest.mark.parametrize(
    ("matcher", "tool", "runs"),
    [
        ("'*'", "Write", True),
        ("'*'", "mcp__fs__write", True),
        ("''", "anything", True),
        ("null", "anything", True),
        (None, "anything", True),
        ("'Write|Edit'", "Write", True),
        ("'Write|Edit'", "Edit", True),
        ("'Write | Edit'", "Edit", True),
        ("'Write|Edit'", "Read", False),
        ("'Write|Edit'", "WriteFile", False),
        ("'Write|Edit'", "MultiEdit", False),
        ("'Write|Edit'", "write", False),
        ("'mcp__*'", "mcp__fs__write", True),
        ("'mcp__*'", "my_mcp__fs", False),
        ("'Wr?te'", "Write", True),
        ("'[WE]*'", "Edit", True),
        ("'Wr.te'", "Write", False),
    ],
)
def test_a_matcher_is_globs_on_the_whole_name_and_no_matcher_fits_all(project, matcher, tool, runs):
    project.logs("one")
    entry = "handler: one, type: command" + (f", matcher: {matcher}" if matcher is not None else "")
    config(project, f"hooks: {{PreToolUse: [{{{entry}}}]}}")

    outcome = project.fire("massgen", "PreToolUse", {"tool_name": tool, "tool_input": {}})

    assert runs == project.has("order")
    assert ([] if runs else ["matcher"]) == [one.why for one in outcome.skipped]


@pytest.mark.req("MG-05.1", "MG-07.2")
def test_a_deny_blocks_the_tool_and_the_agent_is_told_the_reason(project):
    project.answers("guard", {"decision": "deny", "reason": "not in this folder"})
    config(project, "hooks: {PreToolUse: [{handler: guard, type: command}]}")

    outcome = project.fire("massgen", "PreToolUse", CALL)

    assert (outcome.blocked, outcome.decision, outcome.reason) == (True, "deny", "not in this folder")
    assert project.told(outcome) == [("model", "reason", "not in this folder")]
    assert outcome.success


@pytest.mark.req("MG-05.1")
def test_a_deny_without_a_reason_still_says_something(project):
    project.answers("guard", {"decision": "deny"})
    config(project, "hooks: {PreToolUse: [{handler: guard, type: command}]}")

    outcome = project.fire("massgen", "PreToolUse", CALL)

    assert project.told(outcome) == [("model", "reason", "Blocked by hook")]


@pytest.mark.req("MG-05.1")
def test_exit_two_denies_and_stderr_is_the_reason(project):
    project.answers("guard", "", exit_code=2, stderr="the tree is dirty")
    config(project, "hooks: {PreToolUse: [{handler: guard, type: command}]}")

    outcome = project.fire("massgen", "PreToolUse", CALL)

    assert (outcome.blocked, outcome.reason) == (True, "the tree is dirty")


@pytest.mark.req("MG-05.2")
def test_updated_input_replaces_the_tools_input_as_a_whole(project):
    project.answers("rewrite", {"updated_input": {"path": "b"}})
    config(project, "hooks: {PreToolUse: [{handler: rewrite, type: command}]}")

    outcome = project.fire("massgen", "PreToolUse", {"tool_name": "Write", "tool_input": {"path": "a", "mode": "w"}})

    assert outcome.changes == {"input": {"path": "b"}}
    assert not outcome.blocked


@pytest.mark.req("MG-05.3")
@pytest.mark.parametrize("answer", [{"decision": "allow"}, {}, ""])
def test_an_allow_or_an_empty_result_lets_the_tool_run_unchanged(project, answer):
    project.answers("guard", answer)
    config(project, "hooks: {PreToolUse: [{handler: guard, type: command}]}")

    outcome = project.fire("massgen", "PreToolUse", CALL)

    assert (outcome.blocked, outcome.changes, outcome.success) == (False, {}, True)
    assert outcome.messages == ()
    assert ("allow" if answer and "decision" in answer else "none") == outcome.decision


@pytest.mark.req("MG-05.3")
def test_a_function_that_returns_nothing_lets_the_tool_run(project):
    project.write("guard.py", "def check(event):\n    pass\n")
    config(project, "hooks: {PreToolUse: [{handler: guard.check, type: python}]}")

    outcome = project.fire("massgen", "PreToolUse", CALL)

    assert (outcome.blocked, outcome.decision, outcome.success) == (False, "none", True)


@pytest.mark.req("MG-06.1", "MG-06.2")
@pytest.mark.parametrize(
    ("inject", "kind"),
    [
        ({"content": "more", "strategy": "tool_result"}, "result"),
        ({"content": "more", "strategy": "user_message"}, "user_message"),
        ({"content": "more"}, "result"),
    ],
)
def test_injected_content_goes_to_the_model_by_its_strategy(project, inject, kind):
    project.answers("lint", {"inject": inject})
    config(project, "hooks: {PostToolUse: [{handler: lint, type: command}]}")

    outcome = project.fire("massgen", "PostToolUse", RESULT)

    assert [("model", kind, "more")] == project.told(outcome)
    assert (outcome.changes, outcome.blocked) == ({}, False)


@pytest.mark.req("MG-07.1")
@pytest.mark.parametrize(("event", "data"), [("PreToolUse", CALL), ("PostToolUse", RESULT)])
def test_a_command_reads_the_whole_event_as_json_from_stdin(project, event, data):
    project.answers("hook", {})
    config(project, f"hooks: {{{event}: [{{handler: hook, type: command}}]}}")

    project.fire("massgen", event, data, agent="a1", session="s-1")

    seen = project.json("hook.json")
    assert time.strptime(seen.pop("timestamp")[:19], "%Y-%m-%dT%H:%M:%S")
    assert {"hook_type": event, "session_id": "s-1", "agent_id": "a1", **data} == seen


@pytest.mark.req("MG-07.1")
def test_a_session_id_is_made_up_where_none_is_given(project):
    project.answers("hook", {})
    config(project, "hooks: {PreToolUse: [{handler: hook, type: command}]}")

    project.fire("massgen", "PreToolUse", CALL)

    assert len(project.json("hook.json")["session_id"]) >= 16


@pytest.mark.req("MG-07.2")
def test_a_hook_result_on_stdout_is_read_field_by_field(project):
    project.answers("hook", {"decision": "allow", "reason": "known path", "updated_input": {"path": "b"}})
    config(project, "hooks: {PreToolUse: [{handler: hook, type: command}]}")

    outcome = project.fire("massgen", "PreToolUse", CALL)

    assert (outcome.decision, outcome.reason, outcome.changes) == ("allow", "known path", {"input": {"path": "b"}})
    assert project.told(outcome) == [("user", "reason", "known path")]


@pytest.mark.req("MG-07.3")
@pytest.mark.parametrize("event", ["PreToolUse", "PostToolUse"])
def test_a_commands_environment_names_hook_type_tool_session_and_agent(project, event):
    project.script("hook", "env | grep ^MASSGEN_ | sort > env\n")
    config(project, f"hooks: {{{event}: [{{handler: hook, type: command}}]}}")

    project.fire("massgen", event, RESULT, agent="a1", session="s-1")

    assert [
        "MASSGEN_AGENT_ID=a1",
        f"MASSGEN_HOOK_TYPE={event}",
        "MASSGEN_SESSION_ID=s-1",
        "MASSGEN_TOOL_NAME=Write",
    ] == project.read("env").splitlines()


@pytest.mark.req("MG-08.1", "MG-08.2")
@pytest.mark.parametrize(("entry", "seconds"), [("", 30.0), (", timeout: 60", 60.0), (", timeout: 0.5", 0.5)])
@pytest.mark.parametrize("kind", ["command", "python"])
def test_a_hook_has_thirty_seconds_unless_it_says_otherwise(project, entry, seconds, kind):
    config(project, f"hooks: {{PreToolUse: [{{handler: a.b, type: {kind}{entry}}}]}}")

    engine = project.engine("massgen")

    assert [seconds] == [hook.timeout for hook in engine.hooks()]
    assert engine.warnings == ()


@pytest.mark.req("MG-08.1")
@pytest.mark.parametrize("wrong", ["0", "-1", "soon", "true", "null"])
def test_a_time_out_that_is_none_is_said_and_the_default_counts(project, wrong):
    config(project, f"hooks: {{PreToolUse: [{{handler: a.b, type: python, timeout: {wrong}}}]}}")

    engine = project.engine("massgen")

    assert [hook.timeout for hook in engine.hooks()] == [30.0]
    assert ["timeout" in text and "massgen.yaml:1:" in text for text in engine.warnings] == [True]


@pytest.mark.req("MG-08.2", "MG-08.3")
def test_a_command_past_its_time_is_ended_and_the_tool_goes_on(project):
    project.script("slow", "echo $$ > pid\nsleep 30\n")
    project.logs("next")
    config(
        project,
        "hooks: {PreToolUse: [{handler: slow, type: command, timeout: 0.3}, {handler: next, type: command}]}",
    )

    began = time.monotonic()
    outcome = project.fire("massgen", "PreToolUse", CALL)
    assert time.monotonic() - began < 20

    assert (outcome.blocked, outcome.decision, outcome.success) == (False, "none", False)
    assert outcome.attempts[0].error == "timeout"
    assert [(message.to, message.kind) for message in outcome.messages] == [("log", "error")]
    assert project.read("order") == "next "
    with pytest.raises(ProcessLookupError):
        os.kill(int(project.read("pid")), 0)


@pytest.mark.req("MG-08.3")
@pytest.mark.parametrize(
    "body",
    [
        "import time\ndef check(event):\n    time.sleep(40)\n    return {'decision': 'deny'}\n",
        "import asyncio\nasync def check(event):\n    await asyncio.sleep(40)\n    return {'decision': 'deny'}\n",
    ],
    ids=["function", "coroutine"],
)
def test_a_function_past_its_time_no_longer_counts_and_the_tool_goes_on(project, body):
    project.write("guard.py", body)
    config(project, "hooks: {PreToolUse: [{handler: guard.check, type: python, timeout: 0.2}]}")

    began = time.monotonic()
    outcome = project.fire("massgen", "PreToolUse", CALL)

    assert time.monotonic() - began < 20
    assert (outcome.blocked, outcome.decision, outcome.attempts[0].error) == (False, "none", "timeout")
    assert [(message.to, message.kind) for message in outcome.messages] == [("log", "error")]


@pytest.mark.req("MG-09.1")
def test_a_function_that_raises_is_logged_and_the_tool_goes_on(project):
    project.write("guard.py", "def check(event):\n    raise RuntimeError('boom')\n")
    project.logs("next")
    config(
        project,
        "hooks: {PreToolUse: [{handler: guard.check, type: python}, {handler: next, type: command}]}",
    )

    outcome = project.fire("massgen", "PreToolUse", CALL)

    assert (outcome.blocked, outcome.decision, outcome.success) == (False, "none", False)
    assert project.told(outcome) == [("log", "error", "RuntimeError: boom")]
    assert (outcome.attempts[0].error, "guard.py" in outcome.attempts[0].stderr) == ("exception", True)
    assert project.read("order") == "next "


@pytest.mark.req("MG-09.2")
@pytest.mark.parametrize(
    "printed", ["hello", '{"decision": "deny"', '["deny"]', '"deny"', 'log line\n{"decision": "deny"}', "{'a': 1}"]
)
def test_output_that_is_no_json_object_is_logged_and_the_tool_goes_on(project, printed):
    project.answers("hook", printed)
    config(project, "hooks: {PreToolUse: [{handler: hook, type: command}]}")

    outcome = project.fire("massgen", "PreToolUse", CALL)

    assert (outcome.blocked, outcome.decision, outcome.success) == (False, "none", False)
    assert [("log", "error", printed)] == project.told(outcome)


@pytest.mark.req("MG-09.2")
def test_a_program_that_fails_is_logged_and_the_tool_goes_on(project):
    project.answers("hook", {"decision": "deny"}, exit_code=1, stderr="no such table")
    config(project, "hooks: {PreToolUse: [{handler: hook, type: command}]}")

    outcome = project.fire("massgen", "PreToolUse", CALL)

    assert (outcome.blocked, outcome.decision, outcome.success) == (False, "none", False)
    assert project.told(outcome) == [("log", "error", "no such table")]
    assert any("printed a decision" in warning for warning in outcome.warnings)


@pytest.mark.req("MG-09.3")
@pytest.mark.parametrize("handler", ["nowhere.at_all", "guard.nothing", "broken.check", "guard.NUMBER", "ends.it"])
def test_a_function_that_cannot_be_imported_is_logged_and_denies(project, handler):
    project.write("guard.py", "NUMBER = 1\n")
    project.write("broken.py", "import nothing_of_that_name\ndef check(event):\n    pass\n")
    project.write("ends.py", "import sys\nsys.exit(0)\n")
    config(project, f"hooks: {{PreToolUse: [{{handler: {handler}, type: python}}]}}")

    outcome = project.fire("massgen", "PreToolUse", CALL)

    assert (outcome.blocked, outcome.decision, outcome.success) == (True, "deny", False)
    assert outcome.attempts[0].error == "import"
    assert sorted((m.to, m.kind) for m in outcome.messages) == [("log", "error"), ("model", "reason")]
    assert handler in next(m.text for m in outcome.messages if m.to == "log")


@pytest.mark.req("MG-10.1")
@pytest.mark.parametrize("order", [("allow", "deny"), ("deny", "allow"), ("nothing", "deny"), ("deny", "nothing")])
def test_any_deny_denies_wherever_it_stands(project, order):
    project.answers("allow", {"decision": "allow", "reason": "fine"})
    project.answers("deny", {"decision": "deny", "reason": "no"})
    project.answers("nothing", "")
    config(project, f"hooks: {{PreToolUse: {programs(*order)}}}")

    outcome = project.fire("massgen", "PreToolUse", CALL)

    assert (outcome.blocked, outcome.decision, outcome.reason) == (True, "deny", "no")
    assert ("model", "reason", "no") in project.told(outcome)


@pytest.mark.req("MG-10.1")
def test_a_deny_ends_the_chain_and_the_rest_is_named(project):
    project.answers("deny", {"decision": "deny"})
    project.logs("next")
    config(project, "hooks: {PreToolUse: [{handler: deny, type: command}, {handler: next, type: command}]}")

    outcome = project.fire("massgen", "PreToolUse", CALL)

    assert not project.has("order")
    assert [(one.hook, one.why) for one in outcome.skipped] == [("next", "chain ended")]


@pytest.mark.req("MG-10.2")
def test_each_hook_gets_the_input_as_the_ones_before_it_changed_it(project):
    """Global hooks first, then the agent's, in the file's order; commands and functions in one chain."""
    project.answers("one", {"updated_input": {"path": "b"}})
    project.write(
        "two.py", "def check(event):\n    return {'updated_input': {'path': event.tool_input['path'] + 'c'}}\n"
    )
    project.answers("three", {})
    config(
        project,
        """
        hooks:
          PreToolUse: [{handler: one, type: command}, {handler: two.check, type: python}]
        agents: [{id: a1, backend: {hooks: {PreToolUse: [{handler: three, type: command}]}}}]
        """,
    )

    outcome = project.fire("massgen", "PreToolUse", CALL, agent="a1")

    assert [project.json(f"{one}.json")["tool_input"] for one in ("one", "three")] == [{"path": "a"}, {"path": "bc"}]
    assert outcome.changes == {"input": {"path": "bc"}}


@pytest.mark.req("MG-10.3", "MG-06.1", "MG-06.2")
def test_all_injections_are_included_each_with_its_own_strategy(project):
    project.answers("one", {"inject": {"content": "first", "strategy": "tool_result"}})
    project.answers("two", {"inject": {"content": "second", "strategy": "user_message"}})
    project.answers("three", {"inject": {"content": "third"}})
    config(project, f"hooks: {{PostToolUse: {programs('one', 'two', 'three')}}}")

    outcome = project.fire("massgen", "PostToolUse", RESULT)

    assert project.told(outcome) == [
        ("model", "result", "first"),
        ("model", "user_message", "second"),
        ("model", "result", "third"),
    ]
    assert [message.hook for message in outcome.messages] == ["one", "two", "three"]
