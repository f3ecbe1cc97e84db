"""The events of Cursor and what hooks may answer there, for cursor.py."""

from msgspec.structs import replace

from tenterhook.dialects.schema.dialect import Answer, EventRule, Exit, Field

ABOUT = (
    Field("conversation_id", "session"),
    Field("generation_id"),
    Field("model"),
    Field("model_id"),
    Field("model_params"),
)
APP = (
    Field("hook_event_name", "event"),
    Field("cursor_version"),
    Field("workspace_roots", "project", "list"),
    Field("user_email"),
)
BASE = (*ABOUT, *APP, Field("transcript_path", "transcript", "nullable"))
TOOL = (Field("tool_name"), Field("tool_input"), Field("tool_use_id"), Field("cwd", "cwd"))
SHELL = (Field("command", "tool_input.command"),)
SERVER = (
    Field("tool_name", "tool_name", "after-colon"),
    Field("tool_input", "tool_input", "json"),
    Field("mcp_server_name"),
)
FILE = Field("file_path", "tool_input.file_path")
DURATION = Field("duration", "duration_ms")
# An answer that cannot be read, or that is none that the event knows, is a refusal.
UNREADABLE = {"output": "deny"}

PRE = EventRule(
    name="preToolUse",
    kind="tool.before",
    about="before any tool; an ask is accepted and lets the call go on",
    target="tool_name",
    targets=("Shell", "Read", "Write", "Grep", "Delete", "Task"),
    base=(*BASE, *TOOL, Field("agent_message")),
    fields=(),
    failure=UNREADABLE,
    text_fails=True,
    needs_answer=True,
    blocks=True,
    deny=("model", "reason"),
    reasons="join-ruled",
    merges={"input": "replace"},
    chain={"input": "tool_input"},
)
GATE = replace(PRE, asks=True, targets=(), merges={}, chain={})
POST = EventRule(
    name="postToolUse",
    kind="tool.after",
    about="after a tool that succeeded",
    target="tool_name",
    targets=PRE.targets,
    base=(*BASE, *TOOL[:2], Field("tool_output", "tool_output", "json"), *TOOL[2:], DURATION),
    deny=("log", "reason"),
    merges={"output": "replace"},
)
DONE = replace(POST, merges={}, targets=(), deaf=True)
END = EventRule(
    name="stop",
    kind="turn.stop",
    about="when the agent's loop ends; a follow-up is its next prompt",
    target="=Stop",
    fields=(Field("status"), Field("loop_count", "stop_count")),
    exits={2: Exit(means="failed; it keeps nobody from stopping", failed=True, text="stderr", becomes="error")},
    blocks=True,
    stop_cap=5,
    deny=("model", "user_message"),
)

