"""Claude Code's hooks as MoAI documents them: settings, agent frontmatter, fourteen events."""

from tenterhook.dialect import Answer, Dialect, EventRule, Exit, Field, File, Form, Section, Type

TOOL = (
    Field("tool_name"),
    Field("toolName", "tool_name"),
    Field("tool_input"),
    Field("toolInput", "tool_input"),
    Field("tool_use_id"),
)
OUTPUT = (
    Field("tool_response", "tool_output"),
    Field("tool_output"),
    Field("toolOutput", "tool_output"),
)
AGENT = (
    Field("agent_type"),
    Field("agentType", "agent_type"),
    Field("agent_name"),
    Field("agentName", "agent_name"),
)

EVENTS = (
    EventRule(
        name="UserPromptSubmit",
        kind="prompt.submit",
        about="when the user submits a prompt, before it is processed",
        fields=(Field("prompt"), *AGENT),
        blocks=True,
        plain="context",
        erased=True,
    ),
    EventRule(
        name="SessionStart",
        kind="session.start",
        about="when a new session begins",
        fields=(Field("source"), *AGENT),
        plain="context",
    ),
    EventRule(
        name="PreCompact",
        kind="compact.before",
        about="before the context is compacted",
        fields=(Field("trigger"), *AGENT),
    ),
    EventRule(
        name="PreToolUse",
        kind="tool.before",
        about="before a tool executes",
        target="tool_name",
        fields=TOOL + AGENT,
        blocks=True,
        asks=True,
        grants=True,
        deny=("model", "reason"),
        merges={"input": "replace"},
    ),
    EventRule(
        name="PostToolUse",
        kind="tool.after",
        about="after a tool completed successfully",
        target="tool_name",
        fields=TOOL + OUTPUT + AGENT,
        deny=("model", "feedback"),
        merges={"output": "replace"},
    ),
    EventRule(
        name="PostToolUseFailure",
        kind="tool.failed",
        about="after a tool execution failed",
        target="tool_name",
        fields=(*TOOL, Field("error"), Field("is_interrupt"), *AGENT),
        deny=("model", "feedback"),
    ),
    EventRule(
        name="PermissionRequest",
        kind="permission.ask",
        about="when a permission dialog would appear",
        target="tool_name",
        fields=TOOL + AGENT,
        blocks=True,
        silent="allow",
        deny=("model", "reason"),
        merges={"input": "replace"},
    ),
    EventRule(
        name="Notification",
        kind="notify",
        about="when the agent sends a notification",
        target="type",
        targets=("permission_prompt", "idle_prompt", "auth_success", "elicitation_dialog"),
        fields=(Field("type"), Field("notification_type", "type"), Field("message"), Field("title"), *AGENT),
    ),
    EventRule(
        name="SubagentStart",
        kind="agent.start",
        about="when a subagent spawns",
        target="agent_type",
        fields=AGENT,
    ),
    EventRule(
        name="SubagentStop",
        kind="agent.stop",
        about="when a subagent terminates",
        fields=AGENT,
        deny=("model", "reason"),
    ),
    EventRule(
        name="Stop",
        kind="turn.stop",
        about="when the conversation stops",
        fields=AGENT,
        deny=("model", "reason"),
    ),
    EventRule(
        name="TeammateIdle",
        kind="teammate.idle",
        about="when a teammate is about to go idle; exit 2 keeps it working",
        fields=(*AGENT, Field("tasks_summary"), Field("tasksSummary", "tasks_summary")),
        blocks=True,
        deny=("model", "reason"),
        audience={"system": "model"},
    ),
    EventRule(
        name="TaskCompleted",
        kind="task.done",
        about="when a task is being marked complete; exit 2 sends it back",
        fields=(
            Field("task_id"),
            Field("taskId", "task_id"),
            Field("task_summary"),
            Field("taskSummary", "task_summary"),
            *AGENT,
        ),
        blocks=True,
        deny=("model", "reason"),
    ),
    EventRule(
        name="SessionEnd",
        kind="session.end",
        about="when the session terminates; stdout is ignored",
        target="reason",
        targets=("clear", "logout", "prompt_input_exit", "bypass_permissions_disabled", "other"),
        fields=(Field("reason"), *AGENT),
        deaf=True,
    ),
)

WORDS = {"approve": "allow", "allow": "allow", "block": "deny", "deny": "deny", "ask": "ask"}
CALL = ("PreToolUse", "PermissionRequest")

