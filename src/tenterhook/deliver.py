"""What a hook said -> what its reader gets: cleaned of control characters, capped, marked as coming from a hook.

All of it happens on delivery and not before: an outcome holds every text as the hook gave it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from tenterhook.types import Message

# What a hook is called in texts, by the name that its outcome has for it.
Label = Callable[[str], str]

TEXT_LIMIT = 10_000
NAME_LIMIT = 80
UNNAMED = "unnamed"
# A mark that adds nothing.
PLAIN = "{text}"
# A name, a path, a few words, where a secret was: nothing that only a shell reads.
NAME = re.compile(r"[\w .:/@+,#~\[\]-]+")
# Escape sequences go whole, or their letters would stay behind as text.
ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # a control sequence: colours, cursor
    r"|\x1b[\]PX^_].*?(?:\x07|\x1b\\|\Z)"  # a command string: title, link, clipboard
    r"|\x1b[ -/]*[0-~]?",
    re.DOTALL,
)
# Control characters but tab and newline; what reorders text; invisible tags that only a model reads; half characters.
CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f\ud800-\udfff]"
)
# Joiners are left in texts, because some scripts need them; in a tag they hide it from nobody. Nor do wide brackets.
# Nothing is given back once it is taken: a bracket before a million blanks must not cost their square.
BLANKS, JOINERS = "[\\s\u200c\u200d]*+", "[\u200c\u200d]*"
FORGED = re.compile(f"[<\ufe64\uff1c](?={BLANKS}[/\uff0f]?+{BLANKS}{JOINERS.join('hook')}\\b)", re.IGNORECASE)


def clean(text: str) -> str:
    """The text without what moves a cursor, hides or reorders; line ends are newlines."""
    if text.isprintable() and text.isascii():
        return text
    return CONTROLS.sub("", ESCAPES.sub("", text.replace("\r\n", "\n")))


def capped(text: str) -> str:
    if len(text) <= TEXT_LIMIT:
        return text
    mark = f"\n[cut here: the whole text has {len(text):,} characters]"
    return text[: TEXT_LIMIT - len(mark)] + mark


def for_user(message: Message, label: Label = str) -> str:
    """One text for a person: who says it, then what."""
    return f"[hook {shortened(clean(label(message.hook))) or UNNAMED}] {capped(clean(message.text))}"


def for_model(messages: Iterable[Message], marks: Mapping[str, str], label: Label = str) -> list[str]:
    """The texts for the model among them. A dialect's own mark for a kind has all texts of that kind under one."""
    groups: dict[str | int, list[Message]] = {}
    for n, message in enumerate(one for one in messages if one.to == "model"):
        together = marks.get(message.kind, PLAIN) != PLAIN
        groups.setdefault(message.kind if together else n, []).append(message)
    return [marked(group, marks, label) for group in groups.values()]


def marked(group: list[Message], marks: Mapping[str, str], label: Label = str) -> str:
    """In the dialect's own words, or between tags that the text itself can neither close nor open."""
    kind = group[0].kind
    if kind in marks:
        return marks[kind].replace("{text}", told(group))
    name = named(group, label)
    own = f' name="{name}"' if name else ""
    return f'<hook{own} kind="{kind}">\n{told(group)}\n</hook>'


def told(group: Iterable[Message]) -> str:
    return "\n".join(capped(FORGED.sub("&lt;", clean(message.text))) for message in group)


def named(group: Iterable[Message], label: Label) -> str:
    """The hooks' names on one line. What only a shell reads is not for the model."""
    names = dict.fromkeys(shortened(clean(label(message.hook))) for message in group)
    return ", ".join(name for name in names if NAME.fullmatch(name))


def shortened(name: str) -> str:
    """On one line, and no longer than a name should be."""
    name = " ".join(name.split())
    return name if len(name) <= NAME_LIMIT else f"{name[: NAME_LIMIT - 3]}..."
