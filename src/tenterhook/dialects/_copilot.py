"""The events of GitHub Copilot CLI and what hooks may answer there, for copilot.py."""

from msgspec.structs import replace

from tenterhook.dialects.schema.dialect import (
    AnswerChecks,
    AnswerField,
    AnswerValue,
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
    revise,
)

# The fields that an event begins with under its camelCase name, and under its PascalCase name.
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

# The names that hooks of PascalCase events use for tools.
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
# Failures of hooks that refuse the operation; a time-out is not one of them.
CLOSED = {"exit": "deny", "signal": "deny", "spawn": "deny", "network": "deny"}
DENIES: dict[int | str, Exit] = {
    2: Exit(
        means="a refusal, whatever the answer decides; its flat reason counts, stderr is lost",
        decision="deny",
        text=ExitText("stderr", "error"),
        answer=ExitAnswer(flat=True),
    ),
    "other": Exit(means="failed, and a refusal; nothing is read", failed=True, text=ExitText("stderr", "error")),
}

BEFORE = EventRule(
    name="preToolUse",
    kind="tool.before",
    about="before a tool runs; a hook that fails refuses, one that takes too long does not",
    fields=CALL,
    target=EventTarget("tool_name"),
    can=Can(block=True, ask=True, grant=True),
    deny=DenyRules("model", "reason"),
    merging=MergeRules(changes={"input": "replace"}, chain={"input": "tool_input"}),
    overrides=Overrides(exits=DENIES, failure=CLOSED, chain_ends=("deny", "ask", "input")),
)
AFTER = EventRule(
    name="postToolUse",
    kind="tool.after",
    about="after a tool that succeeded; a refusal takes the place of the result",
    fields=(*CALL, Field("toolResult", "tool_output", "result")),
    target=EventTarget("tool_name"),
    deny=DenyRules("model", "feedback", unreasoned="ignored-unless-text", replaces=True, erases=True),
    merging=MergeRules(changes={"output": "replace"}, chain={"output": "tool_output"}),
    overrides=Overrides(chain_ends=("deny",)),
)
FAILED = EventRule(
    name="postToolUseFailure",
    kind="tool.failed",
    about="after a tool that failed",
    fields=(*CALL, Field("error")),
    target=EventTarget("tool_name"),
    deny=DenyRules("log", "reason"),
    overrides=Overrides(
        exits={
            2: Exit(means="stderr is context for the model; nothing else is read", text=ExitText("stderr", "context"))
        }
    ),
)
PROMPT = EventRule(
    name="userPromptSubmitted",
    kind="prompt.submit",
    about="when a prompt comes in; only an answer refuses it, no exit code",
    fields=(Field("prompt"),),
    can=Can(block=True),
    deny=DenyRules(unreasoned="ignored-unless-text", erases=True),
    merging=MergeRules(changes={"prompt": "replace"}, decisions="last", reasons="last", contexts="last"),
)
START = EventRule(
    name="sessionStart",
    kind="session.start",
    about="when a session starts or goes on",
    fields=(Field("source"), Field("initialPrompt", "initial_prompt")),
    deny=DenyRules("log", "reason"),
)
END = EventRule(
    name="sessionEnd",
    kind="session.end",
    about="when a session ends; nothing comes of it",
    fields=(Field("reason"),),
    deny=DenyRules("log", "reason"),
)
STOP = EventRule(
    name="agentStop",
    kind="turn.stop",
    about="when the agent ends its turn; a refusal's reason is the next prompt, eight times in a row",
    fields=STOPPED,
    can=Can(block=True),
    deny=DenyRules("model", "reason", unreasoned="ignored"),
    stop=StopRules(cap=8),
    merging=MergeRules(decisions="last", reasons="last-any", reasons_told="counting"),
    overrides=Overrides(base=(*CAMEL, TRANSCRIPT)),
)
AGENT_STARTS = EventRule(
    name="subagentStart",
    kind="agent.start",
    about="before a subagent starts; it cannot be kept from it",
    fields=(
        *(Field("agentName", "agent_type"), Field("agentDisplayName", "agent_display_name")),
        *(Field("agentDescription", "agent_description"), Field("agentId", "agent_id")),
        *(Field("agentType", "agent_type"), Field("parentAgentId", "parent_agent_id")),
    ),
    target=EventTarget("agent_type"),
    deny=DenyRules("log", "reason"),
    overrides=Overrides(base=(*CAMEL, TRANSCRIPT)),
)
AGENT_STOPS = revise(
    STOP,
    name="subagentStop",
    kind="agent.stop",
    about="when a subagent ends; a refusal's reason is its next prompt, as often as it is said",
    fields=(
        *(Field("agentId", "agent_id"), Field("agentType", "agent_type"), Field("agentName", "agent_type")),
        *(Field("agentDisplayName", "agent_display_name"), Field("response", "prompt_response"), *STOPPED),
        Field("parentAgentId", "parent_agent_id"),
    ),
    stop={"cap": 0},
    merging={"changes": {"output": "replace"}},
)
ERROR = EventRule(
    name="errorOccurred",
    kind="turn.failed",
    about="when something goes wrong; nothing comes of it",
    fields=(Field("errorContext", "error_context"), Field("recoverable"), Field("error", "error", "error")),
    deny=DenyRules("log", "reason"),
)
COMPACT = EventRule(
    name="preCompact",
    kind="compact.before",
    about="before the context is compacted; nothing comes of it",
    fields=(Field("trigger"), Field("customInstructions", "custom_instructions")),
    target=EventTarget("trigger", values=("manual", "auto")),
    deny=DenyRules("log", "reason"),
    overrides=Overrides(base=(*CAMEL, TRANSCRIPT)),
)
PERMISSION = EventRule(
    name="permissionRequest",
    kind="permission.ask",
    about="before a permission is looked up; a hook that fails, or prints no JSON, refuses",
    fields=(CALL[0], Field("toolInput", "tool_input"), Field("permissionSuggestions", "permission_suggestions")),
    target=EventTarget("tool_name"),
    can=Can(block=True, grant=True),
    deny=DenyRules("model", "reason"),
    text=TextRules(fails=True),
    merging=MergeRules(decisions="last", reasons="last"),
    overrides=Overrides(
        base=(Field("hookName", "=permissionRequest"), *CAMEL),
        exits=DENIES,
        failure={**CLOSED, "output": "deny"},
        chain_ends=("failure",),
    ),
)
NOTICE = EventRule(
    name="notification",
    kind="notify",
    about="when the user is told something; context for the model is a prompt of its own",
    target=EventTarget(
        "type",
        values=(
            *("shell_completed", "shell_detached_completed", "agent_completed", "agent_idle"),
            *("permission_prompt", "elicitation_dialog"),
        ),
    ),
    deny=DenyRules("log", "reason"),
    text=TextRules(audience={"context": "model"}),
    overrides=Overrides(
        base=(
            *(*CAMEL, Field("message"), Field("title"), Field("hook_event_name", "=Notification")),
            Field("notification_type", "type"),
        )
    ),
)

