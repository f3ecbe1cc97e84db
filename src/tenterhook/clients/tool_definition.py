"""A tool's definition: what a model is told of it, and its function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct


class Definition(Struct, frozen=True):
    """A tool: what a model is told of it, and its function."""

    name: str
    about: str
    # JSON Schemas of the inputs, by our names for them.
    inputs: dict[str, dict[str, Any]]
    function: Callable[..., Any]
    required: tuple[str, ...] = ()
    # Whether the user is to be asked first; a function gets the input by our names.
    asks: bool | Callable[[dict[str, Any]], bool] = False
    # The whole JSON Schema, if it says more than its inputs do, such as definitions that they refer to.
    schema: dict[str, Any] | None = None
