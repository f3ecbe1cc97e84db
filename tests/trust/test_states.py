"""Trusted, modified, untrusted, denied: what counts of a project, and what happens to the rest."""

from __future__ import annotations

from pathlib import Path

import pytest

from trust.conftest import Trusting
from trust.mutations import MUTATIONS, approve, build, fell


def test_a_projects_hook_does_not_run_before_it_is_approved(guarded: Trusting) -> None:
    outcome = guarded.fire()

    assert [one.why for one in outcome.skipped] == ["untrusted"]
    assert outcome.decision == "none"
    assert not guarded.project.has("ran")


def test_an_approved_hook_runs_and_decides(guarded: Trusting) -> None:
    guarded.approve()
    outcome = guarded.fire()

    assert (outcome.blocked, outcome.reason) == (True, "no")
    assert guarded.project.has("ran")


@pytest.mark.parametrize("name", MUTATIONS)
def test_any_change_after_the_approval_takes_it_back(name: str, tmp_path: Path) -> None:
    root, home = tmp_path / "project", tmp_path / "home"
    home.mkdir()
    build(root)
    environ = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    approve(root, home, environ)
    root = MUTATIONS[name](root, home)

    assert fell(root, home, environ)


def test_without_a_change_the_approval_holds(tmp_path: Path) -> None:
    """Otherwise the mutations above would prove nothing."""
    home = tmp_path / "home"
    home.mkdir()
    build(tmp_path / "project")
    environ = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    approve(tmp_path / "project", home, environ)

    assert not fell(tmp_path / "project", home, environ)
    assert (tmp_path / "project" / "ran").exists()


def test_a_modified_hook_asks_where_the_event_can_ask(guarded: Trusting) -> None:
    guarded.approve()
    guarded.project.script("guard.sh", "exit 0\n")
    outcome = guarded.fire()

    assert outcome.decision == "ask"
    assert [one.error for one in outcome.attempts] == ["modified"]
    assert "guard.sh" in outcome.attempts[0].detail
    assert "tenter trust" in outcome.reason


def test_a_modified_hook_denies_where_nobody_can_be_asked(trusting: Trusting) -> None:
    trusting.project.write("tenterhook.toml", '[[hook]]\non = "prompt.submit"\ncommand = "./guard.sh"\n')
    trusting.project.script("guard.sh", "exit 0\n")
    trusting.approve()
    trusting.project.script("guard.sh", "exit 0 # other\n")
    outcome = trusting.fire("prompt.submit")

    assert outcome.blocked


def test_a_modified_hook_asks_in_a_faithful_dialect_too_whatever_its_own_policy(trusting: Trusting) -> None:
    config = '{{"hooks": {{"PreToolUse": [{{"hooks": [{{"type": "command", "command": "./g.sh"{}}}]}}]}}}}'
    trusting.project.write(".claude/settings.json", config.format(""))
    trusting.project.script("g.sh", "exit 0\n")
    trusting.approve()
    trusting.project.write(".claude/settings.json", config.format(', "tenterhook": {"on_failure": "allow"}'))
    outcome = trusting.fire("PreToolUse", "moai")

    assert outcome.decision == "ask"


@pytest.mark.parametrize("tool", ["Bash", "Write"])
def test_a_modified_hook_stands_where_the_old_matcher_or_the_new_one_fits(guarded: Trusting, tool: str) -> None:
    guarded.approve()
    text = guarded.project.read("tenterhook.toml")
    guarded.project.write("tenterhook.toml", text.replace('"Bash"', '"Write"'))

    assert guarded.fire(tool=tool).decision == "ask"
    assert guarded.fire(tool="Read").decision == "none"


@pytest.mark.parametrize("line", ["enabled = false", 'if = {"tool_input.command" = "never"}', "background = true"])
def test_what_would_take_a_guard_away_asks_instead(guarded: Trusting, line: str) -> None:
    guarded.approve()
    guarded.project.write("tenterhook.toml", guarded.project.read("tenterhook.toml") + line + "\n")

    assert guarded.fire().decision == "ask"


def test_a_modified_hook_takes_no_running_hooks_place(trusting: Trusting) -> None:
    """Where the dialect runs the same command once, the one that does not run must not be that one."""
    entry = (
        '{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "touch ran"TIME}]}]}, "enableHooks": true}'
    )
    trusting.project.write(".llxprt/settings.json", entry.replace("TIME", ""))
    trusting.approve()
    trusting.project.home(".llxprt/settings.json", entry.replace("TIME", ""))
    trusting.project.write(".llxprt/settings.json", entry.replace("TIME", ', "timeout": 5000'))
    outcome = trusting.fire("BeforeTool", "llxprt")

    assert [one.error for one in outcome.attempts] == ["modified", None]
    assert trusting.project.has("ran")


def test_every_version_that_was_approved_stays_approved(guarded: Trusting) -> None:
    """Switching between two branches asks only once for each."""
    first, second = "touch ran\nexit 2\n", "touch ran\nexit 2 # other\n"
    for body in (first, second):
        guarded.project.script("guard.sh", body)
        guarded.approve()
    for body in (first, second):
        guarded.project.script("guard.sh", body)

        assert guarded.states() == ["trusted"]


