"""The examples in the documentation are run, each page in a folder of its own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tenterhook.dialects.recorded import payloads

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"<!-- (file|run)([^\n]*?) -->\n+```(\w+)\n(.*?)```", re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)")
CODE = re.compile(r"^```.*?^```|`[^`\n]+`", re.DOTALL | re.MULTILINE)
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
WITH_EXAMPLES = [page for page in PAGES if BLOCK.search(page.read_text())]


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=name)
def test_the_examples_of_a_page_work(page: Path, tmp_path: Path) -> None:
    """Files are written, commands and programs are run, in the order of the page, with a home of its own."""
    folder, home = tmp_path / "project", tmp_path / "home"
    folder.mkdir()
    home.mkdir()
    state = {"HOME": str(home), "XDG_STATE_HOME": str(tmp_path / "state")}
    env = {**os.environ, **state, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    if page.stem == "serve":  # it starts a server of its own, and ends it
        del env["TENTERHOOK_SERVE"]
    ran = 0
    for kind, argument, language, text in BLOCK.findall(page.read_text()):
        if kind == "file":
            (folder / argument.strip()).write_text(text)
            continue
        expected = int(argument.partition("exit=")[2].partition(" ")[0] or 0)
        printed = argument.partition("prints=")[2].strip()
        argv = [sys.executable, "-c", text] if language == "python" else ["sh", "-ec", text]
        done = subprocess.run(argv, cwd=folder, env=env, capture_output=True, text=True, timeout=60)
        ran += 1

        assert expected == done.returncode, done.stdout + done.stderr
        assert printed in done.stdout
    assert ran


def anchors(page: Path) -> set[str]:
    """The names that GitHub gives to a page's headings."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in HEADING.findall(text)}


RECORDED = re.compile(r"<!-- recorded: (\S+) (\S+) -->\n```json\n(.*?)```", re.DOTALL)


def test_a_payload_that_is_shown_as_recorded_is_one_that_an_agent_sent() -> None:
    shown = [found for page in PAGES for found in RECORDED.findall(page.read_text())]

    assert shown
    assert all(json.loads(text) in payloads(agent)[event] for agent, event, text in shown)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    """To a file that is there, and to one of its headings."""
    for link, anchor in LINK.findall(CODE.sub("", page.read_text())):
        target = page.parent / link if link else page

        assert target.exists(), link
        assert not anchor or anchor in anchors(target), f"{link}#{anchor}"


@pytest.mark.parametrize("folder", [path for path in (ROOT / "docs").rglob("*") if path.is_dir()], ids=name)
def test_a_folder_of_pages_can_be_taken_in_at_a_glance(folder: Path) -> None:
    assert len(list(folder.iterdir())) <= 24
