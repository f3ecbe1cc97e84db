"""Qwen Code's hooks, as version 0.24.4 runs them: Claude Code's names, Gemini CLI's files, answers of its own."""

from tenterhook.dialects._qwen import EVENTS
from tenterhook.dialects.schema.dialect import (
    AnswerChecks,
    AnswerField,
    AnswerSection,
    AnswerValue,
    ConfigRules,
    Dialect,
    Exit,
    ExitAnswer,
    ExitText,
    Field,
    File,
    Form,
    Install,
    Managed,
    PayloadRules,
    PlanningRules,
    ReadingRules,
    Remarks,
    Section,
    Switches,
    ToolName,
    ToolRules,
    Traces,
    Type,
)

PERMISSIONS = {"allow": "allow", "ask": "ask", "deny": "deny"}
WORDS = {**PERMISSIONS, "approve": "allow", "block": "deny"}
CALLED = ("PreToolUse",)
ASKED = ("PermissionRequest",)
TODOS = ("TodoCreated", "TodoCompleted")
STOPS = ("Stop", "SubagentStop")
NOT_STOPS = tuple(rule.name for rule in EVENTS if rule.name not in STOPS)
DECIDING = tuple(rule.name for rule in EVENTS if rule.name not in (*ASKED, *TODOS))

ANSWERS = (
    AnswerField(path="decision", effect="decision", events=DECIDING, words=WORDS),
    AnswerField(path="decision", effect="decision", events=TODOS, words={"allow": "allow", "block": "deny"}),
    AnswerField(path="reason", effect="reason", events=NOT_STOPS, value=AnswerValue(written="text")),
    AnswerField(path="reason", effect="reason", events=STOPS, checks=AnswerChecks(fatal=True)),
    AnswerField(path="continue", effect="continue"),
    AnswerField(path="stopReason", effect="stop_reason", value=AnswerValue(written="text")),
    AnswerField(path="suppressOutput", effect="suppress"),
    AnswerField(path="systemMessage", effect="text", kind="system"),
    AnswerField(path="terminalSequence", effect="set", events=("Notification",), type="text", change="terminal"),
    AnswerField(path="hookSpecificOutput.hookEventName", effect="note"),
    AnswerField(path="hookSpecificOutput.permissionDecision", effect="decision", events=CALLED, words=PERMISSIONS),
    AnswerField(path="hookSpecificOutput.permissionDecisionReason", effect="reason", events=CALLED),
    AnswerField(path="hookSpecificOutput.tool_input", effect="input", events=CALLED),
    AnswerField(path="hookSpecificOutput.additionalContext", effect="text", kind="context"),
    AnswerField(
        path="hookSpecificOutput.decision.behavior",
        effect="decision",
        events=ASKED,
        words={"allow": "allow", "deny": "deny"},
    ),
    AnswerField(path="hookSpecificOutput.decision.message", effect="reason", events=ASKED),
    AnswerField(path="hookSpecificOutput.decision.updatedInput", effect="input", events=ASKED),
    AnswerField(
        path="hookSpecificOutput.decision.interrupt", effect="set", events=ASKED, type="flag", change="interrupt"
    ),
    AnswerField(
        path="hookSpecificOutput.decision.updatedPermissions",
        effect="set",
        events=ASKED,
        type="list",
        change="permissions",
    ),
)

WARNED = Exit(
    means="JSON is the answer, text is shown to the user as a warning",
    failed=True,
    text=ExitText("stdout-or-stderr", "system", prefix="Warning: ", also_reason=True, decision="allow"),
    answer=ExitAnswer(unhealthy=True, yields=True, broken_fails="{"),
)

KEYS = {
    "type": "type",
    "command": "spec",
    "url": "spec",
    "prompt": "spec",
    "model": "spec",
    "headers": "spec_texts",
    "allowedEnvVars": "env",
    "timeout": "timeout",
    "name": "name",
    "description": "note",
    "env": "env",
    "shell": "spec",
    "async": "background",
    "once": "once",
    "statusMessage": "note",
    "tenterhook": "ours",
}

