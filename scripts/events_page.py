"""Fill the blocks of docs/write/events.md: what a hook gets at each event, and what it can answer.

A payload is one that a real agent sent (dialects/recorded/). An answer is what a hook really prints for each agent.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from page_parts import markdown_table, own_names
from tenterhook import dialects, hook
from tenterhook.dialects import recorded
from tenterhook.testing import fire
from tenterhook.tools.matrix import Cell, matrix

PAGE = Path(__file__).parent.parent / "docs" / "write" / "events.md"
MARKED = re.compile(r"(<!-- event: (\S+) -->\n).*?(<!-- end -->)", re.DOTALL)
ANSWERS = {
    "deny": 'hook.deny("No.")',
    "ask": 'hook.ask("Sure?")',
    "allow": "hook.allow()",
    "rewrite": "hook.rewrite(...)",
    "context": 'hook.context("Note.")',
    "notify": 'hook.notify("Look.")',
    "stop": 'hook.stop("End.")',
}
LEADS: dict[str, Callable[[], Any]] = {
    "deny": lambda: hook.deny("No."),
    "context": lambda: hook.context("Note."),
    "notify": lambda: hook.notify("Look."),
}
OTHERS = "others"


def files() -> dict[Path, str]:
    return {PAGE: page(PAGE.read_text("utf-8"))}


def page(text: str) -> str:
    kinds = [found[2] for found in MARKED.finditer(text) if found[2] != OTHERS]

    def fill(found: re.Match[str]) -> str:
        block = other_kinds(kinds) if found[2] == OTHERS else event(found[2])
        return f"{found[1]}\n{block}\n\n{found[3]}"

    return MARKED.sub(fill, text)


def event(kind: str) -> str:
    cells = [cell for cell in all_cells() if cell.kind == kind]
    lead = next(effect for effect in LEADS if any(one.effect == effect and one.support == "enforced" for one in cells))
    parts = [*payload(kind), answers(cells), printed(kind, lead)]
    return "\n\n".join(parts)


def payload(kind: str) -> list[str]:
    """What one real agent sent, and the names and fields that the others have."""
    rows, block, unrecorded = [], "", dict[str, list[str]]()
    for name in own_names():
        for called in [rule.name for rule in dialects.get(name).events if rule.kind == kind]:
            sent = next(iter(recorded_payloads(name).get(called, [])), None)
            if sent is None:
                unrecorded.setdefault(f"[{title(name)}](../agents/dialects/{name}.md)", []).append(f"`{called}`")
                continue
            fields = [field for field in sent if field not in base(name)]
            block = block or as_json(sent, fields)
            rows.append((title(name), f"`{called}`", ", ".join(f"`{field}`" for field in fields) or "none"))
    parts = [block, markdown_table(("Agent", "Its name for it", "Fields of this event"), rows)] if rows else []
    also = ", ".join(f"{agent} {' '.join(names)}" for agent, names in unrecorded.items())
    return [*parts, f"{'Also' if rows else 'In'}: {also}."] if also else parts


def as_json(sent: dict[str, Any], fields: Sequence[str]) -> str:
    """A field a line, so that a payload stays short."""
    shown = [field for field in ["hook_event_name", *fields] if field in sent]
    lines = [f'  "{field}": {json.dumps(sent[field])}' for field in shown]
    return "```json\n{\n" + ",\n".join(lines) + "\n}\n```"


def answers(cells: Sequence[Cell]) -> str:
    rows = []
    for effect, call in ANSWERS.items():
        by = {
            support: titles({cell.agent for cell in cells if (cell.effect, cell.support) == (effect, support)})
            for support in ("enforced", "advisory")
        }
        if any(by.values()):
            rows.append((f"`{call}`", by["enforced"] or "–", by["advisory"] or "–"))
    return markdown_table(("You return", "Enforced by", "Only heard by"), rows)


def printed(kind: str, effect: str) -> str:
    """What a hook's process prints for each agent, those of one form together."""
    forms: dict[str, list[str]] = {}
    for name in own_names():
        if any(rule.kind == kind for rule in dialects.get(name).events):
            forms.setdefault(printed_by(kind, name, effect), []).append(title(name))
    rows = [(", ".join(names), form) for form, names in forms.items()]
    return markdown_table(("Agent", f"What `{ANSWERS[effect]}` prints"), rows)


def printed_by(kind: str, agent: str, effect: str) -> str:
    @hook(kind)
    def probe(event: Any) -> Any:
        return LEADS[effect]()

    call: dict[str, Any] = {"tool": "shell", "command": "ls"} if kind == "tool.before" else {}
    fired = fire(probe, kind, agent=agent, **call)
    if fired.exit_code:
        return f"exit code {fired.exit_code}, `{fired.stderr.strip()}` on stderr"
    return f"`{fired.stdout.strip()}`" if fired.stdout.strip() else "nothing; the text is on stderr"


def other_kinds(shown: Sequence[str]) -> str:
    rows: dict[str, list[str]] = {}
    for name in own_names():
        for rule in dialects.get(name).events:
            if rule.kind not in shown:
                rows.setdefault(rule.kind, []).append(f"{title(name)} `{rule.name}`")
    return markdown_table(("Kind", "Where"), [(f"`{kind}`", ", ".join(rows[kind])) for kind in sorted(rows)])


@cache
def all_cells() -> list[Cell]:
    return matrix(dialects.get(name) for name in own_names())


def recorded_payloads(agent: str) -> dict[str, Any]:
    return recorded.payloads(agent) if agent in recorded.agents() else {}


@cache
def base(agent: str) -> frozenset[str]:
    """The fields that most events of the agent have."""
    sent = [one for several in recorded_payloads(agent).values() for one in several]
    count = Counter(field for one in sent for field in one)
    return frozenset({"hook_event_name", *(field for field, times in count.items() if times > len(sent) / 2)})


@cache
def title(name: str) -> str:
    return dialects.get(name).title.removesuffix(dialects.get(name).version).strip()


def titles(names: set[str]) -> str:
    return ", ".join(title(name) for name in own_names() if name in names)
