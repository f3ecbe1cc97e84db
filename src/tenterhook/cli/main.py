"""`tenter`: find the command's module and run it. Any error in a call ends with exit code 1."""

from __future__ import annotations

import os
import sys

# New objects before Python collects garbage: most commands end earlier, and a collection takes milliseconds.
SELDOM = 100_000

COMMANDS = {
    "fire": "fire an event and print what its hooks decided",
    "list": "list all hooks by event, with file and line",
    "check": "find what is wrong, or looks wrong, in a project's hook config",
    "explain": "explain why each hook would or would not run, and what its answers would do",
    "trust": "show what a project's hooks run; approve, deny or revoke them",
    "lock": "write a lockfile of a project's hooks, for a team to commit",
    "audit": "compare a project's hooks with the lockfile, in CI",
    "new": "write a hook of your own, with its test",
    "library": "list hooks that are ready to use, with their options and what they cannot stop",
    "run": "answer an agent that calls its hooks, in its own form",
    "install": "let agents call hooks that you wrote: change their config, and test that the hooks fire",
    "uninstall": "restore an agent's config as it was before install",
    "hook": "our own work on an event, called as a hook by any agent",
    "convert": "convert hook config of one agent into another's, and report what is lost",
    "init": "let an agent call tenter through wrapper scripts and config; --undo removes both",
    "agent": "a small coding agent whose every step goes through hooks",
    "log": "show the journal: what hooks decided, did and failed at",
    "stats": "show what hooks cost, by hook and by session",
    "dialects": "show the dialects and their tables",
    "mcp": "put hooks between an MCP client and a server",
    "serve": "run the server behind run, fire and hook; run starts it by itself",
    "doctor": "show what this machine can do to confine hooks, and what is wrong",
    "schema": "print JSON Schemas: of our own config, of the outcome, of an agent's hook files",
    "completion": "print what a shell needs to complete tenter's commands and options",
}


# What you want to do, and the commands for it.
GROUPS = {
    "start": ("check", "install", "uninstall", "init", "doctor"),
    "write": ("new", "library", "explain", "fire"),
    "run": ("run", "hook", "mcp", "serve", "agent"),
    "look": ("list", "log", "stats"),
    "team": ("trust", "lock", "audit"),
    "extend": ("convert", "dialects", "schema", "completion"),
}

# Commands that a server may run for us.
SERVED = ("fire", "hook", "run")


def main(argv: list[str] | None = None) -> int:
    """Run one command. Returns its exit code."""
    mend_streams()
    words = sys.argv[1:] if argv is None else argv
    native = os.environ.pop("TENTERHOOK_NATIVE", "")
    if argv is None and words and words[0] in SERVED and sys.platform == "linux":
        from tenterhook.cli.server.client import run_on_server

        code = run_on_server(words, native)
        if code is not None:
            return code
    if not words or words[0] in ("-h", "--help", "help"):
        print(overview())
        return 0 if words else 1
    if words[0] in ("-V", "--version"):
        from tenterhook.version import __version__

        print(f"tenter {__version__}")
        return 0
    if words[0] not in COMMANDS:
        from tenterhook.errors import nearest

        return complain(f"no command {words[0]!r}{nearest(words[0], COMMANDS)}; see tenter --help")
    return run(words[0], words[1:])


def mend_streams() -> None:
    """Replace streams that the caller closed, and escape characters that the terminal cannot print."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, mode))
        elif mode == "w" and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def run(command: str, words: list[str], **more: str) -> int:
    import gc

    from tenterhook.errors import TenterhookError

    gc.set_threshold(SELDOM)
    try:
        # Not importlib, which would take a millisecond.
        return int(__import__(f"tenterhook.cli.commands.{command}", fromlist=("run",)).run(words, **more))
    except TenterhookError as exc:
        return complain(str(exc))
    except BrokenPipeError:
        # The reader of our output has gone. Stay silent, and keep Python from writing again at exit.
        sys.stdout = None
        return 1
    except OSError as exc:  # such as no space on the disk that our output goes to
        sys.stdout = None
        return complain(f"{exc.filename}: {exc.strerror}" if exc.filename and exc.strerror else str(exc))
    except KeyboardInterrupt:
        return 130
    finally:
        gc.freeze()  # skip the garbage collection at exit


def complain(text: str) -> int:
    from tenterhook.support.secrets.redact import Redactor

    text = Redactor(os.environ).text(text)
    # A path in the message may be chosen by the project, escape sequences included.
    shown = "".join(c if c == "\n" or c.isprintable() else ascii(c)[1:-1] for c in text)
    print(f"tenter: {shown}", file=sys.stderr)
    return 1


def overview() -> str:
    width = max(map(len, COMMANDS))
    grouped = {name for names in GROUPS.values() for name in names}
    groups = {**GROUPS, "more": tuple(name for name in COMMANDS if name not in grouped)}
    rows = "\n\n".join(
        "\n".join([f"{group}:", *(f"  {name:<{width}}  {COMMANDS[name]}" for name in names)])
        for group, names in groups.items()
        if names
    )
    return f"""tenter: one hook system for every AI agent

usage: tenter COMMAND [options]        tenter COMMAND --help says more, with an example

{rows}

exit codes: 0 goes on, 2 blocked, 3 the agent shall stop, 4 not approved (fire --require-trusted), 1 could not run"""


if __name__ == "__main__":
    sys.exit(main())
