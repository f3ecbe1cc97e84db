"""LLxprt Code's hooks: groups in settings.json, five events with a caller and six without."""

from tenterhook.dialect import (
    Answer,
    Dialect,
    EventRule,
    Exit,
    Field,
    File,
    Form,
    Install,
    Setup,
    ToolName,
    Type,
    Wrapper,
)

TOOL = (Field("tool_name"), Field("tool_input"))
REQUEST = Field("llm_request")
RESPONSE = Field("llm_response")

EVENTS = (
    EventRule(
        name="BeforeTool",
        kind="tool.before",
        about="before a tool executes",
        target="tool_name",
        fields=TOOL,
        blocks=True,
        deny=("model", "reason"),
        reasons="join",
        merges={"input": "overlay"},
        chain={"input": "tool_input"},
    ),
    EventRule(
        name="AfterTool",
        kind="tool.after",
        about="after a tool executed, before the model sees the result",
        target="tool_name",
        fields=(*TOOL, Field("tool_response", "tool_output")),
        output_form="record",
        hears_failures=True,
        deny=("model", "feedback"),
        reasons="join",
    ),
    EventRule(
        name="BeforeModel",
        kind="model.before",
        about="before a request goes to the model",
        fields=(REQUEST,),
        blocks=True,
        deny=("model", "reason"),
        merges={"request": "overlay-last", "response": "replace"},
        chain={"request": "llm_request"},
        response_needs="block",
    ),
    EventRule(
        name="AfterModel",
        kind="model.after",
        about="after the model's complete response",
        fields=(REQUEST, RESPONSE),
        deny=("log", "reason"),
        merges={"response": "replace"},
        stop_response=True,
    ),
    EventRule(
        name="BeforeToolSelection",
        kind="tools.select",
        about="before the model decides which tools to call",
        fields=(REQUEST,),
        deny=("log", "reason"),
        merges={"tool_config": "union-tools"},
    ),
    EventRule(
        name="BeforeAgent",
        kind="prompt.submit",
        about="before the agent's turn; its answers are not applied",
        fields=(Field("prompt"),),
        reasons="join",
        chain={"context": "prompt"},
        stops="ignored",
        muted=True,
    ),
    EventRule(
        name="AfterAgent",
        kind="turn.stop",
        about="after the agent's turn; its answers are not applied",
        fields=(Field("prompt"), Field("prompt_response"), Field("stop_hook_active")),
        reasons="join",
        stops="ignored",
        muted=True,
    ),
    EventRule(
        name="SessionStart",
        kind="session.start",
        about="when a session starts; its answers are not applied",
        fields=(Field("source"),),
        reasons="join",
        stops="ignored",
        muted=True,
    ),
    EventRule(
        name="SessionEnd",
        kind="session.end",
        about="when a session ends; its answers are not applied",
        fields=(Field("reason"),),
        stops="ignored",
        muted=True,
    ),
    EventRule(
        name="PreCompress",
        kind="compact.before",
        about="before the context is compressed; its answers are not applied",
        fields=(Field("trigger"),),
        stops="ignored",
        muted=True,
    ),
    EventRule(
        name="Notification",
        kind="notify",
        about="when a notification is sent; its answers are not applied",
        fields=(Field("notification_type", "type"), Field("message"), Field("details")),
        stops="ignored",
        muted=True,
    ),
)

# "ask" is reserved for later use and lets the operation go on.
WORDS = {"allow": "allow", "approve": "allow", "ask": "allow", "block": "deny", "deny": "deny"}
CALL = ("BeforeTool",)

ANSWERS = (
    Answer(path="decision", effect="decision", words=WORDS),
    Answer(path="reason", effect="reason"),
    Answer(path="continue", effect="continue"),
    Answer(path="stopReason", effect="stop_reason"),
    Answer(path="suppressOutput", effect="suppress"),
    Answer(path="systemMessage", effect="text", kind="system"),
    Answer(path="hookSpecificOutput.hookEventName", effect="note"),
    Answer(path="hookSpecificOutput.permissionDecision", effect="decision", events=CALL, words=WORDS),
    Answer(path="hookSpecificOutput.permissionDecisionReason", effect="reason", events=CALL),
    Answer(path="hookSpecificOutput.tool_input", effect="input", events=CALL),
    Answer(path="hookSpecificOutput.additionalContext", effect="text", kind="context"),
    Answer(path="hookSpecificOutput.llm_request", effect="request", events=("BeforeModel",)),
    Answer(path="hookSpecificOutput.llm_response", effect="response", events=("BeforeModel", "AfterModel")),
    Answer(path="hookSpecificOutput.toolConfig", effect="tool_config", events=("BeforeToolSelection",)),
)

