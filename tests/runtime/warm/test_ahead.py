"""Files of hooks that a waiting copy runs before there is an event."""

from __future__ import annotations

import ast
import os
import time
from pathlib import Path

import pytest

from conftest import Project
from tenterhook.author import ahead, loading
from tenterhook.engine.engine import Engine
from tenterhook.runtime.supervisor import client
from tenterhook.runtime.warm import host
from tenterhook.runtime.warm.ahead import may_run_ahead
from tenterhook.support.fingerprint import stamp
from tenterhook.types import Outcome
from trust.conftest import Trusting

HOOK = "from tenterhook import hook\n\n\n"
COUNTING = f"""{HOOK}SEEN = []


@hook("tool.before", match="shell")
def count(event):
    SEEN.append(event.command)
    return hook.deny(f"{{len(SEEN)}} {{event.command}}")
"""


def given(text: str) -> bool:
    return may_run_ahead(ast.parse(text))


@pytest.mark.parametrize(
    "text",
    [
        COUNTING,
        'import re\nWORDS = re.compile("a|b", re.I)\nNAMES = frozenset("a b".split()) | {"c"}\nFIVE = 60 * 5',
        'from pathlib import Path\nRULES = Path(__file__).parent / "rules"',
        "try:\n    import tomllib\nexcept ImportError:\n    tomllib = None",
        HOOK + 'if __name__ == "__main__":\n    hook.main()\nhook.main()',
        'import enum\nclass Kind(enum.Enum):\n    A = 1\n    def text(self, other=()):\n        return open("x")',
    ],
)
def test_a_file_that_only_defines_may_run_ahead(text: str) -> None:
    assert given(text)


@pytest.mark.parametrize(
    "text",
    [
        "import time\nNOW = time.time()",
        "import os\nHOME = os.environ['HOME']",
        "from os import environ\nCOPY = dict(environ)",
        "from os import environ as own\nown2 = own\nCOPY = own2.copy()",
        "print('hello')",
        "def f():\n    return open('x').read()\nTEXT = f()",
        "def f(text=open('x').read()):\n    return text",
        "@register\ndef f():\n    pass",
        "class A(Base):\n    pass",
        "class A(metaclass=Meta):\n    pass",
        "for n in range(3):\n    pass",
        "with open('x') as file:\n    pass",
        "from .near import x",
        "from os import *",
        "def frozenset(x):\n    return open(x)\nA = frozenset('x')",
        "if __name__ != '__main__':\n    print()",
        "import sys\nsys.path[:0] = ['x']",
        "A = [x for x in open('x')]",
        "A = f'{open(1)}'",
        "import enum\nclass Kind(enum.Enum):\n    A = 1\n    def __init__(self, n):\n        self.text = open('x')",
        "import other as re\nA = re.compile('x')\ndef f():\n    import re",
        "try:\n    A = 1 // 0\nexcept f():\n    pass",
    ],
)
def test_a_file_that_does_more_may_not(text: str) -> None:
    assert not given(text)


def test_what_was_run_ahead_is_used_once(tmp_path: Path) -> None:
    path = str(tmp_path / "guard.py")
    ahead.run_file(path, compile(COUNTING, path, "exec"), [("tenterhook", ("hook",))])

    assert [one.name for one in loading.of_file(path)] == ["count"]
    with pytest.raises(FileNotFoundError):
        loading.of_file(path)


def test_a_file_whose_imports_would_run_code_is_not_run_ahead(tmp_path: Path) -> None:
    path = str(tmp_path / "guard.py")
    ahead.run_file(path, compile("raise SystemExit", path, "exec"), [("never_loaded", ())])
    ahead.run_file(path, compile("raise SystemExit", path, "exec"), [])

    assert path not in loading.AHEAD


@pytest.fixture
def guarded(project: Project) -> Project:
    project.write("tenterhook.toml", '[[hook]]\nuse = "guard.py"\n')
    project.write("guard.py", COUNTING)
    return project


def engine_of(project: Project, trust: str) -> Engine:
    """An engine whose copies of the file are ready: on a busy machine that takes its time."""
    engine = project.engine("tenterhook", trust=trust, supervisor="auto")
    late = time.monotonic() + 60
    while not fire(engine, "first").attempts[0].warm:
        assert time.monotonic() < late, "no copy of the file got ready"
        time.sleep(0.1)
    return engine


def fire_warm(engine: Engine, command: str) -> Outcome:
    """The outcome of a call that a copy answered; one that comes before its copy is ready runs cold."""
    late = time.monotonic() + 60
    while not (outcome := fire(engine, command)).attempts[0].warm:
        assert time.monotonic() < late, "no copy of the file got ready"
        time.sleep(0.1)
    return outcome


def fire(engine: Engine, command: str) -> Outcome:
    outcome = engine.fire("tool.before", tool_name="Bash", tool_input={"command": command})
    assert host.wait()
    return outcome


def state_of(path: Path) -> host.ScriptState:
    warms = [helper.warm for helper in client.ours if helper.warm is not None]
    known = [one for warm in warms for one in warm.interpreters.values() if str(path) in one.files]
    assert len(known) == 1
    return known[0].files[str(path)]


def test_each_call_has_a_copy_of_its_own_of_the_file_as_it_is(guarded: Project) -> None:
    engine = engine_of(guarded, "all")
    outcomes = [fire_warm(engine, command) for command in ("a", "b", "c")]

    assert [one.reason for one in outcomes] == ["1 a", "1 b", "1 c"]
    assert state_of(guarded.root / "guard.py").word == "ready"
    guarded.write("guard.py", COUNTING.replace("{len(SEEN)}", "new"))
    assert [fire(engine, "d").reason for _ in range(3)] == ["new d"] * 3


def test_a_file_is_prepared_as_it_was_approved_and_not_as_it_was_changed(guarded: Project) -> None:
    old = time.time() - 10
    path = guarded.root / "guard.py"
    os.utime(path, (old, old))
    time.sleep(0.15)  # a file that was changed just now is not believed
    Trusting(guarded).approve()
    engine = engine_of(guarded, "ask")
    approved = stamp(path)
    assert state_of(path).stamp == approved

    guarded.write("guard.py", COUNTING.replace("{len(SEEN)}", "evil"))
    assert [one.error for one in fire(engine, "a").attempts] == ["modified"]
    assert state_of(path).stamp == approved
