"""`tenter list`: list all hooks of a project by event, with file and line, and whether each runs."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator

from msgspec.structs import replace

from tenterhook.cli.found_agents import ONE_DIALECT, ONLY, each_agent, is_single
from tenterhook.cli.options import CONFIG, JSON, PROJECT, SUBAGENT, CommandUsage
from tenterhook.cli.own_calls import calls_us
from tenterhook.cli.project import TRUST, engine_for, file_lines, hint_at_others, print_json, redact_cli_output, warn
from tenterhook.dialects import DEFAULT
from tenterhook.dialects.schema.dialect import Dialect, EventRule
from tenterhook.support.terminal.table import table
from tenterhook.support.terminal.text import (
    Paint,
    colourful,
    near,
    one_line,
    painter,
    pluralise_count,
    room_for,
    shorten,
)
from tenterhook.tools.explain.inventory import HookFacts, Inventory, inventory
from tenterhook.tools.explain.whynot import describe_condition

USAGE = CommandUsage(
    "list",
    "List the hooks of every agent that has some here, by event: where each is written, what it matches, and whether\n"
    "it runs.",
    (),
    (ONLY, ONE_DIALECT, PROJECT, CONFIG, SUBAGENT, TRUST, JSON),
    "tenter list --project ~/work/shop --trust",
    "exit codes: 0 listed, 1 could not run: bad call, bad config",
)
STYLES = {
    "runs": "green",
    "untrusted": "yellow",
    "modified": "red",
    "denied": "red",
    "missing": "yellow",
    "disabled": "dim",
    "overridden": "dim",
}
HEADS = ["STATE", "MATCHER", "HOOK", "TYPE", "TIME-OUT", "WHERE"]
# Longer cells would hide the others; --json has them in full.
MATCHER_WIDTH = 28


def run(argv: list[str]) -> int:
    options = USAGE.parse(argv)
    if options is None:
        return 0
    made, shown = list[Inventory](), dict[str, str]()
    for number, one in enumerate(each_agent(options, USAGE)):
        with engine_for(one) as engine:
            found = inventory(engine)
            made.append(found)
            warn(found.warnings)
            if is_single(options):
                hint_at_others(engine.hookset)
            if "json" not in options:
                lines = once(found, engine.dialect, shown, painter(colourful()))
                print("\n" * (number > 0) + redact_cli_output("\n".join(lines)))
    if "json" in options:
        print_json(made[0] if is_single(options) else {"agents": made})
    return 0


def once(found: Inventory, dialect: Dialect, shown: dict[str, str], paint: Paint) -> Iterator[str]:
    """The hooks of an agent, but for those of files that were listed for an agent before.

    Entries that call us are one line: the hooks behind them are listed for our own dialect.
    """
    calls = [hook for hook in found.hooks if hook.state in ("runs", "untrusted") and calls_us(hook)]
    if calls:
        files = ", ".join(near(file) for file in dict.fromkeys(map(file_of, calls)))
        events = pluralise_count(len({hook.event for hook in calls}), "event")
        yield f"{dialect.title} calls tenterhook at {events}, from {files}; its hooks: tenter list --agent {DEFAULT}"
        found = replace(found, hooks=[hook for hook in found.hooks if hook not in calls])
        if not found.hooks:
            return
        yield ""
    rest = [hook for hook in found.hooks if file_of(hook) not in shown]
    repeated = Counter(file_of(hook) for hook in found.hooks if file_of(hook) in shown)
    if rest or not repeated:
        yield from listing(found, rest, dialect, paint)
    else:
        yield summary(found, dialect)
    for file, number in repeated.items():
        yield f"\n  {near(file)}: {pluralise_count(number, 'hook')}, listed above for {shown[file]}"
    shown.update((file_of(hook), dialect.title) for hook in rest)


def file_of(hook: HookFacts) -> str:
    return hook.source.rpartition(":")[0]


def listing(found: Inventory, hooks: list[HookFacts], dialect: Dialect, paint: Paint) -> Iterator[str]:
    if not found.hooks:
        yield f"no hooks for {dialect.title} in {near(found.project)}; these files were looked for:"
        yield from file_lines(found.files, paint)
        return
    yield summary(found, dialect)
    rows = hook_rows(hooks, paint)
    head, *lines = table([[paint("dim", one) for one in HEADS], *rows], indent="  ").split("\n")
    rules = {rule.name: rule for rule in dialect.events}
    event = ""
    for hook, line in zip(hooks, lines, strict=True):
        if hook.event != event:
            yield ""
            yield f"{paint('bold', hook.event)}  {paint('dim', about(rules[hook.event]))}"
            if not event:
                yield head
            event = hook.event
        yield line
        yield from extras(hook, paint)


def summary(found: Inventory, dialect: Dialect) -> str:
    """How many hooks there are, by state."""
    files = sum(1 for file in found.files if file.hooks)
    states = Counter(hook.state.partition(":")[0] for hook in found.hooks)
    plural = {"runs": "run"}
    each = ", ".join(
        f"{number} {plural.get(state, state) if number > 1 else state}" for state, number in states.items()
    )
    hint = "; tenter trust shows and approves the project's" if {"untrusted", "modified"} & states.keys() else ""
    count = pluralise_count(len(found.hooks), "hook")
    return f"{count} for {dialect.title} in {pluralise_count(files, 'file')}: {one_line(each)}{hint}"


def about(rule: EventRule) -> str:
    return f"{rule.about}{'; can be blocked' if rule.can.block else ''}"


def hook_rows(hooks: list[HookFacts], paint: Paint) -> list[list[str]]:
    """One row per hook. On a terminal names are shortened to fit; a pipe gets them in full."""
    rows = [
        [
            paint(STYLES.get(hook.state, "dim"), one_line(hook.state)),
            cut(hook.matcher or "*", MATCHER_WIDTH),
            redact_cli_output(one_line(hook.hook)),
            hook.type,
            "none" if hook.timeout is None else f"{hook.timeout:g} s",
            paint("dim", near(hook.source)),
        ]
        for hook in hooks
    ]
    room = room_for([HEADS, *rows], 2)
    return [[*row[:2], cut(row[2], room), *row[3:]] for row in rows]


def cut(text: str, most: int) -> str:
    return shorten(text, most) if sys.stdout.isatty() else one_line(text)


def extras(hook: HookFacts, paint: Paint) -> Iterator[str]:
    """Lines below a hook: options that change when it runs, and what is missing."""
    remarks = [f"if {describe_condition(path, wanted)}" for path, wanted in (hook.condition or {}).items()]
    if hook.agent is not None and not hook.state.startswith("for agent"):
        remarks = [f"for agent {hook.agent or '(without a name)'} only", *remarks]
    remarks += [f"not for agent {agent}, which overrides it" for agent in hook.not_for]
    remarks += [word for word in ("once", "sequential") if getattr(hook, word)]
    remarks += ["in the background"] if hook.background else []
    remarks += [f"priority {hook.priority}"] if hook.priority else []
    remarks += [f"on {cause.replace('default', 'failure')}: {policy}" for cause, policy in hook.on_failure.items()]
    if remarks:
        yield f"      {one_line('; '.join(remarks))}"
    if hook.missing and hook.state not in ("disabled", "overridden"):
        yield paint("yellow", f"      {one_line(hook.missing)}")
