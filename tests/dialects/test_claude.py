"""Claude Code, statement by statement: handler fields, matchers, files, merging, the environment."""

import json
from typing import Any

import pytest

from tenterhook import Engine, Outcome
from tenterhook.errors import UnknownDialect
from tenterhook.pipeline.payload import Given
from tenterhook.pipeline.verdict import verdict
from tenterhook.testing import Did, simulate
from tenterhook.tools.check.run_checks import check
from tenterhook.types import Attempt, Hook, Source

CALL: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "ls", "description": "d"}}
ALONE: dict[str, Any] = {"files": False, "environ": {}, "home": "/", "journal": False, "sandbox": "off"}


def settings(*groups: dict[str, Any], event: str = "PreToolUse", **more: Any) -> str:
    return json.dumps({"hooks": {event: list(groups)}, **more})


def group(*hooks: dict[str, Any], **keys: Any) -> dict[str, Any]:
    return {**keys, "hooks": [{"type": "command", "command": "true", **hook} for hook in hooks]}


def engine(project: Any, text: str = "", **options: Any) -> Engine:
    if text:
        project.write(".claude/settings.json", text)
    made: Engine = project.engine("claude", **options)
    return made


def ran(outcome: Outcome) -> list[str]:
    return [attempt.hook for attempt in outcome.attempts]


# ---- versions


def test_the_plain_name_is_the_newest_version() -> None:
    assert Engine(dialect="claude", **ALONE).dialect is Engine(dialect="claude@2.1.325", **ALONE).dialect
    assert Engine(dialect="claude@2.1.190", **ALONE).dialect.version == "2.1.190"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("claude@9.9", "no version '9.9' of the dialect 'claude'; there are: 2.1.325, 2.1.240, 2.1.190"),
        ("wave@1", "the dialect 'wave' has no versions: leave out '@1'"),
        ("claud@1", "no dialect 'claud'"),
        ("claude_2_1_190", "no dialect 'claude_2_1_190'"),
    ],
)
def test_a_version_that_is_not_there_is_an_error_that_names_those_that_are(name: str, said: str) -> None:
    with pytest.raises(UnknownDialect) as caught:
        Engine(dialect=name, **ALONE)

    assert said in str(caught.value)


def test_an_older_version_lacks_what_came_later() -> None:
    older, oldest = (Engine(dialect=f"claude@{version}", **ALONE) for version in ("2.1.240", "2.1.190"))

    assert not older.has("PreModelSwitch")
    assert "onFailure" not in older.dialect.config.form.keys
    assert oldest.dialect.payload.base != older.dialect.payload.base
    assert simulate("claude@2.1.190", "tool.before", [Did()], data=CALL).dialect == "claude@2.1.190"


# ---- matchers

NOW: dict[str, bool] = {
    "Bash": True,
    "": True,
    "*": True,
    "Ba": False,
    "bash": False,
    "Edit, Bash": True,
    "Edit|Bash": True,
    "Bash ": True,
    "B*": True,
    "ash$": True,
    "Edit|^Ba": True,
    "(": False,
}


@pytest.mark.parametrize(("matcher", "fires"), NOW.items())
def test_a_matcher_is_a_list_of_names_else_a_regex_else_nothing(project: Any, matcher: str, fires: bool) -> None:
    outcome = engine(project, settings(group({}, matcher=matcher))).fire("PreToolUse", **CALL)

    assert bool(outcome.attempts) == fires


@pytest.mark.parametrize(
    ("version", "matcher", "tool", "fires"),
    [
        ("2.1.325", "mcp__a-b__c", "mcp__a-b__c", True),
        ("2.1.190", "mcp__a-b__c", "mcp__a-b__c_more", True),
        ("2.1.325", "mcp__a-b__c", "mcp__a-b__c_more", False),
        ("2.1.190", "Edit, Bash", "Bash", False),
        ("2.1.325", "mcp__memory", "mcp__memory__create", False),
        ("2.1.325", "mcp__memory__.*", "mcp__memory__create", True),
    ],
)
def test_hyphens_and_commas_came_into_names_later(version: str, matcher: str, tool: str, fires: bool) -> None:
    one = Engine(dialect=f"claude@{version}", **ALONE)
    one.add("PreToolUse", lambda event: {"decision": "block"}, match=matcher)

    assert one.fire("PreToolUse", tool_name=tool, tool_input={}).blocked == fires


