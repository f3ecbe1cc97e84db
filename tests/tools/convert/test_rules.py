"""Each of the 23 hazards is found where it is, and nowhere else."""

import json

import pytest
from msgspec.structs import replace

from tenterhook import dialects
from tenterhook.dialects.schema.dialect import AnswerChecks, AnswerField, revise
from tenterhook.tools.check import answers
from tenterhook.tools.convert.rules import RULES

MOAI = ".claude/settings.json"
DENY = (
    '{"hookSpecificOutput": {"hookEventName": "PreToolUse", '
    '"permissionDecision": "deny", "permissionDecisionReason": "r"}}'
)


def entry(command="./hook.sh", event="PreToolUse", **more):
    return {"hooks": {event: [{**more.pop("group", {}), "hooks": [{"type": "command", "command": command, **more}]}]}}


def shell(text: str) -> str:
    return f"#!/bin/sh\n{text}\n"


def wave(**fields):
    """A dialect like Wave's, in which something is otherwise."""
    return revise(dialects.get("wave"), setup=None, install=None, **fields)


def events(**fields):
    return tuple(revise(rule, **fields) for rule in dialects.get("wave").events)


def exits(**fields):
    table = dialects.get("wave").reading.exits
    return {**table, 2: revise(table[2], **fields)}


def printing(answer: str) -> str:
    return shell(f"echo '{answer}'")


SILENT = exits(text={"needed": True})
# number, the script, what the other dialect does otherwise, its event
ANSWERS = [
    (2, shell("exit 2"), {"reading": {"exits": SILENT}}, "PreToolUse"),
    (
        3,
        printing(DENY.replace(', "permissionDecisionReason": "r"', "")),
        {"events": events(deny={"unreasoned": "fails"})},
        "",
    ),
    (5, printing(DENY.replace("{", '{"suppressOutput": true, ', 1)), None, ""),
    (6, printing(DENY.replace("deny", "ask")), {"events": events(can={"ask": False})}, ""),
    (
        7,
        printing(DENY.replace('"hookEventName": "PreToolUse", ', "")),
        {"reading": {"section": {"unnamed": "void"}}},
        "",
    ),
    (8, printing('{"decision": "deny", "reason": "r"}'), {}, ""),
    (14, printing('{"continue": false, "stopReason": "r"}'), {"events": events(stop={"does": "ignored"})}, ""),
]


def without_suppress():
    """A dialect that knows suppressOutput and wants none of it."""
    refused = AnswerField(path="suppressOutput", effect="suppress", checks=AnswerChecks(unsupported=("true",)))
    known = [one for one in dialects.get("wave").reading.answers if one.path != refused.path]
    return {"reading": {"answers": (*known, refused)}}


@pytest.mark.parametrize(("number", "script", "other", "event"), ANSWERS, ids=[str(row[0]) for row in ANSWERS])
def test_a_script_that_answers_in_a_form_that_is_not_obeyed_there(number, script, other, event, write, converted):
    write("hook.sh", script, mode=0o755)
    write(MOAI, entry())

    there = wave(**(without_suppress() if other is None else other))
    found = [loss for loss in converted("moai", there).losses if loss.number == number]
    assert [loss.level for loss in found] == ["lost"], converted("moai", there).differences
    assert RULES[number].advice in found[0].text
    assert (found[0].file.rpartition("/")[2], found[0].line) == ("settings.json", 6)

    write("hook.sh", shell("exit 0"), mode=0o755)
    assert not [loss for loss in converted("moai", there).losses if loss.number == number]


@pytest.mark.parametrize(
    ("number", "other"), [(4, {"reading": {"unknown_keys": "void"}}), (9, {"reading": {"answers": ()}}), (18, {})]
)
def test_what_no_script_shows_is_found_by_reading_the_answer_on_both_sides(number, other, write, converted):
    write(MOAI, entry("true"))
    source, target = ("moai", wave(**other)) if number != 18 else ("gemini", "moai")
    if number == 18:
        group = {"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "true"}]}]}}
        write(".gemini/settings.json", group)

    found = [one for one in converted(source, target).differences if one.hazard == number]

    assert found
    assert all(one.advice == RULES[number].advice for one in found)


def test_21_a_partial_input_leaves_the_rest_out_there(write, converted):
    write("hook.py", 'print({"updatedInput": {"command": "ls"}})')
    write(".amcp/hooks.json", {"hooks": {"PreToolUse": [{"type": "command", "command": "python3 hook.py"}]}})

    made = converted("amcp", "moai")

    [found] = [one for one in made.differences if one.hazard == 21]
    assert '"description":"b"' in found.before
    assert '"description"' not in found.after


def test_1_a_time_out_that_is_cut_there(write, converted):
    write(MOAI, entry(timeout=90))

    [loss] = [
        loss for loss in converted("moai", wave(events=events(overrides={"longest": 3.0}))).losses if loss.number == 1
    ]

    assert loss.level == "lost"
    assert "has 3 s at most, and had 90 s" in loss.text
    assert loss.key == "timeout"


def test_10_a_bare_entry_is_written_in_full(write, converted):
    write(MOAI, {"hooks": {"PreToolUse": [{"matcher": "Bash", "command": "true"}]}})
    strict = wave(config={"form": {"malformed": "file"}})

    made = converted("moai", strict)

    assert [loss.level for loss in made.losses if loss.number == 10] == ["note"]
    assert json.loads(made.text)["hooks"]["PreToolUse"][0]["hooks"][0]["type"] == "command"


def test_10_an_entry_with_its_type_and_without_a_list_around_it_is_bare_too(write, converted):
    write(MOAI, {"hooks": {"PreToolUse": [{"type": "command", "command": "true"}]}})
    assert [loss.level for loss in converted("moai", "claude").losses if loss.number == 10] == ["note"]

    write(MOAI, {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "true"}]}]}})
    assert not [loss for loss in converted("moai", "claude").losses if loss.number == 10]


