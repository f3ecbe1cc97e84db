"""`tenter install`: make an agent's own config call your hooks, and prove it with a canary."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from itertools import groupby
from typing import Any

from msgspec import Struct

from tenterhook import dialects
from tenterhook.cli import door_install
from tenterhook.cli.options import JSON, PROJECT, CommandUsage, Option
from tenterhook.cli.project import print_json, prompt_yes_no
from tenterhook.engine.hookset import HookSet
from tenterhook.engine.options import EngineOptions
from tenterhook.errors import UsageError
from tenterhook.hosts.gate.hooks import hooks_of_file
from tenterhook.support.http_door import PORT
from tenterhook.support.terminal.text import duration, visible
from tenterhook.tools.install import (
    bundle,
    canary,
    change,
    command_line,
    earlier_form,
    hookfiles,
    limits,
    own_config,
    readers,
    target,
)
from tenterhook.tools.install.door_line import DoorLine
from tenterhook.tools.install.editing.file_changes import FileChanges
from tenterhook.tools.install.editing.writing import commit
from tenterhook.types import Hook

USER = Option("user", "for all your projects, in your own config rather than the project's")
MANAGED = Option("managed", "for all users of this machine, in the administrators' files; needs root")
DRY = Option("dry-run", "only show what would change")
YES = Option("yes", "write without asking")
USAGE = CommandUsage(
    "install",
    "Connect agents: each gets one entry an event, for tenter run; behind it run all hooks of tenterhook.toml.\n"
    "HOOK is a file that holds functions with @hook(kind), or library:NAME, a hook that comes with tenterhook: it\n"
    "gets an entry in tenterhook.toml, and is approved. Shows the changes and what an agent cannot enforce, asks,\n"
    "writes, and sends an event through the very command line that the agent will run.",
    ("[HOOK...]",),
    (
        Option("agent", "agents whose config to change, separated by commas", "NAME,..."),
        USER,
        MANAGED,
        Option("out", "with --managed: write the files into this folder, for device management", "DIR"),
        PROJECT,
        DRY,
        YES,
        Option("set", "an option for the hooks of the file before it, NAME or HOOK.NAME", "NAME=VALUE"),
        Option("options", "a TOML file with a table of options for each hook, by the hook's name", "FILE"),
        Option("hooks-of", "agents whose own hooks run too, in each of these: claude, ...", "NAME,..."),
        Option("timeout", "how long the agent waits at most (default: 600, more where hooks say so)", "SECONDS"),
        Option("http", "call the server's HTTP door where an agent refuses without it, rather than a command"),
        Option("port", f"the port of the HTTP door (default: {PORT})", "PORT"),
        Option("program", "what the agent calls (default: tenter, or where it is)", "PATH"),
        JSON,
    ),
    "tenter install --agent claude,codex,gemini hooks/no_force_push.py",
    "exit codes: 0 installed and proven, or nothing to do; 1 could not, was not confirmed, or the hook does not fire",
)
NO_TERMINAL = "nothing was written: there is no terminal to ask on; --yes writes what is shown"
NOTHING = "nothing to do: the entries are there"
# States of hooks that the user has not approved as they are now.
WAITING = ("untrusted", "modified")
NEEDS_ROOT = "--managed writes the system's files, which only root may: run it with sudo"
# Everybody may read an administrator's files, and root alone may write them.
READABLE = 0o022
ONE_USERS = ": the HTTP door and its token belong to one user; leave --http out"
# Said of the file of an agent that shares the entries of another one from now on.
OWN_ENTRIES = "its own entries are taken out, else its hooks would run twice"
HERE_ONLY = "the command contains paths of this machine: others who use this file need the same paths"
NO_HOOKS = "No hook is in tenterhook.toml yet: what you write there runs in these agents from then on."


class AgentInstall(Struct):
    """The install for one agent: its config file, the changes, and the notes."""

    target: target.Target
    events: list[hookfiles.EventHooks]
    line: command_line.Line
    job: FileChanges
    limits: list[str]
    canaries: list[canary.CanaryRun] = []


Files = list[tuple[str, dict[str, Any]]]
Jobs = list[tuple[target.Target, FileChanges]]


def run(argv: list[str]) -> int:
    own, call = hookfiles.split_arguments(argv, [f"--{one.name}" for one in USAGE.options if one.value])
    options = USAGE.parse(own)
    if options is None:
        return 0
    project, user, managed = options.get("project", "."), "user" in options, is_managed(options)
    files = hookfiles.load_hook_files(call)
    port = door_install.port_of(USAGE, options)
    if "out" in options:
        return write_bundle(files, options)
    targets = [target.target(name, project, user=user, managed=managed) for name in agents(options)]
    if port:
        door_install.check_readers(targets)
    sharing = readers.join_shared(targets, door=port > 0)
    config = own_config.own_target(project, user=user, managed=managed)
    earlier = earlier_form.find_earlier_hooks(targets, files, config)
    named = [*files, *earlier.recorded]
    files = [*named, *earlier.unrecorded]
    added = own_config.add_hooks(config, files)
    added.notes += earlier.notes
    added.by_hand += earlier.by_hand
    hooks = all_hooks(config, files)
    gone = [(one, job) for one in sharing.joined if (job := change.uninstall(one, {}))]
    later = {changed.path: changed.after for _, job in gone for changed in job.changes}
    plans = [build_install_plan(one, hooks, options, port, later) for one in sharing.kept]
    tokens = token_jobs(plans)
    if "json" not in options:
        shown = [render_own_plan(config, added)] if added.diff or added.notes or added.by_hand else []
        shown += render_other_plans(gone, plans, tokens, options)
        print("\n\n".join([*shown, *sharing.notes]))
    wanted = [plan for plan in plans if plan.job.changes]
    changes = wanted or added.changes or gone or any(job.changes for _, job in tokens)
    if changes and "dry-run" not in options and not confirm_write(options):
        return 1
    approved: list[str] = []
    if "dry-run" not in options:
        if tokens:
            door_install.open_door(port)
            tokens = token_jobs(plans)  # the token is there now
        jobs = [added, *(job for _, job in gone), *(plan.job for plan in wanted), *(job for _, job in tokens)]
        write_jobs(jobs, managed=managed)
        approved = own_config.approve_hooks(config, named)
        for plan in plans:
            plan.canaries = canary.fly(plan.target, plan.events, plan.line)
    return report_install_results(plans, added, [job for _, job in gone], approved, options)


def write_jobs(jobs: list[FileChanges], *, managed: bool) -> None:
    if managed:
        os.umask(READABLE)
        target.check_roots([changed.path for job in jobs for changed in job.changes])
    for job in jobs:
        missing = [folder for folder in job.folders if not os.path.isdir(folder)]  # an earlier job may have made it
        commit(job.changes, missing)
    commit([], unwanted=[folder for job in jobs for folder in job.unwanted])  # a later job may have needed it


def is_managed(options: dict[str, str]) -> bool:
    """Whether the administrators' files are meant; a mistake in the options raises."""
    managed, out = "managed" in options, "out" in options
    others = [name for name in ("user", "project", "http") if managed and name in options]
    if others:
        why = ONE_USERS if others[0] == "http" else ""
        raise UsageError(f"--managed and --{others[0]} cannot be used together{why}")
    if out and not managed:
        raise USAGE.error("--out belongs to --managed")
    if managed and not out and "dry-run" not in options and os.geteuid() != 0:
        raise UsageError(f"{NEEDS_ROOT}; --dry-run shows what it would write, --out DIR writes a bundle")
    return managed


