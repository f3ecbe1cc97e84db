"""Claude Code's hooks as MoAI documents them: settings, agent frontmatter, fourteen events."""

from tenterhook.dialects.schema.dialect import (
    AnswerField,
    AnswerSection,
    Can,
    ConfigRules,
    DenyRules,
    Dialect,
    EventRule,
    EventTarget,
    Exit,
    ExitAnswer,
    ExitText,
    FailureRules,
    Field,
    File,
    Form,
    Install,
    MergeRules,
    MessageRules,
    PayloadRules,
    PlanningRules,
    ReadingRules,
    SandboxRules,
    Section,
    Setup,
    TextRules,
    ToolName,
    ToolRules,
    Traces,
    Type,
    Wrapper,
)

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
        can=Can(block=True),
        deny=DenyRules(erases=True),
        text=TextRules("context"),
    ),
    EventRule(
        name="SessionStart",
        kind="session.start",
        about="when a new session begins",
        fields=(Field("source"), *AGENT),
        text=TextRules("context"),
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
        fields=TOOL + AGENT,
        target=EventTarget("tool_name"),
        can=Can(block=True, ask=True, grant=True),
        deny=DenyRules("model", "reason"),
        merging=MergeRules(changes={"input": "replace"}),
    ),
    EventRule(
        name="PostToolUse",
        kind="tool.after",
        about="after a tool completed successfully",
        fields=TOOL + OUTPUT + AGENT,
        target=EventTarget("tool_name"),
        deny=DenyRules("model", "feedback"),
        merging=MergeRules(changes={"output": "replace"}),
    ),
    EventRule(
        name="PostToolUseFailure",
        kind="tool.failed",
        about="after a tool execution failed",
        fields=(*TOOL, Field("error"), Field("is_interrupt"), *AGENT),
        target=EventTarget("tool_name"),
        deny=DenyRules("model", "feedback"),
    ),
    EventRule(
        name="PermissionRequest",
        kind="permission.ask",
        about="when a permission dialog would appear",
        fields=TOOL + AGENT,
        target=EventTarget("tool_name"),
        can=Can(block=True, grant=True),
        deny=DenyRules("model", "reason"),
        text=TextRules(silence="allow"),
        merging=MergeRules(changes={"input": "replace"}),
    ),
    EventRule(
        name="Notification",
        kind="notify",
        about="when the agent sends a notification",
        fields=(Field("type"), Field("notification_type", "type"), Field("message"), Field("title"), *AGENT),
        target=EventTarget("type", values=("permission_prompt", "idle_prompt", "auth_success", "elicitation_dialog")),
    ),
    EventRule(
        name="SubagentStart",
        kind="agent.start",
        about="when a subagent spawns",
        fields=AGENT,
        target=EventTarget("agent_type"),
    ),
    EventRule(
        name="SubagentStop",
        kind="agent.stop",
        about="when a subagent terminates",
        fields=AGENT,
        deny=DenyRules("model", "reason"),
    ),
    EventRule(
        name="Stop",
        kind="turn.stop",
        about="when the conversation stops",
        fields=AGENT,
        deny=DenyRules("model", "reason"),
    ),
    EventRule(
        name="TeammateIdle",
        kind="teammate.idle",
        about="when a teammate is about to go idle; exit 2 keeps it working",
        fields=(*AGENT, Field("tasks_summary"), Field("tasksSummary", "tasks_summary")),
        can=Can(block=True),
        deny=DenyRules("model", "reason"),
        text=TextRules(audience={"system": "model"}),
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
        can=Can(block=True),
        deny=DenyRules("model", "reason"),
    ),
    EventRule(
        name="SessionEnd",
        kind="session.end",
        about="when the session terminates; stdout is ignored",
        fields=(Field("reason"), *AGENT),
        target=EventTarget(
            "reason", values=("clear", "logout", "prompt_input_exit", "bypass_permissions_disabled", "other")
        ),
        text=TextRules(ignored=True),
    ),
)

WORDS = {"approve": "allow", "allow": "allow", "block": "deny", "deny": "deny", "ask": "ask"}
CALL = ("PreToolUse", "PermissionRequest")

ANSWERS = (
    AnswerField(path="decision", effect="decision", words=WORDS),
    AnswerField(path="reason", effect="reason"),
    AnswerField(path="continue", effect="continue"),
    AnswerField(path="stopReason", effect="stop_reason"),
    AnswerField(path="suppressOutput", effect="suppress"),
    AnswerField(path="systemMessage", effect="text", kind="system"),
    AnswerField(path="additionalContext", effect="text", kind="context"),
    AnswerField(path="hookSpecificOutput.permissionDecision", effect="decision", events=CALL, words=WORDS),
    AnswerField(path="hookSpecificOutput.permissionDecisionReason", effect="reason", events=CALL),
    AnswerField(path="hookSpecificOutput.updatedInput", effect="input", events=CALL),
    AnswerField(path="hookSpecificOutput.additionalContext", effect="text", kind="context"),
    AnswerField(path="hookSpecificOutput.updatedToolOutput", effect="output", events=("PostToolUse",)),
    AnswerField(path="hookSpecificOutput.updatedMCPToolOutput", effect="output", events=("PostToolUse",)),
    AnswerField(
        path="hookSpecificOutput.decision.behavior",
        effect="decision",
        events=("PermissionRequest",),
        words={"allow": "allow", "deny": "deny"},
    ),
    AnswerField(path="hookSpecificOutput.decision.message", effect="reason", events=("PermissionRequest",)),
    AnswerField(path="hookSpecificOutput.decision.updatedInput", effect="input", events=("PermissionRequest",)),
)

