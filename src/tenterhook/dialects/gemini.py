"""Gemini CLI's hooks, as version 0.61.0 runs them: groups in settings.json, eleven events, JSON at any exit code."""

from tenterhook.dialects.schema.dialect import (
    AnswerChecks,
    AnswerField,
    AnswerSection,
    AnswerValue,
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
    Managed,
    MergeRules,
    MessageRules,
    Overrides,
    PayloadRules,
    PlanningRules,
    ReadingRules,
    Remarks,
    StopRules,
    Switches,
    TextRules,
    ToolName,
    ToolRules,
    Traces,
    Type,
)

TOOL = (Field("tool_name"), Field("tool_input"))
CALL = (Field("mcp_context"), Field("original_request_name"))
REQUEST = Field("llm_request")
RESPONSE = Field("llm_response")
# A context that is not delivered.
UNHEARD = {"context": "log"}

EVENTS = (
    EventRule(
        name="BeforeTool",
        kind="tool.before",
        about="before a tool executes",
        fields=(*TOOL, *CALL),
        target=EventTarget("tool_name"),
        can=Can(block=True, ask=True, unattended="stop"),
        deny=DenyRules("model", "reason"),
        stop=StopRules(reasons="join"),
        text=TextRules(audience=UNHEARD),
        merging=MergeRules(
            changes={"input": "replace"}, chain={"input": "tool_input"}, seen={"input": "overlay"}, reasons="join"
        ),
    ),
    EventRule(
        name="AfterTool",
        kind="tool.after",
        about="after a tool executed, before the model sees the result",
        fields=(*TOOL, Field("tool_response", "tool_output"), *CALL),
        target=EventTarget("tool_name"),
        deny=DenyRules("model", "feedback", replaces=True, erases=True),
        stop=StopRules(reasons="join"),
        merging=MergeRules(reasons="join"),
        firing=FiringRules(output="short-record", after_failures=True),
    ),
    EventRule(
        name="BeforeAgent",
        kind="prompt.submit",
        about="after a prompt came in, before the agent's turn",
        fields=(Field("prompt"),),
        can=Can(block=True),
        deny=DenyRules(erases=True),
        stop=StopRules(reasons="join"),
        merging=MergeRules(chain={"context": "prompt"}, reasons="join"),
    ),
    EventRule(
        name="AfterAgent",
        kind="turn.stop",
        about="after the agent's turn; a refusal is the next prompt, as often as it is said",
        fields=(Field("prompt"), Field("prompt_response"), Field("stop_hook_active")),
        can=Can(block=True),
        deny=DenyRules("model", "reason"),
        stop=StopRules(cap=0, reasons="join"),
        text=TextRules(audience=UNHEARD),
        merging=MergeRules(changes={"clear": "any"}, reasons="join"),
    ),
    EventRule(
        name="BeforeModel",
        kind="model.before",
        about="before a request goes to the model; a refusal ends the turn",
        fields=(REQUEST,),
        can=Can(block=True),
        text=TextRules(audience=UNHEARD),
        merging=MergeRules(
            changes={"request": "overlay-given", "response": "replace"},
            chain={"request": "llm_request"},
            seen={"request": "overlay"},
            response_needs="deny",
        ),
    ),
    EventRule(
        name="AfterModel",
        kind="model.after",
        about="after each piece of the model's response; a refusal is shown, and the response goes on",
        fields=(REQUEST, RESPONSE),
        text=TextRules(audience=UNHEARD),
        merging=MergeRules(changes={"response": "replace"}),
    ),
    EventRule(
        name="BeforeToolSelection",
        kind="tools.select",
        about="before the model decides which tools to call",
        fields=(REQUEST,),
        deny=DenyRules("log", "reason"),
        stop=StopRules("ignored"),
        text=TextRules(audience=UNHEARD),
        merging=MergeRules(changes={"tool_config": "tools-of-hooks"}),
    ),
    EventRule(
        name="SessionStart",
        kind="session.start",
        about="when a session starts; it starts whatever a hook decides",
        fields=(Field("source"),),
        target=EventTarget("source", values=("startup", "resume", "clear")),
        deny=DenyRules("log", "reason"),
        stop=StopRules("ignored", reasons="join"),
        merging=MergeRules(reasons="join"),
        overrides=Overrides(matcher="literal"),
    ),
    EventRule(
        name="SessionEnd",
        kind="session.end",
        about="when a session ends",
        fields=(Field("reason"),),
        target=EventTarget("reason", values=("exit", "clear", "logout", "prompt_input_exit", "other")),
        deny=DenyRules("log", "reason"),
        stop=StopRules("ignored"),
        text=TextRules(audience=UNHEARD),
        overrides=Overrides(matcher="literal"),
    ),
    EventRule(
        name="PreCompress",
        kind="compact.before",
        about="before the context may be compressed, which is before every call of the model",
        fields=(Field("trigger"),),
        target=EventTarget("trigger", values=("auto", "manual")),
        deny=DenyRules("log", "reason"),
        stop=StopRules("ignored"),
        text=TextRules(audience=UNHEARD),
        overrides=Overrides(matcher="literal"),
    ),
    EventRule(
        name="Notification",
        kind="notify",
        about="when the user is asked for a permission; grants and refuses nothing",
        fields=(Field("notification_type", "type"), Field("message"), Field("details")),
        deny=DenyRules("log", "reason"),
        stop=StopRules("ignored"),
        text=TextRules(audience=UNHEARD),
    ),
)

