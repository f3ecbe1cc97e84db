"""The schema of a dialect: one agent's rules for hooks, as data. Every word in it is checked (vocabulary.py).

A dialect says *names* of behaviours ("glob", "overlay", "join"); the module that owns a behaviour holds its code
under that name. No `if dialect` stands anywhere, so a new agent is one new file in dialects/.
"""

from __future__ import annotations

from msgspec import Struct

from tenterhook.dialects.schema.files import File as File
from tenterhook.dialects.schema.files import Form as Form
from tenterhook.dialects.schema.files import Section as Section
from tenterhook.dialects.schema.files import Setup as Setup
from tenterhook.dialects.schema.files import Type as Type
from tenterhook.dialects.schema.files import Wrapper as Wrapper
from tenterhook.dialects.schema.vocabulary import check
from tenterhook.errors import DialectError
from tenterhook.types import Sandbox


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


class Exit(Struct, frozen=True, kw_only=True):
    """What one exit status means.

    `needs_text`: without text it decides nothing and counts as a failure. `yields`: an answer takes its place, and
    where it is `unhealthy` the hook has failed all the same. `text` is where the text is looked for, `becomes` what it
    is, and `else_becomes` what it is if it was not on the first of these streams; `also_reason`: a reason besides.
    `answer_from` is where an answer is looked for, if not where the dialect says; `broken_fails`: what begins with one
    of these and is no answer is a failure, not text, and `broken_closed`: only where it ends in a closing brace, too.
    `blocking_reason`: of an answer beside it only a refusal's own reason counts; `flat`: its section decides nothing.
    """

    means: str
    decision: str = ""
    failed: bool = False
    answer: bool = False
    text: str = ""
    becomes: str = ""
    else_becomes: str = ""
    also_reason: bool = False
    prefix: str = ""
    text_decision: str = ""
    needs_text: bool = False
    yields: bool = False
    unhealthy: bool = False
    answer_from: str = ""
    broken_fails: str = ""
    broken_closed: bool = False
    blocking_reason: bool = False
    flat: bool = False


class Answer(Struct, frozen=True, kw_only=True):
    """One field that a hook may answer with: a path into its JSON, and the effect.

    `type` is what its value must be, where the effect does not say that already. `change` is what the effect `set`
    sets. `unsupported` are values (`any`, `true`, a word) that the agent knows and refuses: the hook fails.
    `only_with` is the decision without which the field makes the hook fail. `needs` is a path into the value: where
    nothing is there, the value does not count. `fatal`: a change of another type than it must be is a refusal,
    and a reason that is no text ruins all answers. `null` is what null is in place of such a change: another type, or
    nothing (ignored).
    `otherwise` is what any other value decides, null too; `words_need` are fields that must stand beside a word of a
    decision, or the hook fails. `written` is how what is no text becomes one: as JavaScript writes it (text), or as
    JSON (json).
    """

    path: str
    effect: str
    type: str = ""
    change: str = ""
    unsupported: tuple[str, ...] = ()
    only_with: str = ""
    needs: str = ""
    fatal: bool = False
    null: str = ""
    words_need: dict[str, str] = {}
    written: str = ""
    otherwise: str = ""
    kind: str = ""
    events: tuple[str, ...] = ()
    words: dict[str, str] = {}
    kind_from: str = ""
    kinds: dict[str, str] = {}


