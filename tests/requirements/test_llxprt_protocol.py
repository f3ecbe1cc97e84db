"""llxprt: what a hook is given, and what its exit code, stdout and stderr mean."""

import json
import re
import sys
from datetime import UTC, datetime
from subprocess import DEVNULL, PIPE, run

import pytest

from .llxprt import CALL, DATA, OUT_OF_SCOPE, REQUEST, RESPONSE, RESULT, fire, group, says, settings, specific, told

BASE = {"session_id", "cwd", "timestamp", "hook_event_name", "transcript_path"}


def check_input(project, event, **own):
    """The hook's stdin is the five base fields and exactly the event's own."""
    fire(project, event, "cat > seen.json", session="s-1")
    seen = project.json("seen.json")

    assert seen.pop("timestamp")
    assert seen == {
        "session_id": "s-1",
        "cwd": str(project.root),
        "hook_event_name": event,
        "transcript_path": "",
        **own,
    }


@pytest.mark.req("HOOK-015")
def test_before_tool_is_given_the_tools_name_and_input(project):
    check_input(project, "BeforeTool", tool_name="write_file", tool_input=CALL["tool_input"])


@pytest.mark.req("HOOK-026")
def test_after_tool_is_given_the_whole_tool_response(project):
    check_input(project, "AfterTool", **CALL, tool_response=RESULT)


@pytest.mark.req("HOOK-034", "HOOK-071", "HOOK-072")
def test_before_model_is_given_the_request_in_the_stable_form(project):
    check_input(project, "BeforeModel", llm_request=REQUEST)


@pytest.mark.req("HOOK-044", "HOOK-071", "HOOK-073")
def test_after_model_is_given_request_and_response_in_the_stable_form(project):
    check_input(project, "AfterModel", llm_request=REQUEST, llm_response=RESPONSE)


@pytest.mark.req("HOOK-054", "HOOK-074")
def test_before_tool_selection_is_given_the_request_with_its_tool_config(project):
    check_input(project, "BeforeToolSelection", llm_request=REQUEST)


@pytest.mark.req("HOOK-062", "HOOK-203")
@pytest.mark.parametrize("event", OUT_OF_SCOPE)
def test_events_without_a_caller_are_given_base_fields_and_their_own(project, event):
    check_input(project, event, **DATA[event])


@pytest.mark.req("HOOK-062", "HOOK-215")
@pytest.mark.parametrize("event", DATA)
def test_base_fields_stand_before_all_others(project, event):
    fire(project, event, "cat > seen.json")

    assert set(list(project.json("seen.json"))[:5]) == BASE


@pytest.mark.req("HOOK-061")
def test_stdin_is_one_json_object_and_then_end_of_file(project):
    """`cat` returns only at the end of its input; the decoder fails on a second value."""
    outcome = fire(project, "BeforeTool", {"type": "command", "command": "cat > seen.json; exec cat", "timeout": 5000})
    seen = project.json("seen.json")

    assert outcome.success is True
    assert isinstance(seen, dict)


@pytest.mark.req("HOOK-061")
@pytest.mark.parametrize("size", [0, 200_000])
def test_stdin_arrives_whole_whatever_its_size(project, size):
    data = {"tool_name": "write_file", "tool_input": {"content": "ä\n" * size}}
    fire(project, "BeforeTool", "cat > seen.json", data=data)

    assert project.json("seen.json")["tool_input"] == data["tool_input"]


@pytest.mark.req("HOOK-215", "HOOK-015")
def test_timestamp_is_now_in_iso_8601_with_milliseconds_and_z(project):
    before = datetime.now(UTC)
    fire(project, "BeforeTool", "cat > seen.json")
    stamp = project.json("seen.json")["timestamp"]

    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", stamp)
    assert abs((datetime.fromisoformat(stamp) - before).total_seconds()) < 30


