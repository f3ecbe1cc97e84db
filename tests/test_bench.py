"""The benchmark's own tools, and that the page has its tables. Nothing here looks at a clock."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "benchmarks"
PAGE = (ROOT / "docs" / "inside" / "performance.md").read_text()


@pytest.fixture(scope="module")
def tools() -> Iterator[SimpleNamespace]:
    """The modules of the benchmark, which is a folder of scripts; forgotten afterwards, so that no test finds them."""
    known, path = set(sys.modules), list(sys.path)
    sys.path.insert(0, str(FOLDER))
    try:
        import bench
        import figures
        import peers.cases
        import peers.driver
        import peers.installing
        import tables

        yield SimpleNamespace(
            bench=bench,
            figures=figures,
            tables=tables,
            cases=peers.cases,
            driver=peers.driver,
            installing=peers.installing,
        )
    finally:
        sys.path[:] = path
        for name in set(sys.modules) - known:
            if str(FOLDER) in str(getattr(sys.modules[name], "__file__", "")):
                del sys.modules[name]


def bench(*words: str, **env: str) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, str(FOLDER / "bench.py"), *words]
    return subprocess.run(argv, env={**os.environ, **env}, capture_output=True, text=True, timeout=300)


# ---- figures


def test_the_median_of_the_ratios_counts_and_not_the_ratio_of_the_medians(tools: SimpleNamespace) -> None:
    result = tools.figures.of_pairs(1, tools.figures.Line("a", "b", 2.0), [(1.0, 1.0), (6.0, 2.0), (9.0, 4.0)])

    assert (result.ratio, result.ours, result.theirs) == (2.25, 6.0, 2.0)
    assert result.verdict == "SHORT"


def test_what_may_not_grow_is_compared_by_how_much_more_there_is(tools: SimpleNamespace) -> None:
    line = tools.figures.Line("files", "before", 0.0, unit="", by="more")

    assert tools.figures.of_pairs(14, line, [(7.0, 7.0)]).verdict == "ok"
    assert tools.figures.of_pairs(14, line, [(8.0, 7.0)]).verdict == "SHORT"
    assert "| +1 | SHORT |" in tools.tables.line(tools.figures.of_pairs(14, line, [(8.0, 7.0)]))


def test_a_line_that_could_not_be_measured_says_why_and_the_others_stand(tools: SimpleNamespace) -> None:
    figures = tools.figures
    good, bad, rest = lines = tuple(figures.Line(what, "yardstick", 1.0) for what in ("good", "bad", "rest"))

    def measure(rounds: Any) -> Iterator[tuple[str, Any]]:
        yield good.key, [(float(rounds(30)), 60.0)]
        yield bad.key, "it cannot"
        figures.part("no_such_module_of_the_benchmark")

    row = figures.Row(lines, measure)
    found = {one.line: one for one in figures.results(9, row, figures.every)}
    quick = next(iter(figures.results(9, row, figures.few)))

    assert (found[good].ratio, found[good].verdict) == (0.5, "ok")
    assert found[bad].verdict == "not measured: it cannot"
    assert found[rest].verdict.startswith("not measured: no_such_module_of_the_benchmark: ")
    assert quick.ratio == 5 / 60


def test_a_quick_run_leaves_out_what_takes_long(tools: SimpleNamespace) -> None:
    figures = tools.figures

    def measure(rounds: Any) -> list[Any]:
        raise AssertionError("measured all the same")

    row = figures.Row((figures.Line("a", "b"),), measure, long=True)

    assert [one.verdict for one in figures.results(7, row, figures.few)] == ["not measured: not in a quick run"]


# ---- tables


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (1.23456e-7, "s", "0.123 µs"),
        (0.00099, "s", "990 µs"),
        (0.0012, "s", "1.2 ms"),
        (2.5, "s", "2.5 s"),
        (27_100_000, "B", "27.1 MB"),
        (1356.4, "/s", "1,356"),
        (0.25, "", "0.25"),
    ],
)
def test_a_figure_is_shown_in_a_unit_that_fits(tools: SimpleNamespace, value: float, unit: str, shown: str) -> None:
    assert tools.tables.in_units(value, unit) == shown


def test_the_table_of_peers_has_a_column_for_each_and_a_reason_for_an_empty_cell(tools: SimpleNamespace) -> None:
    figures = tools.figures
    limited = figures.Line("a command", "one", 1.0)
    other = figures.Line("a command", "two", 1.0)
    missing = figures.Result(8, other, problem="it is not here")

    table = tools.tables.of_peers([figures.of_pairs(8, limited, [(0.003, 0.002)]), missing])

    assert table.splitlines()[0] == "| what | ours | one | ratio | two | ratio |"
    assert table.splitlines()[2] == "| a command | 3 ms | 2 ms | 1.5 SHORT |  |  |"
    assert table.endswith("Not measured for two, because it is not here: a command.")


def test_tables_are_put_between_their_markers_and_nothing_else_changes(tools: SimpleNamespace) -> None:
    page = (
        "before\n<!-- bench: one -->\nold\n\nolder\n<!-- end -->\nbetween\n<!-- bench: two -->\n<!-- end -->\nafter\n"
    )

    once = tools.tables.put(page, {"one": r"| new \1 |", "two": "2"})

    assert once == (
        "before\n<!-- bench: one -->\n| new \\1 |\n<!-- end -->\nbetween\n<!-- bench: two -->\n2\n<!-- end -->\nafter\n"
    )
    assert tools.tables.put(once, {"one": r"| new \1 |", "two": "2"}) == once
    with pytest.raises(tools.figures.Refused, match="places for one, two"):
        tools.tables.put(page, {"one": "1"})


# ---- the page


def section(name: str) -> list[list[str]]:
    """The cells of a table of the page."""
    text = PAGE.partition(f"<!-- bench: {name} -->\n")[2].partition("<!-- end -->")[0]
    return [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("|")]


def test_the_page_has_a_place_for_each_table(tools: SimpleNamespace) -> None:
    rows = tools.bench.all_rows()

    tools.tables.check(PAGE, tools.bench.markdown(tools.bench.Report(), rows))


def test_the_page_has_every_line_of_the_benchmark_with_its_limit(tools: SimpleNamespace) -> None:
    rows = tools.bench.all_rows()
    results = [
        tools.figures.Result(number, line)
        for number, row in rows.items()
        if isinstance(row, tools.figures.Row) and number != tools.tables.PEERS
        for line in row.lines
    ]
    wanted = [tools.tables.line(one).split(" | ")[:4] for one in results]

    assert [cells[:4] for cells in section("rows")[2:]] == [[cells[0].strip("| "), *cells[1:]] for cells in wanted]


def test_the_page_has_every_case_of_the_peers_and_every_size_of_the_growth(tools: SimpleNamespace) -> None:
    rows = tools.bench.all_rows()

    assert [cells[0] for cells in section("peers")[2:]] == [case.what for case in tools.cases.CASES]
    for row in rows.values():
        if isinstance(row, tools.figures.Growth):
            assert section(row.name)[0] == [row.by, *row.columns]
            assert [cells[0] for cells in section(row.name)[2:]] == [f"{size:,}" for size in row.sizes]


# ---- drivers


def test_our_driver_runs_the_hooks_that_it_is_given(tools: SimpleNamespace, tmp_path: Path) -> None:
    cases = tools.cases
    with tools.driver.Driver(tools.installing.ours(), str(tmp_path)) as driver:
        command = driver.ask(cases.Case("a command", (cases.TRUE, cases.OTHER), 2))
        function = driver.ask(cases.Case("a function", (cases.Hook(function=True),), 4, flight=2))
        with pytest.raises(tools.figures.Unavailable, match="AssertionError"):
            driver.ask(cases.Case("a command that fails", (cases.Hook("exit 1"),), 1))

    assert command > 0
    assert function > 0
    assert driver.version


DRIVER = """
from peers.driving import Cannot, drive