# Other names that matchers accept for a tool: the displayed name, and names of other agents or older versions.
SHOWN = {
    "agent": "Agent",
    "ask_user_question": "AskUserQuestion",
    "edit": "Edit",
    "enter_plan_mode": "EnterPlanMode",
    "exit_plan_mode": "ExitPlanMode",
    "glob": "Glob",
    "grep_search": "Grep",
    "list_directory": "ListFiles",
    "lsp": "Lsp",
    "monitor": "Monitor",
    "notebook_edit": "NotebookEdit",
    "read_file": "ReadFile",
    "read_mcp_resource": "ReadMcpResource",
    "run_shell_command": "Shell",
    "save_memory": "SaveMemory",
    "send_message": "SendMessage",
    "skill": "Skill",
    "task_create": "TaskCreate",
    "task_list": "TaskList",
    "task_stop": "TaskStop",
    "task_update": "TaskUpdate",
    "todo_write": "TodoList",
    "tool_call": "ToolCall",
    "tool_search": "ToolSearch",
    "web_fetch": "WebFetch",
    "web_search": "WebSearch",
    "workflow": "Workflow",
    "write_file": "WriteFile",
}
BESIDES = {
    "agent": ("task", "Task", "TaskTool"),
    "edit": ("replace",),
    "glob": ("FindFiles",),
    "grep_search": ("search_file_content", "SearchFiles"),
    "list_directory": ("ReadFolder",),
    "read_file": ("Read",),
    "run_shell_command": ("Bash",),
    "todo_write": ("TodoWrite", "TodoWriteTool"),
    "write_file": ("Write",),
}

# Hooks in the frontmatter of a skill or an agent count from its first use on.
SKILL = (Section(hooks="hooks", agent="name", by_folder=True),)
AGENT = (Section(hooks="hooks", agent="name"),)
ON_A_MAC = "/Library/Application Support/QwenCode"

