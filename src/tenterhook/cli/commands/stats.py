"""`tenter stats`: show what hooks cost by hook and by session, and what was decided by agent, day or project."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

from tenterhook.cli.connected import HookHealth, connections, healths
from tenterhook.cli.journal_filters import (
    OPTIONS,
    ago,
    folder,
    nothing_there,
    number,
    parse_filter_options,
    tell,
    tell_damage,
    took,
)
from tenterhook.cli.options import JSON, CommandUsage, Option
from tenterhook.cli.project import print_json
from tenterhook.engine.hookset import HookSet
from tenterhook.engine.options import EngineOptions
from tenterhook.journal.index import Index
from tenterhook.journal.query import GROUPS, Cost, EntryFilter, EventGroup, HookCost, groups, hooks, part, sessions
from tenterhook.support.terminal.table import table
from tenterhook.support.terminal.text import (
    Paint,
    colourful,
    columns,
    near,
    one_line,
    painter,
    pluralise_count,
    shorten,
)

USAGE = CommandUsage(
    "stats",
    "Show what hooks cost: how often each ran, how long it took, how often it failed and blocked. By hook it also\n"
    "says when each last ran, and which of the project's never did; by anything else, what was decided.",
    (),
    (
        *OPTIONS,
        Option("by", "a row for each of these (default: hooks, then sessions)", "WHAT", ("hook", *GROUPS)),
        Option("limit", "show at most this many rows (default: 20)", "N"),
        JSON,
    ),
    "tenter stats --since 7d --project .",
    "exit codes: 0 shown, 1 could not run: bad call, a journal that cannot be read",
)
USUAL = 20
HEADS = ["HOOK", "AGENT", "RUNS", "P50", "P95", "MAX", "FAILED", "TIMED OUT", "BLOCKED", "SHARE", "COST"]
HEALTH = ["HOOK", "AGENT", "RUNS", "LAST RUN", "P50", "P95", "FAILED", "FAILED OPEN", "BLOCKED"]
DECIDED = ["EVENTS", "DENIED", "ASKED", "ALLOWED", "FAILED OPEN", "TIME IN HOOKS", "LAST"]


def run(argv: list[str]) -> int:
    options = USAGE.parse(argv)
    if options is None:
        return 0
    asked, limit = parse_filter_options(options, USAGE), number(options, "limit", USUAL, USAGE)
    by = options.get("by", "")
    with Index(folder(options)) as index:
        if by in GROUPS:
            shown = show_groups(groups(index, asked, by), by, limit, as_json="json" in options)
        elif by == "hook":
            shown = show_hooks(index, asked, options.get("project", "."), limit, as_json="json" in options)
        else:
            shown = show_costs(index, asked, limit, as_json="json" in options)
        tell_damage(index)
        if not shown and "json" not in options:
            tell(nothing_there(index, asked))
    return 0


def show_costs(index: Index, asked: EntryFilter, limit: int, *, as_json: bool) -> bool:
    """Hooks and sessions; returns whether there was anything to show."""
    found, costs = hooks(index, asked), sessions(index, asked)
    if as_json:
        print_json({"hooks": found[:limit], "sessions": costs[:limit], "totals": totals(found, costs)})
    elif costs:
        print("\n".join(render_stats(found, costs, limit, painter(colourful()))))
    return bool(costs)


def show_hooks(index: Index, asked: EntryFilter, project: str, limit: int, *, as_json: bool) -> bool:
    """Each hook and agent with its health, and the project's hooks that never ran."""
    found, never = hooks(index, asked), never_ran(index, asked, project)
    if as_json:
        silent = [{"hook": one.hook, "agent": one.agent, "source": one.source, "why": one.why} for one in never]
        print_json({"hooks": found[:limit], "never": silent})
        return True
    paint = painter(colourful())
    if found:
        rows = [health(one, paint) for one in found[:limit]]
        print(table([[paint("dim", head) for head in HEALTH], *rows]))
    if len(found) > limit:
        print(paint("dim", f"... {pluralise_count(len(found) - limit, 'more hook')}"))
    for one in never[:limit]:
        agent, why = f" in {one.agent}" if one.agent else "", f": {one.why}" if one.why else ""
        name = shorten(one.hook, max(24, columns() - 40))
        print(f"{paint('yellow', 'never ran')}{agent}: {name} ({near(one.source)}){why}")
    if len(never) > limit:
        print(paint("dim", f"... {len(never) - limit:,} more never ran"))
    return bool(found or never)


