"""Hooks on what the client wants of the server: the list of tools, tool calls, resources, prompts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET, Raw, Struct

from tenterhook.adapters.mcp import client_side
from tenterhook.adapters.mcp.exchange import Exchange
from tenterhook.adapters.mcp.messages import (
    CAPABILITIES,
    REFUSED,
    VERSION,
    Doubtful,
    RpcMessage,
    error_line,
    is_waiting_for_input,
    members_of,
    read_object,
    request_line,
    result_line,
)
from tenterhook.adapters.mcp.results import (
    as_text,
    changes_of_result,
    refused_content,
    shown_output,
    text_with,
    without_structure,
)
from tenterhook.adapters.pending_call import PendingCall
from tenterhook.adapters.plain_messages import tools_left
from tenterhook.hosts.result import ToolError, ToolResult
from tenterhook.pipeline.apply import STOPPED
from tenterhook.pipeline.deliver import for_model

if TYPE_CHECKING:
    from tenterhook.adapters.mcp.relay import Handler, McpRelay
    from tenterhook.hosts.permission import PermissionRequest
    from tenterhook.types import Outcome

TOOL = ("tool.before", "tool.after", "tool.failed")
RESOURCE = ("resource.before", "resource.after")
PROMPT = ("prompt.expand", "prompt.transform")
EVENTS = (*TOOL, "tools.select", *RESOURCE, *PROMPT)
# Calls of the stateless protocol that wait for a person. The one that waits longest is dropped.
SUSPENDED = 1000
# Seconds for a person to answer.
PATIENCE = 600.0
# Characters of an input in a question.
SHOWN = 2000


class CalledTool(Struct):
    """What is looked at of a call to see whether a hook is about it."""

    name: str = ""


class Suspension(Exception):
    """The client has to ask a person, and then calls again: so the stateless protocol wants it."""

    def __init__(self, request: PermissionRequest) -> None:
        self.request = request


class SuspendedCall(Struct):
    """A call that waits for a person, and what they answered, once the client calls again."""

    call: PendingCall
    answers: list[bool]
    name: str
    arguments: dict[str, Any]
    # Its params as they came, which the server gets when a person has allowed the call.
    members: dict[str, Raw]


# ---- what concerns a hook


def concerns_call(relay: McpRelay, message: RpcMessage) -> bool:
    try:
        name = msgspec.json.decode(message.params, type=CalledTool).name if message.params is not UNSET else ""
    except msgspec.MsgspecError:
        return True
    if relay.allowed is not None and relay.tool_name(name) not in relay.allowed:
        return True
    data = {"tool_name": relay.tool_name(name)}
    return any(relay.engine.may_run(event, data) for event in TOOL)


def concerns_list(relay: McpRelay, message: RpcMessage) -> bool:
    return relay.engine.listens("tools.select")


def concerns_resource(relay: McpRelay, message: RpcMessage) -> bool:
    return relay.listens(RESOURCE)


def concerns_prompt(relay: McpRelay, message: RpcMessage) -> bool:
    return relay.listens(PROMPT)


# ---- tools


def call_tool(relay: McpRelay, exchange: Exchange, params: dict[str, Any]) -> bytes | None:
    """A refused call is a result with `isError`, whose text is the reason, so that the model reads it."""
    message = exchange.message
    name, given = params.get("name"), params.get("arguments", {})
    if not isinstance(name, str) or not isinstance(given, dict):
        raise Doubtful("the name of a tool is a text, and its arguments are an object", id=exchange.key[1])
    full = relay.tool_name(name)
    if relay.allowed is not None and full not in relay.allowed:
        return result_line(message.id, refused_content(params, f"{full} may not be called in this turn"))
    waiting = take_suspended(relay, params, name, given)
    if waiting is None:
        answers: list[bool] = []
        asker = make_asker(relay, exchange, params, answers)
        call = PendingCall(relay.engine, full, given, id=str(message.id), permission=asker, suspends=Suspension)
    else:
        call, answers = waiting.call, waiting.answers
    try:
        refused = call.begin()
    except Suspension as suspension:
        waiting = SuspendedCall(call, answers, name, given, waiting.members if waiting else members_of(message.params))
        return suspend(relay, message, waiting, suspension.request)
    if refused is not None:
        relay.tell_user(*refused.outcomes)
        return result_line(message.id, refused_content(params, text_with(refused, str(refused))))
    if waiting is None and (reason := client_side.review_answers(relay, params)) is not None:
        return result_line(message.id, refused_content(params, reason))
    response = exchange.ask_target(line_to_server(message, call.input, given, waiting))
    if response is None or exchange.is_cancelled:
        finish(relay, call, ToolResult(error=ToolError("the call was cancelled", "cancelled")))
        return exchange.reply_nothing_came()
    if is_waiting_for_input(response):
        call.steps.close()
        reason = client_side.review_questions(relay, response)
        return response.line if reason is None else result_line(message.id, refused_content(params, reason))
    return answer_call(relay, exchange, call, response)


def line_to_server(
    message: RpcMessage, input: dict[str, Any], given: dict[str, Any], waiting: SuspendedCall | None
) -> bytes:
    """The bytes that came, if hooks changed nothing. The server knows nothing of our question to the client."""
    if input == given and waiting is None:
        return message.line
    members: dict[str, Any] = {**members_of(message.params)}
    if waiting is not None:
        members = {**waiting.members, **{name: members[name] for name in ("_meta",) if name in members}}
    if input != given:
        members["arguments"] = input
    return request_line(message.id, str(message.method), members)


def answer_call(relay: McpRelay, exchange: Exchange, call: PendingCall, response: RpcMessage) -> bytes:
    """The server's own line, if hooks neither changed the result nor added to it."""
    message = exchange.message
    if response.result is UNSET:
        text = str(read_object(response.error).get("message", "the server reported an error"))
        result = finish(relay, call, ToolResult(text, text, {}, ToolError(text, "failed")))
        whole = text_with(result, str(result.llm_content))
        return response.line if whole == text else error_line(message.id, code_of(response), whole)
    members = members_of(response.result)
    record = read_object(response.result)
    shown = shown_output(record)
    if record.get("isError") is True:
        text = as_text(shown)
        result = finish(relay, call, ToolResult(text, text, {}, ToolError(text, "failed")))
        shown = text
    else:
        result = finish(relay, call, shown)
    changes = changes_of_result(record, shown, result)
    return result_line(message.id, without_structure(members, changes)) if changes else response.line


