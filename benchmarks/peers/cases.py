"""What all systems are asked: the same hooks for each of them."""

from __future__ import annotations

from msgspec import Struct

TEXT = "import json\nimport sys\n\nevent = json.load(sys.stdin)\njson.dump({}, sys.stdout)\n"
NUMBERS = (2, 4, 8, 16)


class Hook(Struct, frozen=True, omit_defaults=True):
    """One hook on the event before a tool: shell text, a Python file's text, or a function of the system's own."""

    command: str = ""
    script: str = ""
    function: bool = False
    matcher: str = "Bash"
    warm: bool = False


class Case(Struct, frozen=True):
    """What is measured with some hooks: seconds for each of `number` events, `flight` of them at once; or memory.

    `fresh` is measured with a new process each time, its start included. `blocking` is for who has such a call.
    """

    what: str
    hooks: tuple[Hook, ...]
    number: int
    rounds: int = 15
    flight: int = 1
    blocking: bool = False
    fresh: bool = False
    memory: bool = False
    limit: float | None = None

    @property
    def unit(self) -> str:
        return "B" if self.memory else "s"


TRUE = Hook("/bin/true")
OTHER = Hook("/bin/true", matcher="Write")


def several(number: int) -> tuple[Hook, ...]:
    """Each with another text: a system may drop a hook that it has already."""
    return tuple(Hook(f"/bin/true {n}") for n in range(number))


def others(number: int) -> tuple[Hook, ...]:
    """None of which matches."""
    return tuple(Hook("/bin/true", matcher=f"Tool{n}") for n in range(number))


CASES = (
    Case("no hooks", (), 1_000),
    Case("no hook matches", (OTHER,), 1_000),
    Case("a function", (Hook(function=True),), 200),
    Case("a /bin/true hook, awaited", (TRUE,), 20, rounds=31, limit=1.0),
    Case("a /bin/true hook, blocking", (TRUE,), 20, rounds=31, blocking=True, limit=1.0),
    Case("a `true` hook: a word of the shell's own", (Hook("true"),), 20, rounds=15),
    Case("a Python script, cold", (Hook(script=TEXT),), 5, rounds=9),
    Case("a Python script, warm where there is such a thing", (Hook(script=TEXT, warm=True),), 5, rounds=9),
    *(Case(f"{number} /bin/true hooks", several(number), 4, rounds=11) for number in NUMBERS),
    Case("16 hooks that sleep 50 ms", tuple(Hook(f"/bin/sleep 0.05{n:02}") for n in range(16)), 1, rounds=5),
    Case("16 events in flight, a /bin/true hook: each", (TRUE,), 64, rounds=11, flight=16),
    Case("a new process: the first event, no hook matches", (OTHER,), 1, rounds=3, fresh=True),
    Case("memory of 10,000 hooks", others(10_000), 1, rounds=3, fresh=True, memory=True),
)
