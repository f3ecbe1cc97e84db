"""Build the documentation as a web site that works offline: build/site/index.html.

python scripts/site.py [FOLDER]    put the pages together in FOLDER/pages, build FOLDER/site; in build/ unless told

The pages are those of docs/, with CONTRIBUTING.md and CHANGELOG.md beside them. A link that leads out of docs/ becomes
plain text: a site has no source files. Every warning of the builder is an error.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tenterhook import dialects
from tenterhook.tools.describe.agent_schema import schema_text
from tenterhook.tools.describe.schema import SCHEMAS

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
OUTSIDE = {ROOT / "CONTRIBUTING.md": "inside/contributing.md", ROOT / "CHANGELOG.md": "inside/changes.md"}
LINK = re.compile(r"\[([^\]]+)\]\((?!https?:|#)([^)#\s]+)(#[^)\s]*)?\)")
ROW = re.compile(r"^\|.*$", re.MULTILINE)


def main(argv: Sequence[str]) -> int:
    folder = Path(argv[0] if argv else ROOT / "build").resolve()
    shutil.rmtree(folder / "site", ignore_errors=True)
    gather(folder / "pages")
    write_schemas(folder / "pages" / "schemas")
    config = folder / "zensical.toml"
    shutil.copy(ROOT / "zensical.toml", config)
    builder = [sys.executable, "-m", "zensical", "build", "--clean", "--strict", "--config-file", str(config)]
    return subprocess.run(builder, cwd=folder, check=False).returncode


def gather(pages: Path) -> None:
    """All pages of the site in one folder."""
    shutil.rmtree(pages, ignore_errors=True)
    shutil.copytree(DOCS, pages)
    for page in DOCS.rglob("*.md"):
        place = pages / page.relative_to(DOCS)
        place.write_text(relinked(page, place, pages), "utf-8")
    for page, where in OUTSIDE.items():
        (pages / where).write_text(relinked(page, pages / where, pages), "utf-8")


def write_schemas(place: Path) -> None:
    """The JSON Schemas, where their ids say that they are."""
    known = [f"{name}@{version}" for name in dialects.names() for version in dialects.versions(name)[1:]]
    place.mkdir()
    for name in (*SCHEMAS, *dialects.names(), *known):
        (place / f"{name}.json").write_text(schema_text(name), "utf-8")


def relinked(page: Path, place: Path, pages: Path) -> str:
    """The page's text, with links that are right where it lies in the site."""

    def link(found: re.Match[str]) -> str:
        text, to, anchor = found[1], (page.parent / found[2]).resolve(), found[3] or ""
        if to.is_relative_to(DOCS):
            target = pages / to.relative_to(DOCS)
        elif to in OUTSIDE:
            target = pages / OUTSIDE[to]
        else:
            return text
        return f"[{text}]({os.path.relpath(target, place.parent)}{anchor})"

    text = page.read_text("utf-8").replace("```jsonc\n", "```json\n")  # the builder colours comments in it as well
    return ROW.sub(unescaped, LINK.sub(link, text))


def unescaped(row: re.Match[str]) -> str:
    """A row of a table. GitHub wants a bar in code escaped; the builder would show the backslash."""
    return re.sub(r"`[^`]+`", lambda code: code[0].replace("\\|", "|"), row[0])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
