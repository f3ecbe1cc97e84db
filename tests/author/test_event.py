"""An event says the same for every agent: what runs, which files, which texts."""

from __future__ import annotations

import os
from typing import Any

import pytest

from tenterhook import hook
from tenterhook.author.event import Event

PATCH = """*** Begin Patch
*** Update File: src/a.py
@@
-old line
+new line
*** Add File: src/b.py
+whole file
*** Update File: c.py
*** Move to: d.py
*** End Patch"""

IN_PATCH = tuple(f"/home/user/proj/{one}" for one in ("src/a.py", "src/b.py", "c.py", "d.py"))


Input = dict[str, Any] | str


def event(tool: str = "", given: Input | None = None, kind: str = "tool.before", **data: Any) -> Event:
    data = {"tool_name": tool, "tool_input": given or {}, "cwd": "/home/user/proj", **data}
    return Event(kind, data, raw={})


@pytest.mark.parametrize(
    ("tool", "given", "command"),
    [
        ("Bash", {"command": "ls -la"}, "ls -la"),
        ("run_shell_command", {"command": "ls", "description": "x"}, "ls"),
        ("shell", {"command": ["bash", "-lc", "git push --force"]}, "git push --force"),
        ("shell", {"command": ["echo", "a b"]}, "echo 'a b'"),
        ("exec_command", {"cmd": "ls"}, "ls"),
        ("apply_patch", {"command": PATCH}, ""),
        ("str_replace_editor", {"command": "create", "path": "a"}, ""),
        ("Read", {"file_path": "a"}, ""),
        ("unheard_of", {"command": "ls"}, "ls"),
        ("bash", "ls -la", "ls -la"),
    ],
)
def test_a_command_is_what_a_shell_runs(tool: str, given: Input, command: str) -> None:
    assert event(tool, given).command == command


@pytest.mark.parametrize(
    ("tool", "given", "paths"),
    [
        ("Read", {"file_path": "/etc/hosts"}, ("/etc/hosts",)),
        ("read_file", {"absolute_path": "src/a.py"}, ("/home/user/proj/src/a.py",)),
        ("view", {"path": "../x"}, ("/home/user/x",)),
        ("replace_string_in_file", {"filePath": "a"}, ("/home/user/proj/a",)),
        ("NotebookEdit", {"notebook_path": "n.ipynb"}, ("/home/user/proj/n.ipynb",)),
        ("read_many_files", {"paths": ["a", "b"]}, ("/home/user/proj/a", "/home/user/proj/b")),
        ("MultiEdit", {"edits": [{"file_path": "a"}, {"file_path": "a"}]}, ("/home/user/proj/a",)),
        ("apply_patch", {"command": PATCH}, IN_PATCH),
        ("apply_patch", {"input": PATCH}, IN_PATCH),
        ("apply_patch", PATCH, IN_PATCH),
        ("Edit", PATCH, IN_PATCH),
        ("move_file", {"source": "a", "destination": "b"}, ("/home/user/proj/a", "/home/user/proj/b")),
        ("Write", {"file_path": "~/x", "content": ""}, (os.path.expanduser("~/x"),)),
        ("Bash", {"command": "cat a", "path": "b"}, ()),
        ("Read", {"file_path": 7}, ()),
    ],
)  # fmt: skip
def test_paths_are_all_files_that_an_input_names(tool: str, given: Input, paths: tuple[str, ...]) -> None:
    assert event(tool, given).paths == paths


@pytest.mark.parametrize(
    ("tool", "given", "texts"),
    [
        ("Write", {"file_path": "a", "content": "one"}, ("one",)),
        ("Edit", {"file_path": "a", "old_string": "old", "new_string": "new"}, ("new",)),
        ("MultiEdit", {"edits": [{"new_string": "one"}, {"new_string": "two"}]}, ("one", "two")),
        ("apply_patch", {"command": PATCH}, ("new line\nwhole file",)),
        ("apply_patch", PATCH, ("new line\nwhole file",)),
        ("apply_patch", "*** Begin Patch\r*** Add File: a\r+one\r*** End Patch", ("one",)),
        (
            "apply_patch",
            "*** Begin Patch\n*** Add File: a\n+++ two\n+a\u2028b\x0bc\n*** End Patch",
            ("++ two\na\u2028b\x0bc",),
        ),
        ("Bash", {"command": "echo", "text": "no"}, ()),
    ],
)
def test_texts_are_what_is_to_be_written(tool: str, given: Input, texts: tuple[str, ...]) -> None:
    assert event(tool, given).texts == texts


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("  *** Add File: a", ["a"]),
        ("\t*** Delete File:   a  ", ["a"]),
        ("\ufeff*** Update File: a\ufeff\x85", ["a"]),
        (" *** Move to: a", ["a"]),
        ("*** Add File:a", ["a"]),
        ("*** Add File: a\r", ["a"]),
        ("*** Add File: a\u2028b\x0bc", ["a\u2028b\x0bc"]),
        ('*** Add File: "a"', ['"a"']),
        ("*** Add File: .gi\tt/con\rfig", [".gi\tt/con", ".git/config"]),
        ("+*** Add File: a", []),
    ],
)
def test_a_patch_names_a_file_however_loosely_an_agent_reads_it(line: str, names: list[str]) -> None:
    """Tried with Codex and GitHub Copilot CLI: both write `a`, and Codex takes tabs and returns out of a name."""
    patch = f"*** Begin Patch\n{line}\n*** End Patch\n"

    assert event("apply_patch", {"command": patch}).paths == tuple(f"/home/user/proj/{name}" for name in names)


