"""What a script can still notice of running in a copy: the table of docs/inside/warm.md, point by point."""

from __future__ import annotations

import fcntl
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from processes import lives, within
from runtime.warm.conftest import Both

PAGE = Path(__file__).parents[3] / "docs" / "inside" / "warm.md"


def both_ways(both: Both, text: str, **options: Any) -> tuple[Any, Any]:
    """What the script prints as JSON, cold and warm."""
    both.write("try.py", "import json\n" + text)
    cold = both.cold("try.py", **options)
    return json.loads(cold.stdout), json.loads(both.prepared("try.py", **options).stdout)


def test_1_the_command_line(both: Both) -> None:
    cold, warm = both_ways(both, "print(json.dumps(open('/proc/self/cmdline').read().split('\\0')))")

    assert "try.py" in cold
    assert "try.py" not in warm
    assert any(word.endswith("warm/program.py") for word in warm)


def test_2_the_parent(both: Both) -> None:
    text = "import os\nprint(json.dumps(open(f'/proc/{os.getppid()}/cmdline').read()))"
    cold, warm = both_ways(both, text)

    assert "warm/program.py" not in cold
    assert "warm/program.py" in warm


def test_3_frames_below_the_module(both: Both) -> None:
    cold, warm = both_ways(both, "import sys\nprint(json.dumps(sys._getframe().f_back is None))")

    assert (cold, warm) == (True, False)
    text = (
        "import sys\ndef deep(n):\n    try:\n        return deep(n + 1)\n    except RecursionError:\n        return n\n"
    )
    cold, warm = both_ways(both, text + "print(json.dumps(deep(0)))")
    assert cold - 10 < warm < cold


def test_4_more_modules_and_functions_for_the_end(both: Both) -> None:
    both.write("other.py", "import logging, colorsys")
    both.prepare("other.py")
    text = "import atexit, sys\nprint(json.dumps([[*sys.modules], [*sys.path_importer_cache], atexit._ncallbacks()]))"
    cold, warm = both_ways(both, text)

    assert {*cold[0]} < {*warm[0]}
    assert {"logging", "colorsys"} <= {*warm[0]} - {*cold[0]}
    assert cold[2] < warm[2]


def test_5_the_seed_of_hashes(both: Both) -> None:
    both.write("try.py", "print(hash('text'))")
    runs = [{run("try.py").stdout for _ in range(4)} for run in (both.cold, both.prepared)]

    assert [len(run) for run in runs] == [4, 1]


def test_6_addresses(both: Both) -> None:
    both.write("try.py", "import sys\nprint(id(sys.modules))")
    runs = [{run("try.py").stdout for _ in range(4)} for run in (both.cold, both.prepared)]

    assert len(runs[0]) > len(runs[1]) == 1


