"""Values of a call are dictionaries or the SDK's own objects: both are read and copied alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from importlib import import_module
from typing import Any

from tenterhook.errors import UsageError

# How SDKs write an argument that is not given.
UNSET = ("NotGiven", "Omit")


def get(value: Any, name: str) -> Any:
    """A field; None if missing."""
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def call_argument(call: Mapping[str, Any], name: str) -> Any:
    """An argument of the call; None also for an SDK's own marker of a missing one."""
    value = call.get(name)
    return None if type(value).__name__ in UNSET else value


def copy_with_fields(value: Any, **fields: Any) -> Any:
    """A copy with other fields."""
    return {**value, **fields} if isinstance(value, Mapping) else value.model_copy(update=fields)


def list_from_iterable(value: Any, what: str) -> list[Any]:
    """SDKs accept any iterable; one that can be read only once would reach the hooks and then not the model."""
    if isinstance(value, Iterator):
        raise UsageError(f"{what} is an iterator, which can be read only once: give a list")
    return list(value) if isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping) else []


def asked_type(value: Any) -> Any:
    """The type that an argument of an SDK's `parse` asks for; None for a JSON schema, or none."""
    return None if isinstance(value, Mapping) else value


def read_as(schema: Any, text: str) -> Any:
    """The text as an object of a type, which SDKs return with it; None if it does not fit."""
    with suppress(ValueError, TypeError):
        return import_module("pydantic").TypeAdapter(schema).validate_json(text)
    return None
