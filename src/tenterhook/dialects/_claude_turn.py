"""Claude Code's events of a session, its turns and its tools."""

from tenterhook.dialects.schema.dialect import (
    Can,
    DenyRules,
    EventRule,
    EventTarget,
    Exit,
    ExitAnswer,
    ExitText,
    Field,
    MergeRules,
    Overrides,
    StopRules,
    TextRules,
)

CALL = (Field("tool_name"), Field("tool_input"))
RAN = (*CALL, Field("tool_use_id"))
SERVER = (Field("mcp_server"),)
STOPPING = (
    *(Field("stop_hook_active"), Field("agent_transcript_path"), Field("last_assistant_message", "prompt_response")),
    *(Field("background_tasks"), Field("session_crons")),
)
NO_MODELS = ("command", "http", "mcp_tool")
# Exit 2 on events that cannot be blocked: stderr goes to the user, or is dropped.
SHOWN: dict[int | str, Exit] = {
    2: Exit(
        means="an error: stderr is shown to the user",
        failed=True,
        text=ExitText("stderr", "error"),
        answer=ExitAnswer(yields=True),
    )
}
UNHEARD: dict[int | str, Exit] = {
    2: Exit(means="an error that is not shown", failed=True, answer=ExitAnswer(yields=True))
}
ENV_FILE = {"CLAUDE_ENV_FILE": ".env_file?"}
NARROW = "names-or-regex-narrow@javascript-2025"

TURN = (
    EventRule(
        name="SessionStart",
        kind="session.start",
        about="a session begins or is taken up again",
        fields=(
            *(Field("source"), Field("model"), Field("session_title"), Field("seconds_since_last_response")),
            *(Field("context_tokens"), Field("prompt_cache_likely_expired"), Field("estimated_cache_write_usd")),
        ),
        target=EventTarget("source", values=("startup", "resume", "clear", "compact", "fork")),
        stop=StopRules("ignored"),
        text=TextRules("context"),
        merging=MergeRules(changes={"watch": "union"}),
        overrides=Overrides(types=("command", "mcp_tool"), env=ENV_FILE, exits=SHOWN),
    ),
    EventRule(
        name="Setup",
        kind="session.setup",
        about="a project is set up or maintained, with --init or --maintenance",
        fields=(Field("trigger"),),
        target=EventTarget("trigger", values=("init", "maintenance")),
        stop=StopRules("ignored"),
        overrides=Overrides(types=("command", "mcp_tool"), env=ENV_FILE, exits=SHOWN),
    ),
    EventRule(
        name="UserPromptSubmit",
        kind="prompt.submit",
        about="the user submits a prompt; a block erases it",
        fields=(Field("prompt"), Field("source"), Field("session_title")),
        can=Can(block=True),
        deny=DenyRules(erases=True),
        text=TextRules("context"),
        overrides=Overrides(timeout=30.0),
    ),
    EventRule(
        name="UserPromptExpansion",
        kind="prompt.expand",
        about="a command or an MCP prompt becomes a prompt",
        fields=(
            *(Field("expansion_type"), Field("command_name"), Field("command_args"), Field("command_source")),
            Field("prompt"),
        ),
        target=EventTarget("command_name"),
        can=Can(block=True),
        text=TextRules("context"),
    ),
    EventRule(
        name="PreToolUse",
        kind="tool.before",
        about="a tool is about to run",
        fields=(*RAN, *SERVER),
        target=EventTarget("tool_name"),
        can=Can(block=True, ask=True, grant=True),
        deny=DenyRules("model", "reason"),
        stop=StopRules("after"),
        merging=MergeRules(changes={"input": "last-finished"}, reasons="last-finished", reasons_told="counting"),
        overrides=Overrides(malformed="file"),
    ),
    EventRule(
        name="PermissionRequest",
        kind="permission.ask",
        about="the user is about to be asked for permission; exit codes say nothing here",
        fields=(*CALL, Field("permission_suggestions")),
        target=EventTarget("tool_name"),
        can=Can(block=True, grant=True),
        deny=DenyRules("model", "reason"),
        stop=StopRules("after"),
        merging=MergeRules(changes={"input": "last-finished"}),
        overrides=Overrides(malformed="file", exits=UNHEARD),
    ),
    EventRule(
        name="PermissionDenied",
        kind="permission.denied",
        about="auto mode refused a call",
        fields=(*RAN, Field("reason"), *SERVER),
        target=EventTarget("tool_name"),
        deny=DenyRules("log", "reason"),
        overrides=Overrides(exits=UNHEARD),
    ),
    EventRule(
        name="PostToolUse",
        kind="tool.after",
        about="a tool ran; a block is told to the model beside its result",
        fields=(*CALL, Field("tool_response", "tool_output"), Field("tool_use_id"), Field("duration_ms"), *SERVER),
        target=EventTarget("tool_name"),
        deny=DenyRules("model", "feedback"),
        merging=MergeRules(changes={"output": "last-finished-alike"}),
    ),
    EventRule(
        name="PostToolUseFailure",
        kind="tool.failed",
        about="a tool failed",
        fields=(*RAN, Field("error"), Field("is_interrupt"), Field("duration_ms"), *SERVER),
        target=EventTarget("tool_name"),
        deny=DenyRules("model", "feedback"),
    ),
    EventRule(
        name="PostToolBatch",
        kind="tool.batch",
        about="all calls of one reply are done; a block ends the turn",
        fields=(Field("tool_calls"),),
        can=Can(block=True),
        deny=DenyRules("model", "reason"),
    ),
    EventRule(
        name="MessageDisplay",
        kind="message.display",
        about="a text of the model is about to be shown",
        fields=(Field("turn_id"), Field("message_id"), Field("index"), Field("final"), Field("delta")),
        deny=DenyRules("log", "reason"),
        stop=StopRules("ignored"),
        overrides=Overrides(types=NO_MODELS, timeout=10.0, exits=UNHEARD),
    ),
    EventRule(
        name="Notification",
        kind="notify",
        about="the user is being notified",
        fields=(Field("message"), Field("title"), Field("notification_type", "type")),
        target=EventTarget("type"),
        deny=DenyRules("log", "reason"),
        stop=StopRules("ignored"),
        overrides=Overrides(types=NO_MODELS, exits=UNHEARD),
    ),
    EventRule(
        name="SubagentStart",
        kind="agent.start",
        about="a subagent is about to start",
        target=EventTarget("agent_type"),
        deny=DenyRules("user", "reason"),
        stop=StopRules("ignored"),
        overrides=Overrides(types=NO_MODELS, exits=SHOWN),
    ),
    EventRule(
        name="SubagentStop",
        kind="agent.stop",
        about="a subagent wants to stop; a block keeps it going",
        fields=STOPPING,
        target=EventTarget("agent_type"),
        can=Can(block=True, fail_closed=False),
        deny=DenyRules("model", "reason"),
        stop=StopRules(cap=8),
    ),
    EventRule(
        name="Stop",
        kind="turn.stop",
        about="the agent wants to stop; a block keeps it going",
        fields=STOPPING,
        can=Can(block=True, fail_closed=False),
        deny=DenyRules("model", "reason"),
        stop=StopRules(cap=8),
    ),
    EventRule(
        name="StopFailure",
        kind="turn.failed",
        about="a turn ended in an error",
        fields=(Field("error"), Field("error_details"), Field("last_assistant_message")),
        target=EventTarget("error"),
        deny=DenyRules("log", "reason"),
        stop=StopRules("ignored"),
        overrides=Overrides(types=NO_MODELS, matcher=NARROW, exits=UNHEARD),
    ),
)
