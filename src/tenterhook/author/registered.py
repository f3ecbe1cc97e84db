"""One hook of a file: the function, when it is called, its options, and what its failure means."""

from __future__ import annotations

from tenterhook.errors import UsageError
from tenterhook.support import tool_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from tenterhook.author.event import Event

# The kinds of most hooks: these are known without loading the list.
COMMON = ("tool.before", "tool.after", "prompt.submit", "session.start", "turn.stop")
POLICIES = ("deny", "ask", "allow")
# Kinds at which a failed hook refuses by default: elsewhere that would lock the user out, or never end.
GUARDED = ("tool.before", "permission.ask")
# Kinds at which an install connects an agent, whether or not a hook is for them now: later hooks need no install. Kinds
# that come many times in a second are not among them, nor those at which an agent waits for a hook's own work.
CONNECTED = (
    *("session.start", "session.end", "prompt.submit", "tool.before", "permission.ask", "tool.after", "tool.failed"),
    *("agent.start", "agent.stop", "turn.stop", "compact.before", "notify"),
)


class Registered:
    """A hook as its file registers it."""

    __slots__ = ("function", "kinds", "match", "name", "options", "policy", "timeout")
    problem = ""

    def __init__(
        self,
        function: Callable[..., Any],
        kinds: tuple[str, ...],
        *,
        match: str = "",
        on_failure: str = "",
        name: str = "",
        timeout: float | None = None,
    ) -> None:
        check(kinds, match, on_failure, timeout)
        self.function, self.kinds, self.match, self.policy, self.timeout = function, kinds, match, on_failure, timeout
        self.name = name or str(getattr(function, "__name__", type(function).__name__)).replace("_", "-")
        self.options = defaults(function)

    def listens(self, event: Event) -> bool:
        """Whether the event is one of its kinds, by our name or the agent's own, and its subject matches.

        If the payload does not name the tool, any hook for tools listens.
        """
        if not {event.kind, event.name, event.caller_event} & set(self.kinds):
            return False
        known = event.names()
        return tool_names.fits(self.match, known) or (not known and event.target == "tool_name")

    def on_failure(self, kind: str) -> str:
        return self.policy or ("deny" if kind in GUARDED else "allow")

    def having(self, options: dict[str, Any]) -> Registered:
        """The same hook with other options."""
        other = Registered(self.function, self.kinds, match=self.match, on_failure=self.policy, name=self.name)
        other.timeout, other.options = self.timeout, {**self.options, **options}
        return other


class Broken(Registered):
    """Replaces hooks that could not be loaded: it fails at every event."""

    __slots__ = ("problem",)

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(fail, GUARDED, name=name)
        self.problem = f"{name}: {problem}"

    def listens(self, event: Event) -> bool:
        return True


def fail(event: Event) -> None:
    raise UsageError("not loaded")


def check(kinds: tuple[str, ...], match: str, on_failure: str, timeout: float | None) -> None:
    """Raise for mistakes that would otherwise only mean that the hook is never called."""
    if not kinds or not all(isinstance(kind, str) for kind in kinds):
        raise TypeError('@hook needs the kind of event that it is for: @hook("tool.before")')
    for kind in kinds:
        if "." in kind and kind not in COMMON:
            check_kind(kind)
    if on_failure and on_failure not in POLICIES:
        raise ValueError(f"@hook: on_failure may be {', '.join(POLICIES)}; not {on_failure!r}")
    if timeout is not None and not (isinstance(timeout, int | float) and timeout > 0):
        raise ValueError(f"@hook: timeout must be a number of seconds above 0, not {timeout!r}")
    if not tool_names.is_list(match):
        import re

        try:
            re.compile(match)
        except re.error as exc:
            raise ValueError(f"@hook: match={match!r} is not a regular expression: {exc}") from exc


def check_kind(kind: str) -> None:
    from tenterhook.author.kinds import KINDS

    if kind not in KINDS:
        from tenterhook.errors import nearest

        raise ValueError(f"@hook: there is no kind {kind!r}{nearest(kind, KINDS)}")


def defaults(function: Callable[..., Any]) -> dict[str, Any]:
    """The options of a hook: its parameters with defaults, except the first, which is the event."""
    code = getattr(function, "__code__", None)
    if code is None:
        return {}
    positional = code.co_varnames[: code.co_argcount]
    given = function.__defaults__ or ()
    found = dict(zip(positional[len(positional) - len(given) :], given, strict=True))
    found.update(function.__kwdefaults__ or {})
    return {name: value for name, value in found.items() if not positional or name != positional[0]}
