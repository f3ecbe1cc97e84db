"""`tenter install --http`: what it adds to an install. The door is opened, and each agent gets the token."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence

from tenterhook.cli.options import CommandUsage
from tenterhook.cli.server.auto_start import own_words
from tenterhook.errors import UsageError
from tenterhook.support.http_door import PORT, parse_port
from tenterhook.tools.install.command_line import CommandLine, Line
from tenterhook.tools.install.door_line import DoorLine, describe_absence, why_no_door
from tenterhook.tools.install.door_token import add_token, token_target
from tenterhook.tools.install.editing.file_changes import FileChanges
from tenterhook.tools.install.hookfiles import EventHooks
from tenterhook.tools.install.target import Target

# What the change of the user's own settings is about.
TOKEN = "the token of the HTTP door"


def port_of(usage: CommandUsage, options: Mapping[str, str]) -> int:
    """The port that the options name; 0 without --http."""
    if "http" not in options:
        if "port" in options:
            raise usage.error("--port is for --http")
        return 0
    port = parse_port(options.get("port", str(PORT)))
    if not port:
        raise usage.error(f"--port must be a number from 1 to 65535, not {options['port']!r}")
    return port


def check_readers(targets: Sequence[Target]) -> None:
    """Refuse an install of two agents into one file, if only one of them may call the door."""
    for one in targets:
        for two in targets:
            same = (one.root, one.path) == (two.root, two.path)
            if same and not why_no_door(one.dialect) and (why := why_no_door(two.dialect)):
                names = one.dialect.title, two.dialect.title
                raise UsageError(
                    f"{' and '.join(names)} read the same file, {one.path}, and {names[1]} cannot use the HTTP door: "
                    f"{why}; install them without --http"
                )


def line_for(one: Target, command: CommandLine, port: int, hooks_of: Sequence[str]) -> tuple[Line, list[str]]:
    """What the entries of an agent call, and what to say of it."""
    if why := why_no_door(one.dialect):
        return command, [f"{one.dialect.title} keeps the command, and not the HTTP door: {why}"]
    return DoorLine(command, one.dialect.name, port, ",".join(hooks_of)), []


def describe_door(one: Target, line: Line, events: Iterable[EventHooks]) -> list[str]:
    """What happens without the server."""
    if not isinstance(line, DoorLine):
        return []
    return [describe_absence(one.dialect, [event.rule for event in events], line.port)]


def token_jobs(found: Iterable[tuple[Target, Line, FileChanges]]) -> list[tuple[Target, FileChanges]]:
    """The token for each agent that calls the door, in the user's own settings."""
    rows = list(found)
    before = {change.path: change.after for _, _, job in rows for change in job.changes}
    wanted = [token_target(one.dialect.name, one.hooks.project) for one, line, _ in rows if isinstance(line, DoorLine)]
    return [(own, add_token(own, before)) for own in {own.record: own for own in wanted}.values()]


def open_door(port: int) -> None:
    """As `tenter serve --http --detach` does; it also makes the token."""
    words = [sys.executable, *own_words(), "serve", "--http", str(port), "--detach"]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        raise UsageError(f"nothing was written: {done.stderr.strip().removeprefix('tenter: ')}")
