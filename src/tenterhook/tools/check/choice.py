"""Which findings count: the rules that a caller selects or ignores, the project's table `check`, and comments in files.

The table is in tenterhook.toml, or in pyproject.toml below `tool.tenterhook`:

    [check]
    ignore = ["TH302", "unquoted-variable"]
    [check.files]
    ".claude/settings.*" = ["TH2"]
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from msgspec import Struct

from tenterhook.config.load import dig
from tenterhook.errors import ConfigError, UsageError, nearest
from tenterhook.support import readers
from tenterhook.support.readers import Document
from tenterhook.tools.check import CheckFinding
from tenterhook.tools.check.rules import find_rules

TABLE = "check"
PLACES = (("tenterhook.toml", TABLE), ("pyproject.toml", f"tool.tenterhook.{TABLE}"))
# A comment on the line of a finding; without rules it is about all of them.
COMMENT = re.compile(r"(?:#|//)[^\n]*\btenter:\s*ignore(?:\[([^\]\n]*)\])?")
WITH_COMMENTS = ("toml", "yaml", "jsonc", "frontmatter")


class Choice(Struct, frozen=True):
    """The rules that count, by name (none: all), those that do not, and those that do not in some files."""

    selected: frozenset[str] = frozenset()
    ignored: frozenset[str] = frozenset()
    in_files: Mapping[str, frozenset[str]] = {}

    def counts(self, finding: CheckFinding, project: str, formats: Mapping[str, str]) -> bool:
        if finding.rule in self.ignored or (self.selected and finding.rule not in self.selected):
            return False
        path = os.path.relpath(finding.file, project)
        if any(finding.rule in names and fnmatchcase(path, glob) for glob, names in self.in_files.items()):
            return False
        return not is_commented(finding, formats.get(finding.file, ""))


def choose(project: str, select: str, ignore: str) -> Choice:
    """What the options and the project's table say together."""
    in_table, in_files = read_table(project)
    ignored = in_table | find_rules(split_words(ignore), "--ignore")
    return Choice(frozenset(find_rules(split_words(select), "--select")), frozenset(ignored), in_files)


def split_words(text: str) -> list[str]:
    return [one.strip() for one in text.split(",")] if text else []


def read_table(project: str) -> tuple[set[str], dict[str, frozenset[str]]]:
    """From the first file that has one. A file that cannot be read is reported by the check itself."""
    for name, place in PLACES:
        document = readers.read_if_valid(os.path.join(project, name), "toml")
        found = dig(document.data, place)[0] if document else None
        if document is None or found is None:
            continue
        path = tuple(place.split("."))
        if not isinstance(found, dict):
            raise refuse(document, path, f"{place} must be a table")
        for key in found:
            if key not in ("ignore", "files"):
                raise refuse(document, (*path, key), f"unknown key {key!r}{nearest(key, ('ignore', 'files'))}")
        files = found.get("files", {})
        if not isinstance(files, dict):
            raise refuse(document, (*path, "files"), "files must be a table: the path of each file with its rules")
        ignored = rules_in(document, (*path, "ignore"), found.get("ignore", []))
        return ignored, {
            one: frozenset(rules_in(document, (*path, "files", one), names)) for one, names in files.items()
        }
    return set(), {}


def rules_in(document: Document, path: tuple[str, ...], value: Any) -> set[str]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise refuse(document, path, f'{path[-1]} must be a list of rules, such as ["TH302"]')
    try:
        return find_rules(value, path[-1])
    except UsageError as exc:
        raise refuse(document, path, str(exc)) from None


def refuse(document: Document, path: Sequence[str], text: str) -> ConfigError:
    line, column = document.where(tuple(path))
    return ConfigError(text, file=document.file, line=line, column=column)


def is_commented(finding: CheckFinding, format: str) -> bool:
    """Whether a comment on the finding's line, or alone on the line before it, says that it is to be ignored."""
    if format not in WITH_COMMENTS or not finding.line:
        return False
    try:
        with open(finding.file, encoding="utf-8", errors="replace") as file:
            lines = file.read().split("\n")
    except OSError:
        return False
    near = [lines[finding.line - 1]] if finding.line <= len(lines) else []
    before = lines[finding.line - 2].strip() if finding.line > 1 else ""
    near += [before] if before.startswith(("#", "//")) else []
    for line in near:
        found = COMMENT.search(line)
        if found and (
            found[1] is None or finding.rule in find_rules(split_words(found[1]), f"{finding.file}: tenter: ignore")
        ):
            return True
    return False
