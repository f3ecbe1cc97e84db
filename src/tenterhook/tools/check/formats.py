"""A report for other programs: JSON, SARIF 2.1.0, and the commands that GitHub turns into annotations."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tenterhook.support.terminal.text import one_line
from tenterhook.tools.check import CheckFinding
from tenterhook.tools.check.rules import Rule, all_rules, rule_of
from tenterhook.tools.check.run_checks import Report
from tenterhook.version import __version__

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
ROOT = "%SRCROOT%"


def from_here(path: str) -> str:
    """Relative to this folder, if it is below it."""
    here = os.getcwd()
    return os.path.relpath(path, here) if path.startswith(here.rstrip(os.sep) + os.sep) else path


def as_data(report: Report) -> dict[str, Any]:
    return {
        "hooks": report.hooks,
        "files": [from_here(path) for path in report.files],
        "errors": report.count("error"),
        "warnings": report.count("warning"),
        "notes": report.count("note"),
        "agents": report.agents,
        "reports": [{"file": from_here(one.path), "agents": one.agents, "hooks": one.hooks} for one in report.reports],
        "problems": [
            {
                "rule": rule_of(one.rule).id,
                "name": one.rule,
                "level": one.level,
                "file": from_here(one.file),
                "line": one.line,
                "column": one.column,
                "text": one.text,
                "agents": one.agents,
                "fixable": one.fix is not None,
            }
            for one in report.problems
        ],
    }


def as_sarif(report: Report) -> dict[str, Any]:
    rules = all_rules()
    places = {rule.name: number for number, rule in enumerate(rules)}
    driver = {"name": "tenterhook", "semanticVersion": __version__, "rules": [sarif_rule(rule) for rule in rules]}
    run = {
        "tool": {"driver": driver},
        "originalUriBaseIds": {ROOT: {"uri": f"{Path.cwd().as_uri().rstrip('/')}/"}},
        "columnKind": "unicodeCodePoints",
        "results": [sarif_result(one, places) for one in report.problems],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def sarif_rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "name": "".join(word.capitalize() for word in rule.name.split("-")),
        "shortDescription": {"text": rule.about},
        "fullDescription": {"text": rule.why},
        "help": {"text": f"{rule.why} {rule.do}", "markdown": f"{rule.why}\n\n{rule.do}"},
        "defaultConfiguration": {"level": "warning"},
    }


def sarif_result(one: CheckFinding, places: dict[str, int]) -> dict[str, Any]:
    artifact = artifact_of(from_here(one.file))
    physical: dict[str, Any] = {"artifactLocation": artifact}
    if one.line:
        physical["region"] = {"startLine": one.line, "startColumn": max(one.column, 1)}
    return {
        "ruleId": rule_of(one.rule).id,
        "ruleIndex": places[one.rule],
        "level": one.level,
        "message": {"text": one.text},
        "locations": [{"physicalLocation": physical}],
        "properties": {"agents": list(one.agents)},
    }


def artifact_of(path: str) -> dict[str, str]:
    """A file below this folder by its relative path; names need not be text."""
    if os.path.isabs(path):
        return {"uri": Path(path).as_uri()}
    return {"uri": quote(os.fsencode(path.replace(os.sep, "/"))), "uriBaseId": ROOT}


def as_github(report: Report) -> Iterator[str]:
    """One workflow command for each finding; a line end in a text would begin another command."""
    for one in report.problems:
        kind = "notice" if one.level == "note" else one.level
        where = [f"file={in_property(from_here(one.file))}"]
        where += [f"line={one.line}", f"col={one.column}"] if one.line else []
        title = in_property(f"{rule_of(one.rule).id} {one.rule}")
        yield f"::{kind} {','.join([*where, f'title={title}'])}::{in_message(one_line(one.text))}"


def in_message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def in_property(text: str) -> str:
    return in_message(text).replace(":", "%3A").replace(",", "%2C")
