"""What a script imports is tried before it is loaded for good: who leaves something behind runs alone, as ever."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from processes import within
from runtime.warm.conftest import STRANGE, Both
from tenterhook.runtime.warm import host
from tenterhook.runtime.warm.server import SPARE

# What an installed module does when it is imported, and what is found about it.
MODULES = {
    "thread": (
        "import threading, time\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start()",
        "threads",
    ),
    "connection": ("import socket\nopened = socket.socket()", "connections"),
    "file": ("opened = open(__file__)", "files"),
    "process": ("import subprocess\nchild = subprocess.Popen(['sleep', '60'])", "processes"),
    "daemon": ("import subprocess\nsubprocess.run('setsid sleep 61 > /dev/null 2>&1 &', shell=True)", "processes"),
    "handler": ("import signal\nsignal.signal(signal.SIGUSR1, print)", "signal handlers"),
    "timer": ("import signal\nsignal.setitimer(signal.ITIMER_REAL, 600)", "timers"),
    "folder": ("import os\nos.chdir('/tmp')", "working directory"),
    "mask": ("import os\nos.umask(0o77)", "umask"),
    "variable": ("import os\nos.environ['LEFT'] = 'behind'", "environment"),
    "hidden_variable": ("import ctypes\nctypes.CDLL(None).setenv(b'LEFT', b'behind', 1)", "environment"),
    "printer": ("print('hello')", "print"),
    "whisperer": ("import os\nos.write(2, b'hello')", "print"),
    "excepthook": ("import sys\nsys.excepthook = print", "parts of the interpreter"),
    "finder": ("import sys\nsys.meta_path.append(object())", "sys.path"),
    "path": ("import sys\nsys.path.append('/nowhere')", "sys.path"),
    "recursion": ("import sys\nsys.setrecursionlimit(5000)", "limits"),
    "tracer": ("import sys\nsys.settrace(lambda *a: None)", "trace"),
    "filter": ("import warnings\nwarnings.simplefilter('ignore')", "warnings"),
    "logs": ("import logging\nlogging.basicConfig()", "logging"),
    "garbage": ("import gc\ngc.disable()", "garbage"),
    "locales": ("import locale\nlocale.setlocale(locale.LC_NUMERIC, 'C.UTF-8')", "locale"),
    "patch": ("import json\njson.dumps = lambda *a, **b: 'patched'", "json.dumps"),
    "patch_old": ("import os\nos.getlogin = os.getpid", "os.getlogin"),
    "patch_method": ("import json\njson.JSONEncoder.default = lambda *a: 1", "JSONEncoder.default"),
    "patch_class": ("import decimal\nclass Decimal: pass\ndecimal.Decimal = Decimal", "decimal.Decimal"),
    "patch_new": ("import ssl\nssl._create_default_https_context = ssl._create_unverified_context", "https_context"),
    "word": ("import builtins\nbuiltins._ = str", "builtins"),
    "last": ("import atexit\natexit.register(lambda: print('bye'))", "called at the end"),
    "timeout": ("import socket\nsocket.setdefaulttimeout(3)", "sockets"),
    "leaving": ("import sys\nsys.exit(0)", "end the program"),
    "crashing": ("import os\nos.abort()", "ends the process"),
    "gone": ("import os\nos._exit(0)", "ends the process"),
    "large": ("kept = bytearray(300 << 20)\nfor n in range(0, len(kept), 4096): kept[n] = 1", "MiB"),
}


MODE = """
import json, os, sys
FOUND = os.environ.get("MODE"), "HOME" in os.environ, json.loads is len, "fancy" in sys.modules
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Both]:
    """A virtual environment with these modules in it."""
    folder = tmp_path_factory.mktemp("trial")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
    [packages] = (folder / "venv" / "lib").glob("python3*/site-packages")
    for name, (text, _) in MODULES.items():
        (packages / f"bad_{name}.py").write_text(text)
    (packages / "bad_hang.py").write_text(
        "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(600)"
    )
    (packages / "set_mode.py").write_text(MODE)
    (packages / "harmless.py").write_text("import json, logging, threading, concurrent.futures\nloaded = {}")
    made = Both(folder / STRANGE, str(folder / "venv" / "bin" / "python"))
    yield made
    made.close()


@pytest.mark.parametrize("name", MODULES)
def test_who_leaves_something_behind_is_found_out(installed: Both, name: str) -> None:
    installed.write(f"try-{name}.py", f"import bad_{name}\nprint('ran')")
    installed.prepare(f"try-{name}.py")
    found = MODULES[name][1]
    done, again = installed.warm(f"try-{name}.py"), installed.warm(f"try-{name}.py")

    assert found in installed.reasons()[f"try-{name}.py"]
    assert [len(done.notes), len(again.notes)] == [1, 0]
    assert found in done.notes[0]
    assert done.warm is again.warm is False
    assert (done.exit_code, done.signal, done.stdout) == (again.exit_code, again.signal, again.stdout)


