"""ProxyHooks in LiteLLM's proxy: model events around every chat completion that goes through it.

    # hooks.py, beside config.yaml, which has `litellm_settings: callbacks: hooks.proxy_hooks`
    proxy_hooks = ProxyHooks(Engine("."))

The proxy runs no tools: it judges the calls that a model asks for, and leaves out those that hooks refuse.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

from litellm.integrations.custom_logger import CustomLogger
from litellm.types.utils import ModelResponse, ModelResponseStream

from tenterhook.adapters.pending_call import PendingCall
from tenterhook.clients.formats.values import get
from tenterhook.engine.engine import Engine
from tenterhook.errors import UsageError
from tenterhook.hosts.model import AsyncModel, BeforeModel
from tenterhook.hosts.reply import Reply
from tenterhook.hosts.steps import adrive
from tenterhook.support import logs

log = logs.redacting_logger("tenterhook.adapters")

# The proxy's names of calls that hooks can judge.
CHAT = ("completion", "acompletion")
# Those that ask a text model in another form.
OTHER_FORMS = frozenset(
    {
        *("text_completion", "atext_completion", "responses", "aresponses"),
        *("anthropic_messages", "aanthropic_messages"),
        *("generate_content", "agenerate_content", "generate_content_stream", "agenerate_content_stream"),
        *("pass_through_endpoint", "allm_passthrough_route", "_arealtime", "_aresponses_websocket"),
        *("create_batch", "acreate_batch"),
    }
)
LISTENED = ("model.before", "tools.select", "model.after", "tool.before")
# Where a request keeps the tools that hooks left it.
ALLOWED = "tenterhook_allowed_tools"


class ProxyHooks(CustomLogger):
    """`other_forms=True` lets calls through that hooks cannot judge, such as those to /v1/messages."""

    # The proxy calls the hooks of the request also where it runs guardrails alone.
    enforces_request_content = True

    def __init__(self, engine: Engine | None = None, *, other_forms: bool = False) -> None:
        super().__init__()
        self.engine, self.other_forms = engine or Engine("."), other_forms
        self.model = AsyncModel(self.engine, ask_proxy, format="openai")

    def listens(self) -> bool:
        return any(self.engine.listens(event) for event in LISTENED)

    # The proxy looks for these methods on the very class, not on its bases: do not inherit from this class.

    def __init_subclass__(cls) -> None:
        raise UsageError("LiteLLM does not call hooks that a class inherits: use ProxyHooks itself, with an engine")

    async def async_pre_call_hook(self, user_api_key_dict: Any, cache: Any, data: Any, call_type: Any) -> Any:
        """Hooks on the request; a refusal is the proxy's own error."""
        if call_type not in CHAT:
            if call_type in OTHER_FORMS and self.listens() and not self.other_forms:
                raise refusal(f"hooks cannot judge a call of the form {call_type}: use /v1/chat/completions")
            return data
        ready: BeforeModel = await adrive(self.engine, self.model.prepared(data))
        if ready.blocked:
            if ready.synthetic_response is None:
                raise refusal(ready.reason or "Refused by a hook")
            raise answer_instead(ready.synthetic_response, data)
        if ready.modified_request is not None:
            data.update(ready.modified_request)
            for key in set(data) - set(ready.modified_request):
                del data[key]
        if ready.allowed is not None:
            data.setdefault("metadata", {})[ALLOWED] = sorted(ready.allowed)
        return data

    async def async_post_call_success_hook(self, data: Any, user_api_key_dict: Any, response: Any) -> Any:
        return await self.judge_response(data, response) if isinstance(response, ModelResponse) else response

    async def async_post_call_streaming_iterator_hook(
        self, user_api_key_dict: Any, response: Any, request_data: Any
    ) -> AsyncIterator[Any]:
        """The stream is held back until hooks have heard all of it."""
        if not (
            self.engine.listens("model.after")
            or self.engine.listens("tool.before")
            or tools_left(request_data) is not None
        ):
            async for chunk in response:
                yield chunk
            return
        chunks = [chunk async for chunk in response]
        if not all(isinstance(chunk, ModelResponseStream) for chunk in chunks):
            if not self.other_forms:
                raise refusal("hooks cannot judge a stream of this form: use /v1/chat/completions")
            for chunk in chunks:
                yield chunk
            return
        collector = self.model.format.collector()
        for chunk in chunks:
            collector.add(chunk)
        whole = collector.response()
        if whole is None:
            raise refusal("the stream ended before its response was complete, so hooks could not judge it")
        judged = await self.judge_response(request_data, whole)
        if judged is not whole:
            chunks = [ModelResponseStream(**chunk.to_dict()) for chunk in self.model.format.as_chunks(judged)]
        for chunk in chunks:
            yield chunk

    async def async_pre_call_deployment_hook(self, kwargs: Any, call_type: Any) -> Any:
        """In the SDK, without the proxy, LiteLLM goes on when a callback fails: no refusal would hold."""
        if "proxy_server_request" not in kwargs and self.listens():
            raise UsageError(
                "ProxyHooks are for LiteLLM's proxy; without it wrap the function: "
                'engine.model(litellm.acompletion, format="openai")'
            )
        return kwargs

    async def judge_response(self, data: dict[str, Any], response: Any) -> Any:
        """The response as hooks leave it: the same object if they change nothing."""
        if self.engine.listens("model.after"):
            reply = Reply(response)
            await adrive(self.engine, self.model.answered(reply, data, response))
            replaced = "response" in reply.outcomes[-1].changes
            if (reply.stop or reply.blocked) and not replaced:
                raise refusal(reply.stop_reason or reply.reason or "Stopped by a hook")
            response = type(response)(**reply.response.model_dump()) if replaced else response
        for choice in get(response, "choices") or ():
            response = await self.judge_calls(data, response, choice)
        return response

    async def judge_calls(self, data: dict[str, Any], response: Any, choice: Any) -> Any:
        """Hooks before tools, for the calls that a choice asks for."""
        calls = list(choice.message.tool_calls or ())
        left: list[Any] = []
        said: list[str] = []
        names = tools_left(data)
        for call in calls:
            name, text = call.function.name, call.function.arguments
            if names is not None and name not in names:
                said.append(f"{name} may not be called in this turn")
                continue
            input, why = await self.judge_call(name, text, call.id or "")
            if why:
                said.append(why)
                continue
            left.append(call if input is None else changed_call(call, input))
        if left == calls:
            return response
        message = choice.message.model_copy(
            update={
                "tool_calls": left or None,
                "content": "\n\n".join(text for text in (choice.message.content, *said) if text) or None,
            }
        )
        finish = choice.finish_reason if left else "stop"
        own = choice.model_copy(update={"message": message, "finish_reason": finish})
        return response.model_copy(update={"choices": [own if one is choice else one for one in response.choices]})

    async def judge_call(self, name: str, text: str, id: str) -> tuple[dict[str, Any] | None, str]:
        """The changed input, if hooks changed it; and why the call is refused."""
        pending = PendingCall(self.engine, name, text or "{}", id=id)
        try:
            refused = await pending.abegin()
        finally:
            pending.steps.close()
        if refused is not None:
            return None, str(refused)
        return (None, "") if pending.input == json.loads(text or "{}") else (pending.input, "")


def tools_left(data: dict[str, Any]) -> set[str] | None:
    """The tools that hooks left this request; None for all."""
    names = (data.get("metadata") or {}).get(ALLOWED)
    return None if names is None else set(names)


def changed_call(call: Any, input: dict[str, Any]) -> Any:
    function = call.function.model_copy(update={"arguments": json.dumps(input)})
    return call.model_copy(update={"function": function})


def refusal(reason: str) -> Exception:
    """An error in the proxy's own form."""
    from fastapi import HTTPException

    return HTTPException(status_code=400, detail={"error": reason})


def answer_instead(response: Any, data: dict[str, Any]) -> Exception:
    """With this the proxy answers without asking a model."""
    from litellm.exceptions import ModifyResponseException

    text = get(get(response.choices[0], "message"), "content") if response.choices else ""
    return ModifyResponseException(message=text or "", model=data.get("model", ""), request_data=data)


async def ask_proxy(**call: Any) -> Any:
    raise AssertionError("the proxy asks the model itself")
