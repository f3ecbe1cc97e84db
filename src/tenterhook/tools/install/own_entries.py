"""Entries of a file that are certainly ours, although no record of them exists.

A record may have been deleted, and is not found if the project was moved. Then an entry is ours if its command is
exactly what install writes, and it has no other keys than install would write.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from typing import Any

from tenterhook import handlers
from tenterhook.author.loading import LIBRARY
from tenterhook.author.process import parse_argv
from tenterhook.config.entry_keys import key_of
from tenterhook.dialects.schema.dialect import Dialect
from tenterhook.support.http_door import agent_in_url
from tenterhook.tools.install.command_line import PROGRAMS, CommandLine, PathInFolder, Word
from tenterhook.tools.install.door_line import is_opening, url_type
from tenterhook.tools.install.editing.edit import Addition, Edit, editor, join_argv, split_bom
from tenterhook.tools.install.init.additions import command_type, place_of
from tenterhook.tools.install.target import Target

MATCHERS = ("matcher", "matcher_trimmed")


def entries(target: Target, source: bytes, data: Any) -> list[Edit]:
    """As edits that can be removed. The edit of a changed entry has no data, so that it stays."""
    found = []
    text = split_bom(source)[1]
    for path in places(target, data):
        for item in items(data, path):
            calls = [(hook, command) for hook in hooks_of(target.dialect, item) if (command := says(target, hook))]
            whole = len(calls) == 1 and as_written(target, item, calls[0][0])
            for _, command in calls:
                addition = Addition(path, item if whole else command, says=command)
                found.append(Edit("", as_text(text, addition, target.file.format) if whole else "", addition))
    return found


def places(target: Target, data: Any) -> list[tuple[str, ...]]:
    """Every list that install may write to."""
    dialect, hooks = target.dialect, target.file.sections[0].hooks
    list_key = dialect.setup.list_key if dialect.setup else ""
    return list(dict.fromkeys(place_of(dialect, hooks, rule.name, data, list_key)[0] for rule in dialect.events))


def items(data: Any, path: tuple[str, ...]) -> list[Any]:
    for key in path:
        data = data.get(key) if isinstance(data, dict) else None
    return data if isinstance(data, list) else []


def hooks_of(dialect: Dialect, item: Any) -> Iterator[dict[str, Any]]:
    """The item, or its contents if it is a group."""
    if not isinstance(item, dict):
        return
    group = item.get(dialect.config.form.group) if dialect.config.form.group else None
    found = group if isinstance(group, list) else [item]
    yield from (hook for hook in found if isinstance(hook, dict))


def as_written(target: Target, item: dict[str, Any], hook: dict[str, Any]) -> bool:
    """Whether it holds nothing that install does not write: no other hook in the group, and no other key."""
    form = target.dialect.config.form
    if hook is item:
        return item.keys() <= keys(target) | setting(form.keys, "event", *MATCHERS)
    around = {form.group} | setting(form.group_keys, *MATCHERS)
    return len(item[form.group]) == 1 and item.keys() <= around and hook.keys() <= keys(target)


def keys(target: Target) -> set[str]:
    """The keys that install writes for a hook, in this version or an earlier one."""
    own, form = set(program_keys(target)), target.dialect.config.form.keys
    if target.install.variables:
        own |= {url_type(target.dialect).key} | setting(form, "spec_texts", "env")
    return own | setting(form, "type", "timeout", "closed", "words")


def program_keys(target: Target) -> list[str]:
    """The keys that name a program: install writes the first, and earlier versions wrote others."""
    types = (one for one in target.dialect.config.types if handlers.traits(one.handler).takes_command_line)
    return [target.install.program or command_type(target.dialect).key, *(one.key for one in types)]


def setting(keys: dict[str, str], *setters: str) -> set[str]:
    return {key for key, setter in keys.items() if setter in setters}


# ---- command lines


def says(target: Target, hook: dict[str, Any]) -> str:
    """The text by which a hook is recognised that install wrote for this agent, in any version; empty for other hooks.

    Some had their words in a separate list, where install now writes one text.
    """
    install, words_key = target.install, key_of(target.dialect.config.form.keys, "words")
    if install.variables and (url := url_called(target, hook)):
        return url
    program = next((hook[key] for key in program_keys(target) if key in hook), None)
    words = hook.get(words_key)
    if not isinstance(program, str):
        return ""
    if words is None:
        line = from_text(program, install.folder)
        return program if line and line.text() == program and is_ours(line, target) else ""
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        return ""
    line = CommandLine(program, tuple(word_of(word, install.folder) for word in words), install.folder)
    return join_argv(line.argv()) if is_ours(line, target) else ""


def url_called(target: Target, hook: dict[str, Any]) -> str:
    """The URL of the HTTP door, if that is what the hook calls for this agent."""
    url = hook.get(url_type(target.dialect).key)
    agent = agent_in_url(url) if isinstance(url, str) else ""
    return str(url) if agent and agent.partition("@")[0] == target.dialect.name.partition("@")[0] else ""


def from_text(text: str, folder: str) -> CommandLine | None:
    try:
        program, *words = shlex.split(text)
    except ValueError:  # nothing, or a quote that is not closed
        return None
    return CommandLine(program, tuple(word_of(word, folder) for word in words), folder)


def word_of(word: str, folder: str) -> Word:
    head = f"${{{folder}}}/"
    return PathInFolder("", word.removeprefix(head)) if folder and word.startswith(head) else word


def is_ours(line: CommandLine, target: Target) -> bool:
    """`tenter run --agent NAME`; or with files, in an earlier form: a shorter path was written by a person. Or the
    command that opens the HTTP door.
    """
    if os.path.basename(line.program) in PROGRAMS and is_opening(line.words):
        return bool(target.install.variables)
    words = line.words[:-2] if line.words[-2:-1] == ("--event",) else line.words
    if os.path.basename(line.program) not in PROGRAMS or words[:1] != ("run",) or words[-2:-1] != ("--agent",):
        return False
    call = parse_argv(line.argv()[1:])
    files = [word for word, _ in call.words] + ([call.options] if call.options else [])
    named = {line.plain(word) for word in words if isinstance(word, PathInFolder)}
    agent = target.dialect.name.partition("@")[0]
    return (
        not call.problems
        and call.agent.partition("@")[0] == agent
        and all(file in named or os.path.isabs(file) or file.startswith(LIBRARY) for file in files)
    )


def as_text(text: str, addition: Addition, format: str) -> str:
    """As install wrote it; the text is used to find it again in a format without positions."""
    if format in ("json", "jsonc"):
        return ""
    new = editor(format)(text, addition)[2]
    return new if new in text else new.lstrip("\r\n")
