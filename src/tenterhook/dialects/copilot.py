"""GitHub Copilot CLI's hooks, as version 1.0.102 runs them: each event has two names, and each name its own payload."""

from msgspec.structs import replace

from tenterhook.dialects._copilot import ANSWERS, CAMEL, EVENTS
from tenterhook.dialects.schema.dialect import (
    AnswerSection,
    ConfigRules,
    Dialect,
    Exit,
    ExitAnswer,
    ExitText,
    File,
    Form,
    Install,
    Managed,
    MessageRules,
    PayloadRules,
    PlanningRules,
    ReadingRules,
    Remarks,
    Switches,
    ToolName,
    ToolRules,
    Traces,
    Type,
)

KEYS = {
    "type": "type",
    "bash": "spec",
    "command": "spec",
    "exec": "spec",
    "args": "words",
    "powershell": "spec",
    "url": "spec",
    "headers": "spec_texts",
    "allowedEnvVars": "env",
    "prompt": "spec",
    "cwd": "spec",
    "env": "env",
    "timeoutSec": "timeout",
    "timeout": "timeout_else",
    "matcher": "matcher",
    "tenterhook": "ours",
}
BASH: dict[str, str | bool] = {"shell": "bash"}
POWERSHELL: dict[str, str | bool] = {"shell": "powershell"}
# Files for hooks only: their switch is for their own hooks, and a bad entry costs only itself.
ALONE = File(
    path=".github/hooks/**/*.json",
    scope="project",
    format="json",
    hooks_only=True,
    beside=("version", "disableAllHooks", "description"),
    env={"COPILOT_HOOK_DIR": "."},
    version=1,
    own_switch=True,
)

