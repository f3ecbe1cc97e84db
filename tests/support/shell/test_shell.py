"""The reader of shell commands, against bash itself where that is there, and with anything at all."""

from __future__ import annotations

import shutil
import subprocess
import time

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from tenterhook.library.actions.settings import ActionSettings
from tenterhook.library.guard import danger
from tenterhook.library.guard.paths import Territory
from tenterhook.support.shell import parse
from tenterhook.support.shell.calls import calls
from tenterhook.support.shell.expand import fields

BASH = shutil.which("bash")
needs_bash = pytest.mark.skipif(not BASH, reason="bash is not there")
quick = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])

# What words are made of; none of it changes anything when it is run.
QUOTED = [
    "a",
    "b-c",
    "'x y'",
    '"x y"',
    '""',
    "''",
    "\\ ",
    "\\'",
    '\\"',
    "$'\\x41\\n'",
    "$'\\''",
    '"\\$a\\b"',
    "a=b",
    "\\\n",
    "#",
]
PARTS = [
    *QUOTED,
    "{p,q}",
    "{p",
    "{,x}",
    "}",
    ",",
    "{a,{b,c}}",
    "é",
    '"it\'s"',
    "\\\\",
    "'#'",
    ":",
    "%s",
    "-n",
    "$'\\101\\tz'",
]
# Words of a script, and what stands between them.
TOKENS = [
    *"a b x=1 'q' \"q\" $x ${x:-y} $(a) `a` $((1+2)) { } ( ) ; & | && || if then else elif fi while do done".split(),
    *"for in case esac ;; ! time f() >f <f 2>&1 >>f <<<x ' \" ` $( [[ ]] (( )) until function #c &>f".split(),
    "\n",
]


def words_of(text: str) -> list[str]:
    """The fields of a text's first command."""
    script = parse(text)
    assert not script.problem
    return [field for word in script.commands[0].words for field in fields(word, {})]


def bash(*words: str) -> subprocess.CompletedProcess[bytes]:
    environ = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": "/"}
    return subprocess.run([str(BASH), "--norc", *words], capture_output=True, env=environ, timeout=60)


@needs_bash
@quick
@given(st.lists(st.lists(st.sampled_from(PARTS), min_size=1, max_size=5).map("".join), max_size=5))
@example(["{a,b}{c,d}", "\\", "x"])
@example(["#\\\n}"])
def test_words_are_what_bash_makes_of_them(words: list[str]) -> None:
    text = "printf '%s\\0' . " + " ".join(words)

    done = bash("-fc", text)
    assume(b"syntax error" not in done.stderr)  # in a later line: the first has run by then

    assert words_of(text)[2:] == done.stdout.decode().split("\0")[:-1]


@needs_bash
@quick
@given(st.lists(st.sampled_from(TOKENS), max_size=9).map(" ".join))
@example("a <<E\n$(b)\nE")
@example("case x in (a|b) c;; d) esac")
@example("for ((;;)); do a; done")
@example("if a; then b; elif c; then d; else e; fi | f")
def test_what_bash_takes_is_read_without_a_problem(text: str) -> None:
    """The other way round a few texts are read that bash refuses, which does no harm: they do not run.

    What stands in backquotes bash looks at only when it runs, and an empty [[ ]] hides an error from it.
    """
    done = bash("-nc", text)

    if not done.returncode and not done.stderr and "`" not in text and "[[ ]]" not in text:
        assert not parse(text).problem


@needs_bash
@quick
@given(
    st.lists(st.sampled_from([*QUOTED, "'", '"', "`", "$(", ")", "${x", "}", " ", "|", ";", "&&"]), max_size=8).map(
        "".join
    )
)
def test_what_is_not_closed_is_a_problem_as_it_is_for_bash(text: str) -> None:
    done = bash("-nc", f"a {text}")

    if b"unexpected EOF" in done.stderr:
        assert parse(f"a {text}").problem


@quick
@given(st.text(max_size=200))
def test_no_text_is_too_much(text: str) -> None:
    calls(text, folder="/x", home="/home/x")


@quick
@given(
    st.lists(
        st.sampled_from([*TOKENS, *PARTS, "sh -c", "eval", "xargs", "sudo", "find . -exec", "<<E", "\nE\n"]),
        max_size=30,
    )
)
def test_no_script_is_too_much(tokens: list[str]) -> None:
    for between in ("", " "):
        calls(between.join(tokens), folder="/x", home="/home/x")