async def prepare(job, folder):
    raise Cannot(f"it has no means for {job['what']}")

drive("1.0", prepare)
"""


def test_a_system_without_the_means_says_so_and_goes_on(tools: SimpleNamespace, tmp_path: Path) -> None:
    prepared = tools.driver.Prepared((sys.executable, "-c", DRIVER), {"PYTHONPATH": str(FOLDER)})
    with tools.driver.Driver(prepared, str(tmp_path)) as driver:
        for what in ("this", "that"):
            with pytest.raises(tools.figures.Unavailable, match=f"no means for {what}"):
                driver.ask(tools.cases.Case(what, (), 1))


def test_a_driver_that_cannot_start_leaves_its_last_words(tools: SimpleNamespace, tmp_path: Path) -> None:
    prepared = tools.driver.Prepared((sys.executable, "-c", "import sys; sys.exit('no such package')"))

    with pytest.raises(tools.figures.Unavailable, match="no such package"):
        tools.driver.Driver(prepared, str(tmp_path))


# ---- the command


def test_rows_that_are_measured_anew_take_the_place_of_the_earlier_ones(tools: SimpleNamespace) -> None:
    figures, report = tools.figures, tools.bench.Report
    one, two = (figures.Line(what, "b") for what in ("one", "two"))
    cells = [figures.Point(number, 1, "seconds", 1.0) for number in (15, 16)]
    earlier = report("then", {"Python": "1", "peer": "2"}, [figures.Result(1, one), figures.Result(2, two)], cells)
    anew = report("now", {"Python": "3"}, [figures.Result(1, one, 0.5)], [figures.Point(16, 1, "seconds", 2.0)])

    joined = tools.bench.joined(earlier, anew)

    assert [(result.row, result.ratio) for result in joined.results] == [(1, 0.5), (2, 0.0)]
    assert [(point.row, point.value) for point in joined.points] == [(15, 1.0), (16, 2.0)]
    assert (joined.machine, joined.versions) == ("now", {"Python": "3", "peer": "2"})


def test_a_report_is_kept_and_shown_again_without_measuring(tmp_path: Path) -> None:
    kept = tmp_path / "figures.json"

    first = bench("1", "--quick", "--json", str(kept))
    again = bench("--from", str(kept), "--markdown")

    assert first.returncode == 0, first.stderr
    line = next(line for line in first.stdout.splitlines() if line.startswith("| 1 |"))
    assert again.stdout.count(line) == 1
    assert "<!-- bench: hooks -->" in again.stdout


def test_a_row_that_broke_is_told_and_the_others_are_kept(
    tools: SimpleNamespace, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = tools.figures
    line = figures.Line("a", "b")

    def broken(*given: Any) -> Any:
        raise AssertionError("the hook did not run")

    rows = {
        1: figures.Row((line,), broken),
        2: figures.Row((line,), lambda rounds: [(line.key, [(1.0, 2.0)])]),
        3: figures.Growth("hooks", "hooks", (1,), ("seconds",), broken),
    }

    report = tools.bench.measured(rows, quick=False)

    assert report.broken == [1, 3]
    assert [one.row for one in report.results] == [2]
    assert capsys.readouterr().err.count("AssertionError: the hook did not run") == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("99",), "no row 99; there are 1 to"),
        (("1", "--page"), "--page needs a whole run"),
        (("--quick", "--page"), "--page needs a whole run"),
        (("--from", "no-such-file"), "no-such-file: no report that --json wrote"),
        (("--json", "no-such-folder/figures.json"), "no-such-folder: no folder to write the figures into"),
    ],
    ids=str,
)
def test_a_call_that_makes_no_sense_is_refused_before_anything_is_measured(words: tuple[str, ...], said: str) -> None:
    done = bench(*words)

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(said)
