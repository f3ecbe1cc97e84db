"""What a confined process must not be able to do, and what it must: tried for real, each in its own process.

`python -m tenterhook.runtime.sandbox.probes WORLD` confines itself as the file WORLD says, tries everything and prints
the results.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable

from tenterhook.runtime.sandbox import Unavailable, kernel
from tenterhook.runtime.sandbox.profile import Profile
from tenterhook.runtime.sandbox.restrict import restrict

World = dict[str, str]
Probe = Callable[[World], object]
# By topic: the description, and the attempt. The sandbox holds if the attempt fails.
ESCAPES: dict[str, Probe] = {}
WORKS: dict[str, Probe] = {}
# What Landlock alone does not cover: owner and times of a file can be changed anywhere.
NAMESPACE_ONLY = {"change the mode of a file outside", "change the time of a file outside"}
# Only a namespace allows new files beside closed ones.
NEEDS_NAMESPACE = {"write in the project", "let git write its own files"}
# Network attempts, by the least network that allows them.
NETWORKED = {"connect over TCP": "full", "send over UDP": "full", "connect over TCP to ::1": "full"}


def escape(name: str) -> Callable[[Probe], Probe]:
    return lambda probe: ESCAPES.setdefault(name, probe)


def work(name: str) -> Callable[[Probe], Probe]:
    return lambda probe: WORKS.setdefault(name, probe)


def put(path: str, text: str = "planted") -> None:
    with open(path, "w") as file:
        file.write(text)


def shows(path: str) -> None:
    """An empty view is as good as a refusal."""
    with open(path, "rb") as file:
        if not file.read(1 << 16):
            raise OSError(errno.ENOENT, "empty")


escape("write a file outside")(lambda w: put(f"{w['outside']}/new"))
escape("overwrite a file outside")(lambda w: put(f"{w['outside']}/file"))
escape("empty a file outside")(lambda w: os.truncate(f"{w['outside']}/file", 0))
escape("remove a file outside")(lambda w: os.unlink(f"{w['outside']}/file"))
escape("make a folder outside")(lambda w: os.mkdir(f"{w['outside']}/folder"))
escape("move a file out of the project")(lambda w: os.rename(f"{w['project']}/src/own", f"{w['outside']}/moved"))
escape("change the mode of a file outside")(lambda w: os.chmod(f"{w['outside']}/file", 0o600))
escape("change the time of a file outside")(lambda w: os.utime(f"{w['outside']}/file", (1, 1)))
escape("read a key")(lambda w: shows(f"{w['home']}/.ssh/id_ed25519"))
escape("read a token")(lambda w: shows(f"{w['home']}/.netrc"))
escape("read a key through /proc/self/root")(lambda w: shows(f"/proc/self/root{w['home']}/.ssh/id_ed25519"))
escape("read a key through the host's root")(lambda w: shows(f"/proc/{w['host']}/root{w['home']}/.ssh/id_ed25519"))
escape("read the host's environment")(lambda w: shows(f"/proc/{w['host']}/environ"))
escape("open the host's files")(lambda w: os.readlink(f"/proc/{w['host']}/fd/0"))
escape("open the host's memory")(lambda w: os.close(os.open(f"/proc/{w['host']}/mem", os.O_RDWR)))
escape("overwrite hook config")(lambda w: put(f"{w['project']}/.claude/settings.json"))
escape("overwrite our own config")(lambda w: put(f"{w['project']}/tenterhook.toml"))
escape("remove hook config")(lambda w: os.unlink(f"{w['project']}/.claude/settings.json"))
escape("create hook config in an agent's folder")(lambda w: put(f"{w['project']}/.claude/settings.local.json"))
escape("move an agent's folder away")(lambda w: os.rename(f"{w['project']}/.claude", f"{w['project']}/.moved"))
escape("create a hook of git")(lambda w: put(f"{w['project']}/.git/hooks/pre-commit"))
escape("overwrite git's config")(lambda w: put(f"{w['project']}/.git/config"))
escape("move git's folder away")(lambda w: os.rename(f"{w['project']}/.git", f"{w['project']}/.gone"))
escape("signal the host")(lambda w: os.kill(int(w["host"]), 0))
escape("signal all processes")(lambda w: os.kill(-1, 0))
escape("limit the host")(lambda w: limits(int(w["host"])))
escape("trace the host")(lambda w: kernel.call("ptrace", 16, int(w["host"]), 0, 0))
escape("make a user namespace")(lambda w: kernel.unshare(kernel.CLONE_NEWUSER))
escape("join the host's mounts")(lambda w: join(f"/proc/{w['host']}/ns/mnt"))
escape("mount something")(lambda w: kernel.mount("tmpfs", w["project"], "tmpfs", 0))
escape("take a mount away")(lambda w: kernel.call("umount2", f"{w['home']}/.ssh", kernel.MNT_DETACH))
escape("change the root folder")(lambda w: os.chroot(w["project"]))
escape("make a block device")(lambda w: os.mknod(f"{w['project']}/disk", 0o60600, os.makedev(254, 0)))
escape("use io_uring")(lambda w: kernel.call("io_uring_setup", 1, ctypes.create_string_buffer(120)))
escape("use the kernel's keys")(lambda w: kernel.call("keyctl", 0, -3, 0, 0, 0))
escape("load a filter into the kernel")(lambda w: kernel.call("bpf", 0, ctypes.create_string_buffer(64), 64))
escape("open a file by its handle")(lambda w: kernel.call("open_by_handle_at", 0, ctypes.create_string_buffer(16), 0))
escape("listen to a network card")(lambda w: socket.socket(socket.AF_PACKET, socket.SOCK_RAW).close())
escape("make a socket of a virtual machine")(lambda w: socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM).close())


@escape("write through a link in the project")
def through_link(world: World) -> None:
    os.symlink(f"{world['outside']}/file", f"{world['project']}/src/link")
    put(f"{world['project']}/src/link")


@escape("read a key through a hard link")
def hard_link(world: World) -> None:
    os.link(f"{world['home']}/.ssh/id_ed25519", f"{world['project']}/src/hard")
    shows(f"{world['project']}/src/hard")


@escape("replace hook config by renaming")
def rename_over_settings(world: World) -> None:
    put(f"{world['project']}/src/mine")
    os.rename(f"{world['project']}/src/mine", f"{world['project']}/.claude/settings.json")


@escape("read a disk")
def disk(world: World) -> None:
    with open("/proc/partitions") as file:
        names = [line.split()[3] for line in file if line[:1] == " "]
    shows(f"/dev/{names[0]}" if names else "/dev/absent")


@escape("type into a terminal")
def typing(world: World) -> None:
    import fcntl

    ours, theirs = os.openpty()
    try:
        fcntl.ioctl(ours, 0x5412, b"x")
    finally:
        os.close(ours)
        os.close(theirs)


@escape("connect to a socket in a file")
def named_socket(world: World) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.connect(world["socket"])


@escape("connect to a socket without a file")
def abstract_socket(world: World) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.connect("\0" + world["abstract"])


@escape("send from one of a pair to another socket")
def send_from_socketpair(world: World) -> None:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    with ours, theirs:
        ours.sendto(b"x", world["datagram"])


@escape("connect over TCP")
def tcp(world: World) -> None:
    socket.create_connection(("127.0.0.1", int(world["port"])), timeout=5).close()


@escape("connect over TCP to ::1")
def tcp6(world: World) -> None:
    if not world["port6"]:
        raise OSError(errno.ENOENT, "no IPv6 here")
    socket.create_connection(("::1", int(world["port6"])), timeout=5).close()


@escape("send over UDP")
def udp(world: World) -> None:
    """A packet without a reply was sent to nowhere."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
        made.connect(("127.0.0.1", int(world["udp"])))
        made.settimeout(2)
        made.send(b"x")
        made.recv(1)