def test_others_are_none_the_worse_for_it(installed: Both) -> None:
    """All of them were tried in copies that are gone; what they started is gone too."""
    text = "import harmless, json, os, threading as t\n"
    installed.write("try-others.py", text + "print(json.dumps([t.active_count(), os.getcwd(), sorted(os.environ)]))")
    done = installed.prepared("try-others.py")

    assert done.stdout == installed.cold("try-others.py").stdout
    pid = installed.interpreter()
    children = Path(f"/proc/{pid}/task/{pid}/children")
    assert within(30, lambda: len(children.read_text().split()) == SPARE)  # the copies that wait for the next scripts


def test_one_that_hangs_is_given_up(installed: Both, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "LONGEST", 0.5)
    installed.write("try-hang.py", "if __debug__ and 1:\n    print('ran')\nelse:\n    import bad_hang")
    installed.prepare("try-hang.py")

    assert "longer than 0.5 s" in installed.reasons()["try-hang.py"]
    assert installed.warm("try-hang.py").stdout == b"ran\n"


def test_the_projects_own_modules_are_not_run_before_the_script(both: Both, tmp_path: Path) -> None:
    """Neither those beside the script nor those of PYTHONPATH; they are read, and what they import is prepared."""
    for folder in (both.folder, tmp_path / "path"):
        folder.mkdir(exist_ok=True)
        (folder / f"own_{folder.name[:2]}.py").write_text("import os, shlex\nprint(os.getpid())")
    names = [f"own_{both.folder.name[:2]}", "own_pa"]
    both.env = {**both.env, "PYTHONPATH": str(tmp_path / "path")}
    text = "import os, sys\nprint(os.getpid(), *[n for n in ('own_it', 'own_pa', 'shlex') if n in sys.modules])\n"
    both.write("try.py", f"{text}import {', '.join(names)}")
    lines = both.prepared("try.py").stdout.decode().splitlines()

    assert lines == [f"{lines[1]} shlex", lines[1], lines[1]]


CHANGES = ["sys.path.insert(0, 'lib')", "sys.path[:0] = ['lib']", "sys.path += ['lib']", "p = sys.path"]
CHANGES += ["import sys as s\ns.path.insert(0, 'lib')"]


@pytest.mark.parametrize("text", CHANGES)
def test_who_looks_elsewhere_for_modules_runs_alone(both: Both, text: str) -> None:
    (both.folder / "lib").mkdir()
    (both.folder / "lib" / "json.py").write_text("")
    text = f"import sys\n{text}\nif 'p' in globals(): p.insert(0, 'lib')\nimport json\nprint(json.__file__)"
    both.write("try.py", text)
    both.prepare("try.py")

    assert "sys.path" in both.reasons()["try.py"]
    assert both.warm("try.py").stdout == both.cold("try.py").stdout


@pytest.mark.parametrize("line", ["def f():\n    import helper\nf()", "import package", "from package import inner"])
def test_so_does_who_has_it_done_by_a_file_of_its_own(both: Both, line: str) -> None:
    both.write("lib/colorsys.py", "")
    for name in ("helper.py", "package/inner.py"):
        both.write(name, "import sys\nsys.path.insert(0, 'lib')")
    both.write("package/__init__.py", "from . import inner")
    both.write("other.py", "import colorsys")
    both.prepared("other.py")
    both.write("try.py", f"{line}\nimport colorsys\nprint(colorsys.__file__)")
    both.prepare("try.py")

    # A call before an import may do anything, too.
    assert ("may change" if "f()" in line else "sys.path") in both.reasons()["try.py"]
    assert both.warm("try.py").stdout == both.cold("try.py").stdout


PRELUDES = {
    "environment": "import os\nos.environ['MODE'] = 'strict'\nimport set_mode",
    "deleted": "import os\ndel os.environ['HOME']\nimport set_mode",
    "by call": "from os import environ\nenviron.setdefault('MODE', 'strict')\nimport set_mode",
    "in a function": "import os\ndef f():\n    os.environ['MODE'] = 'strict'\nf()\nimport set_mode",
    "imported in a function": "import os\nos.environ['MODE'] = 'strict'\ndef f():\n    import set_mode\nf()",
    "by name": "import os, importlib\nos.environ['MODE'] = 'strict'\nimportlib.import_module('set_mode')",
    "by somebody else": "import locale, sys\nlocale.getlocale()\nimport set_mode",
    "by a file of its own": "import prepares\nimport set_mode",
    "a module's function": "import json\njson.loads = len\nimport set_mode",
    "imported above": "import os\ndef f():\n    import set_mode\nos.environ['MODE'] = 'strict'\nf()",
    "by an own function": "from prepares_too import load_it\ndef boot():\n    load_it()\nboot()\nimport set_mode",
    "by a result": "from prepares_too import load_it\nif load_it():\n    pass\nimport set_mode",
    "by another name": "import os\nenv = os.environ\nenv['MODE'] = 'strict'\nimport set_mode",
    "in one line": "import os; os.environ['MODE'] = 'strict'; import set_mode",
    "by a file that calls": "import calls\nimport set_mode",
    "for a while": "import os\nfrom unittest import mock\n"
    "with mock.patch.dict(os.environ, MODE='strict'):\n    import set_mode",
    "by an object": "import prepares_too\nprepares_too.Loads().now()\nimport set_mode",
    "a module": "import sys\nsys.modules['fancy'] = None\nimport set_mode",
}


