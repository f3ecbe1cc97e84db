"""Write the words of dialects from the tables of the modules that own them: docs/reference/words.md, and the names
alone into dialects/schema/words.py, so that the check of a dialect imports nothing else.
"""

from __future__ import annotations

from pathlib import Path

from page_parts import markdown_table, quote_first
from tenterhook.dialects.schema import words
from tenterhook.tools.describe.words import WORDS, WordTable

PAGE = Path(__file__).parent.parent / "docs" / "reference" / "words.md"
INTRO = """<!-- Written by scripts/words.py from the tables in the code: do not edit. -->

# Words of a dialect

A dialect says what an agent does in these words. Each is a strategy in the code, under the same name; what is not here,
no dialect can say. `tenter dialects NAME` shows the words of one agent. Most people need the first three tables: the
kinds of events, the handlers and the matchers."""


def files() -> dict[Path, str]:
    return {PAGE: page(), Path(words.__file__): module()}


def page() -> str:
    parts = [INTRO]
    for one in WORDS:
        parts += [f"## {one.title}", one.says, markdown_table(("word", "meaning"), quote_first(one.rows()))]
    return "\n\n".join(parts) + "\n"


def module() -> str:
    head = '"""The names in the tables of strategies, by table. Written by scripts/words.py: do not edit."""\n\n'
    return head + "".join(names_of(one) for one in WORDS if one.name)


def names_of(one: WordTable) -> str:
    listed = "".join(f'        "{name}",\n' for name in sorted(one.names()))
    return f"{one.name} = frozenset(\n    (\n{listed}    )\n)\n"
