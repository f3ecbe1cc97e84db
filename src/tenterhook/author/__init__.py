"""The author's side: write a hook once, and every agent that calls it is answered in the form that it obeys.

    from tenterhook import hook

    @hook("tool.before", match="shell")
    def no_force_push(event, branches=("main",)):
        if "push --force" in event.command:
            return hook.deny("Force pushes are not allowed here.")

    if __name__ == "__main__":
        hook.main()

`@hook(kind, ..., match="", on_failure="", name="", timeout=None)` takes one or several kinds of events; `match` is a
list of tool names or a regular expression, see support/tool_names.py. A file may hold many hooks: all that listen are
called in the order of the file, each sees what those before it changed, and one answer is made of all: a deny outranks
an ask and an ask an allow, texts add up.

A hook gets the event (event.py) and returns nothing, an answer (answers.py), or several: a list, what it yields, or
`hook.deny(...) & hook.notify(...)`. It may be `async def`. Its other parameters are its options: they have defaults,
and `--set NAME=VALUE` or a table of `--options FILE.toml` that bears the hook's name gives them other values, read as
what the default is (text, number, yes/no, a list with commas). The hook's name is the function's, with dashes.

One that raises, or takes longer than `timeout` seconds, is reported and follows its `on_failure`: deny, ask or allow;
the default is deny before a tool and for permission questions, allow everywhere else.

An agent calls `python FILE --agent NAME`, or `tenter run FILE... --agent NAME` for several files and hooks of the
library (`library:NAME`) in one process. Without `--agent` the payload and the environment tell which agent
called.

    answers.py, event.py, inputs.py              what a hook says and sees
    registered.py, options.py                    the hook itself
    callers.py, forms.py                         which agent called, and how it is answered
    calls.py, process.py, loading.py             one event, one process, several files
    canary.py                                    the answer to an installer that asks whether hooks are called
    starting.py, kinds.py                        what `tenter new` writes, and for which kinds
    forms/                                       written by engine/make_forms.py
"""

from __future__ import annotations

import sys

from tenterhook.author import answers
from tenterhook.author.answers import Answer
from tenterhook.author.event import Event
from tenterhook.author.registered import Broken, Registered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from tenterhook.author.calls import HookCommand

    Function = TypeVar("Function", bound=Callable[..., Any])

__all__ = ["Answer", "Event", "hook"]


class Apart:
    """While files are loaded by another program, keep their hooks apart and skip their own `main`."""

    __slots__ = ("before", "owner")

    def __init__(self, owner: HookDecorator) -> None:
        self.owner = owner

    def __enter__(self) -> list[Registered]:
        self.before, self.owner.registered = self.owner.registered, []
        self.owner.loading += 1
        return self.owner.registered

    def __exit__(self, *exc: object) -> None:
        self.owner.registered = self.before
        self.owner.loading -= 1


class HookDecorator:
    """`hook`: the decorator, and the answers."""

    allow = staticmethod(answers.allow)
    ask = staticmethod(answers.ask)
    context = staticmethod(answers.context)
    deny = staticmethod(answers.deny)
    notify = staticmethod(answers.notify)
    rewrite = staticmethod(answers.rewrite)
    stop = staticmethod(answers.stop)

    def __init__(self) -> None:
        self.registered: list[Registered] = []
        self.loading = 0

    def __call__(
        self, *kinds: str, match: str = "", on_failure: str = "", name: str = "", timeout: float | None = None
    ) -> Callable[[Function], Function]:
        """Register the decorated function for events of these kinds."""
        if kinds and callable(kinds[0]):
            raise TypeError('@hook needs the kind of event that it is for: @hook("tool.before")')

        def register(function: Function) -> Function:
            try:
                one = Registered(function, kinds, match=match, on_failure=on_failure, name=name, timeout=timeout)
            except (TypeError, ValueError) as exc:
                if function.__module__ != "__main__":
                    raise
                one = Broken(function.__name__, str(exc))  # an agent called the file, and takes a traceback for a yes
            self.registered.append(one)
            function.hooks = (*getattr(function, "hooks", ()), one)  # type: ignore[attr-defined]
            return function

        return register

    def apart(self) -> Apart:
        return Apart(self)

    def main(self, argv: list[str] | None = None) -> None:
        """Answer the agent that called this file. Does nothing if `tenter run` or a test loads the file."""
        if self.loading:
            return
        from tenterhook.author import process

        words = sys.argv[1:] if argv is None else argv
        code = process.main(words, self.hooks_of_call)
        if code:
            sys.exit(code)

    def hooks_of_call(self, call: HookCommand) -> list[Registered]:
        """The hooks of this file, with the options of the command line."""
        if call.words:
            from tenterhook.errors import UsageError

            raise UsageError(f"{call.words[0][0]!r} is not an option; `tenter run FILE...` takes further files")
        if call.options:
            from tenterhook.author.options import check_tables

            check_tables(call.options, self.registered)
        return self.apply_options(self.registered, call.settings, call.options)

    def apply_options(
        self, hooks: list[Registered], settings: list[str], options: str, given: str = ""
    ) -> list[Registered]:
        """The hooks with the options of a command line and of a file; `given` are those of a config entry, as JSON."""
        if not settings and not options and not given:
            return hooks
        from tenterhook.author.options import apply_given_options, apply_hook_options

        found = apply_given_options(hooks, given) if given else hooks
        return apply_hook_options(found, settings, options)


hook = HookDecorator()