KEYS = {
    "type": "type",
    "command": "spec",
    "prompt": "spec",
    "model": "spec",
    "url": "spec",
    "headers": "spec_texts",
    "allowedEnvVars": "env",
    "timeout": "timeout",
    "async": "background",
    "name": "name",
    "description": "note",
    "statusMessage": "note",
    "tenterhook": "ours",
}

FRONTMATTER = (Section(hooks="hooks", agent="name"),)

SETUP = Setup(
    folder=".claude/hooks/moai",
    files=(".claude/settings.json",),
    command='"$CLAUDE_PROJECT_DIR/{path}"',
    usual_caller=True,
    wrappers=(
        Wrapper("handle-session-start.sh", "session-start", "SessionStart", 5),
        Wrapper("handle-compact.sh", "compact", "PreCompact", 5),
        Wrapper("handle-pre-tool.sh", "pre-tool", "PreToolUse", 5, "Write|Edit|Bash|Monitor"),
        Wrapper("handle-post-tool.sh", "post-tool", "PostToolUse", 60, "Write|Edit"),
        Wrapper("handle-stop.sh", "stop", "Stop", 5),
        Wrapper("handle-agent-hook.sh", "agent"),
    ),
)

DIALECT = Dialect(
    name="moai",
    title="Claude Code (MoAI)",
    about="Claude Code hooks as MoAI-ADK documents them: settings.json and agent frontmatter",
    events=EVENTS,
    payload=PayloadRules(
        base=(
            Field("session_id", "session"),
            Field("sessionId", "session"),
            Field("transcript_path", "transcript"),
            Field("cwd", "cwd"),
            Field("hook_event_name", "event"),
            Field("hookEventName", "event"),
        ),
        env={"CLAUDE_PROJECT_DIR": "project"},
    ),
    reading=ReadingRules(
        exits={
            0: Exit(
                means="success; a JSON object is the answer", text=ExitText("stdout", "plain"), answer=ExitAnswer()
            ),
            2: Exit(
                means="block; the JSON's reason, else stderr",
                decision="deny",
                text=ExitText("stderr", "reason"),
                answer=ExitAnswer(),
            ),
            "other": Exit(means="error, stderr is shown to the user", failed=True, text=ExitText("stderr", "error")),
        },
        answers=ANSWERS,
        section=AnswerSection(name="hookSpecificOutput", event="hookEventName"),
    ),
    config=ConfigRules(
        traces=Traces(programs=("moai",), paths=(".moai",)),
        files=(
            File(path="~/.claude/settings.json", scope="user", format="json", borrowed=True),
            File(path=".claude/settings.json", scope="project", format="json", borrowed=True),
            File(path=".claude/settings.local.json", scope="project", format="json", borrowed=True),
            File(
                path="~/.claude/agents/**/*.md", scope="user", format="frontmatter", sections=FRONTMATTER, borrowed=True
            ),
            File(
                path=".claude/agents/**/*.md",
                scope="project",
                format="frontmatter",
                sections=FRONTMATTER,
                borrowed=True,
            ),
        ),
        form=Form(group="hooks", flat=True, keys={**KEYS, "matcher": "matcher"}, group_keys={"matcher": "matcher"}),
        types=(
            Type(name="command", handler="command", key="command"),
            Type(name="prompt", handler="prompt", key="prompt", form="prompt"),
            Type(name="agent", handler="agent", key="prompt", form="agent"),
            Type(name="http", handler="http", key="url", form="url"),
        ),
        untyped="command",
        status_line="statusLine",
        status_words=True,
    ),
    planning=PlanningRules(
        matcher="regex-full", timeout=60.0, order="parallel", agent_from=("agent_name", "agent_type")
    ),
    failures=FailureRules(missing_is_silent=True, by_handler={"prompt": "deny", "agent": "deny"}),
    messages=MessageRules(audience={"error": "user"}, marks={"reason": "{text}"}, late_to_model=True),
    tools=ToolRules(
        open=True,
        names={
            "Bash": ToolName("Bash"),
            "Read": ToolName("Read"),
            "Write": ToolName("Write"),
            "Edit": ToolName("Edit"),
            "Grep": ToolName("Grep", {"ignore_case": "-i", "limit": "head_limit"}),
            "Glob": ToolName("Glob"),
            "Task": ToolName("Task"),
        },
        further=(
            *("WebSearch", "AskUserQuestion", "TodoWrite", "TaskCreate", "TaskUpdate", "TaskList", "TaskGet"),
            *("NotebookEdit", "MultiEdit", "Monitor", "LS"),
        ),
        mcp_files=(".mcp.json", "~/.claude.json"),
    ),
    sandbox=SandboxRules(confines=True),
    setup=SETUP,
    install=Install(
        project=".claude/settings.json",
        user="~/.claude/settings.json",
        folder="CLAUDE_PROJECT_DIR",
    ),
    notes=(
        "Payload fields come in camelCase and in snake_case, so that scripts written for either work.",
        "PermissionRequest: exit 0 without another word is allow.",
        "A hook whose script does not exist is skipped without a message; `tenter check` reports it.",
        "Plain text at exit 0 is context on UserPromptSubmit and SessionStart, and has no meaning elsewhere.",
        "A statusLine's command goes to no shell and nothing in it expands; it is a path from the project's root.",
        "A hook with async: true decides nothing; its texts come on the next turn of a session, at once without one. "
        "The model is then told its systemMessage too, and the stderr of an exit 2.",
        "The reference agent's Bash takes its timeout in seconds.",
    ),
)
