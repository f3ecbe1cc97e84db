"""Every hook of the library says what it does, what its options are and what it cannot stop; the page and the command
say the same."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tenterhook.author.kinds import KINDS
from tenterhook.author.loading import library_names, of_library
from tenterhook.author.start import RUN_HOOK
from tenterhook.cli.main import main
from tenterhook.library import describe_hook
from tenterhook.testing import agents

from .conftest import Fire

ROOT = Path(__file__).parents[2]
WANTED = {
    *("dangerous-commands", "secrets", "protected-paths", "format-and-lint", "tests-before-stop", "git-rules"),
    *("git-context", "desktop-notification", "webhook-notification", "audit", "time-budget", "cost-budget"),
    "mcp-allow-list",
}


def test_the_library_has_these_hooks() -> None:
    assert set(library_names()) == WANTED


@pytest.mark.parametrize("name", library_names())
def test_a_hook_has_one_function_whose_parameters_are_the_options_that_are_described(name: str) -> None:
    (hook,) = of_library(name)
    one = describe_hook(name)

    assert hook.name == name
    assert set(hook.kinds) <= KINDS
    assert list(one.options) == list(hook.options)
    assert all(one.options.values())


@pytest.mark.parametrize("name", library_names())
def test_a_hook_says_what_it_does_and_what_it_cannot_stop(name: str) -> None:
    one = describe_hook(name)

    assert one.title.endswith(".")
    assert one.about
    assert len(one.limits) >= 3
    assert all(text.endswith(".") for text in one.limits)


def test_every_rule_that_can_be_switched_is_described() -> None:
    rules = describe_hook("dangerous-commands").rules

    assert rules["force-push"][0] == "deny"
    assert rules["privileged"][0] == "ask"
    assert all(decision in ("deny", "ask") and says for decision, says in rules.values())
    assert describe_hook("protected-paths").rules["system-path"][0] == "deny"


@pytest.mark.parametrize("name", library_names())
def test_a_hook_is_quiet_about_every_event_that_it_is_not_for(name: str, fire: Fire) -> None:
    """In every agent that has the event: nothing is decided, and nothing goes wrong."""
    quiet = {"url": "https://example.com/", "on": ("session.end",), "tokens": 1_000_000_000}
    (hook,) = of_library(name)
    options = {key: value for key, value in quiet.items() if key in hook.options}
    for kind in sorted(KINDS - {"session.end"}):
        for agent in agents(kind):
            fired = fire(name, kind, agent=agent, options=options, tool="shell", command="ls")
            assert fired.ran, (agent, kind, fired.everything)
            assert "failed" not in fired.everything


# ---- the command and the page


def test_the_command_lists_all_hooks(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["library"]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == library_names()


def test_the_command_tells_everything_about_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["library", "git-rules"]) == 0

    shown = capsys.readouterr().out
    assert "branches=main,master" in shown
    assert "commit=allow" in shown
    assert "what it cannot stop:\n- Pushes by other programs" in shown


def test_the_command_prints_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["library", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert main(["library", "audit", "--json"]) == 0
    one = json.loads(capsys.readouterr().out)

    assert one in listed
    assert one["options"][0] == {"name": "file", "default": "", "about": one["options"][0]["about"]}
    assert all(each["cannot_stop"] for each in listed)


def test_a_name_that_is_no_hook_is_an_error_with_a_hint(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["library", "secret"]) == 1

    assert "the library has no hook 'secret' (did you mean 'secrets'?)" in capsys.readouterr().err


def test_a_hook_that_has_nothing_to_do_loads_little(tmp_path: Path) -> None:
    """All hooks of the library in one process, for a tool that none of them is about."""
    words = [
        f"library:{name}" for name in library_names() if name not in ("audit", "cost-budget", "webhook-notification")
    ]
    code = (
        "import sys; had = {*sys.modules}\nfrom tenterhook.author import loading, process\n"
        f"code = process.main({[*words, '--agent', 'moai', '--event', 'tool.before']!r}, loading.of_call)\n"
        "print(*({*sys.modules} - had), file=sys.stderr); sys.exit(code)"
    )
    given = json.dumps({"tool_name": "Read", "tool_input": {}, "cwd": str(tmp_path)})
    done = subprocess.run([sys.executable, "-c", code], input=given, capture_output=True, text=True, cwd=tmp_path)

    assert done.returncode == 0, done.stderr
    assert not {
        "msgspec",
        "asyncio",
        "subprocess",
        "socket",
        "tenterhook.library.guard",
        "tenterhook.engine.engine",
    } & {*done.stderr.split()}


def test_several_hooks_answer_in_one_process_with_options_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "options.toml").write_text(
        '[git-rules]\nbranches = ["live"]\n\n[dangerous-commands]\nallow = ["privileged"]\n'
    )
    words = ("library:dangerous-commands", "library:git-rules", "library:secrets", "--options", "options.toml")

    def said(command: str) -> str:
        given = json.dumps({"tool_name": "Bash", "tool_input": {"command": command}, "cwd": str(tmp_path)})
        line = [sys.executable, RUN_HOOK, *words, "--agent", "moai", "--event", "tool.before"]
        done = subprocess.run(line, input=given, capture_output=True, text=True, cwd=tmp_path)
        return done.stdout + done.stderr

    assert "protected branch live" in said("sudo git push origin live")
    assert "deny" not in said("sudo git push origin main")