WORDS = {"allow": "allow", "approve": "allow", "ask": "ask", "deny": "deny", "block": "deny"}

ANSWERS = (
    AnswerField(path="decision", effect="decision", words=WORDS),
    AnswerField(path="reason", effect="reason", value=AnswerValue(written="text")),
    AnswerField(path="continue", effect="continue"),
    AnswerField(path="stopReason", effect="stop_reason", value=AnswerValue(written="text")),
    AnswerField(path="suppressOutput", effect="suppress"),
    AnswerField(path="systemMessage", effect="text", kind="system"),
    AnswerField(path="hookSpecificOutput.hookEventName", effect="note"),
    AnswerField(path="hookSpecificOutput.additionalContext", effect="text", kind="context"),
    AnswerField(path="hookSpecificOutput.tool_input", effect="input", events=("BeforeTool",)),
    AnswerField(
        path="hookSpecificOutput.tailToolCallRequest",
        effect="set",
        events=("AfterTool",),
        type="object",
        change="tail_call",
    ),
    AnswerField(
        path="hookSpecificOutput.clearContext", effect="set", events=("AfterAgent",), type="flag", change="clear"
    ),
    AnswerField(path="hookSpecificOutput.llm_request", effect="request", events=("BeforeModel",)),
    AnswerField(path="hookSpecificOutput.llm_response", effect="response", events=("BeforeModel",)),
    AnswerField(
        path="hookSpecificOutput.llm_response",
        effect="response",
        events=("AfterModel",),
        checks=AnswerChecks(needs="candidates.0.content.parts"),
    ),
    AnswerField(path="hookSpecificOutput.toolConfig", effect="tool_config", events=("BeforeToolSelection",)),
)

# At every exit a JSON object is the answer, on stdout or stderr; else the text of stdout counts, or of stderr.
TEXT = "stdout-or-stderr"

KEYS = {
    "type": "type",
    "command": "spec",
    "timeout": "timeout",
    "name": "name",
    "description": "note",
    "env": "env",
    "tenterhook": "ours",
}

ON_A_MAC = "/Library/Application Support/GeminiCli"
# ${extensionPath} in a command is a variable of its environment.
EXTENSION = {"extensionPath": ".."}