@pytest.mark.req("HOOK-215", "HOOK-062")
def test_session_id_is_the_hosts_and_stays_the_same_where_it_is_made_up(project):
    project.write(".llxprt/settings.json", settings(BeforeTool=[group("cat >> seen; echo >> seen")]))
    engine = project.engine("llxprt")
    engine.fire("BeforeTool", **CALL)
    engine.fire("BeforeTool", **CALL)
    first, second = (json.loads(line)["session_id"] for line in project.read("seen").splitlines())

    assert first
    assert first == second == engine.session_id


@pytest.mark.req("HOOK-161", "HOOK-215")
@pytest.mark.parametrize("event", DATA)
def test_transcript_path_is_an_empty_text(project, event):
    fire(project, event, "cat > seen.json")

    assert project.json("seen.json")["transcript_path"] == ""


@pytest.mark.req("HOOK-016a", "HOOK-066", "HOOK-067a", "HOOK-189")
def test_exit_two_denies_and_stderr_is_the_reason(project):
    outcome = fire(project, "BeforeTool", "echo 'no writes today' >&2; exit 2")

    assert (outcome.decision, outcome.blocked, outcome.reason) == ("deny", True, "no writes today")
    assert told(outcome) == [("model", "reason", "no writes today")]
    assert outcome.attempts[0].exit_code == 2


@pytest.mark.req("HOOK-066")
def test_stdout_is_not_read_on_exit_two(project):
    answer = {"decision": "allow", "reason": "x", "systemMessage": "m", "continue": False, "suppressOutput": True}
    answer["hookSpecificOutput"] = {"tool_input": {"path": "b"}}
    outcome = fire(project, "BeforeTool", f"{says(answer)}; echo mine >&2; exit 2")

    assert (outcome.decision, outcome.reason, outcome.stop, outcome.suppress) == ("deny", "mine", False, False)
    assert outcome.changes == {}
    assert told(outcome) == [("model", "reason", "mine")]


@pytest.mark.req("HOOK-067b")
@pytest.mark.parametrize("command", ["exit 2", "echo text; exit 2", "echo '  ' >&2; exit 2", says({}) + "; exit 2"])
def test_exit_two_with_empty_stderr_denies_with_the_default_reason(project, command):
    outcome = fire(project, "BeforeTool", command)

    assert (outcome.decision, outcome.blocked, outcome.reason) == ("deny", True, "Blocked by hook")


@pytest.mark.req("HOOK-016b", "HOOK-063", "HOOK-156")
@pytest.mark.parametrize("word", ["block", "deny"])
def test_json_on_exit_zero_denies_with_its_own_reason(project, word):
    outcome = fire(project, "BeforeTool", says({"decision": word, "reason": "policy"}) + "; echo other >&2")

    assert (outcome.decision, outcome.blocked, outcome.reason) == ("deny", True, "policy")
    assert outcome.success is True


@pytest.mark.req("HOOK-018")
@pytest.mark.parametrize(("answer", "decision"), [("allow", "allow"), ("approve", "allow"), (None, "none")])
def test_allow_approve_or_no_decision_lets_the_tool_run(project, answer, decision):
    said = {"suppressOutput": False} if answer is None else {"decision": answer}
    outcome = fire(project, "BeforeTool", says(said))

    assert (outcome.decision, outcome.blocked, outcome.changes, outcome.success) == (decision, False, {}, True)


@pytest.mark.req("HOOK-158")
@pytest.mark.parametrize("answer", [{"decision": None, "reason": "r"}, {"reason": "r"}, {}])
def test_null_or_absent_decision_is_no_decision(project, answer):
    outcome = fire(project, "BeforeTool", says(answer))

    assert (outcome.decision, outcome.blocked, outcome.success) == ("none", False, True)


@pytest.mark.req("HOOK-182")
def test_ask_is_not_distinguished_from_allow(project):
    outcome = fire(project, "BeforeTool", says({"decision": "ask", "reason": "sure?"}))

    assert (outcome.decision, outcome.blocked, outcome.success) == ("allow", False, True)


