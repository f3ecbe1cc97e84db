"""What the behaviour suite asks of an SDK. A driver is one file in `drivers/`, a module with these names."""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from tenterhook import Engine

from .model_server import ScriptedModel


class Job(NamedTuple):
    """An agent to run: its engine, its model, its tools as functions with a text, and the user's prompts."""

    engine: Engine
    model: ScriptedModel
    tools: dict[str, Callable[..., str]]
    prompt: str = "Go."
    permission: Callable[[Any], bool] | None = None
    tell: Callable[[str], object] | None = None
    stream: bool = False


class Driver(Protocol):
    """`run` is synchronous and `arun` is not; None if the SDK has only the other. Both return the agent's last words.

    `approve` runs a job in which a hook asks, and answers by the SDK's own approval. It returns the question and the
    last words; an SDK without an approval of its own has no such function. `CANNOT` names the cases that the SDK's seam
    does not allow, with the reason. An SDK that has other names for tools before hooks and its model says how in
    `TOOL_NAME`; `OFFLINE` are variables for the agent of its page.
    """

    CANNOT: dict[str, str]
    run: Callable[[Job], str] | None
    arun: Any
    approve: Callable[[Job, bool], tuple[Any, str]]
