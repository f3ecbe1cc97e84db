"""Claude Code: its platform's own program, in print mode."""

from __future__ import annotations

from clients.models.provider_apis import ANTHROPIC

from .client import CLAUDE_EVENTS, KEY, PROMPT, TIMEOUT, Client, about, grouped, path_of
from .pins import CLAUDE
from .scene import Entries, Scene

QUIET = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1", "DISABLE_TELEMETRY": "1"}


def configure(scene: Scene, entries: Entries) -> None:
    scene.write_json("project/.claude/settings.json", {"hooks": grouped(scene, entries, TIMEOUT)})


def argv(scene: Scene) -> list[str]:
    """Without leave to run everything, which it refuses to root: the shell alone is allowed."""
    told = ["--output-format", "stream-json", "--verbose", "--include-hook-events"]
    return [path_of(CLAUDE), "-p", PROMPT, "--model", "claude-sonnet-4-5", "--allowedTools", "Bash", *told]


CLIENT = Client(
    name="claude",
    dialect="claude",
    needs=(CLAUDE,),
    protocol=ANTHROPIC,
    tool="Bash",
    call=lambda command: {"command": command, "description": "test"},
    events=CLAUDE_EVENTS,
    configure=configure,
    argv=argv,
    environ=lambda scene, url: {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": KEY, **QUIET},
    deny=lambda why: about("PreToolUse", permissionDecision="deny", permissionDecisionReason=why),
    rewrite=lambda given: about("PreToolUse", permissionDecision="allow", updatedInput=given),
    context=lambda event, text: about(event, additionalContext=text),
    output=lambda text: {"stdout": text, "stderr": "", "interrupted": False, "isImage": False},
)
