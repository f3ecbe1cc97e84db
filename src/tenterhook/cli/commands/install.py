"""`tenter install`: make an agent's own config call your hooks, and prove it with a canary."""

from __future__ import annotations

import os
import shlex
from itertools import groupby
from typing import Any

from msgspec import Struct

from tenterhook import dialects
from tenterhook.cli import door_install
from tenterhook.cli.options import JSON, PROJECT, CommandUsage, Option
from tenterhook.cli.project import print_json, prompt_yes_no
from tenterhook.dialects.schema.vocabulary import covers
from tenterhook.engine.hookset import HookSet
from tenterhook.engine.options import EngineOptions
from tenterhook.hosts.gate.hooks import hooks_of_file
from tenterhook.support.http_door import PORT, parse_port
from tenterhook.support.terminal.text import duration, visible
from tenterhook.tools.install import canary, change, command_line, earlier_form, hookfiles, limits, own_config, target
from tenterhook.tools.install.door_line import why_no_door
from tenterhook.tools.install.editing.file_changes import FileChanges
from tenterhook.tools.install.editing.writing import commit
from tenterhook.types import Hook

USER = Option("user", "for all your projects, in your own config rather than the project's")
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


def run(argv: list[str]) -> int:
    own, call = hookfiles.split_arguments(argv, [f"--{one.name}" for one in USAGE.options if one.value])
    options = USAGE.parse(own)
    if options is None:
        return 0
    project, user = options.get("project", "."), "user" in options
    files = hookfiles.load_hook_files(call)
    if "port" in options and "http" not in options:
        raise USAGE.error("--port is for --http")
    port = parse_port(options.get("port", str(PORT))) if "http" in options else 0
    if "http" in options and not port:
        raise USAGE.error(f"--port must be a number from 1 to 65535, not {options['port']!r}")
    named_targets = [target.target(name, project, user=user) for name in agents(options)]
    if port:
        door_install.check_readers(named_targets)
    targets, joined = join_shared(named_targets, door=port > 0)
    config = own_config.own_target(project, user=user)
    earlier = earlier_form.find_earlier_hooks(targets, files, config)
    named = [*files, *earlier.recorded]
    files = [*named, *earlier.unrecorded]
    added = own_config.add_hooks(config, files)
    added.notes += earlier.notes
    added.by_hand += earlier.by_hand
    hooks = all_hooks(config, files)
    plans = [build_install_plan(one, hooks, options, port) for one in targets]
    tokens = token_jobs(plans)
    if "json" not in options:
        shown = [render_own_plan(config, added)] if added.diff or added.notes or added.by_hand else []
        secrets = [render_own_plan(one, job, door_install.TOKEN) for one, job in tokens if job.diff or job.notes]
        print("\n\n".join([*shown, *(render_install_plan(plan, options) for plan in plans), *secrets, *joined]))
    wanted = [plan for plan in plans if plan.job.changes]
    changes = wanted or added.changes or any(job.changes for _, job in tokens)
    if changes and "dry-run" not in options and not confirm_write(options):
        return 1
    approved: list[str] = []
    if "dry-run" not in options:
        if tokens:
            door_install.open_door(port)
            tokens = token_jobs(plans)  # the token is there now
        for job in (added, *(plan.job for plan in wanted), *(job for _, job in tokens)):
            missing = [folder for folder in job.folders if not os.path.isdir(folder)]  # an earlier job may have made it
            commit(job.changes, missing, job.unwanted)
        approved = own_config.approve_hooks(config, named)
        for plan in plans:
            plan.canaries = canary.fly(plan.target, plan.events, plan.line)
    return report_install_results(plans, added, approved, options)


def agents(options: dict[str, str]) -> list[str]:
    names = parse_agent_names(options)
    if not names:
        raise USAGE.error(f"--agent is missing; there are: {', '.join(target.installable())}")
    return names


def parse_agent_names(options: dict[str, str]) -> list[str]:
    """The agents that --agent names, each once."""
    return list(dict.fromkeys(name.strip() for name in options.get("agent", "").split(",") if name.strip()))


