"""What an agent will not do, whatever a hook answers: computed with the dialect's own engine, and from its notes."""

from __future__ import annotations

from collections.abc import Iterator

from tenterhook.author import callers
from tenterhook.author.event import SUBJECTS
from tenterhook.author.forms import BEFORE
from tenterhook.dialects.schema.dialect import Dialect, EventRule
from tenterhook.engine.simulate import Did, simulate
from tenterhook.tools.install.hookfiles import EventHooks
from tenterhook.types import Hook

# What hooks may want, and what happens if the agent does not support it: if it can be refused, and otherwise.
MISSING = {
    "deny": ("", "a refusal does not count"),
    "ask": ("an ask becomes a refusal", ""),
    "rewrite": ("a rewrite becomes a refusal that tells the model what to do", "nothing can be rewritten"),
    "context": ("a context reaches the model with a refusal only", "a context does not reach the model"),
}
FAILURES = {
    "takes too long": Did(error="timeout"),
    "cannot be started": Did(exit_code=127, stderr="not found"),
}
CLOSED = {"default": "deny"}


def limits(
    dialect: Dialect,
    events: list[EventHooks],
    without: list[tuple[Hook, str]],
    closed: set[str],
    *,
    managed: bool = False,
) -> list[str]:
    """One line for each event that hooks are for now; `closed` are the events whose entries fail closed."""
    found = list(never(dialect, without))
    says = callers.load(dialect.name)["events"]
    for event in events:
        if not event.hooks:
            continue
        name = event.rule.name
        lines = [*unheard(event.rule, says[name]["says"]), *endless(event.rule)]
        lines += open_to(dialect, event.rule, closed=name in closed)
        found += [f"{name}: {'; '.join(lines)}"] if lines else []
    found += [f"no hook is called for {text}" for text in dialect.remarks.unhooked]
    return [*found, *of_files(dialect, managed=managed)]


def of_files(dialect: Dialect, *, managed: bool) -> tuple[str, ...]:
    """What the agent says of its own files, or of the administrator's."""
    if dialect.install is None:
        return ()
    return dialect.install.managed.limits if managed and dialect.install.managed else dialect.install.limits


def never(dialect: Dialect, without: list[tuple[Hook, str]]) -> Iterator[str]:
    """Kinds of events that the agent does not have, by hook."""
    kinds: dict[str, list[str]] = {}
    for one, kind in without:
        kinds.setdefault(one.name, []).append(kind)
    for name, lacking in kinds.items():
        yield f"{name} is not called for {', '.join(lacking)}: {dialect.title} has no such event"


def unheard(rule: EventRule, says: dict[str, object]) -> Iterator[str]:
    """Effects that no answer has here."""
    before = rule.kind in BEFORE and "deny" in says
    for effect, texts in MISSING.items():
        text = texts[0] if before else texts[1]
        if effect == "rewrite" and rule.kind not in SUBJECTS:  # there is nothing to change
            continue
        if text and effect not in says and (effect != "deny" or "context" not in says):
            yield text


def endless(rule: EventRule) -> Iterator[str]:
    if rule.stop.cap == 0:
        yield "a hook that refuses the end each time is never overruled: look at event.stop_active"


def open_to(dialect: Dialect, rule: EventRule, *, closed: bool) -> Iterator[str]:
    """When the operation goes on although no hook has checked it."""
    if not rule.can.block or rule.kind not in BEFORE:
        return
    policy = CLOSED if closed else {}
    gone = [what for what, did in FAILURES.items() if passes(dialect, rule, did, policy)]
    if gone:
        yield f"where the command {' or '.join(gone)}, the operation goes on"


def passes(dialect: Dialect, rule: EventRule, did: Did, policy: dict[str, str]) -> bool:
    seen = simulate(dialect, rule.name, [did], on_failure=policy)
    return not (seen.blocked or seen.stop or seen.decision == "ask")