def finish(relay: McpRelay, call: PendingCall, value: Any) -> ToolResult:
    result = call.finish(value)
    relay.tell_user(*result.outcomes)
    return result


def code_of(response: RpcMessage) -> int:
    code = read_object(response.error).get("code")
    return code if isinstance(code, int) else REFUSED


# ---- permission


def make_asker(
    relay: McpRelay, exchange: Exchange, params: dict[str, Any], answers: list[bool]
) -> Callable[[PermissionRequest], bool] | None:
    """How a person is asked: by the client's elicitation. None if the client cannot: then the call is refused."""
    if not relay.client_elicits(params):
        return None
    meta = params.get("_meta")
    if isinstance(meta, dict) and VERSION in meta and CAPABILITIES in meta:

        def suspend_call(request: PermissionRequest) -> bool:
            if answers:
                return answers[-1]
            raise Suspension(request)

        return suspend_call
    return lambda request: client_side.elicit(relay, exchange, question(request), PATIENCE)


def question(request: PermissionRequest) -> dict[str, Any]:
    """An elicitation without fields: a person accepts or declines."""
    shown = msgspec.json.encode(request.tool_input, enc_hook=str).decode()
    shown = shown if len(shown) <= SHOWN else f"{shown[:SHOWN]}..."
    why = f": {request.reason}" if request.reason else ""
    text = f"{request.tool_name} needs permission{why}\n{shown}"
    return {"mode": "form", "message": text, "requestedSchema": {"type": "object", "properties": {}}}


