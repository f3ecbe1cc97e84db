"""What authors test with: a hook fired in a dialect, what the agent would do, and the fixtures of pytest."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tenterhook import dialects, hook
from tenterhook.author import callers
from tenterhook.author.answers import Answer
from tenterhook.author.event import Event
from tenterhook.dialects import recorded
from tenterhook.errors import UsageError
from tenterhook.support import tool_names
from tenterhook.testing import HookFailed, agents, each_dialect, fire

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

    @hook("session.start", "prompt.submit", "turn.stop", "tool.before", "tool.after", "tool.failed", "permission.ask")
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
    if rule.kind == "tool.before" and (not rule.firing.tools or "Bash" in rule.firing.tools)
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

    names = [call["tool"] for call in recorded.tools(agent)] or [
        tool.name for tool in dialects.get(agent).tools.names.values()
    ]
    assert fired.reason.split(" ")[0] in names
    assert fired.reason.endswith(f" {path} text")


PATCH = "*** Begin Patch\n*** Update File: a.txt\n@@\n-old\n+new\n*** End Patch\n"
EDITS = {
    "claude": ("Edit", {"file_path": "a.txt", "old_string": "old", "new_string": "new"}),
    "codex": ("apply_patch", {"command": PATCH}),
    "gemini": ("replace", {"file_path": "a.txt", "old_string": "old", "new_string": "new"}),
    "qwen": ("edit", {"file_path": "a.txt", "old_string": "old", "new_string": "new"}),
    "copilot": ("edit", {"path": "a.txt", "old_str": "old", "new_str": "new"}),
    "amcp": ("apply_patch", {"patch": PATCH}),
}


@pytest.mark.parametrize(("agent", "name", "given"), [(agent, *call) for agent, call in EDITS.items()])
def test_an_edit_has_the_form_that_the_agent_gives_it(agent: str, name: str, given: Any, tmp_path: Path) -> None:
    fire(shows, "tool.before", agent=agent, tool="edit", project=tmp_path, **EDITS["claude"][1])
    seen = SEEN.pop()

    assert (seen.tool_name, seen.data["tool_input"]) == (name, given)
    assert seen.paths == (str(tmp_path / "a.txt"),)
    assert seen.text == "new"
    assert seen.cwd == str(tmp_path)


def test_a_tool_by_an_agents_own_name_is_that_one() -> None:
    fire(shows, "tool.before", agent="copilot", tool="apply_patch", **EDITS["claude"][1])
    copilot = SEEN.pop()
    fire(shows, "tool.before", agent="claude", tool="apply_patch", **EDITS["claude"][1])
    claude = SEEN.pop()

    assert (copilot.tool_name, copilot.data["tool_input"]) == ("apply_patch", PATCH)
    assert claude.tool_name == "Edit"


OWN_NAMES = {
    "claude": ("Skill", "Monitor", "NotebookEdit", "WebSearch", "AskUserQuestion", "TodoWrite"),
    "gemini": ("save_memory", "list_directory", "write_todos"),
    "copilot": ("report_intent",),
    "qwen": ("skill", "notebook_edit", "monitor"),
    "moai": ("Skill", "Monitor"),
}


@pytest.mark.parametrize(("agent", "name"), [(agent, name) for agent, names in OWN_NAMES.items() for name in names])
def test_a_tool_of_which_nothing_was_recorded_keeps_its_name(agent: str, name: str) -> None:
    fire(shows, "tool.before", agent=agent, tool=name, value="v")
    seen = SEEN.pop()

    assert (seen.tool_name, seen.data["tool_input"]) == (name, {"value": "v"})


def test_a_word_of_ours_finds_the_agents_tool_though_nothing_was_recorded_of_it() -> None:
    found = {}
    for word in ("web_search", "ask", "todo"):
        fire(shows, "tool.before", agent="claude", tool=word, query="x")
        found[word] = SEEN.pop().tool_name

    assert found == {"web_search": "WebSearch", "ask": "AskUserQuestion", "todo": "TodoWrite"}


@each_dialect("tool.before", tool="subagent")
def test_a_subagents_prompt_is_its_tools_input(agent: str) -> None:
    fire(shows, "tool.before", agent=agent, tool="subagent", prompt="look", name="n", message="m")
    seen = SEEN.pop()

    assert {"look", "n", "m"} == set(seen.data["tool_input"].values())


@pytest.mark.parametrize("kind", ["tool.before", "tool.after", "tool.failed", "permission.ask"])
@pytest.mark.parametrize("agent", recorded.agents())
def test_a_payload_has_the_fields_that_the_agent_wrote_and_no_more(agent: str, kind: str) -> None:
    names = {rule.name for rule in dialects.get(agent).events if rule.kind == kind}
    for name in names & recorded.payloads(agent).keys():
        fire(shows, name, agent=agent, tool="shell", command="ls")
        seen = SEEN.pop()

        assert seen.raw.keys() == recorded.payloads(agent)[name][0].keys()


CALLS = [
    pytest.param(agent, call, id=f"{agent}-{call['tool']}")
    for agent in recorded.agents()
    for call in recorded.tools(agent)
]
OURS: dict[str, Any] = {
    "shell": {"command": "ls"},
    "read": {"file_path": "a"},
    "write": {"file_path": "a", "content": "new"},
    "edit": {"file_path": "a", "old_string": "old", "new_string": "new"},
    "search": {"pattern": "old"},
    "glob": {"pattern": "*.txt"},
    "fetch": {"url": "https://example.com/a"},
    "web_search": {"query": "x"},
    "subagent": {"prompt": "x", "subagent_type": "general-purpose"},
    "mcp": {"value": "v"},
}


@pytest.mark.parametrize(("agent", "call"), CALLS)
@pytest.mark.parametrize("kind", ["tool.before", "tool.after"])
def test_every_tool_is_fired_as_it_was_recorded(agent: str, call: dict[str, Any], kind: str) -> None:
    served = "put" in call["tool"]
    ours = "mcp" if served else tool_names.kind(call["tool"])
    fire(shows, kind, agent=agent, tool="mcp__box__put" if served else call["tool"], **OURS[ours])
    seen = SEEN.pop()
    given = seen.data["tool_input"]

    assert seen.tool_name == call["tool"]
    assert type(given) is type(call["input"])
    assert isinstance(given, str) or given.keys() <= call["input"].keys()
    assert call.get("beside", {}).items() <= seen.raw.items()
    if kind == "tool.after" and "output" in call:
        assert seen.data["tool_output"] == call["output"]


def test_a_server_is_named_as_the_agent_names_it() -> None:
    shown = {}
    for agent in ("claude", "codex", "copilot", "gemini"):
        fire(shows, "tool.before", agent=agent, tool="mcp__shop__buy", what="tea")
        seen = SEEN.pop()
        shown[agent] = (seen.tool_name, seen.mcp and (seen.mcp.server, seen.mcp.tool))

    assert shown == {
        "claude": ("mcp__shop__buy", ("shop", "buy")),
        "codex": ("mcp__shop__buy", ("shop", "buy")),
        "copilot": ("shop-buy", ("shop", "buy")),
        "gemini": ("mcp_shop_buy", ("shop", "buy")),
    }


def test_a_tool_that_an_agent_does_not_have_is_not_made_up() -> None:
    with pytest.raises(UsageError, match="tells its hooks of no tool 'search'"):
        fire(shows, "tool.before", agent="codex", tool="search", pattern="x")

    assert "codex" not in agents("tool.before", tool="search")
    assert "codex" in agents("tool.before", tool="write")


def test_agents_are_chosen_by_what_a_hook_can_do_there() -> None:
    every, rewriting = agents("tool.before", can="deny"), agents("tool.before", can="rewrite")

    assert set(rewriting) < set(every) == set(agents("tool.before"))
    assert "qwen" not in rewriting
    assert set(agents("turn.stop", can="deny")) < set(agents("turn.stop"))
    assert each_dialect("tool.before", can="rewrite").args == ("agent", rewriting)
    with pytest.raises(UsageError, match=r"can='denny': it may be deny, .*did you mean 'deny'"):
        agents("tool.before", can="denny")


@pytest.mark.parametrize("agent", [name for name in recorded.agents() if name in dialects.names()])
def test_the_event_is_what_a_real_agent_wrote_with_the_given_laid_over_it(agent: str) -> None:
    kinds = {rule.name: rule.kind for rule in dialects.get(agent).events}
    event = next(name for name in recorded.payloads(agent) if kinds.get(name) == "tool.before")
    fire(shows, event, agent=agent, tool="shell", command="mine")
    seen = SEEN.pop()

    once = recorded.payloads(agent)[event][0]
    assert seen.command == "mine"
    assert once.keys() <= seen.raw.keys()
    assert seen.cwd == os.getcwd()


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
    with pytest.raises(UsageError, match="is not in a file"):
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
    words = (
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:tenterhook",
        "-p",
        "tenterhook.testing.pytest_plugin",
        "-p",
        "no:cacheprovider",
    )
    done = subprocess.run([sys.executable, *words, "test_guard.py"], cwd=file.parent, capture_output=True, text=True)

    assert f"{len(dialects.names()) + 1} passed" in done.stdout, done.stdout


def test_pytest_finds_the_plugin_by_its_entry_point() -> None:
    import tomllib

    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]

    assert project["entry-points"]["pytest11"] == {"tenterhook": "tenterhook.testing.pytest_plugin"}


def test_a_plugin_that_nobody_uses_loads_nothing() -> None:
    code = (
        "import sys, pytest; had = {*sys.modules}; import tenterhook.testing.pytest_plugin; print({*sys.modules} - had)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert set(eval(done.stdout)) == {"tenterhook", "tenterhook.testing", "tenterhook.testing.pytest_plugin"}


# ---- hooks that fail

# What a hook does, what the test is told of it, and whether it was the hook's own line that raised.
FAILING = {
    "a typo": ("return hook.block('no')", "AttributeError: 'HookDecorator' object has no attribute 'block'", True),
    "an exit": ("import sys; sys.exit(2)", "SystemExit: 2", True),
    "what no JSON can hold": ("return hook.rewrite(command={1})", "hook.rewrite was given a value that JSON", True),
    "no answer": ("return True", "a hook returns hook.deny", False),
    "no field of the tool": ("return hook.rewrite(file_path='/safe')", "which Bash does not have", False),
    "too long": ("import time; time.sleep(5)", "TimeoutError: no answer within 0.1 s", False),
}


def failing(folder: Path, body: str) -> Path:
    file = folder / "guard.py"
    text = "from tenterhook import hook\n\n@hook('tool.before', timeout={})\ndef guard(event):\n    {}\n"
    file.write_text(text.format(0.1 if "sleep" in body else None, body))
    return file


@pytest.mark.parametrize("process", [False, True])
@pytest.mark.parametrize(("body", "problem", "traced"), FAILING.values(), ids=FAILING)
def test_a_hook_that_fails_fails_its_test_and_shows_where(
    tmp_path: Path, body: str, problem: str, traced: bool, process: bool
) -> None:
    file = failing(tmp_path, body)
    call: dict[str, Any] = {"agent": "claude", "tool": "shell", "command": "ls", "process": process}
    with pytest.raises(HookFailed) as raised:
        fire(file, "tool.before", **call)
    allowed = fire(file, "tool.before", **call, allow_failure=True)

    assert problem in str(raised.value)
    assert (f'File "{file}", line 5, in guard' in str(raised.value)) == traced
    assert (allowed.failed, allowed.denied) == (True, True)
    assert problem in allowed.failures[0]


BROKEN = {
    "no Python": ("this is no Python", "SyntaxError"),
    "a module that is not there": ("import nowhere_at_all", "No module named 'nowhere_at_all'"),
    "an end without an answer": (
        "from tenterhook import hook\nimport os\n@hook('tool.before')\ndef guard(event):\n    os._exit(2)",
        r"process ended \(exit 2\) before it answered",
    ),
    "a signal": (
        "from tenterhook import hook\nimport os\n@hook('tool.before')\ndef guard(event):\n    os.kill(os.getpid(), 9)",
        "did not end by itself",
    ),
}


@pytest.mark.parametrize(("text", "problem"), BROKEN.values(), ids=BROKEN)
def test_a_hooks_process_that_does_not_answer_fails_its_test(tmp_path: Path, text: str, problem: str) -> None:
    """Though the agent refuses the call: an exit of 2 is a refusal."""
    (tmp_path / "guard.py").write_text(text)
    with pytest.raises(HookFailed, match=problem):
        fire(tmp_path / "guard.py", "tool.before", agent="claude", tool="shell", command="ls", process=True)


@pytest.mark.parametrize(("process", "error"), [(True, HookFailed), (False, OSError)])
def test_a_file_that_is_not_there_fails_its_test(tmp_path: Path, process: bool, error: type[Exception]) -> None:
    with pytest.raises(error, match="No such file"):
        fire(tmp_path / "nothing.py", "tool.before", tool="shell", command="ls", process=process)


def test_the_hooks_own_exception_is_the_cause() -> None:
    with hook.apart():

        @hook("tool.before", on_failure="allow")
        def breaks(event: Event) -> None:
            raise KeyError("mine")

    with pytest.raises(HookFailed) as raised:
        fire(breaks, "tool.before", tool="shell", command="ls")
    allowed = fire(breaks, "tool.before", tool="shell", command="ls", allow_failure=True)

    assert isinstance(raised.value.__cause__, KeyError)
    assert 'raise KeyError("mine")' in str(raised.value)
    assert "author/calls.py" not in str(raised.value)
    assert (allowed.failed, allowed.ran) == (True, True)


def test_what_was_fired_is_shown_on_one_short_line() -> None:
    def shown(what: str, command: str = "ls") -> str:
        return repr(fire(says, "tool.before", agent="claude", tool="shell", command=command, options={"what": what}))

    assert shown("deny") == "<claude PreToolUse Bash {'command': 'ls'}: denied, reason='no'>"
    assert shown("nothing") == "<claude PreToolUse Bash {'command': 'ls'}: ran>"
    assert shown("rewrite") == "<claude PreToolUse Bash {'command': 'ls'}: ran, input={'command': 'ls -la'}>"
    assert shown("context") == "<claude PreToolUse Bash {'command': 'ls'}: ran, context='for the model'>"
    assert len(shown("deny", "x" * 10_000)) < 150
    assert repr(fire(shows, "session.start")) == "<tenterhook session.start: ran>"
