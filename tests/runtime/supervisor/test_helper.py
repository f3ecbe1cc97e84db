"""The helper itself: shared, restarted, done without; what it is told and what it keeps open."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

import processes
from processes import ENV, LINUX, in_a_host, lives, open_files, within
from tenterhook.runtime.process import Program, Reactor, run, run_all
from tenterhook.runtime.sandbox import bubblewrap
from tenterhook.runtime.sandbox.profile import Profile
from tenterhook.runtime.supervisor.client import Helper, helper, lasting

pytestmark = pytest.mark.skipif(not LINUX, reason="there is a supervisor on Linux only")


@pytest.fixture(autouse=True)
def with_the_helper(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "way", ["helper"])


@pytest.fixture
def supervisor() -> Helper:
    return helper("auto")


def sh(text: str, **options: object) -> Program:
    usual = {"stdin": b"", "env": ENV, "cwd": "/", "timeout": 60.0}
    return Program(("/bin/sh", "-c", text), **{**usual, **options})  # type: ignore[arg-type]


# One for all


def test_there_is_one_for_the_whole_process_and_nothing_of_it_is_a_child_of_ours() -> None:
    text = """
from tenterhook import Engine
engines = [Engine(files=False, home="/", environ={}) for _ in range(3)]
print(len({id(engine.running().helper()) for engine in engines}))
parents = {run(sh("echo $PPID")).stdout for _ in range(3)}
threads = [threading.Thread(target=lambda: parents.add(run(sh("echo $PPID")).stdout)) for _ in range(5)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(len(parents))
try: os.waitpid(-1, os.WNOHANG)
except ChildProcessError: print("no child")
"""
    assert in_a_host(text) == "1\n1\nno child\n"


def test_nothing_is_started_before_it_is_needed() -> None:
    text = "before = os.listdir('/dev/fd'); Batch(); Reactor(); print(os.listdir('/dev/fd') == before)"

    assert in_a_host(text) == "True\n"


def test_files_of_the_host_are_not_kept_open(tmp_path: Path) -> None:
    """A lock or a pipe that the host closes must be closed, though hooks go on."""
    text = """
ear, rope = os.pipe()
os.set_inheritable(rope, True)
chosen.how = HOW
run(sh("exit 0"))
os.close(rope)
print(os.read(ear, 1))
"""
    assert in_a_host(text.replace("HOW", "'fork'")) == "b''\n"
    assert in_a_host(text.replace("HOW", "'auto'")) == "b''\n"


def test_its_environment_holds_nothing_of_the_hosts(supervisor: Helper) -> None:
    """Hooks of an ordinary user cannot read it; those of root could."""
    text = """
os.environ["API_TOKEN"] = "canary"
parent = int(run(sh("echo $PPID")).stdout)
if os.getuid() == 0:
    with open(f"/proc/{parent}/environ", "rb") as file: print(b"canary" in file.read())
else:
    print(False)
"""
    assert in_a_host(text) == "False\n"


def test_channels_are_bounded_and_used_again(supervisor: Helper) -> None:
    run_all([sh("exit 0")] * 4, helper=supervisor)
    before = open_files()
    threads = [threading.Thread(target=run, args=(sh("sleep 0.2"), supervisor)) for _ in range(30)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert open_files() <= before + 2 * 16  # a connection and a file each
    again = open_files()
    for _ in range(20):
        run(sh("exit 0"), supervisor)
    assert open_files() == again


# What a hook is given


@pytest.mark.parametrize("size", [10, 40_000, 100_000])
def test_a_long_environment_arrives_whole(size: int, supervisor: Helper) -> None:
    env = {**ENV, **{f"PART{n}": "x" * size for n in range(5)}}
    done = run(sh("echo ${#PART0} ${#PART4}", env=env), supervisor)

    assert done.stdout.split() == [str(size).encode()] * 2


def test_a_working_directory_counts_from_the_hosts(
    supervisor: Helper, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path)

    assert run(sh("pwd", cwd="below"), supervisor).stdout == f"{tmp_path}/below\n".encode()
    assert run(sh("pwd", cwd=""), supervisor).stdout == f"{tmp_path}\n".encode()


def test_a_program_is_found_by_the_hooks_own_path(supervisor: Helper, tmp_path: Path) -> None:
    for folder, mode in (("first", 0o644), ("second", 0o755)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "tool").write_text(f"#!/bin/sh\necho {folder}\n")
        (tmp_path / folder / "tool").chmod(mode)
    tool = Program(("tool",), b"", {"PATH": f"{tmp_path}/first:{tmp_path}/second"}, "/", 20.0)
    alone = Program(("tool",), b"", {"PATH": f"{tmp_path}/first"}, "/", 20.0)

    assert run(tool, supervisor).stdout == b"second\n"
    assert "chmod +x" in run(alone, supervisor).detail


def test_bytes_that_are_no_text_pass(supervisor: Helper) -> None:
    odd = os.fsdecode(b"\xff\xfe")

    assert run(sh('printf %s "$ODD"', env={**ENV, "ODD": odd}), supervisor).stdout == b"\xff\xfe"


# When it dies


def test_a_hook_that_kills_its_spawner_fails_and_does_not_get_away(supervisor: Helper, tmp_path: Path) -> None:
    text = f"setsid sleep 60 & echo $! $$ > {tmp_path}/pids; kill -9 $PPID; sleep 60"
    done = run(sh(text), supervisor)

    assert (done.exit_code, done.error) == (None, "status")
    assert "helper" in done.detail
    assert within(20, lambda: not any(lives(int(pid)) for pid in (tmp_path / "pids").read_text().split()))
    assert run(sh("exit 3"), supervisor).exit_code == 3


def test_a_killed_supervisor_is_replaced_and_ends_what_it_ran(supervisor: Helper, tmp_path: Path) -> None:
    spawner = int(run(sh("echo $PPID"), supervisor).stdout)
    above = int(Path(f"/proc/{spawner}/stat").read_text().rsplit(")", 1)[1].split()[1])
    reactor, got = Reactor(helper=supervisor), []
    reactor.submit(sh(f"echo $$ > {tmp_path}/new; mv {tmp_path}/new {tmp_path}/pid; sleep 60"), got.append)
    assert within(20, (tmp_path / "pid").exists)
    os.kill(above, 9)

    assert within(20, lambda: [done.error for done in got] == ["status"])
    assert within(20, lambda: not lives(int((tmp_path / "pid").read_text())))
    assert [done.exit_code for done in run_all([sh("exit 3")] * 3, helper=supervisor)] == [3, 3, 3]
    reactor.close()


@pytest.mark.parametrize("who", ["$PPID", "$(ps -o ppid= -p $PPID)"])
def test_a_hook_that_stops_its_helper_is_late_and_the_next_one_runs(who: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"""
from tenterhook.runtime.supervisor import client
client.ANSWER = 1.0
run(sh("exit 0"))
begun = time.monotonic()
done = run(sh("kill -STOP {who}; sleep 60", timeout=0.5, grace=0.2))
print(done.error, time.monotonic() - begun < 20)
print(run(sh("exit 3; : {who}")).exit_code, run(sh("echo {who}")).stdout.decode().strip())
"""
    said, answers = in_a_host(text).splitlines()
    code, helper = answers.split()

    assert (said, code) == ("timeout True", "3")
    assert within(20, lambda: not lives(int(helper)))


def test_what_had_not_been_started_is_tried_again(supervisor: Helper) -> None:
    """The spawner is dead, and its idle channel not yet known to be."""
    spawner = int(run(sh("echo $PPID"), supervisor).stdout)
    os.kill(spawner, 9)
    assert within(20, lambda: not lives(spawner))

    assert [done.exit_code for done in run_all([sh("exit 3")] * 3, helper=supervisor)] == [3, 3, 3]


# Without it


def test_a_host_that_cannot_start_it_says_so_once_and_runs_hooks_itself() -> None:
    text = """
sys.executable = ""
done = [run(sh("echo $PPID; exit 2")) for _ in range(3)]
print([d.exit_code for d in done], {int(d.stdout) for d in done} == {os.getpid()})
print([len(d.notes) for d in done], "supervisor" in done[0].notes[0])
"""
    assert in_a_host(text) == "[2, 2, 2] True\n[1, 0, 0] True\n"


def test_a_helper_that_ends_at_once_is_done_without() -> None:
    text = "sys.executable = '/bin/false'\nprint(run(sh('exit 2')).exit_code, len(run(sh('exit 2')).notes))"

    assert in_a_host(text) == "2 0\n"


def test_a_fork_of_the_host_has_its_own() -> None:
    text = """
import warnings; warnings.simplefilter("ignore")
mine = run(sh("echo $PPID")).stdout
if (pid := os.fork()) == 0:
    theirs = run(sh("echo $PPID"))
    os._exit(0 if theirs.exit_code == 0 and theirs.stdout != mine else 1)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), run(sh("echo $PPID")).stdout == mine)
