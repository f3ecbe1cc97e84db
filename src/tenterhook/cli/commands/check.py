"""`tenter check`: find what is wrong, or looks wrong, in hook config, of every agent that has some here."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from msgspec.structs import replace

from tenterhook.cli.found_agents import ONE_DIALECT, ONLY, find_named_agents, options_for
from tenterhook.cli.options import CONFIG, JSON, PROJECT, CommandUsage, Option
from tenterhook.cli.project import print_json, redact_cli_output
from tenterhook.dialects.schema.dialect import Dialect
from tenterhook.support.terminal.table import table
from tenterhook.support.terminal.text import Paint, colourful, near, one_line, painter, pluralise_count
from tenterhook.tools.agents import AgentHooks, plugin_files
from tenterhook.tools.check import CheckFinding
from tenterhook.tools.check.choice import choose
from tenterhook.tools.check.fixes import Mended, mend, write
from tenterhook.tools.check.rules import all_rules, find_rules, rule_of
from tenterhook.tools.check.run_checks import Report, check_agents

USAGE = CommandUsage(
    "check",
    "Check the hook config of every agent that has some here, the project's and yours: find what cannot be used, and\n"
    "what is valid but probably a mistake. Nothing is run; files are read whether they are trusted or not.",
    (),
    (
        ONLY,
        ONE_DIALECT,
        PROJECT,
        CONFIG,
        Option("strict", "let warnings count as errors, but for what only this machine lacks"),
        Option("if-any", "no hook config is fine"),
        Option("select", "only these rules: ids, beginnings of ids or names, with commas between", "RULES"),
        Option("ignore", "without these rules", "RULES"),
        Option("fix", "mend what has one right answer, in the project's files"),
        Option("dry-run", "with --fix: show what would change"),
        Option("format", "text, json, sarif or github (default: text)", "FORMAT", ("text", "json", "sarif", "github")),
        JSON,
        Option("rules", "list the rules"),
        Option("explain", "explain a rule", "RULE"),
    ),
    "tenter check --project ~/work/shop --strict",
    "exit codes: 0 clean, or warnings only; 2 errors (with --strict also warnings);\n"
    "1 no hook config found (0 with --if-any), or could not run: bad call, bad config",
)
# How often --fix looks again. A mended event lets its hooks be read, and those may be mended, too.
ROUNDS = 4
STYLES = {"error": "red", "warning": "yellow", "note": "cyan"}


def run(argv: list[str]) -> int:
    options = USAGE.parse(argv)
    if options is None:
        return 0
    if "rules" in options or "explain" in options:
        print("\n".join(described_rule(options["explain"]) if "explain" in options else rule_list()))
        return 0
    if "dry-run" in options and "fix" not in options:
        raise USAGE.error("--dry-run belongs to --fix")
    found = find_named_agents(options, USAGE)
    if not any(one.files for one in found) and "dialect" not in options and "config" not in options:
        return say_none_found(options)
    report = chosen_report(found, options)
    mended = None
    if "fix" in options:
        mended = mend_report(report, options)
        if "dry-run" not in options:
            report = mend_all(mended, report, options)
    report = without_refused_fixes(report, options)
    print_report(report, mended, options)
    counted = report.said_by_config() if "strict" in options else []
    return 2 if report.count("error") or counted else 0


def chosen_report(found: list[AgentHooks], options: dict[str, str]) -> Report:
    report = check_agents(found)
    project = found[0].hooks.project
    choice = choose(project, options.get("select", ""), options.get("ignore", ""))
    formats = {one.path: one.format for one in report.reports}
    return report.only(lambda finding: choice.counts(finding, project, formats))


def say_none_found(options: dict[str, str]) -> int:
    found = find_named_agents(options, USAGE, every=True)
    if "json" in options or options.get("format", "text") != "text":
        print_report(Report(0, (), (), ()), None, options)
    else:
        paths = dict.fromkeys(path for one in found for path in project_paths(one.dialect))
        print(f"no config file found; looked for: {', '.join(paths)}; and for yours at home")
        for path in plugin_files(found[0].hooks.project):
            print(f"tenter: found {path}, as of a plugin: --config {path}", file=sys.stderr)
    return 0 if "if-any" in options else 1


def project_paths(dialect: Dialect) -> Iterator[str]:
    return (file.path for file in dialect.config.files if file.scope == "project")


def mend_report(report: Report, options: dict[str, str]) -> Mended:
    """What --fix does: in files of the project, and only if it is right for all agents that read the file."""
    project = options_for(options).project
    readers = {one.path: one.agents for one in report.reports}
    return mend(report.problems, {one.path: one.format for one in report.reports}, str(project), readers)


def without_refused_fixes(report: Report, options: dict[str, str]) -> Report:
    """The report, in which a finding can be mended only if --fix would do it."""
    refused = [one for one, _ in mend_report(report, options).refused]
    return replace(report, problems=tuple(replace(one, fix=None) if one in refused else one for one in report.problems))


def mend_all(mended: Mended, report: Report, options: dict[str, str]) -> Report:
    """Write, and look again: what could not be read before may have findings of its own. Returns what is left."""
    step = mended
    for _ in range(ROUNDS):
        write(step)
        report = chosen_report(find_named_agents(options, USAGE), options)
        step = mend_report(report, options)
        if not step.changes:
            break
        mended.findings += step.findings
    return report


def print_report(report: Report, mended: Mended | None, options: dict[str, str]) -> None:
    form = "json" if "json" in options else options.get("format", "text")
    if form in ("json", "sarif"):
        from tenterhook.tools.check.formats import as_data, as_sarif

        print_json(as_sarif(report) if form == "sarif" else {**as_data(report), **mended_data(mended)})
    elif form == "github":
        from tenterhook.tools.check.formats import as_github

        print(redact_cli_output("\n".join([*as_github(report), summary(report)])))
    else:
        paint = painter(colourful())
        lines = [*mended_lines(mended, options, paint), *as_text(report, paint)]
        print(redact_cli_output("\n".join(lines)))


def as_text(report: Report, paint: Paint) -> Iterator[str]:
    """The findings by file. Where there are several files or agents, each file has a line with who reads it."""
    headed = len(report.reports) > 1 or len(report.agents) > 1
    known = {one.path: one for one in report.reports}
    for path in dict.fromkeys([*known, *(one.file for one in report.problems)]):
        findings = [one for one in report.problems if one.file == path]
        if headed:
            one = known.get(path)
            about = f"{pluralise_count(one.hooks, 'hook')}, read by {' and '.join(one.agents)}" if one else ""
            yield f"{paint('bold', near(path))}  {paint('dim', about)}".rstrip()
        yield from (f"{'  ' if headed else ''}{line(one, paint, report)}" for one in findings)
    yield one_line(summary(report))


def line(one: CheckFinding, paint: Paint, report: Report) -> str:
    """`file:line:column: level: text [id]`; a file that cannot be read has no lines."""
    where = ":".join(str(part) for part in (near(one.file), one.line, one.column) if part)
    agents = f" {', '.join(one.agents)}" if len(report.agents) > 1 else ""
    named = paint("dim", f"[{rule_of(one.rule).id}{agents}]")
    return f"{one_line(where)}: {paint(STYLES[one.level], one.level)}: {one_line(one.text)} {named}"


def summary(report: Report) -> str:
    found = f"{pluralise_count(report.count('error'), 'error')}, {pluralise_count(report.count('warning'), 'warning')}"
    found += f", {pluralise_count(report.count('note'), 'note')}" if report.count("note") else ""
    fixable = sum(one.fix is not None for one in report.problems)
    found += f"; --fix mends {fixable}" if fixable else ""
    if not report.files:
        return f"no config file found; looked for: {', '.join(report.looked)}" if not report.problems else found
    return f"{pluralise_count(report.hooks, 'hook')} in {pluralise_count(len(report.files), 'file')}: {found}"


def mended_lines(mended: Mended | None, options: dict[str, str], paint: Paint) -> Iterator[str]:
    if mended is None:
        return
    if "dry-run" in options:
        yield from (one_line(text) for text in mended.diff.splitlines())
    word = "would be mended" if "dry-run" in options else "mended"
    for one in mended.findings:
        yield f"{paint('green', word)}: {near(one.file)}:{one.line}: {one_line(one.text)}"
    for one, why in mended.refused:
        yield f"{paint('yellow', 'not mended')}: {near(one.file)}:{one.line}: {one_line(why)}"


def mended_data(mended: Mended | None) -> dict[str, object]:
    if mended is None:
        return {}
    return {"mended": len(mended.findings), "diff": mended.diff, "not_mended": [why for _, why in mended.refused]}


def rule_list() -> Iterator[str]:
    rows = [[rule.id, rule.name, rule.about, "--fix" if rule.fixable else ""] for rule in all_rules()]
    yield table(rows)


def described_rule(word: str) -> Iterator[str]:
    for name in sorted(find_rules([word], "--explain"), key=lambda one: rule_of(one).id):
        rule = rule_of(name)
        yield f"{rule.id} {rule.name}: {rule.about}"
        yield f"\n{rule.why}\n{rule.do}"
        yield "It depends on this machine, so --strict does not count it.\n" if rule.here else ""
        if rule.example:
            for path, text in rule.example.files.items():
                yield f"example: {path}\n\n{text}"
