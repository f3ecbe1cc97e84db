"""The schema of an agent's hook files accepts what the agent's files hold, and refuses what `check` complains of."""

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from tenterhook import dialects
from tenterhook.cli.main import main
from tenterhook.dialects.schema.dialect import Dialect
from tenterhook.support import readers
from tenterhook.tools.describe.agent_schema import agent_schema
from tenterhook.tools.describe.schema import BASE

EXAMPLES = Path(__file__).parents[3] / "examples"
AGENTS = [name for name in dialects.names() if name != dialects.DEFAULT]
FORMATS = {".json": "jsonc", ".toml": "toml", ".yaml": "yaml"}


def example_files(name: str) -> list[dict[str, Any]]:
    files = [path for path in sorted((EXAMPLES / name).rglob("*")) if path.suffix in FORMATS]
    return [readers.read(str(path), FORMATS[path.suffix]).data for path in files]


def validator(name: str) -> Any:
    return jsonschema_rs.validator_for(agent_schema(dialects.get(name)))


def entries(dialect: Dialect, data: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every hook's entry in a file."""
    form = dialect.config.form
    for value in data.get("hooks", {}).values():
        for item in value if isinstance(value, list) else [value]:
            inner = item.get(form.group or (*form.lists, "")[0], item) if isinstance(item, dict) else item
            yield from inner if isinstance(inner, list) else [inner]


def first_entry(dialect: Dialect, data: dict[str, Any]) -> dict[str, Any]:
    return next(entries(dialect, data))


def timeout_key(dialect: Dialect) -> str:
    return next(key for key, setter in dialect.config.form.keys.items() if setter == "timeout")


WRONG: dict[str, Callable[[Dialect, dict[str, Any]], object]] = {
    "an unknown event": lambda dialect, data: data["hooks"].update(NoSuchEvent=[]),
    "hooks that are text": lambda dialect, data: data.update(hooks="guard.sh"),
    "an unknown key": lambda dialect, data: first_entry(dialect, data).update(commnd="true"),
    "an unknown type": lambda dialect, data: first_entry(dialect, data).update(type="no-such-type"),
    "a time-out in words": lambda dialect, data: first_entry(dialect, data).update({timeout_key(dialect): "ten"}),
    "a hook that runs nothing": lambda dialect, data: first_entry(dialect, data).clear(),
}


@pytest.mark.parametrize("name", AGENTS)
def test_the_examples_are_valid(name):
    files = example_files(name)

    assert files
    for data in files:
        assert [str(error) for error in validator(name).iter_errors(data)] == []


@pytest.mark.parametrize("name", AGENTS)
def test_what_is_wrong_is_refused(name):
    data = next(data for data in example_files(name) if isinstance(data.get("hooks"), dict))
    valid, dialect = validator(name).is_valid, dialects.get(name)

    accepted = []
    for what, spoil in WRONG.items():
        spoilt = copy.deepcopy(data)
        spoil(dialect, spoilt)
        accepted += [what] if valid(spoilt) else []
    assert (valid(data), accepted) == (True, [])


def test_a_matcher_is_refused_where_there_is_nothing_to_match():
    entry = {"hooks": [{"type": "command", "command": "true"}]}
    valid = validator("claude").is_valid

    assert valid({"hooks": {"PreToolUse": [{"matcher": "Bash", **entry}], "Stop": [{"matcher": "", **entry}]}})
    assert not valid({"hooks": {"Stop": [{"matcher": "Bash", **entry}]}})


@pytest.mark.parametrize("name", [*AGENTS, "claude@2.1.190"])
def test_the_command_prints_a_schema_with_its_own_address(name, capsys):
    assert main(["schema", name]) == 0

    found = json.loads(capsys.readouterr().out)
    assert found["$id"] == f"{BASE}/{name}.json"
    jsonschema_rs.meta.validate(found)


def test_our_own_config_has_two_names_and_a_wrong_name_is_said(capsys):
    assert main(["schema", "tenterhook"]) == 0
    ours = capsys.readouterr().out
    assert main(["schema"]) == 0
    assert capsys.readouterr().out == ours
    assert main(["schema", "gemni"]) == 1
    assert "did you mean 'gemini'" in capsys.readouterr().err