@pytest.mark.req("HOOK-064", "HOOK-212")
def test_text_on_exit_zero_allows_and_is_a_system_message(project):
    outcome = fire(project, "BeforeTool", "echo hello; echo there")

    assert (outcome.decision, outcome.blocked, outcome.changes) == ("allow", False, {})
    assert told(outcome) == [("model", "system", "hello\nthere")]


@pytest.mark.req("HOOK-114", "HOOK-212")
@pytest.mark.parametrize("text", ['{"decision": "deny"', "{'decision': 'deny'}", '{"decision": "deny"} and more'])
def test_invalid_json_is_text_and_allows(project, text):
    project.write("answer", text)
    outcome = fire(project, "BeforeTool", "cat answer")

    assert (outcome.decision, outcome.blocked, outcome.success) == ("allow", False, True)
    assert told(outcome) == [("model", "system", text)]


@pytest.mark.req("HOOK-065")
@pytest.mark.parametrize("command", ["exit 0", "echo", "echo quiet >&2"])
def test_nothing_on_stdout_allows_without_changes(project, command):
    outcome = fire(project, "BeforeTool", command)

    assert (outcome.decision, outcome.blocked, outcome.changes, outcome.messages) == ("none", False, {}, ())
    assert outcome.success is True


@pytest.mark.req("HOOK-193", "HOOK-201", "HOOK-212")
def test_a_json_string_that_holds_an_object_is_read_again(project):
    outcome = fire(project, "BeforeTool", says(json.dumps({"decision": "deny", "reason": "twice"})))

    assert (outcome.decision, outcome.blocked, outcome.reason) == ("deny", True, "twice")


@pytest.mark.req("HOOK-212", "HOOK-201")
def test_a_json_string_that_holds_no_json_is_text(project):
    outcome = fire(project, "BeforeTool", says("hello there"))

    assert outcome.decision == "allow"
    assert told(outcome) == [("model", "system", '"hello there"')]


@pytest.mark.req("HOOK-069")
@pytest.mark.parametrize(("code", "decision"), [(0, "none"), (1, "allow"), (2, "deny")])
def test_stderr_is_kept_and_never_read_for_a_decision(project, code, decision):
    """Not as a deny on exit 0 and 1, not as an allow or another reason on exit 2."""
    word = "allow" if code == 2 else "deny"
    said = json.dumps({"decision": word, "reason": "from stderr", "continue": False})
    outcome = fire(project, "BeforeTool", f"{says(json.loads(said))} >&2; exit {code}")

    assert (outcome.decision, outcome.stop) == (decision, False)
    assert outcome.reason == (said if code == 2 else "")
    assert outcome.attempts[0].stderr == said


@pytest.mark.req("HOOK-157", "HOOK-156", "HOOK-063")
def test_every_common_field_reaches_the_outcome(project):
    answer = {
        "decision": "block",
        "reason": "why",
        "continue": False,
        "stopReason": "enough",
        "suppressOutput": True,
        "systemMessage": "note",
        "hookSpecificOutput": {"tool_input": {"path": "b.txt"}},
    }
    outcome = fire(project, "BeforeTool", says(answer))

    assert (outcome.decision, outcome.blocked, outcome.reason) == ("deny", True, "why")
    assert (outcome.stop, outcome.stop_reason, outcome.suppress) == (True, "enough", True)
    assert outcome.changes == {"input": {"path": "b.txt", "content": "x"}}
    assert sorted(told(outcome)) == [
        ("model", "reason", "why"),
        ("model", "system", "note"),
        ("user", "reason", "enough"),
    ]
    assert outcome.warnings == ()


@pytest.mark.req("HOOK-159")
@pytest.mark.parametrize("event", ["BeforeTool", "AfterTool", "BeforeModel", "AfterModel", "BeforeToolSelection"])
@pytest.mark.parametrize("command", [says({"systemMessage": "note"}), "echo note"])
def test_a_system_message_goes_to_the_model_and_never_to_the_user(project, event, command):
    outcome = fire(project, event, command)

    assert told(outcome) == [("model", "system", "note")]


