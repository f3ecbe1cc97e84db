"""Write the generated files of src/tenterhook: tools/describe/schemas/*.json, author/forms/*.json, author/callers.json
and author/kinds.py. They are made from the dialects' data and the outcome's type.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from page_parts import own_names
from tenterhook import dialects
from tenterhook.author import callers, forms, kinds
from tenterhook.dialects.schema.dialect import Dialect
from tenterhook.engine import make_forms
from tenterhook.tools.describe.schema import FOLDER, SCHEMAS

MARK = {"generated": "by scripts/schemas.py from the dialects' data: do not edit"}


def files() -> dict[Path, str]:
    wanted = {Path(FOLDER, f"{name}.json"): text(make()) for name, make in SCHEMAS.items()}
    known = {name: dialects.get(name) for name in own_names()}
    older = {f"{name}@{version}": one for name in known for version, one in dialects_before(name)}
    for name, one in (known | older).items():
        wanted[Path(forms.FOLDER, f"{name}.json")] = lines(MARK | make_forms.made_of(one), ("events",))
    agents = {name: make_forms.caller_of(one) for name, one in known.items()}
    wanted[Path(callers.FILE)] = lines(MARK | {"agents": agents}, ("agents", *agents, "events"))
    wanted[Path(kinds.__file__)] = kinds_of(known.values())
    return wanted


def dialects_before(name: str) -> list[tuple[str, Dialect]]:
    """The older versions of a dialect."""
    return [(version, dialects.get(f"{name}@{version}")) for version in dialects.versions(name)[1:]]


def kinds_of(known: Iterable[Dialect]) -> str:
    """A module, since it is loaded in every hook's process."""
    found = sorted({rule.kind for one in known for rule in one.events})
    listed = "".join(f'        "{kind}",\n' for kind in found)
    named = {rule.name: rule.kind for one in known for rule in one.events if rule.name != rule.kind}
    rows = "".join(f'    "{name}": "{kind}",\n' for name, kind in sorted(named.items()))
    head = '"""Every kind of event that a dialect has, and the names of events. Written by scripts/schemas.py."""\n'
    kinds = f"KINDS = frozenset(\n    (\n{listed}    )\n)\n"
    return f"{head}\n{kinds}# The kind of each event, by the name that an agent has for it.\nEVENTS = {{\n{rows}}}\n"


def lines(value: dict[str, Any], wide: Sequence[str], indent: str = "") -> str:
    """An object with one line for each entry; entries that are in `wide` are such objects themselves."""
    inner = f"{indent} "
    rows = (
        f"{inner}{json.dumps(key)}: {lines(one, wide, inner) if key in wide else json.dumps(one, ensure_ascii=False)}"
        for key, one in value.items()
    )
    body = ",\n".join(rows)
    return f"{{\n{body}\n{indent}}}" if indent else f"{{\n{body}\n}}\n"


def text(schema: dict[str, object]) -> str:
    return msgspec.json.format(msgspec.json.encode(schema), indent=2).decode() + "\n"
