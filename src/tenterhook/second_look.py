"""After rewrites a strict engine looks a second time: the deny rules see what will really happen."""

from __future__ import annotations

import itertools
from typing import Any

from msgspec.structs import replace

from tenterhook.dialect import EventRule
from tenterhook.types import Hook, Skipped, Verdict


def misled(
    rule: EventRule, now: dict[str, Any], shown: list[tuple[tuple[Hook, ...], dict[str, Any]]]
) -> tuple[Hook, ...]:
    """The hooks that judged something other than what will really happen: a strict engine asks them once more."""
    fields = rule.chain.values() if rule.blocks else ()
    stale = [batch for batch, data in shown if any(data.get(field) != now.get(field) for field in fields)]
    return tuple(itertools.chain(*stale))


def without(skipped: tuple[Skipped, ...], awake: tuple[Hook, ...]) -> tuple[Skipped, ...]:
    """Who runs after all was not skipped."""
    run = {(hook.name, str(hook.source)) for hook in awake}
    return tuple(one for one in skipped if (one.hook, one.source) not in run) if run else skipped


def refusals(verdicts: list[Verdict]) -> list[Verdict]:
    """Of hooks that were asked once more only a refusal or a failure counts: they had their say before."""
    return [replace(one, changes={}) for one in verdicts if one.failed or one.decision in ("deny", "ask")]
