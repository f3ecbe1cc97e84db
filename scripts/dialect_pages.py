"""Write docs/agents/dialects/: a page for each dialect and an index, from the dialects' own data.

python scripts/dialect_pages.py            write what has changed
python scripts/dialect_pages.py --check    exit 1 and name the pages that are stale
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

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


def main(argv: Sequence[str]) -> int:
    return kept(argv, __doc__, "dialect_pages.py", pages, PAGES)


def kept(
    argv: Sequence[str], about: str | None, script: str, make: Callable[[], dict[Path, str]], folder: Path | None = None
) -> int:
    """Write the pages that are stale, or only name them; those in the folder that are not made go."""
    if list(argv) not in ([], ["--check"]):
        print(about, file=sys.stderr)
        return 2
    wanted = make()
    stale = [path for path, text in wanted.items() if not path.exists() or path.read_text("utf-8") != text]
    gone = [path for path in folder.glob("*.md") if path not in wanted] if folder else []
    if argv:
        for path in [*stale, *gone]:
            print(f"{os.path.relpath(path)}: stale; run python scripts/{script}")
        return 1 if stale or gone else 0
    for path in stale:
        path.write_text(wanted[path], "utf-8")
    for path in gone:
        path.unlink()
    return 0


def pages() -> dict[Path, str]:
    found = [dialects.get(name) for name in own_names()]
    return {PAGES / "README.md": index(found), **{PAGES / f"{one.name}.md": page(one) for one in found}}


def own_names() -> list[str]:
    """Only ours: what other packages bring is theirs to describe."""
    outside = {entry.name for entry in dialects.entry_points()}
    return [name for name in dialects.names() if name not in outside]


def index(found: Sequence[Dialect]) -> str:
    all_of_them = overview(found, {one.name: dialects.versions(one.name) for one in found})
    rows = [(f"[{name}]({name}.md)", *rest) for name, *rest in all_of_them.rows]
    intro = (
        "A dialect is one agent's rules for hooks: its event names, config files, payloads, exit codes and answers.\n"
        "You run hooks by the rules of any of them. These pages are made from the dialects' data:\n\n"
        "```sh\ntenter dialects            # this table\ntenter dialects claude     # one page\n```"
    )
    return "\n\n".join([ORIGIN, "# Dialects", intro, markdown(all_of_them.header, rows)]) + "\n"


def page(dialect: Dialect) -> str:
    parts = [ORIGIN, f"# {dialect.title}", f"`--dialect {dialect.name}`: {dialect.about}.", example(dialect)]
    for one in tables(dialect):
        parts += [f"## {one.title}", one.about, body(one)]
    return "\n\n".join(parts) + "\n"


def body(one: DialectTable) -> str:
    if one.header:
        return markdown(one.header, quoted(one.rows))
    return "\n".join(f"- {escaped(row[0])}" for row in one.rows)


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


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *([escaped(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def quoted(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """The first cell of each row as code: it is what one writes."""
    return [[f"`{first}`", *rest] for first, *rest in rows]


def escaped(cell: str) -> str:
    """What Markdown would take for its own: bars end a cell everywhere, stars and tags vanish outside code."""
    special = "|" if cell.startswith("`") else "\\|*<"
    return "".join(f"\\{char}" if char in special else char for char in cell)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
