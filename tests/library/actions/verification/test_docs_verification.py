"""docs-verification: feedback on the links and code blocks of a document that was written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.req("CC-ACT-table")


def write(path: Path, text: str) -> dict[str, Any]:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return {"file_path": str(path), "content": text}


def test_a_sound_page_is_read_and_left_alone(act: Callable[..., Any], tmp_path: Path) -> None:
    said = act("docs-verification", tool_name="Write", tool_input=write(tmp_path / "a.md", "# A\n\n[x](#a)\n"))

    assert said.decision == "none"
    assert said.note == "read a.md: sound"


def test_a_broken_link_and_an_open_block_are_fed_back(act: Callable[..., Any], tmp_path: Path) -> None:
    text = "[x](gone.md)\n\n```\ncode\n"

    said = act("docs-verification", tool_name="Write", tool_input=write(tmp_path / "docs" / "my page.md", text))

    assert said.decision == "deny"
    assert "docs/my page.md has links that lead nowhere" in said.reason
    assert "1:5: there is no 'gone.md'" in said.reason
    assert "3:1: the code block that starts here is not closed" in said.reason


def test_a_page_that_is_too_long_to_be_read_is_said(act: Callable[..., Any], tmp_path: Path) -> None:
    said = act("docs-verification", tool_name="Write", tool_input=write(tmp_path / "a.md", "[x](gone.md) " * 50_000))

    assert said.decision == "none"
    assert "no fault found; not checked: the links of a page above 512 KiB" in said.note


def test_an_edit_is_judged_by_the_file_as_it_is_now(act: Callable[..., Any], tmp_path: Path) -> None:
    write(tmp_path / "a.md", "[x](#b)\n")

    said = act("docs-verification", tool_input={"file_path": "a.md", "old_string": "#a", "new_string": "#b"})

    assert said.decision == "deny"
    assert "#b on this page" in said.reason


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({}, "wrote no file"),
        ({"command": "ls"}, "wrote no file"),
        ({"file_path": "a.md"}, "wrote no file"),
        ({"file_path": "a.py", "content": "[x](gone.md)"}, "a.py is not a document"),
        ({"file_path": "gone.md", "content": "x"}, "gone.md is not there"),
        ({"file_path": "/etc/x.md", "content": "x"}, "outside of the project"),
    ],
)
def test_what_is_no_document_of_the_project_is_none_of_its_business(
    act: Callable[..., Any], given: dict[str, str], why: str
) -> None:
    said = act("docs-verification", tool_input=given)

    assert said.decision == "none"
    assert said.note.startswith("nothing to check")
    assert why in said.note