def suspend(relay: McpRelay, message: RpcMessage, waiting: SuspendedCall, request: PermissionRequest) -> bytes:
    state = f"tenterhook-{relay.token}-{message.id}"
    relay.suspended[state] = waiting
    while len(relay.suspended) > SUSPENDED:
        relay.suspended.pop(next(iter(relay.suspended)))
    asked = {"permission": {"method": "elicitation/create", "params": question(request)}}
    return result_line(message.id, {"resultType": "input_required", "inputRequests": asked, "requestState": state})


def take_suspended(relay: McpRelay, params: dict[str, Any], name: str, given: dict[str, Any]) -> SuspendedCall | None:
    """The call that the client makes again after it asked a person; another call than that one starts anew."""
    state = params.get("requestState")
    waiting = relay.suspended.pop(state, None) if isinstance(state, str) else None
    if waiting is None or waiting.name != name or waiting.arguments != given:
        if isinstance(state, str) and state.startswith(f"tenterhook-{relay.token}-"):
            raise Doubtful("this answers a question about another call")
        return None
    responses = params.get("inputResponses")
    answer = responses.get("permission") if isinstance(responses, dict) else None
    waiting.answers.append(isinstance(answer, dict) and answer.get("action") == "accept")
    return waiting


# ---- the list of tools


def list_tools(relay: McpRelay, exchange: Exchange, params: dict[str, Any]) -> bytes | None:
    """Take the tools out of a list that hooks do not leave. A call of one of them is refused from then on."""
    message = exchange.message
    response = exchange.ask_target(message.line)
    if response is None or response.result is UNSET:
        return exchange.reply_nothing_came() if response is None else response.line
    members = members_of(response.result)
    tools = msgspec.json.decode(members.get("tools", Raw(b"[]")), type=list[Raw])
    records = [read_object(tool) for tool in tools]
    names = [relay.tool_name(str(record.get("name"))) for record in records]
    shown = [
        {"name": name, "description": str(record.get("description", ""))}
        for name, record in zip(names, records, strict=True)
    ]
    outcome = relay.fire("tools.select", llm_request={"model": "", "messages": [], "tools": shown})
    left = set() if outcome.halts else tools_left(outcome.changes.get("tool_config"))
    first = not params.keys() - {"_meta"}  # a later page says where it goes on
    if left is None:
        if first:
            relay.allowed = None
        elif relay.allowed is not None:
            relay.allowed |= frozenset(names)
        return response.line
    relay.allowed = frozenset(left) | (frozenset() if first or relay.allowed is None else relay.allowed)
    kept = [tool for tool, name in zip(tools, names, strict=True) if name in left]
    return result_line(message.id, {**members, "tools": kept})


# ---- resources and prompts


def read_resource(relay: McpRelay, exchange: Exchange, params: dict[str, Any]) -> bytes | None:
    message, uri = exchange.message, params.get("uri")
    if not isinstance(uri, str):
        raise Doubtful("the uri of a resource is a text", id=exchange.key[1])
    event = {"mcp_server_name": relay.name, "uri": uri}
    before = relay.fire("resource.before", **event)
    if (reason := refusal_of(before)) is not None:
        return error_line(message.id, REFUSED, reason)
    response, line = ask_server(relay, exchange, params)
    if response is None:
        return line
    members, record = members_of(response.result), read_object(response.result)
    contents = record.get("contents", [])
    shown = contents[0]["text"] if is_one_text(contents) else contents
    after = relay.fire("resource.after", **event, content=shown)
    if (reason := refusal_of(after)) is not None:
        return error_line(message.id, REFUSED, reason)
    texts = [{"uri": uri, "mimeType": "text/plain", "text": text} for text in texts_of(relay, before, after)]
    if "output" not in after.changes:
        if not texts:
            return response.line
        return result_line(message.id, {**members, "contents": [*contents, *texts]})
    now = after.changes["output"]
    if not (isinstance(now, list) and all(isinstance(one, dict) for one in now)):
        kind = contents[0].get("mimeType", "text/plain") if is_one_text(contents) else "text/plain"
        text = now if isinstance(now, str) else msgspec.json.encode(now).decode()
        now = [{"uri": uri, "mimeType": kind, "text": text}]
    return result_line(message.id, {**members, "contents": [*now, *texts]})


