"""Cursor's hooks, as its documents of October 2026 describe them: nothing here was measured on the program."""

from msgspec.structs import replace

from tenterhook.dialects._cursor import ANSWERS, BASE, EVENTS
from tenterhook.dialects.schema.dialect import (
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
    ToolName,
    ToolRules,
    Traces,
    Type,
)

KEYS = {
    "type": "type",
    "command": "spec",
    "prompt": "spec",
    "model": "spec",
    "timeout": "timeout",
    "matcher": "matcher",
    "failClosed": "closed",
    "loop_limit": "stop_cap",
    "tenterhook": "ours",
}

ON_A_MAC = "/Library/Application Support/Cursor"
MANAGED = File(
    path="/etc/cursor/hooks.json",
    scope="system",
    format="json",
    hooks_only=True,
    beside=("version",),
    version=1,
    cwd=".",
)

DIALECT = Dialect(
    name="cursor",
    version="2026-10",
    title="Cursor",
    about="Cursor as its documents describe it: hooks.json, events for any tool and for tools of a sort, flat answers",
    events=EVENTS,
    payload=PayloadRules(
        base=BASE,
        env={
            "CURSOR_PROJECT_DIR": "project",
            "CLAUDE_PROJECT_DIR": "project",
            "CURSOR_VERSION": ".cursor_version?",
            "CURSOR_USER_EMAIL": ".user_email?",
            "CURSOR_TRANSCRIPT_PATH": "transcript?",
        },
    ),
    reading=ReadingRules(
        exits={
            0: Exit(means="JSON is the answer, text is nothing", answer=ExitAnswer()),
            2: Exit(means="a refusal; stderr is the reason", decision="deny", text=ExitText("stderr", "reason")),
            "other": Exit(means="failed, goes on; nothing is read", failed=True, text=ExitText("stderr", "error")),
        },
        answers=ANSWERS,
        wrong_types="void",
    ),
    config=ConfigRules(
        traces=Traces(programs=("cursor-agent", "cursor"), paths=("~/.cursor",)),
        files=(
            MANAGED,
            replace(MANAGED, path=f"{ON_A_MAC}/hooks.json"),
            replace(MANAGED, path=".cursor/hooks.json", scope="project", cwd=""),
            replace(MANAGED, path="~/.cursor/hooks.json", scope="user"),
        ),
        form=Form(flat=True, keys=KEYS, malformed="item"),
        types=(
            Type(name="command", handler="command", key="command"),
            Type(name="prompt", handler="prompt", key="prompt", form="prompt"),
        ),
        untyped="command",
    ),
    planning=PlanningRules(
        matcher="regex-search", timeout=60.0, order="parallel", joint="by-event", chain_ends=("deny",)
    ),
    messages=MessageRules(marks={"context": "{text}", "user_message": "{text}"}),
    tools=ToolRules(
        names={
            "Bash": ToolName("Shell"),
            "Read": ToolName("Read"),
            "Write": ToolName("Write"),
            "Edit": ToolName("StrReplace"),
            "Grep": ToolName("Grep"),
            "Glob": ToolName("Glob"),
            "Task": ToolName("Task"),
        },
        mcp_tool="MCP:{tool}",
        mcp_files=("~/.cursor/mcp.json", ".cursor/mcp.json", ".mcp.json"),
    ),
    install=Install(
        project=".cursor/hooks.json",
        user="~/.cursor/hooks.json",
        folder="CURSOR_PROJECT_DIR",
        closed=True,
        read_by={"Grok Build": "its form is not known, so every call of a tool is refused where a hook guards"},
        beside={"version": 1},
        limits=("a project's hooks run only in a workspace that you trust",),
        managed=Managed(
            linux="/etc/cursor/hooks.json",
            macos=f"{ON_A_MAC}/hooks.json",
            windows=r"C:\ProgramData\Cursor\hooks.json",
            limits=("from documents only: nothing was tried with Cursor itself",),
        ),
    ),
    remarks=Remarks(cautions={"approval": "the folder", "byte order mark": "on Windows"}),
    notes=(
        "From documents only: Cursor's own of October 2026, and what others recorded. Nothing was measured on the "
        "program, so that a guard for it wants a trial in Cursor itself.",
        "Who fires tool.before runs the hooks of preToolUse and then those of the event that is for such a tool: "
        "beforeShellExecution, beforeMCPExecution or beforeReadFile; a refusal by the first leaves the other out. "
        "After a tool the particular event comes first.",
        "Where a hook may refuse, an answer refuses if it is not a JSON object, or if the event does not know its "
        "permission. An answer without a permission decides nothing, and neither does silence.",
        "A hook that fails or is late refuses nothing, unless its entry says failClosed; then silence refuses too.",
        "On preToolUse an ask is accepted and not enforced; on subagentStart it refuses.",
        "A follow-up of a hook on stop or subagentStop counts five times in a row, or as often as its entry's "
        "loop_limit says; null is without end. loop_count says how often it was so far.",
        "CURSOR_CODE_REMOTE, which is there in a remote workspace, is only handed on where the host has it.",
        "updated_mcp_tool_output is for tools of servers alone. The document names no default for timeout: 60 seconds.",
        "Cursor reads hooks of Claude Code's settings and those that a team's administrators sent as well; they "
        "are not part of this.",
    ),
)
