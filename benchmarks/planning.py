"""Row 6: which hooks run, where there are very many."""

from __future__ import annotations

from timeit import Timer

from engines import GIVEN, firing, in_code, proven
from figures import Line, Measured, Rounds, Row, in_turn
from tenterhook.engine.engine import Engine

MATCHING = 10
FEW = "the same with 100 hooks"
SEEN = Line("10,000 hooks, 10 match: planning, seen before", FEW, 3.0)
WHOLE = Line("10,000 hooks, 10 match: the whole event", FEW)
UNSEEN = Line("10,000 hooks, 10 match: planning, not seen before", FEW)


def planning(rounds: Rounds) -> Measured:
    small, large = of_size(100), of_size(10_000)
    yield SEEN.key, in_turn(planned(large), planned(small), number=10_000, rounds=rounds(15))
    yield WHOLE.key, in_turn(firing(large), firing(small), number=300, rounds=rounds(15))
    yield UNSEEN.key, in_turn(unseen(large), unseen(small), number=3, rounds=rounds(9))


def of_size(total: int, matching: int = MATCHING) -> Engine:
    engine = in_code(*("Bash",) * matching, *(f"Tool{n}" for n in range(total - matching)))
    return proven(engine, matching, total - matching)


def planned(engine: Engine) -> Timer:
    names = {"planned": engine.plan_event, "compiled": engine.hookset.event("tool.before"), "given": GIVEN}
    return Timer("planned(compiled, {'tool_name': 'Bash', 'tool_input': given})", globals=names)


def unseen(engine: Engine) -> Timer:
    compiled = engine.hookset.event("tool.before")
    names = {"planned": engine.plan_event, "compiled": compiled, "given": GIVEN}
    return Timer("compiled.forget(); planned(compiled, {'tool_name': 'Bash', 'tool_input': given})", globals=names)


ROWS = {6: Row((SEEN, WHOLE, UNSEEN), planning)}
