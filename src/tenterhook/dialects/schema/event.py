"""The rule of one event: what a hook is told, what its answer can do, how several answers become one.

A new event needs a name, one of our kinds, a sentence about it, the fields of its payload, and mostly three more: what
a matcher is compared with (`target`), what hooks can do (`can`), and who is told of a refusal (`deny`).
"""

from __future__ import annotations

from msgspec import Struct

from tenterhook.dialects.schema.answer import Exit


class Field(Struct, frozen=True):
    """One payload field: the dialect's name, where its value comes from in ours, and the form that it has there.

    A base field whose source is a word of `payload.BASE` is always there; any other comes from the event's data, and is
    left out where the data have none.
    """

    name: str
    ours: str = ""
    form: str = ""

    @property
    def key(self) -> str:
        return self.ours or self.name


class EventTarget(Struct, frozen=True):
    """What a matcher is compared with."""

    # The field of the event's data. Empty: there is nothing to match on.
    field: str = ""
    # All values that it may have, where these are few.
    values: tuple[str, ...] = ()
    # The field with a path whose last part the target is, where the event's data do not give it.
    of: str = ""
    # What hooks call a target, where that is another name; matchers know both.
    called: dict[str, str] = {}


class Can(Struct, frozen=True, kw_only=True):
    """What the hooks of an event can do."""

    # A refusal keeps the operation from going on.
    block: bool = False
    # The user can be asked.
    ask: bool = False
    # An allow stands for the user's permission.
    grant: bool = False
    # A hook's wish to fail closed counts.
    fail_closed: bool = True
    # What an ask does where no user can be asked: deny, allow, stop.
    unattended: str = "deny"


class DenyRules(Struct, frozen=True):
    """What a refusal does."""

    # Who is told the reason (model, user, log), and as what kind of message.
    to: str = "user"
    kind: str = "reason"
    # A refusal without a reason is worth a warning.
    needs_reason: bool = False
    # What a refusal without a reason does: counts, fails, ignored; ignored-unless-text: an empty text is a reason.
    unreasoned: str = "counts"
    # The reason takes the place of the tool's output.
    replaces: bool = False
    # A refusal erases the prompt or the result, and with it the context that hooks gave.
    erases: bool = False


class StopRules(Struct, frozen=True):
    """What a wish to stop does."""

    # A word of `pipeline/stop_rules`, such as first, after, denies, replaces, ignored.
    does: str = "first"
    # How often in a row hooks may keep an agent from stopping; 0: without end, None: the host says.
    cap: int | None = None
    # Which of several hooks' reasons to stop counts: first, join.
    reasons: str = "first"
    # A stop gives the model's response, which says why.
    response: bool = False


class TextRules(Struct, frozen=True):
    """What becomes of text that hooks print, and who is told their messages."""

    # What kind of message plain text at a clean exit is. Empty: it means nothing.
    becomes: str = ""
    # The change whose value plain text is.
    sets: str = ""
    # What silence counts as: allow, ask, deny; or nothing.
    silence: str = ""
    # Text that is not an answer is a failure.
    fails: bool = False
    # Silence is a failure of a hook that fails closed.
    needs_answer: bool = False
    # What hooks print is not read at all.
    ignored: bool = False
    # All messages go to the log.
    muted: bool = False
    # Who is told messages of a kind, where that differs from the dialect.
    audience: dict[str, str] = {}


class MergeRules(Struct, frozen=True, kw_only=True):
    """How the answers of several hooks become one."""

    # How several changes of a thing become one, by what is changed: {"input": "replace"}.
    changes: dict[str, str] = {}
    # What the next hook of a chain is told, and the field of the event's data that it replaces.
    chain: dict[str, str] = {}
    # How changes merge for the next hook, where the host is given something else.
    seen: dict[str, str] = {}
    # Which of several decisions counts: strongest, last, section-last.
    decisions: str = "strongest"
    # Which of several reasons counts.
    reasons: str = "first"
    # Whose reasons the model is told: those of all refusals, or only those that the event's reason holds (counting).
    reasons_told: str = "all"
    # Whose context counts: all, last.
    contexts: str = "all"
    # What a response needs to take the place of the model's call: a block (a deny or a stop), a deny; or nothing.
    response_needs: str = ""


class FiringRules(Struct, frozen=True, kw_only=True):
    """When a host fires the event, and how."""

    # The tools that it is for, by our names; an event of the same kind without any is for all of them.
    tools: tuple[str, ...] = ()
    # It also comes after a tool that failed.
    after_failures: bool = False
    # A session goes on only when the event's hooks have ended; without a session the host waits for them anyway.
    awaited: bool = True
    # What hooks are told of a tool's result: value, record, short-record.
    output: str = "value"


class Overrides(Struct, frozen=True, kw_only=True):
    """What differs from the dialect on this event."""

    # The base fields of its payload, in place of the dialect's.
    base: tuple[Field, ...] = ()
    # Variables besides the dialect's.
    env: dict[str, str] = {}
    matcher: str = ""
    # Rows of the exit table that are others here.
    exits: dict[int | str, Exit] = {}
    # What failures mean here, by cause.
    failure: dict[str, str] = {}
    # Seconds that a hook has where it does not say; and that it may have at most.
    timeout: float = 0.0
    longest: float = 0.0
    # The only types of hooks that run.
    types: tuple[str, ...] = ()
    # What one bad entry under the event costs.
    malformed: str = ""
    # What a broken section of an answer does.
    broken_section: str = ""
    # What ends the chain besides what ends it everywhere.
    chain_ends: tuple[str, ...] = ()


class EventRule(Struct, frozen=True, kw_only=True):
    """One event: what it is called, what a hook is told, and what its answers can do."""

    # The agent's name of it, and our own, which is the same for all agents.
    name: str
    kind: str
    # When it comes, for people.
    about: str
    # What a hook is told besides the base fields.
    fields: tuple[Field, ...] = ()
    target: EventTarget = EventTarget()
    can: Can = Can()
    deny: DenyRules = DenyRules()
    stop: StopRules = StopRules()
    text: TextRules = TextRules()
    merging: MergeRules = MergeRules()
    firing: FiringRules = FiringRules()
    overrides: Overrides = Overrides()