def test_11_a_type_that_would_void_the_file_is_left_out(write, converted):
    write(MOAI, {"hooks": {"PreToolUse": [{"hooks": [{"type": "http", "url": "http://localhost:1"}]}]}})
    void = replace(dialects.get("moai").config.types[3], does="ruins")

    [loss] = converted("moai", wave(config={"types": (*dialects.get("wave").config.types, void)})).losses

    assert (loss.number, loss.level) == (11, "lost")
    assert "void the whole file" in loss.text


def test_12_a_pattern_that_is_none(write, converted):
    write(MOAI, entry("true", group={"matcher": "(Bash"}))

    assert (12, "lost") in {(loss.number, loss.level) for loss in converted("moai", "wave").losses}


def test_13_nothing_to_match_on_there(write, converted):
    write(MOAI, entry("true", group={"matcher": "Bash"}))

    found = [loss for loss in converted("moai", wave(events=events(target={"field": ""}))).losses if loss.number == 13]

    assert "has nothing to match on" in found[0].text


@pytest.mark.parametrize(("looks", "found"), [("", True), ("grep stop_hook_active; ", False)])
def test_15_an_agent_that_is_never_let_go(looks, found, write, converted):
    write("hook.sh", shell(f"{looks}echo more >&2; exit 2"), mode=0o755)
    write(MOAI, entry(event="Stop"))

    numbers = {loss.number for loss in converted("moai", wave(events=events(stop={"cap": 0}))).losses}

    assert (15 in numbers) == found


@pytest.mark.parametrize(
    ("looks", "target", "found"),
    [
        ("grep loop_count; ", "codex", True),
        ("grep stop_hook_active; ", "codex", False),
        ("grep stop_hook_active; ", "gemini", False),
        ("", "gemini", True),
        ("", "claude", False),
    ],
)
def test_15_what_tells_it_is_what_the_other_agent_calls_it(looks, target, found, write, converted):
    write("hook.sh", shell(f"{looks}echo more >&2; exit 2"), mode=0o755)
    write(MOAI, entry(event="Stop"))

    losses = [loss for loss in converted("moai", target).losses if loss.number == 15]

    assert bool(losses) == found
    assert all("never looks at stop_hook_active" in loss.text for loss in losses)


@pytest.mark.parametrize(
    ("number", "other"),
    [(16, {"approval": "each hook"}), (19, {"byte order mark": "on Windows"}), (23, {"keys": "its own"})],
)
def test_what_the_agent_itself_asks_of_hooks(number, other, write, converted):
    write("hook.sh", shell("jq .tool_name"), mode=0o755)
    write(MOAI, entry())

    assert number in {loss.number for loss in converted("moai", wave(remarks={"cautions": other})).losses}
    assert number not in {loss.number for loss in converted("moai", wave()).losses}


def test_17_a_variable_that_is_not_given_there_and_a_path_from_nowhere(write, converted):
    write(MOAI, entry("$CLAUDE_PROJECT_DIR/x.sh"))
    [loss] = [loss for loss in converted("moai", wave(payload={"env": {}})).losses if loss.number == 17]
    assert (loss.level, "$CLAUDE_PROJECT_DIR is not given there" in loss.text) == ("lost", True)

    write("hooks/x.py", "")
    write(MOAI, entry("python3 hooks/x.py"))
    assert [loss.level for loss in converted("moai", "wave").losses if loss.number == 17] == ["note"]


@pytest.mark.parametrize(("command", "noted"), [("./hook.sh", True), ("/bin/true", False), ("true", False)])
def test_17_a_program_that_is_named_from_nowhere(command, noted, write, converted):
    write("hook.sh", "#!/bin/sh\n", mode=0o755)
    write(MOAI, {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": command}]}]}})

    assert bool([loss for loss in converted("moai", "wave").losses if loss.number == 17]) == noted
    assert not [loss for loss in converted("moai", "moai").losses if loss.number == 17]


def test_20_once_and_if(write, converted):
    write("tenterhook.toml", '[[hook]]\non = "tool.before"\ncommand = "true"\nif = { "tool_input.command" = "x" }\n')

    assert (20, "lost") in {(loss.number, loss.level) for loss in converted("tenterhook", "amcp").losses}


def test_22_a_failure_that_blocks_here_and_not_there(write, converted):
    write(MOAI, entry("true"))
    closed = wave(failures={"by_cause": {"timeout": "deny", "spawn": "deny"}})
    write(".wave/settings.json", entry("true"))

    found = [loss for loss in converted(closed, "moai").losses if loss.number == 22]

    assert {loss.level for loss in found} == {"lost"}
    assert "no answer in time: refused before" in found[0].text


def test_every_hazard_has_a_number_a_name_and_says_what_to_do():
    assert list(RULES) == list(range(1, 24))
    assert all(rule.name and rule.advice for rule in RULES.values())
    assert len({rule.name for rule in RULES.values()}) == 23
    assert {made.hazard for made in answers.answers()} - {0} <= set(RULES)


def test_a_plainer_answer_stands_before_the_one_that_is_like_it():
    names = [made.name for made in answers.answers()]

    assert all(made.like in names[: names.index(made.name)] for made in answers.answers() if made.like)
