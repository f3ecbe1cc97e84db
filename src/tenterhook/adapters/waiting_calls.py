"""Calls that wait for a person, whom the SDK's own approval asks: hooks that ran before do not run again after it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from json import dumps
from typing import TYPE_CHECKING, Any

from tenterhook.adapters.pending_call import PendingCall

if TYPE_CHECKING:
    from tenterhook.hosts.permission import PermissionRequest
    from tenterhook.hosts.steps import Host

# Calls that are kept. A person who never answers leaves a call behind.
MOST = 1000
Key = tuple[str, str, str, str]


class WaitingCalls:
    """Calls by their session, id, name and input: models repeat ids, and an answer holds for one call alone."""

    def __init__(self) -> None:
        self.calls: OrderedDict[Key, Any] = OrderedDict()

    def find(self, key: Key) -> Any:
        return self.calls.get(key)

    def session_of(self, id: str) -> str:
        """The session of the latest call with this id; empty if none waits."""
        return next((key[0] for key in reversed(self.calls) if key[1] == id), "")

    def keep(self, key: Key, call: PendingCall) -> None:
        self.calls[key] = call
        if len(self.calls) > MOST:
            self.calls.popitem(last=False)

    def remove(self, key: Key) -> None:
        self.calls.pop(key, None)


class ApprovedCall(PendingCall):
    """A call that asks by an exception, which the SDK's approval catches.

    `answer` is what the person decided: the adapter sets it each time the SDK comes back, and None asks again.
    """

    def __init__(
        self,
        host: Host,
        name: str,
        input: dict[str, Any] | str,
        *,
        id: str,
        question: Callable[[PermissionRequest], Exception],
        suspends: type[Exception],
    ) -> None:
        super().__init__(host, name, input, id=id, permission=self.ask, suspends=suspends)
        self.question = question
        self.answer: bool | None = None

    def ask(self, request: PermissionRequest) -> bool:
        if self.answer is None:
            raise self.question(request)
        return self.answer


def key_of(session: str, id: str, name: str, input: Any) -> Key:
    return session, id, name, input if isinstance(input, str) else dumps(input, sort_keys=True, default=str)
