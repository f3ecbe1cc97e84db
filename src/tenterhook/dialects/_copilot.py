"""The events of GitHub Copilot CLI and what hooks may answer there, for copilot.py."""

from msgspec.structs import replace

from tenterhook.dialects.schema.dialect import Answer, EventRule, Exit, Field

# What an event under its camelCase name begins with, and under its PascalCase one.
CAMEL = (Field("sessionId", "session"), Field("timestamp", "timestamp", "epoch-ms"), Field("cwd", "cwd"))
SNAKE = (
    Field("hook_event_name", "event"),
    Field("session_id", "session"),
    Field("timestamp", "timestamp", "iso"),
    Field("cwd", "cwd"),
)
TRANSCRIPT = Field("transcriptPath", "transcript")
SNAKE_TRANSCRIPT = Field("transcript_path", "transcript")
CALL = (Field("toolName", "tool_name"), Field("toolArgs", "tool_input"))
SNAKE_CALL = (Field("tool_name", "tool_name", "called"), Field("tool_input"))
STOPPED = (Field("stopReason", "stop_reason"), Field("stop_hook_active"))

# What hooks of PascalCase events call a tool.
CALLED = {
    "bash": "Bash",
    "powershell": "Bash",
    "view": "Read",
    "create": "Write",
    "edit": "Edit",
    "str_replace_editor": "Edit",
    "apply_patch": "Edit",
    "grep": "Grep",
    "rg": "Grep",
    "glob": "Glob",
    "web_fetch": "WebFetch",
    "web_search": "WebSearch",
    "ask_user": "AskUserQuestion",
    "update_todo": "TodoWrite",
    "task": "Agent",
}
# Failures of hooks that refuse what they were to judge; running out of time is none of them.
CLOSED = {"exit": "deny", "signal": "deny", "spawn": "deny", "network": "deny"}
DENIES: dict[int | str, Exit] = {
    2: Exit(
        means="a refusal, whatever the answer decides; its flat reason counts, stderr is lost",
        decision="deny",
        answer=True,
        flat=True,
        text="stderr",
        becomes="error",
    ),
    "other": Exit(means="failed, and a refusal; nothing is read", failed=True, text="stderr", becomes="error"),
}

