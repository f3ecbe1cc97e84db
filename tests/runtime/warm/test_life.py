"""Warm interpreters and what runs in them: noticed changes, ends, time-outs, deaths, bounds, and no leaks."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import processes
from processes import in_a_host, lives, within
from runtime.warm.conftest import Both
from tenterhook.runtime.process import run, run_all
from tenterhook.runtime.sandbox.profile import Profile
from tenterhook.runtime.warm import host
from tenterhook.runtime.warm.server import SPARE


def children(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


# Ends

FORKS = {
    "child": "if os.fork() == 0:\n    time.sleep(0.1)\n    sys.exit(0)\n",
    "grandchild": "if os.fork() == 0:\n    if os.fork() == 0:\n        time.sleep(0.1)\n        sys.exit(0)\n"
    "    os._exit(0)\nos.wait()\n",
    "fails": "if os.fork() == 0:\n    time.sleep(0.1)\n    1 / 0\n",
}


@pytest.mark.parametrize("name", FORKS)
def test_the_end_of_what_a_script_has_forked_is_not_its_own(both: Both, name: str) -> None:
    """Though another script ends at the same time, for which its interpreter looks around."""
    both.write(
        "try.py", f"import os, sys, time\n{FORKS[name]}time.sleep(0.6)\nprint('no', file=sys.stderr)\nsys.exit(2)"
    )
    both.write("beside.py", "import time\ntime.sleep(0.3)")
    both.prepared("try.py")
    both.prepared("beside.py")
    programs = [both.program("try.py", warm=True), both.program("beside.py", warm=True)]
    done, _ = run_all(programs, helper=both.helper)

    assert (done.warm, done.exit_code, done.stderr.splitlines()[-1]) == (True, 2, b"no")
    assert done.seconds >= 0.6


# Changes


def test_an_interpreter_whose_name_leads_elsewhere_now_is_another_one(both: Both, tmp_path: Path) -> None:
    link = tmp_path / "python3"
    for name in ("one", "other"):
        shutil.copy(os.path.realpath(sys.executable), tmp_path / name)
    link.symlink_to(tmp_path / "one")
    both.python = str(link)
    both.write("try.py", "import os\nprint(os.path.basename(os.readlink('/proc/self/exe')))")
    assert both.prepared("try.py").stdout == b"one\n"
    link.unlink()
    link.symlink_to(tmp_path / "other")

    assert both.warm("try.py").stdout == b"other\n"


def test_a_changed_script_is_the_new_one_at_once(both: Both) -> None:
    script = both.write("try.py", "print('old')")
    assert both.prepared("try.py").stdout == b"old\n"
    script.write_text("print('new')")

    assert both.warm("try.py").stdout == b"new\n"
    assert both.prepared("try.py").stdout == b"new\n"


def test_a_change_that_leaves_no_trace_is_noticed(both: Both) -> None:
    """Within one tick of the clock of the file system a file changes without another time."""
    script = both.write("try.py", "print(0)")
    both.prepared("try.py")
    for n in range(1, 9):
        with open(script, "r+") as file:  # the same file, the same size
            file.write(f"print({n})")
        both.prepare("try.py")
        for m in (n, n + 1):
            with open(script, "r+") as file:
                file.write(f"print({m})")
            assert both.warm("try.py").stdout == f"{m}\n".encode()


def test_a_file_that_hides_a_loaded_module_is_noticed(both: Both) -> None:
    both.write("try.py", "import json\nprint(json.__file__ == __file__.replace('try', 'json'))")
    assert both.prepared("try.py").stdout == b"False\n"
    both.write("json.py", "")
    done = both.warm("try.py")

    assert (done.stdout, done.warm) == (b"True\n", False)
    both.prepare("try.py")
    assert "json.py" in both.reasons()["try.py"]
    assert both.warm("try.py").stdout == b"True\n"


def test_an_upgraded_package_is_noticed(both: Both, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "PAUSE", 0.0)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    [packages] = (tmp_path / "venv" / "lib").glob("python3*/site-packages")
    module = packages / "installed.py"
    module.write_text("version = 1\n")
    both.python = str(tmp_path / "venv" / "bin" / "python")
    both.write("try.py", "import installed, os\nprint(installed.version, os.getppid())")
    first = both.prepared("try.py").stdout.split()
    module.write_text("version = 22\n")
    now = both.warm("try.py")

    assert (first[0], now.stdout.split()[0], now.warm) == (b"1", b"22", False)
    later = both.prepared("try.py").stdout.split()
    assert later[0] == b"22"
    assert later[1] != first[1]


# Upgraded while it is loaded for good, after it was tried.
UPGRADED = """
import os, sys
version = 1
if any("program.py" in word for word in sys.orig_argv):
    with open(__file__ + ".count", "ab") as count:
        count.write(b"x")
        tries = count.tell()
    if tries == 2:
        os.remove(__file__)
        with open(__file__, "w") as file:
            file.write("version = 22")