def test_writing_tools_are_known_and_an_editor_that_only_views_is_none() -> None:
    assert event("apply_patch").is_write
    assert event("Write").is_write
    assert event("str_replace_editor", {"command": "create"}).is_write
    assert not event("str_replace_editor", {"command": "view"}).is_write
    assert not event("Bash").is_write


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ("plain", "plain"),
        ({"stdout": "out", "stderr": "err"}, "out\nerr"),
        ({"stdout": "out", "stderr": ""}, "out"),
        ({"llmContent": "for the model", "returnDisplay": "for the user"}, "for the model"),
        ({"textResultForLlm": "text", "resultType": "success"}, "text"),
        ({"odd": 1}, '{"odd": 1}'),
        (None, ""),
    ],
)
def test_an_output_is_text_in_whatever_form_the_agent_has_it(output: Any, text: str) -> None:
    assert event("Bash", kind="tool.after", tool_output=output).output == text


def test_a_server_that_the_agent_names_beside_the_tool_counts() -> None:
    told = event("mcp_my_server_create", mcp_context={"server_name": "my_server", "tool_name": "create"})
    named = event("create", mcp_server={"name": "my_server", "source": "user"}).mcp

    assert told.mcp
    assert named
    assert (told.mcp.server, told.mcp.tool) == (named.server, named.tool) == ("my_server", "create")
    assert "mcp__my_server__create" in told.names()
    assert event("Bash").mcp is None


def test_a_change_is_laid_over_the_input_under_the_agents_own_names() -> None:
    before = event("read_file", {"absolute_path": "/a", "limit": 3})
    after = before.after(hook.rewrite(file_path="/b", limit=None))

    assert after.input == {"absolute_path": "/b"}
    assert before.input == {"absolute_path": "/a", "limit": 3}


def test_an_output_is_replaced_in_the_form_that_it_had() -> None:
    after = event("Bash", kind="tool.after", tool_output={"stdout": "secret", "stderr": ""}).after(hook.rewrite("***"))

    assert after.data["tool_output"] == {"stdout": "***", "stderr": ""}


def test_what_an_event_does_not_have_is_empty() -> None:
    nothing = Event("session.start", {}, raw={})

    assert (nothing.tool, nothing.command, nothing.paths, nothing.texts, nothing.output, nothing.prompt) == (
        *("", "", (), (), "", ""),
    )
    assert nothing.cwd == nothing.project == os.getcwd()
    assert not nothing.stop_active


@pytest.mark.parametrize(
    ("data", "active"),
    [
        ({"stop_hook_active": True}, True),
        ({"stop_hook_active": False}, False),
        ({"stop_count": 1}, True),
        ({"stop_count": 0}, False),
        ({"stop_count": "1"}, False),
    ],
)
def test_an_agent_that_a_hook_kept_going_says_whether_or_how_often(data: dict[str, Any], active: bool) -> None:
    assert Event("turn.stop", data, raw={}).stop_active is active


def test_an_event_for_tools_of_servers_is_about_one_though_nobody_names_the_server() -> None:
    given = Event("tool.before", {"tool_name": "Bash", "tool_input": {}}, raw={}, served=True)
    nameless = Event("tool.before", {}, raw={}, served=True)

    assert given.mcp
    assert (given.mcp.server, given.mcp.tool) == ("", "Bash")
    assert given.tool == nameless.tool == "mcp"
    assert "mcp" in given.names()
    assert "mcp" in nameless.names()
    assert given.after(hook.rewrite(a=1)).mcp
