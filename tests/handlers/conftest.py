"""Hooks that ask a model: a project, and a model's API on the loopback with the protocol that it speaks."""

import json
import os
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from clients.models.provider_apis import ANTHROPIC, CHAT, EVERY, GOOGLE, Protocol
from clients.models.provider_server import Api, serving
from conftest import Project
from tenterhook import Engine, Outcome
from tenterhook.types import Attempt

CLAUDE = '"claude-haiku-4-5"'


def said(ok: Any, reason: Any = "") -> str:
    """A judgement as a model writes it."""
    return json.dumps({"ok": ok, "reason": reason})


class Court:
    """A project whose hooks are judged by a model behind a real protocol."""

    def __init__(self, project: Project, protocol: Protocol, api: Api) -> None:
        self.project, self.protocol, self.api = project, protocol, api
        self.model = protocol.model(api.url)

    def answers(self, *texts: str) -> None:
        """What the model says, request by request; the last one stays."""
        for text in texts:
            self.api.events(self.protocol.stream([text[:3], text[3:]] if text else []))

    def calls(self, *calls: tuple[str, dict[str, Any]]) -> None:
        """A turn in which the model calls tools."""
        made = [(f"call_{len(self.api.replies)}_{n}", name, given) for n, (name, given) in enumerate(calls)]
        self.api.events(self.protocol.stream([], made))

    def hook(self, event: str, type: str = "prompt", prompt: str = "Nothing is removed.", **more: Any) -> None:
        """One entry of the settings of Claude Code, besides those that are there."""
        file = ".claude/settings.json"
        written = self.project.json(file) if self.project.has(file) else {"hooks": {}}
        entry = {"type": type, "prompt": prompt, "name": "judge", "model": self.model, "timeout": 20, **more}
        written["hooks"].setdefault(event, []).append({key: one for key, one in entry.items() if one is not None})
        self.project.write(file, json.dumps(written))

    def engine(self, **options: Any) -> Engine:
        return self.project.engine("moai", **options)

    def fire(self, event: str = "PreToolUse", **data: Any) -> Outcome:
        given = data or {"tool_name": "Bash", "tool_input": {"command": "rm -r build"}}
        with self.engine() as engine:
            return engine.fire(event, **given)

    def attempt(self, event: str = "PreToolUse", **data: Any) -> Attempt:
        (attempt,) = self.fire(event, **data).attempts
        return attempt

    def sent(self, number: int = -1) -> list[tuple[str, Any]]:
        return self.protocol.messages(self.api.requests[number].body)

    def asked(self, number: int = -1) -> str:
        """What the user's side of a request says."""
        return "\n".join(text for role, text in self.sent(number) if role == "user")

    def results(self, number: int = -1) -> Sequence[str]:
        """What the model was told of its calls."""
        return [what[1] for role, what in self.sent(number) if role == "result"]


def court(project: Project, protocol: Protocol, api: Api, patch: pytest.MonkeyPatch) -> Court:
    """The SDKs look into the process's environment, in which the tester may have keys of their own."""
    for name in [name for name in os.environ if name.endswith(("_API_KEY", "_AUTH_TOKEN", "_BASE_URL"))]:
        patch.delenv(name)
    for name, value in protocol.environ(api.url).items():
        patch.setenv(name, value)
    return Court(project, protocol, api)


@pytest.fixture(params=EVERY, ids=lambda protocol: protocol.name)
def every(request: pytest.FixtureRequest, project: Project, monkeypatch: pytest.MonkeyPatch) -> Iterator[Court]:
    with serving() as api:
        yield court(project, request.param, api, monkeypatch)


@pytest.fixture
def chat(project: Project, monkeypatch: pytest.MonkeyPatch) -> Iterator[Court]:
    with serving() as api:
        yield court(project, CHAT, api, monkeypatch)


@pytest.fixture
def gemini(project: Project, monkeypatch: pytest.MonkeyPatch) -> Iterator[Court]:
    with serving() as api:
        yield court(project, GOOGLE, api, monkeypatch)


@pytest.fixture
def claude(project: Project, monkeypatch: pytest.MonkeyPatch) -> Iterator[Court]:
    """A model whose price is known: its responses bear its name."""

    def stream(*words: Any, **options: Any) -> list[str]:
        return [event.replace('"model": "m"', f'"model": {CLAUDE}') for event in ANTHROPIC.stream(*words, **options)]

    with serving() as api:
        yield court(project, ANTHROPIC._replace(stream=stream), api, monkeypatch)
