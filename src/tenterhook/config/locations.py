"""Where a dialect's config files are: every location it names, found or not."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from tenterhook.dialects.schema.dialect import Dialect, File
from tenterhook.errors import ConfigError
from tenterhook.support.paths import within

FORMATS = {
    ".json": ("jsonc", "json"),
    ".toml": ("toml",),
    ".yaml": ("yaml",),
    ".yml": ("yaml",),
    ".md": ("frontmatter",),
}


class ConfigLocation(Struct, frozen=True):
    """One path that was looked at."""

    path: str
    file: File
    found: bool


def places(
    dialect: Dialect, project: str, home: str, environ: Mapping[str, str], config: str = "", system: str = ""
) -> list[ConfigLocation]:
    """All locations in the dialect's order, each once; `config` replaces the search, except for the system's own
    file.
    """
    managed = [override_managed_path(file, system) for file in dialect.config.files if file.scope == "managed"]
    files = (*managed, *(file for file in dialect.config.files if file.scope != "managed"))
    if config:
        return [
            *(place for file in managed for place in expand(file, dialect, project, home, environ)),
            only(dialect, project, config),
        ]
    found = [place for file in files for place in expand(file, dialect, project, home, environ)]
    own = {place.path: place for place in found if place.file.scope != "project"}  # if the project is the home folder
    return list({place.path: own.get(place.path, place) for place in reversed(found)}.values())[::-1]


def override_managed_path(file: File, system: str) -> File:
    """Move the system's file, if a host says so, such as in a test."""
    return replace(file, path=system) if system else file


def only(dialect: Dialect, project: str, config: str) -> ConfigLocation:
    """The one file the caller named. It is the project's if it is in the project, else the user's."""
    path = os.path.abspath(config)
    if not os.path.exists(path):
        raise ConfigError("no such file; --config replaces the search for config files", file=config)
    formats = FORMATS.get(os.path.splitext(path)[1].lower(), ())
    fitting = [file for file in dialect.config.files if file.format in formats and file.scope != "managed"]
    if not fitting:
        known = ", ".join(sorted({file.format for file in dialect.config.files}))
        raise ConfigError(f"the dialect {dialect.name} reads no such files, only {known}", file=config)
    # A symlink in the project that leads out of it is still the project's choice.
    named = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
    root = os.path.realpath(project)
    inside = within(path, os.path.abspath(project)) or within(named, root) or within(os.path.realpath(path), root)
    alike = [file for file in fitting if os.path.basename(file.path) == os.path.basename(path)]
    model = (alike or fitting)[0]
    scope = "project" if inside else "user"
    return ConfigLocation(path, replace(model, path=path, scope=scope), True)


def expand(
    file: File, dialect: Dialect, project: str, home: str, environ: Mapping[str, str]
) -> Iterator[ConfigLocation]:
    named = moved_home(file.path, dialect, environ)
    fixed, star, pattern = named.partition("*")
    path = resolve_config_path(environ.get(file.variable) or named, project, home, environ)
    if not star:
        yield ConfigLocation(path, file, there(path))
        return
    root = resolve_config_path(fixed, project, home, environ)
    found = wildcard(root, star + pattern)
    if file.enabled_by:
        settings, key = file.enabled_by
        found = filter_enabled_plugins(
            found, root, resolve_config_path(moved_home(settings, dialect, environ), project, home, environ), key
        )
    yield from (ConfigLocation(one, file, True) for one in found)
    if not found:
        yield ConfigLocation(path, file, False)


def moved_home(path: str, dialect: Dialect, environ: Mapping[str, str]) -> str:
    """The folder that a variable names instead; a relative one is ignored, since it would be the project's."""
    for name, folder in dialect.config.homes.items():
        if path.startswith(f"{folder}/") and os.path.isabs(environ.get(name, "")):
            return environ[name] + path[len(folder) :]
    return path


def filter_enabled_plugins(found: list[str], root: str, settings: str, key: str) -> list[str]:
    """The files of plugins that the settings enable; of several versions the last."""
    switches = read_plugin_switches(settings, key) if found else {}
    chosen: dict[str, str] = {}
    for path in found:
        marketplace, plugin, *_ = os.path.relpath(path, root).split(os.sep)
        switch = switches.get(f"{plugin}@{marketplace}")
        if switch is True or (isinstance(switch, dict) and switch.get("enabled", True) is True):
            chosen[f"{plugin}@{marketplace}"] = path
    return list(chosen.values())


def read_plugin_switches(settings: str, key: str) -> dict[str, Any]:
    """A file's switches for plugins; empty if it cannot be read, which is reported when its hooks are read."""
    from tenterhook.support import readers

    try:
        document = readers.read(settings, FORMATS[os.path.splitext(settings)[1]][0])
    except ConfigError:
        return {}
    found = document.data.get(key) if document else None
    return found if isinstance(found, dict) else {}


def there(path: str) -> bool:
    """Only ENOENT means that there is no file: one that cannot be reached must be reported when it is read."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def resolve_config_path(path: str, project: str, home: str, environ: Mapping[str, str]) -> str:
    if path.startswith("~/"):
        return os.path.join(home, path[2:])
    if path.startswith("@config/"):
        folder = environ.get("XDG_CONFIG_HOME", "")
        if not os.path.isabs(folder):  # a relative path is invalid, and would make a project's file the user's
            folder = os.path.join(home, ".config")
        return os.path.join(folder, path[len("@config/") :])
    return os.path.join(project, path)


def wildcard(root: str, pattern: str) -> list[str]:
    """Matching files, sorted. Folders behind symlinks are not searched: two links to `.` would never end."""
    if not os.path.isdir(root):
        return []
    from glob import glob

    deep, _, name = pattern.rpartition("**/")
    folders = [folder for folder, _, _ in os.walk(root)] if deep or name != pattern else [root]
    return sorted(os.path.join(folder, one) for folder in folders for one in glob(name, root_dir=folder))
