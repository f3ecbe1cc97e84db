"""Messages of a call <-> the messages that hooks see: the same rules for every API.

Unchanged messages map to their originals, changed ones by position among those of their role. New ones go where the
hook put them; appended ones after all others. Removing a visible one removes its original. What a hook cannot see
stays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

Message = Any


class VisibleMessage(NamedTuple):
    """A message that hooks see: its index among the originals, and its visible text."""

    place: int
    role: str
    text: str


class MessageFormat(Protocol):
    """How one API writes a message."""

    def role(self, message: Message) -> str:
        """user, model or system; empty for one that hooks never see, such as a tool's result."""
        ...

    def text(self, message: Message) -> str:
        """All text parts together; empty if there is none."""
        ...

    def change(self, message: Message, text: str) -> Message:
        """A copy with another text: the first text part holds it, other text parts are removed, the rest stays.

        An empty text, used only for messages with results, leaves no text part.
        """
        ...

    def new(self, role: str, text: str) -> Message: ...

    def calls(self, message: Message) -> list[str]:
        """The ids of the tool calls in it."""
        ...

    def results(self, message: Message) -> list[str]:
        """The ids of the tool calls that it answers."""
        ...

    def without(self, message: Message, ids: set[str]) -> Message | None:
        """A copy without the calls and results of these ids; None if nothing is left."""
        ...


def visible_messages(messages: Sequence[Message], kind: MessageFormat) -> list[VisibleMessage]:
    found = [VisibleMessage(n, kind.role(message), kind.text(message)) for n, message in enumerate(messages)]
    return [one for one in found if one.role and one.text]


def render_visible_messages(messages: Sequence[Message], kind: MessageFormat) -> list[dict[str, str]]:
    return [{"role": one.role, "content": one.text} for one in visible_messages(messages, kind)]


def rebuilt(messages: Sequence[Message], wanted: Any, kind: MessageFormat) -> tuple[list[Message], list[str]]:
    """The originals as the hooks want them, and what could not be read."""
    asked, problems = readable(wanted)
    if asked is None:
        return list(messages), problems
    visible = visible_messages(messages, kind)
    before = [(one.role, one.text) for one in visible]
    if asked == before:
        return list(messages), problems
    remaining: dict[int, Message] = {}
    inserted: dict[int, list[Message]] = {}
    pairs = align_messages(before, asked)
    used = {old for _, _, old in pairs}
    unused = [n for n in range(len(before)) if n not in used]
    for place, (role, text), old in pairs:
        if old is not None:
            original = messages[visible[old].place]
            remaining[old] = original if before[old] == (role, text) else kind.change(original, text)
            continue
        message = kind.new(role, text)
        elsewhere = next((n for n in unused if before[n] == (role, text)), None)
        if elsewhere is not None:  # it was moved: still its original, unless that would separate a call from its result
            unused.remove(elsewhere)
            original = messages[visible[elsewhere].place]
            message = message if kind.calls(original) or kind.results(original) else original
        inserted.setdefault(spot(messages, visible, place, kind), []).append(message)
    stands = {one.place: n for n, one in enumerate(visible)}
    result: list[Message] = []
    gone: list[Message] = []
    for n, message in enumerate(messages):
        new = inserted.get(n, [])
        if n not in stands:
            result += [*new, message]
        elif stands[n] in remaining:
            result += after_results(new, remaining[stands[n]], kind)
        else:
            result += new
            gone.append(message)
    result += inserted.get(len(messages), ())
    left = whole(result, gone, kind)
    if not left:  # no API accepts such a call, and an SDK may raise
        return list(messages), [*problems, NONE_LEFT]
    return left, problems


def spot(messages: Sequence[Message], visible: list[VisibleMessage], place: int, kind: MessageFormat) -> int:
    """Where a new message goes: before the visible one, but never between a hidden call and its result."""
    if place == len(visible):
        return len(messages)
    found, first = visible[place].place, visible[place - 1].place + 1 if place else 0
    answers = set(kind.results(messages[found]))
    calls = (n for n in range(first, found) if answers.intersection(kind.calls(messages[n])))
    return next(calls, found)


def after_results(new: list[Message], message: Message, kind: MessageFormat) -> list[Message]:
    """Insert new messages before a message, but after the results in it, which stay with their calls."""
    answers = kind.results(message) if new else []
    text = kind.without(message, set(answers)) if answers else None
    return [*new, message] if text is None else [kind.change(message, ""), *new, text]


