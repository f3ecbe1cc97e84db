"""Refuse dangerous shell commands, or ask the user about them.

The hook reads the command by a shell's grammar before it runs: pipelines, lists, substitutions, functions,
here-documents, and what `sh -c`, `env`, `xargs`, `find -exec`, `sudo`, `ssh` and their like run in turn. Rules look at
each program that would be called. They find commands that delete what you cannot get back, that run what was just
downloaded or is named by an address, that put code before a program's own by a variable or an option, and that go
around hooks; also force pushes, secrets that leave the machine, disks, services and other users' rights. If the hook
cannot read a command as a shell would, it asks the user.

Every rule has a name. You see it at the end of its message.

Options:
    allow: names of rules to switch off
    ask: names of rules that ask the user
    deny: names of rules that refuse

What it cannot stop:
- What a program does once it runs: a script that is already in the project, `make`, a test that deletes files.
- Code that a program loads because of a variable that daily work needs too: `LD_LIBRARY_PATH`, `PYTHONPATH`,
  `NODE_OPTIONS`, `RUBYOPT`, `PERL5OPT`. Libraries of the system in `LD_PRELOAD` are allowed.
- What a package does when it is installed or run by its name, or from a git repository: `npx x`, `pip install x`, `pip
  install git+https://...`, `go run x@latest`. Variables of a makefile from a pipe, beyond those that it sets.
- Code in other languages beyond its plain calls of programs: `python -c` with a text that is put together at run time.
- A command that is harmless by itself and dangerous after what another one has prepared.
- Tools that are not a shell. Of an MCP server's own tool for running things the hook checks the input only if it has a
  `command`, `cmd` or `script`.
- What an agent runs without asking its hooks, such as a user's own `!command` in some of them.
"""

from __future__ import annotations

from tenterhook import hook

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.author import Answer, Event


def rules() -> dict[str, tuple[str, str]]:
    """Each rule with its decision and what it says."""
    from tenterhook.library.guard.danger.rules import RULES

    return RULES


@hook("tool.before")
def dangerous_commands(
    event: Event, allow: tuple[str, ...] = (), ask: tuple[str, ...] = (), deny: tuple[str, ...] = ()
) -> Answer | None:
    if not event.command:
        return None
    from tenterhook.library.guard import look
    from tenterhook.library.parts import guarding

    switched = guarding.rule_overrides(rules(), allow=allow, ask=ask, deny=deny) if allow or ask or deny else {}
    found = look.at_command(event.command, guarding.place(event, switched), event.folder, paths=False)
    return guarding.answer(found, "dangerous-commands")
