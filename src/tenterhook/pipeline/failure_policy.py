"""Decide what a hook's failure means for the operation, describe it, and make attempts for hooks that never ran."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tenterhook.pipeline.event_reader import Rules
from tenterhook.pipeline.payload import PayloadError
from tenterhook.types import Attempt, Hook, Job, stronger

if TYPE_CHECKING:
    from tenterhook.journal.read import HookRun
    from tenterhook.pipeline.verdict import Reader

# Why a hook failed: `Attempt.error`; `exit` is an exit status that means failure, `silence` an answer that was needed.
CAUSES = {
    "spawn": "it could not be started",
    "timeout": "it took too long",
    "signal": "a signal ended it",
    "import": "its function could not be imported",
    "exception": "its function raised an exception",
    "output": "what it printed or returned could not be read",
    "network": "its server could not be reached, or did not answer as it must",
    "status": "its exit status stayed unknown",
    "exit": "its exit status means failure",
    "cancelled": "it was cancelled",
    "payload": "the event could not be written as JSON",
    "modified": "it was changed since it was approved",
    "sandbox": "it could not be confined",
    "silence": "it said nothing where an answer was needed",
}
MODES = {
    "faithful": "what the agent's own documents say, holes included; lost answers are reported",
    "strict": "a hook that failed or cannot be read asks or denies, where the event can be blocked",
    "observe": "hooks run and are recorded, nothing is applied",
}
# What a strict engine makes of a failed hook, whatever its dialect says: an unreadable answer may have been a deny, and
# any other failure becomes a question if a user can be asked.
STRICT = {"output": "deny"}
# Causes that are not the hook's own failure, so no dialect has a rule for them.
FAITHFUL = {"status": "deny", "payload": "deny", "sandbox": "ask"}


def policy_for(cause: str, hook: Hook, rules: Rules) -> str:
    """What a failure means: the hook's own setting, else the stricter of dialect and mode.

    A hook's own setting does not count if the hook was changed since it was approved.
    """
    if cause == "modified":
        return "ask"
    own = hook.on_failure.get(cause, hook.on_failure.get("default"))
    if own:
        return own
    dialect = rules.dialect
    policy = rules.failure.get(cause, FAITHFUL.get(cause, "allow"))
    policy = stronger(policy, dialect.failures.by_handler.get(hook.handler, "allow"))
    return stronger(policy, STRICT.get(cause, "ask")) if rules.strict else policy


def closes(hook: Hook, cause: str, rules: Rules) -> bool:
    """Whether the hook's own setting, or the mode, turns such a failure into a refusal or a question."""
    own = hook.on_failure.get(cause, hook.on_failure.get("default"))
    if own == "ask" and not (rules.rule.can.ask or rules.rule.can.block):  # it means nothing there
        return False
    return own != "allow" if own else rules.strict


def must_answer(hook: Hook, rules: Rules) -> bool:
    """Whether silence is a failure of this hook: if the agent requires an answer and the hook fails closed."""
    return rules.rule.text.needs_answer and policy_for("silence", hook, rules) != "allow"


def fail_closed(reader: Reader) -> None:
    """Turn a failure into what it means for the operation."""
    verdict, rules = reader.verdict, reader.rules
    policy = policy_for(reader.cause, reader.hook, rules) if reader.cause else "allow"
    if policy == "ask" and not rules.rule.can.ask:
        policy = "deny" if rules.rule.can.block else "allow"
    if policy != "allow":
        verdict.decision = stronger(verdict.decision, policy)
        # An agent that refuses by itself when a hook fails only logs the hook's stderr.
        say = failure_cause if reader.cause in rules.rule.overrides.failure else describe_attempt_failure
        what = reader.problem if reader.cause == "output" and reader.problem else say(reader.attempt)
        verdict.reason = verdict.reason or f"Hook failed: {what}"


def failure_cause(attempt: Attempt | HookRun) -> str:
    """What went wrong with this attempt, without the hook's own text."""
    code = attempt.exit_code
    return attempt.detail or attempt.error or (f"exit code {code}" if code else "its answer could not be read")


def describe_attempt_failure(attempt: Attempt | HookRun) -> str:
    """One line for people: what went wrong with this attempt."""
    what = failure_cause(attempt)
    lines = attempt.stderr.strip().splitlines()
    return f"{what}: {lines[-1][:200]}" if lines and lines[-1] not in what else what


def attempt_from_exception(job: Job, exc: BaseException) -> Attempt:
    error = "payload" if isinstance(exc, PayloadError) else "exception"
    try:
        words = str(exc)
    except Exception:  # the class is the hook's own
        words = "its message cannot be read"
    detail = words if error == "payload" else f"{type(exc).__name__}: {words}"
    return Attempt(job.hook.name, job.hook.handler, str(job.hook.source), error=error, detail=detail)


def no_handler(job: Job) -> Attempt:
    hook = job.hook
    detail = f"this version has no handler for hooks of type {hook.handler!r}"
    return Attempt(hook.name, hook.handler, str(hook.source), error="spawn", detail=detail)


def attempt_for_stuck_thread(job: Job) -> Attempt:
    hook = job.hook
    detail = f"timed out after {job.timeout:g} s; the function cannot be ended and was left running in its thread"
    return Attempt(hook.name, hook.handler, str(hook.source), error="timeout", detail=detail, seconds=job.timeout or 0)
