"""What a hook's failure means for the operation, and how it is told."""

from __future__ import annotations

from tenterhook.effects import stronger
from tenterhook.rules import Rules
from tenterhook.types import Attempt, Hook

# What a strict engine makes of a hook that failed, whatever its dialect says: an answer that could not be read may
# have been a deny, anything else is worth a question where somebody can be asked.
STRICT = {"output": "deny"}
# What is no failure of the hook's own, so that no dialect has a rule for it.
FAITHFUL = {"status": "deny", "payload": "deny", "sandbox": "ask"}


def policy_for(cause: str, hook: Hook, rules: Rules) -> str:
    """What a failure means: the hook's own word, else the strictest of what dialect and mode say.

    Not even the hook's own word counts where it was changed since it was approved.
    """
    if cause == "modified":
        return "ask"
    own = hook.on_failure.get(cause, hook.on_failure.get("default"))
    if own:
        return own
    dialect = rules.dialect
    said = rules.failure.get(cause, FAITHFUL.get(cause, "allow"))
    said = stronger(said, dialect.failure_of.get(hook.handler, "allow"))
    return stronger(said, STRICT.get(cause, "ask")) if rules.strict else said


def ended(attempt: Attempt) -> str:
    """What went wrong with this attempt, without a word of its own."""
    code = attempt.exit_code
    how = "its answer could not be read" if code == 0 else f"exit code {code}"
    return attempt.detail or (how if code is not None else attempt.error or "no JSON object")


def explained(attempt: Attempt) -> str:
    """One line for people: what went wrong with this attempt."""
    what = ended(attempt)
    said = attempt.stderr.strip().splitlines()
    return f"{what}: {said[-1][:200]}" if said and said[-1] not in what else what
