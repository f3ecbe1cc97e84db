"""Everything in a project that needs the user's approval, in every dialect that has files there."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct, field

from tenterhook.author.process import parse_argv
from tenterhook.config.file_trust import owner_of
from tenterhook.engine.hookset import HookSet
from tenterhook.engine.options import EngineOptions
from tenterhook.errors import ConfigError, UsageError
from tenterhook.hosts.gate.hooks import hooks_of_file, words_with_arguments
from tenterhook.library.actions.settings import FILES as ACTIONS
from tenterhook.library.actions.settings import table
from tenterhook.support.command_line import simple_words
from tenterhook.tools.agents import all_agents
from tenterhook.tools.approve import statusline
from tenterhook.tools.install.command_line import PROGRAMS
from tenterhook.trust.approvals import Approvals, ItemState, binder_for, orders, standings
from tenterhook.trust.bind import Binder, Binding
from tenterhook.trust.item import Item, hook_item, other_item
from tenterhook.trust.loads.records import Loads

if TYPE_CHECKING:
    from tenterhook.clients.mcp import McpServer
    from tenterhook.types import Hook

COMMANDS = "the commands in it: what they run"


class Survey(Struct):
    """The items of a project, the problems of their files, and the files that cannot be read at all."""

    items: list[Item] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    unread: set[str] = field(default_factory=set)


def survey(project: str, *, agents: Sequence[str] = (), **options: Any) -> Survey:
    """Read, never run: files are only parsed. Every agent counts, or those of these names; those in use come first."""
    found, seen, loads = Survey(), dict[Hashable, list[Item]](), dict[Hashable, Loads]()
    for one in all_agents(EngineOptions(project, trust="all", on_config_error="warn", **options), agents):
        for item in items_of(one.hooks, found, loads):
            alike = seen.setdefault(item.bond, [])
            if item not in alike:
                alike.append(item)
                found.items.append(item)
    found.items += actions_of(HookSet(EngineOptions(project, **options)), found)
    return found


def items_of(hooks: HookSet, survey: Survey, loads: dict[Hashable, Loads]) -> Iterator[Item]:
    """The items of one dialect: hooks, directives about other hooks, the status line, MCP servers."""
    loaded = hooks.ready()
    files = {place.path for place in loaded.places if place.found and place.file.scope == "project"}
    survey.problems += [str(one) for one in loaded.problems if one.file in files]
    survey.unread |= loaded.unread & files
    binder = binder_for(hooks.dialect, hooks.project, hooks.home, hooks.environ, texts=True)
    binder.loads = loads
    theirs = [hook for hook in loaded.hooks if hook.source.scope == "project"]
    for hook, order in zip(theirs, orders(theirs), strict=True):
        yield hook_item(hook, hooks.dialect, order, binder.whole(hook))
        yield from named_files(hook, hooks, binder)
    for path, words in loaded.words.items():
        if path in files and words.as_approval():
            yield other_item("words", path, words.as_approval(), dialect=hooks.dialect.name)
    for place, value in statusline.values(hooks):
        if place.file.scope == "project":
            yield status_item(place.path, value, hooks.dialect.name, binder)
    yield from servers(hooks, binder, survey)


def named_files(hook: Hook, hooks: HookSet, binder: Binder) -> Iterator[Item]:
    """The hooks of files that a command `tenter run FILE...` names: the engine behind it asks for their approval."""
    main = hook.spec["main"]
    words = simple_words(main, binder.env) if isinstance(main, str) else list(map(str, main))
    if words[1:2] != ["run"] or os.path.basename(words[0]) not in PROGRAMS:
        return
    ours = HookSet(EngineOptions(hooks.project, home=hooks.home, environ=hooks.environ))
    for word, arguments in words_with_arguments(parse_argv(words[2:])):
        with suppress(UsageError):  # the hook fails when it is called, and says why
            found = hooks_of_file(word, arguments, hooks.project, hooks.project)
            theirs = [one for one in found if one.source.scope == "project"]
            for one, order in zip(theirs, orders(theirs), strict=True):
                yield hook_item(one, ours.dialect, order, binder.whole(one))


def status_item(file: str, value: Any, dialect: str, binder: Binder) -> Item:
    command = value.get("command") if isinstance(value, dict) else None
    bound = binder.command(command) if isinstance(command, str) else Binding()
    return other_item("status", file, {"status_line": value}, dialect=dialect, bound=bound)


def servers(hooks: HookSet, binder: Binder, survey: Survey) -> Iterator[Item]:
    from tenterhook.clients.mcp.config import read_servers

    for name in hooks.dialect.tools.mcp_files:
        if name.startswith("~/"):
            continue
        file = os.path.join(hooks.project, name)
        try:
            yield from (server_item(one, binder) for one in read_servers([file]))
        except ConfigError as exc:
            survey.problems.append(str(exc))
            survey.unread.add(file)


def server_item(server: McpServer, binder: Binder) -> Item:
    """A file of servers is the same for every agent that reads it."""
    entry = {
        key: value for key, value in msgspec.structs.asdict(server).items() if value and key not in ("name", "source")
    }
    bound = binder.command([server.command, *server.args]) if server.command else Binding()
    return other_item("server", server.source, entry, name=server.name, bound=bound)


def actions_of(hooks: HookSet, survey: Survey) -> Iterator[Item]:
    """The table `actions`, from the first file that has one."""
    for name, place in ACTIONS:
        file = os.path.join(hooks.project, name)
        try:
            found = table(file, place)
        except ConfigError as exc:
            survey.problems.append(str(exc))
            survey.unread.add(file)
            continue
        if found is not None:
            yield other_item("actions", file, found, bound=Binding(unbound=[COMMANDS] if "commands" in found else []))
            return


def judge_approvals(hooks: HookSet, items: list[Item]) -> list[ItemState]:
    """What the user said about items of one project, as an engine of that trust takes it."""
    if hooks.options.trust == "none" or hooks.settings.only_managed:
        return [ItemState(item, "untrusted") for item in items]
    approvals = Approvals(hooks.dialect, hooks.project, hooks.home, hooks.environ).book
    found = standings(items, approvals)
    if hooks.options.trust == "all":
        return [one if one.state == "denied" else ItemState(one.item, "trusted") for one in found]
    return [ItemState(one.item, "untrusted") if owner_of(one.item.file) else one for one in found]
