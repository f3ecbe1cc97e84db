"""`tenter stats`: show what hooks cost, by hook and by session."""

from __future__ import annotations

from collections.abc import Iterator

from tenterhook.cli.journal_filters import (
    OPTIONS,
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
from tenterhook.journal.index import Index
from tenterhook.journal.query import Cost, HookCost, hooks, part, sessions
from tenterhook.support.terminal.table import table
from tenterhook.support.terminal.text import Paint, colourful, columns, one_line, painter, pluralise_count, shorten

USAGE = CommandUsage(
    "stats",
    "Show what hooks cost: how often each ran, how long it took, how often it failed and blocked.",
    (),
    (
        *OPTIONS,
        Option("limit", "show at most this many hooks and sessions (default: 20)", "N"),
        JSON,
    ),
    "tenter stats --since 7d --project .",
    "exit codes: 0 shown, 1 could not run: bad call, a journal that cannot be read",
)
USUAL = 20
HEADS = ["HOOK", "RUNS", "P50", "P95", "MAX", "FAILED", "TIMED OUT", "BLOCKED", "SHARE", "COST"]


def run(argv: list[str]) -> int:
    options = USAGE.parse(argv)
    if options is None:
        return 0
    asked, limit = parse_filter_options(options, USAGE), number(options, "limit", USUAL, USAGE)
    with Index(folder(options)) as index:
        found, costs = hooks(index, asked), sessions(index, asked)
        tell_damage(index)
        if "json" in options:
            print_json({"hooks": found[:limit], "sessions": costs[:limit], "totals": totals(found, costs)})
        elif not costs:
            tell(nothing_there(index, asked))
        else:
            print("\n".join(render_stats(found, costs, limit, painter(colourful()))))
    return 0


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
        shorten(one.hook, max(24, columns() - 60)),
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
