"""AMCP's hooks: hooks.toml or hooks.json, in the project or for the user."""

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
    Field,
    File,
    FiringRules,
    Form,
    Install,
    MergeRules,
    MessageRules,
    PayloadRules,
    PlanningRules,
    ReadingRules,
    Setup,
    TextRules,
    ToolName,
    ToolRules,
    Traces,
    Type,
    Wrapper,
)

TOOL = (Field("tool_name"), Field("tool_input"), Field("tool_use_id"))

EVENTS = (
    EventRule(
        name="PreToolUse",
        kind="tool.before",
        about="before tool execution",
        fields=TOOL,
        target=EventTarget("tool_name"),
        can=Can(block=True, ask=True, grant=True),
        deny=DenyRules("model", "reason"),
        text=TextRules("feedback"),
        merging=MergeRules(changes={"input": "overlay"}, chain={"input": "tool_input"}),
    ),
    EventRule(
        name="PostToolUse",
        kind="tool.after",
        about="after tool execution",
        fields=(*TOOL, Field("tool_response", "tool_output")),
        target=EventTarget("tool_name"),
        deny=DenyRules("model", "feedback"),
        text=TextRules("feedback"),
        merging=MergeRules(changes={"output": "replace"}, chain={"output": "tool_output"}),
        firing=FiringRules(after_failures=True),
    ),
    EventRule(
        name="UserPromptSubmit",
        kind="prompt.submit",
        about="when the user submits a prompt",
        fields=(Field("prompt"),),
        can=Can(block=True),
        deny=DenyRules(erases=True),
        text=TextRules("feedback"),
    ),
    EventRule(name="SessionStart", kind="session.start", about="when a new session begins", text=TextRules("feedback")),
    EventRule(name="SessionEnd", kind="session.end", about="when a session ends", text=TextRules("feedback")),
    EventRule(
        name="Stop",
        kind="turn.stop",
        about="when the agent is about to stop; a block keeps it going",
        can=Can(block=True),
        deny=DenyRules("model", "reason"),
        text=TextRules("feedback"),
    ),
    EventRule(name="PreCompact", kind="compact.before", about="before context compaction", text=TextRules("feedback")),
    EventRule(
        name="Notification",
        kind="notify",
        about="when a notification is sent",
        fields=(Field("message"), Field("notification_type", "type")),
        text=TextRules("feedback"),
    ),
)

CALL = ("PreToolUse",)

ANSWERS = (
    AnswerField(path="continue", effect="continue"),
    AnswerField(path="stopReason", effect="stop_reason"),
    AnswerField(path="feedback", effect="text", kind="feedback"),
    AnswerField(path="systemMessage", effect="text", kind="system"),
    AnswerField(path="suppressOutput", effect="suppress"),
    AnswerField(
        path="hookSpecificOutput.permissionDecision",
        effect="decision",
        events=CALL,
        words={"allow": "allow", "deny": "deny", "ask": "ask"},
    ),
    AnswerField(path="hookSpecificOutput.permissionDecisionReason", effect="reason", events=CALL),
    AnswerField(path="hookSpecificOutput.updatedInput", effect="input", events=CALL),
    AnswerField(path="hookSpecificOutput.updatedResponse", effect="output", events=("PostToolUse",)),
)

KEYS = {
    "matcher": "matcher",
    "type": "type",
    "command": "spec",
    "script": "spec",
    "function": "spec",
    "timeout": "timeout",
    "enabled": "enabled",
    "name": "name",
    "tenterhook": "ours",
}

SETUP = Setup(
    folder=".amcp/hooks/tenterhook",
    files=(".amcp/hooks.toml", ".amcp/hooks.json"),
    command='"$AMCP_PROJECT_DIR/{path}"',
    wrappers=(
        Wrapper("handle-session-start.sh", "session-start", "SessionStart", 5),
        Wrapper("handle-compact.sh", "compact", "PreCompact", 5),
        Wrapper("handle-pre-tool.sh", "pre-tool", "PreToolUse", 5, "write_file|apply_patch|bash"),
        Wrapper("handle-post-tool.sh", "post-tool", "PostToolUse", 60, "write_file|apply_patch"),
        Wrapper("handle-stop.sh", "stop", "Stop", 5),
        Wrapper("handle-agent-hook.sh", "agent"),
    ),
    list_key="handlers",
)

DIALECT = Dialect(
    name="amcp",
    title="AMCP",
    about="AMCP agent; hooks in TOML or JSON, the project's over the user's",
    events=EVENTS,
    payload=PayloadRules(
        base=(Field("session_id", "session"), Field("hook_event_name", "event"), Field("cwd", "cwd")),
        env={
            "AMCP_PROJECT_DIR": "project",
            "AMCP_SESSION_ID": "session",
            "AMCP_HOOK_EVENT": "event",
            "AMCP_TOOL_NAME": "tool?",
        },
    ),
    reading=ReadingRules(
        exits={
            0: Exit(
                means="success; JSON is the answer, text is feedback",
                text=ExitText("stdout", "plain"),
                answer=ExitAnswer(),
            ),
            2: Exit(means="blocking error, stderr is the message", decision="deny", text=ExitText("stderr", "reason")),
            "other": Exit(means="logged, goes on", failed=True, text=ExitText("stderr", "error")),
        },
        answers=ANSWERS,
        section=AnswerSection(name="hookSpecificOutput", event="hookEventName"),
        broken="text",
    ),
    config=ConfigRules(
        traces=Traces(programs=("amcp",), paths=("@config/amcp",)),
        files=(
            File(path=".amcp/hooks.toml", scope="project", format="toml"),
            File(path=".amcp/hooks.json", scope="project", format="json"),
            File(path="@config/amcp/hooks.toml", scope="user", format="toml"),
            File(path="@config/amcp/hooks.json", scope="user", format="json"),
        ),
        form=Form(lists=("handlers",), flat=True, keys=KEYS),
        types=(
            Type(name="command", handler="command", key="command"),
            Type(name="python", handler="script", key="script", form="script"),
            Type(name="python", handler="python", key="function", form="function"),
        ),
        untyped="command",
        layers="override-by-event",
    ),
    planning=PlanningRules(matcher="regex-full", timeout=30.0, order="sequential", chain_ends=("deny", "stop")),
    messages=MessageRules(marks={"reason": "{text}"}),
    tools=ToolRules(
        open=True,
        names={
            "Bash": ToolName("bash"),
            "Read": ToolName("read_file", {"file_path": "path"}),
            "Write": ToolName("write_file", {"file_path": "path"}),
            "Edit": ToolName("apply_patch", {"file_path": "path"}),
            "Grep": ToolName("grep"),
            "Glob": ToolName("glob"),
            "Task": ToolName("task", {"subagent_type": "agent_type"}),
        },
        mcp_tool="mcp.{server}.{tool}",
    ),
    setup=SETUP,
    install=Install(
        project=".amcp/hooks.toml",
        user="@config/amcp/hooks.toml",
        folder="AMCP_PROJECT_DIR",
    ),
    notes=(
        "An event named in a project file replaces that event's user handlers.",
        "updatedInput is merged over the input by top-level key; each handler sees the input as changed so far.",
        "A top-level decision is not part of this dialect.",
        "The reference agent's apply_patch takes path, old_string and new_string: here it edits by text, not by patch.",
        "AMCP itself has no glob; its grep takes lists of paths and globs, the reference agent's one of each.",
        "The reference agent's task calls our prompt description, as AMCP does, and our short description summary.",
    ),
)
