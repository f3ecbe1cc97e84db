"""Gemini CLI: on node, with a prompt and leave to run every tool."""

from __future__ import annotations

from clients.models.provider_apis import GOOGLE

from .client import KEY, PROMPT, TIMEOUT, Client, grouped, path_of, says
from .pins import GEMINI
from .scene import Entries, Scene

EVENTS = {
    "session.start": "SessionStart",
    "prompt.submit": "BeforeAgent",
    "tool.before": "BeforeTool",
    "tool.after": "AfterTool",
    "turn.stop": "AfterAgent",
}
LOGIN = {"auth": {"selectedType": "gemini-api-key"}}


def configure(scene: Scene, entries: Entries) -> None:
    scene.write_json("project/.gemini/settings.json", {"hooks": grouped(scene, entries, TIMEOUT * 1000)})


def argv(scene: Scene) -> list[str]:
    words = ["-p", PROMPT, "--yolo", "-m", "gemini-2.5-flash", "--output-format", "stream-json"]
    return ["node", path_of(GEMINI), *words]


def environ(scene: Scene, url: str) -> dict[str, str]:
    scene.write_json("home/.gemini/settings.json", {"security": LOGIN})
    trust = {"GEMINI_CLI_TRUST_WORKSPACE": "true", "GEMINI_TELEMETRY_ENABLED": "false"}
    return {"GOOGLE_GEMINI_BASE_URL": url, "GEMINI_API_KEY": KEY, **trust}


CLIENT = Client(
    name="gemini",
    dialect="gemini",
    needs=(GEMINI,),
    protocol=GOOGLE,
    tool="run_shell_command",
    call=lambda command: {"command": command, "description": "test"},
    events=EVENTS,
    configure=configure,
    argv=argv,
    environ=environ,
    deny=lambda why: says({"decision": "deny", "reason": why}),
    rewrite=lambda given: says({"hookSpecificOutput": {"tool_input": given}}),
    context=lambda event, text: says({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}),
)
