"""Details of a confined process: what stays open, what cannot be moved away, what is inherited."""

from __future__ import annotations

import os
import platform
from pathlib import Path

import pytest

from tenterhook.runtime.sandbox import Unavailable, kernel
from tenterhook.runtime.sandbox.layout import PathLayout, around, between
from tenterhook.runtime.sandbox.profile import Profile
from tenterhook.runtime.sandbox.restrict import restrict

from .confined import CONFINED, Confined, as_nobody, python

TRY = """
def attempt(what):
    try:
        what()
    except OSError as exc:
        print("refused", flush=True)
    else:
        print("done", flush=True)
def put(path):
    with open(path, "w") as file:
        file.write("x")
"""


def put(path: Path, text: str = "x") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def lines(confined: Confined, profile: Profile, *attempts: str) -> list[str]:
    code = TRY + "\n".join(f"attempt(lambda: {one})" for one in attempts)
    done = confined(profile, code)

    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_what_is_opened_inside_of_something_closed_is_open(confined: Confined, place: Path) -> None:
    put(place / "p/.claude/hooks/guard.sh")
    put(place / "p/.claude/hooks/state/old")
    hooks = f"{place}/p/.claude/hooks"
    profile = Profile("none", (f"{place}/p", f"{hooks}/state"), (hooks,))

    assert lines(confined, profile, f"put({hooks + '/guard.sh'!r})", f"put({hooks + '/state/new'!r})") == [
        "refused",
        "done",
    ]


def test_what_is_shown_inside_of_something_hidden_is_shown(confined: Confined, place: Path) -> None:
    put(place / "home/.ssh/key")
    put(place / "home/.ssh/known/hosts")
    ssh = f"{place}/home/.ssh"
    profile = Profile("none", (), (), (ssh,), (f"{ssh}/known",))

    assert lines(confined, profile, f"open({ssh + '/key'!r})", f"open({ssh + '/known/hosts'!r}).read(1)") == [
        "refused",
        "done",
    ]


def test_a_hidden_place_in_a_writable_one_is_hidden(confined: Confined, place: Path) -> None:
    """As where the user's home is the project."""
    put(place / "home/.ssh/key")
    put(place / "home/src/own")
    profile = Profile("none", (f"{place}/home",), (), (f"{place}/home/.ssh",))

    assert lines(
        confined,
        profile,
        f"open('{place}/home/.ssh/key')",
        f"put('{place}/home/.ssh/authorized_keys')",
        f"put('{place}/home/src/own')",
    ) == ["refused", "refused", "done"]


def test_the_folders_around_something_closed_cannot_be_moved_away(in_namespace: Confined, place: Path) -> None:
    """Else a hook could move the whole project away and put another in its place."""
    put(place / "tmp/a/project/.git/hooks/x")
    profile = Profile("none", (f"{place}/tmp", f"{place}/tmp/a/project"), (f"{place}/tmp/a/project/.git/hooks",))
    moves = [f"os.rename('{place}/tmp/{one}', '{place}/tmp/elsewhere')" for one in ("a", "a/project", "a/project/.git")]

    assert lines(in_namespace, profile, *moves, f"put('{place}/tmp/a/new')") == ["refused"] * 3 + ["done"]


def test_an_agents_folder_takes_nothing_new_but_its_folders_do(confined: Confined, place: Path) -> None:
    put(place / "p/.claude/logs/old")
    profile = Profile("none", (f"{place}/p",), (f"{place}/p/.claude/settings.json",))

    assert lines(
        confined,
        profile,
        f"put('{place}/p/.claude/settings.json')",
        f"put('{place}/p/.claude/other')",
        f"put('{place}/p/.claude/logs/new')",
        f"os.rename('{place}/p/.claude', '{place}/p/.c')",
    ) == ["refused", "refused", "done", "refused"]


def test_a_folder_with_a_strange_name_is_a_folder_like_others(confined: Confined, place: Path) -> None:
    project = place / 'it\'s "a" $(touch pwned)\n\\040 my project \udcff'
    put(project / "src/own")
    put(project / ".git/hooks/x")
    profile = Profile("none", (str(project),), (f"{project}/.git/hooks",))

    assert lines(confined, profile, f"put({f'{project}/src/own'!r})", f"put({f'{project}/.git/hooks/x'!r})") == [
        "done",
        "refused",
    ]


def test_programs_that_are_started_inherit_it(confined: Confined, place: Path) -> None:
    put(place / "outside/file", "before")
    put(place / "p/x")
    code = (
        "import subprocess\n"
        f"print(subprocess.run(['/bin/sh', '-c', 'echo x > {place}/outside/file; setsid sh -c \"echo x > "
        f"{place}/outside/new\"; exit 7'], stderr=subprocess.DEVNULL).returncode)"
    )
    done = confined(Profile("none", (f"{place}/p",)), code)

    assert done.stdout.strip() == "7"
    assert (place / "outside/file").read_text() == "before"
    assert not (place / "outside/new").exists()


