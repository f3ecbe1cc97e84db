"""Row 8: the same hooks in tenterhook and in other hook systems, in turns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from tempfile import TemporaryDirectory

from figures import Line, Measured, Pairs, Rounds, Row, Unavailable
from peers.cases import CASES, Case
from peers.driver import Driver, Prepared, fresh
from peers.installing import gemini, in_python, ours

OURS = "tenterhook"
PEERS: dict[str, Callable[[], Prepared]] = {
    "amcp-agent": in_python("amcp"),
    "gemini-cli-core": gemini,
    "massgen": in_python("massgen"),
}
USUAL = ("amcp-agent", "gemini-cli-core")
# Of those that ran, for whoever reads the figures.
VERSIONS: dict[str, str] = {}


def line(case: Case, name: str) -> Line:
    return Line(case.what, name, case.limit, case.unit)


def row(names: Sequence[str] = USUAL) -> Row:
    return Row(tuple(line(case, name) for case in CASES for name in names), lambda rounds: beside(names, rounds))


class System:
    """One hook system: how it is started, a driver that runs, and why it cannot be asked any more."""

    def __init__(self, name: str, stack: ExitStack) -> None:
        self.problem = ""
        self.stack, self.folders = stack, dict[str, str]()
        try:
            self.prepared = ours() if name == OURS else PEERS[name]()
            self.driver = stack.enter_context(Driver(self.prepared, self.folder("")))
            VERSIONS.update({name: self.driver.version} if name != OURS else {})
        except Unavailable as exc:
            self.problem = str(exc)

    def measure(self, case: Case, number: int = 0) -> float:
        if self.problem:
            raise Unavailable(self.problem)
        return fresh(self.prepared, self.folder(case.what), case) if case.fresh else self.driver.ask(case, number)

    def folder(self, name: str) -> str:
        """The same each time, so that what a new process needs is there before it is measured."""
        if name not in self.folders:
            self.folders[name] = self.stack.enter_context(TemporaryDirectory())
        return self.folders[name]

    def why_not(self, case: Case) -> str:
        """Why it cannot be measured, if so; found out with a few events, which also warm it up."""
        try:
            self.measure(case, max(case.flight, case.number // 10))
        except Unavailable as exc:
            return str(exc)
        return ""


def beside(names: Sequence[str], rounds: Rounds) -> Measured:
    with ExitStack() as stack:
        mine = System(OURS, stack)
        others = {name: System(name, stack) for name in names}
        for case in CASES:
            for name, found in compared(case, mine, others, rounds(case.rounds)).items():
                yield line(case, name).key, found


def compared(case: Case, mine: System, others: dict[str, System], rounds: int) -> dict[str, Pairs | str]:
    """Ours and then each of the others, so many times; who cannot do it says why, and the rest go on."""
    found: dict[str, Pairs | str] = {name: other.why_not(case) or [] for name, other in others.items()}
    if why := mine.why_not(case):
        return dict.fromkeys(others, f"{OURS}: {why}")
    able = {name: pairs for name, pairs in found.items() if isinstance(pairs, list)}
    for _ in range(rounds if able else 0):
        value = mine.measure(case)
        for name, pairs in able.items():
            pairs.append((value, others[name].measure(case)))
    return found
