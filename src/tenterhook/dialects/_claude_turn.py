"""Claude Code's events of a session, its turns and its tools."""

from tenterhook.dialects.schema.dialect import EventRule, Exit, Field

CALL = (Field("tool_name"), Field("tool_input"))
RAN = (*CALL, Field("tool_use_id"))
SERVER = (Field("mcp_server"),)
STOPPING = (
    *(Field("stop_hook_active"), Field("agent_transcript_path"), Field("last_assistant_message", "prompt_response")),
    *(Field("background_tasks"), Field("session_crons")),
)
NO_MODELS = ("command", "http", "mcp_tool")
REASON = ("model", "reason")
FEEDBACK = ("model", "feedback")
# Exit 2 where nothing can be blocked: stderr is for the user, or for nobody.
SHOWN: dict[int | str, Exit] = {
    2: Exit(
        means="an error: stderr is shown to the user",
        failed=True,
        answer=True,
        yields=True,
        text="stderr",
        becomes="error",
    )
}
UNHEARD: dict[int | str, Exit] = {
    2: Exit(means="an error that nobody is told of", failed=True, answer=True, yields=True)
}
ENV_FILE = {"CLAUDE_ENV_FILE": ".env_file?"}
NARROW = "names-or-regex-narrow@javascript-2025"

TURN = (
    EventRule(
        name="SessionStart",
        kind="session.start",
        about="a session begins or is taken up again",
        target="source",
        targets=("startup", "resume", "clear", "compact", "fork"),
        fields=(
            *(Field("source"), Field("model"), Field("session_title"), Field("seconds_since_last_response")),
            *(Field("context_tokens"), Field("prompt_cache_likely_expired"), Field("estimated_cache_write_usd")),
        ),
        types=("command", "mcp_tool"),
        env=ENV_FILE,
        exits=SHOWN,
        stops="ignored",
        plain="context",
        merges={"watch": "union"},
    ),
    EventRule(
        name="Setup",
        kind="session.setup",
        about="a project is set up or maintained, with --init or --maintenance",
        target="trigger",
        targets=("init", "maintenance"),
        fields=(Field("trigger"),),
        types=("command", "mcp_tool"),
        env=ENV_FILE,
        exits=SHOWN,
        stops="ignored",
    ),
    EventRule(
        name="UserPromptSubmit",
        kind="prompt.submit",
        about="the user submits a prompt; a block erases it",
        fields=(Field("prompt"), Field("source"), Field("session_title")),
        timeout=30.0,
        blocks=True,
        plain="context",
        erased=True,
    ),
    EventRule(
        name="UserPromptExpansion",
        kind="prompt.expand",
        about="a command or an MCP prompt becomes a prompt",
        target="command_name",
        fields=(
            *(Field("expansion_type"), Field("command_name"), Field("command_args"), Field("command_source")),
            Field("prompt"),
        ),
        blocks=True,
        plain="context",
    ),
    EventRule(
        name="PreToolUse",
        kind="tool.before",
        about="a tool is about to run",
        target="tool_name",
        fields=(*RAN, *SERVER),
        malformed="file",
        blocks=True,
        asks=True,
        grants=True,
        stops="after",
        deny=REASON,
        reasons="last-finished",
        reasons_told="counting",
        merges={"input": "last-finished"},
    ),
    EventRule(
        name="PermissionRequest",
        kind="permission.ask",
        about="the user is about to be asked for permission; exit codes say nothing here",
        target="tool_name",
        fields=(*CALL, Field("permission_suggestions")),
        malformed="file",
        exits=UNHEARD,
        blocks=True,
        grants=True,
        stops="after",
        deny=REASON,
        merges={"input": "last-finished"},
    ),
    EventRule(
        name="PermissionDenied",
        kind="permission.denied",
        about="auto mode refused a call",
        target="tool_name",
        fields=(*RAN, Field("reason"), *SERVER),
        exits=UNHEARD,
        deny=("log", "reason"),
    ),
    EventRule(
        name="PostToolUse",
        kind="tool.after",
        about="a tool ran; a block is told to the model beside its result",
        target="tool_name",
        fields=(*CALL, Field("tool_response", "tool_output"), Field("tool_use_id"), Field("duration_ms"), *SERVER),
        deny=FEEDBACK,
        merges={"output": "last-finished-alike"},
    ),
    EventRule(
        name="PostToolUseFailure",
        kind="tool.failed",
        about="a tool failed",
        target="tool_name",
        fields=(*RAN, Field("error"), Field("is_interrupt"), Field("duration_ms"), *SERVER),
        deny=FEEDBACK,
    ),
    EventRule(
        name="PostToolBatch",
        kind="tool.batch",
        about="all calls of one reply are done; a block ends the turn",
        fields=(Field("tool_calls"),),
        blocks=True,
        deny=REASON,
    ),
    EventRule(
        name="MessageDisplay",
        kind="message.display",
        about="a text of the model is about to be shown",
        fields=(Field("turn_id"), Field("message_id"), Field("index"), Field("final"), Field("delta")),
        types=NO_MODELS,
        timeout=10.0,
        exits=UNHEARD,
        stops="ignored",
        deny=("log", "reason"),
    ),
    EventRule(
        name="Notification",
        kind="notify",
        about="the user is being notified",
        target="type",
        fields=(Field("message"), Field("title"), Field("notification_type", "type")),
        types=NO_MODELS,
        exits=UNHEARD,
        stops="ignored",
        deny=("log", "reason"),
    ),
    EventRule(
        name="SubagentStart",
        kind="agent.start",
        about="a subagent is about to start",
        target="agent_type",
        types=NO_MODELS,
        exits=SHOWN,
        stops="ignored",
        deny=("user", "reason"),
    ),
    EventRule(
        name="SubagentStop",
        kind="agent.stop",
        about="a subagent wants to stop; a block keeps it going",
        target="agent_type",
        fields=STOPPING,
        blocks=True,
        closes=False,
        stop_cap=8,
        deny=REASON,
    ),
    EventRule(
        name="Stop",
        kind="turn.stop",
        about="the agent wants to stop; a block keeps it going",
        fields=STOPPING,
        blocks=True,
        closes=False,
        stop_cap=8,
        deny=REASON,
    ),
    EventRule(
        name="StopFailure",
        kind="turn.failed",
        about="a turn ended in an error",
        target="error",
        fields=(Field("error"), Field("error_details"), Field("last_assistant_message")),
        types=NO_MODELS,
        matcher=NARROW,
        exits=UNHEARD,
        stops="ignored",
        deny=("log", "reason"),
    ),
)
