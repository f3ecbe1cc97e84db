"""MassGen's hook framework: YAML, Python callables and programs, globally and per agent."""

from tenterhook.dialects.schema.dialect import (
    AnswerField,
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
    FailureRules,
    Field,
    File,
    Form,
    MergeRules,
    MessageRules,
    PayloadRules,
    PlanningRules,
    ReadingRules,
    Section,
    Setup,
    ToolName,
    ToolRules,
    Traces,
    Type,
    Wrapper,
)

TOOL = (Field("tool_name"), Field("tool_input"))

EVENTS = (
    EventRule(
        name="PreToolUse",
        kind="tool.before",
        about="before an agent's tool runs",
        fields=TOOL,
        target=EventTarget("tool_name"),
        can=Can(block=True, ask=True),
        deny=DenyRules("model", "reason"),
        merging=MergeRules(changes={"input": "replace"}, chain={"input": "tool_input"}),
    ),
    EventRule(
        name="PostToolUse",
        kind="tool.after",
        about="after a tool ran successfully",
        fields=(*TOOL, Field("tool_output")),
        target=EventTarget("tool_name"),
        deny=DenyRules("model", "feedback"),
    ),
)

ANSWERS = (
    AnswerField(path="decision", effect="decision", words={"allow": "allow", "deny": "deny", "ask": "ask"}),
    AnswerField(path="reason", effect="reason"),
    AnswerField(path="updated_input", effect="input", events=("PreToolUse",)),
    AnswerField(
        path="inject.content",
        effect="text",
        events=("PostToolUse",),
        kind="result",
        value=AnswerValue(kind_from="strategy", kinds={"tool_result": "result", "user_message": "user_message"}),
    ),
    AnswerField(path="inject.strategy", effect="note", events=("PostToolUse",)),
)

KEYS = {
    "handler": "spec",
    "type": "type",
    "matcher": "matcher",
    "timeout": "timeout",
    "override": "override",
    "fail_closed": "closed",
    "name": "name",
    "tenterhook": "ours",
}

FILES = tuple(
    File(
        path=path,
        scope="project",
        format="yaml",
        sections=(
            Section(hooks="hooks"),
            Section(hooks="backend.hooks", each="agents", agent="id"),
            Section(hooks="backend.hooks", each="agent", agent="id"),
        ),
    )
    for path in ("massgen.yaml", "config.yaml", ".massgen/config.yaml")
)

SETUP = Setup(
    folder=".massgen/hooks/tenterhook",
    files=("massgen.yaml", ".massgen/config.yaml"),
    wrappers=(
        Wrapper("handle-pre-tool.sh", "pre-tool", "PreToolUse", 5, "Write|Edit|Bash"),
        Wrapper("handle-post-tool.sh", "post-tool", "PostToolUse", 60, "Write|Edit"),
    ),
)

DIALECT = Dialect(
    name="massgen",
    title="MassGen",
    about="multi-agent system; hooks in YAML, for all agents or for one",
    events=EVENTS,
    payload=PayloadRules(
        base=(
            Field("hook_type", "event"),
            Field("session_id", "session"),
            Field("agent_id", "agent"),
            Field("timestamp", "timestamp"),
        ),
        env={
            "MASSGEN_HOOK_TYPE": "event",
            "MASSGEN_TOOL_NAME": "tool",
            "MASSGEN_SESSION_ID": "session",
            "MASSGEN_AGENT_ID": "agent",
        },
    ),
    reading=ReadingRules(
        exits={
            0: Exit(means="a JSON object is the result; nothing is allow; other text has failed", answer=ExitAnswer()),
            2: Exit(means="deny, stderr is the reason", decision="deny", text=ExitText("stderr", "reason")),
            "other": Exit(means="failed, goes on", failed=True, text=ExitText("stderr", "error")),
        },
        answers=ANSWERS,
        text_fails=True,
    ),
    config=ConfigRules(
        traces=Traces(programs=("massgen",), paths=("~/.config/massgen",)),
        files=FILES,
        form=Form(lists=("hooks",), flat=True, keys=KEYS, group_keys={"override": "override"}),
        types=(
            Type(name="python", handler="python", key="handler", form="function"),
            Type(name="command", handler="command", key="handler", form="program"),
        ),
        untyped="path-or-dotted",
    ),
    planning=PlanningRules(
        matcher="glob", timeout=30.0, order="sequential", agent_from=("agent_id", "agent_type"), chain_ends=("deny",)
    ),
    failures=FailureRules(by_cause={"import": "deny"}),
    messages=MessageRules(
        marks={"reason": "Error: denied by a hook: {text}", "result": "{text}", "user_message": "{text}"}
    ),
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
    notes=(
        "ask is not in the document; the program has it, and a decision is not lost here.",
        "Exit 2 denies with stderr as the reason; the document is silent, every other dialect says so.",
        "A type: command handler is one program without a shell; a .py file without the run bit is run by Python.",
        "override switches the global hooks of an event off for that agent, also when its own list is empty.",
        "The reference agent has Claude Code's names for its tools, of which the document knows Write and Edit.",
    ),
)
