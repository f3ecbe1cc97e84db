"""Every row of the decision tables: two people read the same law, and the engine agrees with the second."""

import json
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from types import ModuleType
from typing import Any

import pytest

from oracles import amcp, claude, codex, copilot, gemini, llxprt, massgen, moai, qwen, tenterhook, wave
from oracles.table import Act, Expected, Row, agree
from tenterhook.testing import Did, simulate

DIALECTS: dict[str, ModuleType] = {
    "massgen": massgen,
    "moai": moai,
    "claude": claude,
    "codex": codex,
    "amcp": amcp,
    "wave": wave,
    "llxprt": llxprt,
    "gemini": gemini,
    "qwen": qwen,
    "copilot": copilot,
    "tenterhook": tenterhook,
}
FIELDS = [field.name for field in fields(Expected) if field.name not in ("messages", "maybe", "attempts")]
SHOWN = 5


@cache
def rows(dialect: str) -> list[Row]:
    """A dialect's distinct rows, in their order."""
    return list(dict.fromkeys(DIALECTS[dialect].rows()))


def did(act: Act) -> Did:
    answer = None if act.answer is None else json.loads(act.answer)
    return Did(
        exit_code=act.exit, stdout=act.stdout, stderr=act.stderr, signal=act.signal, error=act.error, answer=answer
    )


def differences(dialect: str, row: Row) -> Iterator[str]:
    """Where the engine's outcome is not what the law says."""
    oracle = DIALECTS[dialect]
    wanted = oracle.expected(row.event, row.acts, row.sequential)
    outcome: Any = simulate(
        dialect, row.event, [did(act) for act in row.acts], data=oracle.data(row.event), sequential=row.sequential
    )
    for name in FIELDS:
        want, got = getattr(wanted, name), getattr(outcome, name)
        if got != want:
            yield f"{name}: expected {want!r}, got {got!r}"
    told = sorted((message.to, message.kind, message.text) for message in outcome.messages)
    if not agree(wanted, told):
        yield f"messages: expected {wanted.messages}, got {told}"
    if len(outcome.attempts) != wanted.attempts:
        yield f"attempts: expected {wanted.attempts}, got {len(outcome.attempts)}"
    ended = [one for one in outcome.skipped if one.why == "chain ended"]
    unreached = len(row.acts) - wanted.attempts + getattr(wanted, "again", 0)
    if len(ended) != unreached:
        yield f"skipped: expected {unreached} after the chain ended, got {outcome.skipped!r}"


def wrong(dialect: str, event: str) -> Iterator[str]:
    for row in rows(dialect):
        if row.event == event and (found := list(differences(dialect, row))):
            yield f"{row}\n    " + "\n    ".join(found)


@pytest.mark.parametrize(("dialect", "event"), [(name, event) for name in DIALECTS for event in DIALECTS[name].EVENTS])
def test_the_engine_decides_every_row_as_the_law_says(dialect: str, event: str) -> None:
    """Decision, block, reason, stop, changes and messages of one and two hooks, compared exactly."""
    found = list(wrong(dialect, event))

    assert not found, f"{len(found)} rows differ, such as\n" + "\n".join(found[:SHOWN])


@pytest.mark.parametrize("dialect", DIALECTS)
def test_each_dialect_has_a_table_of_thousands_of_rows(dialect: str) -> None:
    """One and two hooks, on all of its events."""
    table = rows(dialect)

    assert len(table) >= 5_000
    assert set(DIALECTS[dialect].EVENTS) == {row.event for row in table if len(row.acts) == 2}
