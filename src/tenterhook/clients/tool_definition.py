"""A tool as a model is told of it, and what it does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct


class Definition(Struct, frozen=True):
    """A tool as a model is told of it, and what it does."""

    name: str
    about: str
    # JSON Schemas of the inputs, by our names for them.
    inputs: dict[str, dict[str, Any]]
    function: Callable[..., Any]
    required: tuple[str, ...] = ()
    # Whether the user is to be asked first; a function is given the input by our names.
    asks: bool | Callable[[dict[str, Any]], bool] = False
    # The whole JSON Schema, where it says more than its inputs do: what they refer to, say.
    schema: dict[str, Any] | None = None
