"""Log what goes wrong with hooks: warnings of the logger `tenterhook.hooks`, without secrets.

Each failure is logged, with the exit code and all of stderr. Anything else that an outcome warns of comes back with
every event, such as a mistake in a config file, and is logged once for each engine.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from tenterhook.journal import collect_hook_environ as environment
from tenterhook.pipeline.deliver import truncate_message_text
from tenterhook.pipeline.failure_policy import describe_attempt_failure
from tenterhook.support import logs
from tenterhook.support.secrets.redact import Redactor

if TYPE_CHECKING:
    from tenterhook.engine.engine import Engine
    from tenterhook.types import Attempt, Outcome, Skipped

log = logs.redacting_logger("tenterhook.hooks")

# The number of logged warnings that an engine remembers; then it starts again.
MOST = 1_000
# Separates a failure's first line from the whole of its stderr.
STDERR = "; stderr:\n"


def log_outcome(engine: Engine, outcome: Outcome) -> None:
    """Log what the outcome warns of. A refusal by exit code is an answer, even if it counts as a failed run."""
    failures = {f"{one.hook}: failed: {describe_attempt_failure(one)}": one for one in outcome.attempts if one.failed}
    for text in outcome.warnings:
        attempt = failures.get(text)
        if attempt is None:
            log_once(engine, text, f"{outcome.event}: {with_label(engine, text, outcome)}")
        elif not refuses(engine, outcome.event, attempt):
            write(engine, f"{outcome.event}: {engine.hookset.label(attempt.hook)}: failed: {cause(attempt)}")


def log_untrusted(engine: Engine, event: str, skipped: Iterable[Skipped]) -> None:
    """Log the hooks that do not run because the user has not approved them."""
    for one in skipped:
        if one.why == "untrusted":
            about = f"not run, because not trusted: {engine.hookset.label(one.hook)} ({one.source})"
            log_once(engine, untrusted_key(event, one.hook, one.source), f"{event}: {about}; tenter trust approves it")


def untrusted_key(event: str, hook: str, source: str) -> str:
    """The key by which an engine remembers that it has logged such a hook."""
    return f"{event}: untrusted: {hook}: {source}"


def log_once(engine: Engine, key: str, text: str) -> None:
    if key in engine.warned:
        return
    if len(engine.warned) >= MOST:
        engine.warned.clear()
    engine.warned.add(key)
    write(engine, text)


def write(engine: Engine, text: str) -> None:
    """Remove the secrets of the engine and its hooks; the logger itself only knows those of this process."""
    log.warning("%s", Redactor(environment(engine.hookset)).text(text))


def cause(attempt: Attempt) -> str:
    """Why the hook failed, on one line, with its exit code; below it all of stderr, if that has more."""
    what, stderr = describe_attempt_failure(attempt), attempt.stderr.strip()
    if attempt.exit_code and f"exit code {attempt.exit_code}" not in what:
        what = f"exit code {attempt.exit_code}: {what}"
    return f"{what}{STDERR}{truncate_message_text(stderr)}" if stderr not in what else what


def refuses(engine: Engine, event: str, attempt: Attempt) -> bool:
    """Whether the exit code itself is the hook's refusal."""
    exits = {**engine.dialect.reading.exits, **engine.rule(event).overrides.exits}
    row = None if attempt.exit_code is None or attempt.error else exits.get(attempt.exit_code, exits.get("other"))
    return row is not None and row.decision != "" and row.decision == attempt.decision


def with_label(engine: Engine, text: str, outcome: Outcome) -> str:
    """Replace the hook's name or command at the beginning of a warning by its label."""
    for name in dict.fromkeys(attempt.hook for attempt in outcome.attempts):
        if text.startswith(f"{name}: "):
            return engine.hookset.label(name) + text[len(name) :]
    return text