@pytest.mark.req("HOOK-169", "HOOK-199")
@pytest.mark.parametrize("word", ["block", "deny"])
def test_permission_decision_denies(project, word):
    outcome = fire(project, "BeforeTool", specific(permissionDecision=word))

    assert (outcome.decision, outcome.blocked, outcome.reason) == ("deny", True, "Blocked by hook")


@pytest.mark.req("HOOK-170", "HOOK-199")
def test_permission_decision_reason_is_preferred_to_the_general_reason(project):
    section = {"permissionDecision": "deny", "permissionDecisionReason": "mine"}
    outcome = fire(
        project, "BeforeTool", says({"decision": "deny", "reason": "general", "hookSpecificOutput": section})
    )

    assert (outcome.blocked, outcome.reason) == (True, "mine")
    assert told(outcome) == [("model", "reason", "mine")]


@pytest.mark.req("HOOK-188")
def test_three_variables_hold_the_working_directory_and_the_rest_is_inherited(project):
    names = ("LLXPRT_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR", "MINE")
    command = "; ".join(f'printf "%s\\n" "${name}" >> env' for name in names)
    fire(project, "BeforeTool", command, environ={"MINE": "inherited"})

    assert project.read("env").splitlines() == [*[str(project.root)] * 3, "inherited"]


@pytest.mark.req("HOOK-188")
def test_the_variables_hold_the_same_folder_as_the_inputs_cwd(project):
    """The law: all set to `input.cwd`."""
    elsewhere = project.write("sub/file", "").parent
    command = 'cat > "$OUT/seen.json"; printf %s "$LLXPRT_PROJECT_DIR" > "$OUT/env"'
    data = {**CALL, "cwd": str(elsewhere)}
    fire(project, "BeforeTool", command, data=data, environ={"OUT": str(project.root)})

    assert project.json("seen.json")["cwd"] == str(elsewhere)
    assert project.read("env") == str(elsewhere)


@pytest.mark.req("HOOK-188")
@pytest.mark.parametrize("name", ["LLXPRT_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR"])
def test_the_variables_expand_in_a_command(project, name):
    project.script("hooks/deny.sh", "echo found >&2; exit 2")
    outcome = fire(project, "BeforeTool", f'"${name}"/hooks/deny.sh')

    assert (outcome.blocked, outcome.reason) == (True, "found")


@pytest.mark.req("HOOK-125")
def test_a_terminal_makes_no_difference(project):
    """Once with pipes, once with a controlling terminal on stdin, stdout and stderr."""
    tty = "for n in 0 1 2; do [ -t $n ] && printf 'tty ' >> where; done; cat > seen"
    answer = says({"decision": "deny", "reason": "no", "systemMessage": "m"})
    project.write(".llxprt/settings.json", settings(BeforeTool=[group(tty, answer, "echo warn >&2; exit 1")]))
    project.write("input.json", json.dumps({**CALL, "timestamp": "2026-01-01T00:00:00.000Z"}))
    command = [sys.executable, "-m", "tenterhook.cli.main", "fire", "BeforeTool", "--dialect", "llxprt", "--trust"]
    command += ["--json", "--session", "s-1", "--input", "input.json"]
    checked = ["/bin/sh", "-c", '[ -t 0 ] && [ -t 1 ] && [ -t 2 ] && touch terminal; exec "$@"', "sh", *command]
    in_terminal = [sys.executable, "-c", f"import pty, sys; sys.exit(pty.spawn({checked!r}) >> 8)"]
    runs = []
    for argv in (command, in_terminal):
        done = run(argv, stdin=DEVNULL, stdout=PIPE, cwd=project.root, env=project.environ(), timeout=30, check=False)
        outcome = json.loads(done.stdout.splitlines()[-1])  # a terminal shows the warning about --trust first
        del outcome["id"]
        for attempt in outcome["attempts"]:
            del attempt["seconds"]
        runs.append((done.returncode, outcome, project.read("seen")))

    assert runs[0] == runs[1]
    assert runs[0][0] == 2
    assert project.has("terminal")
    assert not project.has("where")