DIALECT = Dialect(
    name="gemini",
    version="0.61.0",
    title="Gemini CLI",
    about="Gemini CLI 0.61.0 as it runs: groups of command hooks in settings.json and in extensions",
    events=EVENTS,
    payload=PayloadRules(
        base=(
            Field("session_id", "session"),
            Field("transcript_path", "transcript"),
            Field("cwd", "cwd"),
            Field("hook_event_name", "event"),
            Field("timestamp", "timestamp"),
        ),
        env={
            "GEMINI_PROJECT_DIR": "cwd",
            "GEMINI_PLANS_DIR": ".plans_dir?",
            "GEMINI_CWD": "cwd",
            "GEMINI_SESSION_ID": "session",
            "CLAUDE_PROJECT_DIR": "cwd",
        },
        written=("GEMINI_PROJECT_DIR", "GEMINI_CWD", "GEMINI_PLANS_DIR", "GEMINI_SESSION_ID", "CLAUDE_PROJECT_DIR"),
    ),
    reading=ReadingRules(
        exits={
            0: Exit(
                means="JSON is the answer, text is shown to the user",
                text=ExitText(TEXT, "system", decision="allow"),
                answer=ExitAnswer(yields=True),
            ),
            1: Exit(
                means="JSON is the answer, text is shown to the user as a warning",
                failed=True,
                text=ExitText(TEXT, "system", prefix="Warning: ", decision="allow"),
                answer=ExitAnswer(unhealthy=True, yields=True),
            ),
            "other": Exit(
                means="JSON is the answer, text blocks and is the reason; without either it goes on",
                decision="deny",
                failed=True,
                text=ExitText(TEXT, "reason", needed=True),
                answer=ExitAnswer(unhealthy=True, yields=True),
            ),
            "signal": Exit(
                means="as exit 0, but failed",
                failed=True,
                text=ExitText(TEXT, "system", decision="allow"),
                answer=ExitAnswer(yields=True),
            ),
        },
        answers=ANSWERS,
        section=AnswerSection(name="hookSpecificOutput", broken="ruins"),
        source=TEXT,
        twice_encoded=True,
        broken="text",
        other_json="nothing",
    ),
    config=ConfigRules(
        traces=Traces(programs=("gemini",), paths=("~/.gemini",)),
        files=(
            File(
                path="/etc/gemini-cli/system-defaults.json",
                scope="defaults",
                format="jsonc",
                variable="GEMINI_CLI_SYSTEM_DEFAULTS_PATH",
            ),
            File(path=f"{ON_A_MAC}/system-defaults.json", scope="defaults", format="jsonc"),
            File(path="~/.gemini/settings.json", scope="user", format="jsonc"),
            File(path=".gemini/settings.json", scope="project", format="jsonc"),
            File(
                path="/etc/gemini-cli/settings.json",
                scope="system",
                format="jsonc",
                variable="GEMINI_CLI_SYSTEM_SETTINGS_PATH",
            ),
            File(path=f"{ON_A_MAC}/settings.json", scope="system", format="jsonc"),
            File(
                path="~/.gemini/extensions/*/hooks/hooks.json",
                scope="user",
                format="json",
                switches=False,
                origin="plugin",
                env=EXTENSION,
            ),
        ),
        form=Form(group="hooks", keys=KEYS, group_keys={"matcher": "matcher_trimmed", "sequential": "sequential"}),
        types=(
            Type(name="command", handler="command", key="command", spec={"shell": "bash"}),
            Type(name="runtime", handler="plugin", key="", form="none", does="inert"),
            Type(name="plugin", handler="plugin", key="", form="none", does="inert"),
        ),
        unit="milliseconds",
        switches=Switches(off=("hooksConfig.enabled", False), disabled="hooksConfig.disabled"),
    ),
    planning=PlanningRules(
        matcher="regex-search@javascript", timeout=60.0, order="parallel-unless-sequential", dedupe="name-command"
    ),
    messages=MessageRules(marks={"context": "<hook_context>{text}</hook_context>"}),
    tools=ToolRules(
        names={
            "Bash": ToolName("run_shell_command"),
            "Read": ToolName("read_file"),
            "Write": ToolName("write_file"),
            "Edit": ToolName("replace", {"replace_all": "allow_multiple"}),
            "Grep": ToolName(
                "grep_search", {"path": "dir_path", "glob": "include_pattern", "limit": "total_max_matches"}
            ),
            "Glob": ToolName("glob", {"path": "dir_path"}),
            "Task": ToolName("invoke_agent", {"subagent_type": "agent_name"}),
        },
        further=("ask_user", "write_todos", "read_many_files", "list_directory"),
        mcp_tool="mcp_{server}_{tool}",
        mcp_files=(".gemini/settings.json", "~/.gemini/settings.json", ".mcp.json"),
    ),
    install=Install(
        project=".gemini/settings.json",
        user="~/.gemini/settings.json",
        folder="GEMINI_PROJECT_DIR",
        limits=("a project's hooks run only in a folder that you trust; without a terminal it refuses any other",),
        managed=Managed(
            linux="/etc/gemini-cli/settings.json",
            macos=f"{ON_A_MAC}/settings.json",
            windows=r"C:\ProgramData\gemini-cli\settings.json",
            limits=(
                "a user can name another file with GEMINI_CLI_SYSTEM_SETTINGS_PATH: give them a gemini that sets it",
            ),
        ),
    ),
    remarks=Remarks(cautions={"approval": "the folder", "keys": "its own"}),
    notes=(
        "The agent writes the value of $GEMINI_PROJECT_DIR and its other variables into a command where they stand "
        "without braces, in quotes of its own: in double quotes that breaks where the path has a blank. Write "
        '"${GEMINI_PROJECT_DIR}", which the shell fills in. Here the shell fills in both.',
        "The agent's own document says otherwise of exit codes: only 0 and 1 let a hook with text pass, and exit 2 "
        "without text does not block.",
        "A tool_input is the whole input: what a hook leaves out is gone. A hook later in a chain is shown both laid "
        "over each other, and all the same only the last hook's object is used.",
        "A permissionDecision, as Claude Code has it, is not read.",
        "A hookSpecificOutput that is a text, a number or true loses what all hooks of the event answered, a "
        "refusal too.",
        "A reason that is a list is told as text. A refusal's reason holds those of all hooks, of those that "
        "allow, too.",
        "On BeforeModel and AfterModel a later hook's answer, even plain text, undoes an earlier hook's deny in the "
        "agent itself. Here a deny stays.",
        "If no user can be asked, an ask ends the agent without a message.",
        "A tail call to a tool that the same hook matches never ends.",
        "Without a mode on toolConfig the mode is AUTO.",
        "${/} and ${pathSeparator} in an extension's commands are not filled in; ${extensionPath} is.",
    ),
)
