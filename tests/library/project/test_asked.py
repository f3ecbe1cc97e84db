"""The output of a short program: all of it, in time, or nothing."""

import os
import sys
import time

import pytest

from tenterhook.library.project.asked import LARGEST, output_of

ENV = dict(os.environ)


def test_what_it_prints_is_given_back_whole() -> None:
    code = "import sys; sys.stdout.write('x' * 300_000)"

    assert output_of([sys.executable, "-c", code], ENV, 20) == b"x" * 300_000


@pytest.mark.parametrize("words", [["false"], ["sh", "-c", "echo text; exit 3"], ["sh", "-c", "echo text; kill -9 $$"]])
def test_one_that_fails_has_said_nothing(words: list[str]) -> None:
    assert output_of(words, ENV, 20) is None


def test_one_that_is_not_there_has_said_nothing() -> None:
    before = len(os.listdir("/proc/self/fd")) if os.path.exists("/proc/self/fd") else 0

    assert output_of(["no-such-program-anywhere"], ENV, 20) is None
    assert not before or len(os.listdir("/proc/self/fd")) == before


def test_its_time_is_bounded_and_what_it_started_ends_with_it() -> None:
    began = time.monotonic()

    assert output_of(["sh", "-c", "sleep 30 & echo $!; sleep 30"], ENV, 0.3) is None
    assert time.monotonic() - began < 5


def test_its_output_is_bounded() -> None:
    code = f"import os\nwhile True: os.write(1, b'x' * {LARGEST})"

    assert output_of([sys.executable, "-c", code], ENV, 20) is None


def test_it_reads_nothing_of_our_stdin() -> None:
    assert output_of(["cat"], ENV, 20) == b""
