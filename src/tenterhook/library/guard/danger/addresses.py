"""Programs that fetch code from an address themselves."""

from __future__ import annotations

import re

from tenterhook.library.guard.danger.rules import begins_with
from tenterhook.library.guard.paths import Territory
from tenterhook.support.shell.calls import ProgramCall
from tenterhook.support.shell.startup_files import is_address
from tenterhook.support.shell.wrappers import operands, option_value

# Subcommands that run or install the first name after them.
DENO = ("run", "install", "i", "add", "test", "bench", "serve", "compile")
# Options with a value, which may be an address but is not code.
PYTHON = (
    *("-i", "--index-url", "--extra-index-url", "-f", "--find-links", "--index", "--default-index", "--proxy"),
    *("-c", "--constraint", "--constraints", "--cert", "--trusted-host", "-r", "--requirement", "--requirements"),
    *("--spec", "--python", "-p", "-t", "--target"),
)
NODE = ("--registry", "--proxy", "--https-proxy", "--cafile", "--prefix", "--workspace", "-w", "--tag", "-C", "--cwd")
VALUED = {
    **dict.fromkeys(("pip", "pipx", "uv"), PYTHON),
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun"), NODE),
    "deno": ("-c", "--config", "--import-map", "--cert", "--location", "-n", "--name", "--root", "--lock"),
}
# The words of each program before the packages.
INSTALLS = {
    "pip": ("install", "wheel", "download"),
    "pipx": ("install",),
    **dict.fromkeys(("npm", "pnpm", "bun"), ("install", "i", "add")),
    "yarn": ("add", "global add"),
    "uv": ("pip install", "add", "tool install"),
}
# A package may have its name before the address. Code in a named git repository is the user's decision.
PACKAGE = r"(?i)(?:[\w.\-\[\],/@]+\s*@\s*)?(?:https?|ftp)://"


def runs_address(call: ProgramCall, place: Territory) -> bool:
    named = operands(call.words, VALUED[call.program])
    if call.program == "pipx":
        return named[:1] == ["run"] and any(map(is_address, [*named[1:2], option_value(call.words, "--spec")]))
    first = named[1:2] if named[:1] and named[0] in DENO else named[:1]
    return any(map(is_address, first))


def installs_address(call: ProgramCall, place: Territory) -> bool:
    program, words = call.program.rstrip("0123456789."), call.words
    if program == "python":
        program, words = "pip", words[2:] if words[:2] == ["-m", "pip"] else []
    named = operands(words, VALUED[program])
    verb = next((one.split() for one in INSTALLS[program] if begins_with(named, one.split())), [])
    if not verb:
        return False
    packages = [*named[len(verb) :], option_value(words, "-r", "--requirement", "--requirements") or ""]
    return any(re.match(PACKAGE, one) for one in packages)
