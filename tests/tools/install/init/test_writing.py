"""All files of an init or an undo, or none: what happens where one cannot be written."""

from pathlib import Path
from typing import Any

import pytest

from tenterhook.errors import UsageError
from tenterhook.tools.install.editing import writing

from .conftest import Init, snapshot, write


@pytest.mark.parametrize("failing", range(1, 9))
@pytest.mark.parametrize("words", [(), ("--undo",)])
def test_where_a_write_fails_everything_is_as_it_was(
    failing: int, words: tuple[str, ...], init: Init, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(".claude/settings.json", "{}")
    write(".claude/hooks/moai/handle-stop.sh", "#!/bin/sh\n")
    if words:
        init("--dialect", "moai", "--replace")
    before, calls, real = snapshot(Path()), 0, writing.write

    def write_or_fail(*given: Any) -> None:
        nonlocal calls
        calls += 1
        if calls == failing:
            raise OSError(28, "No space left on device", given[0])
        real(*given)

    monkeypatch.setattr(writing, "write", write_or_fail)
    ran = init("--dialect", "moai", *(words or ("--replace",)))

    assert ran.code == 1
    assert ran.err.endswith(": No space left on device; nothing was changed\n")
    assert snapshot(Path()) == before


def test_a_file_where_a_folder_must_be_is_told(init: Init) -> None:
    write(".wave/hooks", "mine")
    ran = init("--dialect", "wave")

    assert ran.code == 1
    assert ".wave/hooks: File exists; nothing was changed\n" in ran.err
    assert list(snapshot(Path())) == [".wave", ".wave/hooks"]


def test_what_cannot_be_put_back_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, calls = writing.write, 0

    def write_once(*given: Any) -> None:
        nonlocal calls
        calls += 1
        if calls > 1:
            raise OSError(28, "No space left on device", given[0])
        real(*given)

    monkeypatch.setattr(writing, "write", write_once)
    changes = [writing.Change(str(tmp_path / name), None, b"ours") for name in ("first", "second")]
    with pytest.raises(UsageError, match=f"{tmp_path}/first could not be put back: No space left on device"):
        writing.commit(changes)


def test_an_interrupt_between_two_writes_leaves_nothing_behind(init: Init, monkeypatch: pytest.MonkeyPatch) -> None:
    real = writing.write

    def write_or_stop(path: str, data: bytes | None, mode: int | None) -> None:
        real(path, data, mode)
        if data is not None and path.endswith("settings.json"):
            raise KeyboardInterrupt

    monkeypatch.setattr(writing, "write", write_or_stop)

    assert init("--dialect", "wave").code == 130
    assert snapshot(Path()) == {}


def test_a_config_that_changes_in_the_same_moment_is_not_overwritten(tmp_path: Path) -> None:
    path = write(str(tmp_path / "file"), "new")
    with pytest.raises(UsageError, match="was changed by another program just now"):
        writing.commit([writing.Change(str(path), b"old", b"ours")])

    assert path.read_text() == "new"
