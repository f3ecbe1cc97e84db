"""Keep an agent's tools and shell commands from writing protected files.

Without any options these are protected: git's own folder, the settings and hooks of agents, credentials and start-up
files of the user, the system's folders, and everything outside of the project except the temporary folder. The hook
asks about environment files, lock files and configs that say what agents run. It judges a path by its name and by where
links really lead. In a shell command it looks at redirections and at the files that programs are known to write: `tee`,
`cp`, `mv`, `rm`, `sed -i`, `dd`, `tar`, `curl -o`, `git rm`, `apply_patch` and their like, behind `sh -c`, `env` and
`xargs` too.

Options:
    paths: globs in the project that must not be written, such as `migrations/**` or `*.pem`
    unread: globs in the project that must not be read either; a shell command may not even name such a file
    outside: folders outside of the project that may be written
    allow: names of rules to switch off
    ask: names of rules that ask the user
    deny: names of rules that refuse

What it cannot stop:
- Programs that write files which their command line does not name: a build, a test, a script of the project, an editor,
  `git apply` and `patch` with a file that holds the names.
- Names that only the shell knows at run time: `rm "$(cat list)"`.
- Reading, except the files of `unread`; and a program that opens those without naming them reads them all the same,
  such as `grep -r` over a folder.
- MCP tools whose input holds a path under a name that the hook does not know.
- A file that becomes a link after the hook looked at it.
"""

from __future__ import annotations

from tenterhook import hook

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.author import Answer, Event
    from tenterhook.library.guard.finding import Finding
    from tenterhook.library.guard.paths import Territory

UNREAD = "unread"


def rules() -> dict[str, tuple[str, str]]:
    """Each rule with its decision and what it says."""
    from tenterhook.library.guard import paths
    from tenterhook.library.guard.danger.rules import RULES

    return {**paths.RULES, "unparsable": RULES["unparsable"]}


@hook("tool.before")
def protected_paths(
    event: Event,
    paths: tuple[str, ...] = (),
    unread: tuple[str, ...] = (),
    outside: tuple[str, ...] = (),
    allow: tuple[str, ...] = (),
    ask: tuple[str, ...] = (),
    deny: tuple[str, ...] = (),
) -> Answer | None:
    if not (event.command or event.paths):
        return None
    from tenterhook.library.guard import look
    from tenterhook.library.parts import guarding

    switched = guarding.rule_overrides(rules(), allow=allow, ask=ask, deny=deny) if allow or ask or deny else {}
    place = guarding.place(event, switched, protected=paths, outside=outside)
    found = kept_from_reading(event, unread, place) if unread else []
    if event.command:
        found += look.at_command(event.command, place, event.folder, programs=False)
    if changes(event):
        found += look.at_paths(event.paths, place)
    return guarding.answer(found, "protected-paths")


def changes(event: Event) -> bool:
    """Whether the tool writes, moves or deletes what it names; for an unknown tool its input tells."""
    if event.is_write:
        return True
    words = ("write", "edit", "create", "delete", "remove", "move", "rename", "save", "append")
    unknown = event.tool in ("mcp", "other")
    return unknown and (bool(event.texts) or any(word in event.tool_name.lower() for word in words))


def kept_from_reading(event: Event, globs: tuple[str, ...], place: Territory) -> list[Finding]:
    from tenterhook.library.guard.finding import Finding
    from tenterhook.library.guard.paths import below, matches_any_glob

    found: dict[str, Finding] = {}
    for path in (*event.paths, *collect_command_paths(event, place)):
        inside = below(path, place.project) or below(path, place.root)
        around = any(glob.startswith(f"{inside}/") for glob in globs)  # reading a folder reads everything in it
        if inside and (around or matches_any_glob(inside, list(globs))):
            found[inside] = Finding(
                UNREAD, "deny", f"{place.shown(path)} must not be read; ask the user for what you need"
            )
    return list(found.values())


def collect_command_paths(event: Event, place: Territory) -> list[str]:
    """Every word of a command that may be a file, as an absolute path."""
    if not event.command:
        return []
    import os

    from tenterhook.support.shell.calls import calls
    from tenterhook.support.shell.programs import whole
    from tenterhook.support.shell.writes import fitting

    called, _ = calls(event.command, folder=event.folder, home=place.home)
    words = [(call, word) for call in called for word in (*call.words, *call.reads, call.named)]
    made = [whole(call, word.rpartition("=")[2].lstrip("@<")) for call, word in words]
    return [os.path.normpath(path) for one in made if one for path in (one, *fitting(one))]
