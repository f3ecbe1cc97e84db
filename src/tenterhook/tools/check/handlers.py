"""Hooks that cannot run: functions not found, types without a handler, URLs out of reach, unknown models.

And checks of our own that their agent would end before they answer.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.util import find_spec

from tenterhook import handlers
from tenterhook.clients import ip_rules
from tenterhook.clients.hook_request import Failure, RequestTarget, fill_headers, names_in, parse_hook_url
from tenterhook.config.entries import Problem
from tenterhook.dialects import DEFAULT
from tenterhook.errors import UsageError
from tenterhook.support.http_door import VARIABLE, agent_in_url
from tenterhook.tools.check import HookInspection


def no_handler(look: HookInspection) -> Iterator[Problem]:
    if handlers.get(look.hook.handler) is None:
        text = f"hooks of the type {look.hook.handler!r} cannot be run here: the hook always fails"
        yield look.warning("no-handler", "main", text)


def no_function(look: HookInspection) -> Iterator[Problem]:
    """Only the first part of the name is looked up: looking further would run the project's code."""
    main = look.main
    if look.form != "function" or not isinstance(main, str):
        return
    module, colon, _ = main.partition(":")
    top, dot, _ = module.partition(".")
    if not colon and not dot:
        yield look.error("no-function", "main", f"{main!r} names no function; write it as module.function")
    elif not top.isidentifier() or not (in_project(top, look.project) or is_module_installed(top)):
        text = f"no module {top!r} in the project or among the installed packages, for {main!r}"
        yield look.warning("missing-module", "main", text)


def in_project(top: str, project: str) -> bool:
    return os.path.isfile(os.path.join(project, f"{top}.py")) or os.path.isdir(os.path.join(project, top))


def is_module_installed(top: str) -> bool:
    try:
        return find_spec(top) is not None
    except (ImportError, ValueError):  # ValueError: a module that was made without a spec
        return False


def no_url(look: HookInspection) -> Iterator[Problem]:
    """A URL that can never be called as it stands. No name is looked up, and nothing is called."""
    if look.form != "url":
        return
    try:
        place = parse_hook_url(look.main)
        judge(place, look)
    except (Failure, ip_rules.AddressRefused) as exc:
        yield look.error("bad-url", "main", f"{exc}; the hook always fails")


def judge(place: RequestTarget, look: HookInspection) -> None:
    """What can be known of an address without a lookup."""
    allowed = {name: bool(look.hook.spec.get(name)) for name in ("loopback", "private")}
    ip_rules.vet_addresses(place.host, known_addresses(place.host), **allowed)


def known_addresses(host: str) -> list[str]:
    """The address of a host that is an address, or a name that always means this machine."""
    return ["127.0.0.1"] if host == "localhost" or host.endswith(".localhost") else ip_rules.numeric(host)


def no_headers(look: HookInspection) -> Iterator[Problem]:
    """Headers that cannot be sent, and those that would be sent unencrypted."""
    headers = look.hook.spec.get("headers", {})
    if look.form != "url" or not headers:
        return
    try:
        fill_headers(headers, dict.fromkeys(look.hook.env, ""))
    except Failure as exc:
        yield look.error("bad-header", "main", f"{exc}; the hook always fails")
        return
    used = sorted({name for text in headers.values() for name in names_in(text)})
    for name in used:
        if name == VARIABLE and agent_in_url(str(look.hook.spec["main"])):
            continue  # the agent's own settings of the user set it, and `tenter doctor` looks after that
        if look.hook.env[name] is None and name not in look.env:
            text = f"headers use ${name}, which is not set here: the hook fails without it"
            yield look.warning("unset-header-variable", "main", text)
    if used and in_the_clear(look.main):
        text = f"${', $'.join(used)} would be sent unencrypted; use https://"
        yield look.warning("unencrypted-header", "main", text)


def no_model(look: HookInspection) -> Iterator[Problem]:
    """A model whose name cannot be read, or no model at all. Whether a provider has it is not checked."""
    if "model" not in handlers.traits(look.hook.handler).options:
        return
    from tenterhook.clients.judge.model import INHERIT, usual, whole

    given = look.hook.spec.get("model") or INHERIT
    if given == INHERIT and look.dialect.name != DEFAULT:
        return  # the agent has a model of its own
    try:
        name = usual(os.environ) if given == INHERIT else given
    except UsageError as exc:
        yield look.warning("no-model", "main", f"{exc}; the hook fails without it")
        return
    try:
        whole(name)
    except UsageError as exc:
        yield look.error("bad-model", "main", f"{exc}; the hook always fails")


def in_the_clear(url: str) -> bool:
    try:
        place = parse_hook_url(url)
    except Failure:  # reported already
        return False
    known = known_addresses(place.host)
    return not place.tls and not (known and all(map(ip_rules.is_own, known)))


# Less time is not enough for a project's tests to start.
SHORTEST_GATE = 3.0


def check_gate_timeout(look: HookInspection) -> Iterator[Problem]:
    """A check that is ended before it answers silently lets everything through."""
    from tenterhook.library.actions import own_hook

    command = own_hook.command_of(look.hook)
    word, limit = own_hook.word_in(command), look.hook.timeout
    if not look.is_command or word not in own_hook.RUNNING or limit is None:
        return
    given = own_hook.budget_in(command)
    if given >= limit:
        text = f"{word} may take {given:g} s, and is ended after {limit:g} s: what it would refuse passes"
        yield look.warning("short-gate", "main", f"{text}; give the hook a longer time-out, or a --budget below it")
    elif limit < SHORTEST_GATE:
        text = f"{word} runs tests, and is ended after {limit:g} s: it will hardly ever know whether they pass"
        yield look.warning("short-gate", "main", f"{text}; give the hook a longer time-out")
