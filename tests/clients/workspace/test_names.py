"""Every dialect's names for the tools of the agent, and calls that are spelled otherwise."""

from pathlib import Path
from typing import Any

import pytest

from tenterhook import dialects
from tenterhook.agent.tools import built_in, task
from tenterhook.clients.tool_definition import Definition
from tenterhook.clients.workspace.names import ELSEWHERE, DialectTool, everyone, translate_tool_call
from tenterhook.clients.workspace.workspace import Workspace
from tenterhook.dialects.schema.vocabulary import TOOLS

NAMES = dialects.names()
DEFINITIONS = {one.name: one for one in [*built_in(Workspace(Path.cwd())), task.definition(print)]}


def named(tool: str, dialect: str) -> DialectTool:
    return DialectTool(DEFINITIONS[tool], dialects.get(dialect))


# ---- the tables


@pytest.mark.parametrize("name", NAMES)
def test_a_dialect_names_every_tool_once_and_only_inputs_that_there_are(name: str) -> None:
    tools = dialects.get(name).tools.names

    assert set(tools) == set(DEFINITIONS) == TOOLS
    assert len({one.name for one in tools.values()}) == len(tools)
    for tool, word in tools.items():
        assert set(word.inputs) <= set(DEFINITIONS[tool].inputs), tool
        assert len(named(tool, name).parameters["properties"]) == len(DEFINITIONS[tool].inputs), tool


@pytest.mark.parametrize("name", NAMES)
def test_servers_are_always_read_from_the_file_that_all_share(name: str) -> None:
    assert ".mcp.json" in dialects.get(name).tools.mcp_files


def test_the_names_are_those_of_the_agents() -> None:
    shell = {name: named("Bash", name).name for name in NAMES}
    edits = {name: named("Edit", name).name for name in ("amcp", "llxprt", "wave")}

    assert shell == {
        **dict.fromkeys(("amcp", "copilot"), "bash"),
        "cursor": "Shell",
        **dict.fromkeys(("gemini", "llxprt", "qwen"), "run_shell_command"),
        **dict.fromkeys(("claude", "codex", "massgen", "moai", "tenterhook", "wave"), "Bash"),
    }
    assert edits == {"amcp": "apply_patch", "llxprt": "replace", "wave": "Edit"}


def test_the_documents_own_matcher_finds_the_tools_of_servers() -> None:
    """The document's example is `mcp\\\\..*`."""
    assert dialects.get("amcp").tools.mcp_tool.format(server="files", tool="read") == "mcp.files.read"
    assert dialects.get("moai").tools.mcp_tool.format(server="files", tool="read") == "mcp__files__read"


# ---- what a model is told


def test_a_model_is_told_the_inputs_by_the_dialects_names() -> None:
    told = named("Read", "llxprt").parameters

    assert (told["type"], told["additionalProperties"]) == ("object", False)
    assert list(told["properties"]) == ["absolute_path", "offset", "limit"]
    assert told["properties"]["absolute_path"] == DEFINITIONS["Read"].inputs["file_path"]
    assert told["required"] == ["absolute_path"]


def test_a_tool_that_no_dialect_knows_keeps_its_names() -> None:
    given = Definition("mcp__a__b", "", {"x": {"type": "string"}}, print)

    assert DialectTool(given, dialects.get("llxprt")).name == "mcp__a__b"
    assert DialectTool(given, dialects.get("llxprt")).ours({"x": "1"}) == {"x": "1"}


# ---- what a model gives


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("spelling", ["file_path", "absolute_path", "path"])
def test_every_known_spelling_of_an_input_is_understood_everywhere(name: str, spelling: str) -> None:
    assert named("Read", name).ours({spelling: "a", "limit": 3}) == {"file_path": "a", "limit": 3}


