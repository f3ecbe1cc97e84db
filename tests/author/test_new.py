"""`tenter new`: the hook that it writes works, and so does its test."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tenterhook.author import starting
from tenterhook.author.kinds import KINDS
from tenterhook.cli.main import main

FAST = ("-q", "-p", "no:cacheprovider", "-p", "no:tenterhook", "-p", "no:xdist")
KIND = ("tool.before", "tool.after", "turn.stop", "session.start", "notify")


def test_the_tests_that_it_writes_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for kind in KIND:
        assert main(["new", f"my-{kind.replace('.', '-')}", "--kind", kind, "--dir", str(tmp_path / "hooks")]) == 0
    said = capsys.readouterr().out

    words = ("-m", "pytest", *FAST, "hooks")
    done = subprocess.run([sys.executable, *words], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:]
    assert f"pytest {tmp_path}/hooks/test_my_tool_before.py" in said


def test_nothing_is_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "test_guard.py").write_text("mine")

    assert main(["new", "guard", "--dir", str(tmp_path)]) == 1
    assert "is there already" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["test_guard.py"]
    assert (tmp_path / "test_guard.py").read_text() == "mine"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("no/name",), "is not a name for a hook"),
        (("9lives",), "is not a name for a hook"),
        (("class",), "'class' is reserved in Python"),
        (("hook",), "'hook' is reserved in Python or in the file"),
        (("guard", "--kind", "tool.befor"), "unknown kind 'tool.befor' (did you mean 'tool.before'?)"),
    ],
)
def test_a_wrong_name_or_kind_is_refused(
    words: tuple[str, ...], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["new", *words, "--dir", str(tmp_path)]) == 1
    assert said in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_what_is_written_is_python_for_every_kind(kind: str) -> None:
    for text in (starting.hook("my_hook", kind), starting.tests("my_hook", kind)):
        compile(text, "x", "exec")
        assert kind in text