def test_who_it_is_and_who_owns_what_it_makes_stay_the_same(confined: Confined, place: Path) -> None:
    put(place / "p/src/x")
    done = confined(
        Profile("none", (f"{place}/p",)), f"open('{place}/p/src/new', 'w').close(); print(os.getuid(), os.getgid())"
    )
    made = (place / "p/src/new").stat()

    assert done.stdout.split() == [str(os.getuid()), str(os.getgid())]
    assert (made.st_uid, made.st_gid) == (os.getuid(), os.getgid())


def test_loopback_reaches_what_the_process_started_itself(in_namespace: Confined) -> None:
    code = """
import socket
server = socket.create_server(("127.0.0.1", 0))
socket.create_connection(server.getsockname(), timeout=5).close()
print("reached")
"""
    assert in_namespace(Profile("loopback"), code).stdout == "reached\n"


def test_root_keeps_what_tools_need_and_nothing_more(confined: Confined) -> None:
    done = confined(Profile("none"), "print(open('/proc/self/status').read())")
    found = dict(line.split(":\t") for line in done.stdout.splitlines() if ":\t" in line)

    assert int(found["CapEff"], 16) & ~0b100_1111_1011 == 0
    assert found["NoNewPrivs"] == "1"
    assert found["Seccomp"] == "2"
    assert os.getuid() == 0 or int(found["CapEff"], 16) == 0


@pytest.mark.skipif(platform.machine() != "x86_64", reason="x32 calls are x86_64's alone")
def test_a_call_by_its_x32_number_is_refused(confined: Confined) -> None:
    code = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
print(libc.syscall(0x40000000 | 39), ctypes.get_errno())
"""
    assert confined(Profile("none"), code).stdout == "-1 1\n"


def test_a_path_with_nul_is_refused_before_the_kernel_sees_half_of_it() -> None:
    with pytest.raises(OSError, match="NUL"):
        kernel.call("mount", "a\0b", "/", "none", 0, "")


def test_a_mechanism_that_is_not_there_is_said_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "MACHINE", "")

    with pytest.raises(Unavailable, match="Linux") as found:
        restrict(Profile("none"))
    assert found.value.refused is False


def test_where_namespaces_are_forbidden_landlock_does_it_alone(confined: Confined, place: Path) -> None:
    """A filter on the calls, as containers have it, stands in for the kernel that forbids."""
    if confined.mechanism != "landlock":
        pytest.skip("the mechanism that is left")
    forbid = "from tenterhook.runtime.sandbox import privileges, seccomp; privileges.no_new(); "
    forbid += "seccomp.restrict('full', unix=True)"
    import json

    profile = Profile("full", (f"{place}",))
    done = python(f"{forbid}\n{CONFINED}", json.dumps([profile.pack(), ["namespace", "landlock"], ""]))
    refused = python(f"{forbid}\n{CONFINED}", json.dumps([Profile("loopback").pack(), ["namespace", "landlock"], ""]))

    assert done.stdout == "landlock\n"
    assert "refused=True" in refused.stderr
    assert "namespace: unshare" in refused.stderr


def test_the_folders_on_the_way_are_named_from_the_outermost() -> None:
    assert between("/a", "/a/b/c/d") == ["/a/b", "/a/b/c"]
    assert between("/a", "/a/b") == []
    assert between("/", "/a/b") == ["/a"]


def test_around_a_barrier_are_its_neighbours(place: Path) -> None:
    for name in ("a/x", "a/secret/y", "b/z"):
        put(place / name)
    os.symlink("/", place / "a/link")

    assert around(str(place), [f"{place}/a/secret"]) == [f"{place}/a/x", f"{place}/b"]
    assert around(str(place), [f"{place}/gone/for/good"]) == [f"{place}/a", f"{place}/b"]
    assert around(str(place), [str(place)]) == []


def test_a_folder_that_holds_too_much_is_closed_as_a_whole(place: Path) -> None:
    for number in range(100):
        put(place / f"p/.claude/{number}")
    found = PathLayout(Profile("none", (f"{place}/p",), (f"{place}/p/.claude/settings.json",)))

    assert found.frozen == [f"{place}/p/.claude"]
    assert found.open == []


def test_who_keeps_others_out_of_it_is_confined_as_well_as_anybody() -> None:
    """A process that is not dumpable does not own the files in which an ordinary user's namespace is set up."""
    code = """
from tenterhook.runtime.sandbox import kernel
from tenterhook.runtime.sandbox.profile import Profile
from tenterhook.runtime.sandbox.restrict import restrict
kernel.prctl(kernel.PR_SET_DUMPABLE, {})
print(restrict(Profile("none")), kernel.prctl(kernel.PR_GET_DUMPABLE))
"""
    for run in (python, as_nobody):
        usual, kept_out = run(code.format(1)), run(code.format(0))

        assert kept_out.stdout == usual.stdout.replace(" 1\n", " 0\n"), kept_out.stderr