ANSWERS = (
    Answer(path="decision", effect="decision", words=WORDS),
    Answer(path="reason", effect="reason"),
    Answer(path="continue", effect="continue"),
    Answer(path="stopReason", effect="stop_reason"),
    Answer(path="suppressOutput", effect="suppress"),
    Answer(path="systemMessage", effect="text", kind="system"),
    Answer(path="additionalContext", effect="text", kind="context"),
    Answer(path="hookSpecificOutput.permissionDecision", effect="decision", events=CALL, words=WORDS),
    Answer(path="hookSpecificOutput.permissionDecisionReason", effect="reason", events=CALL),
    Answer(path="hookSpecificOutput.updatedInput", effect="input", events=CALL),
    Answer(path="hookSpecificOutput.additionalContext", effect="text", kind="context"),
    Answer(path="hookSpecificOutput.updatedToolOutput", effect="output", events=("PostToolUse",)),
    Answer(path="hookSpecificOutput.updatedMCPToolOutput", effect="output", events=("PostToolUse",)),
    Answer(
        path="hookSpecificOutput.decision.behavior",
        effect="decision",
        events=("PermissionRequest",),
        words={"allow": "allow", "deny": "deny"},
    ),
    Answer(path="hookSpecificOutput.decision.message", effect="reason", events=("PermissionRequest",)),
    Answer(path="hookSpecificOutput.decision.updatedInput", effect="input", events=("PermissionRequest",)),
)

KEYS = {
    "type": "type",
    "command": "spec",
    "prompt": "spec",
    "model": "spec",
    "timeout": "timeout",
    "async": "background",
    "name": "name",
    "description": "note",
    "statusMessage": "note",
    "tenterhook": "ours",
}

FRONTMATTER = (Section(hooks="hooks", agent="name"),)

DIALECT = Dialect(
    name="moai",
    title="Claude Code (MoAI)",
    about="Claude Code hooks as MoAI-ADK documents them: settings.json and agent frontmatter",
    events=EVENTS,
    base=(
        Field("session_id", "session"),
        Field("sessionId", "session"),
        Field("transcript_path", "transcript"),
        Field("cwd", "cwd"),
        Field("hook_event_name", "event"),
        Field("hookEventName", "event"),
    ),
    env={"CLAUDE_PROJECT_DIR": "project"},
    exits={
        0: Exit(means="success; a JSON object is the answer", answer=True, text="stdout", becomes="plain"),
        2: Exit(
            means="block; the JSON's reason, else stderr",
            decision="deny",
            answer=True,
            text="stderr",
            becomes="reason",
        ),
        "other": Exit(means="error, stderr is shown to the user", failed=True, text="stderr", becomes="error"),
    },
    answers=ANSWERS,
    files=(
        File(path="~/.claude/settings.json", scope="user", format="json"),
        File(path=".claude/settings.json", scope="project", format="json"),
        File(path=".claude/settings.local.json", scope="project", format="json"),
        File(path="~/.claude/agents/**/*.md", scope="user", format="frontmatter", sections=FRONTMATTER),
        File(path=".claude/agents/**/*.md", scope="project", format="frontmatter", sections=FRONTMATTER),
    ),
    form=Form(group="hooks", flat=True, keys={**KEYS, "matcher": "matcher"}, group_keys={"matcher": "matcher"}),
    types=(
        Type(name="command", handler="command", key="command"),
        Type(name="prompt", handler="prompt", key="prompt", form="none"),
        Type(name="agent", handler="agent", key="prompt", form="none"),
    ),
    untyped="command",
    agent_from=("agent_name", "agent_type"),
    matcher="regex-full",
    timeout=60.0,
    order="parallel",
    section="hookSpecificOutput",
    section_event="hookEventName",
    missing_is_silent=True,
    audience={"error": "user"},
    failure_of={"prompt": "deny", "agent": "deny"},
    notes=(
        "Payload fields stand in camelCase beside snake_case, so that scripts written for either work.",
        "PermissionRequest: exit 0 without another word is allow.",
        "A hook whose script does not exist is skipped without a word; `tenter check` reports it.",
        "Plain text at exit 0 is context on UserPromptSubmit and SessionStart, and has no meaning elsewhere.",
        "A hook with async: true decides nothing; its texts come on the next turn of a session, at once without one.",
    ),
)
