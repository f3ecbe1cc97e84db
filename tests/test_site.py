"""The documentation builds as a web site, without a warning, and the site needs nothing from the web."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
LOADED = re.compile(r"<(?:script|link|img|iframe|source)\b[^>]*\b(?:src|href)=\"?(https?:)?//[^>]*>")

pytest.importorskip("zensical", reason="the dependency group `site` is not installed")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("build")
    built = subprocess.run(
        [sys.executable, ROOT / "scripts" / "site.py", folder], capture_output=True, text=True, timeout=120
    )

    assert built.returncode == 0, built.stdout + built.stderr
    return folder / "site"


def test_every_page_is_in_the_site_and_in_its_navigation(site: Path) -> None:
    pages = {page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")}
    nav = tomllib.loads((ROOT / "zensical.toml").read_text())["project"]["nav"]

    assert set(leaves(nav)) == pages | {"inside/contributing.md", "inside/changes.md"}
    assert all((site / place(page)).is_file() for page in leaves(nav))


def test_no_page_loads_anything_from_the_web(site: Path) -> None:
    pages = list(site.rglob("*.html"))

    assert pages
    assert [found[0] for page in pages for found in [LOADED.search(page.read_text())] if found] == []


def test_the_site_can_be_searched_and_the_matrix_filtered(site: Path) -> None:
    matrix = (site / "agents" / "matrix.html").read_text()

    assert "PreToolUse" in (site / "search.json").read_text()
    assert 'id="matrix-filter"' in matrix
    assert 'src="../assets/matrix.js"' in matrix


def leaves(nav: Any) -> list[str]:
    if isinstance(nav, str):
        return [nav]
    return [leaf for one in (nav.values() if isinstance(nav, dict) else nav) for leaf in leaves(one)]


def place(page: str) -> str:
    return re.sub(r"README\.md$", "index.md", page).removesuffix(".md") + ".html"
