"""Run the hooks under test: call them in this process, or use the command line by which an agent calls them."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from typing import Any

from tenterhook.author import calls, failures, loading
from tenterhook.author.forms import Said
from tenterhook.author.registered import Registered
from tenterhook.author.start import RUN_HOOK
from tenterhook.errors import UsageError, nearest
from tenterhook.support import project_imports
from tenterhook.types import Attempt, Job


class Here:
    """A runner that calls functions instead of starting processes."""

    def __init__(self, hooks: Any, agent: str, options: Mapping[str, Any], environ: Mapping[str, str]) -> None:
        self.imports = Imports()
        with self.imports.in_force():
            self.hooks = having(collect_registered_hooks(hooks), options)
        self.call, self.environ = calls.HookCommand(agent), environ
        self.said: list[Said] = []

    def together(self, jobs: list[Job], meanwhile: Callable[[Job], None] | None = None) -> list[Attempt]:
        return [self.attempt(job) for job in jobs]

    def attempt(self, job: Job) -> Attempt:
        printed = StringIO()
        self.call.event = job.hook.event
        began = time.perf_counter()
        with redirect_stdout(printed), self.imports.in_force():
            reply = calls.handle_event(self.hooks, job.stdin(), self.call, {**self.environ, **job.env()})
        seconds = time.perf_counter() - began
        self.said.append(reply)
        err = f"{printed.getvalue()}{reply.err}"
        return Attempt(
            job.hook.name, job.hook.handler, "test", reply.code, seconds=seconds, stdout=reply.out, stderr=err
        )

    def failures(self) -> list[str]:
        return [text for reply in self.said for text in failures.format_failures(reply)]

    def close(self) -> None:
        """Nothing to close: nothing was started."""


class Imports:
    """Keep a hook file's path entries and modules only while its hooks load or run.

    A test process goes on to hooks of other folders, and each folder may have its own `helper` module.
    """

    def __init__(self) -> None:
        self.folders: list[str] = []
        self.modules: dict[str, Any] = {}

    @contextmanager
    def in_force(self) -> Iterator[None]:
        path, modules = sys.path[:], dict(sys.modules)
        sys.path[:0] = self.folders
        sys.modules.update(self.modules)
        try:
            yield
        finally:
            self.folders = [one for one in sys.path if one not in path]
            loaded = list(sys.modules.items()) if self.folders else ()
            self.modules = {name: one for name, one in loaded if self.is_own(one)}
            for name in self.modules:
                del sys.modules[name]
                if name in modules:
                    sys.modules[name] = modules[name]
            sys.path[:] = path

    def is_own(self, module: Any) -> bool:
        file = getattr(module, "__file__", None)
        return isinstance(file, str) and any(project_imports.is_own(os.path.dirname(file), one) for one in self.folders)


def collect_registered_hooks(hooks: Any) -> list[Registered]:
    """The hooks of a function, a file, the library, or several of them."""
    if isinstance(hooks, str | os.PathLike):
        return loading.of_word(os.fspath(hooks))
    if isinstance(hooks, Registered):
        return [hooks]
    if isinstance(own := getattr(hooks, "hooks", None), tuple):
        return list(own)
    if isinstance(hooks, list | tuple | set):
        return [one for each in hooks for one in collect_registered_hooks(each)]
    raise UsageError(f"a function with @hook(...), a file or library:NAME is needed, not {hooks!r:.80}")


def having(hooks: list[Registered], options: Mapping[str, Any]) -> list[Registered]:
    known = {name for one in hooks for name in one.options}
    for name in options:
        if name not in known:
            raise UsageError(f"no hook here has an option {name!r}{nearest(name, known)}")
    return [one.having({name: value for name, value in options.items() if name in one.options}) for one in hooks]


def command(hooks: Any, agent: str, options: Mapping[str, Any]) -> list[str]:
    """The command line of a process that runs these hooks alone, and answers as the agent obeys it."""
    words = [word for each in (hooks if isinstance(hooks, list | tuple | set) else [hooks]) for word in files(each)]
    settings = [part for name, value in options.items() for part in ("--set", f"{name}={format_option_value(value)}")]
    return [sys.executable, RUN_HOOK, *settings, *words, "--agent", agent]


def files(hooks: Any) -> list[str]:
    if isinstance(hooks, str | os.PathLike):
        return [os.fspath(hooks)]
    code = getattr(hooks, "__code__", None)
    if code is None:
        raise UsageError(f"{hooks!r:.80} is not in a file that a process could load")
    return [code.co_filename]


def format_option_value(value: Any) -> str:
    if isinstance(value, bool | int | float | str):
        return str(value)
    import json

    return json.dumps(list(value) if isinstance(value, tuple | set | frozenset) else value)
