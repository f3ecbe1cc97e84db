"""How an agent's config files are written: which there are, where hooks stand in them, and what `tenter init` adds."""

from __future__ import annotations

from msgspec import Struct


class Type(Struct, frozen=True, kw_only=True):
    """One handler type as its config writes it: which of our handlers runs it, from which key.

    `does`: runs; inert where the agent reads it and never runs it; ruins where it makes the agent refuse the file.
    """

    name: str
    handler: str
    key: str
    form: str = "shell"
    timeout: float = 0.0
    unit: str = ""
    does: str = "runs"
    # What every hook of this type has, as if its entry said so.
    spec: dict[str, str | bool] = {}
    # Keys that count for hooks of other types only.
    ignores: tuple[str, ...] = ()


class Section(Struct, frozen=True, kw_only=True):
    """Where hooks stand in a file: under one key, or under one key of each item of a list.

    `renames` are events that are others there; `agent` is the key that names whom they are for, else the file's name
    (or, `by_folder`, its folder's).
    """

    hooks: str = "hooks"
    each: str = ""
    agent: str = ""
    by_folder: bool = False
    renames: dict[str, str] = {}


class File(Struct, frozen=True, kw_only=True):
    """A config file: `~/` is the user's home, `@config/` the XDG config folder, `/` the system, else the project."""

    path: str
    scope: str
    format: str
    sections: tuple[Section, ...] = (Section(),)
    switches: bool = True
    hooks_only: bool = False
    # Whether any key but those and the hooks costs the whole file.
    alone: bool = False
    # Keys that stand beside the hooks and are read by somebody else.
    beside: tuple[str, ...] = ()
    # What the file is: settings, plugin, skill, agent. Hooks of plugins and skills are no other file's duplicates.
    origin: str = "settings"
    # Variables for its hooks: paths from the file's own folder; and the folder from there in which they run.
    env: dict[str, str] = {}
    cwd: str = ""
    # The version of its form that the agent reads; any other costs the whole file, none does no harm.
    version: int = 0
    # What one bad entry costs, where that differs; and whether a switch in it is for its own hooks alone.
    malformed: str = ""
    own_switch: bool = False
    # A variable of the agent's environment that says where the file lies instead.
    variable: str = ""
    # A file and a key in it that say which plugins are on, by `plugin@marketplace`; `*/*/*` are marketplace, plugin and
    # version in the path.
    enabled_by: tuple[str, str] | None = None


class Form(Struct, frozen=True, kw_only=True):
    """How a file writes the hooks of an event.

    `malformed` is what a wrong value costs: nothing but itself (entry: an entry that cannot run is left out), the entry
    (item), or the whole file; `unlisted` is what an event costs whose hooks are no list, `bare` what a group costs that
    has none, where that differs. With `nulls` a null is as if the key were not there.
    """

    lists: tuple[str, ...] = ()
    group: str = ""
    flat: bool = False
    entries: bool = False
    keys: dict[str, str] = {}
    group_keys: dict[str, str] = {}
    malformed: str = "entry"
    unlisted: str = "entry"
    bare: str = ""
    nulls: bool = False


class Wrapper(Struct, frozen=True):
    """A script around `tenter hook CALLS`. Without an event no config names it: who calls it names an action."""

    script: str
    calls: str
    event: str = ""
    timeout: int = 0
    matcher: str = ""


class Setup(Struct, frozen=True, kw_only=True):
    """What `tenter init` writes: wrappers into a folder, entries into the first of the files that is there."""

    folder: str
    files: tuple[str, ...]
    wrappers: tuple[Wrapper, ...]
    command: str = "{path}"
    list_key: str = ""