work("read the project")(lambda w: shows(f"{w['project']}/src/own"))
work("write in the project")(lambda w: put(f"{w['project']}/new"))
work("write in a folder of the project")(lambda w: put(f"{w['project']}/src/new"))
work("write in an agent's own folder")(lambda w: put(f"{w['project']}/.claude/logs/new"))
work("let git write its own files")(lambda w: put(f"{w['project']}/.git/index.lock"))
work("write to /dev/null")(lambda w: put("/dev/null"))
work("read the system's files")(lambda w: shows("/etc/passwd"))
work("read its own processes")(lambda w: shows("/proc/self/environ"))


@work("write in the temporary folder")
def temporary(world: World) -> None:
    path = f"/dev/shm/tenterhook-{os.getpid()}"
    put(path)
    os.unlink(path)


@work("open a terminal")
def terminal(world: World) -> None:
    for one in os.openpty():
        os.close(one)


@work("start, signal and await a child")
def child(world: World) -> None:
    with subprocess.Popen(["/bin/sleep", "60"], start_new_session=True) as started:
        try:
            os.close(os.open(f"/proc/{started.pid}/environ", os.O_RDONLY))
        finally:
            os.killpg(started.pid, signal.SIGKILL)


@work("talk to its own child")
def own_pair(world: World) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.send(b"x")
        theirs.recv(1)


def limits(pid: int) -> None:
    """Set the limits as they are; a limit on its processor time would end it."""
    import resource

    resource.prlimit(pid, resource.RLIMIT_CPU, resource.prlimit(pid, resource.RLIMIT_CPU))


def join(namespace: str) -> None:
    opened = os.open(namespace, os.O_RDONLY | os.O_CLOEXEC)
    try:
        kernel.call("setns", opened, 0)
    finally:
        os.close(opened)


def select_probes(mechanism: str, network: str) -> tuple[list[str], list[str]]:
    """The escapes that must fail, and the work that must succeed, with one mechanism and one network."""
    escapes = [name for name in ESCAPES if mechanism == "namespace" or name not in NAMESPACE_ONLY]
    if network == "full":
        escapes = [name for name in escapes if name not in NETWORKED]
    return escapes, [name for name in WORKS if mechanism == "namespace" or name not in NEEDS_NAMESPACE]


def run_probe(probe: Probe, world: World) -> str:
    """Empty if it succeeded, else the system's error."""
    try:
        probe(world)
    except (OSError, OverflowError, ValueError) as exc:
        return str(exc) or type(exc).__name__
    return ""


def main(path: str) -> int:
    with open(path) as file:
        given = json.load(file)
    network, *paths = given["profile"]
    profile = Profile(network, *map(tuple, paths))
    os.setsid()
    try:
        mechanism = restrict(profile, tuple(given["mechanisms"]))
    except Unavailable as exc:
        print(json.dumps({"mechanism": "", "why": str(exc), "refused": exc.refused}))
        return 0
    os.chdir(given["world"]["project"])
    names, must = select_probes(mechanism, profile.network)
    leaks = [name for name in names if not run_probe(ESCAPES[name], given["world"])]
    failed = {name: why for name in must if (why := run_probe(WORKS[name], given["world"]))}
    print(json.dumps({"mechanism": mechanism, "tried": len(names), "leaks": leaks, "failed": failed}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
