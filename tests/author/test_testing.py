"""What authors test with: a hook fired in a dialect, what the agent would do, and the fixtures of pytest."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tenterhook import dialects, hook, recorded
from tenterhook.author import callers
from tenterhook.author.answers import Answer
from tenterhook.author.event import Event
from tenterhook.errors import UsageError
from tenterhook.testing import agents, each_dialect, fire

GUARD = """
from tenterhook import hook

@hook("tool.before", match="shell")
def guard(event, words=("rm",)):
    print("looked at")
    for word in words:
        if word in event.command:
            return hook.deny(f"{event.agent} and {word}")
"""
with hook.apart():

    @hook("tool.before", match="shell")
    def says(event: Event, what: str = "deny") -> Answer | None:
        answers = {
            "deny": hook.deny("no"),
            "ask": hook.ask("well?"),
            "rewrite": hook.rewrite(command="ls -la"),
            "context": hook.context("for the model"),
            "stop": hook.stop("enough"),
        }
        return answers.get(what)

    @hook("tool.after")
    def redacts(event: Event) -> Answer:
        return hook.rewrite(event.output.replace("secret", "***"))

    @hook("tool.before", match="write")
    def writes(event: Event) -> Answer:
        return hook.deny(f"{event.tool_name} {event.paths[0]} {event.text}")

    @hook("session.start", "prompt.submit", "turn.stop", "tool.before", "tool.after")
    def shows(event: Event) -> None:
        SEEN.append(event)


SEEN: list[Event] = []


def saying(agent: str, kind: str) -> dict[str, Any]:
    rule = dialects.get(agent).rule(kind)
    return dict(callers.load(agent)["events"][rule.name]["says"]) if rule else {}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    found = tmp_path / "guard.py"
    found.write_text(GUARD)
    return found


@each_dialect("tool.before")
def test_a_hook_is_fired_in_each_dialect_as_its_agent_would_call_it(agent: str, file: Path) -> None:
    refused = fire(file, "tool.before", agent=agent, tool="shell", command="rm x")
    passed = fire(file, "tool.before", agent=agent, tool="shell", command="ls")
    process = fire(file, "tool.before", agent=agent, tool="shell", command="rm x", process=True)

    assert (process.denied, process.answer) == (True, refused.answer)
    assert (refused.denied, refused.ran) == (True, False)
    assert refused.reason == f"{agent} and rm"
    assert (passed.denied, passed.ran, passed.lost) == (False, True, ())
    assert "looked at" in passed.stderr


SHELLS = [
    pytest.param(name, rule.name, id=f"{name}-{rule.name}")
    for name in dialects.names()
    for rule in dialects.get(name).events
    if rule.kind == "tool.before" and (not rule.tools or "Bash" in rule.tools)
]


@pytest.mark.parametrize(("agent", "event"), SHELLS)
def test_a_shell_command_is_refused_at_every_event_at_which_an_agent_tells_of_it(
    agent: str, event: str, file: Path
) -> None:
    refused = fire(file, event, agent=agent, tool="shell", command="rm x")
    passed = fire(file, event, agent=agent, tool="shell", command="ls")

    assert (refused.denied, passed.ran) == (True, True)


@each_dialect("tool.after")
def test_of_several_events_of_a_kind_the_one_for_every_tool_is_fired(agent: str) -> None:
    fire(shows, "tool.after", agent=agent, tool="write", file_path="/a.txt", content="x")

    assert SEEN.pop().is_write


def test_what_the_agent_would_do_is_told_of_every_answer() -> None:
    def said(what: str) -> Any:
        return fire(says, "tool.before", tool="shell", command="ls", options={"what": what})

    assert said("deny").denied
    assert said("ask").asked
    assert (said("rewrite").rewritten, said("rewrite").input) == (True, {"command": "ls -la"})
    assert said("context").context == "for the model"
    assert said("stop").stopped
    assert said("nothing").ran
    assert said("nothing").input == {"command": "ls"}


@each_dialect("tool.before")
def test_every_input_reaches_the_tool_and_nothing_else_does(agent: str) -> None:
    @hook("tool.before")
    def shows(event: Event) -> Answer:
        return hook.deny(f"{sorted(event.input)} {event.cwd}")

    fired = fire(shows, "tool.before", agent=agent, tool="box", token="t", edits=[{"a": "b"}], cwd="/w", session_id="s")

    assert fired.reason == "['edits', 'token'] /w"


@each_dialect("tool.before")
def test_a_tool_is_called_in_the_agents_own_words(agent: str, tmp_path: Path) -> None:
    path = str(tmp_path / "a.txt")
    fired = fire(writes, "tool.before", agent=agent, tool="write", file_path=path, content="text")

    own = dialects.get(agent).tools
    name = own["Write"].name if "Write" in own else "apply_patch"
    assert fired.reason == f"{name} {path} text"


@pytest.mark.parametrize("agent", [name for name in recorded.agents() if name in dialects.names()])
def test_the_event_is_what_a_real_agent_wrote_with_the_given_laid_over_it(agent: str) -> None:
    kinds = {rule.name: rule.kind for rule in dialects.get(agent).events}
    event = next(name for name in recorded.payloads(agent) if kinds.get(name) == "tool.before")
    fire(shows, event, agent=agent, tool="shell", command="mine")
    seen = SEEN.pop()

    once = recorded.payloads(agent)[event][0]
    assert seen.command == "mine"
    assert once.keys() <= seen.raw.keys()
    assert seen.cwd == "/home/user/proj"


def test_a_real_process_is_started_where_that_is_wanted(file: Path) -> None:
    here = fire(file, "tool.before", tool="shell", command="rm x")
    there = fire(file, "tool.before", tool="shell", command="rm x", process=True)
    options = fire(file, "tool.before", tool="shell", command="rm x", process=True, options={"words": ("mv", "cp")})

    assert here.answer == there.answer
    assert there.denied
    assert options.ran


def test_the_process_is_another_one(tmp_path: Path) -> None:
    text = "import os\nfrom tenterhook import hook\n\n@hook('tool.before')\n"
    text += "def who(event):\n    return hook.deny(str(os.getpid()))\n"
    (tmp_path / "who.py").write_text(text)
    here, there = (fire(tmp_path / "who.py", "tool.before", process=process) for process in (False, True))

    assert here.reason == str(os.getpid()) != there.reason
    assert here.seconds > 0
    assert there.seconds > 0


HELPED = """
from tenterhook import hook
import helper

