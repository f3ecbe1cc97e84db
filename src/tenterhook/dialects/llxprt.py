"""LLxprt Code's hooks: groups in settings.json, five events with a caller and six without."""

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
    StopRules,
    Switches,
    TextRules,
    ToolName,
    ToolRules,
    Traces,
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
        fields=TOOL,
        target=EventTarget("tool_name"),
        can=Can(block=True),
        deny=DenyRules("model", "reason"),
        merging=MergeRules(changes={"input": "overlay"}, chain={"input": "tool_input"}, reasons="join"),
    ),
    EventRule(
        name="AfterTool",
        kind="tool.after",
        about="after a tool executed, before the model sees the result",
        fields=(*TOOL, Field("tool_response", "tool_output")),
        target=EventTarget("tool_name"),
        deny=DenyRules("model", "feedback"),
        merging=MergeRules(reasons="join"),
        firing=FiringRules(output="record", after_failures=True),
    ),
    EventRule(
        name="BeforeModel",
        kind="model.before",
        about="before a request goes to the model",
        fields=(REQUEST,),
        can=Can(block=True),
        deny=DenyRules("model", "reason"),
        merging=MergeRules(
            changes={"request": "overlay-last", "response": "replace"},
            chain={"request": "llm_request"},
            response_needs="block",
        ),
    ),
    EventRule(
        name="AfterModel",
        kind="model.after",
        about="after the model's complete response",
        fields=(REQUEST, RESPONSE),
        deny=DenyRules("log", "reason"),
        stop=StopRules(response=True),
        merging=MergeRules(changes={"response": "replace"}),
    ),
    EventRule(
        name="BeforeToolSelection",
        kind="tools.select",
        about="before the model decides which tools to call",
        fields=(REQUEST,),
        deny=DenyRules("log", "reason"),
        merging=MergeRules(changes={"tool_config": "union-tools"}),
    ),
    EventRule(
        name="BeforeAgent",
        kind="prompt.submit",
        about="before the agent's turn; its answers are not applied",
        fields=(Field("prompt"),),
        stop=StopRules("ignored"),
        text=TextRules(muted=True),
        merging=MergeRules(chain={"context": "prompt"}, reasons="join"),
        firing=FiringRules(awaited=False),
    ),
    EventRule(
        name="AfterAgent",
        kind="turn.stop",
        about="after the agent's turn; its answers are not applied",
        fields=(Field("prompt"), Field("prompt_response"), Field("stop_hook_active")),
        stop=StopRules("ignored"),
        text=TextRules(muted=True),
        merging=MergeRules(reasons="join"),
        firing=FiringRules(awaited=False),
    ),
    EventRule(
        name="SessionStart",
        kind="session.start",
        about="when a session starts; its answers are not applied",
        fields=(Field("source"),),
        stop=StopRules("ignored"),
        text=TextRules(muted=True),
        merging=MergeRules(reasons="join"),
        firing=FiringRules(awaited=False),
    ),
    EventRule(
        name="SessionEnd",
        kind="session.end",
        about="when a session ends; its answers are not applied",
        fields=(Field("reason"),),
        stop=StopRules("ignored"),
        text=TextRules(muted=True),
        firing=FiringRules(awaited=False),
    ),
    EventRule(
        name="PreCompress",
        kind="compact.before",
        about="before the context is compressed; its answers are not applied",
        fields=(Field("trigger"),),
        stop=StopRules("ignored"),
        text=TextRules(muted=True),
        firing=FiringRules(awaited=False),
    ),
    EventRule(
        name="Notification",
        kind="notify",
        about="when a notification is sent; its answers are not applied",
        fields=(Field("notification_type", "type"), Field("message"), Field("details")),
        stop=StopRules("ignored"),
        text=TextRules(muted=True),
        firing=FiringRules(awaited=False),
    ),
)

