"""Every rule about commands: spellings that it must find, and near misses in which nothing may be found."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from tenterhook.library.actions.settings import ActionSettings
from tenterhook.library.guard import danger
from tenterhook.library.guard.danger import rules
from tenterhook.library.guard.paths import RULES, Territory

PROJECT, HOME = "/srv/work/project", "/home/someone"
TABLE: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_name("commands.toml").read_text())
CAUGHT = [(rule, command) for rule, cases in TABLE.items() for command in cases["caught"]]
PASSES = [(rule, command) for rule, cases in TABLE.items() for command in cases["passes"]]


@pytest.fixture(autouse=True)
def _home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", HOME)
    monkeypatch.delenv("TMPDIR", raising=False)


def found(command: str, **rules: str) -> dict[str, str]:
    """The decision of each rule that has something against a command."""
    settings = ActionSettings()
    settings.rules = rules
    return {one.rule: one.decision for one in danger.findings(command, Territory(PROJECT, settings), PROJECT)}


@pytest.mark.parametrize(("rule", "command"), CAUGHT)
def test_a_rule_finds_every_spelling(rule: str, command: str) -> None:
    assert found(command).get(rule) == TABLE[rule]["decision"]


@pytest.mark.parametrize(("rule", "command"), PASSES)
def test_a_near_miss_passes_all_rules(rule: str, command: str) -> None:
    assert not found(command)


@pytest.mark.parametrize(
    "command", ["rm -rf ~", "rm -rf ~/*", 'rm -rf "$HOME"', "mv ~ /tmp/x", "rm -rf ~/.ssh", "find ~ -delete"]
)
def test_a_home_in_a_temporary_folder_is_kept_as_any_other(monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.setenv("HOME", "/tmp/run/home")

    assert found(command)["delete-root"] == "deny"
    assert not found("rm -rf ~/.cache/x /tmp/run/other")


@pytest.mark.parametrize("command", ["find . -delete", "rm -rf .", "cd /tmp/real && rm -rf ."])
def test_a_project_in_a_temporary_folder_is_kept_by_each_of_its_names(command: str) -> None:
    place = Territory("/tmp/link", ActionSettings())
    place.root = "/tmp/real"

    assert [one.rule for one in danger.findings(command, place, "/tmp/link")] == ["delete-root"]


@pytest.mark.parametrize("rule", TABLE)
def test_a_rule_can_be_switched_by_its_name(rule: str) -> None:
    command = TABLE[rule]["caught"][0]

    assert found(command, **{rule: "allow"}).get(rule) is None
    assert found(command, **{rule: "deny"})[rule] == "deny"


def test_every_rule_is_in_the_table_with_five_of_each() -> None:
    shown_by_files = {"protected-path", "agent-config"}

    assert set(TABLE) == {*rules.RULES, *RULES} - shown_by_files
    assert all(len(cases["caught"]) >= 5 and len(cases["passes"]) >= 5 for cases in TABLE.values())


def test_every_test_of_a_rule_is_there_and_has_a_rule() -> None:
    functions = [(one[0], one[-1]) for one in (*rules.ALWAYS, *rules.FUNCTIONS)]

    assert all(callable(rules.function(name)) for _, name in functions)
    assert {rule for rule, *_ in (*functions, *rules.ROWS)} == set(rules.RULES) - {"unparsable"}
