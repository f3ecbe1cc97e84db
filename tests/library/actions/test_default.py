"""An action that nobody knows: before a tool the guard, else nothing, and it always says so."""

from pathlib import Path

import pytest


@pytest.mark.req("CC-ACT-factory")
def test_before_a_tool_the_guard_does_the_work(act) -> None:
    denied = act("bakend-validation", tool_input={"command": "rm -rf /"}, action="bakend-validation")
    allowed = act("bakend-validation", tool_input={"command": "ls"}, data={"action": "bakend-validation"})

    assert (denied.decision, allowed.decision) == ("deny", "none")
    for said in (denied, allowed):
        assert "no action 'bakend-validation' (did you mean 'backend-validation'?)" in said.note
    assert "no action 'bakend-validation'" in denied.reason  # a refusal shows its reason, and no note


@pytest.mark.req("CC-ACT-factory")
@pytest.mark.parametrize("name", ["zzz-verification", "zzz-completion", "zzz-post-transformation"])
def test_at_other_moments_nothing_is_done(act, name: str) -> None:
    said = act(name, tool_input={"command": "rm -rf /"}, data={"action": name})

    assert said.decision == "none"
    assert said.note.startswith(f"no action '{name}'")
    assert said.note.endswith(": nothing was done")


def test_an_event_without_the_name_says_so_all_the_same(act) -> None:
    assert act("zzz", tool_input={"command": "ls"}, data={"action": 7}).note.startswith("no action of that name")


@pytest.mark.req("CC-ACT-factory", "CC-ACT-command")
def test_the_command_answers_both_forms(hook, nested, tmp_path: Path) -> None:
    name = "my-validation"
    for command, code in (("rm -rf /", 2), ("ls", 0)):
        given = {"command": command}
        for event in (nested(name, tmp_path, "Bash", given), {"tool_name": "Bash", "tool_input": given}):
            answer = hook(name, event)

            assert answer.code == code
            assert answer.stderr.strip()
