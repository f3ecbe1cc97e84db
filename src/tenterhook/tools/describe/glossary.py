"""Sentences about matchers and keys, for people: the owners' own, and more on keys that are a handler's."""

from __future__ import annotations

from tenterhook.config.entry_keys import SETTERS
from tenterhook.pipeline.match import MATCHERS, engine, how
from tenterhook.pipeline.regex import ENGINES

# What a key of a handler says, where that is more than its setter can tell.
SPECS = {
    "url": "where an http hook's event is sent",
    "headers": "what is sent with it; $NAME stands for a variable that the entry's list of variables names",
    "allowedEnvVars": "the variables that headers may use",
    "loopback": "true lets an http hook reach this machine",
    "private": "true lets an http hook reach private networks",
    "connect_timeout": "seconds that an http hook may take to connect",
    "prompt": "what a model is asked; the event's JSON stands in for $ARGUMENTS, or follows",
    "model": "PROVIDER:NAME, or NAME@URL for a server that speaks OpenAI's chat completions",
    "server": "the MCP server whose tool is called",
    "tool": "the tool that is called",
    "input": "what the tool is given; ${dotted.path} stands for a value of the event",
    "continueOnBlock": "true lets the turn go on where the model refuses",
    "max_turns": "how often an agent hook's model is asked at most",
    "max_tokens": "how many tokens a prompt or agent hook may use, in and out",
}


def describe_matcher(kind: str) -> str:
    """How a matcher is read, and by which engine."""
    by = engine(kind)
    return MATCHERS[how(kind)].about + (f"; {ENGINES[by].about}" if by else "")


def describe_key(name: str, setter: str) -> str:
    """What a key of an entry says."""
    return SPECS.get(name) or SETTERS[setter].about
