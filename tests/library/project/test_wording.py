"""Names and lists, written for people."""

import os

from tenterhook.library.project import wording


def test_a_name_becomes_one_printable_line() -> None:
    assert wording.plain("a\nb\x1b[31m") == "a?b?[31m"
    assert wording.plain(os.fsdecode(b"caf\xe9")) == "caf\\udce9"
    assert wording.plain("x" * 500, 20) == "x" * 17 + "..."


def test_a_long_text_is_cut_and_says_so() -> None:
    lines = wording.truncate_lines([f"line {number}" for number in range(100)]).splitlines()

    assert len(lines) == wording.LINES
    assert lines[-1] == "... and 81 more lines"


def test_long_lines_are_cut_too() -> None:
    text = wording.truncate_lines(["x" * 300] * 15)

    assert len(text) <= wording.CHARACTERS
    assert text.endswith("more lines")


def test_what_fits_stays_as_it_is() -> None:
    exactly = [str(number) for number in range(wording.LINES)]

    assert wording.truncate_lines(exactly) == "\n".join(exactly)
    assert wording.format_name_list(["a", "b"]) == "a, b"
    assert wording.format_name_list(list("abcdefg"), 2) == "a, b and 5 more"
    assert (wording.count_with_noun(1, "test"), wording.count_with_noun(2, "test")) == ("1 test", "2 tests")
