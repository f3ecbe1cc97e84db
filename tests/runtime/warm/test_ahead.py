"""Files of hooks that a waiting copy runs before there is an event."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tenterhook.author import ahead, loading
from tenterhook.runtime.warm.ahead import may_run_ahead

ROOT = Path(__file__).parents[3]
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


def test_copies_have_the_file_as_it_was_approved_and_serve_one_call_each() -> None:
    """In a process of its own: the helper of another test, in the same process, may have other interpreters."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    words = ["-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", str(Path(__file__).with_name("ahead_cases.py"))]
    done = subprocess.run(
        [sys.executable, *words],
        cwd=ROOT,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=170,
    )

    assert done.returncode == 0, done.stdout