REPEATED = [
    *"a a; ( (( $(( $( ` ' \" \\ { {a,b} {, a, $x ${x:- $(a) $() x=$x$x; a| $'\\x41' x=( \x00 é <(a)".split(),
    *'"$( a=$('.split(),
    *("a ", "a <<E\n", "sudo ", "eval ", "rm -rf / ;", "case x in a) ", "if ", "\n", "#\n", "[[ "),
    *("sh -c ", "echo a|sh\n", "f(){ ", "find . -exec ", "> /etc/x ", "cd ..;", "((a) "),
    *("psql -c '/* ", "for x in a b; do ", "git push -f;", "x=a;$x$x ", "rm ", "'a' "),
]


@pytest.mark.parametrize("part", REPEATED)
def test_a_mebibyte_of_anything_is_looked_through_at_once(part: str) -> None:
    text = (part * (1 << 20))[: 1 << 20]
    place = Territory("/srv/project", ActionSettings())
    start = time.process_time()

    danger.findings(text, place, "/srv/project")

    assert time.process_time() - start < 3  # a second on a machine that does nothing else


@pytest.mark.parametrize(
    ("text", "calls_of_it"),
    [
        ("a | b", [["a"], ["b"]]),
        ("a && b || c; d & e", [["a"], ["b"], ["c"], ["d"], ["e"]]),
        ("x=1 y=2 a b", [["a", "b"]]),
        ("a >f 2>&1 b <g", [["a", "b"]]),
        ("if a; then b; elif c; then d; else e; fi", [["a"], ["b"], ["c"], ["d"], ["e"]]),
        ("while a; do b; done", [["a"], ["b"]]),
        ("case $x in a|b) c;; (d) e;; esac", [["c"], ["e"]]),
        ("f() { a; }; function g { b; }", [["a"], ["b"]]),
        ("(a; b) | { c; }", [["a"], ["b"], ["c"]]),
        ("! a; time -p b", [["a"], ["b"]]),
        ("a $(b $(c)) `d`", [["c"], ["b", "\0"], ["d"], ["a", "\0", "\0"]]),
        ("a <(b) >(c)", [["b"], ["c"], ["a", "\0", "\0"]]),
        ("a <<E b\n$(c)\nE\nd", [["a", "b"], ["c"], ["d"]]),
        ("a <<'E'\n$(c)\nE\nd", [["a"], ["d"]]),
        ("a # b\nc", [["a"], ["c"]]),
        ("a#b '#' c", [["a#b", "#", "c"]]),
        ("[[ a < b && $(c) ]] && d", [["c"], ["d"]]),
        ("((x > $(a))); b", [["a"], ["b"]]),
        ("x=(a $(b)); c", [["b"], ["c"]]),
        ('"${x:-$(a)}"', [["a"], ["\0", "\0"]]),
    ],
)
def test_a_text_becomes_its_simple_commands(text: str, calls_of_it: list[list[str]]) -> None:
    script = parse(text)
    named = [[field for word in one.words for field in fields(word, {})] for one in script.commands]

    assert not script.problem
    assert [words for words in named if words] == calls_of_it


def test_a_command_knows_what_is_piped_into_it() -> None:
    called, _ = calls("(a; b) | c | sudo d", folder="/x", home="/h")

    assert {one.program: [fed.program for fed in one.fed] for one in called} == {
        "a": [],
        "b": [],
        "c": ["a", "b"],
        "d": ["c"],
    }


def test_folders_and_variables_are_followed() -> None:
    called, _ = calls("cd a; x=b; (cd /c; ls $x); ls; cd $y; ls", folder="/p", home="/h")

    assert [(one.words, one.folder) for one in called if one.program == "ls"] == [(["b"], "/c"), ([], "/p/a"), ([], "")]


def test_a_text_in_a_text_in_a_text_is_read_to_a_depth() -> None:
    text = "ls"
    for _ in range(6):
        text = "sh -c " + "'" + text.replace("'", "'\\''") + "'"

    called, problem = calls(text, folder="/p", home="/h")
    assert (called[-1].program, problem) == ("ls", "")
    assert calls("eval " * 30 + "ls", folder="/p", home="/h")[1] == "its parts are nested too deeply"