def test_the_dialects_own_spelling_goes_first_and_then_ours() -> None:
    given = {"description": "find it", "agent_type": "explorer"}

    assert named("Task", "amcp").ours(given) == {"description": "find it", "subagent_type": "explorer"}
    assert named("Grep", "llxprt").ours({"pattern": "a", "dir_path": "src"}) == {"pattern": "a", "path": "src"}
    assert named("Task", "wave").ours({**given, "prompt": "go"}) == {
        "description": "find it",
        "prompt": "go",
        "subagent_type": "explorer",
    }


@pytest.mark.parametrize(
    ("tool", "dialect", "input", "words"),
    [
        (
            "Read",
            "llxprt",
            {"file_path": "a", "absolute_path": "b"},
            "'file_path' and 'absolute_path' are the same: give one",
        ),
        ("Read", "moai", {"fil_path": "a"}, "it needs 'file_path', and there is no 'fil_path'; it takes f"),
        ("Read", "amcp", {"pth": "a"}, "it needs 'path', and there is no 'pth'"),
        ("Read", "llxprt", {}, "it needs 'absolute_path'; it takes absolute_path, offset, limit"),
        ("Read", "llxprt", {"absolute_path": None}, "it needs 'absolute_path'"),
        ("Read", "wave", {"file_path": 7}, "'file_path' must be a text, not 7"),
        ("Read", "wave", {"file_path": ["a"]}, r"must be a text, not \['a'\]"),
        ("Read", "wave", {"file_path": "a", "limit": "3"}, "'limit' must be a whole number, not '3'"),
        ("Read", "wave", {"file_path": "a", "limit": 2.5}, "must be a whole number, not 2.5"),
        ("Read", "wave", {"file_path": "a", "limit": True}, "must be a whole number, not True"),
        ("Bash", "wave", {"command": "a", "timeout": True}, "must be a number, not True"),
        ("Bash", "llxprt", {"command": "a", "timeout_seconds": "9"}, "'timeout_seconds' must be"),
        ("Grep", "moai", {"pattern": "a", "-i": 1}, "'-i' must be true or false, not 1"),
        ("Write", "wave", {"file_path": "a", "content": {"x": "y" * 99}}, r"must be a text, not .{57}\.\.\.$"),
    ],
)
def test_an_input_that_a_tool_does_not_take_is_explained(
    tool: str, dialect: str, input: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        named(tool, dialect).ours(input)


def test_what_means_the_same_in_json_is_taken() -> None:
    given = {"file_path": "a", "limit": 3.0, "offset": None}

    ours = named("Read", "wave").ours(given)

    assert ours == {"file_path": "a", "limit": 3}
    assert type(ours["limit"]) is int
    assert named("Bash", "wave").ours({"command": "a", "timeout": 3}) == {"command": "a", "timeout": 3}


def test_a_schema_that_says_more_than_a_type_is_left_to_the_tool() -> None:
    """As those of MCP servers do."""
    schemas = {"a": {"type": ["string", "null"]}, "b": {"anyOf": []}, "c": {}, "d": {"type": "array"}}
    given = {"a": None, "b": None, "c": 1, "d": [1]}

    assert DialectTool(Definition("x", "", schemas, print, ("a", "b")), dialects.get("wave")).ours(given) == given


# ---- calls by other names


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("other", NAMES)
@pytest.mark.parametrize("tool", sorted(DEFINITIONS))
def test_a_call_by_another_dialects_names_is_respelled(name: str, other: str, tool: str) -> None:
    inputs = {ours: f"<{ours}>" for ours in DEFINITIONS[tool].inputs}
    theirs, own = named(tool, other), named(tool, name)
    given = {theirs.theirs(ours): value for ours, value in inputs.items()}
    if theirs.name == own.name:
        assert translate_tool_call(theirs.name, given, dialects.get(name)) == (own.name, given)
        return

    made = translate_tool_call(theirs.name, given, dialects.get(name))

    assert made[0] == own.name
    assert made[1] == {own.theirs(ours): value for ours, value in inputs.items()}


def test_a_call_by_the_dialects_own_name_stays_untouched() -> None:
    given = {"file_path": "a", "nonsense": 1}
    name, input = translate_tool_call("read_file", given, dialects.get("llxprt"))

    assert name == "read_file"
    assert input is given


@pytest.mark.parametrize("name", NAMES)
def test_an_unknown_name_stays_as_it_is(name: str) -> None:
    given = {"path": "a"}

    assert translate_tool_call("fly_to_the_moon", given, dialects.get(name)) == ("fly_to_the_moon", given)


@pytest.mark.parametrize("name", NAMES)
def test_names_that_models_know_from_elsewhere_are_understood(name: str) -> None:
    for alias, tool in ELSEWHERE.items():
        assert translate_tool_call(alias, {}, dialects.get(name))[0] == named(tool, name).name


def test_inputs_that_nobody_knows_go_along_for_the_tool_to_refuse() -> None:
    assert translate_tool_call("Read", {"file_path": "a", "speed": 3}, dialects.get("amcp")) == (
        "read_file",
        {"path": "a", "speed": 3},
    )


def test_two_spellings_of_one_input_are_both_kept_for_the_tool_to_refuse() -> None:
    name, input = translate_tool_call("Read", {"file_path": "a", "path": "b"}, dialects.get("amcp"))

    assert (name, set(input.values())) == ("read_file", {"a", "b"})
    with pytest.raises(ValueError, match="are the same"):
        named("Read", "amcp").ours(input)


@pytest.mark.parametrize(
    ("dialect", "spelled", "made"),
    [
        ("amcp", "mcp__files__read_all", "mcp.files.read_all"),
        ("amcp", "mcp.files.read_all", "mcp.files.read_all"),
        ("moai", "mcp.files.read_all", "mcp__files__read_all"),
        ("gemini", "mcp__files__read_all", "mcp_files_read_all"),
        ("gemini", "mcp_files_read_all", "mcp_files_read_all"),
        ("qwen", "mcp_files_read_all", "mcp__files__read_all"),
        ("moai", "mcp__files__read__all", "mcp__files__read__all"),
        ("llxprt", "mcp", "mcp"),
    ],
)
def test_a_tool_of_a_server_is_respelled_too(dialect: str, spelled: str, made: str) -> None:
    assert translate_tool_call(spelled, {"x": 1}, dialects.get(dialect)) == (made, {"x": 1})


def test_a_broken_dialect_of_another_package_is_passed_by(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dialects, "names", lambda: [*NAMES, "broken"])
    everyone.cache_clear()

    assert [one.name for one in everyone()] == NAMES
    everyone.cache_clear()


# ---- what hooks are shown


def test_hooks_see_a_foreign_spelling_in_their_own_too() -> None:
    """A guard that looks at file_path must not miss a path that the tool would take."""
    given = {"path": ".env", "content": ""}

    assert named("Write", "moai").input_for_hooks(given) == {"file_path": ".env", **given}
    assert named("Write", "amcp").input_for_hooks(given) == given
    assert named("Write", "moai").input_for_hooks({"speed": 1}) == {"speed": 1}


@pytest.mark.parametrize("changed", ["path", "file_path"])
def test_of_two_spellings_the_one_that_a_hook_changed_counts(changed: str) -> None:
    tool = named("Write", "moai")
    shown = tool.input_for_hooks({"path": "a", "content": ""})

    assert tool.ours(shown, shown)["file_path"] == "a"
    assert tool.ours({**shown, changed: "b"}, shown)["file_path"] == "b"


def test_a_call_that_says_two_things_at_once_is_refused() -> None:
    tool = named("Write", "moai")
    both = tool.input_for_hooks({"path": "a", "file_path": "b", "content": ""})

    for before in (None, both, {"content": ""}):
        with pytest.raises(ValueError, match="are the same: give one"):
            tool.ours(both, before)