def whole(messages: list[Message], gone: list[Message], kind: MessageFormat) -> list[Message]:
    """Remove a call without its result, or a result without its call: an API refuses them."""
    ids = {id for message in gone for id in (*kind.calls(message), *kind.results(message))}
    if not ids:
        return messages
    left = [
        kind.without(message, ids) if ids.intersection((*kind.calls(message), *kind.results(message))) else message
        for message in messages
    ]
    return [message for message in left if message is not None]


def align_messages(
    before: list[tuple[str, str]], wanted: list[tuple[str, str]]
) -> list[tuple[int, tuple[str, str], int | None]]:
    """For each wanted message: before which old one it goes, and which old one it is, or None for a new one."""
    from difflib import SequenceMatcher

    ids: dict[tuple[str, str], int] = {}
    olds, news = ([ids.setdefault(one, len(ids)) for one in ones] for ones in (before, wanted))
    same = next((n for n, (a, b) in enumerate(zip(olds, news, strict=False)) if a != b), min(len(olds), len(news)))
    found: list[tuple[int, tuple[str, str], int | None]] = [(n, wanted[n], n) for n in range(same)]
    codes = SequenceMatcher(None, olds[same:], news[same:], autojunk=False).get_opcodes()
    for tag, *spans in codes:
        i1, i2, j1, j2 = (n + same for n in spans)
        place = i2
        part: list[tuple[int, tuple[str, str], int | None]] = []
        matched = list(range(i1, i2)) if tag == "equal" else by_role(before[i1:i2], wanted[j1:j2], i1)
        for n in reversed(range(j1, j2)):
            old = matched[n - j1]
            place = place if old is None else old
            part.append((place, wanted[n], old))
        found += reversed(part)
    return found


def by_role(before: list[tuple[str, str]], wanted: list[tuple[str, str]], start: int) -> list[int | None]:
    """Which old message each wanted one replaces: the next of its role."""
    found: list[int | None] = []
    free = 0
    for role, _ in wanted:
        old = next((n for n in range(free, len(before)) if before[n][0] == role), None)
        free = free if old is None else old + 1
        found.append(None if old is None else start + old)
    return found


def readable(wanted: Any) -> tuple[list[tuple[str, str]] | None, list[str]]:
    """The messages that a hook gave, as (role, text). Roles of other APIs are understood."""
    if not isinstance(wanted, list):
        return None, [f"messages must be a list, not {type(wanted).__name__}: left as they were"]
    found: list[tuple[str, str]] = []
    for n, one in enumerate(wanted):
        role = ROLES.get(str(one.get("role", "user"))) if isinstance(one, dict) else None
        text = content(one.get("content")) if isinstance(one, dict) else None
        if role is None or text is None:
            return None, [f"messages[{n}] is not {{role, content}}: the messages were left as they were"]
        if text:  # hooks do not see messages without text, so an empty text asks to remove the original
            found.append((role, text))
    return found, []


def content(value: Any) -> str | None:
    """A text, or a list of text parts."""
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        return None
    parts = [part.get("text") if isinstance(part, dict) else part for part in value]
    texts = [part for part in parts if isinstance(part, str)]
    return "".join(texts) if len(texts) == len(parts) else None


NONE_LEFT = "messages would be empty, and a call needs one: they were left as they were"
NO_SYSTEM = "a new system message has no place among the messages of this API: it is sent as the user's"
ROLES = {"user": "user", "model": "model", "assistant": "model", "system": "system", "developer": "system"}

# One option of a call: its name in the stable form, its name in the API.
Names = dict[str, str]


def settings(names: Names, read: Callable[[str], Any]) -> dict[str, Any]:
    """The options of a call under their stable names; only those that are set."""
    values = {stable: read(own) for stable, own in names.items()}
    return {stable: value for stable, value in values.items() if value is not None}


def changed_settings(before: dict[str, Any], wanted: Any, names: Names) -> tuple[dict[str, Any], list[str], list[str]]:
    """What to set (by the API's names), what to remove, and what the API does not have."""
    if not isinstance(wanted, dict):
        return {}, [], ([f"config must be an object, not {type(wanted).__name__}"] if wanted is not None else [])
    given = {key: value for key, value in wanted.items() if value is not None}
    changed = {key: value for key, value in given.items() if key not in before or before[key] != value}
    problems = [f"config.{key} has no place in this API" for key in changed if key not in names]
    away = [names[key] for key in before if key not in given]
    put = {names[key]: value for key, value in changed.items() if key in names}
    return put, away, problems
