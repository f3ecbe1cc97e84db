"""A model on the loopback that plays a plan: calls of the shell tool, one at a time, and then a text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from clients.models.provider_apis import Protocol
from clients.models.provider_server import Api, Reply, Request, listening

LAST = "ALL DONE"
# What a client asks besides, without offering the tool: a title for the session, a summary.
ASIDE = "A word."
# A client that goes on for ever is told that its request is wrong.
MOST = 80


class Model(Api):
    """`asked` are the requests that offer the tool: the first is answered with the first call, and so on."""

    def __init__(self, protocol: Protocol, tool: str, inputs: Sequence[dict[str, Any]]) -> None:
        super().__init__()
        self.protocol, self.tool, self.inputs = protocol, tool, inputs
        self.asked: list[dict[str, Any]] = []

    def reply(self, request: Request) -> Reply:
        if self.tool not in self.protocol.tools(request.body):
            return Reply(events=tuple(self.protocol.stream([ASIDE])))
        place = len(self.asked)
        self.asked.append(request.body)
        if place >= MOST:
            return Reply(400, self.protocol.error("this plan has come to its end", 400))
        if place < len(self.inputs):
            call = (f"call_{place}", self.tool, self.inputs[place])
            return Reply(events=tuple(self.protocol.stream(calls=[call])))
        return Reply(events=tuple(self.protocol.stream([LAST])))

    def saw(self, place: int) -> str:
        """All that stood in a request; empty where there was none."""
        return json.dumps(self.asked[place]) if place < len(self.asked) else ""


@contextmanager
def model(protocol: Protocol, tool: str, inputs: Sequence[dict[str, Any]]) -> Iterator[Model]:
    with listening(Model(protocol, tool, inputs)) as found:
        yield found
