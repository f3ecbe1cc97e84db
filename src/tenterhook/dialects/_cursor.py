"""The events of Cursor and what hooks may answer there, for cursor.py."""

from tenterhook.dialects.schema.dialect import (
    AnswerField,
    Can,
    DenyRules,
    EventRule,
    EventTarget,
    Exit,
    ExitText,
    Field,
    MergeRules,
    Overrides,
    StopRules,
    TextRules,
    revise,
)

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
# An answer that cannot be read, or that the event does not know, is a refusal.
UNREADABLE = {"output": "deny"}

PRE = EventRule(
    name="preToolUse",
    kind="tool.before",
    about="before any tool; an ask is accepted and lets the call go on",
    fields=(),
    target=EventTarget("tool_name", values=("Shell", "Read", "Write", "Grep", "Delete", "Task")),
    can=Can(block=True),
    deny=DenyRules("model", "reason"),
    text=TextRules(fails=True, needs_answer=True),
    merging=MergeRules(changes={"input": "replace"}, chain={"input": "tool_input"}, reasons="join-ruled"),
    overrides=Overrides(base=(*BASE, *TOOL, Field("agent_message")), failure=UNREADABLE),
)
GATE = revise(PRE, target={"values": ()}, can={"ask": True}, merging={"changes": {}, "chain": {}})
POST = EventRule(
    name="postToolUse",
    kind="tool.after",
    about="after a tool that succeeded",
    target=EventTarget("tool_name", values=PRE.target.values),
    deny=DenyRules("log", "reason"),
    merging=MergeRules(changes={"output": "replace"}),
    overrides=Overrides(base=(*BASE, *TOOL[:2], Field("tool_output", "tool_output", "json"), *TOOL[2:], DURATION)),
)
DONE = revise(POST, target={"values": ()}, text={"ignored": True}, merging={"changes": {}})
END = EventRule(
    name="stop",
    kind="turn.stop",
    about="when the agent's loop ends; a follow-up is its next prompt",
    fields=(Field("status"), Field("loop_count", "stop_count")),
    target=EventTarget("=Stop"),
    can=Can(block=True),
    deny=DenyRules("model", "user_message"),
    stop=StopRules(cap=5),
    overrides=Overrides(
        exits={2: Exit(means="failed; the agent stops all the same", failed=True, text=ExitText("stderr", "error"))}
    ),
)

