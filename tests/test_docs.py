"""The examples in the documentation are run, each page in a folder of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"<!-- (file|run)([^\n]*?) -->\n+```(\w+)\n(.*?)```", re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)[^)]*\)")
WITH_EXAMPLES = [page for page in PAGES if BLOCK.search(page.read_text())]


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=name)
def test_the_examples_of_a_page_work(page: Path, tmp_path: Path) -> None:
    """Files are written, commands and programs are run, in the order of the page."""
    env = {**os.environ, "HOME": str(tmp_path), "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    ran = 0
    for kind, argument, language, text in BLOCK.findall(page.read_text()):
        if kind == "file":
            (tmp_path / argument.strip()).write_text(text)
            continue
        expected = int(argument.partition("exit=")[2].partition(" ")[0] or 0)
        printed = argument.partition("prints=")[2].strip()
        argv = [sys.executable, "-c", text] if language == "python" else ["sh", "-ec", text]
        done = subprocess.run(argv, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=60)
        ran += 1

        assert expected == done.returncode, done.stdout + done.stderr
        assert printed in done.stdout
    assert ran


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    broken = [link for link in LINK.findall(page.read_text()) if not (page.parent / link).exists()]

    assert not broken