def test_a_star_is_not_said_to_match_nothing(project: Any) -> None:
    assert engine(project, settings(group({}, matcher="*"))).fire("PreToolUse", **CALL).warnings == ()


def test_a_matcher_that_is_no_regex_is_said_to_match_nothing(project: Any) -> None:
    outcome = engine(project, settings(group({}, matcher="("))).fire("PreToolUse", **CALL)

    assert any("it matches nothing, the hook never runs" in warning for warning in outcome.warnings)


def test_the_name_of_a_server_alone_is_said_to_match_nothing(project: Any) -> None:
    made = engine(project, settings(group({}, matcher="Bash|mcp__memory")))

    assert any("write 'mcp__memory__.*'" in str(problem) for problem in check(made.hookset).problems)


def test_a_matcher_on_an_event_without_one_is_ignored(project: Any) -> None:
    outcome = engine(project, settings(group({}, matcher="x"), event="Stop")).fire("Stop")

    assert len(outcome.attempts) == 1
    assert any("nothing to match on" in warning for warning in outcome.warnings)


@pytest.mark.parametrize(("matcher", "fires"), [(".envrc|.env", True), ("Makefile", False), ("a-b", False)])
def test_a_changed_file_is_matched_by_its_name_by_the_narrower_rule(project: Any, matcher: str, fires: bool) -> None:
    one = engine(project, settings(group({}, matcher=matcher), event="FileChanged"))
    outcome = one.fire("FileChanged", file_path="/work/a-b/.envrc", event="change")

    assert bool(outcome.attempts) == fires


# ---- what one bad entry costs

GOOD = {"PreToolUse": [group({})]}


BAD: list[tuple[Any, str]] = [
    ([{"matcher": "Bash", "command": "true"}], "a group needs a list under 'hooks'"),
    ([{"hooks": [{"command": "true"}]}], "a hook needs a type"),
    ([{"hooks": [{"type": "commando", "command": "true"}]}], "no type 'commando'"),
    ([{"hooks": [{"type": "command", "command": "true", "timeout": "5"}]}], "timeout must be a number"),
    ([{"hooks": [{"type": "command"}]}], "needs 'command'"),
    ([group({}, matcher=5)], "matcher must be text"),
    ({"hooks": []}, "must be a list"),
]


@pytest.mark.parametrize("event", ["PreToolUse", "PermissionRequest"])
@pytest.mark.parametrize(("bad", "said"), BAD)
def test_a_malformed_entry_of_two_events_costs_all_hooks_of_its_file(
    project: Any, event: str, bad: Any, said: str
) -> None:
    text = json.dumps({"hooks": {"PostToolUse": [group({})], event: bad}})
    outcome = engine(project, text).fire("PostToolUse", **CALL)

    assert outcome.attempts == ()
    assert any(said in warning and "no hook of this file runs" in warning for warning in outcome.warnings)
    assert len(engine(project, mode="strict").fire("PostToolUse", **CALL).attempts) == 1


@pytest.mark.parametrize("event", ["Stop", "PostToolUse", "UserPromptSubmit"])
@pytest.mark.parametrize(("bad", "said"), BAD)
def test_a_malformed_entry_of_any_other_event_costs_itself(project: Any, event: str, bad: Any, said: str) -> None:
    beside = [*bad, group({"command": "echo beside"})] if isinstance(bad, list) else bad
    one = engine(project, json.dumps({"hooks": {**GOOD, event: beside}}))
    outcome = one.fire("PreToolUse", **CALL)

    assert ran(outcome) == ["true"]
    assert any(said in str(problem) for problem in check(one.hookset).problems)
    assert ran(one.fire(event)) == (["echo beside"] if isinstance(bad, list) else [])