"""


def test_a_package_that_is_upgraded_while_it_is_loaded_is_noticed(
    both: Both, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host, "PAUSE", 0.0)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    [packages] = (tmp_path / "venv" / "lib").glob("python3*/site-packages")
    (packages / "package").mkdir()
    (packages / "package" / "__init__.py").write_text(UPGRADED)
    both.python = str(tmp_path / "venv" / "bin" / "python")
    both.write("try.py", "import package\nprint(package.version)")
    seen = both.prepared("try.py").stdout

    assert (packages / "package" / "__init__.py").read_text() == "version = 22"
    assert seen == b"22\n"


def test_another_environment_is_another_interpreter(both: Both) -> None:
    both.write("try.py", "import os\nprint(os.getppid(), os.environ.get('EVENT'))")
    given = [{"env": {**both.env, "MODE": mode, "EVENT": event}, "varying": frozenset({"EVENT"})}
        for mode, event in (("a", "1"), ("a", "2"), ("b", "3"))]  # fmt: skip
    said = [both.prepared("try.py", **one).stdout.split() for one in given]

    assert said[0][0] == said[1][0] != said[2][0]
    assert [one[1] for one in said] == [b"1", b"2", b"3"]


def test_interpreters_are_bounded(both: Both, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one that was not used for longest makes room; none does that was used just now."""
    both.write("try.py", "import os\nprint(os.getppid())")
    monkeypatch.setattr(host, "MOST", 2)
    parents = [int(both.prepared("try.py", env={**both.env, "MODE": mode}).stdout) for mode in "ab"]
    both.prepare("try.py", env={**both.env, "MODE": "c"})
    assert not both.warm("try.py", env={**both.env, "MODE": "c"}).warm
    monkeypatch.setattr(host, "RECENT", 0.0)

    assert both.prepared("try.py", env={**both.env, "MODE": "c"}).warm
    assert within(30, lambda: not lives(parents[0]))
    assert lives(parents[1])


# Ends


def test_a_script_past_its_time_is_ended_with_all_that_it_started(both: Both) -> None:
    both.write("try.py", "import subprocess, time\nsubprocess.Popen(['setsid', 'sleep', '60'])\ntime.sleep(60)")
    pid = both.interpreter()
    both.prepare("try.py", timeout=0.01)
    done = both.warm("try.py", timeout=3.0)

    assert (done.error, done.warm) == ("timeout", True)
    assert within(30, lambda: len(children(pid)) == SPARE)  # the copies that wait for the next scripts


def test_a_script_that_becomes_a_daemon_without_exec_is_found_by_its_mark(both: Both) -> None:
    text = """
import os, time
ear, mouth = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        print(os.getpid(), flush=True)
        os.write(mouth, b"!")
        time.sleep(60)
    os._exit(0)
os.read(ear, 1)
"""
    both.write("try.py", text)
    kept = both.prepared("try.py", leftovers="end")

    assert within(30, lambda: not lives(int(kept.stdout)))
    [pid] = map(int, both.warm("try.py", leftovers="keep").stdout.split())
    assert lives(pid)
    os.kill(pid, signal.SIGKILL)


def test_nothing_survives_the_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "way", ["helper"])
    text = f"""
import pathlib, tempfile
script, said = pathlib.Path({str(tmp_path)!r}, "try.py"), pathlib.Path({str(tmp_path)!r}, "said")
script.write_text("import os, time\\nprint(os.getpid(), os.getppid())\\nif os.fork() == 0:\\n    time.sleep(60)")
program = Program((sys.executable, str(script)), b"", {{"PATH": "/usr/bin:/bin"}}, "/", 60.0, warm=True)
run(program)
chosen.warm.wait(120)
done = run(program)
said.write_text(done.stdout.decode() if done.warm else "cold")
os.kill(os.getpid(), 9)
"""
    with pytest.raises(AssertionError):
        in_a_host(text)

    pids = [int(pid) for pid in (tmp_path / "said").read_text().split()]
    assert len(pids) == 2
    assert within(30, lambda: not any(map(lives, pids)))


def test_a_killed_interpreter_fails_what_ran_in_it_and_is_replaced(both: Both, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "PAUSE", 0.0)
    both.write("try.py", "import os, signal, time\nos.kill(os.getppid(), signal.SIGKILL)\ntime.sleep(60)")
    both.write("quiet.py", "print(1)")
    both.prepare("quiet.py")
    both.prepare("try.py", timeout=0.01)

    assert both.warm("try.py").error == "status"
    done = both.warm("quiet.py")
    assert (done.error, done.stdout) == (None, b"1\n")
    assert both.prepared("quiet.py").stdout == b"1\n"


STOPS = """
import os, signal, time
boss = os.getppid()
for _ in range(200):
    found = [int(n) for n in open(f"/proc/{boss}/task/{boss}/children").read().split() if int(n) != os.getpid()]
    if found:
        break
    time.sleep(0.01)
for pid in found:
    os.kill(pid, signal.SIGSTOP)
"""


