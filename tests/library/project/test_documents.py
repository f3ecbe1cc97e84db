"""Documents that are finished, and what is said of those that are not."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tenterhook.library.project.pages.completeness import complete, find_document_gaps
from tenterhook.library.project.pages.markdown import Page

FINISHED = """\
---
title: <kept as it is>
---

# Title

Words with <b>HTML</b>, <https://x.y>, <a@b.c>, List<String>, a < b > c,
/users/<id>, --to=<NAME>, <T>, [ ] and [x] and [Ubiquitous] [REQ-1].

## 1. Overview

`TODO`, `<name>` and `{{ x }}` are only talked about here.

### Deeper

- [ ] an open box is a list
- [your guide](guide.md) and [your other guide][guide]

[guide]: guide.md

## Code

```
TODO: <your name>
```
"""
WRONG = {
    "": "1: is empty",
    "\n \n---\n": "1: is empty",
    "# A\n\n## B\n\ntext\n\n## C\n": "7: there is no text below the heading 'C'",
    "# A\n\n## B\n\n### C\n\n## D\n\ntext\n": "3: there is no text below the heading 'B'",
    "# A\n": "1: there is no text below the heading 'A'",
    "A\n===\n\n---\n": "1: there is no text below the heading 'A'",
    "text TODO: more\n": "1: 'TODO' is left to be filled in",
    "text\n\nTBD\n": "3: 'TBD' is left to be filled in",
    "FIXME\n": "1: 'FIXME' is left to be filled in",
    "a XXX b\n": "1: 'XXX' is left to be filled in",
    "Lorem ipsum dolor\n": "1: 'Lorem ipsum' is left to be filled in",
    "Dear {{ name }},\n": "1: '{{ name }}' is left to be filled in",
    "By <your name here>\n": "1: '<your name here>' is left to be filled in",
    "By <PROJECT_NAME>\n": "1: '<PROJECT_NAME>' is left to be filled in",
    "It is [Describe the goal].\n": "1: '[Describe the goal]' is left to be filled in",
    "and so on [...]\n": "1: '[...]' is left to be filled in",
}


@pytest.fixture
def page(tmp_path: Path) -> Path:
    return tmp_path / "a page.md"


def test_a_finished_document_lacks_nothing(page: Path) -> None:
    page.write_text(FINISHED)

    assert not find_document_gaps(str(page), ["Overview", "CODE", "deeper"])


@pytest.mark.parametrize("text", WRONG)
def test_what_is_unfinished_is_said_with_its_line(page: Path, text: str) -> None:
    page.write_text(text)

    assert [WRONG[text]] == find_document_gaps(str(page))


def test_headings_that_are_wanted_are_told_where_they_are_missing(page: Path) -> None:
    page.write_text("# Title\n\nText\n\n## 3. Requirements (EARS)\n\nText\n\n## Risk\n\nText\n")

    assert find_document_gaps(str(page), ["Requirements", "Risks"]) == ["1: the heading 'Risks' is missing"]


@pytest.mark.parametrize(("text", "why"), [(b"\xff\xfe", "is not UTF-8"), (b"a" * (2 << 20), "is larger than 1 MiB")])
def test_a_file_that_cannot_be_a_document_is_told(page: Path, text: bytes, why: str) -> None:
    page.write_bytes(text)

    assert [f"1: {why}"] == find_document_gaps(str(page))


def test_every_pattern_must_have_its_document(tmp_path: Path) -> None:
    project = tmp_path / "[a] $(b)"
    (project / "docs" / "deep").mkdir(parents=True)
    (project / "docs" / "deep" / "one.md").write_text("Fine.\n")
    (project / "two.md").write_text("TBD\n")

    found = complete(str(project), ["docs/**/*.md", "two.md", "three.md", "**/two.md"], [])

    assert found == ["three.md: there is no such document", "two.md:1: 'TBD' is left to be filled in"]


def test_what_leads_out_of_the_project_is_no_document_of_it(tmp_path: Path) -> None:
    (tmp_path / "out.md").write_text("Fine.\n")
    (tmp_path / "project").mkdir()

    assert complete(str(tmp_path / "project"), ["../out.md"], []) == ["../out.md: there is no such document"]


def test_front_matter_is_no_rule_across_the_page() -> None:
    assert Page("---\na: b\n---\ntext\n").front == 3
    assert Page("---\n\ntext\n\n---\n").front == 0
    assert Page("+++\na = 1\n+++\n").front == 3


@pytest.mark.parametrize("piece", ["# a\n", "TODO ", "<a", "[your ", "{{", "a\n===\n", "- "])
def test_a_large_document_of_anything_takes_no_time_to_speak_of(page: Path, piece: str) -> None:
    page.write_text(piece * ((1 << 17) // len(piece)))
    began = time.process_time()

    find_document_gaps(str(page))

    assert time.process_time() - began < 5
