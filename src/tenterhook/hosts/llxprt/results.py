"""The results of hooks: of each one, of all together, and for the caller of a model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from tenterhook.hosts.llxprt.outputs import DefaultHookOutput
from tenterhook.hosts.parts import as_json, is_genai
from tenterhook.hosts.result import ToolError, ToolResult, result_for_hooks, result_of
from tenterhook.types import Attempt, Hook, Outcome


class HookExecutionResult(Struct, frozen=True, kw_only=True):
    """The result of one hook. `success` is health: exit code 2 is not a success, yet it is a valid block.

    Results with the same `step` ran at once. `error` is why the hook failed, empty if it did not.
    """

    event_name: str = ""
    success: bool = True
    output: DefaultHookOutput | None = None
    error: str = ""
    hook: Hook | None = None
    attempt: Attempt = Attempt("", "", "")
    step: int = 0

    @property
    def exit_code(self) -> int | None:
        """0 for a hook that a signal ended: misleading, but the document says so. None if it did not end."""
        return 0 if self.attempt.error == "signal" else self.attempt.exit_code

    @property
    def stdout(self) -> str:
        return self.attempt.stdout

    @property
    def stderr(self) -> str:
        return self.attempt.stderr

    @property
    def duration(self) -> float:
        """In seconds."""
        return self.attempt.seconds


class AggregatedHookResult(Struct, frozen=True, kw_only=True):
    """The result of all hooks of one event. `success` is health; what they decided is in `final_output`.

    `outcome` is the engine's own record of it.
    """

    success: bool = True
    final_output: DefaultHookOutput | None = None
    all_outputs: list[DefaultHookOutput] = []
    errors: list[str] = []
    total_duration: float = 0
    outcome: Outcome = Outcome()


class BeforeModelHookResult(Struct, frozen=True, kw_only=True):
    """What to do with a request. A stop counts as blocked; `output` tells them apart and holds everything else."""

    blocked: bool = False
    reason: str = ""
    synthetic_response: Any = None
    modified_request: dict[str, Any] | None = None
    output: DefaultHookOutput | None = None


class AfterModelHookResult(Struct, frozen=True, kw_only=True):
    """The response to continue with, the model's own or another. `output` says whether to stop and what to hide."""

    response: Any
    output: DefaultHookOutput | None = None


class BeforeToolSelectionHookResult(Struct, frozen=True, kw_only=True):
    """The tool configuration for the request, None if unchanged; `tools` are the request's own, never fewer."""

    tool_config: Any = None
    tools: Any = None
    output: DefaultHookOutput | None = None


def normalise_tool_return(value: Any) -> Any:
    """The return value of a tool's function: a mapping in the document's form is a ToolResult, a single part a list."""
    if isinstance(value, dict) and is_genai(value):
        return [value]
    if not isinstance(value, Mapping) or "llmContent" not in value:
        return value
    content, error = value["llmContent"], value.get("error")
    return ToolResult(
        content,
        value.get("returnDisplay", content),
        dict(value.get("metadata") or {}),
        None if error is None else error_of(error),
        value.get("suppressDisplay") is True,
    )


def error_of(error: Any) -> ToolError:
    """The error of a ToolResult: an object with `message` and `type`, or a text."""
    if isinstance(error, ToolError):
        return error
    fields = error if isinstance(error, Mapping) else {"message": error}
    return ToolError(str(fields.get("message") or ""), str(fields.get("type") or "failed"))


def response_record(value: Any) -> Any:
    """A tool's result for hooks: the document's mapping, whatever its form is in Python."""
    if isinstance(value, Mapping) and not is_genai(value):
        return {key: as_json(one) for key, one in value.items()}
    return result_for_hooks(result_of(normalise_tool_return(value)), value, "record")