def write_bundle(files: Files, options: dict[str, str]) -> int:
    """Write what device management puts onto other machines."""
    program = options.get("program", bundle.USUAL_PROGRAM)
    if not os.path.isabs(program):
        raise USAGE.error(f"--program must be the whole path that tenter has on those machines, not {program!r}")
    folder = os.path.abspath(options["out"])
    others = parse_names(options, "hooks-of")
    made = bundle.make_bundle(agents(options), files, program, seconds(options), others)
    changes, folders = bundle.bundle_changes(folder, made)
    dry = "dry-run" in options
    if not dry:
        commit(changes, folders)
    if "json" in options:
        print_json({"done": not dry, "out": folder, "files": [one.path for one in made]})
        return 0
    shown = [f"{folder}:", *(f"  {one.path}" for one in made), f"the agents will call {program}"]
    print(visible("\n".join([*shown, *(["nothing was written (--dry-run)"] if dry else [])])))
    return 0


def agents(options: dict[str, str]) -> list[str]:
    names = parse_agent_names(options)
    if not names and "managed" in options:
        return target.installable(managed=True)
    if not names:
        raise USAGE.error(f"--agent is missing; there are: {', '.join(target.installable())}")
    return names


def parse_agent_names(options: dict[str, str]) -> list[str]:
    """The agents that --agent names, each once."""
    return parse_names(options, "agent")


