"""The hooks of an earlier form of install, `tenter run FILE... --agent NAME`: they move into our own config."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from typing import Any

from msgspec import Struct, field

from tenterhook.author.calls import HookCommand
from tenterhook.author.loading import LIBRARY
from tenterhook.author.process import parse_argv
from tenterhook.errors import UsageError
from tenterhook.tools.install.change import read_state_before
from tenterhook.tools.install.editing.file_changes import FileChanges
from tenterhook.tools.install.hookfiles import load_hook_files
from tenterhook.tools.install.own_config import name_in_config
from tenterhook.tools.install.target import Target

File = tuple[str, dict[str, Any]]
Files = list[File]


class EarlierHooks(Struct):
    """The files of earlier entries, and what to say of them. The user named those that are on record."""

    recorded: Files = field(default_factory=list)
    unrecorded: Files = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    by_hand: list[str] = field(default_factory=list)


def find_earlier_hooks(targets: list[Target], named: Files, config: Target) -> EarlierHooks:
    """The hooks of the entries that this install replaces, without those that it names itself."""
    found = EarlierHooks()
    ours = {name_in_config(word, config) for word, _ in named}
    options: dict[str, dict[str, Any]] = {}
    for target in targets:
        before = read_state_before(FileChanges(dialect=target.dialect.name, project=target.root), target, {})
        for said in dict.fromkeys(edit.addition.says for edit in before.removed):
            call = parse_line(said, target)
            others = [one for one in call.words if name_in_config(one[0], config) not in ours]
            call.words = [one for one in others if is_there(one[0], target, found)]
            files = load_hook_files(call) if before.recorded else without_options(call, target)
            into = found.recorded if before.recorded else found.unrecorded
            into += new_files(files, options, config, found)
    return found


def parse_line(said: str, target: Target) -> HookCommand:
    """The call of an entry, with whole paths."""
    words = said.split("\0") if "\0" in said else shlex.split(said)[1:]
    folder, project = f"${{{target.install.folder}}}/", f"{target.hooks.project}/"
    return parse_argv([project + word[len(folder) :] if word.startswith(folder) else word for word in words[1:]])


def is_there(word: str, target: Target, found: EarlierHooks) -> bool:
    there = word.startswith(LIBRARY) or os.path.isfile(word)
    if not there:
        found.by_hand.append(
            f"the entries of {target.dialect.title} called {word}, which is not there any more; "
            "name the file where it is now: tenter install FILE"
        )
    return there


def without_options(call: HookCommand, target: Target) -> Files:
    """Files of entries that are not on record: they may be a stranger's, so nothing of them runs before approval."""
    if call.words and (call.settings or call.options or any(settings for _, settings in call.words)):
        names = ", ".join(word for word, _ in call.words)
        raise UsageError(
            f"{target.path} calls {names} with options, and no record says that you installed that; "
            "nothing was written. Name the files with their options in this install, or remove the entries first: "
            "tenter uninstall"
        )
    return [(word, {}) for word, _ in call.words]


def new_files(files: Files, options: dict[str, dict[str, Any]], config: Target, found: EarlierHooks) -> Iterator[File]:
    """Each file once: the entries of several agents may call it. `options` are those of the files so far."""
    for word, given in files:
        name = name_in_config(word, config)
        if options.setdefault(name, given) is given:
            yield word, given
        elif options[name] != given:
            found.notes.append(f"another entry called {name} with other options, which do not count any more: {given}")
