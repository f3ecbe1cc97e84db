"""Which MCP servers the files name, and what is said about a file that is wrong."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from agent.agents import run
from conftest import Project
from tenterhook import ConfigError
from tenterhook.clients.mcp import McpServer, ServerError, read_servers
from tenterhook.clients.mcp.config import expand_server_variables


def written(folder: Path, text: str, name: str = ".mcp.json") -> str:
    file = folder / name
    file.write_text(text)
    return str(file)


def test_programs_and_addresses_are_read_with_everything_they_need(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        """{
          // comments are fine
          "mcpServers": {
            "files": {"command": "files-server", "args": ["--root", "a b"], "env": {"X": "1"}, "cwd": "sub"},
            "far": {"url": "http://127.0.0.1/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}},
            "typed": {"type": "http", "url": "http://127.0.0.1/mcp"},
            "streamed": {"type": "streamable-http", "url": "http://127.0.0.1/mcp"},
            "older": {"type": "sse", "url": "http://127.0.0.1/sse"},
            "gemini": {"httpUrl": "http://127.0.0.1/mcp", "timeout": 1000, "trust": true},
            "off": {"command": "x", "disabled": true}
          },
          "other": 1
        }""",
    )

    found = {server.name: server for server in read_servers([file])}

    assert found["files"] == McpServer(
        "files", file, command="files-server", args=("--root", "a b"), env={"X": "1"}, cwd="sub"
    )
    assert found["far"].headers == {"Authorization": "Bearer ${TOKEN}"}
    types = {name: server.type for name, server in found.items()}
    assert types == {
        "files": "stdio",
        "far": "http",
        "typed": "http",
        "streamed": "http",
        "older": "sse",
        "gemini": "http",
    }


def test_the_earlier_file_counts_and_files_that_are_not_there_do_no_harm(tmp_path: Path) -> None:
    one = written(tmp_path, '{"mcpServers": {"a": {"command": "one"}}}', "one.json")
    other = written(tmp_path, '{"mcpServers": {"a": {"command": "other"}, "b": {"command": "b"}}}', "other.json")
    none = written(tmp_path, "{}", "none.json")

    found = read_servers([str(tmp_path / "missing.json"), none, one, other])

    assert [(server.name, server.command) for server in found] == [("a", "one"), ("b", "b")]


@pytest.mark.parametrize(
    ("servers", "words"),
    [
        ([], "mcpServers must be an object of servers by name"),
        ({"a": "x"}, "mcpServers.a must be an object with a command or a url"),
        ({"a": {}}, "mcpServers.a needs a command or a url"),
        ({"a": {"command": "x", "url": "http://x"}}, "mcpServers.a needs a command or a url, not both"),
        ({"a": {"command": ["x"]}}, "mcpServers.a.command must be text"),
        ({"a": {"httpUrl": 1}}, "mcpServers.a.httpUrl must be text"),
        ({"a": {"command": "x", "cwd": 1}}, "mcpServers.a.cwd must be text"),
        ({"a": {"command": "x", "args": "y"}}, "mcpServers.a.args must be a list of texts"),
        ({"a": {"command": "x", "args": [1]}}, "mcpServers.a.args must be a list of texts"),
        ({"a": {"command": "x", "env": ["A=1"]}}, "mcpServers.a.env must be an object of texts by name"),
        ({"a": {"command": "x", "env": {"PORT": 80}}}, "mcpServers.a.env.PORT must be text, in quotes"),
        ({"a": {"url": "http://x", "headers": {"X": None}}}, "mcpServers.a.headers.X must be text, in quotes"),
        (
            {"a": {"command": "x", "type": "stdioo"}},
            "mcpServers.a.type is 'stdioo' (did you mean 'stdio'?); it may be: ",
        ),
        ({"a": {"command": "x", "type": 1}}, "mcpServers.a.type is 1; it may be: stdio, http, streamable-http, sse"),
        ({"a": {"command": "x", "type": "http"}}, "mcpServers.a.type is 'http', which does not go with a command"),
        ({"a": {"url": "http://x", "type": "stdio"}}, "mcpServers.a.type is 'stdio', which does not go with a url"),
    ],
    ids=str,
)
def test_what_cannot_be_used_is_said_with_file_line_and_key(servers: Any, words: str, tmp_path: Path) -> None:
    text = msgspec.json.format(msgspec.json.encode({"mcpServers": servers}), indent=2).decode()
    file = written(tmp_path, text)

    with pytest.raises(ConfigError) as caught:
        read_servers([file])

    assert words in str(caught.value)
    last_key = words.split()[0].rpartition(".")[2]
    assert last_key in text.splitlines()[caught.value.line - 1]
    assert str(caught.value).startswith(f"{file}:{caught.value.line}:")


def test_a_file_that_is_no_json_is_said_with_its_place(tmp_path: Path) -> None:
    file = written(tmp_path, '{"mcpServers": {\n  "a": }}')

    with pytest.raises(ConfigError, match=r"\.mcp\.json:2:8: "):
        read_servers([file])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("${NAME}", "value"),
        ("a ${NAME} b ${NAME}", "a value b value"),
        ("${NAME:-default}", "value"),
        ("${NONE:-default}", "default"),
        ("${NONE:-}", ""),
        ("${EMPTY:-default}", "default"),
        ("${EMPTY}", ""),
        ("$NAME ${} ${1} $${NAME}", "$NAME ${} ${1} $value"),
        ("${NESTED}", "${NAME}"),
    ],
)
def test_variables_become_values_everywhere(text: str, value: str) -> None:
    """As in .mcp.json: `${NAME}` and `${NAME:-default}`; what a value holds is not looked into again."""
    environ = {"NAME": "value", "EMPTY": "", "NESTED": "${NAME}"}
    given = McpServer("s", command=text, args=(text,), env={"K": text}, cwd=text, url=text, headers={"K": text})

    made = expand_server_variables(given, environ)

    texts = (made.command, made.args[0], made.env["K"], made.cwd, made.url, made.headers["K"])
    assert {value} == set(texts)


def test_a_variable_that_is_not_set_is_an_error_with_its_name() -> None:
    with pytest.raises(ServerError, match="the variable NONE is not set in the environment"):
        expand_server_variables(McpServer("s", command="${NONE}"), {})


def test_a_broken_file_of_a_project_that_is_not_trusted_is_a_warning(project: Project) -> None:
    project.write(".mcp.json", "{ no json")

    done = run(project, "moai", "Done.", args=())

    assert done.code == 0
    assert ".mcp.json:1:3" in done.stderr
