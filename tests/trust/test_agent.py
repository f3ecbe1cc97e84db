"""What `tenter agent` starts of a project besides hooks: its MCP servers, its status line."""

from __future__ import annotations

import json

import pytest

from tenterhook.agent.remote import named_servers
from tenterhook.tools.approve.statusline import status_line
from trust.conftest import Trusting


def servers(trusting: Trusting, *args: str, **env: str) -> None:
    entry = {"command": "python3", "args": ["server.py", *args], "env": env}
    trusting.project.write(".mcp.json", json.dumps({"mcpServers": {"files": entry}}))


@pytest.fixture
def served(trusting: Trusting) -> Trusting:
    trusting.project.write("server.py", "print()\n")
    servers(trusting)
    return trusting


def started(trusting: Trusting, **options: str) -> tuple[list[str], list[str]]:
    said: list[str] = []
    engine = trusting.engine("moai", **options)
    return [one.name for one in named_servers(engine, said.extend)], said


def test_a_server_is_started_only_where_it_is_approved(served: Trusting) -> None:
    names, said = started(served)
    assert not names
    assert "files" in said[0]
    served.approve()

    assert started(served) == (["files"], [])


@pytest.mark.parametrize("what", ["arguments", "environment", "program"])
def test_a_server_that_was_changed_is_not_started(served: Trusting, what: str) -> None:
    served.approve()
    if what == "program":
        served.project.write("server.py", "print(1)\n")
    else:
        servers(served, *(["--evil"] if what == "arguments" else []), **({"A": "b"} if what == "environment" else {}))

    assert not started(served)[0]


def test_a_server_of_the_project_is_not_started_where_nothing_of_it_counts(served: Trusting) -> None:
    served.approve()

    assert not started(served, trust="none")[0]


@pytest.fixture
def lined(trusting: Trusting) -> Trusting:
    trusting.project.script("status.sh", "echo fine\n")
    line = {"statusLine": {"type": "command", "command": "./status.sh"}}
    trusting.project.write(".claude/settings.json", json.dumps(line))
    return trusting


def test_a_status_line_is_shown_only_where_it_is_approved(lined: Trusting) -> None:
    said: list[str] = []
    assert status_line(lined.engine("moai").hookset, said.append) is None
    assert "untrusted" in said[0]
    lined.approve()
    found = status_line(lined.engine("moai").hookset, said.append)

    assert found is not None
    assert found.seal is not None
    assert not found.seal.find_change()


def test_a_status_line_whose_script_changes_is_not_run_again(lined: Trusting) -> None:
    lined.approve()
    found = status_line(lined.engine("moai").hookset, lambda text: None)
    lined.project.script("status.sh", "touch ran\n")

    assert found is not None
    assert found.seal is not None
    assert "status.sh" in found.seal.find_change()