DIALECT = Dialect(
    name="qwen",
    version="0.24.4",
    title="Qwen Code",
    about="Qwen Code 0.24.4 as it runs: groups of hooks in settings.json, in extensions, skills and agents",
    events=EVENTS,
    payload=PayloadRules(
        base=(
            Field("session_id", "session"),
            Field("source_type"),
            Field("source_id"),
            Field("transcript_path", "transcript"),
            Field("cwd", "cwd"),
            Field("hook_event_name", "event"),
            Field("timestamp", "timestamp"),
            Field("permission_mode"),
            Field("agent_id"),
            Field("prompt_id"),
        ),
        env={
            "QWEN_PROJECT_DIR": "cwd",
            "GEMINI_PROJECT_DIR": "cwd",
            "CLAUDE_PROJECT_DIR": "cwd",
            "QWEN_CODE_SESSION_ID": "session",
            "QWEN_CODE_PROJECT_DIR": "project",
            "QWEN_CODE_AGENT_ID": ".agent_id",
            "QWEN_CODE_PROMPT_ID": ".prompt_id",
        },
        version_in="QWEN_CODE_STARTUP_VERSION",
        written=("QWEN_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR"),
    ),
    reading=ReadingRules(
        exits={
            0: Exit(
                means="JSON is the answer, text is context or shown to the user",
                text=ExitText("stdout-or-stderr", "plain", else_becomes="system", decision="allow"),
                answer=ExitAnswer(yields=True, broken_fails="{"),
            ),
            2: Exit(
                means="stderr is read alone: JSON is the answer, text blocks and is the reason; "
                "without either it goes on",
                decision="deny",
                failed=True,
                text=ExitText("stderr", "reason", needed=True),
                answer=ExitAnswer(source="stderr", unhealthy=True, yields=True),
            ),
            "other": WARNED,
            "signal": WARNED,
        },
        answers=ANSWERS,
        section=AnswerSection(name="hookSpecificOutput", outranks=True, broken="ruins-several"),
        source="stdout-or-stderr",
        twice_encoded=True,
    ),
    config=ConfigRules(
        traces=Traces(programs=("qwen",), paths=("~/.qwen",)),
        files=(
            File(path=".qwen/settings.json", scope="project", format="jsonc"),
            File(path="~/.qwen/settings.json", scope="user", format="jsonc"),
            File(
                path="/etc/qwen-code/system-defaults.json",
                scope="defaults",
                format="jsonc",
                variable="QWEN_CODE_SYSTEM_DEFAULTS_PATH",
            ),
            File(path=f"{ON_A_MAC}/system-defaults.json", scope="defaults", format="jsonc"),
            File(
                path="/etc/qwen-code/settings.json",
                scope="system",
                format="jsonc",
                variable="QWEN_CODE_SYSTEM_SETTINGS_PATH",
            ),
            File(path=f"{ON_A_MAC}/settings.json", scope="system", format="jsonc"),
            File(
                path="~/.qwen/extensions/*/qwen-extension.json",
                scope="user",
                format="json",
                switches=False,
                origin="plugin",
                env={"CLAUDE_PLUGIN_ROOT": "."},
            ),
            File(
                path="~/.qwen/extensions/*/hooks/hooks.json",
                scope="user",
                format="json",
                switches=False,
                origin="plugin",
                env={"CLAUDE_PLUGIN_ROOT": ".."},
            ),
            File(path=".qwen/skills/*/SKILL.md", scope="project", format="frontmatter", sections=SKILL, origin="skill"),
            File(path="~/.qwen/skills/*/SKILL.md", scope="user", format="frontmatter", sections=SKILL, origin="skill"),
            File(path=".qwen/agents/*.md", scope="project", format="frontmatter", sections=AGENT, origin="agent"),
            File(path="~/.qwen/agents/*.md", scope="user", format="frontmatter", sections=AGENT, origin="agent"),
        ),
        form=Form(group="hooks", keys=KEYS, group_keys={"matcher": "matcher_trimmed", "sequential": "sequential"}),
        types=(
            Type(name="command", handler="command", key="command", spec={"shell": "bash"}, ignores=("once",)),
            Type(name="http", handler="http", key="url", form="url", timeout=600.0, unit="seconds"),
            Type(
                name="prompt",
                handler="prompt",
                key="prompt",
                form="prompt",
                timeout=30.0,
                unit="seconds",
                ignores=("once",),
            ),
            Type(name="function", handler="plugin", key="", form="none", does="inert"),
        ),
        unit="seconds-below-1000",
        switches=Switches(off=("disableAllHooks", True)),
    ),
    planning=PlanningRules(
        matcher="names-and-regex@javascript",
        timeout=60.0,
        order="parallel-unless-sequential",
        agent_from=("agent_type", "skill"),
        aliases={name: (shown, f"{shown}Tool", *BESIDES.get(name, ())) for name, shown in SHOWN.items()},
        dedupe="name-main",
    ),
    tools=ToolRules(
        names={
            "Bash": ToolName("run_shell_command"),
            "Read": ToolName("read_file"),
            "Write": ToolName("write_file"),
            "Edit": ToolName("edit"),
            "Grep": ToolName("grep_search"),
            "Glob": ToolName("glob"),
            "Task": ToolName("agent"),
        },
        mcp_files=(".qwen/settings.json", "~/.qwen/settings.json", ".mcp.json"),
    ),
    install=Install(
        project=".qwen/settings.json",
        user="~/.qwen/settings.json",
        folder="QWEN_PROJECT_DIR",
        no_door="its http hooks let the operation go on where the server is away, and no setting changes that",
        limits=("a project's hooks run only in a folder that you trust",),
        managed=Managed(
            linux="/etc/qwen-code/settings.json",
            macos=f"{ON_A_MAC}/settings.json",
            windows=r"C:\ProgramData\qwen-code\settings.json",
            limits=("a user can name another file with QWEN_CODE_SYSTEM_SETTINGS_PATH: give them a qwen that sets it",),
        ),
    ),
    remarks=Remarks(cautions={"approval": "the folder", "keys": "the provider"}),
    notes=(
        "The agent writes the folder into a command where $QWEN_PROJECT_DIR stands without braces, in quotes of its "
        "own: in double quotes that breaks where the path has a blank. Write "
        '"${QWEN_PROJECT_DIR}", which the shell fills in. Here the shell fills in both.',
        "A command's time-out is in seconds; a number from 1000 on is taken for milliseconds, as older versions wrote.",
        "At exit 2 stdout is not read at all: without text on stderr the operation goes on, whatever was printed.",
        "continue: false refuses the one call, prompt or end of a turn, and the agent goes on; after a tool its reason "
        "takes the place of the result.",
        "An updatedInput on PreToolUse is not used. A tool_input is shown to the next hook of a chain, and not used "
        "either.",
        "The agent lays the answers of several hooks on PreToolUse over each other: the last permissionDecision "
        "counts, "
        "and its reason. An allow of one hook takes back what another refused, by exit 2 or decision block, too; a "
        "strict "
        "engine lets the refusal stand.",
        "A hookSpecificOutput that is a text, a number or true loses the answer on PreToolUse, and beside another "
        "answer "
        "both of them; so does a reason that is not text when the agent wants to stop.",
        "Of several hooks after a tool of which one wants to stop, the agent tells the model the last stopReason, or "
        "else the reasons of all of them; here the model is told what each hook says that wants to stop.",
        "A context at SubagentStart is not delivered.",
        "On TodoCreated and TodoCompleted deny and exit 2 refuse nothing, unless another hook has answered too; and "
        "in their phase postWrite nothing does.",
        "A stop is refused seven times in a row at most; QWEN_CODE_STOP_HOOK_BLOCK_CAP changes that in the agent.",
        "The reference agent's run_shell_command takes its timeout in seconds.",
    ),
)