def parse_names(options: dict[str, str], option: str) -> list[str]:
    return list(dict.fromkeys(name.strip() for name in options.get(option, "").split(",") if name.strip()))


def all_hooks(config: target.Target, files: Files) -> list[Hook]:
    """The hooks of our config, and those that are about to come into it."""
    every = config.hooks.hooks()
    there = [hook for hook in every if hook.source.scope == "managed"] if config.managed else every
    named = {str(hook.spec.get("main")) for hook in there}
    folder = os.path.dirname(config.whole) if config.managed else ""
    new = [word for word, _ in files if os.path.join(folder, own_config.name_in_config(word, config)) not in named]
    project = config.hooks.project
    return [*there, *(hook for word in new for hook in hooks_of_file(word, [], os.getcwd(), project))]


def build_install_plan(
    one: target.Target, hooks: list[Hook], options: dict[str, str], port: int, later: Mapping[str, bytes | None]
) -> AgentInstall:
    """`later` are files as they will be when earlier jobs are done."""
    events, without = hookfiles.events_to_connect(one.dialect, hooks)
    program = options.get("program") or command_line.program_for(one.hooks.environ, user=one.user or one.managed)
    words = command_line.line_of(one.dialect.name, program, hooks_of(one, options))
    line: command_line.Line = words
    notes: list[str] = []
    if port:
        line, notes = door_install.line_for(one, words, port, hooks_of(one, options))
    job = change.install(one, events, line, seconds(options), later)
    job.notes += [*notes, *door_install.describe_door(one, line, events)]
    if one.managed:
        job.notes += command_line.about_program(program)
    elif words.fixed and not one.user:
        job.notes.append(HERE_ONLY)
    closed = {event.rule.name for event in events if change.closes(one.install.closed, event)}
    said = limits.limits(one.dialect, events, without, closed, managed=one.managed)
    others = readers.other_readers(one, parse_agent_names(options), door=isinstance(line, DoorLine))
    return AgentInstall(one, events, line, job, [*said, *others])


def token_jobs(plans: list[AgentInstall]) -> list[tuple[target.Target, FileChanges]]:
    return door_install.token_jobs((plan.target, plan.line, plan.job) for plan in plans)


def hooks_of(one: target.Target, options: dict[str, str]) -> list[str]:
    """The agents whose own hooks run too; an agent runs its own by itself."""
    names = parse_names(options, "hooks-of")
    return [name for name in names if dialects.get(name).name != one.dialect.name]


def seconds(options: dict[str, str]) -> float | None:
    if "timeout" not in options:
        return None
    try:
        found = float(options["timeout"])
    except ValueError:
        found = 0.0
    if not 1 <= found <= 86400:
        raise USAGE.error(f"--timeout must be a number of seconds from 1 to 86400, not {options['timeout']!r}")
    return found


def confirm_write(options: dict[str, str]) -> bool:
    return "yes" in options or prompt_yes_no("Write this?", NO_TERMINAL, options)


# ---- words


def render_install_plan(plan: AgentInstall, options: dict[str, str]) -> str:
    """The text shown before anything is written."""
    dialect, job = plan.target.dialect, plan.job
    parts = [f"{dialect.title}: {plan.target.shown}"]
    if job.diff and "dry-run" in options:
        parts.append(job.diff.replace("\r\n", "\n").rstrip("\n"))
    elif job.diff:
        names = ", ".join(event.rule.name for event in plan.events)
        parts += [f"  calls {plan.line.text()}", f"  at {names}", "  (--dry-run shows the change of the file)"]
    else:
        parts.append("the entries are there; their record is written again" if job.changes else NOTHING)
    if plan.limits:
        parts += ["what it cannot do, or needs first:", *(f"  {text}" for text in plan.limits)]
    return visible("\n".join([*parts, *job.notes, *job.by_hand]))


