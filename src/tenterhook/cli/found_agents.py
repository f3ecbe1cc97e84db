"""Commands that look at every agent with hook files here: their options, and the agents."""

from __future__ import annotations

from msgspec.structs import replace

from tenterhook import dialects
from tenterhook.cli.options import CommandUsage, Option
from tenterhook.dialects import DEFAULT
from tenterhook.engine.hookset import HookSet
from tenterhook.engine.options import EngineOptions
from tenterhook.errors import UsageError, nearest
from tenterhook.tools.agents import AgentHooks, all_agents, dialects_of_file, find_agent, find_agents

ONE_DIALECT = Option("dialect", "one agent's rules alone, also of an older version: NAME@VERSION", "NAME")
ONLY = Option("agent", "only these agents, with commas between; tenter dialects lists them", "NAME,...")


def options_for(options: dict[str, str]) -> EngineOptions:
    return EngineOptions(options.get("project", "."), config=options.get("config"), trust="all", on_config_error="warn")


def find_named_agents(options: dict[str, str], usage: CommandUsage, *, every: bool = False) -> list[AgentHooks]:
    """The agents that have files here; those that the options name, in any case where it is one dialect.

    A single file is read as the agent reads it whose file it can be.
    """
    named = agent_names(options, usage)
    made = options_for(options)
    if "dialect" in options or "config" in options:
        if not named:
            named = (dialects_of_file(options["config"]) or [DEFAULT])[:1]
        return [find_agent(HookSet(replace(made, dialect=name))) for name in named]
    return all_agents(made, named) if every else find_agents(made, named)


def each_agent(options: dict[str, str], usage: CommandUsage) -> list[dict[str, str]]:
    """The options for an engine of each agent with hook files here; for our own dialect's if there is none."""
    rest = {key: value for key, value in options.items() if key != "agent"}
    if "subagent" in options:
        rest["agent"] = options["subagent"]
    found = [one for one in find_named_agents(options, usage) if one.files or is_single(options)]
    names = [one.dialect.name for one in found] or agent_names(options, usage) or [DEFAULT]
    return [{**rest, "dialect": name} for name in names]


def is_single(options: dict[str, str]) -> bool:
    """Whether the options name one dialect, or one file: then what is printed is about that alone."""
    return "dialect" in options or "config" in options


def agent_names(options: dict[str, str], usage: CommandUsage) -> list[str]:
    if "agent" in options and "dialect" in options:
        raise usage.error("--agent and --dialect cannot be used together")
    if "dialect" in options:
        return [options["dialect"]]
    names = [name.strip() for name in options["agent"].split(",")] if "agent" in options else []
    for name in names:
        if name.partition("@")[0] not in dialects.names():
            known = dialects.names()
            raise UsageError(f"no agent {name!r}{nearest(name, known)}; there are: {', '.join(known)}")
        dialects.get(name)
    return list(dict.fromkeys(names))
