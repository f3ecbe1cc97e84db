"""What a project's file says about hooks of others: switches, overrides, names that replace the user's hooks."""

from __future__ import annotations

import json

from trust.conftest import Trusting


def settings(trusting: Trusting, **more: object) -> None:
    hooks = {"BeforeTool": [{"hooks": [{"type": "command", "command": "touch ran"}]}]}
    trusting.project.write(".llxprt/settings.json", json.dumps({"hooks": hooks, **more}))


def test_a_switch_that_nobody_approved_switches_nothing(trusting: Trusting) -> None:
    settings(trusting, enableHooks=False)
    users = {"enableHooks": True, "hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "touch users"}]}]}}
    trusting.project.home(".llxprt/settings.json", json.dumps(users))
    outcome = trusting.fire("BeforeTool", "llxprt")

    assert trusting.project.has("users")
    assert any("not approved" in text for text in outcome.warnings)


def test_an_approved_switch_counts(trusting: Trusting) -> None:
    settings(trusting, enableHooks=True)
    trusting.approve()
    trusting.fire("BeforeTool", "llxprt")

    assert trusting.project.has("ran")


def test_while_a_switch_is_modified_the_approved_one_stays_in_force(trusting: Trusting) -> None:
    """The hook itself was not changed: it goes on guarding."""
    settings(trusting, enableHooks=True)
    trusting.approve()
    settings(trusting, enableHooks=False)
    outcome = trusting.fire("BeforeTool", "llxprt")

    assert trusting.project.has("ran")
    assert any("stays in force" in text for text in outcome.warnings)


def test_a_switch_that_is_taken_out_stays_in_force_too(trusting: Trusting) -> None:
    settings(trusting, enableHooks=True)
    trusting.approve()
    settings(trusting)
    trusting.fire("BeforeTool", "llxprt")

    assert trusting.project.has("ran")


def test_naming_an_event_replaces_the_users_hooks_only_where_that_is_approved(trusting: Trusting) -> None:
    users = {"hooks": {"PreToolUse": [{"command": "touch users"}]}}
    trusting.project.home(".config/amcp/hooks.json", json.dumps(users))
    trusting.project.write(".amcp/hooks.json", json.dumps({"hooks": {"PreToolUse": []}}))
    trusting.fire("PreToolUse", "amcp")
    assert trusting.project.has("users")
    (trusting.root / "users").unlink()
    trusting.approve()
    trusting.fire("PreToolUse", "amcp")

    assert not trusting.project.has("users")


def test_an_agents_override_counts_only_where_it_is_approved(trusting: Trusting) -> None:
    text = """
hooks:
  PreToolUse: [{handler: ./general.sh}]
agents:
  - id: one
    backend:
      hooks:
        PreToolUse: {override: true, hooks: []}
"""
    trusting.project.write("massgen.yaml", text)
    trusting.project.script("general.sh", "touch general\n")
    trusting.approve("./general.sh")
    trusting.fire("PreToolUse", "massgen", agent="one")
    assert trusting.project.has("general")
    (trusting.root / "general").unlink()
    trusting.approve()
    trusting.fire("PreToolUse", "massgen", agent="one")

    assert not trusting.project.has("general")
