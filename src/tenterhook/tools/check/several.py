"""What only shows when several files or versions are looked at together: hooks that run twice, entries that an older
version of the agent reads in another way.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence

from tenterhook.pipeline.match import fits_all, match
from tenterhook.pipeline.plan import DEDUPES
from tenterhook.support.terminal.text import near
from tenterhook.tools.check import CheckFinding, HookInspection
from tenterhook.tools.check.commands import script, words
from tenterhook.tools.check.tools import tools_of


def runs_twice(looks: Iterable[HookInspection]) -> Iterator[CheckFinding]:
    """The same program, called for the same events by two entries, both of which the agent runs."""
    before: dict[tuple[object, ...], list[HookInspection]] = {}
    for look in looks:
        key = what_runs(look)
        if key is None:
            continue
        same = before.setdefault(key, [])
        twin = next((other for other in same if overlap(look, other) and not is_deduplicated(look, other)), None)
        same.append(look)
        if twin and not (look.hook.source == twin.hook.source and look.hook.event == twin.hook.event):
            place = near(str(twin.hook.source))
            text = f"{look.dialect.title} runs this twice for the same {look.rule.kind}: it is in {place}, too"
            yield look.warning("runs-twice", "main", text)


def what_runs(look: HookInspection) -> tuple[object, ...] | None:
    """The kind of event, the program and its arguments; None for what is no program, or too short to mean anything."""
    plain = words(look) if look.is_command else []
    found = script(look)
    if found is None or not os.path.isfile(found.path):
        return None
    rest = tuple(word for word in plain if os.path.join(look.project, word) != found.path)
    condition = repr(look.hook.condition)
    return look.rule.kind, look.hook.agent, os.path.realpath(found.path), rest, condition


def overlap(one: HookInspection, other: HookInspection) -> bool:
    """Whether something fits both matchers."""
    if one.rule.target.field != other.rule.target.field:
        return False
    matchers = [(look.hook.matcher, look.hook.match_kind or look.dialect.planning.matcher) for look in (one, other)]
    if matchers[0] == matchers[1] or any(fits_all(matcher, kind) for matcher, kind in matchers):
        return True
    tests = [match(matcher, kind) for matcher, kind in matchers]
    targets: Sequence[str] = one.rule.target.values or tuple(tools_of(one.dialect, one.rule))
    return any(all(test and test(target) for test in tests) for target in targets)


def is_deduplicated(one: HookInspection, other: HookInspection) -> bool:
    """Whether the agent itself runs only the first of the two: those of the same text, but for plugins and skills."""
    by = one.dialect.planning.dedupe
    return bool(by) and bool({*DEDUPES[by].run(one.hook)} & {*DEDUPES[by].run(other.hook)})


def of_older_version(finding: CheckFinding, title: str, version: str) -> CheckFinding:
    text = f"in {title} {version}: {finding.text}"
    return CheckFinding("note", finding.file, finding.line, finding.column, text, "older-version", finding.path)
