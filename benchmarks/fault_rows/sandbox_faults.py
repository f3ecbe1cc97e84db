"""Ways out of the sandbox, and what it costs: the rows S5 and S6 of faults.py."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

from fault_tools import ENV, Figures, row
from tenterhook.runtime.sandbox.proof import prove

CASES = [
    *(("namespace", network) for network in ("none", "loopback", "full")),
    *(("landlock", network) for network in ("none", "full")),
]
NOBODY = 65534
PROVE = """
import json, sys
from tenterhook.runtime.sandbox.proof import prove
print(json.dumps(prove(sys.argv[1], (sys.argv[2],))))
"""


def as_nobody(mechanism: str, network: str) -> dict[str, Any] | None:
    """The same as an ordinary user; None where we are one, or where no Python can be run by one."""
    if os.geteuid() != 0:
        return None
    for interpreter in (sys.executable, "/usr/bin/python3"):
        argv = [interpreter, "-c", PROVE, network, mechanism]
        options: dict[str, Any] = {"user": NOBODY, "group": NOBODY, "extra_groups": [], "env": ENV, "cwd": "/"}
        try:
            done = subprocess.run(argv, capture_output=True, text=True, timeout=30, check=True, **options)
        except (OSError, subprocess.SubprocessError):
            continue
        return dict(json.loads(done.stdout))
    return None


@row("S5", "sandbox: ways out, by mechanism, network and user", ">= 20 each, 0 leaks; config and .git/hooks closed")
def ways_out() -> Figures:
    done, leaks, failed, lacking, users = [], [], [], [], {"root" if os.geteuid() == 0 else "ordinary"}
    for mechanism, network in CASES:
        theirs = as_nobody(mechanism, network)
        users |= {"ordinary"} if theirs else set()
        for found in (prove(network, (mechanism,)), *([theirs] if theirs else [])):
            if not found["mechanism"]:
                lacking.append(f"{mechanism}/{network} not run: {found['why']}")
                continue
            done.append(found["tried"])
            leaks += found["leaks"]
            failed += found["failed"]
    if not done:
        return lacking[0], None
    figures = f"{sum(done)} tried in {len(done)} sandboxes as {' and '.join(sorted(users))}, {len(leaks)} leaks"
    figures += f", {len(failed)} things that hooks need refused" + "".join(f"; {one}" for one in lacking)
    return figures, not leaks and not failed and min(done) >= 20


# Two spawners, one of them confined, start the same program in turns. What starts hooks is never the host itself, so
# that its size does not count.
SPAWNERS = """
import json, os, sys, time
from tenterhook.runtime.sandbox.profile import Profile
from tenterhook.runtime.sandbox.restrict import restrict
def spawner(confine):
    ask, answer = os.pipe(), os.pipe()
    child = os.fork()
    if not child:
        mechanism = restrict(Profile("full", ("/tmp",), (), ("/etc/shadow",))) if confine else "none"
        os.write(answer[1], mechanism.ljust(16).encode())
        while os.read(ask[0], 1):
            begun = time.perf_counter()
            os.waitpid(os.posix_spawn("/bin/true", ["true"], {}, setsid=True), 0)
            os.write(answer[1], f"{time.perf_counter() - begun:.9f}".ljust(16)[:16].encode())
    return child, ask[1], answer[0]
pairs = [spawner(False), spawner(True)]
mechanism = [os.read(out, 16).decode().strip() for _, _, out in pairs][1]
times = [[], []]
for round in range(200):
    for place, (_, ask, out) in enumerate(pairs):
        os.write(ask, b"x"); times[place].append(float(os.read(out, 16)))
for child, _, _ in pairs:
    os.kill(child, 9); os.waitpid(child, 0)
print(json.dumps([mechanism, *(sorted(one)[100] * 1000 for one in times)]))
"""


def medians() -> tuple[str, float, float]:
    argv = [sys.executable, "-S", "-c", SPAWNERS]
    done = subprocess.run(argv, env=ENV, capture_output=True, text=True, timeout=60, check=True)
    mechanism, plain, confined = json.loads(done.stdout)
    return str(mechanism), float(plain), float(confined)


@row("S6", "sandbox: what it adds to a spawn, 200 in turns", "<= +0.5 ms p50, <= 1.2 x")
def cost() -> Figures:
    found = prove("full", ("namespace", "landlock"))
    if not found["mechanism"]:
        return f"not run: {found['why']}", None
    mechanism, plain, confined = medians()
    figures = (
        f"{plain:.2f} ms plain, {confined:.2f} ms by {mechanism} ({confined - plain:+.2f} ms, {confined / plain:.2f} x)"
    )
    return figures, confined - plain <= 0.5 and confined <= 1.2 * plain