# How a PascalCase event matches and names tools.
CLAUDE = "names-or-regex-whole@javascript-2025"

EVENTS = (
    *(BEFORE, AFTER, FAILED, PROMPT, START, END, STOP, AGENT_STARTS, AGENT_STOPS, ERROR, COMPACT, PERMISSION, NOTICE),
    EventRule(
        name="userPromptTransformed",
        kind="prompt.transform",
        about="after a prompt was made ready for the model",
        fields=(Field("prompt"), Field("transformedPrompt", "transformed_prompt")),
        deny=DenyRules("log", "reason"),
        merging=MergeRules(changes={"prompt": "replace"}),
    ),
    EventRule(
        name="preMcpToolCall",
        kind="mcp.before",
        about="before a server's tool is called, for hooks of the SDK",
        fields=(
            *(Field("serverName", "server_name"), Field("toolName", "tool_name"), Field("arguments", "tool_input")),
            *(Field("toolCallId", "tool_use_id"), Field("_meta", "meta")),
        ),
        deny=DenyRules("log", "reason"),
    ),
    revise(
        BEFORE,
        name="PreToolUse",
        fields=SNAKE_CALL,
        target={"called": CALLED},
        overrides={"base": SNAKE, "matcher": CLAUDE},
    ),
    revise(
        AFTER,
        name="PostToolUse",
        fields=(*SNAKE_CALL, Field("tool_result", "tool_output", "result-snake")),
        target={"called": CALLED},
        overrides={"base": SNAKE, "matcher": CLAUDE},
    ),
    revise(
        FAILED,
        name="PostToolUseFailure",
        fields=(*SNAKE_CALL, Field("error")),
        target={"called": CALLED},
        overrides={"base": SNAKE, "matcher": CLAUDE},
    ),
    revise(PROMPT, name="UserPromptSubmit", overrides={"base": SNAKE}),
    revise(START, name="SessionStart", fields=(Field("source"), Field("initial_prompt")), overrides={"base": SNAKE}),
    revise(END, name="SessionEnd", overrides={"base": SNAKE}),
    revise(
        STOP,
        name="Stop",
        fields=(Field("stop_reason"), Field("stop_hook_active")),
        overrides={"base": (*SNAKE, SNAKE_TRANSCRIPT)},
    ),
    replace(
        AGENT_STARTS,
        name="SubagentStart",
        fields=(*(*AGENT_STARTS.fields[:3], Field("agent_id"), Field("agent_type"), Field("parent_agent_id")),),
    ),
    revise(
        AGENT_STOPS,
        name="SubagentStop",
        fields=(),
        overrides={
            "base": (
                *(*SNAKE, Field("agent_id"), Field("agent_type"), Field("parent_agent_id"), SNAKE_TRANSCRIPT),
                *(Field("agent_name", "agent_type"), Field("agent_display_name")),
                *(Field("last_assistant_message", "prompt_response"), Field("stop_reason"), Field("stop_hook_active")),
            )
        },
    ),
    revise(
        ERROR,
        name="ErrorOccurred",
        fields=(Field("error_context"), Field("recoverable"), Field("error", "error", "error")),
        overrides={"base": SNAKE},
    ),
    revise(
        COMPACT,
        name="PreCompact",
        fields=(Field("trigger"), Field("custom_instructions")),
        overrides={"base": (*SNAKE, SNAKE_TRANSCRIPT)},
    ),
    revise(PERMISSION, name="PermissionRequest", target={"called": CALLED}, overrides={"matcher": CLAUDE}),
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
    AnswerField(path="permissionDecision", effect="decision", events=BEFORES, words=WORDS),
    AnswerField(path="permissionDecisionReason", effect="reason", events=BEFORES, value=AnswerValue(written="text")),
    AnswerField(path="modifiedArgs", effect="input", events=BEFORES, checks=AnswerChecks(fatal=True)),
    AnswerField(path=f"{OWN}.hookEventName", effect="note", events=BEFORES[1:]),
    AnswerField(path=f"{OWN}.permissionDecision", effect="decision", events=BEFORES[1:], words=WORDS),
    AnswerField(
        path=f"{OWN}.permissionDecisionReason", effect="reason", events=BEFORES[1:], value=AnswerValue(written="text")
    ),
    AnswerField(
        path=f"{OWN}.updatedInput", effect="input", events=BEFORES[1:], checks=AnswerChecks(fatal=True, null="ignored")
    ),
    AnswerField(
        path=f"{OWN}.additionalContext",
        effect="text",
        events=BEFORES[1:],
        kind="context",
        value=AnswerValue(written="json"),
    ),
    AnswerField(path="additionalContext", effect="text", events=AFTERS, kind="context"),
    AnswerField(
        path="additionalContext",
        effect="text",
        events=tuple(name for name in CONTEXTS if name not in AFTERS),
        kind="context",
        value=AnswerValue(written="json"),
    ),
    AnswerField(path="modifiedResult.resultType", effect="note", events=AFTERS),
    AnswerField(path="modifiedResult.textResultForLlm", effect="output", events=AFTERS, type="text"),
    AnswerField(path="modifiedPrompt", effect="set", events=PROMPTS, type="text", change="prompt"),
    AnswerField(
        path="modifiedTransformedPrompt", effect="set", events=("userPromptTransformed",), type="text", change="prompt"
    ),
    AnswerField(path="decision", effect="decision", events=AFTERS, words={"block": "deny"}),
    AnswerField(
        path="decision",
        effect="decision",
        events=(*PROMPTS, *STOPS),
        words={"block": "deny", "allow": "allow"},
        value=AnswerValue(otherwise="allow"),
    ),
    AnswerField(path="reason", effect="reason", events=(*AFTERS, *PROMPTS, *STOPS)),
    AnswerField(path="modifiedResponse", effect="output", events=STOPS[2:], type="text"),
    AnswerField(path="behavior", effect="decision", events=PERMISSIONS, words={"allow": "allow", "deny": "deny"}),
    AnswerField(path="message", effect="reason", events=PERMISSIONS),
    AnswerField(path="interrupt", effect="set", events=PERMISSIONS, type="flag", change="interrupt"),
    AnswerField(path="metaToUse", effect="note", events=("preMcpToolCall",)),
)
