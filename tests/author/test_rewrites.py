"""A call that a hook wants to be another one never runs as it was."""

from __future__ import annotations

from typing import Any

import pytest

from tenterhook import hook
from tenterhook.author.answers import Answer
from tenterhook.author.event import Event
from tenterhook.testing import Fired, each_dialect
from tenterhook.testing import fire as fire_once

PATCH = "*** Begin Patch\n*** Add File: a.txt\n+x\n*** End Patch\n"
OTHER = PATCH.replace("a.txt", "b.txt")
# How agents tell their hooks of a patch, and what becomes of it where a hook wants another; where the whole input is a
# text, the call is refused and the model is told which one to make.
PATCHES: dict[str, tuple[str, str, Any, Any]] = {
    "codex": ("codex", "PreToolUse", {"command": PATCH}, {"command": OTHER}),
    "copilot": ("copilot", "preToolUse", PATCH, None),
    "copilot, Pascal": ("copilot", "PreToolUse", PATCH, None),
    "amcp": ("amcp", "PreToolUse", {"patch": PATCH}, {"patch": OTHER}),
}


def rewriting(answer: Answer, on_failure: str = "") -> Any:
    with hook.apart():

        @hook("tool.before", on_failure=on_failure)
        def guard(event: Event) -> Answer:
            return answer

    return guard


def fire(answer: Answer, event: str = "tool.before", *, on_failure: str = "", **data: Any) -> Fired:
    return fire_once(rewriting(answer, on_failure), event, allow_failure=True, **data)


@each_dialect("tool.before")
@pytest.mark.parametrize("on_failure", ["", "ask", "allow"])
@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (hook.rewrite(file_path="/safe"), "changes file_path, which"),
        (hook.rewrite(comand="ls"), "changes comand, which"),
        (hook.rewrite(command="ls", content="x"), "changes content, which"),
        (hook.rewrite("ls"), "is fields"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_a_change_that_the_tool_cannot_have_is_refused(agent: str, on_failure: str, answer: Answer, why: str) -> None:
    fired = fire(answer, agent=agent, on_failure=on_failure, tool="shell", command="rm -rf /")

    assert (fired.denied, fired.rewritten, fired.failed) == (True, False, True)
    assert why in fired.everything


@pytest.mark.parametrize(("agent", "event", "given", "wanted"), PATCHES.values(), ids=PATCHES)
def test_a_patch_has_no_path_of_its_own_to_be_changed(agent: str, event: str, given: Any, wanted: Any) -> None:
    call = {"agent": agent, "tool_name": "apply_patch", "tool_input": given}
    refused = fire(hook.rewrite(file_path="/safe"), event, **call)
    changed = fire(hook.rewrite(patch=OTHER), event, **call)

    assert (refused.denied, refused.rewritten) == (True, False)
    assert "changes file_path, which" in refused.everything
    assert changed.outcome.changes == ({"input": wanted} if wanted else {})
    assert (changed.denied, changed.failed) == (wanted is None, False)
    assert wanted or OTHER in changed.reason


@pytest.mark.parametrize(
    ("agent", "tool", "given", "edits"),
    [
        ("claude", "Monitor", {"command": "ls"}, {"comand": "pwd"}),
        ("copilot", "apply_patch", {"input": PATCH}, {"file_path": "/safe"}),
        ("gemini", "str_replace_editor", {"uri": "a.txt"}, {"file_path": "/safe"}),
    ],
)
def test_a_tool_that_no_agent_was_seen_to_offer_has_the_fields_of_its_kind(
    agent: str, tool: str, given: dict[str, str], edits: dict[str, str]
) -> None:
    call: dict[str, Any] = {"agent": agent, "tool_name": tool, "tool_input": given}
    refused, same = fire(hook.rewrite(**edits), **call), fire(hook.rewrite(**given), **call)

    assert (refused.denied, refused.rewritten) == (True, False)
    assert not same.denied


def test_a_field_that_a_call_leaves_out_can_be_put_in_where_the_tool_has_it() -> None:
    claude = fire(hook.rewrite(timeout=5), agent="claude", tool="shell", command="ls")
    codex = fire(hook.rewrite(timeout=5), agent="codex", tool="shell", command="ls")
    copilot = fire(hook.rewrite(content="x"), agent="copilot", tool_name="create", tool_input={"path": "a"})
    unknown = fire(hook.rewrite(anything=5), agent="claude", tool="mcp__box__put", value="v")
    gone = fire(hook.rewrite(command="ls", description=None), agent="claude", tool="shell", command="rm")

    assert claude.input == {"command": "ls", "timeout": 5}
    assert (codex.denied, codex.rewritten) == (True, False)
    assert copilot.input == {"path": "a", "file_text": "x"}
    assert unknown.input == {"value": "v", "anything": 5}
    assert gone.input == {"command": "ls"}