def test_a_hook_that_moves_within_its_file_stays_approved(trusting: Trusting) -> None:
    entries = ['[[hook]]\non = "tool.before"\ncommand = "true"\n', '[[hook]]\non = "tool.before"\ncommand = "exit 0"\n']
    trusting.project.write("tenterhook.toml", "".join(entries))
    trusting.approve()
    trusting.project.write("tenterhook.toml", "".join(reversed(entries)))

    assert trusting.states() == ["trusted", "trusted"]


def test_a_new_hook_is_untrusted_and_those_around_it_stay_trusted(guarded: Trusting) -> None:
    guarded.approve()
    text = guarded.project.read("tenterhook.toml")
    guarded.project.write("tenterhook.toml", '[[hook]]\non = "tool.before"\ncommand = "touch new"\n' + text)
    outcome = guarded.fire()

    assert guarded.states() == ["untrusted", "trusted"]
    assert outcome.blocked
    assert not guarded.project.has("new")


def test_an_approved_hook_that_is_gone_is_said_until_it_is_confirmed(guarded: Trusting) -> None:
    guarded.approve()
    guarded.project.write("tenterhook.toml", "")

    assert any("'guard'" in text and "no longer exists" in text for text in guarded.fire().warnings)
    guarded.approve()
    assert not guarded.fire().warnings


def test_a_config_file_that_is_gone_as_a_whole_is_said_too(guarded: Trusting) -> None:
    guarded.approve()
    (guarded.root / "tenterhook.toml").unlink()

    assert any("no longer exists" in text for text in guarded.fire().warnings)


def test_a_denied_hook_does_not_run_whatever_it_becomes(guarded: Trusting) -> None:
    guarded.approve()
    guarded.deny("guard")
    guarded.project.script("guard.sh", "touch ran\n")
    guarded.approve()
    outcome = guarded.fire()

    assert [one.why for one in outcome.skipped] == ["denied"]
    assert not guarded.project.has("ran")


def test_a_revoked_denial_leaves_the_hook_untrusted(guarded: Trusting) -> None:
    guarded.deny("guard")
    guarded.revoke("guard")

    assert guarded.states() == ["untrusted"]


def test_a_denied_project_is_denied_as_a_whole_and_for_what_comes_later(guarded: Trusting) -> None:
    guarded.approve()
    guarded.deny()
    guarded.project.write("tenterhook.toml", '[[hook]]\non = "tool.before"\ncommand = "touch ran"\n')

    assert guarded.states() == ["denied"]


def test_trust_none_runs_nothing_of_the_project_approved_or_not(guarded: Trusting) -> None:
    guarded.approve()

    assert guarded.states(trust="none") == ["untrusted"]


def test_trust_all_runs_everything(guarded: Trusting) -> None:
    assert guarded.states(trust="all") == ["trusted"]


def test_a_denial_outranks_trust_all(guarded: Trusting) -> None:
    guarded.deny("guard")
    outcome = guarded.fire(trust="all")

    assert [one.why for one in outcome.skipped] == ["denied"]
    guarded.deny()
    assert guarded.states(trust="all") == ["denied"]


def test_a_nested_project_inherits_nothing(guarded: Trusting) -> None:
    guarded.approve()
    inner = guarded.root / "inner"
    inner.mkdir()
    for name in ("tenterhook.toml", "guard.sh"):
        (inner / name).write_bytes((guarded.root / name).read_bytes())
    (inner / ".git").write_text(f"gitdir: {guarded.root}/.git\n")

    with guarded.engine() as engine:
        engine.hookset.project = str(inner)
        assert [hook.state for hook in engine.hooks()] == ["untrusted"]


def test_another_way_to_the_same_folder_is_the_same_project(guarded: Trusting, tmp_path: Path) -> None:
    guarded.approve()
    (tmp_path / "link").symlink_to(guarded.root)
    with guarded.engine() as engine:
        engine.project = str(tmp_path / "link")

        assert [hook.state for hook in engine.hooks()] == ["trusted"]


def test_an_approved_file_that_is_broken_now_is_an_error_and_not_a_config_without_hooks(guarded: Trusting) -> None:
    from tenterhook.errors import ConfigError

    guarded.approve()
    guarded.project.write("tenterhook.toml", "[[hook]\n")

    with pytest.raises(ConfigError):
        guarded.fire()


def test_a_strangers_broken_file_is_a_warning(guarded: Trusting) -> None:
    guarded.project.write("tenterhook.toml", "[[hook]\n")

    assert guarded.fire().warnings


def test_an_approval_of_every_option_holds(trusting: Trusting) -> None:
    """What was kept compares with what is read, whatever stands in an entry."""
    trusting.project.write(
        "tenterhook.toml",
        """[[hook]]
on = ["tool.before", "tool.after"]
name = "all of it"
match = "Bash"
match_kind = "glob"
command = ["sh", "guard.sh"]
timeout = 2.5
priority = -3
sequential = true
leftovers = "end"
if = {"tool_input.command" = ["ls*", "*x*"], "n" = 1}
on_failure = {timeout = "ask", default = "deny"}
env = {A = "b"}
sandbox = {network = "loopback", read = ["/opt"], write = ["out", "/tmp/x"]}

[[hook]]
on = "turn.stop"
url = "https://example.org/x"
headers = {X = "$Y"}
env = ["Y"]
connect_timeout = 2

[[hook]]
on = "turn.stop"
prompt = "Is it done?"
max_tokens = 100
once = true
""",
    )
    trusting.project.script("guard.sh", "true\n")
    trusting.approve()

    assert set(trusting.states()) == {"trusted"}
    assert {one.state for one in trusting.look().standings} == {"trusted"}
