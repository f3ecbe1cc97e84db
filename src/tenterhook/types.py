"""The nouns: Event -> Plan -> Attempt -> Verdict -> Outcome, and what they are made of.

All are msgspec Structs: quick to define, and made in a tenth of a microsecond, so an event without a
listener costs less than a microsecond.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import monotonic
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

if TYPE_CHECKING:
    from tenterhook.pipeline.payload import Given
    from tenterhook.runtime.sandbox.profile import Profile
    from tenterhook.trust.seal import Seal

Path = tuple[str | int, ...]
# The path in a hook's condition that holds a permission rule.
RULE = "permission rule"
# What a failure may count as.
POLICIES = {"allow", "ask", "deny"}
# Decisions, from the weakest to the strongest.
RANK = {"none": 0, "allow": 1, "ask": 2, "defer": 3, "deny": 4}
# The scopes of the user's and the system's config files, and of the host's own code. Any other came with a project.
OWN_SCOPES = {"user", "system", "defaults", "managed", "code"}


class Source(Struct):
    """Where a hook was written. Its line is looked up on first use, because most hooks never run."""

    file: str
    path: Path = ()
    where: Callable[[Path], tuple[int, int]] | None = None
    scope: str = "code"
    text: str = ""
    # The file, where its hooks are never duplicates of another's.
    apart: str = ""

    @property
    def line(self) -> int:
        return self.where(self.path)[0] if self.where else 0

    def __str__(self) -> str:
        if not self.text:
            line = self.line
            self.text = f"{self.file}:{line}" if line else self.file
        return self.text


class Sandbox(Struct, frozen=True):
    """How a hook's process is confined: what is asked for on top of what every hook may read and write.

    `network` is none, loopback or full; empty means that the dialect or the settings decide. `off` leaves the process
    unconfined.
    """

    network: str = ""
    read: tuple[str, ...] = ()
    write: tuple[str, ...] = ()
    off: bool = False


class Hook(Struct, frozen=True, kw_only=True):
    """Something a person wants to happen at one event.

    `state` is what the user said about it: trusted, modified (since it was approved), untrusted or denied; forbidden is
    the system's word. `seal` holds what the approval was bound to. `leftovers` is keep, end, or empty where that
    depends on whose hook it is.
    """

    name: str
    event: str
    handler: str
    spec: dict[str, Any]
    source: Source
    matcher: str | None = None
    match_kind: str = ""
    timeout: float | None = None
    agent: str | None = None
    enabled: bool = True
    state: str = "trusted"
    seal: Seal | None = None
    overridden: bool = False
    sequential: bool = False
    priority: int = 0
    once: bool = False
    background: bool = False
    leftovers: str = ""
    condition: dict[str, Any] | None = None
    on_failure: dict[str, str] = {}
    env: dict[str, str | None] = {}
    sandbox: Sandbox | None = None
    warm: bool = True

    @property
    def trusted(self) -> bool:
        """Whether it counts in a plan: one that was modified is not run, but it is not silently gone either."""
        return self.state in ("trusted", "modified")


class Event(Struct, frozen=True):
    """Something that happened, in our words. `name` is the dialect's own word for it.

    `begun` is when, by the monotonic clock.
    """

    kind: str
    name: str
    data: dict[str, Any]
    project: str = ""
    session: str = ""
    agents: tuple[str, ...] = ()
    environ: Mapping[str, str] = {}
    begun: float = field(default_factory=monotonic)

    @property
    def agent(self) -> str:
        """Whom it happened to; the other names are those under which the same agent may have hooks too."""
        return self.agents[0] if self.agents else ""


class Skipped(Struct, frozen=True, gc=False):
    """A hook that did not run, and why."""

    hook: str
    source: str
    why: str


class Plan(Struct, frozen=True):
    """Which hooks run, in what order, and which do not. Each batch runs at once; batches run one after another.

    Those in the background were started and are not waited for.
    """

    batches: tuple[tuple[Hook, ...], ...] = ()
    skipped: tuple[Skipped, ...] = ()
    warnings: tuple[str, ...] = ()
    background: tuple[Hook, ...] = ()


class Job(Struct, frozen=True):
    """One hook and all it needs to run: what a handler is given."""

    hook: Hook
    given: Given
    cwd: str
    timeout: float | None
    grace: float
    look_first: bool = False
    profile: Profile | None = None
    require: bool = False

    def stdin(self) -> bytes:
        return self.given.stdin()

    def env(self) -> Mapping[str, str]:
        return self.given.env(self.hook)


class Usage(Struct, frozen=True, gc=False):
    """What asking a model took. `cost` is in US dollars, None where the price is not known."""

    model: str
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = 0.0


class Attempt(Struct, frozen=True):
    """What one hook did. `error` is why it failed, never what it decided.

    `sandbox` is how its process was confined, empty where there was none; `warm` where its interpreter was running
    already; `notes` are remarks for the reader of the outcome.
    """

    hook: str
    type: str
    source: str
    exit_code: int | None = None
    signal: str | None = None
    error: str | None = None
    detail: str = ""
    seconds: float = 0.0
    stdout: str = ""
    stderr: str = ""
    truncated: bool = False
    decision: str = "none"
    reason: str = ""
    changed: tuple[str, ...] = ()
    failed: bool = False
    answer: Any = None
    usage: Usage | None = None
    sandbox: str = ""
    notes: tuple[str, ...] = ()
    warm: bool = False


class Message(Struct, frozen=True, gc=False):
    """A text and who is told."""

    to: str
    kind: str
    text: str
    hook: str = ""


class Parts(Struct, frozen=True, gc=False):
    """What an answer says outside of its section and inside: some agents weigh the two apart.

    `section` is None where it holds no key that decides, and "none" where that key holds no word that counts; so is its
    reason, empty where it is not a text.
    """

    general: str = "none"
    reason: str = ""
    section: str | None = None
    section_reason: str | None = None
    stop_reason: str = ""


class Verdict(Struct):
    """What one attempt means in its dialect. Built up field by field while an answer is read, then left alone."""

    hook: str = ""
    decision: str = "none"
    reason: str = ""
    stop: bool = False
    stop_reason: str = ""
    suppress: bool = False
    failed: bool = False
    changes: dict[str, Any] = field(default_factory=dict)
    messages: list[Message] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    stop_after: bool = False
    seconds: float = 0.0
    parts: Parts | None = None
    # Why the agent itself loses what all hooks of the event answered, and whether it does so with this answer alone,
    # too; whether the answer has a reason of any sort.
    ruins: str = ""
    ruins_alone: bool = False
    reasoned: bool = False


class Outcome(Struct, frozen=True):
    """What everything means together. A host looks at `stop` first, then at `blocked`.

    Where `stop_after` is set beside `stop`, this one operation is done, or refused, before the agent's loop ends.
    """

    decision: str = "none"
    blocked: bool = False
    reason: str = ""
    stop: bool = False
    stop_reason: str = ""
    suppress: bool = False
    changes: dict[str, Any] = {}
    messages: tuple[Message, ...] = ()
    success: bool = True
    attempts: tuple[Attempt, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    warnings: tuple[str, ...] = ()
    event: str = ""
    dialect: str = ""
    mode: str = ""
    id: str = ""
    schema: int = 1
    stop_after: bool = False

    @property
    def halts(self) -> bool:
        """The agent ends before this operation."""
        return self.stop and not self.stop_after


def stronger(one: str, other: str) -> str:
    """The stronger of two decisions."""
    return one if RANK[one] >= RANK[other] else other