@pytest.fixture
def installed(both: Both, tmp_path: Path) -> Path:
    """The folder of packages of an environment of its own, which is now the one in use."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    both.python = str(tmp_path / "venv" / "bin" / "python")
    [packages] = (tmp_path / "venv" / "lib").glob("python3*/site-packages")
    return packages


def test_7_where_and_how_installed_modules_were_imported(both: Both, installed: Path) -> None:
    text = "import os, sys\nfound = [os.getcwd(), os.environ.get('EVENT'), os.path.basename(sys.argv[0])]\n"
    (installed / "looks.py").write_text(text)
    given = {"env": {**both.env, "EVENT": "this one"}, "varying": frozenset({"EVENT"})}
    cold, warm = both_ways(both, "import looks\nprint(json.dumps(looks.found))", **given)

    assert cold == [str(both.folder), "this one", "try.py"]
    assert warm == ["/", None, "program.py"]


def test_8_installed_modules_that_change_each_other(both: Both, installed: Path) -> None:
    (installed / "changed.py").write_text("value = 1\n")
    (installed / "changer.py").write_text("import changed\nchanged.value = 2\n")
    both.write("other.py", "import changer")
    both.prepared("other.py")
    cold, warm = both_ways(both, "import changed\nprint(json.dumps(changed.value))")

    assert (cold, warm) == (1, 2)


def test_9_the_order_of_variables(both: Both) -> None:
    env = {"EVENT": "first", **both.env, "A": "last"}
    cold, warm = both_ways(
        both, "import os\nprint(json.dumps(list(os.environ)))", env=env, varying=frozenset({"EVENT"})
    )

    assert sorted(cold) == sorted(warm)
    assert cold != warm


def test_10_the_environment_that_the_kernel_shows(both: Both) -> None:
    env, varying = {**both.env, "EVENT": "this one"}, frozenset({"EVENT"})
    text = "import os\nblock = open('/proc/self/environ').read()\n"
    text += "print(json.dumps(['EVENT' in block, os.environ['TENTERHOOK_RUN'] in block, os.environ['EVENT']]))"
    cold, warm = both_ways(both, text, env=env, varying=varying)

    assert (cold, warm) == ([True, True, "this one"], [False, True, "this one"])


def test_11_the_age_of_the_process(both: Both) -> None:
    """In ticks since boot, against the time at which the host asked for it."""
    text = "import time, sys\nborn = int(open('/proc/self/stat').read().rsplit(')', 1)[1].split()[19])\n"
    text += "print(json.dumps(born / 100 > float(sys.argv[1]) - 0.02))"
    both.write("try.py", "import json\n" + text)
    both.prepared("try.py", "0")
    with open("/proc/uptime") as file:
        now = file.read().split()[0]

    assert both.cold("try.py", now).stdout == b"true\n"
    seen = {both.warm("try.py", str(float(now) + 60)).stdout for _ in range(2)}
    assert seen == {b"false\n"}


def test_12_the_garbage_collector(both: Both) -> None:
    cold, warm = both_ways(
        both, "import gc, sys\nprint(json.dumps([gc.get_freeze_count(), any(o is sys for o in gc.get_objects())]))"
    )

    assert (cold[1], warm[1]) == (True, False)
    assert cold[0] < warm[0]  # not 0 in every Python


def test_13_objects_that_installed_modules_hold(both: Both, installed: Path) -> None:
    (installed / "holds.py").write_text("class Held:\n    def __del__(self): print('finalized')\nheld = Held()\n")
    both.write("try.py", "import holds\nprint('end')")

    assert both.cold("try.py").stdout == b"end\nfinalized\n"
    assert both.prepared("try.py").stdout == b"end\n"


def test_14_the_signals_of_the_c_library(both: Both) -> None:
    text = "ignored = open('/proc/self/status').read().split('SigIgn:')[1].split()[0]\n"
    text += "print(json.dumps(int(ignored, 16) >> 31 & 3))"
    cold, warm = both_ways(both, text)
    ours = int(Path("/proc/self/status").read_text().split("SigIgn:")[1].split()[0], 16) >> 31 & 3

    assert warm == ours  # as whoever started the host left them
    assert cold in (ours, 3)  # by the C library


def test_15_a_hidden_change_of_the_path(both: Both) -> None:
    (both.folder / "lib").mkdir()
    (both.folder / "lib" / "colorsys.py").write_text("mine = True")
    both.write("other.py", "import colorsys")
    both.prepared("other.py")
    text = "import sys\ngetattr(sys, 'path').insert(0, 'lib')\nimport colorsys\n"
    text += "print(json.dumps(hasattr(colorsys, 'mine')))"
    cold, warm = both_ways(both, text)

    assert (cold, warm) == (True, False)


def test_16_functions_that_run_after_a_fork(both: Both, installed: Path) -> None:
    (installed / "forks.py").write_text(
        "import os\nseen = []\nos.register_at_fork(after_in_child=lambda: seen.append(1))\n"
    )
    cold, warm = both_ways(both, "import forks\nprint(json.dumps(len(forks.seen)))")

    assert (cold, warm) == (0, 1)


def test_17_what_typing_extensions_does_to_typing(both: Both, installed: Path) -> None:
    text = "import typing\ndef _collect(*args): ...\ntyping._type_check = _collect\n"
    (installed / "typing_extensions.py").write_text(text)
    both.write("other.py", "import typing_extensions")
    both.prepared("other.py")
    cold, warm = both_ways(both, "import typing\nprint(json.dumps(typing._type_check.__module__))")

    assert (cold, warm) == ("typing", "typing_extensions")


def test_18_the_interpreter_does_not_shut_down(both: Both) -> None:
    both.write("try.py", "import sys\nclass A:\n    def __del__(self): print(sys.is_finalizing())\na = A()")

    assert (both.cold("try.py").stdout, both.prepared("try.py").stdout) == (b"True\n", b"False\n")
    both.write("try.py", "class A:\n    def __del__(self): 1 / 0\na = A()")
    assert b"def __del__(self)" in both.prepared("try.py").stderr.partition(b"line 2")[2]


def test_19_values_that_installed_modules_set(both: Both, installed: Path) -> None:
    (installed / "sets.py").write_text("import colorsys\ncolorsys.ONE_THIRD = 3")
    both.write("other.py", "import sets")
    both.prepared("other.py")
    cold, warm = both_ways(both, "import colorsys\nprint(json.dumps(colorsys.ONE_THIRD == 3))")

    assert (cold, warm) == (False, True)


def test_20_the_process_may_outlive_its_end_by_a_moment_but_holds_nothing(both: Both) -> None:
    """What it has locked is free when its end is told, as if it were gone."""
    text = "import fcntl, os\nkept = os.open('lock', os.O_RDWR | os.O_CREAT)\nfcntl.flock(kept, fcntl.LOCK_EX)\n"
    both.write("try.py", text + "print(os.getpid())\nraise SystemExit(7)")
    both.prepared("try.py")
    for _ in range(10):
        done = both.warm("try.py")
        with (both.folder / "lock").open() as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

        assert (done.warm, done.exit_code) == (True, 7)
        assert within(10, lambda pid=int(done.stdout): not lives(pid))


def test_21_what_an_installed_module_finds_out_when_it_is_imported(both: Both, installed: Path) -> None:
    found = "import os, random, uuid\nONE, PID, DICE = uuid.uuid4(), os.getpid(), random.Random()"
    (installed / "finds.py").write_text(found)
    text = "import finds, os\nprint(json.dumps([str(finds.ONE), finds.PID == os.getpid(), finds.DICE.random()]))"
    both.write("try.py", "import json\n" + text)
    cold = [json.loads(both.cold("try.py").stdout) for _ in range(2)]
    warm = [json.loads(both.prepared("try.py").stdout) for _ in range(2)]

    assert cold[0] != cold[1]
    assert [one[1] for one in (*cold, *warm)] == [True, True, False, False]
    assert warm[0] == warm[1]


def test_22_what_a_script_changes_for_what_another_script_has_loaded(both: Both, installed: Path) -> None:
    (installed / "looks.py").write_text("import os\nMODE = os.environ.get('MODE', 'usual')")
    both.write("other.py", "import looks")
    both.prepared("other.py")
    text = "import os\nos.environ['MODE'] = 'mine'\nexec('import looks')\nprint(json.dumps(looks.MODE))"
    cold, warm = both_ways(both, text)

    assert (cold, warm) == ("mine", "usual")


def test_every_point_of_the_page_has_its_test() -> None:
    points = {int(number) for number in re.findall(r"^\| (\d+) \|", PAGE.read_text(), re.MULTILINE)}
    tests = {int(found[1]) for name in globals() if (found := re.match(r"test_(\d+)_", name))}

    assert points == tests
