"""How often one hook may keep an agent from stopping, where its entry says so."""

from __future__ import annotations

import json
from typing import Any

import pytest

from conftest import Project
from hosts.living import Told

OFTEN = 30


def says(text: str, **more: Any) -> dict[str, Any]:
    answer = json.dumps({"followup_message": text})
    return {"command": f"cat >> told; echo >> told; echo '{answer}'", **more}


def turns(project: Project, *hooks: dict[str, Any], **options: Any) -> list[str]:
    """What the agent is told to go on with, until it may stop."""
    project.write(".cursor/hooks.json", json.dumps({"version": 1, "hooks": {"stop": hooks}}))
    texts: list[str] = []
    engine = project.engine("cursor", mode=options.pop("mode", "faithful"))
    session = engine.session(tell=Told(), **options)
    while len(texts) < OFTEN and (stop := session.stop()).goes_on:
        texts.append(stop.text)
    return texts


def warned(project: Project, event: str, hook: dict[str, Any]) -> str:
    project.write(".cursor/hooks.json", json.dumps({"version": 1, "hooks": {event: [hook]}}))
    return "\n".join(map(str, project.engine("cursor").ready().problems))


@pytest.mark.parametrize(
    ("entry", "often"),
    [({}, 5), ({"loop_limit": 2}, 2), ({"loop_limit": 9}, 9), ({"loop_limit": 0}, 0), ({"loop_limit": None}, OFTEN)],
    ids=str,
)
def test_an_entry_says_how_often(project: Project, entry: dict[str, Any], often: int) -> None:
    assert turns(project, says("on", **entry)) == ["on"] * often


def test_a_hook_that_may_no_more_is_not_heard_while_another_still_is(project: Project) -> None:
    texts = turns(project, says("short", loop_limit=1), says("long", loop_limit=3))

    assert [text.split() for text in texts] == [["short", "long"], ["long"], ["long"]]


def test_the_host_has_the_first_word(project: Project) -> None:
    assert len(turns(project, says("on", loop_limit=None), stop_limit=3)) == 3


def test_a_strict_engine_comes_to_an_end(project: Project) -> None:
    assert len(turns(project, says("on", loop_limit=None), mode="strict")) == 8


def test_hooks_are_told_how_often_it_was(project: Project) -> None:
    turns(project, says("on", loop_limit=2))

    assert [json.loads(line)["loop_count"] for line in project.read("told").splitlines()] == [0, 1, 2]


@pytest.mark.parametrize("wrong", [-1, 1.5, True, "5"])
def test_what_is_no_number_is_told(project: Project, wrong: Any) -> None:
    said = warned(project, "stop", says("on", loop_limit=wrong))

    assert f"loop_limit must be a whole number of at least 0, or null, not {wrong!r}; the hook never runs" in said


def test_on_another_event_it_says_nothing(project: Project) -> None:
    said = warned(project, "preToolUse", says("on", loop_limit=1))

    assert "preToolUse cannot keep an agent from stopping, so the limit has no effect" in said