class EventRule(Struct, frozen=True, kw_only=True):
    """One event: what it is called, what a hook is told, and what its answers can do."""

    name: str
    kind: str
    about: str
    target: str = ""
    # The path whose last part the target is, where the event's data do not give it.
    target_of: str = ""
    targets: tuple[str, ...] = ()
    fields: tuple[Field, ...] = ()
    # What differs from the dialect here: base fields, more variables, matcher, exits, failures, time-outs, types.
    base: tuple[Field, ...] = ()
    env: dict[str, str] = {}
    matcher: str = ""
    exits: dict[int | str, Exit] = {}
    failure: dict[str, str] = {}
    timeout: float = 0.0
    longest: float = 0.0
    types: tuple[str, ...] = ()
    # What one bad entry under it costs, where that differs.
    malformed: str = ""
    # The tools that it is for, by our names; an event of the same kind without any is for all of them.
    tools: tuple[str, ...] = ()
    # What its hooks call the target, where that is another name; matchers know both.
    called: dict[str, str] = {}
    blocks: bool = False
    asks: bool = False
    grants: bool = False
    output_form: str = "value"
    hears_failures: bool = False
    # What ends the chain here besides what ends it everywhere; which of several decisions counts, and whose context.
    chain_ends: tuple[str, ...] = ()
    decisions: str = "strongest"
    contexts: str = "all"
    # What a wish to stop does: first, after (it is done), denies (it; denies-by-stop: its reason comes first), replaces
    # (the output by the stop's reason, or by the refusal's; replaces-by-reason: the other way round), ignored.
    stops: str = "first"
    # How often in a row hooks may keep an agent from stopping; 0 is without end, None is for the host to say.
    stop_cap: int | None = None
    # What an ask does where nobody can be asked: deny, allow, stop.
    unattended: str = "deny"
    muted: bool = False
    # Whether a session goes on only when the event's hooks have ended; without a session they are waited for.
    awaited: bool = True
    deaf: bool = False
    # Whether text that is no answer is a failure here; whether silence is one of a hook that fails closed.
    text_fails: bool = False
    needs_answer: bool = False
    plain: str = ""
    # The change whose value plain text is.
    plain_sets: str = ""
    silent: str = ""
    deny: tuple[str, str] = ("user", "reason")
    audience: dict[str, str] = {}
    erased: bool = False
    needs_reason: bool = False
    # What a refusal without a reason does: counts, fails, ignored; ignored-unless-text: an empty text is one.
    unreasoned: str = "counts"
    # Whether a hook's wish to fail closed counts here.
    closes: bool = True
    # What a section that is none does here, where that differs.
    broken_section: str = ""
    # A refusal's reason takes the place of the tool's output.
    replaces: bool = False
    reasons: str = "first"
    # Of several refusals, whose reasons the model is told: all of them, or those alone that the event's reason holds.
    reasons_told: str = "all"
    stop_reasons: str = "first"
    merges: dict[str, str] = {}
    chain: dict[str, str] = {}
    # What the next hook of a chain sees where the host is given something else: how each of the chain's changes merges.
    seen: dict[str, str] = {}
    # What a response needs to take the place of the model's call: a block (a deny or a stop), a deny; or nothing.
    response_needs: str = ""
    stop_response: bool = False


class ToolName(Struct, frozen=True):
    """What the agent calls one of its tools; and its inputs, where it does not call them as we do."""

    name: str
    inputs: dict[str, str] = {}


class Install(Struct, frozen=True, kw_only=True):
    """What `tenter install` writes: entries that call `tenter run`, into one file of the project's or the user's.

    `folder` is the variable that holds the project's folder where a command runs. With `words`, the key of a list, no
    shell is between; the program stands under `program`, or where the type has its command. `closed` is what an entry
    says to fail closed; `beside` are keys that the file needs besides its hooks. `limits` is what the agent cannot
    enforce or needs first, as far as nothing else here tells. `flat`: no group around an entry, though there may be.
    """

    project: str
    user: str
    flat: bool = False
    folder: str = ""
    words: str = ""
    program: str = ""
    closed: str | bool = False
    beside: dict[str, int | str | bool] = {}
    limits: tuple[str, ...] = ()


