"""Codex CLI as shipped: fourteen events, answers that are read strictly or not at all."""

from msgspec.structs import replace

from tenterhook.dialects.schema.dialect import (
    Answer,
    Dialect,
    EventRule,
    Exit,
    Field,
    File,
    Form,
    Install,
    ToolName,
    Type,
)

HSO = "hookSpecificOutput"
START = (Field("session_id", "session"), Field("turn_id"))
AGENT = (Field("agent_id"), Field("agent_type"))
TRANSCRIPT = Field("transcript_path", "transcript", "nullable")
REST = (Field("cwd", "cwd"), Field("hook_event_name", "event"), Field("model"), Field("permission_mode"))
# The events of model requests have the same fields in another order.
OF_MODEL = (*START, Field("cwd", "cwd"), TRANSCRIPT, Field("model"), Field("hook_event_name", "event"))
LAST_MESSAGE = Field("last_assistant_message", "prompt_response", "nullable")
CALL = (Field("tool_name"), Field("tool_input"))
REASON = ("model", "reason")

FAILED = Exit(means="an error; the operation goes on", failed=True, text="stderr", becomes="error")
# Where exit 2 is an exit like any other.
NO_VETO: dict[int | str, Exit] = {2: FAILED}

EVENTS = (
    EventRule(
        name="PreModelRequest",
        kind="model.before",
        about="the model is about to be asked; no veto counts",
        base=OF_MODEL,
        exits=NO_VETO,
        stops="ignored",
        text_fails=True,
        deny=("log", "reason"),
    ),
    EventRule(
        name="PostModelRequest",
        kind="model.after",
        about="the model has answered, or failed to",
        base=OF_MODEL,
        fields=(Field("status"), Field("error"), Field("token_usage")),
        exits=NO_VETO,
        stops="ignored",
        text_fails=True,
        deny=("log", "reason"),
    ),
    EventRule(
        name="PreToolUse",
        kind="tool.before",
        about="a tool is about to run",
        target="tool_name",
        fields=(*CALL, Field("tool_use_id")),
        blocks=True,
        deny=REASON,
        needs_reason=True,
        unreasoned="fails",
        reasons_told="counting",
        merges={"input": "last-finished"},
    ),
    EventRule(
        name="PermissionRequest",
        kind="permission.ask",
        about="the user is about to be asked for permission",
        target="tool_name",
        fields=CALL,
        blocks=True,
        grants=True,
        deny=REASON,
    ),
    EventRule(
        name="PostToolUse",
        kind="tool.after",
        about="a tool ran; the reason of a block or of a wish to stop takes the place of its result",
        target="tool_name",
        fields=(*CALL, Field("tool_response", "tool_output"), Field("tool_use_id")),
        stops="replaces-by-reason",
        deny=("model", "feedback"),
        needs_reason=True,
        unreasoned="fails",
        replaces=True,
        reasons="paragraphs",
        merges={"output": "replace"},
    ),
    EventRule(
        name="PreCompact",
        kind="compact.before",
        about="the context is about to be compacted; continue: false ends the turn",
        target="trigger",
        targets=("manual", "auto"),
        fields=(Field("trigger"),),
        exits=NO_VETO,
        text_fails=True,
    ),
    EventRule(
        name="PostCompact",
        kind="compact.after",
        about="the context was compacted",
        target="trigger",
        targets=("manual", "auto"),
        fields=(Field("trigger"),),
        exits=NO_VETO,
        stops="ignored",
        text_fails=True,
    ),
    EventRule(
        name="SessionStart",
        kind="session.start",
        about="a session begins or is taken up again; continue: false ends the run",
        target="source",
        targets=("startup", "resume", "clear", "compact"),
        fields=(Field("source"),),
        exits=NO_VETO,
        plain="context",
    ),
    EventRule(
        name="SessionEnd",
        kind="session.end",
        about="a session ends",
        fields=(Field("reason"),),
        timeout=1.0,
        longest=3.0,
        exits=NO_VETO,
        deaf=True,
        stops="ignored",
    ),
    EventRule(
        name="UserPromptSubmit",
        kind="prompt.submit",
        about="the user submits a prompt; a block ends the turn",
        fields=(Field("prompt"),),
        blocks=True,
        plain="context",
        needs_reason=True,
        unreasoned="fails",
    ),
    EventRule(
        name="SubagentStart",
        kind="agent.start",
        about="a subagent is about to start",
        target="agent_type",
        base=(*START, TRANSCRIPT, *REST),
        fields=AGENT,
        exits=NO_VETO,
        plain="context",
    ),
    EventRule(
        name="SubagentStop",
        kind="agent.stop",
        about="a subagent wants to stop; a block keeps it going",
        target="agent_type",
        base=(*START, TRANSCRIPT, Field("agent_transcript_path"), *REST),
        fields=(Field("stop_hook_active"), *AGENT, LAST_MESSAGE),
        blocks=True,
        stop_cap=0,
        text_fails=True,
        deny=REASON,
        needs_reason=True,
        unreasoned="fails",
        reasons="paragraphs",
    ),
    EventRule(
        name="Stop",
        kind="turn.stop",
        about="the agent wants to stop; a block keeps it going, without end",
        fields=(Field("stop_hook_active"), LAST_MESSAGE),
        blocks=True,
        stop_cap=0,
        text_fails=True,
        deny=REASON,
        needs_reason=True,
        unreasoned="fails",
        reasons="paragraphs",
    ),
    EventRule(
        name="Interrupt",
        kind="turn.interrupted",
        about="the user interrupted the agent",
        exits=NO_VETO,
        stops="ignored",
        text_fails=True,
        deny=("log", "reason"),
    ),
)

