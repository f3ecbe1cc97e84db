"""The record of an init, stored beside the wrappers: enough to restore every file."""

from __future__ import annotations

import hashlib
import os

import msgspec
from msgspec import Struct

from tenterhook.dialects.schema.dialect import Setup
from tenterhook.errors import ConfigError
from tenterhook.tools.install.editing.edit import Addition, Edit, mentions
from tenterhook.tools.install.editing.writing import content
from tenterhook.tools.install.init.additions import command_of

NAME = ".tenter-init.json"
VERSION = 1


class WrapperRecord(Struct):
    """A wrapper as init left it, and the file that it replaced, if any."""

    digest: str
    original: bytes | None = None
    mode: int | None = None


class ConfigRecord(Struct):
    """The config file as init found it and left it. No digest: people changed it between two inits.

    The state before our entries may be unknown; then `original` is the file without them.
    """

    original: bytes | None
    digest: str
    edits: list[Edit]
    known: bool = True


class Record(Struct):
    """One or more inits of one dialect in one project; paths are relative to the project."""

    version: int
    dialect: str
    scripts: dict[str, WrapperRecord]
    configs: dict[str, ConfigRecord]
    folders: list[str]


def path_of(project: str, setup: Setup) -> str:
    return os.path.join(project, setup.folder, NAME)


def read(project: str, setup: Setup) -> Record | None:
    path = path_of(project, setup)
    record = load_record(path)
    if record and not believable(record, setup):
        raise ConfigError("the record of an earlier init names what init never writes; it is not followed", file=path)
    return record


def load_record(path: str) -> Record | None:
    """Read a record from its file."""
    source = content(path)
    if source is None:
        return None
    try:
        record = msgspec.json.decode(source, type=Record)
    except (msgspec.DecodeError, ValueError) as exc:
        raise ConfigError(f"the record of an earlier change cannot be read: {exc}", file=path) from None
    if record.version != VERSION:
        raise ConfigError(f"the record is of version {record.version}; this tenter knows {VERSION}", file=path)
    return record


def believable(record: Record, setup: Setup) -> bool:
    """A record comes with a repository and is not trusted: it may only name what init itself writes."""
    commands = {command_of(setup, wrapper) for wrapper in setup.wrappers}
    additions = [edit.addition for config in record.configs.values() for edit in config.edits]
    homes = [f"{place}/" for place in (setup.folder, *map(os.path.dirname, record.configs))]
    return (
        set(record.configs) <= set(setup.files)
        and set(record.scripts) <= {wrapper.script for wrapper in setup.wrappers}
        and all(ours(one, commands) if one.item else one.value in ({}, [], True) for one in additions)
        and all(any(home.startswith(f"{folder}/") for home in homes) for folder in record.folders)
    )


def ours(addition: Addition, commands: set[str]) -> bool:
    return addition.says in commands and mentions(addition.value, addition.says)


def encode_record(record: Record) -> bytes:
    return msgspec.json.format(msgspec.json.encode(record), indent=1) + b"\n"


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
