"""Explain to people how a hook's process is started: by a shell or without one, and in which Python."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tenterhook import handlers
from tenterhook.runtime.warm.script import NO_SCRIPT, recognise_script
from tenterhook.types import Attempt

if TYPE_CHECKING:
    from tenterhook.engine.compiled_event import CompiledEvent
    from tenterhook.engine.engine import Engine
    from tenterhook.runtime.process import Program
    from tenterhook.types import Event, Hook

PLAIN = "is one plain command: {} is started without a shell"
SHELL = "is read by a shell each time: {}"
COPY = "in a host that goes on, runs in a fork of a Python that is running already"
ALONE = "starts an interpreter each time: {}"


def starting(engine: Engine, compiled: CompiledEvent, event: Event, hook: Hook) -> dict[str, str]:
    """How the process is started, by the name of the field; empty if the hook starts no process."""
    if not handlers.starts_child(hook.handler):
        return {}
    [job] = engine.prepare(compiled.batch((hook,), event))
    program = handlers.get(hook.handler).program(job)  # type: ignore[union-attr]
    if isinstance(program, Attempt):
        return {}
    return {"shell": by_shell(program, hook), "warm": by_python(program, hook, engine)}


def by_shell(program: Program, hook: Hook) -> str:
    """Empty if it is not a shell text."""
    if hook.spec.get("form") != "shell" or not isinstance(hook.spec["main"], str):
        return ""
    return PLAIN.format(program.argv[0]) if program.instead else SHELL.format(program.argv[0])


def by_python(program: Program, hook: Hook, engine: Engine) -> str:
    """Empty if it is not a Python script."""
    found = recognise_script(program.argv, program.env, program.cwd)
    if isinstance(found, str):
        return "" if found == NO_SCRIPT else ALONE.format(found)
    if not hook.warm:
        return ALONE.format("`warm` is false")
    if why := unfit(found.path):
        return ALONE.format(why)
    return ALONE.format("its engine has no supervisor of its own") if engine.supervisor == "off" else COPY


def unfit(script: str) -> str:
    """Why a script needs a new interpreter, as far as its text tells: its imports are not tried here."""
    from tenterhook.runtime.warm.imports import ImportReader, UnfitForWarm

    try:
        ImportReader(script, [os.path.dirname(os.path.realpath(script))])
    except UnfitForWarm as exc:
        return str(exc)
    except (
        OSError,
        SyntaxError,
        ValueError,
        RecursionError,
        MemoryError,
    ):  # the run itself will report it, perhaps in the words of another Python
        return ""
    return ""
