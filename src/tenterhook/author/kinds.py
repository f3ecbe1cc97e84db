"""Every kind of event that a dialect has. Written by scripts/schemas.py."""

KINDS = frozenset(
    (
        "agent.start",
        "agent.stop",
        "compact.after",
        "compact.before",
        "instructions.load",
        "message.display",
        "model.after",
        "model.before",
        "notify",
        "permission.ask",
        "permission.denied",
        "prompt.expand",
        "prompt.submit",
        "session.delete",
        "session.end",
        "session.start",
        "task.created",
        "task.done",
        "teammate.idle",
        "tool.after",
        "tool.batch",
        "tool.before",
        "tool.failed",
        "tools.select",
        "turn.failed",
        "turn.stop",
    )
)