class Dialect(Struct, frozen=True, kw_only=True):
    """One agent's rules for hooks. An older version of it has it in its name: `agent@1.2`."""

    name: str
    version: str = ""
    title: str
    about: str
    events: tuple[EventRule, ...]
    base: tuple[Field, ...]
    env: dict[str, str]
    exits: dict[int | str, Exit]
    answers: tuple[Answer, ...]
    files: tuple[File, ...]
    form: Form
    types: tuple[Type, ...]
    untyped: str = ""
    agent_from: tuple[str, ...] = ()
    matcher: str
    # Names under which matchers know a target besides its own.
    aliases: dict[str, tuple[str, ...]] = {}
    timeout: float
    unit: str = "seconds"
    order: str
    # How hooks of several events run that are one moment, one of our kinds.
    joint: str = "by-file"
    chain_ends: tuple[str, ...] = ()
    dedupe: str = ""
    layers: str = "add"
    switch: str = ""
    # A key whose value switches all hooks off; and a list of the names of hooks that do not run.
    off: tuple[str, bool] = ("", True)
    disabled: str = ""
    # Whether the system's hooks stay then; and a key with which the system leaves no others on.
    system_stays: bool = False
    only_system: str = ""
    # Variables that move a folder of the user's.
    homes: dict[str, str] = {}
    section: str = ""
    section_event: str = ""
    # What the section decides counts, whatever stands beside it.
    section_outranks: bool = False
    # So does its reason, though its decision be the weaker one.
    section_reason: bool = False
    # Where the section has one of these keys, what stands outside of it decides nothing.
    section_alone: tuple[str, ...] = ()
    # What a section does that is a text, a number or true: nothing, or it ruins what all hooks of the event answered,
    # always or only beside another answer (ruins-several).
    broken_section: str = "ignored"
    # How strictly answers are read: unknown keys, values of a wrong type, a section that does not name the event.
    unknown_keys: str = "tolerated"
    wrong_types: str = "ignored"
    unnamed_section: str = "counts"
    # Where an answer is looked for, and in which of its lines.
    answer_from: str = "stdout"
    answer_lines: str = "all"
    # Whether the payload ends in a line feed.
    newline: bool = False
    # Variables that hooks do not inherit, by how their names begin.
    env_without: tuple[str, ...] = ()
    # What an answer is behind a byte order mark: still an answer, or a text like any other.
    byte_order_mark: str = "skipped"
    answer_outranks_exit: bool = False
    twice_encoded: bool = False
    # How many levels the agent's own parser takes, 0 where there is no end; and what an answer is that it cannot parse:
    # a failure of the hook (fails), or text like any other, unless the hook says what a failure means (text).
    deepest: int = 0
    broken_answer: str = "fails"
    # What JSON that is no object is: text, nothing.
    other_json: str = "text"
    text_fails: bool = False
    stop_outranks: bool = False
    missing_is_silent: bool = False
    audience: dict[str, str] = {}
    marks: dict[str, str] = {}
    # Whether the model is told, on the next turn, the system messages and refusals of hooks in the background.
    late_to_model: bool = False
    failure: dict[str, str] = {}
    failure_of: dict[str, str] = {}
    tools: dict[str, ToolName] = {}
    # Tools that its hooks are told of besides those, by the agent's own names.
    further_tools: tuple[str, ...] = ()
    mcp_tool: str = "mcp__{server}__{tool}"
    mcp_files: tuple[str, ...] = (".mcp.json",)
    status_line: str = ""
    # Whether a caller of `tenter hook` that does not say who it is speaks this; true of one dialect.
    usual_caller: bool = False
    mode: str = "faithful"
    cautions: dict[str, str] = {}  # what whoever brings a hook here must know, by the words that `vocabulary` has
    # How a hook's process is confined unless its entry says otherwise; and whether the agent itself does so.
    sandbox: Sandbox = Sandbox(network="full")
    confines: bool = False
    # What the agent does without calling a hook, though one would expect it, and what to do about that.
    unhooked: tuple[str, ...] = ()
    setup: Setup | None = None
    install: Install | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        problems = list(check(self))
        if problems:
            raise DialectError(f"dialect {self.name!r}: " + "; ".join(problems))

    def rule(self, event: str) -> EventRule | None:
        """The event of that name, or the first of that kind."""
        by_kind = None
        for rule in self.events:
            if rule.name == event:
                return rule
            if by_kind is None and rule.kind == event:
                by_kind = rule
        return by_kind

    def rules(self, event: str) -> tuple[EventRule, ...]:
        """The event of that name alone, or all of that kind."""
        named = tuple(rule for rule in self.events if rule.name == event)
        return named or tuple(rule for rule in self.events if rule.kind == event)