NAMES = tuple(rule.name for rule in EVENTS)
CALLS = ("PreToolUse", "PermissionRequest")
SILENT = (*CALLS, "PostToolUse")
CONTEXT = ("PreToolUse", "PostToolUse", "UserPromptSubmit", "SessionStart", "SubagentStart")
BLOCKS = ("PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop", "SubagentStop")
GENERAL = tuple(name for name in NAMES if name not in (*CALLS, "Interrupt"))
ASKED = f"{HSO}.decision"

ANSWERS = (
    Answer(path="systemMessage", effect="text", kind="system"),
    Answer(path="continue", effect="continue", events=GENERAL),
    Answer(path="continue", effect="continue", events=CALLS, unsupported=("false",)),
    Answer(path="stopReason", effect="stop_reason", events=GENERAL),
    Answer(path="stopReason", effect="stop_reason", events=CALLS, unsupported=("any",)),
    Answer(
        path="suppressOutput",
        effect="suppress",
        events=tuple(name for name in GENERAL if name not in SILENT),
    ),
    Answer(path="suppressOutput", effect="suppress", events=SILENT, unsupported=("true",)),
    Answer(path="decision", effect="decision", events=BLOCKS[:1], words={"block": "deny"}, unsupported=("approve",)),
    Answer(path="decision", effect="decision", events=BLOCKS[1:], words={"block": "deny"}),
    Answer(path="reason", effect="reason", events=BLOCKS[:2], only_with="any"),
    Answer(path="reason", effect="reason", events=BLOCKS[2:]),
    Answer(
        path=f"{HSO}.permissionDecision",
        effect="decision",
        events=("PreToolUse",),
        words={"allow": "allow", "deny": "deny"},
        unsupported=("ask",),
        words_need={"allow": f"{HSO}.updatedInput"},
    ),
    Answer(path=f"{HSO}.permissionDecisionReason", effect="reason", events=("PreToolUse",), only_with="any"),
    Answer(path=f"{HSO}.updatedInput", effect="input", type="any", fatal=True, events=CALLS[:1], only_with="allow"),
    Answer(path=f"{HSO}.additionalContext", effect="text", kind="context", events=CONTEXT),
    Answer(path=f"{HSO}.updatedMCPToolOutput", effect="note", events=("PostToolUse",), unsupported=("any",)),
    Answer(path=f"{ASKED}.behavior", effect="decision", events=CALLS[1:], words={"allow": "allow", "deny": "deny"}),
    Answer(path=f"{ASKED}.message", effect="reason", events=("PermissionRequest",)),
    *(
        Answer(path=f"{ASKED}.{name}", effect="note", events=CALLS[1:], unsupported=("any",))
        for name in ("updatedInput", "updatedPermissions")
    ),
    Answer(path=f"{ASKED}.interrupt", effect="note", type="flag", events=("PermissionRequest",), unsupported=("true",)),
)

KEYS = {
    "type": "type",
    "command": "spec",
    "commandWindows": "note",
    "server": "spec",
    "tool": "spec",
    "input": "spec_object",
    "prompt": "spec",
    "url": "spec",
    "timeout": "timeout",
    "async": "background",
    "statusMessage": "note",
    "additionalContextLimit": "context_limit",
    "tenterhook": "ours",
}

# Beside its hooks a file of them may have a description, and nothing else.
ALONE = File(
    path=".codex/hooks.json", scope="project", format="json", hooks_only=True, beside=("description",), alone=True
)
SERVERS = ".codex/config.toml ~/.codex/config.toml"

