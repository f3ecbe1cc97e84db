"""A command: shell text as the dialect's shell runs it, words without a shell, or one program."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec.structs import replace

from tenterhook.handlers import Traits
from tenterhook.pipeline.answer import SIZE
from tenterhook.pipeline.environment import withheld
from tenterhook.types import Attempt, Hook, Job

if TYPE_CHECKING:
    from tenterhook.runtime.process import Completed, Program

FAILURES = ("exit", "output", "spawn", "timeout", "signal")
TRAITS = Traits(
    about="a command line, a list of words or a program, in a process of its own",
    options=("shell", "cwd", "words", "wakes", "context_limit", "stop_cap"),
    failures=FAILURES,
    takes_command_line=True,
)
SHELL = "/bin/sh"
# The user's own shell, by the variable that names it.
USERS = "user"
BASHES = ("bash.exe", "bash")
# Other shells that an entry, or its dialect, may ask for.
SHELLS = {"powershell": ("pwsh", "-NoProfile", "-NonInteractive", "-Command")}
# Exit codes with which a hook says something.
ANSWERS = (0, 2)
LACKED = "${} holds a secret and was kept from the hook; an `env` in its entry that names it passes it on"


def program(job: Job) -> Program | Attempt:
    """The program to start; an Attempt if the dialect skips a hook whose script does not exist."""
    from tenterhook.support.command_line import missing, one_program, substitute_placeholders

    main = job.hook.spec["main"]
    if job.look_first:
        absent = missing(main, job.env(), job.cwd)
        if absent:
            return Attempt(job.hook.name, "command", str(job.hook.source), error="missing", detail=absent)
    if isinstance(main, list):
        return build_program(
            job, tuple(substitute_placeholders(main, job.env()) if job.hook.spec.get("placeholders") else main)
        )
    if job.hook.spec["form"] == "program":
        return build_program(job, one_program(main, job.cwd, job.env().get("HOME", "~")))
    return of_text(job, main)


def of_text(job: Job, text: str) -> Program:
    """Start the program without a shell if possible; the shell is the fallback if that program cannot be started."""
    from tenterhook.runtime.shell_free import direct

    asked = job.hook.spec.get("shell")
    if asked in SHELLS:
        return build_program(job, (*SHELLS[asked], text))
    own = shell_for(asked, job.env())
    shell = (own, "-c", text)
    plain = direct(text, job.env(), job.cwd, own)
    if plain is None:
        return build_program(job, shell)
    return replace(build_program(job, plain.argv), env=plain.env, instead=shell)


def shell_for(asked: object, env: Mapping[str, str]) -> str:
    if sys.platform == "win32":
        return bash_of_windows(env.get("PATH", ""), env.get("PROGRAMFILES", ""))
    if asked == USERS:
        return env.get("SHELL") or SHELL
    return bash(env.get("PATH", "")) if asked == "bash" else SHELL


@lru_cache
def bash(path: str) -> str:
    """The path of bash; else a plain shell: a guard that it runs is better than one that cannot start."""
    places = (os.path.join(folder, "bash") for folder in path.split(os.pathsep) if os.path.isabs(folder))
    return next((place for place in places if os.access(place, os.X_OK)), SHELL)


@lru_cache
def bash_of_windows(path: str, programs: str) -> str:
    """The bash that Git brings along, as agents use it there; not the one that starts a Linux. Without one, the name
    alone, and the error says that it is not found.
    """
    folders = [folder for folder in path.split(os.pathsep) if "system32" not in folder.lower()]
    places = [os.path.join(folder, name) for folder in (*folders, f"{programs}/Git/bin") for name in BASHES]
    return next((place for place in places if os.access(place, os.X_OK)), BASHES[-1])


def build_program(job: Job, argv: tuple[str, ...]) -> Program:
    from tenterhook.runtime.process import Program

    return Program(
        argv,
        job.stdin(),
        job.env(),
        os.path.join(job.cwd, job.hook.spec.get("cwd", "")) if "cwd" in job.hook.spec else job.cwd,
        job.timeout,
        job.grace,
        leftovers=job.hook.leftovers or usual_leftovers(job),
        profile=job.profile,
        require=job.require,
        seal=job.hook.seal,
        warm=job.hook.warm,
        varying=job.given.shape.varying,
        whole=SIZE,
    )


def command_line(hook: Hook) -> str | list[str]:
    main = hook.spec.get("main")
    if isinstance(main, list):
        return [str(word) for word in main]
    return [str(main)] if hook.spec.get("form") == "program" else str(main)


def usual_leftovers(job: Job) -> str:
    """What happens to processes that a hook leaves behind, if its entry does not say.

    When a confined hook ends, we look for files that it made in places that agents obey. A process that goes on could
    make them later, so the leftovers of a project's hook are ended. For a hook of the user's own they are kept.
    """
    return "tidy" if job.profile is not None and job.hook.source.scope == "project" else "keep"


def attempt(job: Job, completed: Completed) -> Attempt:
    """The child's end as an Attempt. The output is decoded once, whole, so that no character is cut in two."""
    hook = job.hook
    return Attempt(
        hook.name,
        hook.handler,
        str(hook.source),
        completed.exit_code,
        completed.signal,
        completed.error,
        completed.detail,
        completed.seconds,
        completed.stdout.decode("utf-8", "replace"),
        completed.stderr.decode("utf-8", "replace"),
        completed.truncated,
        sandbox=completed.sandbox,
        notes=(*completed.notes, *withheld_variable_notes(job, completed)),
        warm=completed.warm,
    )


def withheld_variable_notes(job: Job, completed: Completed) -> tuple[str, ...]:
    """If a failed hook's stderr names a variable that was withheld, say what to do about that."""
    if completed.exit_code in ANSWERS or not completed.stderr:
        return ()
    names = withheld(job.given.event, job.given.shape, job.hook)
    return tuple(LACKED.format(name) for name in names if name.encode() in completed.stderr)
