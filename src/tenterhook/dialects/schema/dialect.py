"""The schema of a dialect: one agent's rules for hooks, as data. vocabulary.py checks every word in it.

A dialect says *names* of behaviours ("glob", "overlay", "join"); the module that owns a behaviour holds its code
under that name. There is no `if dialect` anywhere, so a new agent is one new file in dialects/.

Ten fields matter first; they are the ones without a default. Everything else says how an agent differs from most:

    payload   base, env                  the input of every hook, and its variables
    reading   exits, answers             what exit statuses mean, and the fields of an answer
    config    files, form, types         where hooks are, how an entry is written, what a hook can be
    planning  matcher, timeout, order    which hooks run, how long, and in which order

The events are in `event.py`, exits and answers in `answer.py`, config files in `files.py`.
"""

from __future__ import annotations

from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from tenterhook.dialects.schema.answer import AnswerChecks as AnswerChecks
from tenterhook.dialects.schema.answer import AnswerField as AnswerField
from tenterhook.dialects.schema.answer import AnswerSection as AnswerSection
from tenterhook.dialects.schema.answer import AnswerValue as AnswerValue
from tenterhook.dialects.schema.answer import Exit as Exit
from tenterhook.dialects.schema.answer import ExitAnswer as ExitAnswer
from tenterhook.dialects.schema.answer import ExitText as ExitText
from tenterhook.dialects.schema.answer import ReadingRules as ReadingRules
from tenterhook.dialects.schema.event import Can as Can
from tenterhook.dialects.schema.event import DenyRules as DenyRules
from tenterhook.dialects.schema.event import EventRule as EventRule
from tenterhook.dialects.schema.event import EventTarget as EventTarget
from tenterhook.dialects.schema.event import Field as Field
from tenterhook.dialects.schema.event import FiringRules as FiringRules
from tenterhook.dialects.schema.event import MergeRules as MergeRules
from tenterhook.dialects.schema.event import Overrides as Overrides
from tenterhook.dialects.schema.event import StopRules as StopRules
from tenterhook.dialects.schema.event import TextRules as TextRules
from tenterhook.dialects.schema.files import ConfigRules as ConfigRules
from tenterhook.dialects.schema.files import File as File
from tenterhook.dialects.schema.files import Form as Form
from tenterhook.dialects.schema.files import Install as Install
from tenterhook.dialects.schema.files import Managed as Managed
from tenterhook.dialects.schema.files import Section as Section
from tenterhook.dialects.schema.files import Setup as Setup
from tenterhook.dialects.schema.files import Switches as Switches
from tenterhook.dialects.schema.files import Traces as Traces
from tenterhook.dialects.schema.files import Type as Type
from tenterhook.dialects.schema.files import Wrapper as Wrapper
from tenterhook.types import Sandbox

Record = TypeVar("Record", bound=Struct)


class PayloadRules(Struct, frozen=True, kw_only=True):
    """The input of every hook."""

    # The fields in the payload of every event.
    base: tuple[Field, ...]
    # Variables of the hook's environment: a word of `payload.BASE`, `=TEXT`, `.PATH` into the event's data, or `~/PATH`
    # unless the host has the variable set. With `?` at its end it is left out if it has no value.
    env: dict[str, str]
    # The variable in which the agent tells hooks its version: `NAME`, or `NAME=BEGINNING` if its value says more.
    version_in: str = ""
    # Variables that hooks do not inherit, by the beginning of their names.
    env_without: tuple[str, ...] = ()
    # Variables that the agent itself writes into a command, in quotes of its own, where they stand without braces.
    written: tuple[str, ...] = ()
    # The payload ends in a line feed.
    newline: bool = False


