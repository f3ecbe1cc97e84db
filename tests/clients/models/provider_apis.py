"""Four real protocols, each as a test needs it: how a response is streamed, and what a request says."""

import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

KEY = "sk-very-secret-0123456789"

Calls = Sequence[tuple[str, str, dict[str, Any]]]


class Protocol(NamedTuple):
    """`stream` gives the events of a response; the others read a request: messages as (role, what) pairs."""

    name: str
    model: Callable[[str], str]
    environ: Callable[[str], dict[str, str]]
    stream: Callable[..., list[str]]
    messages: Callable[[dict[str, Any]], list[tuple[str, Any]]]
    tools: Callable[[dict[str, Any]], list[str]]
    choice: Callable[[dict[str, Any]], tuple[str, list[str]]]
    option: Callable[[dict[str, Any]], dict[str, Any]]
    error: Callable[[str, int], Any]


def sse(data: Any, event: str = "") -> str:
    text = data if isinstance(data, str) else json.dumps(data)
    return (f"event: {event}\n" if event else "") + f"data: {text}\n\n"


def halves(text: str) -> list[str]:
    return [text[: len(text) // 2], text[len(text) // 2 :]]


# ---- OpenAI chat completions, which the NAME@URL endpoints speak


def chat_stream(texts: Sequence[str] = (), calls: Calls = (), finish: str | None = "stop") -> list[str]:
    def chunk(delta: dict[str, Any], end: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": end}
        return sse({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]})

    made = [chunk({"role": "assistant", "content": text}) for text in texts]
    for n, (id, name, given) in enumerate(calls):
        first, second = halves(json.dumps(given))
        function = {"name": name, "arguments": first}
        made.append(chunk({"tool_calls": [{"index": n, "id": id, "type": "function", "function": function}]}))
        made.append(chunk({"tool_calls": [{"index": n, "function": {"arguments": second}}]}))
    if finish:
        usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
        last = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [], "usage": usage}
        made += [chunk({}, "tool_calls" if calls and finish == "stop" else finish), sse(last), sse("[DONE]")]
    return made


def chat_messages(body: dict[str, Any]) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for message in body["messages"]:
        if message["role"] == "tool":
            found.append(("result", (message["tool_call_id"], message["content"])))
        elif message.get("content"):
            found.append((message["role"], message["content"]))
        for call in message.get("tool_calls", ()):
            function = call["function"]
            found.append(("call", (call["id"], function["name"], json.loads(function["arguments"]))))
    return found


def chat_choice(body: dict[str, Any]) -> tuple[str, list[str]]:
    names = [tool["function"]["name"] for tool in body.get("tools", ())]
    choice = body.get("tool_choice", "auto")
    if isinstance(choice, dict) and choice["type"] == "function":
        return "required", [choice["function"]["name"]]
    if isinstance(choice, dict):
        return choice["allowed_tools"]["mode"], [one["function"]["name"] for one in choice["allowed_tools"]["tools"]]
    return choice, names


CHAT = Protocol(
    name="chat",
    model=lambda url: f"m@{url}/v1",
    environ=lambda url: {"OPENAI_API_KEY": KEY},
    stream=chat_stream,
    messages=chat_messages,
    tools=lambda body: [tool["function"]["name"] for tool in body.get("tools", ()) if "function" in tool],
    choice=chat_choice,
    option=lambda body: {"temperature": body.get("temperature"), "most": body.get("max_completion_tokens")},
    error=lambda text, status: {"error": {"message": text, "type": "invalid_request_error"}},
)

# ---- OpenAI responses


def responses_stream(texts: Sequence[str] = (), calls: Calls = (), finish: str | None = "stop") -> list[str]:
    done = {"id": "r", "object": "response", "created_at": 1, "model": "m", "output": [], "tools": []}
    done |= {"parallel_tool_calls": True, "tool_choice": "auto"}
    events: list[dict[str, Any]] = [{"type": "response.created", "response": {**done, "status": "in_progress"}}]
    item = {"id": "msg_1", "type": "message", "role": "assistant", "status": "in_progress", "content": []}
    events.append({"type": "response.output_item.added", "output_index": 0, "item": item})
    place = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
    events += [{"type": "response.output_text.delta", **place, "delta": text, "logprobs": []} for text in texts]
    said = [{"type": "output_text", "text": "".join(texts), "annotations": [], "logprobs": []}] if texts else []
    ended = {**item, "status": "completed", "content": said}
    events.append({"type": "response.output_item.done", "output_index": 0, "item": ended})
    for n, (id, name, given) in enumerate(calls, 1):
        text = json.dumps(given)
        item = {"id": f"fc_{n}", "type": "function_call", "call_id": id, "name": name, "arguments": ""}
        events.append({"type": "response.output_item.added", "output_index": n, "item": item})
        at = {"item_id": f"fc_{n}", "output_index": n}
        events += [{"type": "response.function_call_arguments.delta", **at, "delta": half} for half in halves(text)]
        ended = {**item, "arguments": text, "status": "completed"}
        events.append({"type": "response.output_item.done", "output_index": n, "item": ended})
    if finish:
        counts = {"input_tokens": 11, "output_tokens": 7, "total_tokens": 18}
        details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
        status = "completed" if finish == "stop" else "incomplete"
        why = None if finish == "stop" else {"reason": "max_output_tokens"}
        whole = {**done, "status": status, "incomplete_details": why, "usage": {**counts, **details}}
        events.append({"type": f"response.{status}", "response": whole})
    return [sse({**event, "sequence_number": n}, event["type"]) for n, event in enumerate(events)]


def responses_messages(body: dict[str, Any]) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = [("system", body["instructions"])] if body.get("instructions") else []
    for item in body["input"]:
        if item.get("type") == "function_call":
            found.append(("call", (item["call_id"], item["name"], json.loads(item["arguments"]))))
        elif item.get("type") == "function_call_output":
            found.append(("result", (item["call_id"], item["output"])))
        else:
            content = item["content"]
            text = content if isinstance(content, str) else "".join(part["text"] for part in content)
            found.append((item["role"], text))
    return found


def responses_choice(body: dict[str, Any]) -> tuple[str, list[str]]:
    choice = body.get("tool_choice", "auto")
    if isinstance(choice, dict) and choice["type"] == "function":
        return "required", [choice["name"]]
    if isinstance(choice, dict):
        return choice["mode"], [one["name"] for one in choice["tools"]]
    return choice, [tool["name"] for tool in body.get("tools", ())]


RESPONSES = Protocol(
    name="responses",
    model=lambda url: "openai:m",
    environ=lambda url: {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": f"{url}/v1"},
    stream=responses_stream,
    messages=responses_messages,
    tools=lambda body: [tool["name"] for tool in body.get("tools", ()) if "name" in tool],
    choice=responses_choice,
    option=lambda body: {"temperature": body.get("temperature"), "most": body.get("max_output_tokens")},
    error=CHAT.error,
)

# ---- Anthropic messages


def anthropic_stream(texts: Sequence[str] = (), calls: Calls = (), finish: str | None = "stop") -> list[str]:
    message: dict[str, Any] = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": []}
    message |= {"stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 11, "output_tokens": 1}}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": message}]
    if texts:
        events.append({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}})
        deltas = [{"type": "text_delta", "text": text} for text in texts]
        events += [{"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas]
        events.append({"type": "content_block_stop", "index": 0})
    for n, (id, name, given) in enumerate(calls, 1):
        block = {"type": "tool_use", "id": id, "name": name, "input": {}}
        events.append({"type": "content_block_start", "index": n, "content_block": block})
        deltas = [{"type": "input_json_delta", "partial_json": half} for half in halves(json.dumps(given))]
        events += [{"type": "content_block_delta", "index": n, "delta": delta} for delta in deltas]
        events.append({"type": "content_block_stop", "index": n})
    if finish:
        why = "max_tokens" if finish == "length" else "tool_use" if calls else "end_turn"
        delta = {"stop_reason": why, "stop_sequence": None}
        events += [{"type": "message_delta", "delta": delta, "usage": {"output_tokens": 7}}, {"type": "message_stop"}]
    return [sse(event, event["type"]) for event in events]


def anthropic_messages(body: dict[str, Any]) -> list[tuple[str, Any]]:
    system = body.get("system", [])
    found: list[tuple[str, Any]] = [("system", system)] if isinstance(system, str) and system else []
    found += [("system", block["text"]) for block in system if isinstance(block, dict)]
    for message in body["messages"]:
        blocks = message["content"]
        for block in [{"type": "text", "text": blocks}] if isinstance(blocks, str) else blocks:
            if block["type"] == "tool_use":
                found.append(("call", (block["id"], block["name"], block["input"])))
            elif block["type"] == "tool_result":
                inner = block["content"]
                text = inner if isinstance(inner, str) else "".join(one["text"] for one in inner)
                found.append(("result", (block["tool_use_id"], text)))
            else:
                found.append((message["role"], block["text"]))
    return found


def anthropic_choice(body: dict[str, Any]) -> tuple[str, list[str]]:
    choice = body.get("tool_choice", {"type": "auto"})
    names = [tool["name"] for tool in body.get("tools", ())]
    if choice["type"] == "tool":
        return "required", [choice["name"]]
    return {"any": "required"}.get(choice["type"], choice["type"]), names


ANTHROPIC_ERRORS = {
    400: "invalid_request_error",
    401: "authentication_error",
    404: "not_found_error",
    429: "rate_limit_error",
    500: "api_error",
    503: "api_error",
}

ANTHROPIC = Protocol(
    name="anthropic",
    model=lambda url: "anthropic:claude-haiku-4-5",
    environ=lambda url: {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": url},
    stream=anthropic_stream,
    messages=anthropic_messages,
    tools=lambda body: [tool["name"] for tool in body.get("tools", ()) if "name" in tool],
    choice=anthropic_choice,
    option=lambda body: {"temperature": body.get("temperature"), "most": body.get("max_tokens")},
    error=lambda text, status: {"type": "error", "error": {"type": ANTHROPIC_ERRORS[status], "message": text}},
)

# ---- Gemini


def google_stream(texts: Sequence[str] = (), calls: Calls = (), finish: str | None = "stop") -> list[str]:
    def chunk(parts: list[Any], **more: Any) -> str:
        candidate = {"content": {"role": "model", "parts": parts}, "index": 0, **more}
        usage = {"promptTokenCount": 11, "candidatesTokenCount": 7, "totalTokenCount": 18}
        return sse({"candidates": [candidate], "usageMetadata": usage, "modelVersion": "m", "responseId": "r"})

    made = [chunk([{"text": text}]) for text in texts]
    made += [chunk([{"functionCall": {"id": id, "name": name, "args": given}}]) for id, name, given in calls]
    if finish:
        made.append(chunk([{"text": ""}], finishReason={"stop": "STOP", "length": "MAX_TOKENS"}[finish]))
    return made


def google_messages(body: dict[str, Any]) -> list[tuple[str, Any]]:
    found = [("system", part["text"]) for part in body.get("systemInstruction", {}).get("parts", ())]
    for content in body["contents"]:
        for part in content["parts"]:
            if call := part.get("functionCall"):
                found.append(("call", (call.get("id"), call["name"], call.get("args", {}))))
            elif result := part.get("functionResponse"):
                said = result["response"]
                found.append(("result", (result.get("id"), said.get("return_value", said))))
            else:
                found.append(("assistant" if content["role"] == "model" else "user", part["text"]))
    return found


def google_tools(body: dict[str, Any]) -> list[str]:
    return [one["name"] for tool in body.get("tools", ()) for one in tool.get("functionDeclarations", ())]


def google_choice(body: dict[str, Any]) -> tuple[str, list[str]]:
    config = body.get("toolConfig", {}).get("functionCallingConfig", {})
    names = config.get("allowedFunctionNames") or google_tools(body)
    # VALIDATED leaves it to the model as AUTO does, and holds it to the schemas.
    said = {"AUTO": "auto", "VALIDATED": "auto", "ANY": "required", "NONE": "none"}
    return said[config.get("mode", "AUTO")], names


GOOGLE_ERRORS = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
}

GOOGLE = Protocol(
    name="google",
    model=lambda url: "google:gemini-2.5-flash",
    environ=lambda url: {"GOOGLE_API_KEY": KEY, "GOOGLE_GEMINI_BASE_URL": url},
    stream=google_stream,
    messages=google_messages,
    tools=google_tools,
    choice=google_choice,
    option=lambda body: {
        "temperature": body["generationConfig"].get("temperature"),
        "most": body["generationConfig"].get("maxOutputTokens"),
    },
    error=lambda text, status: {"error": {"code": status, "message": text, "status": GOOGLE_ERRORS[status]}},
)

EVERY = (CHAT, RESPONSES, ANTHROPIC, GOOGLE)
