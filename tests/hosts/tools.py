"""What the tests of tools share."""

import asyncio
from typing import Any

from tenterhook import Engine
from tenterhook.hosts.result import ToolError, ToolResult


def listening(engine: Engine, *events: str) -> list[Any]:
    """What hooks of these events are told, as (event, data)."""
    seen: list[Any] = []
    for event in events:
        engine.add(event, lambda data, event=event: seen.append((event, data)))
    return seen


def answering(engine: Engine, event: str = "tool.before", **answer: Any) -> None:
    engine.add(event, lambda data: answer, name="guard")


def error_of(result: ToolResult) -> ToolError:
    assert result.error is not None
    return result.error


def shown(text: Any, result: ToolResult) -> bool:
    return (result.llm_content, result.return_display) == (text, text)


class Writer:
    """A tool that keeps what it was given, as a function and as a coroutine function."""

    def __init__(self, way: str = "def", returns: Any = "wrote it") -> None:
        self.way, self.returns = way, returns
        self.given: list[dict[str, Any]] = []

    def write(self, **input: Any) -> Any:
        self.given.append(input)
        if isinstance(self.returns, BaseException):
            raise self.returns
        return self.returns

    async def awrite(self, **input: Any) -> Any:
        await asyncio.sleep(0)
        return self.write(**input)
