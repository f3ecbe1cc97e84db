"""spec-completion: the documents of a SPEC exist and are complete."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.req("CC-ACT-table")

SPEC = "---\nid: SPEC-A-001\nstatus: draft\n---\n\n# Signing in\n\n## Requirements\n\nThe system shall let people in.\n"
PLAN = "# Plan\n\n1. Do it.\n"
ACCEPTANCE = "# Acceptance\n\n**Given** a user **When** they sign in **Then** they are in.\n"


def write(project: Path, name: str = "SPEC-A-001", **texts: str) -> Path:
    folder = project / ".moai" / "specs" / name
    folder.mkdir(parents=True, exist_ok=True)
    for stem, text in {"spec": SPEC, "plan": PLAN, "acceptance": ACCEPTANCE, **texts}.items():
        (folder / f"{stem}.md").write_text(text)
    return folder


def test_three_complete_documents_will_do(act: Callable[..., Any], tmp_path: Path) -> None:
    write(tmp_path)

    said = act("spec-completion")

    assert said.decision == "none"
    assert said.note == ".moai/specs/SPEC-A-001: complete"


def test_without_any_the_agent_is_told_which_files_to_write(act: Callable[..., Any]) -> None:
    said = act("spec-completion")

    assert said.decision == "deny"
    assert all(f".moai/specs/SPEC-NAME-001/{name}.md: there is no" in said.reason for name in ("spec", "plan"))


def test_a_missing_document_is_told(act: Callable[..., Any], tmp_path: Path) -> None:
    (write(tmp_path) / "acceptance.md").unlink()

    said = act("spec-completion")

    assert said.decision == "deny"
    assert ".moai/specs/SPEC-A-001/acceptance.md: there is no such document" in said.reason


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (
            {"spec": "# Signing in\n\nLet people in.\n"},
            "spec.md:1: neither front matter nor a heading with requirements",
        ),
        ({"spec": SPEC + "\n## Risks\n"}, "spec.md:12: there is no text below the heading 'Risks'"),
        ({"plan": "# Plan\n\nTODO\n"}, "plan.md:3: 'TODO' is left to be filled in"),
        ({"plan": ""}, "plan.md:1: is empty"),
        ({"acceptance": "# Acceptance\n\nIt works.\n"}, "acceptance.md:1: no criterion"),
    ],
)
def test_what_a_document_lacks_is_told(
    act: Callable[..., Any], tmp_path: Path, texts: dict[str, str], expected: str
) -> None:
    write(tmp_path, **texts)

    said = act("spec-completion")

    assert said.decision == "deny"
    assert expected in said.reason


@pytest.mark.parametrize("text", ["- [ ] it works\n", "1. it works\n", "| case | result |\n|---|---|\n"])
def test_criteria_may_be_a_list_or_a_table(act: Callable[..., Any], tmp_path: Path, text: str) -> None:
    write(tmp_path, acceptance=f"# Acceptance\n\n{text}")

    assert act("spec-completion").decision == "none"


def test_the_one_that_was_written_last_counts_unless_the_event_names_another(
    act: Callable[..., Any], tmp_path: Path
) -> None:
    old = write(tmp_path, "SPEC-OLD-1", plan="")
    for file in old.iterdir():
        os.utime(file, (1, 1))
    write(tmp_path, "SPEC-OLD-12")

    assert act("spec-completion").note == ".moai/specs/SPEC-OLD-12: complete"
    assert act("spec-completion", prompt="finish SPEC-OLD-1 now").note == ".moai/specs/SPEC-OLD-1: 1 problem"


@pytest.mark.parametrize("folder", ["specs/001-login", "docs/specs"])
def test_specifications_elsewhere_are_found_too(act: Callable[..., Any], tmp_path: Path, folder: str) -> None:
    (tmp_path / folder).mkdir(parents=True)
    (tmp_path / folder / "spec.md").write_text(SPEC)
    passed = act("spec-completion")
    (tmp_path / folder / "plan.md").write_text("TBD\n")
    refused = act("spec-completion")

    assert passed.decision == "none"
    assert f"{folder}/plan.md:1: 'TBD' is left to be filled in" in refused.reason


def test_the_settings_name_the_documents_and_their_headings(act: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.tenterhook.actions]\ndocuments = {spec = ["rfc/*.md"]}\nheadings = {spec = ["Motivation"]}\n'
    )
    missing = act("spec-completion")
    (tmp_path / "rfc").mkdir()
    (tmp_path / "rfc" / "1.md").write_text("# One\n\n## Motivation\n\nBecause.\n")

    assert "rfc/*.md: there is no such document" in missing.reason
    assert act("spec-completion").decision == "none"
