"""Patterns that a config brings: harmless ones mean what they always meant, the others are not run and told of."""

import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tenterhook.cli.main import main
from tenterhook.pipeline.match import GLOB, NOT_RUN, SOON, USUAL, match
from tenterhook.pipeline.regex.cost import nanoseconds
from tenterhook.pipeline.regex.re2 import engine as re2
from tenterhook.pipeline.regex.re2 import linear

EVIL = [
    *("(a+)+b", "(a|a)*b", "(a|aa)+$", "([a-zA-Z]+)*1", r"(\w+\s?)*!", "(x+x+)+y", "(.*a){12}$", "(?i)(A+a+)+b"),
    *(
        "a?" * 28 + "a" * 28,
        ".*.*.*.*.*.*=",
        "((a*)*)*c",
        "(?=(a+)+b)a",
        "(a|b|ab)*c",
        "(a{0,9}){0,9}b",
        "(.*)*x",
        "(?a)(\\w|ä)*(\\W|ä)*(ä|\\W)*(\\W*ä)*b",
    ),
    *(
        "^(([a-z])+.)+[A-Z]([a-z])+$",
        "([^x]+)*y",
        "(?:a|a)" * 30 + "b",
        "(?:a+){10}b",
        r"(?:\s*\w*)*;",
        "(a|A(?i:a))*b",
    ),
]
HARMLESS = [
    *("mcp__.*", "Write|Edit|MultiEdit", "^(Bash|Shell)$", "mcp__[a-z]+__.*", r"mcp__\w+__\w+", ".*foo.*bar.*"),
    *("^mcp__[a-z]+(_[a-z]+)*$", "(Notebook)?Edit.*", "(?i)bash|shell", "^(?!Bash).*$", "Write|Edit.*|.*Read"),
    *(r"[A-Z]\w*Tool", "(foo|bar)+", "([a-z]+_)*x", r"run_(shell|code)_\w+", r"\bfoo\b", ".*(write|edit|delete).*"),
    *("mcp__(github|gitlab)__(create|delete)_.*", "^.*_(read|list)(_.*)?$", "(?:[A-Za-z0-9]+[-_])*[A-Za-z0-9]+"),
    *(
        r"(\w)\1",
        "a{2,5}",
        "(?>a+)b",
        "a*+b",
        "[^_]+_[^_]+",
        r"(\w+\s)*\w+",
        r"(\d+\D)+x",
        r"[^\W\d]+(?:\d[^\W\d]+)*",
        r"(?P<server>\w+)__(?P<tool>\w+)",
        r"\d{1,3}(\.\d{1,3}){3}",
    ),
]
KINDS = ["regex-full", "regex-search"]


@pytest.mark.skipif(re2() is not None, reason="google-re2 is installed and runs them")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("pattern", EVIL, ids=lambda text: text[:30])
def test_an_evil_pattern_is_not_run_and_counts_as_matching(pattern, kind):
    test = match(pattern, kind)

    assert test
    assert test("a" * 40) is NOT_RUN
    assert bool(test("a"))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("pattern", HARMLESS)
def test_a_harmless_pattern_means_what_it_always_meant(pattern, kind):
    test, plain = match(pattern, kind), re.compile(pattern)
    own = plain.fullmatch if kind == "regex-full" else plain.search

    assert test
    for target in ("Bash", "mcp__github__create_issue", "foo_bar", "a" * USUAL, "10.0.0.1", "", "ääb", "foofoo\n"):
        assert bool(test(target)) == bool(own(target))
        assert test(target) is not NOT_RUN


@pytest.mark.parametrize("kind", ["glob", "glob-nocase"])
@pytest.mark.parametrize("pattern", ["*a" * 24 + "*b", "?*" * 24 + "!", "*[ab]" * 24 + "c", "*a*a*a*b|*x*x*x*y"])
def test_a_glob_with_many_stars_is_run_and_ends_soon(pattern, kind):
    test = match(pattern, kind)
    begun = time.monotonic()

    assert test
    for target in ("a" * 40, "x" * 40, "ab" * 5000 + "a"):
        assert not test(target)
    assert time.monotonic() - begun < 5


def test_a_set_that_python_warns_of_is_judged_without_a_warning():
    test = match("([[a-z]+_)*x--&&y", "regex-search")

    assert test
    assert test("a_x--&&y")


