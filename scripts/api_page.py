"""Write docs/reference/api.md: the public names, from their signatures, fields and docstrings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ForwardRef

import msgspec

import tenterhook
import tenterhook.testing
from page_parts import markdown_table
from tenterhook.engine.function_hook import FunctionOptions
from tenterhook.engine.options import EngineOptions

PAGE = Path(__file__).parent.parent / "docs" / "reference" / "api.md"
INTRO = """<!-- Written by scripts/api_page.py from the docstrings: do not edit. -->

# The API

Everything that you import, in the words of its own docstrings. A name comes from `tenterhook`, unless it stands under
[tests](#tests): those come from `tenterhook.testing`. A method that begins with `a` is the one for an event loop.

```python
from tenterhook import Engine, hook
from tenterhook.testing import fire
```"""
# The names of each section; of a class that has more than its users need, the ones they call.
SECTIONS: dict[str, tuple[str, dict[str, str]]] = {
    "Write hooks": (
        "See [write a hook](../write/hooks.md).",
        {"hook": "allow deny ask rewrite context notify stop main"},
    ),
    "The engine": (
        "See [the engine](../embed/library.md).",
        {"load": "", "Engine": "fire afire add on tap tool model session has listens hooks warnings reload close"},
    ),
    "Around an agent": (
        "See [embed it](../embed/embedding.md).",
        {
            "Session": "start prompt tool model agent permission notify compact compacted task_created task_done "
            "failed idle stop scheduler fire end",
            "Prompt": "",
            "Stop": "",
            "ToolCall": "",
            "ToolResult": "",
            "ToolError": "",
            "Reply": "response blocked reason suppress_display",
            "Scheduler": "run arun cancel",
            "Permission": "",
            "PermissionRequest": "",
            "execute_tool_with_hooks": "",
        },
    ),
    "What comes back": (
        "See [outcomes](outcomes.md).",
        {"Outcome": "halts", "Attempt": "", "Message": "", "Skipped": "", "Usage": ""},
    ),
    "Errors": (
        "A hook never raises into your program. A wrong call does.",
        {"TenterhookError": "", "ConfigError": "", "UnknownDialect": "", "UnknownEvent": "", "UsageError": ""},
    ),
    "Tests": (
        "See [test a hook](../write/testing.md).",
        {
            "fire": "",
            "each_dialect": "",
            "agents": "",
            "Fired": "denied asked ran stopped reason rewritten input output context notice everything lost failed",
            "HookFailed": "",
            "simulate": "",
            "Did": "",
        },
    ),
}
WIDEST = 100
PLACE = re.compile(r"\b(?:tenterhook|collections)\.(?:\w+\.)*(?=[A-Z])")


def files() -> dict[Path, str]:
    return {PAGE: page()}


def page() -> str:
    parts = [INTRO]
    for title, (about, names) in SECTIONS.items():
        module = tenterhook.testing if title == "Tests" else tenterhook
        parts += [f"## {title}", about]
        for name, members in names.items():
            parts += describe(name, getattr(module, name), members.split())
    return "\n\n".join(parts) + "\n"


def describe(name: str, thing: Any, members: Sequence[str]) -> list[str]:
    """A heading, how it is called, what it is, its fields and methods."""
    cls = thing if inspect.isclass(thing) else type(thing)
    parts = [f"### {name}"]
    if isinstance(cls, type) and issubclass(cls, msgspec.Struct):
        parts += [docstring(thing), fields(cls)]
    elif inspect.isclass(thing) and issubclass(thing, Exception):
        parts += [docstring(thing)]
    else:
        parts += [f"```python\n{signature(name, EngineOptions if thing is tenterhook.Engine else thing)}\n```"]
        parts += [docstring(thing)]
    if members:
        rows = [(f"`{call(one, thing)}`", docstring(getattr(thing, one), first=True)) for one in members]
        parts += [markdown_table(("Member", "What it does"), rows)]
    if thing is tenterhook.Engine:
        options = [(f"`{option}`", f"`{kind}`") for option, kind in function_options().items()]
        parts += [
            "Options of a function that you register with `add` or `on`:",
            markdown_table(("Option", "Type"), options),
        ]
    return [part for part in parts if part]


def function_options() -> dict[str, str]:
    found = FunctionOptions.__annotations__.items()
    return {name: kind.__forward_arg__ if isinstance(kind, ForwardRef) else str(kind) for name, kind in found}


def docstring(thing: Any, first: bool = False) -> str:
    text = inspect.getdoc(thing) or ""
    return text.split("\n\n")[0].replace("\n", " ") if first else text


def call(name: str, owner: Any) -> str:
    """A member as you would write it, without types: a table has little room."""
    if isinstance(inspect.getattr_static(owner, name), property):
        return name
    found = [one for one in inspect.signature(getattr(owner, name)).parameters.values() if one.name != "self"]
    return f"{name}({', '.join(written(one, types=False) for one in found)})"


def signature(name: str, thing: Any) -> str:
    """On one line where it fits, else a parameter a line."""
    found = [one for one in inspect.signature(thing).parameters.values() if one.name != "self"]
    first = next((n for n, one in enumerate(found) if one.kind is one.KEYWORD_ONLY), len(found))
    several = any(one.kind is one.VAR_POSITIONAL for one in found)
    parts = [written(one) for one in found]
    if first < len(found) and not several:
        parts.insert(first, "*")
    line = f"{name}({', '.join(parts)})"
    return line if len(line) <= WIDEST else "\n".join([f"{name}(", *(f"    {part}," for part in parts), ")"])


def written(one: inspect.Parameter, types: bool = True) -> str:
    """One parameter. Annotations are texts in our sources; a default that has no short form is three dots."""
    stars = "*" if one.kind is one.VAR_POSITIONAL else "**" if one.kind is one.VAR_KEYWORD else ""
    kind = one.annotation.__name__ if isinstance(one.annotation, type) else PLACE.sub("", str(one.annotation))
    typed = f": {kind}" if types and one.annotation is not one.empty else ""
    if one.default is one.empty:
        return f"{stars}{one.name}{typed}"
    default = "..." if type(one.default) is object else repr(one.default)
    return f"{one.name}{typed} = {default}" if types else f"{one.name}={default}"


def fields(cls: type[msgspec.Struct]) -> str:
    rows = []
    for one in msgspec.structs.fields(cls):
        kind = cls.__annotations__.get(one.name, "")
        default = "" if one.required else f"`{one.default!r}`" if one.default is not msgspec.NODEFAULT else "empty"
        rows.append((f"`{one.name}`", f"`{kind}`", default))
    return markdown_table(("Field", "Type", "Unless given"), rows)
