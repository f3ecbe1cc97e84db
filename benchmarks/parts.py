"""Rows 11 to 14: hooks in warm interpreters, the resident engine, many at once. Modules of their own measure them."""

from __future__ import annotations

from collections.abc import Mapping

from figures import Line, Measured, Pairs, Rounds, Row, part

COLD = "starting the interpreter for it"
JSON = Line("a Python script that needs json alone, warm", COLD, 1 / 7)
SPAWN = Line("a Python script that needs json alone, warm", "posix_spawn of /bin/true", 4.0)
HEAVY = Line("a Python script that imports pydantic, warm", COLD, 1 / 30)

FIRE = Line("tenter fire, through tenter serve", 'python -c "import json"', 1.4)
SOCKET = Line("a raw client of tenter serve, a function", "connect and echo over the same transport", 3.0)

RUN = "500 subprocess.run, as many at once"
LOOP = Line("500 /bin/true events at once, on an event loop", RUN, 1.2)
THREADS = Line("500 /bin/true events at once, from threads", RUN, 1.2)
SLEEPS = Line("16 hooks of 50 ms sleep in one event", "one of them", 1.5)

FILES = Line("10,000 events: open files", "before", 0.0, unit="", by="more")
MEMORY = Line("10,000 events: memory", "before", 5e6, unit="B", by="more")
ZOMBIES = Line("10,000 events: children, zombies too", "before", 0.0, unit="", by="more")


def scripts(rounds: Rounds) -> Measured:
    found: Mapping[str, Pairs] = part("warm").script_pairs()
    for line, name in ((JSON, "json, interpreter"), (SPAWN, "json, posix_spawn"), (HEAVY, "heavy, interpreter")):
        yield line.key, found.get(name) or f"warm.py says nothing of {name!r}"


def resident(rounds: Rounds) -> Measured:
    serving = part("serving")
    yield FIRE.key, serving.fire_pairs()
    yield SOCKET.key, serving.socket_pairs()


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
    11: Row((JSON, SPAWN, HEAVY), scripts),
    12: Row((FIRE, SOCKET), resident, long=True),
    13: Row((LOOP, THREADS, SLEEPS), together),
    14: Row((FILES, MEMORY, ZOMBIES), left_behind, long=True),
}
