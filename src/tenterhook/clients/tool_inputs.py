"""Check a tool's input: by its own schema, else by its signature.

A hook may change an input to anything. Only what the tool itself would have accepted reaches it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import Any, get_type_hints

import msgspec

from tenterhook.errors import UsageError
from tenterhook.pipeline.answer import decode
from tenterhook.pipeline.payload import in_json

Input = dict[str, Any]
# Parameters that are positional only.
PLACED = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_POSITIONAL)
# Takes an input and returns it as the function wants it; ValueError if the tool does not accept it.
Check = Callable[[Input], Input]


class WrongInput(ValueError):
    """An input that the tool does not accept, in words for its caller."""


def check_for(schema: Any, function: Callable[..., Any]) -> Check:
    """From a JSON Schema, a pydantic model, a type that msgspec can convert to, a function that raises; or the
    signature.
    """
    if schema is None:
        return by_signature(function)
    if isinstance(schema, dict):
        return by_json_schema(schema)
    if hasattr(schema, "model_validate"):
        return accepting(schema.model_validate)
    if isinstance(schema, type):
        return accepting(lambda given: msgspec.convert(given, schema))
    if callable(schema):
        return accepting(schema)
    raise UsageError(f"schema must be a JSON Schema, a model class or a function, not {type(schema).__name__}")


def accepting(validate: Callable[[Input], Any]) -> Check:
    """The input as it is, if `validate` does not raise. Its result is ignored."""

    def check(given: Input) -> Input:
        try:
            validate(given)
        except Exception as exc:  # whatever a check raises means no
            raise WrongInput(str(exc) or type(exc).__name__) from exc
        return given

    return check


def by_json_schema(schema: dict[str, Any]) -> Check:
    from tenterhook.support.project_imports import import_installed_module

    try:
        jsonschema_rs = import_installed_module("jsonschema_rs")
    except ImportError as exc:
        raise UsageError(f"jsonschema-rs is needed here: pip install 'tenterhook[schema]' ({exc})") from exc
    try:
        validator = jsonschema_rs.validator_for(schema)
    except ValueError as exc:
        raise UsageError(f"this is not a JSON Schema: {exc}") from exc

    def check(given: Input) -> Input:
        try:
            error = next(iter(validator.iter_errors(given)), None)
        except ValueError as exc:  # a value that JSON cannot hold fits no schema
            raise WrongInput(str(exc)) from None
        if error is not None:
            place = ".".join(str(part) for part in error.instance_path)
            raise WrongInput(f"{place}: {error.message}" if place else error.message)
        return given

    return check


def by_signature(function: Callable[..., Any]) -> Check:
    """By its parameters, and their types if they are annotated and msgspec knows them."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some built-in functions have none
        return lambda given: given
    types = resolve_type_hints(function)
    for name, one in signature.parameters.items():
        if one.kind is inspect.Parameter.VAR_POSITIONAL and name in types:
            types[name] = list[types[name]]  # type: ignore[valid-type]

    def check(given: Input) -> Input:
        try:
            args, named = split_call_arguments(signature, given)
            signature.bind(*args, **named)
        except TypeError as exc:
            raise WrongInput(str(exc)) from None
        return {name: convert_argument(name, value, types) for name, value in given.items()}

    return check


def resolve_type_hints(function: Callable[..., Any]) -> dict[str, Any]:
    try:
        hints = get_type_hints(function)
    except Exception:  # a name that exists only for a type checker
        return {}
    hints.pop("return", None)
    return hints


def split_call_arguments(signature: inspect.Signature, given: Input) -> tuple[list[Any], Input]:
    """The input as arguments: by name, except positional-only parameters and those before them."""
    named = dict(given)
    args: list[Any] = []
    parameters = list(signature.parameters.items())
    last = max((n for n, (_, one) in enumerate(parameters) if one.kind in PLACED), default=-1)
    for name, one in parameters[: last + 1]:
        if name not in named:
            break
        value = named.pop(name)
        if one.kind is not inspect.Parameter.VAR_POSITIONAL:
            args.append(value)
        elif isinstance(value, list | tuple):
            args += value
        else:
            raise TypeError(f"{name!r} must be a list, not {type(value).__name__}")
    return args, named


def convert_argument(name: str, value: Any, types: dict[str, Any]) -> Any:
    """Convert the value to its parameter's type; unchanged if msgspec does not know the type, or it has it already."""
    wanted = types.get(name)
    if wanted is None or (is_one(value, wanted) and not isinstance(value, bool)):
        return value
    try:
        return msgspec.convert(value, wanted, dec_hook=beyond)
    except msgspec.ValidationError as exc:
        raise WrongInput(f"{name}: {exc}") from None
    except (TypeError, UnsupportedType):
        return value
    except (ValueError, RecursionError) as exc:  # surrogates, a hundred nested lists
        raise WrongInput(f"{name}: {exc}") from None


def is_one(value: Any, wanted: Any) -> bool:
    try:
        return isinstance(wanted, type) and isinstance(value, wanted)
    except TypeError:  # Any, a TypedDict, a protocol: isinstance does not work
        return False


class UnsupportedType(Exception):
    """A type that msgspec does not know."""


def beyond(wanted: Any, value: Any) -> Any:
    """Paths are made from texts; other unsupported types are left to the tool."""
    if not isinstance(wanted, type):
        raise UnsupportedType
    if is_one(value, wanted):
        return value
    if issubclass(wanted, PurePath) and isinstance(value, str):
        return wanted(value)
    raise UnsupportedType


def same(value: Any, given: Any) -> bool:
    """Whether a hook left a value unchanged. Hooks see JSON, so the values are compared as JSON."""
    try:
        return value is given or encode_canonical_json(value) == encode_canonical_json(given)
    except Exception:  # a value that JSON cannot hold did not come from a hook
        return False


def encode_canonical_json(value: Any) -> bytes:
    return msgspec.json.encode(value, enc_hook=in_json, order="deterministic")


def read(input: Any) -> Input:
    """An input from a model or a user: an object of any kind, or its JSON text."""
    problem = ""
    if isinstance(input, str):
        input, problem = decode(input)
    if problem:
        raise WrongInput(f"its input is not JSON: {problem}")
    if not isinstance(input, Mapping):
        raise WrongInput(f"an object is needed, not {type(input).__name__}")
    return input if isinstance(input, dict) else dict(input)
