"""Hooks on what the server wants of the client: a model's answer, or a person's.

In the stateless protocol the server's wishes are part of a result, and the client's answers part of its next call.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from msgspec import UNSET

from tenterhook.adapters import plain_messages as plain
from tenterhook.adapters.mcp.exchange import Exchange
from tenterhook.adapters.mcp.messages import (
    REJECTED,
    RpcMessage,
    error_line,
    notification_line,
    read_object,
    request_line,
    result_line,
)
from tenterhook.clients.formats.plain import PLAIN, request_view
from tenterhook.hosts.model import Model
from tenterhook.pipeline.apply import STOPPED

if TYPE_CHECKING:
    from tenterhook.adapters.mcp.relay import Handler, McpRelay
    from tenterhook.types import Outcome

ELICITATION, SAMPLING = ("elicit.before", "elicit.after"), ("model.before", "model.after")
EVENTS = (*ELICITATION, *SAMPLING)
CONCERNS = {"elicitation/create": ELICITATION, "sampling/createMessage": SAMPLING}
NUMBERS = itertools.count(1)


class NoAnswer(Exception):
    """The client gave no result to sample from."""


def elicit(relay: McpRelay, exchange: Exchange, params: dict[str, Any], seconds: float) -> bool:
    """Ask the client's person whether a call may go on. Anything but a clear yes is a no."""
    id = f"tenterhook-{relay.token}-{next(NUMBERS)}"
    asked = Exchange(RpcMessage(id, "elicitation/create"), relay.server, relay.client)
    relay.client.expect(asked)
    exchange.question = asked
    try:
        if exchange.is_cancelled:
            return False
        response = asked.ask_target(request_line(id, "elicitation/create", params), seconds)
    finally:
        exchange.question = None
        relay.client.forget(asked)
    if response is None:
        if not relay.client.gone:
            why = {"requestId": id, "reason": "the call does not wait for an answer any more"}
            relay.client.write(notification_line("notifications/cancelled", why))
        return False
    return response.result is not UNSET and read_object(response.result).get("action") == "accept"


def answer_elicitation(relay: McpRelay, exchange: Exchange, params: dict[str, Any]) -> bytes | None:
    """A refused question is a declined one; a stop cancels it."""
    message = exchange.message
    if (action := action_after(elicit_before(relay, params))) is not None:
        return result_line(message.id, {"action": action})
    response = exchange.ask_target(message.line)
    if response is None:
        return exchange.reply_nothing_came()
    if response.result is UNSET:
        return response.line
    action = action_after(elicit_after(relay, read_object(response.result)))
    return response.line if action is None else result_line(message.id, {"action": action})


def elicit_before(relay: McpRelay, params: dict[str, Any]) -> Outcome:
    shown = {"message": params.get("message", ""), "mode": params.get("mode", "form")}
    if "requestedSchema" in params:
        shown["requested_schema"] = params["requestedSchema"]
    return relay.fire("elicit.before", mcp_server_name=relay.name, **shown)


def elicit_after(relay: McpRelay, answer: dict[str, Any]) -> Outcome:
    shown = {name: answer[name] for name in ("action", "content") if name in answer}
    return relay.fire("elicit.after", mcp_server_name=relay.name, **shown)


def action_after(outcome: Outcome) -> str | None:
    if outcome.halts:
        return "cancel"
    return "decline" if outcome.blocked else None


def answer_sampling(relay: McpRelay, exchange: Exchange, params: dict[str, Any]) -> bytes | None:
    """Hooks see the server's wish as a request to the model, and may change it, answer it, or refuse it."""
    message = exchange.message
    seen: list[RpcMessage] = []

    def ask(**call: Any) -> plain.Plain:
        changed = changed_request(params, call)
        line = message.line if changed == params else request_line(message.id, str(message.method), changed)
        response = exchange.ask_target(line)
        if response is None or response.result is UNSET:
            seen[:] = [response] if response is not None else []
            raise NoAnswer
        result = read_object(response.result)
        return plain.response(text_in(result.get("content")), [], response)

    try:
        reply = Model(relay.engine, ask, format="plain", stream=False)(**request_as_call(params))
    except NoAnswer:
        return seen[0].line if seen else exchange.reply_nothing_came()
    relay.tell_user(*reply.outcomes)
    if (reply.blocked or reply.stop) and not reply.response.get("text"):
        return error_line(message.id, REJECTED, reply.reason or reply.stop_reason or STOPPED)
    own = plain.original_of(reply.response)
    if own is not None:
        return bytes(own.line)
    content = {"type": "text", "text": reply.response.get("text", "")}
    made = {"role": "assistant", "content": content, "model": "hook", "stopReason": "endTurn"}
    return result_line(message.id, made)


