"""`tenter install`: make an agent's own config call your hooks, and prove it with a canary."""

from __future__ import annotations

import os
import shlex
from itertools import groupby
from typing import Any

from msgspec import Struct

from tenterhook.cli.options import JSON, PROJECT, CommandUsage, Option
from tenterhook.cli.project import print_json, prompt_yes_no
from tenterhook.errors import UsageError
from tenterhook.support.terminal.text import duration, visible
from tenterhook.tools.install import canary, change, command_line, hookfiles, limits, target
from tenterhook.tools.install.editing.file_changes import FileChanges
from tenterhook.tools.install.editing.writing import commit

USER = Option("user", "for all your projects, in your own config rather than the project's")
DRY = Option("dry-run", "only show what would change")
YES = Option("yes", "write without asking")
USAGE = CommandUsage(
    "install",
    "Let agents call your hooks: HOOK is a file that holds functions with @hook(kind), or library:NAME, a hook that\n"
    "comes with tenterhook. Shows the change of each agent's config and what that agent cannot enforce, asks, writes,\n"
    "and sends an event through the very command line that the agent will run. The hooks of an earlier install are\n"
    "replaced.",
    ("[HOOK...]",),
    (
        Option("agent", "agents whose config to change, separated by commas", "NAME,..."),
        USER,
        PROJECT,
        DRY,
        YES,
        Option("set", "an option for the hooks of the file before it, as for tenter run", "NAME=VALUE"),
        Option("options", "a TOML file with options, as for tenter run", "FILE"),
        Option("timeout", "how long the agent waits (default: 60, more where hooks say so)", "SECONDS"),
        Option("program", "what the agent calls (default: tenter, or where it is)", "PATH"),
        JSON,
    ),
    "tenter install --agent claude,codex,gemini hooks/no_force_push.py",
    "exit codes: 0 installed and proven, or nothing to do; 1 could not, was not confirmed, or the hook does not fire",
)
NOBODY = "nothing was written: there is no terminal to ask on; --yes writes what is shown"
NOTHING = "nothing to do: the entries are there"
HERE_ONLY = "the command contains paths of this machine: others who use this file need the same paths"


class AgentInstall(Struct):
    """The install for one agent: its config file, the changes, and the notes."""

    target: target.Target
    events: list[hookfiles.EventHooks]
    line: command_line.CommandLine
    job: FileChanges
    limits: list[str]
    flights: list[canary.CanaryRun] = []


def run(argv: list[str]) -> int:
    own, call = hookfiles.split_arguments(argv, [f"--{one.name}" for one in USAGE.options if one.value])
    options = USAGE.parse(own)
    if options is None:
        return 0
    hooks = hookfiles.load_hook_files(call)
    targets = [target.target(name, options.get("project", "."), user="user" in options) for name in agents(options)]
    check_apart(targets)
    plans = [build_install_plan(one, hooks, call, options) for one in targets]
    if "json" not in options:
        print("\n\n".join(render_install_plan(plan) for plan in plans))
    wanted = [plan for plan in plans if plan.job.changes]
    if wanted and "dry-run" not in options and not confirm_write(options):
        return 1
    if "dry-run" not in options:
        for plan in wanted:
            missing = [folder for folder in plan.job.folders if not os.path.isdir(folder)]  # an earlier plan may have
            commit(plan.job.changes, missing, plan.job.unwanted)
        for plan in plans:
            plan.flights = canary.fly(plan.target, plan.events, plan.line)
    return report_install_results(plans, options)


def agents(options: dict[str, str]) -> list[str]:
    names = parse_agent_names(options)
    if not names:
        raise USAGE.error(f"--agent is missing; there are: {', '.join(target.installable())}")
    return names


def parse_agent_names(options: dict[str, str]) -> list[str]:
    """The agents that --agent names, each once."""
    return list(dict.fromkeys(name.strip() for name in options.get("agent", "").split(",") if name.strip()))


def check_apart(targets: list[target.Target]) -> None:
    """Refuse two agents that read the same file: each hook would be called twice."""
    seen: dict[str, str] = {}
    for one in targets:
        other = seen.setdefault(os.path.join(one.root, one.path), one.dialect.name)
        if other != one.dialect.name:
            raise UsageError(f"{other} and {one.dialect.name} read the same file, {one.path}: install for one of them")


def build_install_plan(one: target.Target, hooks: list[Any], call: Any, options: dict[str, str]) -> AgentInstall:
    events, without = hookfiles.match_hooks_to_events(hooks, one.dialect)
    if not events:
        raise UsageError(f"{one.dialect.title} has no event for any of these hooks")
    program = options.get("program") or command_line.program_for(one.hooks.environ, user=one.user)
    project = "" if one.user else one.hooks.project
    words = command_line.line_of(call, one.dialect.name, program, one.install, project)
    job = change.install(one, events, words, seconds(options))
    if words.fixed and not one.user:
        job.notes.append(HERE_ONLY)
    closed = {event.rule.name for event in events if change.closes(one.install.closed, event)}
    return AgentInstall(one, events, words, job, limits.limits(one.dialect, events, without, closed))


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
    return "yes" in options or prompt_yes_no("Write this?", NOBODY, options)


# ---- words


def render_install_plan(plan: AgentInstall) -> str:
    """The text shown before anything is written."""
    dialect, job = plan.target.dialect, plan.job
    parts = [f"{dialect.title}: {file_of(plan.target)}"]
    if job.diff:
        parts.append(job.diff.replace("\r\n", "\n").rstrip("\n"))
    else:
        parts.append("the entries are there; their record is written again" if job.changes else NOTHING)
    if plan.limits:
        parts += ["what it cannot do, or needs first:", *(f"  {text}" for text in plan.limits)]
    return visible("\n".join([*parts, *job.notes, *job.by_hand]))


def file_of(one: target.Target) -> str:
    if not one.user:
        return one.path
    return f"~/{one.path}" if one.root == one.hooks.home else os.path.join(one.root, one.path)


def report_install_results(plans: list[AgentInstall], options: dict[str, str]) -> int:
    """Print the results. Returns the exit code."""
    proven = all(flight.proven for plan in plans for flight in plan.flights)
    if "json" in options:
        print_json({"done": "dry-run" not in options, "agents": [as_data(plan) for plan in plans]})
    elif "dry-run" in options:
        print("\nnothing was written (--dry-run)")
    else:
        print(visible("\n".join(text for plan in plans for text in ("", *flown(plan)))))
    return 0 if proven and not any(plan.job.by_hand for plan in plans) else 1


def flown(plan: AgentInstall) -> list[str]:
    state = "written" if plan.job.diff else "as it was"
    lines = [f"{plan.target.dialect.title}: {file_of(plan.target)} {state}"]
    for argv, flights in groupby(plan.flights, lambda one: one.argv):
        lines += [f"  {shlex.join(argv)}"] if argv else []
        lines += [f"    {outcome(flight)}" for flight in flights]
    return lines


def outcome(flight: canary.CanaryRun) -> str:
    how = "fires" if flight.proven else "DOES NOT FIRE"
    return f"{flight.event} {how}: {flight.told} ({duration(flight.seconds)})"


def as_data(plan: AgentInstall) -> dict[str, object]:
    job = plan.job
    return {
        "agent": job.dialect,
        "file": plan.target.path,
        "root": plan.target.root,
        "files": job.files,
        "diff": job.diff,
        "limits": plan.limits,
        "notes": job.notes,
        "by_hand": job.by_hand,
        "canaries": plan.flights,
    }
