"""Config is read once; again only where somebody asks, whole, or not at all."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from pathlib import Path

import pytest

from tenterhook import Engine
from tenterhook.errors import ConfigError
from trust.conftest import Trusting

CALL = {"tool_name": "Bash", "tool_input": {"command": "ls"}}
HOOK = '[[hook]]\non = "tool.before"\nname = "{}"\ncommand = "true"\n'


def names(engine: Engine) -> list[str]:
    return [hook.name for hook in engine.hooks()]


@pytest.fixture
def engine(trusting: Trusting) -> Engine:
    trusting.project.write("tenterhook.toml", HOOK.format("old"))
    made = trusting.engine(trust="all")
    made.ready()
    return made


def test_a_later_change_counts_only_after_a_reload(trusting: Trusting, engine: Engine) -> None:
    trusting.project.write("tenterhook.toml", HOOK.format("new"))
    assert [one.hook for one in engine.fire("tool.before", **CALL).attempts] == ["old"]
    engine.reload()

    assert [one.hook for one in engine.fire("tool.before", **CALL).attempts] == ["new"]


def test_a_broken_file_keeps_the_last_good_one_loudly(trusting: Trusting, engine: Engine) -> None:
    trusting.project.write("tenterhook.toml", "[[hook]\n")
    with pytest.raises(ConfigError):
        engine.reload()
    outcome = engine.fire("tool.before", **CALL)

    assert [one.hook for one in outcome.attempts] == ["old"]
    assert any("stays in force" in text for text in outcome.warnings)


def test_a_host_that_wants_warnings_gets_a_warning(trusting: Trusting) -> None:
    trusting.project.write("tenterhook.toml", HOOK.format("old"))
    engine = trusting.engine(trust="all", on_config_error="warn")
    engine.ready()
    trusting.project.write("tenterhook.toml", "[[hook]\n")
    engine.reload()

    assert names(engine) == ["old"]
    assert any("stays in force" in text for text in engine.warnings)


def test_a_file_that_is_mended_counts_and_the_warning_goes(trusting: Trusting, engine: Engine) -> None:
    trusting.project.write("tenterhook.toml", "[[hook]\n")
    with pytest.raises(ConfigError):
        engine.reload()
    trusting.project.write("tenterhook.toml", HOOK.format("new"))
    engine.reload()

    assert names(engine) == ["new"]
    assert not engine.warnings


def test_functions_stay(trusting: Trusting, engine: Engine) -> None:
    engine.add("tool.before", lambda event: None, name="function")
    engine.reload()

    assert sorted(names(engine)) == ["function", "old"]


def test_a_hook_that_runs_once_has_run(trusting: Trusting) -> None:
    trusting.project.write("tenterhook.toml", HOOK.format("old") + "once = true\n")
    with trusting.engine(trust="all") as engine:
        assert len(engine.fire("tool.before", **CALL).attempts) == 1
        engine.reload()

        assert not engine.fire("tool.before", **CALL).attempts


def test_an_approval_counts_after_a_reload(guarded: Trusting) -> None:
    with guarded.engine() as engine:
        assert not engine.fire("tool.before", **CALL).blocked
        guarded.approve()
        engine.reload()

        assert engine.fire("tool.before", **CALL).blocked


def rewrite(file: Path, until: threading.Event) -> None:
    """In place, as editors and scripts do: emptied, half of it, all of it."""
    whole = "".join(HOOK.format(name) for name in ("one", "two", "three"))
    while not until.is_set():
        with open(file, "w") as opened:
            opened.write(whole[: len(whole) // 3])
            opened.flush()
            opened.write(whole[len(whole) // 3 :])


def test_no_half_config_is_used_while_somebody_writes_it(trusting: Trusting) -> None:
    file = trusting.project.write("tenterhook.toml", "".join(HOOK.format(name) for name in ("one", "two", "three")))
    engine, over = trusting.engine(trust="all"), threading.Event()
    engine.ready()
    writer = threading.Thread(target=rewrite, args=(file, over))
    writer.start()
    try:
        until = time.monotonic() + 1.0
        while time.monotonic() < until:
            with contextlib.suppress(ConfigError):
                engine.reload()
            assert names(engine) == ["one", "two", "three"]
    finally:
        over.set()
        writer.join()


def test_a_file_that_is_replaced_in_one_step_is_always_whole(trusting: Trusting) -> None:
    file = trusting.project.write("tenterhook.toml", HOOK.format("one"))
    engine, over = trusting.engine(trust="all"), threading.Event()
    engine.ready()

    def replace() -> None:
        new = file.with_name("new")
        new.write_text(HOOK.format("two"))
        os.replace(new, file)

    def replace_on() -> None:
        while not over.is_set():
            replace()

    replace()
    writer = threading.Thread(target=replace_on)
    writer.start()
    try:
        engine.reload()
    finally:
        over.set()
        writer.join()

    assert names(engine) == ["two"]


def test_an_empty_file_is_a_config_without_hooks_in_the_end(trusting: Trusting, engine: Engine) -> None:
    trusting.project.write("tenterhook.toml", "")
    engine.reload()

    assert not names(engine)


def test_settings_count_anew_after_a_reload(trusting: Trusting, engine: Engine) -> None:
    """The user's word on how hooks are confined and whether outcomes are kept is read with the files."""
    [hook] = engine.hooks()
    profile, _ = engine.confinement.of(hook)
    assert profile is not None
    assert engine.journal is not None
    trusting.project.home(".config/tenterhook/tenterhook.toml", '[settings]\nsandbox = "off"\njournal = false\n')
    engine.reload()

    assert engine.confinement.of(*engine.hooks()) == (None, False)
    assert engine.journal is None