EVENTS = (
    EventRule(
        name="sessionStart",
        kind="session.start",
        about="when a conversation begins; nothing waits for it, and it cannot be refused",
        fields=(Field("session_id", "session"), Field("is_background_agent"), Field("composer_mode")),
        stops="ignored",
        deny=("log", "reason"),
    ),
    EventRule(
        name="sessionEnd",
        kind="session.end",
        about="when a conversation ends; what hooks answer is not used",
        fields=(
            *(Field("session_id", "session"), Field("reason"), Field("duration_ms"), Field("is_background_agent")),
            *(Field("final_status"), Field("error_message")),
        ),
        deaf=True,
        deny=("log", "reason"),
    ),
    EventRule(
        name="beforeSubmitPrompt",
        kind="prompt.submit",
        about="before a prompt is sent",
        target="=UserPromptSubmit",
        fields=(Field("prompt"), Field("attachments")),
        blocks=True,
        stops="denies",
        erased=True,
    ),
    PRE,
    replace(
        GATE,
        name="beforeShellExecution",
        about="before a shell command",
        target="tool_input.command",
        tools=("Bash",),
        base=(*BASE, *SHELL, Field("cwd", "cwd"), Field("sandbox")),
    ),
    replace(
        GATE,
        name="beforeMCPExecution",
        about="before a tool of a server",
        tools=("mcp",),
        base=(*BASE, *SERVER, Field("url"), Field("command")),
    ),
    replace(
        GATE,
        name="beforeReadFile",
        about="before the agent reads a file",
        tools=("Read",),
        asks=False,
        targets=("Read", "TabRead"),
        base=(*BASE, FILE, Field("content"), Field("attachments")),
    ),
    replace(
        DONE,
        name="afterShellExecution",
        about="after a shell command",
        target="tool_input.command",
        tools=("Bash",),
        base=(*BASE, *SHELL, Field("output", "tool_output", "json"), DURATION, Field("sandbox")),
    ),
    replace(
        DONE,
        name="afterMCPExecution",
        about="after a tool of a server",
        tools=("mcp",),
        base=(*BASE, *SERVER, Field("result_json", "tool_output", "json"), DURATION),
    ),
    replace(
        DONE,
        name="afterFileEdit",
        about="after the agent wrote a file",
        tools=("Write", "Edit"),
        targets=("Write", "TabWrite"),
        base=(*BASE, FILE, Field("edits", "tool_input", "edits")),
    ),
    POST,
    replace(
        POST,
        name="postToolUseFailure",
        kind="tool.failed",
        about="after a tool that failed, took too long or was refused",
        base=(
            *(*BASE, *TOOL, Field("error_message", "error"), Field("failure_type"), DURATION),
            Field("is_interrupt"),
        ),
        merges={},
    ),
    EventRule(
        name="subagentStart",
        kind="agent.start",
        about="before a subagent starts; an ask is a refusal",
        target="agent_type",
        targets=("generalPurpose", "explore", "shell"),
        fields=(
            *(Field("subagent_id", "agent_id"), Field("subagent_type", "agent_type"), Field("task", "prompt")),
            *(Field("parent_conversation_id", "session_id"), Field("tool_call_id", "tool_use_id")),
            *(Field("subagent_model"), Field("is_parallel_worker"), Field("git_branch")),
        ),
        failure=UNREADABLE,
        text_fails=True,
        needs_answer=True,
        blocks=True,
        deny=("user", "reason"),
    ),
    replace(
        END,
        name="subagentStop",
        kind="agent.stop",
        about="when a subagent ends; a follow-up counts where it completed its task",
        target="agent_type",
        targets=("generalPurpose", "explore", "shell"),
        fields=(
            *(Field("subagent_type", "agent_type"), Field("status"), Field("task", "prompt"), Field("description")),
            *(Field("summary", "prompt_response"), Field("duration_ms"), Field("message_count")),
            *(
                Field("tool_call_count"),
                Field("loop_count", "stop_count"),
                Field("modified_files"),
                Field("agent_transcript_path"),
            ),
        ),
    ),
    EventRule(
        name="preCompact",
        kind="compact.before",
        about="before the context is compacted; it cannot be kept from it",
        fields=(
            *(Field("trigger"), Field("context_usage_percent"), Field("context_tokens"), Field("context_window_size")),
            *(Field("message_count"), Field("messages_to_compact"), Field("is_first_compaction")),
        ),
        deny=("log", "reason"),
    ),
    END,
    EventRule(
        name="afterAgentResponse",
        kind="model.after",
        about="after a message of the agent; nothing comes of it",
        target="=AgentResponse",
        fields=(Field("text"),),
        deaf=True,
        deny=("log", "reason"),
    ),
    EventRule(
        name="afterAgentThought",
        kind="model.thought",
        about="after the agent thought; nothing comes of it",
        target="=AgentThought",
        fields=(Field("text"), Field("duration_ms")),
        deaf=True,
        deny=("log", "reason"),
    ),
    EventRule(
        name="beforeTabFileRead",
        kind="tab.before",
        about="before a file is read for a completion",
        fields=(Field("file_path"), Field("content")),
        failure=UNREADABLE,
        text_fails=True,
        needs_answer=True,
        blocks=True,
    ),
    EventRule(
        name="afterTabFileEdit",
        kind="tab.after",
        about="after a completion was written; nothing comes of it",
        fields=(Field("file_path"), Field("edits")),
        deaf=True,
        deny=("log", "reason"),
    ),
    EventRule(
        name="workspaceOpen",
        kind="workspace.open",
        about="when a workspace is opened, outside of any conversation",
        base=APP,
        deny=("log", "reason"),
    ),
)

PERMISSION = ("preToolUse", "beforeShellExecution", "beforeMCPExecution")
READS = ("beforeReadFile", "beforeTabFileRead")
WORDS = {"allow": "allow", "deny": "deny"}

ANSWERS = (
    Answer(path="permission", effect="decision", events=PERMISSION[:1], words={**WORDS, "ask": "allow"}),
    Answer(path="permission", effect="decision", events=PERMISSION[1:], words={**WORDS, "ask": "ask"}),
    Answer(path="permission", effect="decision", events=READS, words=WORDS),
    Answer(path="permission", effect="decision", events=("subagentStart",), words={**WORDS, "ask": "deny"}),
    Answer(path="agent_message", effect="reason", events=PERMISSION),
    Answer(path="user_message", effect="notice", events=(*PERMISSION, "beforeReadFile")),
    Answer(path="user_message", effect="reason", events=("subagentStart", "beforeSubmitPrompt")),
    Answer(path="user_message", effect="text", kind="system", events=("preCompact",)),
    Answer(path="user_message", effect="note", events=("sessionStart",)),
    Answer(path="updated_input", effect="input", events=("preToolUse",)),
    Answer(path="continue", effect="continue", events=("beforeSubmitPrompt",)),
    Answer(path="continue", effect="note", type="flag", events=(*PERMISSION, "sessionStart")),
    Answer(path="updated_mcp_tool_output", effect="output", type="object", events=("postToolUse",)),
    Answer(
        path="additional_context",
        effect="text",
        kind="context",
        events=("sessionStart", "postToolUse", "postToolUseFailure", "beforeSubmitPrompt"),
    ),
    Answer(path="env", effect="set", change="env", type="object", events=("sessionStart",)),
    Answer(path="followup_message", effect="follow_up", events=("stop", "subagentStop")),
    Answer(path="pluginPaths", effect="note", type="list", events=("workspaceOpen",)),
)
