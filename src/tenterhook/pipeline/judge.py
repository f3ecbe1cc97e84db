"""Judge a batch: read its attempts, decide whether the next batch runs, find the hooks to ask again."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from tenterhook.dialects.schema.dialect import EventRule
from tenterhook.pipeline.answer import KEPT
from tenterhook.pipeline.apply import paths
from tenterhook.pipeline.verdict import verdict
from tenterhook.types import Attempt, Hook, Skipped, Verdict

if TYPE_CHECKING:
    from tenterhook.engine.compiled_event import CompiledEvent

# What ends a chain, so that the hooks after a batch do not run; `chain_ends` reads it.
ENDS = {
    "deny": "a refusal",
    "ask": "a question, unless a failure became one",
    "stop": "a wish to stop",
    "failure": "a failure that refuses",
    "input": "a changed input",
}
IN_BACKGROUND = "runs in the background; its answer comes on the next turn"


def judge(
    compiled: CompiledEvent,
    batch: tuple[Hook, ...],
    data: dict[str, Any],
    done: list[Attempt],
    attempts: list[Attempt],
    skipped: list[Skipped],
) -> list[Verdict]:
    """The verdicts of a batch, in the order of the plan. Also records the attempts and missing scripts."""
    verdicts = []
    for hook, attempt in zip(batch, done):  # noqa: B905 (an argument by name would cost as much as the rest of the loop)
        if attempt.error == "missing":
            skipped.append(Skipped(attempt.hook, attempt.source, "missing"))
            continue
        one = verdict(attempt, hook, compiled.reading(hook))
        verdicts.append(one)
        if one.decision != "none" or one.failed or one.reason or one.changes or attempt.answer is not None:
            attempt = replace(
                attempt,
                decision=one.decision,
                reason=one.reason,
                changed=paths(one.changes, data) if one.changes else (),
                failed=one.failed,
                answer=None,
            )
        attempts.append(
            attempt if len(attempt.stdout) + len(attempt.stderr) <= KEPT else truncate_attempt_output(attempt)
        )
    return verdicts


def truncate_attempt_output(attempt: Attempt) -> Attempt:
    """Shorten the output that an attempt keeps: the answer has been read whole, and reports need less."""
    out, err = attempt.stdout[:KEPT], attempt.stderr[:KEPT]
    cut = len(out) < len(attempt.stdout) or len(err) < len(attempt.stderr)
    return replace(attempt, stdout=out, stderr=err, truncated=True) if cut else attempt


def chain_ends(ends: frozenset[str], verdicts: list[Verdict]) -> bool:
    """Whether a batch's decisions keep later hooks from running. A failure does if it refuses.

    A failure that became a question does not: a later hook may still refuse.
    """
    return any(
        (one.decision in ends and not (one.failed and one.decision == "ask"))
        or (one.stop and "stop" in ends)
        or ("input" in ends and "input" in one.changes)
        or (one.failed and one.decision == "deny" and "failure" in ends)
        for one in verdicts
    )


def background_attempt(hook: Hook) -> Attempt:
    return Attempt(hook.name, hook.handler, str(hook.source), detail=IN_BACKGROUND)


def hooks_with_stale_input(
    rule: EventRule, now: dict[str, Any], shown: list[tuple[tuple[Hook, ...], dict[str, Any]]]
) -> tuple[Hook, ...]:
    """The hooks that judged other data than what will really happen: a strict engine asks them once more."""
    fields = rule.merging.chain.values() if rule.can.block else ()
    stale = [batch for batch, data in shown if any(data.get(field) != now.get(field) for field in fields)]
    return tuple(itertools.chain(*stale))


def without(skipped: tuple[Skipped, ...], awake: tuple[Hook, ...]) -> tuple[Skipped, ...]:
    """Remove the hooks that run after all from the skipped ones."""
    run = {(hook.name, str(hook.source)) for hook in awake}
    return tuple(one for one in skipped if (one.hook, one.source) not in run) if run else skipped


def refusals(verdicts: list[Verdict]) -> list[Verdict]:
    """Keep only refusals and failures of hooks that were asked again: their other answers counted the first time."""
    return [replace(one, changes={}) for one in verdicts if one.failed or one.decision in ("deny", "ask")]
