"""Which agents `tenter install` connected here, and what the journal knows of them."""

from __future__ import annotations

import os

from msgspec import Struct

from tenterhook import dialects
from tenterhook.cli.journal_filters import ago, took
from tenterhook.engine.hookset import HookSet
from tenterhook.engine.options import EngineOptions
from tenterhook.errors import TenterhookError
from tenterhook.journal.files import place
from tenterhook.journal.index import Index
from tenterhook.journal.query import EntryFilter, HookCost, hooks, part
from tenterhook.runtime.sandbox.abilities import Ability
from tenterhook.support.terminal.text import pluralise_count
from tenterhook.tools.install import target
from tenterhook.tools.install.editing.record import load_record


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
    """For `tenter doctor`: when each connected agent last fired, and how its hooks did."""
    where = place(found.home, found.environ)
    agents = connections(found.project)
    if not agents:
        return []
    if not found.settings.journal:
        return [
            Ability("agents", one.agent, "off", "connected; the journal is off, so nothing else is known")
            for one in agents
        ]
    try:
        with Index(where) as index:
            ours = HookSet(EngineOptions(found.project, home=found.home, environ=found.environ, on_config_error="warn"))
            number = len({hook.name for hook in ours.hooks() if hook.enabled and hook.trusted})
            return [about_agent(one, number, index, found.project) for one in agents]
    except OSError as exc:
        return [Ability("agents", "the journal", "broken", f"{where} cannot be read: {exc.strerror}")]


def about_agent(one: ConnectedAgent, hooks_here: int, index: Index, project: str) -> Ability:
    """`hooks_here`: how many hooks of our config run at the agent's calls."""
    if one.problem:
        return Ability("agents", one.agent, "broken", one.problem)
    scope = "" if one.everywhere else os.path.abspath(project)
    wanted = EntryFilter(agent=one.agent, project=scope)
    [last] = index.ask(
        "SELECT max(time) FROM events WHERE agent = ? AND (? = '' OR project = ?)", [one.agent, scope, scope]
    )
    number = pluralise_count(hooks_here, "hook")
    if last[0] is None:
        return Ability("agents", one.agent, "off", f"{number} connected, never fired{what_it_needs(one.agent)}")
    said = [number, f"last fired {ago(last[0])}", *health(hooks(index, wanted))]
    return Ability("agents", one.agent, "works", ", ".join(said))


def what_it_needs(agent: str) -> str:
    """Why an agent may not run hooks that are in its config, if it wants an approval of its own first."""
    what = dialects.get(agent).remarks.cautions.get("approval")
    if not what:
        return ""
    return f": {'its hooks need review' if what == 'each hook' else f'{what} needs your approval'} there"


def health(runs: list[HookCost]) -> list[str]:
    """How long the hooks of an agent took, and how often one failed without keeping anything from going on."""
    opened = sum(one.opened for one in runs)
    times = sorted(time for one in runs for time in (one.p50,) * one.runs)
    slow = max((one.p95 for one in runs), default=0.0)
    said = [f"median {took(part(times, 0.5))}, 95th percentile at most {took(slow)}"] if runs else []
    return [*said, f"failed open {pluralise_count(opened, 'time')}"] if opened else said
