"""Read a tool's output: the first failures and the numbers of tests; for an unknown tool, its last lines."""

from __future__ import annotations

import re

FIRST, LAST = 12, 12
WHERE = r"^[^\s:][^:\n]*:\d+(?::\d+)?:? .*"
# The lines that name a problem, by tool.
LINES = {
    "pytest": r"^(?:FAILED|ERROR) \S.*|^E  .*|^[^\s:]+:\d+: in .*",
    "unittest": r"^(?:FAIL|ERROR): .*|^\w[\w.]*(?:Error|Exception|Failure)\b.*|^  File .*",
    "node": r"^[ \t]*not ok \d+.*|^[ \t]*location: .*|^[ \t]*error: (?!\|).*|^[ \t]*.+ !== .+$|^\w*Error\b.*",
    "jest": r"^[ \t]*● .*|^[ \t]*(?:Expected|Received)\b.*|^[ \t]*at .*\.(?:test|spec)\..*",
    "vitest": r"^[ \t]*(?:FAIL|×) .*|^[ \t]*\w*Error: .*|^[ \t]*❯ .*:\d+:\d+",
    "mocha": r"^[ \t]*\d+\) .*|^[ \t]*\w*Error\b.*",
    "ruff": WHERE,
    "flake8": WHERE,
    "mypy": r".*: error: .*",
    "pyright": r".* - error: .*",
    "tsc": r".*\(\d+,\d+\): error .*|.*:\d+:\d+ - error .*|^error .*",
    "eslint": r"^\S.*\.\w+$|^[ \t]+\d+:\d+\s+error\s.*",
    "go": r"^[ \t]*--- FAIL.*|^[ \t]*\S+\.go:\d+.*|^FAIL[ \t].*|^panic: .*",
    "cargo": r"^error(?:\[\w+\])?:.*|^[ \t]*--> .*|^thread '.*' .*panicked at.*|^assertion .*|^ +(?:left|right): .*",
}
# The meaning of the numbers in a tool's summary. Of several summaries the last counts; cargo prints one per program.
SUMMARY = {
    "pytest": r"^.*\b\d+ (?:passed|failed|errors?|skipped|xfailed|xpassed|deselected)\b.* in [\d.]+s.*$",
    "unittest": r"^Ran \d+ tests?.*\n(?:\n[A-Z].*)?",
    "node": r"^# tests \d+\n(?:# .*\n?)*",
    "jest": r"^Tests:.* total",
    "vitest": r"^[ \t]*Tests .*\(\d+\)",
    "mocha": r"^[ \t]*\d+ passing.*(?:\n[ \t]*\d+ (?:failing|pending).*)*",
    "cargo": r"^test result: .*",
    "go": r"^[ \t]*--- (?:PASS|FAIL|SKIP): .*",
}
PASSED = r"(\d+) pass(?:ed|ing)|^# pass (\d+)|--- (PASS)"
FAILED = (
    r"(\d+) (?:failed|failing|errors?)\b|(?<!expected )\b(?:failures|errors)=(\d+)|^# (?:fail|cancelled) (\d+)"
    r"|--- (FAIL)"
)
ASIDE = (
    r"(\d+) (?:skipped|xfailed|xpassed|pending|todo|ignored)\b|^# (?:skipped|todo) (\d+)|--- (SKIP)"
    r"|\b(?:skipped|expected failures|unexpected successes)=(\d+)"
)
EACH = ("cargo", "go")
# Tools that always print a summary if we choose their options: without it the run was cut short.
SURE = ("pytest", "unittest", "node", "cargo", "go")
COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def first(tool: str, output: str) -> list[str]:
    """Each line once, in the tool's order; pytest's summary, which comes last, is moved first."""
    output = COLOUR.sub("", output)
    pattern = LINES.get(tool)
    found = list(dict.fromkeys(line.rstrip() for line in re.findall(f"(?m){pattern}", output))) if pattern else []
    found.sort(key=lambda line: not line.startswith(("FAILED ", "ERROR ")))
    if found:
        return found[:FIRST]
    return [line.rstrip() for line in output.splitlines() if line.strip()][-LAST:]


class Tally:
    """The numbers of tests that passed, failed, and were set aside: skipped, to do, or expected to fail."""

    __slots__ = ("aside", "failed", "passed")

    def __init__(self, passed: int, failed: int, aside: int) -> None:
        self.passed, self.failed, self.aside = passed, failed, aside


def tally(tool: str, output: str, folder: str = "") -> Tally | None:
    """The numbers in a tool's summary; None if there is none, or the tool is not known.

    A tool that only calls another one, such as make, is recognised by the other one's output.
    """
    output = COLOUR.sub("", output)
    for name in (tool,) if tool in SUMMARY else SUMMARY:
        found = re.findall(f"(?m){SUMMARY[name]}", output)
        if found:
            text = "\n".join(found if name in EACH else found[-1:])
            made = Tally(sum_matches(PASSED, text), sum_matches(FAILED, text), sum_matches(ASIDE, text))
            if name == "unittest":
                total = int(re.findall(r"\d+", text)[0])
                made.passed = max(0, total - made.failed - made.aside)
            if name == "node":
                made.passed -= files_without_tests(output, folder)
            return made
    return None


def sum_matches(pattern: str, text: str) -> int:
    groups = (one for match in re.finditer(f"(?m){pattern}", text) for one in match.groups() if one)
    return sum(int(one) if one.isdigit() else 1 for one in groups)


def files_without_tests(output: str, folder: str) -> int:
    """Count files without tests, each of which `node --test` reports as a test that passed, under the file's name."""
    import os

    names = re.findall(r"(?m)^ok \d+ - (.+\.[cm]?[jt]sx?)$", output)
    return sum(os.path.isfile(os.path.join(folder, name)) for name in names)


def parse_junit_report(text: str) -> Tally | None:
    """The numbers of the first suite in a JUnit report."""
    suite = re.search(r"<testsuite\s[^>]*>", text)
    if not suite:
        return None
    numbers = {name: int(number) for name, number in re.findall(r'\b(\w+)="(\d+)"', suite[0])}
    failed, aside = numbers.get("failures", 0) + numbers.get("errors", 0), numbers.get("skipped", 0)
    return Tally(max(0, numbers.get("tests", 0) - failed - aside), failed, aside)