"""
    assert in_a_host(text) == "0 True\n"


def test_a_host_that_closes_all_files_gets_a_new_one() -> None:
    """As daemons do; the numbers may be other files' by then, which stay open."""
    text = """
run(sh("exit 0"))
os.closerange(3, 100)
others = [os.open("/", os.O_RDONLY) for _ in range(8)]
print([run(sh("exit 3")).exit_code for _ in range(2)])
print(all(os.fstat(fd).st_ino == os.stat("/").st_ino for fd in others))
"""
    assert in_a_host(text) == "[3, 3]\nTrue\n"


def test_one_that_is_roused_starts_what_comes_and_rests_where_nothing_does(supervisor: Helper) -> None:
    parent = run(sh("echo $PPID"), supervisor).stdout
    assert len(supervisor.idle) > 0

    for _ in range(3_000):  # nobody listens to each of them
        supervisor.rouse(None)
    used = spent(int(parent))
    assert run(sh("echo $PPID; exit 3"), supervisor).exit_code == 3
    supervisor.rouse(None)
    assert within(10.0, lambda: Path(f"/proc/{int(parent)}/stat").read_text().rsplit(")", 1)[1].split()[0] == "S")

    assert run(sh("echo $PPID"), supervisor).stdout == parent
    assert spent(int(parent)) - used < 1.0


