"""The tables of docs/agents/clients.md, from what a run of scripts/real_clients.py wrote down."""

from __future__ import annotations

import platform
import re
import sys
from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from msgspec import Struct

from page_parts import markdown_table
from real_agents.probes import COLUMNS, TABLES
from real_agents.programs import pins

PAGE = Path(__file__).parent.parent / "docs" / "agents" / "clients.md"
MARKED = re.compile(r"(<!-- clients: (\S+) -->\n).*?(<!-- end -->)", re.DOTALL)
HEADS = dict(
    zip(COLUMNS, ("Claude Code", "Codex", "Gemini CLI", "Qwen Code", "Copilot", "Copilot, Pascal"), strict=True)
)
# Kinds whose rows are what was seen, in place of answers of a table.
EFFECTS, CONFIG = "effects", "config"
NOT_SEEN = "–"


class Seen(Struct, frozen=True):
    """One line of the record: what became of one row in one client."""

    client: str
    kind: str
    name: str
    word: str


def write(record: Iterable[dict[str, Any]]) -> None:
    seen = [Seen(**line) for line in record]
    PAGE.write_text(put(PAGE.read_text("utf-8"), tables(seen)), "utf-8")


def tables(seen: Sequence[Seen]) -> dict[str, str]:
    """By their places in the page: the run, the effects, and each kind of event of which something was seen."""
    kinds = {one.kind for one in seen}
    named = {kind: sorted({one.name for one in seen if one.kind == kind}) for kind in (EFFECTS, CONFIG)}
    rows = {**named, **{kind: [one.name for one in table] for kind, table in TABLES.items()}}
    heads = dict.fromkeys(TABLES, "answer")
    found = {kind: table(heads.get(kind, "what"), kind, names, seen) for kind, names in rows.items() if kind in kinds}
    return {"run": about_the_run(), **found}


def about_the_run() -> str:
    system = platform.uname()
    clients = ", ".join(f"{one.name} {one.version}" for one in pins.EVERY)
    where = f"{system.system} {system.release.split('-')[0]}, {system.machine}, Python {sys.version.split()[0]}"
    return f"{date.today():%-d %B %Y}, {where}; {clients}."


def table(what: str, kind: str, names: Sequence[str], seen: Sequence[Seen]) -> str:
    words = {(one.client, one.name): one.word for one in seen if one.kind == kind}
    rows = [[name, *(words.get((client, name), NOT_SEEN) for client in HEADS)] for name in names]
    return markdown_table([what, *HEADS.values()], rows)


def put(page: str, made: dict[str, str]) -> str:
    """The page with these tables in the place of those that stand in it; the others stay."""

    def written(found: re.Match[str]) -> str:
        return f"{found[1]}{made[found[2]]}\n{found[3]}" if found[2] in made else found[0]

    return MARKED.sub(written, page)
