"""A hook system in a process of its own, asked one case at a time."""

from __future__ import annotations

import json
import subprocess
import tempfile
import threading
from time import perf_counter
from typing import Any

import msgspec
from msgspec import Struct

from figures import Unavailable
from outside import environment
from peers.cases import Case

# No case takes a tenth of that: what does not answer any more is ended.
PATIENCE = 120.0
LONGEST = 200


class Prepared(Struct, frozen=True):
    """How a driver is started; the folder that it may fill comes last."""

    argv: tuple[str, ...]
    env: dict[str, str] = {}


class Driver:
    """Ended when the block is left."""

    def __init__(self, prepared: Prepared, folder: str) -> None:
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [*prepared.argv, folder],
            env={**environment(folder), **prepared.env},
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
        )
        try:
            self.version = str(self.answer()["version"])
        except BaseException:
            self.close()
            raise

    def ask(self, case: Case, number: int = 0) -> float:
        """Seconds for one event, or bytes."""
        job = msgspec.to_builtins(case)
        assert self.process.stdin is not None
        try:
            print(json.dumps({**job, "number": number or case.number}), file=self.process.stdin, flush=True)
        except BrokenPipeError as exc:
            raise Unavailable(self.last_words()) from exc
        answer = self.answer()
        if "problem" in answer:
            raise Unavailable(answer["problem"])
        return float(answer["value"])

    def answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        impatient = threading.Timer(PATIENCE, self.process.kill)
        impatient.start()
        try:
            said = self.process.stdout.readline()
        finally:
            impatient.cancel()
        if not said:
            raise Unavailable(self.last_words())
        return dict(json.loads(said))

    def last_words(self) -> str:
        self.process.kill()
        self.process.wait()
        self.errors.seek(0)
        said = self.errors.read().strip().splitlines()
        return said[-1][:LONGEST] if said else f"the driver ended with {self.process.returncode}"

    def close(self) -> None:
        try:
            self.process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
        self.errors.close()

    def __enter__(self) -> Driver:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def fresh(prepared: Prepared, folder: str, case: Case) -> float:
    """A case asked of a new process: bytes, or the seconds from its start to the answer."""
    began = perf_counter()
    with Driver(prepared, folder) as driver:
        value = driver.ask(case)
        return value if case.memory else perf_counter() - began
