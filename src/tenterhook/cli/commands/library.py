"""`tenter library`: list the ready hooks, or show everything about one."""

from __future__ import annotations

from textwrap import fill

from tenterhook.author.loading import LIBRARY, library_names
from tenterhook.cli.options import JSON, CommandUsage
from tenterhook.library import Described, describe_hook
from tenterhook.support.terminal.table import table

USAGE = CommandUsage(
    "library",
    "The hooks that come with tenterhook; with a NAME everything about one: what it does, its options, what it cannot\n"
    "stop. `tenter run library:NAME --agent AGENT` is what an agent calls.",
    ("[NAME]",),
    (JSON,),
    "tenter library dangerous-commands",
    "exit codes: 0, or 1 if the hook does not exist",
)
WIDTH = 100


def run(argv: list[str]) -> int:
    options = USAGE.parse(argv)
    if options is None:
        return 0
    wanted = [options["NAME"].removeprefix(LIBRARY).replace("_", "-")] if "NAME" in options else library_names()
    found = [describe_hook(name) for name in wanted]
    if "json" in options:
        from tenterhook.cli.project import print_json

        listed = [one.data() for one in found]
        print_json(listed[0] if "NAME" in options else listed)
    elif "NAME" in options:
        print(page(found[0]))
    else:
        print(table([(one.name, one.title) for one in found]))
    return 0


def page(one: Described) -> str:
    defaults = [f"{name}={format_option_default(one.hook.options[name])}" for name in one.options]
    options = "\n".join(
        table([(default, about)], indent="  ") for default, about in zip(defaults, one.options.values(), strict=True)
    )
    parts = [
        f"library:{one.name}: {one.title}",
        *(fill(text, WIDTH) for text in one.about),
        f"at: {', '.join(one.hook.kinds)}{f'; tools: {one.hook.match}' if one.hook.match else ''}",
        f"options, each with --set NAME=VALUE:\n{options}",
    ]
    if one.rules:
        rows = [(name, decision, says) for name, (decision, says) in one.rules.items()]
        parts.append(f"rules:\n{table(rows, indent='  ')}")
    limits = "\n".join(fill(text, WIDTH, initial_indent="- ", subsequent_indent="  ") for text in one.limits)
    return "\n\n".join([*parts, f"what it cannot stop:\n{limits}"])


def format_option_default(value: object) -> str:
    """A default as it would be written after --set."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return (
        ",".join(map(str, value))
        if isinstance(value, tuple)
        else f"{value:g}"
        if isinstance(value, float)
        else str(value)
    )
