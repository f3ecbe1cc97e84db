"""Rows 11 to 14: hooks in warm interpreters, the resident engine, many at once. Modules of their own measure them."""

from __future__ import annotations

from figures import Line, Measured, Rounds, Row, part

COLD = "starting the interpreter for it"
SPAWN = "posix_spawn of /bin/true"
HEAVY = "pydantic"
SCRIPTS = {
    "json, cold": Line("a Python script that needs json alone, warm", COLD, 1 / 7),
    "json, spawn": Line("a Python script that needs json alone, warm", SPAWN, 4.0),
    f"{HEAVY}, cold": Line(f"a Python script that imports {HEAVY}, warm", COLD, 1 / 30),
    f"{HEAVY}, spawn": Line(f"a Python script that imports {HEAVY}, warm", SPAWN),
}

FIRE = Line("tenter fire, through tenter serve", 'python -c "import json"', 1.4)
# What an agent calls, by `sh -c` on both sides: `tenter-client run`, with an approved hook of an author's file.
JSON = 'python -c "import json"'
GATE = {
    ("no hook", "true"): Line("an agent's call that no hook matches, native client", "/bin/true", 2.0),
    ("no hook", "json"): Line("an agent's call that no hook matches, native client", JSON, 0.2),
    ("deny", "true"): Line("an agent's call that a Python hook denies, native client", "/bin/true", 3.0),
    ("deny", "json"): Line("an agent's call that a Python hook denies, native client", JSON, 0.2),
}
RESIDENT = Line("a server for a project with ten hooks: memory", "nothing", 40e6, unit="B", by="more")
SOCKET = Line("a raw client of tenter serve, a function", "connect and echo over the same transport", 3.0)

RUN = "500 subprocess.run, as many at once"
LOOP = Line("500 /bin/true events at once, on an event loop", RUN, 1.2)
THREADS = Line("500 /bin/true events at once, from threads", RUN, 1.2)
SLEEPS = Line("16 hooks of 50 ms sleep in one event", "one of them", 1.5)

FILES = Line("10,000 events: open files", "before", 0.0, unit="", by="more")
MEMORY = Line("10,000 events: memory", "before", 5e6, unit="B", by="more")
ZOMBIES = Line("10,000 events: children, zombies too", "before", 0.0, unit="", by="more")


def scripts(rounds: Rounds) -> Measured:
    warm, _ = part("warm"), part(HEAVY)
    for name, pairs in warm.script_pairs(HEAVY).items():
        yield SCRIPTS[name].key, pairs


def resident(rounds: Rounds) -> Measured:
    serving = part("serving")
    yield FIRE.key, serving.fire_pairs(rounds=rounds(41))
    calls = part("agent_calls")
    for what, pairs in calls.gate_pairs(rounds=rounds(101)).items():
        yield GATE[what].key, pairs
    yield RESIDENT.key, [(calls.resident_memory(), 0.0)]
    yield SOCKET.key, serving.socket_pairs(rounds=rounds(1_000))


def together(rounds: Rounds) -> Measured:
    many = part("many")
    bursts = many.burst_pairs(rounds=rounds(7))
    yield LOOP.key, bursts["asyncio"]
    yield THREADS.key, bursts["threads"]
    yield SLEEPS.key, many.parallel_pairs(rounds=rounds(15))


def left_behind(rounds: Rounds) -> Measured:
    files, megabytes, children = part("many").growth()
    for line, more in ((FILES, files), (MEMORY, megabytes * 1e6), (ZOMBIES, children)):
        yield line.key, [(more, 0.0)]


ROWS = {
    11: Row(tuple(SCRIPTS.values()), scripts),
    12: Row((FIRE, *GATE.values(), RESIDENT, SOCKET), resident, long=True),
    13: Row((LOOP, THREADS, SLEEPS), together),
    14: Row((FILES, MEMORY, ZOMBIES), left_behind, long=True),
}