BEFORE = EventRule(
    name="preToolUse",
    kind="tool.before",
    about="before a tool runs; a hook that fails refuses, one that takes too long does not",
    target="tool_name",
    fields=CALL,
    exits=DENIES,
    failure=CLOSED,
    blocks=True,
    asks=True,
    grants=True,
    deny=("model", "reason"),
    chain_ends=("deny", "ask", "input"),
    merges={"input": "replace"},
    chain={"input": "tool_input"},
)
AFTER = EventRule(
    name="postToolUse",
    kind="tool.after",
    about="after a tool that succeeded; a refusal takes the place of the result",
    target="tool_name",
    fields=(*CALL, Field("toolResult", "tool_output", "result")),
    deny=("model", "feedback"),
    unreasoned="ignored-unless-text",
    replaces=True,
    erased=True,
    chain_ends=("deny",),
    merges={"output": "replace"},
    chain={"output": "tool_output"},
)
FAILED = EventRule(
    name="postToolUseFailure",
    kind="tool.failed",
    about="after a tool that failed",
    target="tool_name",
    fields=(*CALL, Field("error")),
    exits={2: Exit(means="stderr is context for the model; nothing else is read", text="stderr", becomes="context")},
    deny=("log", "reason"),
)
PROMPT = EventRule(
    name="userPromptSubmitted",
    kind="prompt.submit",
    about="when a prompt comes in; only an answer refuses it, no exit code",
    fields=(Field("prompt"),),
    blocks=True,
    unreasoned="ignored-unless-text",
    erased=True,
    decisions="last",
    reasons="last",
    contexts="last",
    merges={"prompt": "replace"},
)
START = EventRule(
    name="sessionStart",
    kind="session.start",
    about="when a session starts or goes on",
    fields=(Field("source"), Field("initialPrompt", "initial_prompt")),
    deny=("log", "reason"),
)
END = EventRule(
    name="sessionEnd",
    kind="session.end",
    about="when a session ends; nothing comes of it",
    fields=(Field("reason"),),
    deny=("log", "reason"),
)
STOP = EventRule(
    name="agentStop",
    kind="turn.stop",
    about="when the agent ends its turn; a refusal's reason is the next prompt, eight times in a row",
    base=(*CAMEL, TRANSCRIPT),
    fields=STOPPED,
    blocks=True,
    stop_cap=8,
    unreasoned="ignored",
    decisions="last",
    reasons="last-any",
    reasons_told="counting",
    deny=("model", "reason"),
)
AGENT_STARTS = EventRule(
    name="subagentStart",
    kind="agent.start",
    about="before a subagent starts; it cannot be kept from it",
    target="agent_type",
    base=(*CAMEL, TRANSCRIPT),
    fields=(
        *(Field("agentName", "agent_type"), Field("agentDisplayName", "agent_display_name")),
        *(Field("agentDescription", "agent_description"), Field("agentId", "agent_id")),
        *(Field("agentType", "agent_type"), Field("parentAgentId", "parent_agent_id")),
    ),
    deny=("log", "reason"),
)
AGENT_STOPS = replace(
    STOP,
    name="subagentStop",
    kind="agent.stop",
    about="when a subagent ends; a refusal's reason is its next prompt, as often as it is said",
    fields=(
        *(Field("agentId", "agent_id"), Field("agentType", "agent_type"), Field("agentName", "agent_type")),
        *(Field("agentDisplayName", "agent_display_name"), Field("response", "prompt_response"), *STOPPED),
        Field("parentAgentId", "parent_agent_id"),
    ),
    stop_cap=0,
    merges={"output": "replace"},
)
ERROR = EventRule(
    name="errorOccurred",
    kind="turn.failed",
    about="when something goes wrong; nothing comes of it",
    fields=(Field("errorContext", "error_context"), Field("recoverable"), Field("error", "error", "error")),
    deny=("log", "reason"),
)
COMPACT = EventRule(
    name="preCompact",
    kind="compact.before",
    about="before the context is compacted; nothing comes of it",
    target="trigger",
    targets=("manual", "auto"),
    base=(*CAMEL, TRANSCRIPT),
    fields=(Field("trigger"), Field("customInstructions", "custom_instructions")),
    deny=("log", "reason"),
)
PERMISSION = EventRule(
    name="permissionRequest",
    kind="permission.ask",
    about="before a permission is looked up; a hook that fails, or prints no JSON, refuses",
    target="tool_name",
    base=(Field("hookName", "=permissionRequest"), *CAMEL),
    fields=(CALL[0], Field("toolInput", "tool_input"), Field("permissionSuggestions", "permission_suggestions")),
    exits=DENIES,
    failure={**CLOSED, "output": "deny"},
    text_fails=True,
    chain_ends=("failure",),
    blocks=True,
    grants=True,
    decisions="last",
    reasons="last",
    deny=("model", "reason"),
)
NOTICE = EventRule(
    name="notification",
    kind="notify",
    about="when the user is told something; context for the model is a prompt of its own",
    target="type",
    targets=(
        *("shell_completed", "shell_detached_completed", "agent_completed", "agent_idle"),
        *("permission_prompt", "elicitation_dialog"),
    ),
    base=(
        *(*CAMEL, Field("message"), Field("title"), Field("hook_event_name", "=Notification")),
        Field("notification_type", "type"),
    ),
    deny=("log", "reason"),
    audience={"context": "model"},
)

# How a PascalCase event matches and calls tools.
CLAUDE = "names-or-regex-whole@javascript-2025"

EVENTS = (
    *(BEFORE, AFTER, FAILED, PROMPT, START, END, STOP, AGENT_STARTS, AGENT_STOPS, ERROR, COMPACT, PERMISSION, NOTICE),
    EventRule(
        name="userPromptTransformed",
        kind="prompt.transform",
        about="after a prompt was made ready for the model",
        fields=(Field("prompt"), Field("transformedPrompt", "transformed_prompt")),
        deny=("log", "reason"),
        merges={"prompt": "replace"},
    ),
    EventRule(
        name="preMcpToolCall",
        kind="mcp.before",
        about="before a server's tool is called, for hooks of the SDK",
        fields=(
            *(Field("serverName", "server_name"), Field("toolName", "tool_name"), Field("arguments", "tool_input")),
            *(Field("toolCallId", "tool_use_id"), Field("_meta", "meta")),
        ),
        deny=("log", "reason"),
    ),
    replace(BEFORE, name="PreToolUse", base=SNAKE, fields=SNAKE_CALL, called=CALLED, matcher=CLAUDE),
    replace(
        AFTER,
        name="PostToolUse",
        base=SNAKE,
        fields=(*SNAKE_CALL, Field("tool_result", "tool_output", "result-snake")),
        called=CALLED,
        matcher=CLAUDE,
    ),
    replace(
        FAILED,
        name="PostToolUseFailure",
        base=SNAKE,
        fields=(*SNAKE_CALL, Field("error")),
        called=CALLED,
        matcher=CLAUDE,
    ),
    replace(PROMPT, name="UserPromptSubmit", base=SNAKE),
    replace(START, name="SessionStart", base=SNAKE, fields=(Field("source"), Field("initial_prompt"))),
    replace(END, name="SessionEnd", base=SNAKE),
    replace(
        STOP,
        name="Stop",
        base=(*SNAKE, SNAKE_TRANSCRIPT),
        fields=(Field("stop_reason"), Field("stop_hook_active")),
    ),
    replace(
        AGENT_STARTS,
        name="SubagentStart",
        fields=(*(*AGENT_STARTS.fields[:3], Field("agent_id"), Field("agent_type"), Field("parent_agent_id")),),
    ),
    replace(
        AGENT_STOPS,
        name="SubagentStop",
        base=(
            *(*SNAKE, Field("agent_id"), Field("agent_type"), Field("parent_agent_id"), SNAKE_TRANSCRIPT),
            *(Field("agent_name", "agent_type"), Field("agent_display_name")),
            *(Field("last_assistant_message", "prompt_response"), Field("stop_reason"), Field("stop_hook_active")),
        ),
        fields=(),
    ),
    replace(
        ERROR,
        name="ErrorOccurred",
        base=SNAKE,
        fields=(Field("error_context"), Field("recoverable"), Field("error", "error", "error")),
    ),
    replace(
        COMPACT,
        name="PreCompact",
        base=(*SNAKE, SNAKE_TRANSCRIPT),
        fields=(Field("trigger"), Field("custom_instructions")),
    ),
    replace(PERMISSION, name="PermissionRequest", called=CALLED, matcher=CLAUDE),
    replace(NOTICE, name="Notification"),
)

