"""Write docs/agents/matrix.md: what a hook can do in each agent, from the dialects and the forms of answers."""

from __future__ import annotations

from pathlib import Path

from page_parts import escape, markdown_table, own_names, quote_first
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


def files() -> dict[Path, str]:
    return {PAGE: page()}


def page() -> str:
    effects = markdown_table(("effect", "what it is"), quote_first([(name, what) for name, what in EFFECTS.items()]))
    signs = markdown_table(("in a cell", "what it means"), [(f"`{sign}`", what) for sign, what in legend()])
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
        parts += [f"## {table.title}", f"{escape(table.about)}.", markdown_table(table.header, quote_first(table.rows))]
    return "\n\n".join(parts) + "\n"
