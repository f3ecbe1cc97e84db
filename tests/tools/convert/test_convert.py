"""Hooks of one dialect become those of another: events, matchers, names, units, commands, keys."""

import json
from pathlib import Path

import msgspec
import pytest

from tenterhook import Engine, dialects
from tenterhook.dialects.schema.dialect import revise
from tenterhook.engine.hookset import HookSet
from tenterhook.engine.options import EngineOptions
from tenterhook.tools.convert import convert

EXAMPLES = Path(__file__).parents[3] / "examples"
NAMES = dialects.names()
PAIRS = [(one, NAMES[(n + step) % len(NAMES)]) for n, one in enumerate(NAMES) for step in (1, 2, 5)]
MOAI = ".claude/settings.json"


def moai(event: str = "PreToolUse", matcher: str | None = None, **hook: object) -> dict[str, object]:
    group = {} if matcher is None else {"matcher": matcher}
    return {"hooks": {event: [{**group, "hooks": [{"type": "command", "command": "true", **hook}]}]}}


@pytest.mark.parametrize("name", NAMES)
def test_into_its_own_dialect_nothing_is_lost(name):
    made = convert(HookSet(EngineOptions(EXAMPLES / name, dialect=name, trust="all")), dialects.get(name))

    assert {loss.name for loss in made.losses if loss.level == "lost"} <= {"agent"}
    assert made.differences == ()


@pytest.mark.parametrize(("source", "target"), PAIRS, ids="-".join)
def test_what_is_written_is_read_by_the_other_agent(source, target, tmp_path):
    made = convert(HookSet(EngineOptions(EXAMPLES / source, dialect=source, trust="all")), dialects.get(target))
    file = tmp_path / Path(made.file).relative_to(EXAMPLES / source)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(made.text)

    found = HookSet(EngineOptions(tmp_path, dialect=target, trust="all", home=tmp_path / "home"))

    events = {hook.event for hook in found.hooks()}
    assert len(found.hooks()) >= made.converted
    assert events <= {rule.name for rule in dialects.get(target).events}
    lost = {loss.hook for loss in made.losses if loss.text.startswith("not converted")}
    assert made.converted == made.hooks or lost
    assert not [loss for loss in made.losses if loss.name == "there"]


def test_seconds_become_milliseconds_and_stay_the_same_time(write, converted):
    write(MOAI, moai(timeout=5))

    made = converted("moai", "llxprt")

    assert json.loads(made.text)["hooks"]["BeforeTool"][0]["hooks"][0]["timeout"] == 5000
    [note] = [loss for loss in made.losses if loss.number == 1]
    assert (note.level, note.line, note.text) == ("note", 9, "5 s is timeout 5000 there, in milliseconds")


def test_a_time_that_is_longer_than_the_default_there_is_written(write, converted):
    write(MOAI, moai())

    found = msgspec.toml.decode(converted("moai", "amcp").text)

    assert found["hooks"]["PreToolUse"]["handlers"][0]["timeout"] == 60


@pytest.mark.parametrize(
    ("matcher", "target", "wanted"),
    [
        ("Bash", "llxprt", "^run_shell_command$"),
        ("Write|Edit", "llxprt", "^(write_file|replace)$"),
        ("Write|Edit", "amcp", "write_file|apply_patch"),
        ("Write|Edit", "wave", "Write|Edit"),
        ("*", "llxprt", None),
        ("", "wave", None),
        ("mcp__memory__.*", "amcp", "mcp.memory..*"),
        ("B.*", "llxprt", "^run_shell_command$"),
        (".*", "wave", "Bash|Read|Write|Edit|Grep|Glob|Task"),
    ],
)
def test_a_matcher_hits_the_same_tools(matcher, target, wanted, write, converted):
    write(MOAI, moai(matcher=matcher))

    made = converted("moai", target)

    found = msgspec.toml.decode(made.text) if target == "amcp" else json.loads(made.text)
    event = dialects.get(target).rule("tool.before").name
    there = found["hooks"][event]
    group = there["handlers"][0] if target == "amcp" else there[0]
    assert group.get("matcher") == wanted


def test_a_matcher_with_a_name_that_nobody_knows_is_a_loss_with_its_place(write, converted):
    write(MOAI, moai(matcher="Bash|Teleport"))

    [loss] = [loss for loss in converted("moai", "llxprt").losses if loss.number == 13 and loss.level == "lost"]

    assert "Teleport: LLxprt Code has no tool of that name" in loss.text
    assert (loss.file.rpartition("/")[2], loss.line) == ("settings.json", 7)


@pytest.mark.parametrize(
    ("command", "target", "wanted"),
    [
        ('"$CLAUDE_PROJECT_DIR/a b.sh" -x', "wave", '"$WAVE_PROJECT_DIR/a b.sh" -x'),
        ("${CLAUDE_PROJECT_DIR}/a.sh", "amcp", "${AMCP_PROJECT_DIR}/a.sh"),
        ("$CLAUDE_PROJECT_DIR/a.sh", "llxprt", "$CLAUDE_PROJECT_DIR/a.sh"),
        ("$HOME/a.sh", "wave", "$HOME/a.sh"),
    ],
)
def test_variables_have_the_names_that_are_given_there(command, target, wanted, write, converted):
    write(MOAI, moai(command=command))

    made = converted("moai", target)

    assert json.dumps(wanted) in made.text


