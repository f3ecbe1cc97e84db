"""Render an Explanation as text for a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import msgspec

from tenterhook import handlers
from tenterhook.cli.project import file_lines
from tenterhook.support.terminal.table import table, width
from tenterhook.support.terminal.text import (
    Paint,
    columns,
    near,
    one_line,
    room_for,
    shorten_name,
    wrap_line_to_width,
    wrap_with_indent,
)
from tenterhook.tools.explain.explain import EventFacts, ExplainedHook, Explanation, ModeDifference
from tenterhook.tools.explain.whatif import Effect
from tenterhook.tools.explain.whynot import kind_words, match_words
from tenterhook.types import Message

THEN_STYLE = {"blocked": "red", "the agent shall stop": "red", "asks": "yellow"}
SHORT = {"the agent shall stop": "stops the agent"}
# If more hooks than this do not run for the same reason, only their number is shown.
SAME_SHOWN = 6
BELOW = " " * 6
CAUSE_WORDS = {
    "exit": "another exit code",
    "output": "an unreadable answer",
    "spawn": "no start",
    "timeout": "a time-out",
    "signal": "a signal",
    "import": "a failed import",
    "exception": "an exception",
    "network": "a network error",
}
# Placeholder for the one word in which answers differ.
HOLE = "\0"


def text(found: Explanation, paint: Paint, *, whole: bool) -> str:
    """All sections. `whole` leaves nothing out, for a pipe."""
    sections = [
        event_lines(found, paint),
        [paint("bold", "files"), *file_lines(found.files, paint)],
        list(hook_lines(found, paint, whole=whole)),
        effect_lines(found, paint),
        difference_lines(found, paint),
        note_lines(found, paint),
    ]
    return "\n\n".join("\n".join(lines) for lines in sections if lines)


def event_lines(found: Explanation, paint: Paint) -> list[str]:
    event = found.event
    rows = [["dialect", f"{found.title}, {found.mode} mode"], ["kind", event.kind]]
    rows += [["hooks can", abilities(event)], ["matched on", matched_on(event)]]
    usual = list(wrap_with_indent(", ".join(event.usual), first=" " * 14, indent=" " * 14)) if event.usual else []
    rows += [["" if at else "usually", line.strip()] for at, line in enumerate(usual)]
    rows += [["agent", one_line(found.agent)]] if found.agent else []
    rows += [["secrets", one_line(secrets(found))]]
    rows += [["off", paint("yellow", found.off)]] if found.off else []
    return [f"{paint('bold', event.name)}: {event.about}", table(rows, indent="  ")]


def secrets(found: Explanation) -> str:
    """What happens to variables that hold secrets: their names, never their values."""
    if found.secrets == "pass":
        return "passed on to hooks with the rest of the environment (the settings say so)"
    if not found.kept_back:
        return "none in the environment"
    return f"kept from hooks that do not declare them: {', '.join(found.kept_back)}"


def abilities(event: EventFacts) -> str:
    words = [
        *(["block"] if event.can_block else []),
        *(["ask"] if event.can_ask else []),
        *(["stop the agent"] if event.can_stop else []),
        *(f"change the {change.replace('_', ' ')}" for change in event.can_change),
    ]
    return ", ".join(words) or "only watch"


def matched_on(event: EventFacts) -> str:
    if not event.target:
        return "nothing: every hook of this event fits"
    kind = kind_words(event.match_kind)
    if event.value is not None:
        return f"{event.target} = {one_line(repr(event.value))}  ({kind})"
    how = "--tool NAME" if event.target == "tool_name" else "--input FILE"
    return f"{event.target}, not given: {how}  ({kind})"


def hook_lines(found: Explanation, paint: Paint, *, whole: bool) -> Iterator[str]:
    yield f"{paint('bold', 'hooks')}: {order(found)}"
    rows = [hook_row(hook, paint) for hook in found.hooks]
    if not rows:
        return
    room = room_for(rows, 1)
    cut = [[row[0], one_line(row[1]) if whole else shorten_name(row[1], room), *row[2:]] for row in rows]
    seen: Counter[str] = Counter()
    before = ""
    for hook, line in zip(found.hooks, table(cut, indent="  ").split("\n"), strict=True):
        seen[hook.why] += 1
        if whole or hook.runs or seen[hook.why] <= SAME_SHOWN:
            repeated = hook.because and hook.because == before
            yield line + (paint("dim", "  (as above)") if repeated else "")
            yield from below(hook, found.event, repeated=bool(repeated))
            before = hook.because
    for why, number in seen.items():
        if why and number > SAME_SHOWN and not whole:
            yield paint("dim", f"  ... {number - SAME_SHOWN} more do not run: {why}  (--json has them all)")


def order(found: Explanation) -> str:
    """How many hooks run, and in what order."""
    if not found.hooks:
        return "none for this event"
    running = [hook for hook in found.hooks if hook.runs]
    unmatched = found.event.target and found.event.value is None and any(hook.matcher for hook in running)
    unsure = unmatched or any(hook.only_if for hook in running)
    count = f"{len(running)} of {len(found.hooks)} {'may run' if unsure else 'run' if len(running) != 1 else 'runs'}"
    if len(running) < 2:
        return count
    if not found.one_after_another:
        return f"{count}, all at once"
    ends = f"; a {' or a '.join(found.chain_ends)} ends the chain" if found.chain_ends else ""
    return f"{count}, one after another{ends}"


def hook_row(hook: ExplainedHook, paint: Paint) -> list[str]:
    number = paint("green", str(hook.batch)) if hook.runs else paint("dim", "-")
    timeout = "" if hook.timeout is None else f"{hook.timeout:g} s"
    return [number, hook.hook, hook.type, timeout, paint("dim", near(hook.source))]


def below(hook: ExplainedHook, event: EventFacts, *, repeated: bool) -> Iterator[str]:
    """Lines below a hook: why it runs or does not, and what is missing."""
    if hook.runs:
        late = "in the background: decides nothing" if hook.background else if_it_fails(hook, event)
        remarks = [fitting(hook, event), hook.only_if, "once" if hook.once else "", late]
        yield from wrap_with_indent("; ".join(filter(None, remarks)), first=BELOW, indent=BELOW)
        for fact in filter(None, (hook.sandbox, hook.shell, hook.warm)):
            yield from wrap_with_indent(fact, first=BELOW, indent=BELOW)
    elif not repeated:
        yield from wrap_with_indent(hook.because, first=BELOW, indent=BELOW)
    if hook.missing and (hook.runs or hook.why in ("untrusted", "modified")):
        yield from wrap_with_indent(hook.missing, first=BELOW, indent=BELOW)


def fitting(hook: ExplainedHook, event: EventFacts) -> str:
    if not event.target:
        return ""
    if hook.matcher in (None, "", "*"):
        return "matches everything"
    how = f"({match_words(hook.matcher or '', hook.match_kind)})"
    if event.value is None:
        return f"runs where {event.target} fits {hook.matcher!r} {how}"
    return f"matcher {hook.matcher!r} fits"


def if_it_fails(hook: ExplainedHook, event: EventFacts) -> str:
    """What most failures lead to, and the causes that lead to something else."""
    words = {"ask": "asks", "deny": "blocked" if event.can_block else "goes on"}
    causes = handlers.traits(hook.type).failures or CAUSE_WORDS
    found = {cause: words.get(policy, "goes on") for cause, policy in hook.on_failure.items() if cause in causes}
    if not found:
        return ""
    usual = Counter(found.values()).most_common(1)[0][0]
    others = [f"after {CAUSE_WORDS[cause]}: {word}" for cause, word in found.items() if word != usual]
    return "; ".join([f"if it fails: {usual}", *others])


def effect_lines(found: Explanation, paint: Paint) -> list[str]:
    heads = [paint("dim", head) for head in ("THE HOOK DID", "DECISION", "THEN", "TOLD")]
    starts = [effect_start(effect, paint) for effect in found.effects]
    room = max(30, columns() - sum(max(map(width, cells)) for cells in zip(heads[:3], *starts, strict=True)) - 8)
    blocks = [list(effect_rows(start, one.messages, room)) for start, one in zip(starts, found.effects, strict=True)]
    rest = iter(table([heads, *(row for block in blocks for row in block)], indent="  ").split("\n"))
    lines = [paint("bold", "what a hook's answer does here"), next(rest)]
    for effect, block in zip(found.effects, blocks, strict=True):
        lines += [next(rest) for _ in block]
        lines += [paint("yellow", line) for text in losses(effect, found.event) for line in below_effect(text)]
    return [*lines, *legend(found)]


def effect_start(effect: Effect, paint: Paint) -> list[str]:
    """What the hook did, what that decides, and what the host then does."""
    then = paint(THEN_STYLE.get(effect.then, "green"), SHORT.get(effect.then, effect.then))
    then += paint("yellow", ", failed") if effect.failed else ""
    return [effect.what, "-" if effect.decision == "none" else effect.decision, then]


def effect_rows(start: list[str], messages: Iterable[Message], room: int) -> Iterator[list[str]]:
    """One row, and another for each further line of text."""
    texts = [line for message in messages for line in wrap_line_to_width(format_message(message), room)]
    yield [*start, *texts[:1]]
    yield from (["", "", "", one] for one in texts[1:])


def losses(effect: Effect, event: EventFacts) -> Iterator[str]:
    yield from effect.lost
    if effect.decision == "ask" and not event.can_ask:
        yield "this event cannot ask: what comes of it is up to the host"


def below_effect(text: str) -> list[str]:
    return wrap_with_indent(text, first="    ! ", indent=BELOW)


def legend(found: Explanation) -> Iterator[str]:
    """The JSON behind the table's short names; answers that differ in one word are shown once."""
    shown: dict[str, list[str]] = {}
    for what, answer in found.answers.items():
        word = what.rpartition(" ")[2]
        text = msgspec.json.format(msgspec.json.encode(answer), indent=0).decode()
        shown.setdefault(text.replace(f'"{word}"', HOLE), []).append(word)
    for text, words in shown.items():
        which = " or ".join(f'"{word}"' for word in words)
        yield from wrap_with_indent(f"JSON {', '.join(words)}: {text.replace(HOLE, which)}", first="  ", indent=BELOW)


def format_message(message: Message) -> str:
    return f"{message.to}: {one_line(message.text)} ({message.kind})"


def difference_lines(found: Explanation, paint: Paint) -> list[str]:
    rows = [[one.what, differing(one)] for one in found.differences]
    here, there = (found.variables[mode] for mode in (found.mode, found.other_mode))
    if here != there:
        rows.append(["environment", f"{there} variables reach a hook (here: {here})"])
    if not rows:
        return [f"{paint('bold', f'in {found.other_mode} mode')}: the same"]
    return [paint("bold", f"in {found.other_mode} mode instead"), table(rows, indent="  ")]


def differing(one: ModeDifference) -> str:
    if one.there.then != one.here.then:
        return f"{one.there.then} (here: {one.here.then})"
    return f"decision {one.there.decision} (here: {one.here.decision})"


def note_lines(found: Explanation, paint: Paint) -> list[str]:
    if not found.notes:
        return []
    lines = [line for note in found.notes for line in wrap_with_indent(note, first="  - ", indent="    ")]
    return [paint("bold", f"about {found.title}"), *lines]
