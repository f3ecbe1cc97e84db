"""Wave's hooks: exit codes, or a JSON object that outranks them."""

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
    TextRules,
    ToolName,
    ToolRules,
    Traces,
    Type,
    Wrapper,
)

TOOL = (Field("tool_name"), Field("tool_input"), Field("tool_use_id"))

EVENTS = (
    EventRule(
        name="PreToolUse",
        kind="tool.before",
        about="before a tool call",
        fields=TOOL,
        target=EventTarget("tool_name"),
        can=Can(block=True, ask=True, grant=True),
        deny=DenyRules("model", "reason"),
        merging=MergeRules(changes={"input": "replace"}, chain={"input": "tool_input"}),
    ),
    EventRule(
        name="PostToolUse",
        kind="tool.after",
        about="after a tool call; a block prompts the model with its reason",
        fields=(*TOOL, Field("tool_response", "tool_output")),
        target=EventTarget("tool_name"),
        deny=DenyRules("model", "feedback"),
        firing=FiringRules(after_failures=True),
    ),
    EventRule(
        name="UserPromptSubmit",
        kind="prompt.submit",
        about="when the user submits a prompt; a block erases it",
        fields=(Field("prompt"), Field("user_prompt", "prompt")),
        can=Can(block=True),
        deny=DenyRules(erases=True),
        text=TextRules("context"),
    ),
    EventRule(
        name="Stop",
        kind="turn.stop",
        about="when the agent wants to stop; a block keeps it going",
        can=Can(block=True),
        deny=DenyRules("model", "reason", needs_reason=True),
    ),
)

CALL = ("PreToolUse",)

ANSWERS = (
    AnswerField(path="continue", effect="continue"),
    AnswerField(path="stopReason", effect="stop_reason"),
    AnswerField(path="systemMessage", effect="text", kind="system"),
    AnswerField(path="decision", effect="decision", words={"block": "deny"}),
    AnswerField(path="reason", effect="reason"),
    AnswerField(
        path="hookSpecificOutput.permissionDecision",
        effect="decision",
        events=CALL,
        words={"allow": "allow", "deny": "deny", "ask": "ask"},
    ),
    AnswerField(path="hookSpecificOutput.permissionDecisionReason", effect="reason", events=CALL),
    AnswerField(path="hookSpecificOutput.updatedInput", effect="input", events=CALL),
    AnswerField(
        path="hookSpecificOutput.additionalContext",
        effect="text",
        events=("PostToolUse", "UserPromptSubmit"),
        kind="context",
    ),
)

KEYS = {"type": "type", "command": "spec", "timeout": "timeout", "name": "name", "tenterhook": "ours"}

SETUP = Setup(
    folder=".wave/hooks/tenterhook",
    files=(".wave/settings.json",),
    command='"$WAVE_PROJECT_DIR/{path}"',
    wrappers=(
        Wrapper("handle-pre-tool.sh", "pre-tool", "PreToolUse", 5, "Write|Edit|Bash"),
        Wrapper("handle-post-tool.sh", "post-tool", "PostToolUse", 60, "Write|Edit"),
        Wrapper("handle-stop.sh", "stop", "Stop", 5),
        Wrapper("handle-agent-hook.sh", "agent"),
    ),
)

DIALECT = Dialect(
    name="wave",
    title="Wave",
    about="Wave agent; exit codes for simple hooks, a JSON object for full control",
    events=EVENTS,
    payload=PayloadRules(
        base=(
            Field("session_id", "session"),
            Field("transcript_path", "transcript"),
            Field("cwd", "cwd"),
            Field("hook_event_name", "event"),
        ),
        env={"WAVE_PROJECT_DIR": "project", "HOOK_EVENT": "event", "HOOK_TOOL_NAME": "tool"},
    ),
    reading=ReadingRules(
        exits={
            0: Exit(
                means="success; stdout is context on UserPromptSubmit",
                text=ExitText("stdout", "plain"),
                answer=ExitAnswer(),
            ),
            2: Exit(means="blocking error, stderr is the reason", decision="deny", text=ExitText("stderr", "reason")),
            "other": Exit(means="stderr is shown to the user, goes on", failed=True, text=ExitText("stderr", "error")),
        },
        answers=ANSWERS,
        section=AnswerSection(name="hookSpecificOutput", event="hookEventName"),
        outranks_exit=True,
        broken="text",
        stop_outranks=True,
    ),
    config=ConfigRules(
        traces=Traces(programs=("wave",), paths=("~/.wave",)),
        files=(
            File(path="~/.wave/settings.json", scope="user", format="json"),
            File(path=".wave/settings.json", scope="project", format="json"),
            File(path=".wave/settings.local.json", scope="project", format="json"),
        ),
        form=Form(group="hooks", keys=KEYS, group_keys={"matcher": "matcher"}),
        types=(Type(name="command", handler="command", key="command"),),
        untyped="command",
    ),
    planning=PlanningRules(matcher="glob-nocase", timeout=60.0, order="sequential"),
    messages=MessageRules(audience={"error": "user"}, marks={"reason": "{text}"}),
    tools=ToolRules(
        open=True,
        names={
            "Bash": ToolName("Bash"),
            "Read": ToolName("Read"),
            "Write": ToolName("Write"),
            "Edit": ToolName("Edit"),
            "Grep": ToolName("Grep", {"ignore_case": "-i", "limit": "head_limit"}),
            "Glob": ToolName("Glob"),
            "Task": ToolName("Task"),
        },
    ),
    setup=SETUP,
    install=Install(
        project=".wave/settings.json",
        user="~/.wave/settings.json",
        folder="WAVE_PROJECT_DIR",
    ),
    notes=(
        "One JSON object on stdout outranks the exit code, whatever that is; raw JSON is never injected as context.",
        "An object without decision, permissionDecision or continue leaves blocking to the exit code.",
        "continue: false outranks every decision.",
        "The reference agent's Bash takes its timeout in seconds.",
    ),
)
