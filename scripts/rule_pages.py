"""Write docs/reference/rules/: a page for each rule of `tenter check` and an index, from the rules' own table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from page_parts import escape, markdown_table
from tenterhook import dialects
from tenterhook.tools.check.rules import Rule, all_rules

PAGES = Path(__file__).parent.parent / "docs" / "reference" / "rules"
ORIGIN = "<!-- Written by scripts/rule_pages.py from src/tenterhook/tools/check/rules.toml: do not edit. -->"
FENCES = {".json": "json", ".toml": "toml", ".yaml": "yaml", ".sh": "sh", ".py": "python"}
FAMILIES = {
    "TH1": "The file and its entries",
    "TH2": "When a hook runs",
    "TH3": "What a hook runs",
    "TH4": "What a hook reads and answers",
    "TH5": "Several files, several versions",
}
INTRO = """`tenter check` says for each finding which rule is broken. You see the same text with
`tenter check --explain TH202`, and the list with `tenter check --rules`.

An error means that something does not work, a warning that it probably does not do what you want, a note that it
deserves a look. Rules that depend on this machine do not count with `--strict`.
"""


def files() -> dict[Path, str | None]:
    before: dict[Path, str | None] = dict.fromkeys(PAGES.rglob("*.md"))
    found = all_rules()
    return before | {PAGES / "README.md": index(found), **{PAGES / place(rule): page(rule) for rule in found}}


def index(found: Sequence[Rule]) -> str:
    parts = [f"{ORIGIN}\n\n# The rules of tenter check", INTRO.rstrip()]
    for family, title in FAMILIES.items():
        rows = [
            (f"[{rule.id}]({place(rule)})", f"`{rule.name}`", escape(rule.about), ", ".join(traits(rule)))
            for rule in found
            if rule.id.startswith(family)
        ]
        parts += [f"## {title}", markdown_table(("Rule", "Name", "What is wrong", ""), rows)]
    return "\n\n".join(parts) + "\n"


def place(rule: Rule) -> str:
    """A folder for each family: one with all of them would be too long a list."""
    return f"{rule.id[:3]}/{rule.id}.md"


def traits(rule: Rule) -> Iterator[str]:
    if rule.fixable:
        yield "`--fix`"
    if rule.here:
        yield "this machine"


def page(rule: Rule) -> str:
    parts = [f"{ORIGIN}\n\n# {rule.id}: {rule.about}", f"Its name is `{rule.name}`.", rule.why, rule.do]
    if rule.here:
        parts += ["It depends on the machine, so it does not count with `tenter check --strict`."]
    if rule.example:
        title = dialects.get(rule.example.agent).title
        parts += ["## Example", f"{title} reads this:", *map(block, rule.example.files.items())]
        if rule.example.right:
            changed = {path: text for path, text in rule.example.right.items() if rule.example.files.get(path) != text}
            parts += ["Without the mistake:", *map(block, changed.items())]
    parts += ["## If you want it so", ignoring(rule)]
    return "\n\n".join(parts) + "\n"


def block(file: tuple[str, str]) -> str:
    path, text = file
    if not text.strip():
        return f"`{path}` (empty)"
    fence = FENCES.get(Path(path).suffix, "text")
    return f"`{path}`:\n\n```{fence}\n{text.replace(chr(13), '')}```"


def ignoring(rule: Rule) -> str:
    return (
        f"`tenter check --ignore {rule.id}` leaves it out once. A table in your `tenterhook.toml` always does:\n\n"
        f'```toml\n[check]\nignore = ["{rule.id}"]\n```'
    )
