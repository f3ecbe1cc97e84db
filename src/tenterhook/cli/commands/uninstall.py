"""`tenter uninstall`: restore an agent's config as it was before `tenter install`, byte for byte."""

from __future__ import annotations

import os

from tenterhook.cli.commands.install import (
    DRY,
    MANAGED,
    USER,
    YES,
    as_data,
    confirm_write,
    is_managed,
    parse_agent_names,
)
from tenterhook.cli.options import JSON, PROJECT, CommandUsage, Option
from tenterhook.cli.project import print_json
from tenterhook.support.terminal.text import visible
from tenterhook.tools.install.change import uninstall
from tenterhook.tools.install.door_token import take_token_back, token_target
from tenterhook.tools.install.editing.file_changes import FileChanges
from tenterhook.tools.install.editing.writing import commit
from tenterhook.tools.install.own_config import own_target
from tenterhook.tools.install.target import Target, installable, target

USAGE = CommandUsage(
    "uninstall",
    "Remove what tenter install wrote into agents' configs and, without --agent, into tenterhook.toml. A file that\n"
    "has not changed since then is restored byte for byte; from any other file only our entries are removed. If no\n"
    "install is on record, our entries are recognised by their command.",
    (),
    (
        Option("agent", "agents whose config to change, separated by commas (default: all)", "NAME,..."),
        USER,
        MANAGED,
        PROJECT,
        DRY,
        YES,
        JSON,
    ),
    "tenter uninstall --agent claude,codex",
    "exit codes: 0 done or nothing to do, 1 could not, was not confirmed, or something is left to do by hand",
)
NOTHING = "nothing to uninstall: no install is on record here, and no entry is certainly ours"


def run(argv: list[str]) -> int:
    options = USAGE.parse(argv)
    if options is None:
        return 0
    project, user, managed = options.get("project", "."), "user" in options, is_managed(options)
    named = parse_agent_names(options)
    targets = [target(name, project, user=user, managed=managed) for name in named or installable(managed=managed)]
    jobs = plan_uninstall_jobs([*targets, *([] if named else [own_target(project, user=user, managed=managed)])])
    dry = "dry-run" in options
    if "json" not in options:
        print(visible("\n".join(render_uninstall_job(one, job) for one, job in jobs)) or NOTHING)
    if jobs and not dry and not confirm_write(options):
        return 1
    for _, job in jobs if not dry else ():
        commit(job.changes, job.folders, job.unwanted)
    if "json" in options:
        print_json({"done": bool(jobs) and not dry, "agents": [as_data(job) for _, job in jobs]})
    elif dry and jobs:
        print("nothing was written (--dry-run)")
    return 1 if any(job.by_hand for _, job in jobs) else 0


def plan_uninstall_jobs(targets: list[Target]) -> list[tuple[Target, FileChanges]]:
    """The newest install first: if two agents read the same file, the newer one found the older one's entries there."""
    found: list[tuple[Target, FileChanges]] = []
    files: dict[str, bytes | None] = {}
    for own in token_targets(targets):
        taken = take_token_back(own, files, [one.record for one in targets])
        if taken is not None:
            files |= {change.path: change.after for change in taken.changes}
            found.append((own, taken))
    for one in sorted({one.record: one for one in targets}.values(), key=age):  # one for all versions of an agent
        job = uninstall(one, files)
        if job is not None:
            files |= {change.path: change.after for change in job.changes}
            found.append((one, job))
    return found


def token_targets(targets: list[Target]) -> list[Target]:
    """Where the token of the HTTP door may be, for these agents."""
    own = [
        token_target(one.dialect.name, one.hooks.project)
        for one in targets
        if one.install.variables and not one.managed
    ]
    return list({one.record: one for one in own}.values())


def age(one: Target) -> float:
    """The time of its record; a target without a record comes last."""
    return -os.path.getmtime(one.record) if os.path.exists(one.record) else 0.0


def render_uninstall_job(one: Target, job: FileChanges) -> str:
    unchanged = "left as it is" if job.by_hand else "nothing of ours is in it any more"
    what = ", ".join(dict.fromkeys(touched.what for touched in job.files)) or unchanged
    diff = job.diff.replace("\r\n", "\n").rstrip("\n")
    parts = (f"{one.dialect.title}: {one.shown}: {what}", diff, *job.notes, *job.by_hand)
    return "\n".join(part for part in parts if part)