@pytest.mark.parametrize("name", PRELUDES)
def test_who_prepares_something_for_what_it_imports_runs_alone(installed: Both, name: str) -> None:
    """What is loaded for good was imported without that."""
    installed.write("prepares.py", "import os\nos.environ['MODE'] = 'strict'")
    text = 'import os\ndef load_it():\n    exec(\'os.environ["MODE"] = "strict"\')\n'
    installed.write("prepares_too.py", text + "class Loads:\n    now = staticmethod(load_it)")
    installed.write("calls.py", "from prepares_too import load_it\nload_it()")
    installed.write("first.py", "import set_mode")
    installed.prepared("first.py")
    text = f"{PRELUDES[name]}\nimport sys\nprint(sys.modules['set_mode'].FOUND)"
    installed.write("try-mode.py", text)
    cold = installed.cold("try-mode.py")
    installed.prepare("try-mode.py")

    assert "may change what is imported after it" in installed.reasons()["try-mode.py"]
    assert installed.warm("try-mode.py").stdout == cold.stdout != b""


@pytest.mark.parametrize(
    "text",
    [
        "import os\nimport json\nos.environ['A'] = 'b'",
        "import sys\nif sys.version_info < (3,):\n    sys.exit(1)\nimport json",
        "import logging\nlogger = logging.getLogger(__name__)\nimport json",
        "data = {}\ndata['a'] = 1\nimport json",
        "import sys\nprint(sys.argv)\nimport json",
        "import sys\ntry:\n    import json\nexcept ImportError:\n    sys.stderr.flush()\n    sys.exit(1)\nimport cmd",
        "import sys, warnings\nsys.dont_write_bytecode = True\nwarnings.filterwarnings('ignore')\nimport json",
        "import contextlib\nwith contextlib.suppress(ImportError):\n    import nothing_of_that_name\nimport json",
        "import os\nfrom typing import TYPE_CHECKING\nos.environ['A'] = 'b'\nif TYPE_CHECKING:\n    import json",
        "import argparse\ndef main():\n    argparse.ArgumentParser().parse_args([])\nif __name__:\n    main()",
        "import sys\nsys.stdout.reconfigure(line_buffering=True)\nimport json",
    ],
)
def test_who_only_looks_like_it_runs_in_a_copy(both: Both, text: str) -> None:
    both.write("try.py", text)

    assert both.prepared("try.py").exit_code == 0


def test_what_a_script_loads_after_it_changed_something_is_not_loaded_for_good(both: Both, installed: Both) -> None:
    both.python = installed.python
    text = "import os, sys\nos.environ['MODE'] = 'strict'\nexec('import set_mode')\n"
    both.write("try.py", text + "print(sys.modules['set_mode'].FOUND[0])")

    assert [both.prepared("try.py").stdout for _ in range(3)] == [b"strict\n"] * 3


def test_a_byte_that_no_source_can_hold_is_told(both: Both) -> None:
    both.write("try.py", "import json\0")
    both.prepare("try.py")

    assert "null bytes" in both.reasons()["try.py"]


def test_many_at_once_do_not_end_each_other(both: Both) -> None:
    for number in range(40):
        both.write(f"try{number}.py", "import colorsys")
        both.warm(f"try{number}.py")
    assert both.helper.warm is not None
    assert both.helper.warm.wait(120)

    assert both.reasons() == {}


def test_only_what_runs_with_the_script_is_prepared(both: Both) -> None:
    text = "import sys\nfrom typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import smtplib\n"
    text += "def later():\n    import imaplib\ntry:\n    import colorsys\nexcept ImportError:\n    pass\n"
    both.write("try.py", text + "print(sorted({'smtplib', 'imaplib', 'colorsys'} & {*sys.modules}))")

    assert both.prepared("try.py").stdout == b"['colorsys']\n"
    both.write("other.py", "import sys\nprint('colorsys' in sys.modules, 'imaplib' in sys.modules)")
    assert both.prepared("other.py").stdout == b"True False\n"


def test_what_a_script_loads_later_is_there_the_next_time(both: Both) -> None:
    text = "import sys\ndef main():\n    print('colorsys' in sys.modules)\n    import colorsys\nmain()"
    both.write("try.py", text)

    assert both.prepared("try.py").stdout == b"False\n"
    assert both.prepared("try.py").stdout == b"True\n"


def test_what_must_not_be_loaded_for_good_a_script_goes_on_to_load_itself(installed: Both) -> None:
    text = (
        "import threading\nimport json\ndef main():\n    import bad_thread\n    print(threading.active_count())\nmain()"
    )
    installed.write("try-later.py", text)
    installed.write("try-then.py", "import threading\nprint(threading.active_count())")

    assert [installed.prepared("try-later.py").stdout for _ in range(3)] == [b"2\n"] * 3
    assert "try-later.py" not in installed.reasons()
    assert installed.prepared("try-then.py").stdout == b"1\n"