class PlanningRules(Struct, frozen=True, kw_only=True):
    """Which hooks run for an event, how long and in which order."""

    # How a matcher is read.
    matcher: str
    # The time-out in seconds of a hook that does not set one.
    timeout: float
    # Whether the hooks of an event run at once or one after another.
    order: str
    # Other names of a target that matchers know.
    aliases: dict[str, tuple[str, ...]] = {}
    # The fields of the event's data that name the agent whose hooks run.
    agent_from: tuple[str, ...] = ()
    # What makes two hooks the same one, of which only the first runs. Empty: all run.
    dedupe: str = ""
    # What makes a hook the last of its chain: the hooks after it do not run.
    chain_ends: tuple[str, ...] = ()
    # How hooks of several events run that are one of our kinds.
    joint: str = "by-file"


class FailureRules(Struct, frozen=True, kw_only=True):
    """What a hook's failure means."""

    # The default mode of an engine: faithful, strict, observe.
    mode: str = "faithful"
    # What a failure counts as (allow, ask, deny), by its cause; and by the handler of the hook.
    by_cause: dict[str, str] = {}
    by_handler: dict[str, str] = {}
    # A hook whose script does not exist is skipped.
    missing_is_silent: bool = False


class MessageRules(Struct, frozen=True, kw_only=True):
    """Who gets the messages of hooks."""

    # The receiver of each kind of message: model, user, log.
    audience: dict[str, str] = {}
    # How a host marks messages of a kind for the model, if not by `<hook>` tags.
    marks: dict[str, str] = {}
    # On the next turn the model gets the system messages and refusals of background hooks.
    late_to_model: bool = False


class ToolName(Struct, frozen=True):
    """The agent's name for one of its tools; and its inputs, if the agent does not use our names."""

    name: str
    inputs: dict[str, str] = {}


class ToolRules(Struct, frozen=True, kw_only=True):
    """The agent's names for its tools."""

    # By our own names.
    names: dict[str, ToolName] = {}
    # Further tools that its hooks hear of, by the agent's own names.
    further: tuple[str, ...] = ()
    # There may be any other tool: hosts bring their own, or not all of them are known.
    open: bool = False
    # The agent's name for a tool of an MCP server, and the files that list the servers.
    mcp_tool: str = "mcp__{server}__{tool}"
    mcp_files: tuple[str, ...] = (".mcp.json",)


class SandboxRules(Struct, frozen=True, kw_only=True):
    """How a hook's process is confined."""

    # What it may do, unless its entry says otherwise.
    default: Sandbox = Sandbox(network="full")
    # The agent itself confines hooks.
    confines: bool = False


class Remarks(Struct, frozen=True, kw_only=True):
    """What users must know before they bring a hook to the agent."""

    # By the words of `vocabulary.CAUTIONS`.
    cautions: dict[str, str] = {}
    # What the agent does without calling a hook, although a user would expect it, and what to do about that.
    unhooked: tuple[str, ...] = ()


class Dialect(Struct, frozen=True, kw_only=True):
    """One agent's rules for hooks. An older version has it in its name: `agent@1.2`."""

    name: str
    version: str = ""
    title: str
    # The dialect in a line, for people.
    about: str
    events: tuple[EventRule, ...]
    payload: PayloadRules
    reading: ReadingRules
    config: ConfigRules
    planning: PlanningRules
    failures: FailureRules = FailureRules()
    messages: MessageRules = MessageRules()
    tools: ToolRules = ToolRules()
    sandbox: SandboxRules = SandboxRules()
    # What `tenter init` writes; None if the agent has no place for wrappers.
    setup: Setup | None = None
    # What `tenter install` writes; None if it cannot.
    install: Install | None = None
    remarks: Remarks = Remarks()
    # Facts that users easily miss, a sentence each.
    notes: tuple[str, ...] = ()

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


def revise(record: Record, **changes: Any) -> Record:
    """Copy a record with other values. For a nested record, a mapping says which of its fields change.

    `revise(NEWEST, version="1.2", planning={"timeout": 30.0})` keeps all of `planning` but the time-out.
    """
    for name, value in changes.items():
        inner = getattr(record, name, None)
        if isinstance(inner, Struct) and isinstance(value, dict):
            changes[name] = revise(inner, **value)
    return replace(record, **changes)
