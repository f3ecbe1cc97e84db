"""When a prompt comes in: the user is warned of a secret in it, and it is never refused."""

from pathlib import Path
from typing import Any

import pytest

TOKEN = "ghp" + "_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.mark.parametrize(
    "event",
    [
        {"prompt": f"use {TOKEN}"},
        {"userPrompt": f"use {TOKEN}"},
        {"data": {"prompt": f"use {TOKEN}"}},
        {"prompt": [{"type": "text", "text": f"use {TOKEN}"}]},
    ],
)
def test_a_secret_is_told_to_the_user_and_masked(act, event: dict[str, Any]) -> None:
    said = act("prompt.submit", **event)

    assert said.decision == "none"
    assert "GitHub token (ghp_..., 40 characters)" in said.message
    assert TOKEN not in said.message + said.note


@pytest.mark.parametrize(
    "event", [{"prompt": "mend the tests"}, {"prompt": ""}, {"prompt": 7}, {"prompt": [1, {"text": 2}]}, {}]
)
def test_otherwise_nothing_is_told(act, event: dict[str, Any]) -> None:
    said = act("prompt.submit", **event)

    assert (said.decision, said.message) == ("none", "")
    assert said.note


def test_the_command_answers_both_forms(hook, tmp_path: Path) -> None:
    session = {"id": "s", "cwd": str(tmp_path), "projectDir": str(tmp_path)}
    for event in ({"hook_event_name": "UserPromptSubmit"}, {"eventType": "UserPromptSubmit", "session": session}):
        answer = hook("prompt.submit", {**event, "prompt": f"use {TOKEN}"})

        assert answer.code == 0
        assert "ghp_..." in answer.json["systemMessage"]
        assert TOKEN not in answer.stdout + answer.stderr