@pytest.mark.parametrize("slight", [None, [group({"command": ""})]])
def test_neither_null_nor_an_empty_command_costs_others(project: Any, slight: Any) -> None:
    text = json.dumps({"hooks": {"PostToolUse": [group({})], "PreToolUse": slight}})

    assert ran(engine(project, text).fire("PostToolUse", **CALL)) == ["true"]


def test_a_file_beside_a_bad_one_is_not_concerned(project: Any) -> None:
    project.write(".claude/settings.local.json", settings(group({"command": "echo local"})))
    outcome = engine(project, json.dumps({"hooks": {"PreToolUse": [{}]}})).fire("PreToolUse", **CALL)

    assert ran(outcome) == ["echo local"]


@pytest.mark.parametrize("more", [{"NoSuchEvent": [{}]}, {"pretooluse": [group({})]}])
def test_an_unknown_event_does_no_harm(project: Any, more: dict[str, Any]) -> None:
    outcome = engine(project, json.dumps({"hooks": {**GOOD, **more}})).fire("PreToolUse", **CALL)

    assert len(outcome.attempts) == 1


def test_an_unknown_key_does_no_harm(project: Any) -> None:
    assert len(engine(project, settings(group({"colour": "red"}))).fire("PreToolUse", **CALL).attempts) == 1


# ---- fields of a handler


def test_once_counts_in_skills_alone(project: Any) -> None:
    project.write(
        ".claude/skills/release/SKILL.md",
        "---\nname: release\nhooks:\n  PreToolUse:\n    - hooks:\n"
        "        - {type: command, command: echo skill, once: true}\n---\n",
    )
    one = engine(project, settings(group({"once": True})))
    outcomes = [one.fire("PreToolUse", **CALL, skills=["release"]) for _ in range(3)]

    assert [ran(outcome) for outcome in outcomes] == [["true", "echo skill"], ["true"], ["true"]]
    assert any("once counts only in a skill" in warning for warning in outcomes[0].warnings)


@pytest.mark.parametrize(
    ("rule", "command", "runs"),
    [
        ("Bash(git push *)", "cd a && FOO=1 git push origin", True),
        ("Bash(rm:*)", "echo $(rm -rf b)", True),
        ("Bash(rm:*)", "echo rm", False),
        ("Bash(rm:*)", "echo 'an open quote", True),
        ("Bash(ls)", "ls -l", False),
        ("Edit", "ls", False),
    ],
)
def test_if_is_a_permission_rule_that_looks_at_every_part_of_a_command(
    project: Any, rule: str, command: str, runs: bool
) -> None:
    outcome = engine(project, settings(group({"if": rule}))).fire(
        "PreToolUse", tool_name="Bash", tool_input={"command": command}
    )

    assert bool(outcome.attempts) == runs
    assert runs or [one.why for one in outcome.skipped] == ["condition"]


def test_a_hook_with_if_never_runs_on_an_event_without_a_tool(project: Any) -> None:
    outcome = engine(project, settings(group({"if": "Bash(ls)"}), event="Stop")).fire("Stop")

    assert outcome.attempts == ()
    assert any("is not about a tool" in warning for warning in outcome.warnings)


@pytest.mark.parametrize("did", [{"command": "exit 1"}, {"command": "sleep 5", "timeout": 0.1}, {"command": "echo x"}])
def test_on_failure_block_turns_failures_into_refusals(project: Any, did: dict[str, Any]) -> None:
    """Text is no failure, so the last one goes on."""
    one = engine(project, settings(group({**did, "onFailure": "block"})))
    two = project.engine("claude@2.1.240")

    assert one.fire("PreToolUse", **CALL).blocked == ("echo" not in did["command"])
    assert not two.fire("PreToolUse", **CALL).blocked


@pytest.mark.parametrize("event", ["Stop", "SubagentStop", "TaskCompleted", "TeammateIdle"])
def test_on_failure_does_not_count_where_it_would_keep_the_agent_going(project: Any, event: str) -> None:
    outcome = engine(project, settings(group({"command": "exit 1", "onFailure": "block"}), event=event)).fire(event)

    assert not outcome.blocked
    assert any("does not block" in warning for warning in outcome.warnings)


