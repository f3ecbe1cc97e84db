"""The JSON Schemas say what loading and firing do: checked on documents and on real outcomes."""

import contextlib
import json
import tomllib
from pathlib import Path

import jsonschema_rs
import pytest

from tenterhook import Engine, dialects
from tenterhook.cli.commands.fire import as_json
from tenterhook.cli.main import main
from tenterhook.config import settings
from tenterhook.errors import ConfigError
from tenterhook.testing import Did, simulate
from tenterhook.tools.describe import schema

ROOT = Path(__file__).parents[3]
CONFIG = jsonschema_rs.validator_for(json.loads(schema.read_schema_file("config")))
OUTCOME = jsonschema_rs.validator_for(json.loads(schema.read_schema_file("outcome")))

ON = {"on": "tool.before", "command": "true"}

GOOD = [
    {},
    {"hook": []},
    {"hook": [ON]},
    {"hook": [ON, {"on": "notify", "command": ["echo", "hello"]}]},
    {"hook": [{**ON, "on": ["tool.before", "turn.stop"]}]},
    {"hook": [{"on": "PreToolUse", "command": "true"}, {"on": ["BeforeTool", "stop"], "command": "true"}]},
    {"hook": [{"on": "tool.after", "script": "x.py", "args": ["-v"]}]},
    {"hook": [{"on": "tool.after", "function": "mine.check"}]},
    {"hook": [{"on": "tool.after", "url": "https://a.test/", "headers": {"A": "b"}, "private": True}]},
    {"hook": [{"on": "tool.after", "prompt": "Is it fine?", "model": "haiku", "max_tokens": 9000}]},
    {"hook": [{"on": "tool.after", "type": "agent", "prompt": "Is it fine?", "max_turns": 3}]},
    {"hook": [{**ON, "match": "Bash|Edit", "match_kind": "glob-nocase"}]},
    {"hook": [{**ON, "on": "turn.stop", "match": "*"}]},
    {"hook": [{**ON, "on": "turn.stop", "match": ""}]},
    {"hook": [{**ON, "timeout": 0.5, "priority": -3, "enabled": False, "once": True, "sequential": True}]},
    {"hook": [{**ON, "leftovers": "end", "name": "x", "description": "for people"}]},
    {"hook": [{**ON, "on_failure": "deny"}]},
    {"hook": [{**ON, "on_failure": {"timeout": "ask", "default": "allow"}}]},
    {"hook": [{**ON, "env": ["HOME"]}, {**ON, "env": {"A": "b"}}]},
    {"hook": [{**ON, "if": {"tool_input.command": "git *"}}, {**ON, "if": {"tool_input": {"x": ["a", "b"]}}}]},
]
BAD = [
    {"hooks": [ON]},
    {"other": {"program": 1}},
    {"hook": [{**ON, "on": []}]},
    {"hook": "x"},
    {"hook": ["x"]},
    {"hook": {"on": "tool.before"}},
    {"hook": [{"command": "true"}]},
    {"hook": [{"on": "tool.before"}]},
    {"hook": [{"on": "PreTolUse", "command": "true"}]},
    {"hook": [{**ON, "on": "Stop", "match": "Bash"}]},
    {"hook": [{"on": ["tool.before", "x"], "command": "true"}]},
    {"hook": [{"on": 1, "command": "true"}]},
    {"hook": [{**ON, "commnd": "x"}]},
    {"hook": [{"on": "tool.after", "type": "python", "function": "mine.check", "command": "unused"}]},
    {"hook": [{**ON, "script": "x.py"}]},
    {"hook": [{**ON, "headers": {"A": "b"}}]},
    {"hook": [{"on": "tool.after", "url": ["https://a.test/"]}]},
    {"hook": [{"on": "tool.after", "prompt": "Is it fine?", "max_turns": 3}]},
    {"hook": [{**ON, "command": ""}]},
    {"hook": [{**ON, "command": []}]},
    {"hook": [{**ON, "command": [1]}]},
    {"hook": [{**ON, "type": "script"}]},
    {"hook": [{**ON, "type": "http"}]},
    {"hook": [{**ON, "type": 1}]},
    {"hook": [{**ON, "match": 1}]},
    {"hook": [{**ON, "match_kind": "regex"}]},
    {"hook": [{**ON, "on": "turn.stop", "match": "Bash"}]},
    {"hook": [{**ON, "on": ["tool.before", "turn.stop"], "match": "Bash"}]},
    {"hook": [{**ON, "timeout": 0}]},
    {"hook": [{**ON, "timeout": "5s"}]},
    {"hook": [{**ON, "timeout": True}]},
    {"hook": [{**ON, "enabled": "no"}]},
    {"hook": [{**ON, "priority": 1.5}]},
    {"hook": [{**ON, "leftovers": "kill"}]},
    {"hook": [{**ON, "on_failure": "open"}]},
    {"hook": [{**ON, "on_failure": {"timeot": "deny"}}]},
    {"hook": [{**ON, "on_failure": {"timeout": "closed"}}]},
    {"hook": [{**ON, "env": "HOME"}]},
    {"hook": [{**ON, "env": {"A": 1}}]},
    {"hook": [{**ON, "if": "x"}]},
    {"hook": [{**ON, "name": 1}]},
]


def toml(document: dict) -> str:
    """The document with everything on one line: JSON's texts, numbers and lists are TOML too."""

    def value(one: object) -> str:
        if isinstance(one, dict):
            return "{" + ", ".join(f"{json.dumps(key)} = {value(inner)}" for key, inner in one.items()) + "}"
        return "[" + ", ".join(map(value, one)) + "]" if isinstance(one, list) else json.dumps(one)

    return "".join(f"{key} = {value(one)}\n" for key, one in document.items())