BEFORES = ("preToolUse", "PreToolUse")
AFTERS = ("postToolUse", "PostToolUse")
PROMPTS = ("userPromptSubmitted", "UserPromptSubmit")
STOPS = ("agentStop", "Stop", "subagentStop", "SubagentStop")
PERMISSIONS = ("permissionRequest", "PermissionRequest")
CONTEXTS = (
    *(*BEFORES, *AFTERS, "postToolUseFailure", "PostToolUseFailure", *PROMPTS, "sessionStart", "SessionStart"),
    *("subagentStart", "SubagentStart", "notification", "Notification"),
)
WORDS = {"allow": "allow", "deny": "deny", "ask": "ask"}
OWN = "hookSpecificOutput"

ANSWERS = (
    Answer(path="permissionDecision", effect="decision", events=BEFORES, words=WORDS),
    Answer(path="permissionDecisionReason", effect="reason", written="text", events=BEFORES),
    Answer(path="modifiedArgs", effect="input", fatal=True, events=BEFORES),
    Answer(path=f"{OWN}.hookEventName", effect="note", events=BEFORES[1:]),
    Answer(path=f"{OWN}.permissionDecision", effect="decision", events=BEFORES[1:], words=WORDS),
    Answer(path=f"{OWN}.permissionDecisionReason", effect="reason", written="text", events=BEFORES[1:]),
    Answer(path=f"{OWN}.updatedInput", effect="input", fatal=True, null="ignored", events=BEFORES[1:]),
    Answer(path=f"{OWN}.additionalContext", effect="text", kind="context", written="json", events=BEFORES[1:]),
    Answer(path="additionalContext", effect="text", kind="context", events=AFTERS),
    Answer(
        path="additionalContext",
        effect="text",
        kind="context",
        written="json",
        events=tuple(name for name in CONTEXTS if name not in AFTERS),
    ),
    Answer(path="modifiedResult.resultType", effect="note", events=AFTERS),
    Answer(path="modifiedResult.textResultForLlm", effect="output", type="text", events=AFTERS),
    Answer(path="modifiedPrompt", effect="set", change="prompt", type="text", events=PROMPTS),
    Answer(
        path="modifiedTransformedPrompt",
        effect="set",
        change="prompt",
        type="text",
        events=("userPromptTransformed",),
    ),
    Answer(path="decision", effect="decision", events=AFTERS, words={"block": "deny"}),
    Answer(
        path="decision",
        effect="decision",
        events=(*PROMPTS, *STOPS),
        words={"block": "deny", "allow": "allow"},
        otherwise="allow",
    ),
    Answer(path="reason", effect="reason", events=(*AFTERS, *PROMPTS, *STOPS)),
    Answer(path="modifiedResponse", effect="output", type="text", events=STOPS[2:]),
    Answer(path="behavior", effect="decision", events=PERMISSIONS, words={"allow": "allow", "deny": "deny"}),
    Answer(path="message", effect="reason", events=PERMISSIONS),
    Answer(path="interrupt", effect="set", change="interrupt", type="flag", events=PERMISSIONS),
    Answer(path="metaToUse", effect="note", events=("preMcpToolCall",)),
)
