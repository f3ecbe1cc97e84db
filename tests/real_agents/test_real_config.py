"""The real clients with one tenterhook.toml for all of them, and with Claude Code's hooks in other agents.

A class for each client, so that its sessions are shared: all tests of a class run in one process.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import ClassVar

import pytest

from .asked import Asked
from .effects import CHANGED, CONTEXT, DANGEROUS, HARMLESS, TO_CHANGE, WHY
from .one_config import (
    NOT_YET,
    POLICY,
    SECRET,
    Left,
    Prepare,
    connect,
    connect_claudes_hooks,
    connect_switched_off,
    played,
)
from .programs import claude, codex, copilot, gemini, qwen
from .programs.client import Client

KIND = "config"


class Session:
    """What a session has left; `seen` keeps for the page what a test looks at."""

    def __init__(self, client: Client, left: Left, run: Asked) -> None:
        self.client, self.left, self.run, self.story = client, left, run, left.seen.story
        self.model, self.marks = left.seen.model, left.seen.marks

    def seen(self, what: str, truth: bool) -> bool:
        self.run.note(client=self.client.name, kind=KIND, name=what, word="yes" if truth else "no")
        return truth

    @property
    def model_read(self) -> str:
        return self.model.saw(len(self.model.asked) - 1)


Begin = Callable[[Prepare], Session]


@pytest.fixture(scope="class")
def begin(request: pytest.FixtureRequest, run: Asked, had: Callable[[Client], Client]) -> Begin:
    """A session after this preparation; each is played once."""
    client, known = had(request.cls.client), {}

    def begin(prepare: Prepare) -> Session:
        if prepare not in known:
            known[prepare] = Session(client, played(client, prepare), run)
        return known[prepare]

    return begin


@pytest.fixture(scope="class")
def connected(begin: Begin) -> Session:
    return begin(connect)


class Configured:
    """The tests of every client: the project has a tenterhook.toml and its hook file, and tenter install was called."""

    client: ClassVar[Client]
    # What runs of the call that a hook wants to have rewritten.
    rewritten: ClassVar[list[str]] = ["new"]
    version: ClassVar[bool] = True

    def test_a_call_is_denied_and_the_model_reads_why(self, connected: Session) -> None:
        assert connected.seen("a hook denies", connected.left.precious and WHY in connected.model.saw(2)), (
            connected.story
        )

    def test_a_call_is_rewritten(self, connected: Session) -> None:
        """Where the client cannot do that, it is refused, and the model reads what to call instead."""
        ran = connected.marks[1:]
        connected.seen("a hook rewrites", ran == ["new"])

        assert ran == self.rewritten, connected.story
        assert (f"TOOL-OUTPUT {ran[0]}" if ran else CHANGED) in connected.model_read

    def test_context_reaches_the_model(self, connected: Session) -> None:
        reached = all(text in connected.model_read for text in CONTEXT.values())

        assert connected.seen("hooks add context", reached), connected.story

    def test_the_end_of_the_turn_is_held_back_once(self, connected: Session) -> None:
        """Three calls, a text, which is held back, and a text again."""
        held = (
            len(connected.model.asked) == 5
            and NOT_YET in connected.model.saw(4)
            and NOT_YET not in connected.model.saw(3)
        )

        assert connected.seen("a hook gates the stop", held), connected.story

    def test_each_decision_is_in_the_journal_once(self, connected: Session) -> None:
        [denied] = connected.left.about("tool.before", DANGEROUS)
        [changed] = connected.left.about("tool.before", TO_CHANGE)
        stops = connected.left.about("turn.stop")
        told = [
            one["hook"] for one in connected.left.entries for one in one.get("messages", ()) if one["to"] == "model"
        ]
        decided = [(denied["decision"], denied["by"], denied["reason"], denied["obeys"])]
        decided += [(one["decision"], one["by"], one.get("reason"), one.get("obeys")) for one in stops]

        right = decided == [
            ("deny", ["no-removal"], WHY, "enforced"),
            ("deny", ["tests-first"], NOT_YET, "enforced"),
            ("none", [], None, None),
        ]
        obeys = "enforced" if self.rewritten else "refused"
        right = right and (changed["changes"], changed["obeys"]) == ({"newer": ["input.command"]}, obeys)
        right = right and {"at-the-start", "with-the-prompt", "with-the-result"} <= set(told)
        assert connected.seen("each decision is in the journal", right), connected.left.entries

    def test_each_call_of_the_agent_is_in_the_journal(self, connected: Session) -> None:
        kinds = [one["kind"] for one in connected.left.entries]
        calls = [len(connected.left.about("tool.before", command)) for command in (HARMLESS, DANGEROUS, TO_CHANGE)]
        first = connected.left.entries[0]

        assert {kind: kinds.count(kind) for kind in ("session.start", "tool.before", "turn.stop")} == {
            "session.start": 1,
            "tool.before": 3,
            "turn.stop": 2,
        }
        assert calls == [1, 1, 1]
        assert {one["agent"] for one in connected.left.entries} == {self.client.dialect}
        assert {one["session"] for one in connected.left.entries} == {first["session"]}
        assert {one.get("version") for one in connected.left.entries} == {self.client.version if self.version else None}
        assert all(one["user"] and one["host"] and one["policy"] and one["ms"] > 0 for one in connected.left.entries)
        assert "every line follows the one before it" in connected.left.verified

    def test_the_sandbox_holds(self, connected: Session) -> None:
        """The hook ran to its end, and found no key."""
        [call] = connected.left.about("tool.before", HARMLESS)
        [thief] = [one for one in call["attempts"] if one["hook"] == "thief"]
        kept = SECRET not in connected.left.stolen + json.dumps(connected.left.entries)

        assert (thief["exit_code"], "id_rsa" in thief["stderr"]) == (0, True), thief
        assert connected.seen("the sandbox keeps a key from a hook", kept)

    def test_doctor_leads_with_the_agent(self, connected: Session) -> None:
        first = connected.left.doctor.splitlines()[1].split(maxsplit=1)[1]

        assert first.startswith(f"{self.client.dialect}: 7 hooks, last fired just now, median ")

    def test_the_systems_policy_holds_although_hooks_are_switched_off(self, begin: Begin) -> None:
        off = begin(connect_switched_off)
        [denied] = off.left.about("tool.before", DANGEROUS)

        held = off.left.precious and POLICY in off.model.saw(2)
        assert off.seen("the system's policy holds against TENTERHOOK_OFF=1", held), off.story
        assert off.marks == ["harmless", "old"]
        assert (denied["decision"], denied["by"], denied["reason"]) == ("deny", ["company"], POLICY)


class OfClaude(Configured):
    """Clients that can run the hooks of Claude Code's config, written by hand for it and for nothing else."""

    def test_the_hooks_of_claude_code_run_in_it(self, begin: Begin) -> None:
        other = begin(connect_claudes_hooks)
        reached = all(text in other.model_read for text in CONTEXT.values())
        denied = other.left.precious and WHY in other.model.saw(2)

        assert other.seen("Claude Code's hooks deny", denied), other.story
        assert other.seen("Claude Code's hooks rewrite", other.marks == ["harmless", "new"]), other.story
        assert other.seen("Claude Code's hooks add context", reached), other.story
        assert [one["decision"] for one in other.left.about("tool.before")] == ["none", "deny", "allow"]


class TestClaudeCode(Configured):
    client = claude.CLIENT


class TestCodex(OfClaude):
    """It tells no hook its version."""

    client = codex.CLIENT
    version = False


class TestGemini(OfClaude):
    """It tells no hook its version."""

    client = gemini.CLIENT
    version = False


class TestQwen(Configured):
    """Its hooks cannot rewrite what a tool is called with."""

    client = qwen.CLIENT
    rewritten: ClassVar = []


class TestCopilot(Configured):
    client = copilot.CLIENT
