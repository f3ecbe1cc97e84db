"""Qwen Code: on a node of its own, with a prompt and leave to run every tool."""

from __future__ import annotations

from clients.models.provider_apis import CHAT

from .client import CLAUDE_EVENTS, KEY, PROMPT, TIMEOUT, Client, about, grouped, path_of
from .pins import NODE, QWEN
from .scene import Entries, Scene

LOGIN = {"auth": {"selectedType": "openai"}}


def configure(scene: Scene, entries: Entries) -> None:
    scene.write_json("project/.qwen/settings.json", {"hooks": grouped(scene, entries, TIMEOUT * 1000)})


def argv(scene: Scene) -> list[str]:
    return [path_of(NODE), path_of(QWEN), "-p", PROMPT, "--yolo", "--output-format", "stream-json"]


def environ(scene: Scene, url: str) -> dict[str, str]:
    scene.write_json("home/.qwen/settings.json", {"security": LOGIN})
    return {"OPENAI_BASE_URL": f"{url}/v1", "OPENAI_API_KEY": KEY, "OPENAI_MODEL": "loopback"}


CLIENT = Client(
    name="qwen",
    dialect="qwen",
    needs=(QWEN, NODE),
    protocol=CHAT,
    tool="run_shell_command",
    call=lambda command: {"command": command, "description": "test", "is_background": False},
    events=CLAUDE_EVENTS,
    configure=configure,
    argv=argv,
    environ=environ,
    deny=lambda why: about("PreToolUse", permissionDecision="deny", permissionDecisionReason=why),
    rewrite=lambda given: about("PreToolUse", permissionDecision="allow", updatedInput=given),
    context=lambda event, text: about(event, additionalContext=text),
)
