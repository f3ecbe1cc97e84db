"""Hooks that would be dead when they are translated: they stay as they are, behind `tenter run --as AGENT -- COMMAND`.

The gate gives such a hook its own agent's event, and answers the caller in the caller's form.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from tenterhook import handlers
from tenterhook.author.agent_tools import tool_of
from tenterhook.author.registered import GUARDED
from tenterhook.config.entry_keys import key_of
from tenterhook.dialects.schema.dialect import Dialect, EventRule
from tenterhook.pipeline.match import match
from tenterhook.tools.check import answers
from tenterhook.tools.convert.convert_hook import ConvertedHook, TargetEntry
from tenterhook.tools.convert.losses import LOST, NOTE
from tenterhook.tools.convert.rules import RULES, THROUGH_GATE, ConversionCase
from tenterhook.tools.install.command_line import PROGRAM, CommandLine, line_of
from tenterhook.tools.install.init.additions import command_type

PLAIN = "a text on stdout"
# The rule about a mark that only events on Windows begin with: no reason to keep a hook as it is.
BYTE_ORDER_MARK = 19
# A line that prints text for the model, and no answer.
PRINTS = re.compile(r"^(?!.*>&2).*\b(?:echo|printf|print\s*\(|console\.log|puts)\b", re.MULTILINE)
# Fields of an event whose names are words of every script.
COMMON = frozenset({"event", "source", "reason", "message", "prompt", "trigger", "model", "status", "error", "cwd"})


def carry(case: ConversionCase) -> ConvertedHook:
    """The hook as it was converted; if that would be dead, behind the gate. A dead guard is never written."""
    placed, taken = case.placed, case.taken
    why = list(dict.fromkeys(reasons(case))) if placed.written else []
    if not why:
        return placed
    entries = [wrap_entry(case, one) for one in placed.written]
    if all(entries):
        text = f"it runs as it is behind {PROGRAM} run --as {case.source.name}; translated it would be dead: "
        kept = tuple(loss for loss in placed.losses if loss.name != "command")
        note = taken.loss("behind the gate", text + "; ".join(why), level=NOTE)
        written = tuple(one for one in entries if one is not None)
        return ConvertedHook(taken, written, (*kept, note), carried=True)
    if taken.rule.kind not in GUARDED:
        return placed
    lost = taken.loss("dead guard", f"not converted: it would be a dead guard there: {'; '.join(why)}")
    return ConvertedHook(taken, losses=(*placed.losses, lost))


def reasons(case: ConversionCase) -> Iterator[str]:
    """Why the hook would do nothing there, although it runs."""
    for number in sorted(THROUGH_GATE - {BYTE_ORDER_MARK}):
        for level, text in RULES[number].find(case):
            if level == LOST:
                yield text
    yield from missing_fields(case)
    yield from unheard_text(case)


def missing_fields(case: ConversionCase) -> Iterator[str]:
    """Fields that the script reads, and that are called otherwise there or are not given."""
    text = case.text
    for to in {one.rule.name: one.rule for one in case.placed.written}.values():
        there = set(fields_of(case.target, to))
        for name in fields_of(case.source, case.taken.rule):
            if name not in there and name not in COMMON and names(text, name):
                yield f"{to.name} has no field {name}"
        for own, other in tools(case):
            for name in own:
                if name not in other and name not in COMMON and names(text, name):
                    yield f"its tool has no field {name}"


def names(text: str, name: str) -> bool:
    return re.search(rf"(?<![\w$-]){re.escape(name)}(?![\w-])", text) is not None


def fields_of(dialect: Dialect, rule: EventRule) -> Iterator[str]:
    """The keys of an event's payload."""
    for field in (*(rule.overrides.base or dialect.payload.base), *rule.fields):
        yield field.name.partition(".")[0] if field.name else field.key


def tools(case: ConversionCase) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """The fields of each tool that the hook is for: here, and of the same tool there."""
    hook, rule, source = case.taken.hook, case.taken.rule, case.source
    test = match(hook.matcher, hook.match_kind or rule.overrides.matcher or source.planning.matcher)
    for ours, called in source.tools.names.items():
        if rule.target.field != "tool_name" or (test is not None and not test(called.name)):
            continue
        own, other = tool_of(source, called.name), tool_of(case.target, ours)
        if own and other and (other.fields or other.patch or other.text):
            yield own.fields, (*other.fields, other.patch)


def unheard_text(case: ConversionCase) -> Iterator[str]:
    """Plain text that its agent tells the model, and that the other one does not."""
    rule, text = case.taken.rule, case.text
    made = next(one for one in answers.fitting(rule.kind) if one.name == PLAIN)
    if "the model is told" not in answers.reading(case.source, rule, made, rule.name, {}) or not PRINTS.search(text):
        return
    for to in {one.rule.name: one.rule for one in case.placed.written}.values():
        if "the model is told" not in answers.reading(case.target, to, made, rule.name, {}):
            yield f"the model is not told its text at {to.name}"


def wrap_entry(case: ConversionCase, one: TargetEntry) -> TargetEntry | None:
    """The entry with the hook's own command behind the gate; None if that agent cannot call it."""
    target, hook = case.target, case.taken.hook
    if target.install is None or not handlers.traits(hook.handler).takes_command_line:
        return None
    command = handlers.get(hook.handler).command_line(hook)  # type: ignore[union-attr]
    words = command if isinstance(command, list) else [command]
    words = [shlex.quote(words[0])] if isinstance(command, list) and len(words) == 1 else words
    call = line_of(target.name, PROGRAM).at(target, one.rule)
    line = CommandLine(PROGRAM, (*call.words, "--as", case.source.name, "--", *words))
    key = target.install.program or command_type(target).key
    known = {kind.key for kind in target.config.types} | {key_of(target.config.form.keys, "words")}
    entry: dict[str, Any] = {}
    for name, value in one.entry.items():
        if name not in known:
            entry[name] = value
        elif key not in entry:
            entry[key] = line.text()
    return replace(one, entry=entry)
