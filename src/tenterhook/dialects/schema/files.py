"""How an agent's config files are written: which files there are, where hooks are, and what `tenter init` adds."""

from __future__ import annotations

from msgspec import Struct


class Type(Struct, frozen=True, kw_only=True):
    """One type of hook as a config file writes it."""

    # The value of an entry's type.
    name: str
    # Which of our handlers runs it.
    handler: str
    # The key that says what runs.
    key: str
    # How the value of that key is read: as shell text, a program, a URL, ...
    form: str = "shell"
    # The default time-out in seconds of this type, if not the dialect's; and the unit of its time-outs.
    timeout: float = 0.0
    unit: str = ""
    # runs; inert if the agent reads it and never runs it; ruins if it makes the agent refuse the file.
    does: str = "runs"
    # Values that every hook of this type has, as if its entry set them.
    spec: dict[str, str | bool] = {}
    # Keys that count for hooks of other types only.
    ignores: tuple[str, ...] = ()


class Section(Struct, frozen=True, kw_only=True):
    """The place of hooks in a file: under one key, or under one key of each item of a list."""

    # The key of the hooks.
    hooks: str = "hooks"
    # The list whose items have hooks. Empty: the file itself has them.
    each: str = ""
    # The key that names the agent of these hooks; without it the file's name does, or its folder's (`by_folder`).
    agent: str = ""
    by_folder: bool = False
    # Events that differ in this file.
    renames: dict[str, str] = {}


class File(Struct, frozen=True, kw_only=True):
    """A config file."""

    # `~/` is the user's home, `@config/` the XDG config folder, `/` the system; anything else is in the project.
    path: str
    # The owner of the file: system, user, project.
    scope: str
    # The format: json, jsonc, toml, yaml, frontmatter.
    format: str
    sections: tuple[Section, ...] = (Section(),)
    # What the file is: settings, plugin, skill, agent. Hooks of plugins and skills do not duplicate another file's.
    origin: str = "settings"
    # The dialect's switches count in it; `own_switch`: only for its own hooks.
    switches: bool = True
    own_switch: bool = False
    # It is another agent's own file, which this one reads, too.
    borrowed: bool = False
    # It is for hooks only, so any other key causes a warning; `alone`: another key costs the whole file.
    hooks_only: bool = False
    alone: bool = False
    # Other keys in the file that the agent reads for something else.
    beside: tuple[str, ...] = ()
    # Variables for its hooks: paths from the file's own folder; and the folder from there in which hooks run.
    env: dict[str, str] = {}
    cwd: str = ""
    # The version of its form that the agent reads; another one costs the whole file, a missing one is fine.
    version: int = 0
    # What one bad entry costs, if it differs from the form.
    malformed: str = ""
    # A variable of the agent's environment that names another place for the file.
    variable: str = ""
    # A file and a key in it that say which plugins are on, by `plugin@marketplace`; `*/*/*` are marketplace, plugin and
    # version in the path.
    enabled_by: tuple[str, str] | None = None


class Traces(Struct, frozen=True, kw_only=True):
    """What the agent leaves on a machine where it is in use."""

    # Its programs.
    programs: tuple[str, ...] = ()
    # Its files and folders, named like config files.
    paths: tuple[str, ...] = ()


class Form(Struct, frozen=True, kw_only=True):
    """How a file writes the hooks of an event."""

    # The keys that may hold an event's list of hooks, beside keys of a group. Empty: the event is the list.
    lists: tuple[str, ...] = ()
    # The key of a group's entries. Empty: there are no groups.
    group: str = ""
    # Entries may be outside of a group.
    flat: bool = False
    # The hooks are one flat list, whose items name their events.
    entries: bool = False
    # What each key of an entry sets, and each key of a group: words of `config/entry_keys`.
    keys: dict[str, str] = {}
    group_keys: dict[str, str] = {}
    # What a wrong value costs: nothing but itself (entry: an entry that cannot run is left out), the entry (item), or
    # the whole file (file).
    malformed: str = "entry"
    # The cost if the hooks of an event are not a list; and if a group has no hooks, in case that differs.
    unlisted: str = "entry"
    bare: str = ""
    # A null counts as a missing key.
    nulls: bool = False


