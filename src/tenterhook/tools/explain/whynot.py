"""The plan's reason for a skipped hook -> a sentence with the values that led to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from tenterhook.engine.compiled_event import CompiledEvent
from tenterhook.engine.engine import Engine
from tenterhook.pipeline.match import MATCHERS, engine, how, is_regex
from tenterhook.pipeline.payload_fields import lookup
from tenterhook.pipeline.plan import DEDUPES, holds
from tenterhook.pipeline.regex import whose
from tenterhook.pipeline.target_index import aim
from tenterhook.types import RULE, Event, Hook


class SkippedHook(Struct):
    """A hook that does not run, with its event, engine and slot."""

    hook: Hook
    event: Event
    engine: Engine
    compiled: CompiledEvent
    running: Sequence[Hook]


def why_not(
    why: str, hook: Hook, event: Event, engine: Engine, compiled: CompiledEvent, running: Sequence[Hook]
) -> str:
    """One sentence; the bare word where there is nothing to add."""
    say = REASONS.get(why)
    return say(SkippedHook(hook, event, engine, compiled, running)) if say else why


def kind_words(kind: str) -> str:
    """How a matcher of that kind is read, in a few words."""
    return MATCHERS[how(kind)].short


def match_words(matcher: str, kind: str) -> str:
    """How a matcher is read. An invalid regex is compared as text, and people should know."""
    words = kind_words(kind)
    if "regex" in kind and not is_regex(matcher, kind):
        return f"no valid {whose(engine(kind))}regex, so {MATCHERS[how(kind)].broken}"
    return words


def matcher(case: SkippedHook) -> str:
    hook, rule = case.hook, case.compiled.parts[case.hook.event].rule
    kind, target, value = (
        hook.match_kind or case.engine.dialect.planning.matcher,
        rule.target.field,
        aim(rule, case.event.data),
    )
    return f"matcher {hook.matcher!r} ({match_words(hook.matcher or '', kind)}) does not fit {target} {value!r}"


def tool(case: SkippedHook) -> str:
    tools = case.compiled.parts[case.hook.event].rule.firing.tools
    names = [
        case.engine.dialect.tools.names[one].name if one in case.engine.dialect.tools.names else one for one in tools
    ]
    return f"{case.hook.event} is for {', '.join(names)} only, not for {case.event.data.get('tool_name')!r}"


def condition(case: SkippedHook) -> str:
    data = case.event.data
    unknown = undecidable_conditions(case.hook, data)
    wrong = [
        f"the call is not one that {wanted!r} is about"
        if path == RULE
        else f"{path} {found_words(lookup(path, data))}; it must fit {wanted!r}"
        for path, wanted in (case.hook.condition or {}).items()
        if path not in unknown and not holds({path: wanted}, data)
    ]
    return f"its condition does not hold: {'; '.join(wrong)}"


def found_words(value: object) -> str:
    return "is not in the event's data" if value is None else f"is {value!r}"


def undecidable_conditions(hook: Hook, data: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a hook's condition that cannot be judged: it is about data that was not given at all."""
    needed = {path: "tool_input" if path == RULE else path.partition(".")[0] for path in hook.condition or {}}
    return {path: wanted for path, wanted in (hook.condition or {}).items() if needed[path] not in data}


def only_if(hook: Hook, data: Mapping[str, Any]) -> str:
    """What must be true of the data that was not given; empty if nothing is open."""
    open_ones = [describe_condition(path, wanted) for path, wanted in undecidable_conditions(hook, data).items()]
    return f"runs if {' and '.join(open_ones)} (not given: --input)" if open_ones else ""


def describe_condition(path: str, wanted: object) -> str:
    return f"{wanted!r} is about the call" if path == RULE else f"{path} fits {wanted!r}"


def agent(case: SkippedHook) -> str:
    given = f"agent {case.event.agent}" if case.event.agent else "no agent in particular (--agent)"
    return f"for agent {case.hook.agent} only; the event is for {given}"


def explain_untrusted(case: SkippedHook) -> str:
    return "its file came with the project, and you have not approved it; tenter trust shows and approves it"


def explain_modified(case: SkippedHook) -> str:
    rule = case.compiled.rule
    asks = "it asks instead" if rule.can.ask else "it denies instead" if rule.can.block else "it fails"
    return f"{case.hook.seal.why if case.hook.seal else 'modified'}; until then {asks}"


def explain_denied(case: SkippedHook) -> str:
    return "you denied it; tenter trust --revoke takes that back"


def forbidden(case: SkippedHook) -> str:
    return f"{case.engine.options.system} allows only hooks of the system's own"


def explain_disabled(case: SkippedHook) -> str:
    listed = case.engine.dialect.config.switches.disabled
    where = f"switched off in its file, or listed in {listed}" if listed else "switched off in its file"
    return case.compiled.off or case.compiled.switched or where


def overridden(case: SkippedHook) -> str:
    if case.hook.overridden:
        return f"the project's config names {case.event.name} itself, which replaces the user's hooks of it"
    return f"agent {case.event.agent} has hooks of its own that override the general ones"


def duplicate(case: SkippedHook) -> str:
    by = case.engine.dialect.planning.dedupe
    key, what = DEDUPES[by].about, DEDUPES[by].run
    same = next((one for one in case.running if not set(what(one)).isdisjoint(what(case.hook))), None)
    if not same:
        return f"the same {key} runs already"
    rule = case.compiled.parts[case.hook.event].rule
    unsure = rule.target.field and aim(rule, case.event.data) is None
    where = ", where both matchers fit" if unsure else ", where that one runs" if only_if(same, case.event.data) else ""
    return f"the same {key} as {same.source}, which comes first{where}"


REASONS: dict[str, Callable[[SkippedHook], str]] = {
    "matcher": matcher,
    "tool": tool,
    "condition": condition,
    "agent": agent,
    "untrusted": explain_untrusted,
    "modified": explain_modified,
    "denied": explain_denied,
    "forbidden": forbidden,
    "disabled": explain_disabled,
    "overridden": overridden,
    "duplicate": duplicate,
}
