"""Which of the files that the real Copilot CLI reads counts for what: as the program itself took them."""

import json
from typing import Any

import pytest

from conftest import Project
from tenterhook import Outcome

HOOKS = ".github/hooks/h.json"
SETTINGS = ".github/copilot/settings.json"
CALL = {"tool_name": "bash", "tool_input": {"command": "ls"}}


def said(project: Project, where: str, document: Any) -> None:
    project.write(where, document if isinstance(document, str) else json.dumps(document))


def entries(*hooks: Any, event: str = "preToolUse", **beside: Any) -> dict[str, Any]:
    return {"version": 1, "hooks": {event: list(hooks)}, **beside}


def tell(name: str, **more: Any) -> dict[str, Any]:
    return {"bash": f"echo {name} >> ran", **more}


def ran(project: Project, event: str = "tool.before", data: dict[str, Any] = CALL) -> list[str]:
    fired(project, event, data)
    return project.read("ran").split() if project.has("ran") else []


def fired(project: Project, event: str = "tool.before", data: dict[str, Any] = CALL) -> Outcome:
    return project.fire("copilot", event, data)


def test_all_files_add_up_in_the_order_in_which_the_agent_reads_them(project: Project) -> None:
    claude = {
        "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "echo c >> ran"}]}]}
    }
    said(project, ".claude/settings.json", claude)
    said(project, SETTINGS, {"hooks": {"preToolUse": [tell("settings")]}})
    said(project, ".github/copilot/settings.local.json", {"hooks": {"preToolUse": [tell("local")]}})
    said(project, HOOKS, {"version": 1, "hooks": {"PreToolUse": [tell("pascal")], "preToolUse": [tell("camel")]}})
    said(project, ".github/hooks/deep/er.json", entries(tell("deeper")))
    project.home(".copilot/settings.json", json.dumps({"hooks": {"preToolUse": [tell("mine")]}}))
    project.home(".copilot/hooks/u.json", json.dumps(entries(tell("user"))))

    assert ran(project) == ["user", "mine", "deeper", "camel", "pascal", "c", "settings", "local"]


@pytest.mark.parametrize(
    ("document", "runs"),
    [
        ({"hooks": {"preToolUse": [tell("it")]}}, True),
        (entries(tell("it"), version=2), False),
        (entries(tell("it"), version="1"), False),
        (entries(tell("it"), name="mine"), True),
        (entries(tell("it"), disableAllHooks=True), False),
        ({"version": 1, "preToolUse": [tell("it")]}, False),
        ({"version": 1, "hooks": {"beforeLunch": [tell("no")], "preToolUse": [tell("it")]}}, True),
        ({"version": 1, "hooks": {"postToolUse": tell("no"), "preToolUse": [tell("it")]}}, False),
        (entries(tell("it"), event="pretooluse"), False),
        (entries({"matcher": "bash", "hooks": [tell("it")]}), True),
        (entries({"type": "sparkle", "bash": "x"}, tell("it")), True),
        (entries({"bash": 7}, tell("it")), True),
        (entries({"bash": "echo no >> ran", "timeoutSec": "5"}, tell("it")), True),
        (entries({"bash": "echo no >> ran", "timeoutSec": 0}, tell("it")), True),
    ],
    ids=json.dumps,
)
def test_a_bad_entry_costs_itself_and_a_bad_form_the_whole_file(project: Project, document: Any, runs: bool) -> None:
    said(project, HOOKS, document)

    assert ran(project) == (["it"] if runs else [])


@pytest.mark.parametrize("bad", [{"type": "sparkle", "bash": "x"}, {"type": "command"}])
def test_a_bad_entry_in_settings_costs_all_hooks_of_the_file(project: Project, bad: dict[str, Any]) -> None:
    said(project, SETTINGS, {"hooks": {"preToolUse": [bad, tell("it")]}})
    said(project, HOOKS, entries(tell("other")))

    assert ran(project) == ["other"]


def test_a_projects_settings_switch_all_hooks_off_and_a_hooks_file_only_its_own(project: Project) -> None:
    said(project, HOOKS, entries(tell("off"), disableAllHooks=True))
    said(project, ".github/hooks/i.json", entries(tell("on")))

    assert ran(project) == ["on"]

    said(project, ".claude/settings.json", {"disableAllHooks": True})
    (project.root / "ran").unlink()

    assert ran(project) == []


@pytest.mark.parametrize(
    ("event", "matcher", "fires"),
    [
        *(("preToolUse", matcher, True) for matcher in ("bash", "bash|edit", "b.*", "^bash$", ".*", "bas+h")),
        *(("preToolUse", matcher, False) for matcher in ("", " ", "*", "**", "Bash", "ba", "bash ", "(", "edit, bash")),
        *(("preToolUse", matcher, True) for matcher in ("[a-z]+)(?-i:", "bash)|(?:x", "x)|(?:.*ash")),
        *(("PreToolUse", matcher, True) for matcher in (" ", "\t\n", "\xa0")),
        *(
            ("PreToolUse", matcher, True)
            for matcher in ("*", "**", "bash", "Bash", "Bash|Edit", "B.*", "^Bash$", ".*ash")
        ),
        *(("PreToolUse", matcher, False) for matcher in ("", "Ba", "b.*", "Edit, Bash", "(", "ash", "BASH")),
    ],
)
def test_a_matcher_fits_as_it_does_in_the_real_agent(project: Project, event: str, matcher: str, fires: bool) -> None:
    said(project, HOOKS, entries(tell("it", matcher=matcher), event=event))

    assert ran(project) == (["it"] if fires else [])


@pytest.mark.parametrize(
    ("entry", "wanted"),
    [
        ({"command": "echo both >> ran"}, ["both"]),
        ({"bash": "echo bash >> ran", "command": "echo command >> ran"}, ["bash"]),
        (
            {"exec": "sh", "args": ["-c", "echo $0 $HOME_IS >> ran", "a b"], "env": {"HOME_IS": "$HOME"}},
            ["a", "b", "$HOME"],
        ),
        ({"bash": 'basename "$PWD" >> ../ran', "cwd": "sub"}, ["sub"]),
        ({"bash": "[[ $0 == *bash ]] && echo $COPILOT_CLI ${COPILOT_HOOK_DIR##*/} >> ran"}, ["1", "hooks"]),
        ({"bash": '[ "$COPILOT_PROJECT_DIR" = "$CLAUDE_PROJECT_DIR" ] && echo same >> "$PWD/ran"'}, ["same"]),
        ({"bash": "sleep 9; echo late >> ran", "timeout": 0.2}, []),
        ({"bash": "sleep 0.3; echo late >> ran", "timeout": 0.1, "timeoutSec": 9}, ["late"]),
    ],
    ids=json.dumps,
)
def test_an_entry_runs_as_the_real_agent_runs_it(project: Project, entry: dict[str, Any], wanted: list[str]) -> None:
    project.write("sub/x", "")
    said(project, HOOKS, entries(entry))

    assert ran(project) == wanted


def test_a_hook_for_another_shell_fails_and_so_refuses(project: Project) -> None:
    said(project, HOOKS, entries({"powershell": "exit 0"}))

    outcome = fired(project)

    assert outcome.blocked is (outcome.attempts[0].error == "spawn")


def test_a_matcher_on_an_event_without_a_target_is_ignored(project: Project) -> None:
    said(project, HOOKS, entries(tell("it", matcher="nope"), event="agentStop"))

    assert ran(project, "turn.stop", {}) == ["it"]
