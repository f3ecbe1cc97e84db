"""Completion scripts for shells. A script is complete in itself: it asks no program when you press Tab."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from shlex import quote

from tenterhook import dialects
from tenterhook.author.kinds import EVENTS, KINDS
from tenterhook.cli.options import CommandUsage, Option
from tenterhook.cli.usages import COMMANDS, usages

# What is completed instead of words.
FILES, FOLDERS = "<files>", "<folders>"
# Options and arguments that name an agent, and those that name an event, by what their help calls the value.
AGENTS = {"agent", "dialect", "from", "to", "as", "hooks-of"}
PROGRAMS = ("tenter", "tenterhook")


def values_of(name: str, shown: str, choices: tuple[str, ...] = ()) -> tuple[str, ...]:
    """What may stand for an option's value or an argument."""
    shown = shown.strip("[].")
    if choices:
        return choices
    if shown == "EVENT" or name == "kind":
        return tuple(sorted({*KINDS, *EVENTS}))
    if name in AGENTS and shown.startswith("NAME"):
        return tuple(dialects.names())
    if shown == "DIR":
        return (FOLDERS,)
    if shown.startswith(("FILE", "PATH", "HOOK")):
        return (FILES,)
    return tuple(shown.split("|")) if "|" in shown else ()


def arguments(usage: CommandUsage) -> tuple[str, ...]:
    """What may stand for the command's first argument."""
    if not usage.words:
        return ()
    if usage.command == "schema":
        return ("config", "outcome", *dialects.names())
    if usage.command == "dialects":
        return tuple(dialects.names())
    return values_of("", usage.words[0])


def option_words(usage: CommandUsage) -> list[str]:
    return [*(f"--{option.name}" for option in usage.options), "--help"]


def options_with_values(usage: CommandUsage) -> Iterator[tuple[Option, tuple[str, ...]]]:
    """The options that take a value, with what may stand there."""
    for option in usage.options:
        if option.value:
            yield option, values_of(option.name, option.value, option.choices)


def bash() -> str:
    cases = "\n".join(bash_case(usage) for usage in usages().values())
    return f"""# Completion of tenter for bash: eval "$(tenter completion bash)"
_tenter() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}}
    local words= files= folders=
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        words={quote(" ".join([*COMMANDS, "--help", "--version"]))}
    else
        case $command in
{cases}
        esac
    fi
    if [ -n "$files" ]; then
        compopt -o filenames 2> /dev/null
        COMPREPLY=($(compgen -f -- "$word"))
    elif [ -n "$folders" ]; then
        compopt -o filenames 2> /dev/null
        COMPREPLY=($(compgen -d -- "$word"))
    else
        COMPREPLY=($(compgen -W "$words" -- "$word"))
    fi
}}
complete -F _tenter {" ".join(PROGRAMS)}
"""


def bash_case(usage: CommandUsage) -> str:
    rows = "\n".join(
        f"            --{option.name}) {bash_words(found)} ;;" for option, found in options_with_values(usage)
    )
    return f"""        {usage.command})
            case $before in
{rows}
            *) case $word in
               -*) words={quote(" ".join(option_words(usage)))} ;;
               *) {bash_words(arguments(usage))} ;;
               esac ;;
            esac ;;"""


def bash_words(found: tuple[str, ...]) -> str:
    special = {FILES: "files=1", FOLDERS: "folders=1"}
    return special.get("".join(found), f"words={quote(' '.join(found))}")


def zsh() -> str:
    named = " ".join(quote(f"{name}:{what}") for name, what in COMMANDS.items())
    cases = "\n".join(zsh_case(usage) for usage in usages().values())
    return f"""#compdef {" ".join(PROGRAMS)}
# Completion of tenter for zsh: eval "$(tenter completion zsh)" after compinit, or a file _tenter in a folder of $fpath
_tenter() {{
    local word=$words[CURRENT] before=$words[CURRENT-1]
    local -a commands options
    commands=({named})
    if (( CURRENT == 2 )); then
        _describe command commands
        return
    fi
    case $words[2] in
{cases}
    esac
}}
compdef _tenter {" ".join(PROGRAMS)}
"""


def zsh_case(usage: CommandUsage) -> str:
    rows = "\n".join(
        f"            --{option.name}) {zsh_words(found)} ;;" for option, found in options_with_values(usage)
    )
    named = " ".join(quote(f"--{option.name}:{option.help}") for option in usage.options)
    return f"""    {usage.command})
        options=({named} --help)
        case $before in
{rows}
            *) if [[ $word == -* ]]; then _describe option options; else {zsh_words(arguments(usage))}; fi ;;
        esac ;;"""


def zsh_words(found: tuple[str, ...]) -> str:
    plain = " ".join(map(quote, found))
    special = {FILES: "_files", FOLDERS: "_files -/", "": "_files"}
    return special.get("".join(found), f"compadd -- {plain}")


def fish() -> str:
    return "".join(f"{line}\n" for program in PROGRAMS for line in fish_lines(program))


def fish_lines(program: str) -> Iterator[str]:
    if program == PROGRAMS[0]:
        yield "# Completion of tenter for fish: tenter completion fish > ~/.config/fish/completions/tenter.fish"
    base = f"complete -c {program}"
    for name, what in COMMANDS.items():
        yield f"{base} -f -n __fish_use_subcommand -a {name} -d {fish_quote(what)}"
    for usage in usages().values():
        inside = f"{base} -n '__fish_seen_subcommand_from {usage.command}'"
        if found := arguments(usage):
            yield f"{inside} {fish_words(found)}"
        for option in usage.options:
            found = values_of(option.name, option.value, option.choices)
            value = " -r -F" if found == (FILES,) else f" -x {fish_words(found)}".rstrip()
            value = value if option.value else ""
            yield f"{inside} -l {option.name}{value} -d {fish_quote(option.help)}"


def fish_words(found: tuple[str, ...]) -> str:
    if found == (FOLDERS,):
        return "-a '(__fish_complete_directories)'"
    if found in ((FILES,), ()):
        return "-F" if found else ""
    return f"-f -a {fish_quote(' '.join(found))}"


def fish_quote(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


SHELLS: dict[str, Callable[[], str]] = {"bash": bash, "zsh": zsh, "fish": fish}