@hook("tool.before")
def refuses(event):
    import later
    return hook.deny(helper.WHY + later.WHY)
"""


def test_hooks_of_two_folders_each_have_their_own_helpers_and_leave_nothing_behind(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "guard.py").write_text(HELPED)
        for name in ("helper", "later"):
            (tmp_path / folder / f"{name}.py").write_text(f"WHY = '{folder} {name} '")
    path, modules = list(sys.path), set(sys.modules)

    reasons = [fire(tmp_path / folder / "guard.py", "tool.before").reason for folder in ("one", "two", "one")]

    assert reasons == ["one helper one later ", "two helper two later ", "one helper one later "]
    assert sys.path == path
    assert not {"helper", "later"} & (set(sys.modules) - modules)


def test_wrong_calls_say_what_is_wrong(file: Path) -> None:
    with pytest.raises(UsageError, match=r"has no event 'tool\.befor'"):
        fire(file, "tool.befor")
    with pytest.raises(UsageError, match=r"option 'wrods' \(did you mean 'words'\?\)"):
        fire(file, "tool.before", options={"wrods": ()})
    with pytest.raises(UsageError, match="a function with @hook"):
        fire(7, "tool.before")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="stands in no file"):
        fire([7], "tool.before", process=True)


def test_agents_are_all_dialects_or_those_that_have_an_event() -> None:
    assert agents() == dialects.names()
    assert set(agents("model.before")) < set(agents())


REDACTS = [name for name in agents("tool.after") if "rewrite" in saying(name, "tool.after")]


@pytest.mark.parametrize("agent", REDACTS)
@pytest.mark.parametrize(
    "output", ["a secret", {"stdout": "a secret"}, {"llmContent": "a secret", "returnDisplay": "x"}]
)
def test_an_output_is_replaced_in_whatever_form_it_was(agent: str, output: Any) -> None:
    fired = fire(redacts, "tool.after", agent=agent, tool="shell", command="env", tool_output=output)

    assert "***" in str(fired.output)
    assert "secret" not in str(fired.output)


# ---- pytest

TESTS = """
from pathlib import Path

def test_the_fixture_fires(fire, agents, tmp_path):
    assert fire(Path(__file__).parent / "guard.py", "tool.before", agent=agents[0], tool="shell", command="rm").denied

def test_each_agent(each_agent, fire):
    assert fire(Path(__file__).parent / "guard.py", "tool.before", agent=each_agent, tool="shell", command="ls").ran
"""


def test_the_fixtures_of_pytest_work(file: Path) -> None:
    (file.parent / "test_guard.py").write_text(TESTS)
    words = ("-m", "pytest", "-q", "-p", "no:tenterhook", "-p", "tenterhook.pytest_plugin", "-p", "no:cacheprovider")
    done = subprocess.run([sys.executable, *words, "test_guard.py"], cwd=file.parent, capture_output=True, text=True)

    assert f"{len(dialects.names()) + 1} passed" in done.stdout, done.stdout


def test_pytest_finds_the_plugin_by_its_entry_point() -> None:
    import tomllib

    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]

    assert project["entry-points"]["pytest11"] == {"tenterhook": "tenterhook.pytest_plugin"}


def test_a_plugin_that_nobody_uses_loads_nothing() -> None:
    code = "import sys, pytest; had = {*sys.modules}; import tenterhook.pytest_plugin; print({*sys.modules} - had)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert set(eval(done.stdout)) == {"tenterhook", "tenterhook.pytest_plugin"}
