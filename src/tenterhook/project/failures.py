"""The first failures and the number of tests, out of what a tool printed; of an unknown tool, its last lines."""

from __future__ import annotations

import re

FIRST, LAST = 12, 12
WHERE = r"^[^\s:][^:\n]*:\d+(?::\d+)?:? .*"
# The lines that say what is wrong, by tool.
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
COUNTS = {
    "pytest": r"(\d+) (?:passed|failed|errors?)\b(?=.* in [\d.]+s)",
    "unittest": r"^Ran (\d+) tests?",
    "node": r"^# tests (\d+)",
    "jest": r"^Tests:.* (\d+) total",
    "vitest": r"^[ \t]*Tests .*\((\d+)\)",
    "mocha": r"^[ \t]*(\d+) (?:passing|failing)",
    "cargo": r"^test result: .*? (\d+) passed|; (\d+) failed;",
}
COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def first(tool: str, output: str) -> list[str]:
    """Each line once, in the tool's order; pytest's summary, which stands last, comes first."""
    output = COLOUR.sub("", output)
    pattern = LINES.get(tool)
    found = list(dict.fromkeys(line.rstrip() for line in re.findall(f"(?m){pattern}", output))) if pattern else []
    found.sort(key=lambda line: not line.startswith(("FAILED ", "ERROR ")))
    if found:
        return found[:FIRST]
    return [line.rstrip() for line in output.splitlines() if line.strip()][-LAST:]


def count(tool: str, output: str) -> int:
    """How many tests ran; 0 where the tool does not say."""
    pattern = COUNTS.get(tool)
    if not pattern:
        return 0
    found = re.findall(f"(?m){pattern}", COLOUR.sub("", output))
    return sum(int(number) for one in found for number in (one if isinstance(one, tuple) else (one,)) if number)
