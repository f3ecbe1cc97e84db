"""How an agent's config files are written: which there are, where hooks stand in them, and what `tenter init` adds."""

from __future__ import annotations

from msgspec import Struct


class Type(Struct, frozen=True, kw_only=True):
    """One type of hook as a config file writes it."""

    # What an entry's type says.
    name: str
    # Which of our handlers runs it.
    handler: str
    # The key that says what runs.
    key: str
    # How the value of that key is understood: as shell text, a program, a URL, ...
    form: str = "shell"
    # Seconds that a hook of this type has where it does not say, if not the dialect's; and the unit that it counts in.
    timeout: float = 0.0
    unit: str = ""
    # runs; inert where the agent reads it and never runs it; ruins where it makes the agent refuse the file.
    does: str = "runs"
    # What every hook of this type has, as if its entry said so.
    spec: dict[str, str | bool] = {}
    # Keys that count for hooks of other types only.
    ignores: tuple[str, ...] = ()


class Section(Struct, frozen=True, kw_only=True):
    """Where hooks stand in a file: under one key, or under one key of each item of a list."""

    # The key of the hooks.
    hooks: str = "hooks"
    # The list whose items have them. Empty: the file itself has them.
    each: str = ""
    # The key that names the agent that they are for; without it the file's name does, or its folder's (`by_folder`).
    agent: str = ""
    by_folder: bool = False
    # Events that are others in this file.
    renames: dict[str, str] = {}


class File(Struct, frozen=True, kw_only=True):
    """A config file."""

    # `~/` is the user's home, `@config/` the XDG config folder, `/` the system; anything else is in the project.
    path: str
    # Whose file it is: system, user, project.
    scope: str
    # How it is written: json, jsonc, toml, yaml, frontmatter.
    format: str
    sections: tuple[Section, ...] = (Section(),)
    # What the file is: settings, plugin, skill, agent. Hooks of plugins and skills do not duplicate another file's.
    origin: str = "settings"
    # Switches of the dialect count in it; `own_switch`: for its own hooks alone.
    switches: bool = True
    own_switch: bool = False
    # It is there for hooks alone, so that any other key is worth a warning; `alone`: it costs the whole file.
    hooks_only: bool = False
    alone: bool = False
    # Keys that stand beside the hooks and that the agent reads for something else.
    beside: tuple[str, ...] = ()
    # Variables for its hooks: paths from the file's own folder; and the folder from there in which they run.
    env: dict[str, str] = {}
    cwd: str = ""
    # The version of its form that the agent reads; any other costs the whole file, none does no harm.
    version: int = 0
    # What one bad entry costs, where that differs from the form.
    malformed: str = ""
    # A variable of the agent's environment that says where the file lies instead.
    variable: str = ""
    # A file and a key in it that say which plugins are on, by `plugin@marketplace`; `*/*/*` are marketplace, plugin and
    # version in the path.
    enabled_by: tuple[str, str] | None = None


class Form(Struct, frozen=True, kw_only=True):
    """How a file writes the hooks of an event."""

    # The keys under which an event may hold its list of hooks, beside keys of a group. Empty: the event is the list.
    lists: tuple[str, ...] = ()
    # The key under which a group holds its entries. Empty: there are no groups.
    group: str = ""
    # Entries may stand without a group around them.
    flat: bool = False
    # The hooks are one flat list, whose items name their events themselves.
    entries: bool = False
    # What each key of an entry sets, and each key of a group: words of `config/entry_keys`.
    keys: dict[str, str] = {}
    group_keys: dict[str, str] = {}
    # What a wrong value costs: nothing but itself (entry: an entry that cannot run is left out), the entry (item), or
    # the whole file (file).
    malformed: str = "entry"
    # What it costs where the hooks of an event are not a list; and where a group has no hooks, if that differs.
    unlisted: str = "entry"
    bare: str = ""
    # A null is as if the key were not there.
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
    """What `tenter init` writes: wrappers into a folder, entries into the first of the files that is there."""

    folder: str
    files: tuple[str, ...]
    wrappers: tuple[Wrapper, ...]
    # The command of an entry; `{path}` is the wrapper's.
    command: str = "{path}"
    # The list that entries go into, where the form has such lists.
    list_key: str = ""
    # A caller of `tenter hook` that does not say which agent it is speaks this dialect; true of one dialect.
    usual_caller: bool = False


class Install(Struct, frozen=True, kw_only=True):
    """What `tenter install` writes: entries that call `tenter run`, into one file of the project's or the user's."""

    # The files that it writes, of a project and of the user.
    project: str
    user: str
    # No group around an entry, though there may be one.
    flat: bool = False
    # The variable that holds the project's folder where a command runs.
    folder: str = ""
    # The key of a list of words: with it no shell is between.
    words: str = ""
    # Where the program stands then, if not where the type has its command.
    program: str = ""
    # What an entry says to fail closed.
    closed: str | bool = False
    # Keys that the file needs besides its hooks.
    beside: dict[str, int | str | bool] = {}
    # What the agent cannot enforce or needs first, as far as nothing else in the dialect tells.
    limits: tuple[str, ...] = ()


class Switches(Struct, frozen=True, kw_only=True):
    """Keys of a config file with which hooks are switched on and off."""

    # A key that must be true for any hook to run.
    on: str = ""
    # A key and the value of it that switches all hooks off.
    off: tuple[str, bool] = ("", True)
    # A key with a list of the names of hooks that do not run.
    disabled: str = ""
    # The system's hooks run although hooks are switched off.
    system_stays: bool = False
    # A key with which the system's file leaves no other hooks on.
    only_system: str = ""


class ConfigRules(Struct, frozen=True, kw_only=True):
    """Where hooks stand, and how they are written there."""

    # The files, in the order in which their hooks come.
    files: tuple[File, ...]
    # How a file writes the hooks of an event.
    form: Form
    # The types that a hook can have.
    types: tuple[Type, ...]
    # The type of an entry without one: a type's name, by-key, path-or-dotted.
    untyped: str = ""
    # In what time-outs are written.
    unit: str = "seconds"
    # How hooks of several files come together.
    layers: str = "add"
    # Variables that move a folder of the user's.
    homes: dict[str, str] = {}
    switches: Switches = Switches()
    # The key of the command that writes the agent's status line.
    status_line: str = ""
