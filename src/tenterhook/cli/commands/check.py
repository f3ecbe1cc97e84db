"""`tenter check`: find what is wrong, or looks wrong, in a project's hook config."""

from __future__ import annotations

from tenterhook.cli.options import CONFIG, DIALECT, JSON, PROJECT, CommandUsage, Option
from tenterhook.cli.project import hint_at_others, print_json, redact_cli_output
from tenterhook.config.entries import Problem
from tenterhook.dialects import DEFAULT
from tenterhook.engine.hookset import HookSet
from tenterhook.engine.options import EngineOptions
from tenterhook.support.terminal.text import one_line, pluralise_count
from tenterhook.tools.check.run_checks import Report, check

USAGE = CommandUsage(
    "check",
    "Check a project's hook config: find what cannot be used, and what is valid but probably a mistake.\n"
    "Nothing is run; files of the project are read whether they are trusted or not.",
    (),
    (DIALECT, PROJECT, CONFIG, Option("strict", "treat warnings as errors, for CI"), JSON),
    "tenter check --project ~/work/shop --strict",
    "exit codes: 0 clean or warnings only, 2 errors (with --strict also warnings), 1 could not run",
)


def run(argv: list[str]) -> int:
    options = USAGE.parse(argv)
    if options is None:
        return 0
    project = options.get("project", ".")
    hooks = HookSet(
        EngineOptions(
            project,
            dialect=options.get("dialect", DEFAULT),
            config=options.get("config"),
            trust="all",
            on_config_error="warn",
        )
    )
    report = check(hooks)
    hint_at_others(hooks)
    if "json" in options:
        print_json(as_data(report))
    else:
        print(redact_cli_output(as_text(report)))
    return 2 if report.count("error") or ("strict" in options and report.problems) else 0


def as_text(report: Report) -> str:
    return "\n".join([*map(line, report.problems), one_line(summary(report))])


def line(problem: Problem) -> str:
    """`file:line:column: level: text`; a file that cannot be read has no lines."""
    where = ":".join(str(part) for part in (problem.file, problem.line, problem.column) if part)
    return one_line(f"{where}: {problem.level}: {problem.text}")


def summary(report: Report) -> str:
    found = f"{pluralise_count(report.count('error'), 'error')}, {pluralise_count(report.count('warning'), 'warning')}"
    if not report.files:
        return f"no config file found; looked for: {', '.join(report.looked)}" if not report.problems else found
    return f"{pluralise_count(report.hooks, 'hook')} in {pluralise_count(len(report.files), 'file')}: {found}"


def as_data(report: Report) -> dict[str, object]:
    return {
        "hooks": report.hooks,
        "files": report.files,
        "errors": report.count("error"),
        "warnings": report.count("warning"),
        "problems": report.problems,
    }
