"""The real clients, with hooks: what a hook does happens, and every answer has the fate that the tables tell.

A class for each client, so that its runs are shared: all tests of a class run in one process.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import pytest

from .asked import Asked
from .effects import CHANGED, CONTEXT, DANGEROUS, HARMLESS, TO_CHANGE, WHY, Effects, commands_told, effects
from .fates import Fate
from .probes import EVERY, Probe
from .programs import claude, codex, copilot, gemini, qwen
from .programs.client import Client
from .programs.installing import BY_DOOR, BY_HAND, BY_TENTER, FOR_CLAUDE, WAYS

PROBES = [pytest.param(probe, id=f"{probe.kind}-{probe.name}") for probe in EVERY]


class Shown:
    """What was left of a session; `seen` keeps for the page what a test looks at."""

    def __init__(self, client: Client, way: str, found: Effects, run: Asked) -> None:
        self.client, self.way, self.run = client, way, run
        self.effects, self.session, self.model = found, found.seen, found.seen.model

    def seen(self, what: str, truth: bool) -> bool:
        self.run.note(
            client=self.client.name, kind="effects", name=f"{what}, {self.way}", word="yes" if truth else "no"
        )
        return truth


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Each way in which the client's hooks were installed."""
    if "shown" in metafunc.fixturenames and metafunc.cls is not None:
        metafunc.parametrize("shown", metafunc.cls.ways, indirect=True, scope="class")


@pytest.fixture(scope="class")
def shown(request: pytest.FixtureRequest, run: Asked, had: Callable[[Client], Client]) -> Shown:
    client = had(request.cls.client)
    return Shown(client, request.param, effects(client, WAYS[request.param]), run)


class Real:
    """The tests of every client."""

    client: ClassVar[Client]
    ways: ClassVar[tuple[str, ...]] = (BY_HAND, BY_TENTER)
    # What runs of a call that the hook wants to have rewritten.
    rewritten: ClassVar[dict[str, list[str]]] = {way: ["new"] for way in WAYS}

    def test_the_client_finishes_its_plan(self, shown: Shown) -> None:
        assert shown.session.completed.error is None, shown.session.story
        assert len(shown.model.asked) == 4, shown.session.story

    def test_the_hook_fires_for_every_call_and_is_told_the_command(self, shown: Shown) -> None:
        """Of an install, the hook that denies is asked again about what the other one has rewritten."""
        told = commands_told(shown.session.fired, self.client.events["tool.before"])
        again = [] if shown.way == BY_HAND else [CHANGED]

        fires = told == [HARMLESS, DANGEROUS, TO_CHANGE, *again]
        assert shown.seen("the hook fires", fires), f"{told}\n{shown.session.story}"

    def test_the_deny_holds_and_the_model_reads_why(self, shown: Shown) -> None:
        assert shown.seen("the deny holds", shown.effects.precious), shown.session.story
        assert shown.seen("the model reads why", WHY in shown.model.saw(2)), shown.session.story

    def test_what_is_not_denied_runs(self, shown: Shown) -> None:
        assert shown.session.marks[0] == "harmless"
        assert "TOOL-OUTPUT harmless" in shown.model.saw(1)

    def test_the_rewrite_arrives(self, shown: Shown) -> None:
        """Where the client cannot do that, a hook of ours refuses and tells the model what to call instead."""
        ran = shown.session.marks[1:]
        shown.seen("the rewrite arrives", ran == ["new"])

        assert self.rewritten[shown.way] == ran, shown.session.story
        assert (f"TOOL-OUTPUT {ran[0]}" if ran else CHANGED) in shown.effects.model_read

    @pytest.mark.parametrize("kind", CONTEXT)
    def test_the_context_reaches_the_model(self, shown: Shown, kind: str) -> None:
        reached = CONTEXT[kind] in shown.effects.model_read

        assert shown.seen(f"context of {kind} reaches the model", reached), shown.session.story

    @pytest.mark.parametrize("probe", PROBES)
    def test_an_answer_has_the_fate_that_the_table_tells(
        self, run: Asked, fate: Callable[[Client, Probe], Fate], probe: Probe
    ) -> None:
        found = fate(self.client, probe)

        run.note(client=self.client.name, kind=probe.kind, name=probe.name, word=found.word)
        assert probe.fate(self.client.name) == found.word, found.seen.story


class TestClaudeCode(Real):
    client = claude.CLIENT
    ways = (BY_HAND, BY_TENTER, BY_DOOR)


class TestCodex(Real):
    client = codex.CLIENT


class TestGemini(Real):
    client = gemini.CLIENT


class TestQwen(Real):
    """Its hooks cannot rewrite what a tool is called with."""

    client = qwen.CLIENT
    rewritten: ClassVar = {BY_HAND: ["old"], BY_TENTER: []}


class TestCopilot(Real):
    client = copilot.CLIENT


class TestCopilotInPascal(Real):
    """An install writes one form, and that is the other one; but what is installed for Claude Code is read so."""

    client = copilot.PASCAL
    ways = (BY_HAND, FOR_CLAUDE)
