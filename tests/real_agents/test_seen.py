"""What answers were seen to do in the real clients, drawn and in pairs (seen.jsonl), held against our engine alone."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from .drawing import Case, draw
from .matching import draw_match
from .predicting import Fate, predict
from .programs import claude, codex, copilot, gemini, qwen
from .programs.scene import Answer

CLIENTS = {
    one.name: one for one in (claude.CLIENT, codex.CLIENT, gemini.CLIENT, qwen.CLIENT, copilot.CLIENT, copilot.PASCAL)
}
SEEN = [
    (Case(client, kind, number, tuple(Answer(*hook) for hook in hooks)), Fate(word, tuple(told)))
    for client, kind, number, hooks, (word, told) in map(
        json.loads, Path(__file__).with_name("seen.jsonl").read_text("utf-8").splitlines()
    )
]


@pytest.mark.parametrize("name", CLIENTS)
def test_our_engine_does_with_answers_together_what_the_client_was_seen_to_do(name: str) -> None:
    wrong = [
        f"{case.hooks}\n  predicted: {predict(CLIENTS[name], case)}\n  did: {fate}"
        for case, fate in SEEN
        if case.client == name and predict(CLIENTS[name], case) != fate
    ]

    assert not wrong, "\n".join(wrong)


def test_what_was_seen_is_of_every_client_and_every_kind_of_event() -> None:
    counted = Counter((case.client, case.kind) for case, _ in SEEN)

    assert {kind for _, kind in counted} == set(claude.CLIENT.events)
    assert {name for name, _ in counted} == set(CLIENTS)


@pytest.mark.parametrize("name", CLIENTS)
def test_a_case_is_the_same_whenever_it_is_drawn(name: str) -> None:
    client = CLIENTS[name]

    assert draw(client, "tool.before", 7, 3) == draw(client, "tool.before", 7, 3)
    assert draw_match(client, 7, 3) == draw_match(client, 7, 3)
    assert len({draw(client, "tool.before", number, 3).hooks for number in range(50)}) > 45
