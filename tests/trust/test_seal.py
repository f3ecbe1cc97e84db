"""A hook that is changed after its engine has read it: looked at before each run, and after it."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

import pytest

from tenterhook.trust.parts import ground, part
from tenterhook.trust.seal import Seal
from trust.conftest import Trusting

CALL = {"tool_name": "Bash", "tool_input": {"command": "ls"}}


def test_a_script_that_changes_between_two_events_does_not_run_again(guarded: Trusting) -> None:
    guarded.approve()
    with guarded.engine() as engine:
        assert engine.fire("tool.before", **CALL).reason == "no"
        guarded.project.script("guard.sh", "touch other\n")
        outcome = engine.fire("tool.before", **CALL)

    assert outcome.decision == "ask"
    assert not guarded.project.has("other")


def test_the_same_on_a_loop(guarded: Trusting) -> None:
    guarded.approve()

    async def both() -> tuple[str, str]:
        async with guarded.engine() as engine:
            first = await engine.afire("tool.before", **CALL)
            guarded.project.script("guard.sh", "touch other\n")
            return first.decision, (await engine.afire("tool.before", **CALL)).decision

    assert asyncio.run(both()) == ("deny", "ask")
    assert not guarded.project.has("other")


def test_a_script_that_is_written_anew_with_the_same_bytes_still_runs(guarded: Trusting) -> None:
    guarded.approve()
    text = guarded.project.read("guard.sh")
    with guarded.engine() as engine:
        (guarded.root / "guard.sh").unlink()
        guarded.project.write("guard.sh", text)

        assert engine.fire("tool.before", **CALL).reason == "no"


@pytest.mark.parametrize("last", ["#", ""], ids=["and stays changed", "and is put back"])
def test_what_a_hook_says_does_not_count_where_it_changed_while_it_ran(trusting: Trusting, last: str) -> None:
    """An allow of something that was never approved, say: swapped in after the look before the run."""
    trusting.project.write("tenterhook.toml", '[[hook]]\non = "tool.before"\ncommand = "./guard.sh"\n')
    body = 'cp guard.sh copy; mv copy guard.sh\nprintf "%s" "$LAST" >> guard.sh\necho \'{"decision": "allow"}\'\n'
    trusting.project.script("guard.sh", body.replace("$LAST", last))
    trusting.approve()
    outcome = trusting.fire()

    assert outcome.decision == "ask"
    assert "while it ran" in outcome.attempts[0].detail


def test_one_modified_hook_does_not_keep_the_others_of_its_batch_from_running(trusting: Trusting) -> None:
    entry = '[[hook]]\non = "tool.before"\nname = "{0}"\ncommand = "./{0}.sh"\n'
    trusting.project.write("tenterhook.toml", "".join(entry.format(name) for name in ("a", "b", "c")))
    for name in ("a", "b", "c"):
        trusting.project.script(f"{name}.sh", f"touch ran-{name}\n")
    trusting.approve()
    with trusting.engine() as engine:
        engine.ready()
        trusting.project.script("b.sh", "touch ran-b # other\n")
        outcome = engine.fire("tool.before", **CALL)

    assert [(one.hook, one.error) for one in outcome.attempts] == [("a", None), ("b", "modified"), ("c", None)]
    assert [trusting.project.has(f"ran-{name}") for name in ("a", "b", "c")] == [True, False, True]


def test_a_function_of_the_project_is_bound_to_its_module(trusting: Trusting) -> None:
    trusting.project.write("tenterhook.toml", '[[hook]]\non = "tool.before"\nfunction = "guards.rules.check"\n')
    trusting.project.write("guards/__init__.py", "")
    trusting.project.write("guards/rules.py", "def check(event):\n    return {'decision': 'deny', 'reason': 'no'}\n")
    trusting.approve()
    assert trusting.fire().reason == "no"
    trusting.project.write("guards/__init__.py", "import os\n")

    assert trusting.states() == ["modified"]


def test_a_background_hook_that_changed_is_not_started(trusting: Trusting) -> None:
    trusting.project.write(
        "tenterhook.toml", '[[hook]]\non = "tool.before"\nbackground = true\ncommand = "./late.sh"\n'
    )
    trusting.project.script("late.sh", "true\n")
    trusting.approve()
    with trusting.engine() as engine:
        session = engine.session()
        engine.ready()
        trusting.project.script("late.sh", "touch ran\n")
        session.start()
        engine.fire("tool.before", **CALL)
        session.end()

    assert not trusting.project.has("ran")


def test_hooks_of_the_user_and_of_code_have_no_seal(trusting: Trusting) -> None:
    trusting.project.home(".config/tenterhook/tenterhook.toml", '[[hook]]\non = "tool.before"\ncommand = "true"\n')
    engine = trusting.engine()
    engine.add("tool.before", lambda event: None)

    assert [(hook.state, hook.seal) for hook in engine.hooks()] == [("trusted", None)] * 2


def test_a_whole_seal_reads_no_file_again(tmp_path: Path) -> None:
    file = tmp_path / "script"
    file.write_text("true\n")
    seal = Seal([part(str(file), ground(str(tmp_path), "/nowhere"))], ground(str(tmp_path), "/nowhere"))
    os.chmod(file, 0)  # nobody but root could read it now; its time of change is another one, so it is read once
    file.chmod(0o600)

    assert not seal.find_change()
    known = list(seal.files)
    assert not seal.find_change()
    assert seal.files == known


def test_a_file_that_was_read_right_after_a_change_is_read_once_more(tmp_path: Path) -> None:
    """Where a clock is too coarse to tell two changes apart, its times alone tell nothing."""
    file, where = tmp_path / "file", ground(str(tmp_path), "/nowhere")
    file.write_text("good")
    one, read_at_once = part(str(file), where)
    time.sleep(0.05)
    later = part(str(file), where)[1]
    file.write_text("evil")
    now = part(str(file), where)[1][:5]  # what the times would be if the clock had stood still

    assert (len(read_at_once), len(later)) == (6, 5)
    assert Seal([(one, (*now, 0))], where).find_change()
    assert not Seal([(one, now)], where).find_change()


def test_a_file_that_was_read_right_after_a_change_was_not_written_to_while_the_hook_ran(guarded: Trusting) -> None:
    guarded.approve()
    guarded.project.write("guard.sh", guarded.project.read("guard.sh"))
    outcome = guarded.fire()

    assert (outcome.decision, outcome.attempts[0].error) == ("deny", None)
