"""The kit itself, without any client: the model plays its plan, the hook answers, the tables are whole."""

from __future__ import annotations

import json
import re
import subprocess
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

from clients.models.provider_apis import EVERY as PROTOCOLS
from clients.models.provider_apis import Protocol
from tenterhook.engine.engine import Engine
from tenterhook.testing import NOTHING_RUNS
from tenterhook.tools.install.canary import AgentRunner

from .asked import DRAWN, summary
from .effects import CHANGED, DANGEROUS, HARMLESS, TO_CHANGE, commands_told
from .probes import COLUMNS, EVERY, TABLES
from .programs import pins
from .programs.client import TIMEOUT
from .programs.installing import install
from .programs.model import ASIDE, LAST, model
from .programs.scene import Answer, Scene

if TYPE_CHECKING:
    from tenterhook.engine.runner import Runner

PAGE = (Path(__file__).parents[2] / "docs" / "agents" / "clients.md").read_text("utf-8")
WORDS = {
    "tool.before": {"denied", "mute", "ran", "told", "changed", "halted", "ran-halted"},
    "tool.after": {"nothing", "beside", "replaced", "lost", "halted"},
    "prompt.submit": {"nothing", "told", "refused"},
    "session.start": {"nothing", "told", "refused"},
}
OFFERS: dict[str, Any] = {
    "chat": [{"type": "function", "function": {"name": "shell"}}, {"type": "custom"}],
    "responses": [{"type": "function", "name": "shell"}, {"type": "web_search"}],
    "anthropic": [{"name": "shell"}],
    "google": [{"functionDeclarations": [{"name": "shell"}]}],
}

# For which agent it is installed, which one calls, and its words for a call of the shell.
INSTALLED = [("claude", "claude", "PreToolUse", "Bash"), ("claude", "copilot", "PreToolUse", "bash")]
INSTALLED += [("gemini", "gemini", "BeforeTool", "run_shell_command")]


def asked(url: str, body: dict[str, Any]) -> str:
    request = urllib.request.Request(url, json.dumps(body).encode())
    with urllib.request.urlopen(request, timeout=10) as answer:
        return answer.read().decode()


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda protocol: protocol.name)
def test_the_model_plays_its_plan_to_those_who_offer_the_tool(protocol: Protocol) -> None:
    offer = {"tools": OFFERS[protocol.name]}
    with model(protocol, "shell", [{"command": "one"}]) as found:
        said = [asked(found.url, body) for body in (offer, {}, offer, offer)]

    assert "shell" in said[0]
    assert ASIDE in said[1]
    assert LAST in said[2]
    assert LAST in said[3]
    assert len(found.asked) == 3


def test_the_plain_hook_writes_down_its_input_and_answers_by_what_stands_in_it(tmp_path: Path) -> None:
    scene = Scene(tmp_path / "scene")
    scene.answer({"Before": [("two", Answer(3, "out", "err"))]})
    said = [
        subprocess.run(["/bin/sh", "-c", scene.command("Before")], input=text, capture_output=True, text=True)
        for text in ('"one"', '"two"')
    ]

    assert [(one.returncode, one.stdout, one.stderr) for one in said] == [(0, "", ""), (3, "out", "err")]
    assert [(one.event, one.payload) for one in scene.fired] == [("Before", "one"), ("Before", "two")]


def test_a_hook_that_had_enough_says_nothing_more(tmp_path: Path) -> None:
    scene = Scene(tmp_path / "scene")
    scene.answer({"Stop": [("", Answer(2, times=1))]})
    codes = [subprocess.run(["/bin/sh", "-c", scene.command("Stop")], input="{}", text=True).returncode for _ in "ab"]

    assert codes == [2, 0]


@pytest.mark.parametrize(("connected", "agent", "event", "shell"), INSTALLED)
def test_the_hook_file_notes_each_call_by_the_clients_own_name_and_a_rewritten_one_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, connected: str, agent: str, event: str, shell: str
) -> None:
    scene = Scene(tmp_path / "scene")
    install(connected, scene)
    monkeypatch.chdir(scene.project)
    with Engine(
        ".", dialect=agent, trust="all", supervisor="off", warm=False,
        environ=scene.environ(), home=str(scene.home), **NOTHING_RUNS,
    ) as engine:  # fmt: skip
        engine.runner = cast("Runner", AgentRunner())
        for command in (HARMLESS, DANGEROUS, TO_CHANGE):
            engine.fire(event, tool_name=shell, tool_input={"command": command})

    assert commands_told(scene.fired, event) == [HARMLESS, DANGEROUS, TO_CHANGE, CHANGED]


@pytest.mark.parametrize("probe", EVERY, ids=lambda probe: f"{probe.kind}-{probe.name}")
def test_a_probe_has_a_word_for_every_client(probe: Any) -> None:
    words = probe.fates.split()

    assert len(words) == len(COLUMNS)
    assert all(re.fullmatch(r"\d+(-mute)?", word) for word in words) or set(words) <= WORDS[probe.kind]


@pytest.mark.parametrize("kind", TABLES)
def test_the_page_shows_what_the_tables_say(kind: str) -> None:
    found = re.search(rf"<!-- clients: {re.escape(kind)} -->\n(.*?)<!-- end -->", PAGE, re.DOTALL)
    rows = [f"| {' | '.join([probe.name, *probe.fates.split()])} |" for probe in TABLES[kind]]

    assert found is not None
    assert found[1].splitlines()[2:] == rows


def test_the_page_names_the_versions_that_are_pinned() -> None:
    assert all(f"{one.name} {one.version}" in PAGE for one in pins.EVERY if one is not pins.NODE)


def test_a_hook_that_is_late_is_later_than_its_time_out() -> None:
    late = next(probe.answer for probe in EVERY if probe.name.startswith("too late"))

    assert isinstance(late, Answer)
    assert late.seconds > TIMEOUT


def test_a_run_says_how_many_predictions_it_made_and_prints_each_that_was_wrong() -> None:
    drawn: dict[str, Any] = {"client": "a", "kind": DRAWN, "wrong": [], "known": []}
    notes = [
        {**drawn, "of": "answers", "made": 198, "wrong": ["a/tool.before/7 did: ran"]},
        {**drawn, "of": "matchers", "made": 57, "known": ["a/turn.stop/1 known: so"]},
        {"client": "a", "kind": "tool.before", "name": "exit 2", "word": "denied"},
    ]

    assert summary(notes).splitlines() == [
        "a, answers: 198 predictions, 1 wrong, 0 differ as is known",
        "a, matchers: 57 predictions, 0 wrong, 1 differ as is known",
        "a/tool.before/7 did: ran",
        "a/turn.stop/1 known: so",
        "all drawn cases: 255 predictions, 1 wrong, 1 differ as is known",
    ]
    assert summary(notes[2:]) == ""
