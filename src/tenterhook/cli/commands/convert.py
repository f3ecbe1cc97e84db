"""`tenter convert`: convert hook config of one dialect into another, and report what is lost."""

from __future__ import annotations

import os
import sys

from tenterhook import dialects
from tenterhook.cli.options import CONFIG, JSON, PROJECT, CommandUsage, Option
from tenterhook.cli.project import print_json, redact_cli_output
from tenterhook.engine.hookset import HookSet
from tenterhook.engine.options import EngineOptions
from tenterhook.support.command_line import file_run
from tenterhook.support.terminal.text import one_line, pluralise_count, shorten_name
from tenterhook.tools.convert import Conversion, Loss, convert, untrusted_project_hooks
from tenterhook.tools.convert.losses import Difference, HookFate
from tenterhook.tools.install.editing.writing import Change, commit, content, folders_for

USAGE = CommandUsage(
    "convert",
    "Convert the hooks of a project from one agent's config to another's: events, matchers, tool names, units,\n"
    "commands and comments. A hook that would be dead there stays as it is, behind tenter run --as. The report lists\n"
    "what changes, hook by hook; both dialects read the same answers to the same events to find out. Nothing is run,\n"
    "unless you ask with --check.",
    (),
    (
        Option("from", "the dialect that the hooks are written in", "NAME"),
        Option("to", "the dialect to convert them to", "NAME"),
        PROJECT,
        CONFIG,
        Option("out", "write it to this file (also: -o FILE); existing content is kept", "FILE"),
        Option("write", "write it where the other agent looks for it; existing content is kept"),
        Option("plain", "translate every hook, also one that would be dead there; the report says which"),
        Option("check", "also run the hooks that you trust, on both sides, and compare the results"),
        Option("all", "list every answer that means something else there, too; --check does"),
        JSON,
    ),
    "tenter convert --from moai --to llxprt --write",
    "exit codes: 0 nothing is lost, 3 something is (the report says what), 1 could not convert",
)


def run(argv: list[str]) -> int:
    options = USAGE.parse(["--out" if word == "-o" else word for word in argv])
    if options is None:
        return 0
    for name in ("from", "to"):
        if name not in options:
            raise USAGE.error(f"--{name} is missing")
    if "out" in options and "write" in options:
        raise USAGE.error("--out and --write cannot be used together")
    check, save = "check" in options, bool({"out", "write"} & options.keys())
    hooks = HookSet(
        EngineOptions(
            options.get("project", "."),
            dialect=options["from"],
            config=options.get("config"),
            trust="ask" if check else "all",
        )
    )
    made = convert(
        hooks,
        dialects.get(options["to"]),
        out=options.get("out", ""),
        merge=save,
        check=check,
        plain="plain" in options,
    )
    if save and made.converted:
        commit([Change(made.file, content(made.file), made.text.encode())], folders_for([made.file]))
    show(made, save=save, as_json="json" in options, whole=check or "all" in options)
    for one in untrusted_project_hooks(hooks) if check else ():
        print(f"tenter: not run: {one.hook.name} is not approved; tenter trust approves it", file=sys.stderr)
    if not made.converted:
        return 1
    return 0 if made.lossless else 3


def show(made: Conversion, *, save: bool, as_json: bool, whole: bool) -> None:
    if as_json:
        print_json(made)
        return
    if not save and made.converted:
        print(made.text, end="" if made.text.endswith("\n") else "\n")
    print(redact_cli_output(report(made, save, whole=whole)), file=sys.stdout if save else sys.stderr)


def report(made: Conversion, save: bool, *, whole: bool) -> str:
    """Hook by hook: what works as before, what was changed for it, and what is broken, with what to do."""
    where = os.path.relpath(made.file)
    head = f"{made.converted} of {pluralise_count(made.hooks, 'hook')} from {made.source} to {made.target}"
    done = "nothing was written to" if not made.converted else "written to" if save else "for"
    lines = [f"{head}: {done} {where if not where.startswith('..') else made.file}"]
    shown: set[tuple[str, str]] = set()
    for fate in made.fates:
        lines.append(f"  {fate.state:7}  {shorten_name(file_run(fate.hook) or fate.hook, 60)}  {place(fate)}")
        if (fate.file, fate.hook) not in shown:
            lines += [f"      {line(loss)}" for loss in made.losses if (loss.file, loss.hook) == (fate.file, fate.hook)]
        shown.add((fate.file, fate.hook))
    lines += section("of the file", [line(loss) for loss in made.losses if (loss.file, loss.hook) not in shown])
    if whole:
        lines += section("answers that mean something else there", list(map(case, made.differences)))
    elif made.differences:
        count = pluralise_count(len(made.differences), "answer")
        lines += ["", f"if a hook gives one of {count}, it means something else there; --all lists them"]
    return "\n".join(lines if made.losses or made.differences else [*lines, "nothing is lost"])


def place(fate: HookFate) -> str:
    return f"{os.path.relpath(fate.file)}:{fate.line}" if fate.line else os.path.relpath(fate.file)


def section(title: str, lines: list[str]) -> list[str]:
    return ["", f"{title} ({len(lines)}):", *(f"  {one_line(text)}" for text in lines)] if lines else []


def line(loss: Loss) -> str:
    where = ":".join(str(part) for part in (os.path.relpath(loss.file), loss.line, loss.column) if part)
    number = f"hazard {loss.number}, " if loss.number else ""
    key = f" ({loss.key})" if loss.key else ""
    return f"{where}: {number}{loss.name}{key}: {loss.text}"


def case(one: Difference) -> str:
    hazard = f" [hazard {one.hazard}: {one.advice}]" if one.hazard else ""
    return f"{one.event} -> {one.to}: {one.case}: {one.before} | {one.after}{hazard}"
