"""Convert the hook config of one dialect into that of another, and report what is lost.

    read_hooks.py    the hooks of the source files, with their comments
    convert_hook.py  one hook: its event and entry in the target; matching.py, commands.py, other_keys.py are its parts
    write_file.py    the target file's text; reads its hooks back
    rules.py         the hazards of a conversion
    carried.py       hooks that would be dead there run behind the gate; gate_firing.py is their proof
    firing.py        both sides over the same events (samples.py) and answers (native.py)

Everything comes from the dialects' data; no agent is named here.
"""

from __future__ import annotations

import os

from msgspec import Struct

from tenterhook.config.entries import Problem
from tenterhook.dialects.schema.dialect import Dialect
from tenterhook.dialects.schema.vocabulary import covers
from tenterhook.engine.hookset import HookSet
from tenterhook.errors import UsageError
from tenterhook.tools.check.run_checks import look_at
from tenterhook.tools.convert import firing
from tenterhook.tools.convert.carried import carry
from tenterhook.tools.convert.convert_hook import ConvertedHook, place_hook
from tenterhook.tools.convert.losses import LOST, NOTE, Difference, HookFate, Loss
from tenterhook.tools.convert.read_hooks import SourceHook, collect_project_hooks
from tenterhook.tools.convert.rules import ConversionCase, judge
from tenterhook.tools.convert.write_file import FileText, file_for, items, owners, path_of, reread, text_of
from tenterhook.tools.install.editing.writing import content

__all__ = ["Conversion", "Difference", "Loss", "convert"]


class Conversion(Struct, frozen=True):
    """The converted file, and everything that changed."""

    source: str
    target: str
    file: str
    format: str
    text: str
    hooks: int
    converted: int
    fates: tuple[HookFate, ...]
    losses: tuple[Loss, ...]
    differences: tuple[Difference, ...]

    @property
    def lossless(self) -> bool:
        return not self.differences and not any(loss.level == LOST for loss in self.losses)


def convert(
    hooks: HookSet, target: Dialect, *, out: str = "", merge: bool = False, check: bool = False, plain: bool = False
) -> Conversion:
    """Convert the hooks of a project's files. `out` is where they go, else where the other agent looks for them.

    A hook that would be dead there stays as it is, behind the gate, unless it shall be `plain`. With `merge` they are
    added to the existing file. With `check` both sides really run, as far as trusted.
    """
    found = collect_project_hooks(hooks)
    if not found:
        looked = ", ".join(place.path for place in hooks.ready().places)
        raise UsageError(f"no hooks of {hooks.dialect.title} here; looked for: {looked}")
    file = file_for(target, out)
    path = os.path.abspath(out) if out else os.path.join(hooks.project, path_of(file))
    if merge and os.path.realpath(path) in {os.path.realpath(one.hook.source.file) for one in found}:
        raise UsageError(f"{path} is where the hooks are; write them to another file with -o, to take its place")
    parts = [place_hook(one, hooks.dialect, target) for one in found]
    if not plain:
        parts = [carry(ConversionCase(part, look_at(part.taken.hook, hooks), hooks.dialect, target)) for part in parts]
    carried = {id(part.taken) for part in parts if part.carried}
    made = items([one for part in parts for one in part.written], target, file)
    text = text_of(made, target, file, path)
    loaded = reread(text.text, target, file, path)
    pairs = owners(loaded, text, target)
    losses = [loss for part in parts for loss in of_hook(part, hooks, target)]
    losses += [*homeless(text, path), *complaints(loaded.problems), *read_twice(parts, path, hooks, target)]
    differences = [*firing.compare_plans(pairs, hooks.dialect, target)]
    differences += firing.read(pairs, hooks.dialect, target, carried)
    if check:
        differences += firing.run(hooks, pairs, target, carried)
    if merge and (before := content(path)) is not None:
        text = text_of(made, target, file, path, before)
    converted = sum(bool(part.written) for part in parts)
    return Conversion(
        hooks.dialect.name,
        target.name,
        path,
        file.format,
        text.text,
        len(found),
        converted,
        tuple(fate_of(part, losses) for part in parts),
        tuple(dict.fromkeys(losses)),
        tuple(dict.fromkeys(differences)),
    )


def fate_of(part: ConvertedHook, losses: list[Loss]) -> HookFate:
    hook = part.taken.hook
    levels = {loss.level for loss in losses if (loss.file, loss.hook) == (hook.source.file, hook.name)}
    state = "broken" if not part.written or LOST in levels else "changed" if levels else "works"
    return HookFate(hook.name, hook.source.file, hook.source.line or 0, state)


def of_hook(part: ConvertedHook, hooks: HookSet, target: Dialect) -> list[Loss]:
    look = look_at(part.taken.hook, hooks)
    return list(judge(ConversionCase(part, look, hooks.dialect, target)))


def homeless(text: FileText, path: str) -> list[Loss]:
    """Comments that a format without comments cannot hold."""
    name = os.path.basename(path)
    return [one.taken.loss("comment", f"{name} can hold no comment: {line}", level=NOTE) for one, line in text.homeless]


def complaints(problems: list[Problem]) -> list[Loss]:
    """What the other agent reports about the file."""
    return [Loss(0, "there", LOST, one.file, one.line, one.column, "", "", one.text) for one in problems]


def read_twice(parts: list[ConvertedHook], path: str, hooks: HookSet, target: Dialect) -> list[Loss]:
    """Files that the other agent also reads, beside the one that is written."""
    if hooks.dialect.name == target.name:
        return []
    patterns = [file.path for file in target.config.files if file.scope == "project"]
    advice = f"{target.title} reads this file too, so that what it can run of it runs twice; take it out of one of them"
    return [
        Loss(0, "read twice", LOST, file, 0, 0, "", "", advice)
        for file in dict.fromkeys(part.taken.hook.source.file for part in parts if part.written)
        if file != path and any(covers(one, os.path.relpath(file, hooks.project)) for one in patterns)
    ]


def untrusted_project_hooks(hooks: HookSet) -> list[SourceHook]:
    return [one for one in collect_project_hooks(hooks) if not one.hook.trusted]