def test_args_start_a_program_without_a_shell_and_placeholders_are_put_in(project: Any) -> None:
    program = project.script("show.sh", 'printf "%s\\n" "$@" >&2; exit 2\n')
    hook = {"command": "${CLAUDE_PROJECT_DIR}/" + program[2:], "args": ["$HOME", "${CLAUDE_PROJECT_DIR}", "a b"]}
    outcome = engine(project, settings(group(hook))).fire("PreToolUse", **CALL)

    assert outcome.reason.split("\n") == ["$HOME", str(project.root), "a b"]


@pytest.mark.parametrize(
    ("event", "type", "seconds"),
    [
        ("PreToolUse", "command", 600),
        ("PreToolUse", "prompt", 30),
        ("PreToolUse", "agent", 60),
        ("UserPromptSubmit", "command", 30),
        ("UserPromptSubmit", "agent", 30),
        ("MessageDisplay", "command", 10),
        ("PreModelSwitch", "http", 30),
        ("SessionEnd", "command", 1.5),
    ],
)
def test_time_outs_are_the_types_and_the_events(project: Any, event: str, type: str, seconds: float) -> None:
    main = {"command": "command", "prompt": "prompt", "agent": "prompt", "http": "url"}[type]
    entry = {"type": type, main: "https://example.com/"}
    (hook,) = engine(project, settings({"hooks": [entry]}, event=event)).hooks()

    assert hook.timeout == seconds


def test_fractions_of_seconds_count_and_an_end_takes_no_more_than_a_minute(project: Any) -> None:
    text = {"hooks": {"Stop": [group({"timeout": 0.5})], "SessionEnd": [group({"timeout": 90})]}}

    assert [hook.timeout for hook in engine(project, json.dumps(text)).hooks()] == [0.5, 60.0]


@pytest.mark.parametrize(("event", "type"), [("SessionStart", "http"), ("Notification", "prompt")])
def test_some_types_never_run_on_some_events(project: Any, event: str, type: str) -> None:
    entry = {"type": type, "url": "https://example.com", "prompt": "?"}
    one = engine(project, settings({"hooks": [entry]}, event=event))

    assert one.hooks() == []
    assert any("never run on" in warning for warning in one.warnings)


def test_a_prompt_hook_that_refuses_ends_the_turn_unless_told_otherwise() -> None:
    for flag, stop in ((False, True), (True, False)):
        one = Engine(dialect="claude", **ALONE)
        rules = one.hookset.event("PreToolUse").rules
        spec = {"ends_turn": True, "continueOnBlock": flag}
        hook = Hook(name="h", event="PreToolUse", handler="prompt", spec=spec, source=Source(""))
        found = verdict(Attempt("h", "prompt", "", 0, decision="deny", reason="no", answer={}), hook, rules)

        assert (found.decision, found.stop_after) == ("deny", stop)


# ---- reading answers


def test_a_refusal_that_another_event_is_named_in_voids_the_answer() -> None:
    said = {"hookSpecificOutput": {"hookEventName": "PostToolUse", "permissionDecision": "deny"}}
    outcome = simulate("claude", "PreToolUse", [Did(stdout=json.dumps(said))], data=CALL)

    assert (outcome.decision, outcome.success) == ("none", False)
    assert any("hookEventName is 'PostToolUse'" in warning for warning in outcome.warnings)


def test_of_several_inputs_that_of_the_hook_that_finished_last_counts(project: Any) -> None:
    def answers(delay: float, command: str) -> str:
        said = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": {"command": command}}}
        return f"sleep {delay}; echo '{json.dumps(said)}'"

    text = settings(group({"command": answers(0.3, "slow")}, {"command": answers(0, "quick")}))

    assert engine(project, text).fire("PreToolUse", **CALL).changes == {"input": {"command": "slow"}}


