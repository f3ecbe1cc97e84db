"""A hook's process from start to end. Everything that hooks print goes to stderr: stdout is only for the answer."""

from __future__ import annotations

import gc
import os
import sys

from tenterhook.author.calls import HookCommand, handle_event
from tenterhook.author.forms import REFUSED, Said
from tenterhook.author.registered import Broken
from tenterhook.errors import TenterhookError, format_exception_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from tenterhook.author.registered import Registered

TAKE_A_VALUE = ("--agent", "--event", "--set", "--options")
# What `tenter run` alone takes: other agents' hooks. `--` stands before a command.
HOOKS_OF, AS, COMMAND = "--hooks-of", "--as", "--"
# What only the engine says.
OF_ENGINE = ("--only", "--given")
# The file into which failures of hooks are written for a test.
REPORT = "--report"
BY_HAND = "a hook is called by an agent, with an event on stdin; tenter run --help tells more"


def main(argv: list[str], hooks: Callable[[HookCommand], list[Registered]]) -> int:
    """Read the event, run the hooks, answer; return the exit code."""
    if sys.stdin is not None and sys.stdin.isatty():
        print(BY_HAND, file=sys.stderr)
        return 1
    out = aside()
    try:
        given = sys.stdin.buffer.read() if sys.stdin is not None else b""
        call = parse_argv(argv)
        reply = handle_event(usable(hooks, call), given, call, os.environ)
    finally:
        back(out)
    if call.report:
        from tenterhook.author import failures

        failures.write(reply, call.report)
    gc.freeze()  # skip the garbage collection at exit
    return emit(reply, out)


def parse_argv(argv: list[str]) -> HookCommand:
    """Parse the command line. Mistakes in it are kept and count like a hook that fails."""
    call, rest = HookCommand(), iter(argv)
    for word in rest:
        name, equals, value = word.partition("=")
        if word == COMMAND:
            call.command = list(rest)
        elif not word.startswith("-"):
            call.words.append((word, []))
        elif name not in (*TAKE_A_VALUE, HOOKS_OF, AS, *OF_ENGINE, REPORT):
            call.problems.append(f"no option {word!r}; there are {', '.join(TAKE_A_VALUE)}")
        elif (found := value if equals else next(rest, None)) is None:
            call.problems.append(f"{name} needs a value")
        elif name == "--set":
            (call.words[-1][1] if call.words else call.settings).append(found)
        elif name == HOOKS_OF:
            call.hooks_of += [one.strip() for one in found.split(",") if one.strip()]
        elif name == AS:
            call.dialect = found
        else:
            setattr(call, name[2:], found)
    return call


def usable(hooks: Callable[[HookCommand], list[Registered]], call: HookCommand) -> list[Registered]:
    """The hooks; if they cannot be loaded, one hook that fails."""
    try:
        found = hooks(call)
    except TenterhookError as exc:
        found = [Broken("the hooks", str(exc))]
    except Exception as exc:
        found = [Broken("the hooks", format_exception_line(exc))]
    strange = call.hooks_of or call.dialect or call.command
    problems = [*call.problems, *([f"{HOOKS_OF} and {AS} are for tenter run"] if strange else [])]
    return found + [Broken("the command line", problem) for problem in problems]


# ---- streams


def aside() -> int | None:
    """Keep stdout for the answer: until then everything that is printed goes to stderr."""
    try:
        out = os.dup(1)
    except OSError:  # the caller closed it
        return None
    try:
        os.dup2(2, 1)
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.close(nowhere)
    return out


def back(out: int | None) -> None:
    try:
        print(end="", flush=True)
    except OSError:
        sys.stdout = None
    if out is not None:
        os.dup2(out, 1)


def emit(reply: Said, out: int | None) -> int:
    """Write the answer; return the exit code. A refusal that cannot be written becomes one by exit code."""
    code = reply.code
    if reply.out:
        try:
            if out is None:
                raise OSError("stdout is closed")
            whole(out, reply.out.encode("utf-8", "backslashreplace") + b"\n")
        except OSError:
            code, reply.err = (REFUSED, reply.refusal) if reply.refusal else (code or 1, reply.err)
    if reply.err:
        try:
            whole(2, reply.err.encode("utf-8", "backslashreplace") + b"\n")
        except OSError:
            return code  # no stream is left
    return code


def whole(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
