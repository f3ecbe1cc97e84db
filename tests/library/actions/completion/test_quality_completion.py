"""quality-completion: the quality report exists and is complete."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.req("CC-ACT-table")

REPORT = "# Quality\n\n## Coverage\n\n87 %\n"


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_without_a_report_the_agent_is_told_where_to_write_it(act: Callable[..., Any]) -> None:
    said = act("quality-completion")

    assert said.decision == "deny"
    assert ".moai/reports/quality.md or docs/quality.md" in said.reason


@pytest.mark.parametrize(
    "name",
    [".moai/reports/quality.md", ".moai/reports/2026-quality-1.md", ".moai/reports/quality-1/a/b.md"]
    + ["docs/quality-gate.md", "QUALITY.md"],
)
def test_a_complete_report_in_any_of_the_usual_places_will_do(
    act: Callable[..., Any], tmp_path: Path, name: str
) -> None:
    write(tmp_path / name, REPORT)

    said = act("quality-completion")

    assert said.decision == "none"
    assert f"quality report: {name}, 0 problems" in said.message


def test_what_the_report_lacks_is_told(act: Callable[..., Any], tmp_path: Path) -> None:
    write(tmp_path / "QUALITY.md", "# Quality\n\nTBD\n\n## Coverage\n")

    said = act("quality-completion")

    assert said.decision == "deny"
    assert "QUALITY.md:3: 'TBD' is left to be filled in" in said.reason
    assert "QUALITY.md:5: there is no text below the heading 'Coverage'" in said.reason


def test_only_the_newest_report_counts(act: Callable[..., Any], tmp_path: Path) -> None:
    write(tmp_path / "docs" / "quality-old.md", "TBD\n")
    os.utime(tmp_path / "docs" / "quality-old.md", (1, 1))
    write(tmp_path / "docs" / "quality-new.md", REPORT)

    assert act("quality-completion").decision == "none"


def test_the_settings_name_the_documents_and_their_headings(act: Callable[..., Any], tmp_path: Path) -> None:
    write(
        tmp_path / "tenterhook.toml",
        '[actions.documents]\nquality = ["reports/*.md", "more.md"]\n[actions.headings]\nquality = ["Security"]\n',
    )
    write(tmp_path / "reports" / "a.md", REPORT)

    said = act("quality-completion")

    assert said.decision == "deny"
    assert "more.md: there is no such document" in said.reason
    assert "reports/a.md:1: the heading 'Security' is missing" in said.reason


def test_what_is_red_in_this_session_is_named(act: Callable[..., Any], tmp_path: Path) -> None:
    """A failing test, found by another action earlier in the session."""
    write(tmp_path / "QUALITY.md", REPORT)
    write(tmp_path / "pyproject.toml", "[tool.pytest.ini_options]\n")
    write(tmp_path / "app.py", "x = 1\n")
    write(tmp_path / "test_app.py", "def test_x():\n    assert False\n")
    earlier = act("tdd-post-implementation", tool_input={"file_path": "app.py", "content": "x = 1\n"})

    said = act("quality-completion")

    assert earlier.decision == "deny"
    assert said.decision == "none"
    assert "red: tests of app.py" in said.message
