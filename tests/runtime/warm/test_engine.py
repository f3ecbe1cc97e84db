"""Warm interpreters in an engine: who uses them, what is said about them, and when they end."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from processes import in_a_host, lives, within
from tenterhook.runtime.shell_free import kind_of
from tenterhook.runtime.supervisor import client
from tenterhook.runtime.warm.host import wait
from tenterhook.tools.explain.explain import explain

if TYPE_CHECKING:
    from conftest import Project
    from tenterhook import Attempt, Engine

SCRIPT = "import json, os, sys\nevent = json.load(sys.stdin)\nprint(json.dumps({'reason': str(os.getppid())}))"


@pytest.fixture(autouse=True)
def own_helper(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not that of other tests, which may have been forked."""
    monkeypatch.setattr(client, "ours", [])


def hooks(project: Project, *entries: str) -> None:
    project.write("hook.py", SCRIPT)
    project.write("tenterhook.toml", "".join(f'[[hook]]\non = "tool.before"\n{entry}\n' for entry in entries))


def fired(engine: Engine, **options: Any) -> list[Attempt]:
    return list(engine.fire("tool.before", tool_name="Bash", tool_input={}, **options).attempts)


def twice(engine: Engine) -> list[bool]:
    """Whether each hook runs in a copy when it is ready to."""
    assert not any(attempt.warm for attempt in fired(engine))
    assert wait(120)
    return [attempt.warm for attempt in fired(engine)]


def test_scripts_and_commands_run_in_copies(project: Project) -> None:
    python = json.dumps([sys.executable, "hook.py"])
    hooks(project, 'script = "hook.py"', f"command = {python}", 'script = "hook.py"\nname = "b"\nwarm = false')

    assert twice(project.engine("tenterhook")) == [True, True, False]


def test_a_host_can_do_without(project: Project) -> None:
    hooks(project, 'script = "hook.py"')

    assert twice(project.engine("tenterhook", warm=False)) == [False]
    engine = project.engine("tenterhook", warm=False)
    engine.reload()
    assert twice(engine) == [False]


def test_one_shot_commands_and_hosts_without_supervisor_start_interpreters(project: Project) -> None:
    hooks(project, 'script = "hook.py"')

    assert twice(project.engine("tenterhook", supervisor="off")) == [False]


def test_what_differs_from_event_to_event_does_not_matter(project: Project) -> None:
    hooks(project, 'script = "hook.py"')
    text = "import os\nprint(os.getppid(), os.environ['TENTERHOOK_TOOL'], os.environ['TENTERHOOK_SESSION'])"
    project.write("hook.py", text)
    engine = project.engine("tenterhook")
    twice(engine)
    outcomes = [engine.fire("tool.before", tool_name=name, tool_input={}, session_id=f"s{name}") for name in "ab"]
    said = [outcome.attempts[0].stdout.split() for outcome in outcomes]

    assert said[0][0] == said[1][0]
    assert [one[1:] for one in said] == [["a", "sa"], ["b", "sb"]]
    assert all(outcome.attempts[0].warm for outcome in outcomes)


def test_the_journal_says_which_way_it_was(project: Project) -> None:
    hooks(project, 'script = "hook.py"')
    engine = project.engine("tenterhook", journal=str(project.root.parent / "journal"))
    twice(engine)
    engine.close()
    lines = [
        json.loads(line)
        for path in (project.root.parent / "journal").rglob("*")
        if path.is_file()
        for line in path.read_text().splitlines()
    ]

    assert [attempt.get("warm", False) for line in lines for attempt in line.get("attempts", ())] == [False, True]


def test_explain_says_whether_and_why_not(project: Project) -> None:
    options = json.dumps([sys.executable, "-X", "dev", "hook.py"])
    hooks(
        project,
        'script = "hook.py"',
        f"command = {options}",
        'script = "hook.py"\nname = "b"\nwarm = false',
        'command = "true"',
        'script = "path.py"',
        'script = "prepares.py"',
    )
    project.write("path.py", "import sys\nsys.path.insert(0, 'lib')")
    project.write("prepares.py", "import os\nos.environ['A'] = 'b'\nimport json")
    said = [hook.warm for hook in explain(project.engine("tenterhook"), "tool.before", {}).hooks]

    assert "in a fork" in said[0]
    assert "options" in said[1]
    assert "`warm` is false" in said[2]
    assert said[3] == ""
    assert "(sys.path)" in said[4]
    assert "prepares.py line 2 may change what is imported after it" in said[5]


def test_explain_says_who_needs_a_shell(project: Project) -> None:
    hooks(project, 'command = "/bin/cat -n"', 'command = "cat | cat"', 'command = ["/bin/cat"]', 'script = "hook.py"')
    said = [hook.shell for hook in explain(project.engine("tenterhook"), "tool.before", {}).hooks]

    assert said[0].endswith("/bin/cat is started without a shell") or not kind_of("/bin/sh")
    assert said[1].endswith("by a shell each time: /bin/sh")
    assert said[2:] == ["", ""]


def test_interpreters_end_with_the_last_engine(project: Project) -> None:
    project.write("hook.py", "import os\nprint(os.getppid())")
    project.write("tenterhook.toml", '[[hook]]\non = "tool.before"\nscript = "hook.py"\n')
    first, second = project.engine("tenterhook"), project.engine("tenterhook")
    assert twice(first) == [True]
    [attempt] = fired(second)
    pid = int(attempt.stdout)
    assert attempt.warm
    first.close()
    assert fired(second)[0].warm
    second.close()

    assert within(30, lambda: not lives(pid))
    assert [attempt.exit_code for attempt in fired(second)] == [0]


def test_a_fork_of_the_host_has_its_own(project: Project) -> None:
    hooks(project, 'script = "hook.py"')
    text = f"""
from tenterhook import Engine
from tenterhook.runtime.warm.host import wait
engine = Engine({str(project.root)!r}, trust="all", home={str(project.home_folder)!r}, journal=False)
def warm():
    [attempt] = engine.fire("tool.before", tool_name="Bash", tool_input={{}}).attempts
    return attempt.warm
warm(), wait(120)
before = warm()
pid = os.fork()
first = warm()
wait(120)
again = warm()
print(before, first, again, flush=True)
if pid == 0: os._exit(0)
os.waitpid(pid, 0)
print(warm())
"""
    assert sorted(in_a_host(text).splitlines()) == ["True", "True False True", "True True True"]
