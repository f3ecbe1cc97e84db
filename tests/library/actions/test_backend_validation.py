"""Before a backend change: the guard, and a file that would still parse."""

import time
from pathlib import Path

import pytest

from tenterhook.library.project.config_files.syntax import first_error

NAME = "backend-validation"
RELAXED = '{\n  // why\n  "a": "b // c",\n}\n'
GOOD = [
    ("a.py", "def f():\n    return 1\n"),
    ("a.py", "x = '\\d'\n"),  # a warning is none of an error
    ("a.json", '{"a": [1, 2]}'),
    ("tsconfig.json", '{\n  // why\n  "a": "b // c", /* d */\n}\n'),
    *((name, RELAXED) for name in ("turbo.json", "deno.json", ".vscode/tasks.json", ".eslintrc.json", "a.jsonc")),
    ("a.toml", "[a]\nb = 1\n"),
    ("a.yaml", "a:\n  - !Ref b\n---\nc: 1\n"),
    ("chart.yaml", "a: {{ .Values.b }}\n"),
    ("a.txt", "def f(:\n"),
]
BAD = [
    ("a.py", "x = 1\ndef f(:\n", "line 2"),
    ("a.py", "(" * 5000, "nested"),
    ("a.json", '{"a": 1,}', "line 1"),
    ("a.jsonc", "{} /* open", "line 1"),
    ("a.toml", "a = \n", "line 1"),
    ("a.yml", "a: [1, 2\n", "line"),
    ("deep.json", "[" * 200_000, "nested"),
]


@pytest.mark.req("CC-ACT-table")
@pytest.mark.parametrize(("file", "text"), GOOD)
def test_a_file_that_parses_is_written(act, file: str, text: str) -> None:
    assert act(NAME, tool_name="Write", tool_input={"file_path": file, "content": text}).decision == "none"


@pytest.mark.req("CC-ACT-table")
@pytest.mark.parametrize(("file", "text", "why"), BAD)
def test_one_that_would_not_parse_is_refused_with_the_place(act, file: str, text: str, why: str) -> None:
    said = act(NAME, tool_name="Write", tool_input={"file_path": file, "content": text})

    assert said.decision == "deny"
    assert file in said.reason
    assert why in said.reason


def test_an_edit_is_judged_by_the_whole_file(act, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def f():\n    return 1\n")

    def edited(new: str) -> str:
        given = {"file_path": "a.py", "old_string": "return 1", "new_string": new}
        return act(NAME, tool_name="Edit", tool_input=given).decision

    assert edited("return 2") == "none"
    assert edited("return (2") == "deny"


def test_a_file_that_is_broken_already_may_be_mended_in_steps(act, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def f(:\n    return (1\n")

    said = act(NAME, tool_name="Edit", tool_input={"file_path": "a.py", "old_string": "f(:", "new_string": "f():"})

    assert said.decision == "none"
    assert "did not before" in said.note


@pytest.mark.parametrize(
    ("file", "text"),
    [("a.yml", "[" * 300_000), ("tsconfig.json", '"\\' * 150_000), ("a.toml", "a" + ".a" * 150_000 + " = 1")],
)
def test_a_text_that_is_made_to_take_long_takes_no_time_to_speak_of(file: str, text: str) -> None:
    before = time.monotonic()
    first_error(file, text)

    assert time.monotonic() - before < 5  # without bounds it takes a minute


def test_the_guard_comes_first(act) -> None:
    assert "git-folder" in act(NAME, tool_input={"file_path": ".git/x.py", "content": "def ("}).reason
    assert act(NAME, tool_input={"command": "git push --force"}).decision == "deny"
    assert act(NAME, tool_input={"file_path": "x.py"}).decision == "none"