def never_ran(index: Index, asked: EntryFilter, project: str) -> list[HookHealth]:
    """The hooks of a project's tenterhook.toml, and of the user's, that are not in the journal of that project: in each
    connected agent, or in any if none is connected.
    """
    hookset = HookSet(EngineOptions(project, on_config_error="warn"))
    agents = [one.agent for one in connections(hookset.project) if fnmatchcase(one.agent, asked.agent or "*")]
    found = healths(hookset, agents, index) if agents or not asked.agent else []
    return [one for one in found if one.cost is None and fnmatchcase(one.hook, asked.hook or "*")]


def show_groups(found: list[EventGroup], by: str, limit: int, *, as_json: bool) -> bool:
    """The newest days, or the values with the most events."""
    shown = found[-limit:] if by == "day" else found[:limit]
    if as_json:
        print_json({by: shown})
    elif shown:
        paint = painter(colourful())
        rows = [[paint("dim", head) for head in (by.upper(), *DECIDED)], *(group_cells(one, paint) for one in shown)]
        print(table(rows))
    return bool(shown)


def group_cells(one: EventGroup, paint: Paint) -> list[str]:
    return [
        shorten(near(one.value), 40) or "-",
        f"{one.events:,}",
        count(one.denied, "red", paint),
        count(one.asked, "yellow", paint),
        count(one.allowed, "green", paint),
        count(one.opened, "yellow", paint),
        took(one.seconds),
        ago(one.last),
    ]


def health(one: HookCost, paint: Paint) -> list[str]:
    return [
        shorten(one.hook, 32),
        shorten(one.agent, 12),
        f"{one.runs:,}",
        ago(one.last),
        took(one.p50),
        took(one.p95),
        count(one.failed, "yellow", paint),
        count(one.opened, "yellow", paint),
        count(one.blocks, "red", paint),
    ]


def totals(found: list[HookCost], costs: list[Cost]) -> dict[str, object]:
    """Sums over all hooks, including those beyond the limit."""
    times = sorted(one.seconds for one in costs)
    return {
        "hooks": len(found),
        "runs": sum(one.runs for one in found),
        "events": sum(one.events for one in costs),
        "sessions": len(costs),
        "seconds": sum(times),
        "session_p50": part(times, 0.5),
        "session_p95": part(times, 0.95),
        "session_max": part(times, 1.0),
        "cost": sum(one.cost for one in costs),
    }


def render_stats(found: list[HookCost], costs: list[Cost], limit: int, paint: Paint) -> Iterator[str]:
    if found:
        rows = [cells(one, paint) for one in found[:limit]]
        yield table([[paint("dim", head) for head in HEADS], *rows])
        if len(found) > limit:
            yield paint("dim", f"... {pluralise_count(len(found) - limit, 'more hook')}")
        yield ""
    times = sorted(one.seconds for one in costs)
    yield (
        f"{pluralise_count(sum(one.events for one in costs), 'event')} in {pluralise_count(len(costs), 'session')};"
        f" time in hooks of a session: p50 {took(part(times, 0.5))}, p95 {took(part(times, 0.95))},"
        f" max {took(part(times, 1.0))}"
    )
    rows = [[one_line(one.session) or "-", f"{one.events:,}", took(one.seconds), price(one.cost)] for one in costs]
    yield table([[paint("dim", head) for head in ("SESSION", "EVENTS", "TIME IN HOOKS", "COST")], *rows[:limit]])
    if len(costs) > limit:
        yield paint("dim", f"... {pluralise_count(len(costs) - limit, 'more session')}")


def cells(one: HookCost, paint: Paint) -> list[str]:
    return [
        shorten(one.hook, max(24, columns() - 70)),
        shorten(one.agent, 12),
        f"{one.runs:,}",
        took(one.p50),
        took(one.p95),
        took(one.max),
        count(one.failed, "yellow", paint),
        count(one.timeouts, "yellow", paint),
        count(one.blocks, "red", paint),
        f"{one.share:.0%}",
        price(one.cost),
    ]


def count(number: int, style: str, paint: Paint) -> str:
    return paint(style, f"{number:,}") if number else "-"


def price(dollars: float) -> str:
    return f"${dollars:.4f}" if dollars else "-"