def test_a_deny_outranks_a_deferral_that_an_ask_and_that_an_allow() -> None:
    said = [
        Did(stdout=json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": word}}))
        for word in ("allow", "ask", "defer", "deny")
    ]
    decisions = [simulate("claude", "PreToolUse", said[:n], data=CALL).decision for n in range(1, 5)]

    assert decisions == ["allow", "ask", "defer", "deny"]


@pytest.mark.parametrize(
    ("attended", "decision", "stop"), [(None, "defer", True), (False, "defer", True), (True, "none", False)]
)
def test_a_deferral_ends_the_run_where_nobody_attends(attended: bool | None, decision: str, stop: bool) -> None:
    said = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "defer"}}
    one = Engine(dialect="claude", attended=attended, **ALONE)
    outcome = simulate("claude", "PreToolUse", [Did(stdout=json.dumps(said))], data=CALL, engine=one)

    assert (outcome.decision, outcome.stop, outcome.blocked) == (decision, stop, False)


def test_exit_two_is_not_honoured_where_permission_is_asked_for_but_the_object_is() -> None:
    said = {
        "hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": {"behavior": "deny", "message": "no"}}
    }
    exits, decides = (
        simulate("claude", "PermissionRequest", [did], data=CALL)
        for did in (Did(exit_code=2, stderr="no"), Did(stdout=json.dumps(said)))
    )

    assert (exits.blocked, decides.blocked, decides.reason) == (False, True, "no")


def test_context_at_a_stop_keeps_the_agent_going() -> None:
    said = {"hookSpecificOutput": {"hookEventName": "Stop", "additionalContext": "run the tests"}}
    outcome = simulate("claude", "Stop", [Did(stdout=json.dumps(said))])

    assert (outcome.blocked, outcome.reason) == (True, "run the tests")


def test_what_only_some_hosts_can_do_is_handed_to_them() -> None:
    said = [
        {"hookSpecificOutput": {"hookEventName": "SessionStart", "watchPaths": paths, "sessionTitle": title}}
        for paths, title in ((["/a"], "one"), (["/b", "/a"], "two"))
    ]
    outcome = simulate("claude", "SessionStart", [Did(stdout=json.dumps(one)) for one in said])

    assert outcome.changes == {"watch": ["/a", "/b"], "title": "two"}


OUTPUT = {"stdout": "old", "stderr": "", "interrupted": False, "isImage": False}


@pytest.mark.parametrize(
    ("updated", "counts"),
    [
        ({**OUTPUT, "stdout": "new"}, True),
        ({"stdout": "new", "stderr": "", "interrupted": False}, True),
        ({**OUTPUT, "stdout": "new", "more": 1}, True),
        ({"stdout": "new"}, False),
        ({**OUTPUT, "stderr": 5}, False),
        ("new", False),
        (["new"], False),
    ],
)
def test_an_output_of_another_form_than_the_tools_own_is_ignored(updated: Any, counts: bool) -> None:
    said = {"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": updated}}
    data = {**CALL, "tool_response": OUTPUT}
    outcome = simulate("claude", "PostToolUse", [Did(stdout=json.dumps(said))], data=data)

    assert outcome.changes == ({"output": updated} if counts else {})


def test_an_output_that_is_text_is_replaced_by_any_other() -> None:
    said = {"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": "new"}}
    data = {**CALL, "tool_response": "old"}

    assert simulate("claude", "PostToolUse", [Did(stdout=json.dumps(said))], data=data).changes == {"output": "new"}


def test_the_path_of_a_worktree_is_the_last_line(project: Any) -> None:
    text = settings(group({"command": "echo working; echo /tmp/tree; echo"}), event="WorktreeCreate")

    assert engine(project, text).fire("WorktreeCreate", name="tree").changes == {"path": "/tmp/tree"}


def test_a_time_out_blocks_a_switch_of_models() -> None:
    assert simulate("claude", "PreModelSwitch", [Did(error="timeout")]).blocked
    assert not simulate("claude", "PreToolUse", [Did(error="timeout")], data=CALL).blocked


# ---- files, duplicates, switches


