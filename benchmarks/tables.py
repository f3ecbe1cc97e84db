"""A report as Markdown, and the page in which its tables stand between markers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from figures import Growth, Line, Point, Refused, Result

HEAD = ("row", "what", "yardstick", "limit", "ratio", "", "ours", "yardstick's")
# The row whose yardsticks are the peers: it has a table of its own, with a column for each.
PEERS = 8
MARKED = re.compile(r"(<!-- bench: (\S+) -->\n).*?(<!-- end -->)", re.DOTALL)


def row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def head(names: Sequence[str]) -> str:
    return f"{row(names)}\n{row(['---'] * len(names))}"


def line(result: Result) -> str:
    """One line of the table of rows."""
    about = result.line
    limit = "" if about.limit is None else in_units(about.limit, about.unit) if by_more(about) else f"{about.limit:.3g}"
    if result.problem:
        figures = [limit, "", result.verdict, "", ""]
    elif by_more(about):
        sign = "+" if result.ratio >= 0 else ""
        figures = [limit, f"{sign}{in_units(result.ratio, about.unit)}", result.verdict, "", ""]
    else:
        both = [in_units(value, about.unit) for value in (result.ours, result.theirs)]
        figures = [limit, f"{result.ratio:.3g}", result.verdict, *both]
    return row([str(result.row), about.what, about.yardstick, *figures])


def by_more(about: Line) -> bool:
    return about.by == "more"


def in_units(value: float, unit: str) -> str:
    if unit == "s":
        return f"{value * 1e6:.3g} µs" if value < 1e-3 else f"{value * 1e3:.3g} ms" if value < 1 else f"{value:.3g} s"
    if unit == "B":
        return f"{value / 1e6:.3g} MB"
    return f"{value:,.0f}" if unit == "/s" else f"{value:.3g}"


def of_rows(results: Iterable[Result]) -> str:
    return "\n".join([head(HEAD), *(line(one) for one in results if one.row != PEERS)])


def of_peers(results: Iterable[Result]) -> str:
    """What is measured, ours, and for each peer what it takes and ours as a ratio to that; at the end who cannot."""
    found = [one for one in results if one.row == PEERS]
    names = list(dict.fromkeys(one.line.yardstick for one in found))
    by_case: dict[str, dict[str, Result]] = {}
    for one in found:
        by_case.setdefault(one.line.what, {})[one.line.yardstick] = one
    lines = [head(["what", "ours", *(cell for name in names for cell in (name, "ratio"))])]
    for what, of_peer in by_case.items():
        mine = next((in_units(one.ours, one.line.unit) for one in of_peer.values() if not one.problem), "")
        lines.append(row([what, mine, *(cell for name in names for cell in beside(of_peer.get(name)))]))
    return "\n".join(lines) + "".join(f"\n\n{reason}" for reason in reasons(found))


def reasons(found: Iterable[Result]) -> list[str]:
    """Why cells are empty."""
    empty: dict[tuple[str, str], list[str]] = {}
    for one in found:
        if one.problem:
            empty.setdefault((one.line.yardstick, one.problem), []).append(one.line.what)
    return [f"Not measured for {name}, because {why}: {'; '.join(whats)}." for (name, why), whats in empty.items()]


def beside(result: Result | None) -> list[str]:
    if result is None or result.problem:
        return ["", ""]
    short = " SHORT" if result.verdict == "SHORT" else ""
    return [in_units(result.theirs, result.line.unit), f"{result.ratio:.3g}{short}"]


def of_growth(number: int, growth: Growth, points: Iterable[Point]) -> str:
    cells = {(one.at, one.column): in_units(one.value, one.unit) for one in points if one.row == number}
    lines = [row([f"{at:,}", *(cells.get((at, column), "") for column in growth.columns)]) for at in growth.sizes]
    return "\n".join([head([growth.by, *growth.columns]), *lines])


def marked(page: str) -> list[str]:
    """The names of the tables that a page has a place for."""
    return [name for _, name, _ in MARKED.findall(page)]


def check(page: str, tables: Iterable[str]) -> None:
    """Whether the page has a place for each of these tables, and no other places."""
    if sorted(marked(page)) != sorted(tables):
        raise Refused(f"the page has places for {', '.join(marked(page))}; the tables are {', '.join(tables)}")


def put(page: str, tables: dict[str, str]) -> str:
    """The page with these tables instead of those that stand in it."""
    check(page, tables)
    return MARKED.sub(lambda found: f"{found[1]}{tables[found[2]]}\n{found[3]}", page)