class Wrapper(Struct, frozen=True):
    """A script around `tenter hook CALLS`, and the entry that calls it."""

    # Its file's name, and what it calls.
    script: str
    calls: str
    # The event of its entry. Empty: no config names it, and its caller names an action.
    event: str = ""
    # The time-out and the matcher of its entry.
    timeout: int = 0
    matcher: str = ""


class Setup(Struct, frozen=True, kw_only=True):
    """What `tenter init` writes: wrappers into a folder, entries into the first of the files that exists."""

    folder: str
    files: tuple[str, ...]
    wrappers: tuple[Wrapper, ...]
    # The command of an entry; `{path}` is the wrapper's.
    command: str = "{path}"
    # The list for the entries, if the form has such lists.
    list_key: str = ""
    # A caller of `tenter hook` that does not name its agent uses this dialect; true for one dialect only.
    usual_caller: bool = False


class Managed(Struct, frozen=True, kw_only=True):
    """The administrator's file of an agent, by operating system: users cannot take back what `tenter install --managed`
    writes there.
    """

    # The path on Linux, one of the agent's files.
    linux: str
    # The path on macOS and on Windows, as the agent's documents name it. Empty: they name none.
    macos: str = ""
    windows: str = ""
    # Further keys that the file needs; `TABLE.KEY` is one in a table.
    beside: dict[str, int | str | bool] = {}
    # What an administrator has to know.
    limits: tuple[str, ...] = ()


class Install(Struct, frozen=True, kw_only=True):
    """What `tenter install` writes: entries that call `tenter run`, into one file of the project's or the user's."""

    # The files that it writes, of a project and of the user.
    project: str
    user: str
    # Entries have no group around them, although the form allows one.
    flat: bool = False
    # The variable with the project's folder in the environment of a command.
    folder: str = ""
    # The key of the command, if it is not the first one of the type: agents that read the same file know others.
    program: str = ""
    # Agents that read these files and have no dialect here, or read them only if told to; what becomes of their calls.
    read_by: dict[str, str] = {}
    # The value of an entry that fails closed.
    closed: str | bool = False
    # The key of the user's file whose table sets the agent's own variables: an http hook takes its token from there.
    # Without it, or where nothing fails closed, the HTTP door is not for this agent.
    variables: str = ""
    # Why the HTTP door is not for it, where more can be said than that its http hooks do not fail closed.
    no_door: str = ""
    # Further keys that the file needs.
    beside: dict[str, int | str | bool] = {}
    # What the agent cannot enforce or needs first, if no other field of the dialect says it.
    limits: tuple[str, ...] = ()
    # The administrator's file; None if the agent has none for hooks.
    managed: Managed | None = None


class Switches(Struct, frozen=True, kw_only=True):
    """Keys of a config file with which hooks are switched on and off."""

    # A key that must be true for any hook to run.
    on: str = ""
    # A key and the value of it that switches all hooks off.
    off: tuple[str, bool] = ("", True)
    # A key with a list of the names of hooks that do not run.
    disabled: str = ""
    # The system's hooks run even if hooks are switched off.
    system_stays: bool = False
    # A key with which the system's file switches all other hooks off.
    only_system: str = ""


class ConfigRules(Struct, frozen=True, kw_only=True):
    """The files with hooks, and how hooks are written there."""

    # The files, in the order in which their hooks come.
    files: tuple[File, ...]
    # How a file writes the hooks of an event.
    form: Form
    # The types that a hook can have.
    types: tuple[Type, ...]
    # The type of an entry without one: a type's name, by-key, path-or-dotted.
    untyped: str = ""
    # The unit of time-outs.
    unit: str = "seconds"
    # How hooks of several files are combined.
    layers: str = "add"
    # Variables that move a folder of the user's.
    homes: dict[str, str] = {}
    switches: Switches = Switches()
    # The key of the command that writes the agent's status line.
    status_line: str = ""
    # The agent runs it without a shell, so that nothing in it expands.
    status_words: bool = False
    traces: Traces = Traces()