def request_as_call(params: dict[str, Any]) -> dict[str, Any]:
    """A sampling request in the plain form. Who wants a model names it only by hints."""
    preferences = params.get("modelPreferences")
    hints = preferences.get("hints") if isinstance(preferences, dict) else None
    hint = hints[0].get("name", "") if isinstance(hints, list) and hints and isinstance(hints[0], dict) else ""
    messages = [as_plain(one) for one in params.get("messages", ()) if isinstance(one, dict)]
    if system := params.get("systemPrompt"):
        messages.insert(0, {"role": "system", "content": [str(system)]})
    return {"model": str(hint), "messages": messages}


def as_plain(message: dict[str, Any]) -> plain.Plain:
    role = "model" if message.get("role") == "assistant" else "user"
    return {"role": role, "content": [text_in(message.get("content"))], plain.OBJECT: message}


def changed_request(params: dict[str, Any], call: dict[str, Any]) -> dict[str, Any]:
    """The server's request as hooks left it."""
    messages = [one for one in call["messages"] if one["role"] != "system"]
    system = "\n\n".join(PLAIN.text(one) for one in call["messages"] if one["role"] == "system")
    changed = {**params, "messages": [own_message(one) for one in messages]}
    if system != str(params.get("systemPrompt") or ""):
        changed["systemPrompt"] = system
    return changed


def own_message(one: plain.Plain) -> Any:
    own, text = one.get(plain.OBJECT), PLAIN.text(one)
    if own is not None and text_in(own.get("content")) == text:
        return own
    role = "assistant" if one["role"] == "model" else "user"
    return {"role": role, "content": {"type": "text", "text": text}}


def text_in(content: Any) -> str:
    blocks = content if isinstance(content, list) else [content]
    return "".join(str(one.get("text", "")) for one in blocks if isinstance(one, dict) and one.get("type") == "text")


# ---- the stateless protocol


def review_questions(relay: McpRelay, response: RpcMessage) -> str | None:
    """Why hooks refuse what a server's result asks of the client; None if they do not."""
    wishes = read_object(response.result).get("inputRequests")
    for wish in wishes.values() if isinstance(wishes, dict) else ():
        wish = wish if isinstance(wish, dict) else {}
        method, params = wish.get("method"), wish.get("params")
        params = params if isinstance(params, dict) else {}
        if method == "elicitation/create":
            outcome = elicit_before(relay, params)
        elif method == "sampling/createMessage":
            view = request_view(request_as_call(params))
            outcome = relay.fire("model.before", llm_request=view)
            if "request" in outcome.changes or "response" in outcome.changes:
                return "a hook changes what the server wants of the model, which this protocol version does not allow"
        else:
            continue
        if outcome.halts or outcome.blocked:
            return (outcome.stop_reason or STOPPED) if outcome.halts else outcome.reason
    return None


def review_answers(relay: McpRelay, params: dict[str, Any]) -> str | None:
    """Why hooks refuse what the client answers to such questions; None if they do not."""
    answers = params.get("inputResponses")
    for answer in answers.values() if isinstance(answers, dict) else ():
        if not isinstance(answer, dict):
            continue
        if "action" in answer:
            outcome = elicit_after(relay, answer)
        elif "role" in answer:
            text = text_in(answer.get("content"))
            view = {"text": text, "candidates": plain.response(text, [], None)["candidates"]}
            outcome = relay.fire("model.after", llm_request={"model": "", "messages": []}, llm_response=view)
            if "response" in outcome.changes:
                return "a hook changes the model's answer, which this protocol version does not allow"
        else:
            continue
        if outcome.halts or outcome.blocked:
            return (outcome.stop_reason or STOPPED) if outcome.halts else outcome.reason
    return None


HANDLERS: dict[str, Handler] = {
    "elicitation/create": answer_elicitation,
    "sampling/createMessage": answer_sampling,
}