DIALECT = Dialect(
    name="codex",
    version="0.166.0",
    title="Codex CLI",
    about="Codex CLI as shipped: hooks.json and config.toml of every layer",
    events=EVENTS,
    base=(*START, *AGENT, TRANSCRIPT, *REST),
    env={"CODEX_HOME": "~/.codex"},
    exits={
        0: Exit(
            means="success; a JSON object is the answer, and what begins as JSON and is none an error",
            answer=True,
            text="stdout",
            becomes="plain",
            broken_fails="{[",
        ),
        2: Exit(
            means="block, with stderr as the reason; without a word on stderr an error",
            decision="deny",
            text="stderr",
            becomes="reason",
            needs_text=True,
        ),
        "other": FAILED,
    },
    answers=ANSWERS,
    files=(
        replace(ALONE, path="/etc/codex/hooks.json", scope="system"),
        File(path="/etc/codex/config.toml", scope="system", format="toml", beside=("state",)),
        replace(ALONE, path="~/.codex/hooks.json", scope="user"),
        File(path="~/.codex/config.toml", scope="user", format="toml", beside=("state",)),
        ALONE,
        File(path=".codex/config.toml", scope="project", format="toml", beside=("state",)),
        replace(
            ALONE,
            path="~/.codex/plugins/cache/*/*/*/hooks/hooks.json",
            scope="user",
            origin="plugin",
            enabled_by=("~/.codex/config.toml", "plugins"),
            env={"PLUGIN_ROOT": "..", "CLAUDE_PLUGIN_ROOT": ".."},
        ),
    ),
    homes={"CODEX_HOME": "~/.codex"},
    form=Form(group="hooks", keys=KEYS, group_keys={"matcher": "matcher"}, malformed="file", bare="entry", nulls=True),
    types=(
        Type(name="command", handler="command", key="command", spec={"shell": "user"}),
        Type(name="mcp_tool", handler="mcp_tool", key="tool", form="mcp", spec={"files": SERVERS}),
        Type(name="prompt", handler="prompt", key="prompt", form="prompt", does="inert"),
        Type(name="agent", handler="agent", key="prompt", form="agent", does="inert"),
        Type(name="http", handler="http", key="url", form="url", does="ruins"),
    ),
    agent_from=("agent_type",),
    matcher="names-or-regex-narrow@rust",
    aliases={"apply_patch": ("Write", "Edit"), "spawn_agent": ("Agent",)},
    timeout=600.0,
    unit="whole-seconds",
    order="parallel",
    deepest=127,
    section=HSO,
    section_event="hookEventName",
    unknown_keys="void",
    wrong_types="void",
    unnamed_section="void-missing",
    section_alone=("permissionDecision", "permissionDecisionReason", "updatedInput"),
    byte_order_mark="text",
    stop_outranks=True,
    marks={"reason": "{text}"},
    tools={
        "Bash": ToolName("Bash"),
        "Read": ToolName("Read"),
        "Write": ToolName("Write"),
        "Edit": ToolName("apply_patch"),
        "Grep": ToolName("Grep"),
        "Glob": ToolName("Glob"),
        "Task": ToolName("spawn_agent"),
    },
    mcp_files=(*SERVERS.split(), ".mcp.json"),
    unhooked=("write_stdin, which types into an open shell: refuse commands that open one, as a bare bash or python",),
    install=Install(
        project=".codex/hooks.json",
        user="~/.codex/hooks.json",
        limits=(
            "from 0.169 on a project's hooks run only in a folder that you trust: say yes in codex, run codex exec "
            '--trust there, or put trust_level = "trusted" below [projects."FOLDER"] in ~/.codex/config.toml',
            "a hook runs after you have reviewed its very text; codex exec leaves out, without a word, what nobody "
            "has reviewed; --dangerously-bypass-hook-trust runs it",
        ),
    ),
    cautions={"approval": "each hook"},
    notes=(
        "An answer with a key that its event does not have, or with a value of a wrong type, counts for nothing.",
        "Before a tool ask, approve, continue: false, stopReason and suppressOutput make the hook fail: the tool runs.",
        "A refusal needs a reason that is not empty; so does exit 2, on stderr.",
        "updatedInput counts only beside permissionDecision allow, and allow only beside updatedInput.",
        "A decision outside of hookSpecificOutput does not count, though it block, where that has a permissionDecision "
        "or an updatedInput. Of several refusals before a tool the model is told the first reason alone.",
        "An answer behind a byte order mark is text like any other.",
        "One http hook makes the agent refuse the whole file, and so do a hook without a type or of an unknown one, a "
        "value of a wrong type and an unknown key beside the hooks; a group without hooks costs itself alone.",
        "Prompt and agent hooks are never run. Time-outs are whole seconds, at least one.",
        "A Stop hook that always blocks never lets the agent stop: look at stop_hook_active. Strict mode ends after 8.",
        "The patch of apply_patch is text in tool_input.command; matchers know that tool as Write and as Edit, too.",
        "Commands run in $SHELL, which the agent starts as a login shell; here it is none, and profiles are not read.",
        "The agent runs no hook of a user or a project before it was reviewed; here a project's must be approved.",
    ),
)
