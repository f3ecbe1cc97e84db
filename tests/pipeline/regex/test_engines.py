"""Other languages' regular expressions in Python's spelling: refused where they are, and fitting what they fit."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from random import Random

import pytest

from tenterhook.pipeline.match import NOT_RUN, match
from tenterhook.pipeline.regex import Beyond, Invalid, to_python

# What is not a regular expression to an engine, and what is one to that engine but not to Python.
REFUSED = {
    "javascript": [
        *("(?i)bash", "(?P<n>B)", "(?i:b)", "a++", "a*+", "(?>B)", "(?#x)B", "{2}", "**", "(", ")", "[", "[z-a]"),
        *("a{2,1}", "^*", r"\b+", "(?<=B)*", "(?<n>a)(?<n>b)", "(?<n>a)|(?<n>b)", "\\"),
    ],
    "javascript-2025": ["(?i)bash", "(?P<n>B)", "(?x:b)", "(?i-i:b)", "(?<n>a)(?<n>b)", "a++"],
    "rust": [
        *("(?=B)", "(?!B)", "(?<=B)", "(?<!B)", r"(B)\1", r"\Z", r"\h", "(?>B)", "(?#x)", "a{,3}", "B{", "{2}", "*a"),
        *("(?a)B", "(?P=n)", "(?P<n>a)(?P<n>b)", r"[\d-x]", "[z-a]", "(?)", "(?i", "a|*"),
    ],
}
FITS = [
    ("javascript", r"\Z", "Z", True),
    ("javascript", r"\ABash", "ABash", True),
    ("javascript", "(?<n>Bash)", "Bash", True),
    ("javascript", "Bash$", "Bash\n", False),
    ("javascript", r"^\d$", "٣", False),
    ("javascript", r"^\w+$", "é", False),
    ("javascript", "a{,3}", "a{,3}", True),
    ("javascript", "[]", "a", False),
    ("javascript", "[^]", "\n", True),
    ("javascript", "^.$", "\u2028", False),
    ("javascript", r"\p{L}", "p{L}", True),
    ("javascript", r"^\s$", "\ufeff", True),
    ("javascript-2025", "^(?i:bash)$", "BASH", True),
    ("javascript-2025", "(?<n>x)|(?<n>Bash)", "Bash", True),
    ("rust", "(?i)bash", "BASH", True),
    ("rust", "Ba(?i)sh|x", "X", True),
    ("rust", "Ba(?i)sh|x", "BASH", False),
    ("rust", "(?P<n>Bash)", "Bash", True),
    ("rust", r"^\d$", "٣", True),
    ("rust", "Bash$", "Bash\n", False),
    ("rust", "^Bas++h**$", "Bash", True),
    ("rust", r"\<Bash\>", "a Bash b", True),
]
NODE = shutil.which("node")
FETCHED = Path(__file__).parents[3] / ".bench" / "clients"
RIPGREP = next(iter(sorted(FETCHED.glob("codex-*/node_modules/@openai/codex-*/vendor/*/codex-path/rg"))), None)
PIECES = (
    *(
        "B",
        "a",
        "Bash",
        "_",
        "-",
        " ",
        "1",
        ".",
        "^",
        "$",
        "|",
        "(",
        "(?:",
        "(?=",
        "(?!",
        "(?<=",
        "(?<n>",
        "(?P<n>",
        ")",
        ")",
    ),
    *(
        "(?i)",
        "(?i:",
        "(?s)",
        "(?U)",
        "(?>",
        "[",
        "]",
        "{",
        "}",
        "[a-z]",
        "[^a-z]",
        "[]",
        "[^]",
        "[]a]",
        "[z-a]",
        "[a-]",
    ),
    *(
        r"\b",
        r"\B",
        r"\d",
        r"\D",
        r"\w",
        r"\W",
        r"\s",
        r"\S",
        r"\Z",
        r"\z",
        r"\A",
        r"\x42",
        r"\x4",
        r"\u0042",
        r"\p{L}",
    ),
    *(r"\0", r"\8", r"\cA", r"\c", r"\-", r"\_", r"\<", r"\h", r"[\w-]", r"[\d-x]", r"[a-\d]", r"[\b]", r"[\S]", "é"),
)
REPEATS = ("", "", "", "", "*", "+", "?", "*?", "{2}", "{1,}", "{0,3}", "{,3}", "{2,1}", "++", "**", "{", "{1")
TARGETS = ("Bash", "bash", "Ba-sh", "B1", "a", "Edit_x", "é", "]a", "{,3}", "Z", "p{L}", " ", "ab12")


def patterns(count: int, seed: int) -> list[str]:
    random = Random(seed)
    return [
        "".join(random.choice(PIECES) + random.choice(REPEATS) for _ in range(random.choice((1, 2, 2, 3, 4))))
        for _ in range(count)
    ]


def ours(pattern: str, engine: str) -> list[bool] | str:
    """What it fits among the targets; or "refused", or "beyond" what Python can say."""
    try:
        compiled = re.compile(to_python(pattern, engine))
    except Invalid:
        return "refused"
    except (Beyond, re.error):
        return "beyond"
    return [bool(compiled.search(target)) for target in TARGETS]


@pytest.mark.parametrize(("engine", "pattern"), [(engine, one) for engine, many in REFUSED.items() for one in many])
def test_what_the_engine_refuses_fits_nothing(engine: str, pattern: str) -> None:
    test = match(pattern, f"names-or-regex@{engine}")

    assert ours(pattern, engine) == "refused"
    assert test is not None
    assert not any(map(test, TARGETS))


@pytest.mark.parametrize(("engine", "pattern", "target", "fits"), FITS)
def test_a_pattern_fits_what_its_own_engine_says(engine: str, pattern: str, target: str, fits: bool) -> None:
    assert bool(re.search(to_python(pattern, engine), target)) is fits


@pytest.mark.parametrize(("engine", "pattern"), [("javascript", r"(B)\1"), ("rust", r"\p{Greek}"), ("rust", "(?x) B")])
def test_what_python_cannot_say_is_not_run_and_counts_as_fitting(engine: str, pattern: str) -> None:
    test = match(pattern, f"regex-search@{engine}")

    assert test is not None
    assert test("Bash") is NOT_RUN


@pytest.mark.skipif(NODE is None, reason="node is not there")
def test_javascript_is_judged_as_node_judges_it() -> None:
    program = (
        "const d = JSON.parse(require('fs').readFileSync(0));"
        "console.log(JSON.stringify(d.patterns.map(p => { let r; try { r = new RegExp(p) } catch { return 'refused' }"
        " return d.targets.map(t => r.test(t)) })))"
    )
    drawn = patterns(4000, 5)
    given = json.dumps({"patterns": drawn, "targets": TARGETS})
    done = subprocess.run([NODE or "", "-e", program], input=given, capture_output=True, text=True, check=True)
    # Newer engines take modifiers.
    pairs = [(one, ours(one, "javascript"), theirs) for one, theirs in zip(drawn, json.loads(done.stdout), strict=True)]

    assert [pair for pair in pairs if pair[1] not in (pair[2], "beyond") and "(?i:" not in pair[0]] == []


@pytest.mark.skipif(RIPGREP is None, reason="ripgrep, which has Rust's engine, is fetched by make clients")
def test_rust_is_judged_as_ripgrep_judges_it() -> None:
    def theirs(pattern: str) -> list[bool] | str:
        words = [str(RIPGREP), "--no-config", "-n", "-e", pattern, "-"]
        done = subprocess.run(words, input="\n".join(TARGETS) + "\n", capture_output=True, text=True)
        hits = {int(line.split(":", 1)[0]) for line in done.stdout.splitlines()}
        return "refused" if done.returncode == 2 else [n + 1 in hits for n in range(len(TARGETS))]

    pairs = [(one, ours(one, "rust"), theirs(one)) for one in patterns(150, 6)]

    assert [pair for pair in pairs if pair[1] not in (pair[2], "beyond")] == []