def render_other_plans(gone: Jobs, plans: list[AgentInstall], tokens: Jobs, options: dict[str, str]) -> list[str]:
    """The entries that go, those that come, and the tokens of the HTTP door."""
    removed = [render_removal(one, job, options) for one, job in gone]
    secrets = [render_own_plan(one, job, door_install.TOKEN) for one, job in tokens if job.diff or job.notes]
    return [*removed, *(render_install_plan(plan, options) for plan in plans), *secrets]


def render_own_plan(config: target.Target, job: FileChanges, what: str = "your hooks") -> str:
    diff = [job.diff.replace("\r\n", "\n").rstrip("\n")] if job.diff else []
    return visible("\n".join([f"{what}: {config.shown}", *diff, *job.notes, *job.by_hand]))


def render_removal(one: target.Target, job: FileChanges, options: dict[str, str]) -> str:
    diff = [job.diff.replace("\r\n", "\n").rstrip("\n")] if job.diff and "dry-run" in options else []
    head = f"{one.dialect.title}: {one.shown}: {OWN_ENTRIES}"
    return visible("\n".join([head, *diff, *job.notes, *job.by_hand]))


def report_install_results(
    plans: list[AgentInstall],
    added: FileChanges,
    gone: list[FileChanges],
    approved: list[str],
    options: dict[str, str],
) -> int:
    """Print the results. Returns the exit code."""
    proven = all(one.proven for plan in plans for one in plan.canaries)
    if "json" in options:
        done = {"done": "dry-run" not in options, "config": as_data(added), "approved": approved}
        removed = {"removed": [as_data(job) for job in gone]} if gone else {}
        print_json({**done, **removed, "agents": [plan_as_data(plan) for plan in plans]})
    elif "dry-run" in options:
        print("\nnothing was written (--dry-run)")
    else:
        lines = [text for plan in plans for text in ("", *report_agent(plan))]
        print(visible("\n".join([*lines, *words_at_end(approved, options.get("project", "."))])))
    return 0 if proven and not any(job.by_hand for job in (added, *gone, *(plan.job for plan in plans))) else 1


def words_at_end(approved: list[str], project: str) -> list[str]:
    """What was approved, and which hooks of the config wait for that."""
    lines = [f"\napproved: {', '.join(approved)}"] if approved else []
    now = HookSet(EngineOptions(project, on_config_error="warn")).hooks()
    waiting = [hook.name for hook in now if hook.state in WAITING]
    if waiting:
        lines.append(
            f"\nnot approved, so set aside: {', '.join(dict.fromkeys(waiting))}; look and approve: tenter trust"
        )
    return lines if now else [*lines, f"\n{NO_HOOKS}"]


def report_agent(plan: AgentInstall) -> list[str]:
    state = "written" if plan.job.diff else "as it was"
    lines = [f"{plan.target.dialect.title}: {plan.target.shown} {state}, {len(plan.events)} events connected"]
    for argv, runs in groupby(plan.canaries, lambda one: one.argv):
        lines += [f"  {shlex.join(argv)}"] if argv else []
        lines += [f"    {describe_canary(one)}" for one in runs]
    return lines


def describe_canary(one: canary.CanaryRun) -> str:
    how = "fires" if one.proven else "DOES NOT FIRE"
    return f"{one.event} {how}: {one.told} ({duration(one.seconds)})"


def plan_as_data(plan: AgentInstall) -> dict[str, object]:
    return {
        **as_data(plan.job),
        "file": plan.target.path,
        "events": [event.rule.name for event in plan.events],
        "limits": plan.limits,
        "canaries": plan.canaries,
    }


def as_data(job: FileChanges) -> dict[str, object]:
    return {
        "agent": job.dialect,
        "root": job.project,
        "files": job.files,
        "diff": job.diff,
        "notes": job.notes,
        "by_hand": job.by_hand,
    }
