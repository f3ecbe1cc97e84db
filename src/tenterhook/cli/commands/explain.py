"""`tenter explain`: why each hook of an event would or would not run, and what its answers would do."""

from __future__ import annotations

import sys
from typing import Any

from tenterhook import dialects
from tenterhook.cli.commands.fire import read_input
from tenterhook.cli.explanation import text
from tenterhook.cli.found_agents import ONE_DIALECT, ONLY, each_agent, is_single
from tenterhook.cli.options import CONFIG, JSON, PROJECT, SUBAGENT, CommandUsage, Option
from tenterhook.cli.own_calls import calls_us, mark_own_calls
from tenterhook.cli.project import TRUST, engine_for, hint_at_others, print_json, redact_cli_output, warn
from tenterhook.cli.short_explanation import short_text
from tenterhook.dialects import DEFAULT
from tenterhook.engine.engine import Engine
from tenterhook.errors import UsageError
from tenterhook.pipeline.failure_policy import MODES
from tenterhook.support.terminal.text import colourful, painter
from tenterhook.tools.explain.explain import Explanation, explain

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
    agents = each_agent(options, USAGE)
    # An agent that does not have the event has nothing to explain, unless none has it: then that is the answer.
    having = [one for one in agents if dialects.get(one["dialect"]).rules(options["EVENT"])] or agents[:1]
    data = read_input("" if options["input"] == "-" else options["input"]) if options.get("input") else {}
    made = [explain_one(one, options["EVENT"], data, options) for one in having]
    # An agent that calls tenterhook obeys the hooks of our own dialect.
    if not is_single(options) and any(calls_us(hook) for found in made for hook in found.hooks):
        if all(found.dialect != DEFAULT for found in made):
            made.append(explain_one({**having[0], "dialect": DEFAULT}, made[0].event.kind, data, options))
        made = [mark_own_calls(found) for found in made]
    if "json" in options:
        print_json(made[0] if is_single(options) else {"agents": made})
        return 0
    render = text if "all" in options else short_text
    paint, whole = painter(colourful()), not sys.stdout.isatty()
    print(redact_cli_output("\n\n".join(render(found, paint, whole=whole) for found in made)))
    return 0


def explain_one(one: dict[str, str], event: str, data: dict[str, Any], options: dict[str, str]) -> Explanation:
    with engine_for(one) as engine:
        found = explain(engine, event, with_tool(data, event, options, engine))
        warn(found.warnings)
        if is_single(options):
            hint_at_others(engine.hookset)
    return found


def with_tool(data: dict[str, Any], event: str, options: dict[str, str], engine: Engine) -> dict[str, Any]:
    """The event's data, with the tool that --tool names."""
    if "tool" not in options:
        return data
    rule = engine.rule(event)
    if rule.target.field != "tool_name":
        matched = (
            f"its matchers look at {rule.target.field!r}: give that with --input"
            if rule.target.field
            else "it has no matchers"
        )
        raise UsageError(f"{rule.name} is not about a tool, so --tool has no effect; {matched}")
    return {**data, "tool_name": options["tool"]}
