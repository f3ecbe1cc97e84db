"""GitHub Copilot CLI: its platform's own program, offline. How an event's name is written decides what it obeys."""

from __future__ import annotations

from typing import Any

from clients.models.provider_apis import CHAT

from .client import CLAUDE_EVENTS, KEY, PROMPT, TIMEOUT, Client, about, matched, path_of, says
from .pins import COPILOT
from .scene import Entries, Scene

EVENTS = {
    "session.start": "sessionStart",
    "prompt.submit": "userPromptSubmitted",
    "tool.before": "preToolUse",
    "tool.after": "postToolUse",
    "turn.stop": "agentStop",
}
OFFLINE = {"COPILOT_OFFLINE": "true", "COPILOT_AUTO_UPDATE": "false", "COPILOT_MODEL": "gpt-5.4"}


def configure(scene: Scene, entries: Entries) -> None:
    hook = {"type": "command", "timeoutSec": TIMEOUT}
    hooks = {
        event: [{**hook, **matched(one), "bash": one.command or scene.command(event, one.place)} for one in found]
        for event, found in entries.items()
    }
    scene.write_json("project/.github/hooks/probe.json", {"version": 1, "hooks": hooks})


def argv(scene: Scene) -> list[str]:
    words = ["-p", PROMPT, "--allow-all-tools", "--trust-folder", "--output-format", "json"]
    return [path_of(COPILOT), *words]


def environ(scene: Scene, url: str) -> dict[str, str]:
    provider = {"COPILOT_PROVIDER_BASE_URL": f"{url}/v1", "COPILOT_PROVIDER_API_KEY": KEY}
    return {**OFFLINE, **provider, "COPILOT_HOME": str(scene.home / ".copilot")}


def call(command: str) -> dict[str, Any]:
    return {"command": command, "description": "test", "mode": "sync"}


CLIENT = Client(
    name="copilot",
    dialect="copilot",
    needs=(COPILOT,),
    protocol=CHAT,
    tool="bash",
    call=call,
    events=EVENTS,
    configure=configure,
    argv=argv,
    environ=environ,
    deny=lambda why: says({"permissionDecision": "deny", "permissionDecisionReason": why}),
    rewrite=lambda given: says({"permissionDecision": "allow", "modifiedArgs": given}),
    context=lambda event, text: says({"additionalContext": text}),
)

PASCAL = CLIENT._replace(
    name="copilot-pascal",
    events=CLAUDE_EVENTS,
    deny=lambda why: about("PreToolUse", permissionDecision="deny", permissionDecisionReason=why),
    rewrite=lambda given: about("PreToolUse", permissionDecision="allow", updatedInput=given),
)
