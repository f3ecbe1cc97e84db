"""The readable form of an outcome: what a person at a terminal sees, and what a hook cannot do to it."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tenterhook.support.terminal.table import table
from tenterhook.support.terminal.text import duration, shorten, visible
from tenterhook.testing import Did, simulate
from tenterhook.tools.report import report
from tenterhook.types import Attempt, Message, Outcome, Skipped


@pytest.fixture(autouse=True)
def _hundred_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")


def outcome(**changed: Any) -> Outcome:
    return Outcome(**{"event": "PreToolUse", "dialect": "wave", "mode": "faithful", **changed})


def attempt(hook: str, **changed: Any) -> Attempt:
    return Attempt(**{"hook": hook, "type": "command", "source": "/etc/hooks.json:7", "exit_code": 0, **changed})


def shown(made: Outcome) -> str:
    return report(made, colour=False)


@pytest.mark.parametrize(
    ("made", "headline"),
    [
        (outcome(), "PreToolUse: goes on  wave, faithful"),
        (outcome(decision="deny", blocked=True), "PreToolUse: blocked  wave, faithful"),
        (outcome(decision="ask"), "PreToolUse: asks  wave, faithful"),
        (outcome(stop=True), "PreToolUse: the agent shall stop  wave, faithful"),
        (outcome(decision="allow"), "PreToolUse: goes on, a hook allowed it  wave, faithful"),
        (outcome(success=False), "PreToolUse: goes on (a hook failed)  wave, faithful"),
        (
            outcome(decision="deny"),
            "PreToolUse: goes on, a hook denied, but this event cannot be blocked  wave, faithful",
        ),
        (
            outcome(mode="observe"),
            "PreToolUse: goes on, observed only: nothing that the hooks decided is applied  wave, observe",
        ),
    ],
)
def test_the_first_line_says_what_the_host_does_next(made: Outcome, headline: str) -> None:
    assert headline == shown(made).split("\n")[0]


def test_every_line_of_the_reason_stands_below_the_headline() -> None:
    lines = shown(outcome(decision="deny", blocked=True, reason="Not here.\nUse trash.")).split("\n")

    assert lines[1:3] == ["  Not here.", "  Use trash."]


def test_what_ran_is_told_with_decision_exit_time_and_place() -> None:
    ran = attempt("./guard.sh", exit_code=2, decision="deny", reason="no", seconds=0.0123)
    text = shown(outcome(decision="deny", blocked=True, reason="no", attempts=(ran,)))

    assert "  deny  ./guard.sh  command  exit 2  12 ms  /etc/hooks.json:7" in text.split("\n")


def test_a_failed_hook_is_told_once_below_its_line_and_not_again_as_a_warning() -> None:
    text = shown(simulate("wave", "PreToolUse", [Did(exit_code=1, stderr="boom")]))

    assert "failed  one" in text
    assert text.count("exit code 1: boom") == 1
    assert "warnings" not in text


def test_after_a_time_out_the_cause_is_shown_and_not_the_signal_that_ended_it() -> None:
    ran = attempt("slow", exit_code=None, error="timeout", signal="SIGTERM", detail="no answer", seconds=60.0)

    assert re.search(r"slow  command  timeout  60 s", shown(outcome(attempts=(ran,))))


def test_a_signal_is_shown_by_its_name() -> None:
    text = shown(simulate("wave", "PreToolUse", [Did(signal="SIGSEGV", detail="killed by SIGSEGV")]))

    assert "command  SIGSEGV" in text


def test_a_single_skipped_hook_is_told_with_its_place() -> None:
    text = shown(outcome(skipped=(Skipped("fmt", "/etc/hooks.json:9", "matcher"),)))

    assert "  matcher  1  fmt  /etc/hooks.json:9" in text.split("\n")


def test_many_skipped_hooks_become_names_and_a_count() -> None:
    many = tuple(Skipped(f"./check-{n}", "f:1", "matcher") for n in range(30))

    assert "  matcher  30  ./check-0, ./check-1, ./check-2, ./check-3, 26 more" in shown(outcome(skipped=many))


def test_untrusted_hooks_come_with_what_to_do() -> None:
    assert "tenter trust" in shown(outcome(skipped=(Skipped("x", "f:1", "untrusted"),)))


def test_texts_of_many_lines_stay_below_their_start() -> None:
    text = shown(outcome(messages=(Message("model", "context", "one\ntwo", "h"),)))

    assert "told\n  model  context  one\n                  two" in text


def test_long_texts_are_cut_with_a_count() -> None:
    text = shown(outcome(messages=(Message("model", "context", "\n".join(map(str, range(100))), "h"),)))

    assert "... 81 more lines" in text


def test_who_said_it_is_told_where_several_hooks_ran() -> None:
    text = shown(simulate("amcp", "PreToolUse", [Did(stdout="first"), Did(stdout="second")]))

    assert "  model  feedback  second  [two]" in text.split("\n")


def test_changes_show_the_new_values() -> None:
    text = shown(outcome(changes={"input": {"command": "ls -l"}}))

    assert 'changes\n  input  {"command":"ls -l"}' in text


def test_a_hook_cannot_move_the_cursor() -> None:
    evil = "\x1b[2J\x9b1A\rgone\u202etxt\ud800"
    ran = attempt(evil, reason=evil, decision="deny", detail=evil, changed=(evil,))
    text = shown(
        outcome(
            reason=evil,
            attempts=(ran,),
            skipped=(Skipped(evil, evil, "matcher"),),
            messages=(Message("user", "system", evil, evil),),
            changes={"output": evil},
            warnings=(evil,),
        )
    )

    assert not set("\x1b\x9b\r\u202e\ud800") & set(text)
    assert r"\x1b[2J" in text


def test_colours_come_only_when_asked_for_and_change_nothing_else() -> None:
    made = simulate("wave", "PreToolUse", [Did(exit_code=2, stderr="no"), Did(exit_code=1, stderr="boom")])
    coloured = report(made, colour=True)

    assert "\x1b[31mblocked\x1b[0m" in coloured
    assert shown(made) == re.sub(r"\x1b\[\d+m", "", coloured)


def test_an_event_without_hooks_says_so() -> None:
    assert "no hook ran: there is none for this event" in shown(outcome())


def test_no_line_is_wider_than_a_hundred_columns() -> None:
    long = "word " * 60
    text = shown(
        outcome(
            reason=long,
            attempts=(attempt(long, decision="deny", reason=long, seconds=1.0),),
            skipped=tuple(Skipped(long, "f:1", "matcher") for _ in range(9)),
            messages=(Message("model", "context", long, "h"),),
            warnings=(long,),
        )
    )

    assert max(map(len, text.split("\n"))) <= 100


def test_cells_of_a_table_stand_below_each_other_whatever_their_colours_and_scripts() -> None:
    rows = [["a", "1"], ["\x1b[2mbb\x1b[0m", "2"], ["日本", "3"]]

    assert table(rows).split("\n") == ["a     1", "\x1b[2mbb\x1b[0m    2", "日本  3"]


def test_shortened_text_keeps_its_end() -> None:
    assert shorten("python3 /a/very/long/way/to/guard.py", 15) == "python...ard.py"


def test_an_emoji_family_stays_one() -> None:
    assert visible("👩\u200d👧") == "👩\u200d👧"


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.0004, "0 ms"), (0.0994, "99 ms"), (0.0996, "0.1 s"), (9.9, "9.9 s"), (60.0, "60 s")]
)
def test_a_duration_has_the_unit_that_fits(seconds: float, words: str) -> None:
    assert words == duration(seconds)


def test_a_reader_of_the_examples_that_has_seen_enough_is_no_failure() -> None:
    demo = Path(__file__).parents[2] / "scripts" / "examples.py"
    with subprocess.Popen([sys.executable, demo], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout
        assert running.stderr
        running.stdout.close()
        said = running.stderr.read()

    assert (running.returncode, said) == (0, b"")


def test_of_a_token_in_a_command_line_not_even_a_part_is_shown() -> None:
    hook = "./guard.sh --token=ghp_" + "a1B2c3D4e5F6" * 3
    left = (Skipped(hook, "x.json:1", "untrusted"), Skipped(f"{hook} ", "x.json:2", "untrusted"))
    told = (Message("user", "system", "hello", hook),)
    many = shown(outcome(attempts=(attempt(hook), attempt("./other")), skipped=left, messages=told))
    alone = shown(outcome(skipped=left[:1]))

    assert "e5F6" not in many + alone
    assert "./guard.sh --token=[redacted]" in alone