FAILED = Exit(
    means="failed, goes on; stderr becomes a warning for the model",
    failed=True,
    text="stderr",
    becomes="system",
    prefix="Warning: ",
    text_decision="allow",
)

KEYS = {
    "type": "type",
    "command": "spec",
    "timeout": "timeout",
    "name": "name",
    "description": "note",
    "tenterhook": "ours",
}

SETUP = Setup(
    folder=".llxprt/hooks/tenterhook",
    files=(".llxprt/settings.json",),
    command='"$LLXPRT_PROJECT_DIR/{path}"',
    wrappers=(
        Wrapper("handle-session-start.sh", "session-start", "SessionStart", 5000),
        Wrapper("handle-compact.sh", "compact", "PreCompress", 5000),
        Wrapper("handle-pre-tool.sh", "pre-tool", "BeforeTool", 5000, "^(write_file|replace|run_shell_command)$"),
        Wrapper("handle-post-tool.sh", "post-tool", "AfterTool", 60000, "^(write_file|replace)$"),
        Wrapper("handle-stop.sh", "stop", "AfterAgent", 5000),
        Wrapper("handle-agent-hook.sh", "agent"),
    ),
)

DIALECT = Dialect(
    name="llxprt",
    title="LLxprt Code",
    about="LLxprt Code, a fork of Gemini CLI; groups of command hooks, off unless enableHooks is true",
    events=EVENTS,
    base=(
        Field("session_id", "session"),
        Field("transcript_path", "transcript"),
        Field("cwd", "cwd"),
        Field("hook_event_name", "event"),
        Field("timestamp", "timestamp"),
    ),
    env={"LLXPRT_PROJECT_DIR": "cwd", "GEMINI_PROJECT_DIR": "cwd", "CLAUDE_PROJECT_DIR": "cwd"},
    exits={
        0: Exit(
            means="success; JSON is the answer, text is a system message",
            answer=True,
            text="stdout",
            becomes="system",
            text_decision="allow",
        ),
        2: Exit(
            means="block, stderr is the reason; stdout is not read",
            decision="deny",
            failed=True,
            text="stderr",
            becomes="reason",
        ),
        "other": FAILED,
        "signal": FAILED,
    },
    answers=ANSWERS,
    files=(
        File(path=".llxprt/settings.json", scope="project", format="jsonc"),
        File(path="~/.llxprt/settings.json", scope="user", format="jsonc"),
        File(path="/etc/llxprt-code/settings.json", scope="system", format="jsonc"),
        File(path=".llxprt/extensions/*/hooks/hooks.json", scope="project", format="jsonc", switches=False),
        File(path="~/.llxprt/extensions/*/hooks/hooks.json", scope="user", format="jsonc", switches=False),
    ),
    form=Form(group="hooks", keys=KEYS, group_keys={"matcher": "matcher", "sequential": "sequential"}),
    types=(
        Type(name="command", handler="command", key="command"),
        Type(name="plugin", handler="plugin", key="", form="none"),
    ),
    matcher="regex-search",
    timeout=60.0,
    unit="milliseconds",
    order="parallel-unless-sequential",
    chain_ends=("deny",),
    dedupe="command",
    switch="enableHooks",
    section="hookSpecificOutput",
    twice_encoded=True,
    audience={"system": "model"},
    marks={"system": "[System] {text}", "context": "[Context] {text}", "reason": "{text}"},
    tools={
        "Bash": ToolName("run_shell_command", {"timeout": "timeout_seconds"}),
        "Read": ToolName("read_file", {"file_path": "absolute_path"}),
        "Write": ToolName("write_file"),
        "Edit": ToolName("replace"),
        "Grep": ToolName("search_file_content", {"path": "dir_path", "glob": "include", "limit": "max_results"}),
        "Glob": ToolName("glob", {"path": "dir_path"}),
        "Task": ToolName("task", {"prompt": "goal_prompt", "subagent_type": "subagent_name"}),
    },
    mcp_files=(".llxprt/settings.json", "~/.llxprt/settings.json", ".mcp.json"),
    setup=SETUP,
    install=Install(
        project=".llxprt/settings.json",
        user="~/.llxprt/settings.json",
        folder="LLXPRT_PROJECT_DIR",
    ),
    notes=(
        "A type: plugin hook passes the check and fails when it runs: no such handler exists in this dialect.",
        "Any sequential group makes the whole event sequential; a block then ends the rest.",
        "A deny on AfterTool goes to the model as text; on AfterModel and BeforeToolSelection to the log.",
        "The reference agent's read_file counts lines from 1, and its paths may be relative to the project.",
    ),
)
