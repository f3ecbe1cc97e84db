"""What tenterhook costs, as ratios to something everybody knows, measured in one run.

    python benchmarks/bench.py               the whole report, less than six minutes
    python benchmarks/bench.py --quick       with few rounds, less than a minute
    python benchmarks/bench.py 1 2 3         some rows
    python benchmarks/bench.py --strict      exit 1 where a row is over its limit
    python benchmarks/bench.py --page        the tables of docs/inside/performance.md anew

It needs pluggy and pydantic (`pip install --group bench`); rows 7, 8 and 12 need package registries, and row 8 node for
one of its columns. What cannot be measured says why. See docs/inside/performance.md.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import traceback
from datetime import date
from importlib.metadata import version
from pathlib import Path

import msgspec
from msgspec import Struct

import beside
import commands
import growth
import hosting
import inside
import parts
import planning
import relaying
import startup
import tables
from figures import Growth, Point, Refused, Result, Row, every, few, points, results

OURS = "BENCH_IN_A_SESSION_OF_ITS_OWN"
PAGE = Path(__file__).parent.parent / "docs" / "inside" / "performance.md"


class Report(Struct):
    """Everything that was measured, and the rows that did not do what they are measured for."""

    machine: str = ""
    versions: dict[str, str] = {}
    results: list[Result] = []
    points: list[Point] = []
    broken: list[int] = []


def all_rows(names: tuple[str, ...] = beside.USUAL) -> dict[int, Row | Growth]:
    rows: dict[int, Row | Growth] = {tables.PEERS: beside.row(names)}
    for module in (inside, commands, planning, startup, hosting, parts, growth, relaying):
        rows |= module.ROWS
    return dict(sorted(rows.items()))


def main() -> int:
    options = arguments()
    if OURS not in os.environ:
        # Linux shares the processors between sessions: in one of our own, what else this terminal runs counts less.
        with tempfile.TemporaryDirectory() as state:  # outcomes are kept as ever, but not in the user's journal
            env = {**os.environ, OURS: "yes", "XDG_STATE_HOME": state}
            return subprocess.run([sys.executable, *sys.argv], env=env, start_new_session=True).returncode
    rows = all_rows((*beside.USUAL, "massgen") if options.massgen else beside.USUAL)
    try:
        earlier = check(options, rows)
        report = measured({number: rows[number] for number in chosen(options, rows)}, quick=options.quick)
        report = joined(earlier, report) if earlier else report
        told(report, rows, options)
    except Refused as exc:
        print(exc, file=sys.stderr)
        return 1
    short = options.strict and any(result.verdict == "SHORT" for result in report.results)
    return 1 if report.broken or short else 0


def chosen(options: argparse.Namespace, rows: dict[int, Row | Growth]) -> list[int]:
    """All of them, unless some are asked for or an earlier report has them."""
    return list(options.rows or ([] if options.earlier else rows))


def check(options: argparse.Namespace, rows: dict[int, Row | Growth]) -> Report | None:
    """What can be wrong with a call, before minutes are spent; and the earlier report, if there is one."""
    if unknown := [number for number in options.rows if number not in rows]:
        raise Refused(f"no row {unknown[0]}; there are 1 to {max(rows)}")
    if options.page and not options.earlier and (options.rows or options.quick):
        raise Refused("--page needs a whole run: leave out --quick and rows, or take the rest --from an earlier report")
    if options.page:
        tables.check(PAGE.read_text(), markdown(Report(), rows))
    if options.json and not options.json.parent.is_dir():
        raise Refused(f"{options.json.parent}: no folder to write the figures into")
    if not options.earlier:
        return None
    try:
        return msgspec.json.decode(options.earlier.read_bytes(), type=Report)
    except (OSError, msgspec.MsgspecError) as exc:
        raise Refused(f"{options.earlier}: no report that --json wrote: {exc}") from exc


def measured(rows: dict[int, Row | Growth], *, quick: bool) -> Report:
    """Each line is shown as soon as it is there."""
    report = Report(machine(quick=quick))
    rounds = few if quick else every
    if rows:
        print(tables.head(tables.HEAD), flush=True)
    for number, row in rows.items():
        try:
            if isinstance(row, Growth):
                report.points += points(number, row, rounds)
                continue
            for result in results(number, row, rounds):
                print(tables.line(result), flush=True)
                report.results.append(result)
        except Exception:
            # The others are worth something all the same.
            traceback.print_exc()
            report.broken.append(number)
    report.versions = versions() | beside.VERSIONS
    return report


def joined(earlier: Report, later: Report) -> Report:
    """The earlier report, with the rows that were measured later as they are now."""
    numbers = {one.row for one in later.results} | {one.row for one in later.points} | {*later.broken}
    kept = [one for one in earlier.results if one.row not in numbers]
    cells = [one for one in earlier.points if one.row not in numbers]
    return Report(
        later.machine if numbers else earlier.machine,
        earlier.versions | later.versions,
        sorted(kept + later.results, key=lambda one: one.row),
        cells + later.points,
        [number for number in earlier.broken if number not in numbers] + later.broken,
    )


def told(report: Report, rows: dict[int, Row | Growth], options: argparse.Namespace) -> None:
    made = markdown(report, rows)
    if options.json:
        options.json.write_bytes(msgspec.json.format(msgspec.json.encode(report), indent=1) + b"\n")
    if report.broken:
        print(f"broken, see above: row {', '.join(map(str, report.broken))}", file=sys.stderr)
    elif options.page:
        PAGE.write_text(tables.put(PAGE.read_text(), made))
    shown = made if options.markdown or options.earlier else later_tables(made, report)
    for name, table in shown.items():
        print(f"\n<!-- bench: {name} -->\n{table}\n<!-- end -->" if options.markdown else f"\n{table}")
    if any(result.row == 7 and not result.problem for result in report.results) and not options.earlier:
        print(f"\n{startup.imports()}")


def markdown(report: Report, rows: dict[int, Row | Growth]) -> dict[str, str]:
    """The tables of a report, as they stand in the page."""
    made = {
        "machine": f"{report.machine} {', '.join(f'{name} {one}' for name, one in report.versions.items())}.",
        "peers": tables.of_peers(report.results),
        "rows": tables.of_rows(report.results),
    }
    for number, row in rows.items():
        if isinstance(row, Growth):
            made[row.name] = tables.of_growth(number, row, report.points)
    return made


def later_tables(made: dict[str, str], report: Report) -> dict[str, str]:
    """What was not shown line by line: the machine, and the tables that have columns of their own."""
    names = {"machine"} | {"peers" for one in report.results if one.row == tables.PEERS}
    names |= {growth.ROWS[one.row].name for one in report.points}
    return {name: table for name, table in made.items() if name in names}


def machine(*, quick: bool) -> str:
    kernel = ".".join(platform.release().split(".")[:2])
    system = f"{platform.system()} {kernel}, {platform.machine()}, {os.cpu_count()} processors"
    what = "few rounds of each, so these figures are rough" if quick else "the median of the ratios of all rounds"
    return f"{date.today().day} {date.today():%B %Y}, {system}; {what}."


def versions() -> dict[str, str]:
    return {"Python": platform.python_version(), **{name: version(name) for name in ("msgspec", "pluggy")}}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="What tenterhook costs, as ratios measured in one run.")
    parser.add_argument("rows", nargs="*", type=int, metavar="ROW", help="only these rows (default: all)")
    parser.add_argument("--quick", action="store_true", help="few rounds, and nothing that takes long")
    parser.add_argument("--strict", action="store_true", help="exit 1 where a row is over its limit")
    parser.add_argument("--massgen", action="store_true", help="row 8 beside massgen too: installs 1.8 GB")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything that was measured into FILE")
    parser.add_argument("--markdown", action="store_true", help="print the tables as they stand in the page")
    parser.add_argument("--page", action="store_true", help="put the tables into docs/inside/performance.md")
    help_earlier = "an earlier report, written by --json: only the ROWs are measured, the rest is taken from it"
    parser.add_argument("--from", dest="earlier", type=Path, metavar="FILE", help=help_earlier)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
