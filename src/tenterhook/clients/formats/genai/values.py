"""Values of a call or a response: the SDK's objects, or dicts in snake_case or camelCase. None is changed in place."""

from __future__ import annotations

from enum import Enum
from functools import cache
from typing import Any

from tenterhook.clients.formats import sdk


def types() -> Any:
    return sdk("google-genai", "google.genai.types", "genai")


@cache
def camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def get(thing: Any, name: str) -> Any:
    """A field of an object or of a dict in either spelling; None if missing."""
    if isinstance(thing, dict):
        return thing.get(camel(name), thing.get(name))
    return getattr(thing, name, None)


def list_field(thing: Any, name: str) -> list[Any]:
    value = get(thing, name)
    return list(value) if isinstance(value, list | tuple) else []


def plain(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    return [plain(one) for one in value] if isinstance(value, list | tuple) else value


def copy_or_create(thing: Any, make: str, **fields: Any) -> Any:
    """A copy with other fields, in its own spelling; a new object of the SDK if there is none."""
    if thing is None:
        return getattr(types(), make)(**fields)
    if isinstance(thing, dict):
        own = {camel(name) if camel(name) in thing else name: value for name, value in fields.items()}
        return {key: value for key, value in {**thing, **own}.items() if value is not None or key not in own}
    return thing.model_copy(update=fields)
