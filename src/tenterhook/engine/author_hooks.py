"""Hooks written with `@hook` in an engine: those of a file, a ready hook, or a decorated function."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from functools import partial, update_wrapper
from typing import TYPE_CHECKING, Any

from tenterhook.author.registered import Registered
from tenterhook.engine.function_hook import Function, make_function_hook
from tenterhook.errors import UsageError
from tenterhook.handlers import use
from tenterhook.types import Hook, Source

if TYPE_CHECKING:
    from tenterhook.engine.engine import Engine

NAMES = "tool-names"


def add_author_hooks(engine: Engine, named: Iterable[str | Function], options: dict[str, Any]) -> Callable[[], None]:
    """A file's hooks run in processes of their own; a function is called in this one. Call the result to remove them.

    The options are for all of them.
    """
    made = [hook for one in named for hook in make_author_hooks(engine, one, options)]
    engine.put(*made)

    def remove() -> None:
        for hook in made:
            engine.take(hook)

    return remove


def make_author_hooks(engine: Engine, named: str | os.PathLike[str] | Function, options: dict[str, Any]) -> list[Hook]:
    """The hooks for the events that the engine's dialect has; UsageError if it has none of them."""
    if callable(named):
        found = list(hooks_of_function(engine, named, options))
        kinds = [kind for one in getattr(named, "hooks", ()) for kind in one.kinds]
    else:
        entries = use.entries({"use": os.fspath(named), "options": options}, os.getcwd(), whole=True)
        found = [hook for entry in entries if engine.has(entry["on"]) for hook in hooks_of_entry(engine, entry)]
        kinds = [entry["on"] for entry in entries]
    if not found:
        raise UsageError(f"{engine.dialect.title} has no event {' or '.join(dict.fromkeys(kinds))}")
    return found


def hooks_of_function(engine: Engine, function: Function, options: dict[str, Any]) -> Iterator[Hook]:
    hooks: tuple[Registered, ...] = getattr(function, "hooks", ())
    if not hooks:
        raise UsageError(f"{function!r} is not a hook: decorate it with @hook(kind), or register it with engine.on")
    for one in hooks:
        check_options(one, options)
        call = update_wrapper(partial(one.function, **{**one.options, **options}), one.function)
        for kind in filter(engine.has, one.kinds):
            for rule in engine.hookset.rules(kind):
                yield make_function_hook(
                    call,
                    engine.dialect,
                    rule,
                    name=one.name,
                    match=one.match or None,
                    match_kind=NAMES,
                    timeout=one.timeout,
                    on_failure=one.on_failure(kind),
                )


def check_options(one: Registered, options: dict[str, Any]) -> None:
    unknown = options.keys() - one.options.keys()
    if unknown:
        known = ", ".join(one.options) or "it has none"
        raise UsageError(f"{one.name} has no option {sorted(unknown)[0]!r}; its options: {known}")


def hooks_of_entry(engine: Engine, entry: dict[str, Any]) -> Iterator[Hook]:
    spec = {"main": entry["use"], "form": "use", "only": entry["only"], "options": entry["options"]}
    for rule in engine.hookset.rules(entry["on"]):
        yield Hook(
            name=entry["name"],
            event=rule.name,
            handler="use",
            spec=spec,
            source=Source(entry["use"]),
            matcher=entry["match"],
            match_kind=entry["match_kind"],
            timeout=entry["timeout"],
            on_failure={"default": entry["on_failure"]},
        )