def test_a_script_cannot_stop_the_next_one_before_it_begins(both: Both) -> None:
    both.write("guard.py", "import sys\nsys.exit(2)")
    both.write("stops.py", STOPS)
    both.prepared("guard.py")
    both.prepared("stops.py")
    done = both.warm("guard.py")

    assert (done.warm, done.exit_code, done.error) == (True, 2, None)


def test_an_interpreter_that_died_unnoticed_costs_nothing_but_time(both: Both) -> None:
    both.write("try.py", "print(1)")
    both.prepared("try.py")
    os.kill(both.interpreter(), signal.SIGKILL)
    done = both.warm("try.py")

    assert (done.error, done.stdout) == (None, b"1\n")


# Confined, at once, again and again


def test_a_confined_script_is_confined_in_a_copy(both: Both, tmp_path: Path) -> None:
    text = """
try:
    open("../outside", "w")
except OSError as exc:
    print(type(exc).__name__)
open("inside", "w")
print([line for line in open("/proc/self/status") if "NoNew" in line])
"""
    both.write("try.py", text)
    profile = Profile("none", (str(both.folder),))
    cold = both.cold("try.py", profile=profile)
    if cold.sandbox in ("", "none", "bubblewrap"):
        pytest.skip(f"this machine cannot confine a process: {cold.notes}")
    done = both.prepared("try.py", profile=profile)

    assert (done.stdout, done.sandbox) == (cold.stdout, cold.sandbox)
    assert not (tmp_path / "outside").exists()


def test_several_at_once(both: Both) -> None:
    both.write("try.py", "import sys, time\ntime.sleep(0.05)\nprint(sys.argv[1], sys.stdin.read())")
    both.prepared("try.py", "0")
    programs = [both.program("try.py", str(n), stdin=f"<{n}>".encode(), warm=True) for n in range(24)]
    done = run_all(programs, helper=both.helper)

    assert [one.stdout for one in done] == [f"{n} <{n}>\n".encode() for n in range(24)]
    assert all(one.warm for one in done)


def test_threads_share_interpreters(both: Both) -> None:
    both.write("try.py", "import sys\nprint(sys.argv[1])")
    both.prepared("try.py", "0")
    found: dict[int, bytes] = {}

    def work(n: int) -> None:
        for _ in range(5):
            found[n] = run(both.program("try.py", str(n), warm=True), both.helper).stdout

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {n: f"{n}\n".encode() for n in range(6)}


def test_many_runs_leave_nothing_in_the_interpreter(both: Both) -> None:
    both.write("try.py", "import json, sys\njson.dump([1] * 1000, sys.stdout)")
    pid = both.interpreter()
    both.prepared("try.py")

    def state() -> tuple[int, int, int]:
        status = Path(f"/proc/{pid}/status").read_text()
        files = len(os.listdir(f"/proc/{pid}/fd")) if os.getuid() == 0 else 0
        return files, len(children(pid)), int(status.partition("VmData:")[2].split()[0])

    def at_rest() -> bool:
        """Two copies wait, and not one that waits beside one that is about to be gone."""
        found = state()
        time.sleep(0.2)
        return found[1] == SPARE and state() == found

    for _ in range(20):
        both.warm("try.py")
    assert within(30, at_rest)
    before = state()
    for _ in range(200):
        assert both.warm("try.py").warm

    assert within(30, lambda: state()[:2] == before[:2])
    assert state()[2] <= before[2] + 512


def test_the_secret_of_one_script_is_not_in_the_memory_of_the_next(both: Both) -> None:
    """Environment, words and input of one run, looked for in the whole memory of another."""
    both.write("holder.py", "import os, sys\nprint(len(os.environ['SECRET']), len(sys.argv), len(sys.stdin.read()))")
    text = """
found, needle = 0, bytes(reversed(b"}yranac{"))
with open("/proc/self/mem", "rb", 0) as memory, open("/proc/self/maps") as maps:
    for place, rights, *_, name in (line.split() for line in maps):
        begin, end = (int(number, 16) for number in place.split("-"))
        if "r" in rights and not name.startswith("[v"):
            memory.seek(begin)
            found += memory.read(end - begin).count(needle)
print(found)
"""
    both.write("seeker.py", text)
    given = {"env": {**both.env, "SECRET": "a{canary}b"}, "varying": frozenset({"SECRET"}), "stdin": b"x{canary}y"}
    assert both.prepared("holder.py", "c{canary}d", **given).stdout == b"10 2 10\n"
    here = int(both.prepared("seeker.py").stdout)
    own = int(both.prepared("seeker.py", env={**both.env, "SECRET": "{canary}"}, varying=frozenset({"SECRET"})).stdout)

    assert here == 1  # the needle itself
    assert own > here


def test_one_that_nobody_uses_ends_with_the_last_engine(both: Both) -> None:
    pid = both.interpreter()
    both.close()

    assert within(30, lambda: not lives(pid))
