"""Claude Agent SDK: its own program, offline, with the tools as an SDK MCP server and Anthropic's protocol."""

import tempfile
from pathlib import Path
from typing import Any

from claude_agent_sdk import (
    ClaudeAgentOptions,
    PermissionResultAllow,
    PermissionResultDeny,
    ResultMessage,
    UserMessage,
    create_sdk_mcp_server,
    query,
)
from claude_agent_sdk import tool as sdk_tool

from adapters.driver import Job
from tenterhook.adapters.claude_agent_sdk import hooks

ITS_OWN = "the SDK's program asks the model itself: it has no hook there"
CANNOT = {
    "a_hook_changes_a_model_request": ITS_OWN,
    "a_hook_replaces_a_model_response": ITS_OWN,
    "a_refused_model_call_asks_no_model": ITS_OWN,
    "a_streamed_response_is_judged_whole": ITS_OWN,
    "hooks_narrow_the_tools_of_a_request": ITS_OWN,
}
TOOL_NAME = "mcp__tools__{}"
QUIET = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1", "DISABLE_TELEMETRY": "1"}
NOWHERE = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), "http://127.0.0.1:9")
OFFLINE = {**QUIET, **NOWHERE, "NO_PROXY": "127.0.0.1,localhost", "no_proxy": "127.0.0.1,localhost"}
run = None


def wrapped(name: str, function: Any) -> Any:
    """A function as a tool of an SDK MCP server."""
    schema = {key: str for key in function.__annotations__ if key != "return"}

    @sdk_tool(name, function.__doc__ or name, schema)
    async def call(given: dict[str, Any]) -> dict[str, Any]:
        return {"content": [{"type": "text", "text": function(**given)}]}

    return call


def options_for(job: Job, folder: str) -> ClaudeAgentOptions:
    more: dict[str, Any] = {}
    if job.permission is not None:
        decide = job.permission

        async def ask(name: str, given: dict[str, Any], context: Any) -> Any:
            request: Any = type("Asked", (), {"tool_name": name, "tool_input": given})
            return PermissionResultAllow() if decide(request) else PermissionResultDeny(message="A person said no.")

        more["can_use_tool"] = ask
    else:
        more["allowed_tools"] = [TOOL_NAME.format(name) for name in job.tools]
    tools = [wrapped(name, function) for name, function in job.tools.items()]
    home = Path(folder) / "home"
    (Path(folder) / "project").mkdir(parents=True)
    home.mkdir()
    return ClaudeAgentOptions(
        tools=[],
        mcp_servers={"tools": create_sdk_mcp_server("tools", tools=tools)},
        hooks=hooks(job.engine),
        model="claude-sonnet-4-5",
        cwd=f"{folder}/project",
        setting_sources=[],
        env={"ANTHROPIC_BASE_URL": job.model.url, "ANTHROPIC_API_KEY": "k", "HOME": str(home), **OFFLINE},
        **more,
    )


async def prompts(job: Job) -> Any:
    yield {"type": "user", "message": {"role": "user", "content": job.prompt}}


async def arun(job: Job) -> str:
    said = ""
    with tempfile.TemporaryDirectory(prefix="claude-", ignore_cleanup_errors=True) as folder:
        async for message in query(prompt=prompts(job), options=options_for(job, folder)):
            if isinstance(message, ResultMessage):
                said = message.result or ""
            elif isinstance(message, UserMessage) and job.tell:  # a stopped call's reason
                job.tell(str(message.tool_use_result))
    return said
