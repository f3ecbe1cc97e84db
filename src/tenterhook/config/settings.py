"""The settings of the user and of the system's administrator for all hooks: the table `settings` of our own config
file.

The system's file is /etc/tenterhook/tenterhook.toml, the user's tenterhook/tenterhook.toml in the config folder. The
user cannot override the system's settings. A project has no settings: the author of hooks must not decide how they are
confined, recorded or trusted.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from tenterhook.config.locations import resolve_config_path
from tenterhook.errors import ConfigError, nearest
from tenterhook.support.files import LARGEST, whole

SYSTEM = "/etc/tenterhook/tenterhook.toml"
USER = "@config/tenterhook/tenterhook.toml"
TABLE, SERVE, GATE = "settings", "serve", "gate"
# Further tables; a key of theirs is a field with the table's name before it.
FURTHER = (SERVE, GATE)
CHOICES = {"sandbox": ("default", "require", "off"), "secrets": ("strip", "pass")}


class Settings(Struct, frozen=True, kw_only=True):
    """How hooks are confined, what they see of the environment, what is recorded of them.

    `only_managed`, `bypass` and `managed_off` count in the system's file alone: only the system's own hooks run;
    whether hooks may run without approval; whether TENTERHOOK_OFF also switches the system's own hooks off.
    """

    # "default": confined if possible, else a warning; "require": refused if not possible; "off".
    sandbox: str = "default"
    # Variables that hold secrets are removed from hooks' environment ("strip") or passed on ("pass").
    secrets: str = "strip"
    # Whether outcomes are recorded, for how many days, and how many megabytes at most.
    journal: bool = True
    journal_days: int = 30
    journal_megabytes: int = 64
    # Hosts (HOST or HOST:PORT) that a project's hooks may reach although they are loopback or private addresses.
    hosts: tuple[str, ...] = ()
    only_managed: bool = False
    bypass: bool = True
    managed_off: bool = False
    # Whether `tenter run` starts the server: `auto` of the table `serve`.
    serve_auto: bool = True
    # Other agents whose hooks `tenter run` runs, too: `hooks_of` of the table `gate`, which a project may have, too.
    gate_hooks_of: tuple[str, ...] = ()


MANAGED = ("only_managed", "bypass", "managed_off")


def settings(home: str, environ: Mapping[str, str], system: str, **host: Any) -> Settings:
    """The user's settings, then the host's, then the system's over them. Nothing is parsed if there is no file."""
    users = table(resolve_config_path(USER, "", home, environ))
    theirs = {key: value for key, value in users.items() if key not in MANAGED}
    return replace(Settings(), **{**theirs, **host, **load_managed_settings(system)})


def load_managed_settings(system: str) -> dict[str, Any]:
    """The system's settings; a file that users other than root could have written is ignored."""
    return table(system) if is_roots(system) else {}


def is_roots(path: str) -> bool:
    """Whether root alone could have written this file, and put it there; Windows does not say so in such words."""
    if not hasattr(os, "geteuid"):
        return False
    try:
        ours = [os.stat(one) for one in (path, os.path.dirname(path))]
    except OSError:
        return False
    return all(one.st_uid == 0 and not one.st_mode & 0o022 for one in ours)


def table(file: str) -> dict[str, Any]:
    """The table in one file, validated; empty if there is no file or no table."""
    try:
        with open(file, "rb") as opened:
            text = whole(opened, file, LARGEST)
    except FileNotFoundError:
        return {}
    except OSError as exc:
        raise ConfigError(exc.strerror or str(exc), file=file) from None
    if not any(name.encode() in text for name in (TABLE, *FURTHER)):
        return {}
    import tomllib

    try:
        data = tomllib.loads(text.decode())
    except (ValueError, RecursionError) as exc:
        raise ConfigError(str(exc), file=file) from None
    return {
        fields_of(name).get(key, key): validate_setting(file, name, key, value)
        for name in (TABLE, *FURTHER)
        for key, value in read_table(data, name, file).items()
    }


def fields_of(table: str) -> dict[str, str]:
    """The keys of a table in a file, each with its field here."""
    if table == TABLE:
        return {name: name for name in Settings.__struct_fields__ if name.partition("_")[0] not in FURTHER}
    head = f"{table}_"
    return {name.removeprefix(head): name for name in Settings.__struct_fields__ if name.startswith(head)}


def read_table(data: dict[str, Any], name: str, file: str) -> dict[str, Any]:
    found = data.get(name, {})
    if not isinstance(found, dict):
        raise ConfigError(f"{name} must be a table, not {type(found).__name__}", file=file)
    return found


def validate_setting(file: str, table: str, key: str, value: Any) -> Any:
    known = fields_of(table)
    name = f"{table}.{key}"
    if key not in known:
        raise ConfigError(f"unknown key {name!r}{nearest(key, known)}", file=file)
    usual = getattr(Settings(), known[key])
    if key in CHOICES and value not in CHOICES[key]:
        raise ConfigError(f"{name} must be one of {', '.join(CHOICES[key])}, not {value!r}", file=file)
    if isinstance(usual, tuple):
        if isinstance(value, list) and all(isinstance(one, str) for one in value):
            return tuple(value)
        raise ConfigError(f"{name} must be a list of texts, not {value!r}", file=file)
    if type(value) is not type(usual) or (isinstance(usual, int) and not isinstance(usual, bool) and value < 1):
        wanted = {bool: "true or false", int: "a whole number of at least 1"}.get(type(usual), "text")
        raise ConfigError(f"{name} must be {wanted}, not {value!r}", file=file)
    return value
