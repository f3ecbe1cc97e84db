"""What the drivers in Python share: jobs come as lines of JSON, and each is answered with what an event cost.

It runs in the environment of the system that it drives, and so with the standard library alone.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from time import perf_counter
from typing import Any

from resident import memory

Job = dict[str, Any]
Fire = Callable[[], Awaitable[Any]]
# Puts a job's hooks into a folder, proves that they run, and gives back what fires one event.
Prepare = Callable[[Job, Path], Awaitable[Fire]]


class Cannot(Exception):
    """What the system has no means for."""


def drive(version: str, prepare: Prepare) -> None:
    os.environ.pop("PYTHONPATH", None)  # how we were found is no business of the hooks'
    asyncio.run(answer_all(version, prepare, Path(sys.argv[1])))


async def answer_all(version: str, prepare: Prepare, folder: Path) -> None:
    say(version=version)
    known: dict[str, Fire | Cannot] = {}
    for line in sys.stdin:
        job = json.loads(line)
        before = memory()
        if job["what"] not in known:
            place = folder / str(len(known))
            place.mkdir(exist_ok=True)
            try:
                known[job["what"]] = await prepare(job, place)
            except Cannot as exc:
                known[job["what"]] = exc
        fire = known[job["what"]]
        if isinstance(fire, Cannot):
            say(problem=str(fire))
        else:
            say(value=memory() - before if job["memory"] else await seconds(fire, job["number"], job["flight"]))


async def seconds(fire: Fire, number: int, flight: int) -> float:
    async def some(number: int) -> None:
        for _ in range(number):
            await fire()

    each = max(1, number // flight)
    began = perf_counter()
    if flight == 1:
        await some(number)
    else:
        await asyncio.gather(*(some(each) for _ in range(flight)))
    return (perf_counter() - began) / (each * flight)


def say(**words: Any) -> None:
    print(json.dumps(words), flush=True)