def spent(pid: int) -> float:
    """Seconds of a processor."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_only_one_for_such_programs_is_roused_and_no_file_of_somebody_else() -> None:
    """The host may have closed our file, and have another one under its number by now."""
    text = """
from tenterhook.runtime.sandbox.profile import Profile
from tenterhook.runtime.supervisor.channel import Channel
from tenterhook.runtime.supervisor.wire import pair
def heard():
    try: return ours.receive_packet()[0][:1]
    except BlockingIOError: return b""
ours, theirs = pair()
chosen.idle.append(Channel(theirs, os.memfd_create("notes"), (None, None)))
chosen.rouse(Profile("full"))
print(heard())
chosen.rouse(None)
chosen.rouse(None)
print(heard(), heard())
chosen.idle[-1].roused = False
ours, others = pair()
os.dup2(others.fileno(), theirs.fileno())
chosen.rouse(None)
print(heard())
"""
    assert in_a_host(text) == "b''\nb'H' b''\nb''\n"


# Confined: what the helper does with the words of the sandbox

SANDBOX = """
from types import SimpleNamespace
from tenterhook.runtime.process import spawn
from tenterhook.runtime.sandbox import bubblewrap
from tenterhook.runtime.sandbox.profile import Profile
class Unavailable(Exception):
    def __init__(self, reason, refused=False):
        super().__init__(reason)
        self.refused = refused
def restrict(profile):
    if profile.network == "full": os.environ["CONFINED"] = "yes"; return "landlock"
    raise Unavailable("no " + profile.network, profile.network == "loopback")
class Watch:
    def __init__(self, profile, seen=None): self.profile, self.seen = profile, seen
    def begin(self): self.begun = True
    def end(self): return ("watched",) if self.begun else ()
wrapped = lambda argv, profile: ["/usr/bin/env", "WRAPPED=yes", *argv] if profile.write else None
watching = {"Quarantine": Watch, "as_seen": lambda profile: profile, "last_seen": lambda profile: profile}
words = {"restrict": {"restrict": restrict}, "bubblewrap": {"build_bwrap_argv": wrapped}}
for name, given in words.items(): sys.modules["tenterhook.runtime.sandbox." + name] = SimpleNamespace(**given)
vars(spawn).update(watching)
chosen.how = "fork"
def told(program):
    done = run(program)
    print(done.exit_code, done.error, done.sandbox, done.stdout.decode().strip(), done.notes)
"""


@pytest.mark.parametrize(
    ("profile", "expected"),
    [
        ("Profile('full')", "2 None landlock - ('watched',)"),
        ("Profile('none', write=('/tmp',))", "2 None bubblewrap yes ('watched',)"),
        ("Profile('loopback', write=('/tmp',))", "2 None bubblewrap yes ('watched',)"),
        ("Profile('none')", "2 None none - ('not confined: no none; `tenter doctor` says what this machine can do',)"),
        ("Profile('loopback')", "None sandbox   ()"),
        ("Profile('none'), require=True", "None sandbox   ()"),
    ],
)
def test_a_program_is_confined_wrapped_refused_or_said_not_to_be(profile: str, expected: str) -> None:
    """The words of the sandbox are stood in for: here it counts what is made of them."""
    text = f"{SANDBOX}\nfor _ in range(2): told(sh('echo ${{WRAPPED--}}; exit 2', profile={profile}))\n"

    assert in_a_host(text) == f"{expected}\n" * 2


LOOKING = """
from tenterhook.runtime.supervisor import Outdated
looks = []
def look(self):
    looks.append(self.seen is not None)
    self.begun = True
    if len(looks) == 1: raise {raised}
