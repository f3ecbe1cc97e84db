"""Write docs/agents/matrix.md: what a hook can do in each agent, computed from the dialects and the forms of answers.

python scripts/matrix_page.py            write it, if it has changed
python scripts/matrix_page.py --check    exit 1 if it is stale
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from dialect_pages import escaped, kept, markdown, own_names, quoted
from tenterhook import dialects
from tenterhook.tools.matrix import EFFECTS
from tenterhook.tools.matrix.page import legend, table_of

PAGE = Path(__file__).parent.parent / "docs" / "agents" / "matrix.md"
INTRO = """<!-- Written by scripts/matrix_page.py: do not edit. -->

# What a hook can do, agent by agent

You return `hook.deny("...")`: does your agent obey? Each cell says so. It was computed: the answer that your hook would
print was read by the dialect's own engine. Where something cannot be done, your hook does the nearest safe thing, and
says so on stderr.

```sh
tenter dialects --matrix            # this page
tenter dialects --matrix claude     # one agent
tenter dialects --matrix --json     # cell by cell
```
"""
FILTER = '<div id="matrix-filter"></div>'  # where docs/assets/matrix.js puts its form, on the site


def main(argv: Sequence[str]) -> int:
    return kept(argv, __doc__, "matrix_page.py", lambda: {PAGE: page()})


def page() -> str:
    effects = markdown(("effect", "what it is"), quoted([(name, what) for name, what in EFFECTS.items()]))
    signs = markdown(("in a cell", "what it means"), [(f"`{sign}`", what) for sign, what in legend()])
    parts = [
        INTRO.rstrip(),
        "<details markdown>\n<summary>How to read it</summary>",
        effects,
        signs,
        "</details>",
        FILTER,
    ]
    for name in own_names():
        table = table_of(dialects.get(name))
        parts += [f"## {table.title}", f"{escaped(table.about)}.", markdown(table.header, quoted(table.rows))]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
