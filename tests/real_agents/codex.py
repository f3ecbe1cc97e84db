"""Codex: its platform's own program, in exec mode, with a model provider of ours."""

from __future__ import annotations

from clients.models.provider_apis import RESPONSES

from .client import CLAUDE_EVENTS, KEY, PROMPT, TIMEOUT, Client, about, grouped, path_of
from .pins import CODEX
from .scene import Entries, Scene

CONFIG = """
model = "gpt-5.5"
model_provider = "loopback"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[model_providers.loopback]
name = "loopback"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "LOOPBACK_KEY"

[analytics]
enabled = false
"""


def configure(scene: Scene, entries: Entries) -> None:
    scene.write_json("home/.codex/hooks.json", {"hooks": grouped(scene, entries, TIMEOUT)})


def environ(scene: Scene, url: str) -> dict[str, str]:
    """It takes the address of its model from a file alone."""
    scene.write("home/.codex/config.toml", CONFIG.format(url=url))
    return {"CODEX_HOME": str(scene.home / ".codex"), "LOOPBACK_KEY": KEY}


def argv(scene: Scene) -> list[str]:
    return [path_of(CODEX), "exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", PROMPT]


CLIENT = Client(
    name="codex",
    dialect="codex",
    needs=(CODEX,),
    protocol=RESPONSES,
    tool="exec_command",
    call=lambda command: {"cmd": command},
    events=CLAUDE_EVENTS,
    configure=configure,
    argv=argv,
    environ=environ,
    deny=lambda why: about("PreToolUse", permissionDecision="deny", permissionDecisionReason=why),
    rewrite=lambda given: about("PreToolUse", permissionDecision="allow", updatedInput={"command": given["cmd"]}),
    context=lambda event, text: about(event, additionalContext=text),
    target="Bash",
)
