"""Write all generated files: pages in docs/, and the words, schemas and forms in src/tenterhook.

python scripts/generate.py            write what has changed, and remove pages that are not made any more
python scripts/generate.py --check    exit 1 and name the files that are stale
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import adapters_table
import api_page
import dialect_pages
import events_page
import library_page
import man_page
import matrix_page
import plugins
import rule_pages
import schemas
import words

# What a file must hold; None if it must not exist.
Maker = Callable[[], Mapping[Path, str | None]]
# The package itself reads these files.
SOURCES: tuple[Maker, ...] = (words.files, schemas.files)
PAGES: tuple[Maker, ...] = (
    dialect_pages.files,
    matrix_page.files,
    library_page.files,
    api_page.files,
    events_page.files,
    rule_pages.files,
    man_page.files,
    plugins.files,
    adapters_table.files,
)


def main(argv: Sequence[str]) -> int:
    if list(argv) not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    check = bool(argv)
    stale = update(SOURCES, check=check)
    if stale and not check:
        # This process has read the old ones already.
        os.execv(sys.executable, [sys.executable, __file__])
    stale += update(PAGES, check=check)
    return 1 if check and stale else 0


def update(makers: Sequence[Maker], *, check: bool) -> list[Path]:
    """Write the files that are stale, or with `check` name them. Returns their paths."""
    found = []
    for make in makers:
        for path, wanted in make().items():
            if wanted == (path.read_text("utf-8") if path.exists() else None):
                continue
            found.append(path)
            if check:
                print(f"{os.path.relpath(path)}: stale; run python scripts/generate.py")
            elif wanted is None:
                path.unlink()
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(wanted, "utf-8")
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
