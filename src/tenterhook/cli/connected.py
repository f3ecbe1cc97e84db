"""Which agents `tenter install` connected here, and what the journal knows of them."""

from __future__ import annotations

import os
from collections.abc import Sequence

from msgspec import Struct

from tenterhook import dialects
from tenterhook.cli.journal_filters import ago, took
from tenterhook.engine.hookset import HookSet
from tenterhook.engine.options import EngineOptions
from tenterhook.errors import TenterhookError
from tenterhook.journal.files import place
from tenterhook.journal.index import Index
from tenterhook.journal.query import EntryFilter, HookCost, hooks, part, run_times
from tenterhook.runtime.sandbox.abilities import Ability
from tenterhook.support.terminal.text import pluralise_count
from tenterhook.tools.install import target
from tenterhook.tools.install.editing.record import load_record
from tenterhook.types import Hook

# The most hooks that `tenter doctor` lists.
SHOWN = 20


class ConnectedAgent(Struct):
    """One connected agent: how many entries of its config call us, for this project or for all of the user's."""

    agent: str
    entries: int = 0
    everywhere: bool = False
    problem: str = ""


def connections(project: str) -> list[ConnectedAgent]:
    """The agents whose config has entries of ours, by the records of `tenter install`."""
    found = []
    for name in target.installable():
        one = ConnectedAgent(name)
        for user in (False, True):
            try:
                record = load_record(target.target(name, project, user=user).record)
            except TenterhookError as exc:
                one.problem = str(exc) if user else one.problem
                continue
            said = [edit for config in record.configs.values() for edit in config.edits] if record else []
            entries = sum(bool(edit.addition.says) for edit in said)
            one.entries += entries
            one.everywhere = one.everywhere or (user and entries > 0)
        if one.entries or one.problem:
            found.append(one)
    return found


def about_agents(found: HookSet) -> list[Ability]:
    """For `tenter doctor`: when each connected agent last fired, and then each of its hooks."""
    where = place(found.home, found.environ)
    agents = connections(found.project)
    if not agents:
        return []
    if not found.settings.journal:
        unknown = "connected; the journal is off, so nothing else is known"
        return [Ability("agents", one.agent, "off", unknown) for one in agents]
    try:
        with Index(where) as index:
            ours = HookSet(EngineOptions(found.project, home=found.home, environ=found.environ, on_config_error="warn"))
            configured = [hook for hook in ours.hooks() if hook.enabled]
            lines = [about_agent(one, configured, index, found.project) for one in agents]
            fired = [one.name for one in lines if one.state == "works"]
            return lines + (about_hooks(healths(ours, fired, index)) if fired else [])
    except OSError as exc:
        return [Ability("agents", "the journal", "broken", f"{where} cannot be read: {exc.strerror}")]


def about_agent(one: ConnectedAgent, configured: list[Hook], index: Index, project: str) -> Ability:
    """`configured`: the hooks of our config, some of which may wait for an approval."""
    if one.problem:
        return Ability("agents", one.agent, "broken", one.problem)
    scope = "" if one.everywhere else os.path.abspath(project)
    wanted = EntryFilter(agent=one.agent, project=scope)
    [last] = index.ask(
        "SELECT max(time) FROM events WHERE agent = ? AND (? = '' OR project = ?)", [one.agent, scope, scope]
    )
    names = {hook.name for hook in configured if hook.trusted}
    waiting = {hook.name for hook in configured if not hook.trusted} - names
    number = pluralise_count(len(names), "hook") if names else "connected, no hooks"
    approval = [f"{len(waiting)} more not approved: tenter trust"] if waiting else []
    if last[0] is None:
        said = ["connected", f"never fired{what_it_needs(one.agent)}", *approval]
        return Ability("agents", one.agent, "off", ", ".join(said))
    times = run_times(index, wanted)
    opened = sum(cost.opened for cost in hooks(index, wanted))
    said = [number, f"last fired {ago(last[0])}", *describe_times(times), *failed_open(opened), *approval]
    return Ability("agents", one.agent, "works", ", ".join(said))


def what_it_needs(agent: str) -> str:
    """Why an agent may not run hooks that are in its config, if it wants an approval of its own first."""
    what = dialects.get(agent).remarks.cautions.get("approval")
    if not what:
        return ""
    return f": {'its hooks need review' if what == 'each hook' else f'{what} needs your approval'} there"


def describe_times(ordered: Sequence[float]) -> list[str]:
    if not ordered:
        return []
    return [f"median {took(part(ordered, 0.5))}", f"95th percentile {took(part(ordered, 0.95))}"]


def failed_open(number: int) -> list[str]:
    """How often hooks failed without keeping anything from going on."""
    return [f"failed open {pluralise_count(number, 'time')}"] if number else []


class HookHealth(Struct):
    """One configured hook in one agent: what its runs cost, or why there was none. Without an agent, in any."""

    hook: str
    agent: str
    source: str
    cost: HookCost | None = None
    why: str = ""


def healths(hookset: HookSet, agents: Sequence[str], index: Index) -> list[HookHealth]:
    """Each enabled hook of a project, and of the user, in each of these agents; in any agent if there are none."""
    runs = hooks(index, EntryFilter(project=hookset.project))
    by_agent = {(one.hook, one.agent): one for one in runs}
    any_agent = {one.hook: one for one in reversed(runs)}
    first = {hook.name: hook for hook in reversed(hookset.hooks()) if hook.enabled}
    found = []
    for name, hook in reversed(first.items()):
        kind = hookset.rule(hook.event).kind
        for agent in agents or [""]:
            cost = by_agent.get((name, agent)) if agent else any_agent.get(name)
            found.append(HookHealth(name, agent, str(hook.source), cost, "" if cost else why_never(hook, kind, agent)))
    return found


def why_never(hook: Hook, kind: str, agent: str) -> str:
    if not hook.trusted:
        return "not approved: tenter trust"
    if agent and not dialects.get(agent).rules(kind):
        return f"{dialects.get(agent).title} has no such event"
    return ""


def about_hooks(found: Sequence[HookHealth]) -> list[Ability]:
    lines = [Ability("hooks", f"{one.hook}, {one.agent}", *describe_health(one)) for one in found[:SHOWN]]
    if len(found) > SHOWN:
        lines.append(Ability("hooks", "...", "works", f"{len(found) - SHOWN} more: tenter stats --by hook"))
    return lines


def describe_health(one: HookHealth) -> tuple[str, str]:
    if one.cost is None:
        return "off", f"never fired: {one.why}" if one.why else "never fired"
    times = [f"median {took(one.cost.p50)}", f"95th percentile {took(one.cost.p95)}"]
    return "works", ", ".join([f"last fired {ago(one.cost.last)}", *times, *failed_open(one.cost.opened)])