Watch.begin = look
"""


def test_a_program_is_not_let_go_where_its_sandbox_is_out_of_date_but_started_anew(tmp_path: Path) -> None:
    """Once: what changes all the time must not keep it from running. It ran once, and was given all its input."""
    text = f"""{SANDBOX}{LOOKING.format(raised="Outdated")}
told(sh("cat; echo ran >> {tmp_path}/ran; exit 2", stdin=b"given", profile=Profile("full")))
print(looks)
"""
    assert in_a_host(text) == "2 None landlock given ('watched',)\n[True, False]\n"
    assert (tmp_path / "ran").read_text() == "ran\n"


def test_a_program_whose_host_is_interrupted_while_it_looks_around_is_never_started(tmp_path: Path) -> None:
    text = f"""{SANDBOX}{LOOKING.format(raised="KeyboardInterrupt")}
try:
    run(sh("echo ran > {tmp_path}/ran", profile=Profile("full")))
except KeyboardInterrupt:
    print("interrupted")
print(run(sh("exit 3", profile=Profile("full"))).exit_code, os.path.exists("{tmp_path}/ran"))
"""
    assert in_a_host(text) == "interrupted\n3 False\n"


def test_each_profile_has_a_spawner_of_its_own_and_idle_ones_end() -> None:
    text = f"""{SANDBOX}
parents = [int(run(sh("echo $PPID", profile=Profile("full", write=(str(n),)))).stdout) for n in range(40)]
again = run(sh("echo $PPID", profile=Profile("full", write=("39",)))).stdout
print(len(set(parents)), int(again) == parents[-1])
def alive(): return sum(os.path.exists(f"/proc/{{pid}}") for pid in parents)
until = time.monotonic() + 20
while alive() > 16 and time.monotonic() < until: time.sleep(0.01)
print(alive() <= 16)
"""
    assert in_a_host(text) == "40 True\nTrue\n"


def test_a_profile_may_be_longer_than_a_packet() -> None:
    text = f"{SANDBOX}\ntold(sh('exit 2', profile=Profile('full', hidden=tuple(map(str, range(20_000))))))\n"

    assert in_a_host(text) == "2 None landlock  ('watched',)\n"


def test_a_spawner_that_closed_and_hid_other_files_makes_room() -> None:
    text = f"""{SANDBOX}
parents = [int(run(sh("echo $PPID", profile=Profile("full", seen=(n,)))).stdout) for n in range(4)]
until = time.monotonic() + 20
while sum(os.path.exists(f"/proc/{{pid}}") for pid in parents) > 1 and time.monotonic() < until: time.sleep(0.01)
print(len(set(parents)), [os.path.exists(f"/proc/{{pid}}") for pid in parents])
"""
    assert in_a_host(text) == "4 [False, False, False, True]\n"


def test_without_a_supervisor_nothing_is_confined_and_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"{SANDBOX}\nchosen = None\nrun = run.func\ntold(sh('exit 2', profile=Profile('full')))\n"

    assert in_a_host(text).startswith("2 None none  ('not confined: hooks are started without a supervisor")


def test_profiles_are_told_apart_by_what_they_say() -> None:
    assert Profile("full", ("/a",)) == Profile("full", ("/a",)) != Profile("full", ("/b",))


def test_a_hook_that_is_refused_gives_back_what_the_one_before_it_used(
    supervisor: Helper, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bubblewrap, "find_working_bwrap", lambda: "")
    refused = Profile("loopback", ("/tmp",))
    monkeypatch.setitem(supervisor.unconfined, lasting((refused.pack(), None)), ("this machine cannot", True))
    both = [sh("exit 0"), sh("exit 0", profile=refused)]
    run_all(both, 1, supervisor)
    before = open_files()
    done = run_all(both, 1, supervisor)

    assert [one.error for one in done] == [None, "sandbox"]
    assert open_files() == before


def test_a_variable_without_a_name_is_the_hooks_fault_and_not_the_helpers_end(supervisor: Helper) -> None:
    spawner = run(sh("echo $PPID"), supervisor).stdout

    assert run(sh("exit 0", env={**ENV, "": "x"}), supervisor).error == "spawn"
    assert run(sh("echo $PPID"), supervisor).stdout == spawner