DIALECT = Dialect(
    name="copilot",
    version="1.0.102",
    title="GitHub Copilot CLI",
    about="GitHub Copilot CLI 1.0.102 as it runs: files of hooks in .github/hooks, each event under two names",
    events=EVENTS,
    payload=PayloadRules(
        base=CAMEL,
        env={"COPILOT_PROJECT_DIR": "project", "CLAUDE_PROJECT_DIR": "project", "COPILOT_CLI": "=1"},
        version_in="COPILOT_CLI_BINARY_VERSION",
        env_without=("COPILOT_PROVIDER_", "COPILOT_OFFLINE"),
    ),
    reading=ReadingRules(
        exits={
            0: Exit(means="JSON is the answer, text is nothing", answer=ExitAnswer()),
            2: Exit(
                means="goes on; JSON is the answer, stderr is kept in the log",
                text=ExitText("stderr", "error"),
                answer=ExitAnswer(),
            ),
            "other": Exit(means="failed, goes on; nothing is read", failed=True, text=ExitText("stderr", "error")),
        },
        answers=ANSWERS,
        section=AnswerSection(name="hookSpecificOutput", outranks=True),
        broken="text",
        lines="but-progress",
    ),
    config=ConfigRules(
        traces=Traces(programs=("copilot",), paths=("~/.copilot",)),
        files=(
            replace(
                ALONE, path="/etc/github-copilot/policy.d/*.json", scope="system", own_switch=False, switches=False
            ),
            replace(ALONE, path="~/.copilot/hooks/*.json", scope="user"),
            File(path="~/.copilot/settings.json", scope="user", format="json", malformed="file", own_switch=True),
            ALONE,
            File(path=".claude/settings.json", scope="project", format="json", malformed="file", borrowed=True),
            File(path=".claude/settings.local.json", scope="project", format="json", malformed="file", borrowed=True),
            File(path=".github/copilot/settings.json", scope="project", format="json", malformed="file"),
            File(path=".github/copilot/settings.local.json", scope="project", format="json", malformed="file"),
            replace(ALONE, path="~/.copilot/installed-plugins/**/hooks.json", scope="user", origin="plugin"),
        ),
        form=Form(
            group="hooks", flat=True, keys=KEYS, group_keys={"matcher": "matcher"}, malformed="item", unlisted="file"
        ),
        types=(
            Type(name="command", handler="command", key="bash", spec=BASH, ignores=("args",)),
            Type(name="command", handler="command", key="command", spec=BASH, ignores=("args",)),
            Type(name="command", handler="command", key="exec", form="exec"),
            Type(name="command", handler="command", key="powershell", spec=POWERSHELL, ignores=("args",)),
            Type(name="http", handler="http", key="url", form="url"),
            Type(name="prompt", handler="plugin", key="prompt", form="none", does="inert"),
        ),
        untyped="command",
        switches=Switches(off=("disableAllHooks", True)),
    ),
    planning=PlanningRules(matcher="regex-whole@javascript-2025", timeout=30.0, order="sequential", joint="by-file"),
    messages=MessageRules(marks={"context": "{text}"}),
    tools=ToolRules(
        names={
            "Bash": ToolName("bash"),
            "Read": ToolName("view", {"file_path": "path"}),
            "Write": ToolName("create", {"file_path": "path", "content": "file_text"}),
            "Edit": ToolName("edit", {"file_path": "path", "old_string": "old_str", "new_string": "new_str"}),
            "Grep": ToolName("grep", {"path": "paths", "ignore_case": "-i", "limit": "head_limit"}),
            "Glob": ToolName("glob", {"path": "paths"}),
            "Task": ToolName("task", {"subagent_type": "agent_type"}),
        },
        mcp_tool="{server}-{tool}",
        mcp_files=("~/.copilot/mcp-config.json", ".mcp.json"),
    ),
    install=Install(
        project=".github/hooks/tenterhook.json",
        user="~/.copilot/hooks/tenterhook.json",
        flat=True,
        program="command",
        read_by={"VS Code": "it obeys the same answers, by its documents"},
        beside={"version": 1},
        no_door="before a tool it calls https alone, and lets the tool run where the server is away",
        limits=("a project's hooks run only in a folder that you trust",),
        managed=Managed(
            linux="/etc/github-copilot/policy.d/tenterhook.json",
            macos="/etc/github-copilot/policy.d/tenterhook.json",
            windows=r"C:\ProgramData\GitHub\Copilot\policy.d\tenterhook.json",
            limits=(
                "it reads the file only where root owns it and others cannot write it",
                "a hook that takes too long lets the operation go on, also one of the administrator's",
                "VS Code and the cloud agent have no such folder",
            ),
        ),
    ),
    remarks=Remarks(cautions={"approval": "the folder"}),
    notes=(
        "Measured with the program itself, but for errorOccurred, preCompact and preMcpToolCall, their payloads, hooks "
        "of type http that get an answer, and plugins: those are from documents only.",
        "A hook under a camelCase name is told camelCase fields and no event's name, and answers flat. Under a "
        "PascalCase name it is told snake_case fields and tools by Claude Code's names; it may answer flat all the "
        "same, and on PreToolUse in hookSpecificOutput, which outranks flat keys beside it.",
        "Who fires tool.before runs the hooks of both names, file by file, those under the camelCase name first.",
        "Models of OpenAI write by apply_patch: its whole input, toolArgs or tool_input, is the patch as one text. "
        "Under a PascalCase name that tool is Edit. Our hooks refuse such a call where they would change it.",
        "preToolUse and permissionRequest refuse where a hook fails, whatever its JSON says; one that takes too long "
        "does not. If no user can be asked, an ask is a refusal.",
        "The document says that userPromptSubmitted cannot refuse and that its answer is dropped. In fact a decision "
        '"block" with a reason refuses the prompt, and modifiedPrompt and additionalContext count.',
        "The document says that after a tool only modifiedResult and additionalContext count. In fact a decision "
        '"block" with a reason takes the place of the result.',
        "On permissionRequest, agentStop and subagentStop the last hook that decides is heard, so that an allow takes "
        "back a refusal; a strict engine lets the refusal stand.",
        "args count beside exec alone. A hook of .claude/settings.json that Claude Code calls with args is called "
        "without them here; before a tool it then fails, and every call is refused.",
        "A hook that rewrites a call keeps those after it from running, guards too.",
        "On userPromptSubmitted and agentStop any other decision than block takes back what a hook before refused; on "
        "agentStop the last reason of any hook counts, though it decide nothing.",
        "A context before a tool, at a prompt or a start that is no text is told as JSON, a refusal's reason as "
        "JavaScript writes it as text. A modifiedArgs or updatedInput that is no object refuses the call, but for an "
        "updatedInput of null.",
        'A matcher of "" or, under a camelCase name, of blanks or "*" fits nothing: leave it out. Under a PascalCase '
        "name one of blanks alone fits everything.",
        "A hook of type prompt types a text for the user when an interactive session starts; here it types nothing.",
        "An agent that forces subagentStop to go on is not ended: the limit of eight is agentStop's alone.",
    ),
)
