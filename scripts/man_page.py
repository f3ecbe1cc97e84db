"""Write man/tenter.1, the manual page, from the usage of every command. The wheel has it among its data files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tenterhook.cli.options import CommandUsage
from tenterhook.cli.usages import COMMANDS, GROUPS, usages
from tenterhook.version import __version__

PAGE = Path(__file__).parent.parent / "man" / "tenter.1"


def files() -> dict[Path, str]:
    return {PAGE: "\n".join(lines()) + "\n"}


def lines() -> Iterator[str]:
    known = usages()
    yield '.\\" Written by scripts/man_page.py: do not edit'
    yield f'.TH TENTER 1 "" "tenterhook {__version__}" "User Commands"'
    yield from (".SH NAME", r"tenter \- one hook system for every AI agent")
    yield from (".SH SYNOPSIS", ".B tenter", ".I COMMAND", "[options]")
    yield from (".SH DESCRIPTION", "Hooks are small programs that watch an AI agent: they block a command, rewrite an")
    yield from ("input, add context, or hold back the end of a turn.", "tenterhook runs them for every agent.")
    yield from (".B tenterhook", "is another name of the command.")
    for group, names in GROUPS.items():
        yield f".SH COMMANDS: {group.upper()}"
        for name in names:
            yield from command_lines(known[name])
    yield from (".SH EXIT STATUS", "0 goes on, 2 blocked, 3 the agent shall stop, 4 not approved, 1 could not run.")
    yield from (".SH FILES", ".TP", r".I tenterhook.toml", "hooks and settings of a project")
    yield from (".TP", r".I ~/.config/tenterhook/tenterhook.toml", "hooks and settings of yours")
    yield from (".TP", r".I ~/.local/state/tenterhook", "approvals, the journal, records of installs")
    yield from (".SH ENVIRONMENT", ".TP", ".B TENTERHOOK_OFF", "1 switches all hooks off, but those of the system")


def command_lines(usage: CommandUsage) -> Iterator[str]:
    yield f".SS tenter {roff(usage.command)}"
    yield f"{roff(COMMANDS[usage.command]).capitalize()}."
    yield from (".PP", *map(roff, usage.about.splitlines()))
    yield from (".PP", f".B {roff(usage.line())}")
    for option in usage.options:
        yield from (".TP", f".B {roff(f'--{option.name} {option.value}'.strip())}", roff(option.help))
    if usage.more:
        yield from (".PP", *map(roff, usage.more.splitlines()))
    yield from (".PP", "Example:", ".PP", ".nf", *map(roff, usage.example.splitlines()), ".fi")


def roff(text: str) -> str:
    """Plain text: no character of it is a command."""
    text = text.replace("\\", r"\(rs").replace("-", r"\-")
    return rf"\&{text}" if text.startswith((".", "'")) else text
