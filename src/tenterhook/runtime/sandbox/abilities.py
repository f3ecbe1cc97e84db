"""Find out what this machine can do to confine and contain processes, by trying each in a throwaway process."""

from __future__ import annotations

import os
import subprocess
import sys

from msgspec import Struct

from tenterhook.runtime.sandbox import bubblewrap, kernel, landlock
from tenterhook.runtime.sandbox.proof import prove
from tenterhook.runtime.sandbox.restrict import MECHANISMS
from tenterhook.support.paths import SOURCES

NETWORKS = {
    "none": "no network at all",
    "loopback": "a network of its own, in which only the hook itself can listen",
    "full": "the network as it is",
}
# What is tried; each attempt runs in its own process.
TRIALS = {
    "user namespace": ("kernel.unshare(kernel.CLONE_NEWUSER)", "lets an ordinary user have mounts of its own"),
    "mount namespace": (
        "kernel.unshare(kernel.CLONE_NEWNS | (kernel.CLONE_NEWUSER if os.geteuid() else 0))",
        "makes places read-only, or covers them",
    ),
    "network namespace": (
        "kernel.unshare(kernel.CLONE_NEWNET | (kernel.CLONE_NEWUSER if os.geteuid() else 0))",
        "what `network: loopback` needs",
    ),
    "seccomp": (
        "kernel.prctl(38, 1); seccomp.restrict('none', unix=False)",
        "refuses sockets and calls that escapes are made of",
    ),
    "child subreaper": ("kernel.prctl(36, 1)", "keeps what a hook leaves behind in sight"),
    "pidfd": ("os.close(os.pidfd_open(os.getpid()))", "tells one process from a later one of the same number"),
}


class Ability(Struct, frozen=True):
    """The result of one check. `state` is works, absent (not on this system), broken or off (by the settings)."""

    area: str
    name: str
    state: str
    detail: str = ""


def abilities() -> list[Ability]:
    """The kernel features that the sandbox and the supervisor use."""
    if not kernel.MACHINE:
        system = " ".join(os.uname()[::4]) if hasattr(os, "uname") else sys.platform
        detail = f"{system}: hooks are confined on Linux (x86_64, aarch64) alone, so far"
        return [Ability("machine", "sandbox", "absent", detail)]
    found = [about_landlock()]
    for name, (code, purpose) in TRIALS.items():
        detail = probe_in_subprocess(code)
        found.append(Ability("machine", name, "absent" if detail else "works", detail or purpose))
    place = bubblewrap.find_working_bwrap()
    found.append(
        Ability("machine", "bubblewrap", "works" if place else "absent", place or "bwrap: not there, or forbidden")
    )
    return [*found, about_cgroup()]


def about_landlock() -> Ability:
    known = landlock.version()
    if not known:
        return Ability("machine", "Landlock", "absent", landlock.ABSENT)
    lacks = {landlock.ALONE: "cannot confine alone", landlock.NETWORK: "knows no ports"}
    lacks[landlock.SCOPES] = "does not keep hooks from signalling other processes"
    notes = [f"before version {since} it {what}" for since, what in lacks.items() if known < since]
    return Ability("machine", "Landlock", "works", "; ".join([f"version {known}", *notes]))


def about_cgroup() -> Ability:
    """Only a cgroup delegated to us could hold hooks; the supervisor does without."""
    try:
        with open("/proc/self/cgroup") as file:
            own = next(line[3:].strip() for line in file if line.startswith("0::"))
        place = next(
            one for one in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified") if os.path.exists(f"{one}/cgroup.procs")
        )
    except (OSError, StopIteration):
        return Ability("machine", "cgroup", "absent", "no unified hierarchy; nothing depends on it")
    ours = os.access(place + own.rstrip("/"), os.W_OK)
    return Ability(
        "machine", "cgroup", "works" if ours else "absent", f"{own}: {'ours' if ours else 'not ours to use'}"
    )


def probe_in_subprocess(code: str) -> str:
    """Why it cannot be done here; empty if it can."""
    script = (
        "import os\nfrom tenterhook.runtime.sandbox import kernel, seccomp\n"
        f"try: {code}\nexcept OSError as exc: print(exc)"
    )
    env = {"PYTHONPATH": SOURCES, "PYTHONDONTWRITEBYTECODE": "1", "PATH": os.environ.get("PATH", "/usr/bin:/bin")}
    argv = [sys.executable, "-S", "-P", "-c", script]  # -P: do not import modules of the current folder
    try:
        done = subprocess.run(argv, env=env, capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.SubprocessError) as exc:
        return str(exc)
    return done.stdout.strip() or (f"ended with {done.returncode}" if done.returncode else "")


def proofs() -> list[Ability]:
    """For each kind of network, confine a process like a hook: what it tried, and what it got."""
    return [check_network_sandbox(network) for network in NETWORKS] if kernel.MACHINE else []


def check_network_sandbox(network: str) -> Ability:
    found = prove(network, MECHANISMS)
    mechanism = found["mechanism"]
    name = f"network {network}"
    if not mechanism and bubblewrap.find_working_bwrap():
        return Ability("sandbox", name, "works", f"bubblewrap, some 7 ms for each hook, because {found['why']}")
    if not mechanism:
        what = "such hooks are refused" if found["refused"] else "hooks run unconfined, or are refused in strict mode"
        return Ability("sandbox", name, "broken", f"{what}: {found['why']}")
    bad = [f"a confined process could {one}" for one in found["leaks"]]
    bad += [f"could not {one} ({why})" for one, why in found["failed"].items()]
    good = f"{mechanism}: {found['tried']} ways out tried, none leads out"
    return Ability("sandbox", name, "broken" if bad else "works", "; ".join(bad) or good)
