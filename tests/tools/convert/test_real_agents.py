"""Hazards between agents as shipped: what was seen to go wrong when hooks of one were given to another."""

import json
from pathlib import Path

import pytest

from tenterhook import dialects
from tenterhook.engine.hookset import HookSet
from tenterhook.engine.options import EngineOptions
from tenterhook.tools.check.run_checks import check

EXAMPLES = Path(__file__).parents[3] / "examples"
FILES = {"claude": ".claude/settings.json", "qwen": ".qwen/settings.json", "gemini": ".gemini/settings.json"}
EVENTS = {"claude": "PreToolUse", "qwen": "PreToolUse", "gemini": "BeforeTool"}


def deny(**more: object) -> str:
    inner = {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "r"}
    answer = {**more.pop("top", {}), "hookSpecificOutput": {**inner, **more}}
    answer["hookSpecificOutput"] = {key: one for key, one in answer["hookSpecificOutput"].items() if one is not None}
    return f"echo '{json.dumps(answer)}'"


SCRIPTS = [
    (2, "claude", "codex", "exit 2"),
    (2, "claude", "gemini", "exit 2"),
    (2, "claude", "qwen", "exit 2"),
    (3, "claude", "codex", deny(permissionDecisionReason=None)),
    (5, "claude", "codex", deny(top={"suppressOutput": True})),
    (6, "claude", "codex", deny(permissionDecision="ask")),
    (7, "qwen", "claude", deny(hookEventName=None)),
    (8, "gemini", "claude", """echo '{"decision": "deny", "reason": "r"}'"""),
    (8, "qwen", "codex", """echo '{"decision": "deny", "reason": "r"}'"""),
    (9, "claude", "gemini", deny()),
    (14, "gemini", "claude", """echo '{"continue": false, "stopReason": "r"}'"""),
]


def hook(command: str, event: str = "PreToolUse", **more: object) -> dict[str, object]:
    return {"hooks": {event: [{"matcher": "*", "hooks": [{"type": "command", "command": command, **more}]}]}}


def numbers(made) -> set[int]:
    return {loss.number for loss in made.losses if loss.level == "lost"}


@pytest.mark.parametrize(
    ("number", "source", "target", "script"), SCRIPTS, ids=[f"{n} {a} {b}" for n, a, b, _ in SCRIPTS]
)
def test_a_guard_that_holds_in_one_agent_and_not_in_the_other(number, source, target, script, write, converted):
    write("guard.sh", f"#!/bin/sh\n{script}\n", mode=0o755)
    write(FILES[source], hook("./guard.sh", EVENTS[source]))

    assert numbers(converted(source, target)) == {number}


def test_a_guard_that_holds_in_all_of_them(write, converted):
    write("guard.sh", "#!/bin/sh\necho no >&2\nexit 2\n", mode=0o755)
    write(FILES["claude"], hook("./guard.sh"))

    for target in ("codex", "gemini", "qwen"):
        assert numbers(converted("claude", target)) == set(), target


def test_five_seconds_do_not_become_five_milliseconds(write, converted):
    write(FILES["claude"], hook("true", timeout=5))

    made = converted("claude", "gemini")

    assert json.loads(made.text)["hooks"]["BeforeTool"][0]["hooks"][0]["timeout"] == 5000


def test_a_hook_that_would_void_the_whole_file_is_left_out_and_the_others_stay(write, converted):
    both = hook("true")
    both["hooks"]["PreToolUse"][0]["hooks"].append({"type": "http", "url": "http://localhost:1"})
    write(FILES["claude"], both)

    made = converted("claude", "codex")

    assert numbers(made) == {11}
    assert (made.hooks, made.converted) == (2, 1)
    assert "http" not in made.text


def test_a_hook_that_never_lets_go_and_a_review_that_nobody_gives(write, converted):
    write("more.sh", "#!/bin/sh\necho more >&2\nexit 2\n", mode=0o755)
    write(FILES["claude"], hook("./more.sh", "Stop"))

    made = converted("claude", "codex")

    assert numbers(made) == {15}
    [review] = [loss.text for loss in made.losses if loss.number == 16]
    assert review.startswith("Codex CLI runs it only when its user has approved each hook")


def test_an_unknown_key_is_found_by_reading_it_on_both_sides(write, converted):
    write(FILES["claude"], hook("true"))

    [found] = [one for one in converted("claude", "codex").differences if one.hazard == 4]

    assert (found.before, found.after) == ("refused, the model is told", "goes on")


def test_what_fails_closed_is_written_as_the_agent_has_it(write, converted):
    write("tenterhook.toml", '[[hook]]\non = "tool.before"\ncommand = "true"\non_failure = "deny"\n')

    found = json.loads(converted("tenterhook", "claude").text)

    assert found["hooks"]["PreToolUse"][0]["hooks"][0]["onFailure"] == "block"
    assert dialects.get("claude").install.closed == "block"


def test_what_only_our_engine_heeds_does_not_count_for_the_agent(write, converted):
    write(FILES["claude"], hook("true", onFailure="block"))
    here = converted("claude", "codex")

    late = next(one for one in here.differences if one.case == "no answer in time")

    assert (late.before, late.after, late.hazard) == ("refused", "goes on", 22)
    assert 22 in numbers(here)


def test_a_condition_that_does_not_count_there_is_seen_in_the_hooks_that_run(write, converted):
    write("tenterhook.toml", '[[hook]]\non = "tool.before"\ncommand = "true"\nif = { "tool_input.command" = "x" }\n')

    found = [one for one in converted("tenterhook", "claude").differences if one.case == "Bash: true"]

    assert [(one.before, one.after, one.hazard) for one in found] == [("does not run", "runs", 20)]


def test_an_agents_own_answers_are_read_by_the_other_one_too(write, converted):
    write(FILES["gemini"], hook("true", "BeforeTool"))

    found = {one.case: one for one in converted("gemini", "claude").differences}

    changed = found["Gemini CLI's own rewrite"]
    assert changed.before.startswith("goes on, input becomes")
    assert (changed.after, changed.hazard) == ("goes on", 9)
    assert "Gemini CLI's own deny" in found


def test_of_two_events_of_a_kind_the_one_is_taken_at_which_the_same_answers_count(write, converted):
    write("guard.sh", f"#!/bin/sh\n{deny()}\n", mode=0o755)
    write(FILES["claude"], hook("./guard.sh"))

    made = converted("claude", "copilot")

    assert list(json.loads(made.text)["hooks"]) == ["PreToolUse"]
    assert json.loads(made.text)["version"] == 1
    assert 9 not in numbers(made)


@pytest.mark.parametrize("name", ["claude", "codex", "copilot", "gemini", "qwen"])
def test_the_hooks_of_our_examples_answer_as_their_agents_obey(name):
    report = check(HookSet(EngineOptions(EXAMPLES / name, dialect=name, trust="all")))

    assert not [problem.text for problem in report.problems if "seems to answer" in problem.text]
