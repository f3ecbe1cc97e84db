"""`tenter dialects` shows every dialect, and everything about one."""

import json

import pytest

from tenterhook import dialects
from tenterhook.cli.main import main
from tenterhook.config.timeouts import UNITS
from tenterhook.tools.describe.tables import tables

NAMES = dialects.names()


@pytest.fixture
def shown(capsys):
    def run(*argv: str) -> str:
        assert main(["dialects", *argv]) == 0
        return capsys.readouterr().out

    return run


def test_without_a_name_there_is_a_line_for_each_dialect(shown):
    header, *lines = shown().splitlines()

    assert header.split() == ["NAME", "AGENT", "VERSIONS", "ABOUT", "EVENTS", "CONFIG", "FILES"]
    assert [line.split()[0] for line in lines] == NAMES
    for line, name in zip(lines, NAMES, strict=True):
        dialect = dialects.get(name)
        assert f"  {len(dialect.events)}  " in line
        assert line.endswith(", ".join(file.path for file in dialect.config.files))


def test_on_a_terminal_the_list_is_no_wider_than_that(shown, monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "80")

    text = shown()

    assert max(map(len, text.splitlines())) <= 80
    unfolded = "".join(text.split())  # a path may have blanks in it, at which its line is folded
    assert all("".join(file.path.split()) in unfolded for name in NAMES for file in dialects.get(name).config.files)


def test_the_list_as_json_names_events_and_files(shown):
    data = json.loads(shown("--json"))

    assert [one["name"] for one in data] == NAMES
    assert all(one["title"] and one["about"] and one["events"] and one["files"] for one in data)


@pytest.mark.parametrize("name", NAMES)
def test_everything_that_a_dialect_names_is_on_its_page(shown, name):
    text, dialect = shown(name), dialects.get(name)
    names = [rule.name for rule in dialect.events]
    names += [rule.kind for rule in dialect.events]
    names += [field.name for field in dialect.payload.base]
    names += [field.name for rule in dialect.events for field in rule.fields]
    names += [target for rule in dialect.events for target in rule.target.values]
    names += [*dialect.payload.env, *(row.means for row in dialect.reading.exits.values())]
    names += [answer.path for answer in dialect.reading.answers]
    names += [word for answer in dialect.reading.answers for word in answer.words]
    names += [file.path for file in dialect.config.files]
    names += [*dialect.config.form.keys, *dialect.config.form.group_keys]
    names += [kind.name for kind in dialect.config.types]
    names += [
        dialect.planning.matcher,
        dialect.planning.order,
        dialect.failures.mode,
        UNITS[dialect.config.unit],
        f"{dialect.planning.timeout:g} s",
        dialect.config.switches.on,
    ]
    names += dialect.notes

    assert [one for one in names if one not in text] == []


@pytest.mark.parametrize("name", NAMES)
def test_a_dialect_as_json_is_its_data(shown, name):
    data = json.loads(shown(name, "--json"))

    assert data["name"] == name
    assert [rule["name"] for rule in data["events"]] == [rule.name for rule in dialects.get(name).events]
    assert set(data["reading"]["exits"]) == {str(status) for status in dialects.get(name).reading.exits}


@pytest.mark.parametrize("name", NAMES)
def test_every_row_has_a_cell_for_each_column(name):
    for table in tables(dialects.get(name)):
        assert {len(row) for row in table.rows} == {len(table.header) or 1}, table.title
        assert all(cell for row in table.rows for cell in row), table.title


def test_an_event_says_whether_it_blocks_asks_and_what_it_matches_on():
    (row,) = (row for row in tables(dialects.get("wave"))[0].rows if row[0] == "PreToolUse")

    assert row[1:7] == ("tool.before", "yes", "yes", "tool_name", "nothing", "model")


def test_what_plain_text_becomes_is_told_for_each_event():
    plain = {name: {row[0]: row[5] for row in tables(dialects.get(name))[0].rows} for name in NAMES}

    assert plain["wave"]["UserPromptSubmit"] == "context"
    assert plain["llxprt"]["BeforeTool"] == "system"
    assert plain["massgen"]["PreToolUse"] == "a failure"
    assert plain["moai"]["SessionEnd"] == "not read"


def test_an_unknown_dialect_exits_with_one_and_the_nearest_name(capsys):
    assert main(["dialects", "wav"]) == 1
    assert "did you mean 'wave'" in capsys.readouterr().err


def test_help_has_an_example(capsys):
    assert main(["dialects", "--help"]) == 0
    assert "example:\n  tenter dialects" in capsys.readouterr().out