EVENTS = (
    EventRule(
        name="sessionStart",
        kind="session.start",
        about="when a conversation begins; nothing waits for it, and it cannot be refused",
        fields=(Field("session_id", "session"), Field("is_background_agent"), Field("composer_mode")),
        deny=DenyRules("log", "reason"),
        stop=StopRules("ignored"),
    ),
    EventRule(
        name="sessionEnd",
        kind="session.end",
        about="when a conversation ends; what hooks answer is not used",
        fields=(
            *(Field("session_id", "session"), Field("reason"), Field("duration_ms"), Field("is_background_agent")),
            *(Field("final_status"), Field("error_message")),
        ),
        deny=DenyRules("log", "reason"),
        text=TextRules(ignored=True),
    ),
    EventRule(
        name="beforeSubmitPrompt",
        kind="prompt.submit",
        about="before a prompt is sent",
        fields=(Field("prompt"), Field("attachments")),
        target=EventTarget("=UserPromptSubmit"),
        can=Can(block=True),
        deny=DenyRules(erases=True),
        stop=StopRules("denies"),
    ),
    PRE,
    revise(
        GATE,
        name="beforeShellExecution",
        about="before a shell command",
        target={"field": "tool_input.command"},
        firing={"tools": ("Bash",)},
        overrides={"base": (*BASE, *SHELL, Field("cwd", "cwd"), Field("sandbox"))},
    ),
    revise(
        GATE,
        name="beforeMCPExecution",
        about="before a tool of a server",
        firing={"tools": ("mcp",)},
        overrides={"base": (*BASE, *SERVER, Field("url"), Field("command"))},
    ),
    revise(
        GATE,
        name="beforeReadFile",
        about="before the agent reads a file",
        target={"values": ("Read", "TabRead")},
        can={"ask": False},
        firing={"tools": ("Read",)},
        overrides={"base": (*BASE, FILE, Field("content"), Field("attachments"))},
    ),
    revise(
        DONE,
        name="afterShellExecution",
        about="after a shell command",
        target={"field": "tool_input.command"},
        firing={"tools": ("Bash",)},
        overrides={"base": (*BASE, *SHELL, Field("output", "tool_output", "json"), DURATION, Field("sandbox"))},
    ),
    revise(
        DONE,
        name="afterMCPExecution",
        about="after a tool of a server",
        firing={"tools": ("mcp",)},
        overrides={"base": (*BASE, *SERVER, Field("result_json", "tool_output", "json"), DURATION)},
    ),
    revise(
        DONE,
        name="afterFileEdit",
        about="after the agent wrote a file",
        target={"values": ("Write", "TabWrite")},
        firing={"tools": ("Write", "Edit")},
        overrides={"base": (*BASE, FILE, Field("edits", "tool_input", "edits"))},
    ),
    POST,
    revise(
        POST,
        name="postToolUseFailure",
        kind="tool.failed",
        about="after a tool that failed, took too long or was refused",
        merging={"changes": {}},
        overrides={
            "base": (
                *(*BASE, *TOOL, Field("error_message", "error"), Field("failure_type"), DURATION),
                Field("is_interrupt"),
            )
        },
    ),
    EventRule(
        name="subagentStart",
        kind="agent.start",
        about="before a subagent starts; an ask is a refusal",
        fields=(
            *(Field("subagent_id", "agent_id"), Field("subagent_type", "agent_type"), Field("task", "prompt")),
            *(Field("parent_conversation_id", "session_id"), Field("tool_call_id", "tool_use_id")),
            *(Field("subagent_model"), Field("is_parallel_worker"), Field("git_branch")),
        ),
        target=EventTarget("agent_type", values=("generalPurpose", "explore", "shell")),
        can=Can(block=True),
        deny=DenyRules("user", "reason"),
        text=TextRules(fails=True, needs_answer=True),
        overrides=Overrides(failure=UNREADABLE),
    ),
    revise(
        END,
        name="subagentStop",
        kind="agent.stop",
        about="when a subagent ends; a follow-up counts where it completed its task",
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
        target={"field": "agent_type", "values": ("generalPurpose", "explore", "shell")},
    ),
    EventRule(
        name="preCompact",
        kind="compact.before",
        about="before the context is compacted; it cannot be kept from it",
        fields=(
            *(Field("trigger"), Field("context_usage_percent"), Field("context_tokens"), Field("context_window_size")),
            *(Field("message_count"), Field("messages_to_compact"), Field("is_first_compaction")),
        ),
        deny=DenyRules("log", "reason"),
    ),
    END,
    EventRule(
        name="afterAgentResponse",
        kind="model.after",
        about="after a message of the agent; nothing comes of it",
        fields=(Field("text"),),
        target=EventTarget("=AgentResponse"),
        deny=DenyRules("log", "reason"),
        text=TextRules(ignored=True),
    ),
    EventRule(
        name="afterAgentThought",
        kind="model.thought",
        about="after the agent thought; nothing comes of it",
        fields=(Field("text"), Field("duration_ms")),
        target=EventTarget("=AgentThought"),
        deny=DenyRules("log", "reason"),
        text=TextRules(ignored=True),
    ),
    EventRule(
        name="beforeTabFileRead",
        kind="tab.before",
        about="before a file is read for a completion",
        fields=(Field("file_path"), Field("content")),
        can=Can(block=True),
        text=TextRules(fails=True, needs_answer=True),
        overrides=Overrides(failure=UNREADABLE),
    ),
    EventRule(
        name="afterTabFileEdit",
        kind="tab.after",
        about="after a completion was written; nothing comes of it",
        fields=(Field("file_path"), Field("edits")),
        deny=DenyRules("log", "reason"),
        text=TextRules(ignored=True),
    ),
    EventRule(
        name="workspaceOpen",
        kind="workspace.open",
        about="when a workspace is opened, outside of any conversation",
        deny=DenyRules("log", "reason"),
        overrides=Overrides(base=APP),
    ),
)

PERMISSION = ("preToolUse", "beforeShellExecution", "beforeMCPExecution")
READS = ("beforeReadFile", "beforeTabFileRead")
WORDS = {"allow": "allow", "deny": "deny"}

ANSWERS = (
    AnswerField(path="permission", effect="decision", events=PERMISSION[:1], words={**WORDS, "ask": "allow"}),
    AnswerField(path="permission", effect="decision", events=PERMISSION[1:], words={**WORDS, "ask": "ask"}),
    AnswerField(path="permission", effect="decision", events=READS, words=WORDS),
    AnswerField(path="permission", effect="decision", events=("subagentStart",), words={**WORDS, "ask": "deny"}),
    AnswerField(path="agent_message", effect="reason", events=PERMISSION),
    AnswerField(path="user_message", effect="notice", events=(*PERMISSION, "beforeReadFile")),
    AnswerField(path="user_message", effect="reason", events=("subagentStart", "beforeSubmitPrompt")),
    AnswerField(path="user_message", effect="text", events=("preCompact",), kind="system"),
    AnswerField(path="user_message", effect="note", events=("sessionStart",)),
    AnswerField(path="updated_input", effect="input", events=("preToolUse",)),
    AnswerField(path="continue", effect="continue", events=("beforeSubmitPrompt",)),
    AnswerField(path="continue", effect="note", events=(*PERMISSION, "sessionStart"), type="flag"),
    AnswerField(path="updated_mcp_tool_output", effect="output", events=("postToolUse",), type="object"),
    AnswerField(
        path="additional_context",
        effect="text",
        events=("sessionStart", "postToolUse", "postToolUseFailure", "beforeSubmitPrompt"),
        kind="context",
    ),
    AnswerField(path="env", effect="set", events=("sessionStart",), type="object", change="env"),
    AnswerField(path="followup_message", effect="follow_up", events=("stop", "subagentStop")),
    AnswerField(path="pluginPaths", effect="note", events=("workspaceOpen",), type="list"),
)
