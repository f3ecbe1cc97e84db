"""Outcome -> text for a terminal: what was decided, what ran, what did not and why, who is told what."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tenterhook.support.terminal.table import table
from tenterhook.support.terminal.text import (
    Paint,
    as_json,
    columns,
    duration,
    near,
    one_line,
    painter,
    pluralise_count,
    room_for,
    shorten_name,
    visible,
    wrap_with_indent,
)
from tenterhook.types import Attempt, Message, Outcome, Skipped, Usage

DECISION_STYLE = {"deny": "red", "ask": "yellow", "allow": "green", "failed": "yellow"}
AUDIENCE_STYLE = {"model": "cyan", "user": "green", "log": "dim"}
# If more hooks than this are skipped for one reason, only their number is shown.
NAMES_SHOWN = 4
WARNINGS_SHOWN = 12
CHANGE_LINES = 12
BELOW = " " * 6


def report(outcome: Outcome, *, colour: bool) -> str:
    """The outcome as readable text. Empty sections are left out."""
    paint = painter(colour)
    failures, warned = sorted_out(outcome)
    sections = [
        headline(outcome, paint),
        ran(outcome, failures, paint),
        render_skipped_hooks(outcome.skipped, paint),
        render_messages(outcome, failures, paint),
        changes(outcome, paint),
        warnings(warned, paint),
    ]
    return "\n\n".join("\n".join(lines) for lines in sections if lines)


def in_words(outcome: Outcome) -> str:
    """What the host does next."""
    if outcome.halts:
        return "the agent shall stop"
    if outcome.blocked:
        return "blocked"
    if outcome.stop:
        return "goes on, then stops"
    return "asks" if outcome.decision == "ask" else "goes on"


def remark(outcome: Outcome) -> str:
    """What the decision alone would hide."""
    if outcome.mode == "observe":
        return "observed only: nothing that the hooks decided is applied"
    if outcome.halts:
        return "and this is blocked" if outcome.blocked else ""
    if outcome.stop and outcome.blocked:
        return "and then the agent shall stop"
    if outcome.decision == "deny" and not outcome.blocked:
        return "a hook denied, but this event cannot be blocked"
    return "a hook allowed it" if outcome.decision == "allow" else ""


def sorted_out(outcome: Outcome) -> tuple[list[str], list[str]]:
    """Why each attempt failed (empty if it did not), for its own line; and the remaining warnings."""
    left = list(outcome.warnings)
    failures = []
    for attempt in outcome.attempts:
        start = f"{attempt.hook}: failed: "
        found = next((text for text in left if text.startswith(start)), "")
        if found:
            left.remove(found)
        failures.append(found.removeprefix(start))
    return failures, left


def headline(outcome: Outcome, paint: Paint) -> list[str]:
    words = in_words(outcome)
    style = "red" if outcome.stop or outcome.blocked else "yellow" if words == "asks" else "green"
    more = f", {remark(outcome)}" if remark(outcome) else ""
    failed = "" if outcome.success else paint("yellow", " (a hook failed)")
    where = paint("dim", f"  {outcome.dialect}, {outcome.mode}")
    lines = [f"{paint('bold', visible(outcome.event))}: {paint(style, words)}{more}{failed}{where}"]
    reasons = [outcome.stop_reason, outcome.reason] if outcome.stop else [outcome.reason]
    for reason in dict.fromkeys(filter(None, reasons)):
        lines += wrap_with_indent(reason, first="  ", indent="  ")
    return lines


def ran(outcome: Outcome, failures: Sequence[str], paint: Paint) -> list[str]:
    attempts = outcome.attempts
    if not attempts:
        return [paint("dim", "no hook ran" if outcome.skipped else "no hook ran: there is none for this event")]
    rows = [row(attempt, failure, paint) for attempt, failure in zip(attempts, failures, strict=True)]
    room = room_for(rows, 1)
    for cells in rows:
        cells[1] = shorten_name(cells[1], room)
    lines = [paint("bold", f"ran {pluralise_count(len(attempts), 'hook')}")]
    for attempt, failure, text in zip(attempts, failures, table(rows, indent="  ").split("\n"), strict=True):
        lines += [text, *details(attempt, failure, outcome, paint)]
    return lines


def row(attempt: Attempt, failure: str, paint: Paint) -> list[str]:
    """What it decided, the hook, its type, how it ended, how long that took, where it is written."""
    word = "failed" if failure and attempt.decision in ("none", "allow") else attempt.decision
    return [
        paint(DECISION_STYLE.get(word, "dim"), "-" if word == "none" else word),
        attempt.hook,
        attempt.type,
        format_attempt_end(attempt),
        duration(attempt.seconds),
        paint("dim", near(attempt.source)),
    ]


def format_attempt_end(attempt: Attempt) -> str:
    """A signal is the cause only if nothing else is: after a time-out it is our own."""
    if attempt.signal and attempt.error in (None, "signal"):
        return attempt.signal
    code = "" if attempt.exit_code is None else f"exit {attempt.exit_code}"
    used = format_token_usage(attempt.usage) if attempt.usage else ""
    return ", ".join(filter(None, (attempt.error or code, used)))


def format_token_usage(usage: Usage) -> str:
    """What a model used, in short: tokens, and dollars if the price is known."""
    tokens = pluralise_count(usage.input_tokens + usage.output_tokens, "token")
    if usage.cost is None:
        return tokens
    return f"{tokens}, ${usage.cost:.4f}" if usage.cost >= 0.0001 else f"{tokens}, under $0.0001"


def details(attempt: Attempt, failure: str, outcome: Outcome, paint: Paint) -> Iterator[str]:
    """Lines below a hook: what is not shown elsewhere."""
    policy = f"Hook failed: {failure}"
    own_words = attempt.decision in ("deny", "ask") and attempt.reason != policy
    if failure and not own_words and failure not in outcome.reason:
        yield from wrap_with_indent(failure, first=BELOW, indent=BELOW, most_lines=3)
    if attempt.reason and attempt.reason not in (outcome.reason, outcome.stop_reason, policy):
        yield from wrap_with_indent(attempt.reason, first=f"{BELOW}reason: ", indent=BELOW, most_lines=3)
    if attempt.changed:
        yield f"{BELOW}changed {one_line(', '.join(attempt.changed))}"
    if attempt.truncated:
        yield paint("yellow", f"{BELOW}printed more than is kept; the rest was dropped")


def render_skipped_hooks(hooks: Sequence[Skipped], paint: Paint) -> list[str]:
    """By reason; of many, the first names and a count."""
    if not hooks:
        return []
    groups: dict[str, list[Skipped]] = {}
    for hook in hooks:
        groups.setdefault(hook.why, []).append(hook)
    rows = [[why, str(len(group)), names(group)] for why, group in groups.items()]
    lines = [paint("bold", f"skipped {pluralise_count(len(hooks), 'hook')}"), table(rows, indent="  ")]
    if "untrusted" in groups:
        lines.append(paint("yellow", "  the project's hooks are not approved: tenter trust shows and approves them"))
    return lines


def names(group: Sequence[Skipped]) -> str:
    room = columns() - 26
    if len(group) == 1:
        source = near(group[0].source)
        return f"{shorten_name(group[0].hook, max(16, room - len(source)))}  {source}"
    shown = [shorten_name(hook.hook, 24) for hook in group[:NAMES_SHOWN]]
    while len(shown) > 1 and sum(map(len, shown)) + 2 * len(shown) > room - 10:
        shown.pop()
    left = len(group) - len(shown)
    return ", ".join(shown) + (f", {left} more" if left else "")


def render_messages(outcome: Outcome, failures: Sequence[str], paint: Paint) -> list[str]:
    """Each text with its recipient, and with its hook if several ran."""
    if not outcome.messages:
        return []
    widest = max(len(message.kind) for message in outcome.messages)
    lines = [paint("bold", "told")]
    for message in outcome.messages:
        start = f"  {paint(AUDIENCE_STYLE.get(message.to, ''), f'{message.to:<5}')}  {message.kind:<{widest}}  "
        lines += wrap_with_indent(
            abridge_message_text(message, outcome, failures), first=start, indent=" " * (widest + 11)
        )
        if len(outcome.attempts) > 1:
            lines[-1] += paint("dim", f"  [{shorten_name(message.hook, 24)}]")
    return lines


def abridge_message_text(message: Message, outcome: Outcome, failures: Sequence[str]) -> str:
    """The text, unless it is long and was printed already."""
    if message.text in (outcome.reason, outcome.stop_reason):
        return "(the reason above)" if "\n" in message.text or len(message.text) > 50 else message.text
    return "(as above)" if message.text.removeprefix("Hook failed: ") in failures else message.text


def changes(outcome: Outcome, paint: Paint) -> list[str]:
    """The new values; the host knows the old ones."""
    if not outcome.changes:
        return []
    widest = max(map(len, outcome.changes))
    lines = [paint("bold", "changes")]
    for name, value in outcome.changes.items():
        lines += wrap_with_indent(
            as_json(value), first=f"  {name:<{widest}}  ", indent=" " * (widest + 4), most_lines=CHANGE_LINES
        )
    return lines


def warnings(texts: Sequence[str], paint: Paint) -> list[str]:
    if not texts:
        return []
    lines = [paint("yellow", "warnings")]
    for text in texts[:WARNINGS_SHOWN]:
        lines += wrap_with_indent(near(text), first="  ", indent="    ", most_lines=4)
    if len(texts) > WARNINGS_SHOWN:
        lines.append(f"  ... {len(texts) - WARNINGS_SHOWN} more")
    return lines
