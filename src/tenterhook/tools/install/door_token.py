"""The token of the HTTP door in the user's own settings of an agent.

An entry names a variable, never the token: entries stand in files that a team commits. The agent sets the variable from
the user's own file. That addition has a record of its own, because the entries of several projects need it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from tenterhook.errors import UsageError
from tenterhook.support.http_door import VARIABLE, read_token, token_path
from tenterhook.tools.install.change import keep, parse_target, read_record
from tenterhook.tools.install.change import uninstall as uninstall_target
from tenterhook.tools.install.door_line import calls_door
from tenterhook.tools.install.editing import record as records
from tenterhook.tools.install.editing.edit import EMPTY, Addition, apply_additions
from tenterhook.tools.install.editing.file_changes import FileChanges
from tenterhook.tools.install.editing.record import ConfigRecord, digest
from tenterhook.tools.install.editing.writing import PRIVATE, Change, content
from tenterhook.tools.install.init.undo import taken_out
from tenterhook.tools.install.target import Target, target

# Before the server has made the token, while changes are only shown. In a diff, a token is not shown.
NOT_YET = "0"
SHOWN, MASK = re.compile(rf"({VARIABLE}\"?\s*[:=]\s*\"?)[0-9a-f]+"), r"\1(the token)"


def token_target(agent: str, project: str) -> Target:
    """The user's own settings of an agent, with the record of the token in them."""
    found = target(agent, project, user=True)
    head, tail = os.path.splitext(found.record)
    return replace(found, record=f"{head}-token{tail}")


def agent_variables(one: Target) -> dict[str, str]:
    """The variables that the agent's settings of this user set for the agent itself."""
    key = one.install.variables
    if not key:
        return {}
    own = token_target(one.dialect.name, one.hooks.project)
    source = content(FileChanges(dialect=own.dialect.name, project=own.root).target(own.path))
    found = parse_target(own, source).get(key) if source else None
    return {str(name): str(value) for name, value in found.items()} if isinstance(found, dict) else {}


def add_token(own: Target, before: Mapping[str, bytes | None]) -> FileChanges:
    """The token as a variable of the agent. `before` are files as they will be when earlier jobs are done."""
    job = FileChanges(dialect=own.dialect.name, project=own.root)
    token = read_token(token_path(own.hooks.environ, own.hooks.home)) or NOT_YET
    if own.hooks.environ.get(VARIABLE) == token:
        job.notes.append(f"{VARIABLE} is set already, in the environment: it is not written into a file")
        return job
    where = job.target(own.path)
    if where != job.where(own.path):
        raise UsageError(
            f"{job.where(own.path)} is a link, perhaps into a repository, so the token is not written into it; set "
            f'the variable yourself: export {VARIABLE}="$(cat {token_path(own.hooks.environ, own.hooks.home)})"'
        )
    source = before[where] if where in before else content(where)
    record, base = read_record(own), source
    earlier = record.configs.get(own.path) if record and source is not None else None
    if source is not None and earlier is not None:
        base = taken_out(source, own.path, own.file.format, earlier)[0]
    start = EMPTY[own.file.format] if base is None else base
    path = (own.install.variables, VARIABLE)
    there = parse_target(own, start).get(path[0])
    if isinstance(there, dict) and VARIABLE in there:
        if there[VARIABLE] == token:
            return job
        raise UsageError(f"{where} sets {VARIABLE} to something else; take it out, and install again")
    new, edits = apply_additions(start, own.path, own.file.format, [Addition(path, token, item=False)])
    if new == source:
        return job
    job.change("created" if source is None else "changed", own.path, source, new)
    job.changes[-1] = Change(where, source, new, PRIVATE)
    job.diff = SHOWN.sub(MASK, job.diff)
    job.notes.append(f"{where} holds a secret from then on, so only you can read it")
    job.notes.append(f"{own.dialect.title} reads the variable when it starts: start it anew")
    keep(job, own, list(record.folders) if record else [], ConfigRecord(base, digest(new), edits))
    return job


def take_token_back(own: Target, before: Mapping[str, bytes | None], going: Iterable[str]) -> FileChanges | None:
    """None if it is not there, or if entries of another install need it; `going` are the records of those that end."""
    if not os.path.exists(own.record) or is_needed(own, set(going)):
        return None
    job = uninstall_target(own, before)
    if job is not None:
        job.diff = SHOWN.sub(MASK, job.diff)
        job.notes.append("no entry of yours calls the HTTP door any more; to close it: tenter serve --stop")
    return job


def is_needed(own: Target, going: set[str]) -> bool:
    folder = os.path.dirname(own.record)
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        if path == own.record or path in going or not name.endswith(".json"):
            continue
        record = records.load_record(path)
        if record and calls_door(record):
            return True
    return False
