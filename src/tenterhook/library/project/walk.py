"""The files that people write, without what tools generate or cache; the search is bounded."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

SKIPPED = frozenset("node_modules venv target dist build __pycache__ site-packages vendor coverage".split())
# A project can hold more files than a hook has time for.
MOST_FILES = 20_000


def walk(root: str, shown: frozenset[str] = frozenset()) -> Iterator[str]:
    """Absolute paths, in order. Folders whose names begin with a dot are skipped, unless they are in `shown`."""
    left = MOST_FILES
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(one for one in folders if one in shown or (one[0] != "." and one not in SKIPPED))
        yield from (os.path.join(folder, name) for name in sorted(names))
        left -= len(names)
        if left < 0:
            return
