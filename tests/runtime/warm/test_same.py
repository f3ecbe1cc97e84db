"""A script cannot tell that it runs in a copy of an interpreter, but for what docs/inside/warm.md lists."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from runtime.warm.conftest import STRANGE, Both
from tenterhook.runtime.process import Completed

FACTS = """
import json, os, resource, signal, sys
def stream(one):
    names = ("name", "encoding", "errors", "line_buffering", "write_through", "newlines", "closed", "mode")
    facts = {name: repr(getattr(one, name, None)) for name in names}
    return facts | {"seekable": one.seekable(), "tty": one.isatty(), "kind": type(one.buffer).__name__}
print(json.dumps({
    "main": {name: repr(value) for name, value in globals().items() if name not in ("stream", "resource")},
    "order": list(globals()), "module": vars(sys.modules["__main__"]) is globals(),
    "argv": sys.argv, "orig": sys.orig_argv, "path": sys.path, "flags": repr(sys.flags), "warn": sys.warnoptions,
    "executable": sys.executable, "prefix": [sys.prefix, sys.base_prefix, sys.exec_prefix, sys._base_executable],
    "streams": [stream(one) for one in (sys.stdin, sys.stdout, sys.stderr)],
    "original": [sys.stdin is sys.__stdin__, sys.stdout is sys.__stdout__, sys.stderr is sys.__stderr__],
    "signals": {int(n): repr(signal.getsignal(n)) for n in sorted(signal.valid_signals())},
    "mask": [int(n) for n in signal.pthread_sigmask(signal.SIG_BLOCK, [])],
    "umask": os.umask(0o22), "cwd": os.getcwd(), "environ": sorted(os.environ.items()), "nice": os.nice(0),
    "limits": {name: resource.getrlimit(getattr(resource, name)) for name in dir(resource) if name[:6] == "RLIMIT"},
    "files": sorted(os.listdir("/dev/fd")), "leader": [os.getsid(0) == os.getpid(), os.getpgrp() == os.getpid()],
    "hooks": [sys.excepthook is sys.__excepthook__, sys.gettrace(), sys.getprofile(), repr(sys.meta_path)],
    "recursion": sys.getrecursionlimit(), "encoding": [sys.getfilesystemencoding(), sys.getdefaultencoding()],
    "optimised": __debug__, "user": [os.getuid(), os.getgid(), os.getgroups()],
    "affinity": sorted(os.sched_getaffinity(0)), "times": os.times().system < 5, "input": sys.stdin.read(),
    "status": [line for line in open("/proc/self/status") if line.split(":")[0] in
        ("Umask", "Threads", "SigBlk", "SigIgn", "SigCgt", "CapEff", "CapBnd", "NoNewPrivs", "Seccomp")],
}, default=repr))
"""

SCRIPTS = {
    "facts": FACTS,
    "child": "import os, subprocess, sys\nprint(sorted(subprocess.check_output(['env', '-0']).split(b'\\0')))",
    "system": "import os\nos.system('echo $ODD; echo ${GONE-gone}; umask; ulimit -n; pwd; trap')",
    "exit-none": "import sys\nsys.exit()",
    "exit-number": "import sys\nprint('out')\nsys.exit(2)",
    "exit-true": "import sys\nsys.exit(True)",
    "exit-large": "import sys\nsys.exit(259)",
    "exit-negative": "import sys\nsys.exit(-1)",
    "exit-text": "import sys\nprint('out')\nsys.exit('a reason')",
    "exit-object": "raise SystemExit(('a', 1))",
    "exit-in-function": "def f():\n    raise SystemExit(7)\nf()",
    "exit-at-once": "import os\nprint('lost')\nos._exit(5)",
    "error": "def f(x):\n    return 1 / x\n\nprint('before')\nf(0)",
    "error-chained": "try:\n    {}['a']\nexcept KeyError as exc:\n    raise ValueError('b') from exc",
    "error-in-context": "try:\n    {}['a']\nexcept KeyError:\n    undefined",
    "error-noted": "e = ValueError('a')\ngetattr(e, 'add_note', print)('note')\nraise e",
    "error-group": "raise ExceptionGroup('several', [ValueError(1), TypeError(2)])",
    "error-syntax": "print('never')\nif:\n    pass",
    "error-syntax-later": "exec('a b')",
    "error-null": "x = 1\0",
    "error-encoding": "# coding: nonsense\nprint(1)",
    "error-hook": "import sys\nsys.excepthook = lambda *args: print('mine', args[0].__name__)\n1 / 0",
    "error-hook-failing": "import sys\ndef hook(*args):\n    raise OSError('hook')\nsys.excepthook = hook\n1 / 0",
    "error-hook-exit": "import sys\ndef hook(*args):\n    sys.exit(9)\nsys.excepthook = hook\n1 / 0",
    "error-recursion": "import sys\ndef f():\n    f()\ntry:\n    f()\nexcept RecursionError as exc:\n    print(exc)",
    "error-assert": "assert 1 == 2, 'text'",
    "interrupt": "raise KeyboardInterrupt",
    "interrupt-signal": "import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(60)",
    "terminated": "import os, signal\nprint('lost')\nos.kill(os.getpid(), signal.SIGTERM)",
    "aborted": "import os\nos.abort()",
    "pipe": "import os, sys\nos.close(1)\nprint('x')",
    "pipe-broken": "import os\nr, w = os.pipe()\nos.close(r)\nos.dup2(w, 1)\nprint('x')",
    "pipe-broken-error": "import os\nr, w = os.pipe()\nos.close(r)\nos.dup2(w, 1)\nprint('x')\n1 / 0",
    "pipe-flush": "import os\nr, w = os.pipe()\nos.close(r)\nos.dup2(w, 1)\nprint('x', flush=True)",
    "stdout-closed": "import sys\nprint('x')\nsys.stdout.close()",
    "stdout-none": "import sys\nsys.stdout = None\nsys.exit('text')",
    "stdout-replaced": "import io, sys\nsys.stdout = io.TextIOWrapper(open(1, 'wb', closefd=False))\nprint('x')",
    "atexit": "import atexit\nfor n in range(3): atexit.register(print, n)\nprint('end')",
    "atexit-error": "import atexit\natexit.register(print, 'last')\natexit.register(lambda: 1 / 0)\nexit(3)",
    "atexit-after-error": "import atexit\natexit.register(print, 'last')\n1 / 0",
    "threads": "import threading, time\ndef f():\n    time.sleep(0.05)\n    print('thread')\n"
    "threading.Thread(target=f).start()\nprint('main')",
    "threads-daemon": "import threading, time\n"
    "threading.Thread(target=time.sleep, args=(60,), daemon=True).start()\nprint('main')",
    "threads-error": "import threading\nt = threading.Thread(target=lambda: 1 / 0, name='t')\nt.start()\nt.join()",
    "threads-facts": "import threading as t\nm = t.main_thread()\n"
    "print(m.name, m is t.current_thread(), t.active_count())\n"
    "print(m.native_id == t.get_native_id(), m.ident == t.get_ident(), m.is_alive())",
    "pool": "from concurrent.futures import ThreadPoolExecutor\np = ThreadPoolExecutor(2)\np.submit(print, 'pool')",
    "processes": "import multiprocessing as m\nif __name__ == '__main__':\n    c = m.get_context('fork')\n"
    "    p = c.Process(target=print, args=('child',))\n    p.start()\n    p.join()\n    print(p.exitcode)",
    "spawned": "import multiprocessing as m\ndef f(x):\n    return x * 2\nif __name__ == '__main__':\n"
    "    with m.get_context('spawn').Pool(1) as p:\n        print(p.map(f, [1, 2]))",
    "asyncio": "import asyncio\nasync def f():\n    p = await asyncio.create_subprocess_exec('true')\n"
    "    return await p.wait()\nprint(asyncio.run(f()))",
    "fork": "import os\nprint('once', flush=True)\nif os.fork() == 0:\n    print('child')\n"
    "else:\n    os.wait()\n    print('parent')",
    "files-left-open": "f = open('left.txt', 'w')\nf.write('written')\nprint(1)",
    "files-in-circle": "class A: pass\na = A()\na.a = a\na.f = open('left.txt', 'w')\na.f.write('circle')\ndel a",
    "files-elsewhere": "import json\njson.mine = open('left.txt', 'w')\njson.mine.write('elsewhere')",
    "files-in-function": "def f(x=open('left.txt', 'w')):\n    x.write('default')\nf()",
    "deleted": "class A:\n    def __init__(self, n): self.n = n\n    def __del__(self): print('del', self.n)\n"
    "a = A(1)\nb = [A(2)]",
    "deleted-globals": "import sys\nclass A:\n    def __del__(self): print('del', sys is not None)\n_a = A()",
    "deleted-intact": "import json\ndef f(): return json.dumps(1)\nclass A:\n    def __del__(self): print('del', f())\n"
    "a = A()\nb = A()",
    "deleted-order": "class A:\n    def __init__(self, n): self.n = n\n    def __del__(self): print(self.n)\n"
    "z = A('z')\n_b = A('_b')\na = A('a')",
    "deleted-typed": "import json\nfrom typing import Optional\nclass A:\n"
    "    def __del__(self): print(json is not None)\na: Optional[A] = A()",
    "deleted-writing": "class A:\n    f = open('left.txt', 'w')\n    def __del__(self): self.f.write('last')\na = A()",
    "deleted-handler": "import signal\ndef f(*a): pass\nsignal.signal(signal.SIGTERM, f)\n"
    "class A:\n    def __del__(self): print(f is not None)\na = A()",
    "deleted-stdout": "import io, sys\nclass A:\n    def __del__(self): print('del')\na = A()\n"
    "sys.stdout = io.StringIO()",
    "generator-left": "import json\ndef g():\n    try:\n        yield 1\n    finally:\n        print(json.dumps(2))\n"
    "x = g()\nnext(x)",
    "warning-last": "import warnings\nwarnings.simplefilter('always')\nf = open('beside.py')",
    "exit-no-stderr": "import sys\nsys.stderr = None\nsys.exit('a reason')",
    "exit-stderr-closed": "import sys\nsys.stderr.close()\nsys.exit('a reason')",
    "exit-one-file": "import os, sys\nos.dup2(1, 2)\nprint('out')\nsys.exit('a reason')",
    "error-one-file": "import os\nos.dup2(1, 2)\nprint('out')\n1 / 0",
    "error-hook-missing": "import sys\ndel sys.excepthook\n1 / 0",
    "interrupt-pipe-broken": "import os\nr, w = os.pipe()\nos.close(r)\nos.dup2(w, 1)\nprint('x')\n"
    "raise KeyboardInterrupt",
    "stdout-missing": "import sys\ndel sys.stdout",
    "replaced": "import atexit, builtins, gc, os, sys\natexit.register(print, 'end')\natexit._run_exitfuncs = None\n"
    "gc.collect = gc.get_objects = os._exit = os.kill = os.getpid = builtins.int = builtins.exec = None\nsys.exit(2)",
    "audited": "import sys\nseen = []\nsys.addaudithook(lambda *a: seen.append(a))\nprint(1)\nsys.exit(2)",
    "own-module": "import beside\nprint(beside.__file__, beside.__name__, __name__, beside.__spec__.origin)",
    "own-package": "from package import inner\nfrom package.inner import value\nprint(value, inner.__package__)",
    "warning": "import warnings\nwarnings.warn('text')\nwarnings.warn('old', DeprecationWarning)",
    "warning-escape": "print('\\\\d'[0], '\\d')",
    "stdin": "import sys\nprint(len(sys.stdin.buffer.read()), sys.stdin.read() == '')",
    "input": "print(input())",
    "unicode": "print('ä€😀')",
    "surrogate": "print('\\udcff')",
    "docstring": '"""What it is."""\nprint(__doc__, __annotations__)\nx: int = 1\nprint(__annotations__)',
    "future": "from __future__ import annotations\nx: undefined = 1\nprint(__annotations__)",
    "no-future": "x: 1 + 1 = 1\nprint(__annotations__)",
    "pickle": "import pickle\nclass A: pass\nprint(pickle.loads(pickle.dumps(A())).__class__ is A, A.__module__)",
    "dataclass": "from dataclasses import dataclass\nfrom typing import get_type_hints\n"
    "@dataclass\nclass A:\n    x: int = 1\nprint(A(), get_type_hints(A))",
    "source": "import inspect\ndef f():\n    return 1\nprint(inspect.getsource(f), inspect.getfile(f))",
    "logging": "import logging as l\nl.basicConfig(filename='left.txt')\nl.warning('text')\nprint(l.root.handlers)",
    "locale": "import locale, time\nprint(locale.setlocale(locale.LC_ALL), locale.getpreferredencoding(), time.tzname)",
    "dumpable": "import os\nprint(os.stat('/proc/self').st_uid == os.getuid(), os.access('/proc/self/mem', os.R_OK))",
    "tag": "print([v[:14] for v in open('/proc/self/environ', 'rb').read().split(b'\\0') if v[:4] == b'TENT'])",
    "unraisable": "class A:\n    def __del__(self): 1 / 0\na = A()\ndel a\nprint('on')",
    "main-again": "import __main__\nprint(__main__.__name__, __main__.__dict__ is globals())",
    "compiled": "import sys\nprint(sys._getframe().f_code.co_filename, sys._getframe().f_lineno)",
}
FILES = {"beside.py": "x = 1", "package/__init__.py": "", "package/inner.py": "value = 3"}


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Both]:
    """All scripts, prepared in one interpreter, which is how they are in a host."""
    made = Both(tmp_path_factory.mktemp("same") / STRANGE)
    for name, text in {**{f"try-{name}.py": text for name, text in SCRIPTS.items()}, **FILES}.items():
        made.write(name, text)
    yield made
    made.close()


def seen(both: Both, done: Completed) -> dict[str, object]:
    left = both.folder / "left.txt"
    facts = {"left": left.read_text() if left.exists() else None, "exit": done.exit_code, "signal": done.signal}
    left.unlink(missing_ok=True)
    return {**facts, "error": done.error, "stdout": plain(done.stdout), "stderr": plain(done.stderr)}


def plain(said: bytes) -> str:
    """Without what differs between any two runs: addresses, and the mark of the run."""
    text = said.decode("utf-8", "backslashreplace")
    # Two signals that the C library keeps for itself are ignored or not, by how a process was started.
    text = re.sub(r"(?<=SigIgn:\\t)\w+", lambda found: f"{int(found[0], 16) & ~(3 << 31):016x}", text)
    return re.sub(r"TENTERHOOK_RUN(=|', '|\", \")[\w.]+;", "TENTERHOOK_RUN", re.sub(r"0x[0-9a-f]+", "0x", text))


# What the trial finds out, so that they never run in a copy.
UNFIT = {"error-syntax", "error-null", "error-encoding"}


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_does_and_says_the_same(scripts: Both, name: str) -> None:
    given = {
        "stdin": b"first\nsecond\n",
        "env": {**scripts.env, "ODD": "a b\udcff", "EVENT": "x"},
        "varying": frozenset({"EVENT"}),
    }
    cold = seen(scripts, scripts.cold(f"try-{name}.py", "an argument", "-x", "", **given))
    scripts.prepare(f"try-{name}.py", "an argument", "-x", "", **given)
    scripts.folder.joinpath("left.txt").unlink(missing_ok=True)
    done = scripts.warm(f"try-{name}.py", "an argument", "-x", "", **given)

    assert done.warm is (name not in UNFIT), scripts.reasons()
    warm = seen(scripts, done)
    if name == "facts":
        assert json.loads(str(cold.pop("stdout"))) == json.loads(str(warm.pop("stdout")))
    assert cold == warm


@pytest.mark.parametrize("code", ["2 ** 70", "-2 ** 70", "2 ** 32 + 5"])
def test_a_number_too_large_for_an_exit_code_is_no_success(both: Both, code: str) -> None:
    both.write("try.py", f"import sys\nsys.exit({code})")

    assert both.prepared("try.py").exit_code == both.cold("try.py").exit_code != 0


def test_an_interrupt_while_threads_are_waited_for_is_told_and_ignored(both: Both) -> None:
    text = "import os, signal, threading\ndef f():\n    main.join(0.2)\n    os.kill(os.getpid(), signal.SIGINT)\n"
    both.write(
        "try.py", f"{text}    main.join(0.2)\nmain = threading.main_thread()\nthreading.Thread(target=f).start()"
    )
    cold, warm = both.cold("try.py"), both.prepared("try.py")

    assert (warm.exit_code, warm.signal) == (cold.exit_code, cold.signal)
    # The line before it is left out now and then by Python 3.13 itself.
    assert warm.stderr.partition(b"Traceback")[2] == cold.stderr.partition(b"Traceback")[2] != b""


def test_a_program_begins_with_its_event(both: Both) -> None:
    """What modules of the standard library made when they were loaded is made anew: the time, and a secret."""
    both.write("try.py", "import logging, multiprocessing as m\n"
               "r = logging.LogRecord('', 0, '', 0, '', (), None)\n"
               "print(r.created - r.relativeCreated / 1000, m.current_process().authkey.hex())")  # fmt: skip
    both.prepared("try.py")
    before = time.time()
    begins, keys = zip(*(both.warm("try.py").stdout.split() for _ in range(2)), strict=True)

    assert min(map(float, begins)) > before - 0.01
    assert keys[0] != keys[1]


# Options and variables that change how an interpreter starts: each is another one.
WAYS: dict[str, tuple[tuple[str, ...], dict[str, str]]] = {
    "unbuffered": (("-u",), {}),
    "optimised": (("-O",), {"PYTHONDONTWRITEBYTECODE": "1"}),
    "isolated": (("-I", "-B"), {"PYTHONPATH": "/nowhere"}),
    "without site": (("-S", "-E"), {"PYTHONIOENCODING": "latin-1"}),
    "encoding": ((), {"PYTHONIOENCODING": "latin-1:replace"}),
    "locale C": ((), {"LANG": "C", "LC_ALL": ""}),
    "locale POSIX": ((), {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}),
    "path": ((), {"PYTHONPATH": "/nowhere:/tmp", "PYTHONWARNINGS": "error::UserWarning", "PYTHONSAFEPATH": "1"}),
    "time zone": ((), {"TZ": "Asia/Kathmandu", "PYTHONUNBUFFERED": "1"}),
}


@pytest.mark.parametrize("way", WAYS)
def test_options_and_variables_of_the_interpreter_count(both: Both, way: str) -> None:
    flags, env = WAYS[way]
    both.env = {**both.env, **env}
    for name in ("facts", "unicode", "locale", "warning", "error-assert", "child"):
        both.write(f"try-{name}.py", SCRIPTS[name])
        cold = seen(both, both.cold(f"try-{name}.py", flags=flags))

        assert seen(both, both.prepared(f"try-{name}.py", flags=flags)) == cold


LINES = ["#!{python}", "#!{python} -u", "#! {python}  -I", "#!/usr/bin/env python3", "#!/usr/bin/env -S python3 -O"]


@pytest.mark.parametrize("line", LINES)
def test_a_first_line_names_the_interpreter(both: Both, tmp_path: Path, line: str) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python3").symlink_to(os.path.realpath(sys.executable))
    both.env = {**both.env, "PATH": f"{tmp_path}/bin:/usr/bin:/bin"}
    both.write("hook", f"{line.format(python=tmp_path / 'bin' / 'python3')}\n{FACTS}")
    argv = ("./hook", "word")
    cold = seen(both, both.cold("hook", argv=argv))

    assert seen(both, both.prepared("hook", argv=argv)) == cold
    assert cold["exit"] == 0


def test_a_virtual_environment_is_the_interpreters_own(both: Both, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    [packages] = (tmp_path / "venv" / "lib").glob("python3*/site-packages")
    (packages / "only_here.py").write_text("import sys\nname = __name__\n")
    both.python = str(tmp_path / "venv" / "bin" / "python")
    both.write("try-venv.py", "import only_here, sys\nprint(only_here.__file__, sys.prefix, sys.executable, sys.path)")
    cold = seen(both, both.cold("try-venv.py"))

    assert seen(both, both.prepared("try-venv.py")) == cold
    assert str(packages) in str(cold["stdout"])