def loads(document: dict, folder: Path) -> bool:
    """Whether loading has nothing to say about the document."""
    (folder / "tenterhook.toml").write_text(toml(document))
    engine = Engine(folder, trust="all", home=folder, environ={}, on_config_error="warn")
    return not engine.ready().problems


@pytest.mark.parametrize("document", GOOD, ids=str)
def test_what_loading_takes_the_schema_accepts(document, tmp_path):
    assert loads(document, tmp_path)
    assert CONFIG.is_valid(document)


@pytest.mark.parametrize("document", BAD, ids=str)
def test_what_loading_complains_about_the_schema_rejects(document, tmp_path):
    assert not loads(document, tmp_path)
    assert not CONFIG.is_valid(document)


@pytest.mark.parametrize(
    ("key", "value", "good"),
    [
        ("sandbox", "require", True),
        ("sandbox", "on", False),
        ("secrets", "pass", True),
        ("journal", False, True),
        ("journal_days", 0, False),
        ("hosts", ["localhost:8080"], True),
        ("bypass", "no", False),
        ("sandboxes", "off", False),
    ],
)
def test_settings_are_what_the_schema_says(key, value, good, tmp_path):
    document = {"settings": {key: value}}
    file = tmp_path / "tenterhook.toml"
    file.write_text(f"[settings]\n{key} = {json.dumps(value)}\n")

    assert CONFIG.is_valid(document) == good
    with contextlib.nullcontext() if good else pytest.raises(ConfigError):
        settings.table(str(file))


def test_the_schema_knows_every_key_and_event_of_our_dialect():
    found, dialect = json.loads(schema.read_schema_file("config")), dialects.get("tenterhook")

    assert set(found["$defs"]["hook"]["properties"]) == set(dialect.config.form.keys)
    assert found["$defs"]["event"]["enum"] == [rule.name for rule in dialect.events]


def test_the_example_of_our_dialect_is_valid():
    text = (ROOT / "docs" / "agents" / "dialects" / "examples" / "tenterhook.toml").read_text()

    assert CONFIG.is_valid(tomllib.loads(text))


@pytest.mark.parametrize("name", ["config", "outcome"])
def test_a_schema_is_itself_valid(name):
    assert jsonschema_rs.meta.is_valid(json.loads(schema.read_schema_file(name)))


ANSWER = {
    "decision": "deny",
    "reason": "no",
    "continue": False,
    "stop": True,
    "systemMessage": "hello",
    "context": "more",
    "updated_input": {"command": "ls"},
    "input": {"command": "ls"},
    "hookSpecificOutput": {"updatedInput": {"command": "ls"}, "tool_input": {"a": 1}, "additionalContext": "x"},
}
ACTS = [
    [],
    [Did(stdout="text")],
    [Did(answer=ANSWER)],
    [Did(exit_code=2, stderr="no"), Did(exit_code=1, stderr="broken")],
    [Did(error="timeout"), Did(signal="SIGKILL"), Did(stdout='{"decision": ')],
]


@pytest.mark.parametrize("mode", ["faithful", "strict", "observe"])
@pytest.mark.parametrize("name", dialects.names())
def test_real_outcomes_of_every_event_are_valid(name, mode):
    for rule in dialects.get(name).events:
        for did in ACTS:
            data = {"tool_name": "Bash", "tool_input": {"command": "rm"}, "prompt": "hi"}
            outcome = simulate(name, rule.name, did, data=data, mode=mode, sequential=len(did) == 2)
            OUTCOME.validate(json.loads(as_json(outcome)))


def test_an_outcome_of_a_real_process_is_valid(tmp_path):
    (tmp_path / "tenterhook.toml").write_text('[[hook]]\non = "tool.before"\nmatch = "Bash"\ncommand = "exit 2"\n')
    with Engine(tmp_path, trust="all", home=tmp_path) as engine:
        ran = engine.fire("tool.before", tool_name="Bash")
        skipped = engine.fire("tool.before", tool_name="Edit")

    OUTCOME.validate(json.loads(as_json(ran)))
    OUTCOME.validate(json.loads(as_json(skipped)))


@pytest.mark.parametrize(
    "change",
    [
        {"decision": "maybe"},
        {"blocked": 1},
        {"mode": "loose"},
        {"changes": {"inputs": {}}},
        {"messages": [{"to": "nobody", "kind": "reason", "text": "", "hook": ""}]},
        {"messages": [{"to": "user", "kind": "reason", "text": ""}]},
        {"attempts": [{"hook": "x"}]},
        {"warnings": [1]},
    ],
)
def test_what_is_no_outcome_is_rejected(change):
    good = json.loads(as_json(simulate("wave", "Stop", [Did(exit_code=2, stderr="no")])))

    assert OUTCOME.is_valid(good)
    assert not OUTCOME.is_valid({**good, **change})
    assert not OUTCOME.is_valid({key: good[key] for key in good if key not in change})


def test_what_only_the_engine_needs_is_no_part_of_the_outcome():
    assert "answer" not in schema.outcome()["$defs"]["Attempt"]["properties"]


@pytest.mark.parametrize(("argv", "name"), [([], "config"), (["config"], "config"), (["outcome"], "outcome")])
def test_the_command_prints_the_shipped_schema(argv, name, capsys):
    assert main(["schema", *argv]) == 0
    assert capsys.readouterr().out == schema.read_schema_file(name)


def test_an_unknown_schema_exits_with_one_and_help_has_an_example(capsys):
    assert main(["schema", "confg"]) == 1
    assert main(["schema", "--help"]) == 0

    said = capsys.readouterr()
    assert "did you mean 'config'" in said.err
    assert "example:\n  tenter schema" in said.out
