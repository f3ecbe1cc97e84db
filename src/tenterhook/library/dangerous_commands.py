"""Dangerous shell commands are refused, or the user is asked.

The command is read by a shell's grammar before it runs: pipelines, lists, substitutions, functions, here-documents, and
what `sh -c`, `env`, `xargs`, `find -exec`, `sudo`, `ssh` and their like run in their turn. Rules look at each program
that would be called: deleting what cannot be had back, running what was just downloaded or has an address for a name,
code that a variable or an option puts before a program's own, force pushes, secrets that leave the machine, disks,
services, other users' rights, hooks that are gone around. A command that cannot be read as a shell would read it is
asked about.

Every rule has a name, which stands at the end of what it says.

Options:
    allow: names of rules that are to say nothing
    ask: names of rules after which the user is asked
    deny: names of rules that are to refuse

What it cannot stop:
- What a program does once it runs: a script that is in the project already, `make`, a test that deletes files.
- Code that a variable has a program load in ways that daily work needs too: `LD_LIBRARY_PATH`, `PYTHONPATH`,
  `NODE_OPTIONS`, `RUBYOPT`, `PERL5OPT`. Libraries of the system in `LD_PRELOAD` are let pass.
- What a package does when it is installed or run by its name, or out of a git repository: `npx x`, `pip install x`,
  `pip install git+https://...`, `go run x@latest`. Variables of a makefile that comes by a pipe, beyond those it sets.
- Code in other languages beyond its plain calls of programs: `python -c` with a text that is put together at run time.
- A command that is harmless by itself and dangerous after what another one has prepared.
- Tools that are not a shell. An MCP server with a tool of its own for running things is looked at only where the tool's
  input has a `command`, `cmd` or `script`.
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
