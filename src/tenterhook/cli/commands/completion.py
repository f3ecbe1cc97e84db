"""`tenter completion`: print what a shell needs to complete commands, options and their values."""

from __future__ import annotations

from tenterhook.cli.options import CommandUsage
from tenterhook.errors import nearest

USAGE = CommandUsage(
    "completion",
    "Print a script with which your shell completes tenter's commands, options, agents and events.",
    ("bash|zsh|fish",),
    (),
    'eval "$(tenter completion bash)"     # in ~/.bashrc',
    "exit codes: 0, or 1 if the shell is not known",
)


def run(argv: list[str]) -> int:
    options = USAGE.parse(argv)
    if options is None:
        return 0
    from tenterhook.cli.complete import SHELLS

    shell = options["bash|zsh|fish"]
    if shell not in SHELLS:
        raise USAGE.error(f"no shell {shell!r}{nearest(shell, SHELLS)}; there are: {', '.join(SHELLS)}")
    print(SHELLS[shell](), end="")
    return 0