def test_a_text_that_is_too_long_for_a_glob_counts_as_matching():
    test = match("*" + "a" * 99 + "b", "glob")

    assert test
    assert test("a" * (GLOB // 100)) is NOT_RUN
    assert test("a" * 1000) is None


def test_a_pattern_that_takes_long_on_long_texts_alone_is_run_on_short_ones():
    test = match(".*foo.*bar.*baz", "regex-full")

    assert test
    assert test("foobarbaz")
    assert test("x" * USUAL) is None
    assert test("foo" * 100_000) is NOT_RUN


def test_the_outcome_says_which_pattern_was_not_run(project):
    pattern = r"(a)?(a+)+\1$" if re2() else "(a+)+$"
    project.write(
        "tenterhook.toml", f"[[hook]]\non = 'tool.before'\ncommand = 'exit 2'\nname = 'guard'\nmatch = '{pattern}'\n"
    )

    outcome = project.fire("tenterhook", "tool.before", {"tool_name": "a" * 40 + "!"})

    assert outcome.blocked
    assert any(text.startswith(f"guard: the matcher {pattern!r} was not tried") for text in outcome.warnings)


def test_a_condition_on_an_endless_text_counts_as_fitting_and_is_told_of(project):
    engine = project.engine("tenterhook", files=False)
    engine.add("tool.before", lambda event: {"decision": "deny"}, name="guard", condition={"tool_input.text": "*" * 99})

    outcome = engine.fire("tool.before", tool_name="Bash", tool_input={"text": "a" * (GLOB // 99 + 1)})

    assert outcome.blocked
    assert any("guard: the condition on 'tool_input.text' was not tried" in text for text in outcome.warnings)


@pytest.mark.skipif(re2() is not None, reason="google-re2 is installed and runs it")
def test_check_tells_of_it_before_anything_runs(project, capsys):
    project.write("tenterhook.toml", "[[hook]]\non = 'tool.before'\ncommand = 'true'\nmatch = '(a+)+b'\n")

    main(["check", "--project", str(project.root)])

    assert "the matcher '(a+)+b' might take very long on some names" in capsys.readouterr().out


# ---- no pattern that is cleared takes long

ATOMS = st.sampled_from(
    ["a", "b", "ab", "[ab]", ".", r"\w", r"\s", r"\W", "ä", "[^a]", "A", r"\b", "a|b", "a|ab", "", "$", "(?=a)", r"\1"]
)
REPEATS = st.sampled_from(["", "", "*", "+", "?", "*?", "{0,3}", "{2,}", "{3}", "*+"])


def grouped(parts):
    inner = st.lists(parts, min_size=1, max_size=3).map("".join)
    return st.tuples(st.sampled_from(["(", "(?:", "(?>"]), inner, REPEATS).map(lambda one: f"{one[0]}{one[1]}){one[2]}")


REPEATED = st.tuples(ATOMS, REPEATS).map(lambda one: f"(?:{one[0]}){one[1]}")
PATTERNS = st.lists(st.recursive(REPEATED, grouped, max_leaves=8), min_size=1, max_size=6).map("".join)
ADVERSARIES = [
    *("a" * 64, "ab" * 32, "a" * 63 + "!", "aA" * 31 + "!", "b" + "a" * 62 + "c", "aab" * 21),
    *("ä " * 32, "ä" * 64, "a " * 32),
]
LIMIT = 5.0


def too_slow(number, frame):
    raise TimeoutError


@contextmanager
def within(seconds):
    """The matcher heeds signals: a pattern that was cleared wrongly must not stop the tests."""
    before = signal.signal(signal.SIGVTALRM, too_slow)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@settings(max_examples=150, deadline=None)
@given(PATTERNS, st.booleans())
@example("(a|b)*c", False)
@example("(?:a?){3}" * 4 + "!", True)
def test_a_pattern_that_is_cleared_never_takes_long(pattern, ignore_case):
    pattern = f"(?i){pattern}" if ignore_case else pattern
    try:
        compiled = re.compile(pattern)
    except re.error:
        return
    if nanoseconds(pattern, USUAL, search=True) > SOON:
        return
    with within(LIMIT):
        for text in ADVERSARIES:
            compiled.search(text)
            compiled.fullmatch(text)


@pytest.mark.parametrize("pattern", ["(" * 200 + "a" + ")*" * 200, "(?:" * 90 + "a" + ")?" * 90, "a|" * 3000 + "b"])
def test_a_look_at_a_pattern_takes_no_time_itself(pattern):
    begun = time.process_time()
    try:
        nanoseconds(pattern, USUAL, search=True)
    finally:
        assert time.process_time() - begun < 5


# ---- RE2, where it is installed


@pytest.mark.skipif(re2() is None, reason="google-re2 is not installed")
@pytest.mark.parametrize("pattern", EVIL, ids=lambda text: text[:30])
def test_re2_runs_what_it_reads_as_python_does(pattern):
    test = linear(pattern, search=False)
    if test is None:
        return
    for target in ("a", "ab", "aab", "xxy", "a1", "ab c!", "aaB"):
        assert bool(test(target)) == bool(re.fullmatch(pattern, target))
    assert test("ä") is NOT_RUN


@pytest.mark.skipif(re2() is None, reason="google-re2 is not installed")
@pytest.mark.parametrize("pattern", ["(a+)++b", "(?>a+)+b", "(a{,3})+b", r"(a+)+\1", "(?=a)(a+)+b", "([[:alpha:]]+)+"])
def test_re2_is_not_asked_where_it_would_mean_something_else(pattern):
    assert linear(pattern, search=False) is None


def test_without_re2_nothing_stands_in_for_it():
    lines = ("import sys", f"sys.path[:0] = {sys.path!r}", "sys.modules['re2'] = None")
    code = "\n".join(
        [*lines, "from tenterhook.pipeline.regex.re2 import linear", "print(linear('(a+)+b', search=True))"]
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)

    assert done.stdout == "None\n"
