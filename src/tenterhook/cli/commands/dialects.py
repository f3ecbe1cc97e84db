"""`tenter dialects`: list the dialects, or show everything about one."""

from __future__ import annotations

import sys
from shutil import get_terminal_size

from tenterhook import dialects
from tenterhook.cli.options import JSON, CommandUsage, Option
from tenterhook.cli.project import print_json
from tenterhook.dialects.schema.dialect import Dialect
from tenterhook.support.terminal.table import render_table_to_width, table
from tenterhook.tools.describe.tables import DialectTable, overview, tables

USAGE = CommandUsage(
    "dialects",
    "The dialects that tenterhook speaks; with a NAME everything about one: its events, payloads, exit codes,\n"
    "answers, config files and rules. NAME is the newest version of an agent, NAME@VERSION another one.",
    ("[NAME]",),
    (Option("matrix", "what a hook can do in each agent, event by event, and how that is known"), JSON),
    "tenter dialects tenterhook",
    "exit codes: 0, or 1 if the dialect does not exist",
)


def run(argv: list[str]) -> int:
    options = USAGE.parse(argv)
    if options is None:
        return 0
    if "matrix" in options:
        return show_matrix([options["NAME"]] if "NAME" in options else dialects.names(), "json" in options)
    if "NAME" in options:
        one = dialects.get(options["NAME"])
        if "json" in options:
            print_json(one)
        else:
            print(page(one))
        return 0
    found = [dialects.get(name) for name in dialects.names()]
    if "json" in options:
        print_json([summary(one) for one in found])
    else:
        print(as_text(overview(found, {one.name: dialects.versions(one.name) for one in found})))
    return 0


def show_matrix(names: list[str], as_json: bool) -> int:
    from tenterhook.tools.matrix import matrix
    from tenterhook.tools.matrix.page import describe_unhooked, legend, table_of

    found = [dialects.get(name) for name in names]
    if as_json:
        print_json(matrix(found))
        return 0
    parts = [table(legend())]
    for one in found:
        made = table_of(one)
        parts.append(
            "\n".join((made.title, as_text(made, indent="  "), *(f"  {text}" for text in describe_unhooked(one))))
        )
    print("\n\n".join(parts))
    return 0


def summary(dialect: Dialect) -> dict[str, object]:
    return {
        "name": dialect.name,
        "versions": dialects.versions(dialect.name),
        "title": dialect.title,
        "about": dialect.about,
        "events": [rule.name for rule in dialect.events],
        "files": [file.path for file in dialect.config.files],
    }


def page(dialect: Dialect) -> str:
    parts = [f"{dialect.title} ({dialect.name}): {dialect.about}"]
    parts += [f"{one.title}: {one.about}\n{as_text(one, indent='  ')}" for one in tables(dialect)]
    return "\n\n".join(parts)


def as_text(one: DialectTable, *, indent: str = "") -> str:
    """Render a table at its natural width; on a terminal, fit it to the screen."""
    header = [tuple(word.upper() for word in one.header)] if one.header else []
    rows = [*header, *one.rows]
    if sys.stdout.isatty():
        return render_table_to_width(rows, get_terminal_size().columns, indent=indent)
    return table(rows, indent=indent)
