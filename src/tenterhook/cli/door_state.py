"""For `tenter doctor`: whether the HTTP door is open, and whether agents need it here."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

from tenterhook.cli.commands import serve
from tenterhook.engine.hookset import HookSet
from tenterhook.errors import TenterhookError
from tenterhook.runtime.sandbox.abilities import Ability
from tenterhook.support.http_door import HOST, agent_in_url, port_in_url, read_token, token_path
from tenterhook.support.terminal.text import pluralise_count
from tenterhook.tools.install import target
from tenterhook.tools.install.door_line import opening_command
from tenterhook.tools.install.editing.record import load_record

NAME = "HTTP door"


def about_door(hooks: HookSet) -> Iterator[Ability]:
    """Nothing where the server does not run at all."""
    if sys.platform != "linux":
        return
    try:
        read_token(token_path(os.environ, hooks.home))
        urls = called_urls(hooks.project)
    except TenterhookError as exc:
        yield Ability("agents", NAME, "broken", str(exc))
        return
    door = (serve.ask("status") or {}).get("http")
    wrong = [url for url in urls if not door or port_in_url(url) != door["port"]]
    if wrong:
        port = port_in_url(wrong[0])
        where = f"open at {door['url']}" if door else "closed"
        advice = f"{'tenter serve --stop, then ' if door else ''}{opening_command(port)}"
        yield Ability(
            "agents",
            NAME,
            "broken",
            f"{where}, and {agent_in_url(wrong[0])} calls {HOST}:{port}, so its tools are refused: {advice}",
        )
    elif door:
        calls = f"{pluralise_count(door['served'], 'call')} served, {door['refused']} refused"
        yield Ability("agents", NAME, "works", f"open at {door['url']}; {calls}")
    else:
        yield Ability(
            "agents", NAME, "absent", "closed, and no agent calls it; `tenter install --http` makes use of it"
        )


def called_urls(project: str) -> list[str]:
    """The URLs of the door that entries for this project, or for all of the user's, call."""
    found: list[str] = []
    for name in target.installable():
        for user in (False, True):
            try:
                where = target.target(name, project, user=user)
            except TenterhookError:  # such as a home that is no project
                continue
            record = load_record(where.record)
            edits = [edit for config in record.configs.values() for edit in config.edits] if record else []
            found += [edit.addition.says for edit in edits if agent_in_url(edit.addition.says)]
    return list(dict.fromkeys(found))
