"""The first failures and the number of tests, out of what tools print."""

import pytest

from tenterhook.library.project import failures

PRINTED = {
    "pytest": (
        "F.\n___ test_a ___\ntests/test_a.py:3: in test_a\nE   assert 1 == 2\n"
        "FAILED tests/test_a.py::test_a - assert 1 == 2\n1 failed, 1 passed in 0.1s",
        "FAILED tests/test_a.py::test_a - assert 1 == 2",
        2,
    ),
    "unittest": (
        "FAIL: test_a (a.A.test_a)\nAssertionError: 1 != 2\nRan 3 tests in 0.001s\n\nFAILED (failures=1)\n",
        "FAIL: test_a (a.A.test_a)",
        3,
    ),
    "node": ("ok 1 - a\nnot ok 2 - b\n  location: 'b.js:1:1'\n# tests 2\n# pass 1\n# fail 1", "not ok 2 - b", 2),
    "jest": ("  ● adds › up\n\nTests:       1 failed, 4 passed, 5 total\n", "  ● adds › up", 5),
    "vitest": (
        " FAIL  a.test.ts > adds\nAssertionError: no\n      Tests  1 failed | 2 passed (3)\n",
        " FAIL  a.test.ts > adds",
        3,
    ),
    "mocha": ("  2 passing (3ms)\n  1 failing\n\n  1) adds:\n", "  1) adds:", 3),
    "ruff": ("a.py:1:8: F401 `os` imported but unused\nFound 1 error.\n", "a.py:1:8: F401 `os` imported but unused", 0),
    "mypy": ("a.py:1: note: x\na.py:2: error: bad  [x]\n", "a.py:2: error: bad  [x]", 0),
    "tsc": ("src/a.ts(1,7): error TS2322: no\n", "src/a.ts(1,7): error TS2322: no", 0),
    "eslint": ("\n/p/a.js\n  1:1  warning  w  x\n  2:1  error  bad  no-var\n\n2 problems", "/p/a.js", 0),
    "go": ("--- FAIL: TestA (0.00s)\n    a_test.go:5: no\nFAIL\n", "--- FAIL: TestA (0.00s)", 1),
    "cargo": (
        "error[E0308]: mismatched types\n --> src/lib.rs:1:1\ntest result: FAILED. 2 passed; 1 failed; 0 ignored;",
        "error[E0308]: mismatched types",
        3,
    ),
}


@pytest.mark.parametrize(("tool", "printed"), PRINTED.items(), ids=PRINTED)
def test_the_first_failure_comes_first_and_tests_are_counted(tool: str, printed: tuple[str, str, int]) -> None:
    output, first, count = printed

    assert first == failures.first(tool, output)[0]
    tally = failures.tally(tool, output)
    assert count == (tally.passed + tally.failed if tally else 0)


# Passed, failed, set aside.
ASIDE = {
    "pytest": ("s.x [100%]\n=== 1 passed, 1 skipped, 1 xfailed, 2 warnings in 0.02s ===", (1, 0, 2)),
    "unittest": ("Ran 3 tests in 0.001s\n\nOK (skipped=1, expected failures=1)", (1, 0, 2)),
    "node": ("# tests 3\n# suites 0\n# pass 1\n# fail 0\n# cancelled 0\n# skipped 1\n# todo 1\n", (1, 0, 2)),
    "jest": ("Tests:       1 skipped, 1 todo, 2 passed, 4 total\n", (2, 0, 2)),
    "vitest": ("      Tests  2 passed | 1 skipped (3)\n", (2, 0, 1)),
    "mocha": ("  2 passing (3ms)\n  1 pending\n", (2, 0, 1)),
    "cargo": ("test result: ok. 1 passed; 0 failed; 1 ignored; 0 measured\n" * 2, (2, 0, 2)),
    "go": ("--- PASS: TestA (0.00s)\n--- SKIP: TestB (0.00s)\n    a_test.go:9: later\nPASS\n", (1, 0, 1)),
    "make": ("pytest -q\n3 passed, 1 skipped in 0.10s\n", (3, 0, 1)),
}


@pytest.mark.parametrize(("tool", "printed"), ASIDE.items(), ids=ASIDE)
def test_what_was_set_aside_is_counted_by_itself(tool: str, printed: tuple[str, tuple[int, int, int]]) -> None:
    tally = failures.tally(tool, printed[0])

    assert tally is not None
    assert (tally.passed, tally.failed, tally.aside) == printed[1]


@pytest.mark.parametrize("tool", ["pytest", "node", "make", "phpunit"])
def test_without_a_summary_nobody_knows_how_many_ran(tool: str) -> None:
    assert failures.tally(tool, "all 12 tests are fine, 3 passed\n") is None


def test_of_a_tool_that_nobody_knows_the_last_lines_are_told() -> None:
    output = "".join(f"line {number}\n\n" for number in range(30))

    assert [f"line {number}" for number in range(18, 30)] == failures.first("unknown", output)


def test_colours_are_taken_away() -> None:
    assert failures.first("mypy", "a.py:1: \x1b[31merror:\x1b[0m bad") == ["a.py:1: error: bad"]


def test_a_flood_is_cut() -> None:
    output = "".join(f"a.py:{number}:1: F401 unused\n" for number in range(1000))

    assert len(failures.first("ruff", output)) == failures.FIRST
