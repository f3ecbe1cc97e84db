"""How it is known what an agent does with an answer: marks by agent, event and effect, from evidence.toml."""

from __future__ import annotations

import os
import tomllib
from functools import cache
from typing import Any

from tenterhook.dialects.schema.dialect import Dialect

FILE = os.path.join(os.path.dirname(__file__), "evidence.toml")
MEASURED, DERIVED = "measured", "derived"
MARKS = {
    "R": MEASURED,
    "T": "schema",
    "S": "source",
    "D": "documented",
    "3": "third party",
    "O": "our own",
    "": DERIVED,
}
MEANINGS = {
    MEASURED: "seen in a run of the real program",
    "schema": "type declarations or a JSON schema that come with the program",
    "source": "its code was read",
    "documented": "its own documentation says so",
    "third party": "another source says so",
    "our own": "the rules are ours, and tested",
    DERIVED: "from the dialect's data alone",
}


@cache
def marks() -> dict[str, Any]:
    with open(FILE, "rb") as file:
        return tomllib.load(file)


def known_by(dialect: Dialect, event: str, effect: str) -> str:
    """The word for the evidence; an older version of an agent was seldom tested so closely."""
    plain, _, older = dialect.name.partition("@")
    found = marks().get(plain, {})
    usual = found.get("usual", "")
    mark = {} if older else found.get("events", {}).get(event, {})
    return MARKS[mark if isinstance(mark, str) else mark.get(effect, usual)]
