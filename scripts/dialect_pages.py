"""Write docs/agents/dialects/: a page for each dialect and an index, from the dialects' own data."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from page_parts import escape, markdown_table, own_names, quote_first
from tenterhook import dialects
from tenterhook.config.locations import FORMATS
from tenterhook.dialects.schema.dialect import Dialect
from tenterhook.tools.describe.tables import DialectTable, overview, tables

PAGES = Path(__file__).parent.parent / "docs" / "agents" / "dialects"
EXAMPLES = PAGES / "examples"
ORIGIN = "<!-- Written by scripts/dialect_pages.py from the dialect's data: do not edit. -->"
FENCES = {".json": "jsonc", ".toml": "toml", ".yaml": "yaml"}
TRY = """Try it in a project: put the config into `{path}` and [guard.py](examples/guard.py) into `hooks/guard.py`, then

```sh
echo '{{"tool_name": "{tool}", "tool_input": {{"command": "git push --force"}}}}' \\
  | tenter fire tool.before --dialect {name} --trust
tenter check --dialect {name}
```
"""


def files() -> dict[Path, str | None]:
    found = [dialects.get(name) for name in own_names()]
    before: dict[Path, str | None] = dict.fromkeys(PAGES.glob("*.md"))
    return before | {PAGES / "README.md": index(found), **{PAGES / f"{one.name}.md": page(one) for one in found}}


def index(found: Sequence[Dialect]) -> str:
    all_of_them = overview(found, {one.name: dialects.versions(one.name) for one in found})
    rows = [(f"[{name}]({name}.md)", *map(escape, rest)) for name, *rest in all_of_them.rows]
    intro = (
        "A dialect is one agent's rules for hooks: its event names, config files, payloads, exit codes and answers.\n"
        "You run hooks by the rules of any of them. These pages are made from the dialects' data:\n\n"
        "```sh\ntenter dialects            # this table\ntenter dialects claude     # one page\n```"
    )
    return "\n\n".join([ORIGIN, "# Dialects", intro, markdown_table(all_of_them.header, rows)]) + "\n"


def page(dialect: Dialect) -> str:
    parts = [ORIGIN, f"# {dialect.title}", f"`--dialect {dialect.name}`: {dialect.about}.", example(dialect)]
    for one in tables(dialect):
        parts += [f"## {one.title}", one.about, body(one)]
    return "\n\n".join(parts) + "\n"


def body(one: DialectTable) -> str:
    if one.header:
        return markdown_table(one.header, quote_first(one.rows))
    return "\n".join(f"- {escape(row[0])}" for row in one.rows)


def example(dialect: Dialect) -> str:
    file = example_file(dialect.name)
    path = target(dialect, file)
    text = file.read_text("utf-8").rstrip()
    how = TRY.format(path=path, name=dialect.name, tool=shell(dialect))
    return f"## Example\n\n`{path}`:\n\n```{FENCES[file.suffix]}\n{text}\n```\n\n{how}".rstrip()


def shell(dialect: Dialect) -> str:
    """What the dialect's own agent calls the tool that the examples guard."""
    return dialect.tools.names["Bash"].name if "Bash" in dialect.tools.names else "Bash"


def example_file(name: str) -> Path:
    return next(path for path in sorted(EXAMPLES.glob(f"{name}.*")) if path.suffix in FENCES)


def target(dialect: Dialect, example: Path) -> str:
    """Where a project keeps such a file: the first place of that format."""
    formats = FORMATS[example.suffix]
    return next(file.path for file in dialect.config.files if file.scope == "project" and file.format in formats)
