"""Drawn cases on the real clients: what our engine predicts of each is what the client does.

A disagreement is tried once more, alone: a busy machine may have kept a hook from answering in time. What is left is
printed with the case, the prediction, and what the client did.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar

import pytest

from .asked import DRAWN, Asked
from .drawing import Case, draw
from .drawn import observe
from .known import excuse
from .matching import draw_match, observe_fits, predict_fit
from .predicting import Fate, predict
from .programs import claude, codex, copilot, gemini, qwen
from .programs.client import Client

# How many cases of each kind for each client; with the matchers there are 258 for each, 1,548 in all.
NUMBERS = {"tool.before": 120, "tool.after": 50, "prompt.submit": 10, "session.start": 10, "turn.stop": 8}
MATCHERS = 60


def wanted(client: Client, run: Asked) -> list[Case]:
    cases = [draw(client, kind, number, run.seed) for kind, most in NUMBERS.items() for number in range(most)]
    if not run.case:
        return cases
    name, kind, number = run.case.rsplit("/", 2)
    return [draw(client, kind, int(number), run.seed)] if name == client.name and kind in NUMBERS else []


def differing(client: Client, cases: list[Case]) -> Iterator[tuple[Case, Fate]]:
    for case, fate, _ in observe(client, cases):
        if fate != predict(client, case):
            yield case, fate


def told(client: Client, case: Case, fate: Fate, seed: int, why: str = "") -> str:
    """A case as a reader needs it, and how to run it again."""
    answers = [f"  hook {n}: {one!r}" for n, one in enumerate(case.hooks)]
    again = f"python scripts/real_clients.py --seed {seed} --case {case.name}"
    lines = [f"{case.name}: {again}", *answers, f"  predicted: {predict(client, case)}", f"  did: {fate}"]
    return "\n".join([*lines, f"  known: {why}"] if why else lines)


class Drawn:
    client: ClassVar[Client]

    def test_every_prediction_of_a_drawn_case_is_right(self, run: Asked, had: Callable[[Client], Client]) -> None:
        client = had(self.client)
        cases = wanted(client, run)
        doubtful = list(differing(client, cases))
        known = [told(client, case, fate, run.seed, why) for case, fate in doubtful if (why := excuse(case))]
        again = [found for one, _ in doubtful if not excuse(one) for found in differing(client, [one])]
        wrong = [told(client, case, fate, run.seed) for case, fate in again]

        run.note(client=client.name, kind=DRAWN, of="answers", made=len(cases), wrong=wrong, known=known)
        assert not wrong, "\n".join(wrong)

    def test_every_drawn_matcher_fits_what_the_client_takes_it_to_fit(
        self, run: Asked, had: Callable[[Client], Client]
    ) -> None:
        client = had(self.client)
        if run.case and "/matcher/" not in run.case:
            pytest.skip("another case is wanted")
        drawn = [draw_match(client, number, run.seed) for number in range(MATCHERS)]
        fits = observe_fits(client, drawn)
        guesses = {one.name: predict_fit(client, one) for one in drawn}
        wrong = [
            f"{one.name} {one.text!r} predicted: {guesses[one.name]} did: {fits[one.name]}"
            for one in drawn
            if guesses[one.name] is not None and guesses[one.name] != fits[one.name]
        ]

        made = len([guess for guess in guesses.values() if guess is not None])
        run.note(client=client.name, kind=DRAWN, of="matchers", made=made, wrong=wrong, known=[])
        assert not wrong, "\n".join(wrong)


class TestClaudeCodeDrawn(Drawn):
    client = claude.CLIENT


class TestCodexDrawn(Drawn):
    client = codex.CLIENT


class TestGeminiDrawn(Drawn):
    client = gemini.CLIENT


class TestQwenDrawn(Drawn):
    client = qwen.CLIENT


class TestCopilotDrawn(Drawn):
    client = copilot.CLIENT


class TestCopilotInPascalDrawn(Drawn):
    client = copilot.PASCAL
