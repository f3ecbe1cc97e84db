"""Hooks in an MCP server that is written with FastMCP: a middleware.

    server = FastMCP("files", middleware=[ServerHooks(engine)])

What the server's own code samples or elicits does not pass a middleware; `tenter mcp` in front of the server sees it.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from fastmcp.exceptions import PromptError, ResourceError, ToolError
from fastmcp.prompts import Message, PromptResult
from fastmcp.resources import ResourceContent, ResourceResult
from fastmcp.server.elicitation import AcceptedElicitation
from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext
from fastmcp.tools import Tool, ToolResult
from mcp_types import ContentBlock, TextContent
from pydantic import TypeAdapter

from tenterhook.adapters.mcp.results import as_text, changes_of_result, shown_output, text_with
from tenterhook.adapters.pending_call import PendingCall
from tenterhook.adapters.plain_messages import tools_left
from tenterhook.engine.engine import Engine
from tenterhook.hosts.permission import Ask, Permission, PermissionRequest
from tenterhook.hosts.result import ToolError as HookToolError
from tenterhook.hosts.result import ToolResult as HookToolResult
from tenterhook.pipeline.apply import STOPPED
from tenterhook.pipeline.deliver import for_model, for_user
from tenterhook.support import logs
from tenterhook.types import Outcome

log = logs.redacting_logger("tenterhook.fastmcp")

# Sessions whose narrowed list of tools is kept.
MOST = 1000
BLOCKS: TypeAdapter[list[ContentBlock]] = TypeAdapter(list[ContentBlock])


class ServerHooks(Middleware):
    """`server` is the name by which hooks know the server, by default its own. `permission` asks a person, by default
    the client's elicitation does; `tell` gets texts for the user.
    """

    def __init__(
        self,
        engine: Engine | None = None,
        *,
        server: str = "",
        permission: Ask | None = None,
        tell: Callable[[str], object] | None = None,
    ) -> None:
        self.engine = engine or Engine(".")
        self.server, self.permission, self.tell = server, permission, tell or log.warning
        self.allowed: OrderedDict[str, frozenset[str]] = OrderedDict()

    # ---- tools

    async def on_list_tools(self, context: MiddlewareContext[Any], call_next: CallNext[Any, Any]) -> Sequence[Tool]:
        tools: Sequence[Tool] = await call_next(context)
        if not self.engine.listens("tools.select"):
            return tools
        shown = [{"name": self.name(context, one.name), "description": one.description or ""} for one in tools]
        outcome = await self.fire("tools.select", llm_request={"model": "", "messages": [], "tools": shown})
        left = set() if outcome.halts else tools_left(outcome.changes.get("tool_config"))
        session = session_of(context)
        self.allowed.pop(session, None)
        if left is None:
            return tools
        self.allowed[session] = frozenset(left)
        while len(self.allowed) > MOST:
            self.allowed.popitem(last=False)
        return [one for one in tools if self.name(context, one.name) in left]

    async def on_call_tool(self, context: MiddlewareContext[Any], call_next: CallNext[Any, Any]) -> Any:
        message = context.message
        full, given = self.name(context, message.name), dict(message.arguments or {})
        allowed = self.allowed.get(session_of(context))
        if allowed is not None and full not in allowed:
            return refused_result(f"{full} may not be called in this turn")
        call = PendingCall(self.engine, full, given, id=request_id(context), permission=self.asker(context))
        if call.quiet:
            return await call_next(context)
        refused = await call.abegin()
        if refused is not None:
            self.tell_user(*refused.outcomes)
            return refused_result(text_with(refused, str(refused)))
        if call.input != given:
            context = context.copy(message=message.model_copy(update={"arguments": call.input}))
        try:
            result = await call_next(context)
        except Exception as exc:
            after = await call.afail(exc)
            self.tell_user(*after.outcomes)
            text = "\n\n".join(texts for texts in (str(exc), *for_the_model(self.engine, after.outcomes)) if texts)
            if text == str(exc):
                raise
            raise ToolError(text) from exc
        if not isinstance(result, ToolResult):  # a question to the client: the call comes again with the answer
            call.steps.close()
            return result
        return await self.finish(call, result)

    async def finish(self, call: PendingCall, result: ToolResult) -> ToolResult:
        """The tool's own result, or what hooks made of it."""
        record = {
            "content": [one.model_dump(mode="json", by_alias=True, exclude_none=True) for one in result.content],
            "structuredContent": result.structured_content,
        }
        shown = shown_output(record)
        if result.is_error:
            shown = as_text(shown)
            after = await call.afinish(HookToolResult(shown, shown, {}, HookToolError(shown, "failed")))
        else:
            after = await call.afinish(shown)
        self.tell_user(*after.outcomes)
        changes = changes_of_result(record, shown, after)
        if not changes:
            return result
        return ToolResult(
            content=BLOCKS.validate_python(changes["content"]),
            structured_content=changes.get("structuredContent", result.structured_content),
            meta=result.meta,
            is_error=bool(changes.get("isError", result.is_error)),
        )

    # ---- resources and prompts

    async def on_read_resource(self, context: MiddlewareContext[Any], call_next: CallNext[Any, Any]) -> Any:
        if not (self.engine.listens("resource.before") or self.engine.listens("resource.after")):
            return await call_next(context)
        uri = str(context.message.uri)
        event = {"mcp_server_name": self.server_name(context), "uri": uri}
        before = await self.fire("resource.before", **event)
        if (reason := refusal_of(before)) is not None:
            raise ResourceError(reason)
        result = await call_next(context)
        if not isinstance(result, ResourceResult):
            return result
        contents = result.contents
        one_text = len(contents) == 1 and isinstance(contents[0].content, str)
        shown = contents[0].content if one_text else msgspec.to_builtins([shown_content(one) for one in contents])
        after = await self.fire("resource.after", **event, content=shown)
        if (reason := refusal_of(after)) is not None:
            raise ResourceError(reason)
        if "output" in after.changes:
            kind = contents[0].mime_type if one_text else "text/plain"
            contents = [ResourceContent(as_text(after.changes["output"]), mime_type=kind)]
        texts = [ResourceContent(text) for text in for_the_model(self.engine, (before, after))]
        if contents is result.contents and not texts:
            return result
        return ResourceResult([*contents, *texts], meta=result.meta)

    async def on_get_prompt(self, context: MiddlewareContext[Any], call_next: CallNext[Any, Any]) -> Any:
        if not (self.engine.listens("prompt.expand") or self.engine.listens("prompt.transform")):
            return await call_next(context)
        full, arguments = self.name(context, context.message.name), context.message.arguments
        words = as_text(arguments) if arguments else ""
        typed = f"/{full} {words}".strip()
        before = await self.fire("prompt.expand", command_name=full, command_args=words, prompt=typed)
        if (reason := refusal_of(before)) is not None:
            raise PromptError(reason)
        result = await call_next(context)
        if not isinstance(result, PromptResult):
            return result
        texts = [one.content.text for one in result.messages if isinstance(one.content, TextContent)]
        after = await self.fire("prompt.transform", prompt=typed, transformed_prompt="\n\n".join(texts))
        if (reason := refusal_of(after)) is not None:
            raise PromptError(reason)
        messages = [Message(after.changes["prompt"])] if "prompt" in after.changes else result.messages
        added = [Message(text) for text in for_the_model(self.engine, (before, after))]
        if messages is result.messages and not added:
            return result
        return PromptResult([*messages, *added], description=result.description, meta=result.meta)

    # ---- what these share

    async def fire(self, event: str, /, **data: Any) -> Outcome:
        outcome = await self.engine.afire(event, **data)
        self.tell_user(outcome)
        return outcome

    def tell_user(self, *outcomes: Outcome) -> None:
        for outcome in outcomes:
            for message in outcome.messages:
                if message.to == "user":
                    self.tell(for_user(message, self.engine.hookset.label))

    def server_name(self, context: MiddlewareContext[Any]) -> str:
        own = context.fastmcp_context.fastmcp.name if context.fastmcp_context else "server"
        return self.server or re.sub(r"[^A-Za-z0-9_-]+", "_", own)

    def name(self, context: MiddlewareContext[Any], name: str) -> str:
        """The name by which hooks know a tool or a prompt of this server."""
        return self.engine.dialect.tools.mcp_tool.format(server=self.server_name(context), tool=name)

    def asker(self, context: MiddlewareContext[Any]) -> Ask:
        if self.permission is not None:
            return self.permission
        return lambda request: elicit(context, request)


