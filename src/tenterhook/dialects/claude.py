"""Claude Code as shipped, measured on the program itself: thirty-three events, five types of hooks."""

from tenterhook.dialects._claude_around import AROUND
from tenterhook.dialects._claude_turn import TURN
from tenterhook.dialects.schema.dialect import (
    AnswerField,
    AnswerSection,
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
    MessageRules,
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

HSO = "hookSpecificOutput"
ASKED = "PermissionRequest"
PROMPTS = ("UserPromptSubmit", "UserPromptExpansion")
STOPS = ("Stop", "SubagentStop")
ELICITED = ("Elicitation", "ElicitationResult")
WATCHING = ("SessionStart", "CwdChanged", "FileChanged")
CONTEXT = (
    *("SessionStart", "Setup", *PROMPTS, "PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch"),
    *("SubagentStart", "PostModelSwitch", "Notification"),
)
OTHERS = tuple(rule.name for rule in (*TURN, *AROUND) if rule.name not in (ASKED, *ELICITED))

ANSWERS = (
    AnswerField(path="continue", effect="continue"),
    AnswerField(path="stopReason", effect="stop_reason"),
    AnswerField(path="suppressOutput", effect="note", type="flag"),
    AnswerField(path="systemMessage", effect="text", kind="system"),
    AnswerField(path="terminalSequence", effect="set", type="text", change="terminal"),
    AnswerField(path="async", effect="note", type="flag"),
    AnswerField(path="asyncTimeout", effect="note", type="number"),
    AnswerField(path="decision", effect="decision", events=OTHERS, words={"approve": "allow", "block": "deny"}),
    AnswerField(path="decision", effect="note", events=(ASKED, *ELICITED), type="text"),
    AnswerField(path="reason", effect="reason", events=OTHERS),
    AnswerField(path="reason", effect="note", events=(ASKED, *ELICITED), type="text"),
    AnswerField(
        path=f"{HSO}.permissionDecision",
        effect="decision",
        events=("PreToolUse",),
        words={"allow": "allow", "deny": "deny", "ask": "ask", "defer": "defer"},
    ),
    AnswerField(
        path=f"{HSO}.permissionDecision",
        effect="decision",
        events=("PreModelSwitch",),
        words={"allow": "allow", "deny": "deny", "ask": "ask"},
    ),
    AnswerField(path=f"{HSO}.permissionDecisionReason", effect="reason", events=("PreToolUse", "PreModelSwitch")),
    AnswerField(path=f"{HSO}.updatedInput", effect="input", events=("PreToolUse",)),
    AnswerField(path=f"{HSO}.additionalContext", effect="text", events=CONTEXT, kind="context"),
    AnswerField(path=f"{HSO}.additionalContext", effect="hold", events=STOPS),
    AnswerField(path=f"{HSO}.updatedToolOutput", effect="output", events=("PostToolUse",)),
    AnswerField(path=f"{HSO}.updatedMCPToolOutput", effect="output", events=("PostToolUse",)),
    AnswerField(
        path=f"{HSO}.classifierContext", effect="set", events=("PostToolUse",), type="text", change="classifier"
    ),
    AnswerField(
        path=f"{HSO}.decision.behavior", effect="decision", events=(ASKED,), words={"allow": "allow", "deny": "deny"}
    ),
    AnswerField(path=f"{HSO}.decision.message", effect="reason", events=(ASKED,)),
    AnswerField(path=f"{HSO}.decision.updatedInput", effect="input", events=(ASKED,)),
    AnswerField(
        path=f"{HSO}.decision.updatedPermissions", effect="set", events=(ASKED,), type="list", change="permissions"
    ),
    AnswerField(path=f"{HSO}.decision.interrupt", effect="set", events=(ASKED,), type="flag", change="interrupt"),
    AnswerField(path=f"{HSO}.retry", effect="set", events=("PermissionDenied",), type="flag", change="retry"),
    AnswerField(
        path=f"{HSO}.initialUserMessage", effect="set", events=("SessionStart",), type="text", change="first_prompt"
    ),
    AnswerField(
        path=f"{HSO}.sessionTitle", effect="set", events=("SessionStart", PROMPTS[0]), type="text", change="title"
    ),
    AnswerField(path=f"{HSO}.suppressOriginalPrompt", effect="set", events=PROMPTS, type="flag", change="hide_prompt"),
    AnswerField(path=f"{HSO}.watchPaths", effect="set", events=WATCHING, type="list", change="watch"),
    AnswerField(
        path=f"{HSO}.reloadSkills", effect="set", events=("SessionStart",), type="flag", change="reload_skills"
    ),
    AnswerField(path=f"{HSO}.displayContent", effect="set", events=("MessageDisplay",), type="text", change="shown"),
    AnswerField(path=f"{HSO}.worktreePath", effect="set", events=("WorktreeCreate",), type="text", change="path"),
    AnswerField(
        path=f"{HSO}.action",
        effect="decision",
        events=ELICITED,
        words={"accept": "allow", "decline": "deny", "cancel": "deny"},
    ),
    AnswerField(path=f"{HSO}.content", effect="set", events=ELICITED, type="object", change="elicited"),
)

KEYS = {
    "type": "type",
    "if": "rule",
    "timeout": "timeout",
    "statusMessage": "note",
    "once": "once_in_skill",
    "command": "spec",
    "args": "words",
    "shell": "spec",
    "async": "background",
    "asyncRewake": "wakes",
    "onFailure": "closed",
    "url": "spec",
    "headers": "spec_texts",
    "allowedEnvVars": "env",
    "server": "spec",
    "tool": "spec",
    "input": "spec_object",
    "prompt": "spec",
    "model": "spec",
    "continueOnBlock": "spec_flag",
    "tenterhook": "ours",
}

IN_AGENT = (Section(agent="name", renames={"Stop": "SubagentStop"}),)
IN_SKILL = (Section(agent="name", by_folder=True),)
PLUGIN = {"CLAUDE_PLUGIN_ROOT": ".."}

ON_A_MAC = "/Library/Application Support/ClaudeCode"

INSTALL = Install(
    project=".claude/settings.json",
    user="~/.claude/settings.json",
    folder="CLAUDE_PROJECT_DIR",
    closed="block",
    variables="env",
    read_by={
        "Cursor": "if its setting for third-party hooks is on; it is answered in its own form",
        "VS Code": "it obeys the same answers, by its documents",
        "Grok Build": "its form is not known, so every call of a tool is refused where a hook guards",
    },
    limits=(
        "a project's hooks wait until you trust the folder; with -p every folder is trusted",
        "onFailure: block counts from 2.1.295 on; before, the operation goes on where the command fails",
    ),
    managed=Managed(
        linux="/etc/claude-code/managed-settings.d/tenterhook.json",
        macos=f"{ON_A_MAC}/managed-settings.d/tenterhook.json",
        windows=r"C:\Program Files\ClaudeCode\managed-settings.d\tenterhook.json",
        limits=(
            "managed-settings.d is read from 2.1.83 on",
            "settings that a server or device management gives take the place of the files",
            "allowManagedHooksOnly in a file there switches off the hooks of users and projects",
            "onFailure: block counts from 2.1.295 on; before, the operation goes on where the command fails",
        ),
    ),
)

DIALECT = Dialect(
    name="claude",
    version="2.1.325",
    title="Claude Code",
    about="Claude Code as shipped: settings of every scope, plugins, skills and agents",
    events=(*TURN, *AROUND),
    payload=PayloadRules(
        base=(
            Field("session_id", "session"),
            Field("transcript_path", "transcript"),
            Field("cwd", "cwd"),
            Field("prompt_id"),
            Field("permission_mode"),
            Field("agent_id"),
            Field("agent_type"),
            Field("effort"),
            Field("scratchpad_dir"),
            Field("hook_event_name", "event"),
        ),
        env={
            "CLAUDE_PROJECT_DIR": "project",
            "CLAUDECODE": "=1",
            "CLAUDE_CODE_SESSION_ID": "session",
            "CLAUDE_CODE_ENTRYPOINT": "=cli",
            "CLAUDE_PID": "pid",
            "CLAUDE_EFFORT": ".effort.level?",
        },
        version_in="AI_AGENT=claude-code_",
        env_without=("OTEL_",),
        newline=True,
    ),
    reading=ReadingRules(
        exits={
            0: Exit(
                means="success; a JSON object is the answer, and other text in braces is an error",
                text=ExitText("stdout", "plain"),
                answer=ExitAnswer(broken_fails="{", broken_closed=True),
            ),
            2: Exit(
                means="block, whatever the JSON says; its reason to block, else stderr",
                decision="deny",
                text=ExitText("stderr", "reason"),
                answer=ExitAnswer(blocking_reason=True),
            ),
            "other": Exit(
                means="JSON decides alone; without it an error, and stderr is shown to the user",
                failed=True,
                text=ExitText("stderr", "error"),
                answer=ExitAnswer(yields=True),
            ),
        },
        answers=ANSWERS,
        section=AnswerSection(name=HSO, event="hookEventName", unnamed="void"),
        broken="text",
        wrong_types="void-also-null",
    ),
    config=ConfigRules(
        traces=Traces(programs=("claude",), paths=("~/.claude", "~/.claude.json")),
        files=(
            File(path="/etc/claude-code/managed-settings.json", scope="system", format="json"),
            File(path="/etc/claude-code/managed-settings.d/*.json", scope="system", format="json"),
            File(path=f"{ON_A_MAC}/managed-settings.json", scope="system", format="json"),
            File(path=f"{ON_A_MAC}/managed-settings.d/*.json", scope="system", format="json"),
            File(path="~/.claude/settings.json", scope="user", format="json"),
            File(path=".claude/settings.json", scope="project", format="json"),
            File(path=".claude/settings.local.json", scope="project", format="json"),
            File(
                path="~/.claude/plugins/cache/*/*/*/hooks/hooks.json",
                scope="user",
                format="json",
                origin="plugin",
                enabled_by=("~/.claude/settings.json", "enabledPlugins"),
                env=PLUGIN,
            ),
            File(
                path="~/.claude/skills/*/SKILL.md",
                scope="user",
                format="frontmatter",
                origin="skill",
                sections=IN_SKILL,
            ),
            File(
                path=".claude/skills/*/SKILL.md",
                scope="project",
                format="frontmatter",
                origin="skill",
                sections=IN_SKILL,
            ),
            File(
                path="~/.claude/agents/**/*.md", scope="user", format="frontmatter", origin="agent", sections=IN_AGENT
            ),
            File(
                path=".claude/agents/**/*.md", scope="project", format="frontmatter", origin="agent", sections=IN_AGENT
            ),
        ),
        form=Form(group="hooks", keys=KEYS, group_keys={"matcher": "matcher"}, malformed="item"),
        types=(
            Type(name="command", handler="command", key="command"),
            Type(
                name="http",
                handler="http",
                key="url",
                form="url",
                spec={"loopback": True, "private": True, "unlisted": "empty"},
            ),
            Type(
                name="mcp_tool", handler="mcp_tool", key="tool", form="mcp", spec={"files": ".mcp.json ~/.claude.json"}
            ),
            Type(name="prompt", handler="prompt", key="prompt", form="prompt", timeout=30.0, spec={"ends_turn": True}),
            Type(name="agent", handler="agent", key="prompt", form="agent", timeout=60.0),
        ),
        homes={"CLAUDE_CONFIG_DIR": "~/.claude"},
        switches=Switches(off=("disableAllHooks", True), system_stays=True, only_system="allowManagedHooksOnly"),
        status_line="statusLine",
    ),
    planning=PlanningRules(
        matcher="names-or-regex@javascript-2025",
        timeout=600.0,
        order="parallel",
        agent_from=("agent_type", "skills"),
        aliases={"Agent": ("Task",)},
        dedupe="main",
    ),
    messages=MessageRules(audience={"error": "user"}, marks={"reason": "{text}"}, late_to_model=True),
    tools=ToolRules(
        names={
            "Bash": ToolName("Bash"),
            "Read": ToolName("Read"),
            "Write": ToolName("Write"),
            "Edit": ToolName("Edit"),
            "Grep": ToolName("Grep", {"ignore_case": "-i", "limit": "head_limit"}),
            "Glob": ToolName("Glob"),
            "Task": ToolName("Agent"),
        },
        further=(
            *("WebSearch", "AskUserQuestion", "TodoWrite", "TaskCreate", "TaskUpdate", "TaskList", "TaskGet"),
            *("NotebookEdit", "MultiEdit", "Monitor", "LS", "ExitPlanMode", "EnterPlanMode", "Skill", "SlashCommand"),
            *(
                "BashOutput",
                "KillShell",
                "KillBash",
                "TaskOutput",
                "TaskStop",
                "NotebookRead",
                "TodoRead",
                "ToolSearch",
            ),
            *("ListMcpResourcesTool", "ReadMcpResourceTool", "EnterWorktree", "ExitWorktree", "SendMessage", "LSP"),
            *("TeamCreate", "TeamDelete", "CronCreate", "CronDelete", "CronList", "PowerShell", "StructuredOutput"),
        ),
        mcp_files=(".mcp.json", "~/.claude.json"),
    ),
    install=INSTALL,
    remarks=Remarks(cautions={"approval": "the folder", "keys": "its own"}),
    notes=(
        "A malformed entry (no inner hooks, no type, an unknown type, a value of a wrong type) under PreToolUse or "
        "PermissionRequest costs all hooks of its file, but not in strict mode; under any other event it costs itself.",
        "hookSpecificOutput without its event's hookEventName voids the whole answer; so does a value of a wrong type.",
        'A decision "deny" at the top level is not valid: only approve and block are.',
        "continue: false does not refuse a tool: the tool runs, then the agent stops. Strict mode stops first.",
        "Hooks of a skill count in events whose data name it under `skills`; those of an agent where agent_type does.",
        "An updatedToolOutput must have the form of the tool's own output, or it counts for nothing.",
        "A hook with async: true decides nothing; on the next turn of a session the model is told its systemMessage, "
        "its additionalContext and the stderr of an exit 2. With asyncRewake the agent does not wait for that turn.",
        "Of several updated inputs that of the hook which finished last counts; of several refusals before a tool the "
        "model is told that one's reason alone, be it empty.",
        "A prompt that continue: false stops stays in the conversation, and its stopReason is told with the next one.",
        "At a prompt or a start the model gets plain text, but not text in braces that is not JSON.",
        "A prompt or agent hook that refuses ends the turn too, unless continueOnBlock is true.",
        "Without a user (`tenter fire --unattended`) an ask is a refusal; a defer ends the run, the call stays open.",
        "Here each mcp_tool hook starts its MCP server and ends it afterwards; the agent itself keeps it running.",
    ),
)
