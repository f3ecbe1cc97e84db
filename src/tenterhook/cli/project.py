"""What commands about a project share: options, an engine made from them, its warnings."""

from __future__ import annotations

import json
import os
import sys

import msgspec

from tenterhook.cli.options import Option
from tenterhook.dialects import DEFAULT
from tenterhook.engine.engine import Engine
from tenterhook.engine.hookset import HookSet
from tenterhook.support.terminal.table import table
from tenterhook.support.terminal.text import Paint, near, one_line, pluralise_count
from tenterhook.tools.explain.inventory import FileFacts, elsewhere

TRUST = Option("trust", "treat the project's hooks as trusted")


def engine_for(options: dict[str, str]) -> Engine:
    """An engine with the given options, its config files read."""
    project = options.get("project", ".")
    engine = Engine(
        project,
        dialect=options.get("dialect", DEFAULT),
        config=options.get("config"),
        agent=options.get("subagent", ""),
        mode=options.get("mode", ""),
        trust="all" if "trust" in options else "ask",
    )
    engine.ready()
    return engine


def file_lines(files: list[FileFacts], paint: Paint) -> list[str]:
    """Every place where config was looked for, one per line."""
    rows = [[file_state(one, paint), one.scope, one.format, file_name(one, paint)] for one in files]
    return table(rows, indent="  ").split("\n") if rows else []


def file_state(file: FileFacts, paint: Paint) -> str:
    if not file.found:
        return paint("dim", "not there")
    return pluralise_count(file.hooks, "hook") if file.trusted else paint("yellow", "untrusted")


def file_name(file: FileFacts, paint: Paint) -> str:
    if file.found and not file.trusted:
        return f"{near(file.path)}  ({pluralise_count(file.hooks, 'hook')} set aside; tenter trust approves them)"
    return near(file.path) if file.found else paint("dim", near(file.path))


def hint_at_others(hooks: HookSet) -> None:
    """If no hook was found: the hooks here for other agents, and how to ask about them."""
    if hooks.config or hooks.hooks():
        return
    for path, dialect in elsewhere(hooks):
        print(f"tenter: found {near(path)}: --dialect {dialect}", file=sys.stderr)


def warn(texts: list[str]) -> None:
    for text in texts:
        print(f"tenter: warning: {near(one_line(redact_cli_output(text)))}", file=sys.stderr)


def prompt_yes_no(question: str, otherwise: str, options: dict[str, str]) -> bool:
    """Ask yes or no. Without a terminal, do not ask but print what to do instead; anything but a clear yes is no."""
    if "json" in options or not sys.stdin.isatty() or not sys.stdout.isatty():
        print(f"tenter: {otherwise}", file=sys.stderr)
        return False
    try:
        answer = input(f"\n{question} [y/N] ")
    except EOFError:
        answer = ""
    return answer.strip().lower() in ("y", "yes")


def redact_cli_output(text: str) -> str:
    """Redact secrets from a command's output, which may end up in a build log: a config may quote one."""
    from tenterhook.support.secrets.redact import Redactor

    return Redactor(os.environ).text(text)


def print_json(data: object) -> None:
    """Print JSON, indented for people and in ASCII, since a path may hold characters that the terminal cannot print."""
    from tenterhook.support.secrets.redact import Redactor

    text = json.dumps(msgspec.to_builtins(data, enc_hook=str), indent=2)
    print(Redactor(os.environ).data(text.encode()).decode())