def join_shared(targets: list[target.Target], *, door: bool = False) -> tuple[list[target.Target], list[str]]:
    """Without the agents that read another one's file of this install, else their hooks would run twice; and what to
    say of them. Entries for the HTTP door are for one agent.
    """
    kept: list[target.Target] = []
    notes: list[str] = []
    for one in targets:
        others = [two for two in targets if two is not one and reads(one, two) and not reads(two, one)]
        others = [two for two in others if not door or why_no_door(two.dialect)]
        others += [two for two in kept if (two.root, two.path) == (one.root, one.path)]
        other = others[0] if others else None
        if other is None:
            kept.append(one)
        else:
            notes.append(
                f"{one.dialect.title} reads {file_of(other)}, too: the entries for {other.dialect.title} answer it in "
                "its own form"
            )
    return kept, notes


def reads(one: target.Target, other: target.Target) -> bool:
    """Whether an agent reads the file that is written for another one."""
    where = other.install.user if other.user else other.install.project
    return any(covers(file.path, where) for file in one.dialect.config.files)


def all_hooks(config: target.Target, files: Files) -> list[Hook]:
    """The hooks of our config, and those that are about to come into it."""
    there = config.hooks.hooks()
    named = {str(hook.spec.get("main")) for hook in there}
    new = [word for word, _ in files if own_config.name_in_config(word, config) not in named]
    project = config.hooks.project
    return [*there, *(hook for word in new for hook in hooks_of_file(word, [], os.getcwd(), project))]


def build_install_plan(one: target.Target, hooks: list[Hook], options: dict[str, str], port: int = 0) -> AgentInstall:
    events, without = hookfiles.events_to_connect(one.dialect, hooks)
    program = options.get("program") or command_line.program_for(one.hooks.environ, user=one.user)
    words = command_line.line_of(one.dialect.name, program, hooks_of(one, options))
    line: command_line.Line = words
    notes: list[str] = []
    if port:
        line, notes = door_install.line_for(one, words, port, hooks_of(one, options))
    job = change.install(one, events, line, seconds(options))
    job.notes += [*notes, *door_install.describe_door(one, line, events)]
    if words.fixed and not one.user:
        job.notes.append(HERE_ONLY)
    closed = {event.rule.name for event in events if change.closes(one.install.closed, event)}
    return AgentInstall(one, events, line, job, limits.limits(one.dialect, events, without, closed))


def token_jobs(plans: list[AgentInstall]) -> list[tuple[target.Target, FileChanges]]:
    return door_install.token_jobs((plan.target, plan.line, plan.job) for plan in plans)


def hooks_of(one: target.Target, options: dict[str, str]) -> list[str]:
    """The agents whose own hooks run too; an agent runs its own by itself."""
    names = [name.strip() for name in options.get("hooks-of", "").split(",") if name.strip()]
    return [name for name in dict.fromkeys(names) if dialects.get(name).name != one.dialect.name]


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
    parts = [f"{dialect.title}: {file_of(plan.target)}"]
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


def file_of(one: target.Target) -> str:
    if not one.user:
        return one.path
    return f"~/{one.path}" if one.root == one.hooks.home else os.path.join(one.root, one.path)


def render_own_plan(config: target.Target, job: FileChanges, what: str = "your hooks") -> str:
    diff = [job.diff.replace("\r\n", "\n").rstrip("\n")] if job.diff else []
    return visible("\n".join([f"{what}: {file_of(config)}", *diff, *job.notes, *job.by_hand]))


def report_install_results(
    plans: list[AgentInstall], added: FileChanges, approved: list[str], options: dict[str, str]
) -> int:
    """Print the results. Returns the exit code."""
    proven = all(one.proven for plan in plans for one in plan.canaries)
    if "json" in options:
        done = {"done": "dry-run" not in options, "config": as_data(added), "approved": approved}
        print_json({**done, "agents": [plan_as_data(plan) for plan in plans]})
    elif "dry-run" in options:
        print("\nnothing was written (--dry-run)")
    else:
        lines = [text for plan in plans for text in ("", *report_agent(plan))]
        print(visible("\n".join([*lines, *words_at_end(approved, plans[0].target.hooks.project)])))
    return 0 if proven and not any(job.by_hand for job in (added, *(plan.job for plan in plans))) else 1


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
    lines = [f"{plan.target.dialect.title}: {file_of(plan.target)} {state}, {len(plan.events)} events connected"]
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
