"""library:mcp-allow-list in every agent, whatever it calls the tools of servers."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tenterhook.author.start import RUN_HOOK
from tenterhook.testing import each_dialect

from .conftest import Fire

NAME = "mcp-allow-list"


@each_dialect("tool.before")
def test_what_is_not_listed_is_refused(agent: str, fire: Fire) -> None:
    options = {"allow": ("files/read_*", "search"), "deny": ("search/all",)}

    def ran(tool: str) -> bool:
        return fire(NAME, "tool.before", agent=agent, tool_name=tool, tool_input={}, options=options).ran

    assert ran("mcp__files__read_text")
    assert ran("mcp__search__web")
    assert not ran("mcp__search__all")
    assert not ran("mcp__files__write")
    assert not ran("mcp__github__push")
    assert ran("Bash")


@pytest.mark.parametrize("tool", ["mcp__files__read", "mcp_files_read", "mcp.files.read", "MCP:files:read"])
def test_names_of_every_agent_are_understood(fire: Fire, tool: str) -> None:
    listed = fire(NAME, "tool.before", tool_name=tool, tool_input={}, options={"allow": ("files/read",)})
    unlisted = fire(NAME, "tool.before", tool_name=tool, tool_input={}, options={"allow": ("files/write",)})

    assert listed.ran
    assert unlisted.denied
    assert "files/read is not on the list of MCP tools (there is files/write)" in unlisted.reason


def test_nothing_listed_is_nothing_allowed_and_the_user_may_be_asked(fire: Fire, fails: Fire) -> None:
    refused = fire(NAME, "tool.before", tool_name="mcp__a__b", tool_input={})
    asked = fire(NAME, "tool.before", tool_name="mcp__a__b", tool_input={}, options={"otherwise": "ask"})
    wrong = fails(NAME, "tool.before", tool_name="Bash", tool_input={}, options={"otherwise": "warn"})

    assert refused.denied
    assert asked.asked
    assert wrong.denied
    assert "otherwise may be deny, ask; not 'warn'" in wrong.reason


PAYLOAD = {
    "conversation_id": "c",
    "hook_event_name": "beforeMCPExecution",
    "tool_name": "delete_repo",
    "tool_input": "{}",
    "command": "npx x",
    "workspace_roots": ["/w"],
}


@pytest.mark.parametrize(
    ("settings", "permission"),
    [
        ((), "deny"),
        (("allow=github/*",), "deny"),
        (("allow=github",), "deny"),
        (("allow=*/read_*",), "deny"),
        (("allow=*/delete_repo",), "allow"),
        (("allow=*",), "allow"),
        (("allow=*", "deny=github/delete_*"), "deny"),
        (("allow=*", "deny=github/read_*"), "allow"),
    ],
)
def test_a_server_that_the_agent_does_not_name_may_do_only_what_any_server_may(
    settings: tuple[str, ...], permission: str
) -> None:
    words = [word for one in settings for word in ("--set", one)]
    argv = [sys.executable, RUN_HOOK, f"library:{NAME}", *words, "--agent", "cursor"]
    ran = subprocess.run(argv, input=json.dumps(PAYLOAD), capture_output=True, text=True)
    said = json.loads(ran.stdout or "{}")

    assert said.get("permission", "allow") == permission, ran
    assert (permission == "deny") == ("delete_repo of a server that is not named" in ran.stdout)
