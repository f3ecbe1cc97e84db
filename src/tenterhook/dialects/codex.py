"""Codex CLI as shipped: fourteen events, answers that are read strictly or not at all."""

from msgspec.structs import replace

from tenterhook.dialects.schema.dialect import (
    AnswerChecks,
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
    TextRules,
    ToolName,
    ToolRules,
    Traces,
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

FAILED = Exit(means="an error; the operation goes on", failed=True, text=ExitText("stderr", "error"))
# Events on which exit 2 is an exit like any other.
NO_VETO: dict[int | str, Exit] = {2: FAILED}

EVENTS = (
    EventRule(
        name="PreModelRequest",
        kind="model.before",
        about="the model is about to be asked; no veto counts",
        deny=DenyRules("log", "reason"),
        stop=StopRules("ignored"),
        text=TextRules(fails=True),
        overrides=Overrides(base=OF_MODEL, exits=NO_VETO),
    ),
    EventRule(
        name="PostModelRequest",
        kind="model.after",
        about="the model has answered, or failed to",
        fields=(Field("status"), Field("error"), Field("token_usage")),
        deny=DenyRules("log", "reason"),
        stop=StopRules("ignored"),
        text=TextRules(fails=True),
        overrides=Overrides(base=OF_MODEL, exits=NO_VETO),
    ),
    EventRule(
        name="PreToolUse",
        kind="tool.before",
        about="a tool is about to run",
        fields=(*CALL, Field("tool_use_id")),
        target=EventTarget("tool_name"),
        can=Can(block=True),
        deny=DenyRules("model", "reason", needs_reason=True, unreasoned="fails"),
        merging=MergeRules(changes={"input": "last-finished"}, reasons_told="counting"),
    ),
    EventRule(
        name="PermissionRequest",
        kind="permission.ask",
        about="the user is about to be asked for permission",
        fields=CALL,
        target=EventTarget("tool_name"),
        can=Can(block=True, grant=True),
        deny=DenyRules("model", "reason"),
    ),
    EventRule(
        name="PostToolUse",
        kind="tool.after",
        about="a tool ran; the reason of a block or of a wish to stop takes the place of its result",
        fields=(*CALL, Field("tool_response", "tool_output"), Field("tool_use_id")),
        target=EventTarget("tool_name"),
        deny=DenyRules("model", "feedback", needs_reason=True, unreasoned="fails", replaces=True),
        stop=StopRules("replaces-by-reason"),
        merging=MergeRules(changes={"output": "replace"}, reasons="paragraphs"),
    ),
    EventRule(
        name="PreCompact",
        kind="compact.before",
        about="the context is about to be compacted; continue: false ends the turn",
        fields=(Field("trigger"),),
        target=EventTarget("trigger", values=("manual", "auto")),
        text=TextRules(fails=True),
        overrides=Overrides(exits=NO_VETO),
    ),
    EventRule(
        name="PostCompact",
        kind="compact.after",
        about="the context was compacted",
        fields=(Field("trigger"),),
        target=EventTarget("trigger", values=("manual", "auto")),
        stop=StopRules("ignored"),
        text=TextRules(fails=True),
        overrides=Overrides(exits=NO_VETO),
    ),
    EventRule(
        name="SessionStart",
        kind="session.start",
        about="a session begins or is taken up again; continue: false ends the run",
        fields=(Field("source"),),
        target=EventTarget("source", values=("startup", "resume", "clear", "compact")),
        text=TextRules("context"),
        overrides=Overrides(exits=NO_VETO),
    ),
    EventRule(
        name="SessionEnd",
        kind="session.end",
        about="a session ends",
        fields=(Field("reason"),),
        stop=StopRules("ignored"),
        text=TextRules(ignored=True),
        overrides=Overrides(timeout=1.0, longest=3.0, exits=NO_VETO),
    ),
    EventRule(
        name="UserPromptSubmit",
        kind="prompt.submit",
        about="the user submits a prompt; a block ends the turn",
        fields=(Field("prompt"),),
        can=Can(block=True),
        deny=DenyRules(needs_reason=True, unreasoned="fails"),
        text=TextRules("context"),
    ),
    EventRule(
        name="SubagentStart",
        kind="agent.start",
        about="a subagent is about to start",
        fields=AGENT,
        target=EventTarget("agent_type"),
        text=TextRules("context"),
        overrides=Overrides(base=(*START, TRANSCRIPT, *REST), exits=NO_VETO),
    ),
    EventRule(
        name="SubagentStop",
        kind="agent.stop",
        about="a subagent wants to stop; a block keeps it going",
        fields=(Field("stop_hook_active"), *AGENT, LAST_MESSAGE),
        target=EventTarget("agent_type"),
        can=Can(block=True),
        deny=DenyRules("model", "reason", needs_reason=True, unreasoned="fails"),
        stop=StopRules(cap=0),
        text=TextRules(fails=True),
        merging=MergeRules(reasons="paragraphs"),
        overrides=Overrides(base=(*START, TRANSCRIPT, Field("agent_transcript_path"), *REST)),
    ),
    EventRule(
        name="Stop",
        kind="turn.stop",
        about="the agent wants to stop; a block keeps it going, without end",
        fields=(Field("stop_hook_active"), LAST_MESSAGE),
        can=Can(block=True),
        deny=DenyRules("model", "reason", needs_reason=True, unreasoned="fails"),
        stop=StopRules(cap=0),
        text=TextRules(fails=True),
        merging=MergeRules(reasons="paragraphs"),
    ),
    EventRule(
        name="Interrupt",
        kind="turn.interrupted",
        about="the user interrupted the agent",
        deny=DenyRules("log", "reason"),
        stop=StopRules("ignored"),
        text=TextRules(fails=True),
        overrides=Overrides(exits=NO_VETO),
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
    AnswerField(path="systemMessage", effect="text", kind="system"),
    AnswerField(path="continue", effect="continue", events=GENERAL),
    AnswerField(path="continue", effect="continue", events=CALLS, checks=AnswerChecks(unsupported=("false",))),
    AnswerField(path="stopReason", effect="stop_reason", events=GENERAL),
    AnswerField(path="stopReason", effect="stop_reason", events=CALLS, checks=AnswerChecks(unsupported=("any",))),
    AnswerField(path="suppressOutput", effect="suppress", events=tuple(name for name in GENERAL if name not in SILENT)),
    AnswerField(path="suppressOutput", effect="suppress", events=SILENT, checks=AnswerChecks(unsupported=("true",))),
    AnswerField(
        path="decision",
        effect="decision",
        events=BLOCKS[:1],
        words={"block": "deny"},
        checks=AnswerChecks(unsupported=("approve",)),
    ),
    AnswerField(path="decision", effect="decision", events=BLOCKS[1:], words={"block": "deny"}),
    AnswerField(path="reason", effect="reason", events=BLOCKS[:2], checks=AnswerChecks(only_with="any")),
    AnswerField(path="reason", effect="reason", events=BLOCKS[2:]),
    AnswerField(
        path=f"{HSO}.permissionDecision",
        effect="decision",
        events=("PreToolUse",),
        words={"allow": "allow", "deny": "deny"},
        checks=AnswerChecks(unsupported=("ask",), words_need={"allow": f"{HSO}.updatedInput"}),
    ),
    AnswerField(
        path=f"{HSO}.permissionDecisionReason",
        effect="reason",
        events=("PreToolUse",),
        checks=AnswerChecks(only_with="any"),
    ),
    AnswerField(
        path=f"{HSO}.updatedInput",
        effect="input",
        events=CALLS[:1],
        type="any",
        checks=AnswerChecks(fatal=True, only_with="allow"),
    ),
    AnswerField(path=f"{HSO}.additionalContext", effect="text", events=CONTEXT, kind="context"),
    AnswerField(
        path=f"{HSO}.updatedMCPToolOutput",
        effect="note",
        events=("PostToolUse",),
        checks=AnswerChecks(unsupported=("any",)),
    ),
    AnswerField(
        path=f"{ASKED}.behavior", effect="decision", events=CALLS[1:], words={"allow": "allow", "deny": "deny"}
    ),
    AnswerField(path=f"{ASKED}.message", effect="reason", events=("PermissionRequest",)),
    *(
        AnswerField(path=f"{ASKED}.{name}", effect="note", events=CALLS[1:], checks=AnswerChecks(unsupported=("any",)))
        for name in ("updatedInput", "updatedPermissions")
    ),
    AnswerField(
        path=f"{ASKED}.interrupt",
        effect="note",
        events=("PermissionRequest",),
        type="flag",
        checks=AnswerChecks(unsupported=("true",)),
    ),
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

# A hooks file may have a description in addition to its hooks, and nothing else.
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
    payload=PayloadRules(base=(*START, *AGENT, TRANSCRIPT, *REST), env={"CODEX_HOME": "~/.codex"}),
    reading=ReadingRules(
        exits={
            0: Exit(
                means="success; a JSON object is the answer, and what begins as JSON and is none an error",
                text=ExitText("stdout", "plain"),
                answer=ExitAnswer(broken_fails="{["),
            ),
            2: Exit(
                means="block, with stderr as the reason; without text on stderr an error",
                decision="deny",
                text=ExitText("stderr", "reason", needed=True),
            ),
            "other": FAILED,
        },
        answers=ANSWERS,
        section=AnswerSection(
            name=HSO,
            event="hookEventName",
            unnamed="void-missing",
            alone=("permissionDecision", "permissionDecisionReason", "updatedInput"),
        ),
        deepest=127,
        unknown_keys="void",
        wrong_types="void",
        byte_order_mark="text",
        stop_outranks=True,
    ),
    config=ConfigRules(
        traces=Traces(programs=("codex",), paths=("~/.codex",)),
        files=(
            replace(ALONE, path="/etc/codex/hooks.json", scope="system"),
            File(
                path="/etc/codex/requirements.toml",
                scope="system",
                format="toml",
                beside=("managed_dir", "windows_managed_dir"),
            ),
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
        form=Form(
            group="hooks", keys=KEYS, group_keys={"matcher": "matcher"}, malformed="file", bare="entry", nulls=True
        ),
        types=(
            Type(name="command", handler="command", key="command", spec={"shell": "user"}),
            Type(name="mcp_tool", handler="mcp_tool", key="tool", form="mcp", spec={"files": SERVERS}),
            Type(name="prompt", handler="prompt", key="prompt", form="prompt", does="inert"),
            Type(name="agent", handler="agent", key="prompt", form="agent", does="inert"),
            Type(name="http", handler="http", key="url", form="url", does="ruins"),
        ),
        homes={"CODEX_HOME": "~/.codex"},
        unit="whole-seconds",
    ),
    planning=PlanningRules(
        matcher="names-or-regex-narrow@rust",
        timeout=600.0,
        order="parallel",
        agent_from=("agent_type",),
        aliases={"apply_patch": ("Write", "Edit"), "spawn_agent": ("Agent",)},
    ),
    messages=MessageRules(marks={"reason": "{text}"}),
    tools=ToolRules(
        names={
            "Bash": ToolName("Bash"),
            "Read": ToolName("Read"),
            "Write": ToolName("Write"),
            "Edit": ToolName("apply_patch"),
            "Grep": ToolName("Grep"),
            "Glob": ToolName("Glob"),
            "Task": ToolName("spawn_agent"),
        },
        mcp_files=(*SERVERS.split(), ".mcp.json"),
    ),
    install=Install(
        project=".codex/hooks.json",
        user="~/.codex/hooks.json",
        no_door="one http hook makes it refuse the whole file",
        limits=(
            "from 0.169 on a project's hooks run only in a folder that you trust: say yes in codex, run codex exec "
            '--trust there, or put trust_level = "trusted" below [projects."FOLDER"] in ~/.codex/config.toml',
            "a hook runs after you have reviewed its very text; codex exec leaves out, without a word, what nobody "
            "has reviewed; --dangerously-bypass-hook-trust runs it",
        ),
        managed=Managed(
            linux="/etc/codex/requirements.toml",
            macos="/etc/codex/requirements.toml",
            windows=r"C:\ProgramData\OpenAI\Codex\requirements.toml",
            beside={"hooks.managed_dir": "/etc/tenterhook"},
            limits=(
                "versions of before May 2026 do not read hooks there",
                "some versions run these hooks only where the folder of hooks.managed_dir exists",
                "requirements of the cloud or of device management that name hooks take the place of the file's",
                "allow_managed_hooks_only = true in it switches off the hooks of users and projects",
            ),
        ),
    ),
    remarks=Remarks(
        unhooked=(
            "write_stdin, which types into an open shell: refuse commands that open one, as a bare bash or python",
        ),
        cautions={"approval": "each hook"},
    ),
    notes=(
        "An answer with a key that its event does not have, or with a value of a wrong type, counts for nothing.",
        "Before a tool ask, approve, continue: false, stopReason and suppressOutput make the hook fail: the tool runs.",
        "A refusal needs a reason that is not empty; so does exit 2, on stderr.",
        "updatedInput counts only beside permissionDecision allow, and allow only beside updatedInput.",
        "A decision outside of hookSpecificOutput does not count, not even a block, if that has a permissionDecision "
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
