"""library:audit in every agent, at every event."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tenterhook.library.audit import KINDS
from tenterhook.testing import agents, each_dialect

from .conftest import Fire

NAME = "audit"
KEY = "AKIA" + "Q3EGRZXWV2LTY7NB"


def lines(folder: Path) -> list[dict[str, Any]]:
    (file,) = folder.glob("*.jsonl")
    return [json.loads(line) for line in file.read_text().splitlines()]


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state" / "tenterhook" / "audit"


@each_dialect("tool.before")
def test_a_tool_call_is_written_down_without_secrets(agent: str, fire: Fire, state: Path, folder: Path) -> None:
    path = str(folder / "a.py")
    shell = fire(NAME, "tool.before", agent=agent, tool="shell", command=f"echo {KEY}")
    fire(NAME, "tool.before", agent=agent, tool="write", file_path=path, content=f"a = '{KEY}'")

    assert shell.ran
    first, second = lines(state)
    assert (first["agent"], first["kind"], first["command"]) == (agent, "tool.before", "echo [redacted]")
    assert second["paths"] == [path]
    assert KEY not in next(state.iterdir()).read_text()
    assert next(state.iterdir()).stat().st_mode & 0o777 == 0o600


def test_what_every_agent_does_is_written_down(fire: Fire, state: Path) -> None:
    fired = [(agent, kind) for kind in sorted(KINDS) for agent in agents(kind)]
    for agent, kind in fired:
        assert fire(NAME, kind, agent=agent).ran

    assert [(line["agent"], line["kind"]) for line in lines(state)] == fired


def test_options_say_where_and_how_much(fire: Fire, folder: Path) -> None:
    options = {"file": "log/%Y.jsonl", "kinds": ("prompt.submit", "tool.before"), "prompts": True, "inputs": False}
    for kind in ("prompt.submit", "turn.stop"):
        fire(NAME, kind, prompt="hello", options=options)
    fire(NAME, "tool.before", tool="shell", command="ls", options=options)

    prompt, tool = lines(folder / "log")
    assert (prompt["prompt"], prompt["prompt_length"]) == ("hello", 5)
    assert "input" not in tool


def test_prompts_are_kept_back_and_long_texts_are_cut(fire: Fire, state: Path) -> None:
    fire(NAME, "prompt.submit", prompt="hello")
    fire(NAME, "tool.before", tool="shell", command="x" * 5000)

    prompt, tool = lines(state)
    assert "prompt" not in prompt
    assert prompt["prompt_length"] == 5
    assert tool["command"].endswith("... (5000 characters)")
    assert len(tool["command"]) < 2100


@each_dialect("tool.before")
def test_where_nothing_can_be_written_a_tool_is_refused_only_if_that_is_wanted(agent: str, fire: Fire) -> None:
    options = {"file": "/dev/null/audit.jsonl"}
    told = fire(NAME, "tool.before", agent=agent, tool="shell", command="ls", options=options)
    refused = fire(NAME, "tool.before", agent=agent, tool="shell", command="ls", options={**options, "required": True})

    assert told.ran
    assert "nothing is written down" in told.everything
    assert refused.denied


def test_a_link_is_not_followed_and_a_wrong_kind_is_said(fire: Fire, fails: Fire, folder: Path) -> None:
    os.symlink(folder / "elsewhere", folder / "a.jsonl")
    linked = fire(NAME, "turn.stop", options={"file": "a.jsonl"})
    wrong = fails(NAME, "turn.stop", options={"kinds": ("turn.end",)})

    assert "nothing is written down" in linked.everything
    assert not (folder / "elsewhere").exists()
    assert "not 'turn.end'" in wrong.everything
    assert fails(NAME, "tool.before", tool="shell", command="ls", options={"kinds": ("x",)}).ran
