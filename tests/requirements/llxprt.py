"""What the tests of llxprt's requirements share: settings with hooks in them, and hooks as one line of shell."""

import json
from shlex import quote
from typing import Any

CALL = {"tool_name": "write_file", "tool_input": {"path": "a.txt", "content": "x"}}
RESULT = {"llmContent": "wrote it", "returnDisplay": "done", "metadata": {"bytes": 1}, "error": {"message": "none"}}
REQUEST = {
    "model": "m-1",
    "messages": [{"role": "user", "content": "hello"}],
    "config": {"temperature": 0.5, "maxOutputTokens": 100, "topP": 0.9, "topK": 40},
    "toolConfig": {"mode": "AUTO", "allowedFunctionNames": ["read_file", "write_file"]},
}
RESPONSE = {
    "text": "hi",
    "candidates": [
        {
            "content": {"role": "model", "parts": ["hi"]},
            "finishReason": "STOP",
            "index": 0,
            "safetyRatings": [{"category": "HARM", "probability": "LOW"}],
        }
    ],
    "usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 1, "totalTokenCount": 4},
}
# Every event, with the fields that are its own.
DATA: dict[str, dict[str, Any]] = {
    "BeforeTool": CALL,
    "AfterTool": {**CALL, "tool_response": RESULT},
    "BeforeModel": {"llm_request": REQUEST},
    "AfterModel": {"llm_request": REQUEST, "llm_response": RESPONSE},
    "BeforeToolSelection": {"llm_request": REQUEST},
    "BeforeAgent": {"prompt": "do it"},
    "AfterAgent": {"prompt": "do it", "prompt_response": "done", "stop_hook_active": False},
    "SessionStart": {"source": "startup"},
    "SessionEnd": {"reason": "exit"},
    "PreCompress": {"trigger": "auto"},
    "Notification": {"notification_type": "ToolPermission", "message": "may I?", "details": {}},
}
IN_SCOPE = list(DATA)[:5]
OUT_OF_SCOPE = list(DATA)[5:]


def group(*hooks: Any, **keys: Any) -> dict[str, Any]:
    """A hook group: commands, or entries as they stand in the file."""
    return {**keys, "hooks": [one if isinstance(one, dict) else {"type": "command", "command": one} for one in hooks]}


def settings(*, switch: object = True, **events: list[Any]) -> str:
    return json.dumps({"enableHooks": switch, "hooks": events}, indent=1)


def fire(
    project: Any, event: str, *hooks: Any, data: Any = None, matcher: Any = None, sequential: bool = False, **more
):
    """Fire one event of a project whose settings hold these hooks for it, in one group."""
    keys = {"sequential": sequential} | ({} if matcher is None else {"matcher": matcher})
    project.write(".llxprt/settings.json", settings(**{event: [group(*hooks, **keys)]}))
    return project.fire("llxprt", event, DATA[event] if data is None else data, **more)


def says(answer: object) -> str:
    """A hook that prints this as JSON and exits 0."""
    return f"printf %s {quote(json.dumps(answer))}"


def specific(**fields: object) -> str:
    """A hook whose answer has only fields of hookSpecificOutput."""
    return says({"hookSpecificOutput": fields})


def told(outcome: Any) -> list[tuple[str, str, str]]:
    return [(message.to, message.kind, message.text) for message in outcome.messages]