async def elicit(context: MiddlewareContext[Any], request: PermissionRequest) -> Permission:
    """Ask by the client's elicitation. Where that is not possible the call is refused, and the reason says so."""
    why = f": {request.reason}" if request.reason else ""
    text = f"{request.tool_name} needs permission{why}\n{as_text(request.tool_input)[:2000]}\nAllow it?"
    if context.fastmcp_context is None:
        return Permission(False, "it needs permission, and there is no client to ask")
    try:
        answer = await context.fastmcp_context.elicit(text, bool)
    except Exception as exc:
        return Permission(False, f"it needs permission, and the client cannot ask a person: {exc}")
    allowed = isinstance(answer, AcceptedElicitation) and answer.data is True
    return Permission(allowed, "" if allowed else "the user said no")


def session_of(context: MiddlewareContext[Any]) -> str:
    try:
        return str(context.fastmcp_context.session_id) if context.fastmcp_context else ""
    except RuntimeError:  # outside of a request
        return ""


def request_id(context: MiddlewareContext[Any]) -> str:
    try:
        return str(context.fastmcp_context.request_id) if context.fastmcp_context else ""
    except (RuntimeError, ValueError):
        return ""


def shown_content(one: ResourceContent) -> dict[str, Any]:
    """A resource's content for hooks; bytes become Base64, as the client gets them."""
    return {"mimeType": one.mime_type, "text" if isinstance(one.content, str) else "blob": one.content}


def refusal_of(outcome: Outcome) -> str | None:
    if outcome.halts:
        return outcome.stop_reason or STOPPED
    return outcome.reason if outcome.blocked else None


def for_the_model(engine: Engine, outcomes: Sequence[Outcome]) -> list[str]:
    messages = [message for outcome in outcomes for message in outcome.messages]
    return for_model(messages, engine.dialect.messages.marks, engine.hookset.label)


def refused_result(reason: str) -> ToolResult:
    return ToolResult(content=[TextContent(type="text", text=reason)], is_error=True)
