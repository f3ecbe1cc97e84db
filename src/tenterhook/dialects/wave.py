"""Wave's hooks: exit codes, or a JSON object that outranks them."""

from tenterhook.dialects.schema.dialect import (
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

TOOL = (Field("tool_name"), Field("tool_input"), Field("tool_use_id"))

EVENTS = (
    EventRule(
        name="PreToolUse",
        kind="tool.before",
        about="before a tool call",
        target="tool_name",
        fields=TOOL,
        blocks=True,
        asks=True,
        grants=True,
        deny=("model", "reason"),
        merges={"input": "replace"},
        chain={"input": "tool_input"},
    ),
    EventRule(
        name="PostToolUse",
        kind="tool.after",
        about="after a tool call; a block prompts the model with its reason",
        target="tool_name",
        fields=(*TOOL, Field("tool_response", "tool_output")),
        hears_failures=True,
        deny=("model", "feedback"),
    ),
    EventRule(
        name="UserPromptSubmit",
        kind="prompt.submit",
        about="when the user submits a prompt; a block erases it",
        fields=(Field("prompt"), Field("user_prompt", "prompt")),
        blocks=True,
        plain="context",
        erased=True,
    ),
    EventRule(
        name="Stop",
        kind="turn.stop",
        about="when the agent wants to stop; a block keeps it going",
        blocks=True,
        needs_reason=True,
        deny=("model", "reason"),
    ),
)

CALL = ("PreToolUse",)

ANSWERS = (
    Answer(path="continue", effect="continue"),
    Answer(path="stopReason", effect="stop_reason"),
    Answer(path="systemMessage", effect="text", kind="system"),
    Answer(path="decision", effect="decision", words={"block": "deny"}),
    Answer(path="reason", effect="reason"),
    Answer(
        path="hookSpecificOutput.permissionDecision",
        effect="decision",
        events=CALL,
        words={"allow": "allow", "deny": "deny", "ask": "ask"},
    ),
    Answer(path="hookSpecificOutput.permissionDecisionReason", effect="reason", events=CALL),
    Answer(path="hookSpecificOutput.updatedInput", effect="input", events=CALL),
    Answer(
        path="hookSpecificOutput.additionalContext",
        effect="text",
        kind="context",
        events=("PostToolUse", "UserPromptSubmit"),
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
    base=(
        Field("session_id", "session"),
        Field("transcript_path", "transcript"),
        Field("cwd", "cwd"),
        Field("hook_event_name", "event"),
    ),
    env={"WAVE_PROJECT_DIR": "project", "HOOK_EVENT": "event", "HOOK_TOOL_NAME": "tool"},
    exits={
        0: Exit(
            means="success; stdout is context on UserPromptSubmit",
            answer=True,
            text="stdout",
            becomes="plain",
        ),
        2: Exit(means="blocking error, stderr is the reason", decision="deny", text="stderr", becomes="reason"),
        "other": Exit(means="stderr is shown to the user, goes on", failed=True, text="stderr", becomes="error"),
    },
    answers=ANSWERS,
    files=(
        File(path="~/.wave/settings.json", scope="user", format="json"),
        File(path=".wave/settings.json", scope="project", format="json"),
        File(path=".wave/settings.local.json", scope="project", format="json"),
    ),
    form=Form(group="hooks", keys=KEYS, group_keys={"matcher": "matcher"}),
    types=(Type(name="command", handler="command", key="command"),),
    untyped="command",
    matcher="glob-nocase",
    timeout=60.0,
    order="sequential",
    section="hookSpecificOutput",
    section_event="hookEventName",
    answer_outranks_exit=True,
    broken_answer="text",
    stop_outranks=True,
    audience={"error": "user"},
    marks={"reason": "{text}"},
    tools={
        "Bash": ToolName("Bash"),
        "Read": ToolName("Read"),
        "Write": ToolName("Write"),
        "Edit": ToolName("Edit"),
        "Grep": ToolName("Grep", {"ignore_case": "-i", "limit": "head_limit"}),
        "Glob": ToolName("Glob"),
        "Task": ToolName("Task"),
    },
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
