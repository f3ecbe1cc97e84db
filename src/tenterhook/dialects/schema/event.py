"""The rule of one event: its payload, what an answer can do, how several answers become one.

A new event needs a name, one of our kinds, a sentence about it, the fields of its payload, and usually three more: what
a matcher is compared with (`target`), what hooks can do (`can`), and who gets the reason of a refusal (`deny`).
"""

from __future__ import annotations

from msgspec import Struct

from tenterhook.dialects.schema.answer import Exit


class Field(Struct, frozen=True):
    """One payload field: the dialect's name, the source of its value in our data, and its form.

    A base field whose source is a word of `payload.BASE` is always there; any other comes from the event's data, and is
    left out if the data do not have it.
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
    # All values that it may have, if these are few.
    values: tuple[str, ...] = ()
    # The field with a path whose last part is the target, if the event's data do not give it.
    of: str = ""
    # The hooks' name for a target, if it differs; matchers know both.
    called: dict[str, str] = {}


class Can(Struct, frozen=True, kw_only=True):
    """What the hooks of an event can do."""

    # A refusal keeps the operation from going on.
    block: bool = False
    # The user can be asked.
    ask: bool = False
    # An allow replaces the user's permission.
    grant: bool = False
    # A hook may ask to fail closed.
    fail_closed: bool = True
    # What an ask becomes if no user can be asked: deny, allow, stop.
    unattended: str = "deny"


class DenyRules(Struct, frozen=True):
    """What a refusal does."""

    # Who gets the reason (model, user, log), and as what kind of message.
    to: str = "user"
    kind: str = "reason"
    # A refusal without a reason causes a warning.
    needs_reason: bool = False
    # How a refusal without a reason counts: counts, fails, ignored; ignored-unless-text: an empty text is a reason.
    unreasoned: str = "counts"
    # The reason replaces the tool's output.
    replaces: bool = False
    # A refusal erases the prompt or the result, and the context that hooks gave.
    erases: bool = False


class StopRules(Struct, frozen=True):
    """What a wish to stop does."""

    # A word of `pipeline/stop_rules`, such as first, after, denies, replaces, ignored.
    does: str = "first"
    # How often in a row hooks may keep an agent from stopping; 0: without end, None: the host decides.
    cap: int | None = None
    # Which of several hooks' reasons to stop counts: first, join.
    reasons: str = "first"
    # A stop gives the model's response, which says why.
    response: bool = False


class TextRules(Struct, frozen=True):
    """What happens to text that hooks print, and who gets their messages."""

    # The kind of message that plain text at a clean exit becomes. Empty: the text is ignored.
    becomes: str = ""
    # The change whose value is the plain text.
    sets: str = ""
    # How silence counts: allow, ask, deny; or nothing.
    silence: str = ""
    # Text that is not an answer is a failure.
    fails: bool = False
    # Silence is a failure of a hook that fails closed.
    needs_answer: bool = False
    # The output of hooks is not read at all.
    ignored: bool = False
    # All messages go to the log.
    muted: bool = False
    # The receiver of a kind of message, if it differs from the dialect's.
    audience: dict[str, str] = {}


class MergeRules(Struct, frozen=True, kw_only=True):
    """How the answers of several hooks become one."""

    # How several changes of one thing are merged, by what is changed: {"input": "replace"}.
    changes: dict[str, str] = {}
    # The data that the next hook of a chain gets, and the field of the event's data that they replace.
    chain: dict[str, str] = {}
    # How changes are merged for the next hook, if the host gets something else.
    seen: dict[str, str] = {}
    # Which of several decisions counts: strongest, last, section-last.
    decisions: str = "strongest"
    # Which of several reasons counts.
    reasons: str = "first"
    # Which reasons the model gets: those of all refusals, or only those in the event's reason (counting).
    reasons_told: str = "all"
    # Whose context counts: all, last.
    contexts: str = "all"
    # What a response needs to replace the model's call: a block (a deny or a stop), a deny; or nothing.
    response_needs: str = ""


class FiringRules(Struct, frozen=True, kw_only=True):
    """When a host fires the event, and how."""

    # The tools that it is for, by our names; an event of the same kind without any is for all tools.
    tools: tuple[str, ...] = ()
    # It also comes after a tool that failed.
    after_failures: bool = False
    # A session waits until the event's hooks have ended; without a session the host always waits.
    awaited: bool = True
    # The form of a tool's result for hooks: value, record, short-record.
    output: str = "value"


class Overrides(Struct, frozen=True, kw_only=True):
    """The differences of this event from the dialect."""

    # The base fields of its payload, in place of the dialect's.
    base: tuple[Field, ...] = ()
    # Further variables, in addition to the dialect's.
    env: dict[str, str] = {}
    matcher: str = ""
    # Rows of the exit table that differ here.
    exits: dict[int | str, Exit] = {}
    # What failures mean here, by cause.
    failure: dict[str, str] = {}
    # The default time-out in seconds of a hook; and the longest that it may have.
    timeout: float = 0.0
    longest: float = 0.0
    # The only types of hooks that run.
    types: tuple[str, ...] = ()
    # What one bad entry under the event costs.
    malformed: str = ""
    # How a broken section of an answer counts.
    broken_section: str = ""
    # What ends the chain here, in addition to the dialect's rule.
    chain_ends: tuple[str, ...] = ()


class EventRule(Struct, frozen=True, kw_only=True):
    """One event: its name, its payload, and what answers can do."""

    # The agent's name of it, and our kind, which is the same for all agents.
    name: str
    kind: str
    # When it happens, for people.
    about: str
    # The fields of the payload after the base fields.
    fields: tuple[Field, ...] = ()
    target: EventTarget = EventTarget()
    can: Can = Can()
    deny: DenyRules = DenyRules()
    stop: StopRules = StopRules()
    text: TextRules = TextRules()
    merging: MergeRules = MergeRules()
    firing: FiringRules = FiringRules()
    overrides: Overrides = Overrides()
