"""The events that a person may want to hear of, and the text for each."""

from __future__ import annotations

MOMENTS = {
    "notify": "needs your attention",
    "permission.ask": "asks for permission",
    "permission.denied": "was refused a permission",
    "turn.stop": "has finished",
    "turn.failed": "has failed",
    "agent.stop": "has finished a subtask",
    "task.done": "has done a task",
    "teammate.idle": "has a teammate without work",
    "tool.failed": "could not run a tool",
    "session.start": "has started",
    "session.end": "has ended",
}