def test_one_program_without_a_shell(write, converted):
    write(MOAI, moai(command="$CLAUDE_PROJECT_DIR/hooks/a.sh"))
    assert 'handler: "hooks/a.sh"' in converted("moai", "massgen").text

    write(MOAI, moai(command="a | b"))
    made = converted("moai", "massgen")
    assert made.converted == 0
    assert "put this into a script: a | b" in made.losses[0].text


def test_events_are_known_by_their_kind_and_one_without_a_counterpart_is_said(write, converted):
    write(MOAI, moai("TeammateIdle"))

    made = converted("moai", "wave")

    assert made.converted == 0
    assert "not converted: Wave has no event for TeammateIdle" in made.losses[0].text


def test_one_entry_for_several_events_stays_one(write, converted):
    write("tenterhook.toml", '[[hook]]\non = ["turn.stop", "session.end"]\ncommand = "true"\n')

    found = msgspec.toml.decode(converted("tenterhook", "tenterhook").text)

    assert found == {"hook": [{"on": ["turn.stop", "session.end"], "type": "command", "command": "true"}]}


def test_what_the_other_agent_has_no_key_for_is_kept_for_our_engine_and_said(write, converted):
    text = '[[hook]]\non = "tool.before"\ncommand = "true"\nonce = true\npriority = 3\non_failure = "deny"\n'
    write("tenterhook.toml", f'{text}\n[[hook]]\non = "tool.before"\ncommand = "first"\npriority = 9\n')

    made = converted("tenterhook", "wave")

    first, second = (hook for group in json.loads(made.text)["hooks"]["PreToolUse"] for hook in group["hooks"])
    assert (first["command"], second["command"]) == ("first", "true")
    assert second["tenterhook"] == {"once": True, "on_failure": {"default": "deny"}}
    assert "priority = 9" in converted("tenterhook", "tenterhook").text
    assert {20, 22} <= {loss.number for loss in made.losses if loss.level == "lost"}


def test_a_switch_that_the_agent_needs_is_set(write, converted):
    write(MOAI, moai())

    assert json.loads(converted("moai", "llxprt").text)["enableHooks"] is True


def test_the_converted_hook_refuses_what_the_first_one_refused(write, tmp_path, converted):
    write("guard.sh", '#!/bin/sh\ngrep -q force && { echo "no force" >&2; exit 2; }\nexit 0\n', mode=0o755)
    write(MOAI, moai(matcher="Bash", command='"$CLAUDE_PROJECT_DIR/guard.sh"'))
    made = converted("moai", "amcp")
    write(".amcp/hooks.toml", made.text)

    with Engine(tmp_path, dialect="amcp", trust="all", sandbox="off", journal=False) as engine:
        seen = engine.fire("PreToolUse", tool_name="bash", tool_input={"command": "git push --force"})
        other = engine.fire("PreToolUse", tool_name="read_file", tool_input={"path": "force"})

    assert (seen.blocked, seen.reason) == (True, "no force")
    assert not other.attempts


def test_hooks_that_run_on_one_side_only_are_a_difference(write, converted):
    write(MOAI, moai(matcher="Bash|Grep"))
    wave = dialects.get("wave")
    events = tuple(revise(rule, target={"field": ""}) for rule in wave.events)
    none = revise(wave, setup=None, install=None, events=events)

    made = converted("moai", none)

    found = [one for one in made.differences if one.case == "Write: true"]
    assert [(one.event, one.before, one.after, one.hazard) for one in found] == [
        ("PreToolUse", "does not run", "runs", 13)
    ]


def test_variables_that_a_hook_passes_on_or_sets(write, converted):
    text = '[[hook]]\non = "tool.before"\ncommand = "a"\nenv = ["TOKEN"]\n'
    write("tenterhook.toml", f'{text}[[hook]]\non = "tool.before"\ncommand = "b"\nenv = {{ MODE = "x" }}\n')

    first, second = msgspec.toml.decode(converted("tenterhook", "tenterhook").text)["hook"]

    assert (first["env"], second["env"]) == (["TOKEN"], {"MODE": "x"})


def test_words_without_a_shell_stay_words_where_the_agent_has_them(write, converted):
    write("tenterhook.toml", '[[hook]]\non = "tool.before"\ncommand = ["a b", "$HOME", "c"]\n')

    [[group]] = json.loads(converted("tenterhook", "copilot").text)["hooks"].values()  # it has two names for the event
    assert (group["hooks"][0]["exec"], group["hooks"][0]["args"]) == ("a b", ["$HOME", "c"])

    for agent in ("wave", "claude"):  # Claude Code has them, but another agent reads its file and has not
        [group] = json.loads(converted("tenterhook", agent).text)["hooks"]["PreToolUse"]
        assert group["hooks"][0]["command"] == "'a b' '$HOME' c"
        assert "args" not in group["hooks"][0]