def get_prompt(relay: McpRelay, exchange: Exchange, params: dict[str, Any]) -> bytes | None:
    message, name = exchange.message, params.get("name")
    if not isinstance(name, str):
        raise Doubtful("the name of a prompt is a text", id=exchange.key[1])
    full, arguments = relay.tool_name(name), params.get("arguments")
    words = msgspec.json.encode(arguments).decode() if arguments else ""
    typed = f"/{full} {words}".strip()
    before = relay.fire("prompt.expand", command_name=full, command_args=words, prompt=typed)
    if (reason := refusal_of(before)) is not None:
        return error_line(message.id, REFUSED, reason)
    response, line = ask_server(relay, exchange, params)
    if response is None:
        return line
    members, record = members_of(response.result), read_object(response.result)
    contents = [one.get("content", {}) for one in record.get("messages", []) if isinstance(one, dict)]
    text = "\n\n".join(str(one.get("text")) for one in contents if isinstance(one, dict) and one.get("type") == "text")
    after = relay.fire("prompt.transform", prompt=typed, transformed_prompt=text)
    if (reason := refusal_of(after)) is not None:
        return error_line(message.id, REFUSED, reason)
    added = [prompt_message(one) for one in texts_of(relay, before, after)]
    if "prompt" in after.changes:
        return result_line(message.id, {**members, "messages": [prompt_message(after.changes["prompt"]), *added]})
    if not added:
        return response.line
    return result_line(message.id, {**members, "messages": [*record.get("messages", []), *added]})


def ask_server(relay: McpRelay, exchange: Exchange, params: dict[str, Any]) -> tuple[RpcMessage | None, bytes]:
    """The server's result; or None and the line that answers the client instead."""
    message = exchange.message
    if (reason := client_side.review_answers(relay, params)) is not None:
        return None, error_line(message.id, REFUSED, reason)
    response = exchange.ask_target(message.line)
    if response is None:
        return None, exchange.reply_nothing_came()
    if response.result is UNSET:
        return None, response.line
    if is_waiting_for_input(response):
        reason = client_side.review_questions(relay, response)
        return None, response.line if reason is None else error_line(message.id, REFUSED, reason)
    return response, b""


def refusal_of(outcome: Outcome) -> str | None:
    if outcome.halts:
        return outcome.stop_reason or STOPPED
    return outcome.reason if outcome.blocked else None


def texts_of(relay: McpRelay, *outcomes: Outcome) -> list[str]:
    engine = relay.engine
    messages = [message for outcome in outcomes for message in outcome.messages]
    return for_model(messages, engine.dialect.messages.marks, engine.hookset.label)


def prompt_message(text: str) -> dict[str, Any]:
    return {"role": "user", "content": {"type": "text", "text": text}}


def is_one_text(contents: Any) -> bool:
    return isinstance(contents, list) and len(contents) == 1 and isinstance(contents[0].get("text"), str)


CONCERNS: dict[str, Callable[[McpRelay, RpcMessage], bool]] = {
    "tools/call": concerns_call,
    "tools/list": concerns_list,
    "resources/read": concerns_resource,
    "prompts/get": concerns_prompt,
}
HANDLERS: dict[str, Handler] = {
    "tools/call": call_tool,
    "tools/list": list_tools,
    "resources/read": read_resource,
    "prompts/get": get_prompt,
}