def test_the_same_command_in_several_settings_runs_once(project: Any) -> None:
    project.home(".claude/settings.json", settings(group({"timeout": 9}, {})))
    project.write(".claude/settings.local.json", settings(group({})))
    outcome = engine(project, settings(group({}), group({}, matcher="Bash"))).fire("PreToolUse", **CALL)

    assert ran(outcome) == ["true"]
    assert {one.why for one in outcome.skipped} == {"duplicate"}


def test_the_copies_of_plugins_stay_apart_and_know_their_root(project: Any) -> None:
    hook = {"command": 'printf %s "$CLAUDE_PLUGIN_ROOT" >&2; exit 2'}
    for plugin in ("one", "two", "off"):
        project.home(
            f".claude/plugins/cache/shop/{plugin}/1.0/hooks/hooks.json", settings(group(hook), description="d")
        )
    switched = {"one@shop": True, "two@shop": True, "off@shop": False}
    project.home(".claude/settings.json", settings(group(hook), enabledPlugins=switched))
    outcome = project.engine("claude").fire("PreToolUse", **CALL)
    roots = [attempt.stderr.rpartition("cache/")[2] for attempt in outcome.attempts]

    assert roots == ["", "shop/one/1.0", "shop/two/1.0"]


def test_the_hooks_of_an_agent_count_for_it_and_its_stop_is_a_subagents(project: Any) -> None:
    project.write(
        ".claude/agents/reviewer.md",
        "---\nname: reviewer\nhooks:\n  Stop:\n    - hooks: [{type: command, command: 'echo no >&2; exit 2'}]\n---\n",
    )
    one = engine(project)

    assert not one.fire("Stop").attempts
    assert one.fire("SubagentStop", agent_type="reviewer", agent_id="1").blocked
    assert not one.fire("SubagentStop", agent_type="other", agent_id="1").attempts


def test_all_hooks_can_be_switched_off(project: Any) -> None:
    outcome = engine(project, settings(group({}), disableAllHooks=True)).fire("PreToolUse", **CALL)

    assert [one.why for one in outcome.skipped] == ["disabled"]


def test_a_variable_moves_the_users_folder(project: Any) -> None:
    project.home("elsewhere/settings.json", settings(group({})))
    one = project.engine("claude", environ={"CLAUDE_CONFIG_DIR": str(project.home_folder / "elsewhere")})

    assert len(one.fire("PreToolUse", **CALL).attempts) == 1


# ---- what a hook is given


def test_the_payload_is_one_line_with_a_line_feed() -> None:
    one = Engine(dialect="claude", **ALONE)
    compiled = one.hookset.event("PreToolUse")
    happened, _, _ = one.plan_event(compiled, CALL)
    text = Given(happened, compiled.shape).stdin()

    assert text.endswith(b"}\n")
    assert text.count(b"\n") == 1


def test_the_environment_is_the_agents(project: Any) -> None:
    project.write("env.sh", "#!/bin/sh\nenv > seen\n")
    one = engine(project, settings(group({"command": "./env.sh"})), environ={"OTEL_X": "1"}, session="s1")
    one.fire("PreToolUse", **CALL, effort={"level": "high"}, env_file="/tmp/env")
    seen = dict(line.partition("=")[::2] for line in project.read("seen").splitlines())

    assert {name: seen.get(name) for name in ("CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_EFFORT")} == {
        "CLAUDECODE": "1",
        "CLAUDE_CODE_SESSION_ID": "s1",
        "CLAUDE_EFFORT": "high",
    }
    assert seen["CLAUDE_PROJECT_DIR"] == str(project.root)
    assert not {"OTEL_X", "CLAUDE_ENV_FILE"} & set(seen)


def test_the_file_for_variables_is_named_on_some_events_only() -> None:
    one = Engine(dialect="claude", **ALONE)

    assert "CLAUDE_ENV_FILE" in {name for name, _, _ in one.hookset.event("SessionStart").shape.env}
    assert "CLAUDE_ENV_FILE" not in {name for name, _, _ in one.hookset.event("SessionEnd").shape.env}
