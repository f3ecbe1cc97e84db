"""`tenter explain`: why each hook of an event would or would not run, and what its answers would do."""

from __future__ import annotations

import sys
from typing import Any

from tenterhook import dialects
from tenterhook.cli.commands.fire import read_input
from tenterhook.cli.explanation import text
from tenterhook.cli.found_agents import ONE_DIALECT, ONLY, each_agent, is_single
from tenterhook.cli.options import CONFIG, JSON, PROJECT, SUBAGENT, CommandUsage, Option
from tenterhook.cli.project import TRUST, engine_for, hint_at_others, print_json, redact_cli_output, warn
from tenterhook.cli.short_explanation import short_text
from tenterhook.engine.engine import Engine
from tenterhook.errors import UsageError
from tenterhook.pipeline.failure_policy import MODES
from tenterhook.support.terminal.text import colourful, painter
from tenterhook.tools.explain.explain import explain

USAGE = CommandUsage(
    "explain",
    "Explain an event without running anything: which hooks would run, and why the others would not.\n"
    "With --all also what each possible answer of a hook would do, and in which files hooks are looked for.",
    ("EVENT",),
    (
        Option("tool", "the tool that the event is about", "NAME"),
        Option("input", "the event's data: a file with one JSON object, or - for stdin", "FILE"),
        ONLY,
        ONE_DIALECT,
        PROJECT,
        CONFIG,
        SUBAGENT,
        TRUST,
        Option("all", "all details: files, every answer and what becomes of it, the other mode, notes"),
        Option("mode", "faithful, strict or observe (default: the dialect's)", "MODE", tuple(MODES)),
        JSON,
    ),
    "tenter explain tool.before --tool Bash --trust",
    "exit codes: 0 explained, 1 could not run: bad call, bad config",
)


def run(argv: list[str]) -> int:
    options = USAGE.parse(argv)
    if options is None:
        return 0
    made = []
    agents = each_agent(options, USAGE)
    # An agent that does not have the event has nothing to explain, unless none has it: then that is the answer.
    having = [one for one in agents if dialects.get(one["dialect"]).rules(options["EVENT"])]
    for one in having or agents[:1]:
        with engine_for(one) as engine:
            made.append(explain(engine, options["EVENT"], data_of(options, engine)))
            warn(made[-1].warnings)
            if is_single(options):
                hint_at_others(engine.hookset)
    if "json" in options:
        print_json(made[0] if is_single(options) else {"agents": made})
        return 0
    render = text if "all" in options else short_text
    paint, whole = painter(colourful()), not sys.stdout.isatty()
    print(redact_cli_output("\n\n".join(render(found, paint, whole=whole) for found in made)))
    return 0


def data_of(options: dict[str, str], engine: Engine) -> dict[str, Any]:
    """The event's data, as far as it was given. Stdin is read only on request."""
    file = options.get("input", "")
    data = read_input("" if file == "-" else file) if file else {}
    if "tool" not in options:
        return data
    rule = engine.rule(options["EVENT"])
    if rule.target.field != "tool_name":
        matched = (
            f"its matchers look at {rule.target.field!r}: give that with --input"
            if rule.target.field
            else "it has no matchers"
        )
        raise UsageError(f"{rule.name} is not about a tool, so --tool has no effect; {matched}")
    return {**data, "tool_name": options["tool"]}