# "ask" is reserved for later use and lets the operation go on.
WORDS = {"allow": "allow", "approve": "allow", "ask": "allow", "deny": "deny", "block": "deny"}
CALL = ("BeforeTool",)

ANSWERS = (
    AnswerField(path="decision", effect="decision", words=WORDS),
    AnswerField(path="reason", effect="reason"),
    AnswerField(path="continue", effect="continue"),
    AnswerField(path="stopReason", effect="stop_reason"),
    AnswerField(path="suppressOutput", effect="suppress"),
    AnswerField(path="systemMessage", effect="text", kind="system"),
    AnswerField(path="hookSpecificOutput.hookEventName", effect="note"),
    AnswerField(path="hookSpecificOutput.permissionDecision", effect="decision", events=CALL, words=WORDS),
    AnswerField(path="hookSpecificOutput.permissionDecisionReason", effect="reason", events=CALL),
    AnswerField(path="hookSpecificOutput.tool_input", effect="input", events=CALL),
    AnswerField(path="hookSpecificOutput.additionalContext", effect="text", kind="context"),
    AnswerField(path="hookSpecificOutput.llm_request", effect="request", events=("BeforeModel",)),
    AnswerField(path="hookSpecificOutput.llm_response", effect="response", events=("BeforeModel", "AfterModel")),
    AnswerField(path="hookSpecificOutput.toolConfig", effect="tool_config", events=("BeforeToolSelection",)),
)

FAILED = Exit(
    means="failed, goes on; stderr becomes a warning for the model",
    failed=True,
    text=ExitText("stderr", "system", prefix="Warning: ", decision="allow"),
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
    payload=PayloadRules(
        base=(
            Field("session_id", "session"),
            Field("transcript_path", "transcript"),
            Field("cwd", "cwd"),
            Field("hook_event_name", "event"),
            Field("timestamp", "timestamp"),
        ),
        env={"LLXPRT_PROJECT_DIR": "cwd", "GEMINI_PROJECT_DIR": "cwd", "CLAUDE_PROJECT_DIR": "cwd"},
    ),
    reading=ReadingRules(
        exits={
            0: Exit(
                means="success; JSON is the answer, text is a system message",
                text=ExitText("stdout", "system", decision="allow"),
                answer=ExitAnswer(),
            ),
            2: Exit(
                means="block, stderr is the reason; stdout is not read",
                decision="deny",
                failed=True,
                text=ExitText("stderr", "reason"),
            ),
            "other": FAILED,
            "signal": FAILED,
        },
        answers=ANSWERS,
        section=AnswerSection(name="hookSpecificOutput", reason_outranks=True),
        twice_encoded=True,
        broken="text",
        other_json="nothing",
    ),
    config=ConfigRules(
        traces=Traces(programs=("llxprt",), paths=("~/.llxprt",)),
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
        unit="milliseconds",
        switches=Switches(on="enableHooks"),
    ),
    planning=PlanningRules(
        matcher="regex-search", timeout=60.0, order="parallel-unless-sequential", chain_ends=("deny",), dedupe="command"
    ),
    messages=MessageRules(
        audience={"system": "model"},
        marks={"system": "[System] {text}", "context": "[Context] {text}", "reason": "{text}"},
    ),
    tools=ToolRules(
        open=True,
        names={
            "Bash": ToolName("run_shell_command", {"timeout": "timeout_seconds"}),
            "Read": ToolName("read_file", {"file_path": "absolute_path"}),
            "Write": ToolName("write_file"),
            "Edit": ToolName("replace"),
            "Grep": ToolName("search_file_content", {"path": "dir_path", "glob": "include", "limit": "max_results"}),
            "Glob": ToolName("glob", {"path": "dir_path"}),
            "Task": ToolName("task", {"prompt": "goal_prompt", "subagent_type": "subagent_name"}),
        },
        further=("read_many_files", "list_directory"),
        mcp_files=(".llxprt/settings.json", "~/.llxprt/settings.json", ".mcp.json"),
    ),
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
