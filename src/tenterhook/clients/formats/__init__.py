"""One file per model API: a call of its SDK <-> the stable request and response that hooks see.

Hooks see text only, in one form for all APIs, which no new version of an SDK changes:

    request   {"model", "messages": [{"role": "user" | "model" | "system", "content": text}],
               "config": {"temperature", "maxOutputTokens", "topP", "topK", "stopSequences", ...},
               "toolConfig": {"mode": "AUTO" | "ANY" | "NONE", "allowedFunctionNames": [name]}}
    response  {"text", "candidates": [{"content": {"role": "model", "parts": [text]}, "finishReason", "index",
               "safetyRatings": [{"category", "probability"}]}], "usageMetadata": {"promptTokenCount", ...}}

A host deals in the SDK's own types alone. What the stable form cannot hold stays in the original call, which is never
changed in place; what an API has no place for is said in `problems`, never dropped in silence.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Protocol

from tenterhook.errors import UsageError, nearest

Call = dict[str, Any]
View = dict[str, Any]

# Modules of this folder that are not an API.
SHARED = ("candidates", "messages", "openai_shared", "tools", "values")


class Collector(Protocol):
    """Assembles the chunks of one stream."""

    def add(self, chunk: Any) -> None: ...

    def response(self) -> Any:
        """The complete response; None if the stream ended before it was complete."""
        ...


class Format(Protocol):
    """The functions of a format module. `call` is the keyword arguments of one call of the SDK."""

    def request_view(self, call: Call) -> View:
        """The call as hooks see it. Messages without text are left out."""
        ...

    def apply_request(self, view: View, call: Call) -> tuple[Call, list[str]]:
        """A new call, changed where `view` differs from request_view(call); and what could not be expressed."""
        ...

    def has_tools(self, call: Call) -> bool:
        """Whether the model may choose among tools in this call."""
        ...

    def apply_tools(self, config: View, call: Call) -> tuple[Call, list[str]]:
        """The call restricted to a tool configuration. Definitions of tools are never removed."""
        ...

    def is_response(self, response: Any) -> bool:
        """Whether this is what the API's calls return: for anything else hooks would see an empty text."""
        ...

    def response_view(self, response: Any) -> View:
        """The response as hooks see it: text parts only, safety ratings without `blocked`."""
        ...

    def build_response(self, view: View, call: Call, base: Any = None) -> Any:
        """A response of the SDK's type from the text of a view; ids and usage from `base`, if given."""
        ...

    def as_chunks(self, response: Any) -> list[Any]:
        """A response as the API would have streamed it."""
        ...

    def called_tools(self, response: Any) -> list[str]:
        """The names of the tools that the response wants to call."""
        ...

    def collector(self) -> Collector: ...


@cache
def get(name: str) -> Format:
    """The format of that name. Its SDK is imported only when a response is built."""
    known = names()
    if not isinstance(name, str) or name.replace("-", "_") not in known:
        shown = [one.replace("_", "-") for one in known]
        raise UsageError(f"no model format {name!r}{nearest(str(name), shown)}; it may be: {', '.join(shown)}")
    return import_module(f"{__name__}.{name.replace('-', '_')}")


def names() -> list[str]:
    return sorted(module.name for module in iter_modules(__path__) if module.name not in SHARED)


def sdk(package: str, module: str, extra: str) -> Any:
    """A module of an SDK, or an error that says how to install it."""
    from tenterhook.support.project_imports import import_installed_module

    try:
        return import_installed_module(module)
    except ImportError as exc:
        raise UsageError(f"{package} is needed here: pip install 'tenterhook[{extra}]' ({exc})") from exc
