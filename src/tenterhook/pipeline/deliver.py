"""Prepare hook texts for their reader: without control characters, capped, and marked as coming from a hook.

This happens on delivery only: an outcome holds every text as the hook gave it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from tenterhook.support.clean_text import clean
from tenterhook.types import Message

# What texts call a hook, by its name in the outcome.
Label = Callable[[str], str]

TEXT_LIMIT = 10_000
NAME_LIMIT = 80
UNNAMED = "unnamed"
# A mark that adds nothing.
PLAIN = "{text}"
# A name, a path, a few words, the place of a removed secret: nothing that only a shell reads.
NAME = re.compile(r"[\w .:/@+,#~\[\]-]+")
# Joiners stay in texts, because some scripts need them; inside a tag they do not hide it, nor do wide brackets. No
# pattern backtracks: a bracket before a million blanks must not cost their square.
BLANKS, JOINERS = "[\\s\u200c\u200d]*+", "[\u200c\u200d]*"
FORGED = re.compile(f"[<\ufe64\uff1c](?={BLANKS}[/\uff0f]?+{BLANKS}{JOINERS.join('hook')}\\b)", re.IGNORECASE)


def truncate_message_text(text: str) -> str:
    if len(text) <= TEXT_LIMIT:
        return text
    mark = f"\n[cut here: the whole text has {len(text):,} characters]"
    return text[: TEXT_LIMIT - len(mark)] + mark


def for_user(message: Message, label: Label = str) -> str:
    """One text for a person: the hook's name, then what it says."""
    name = truncate_hook_name(clean(label(message.hook))) or UNNAMED
    return f"[hook {name}] {truncate_message_text(clean(message.text))}"


def for_model(messages: Iterable[Message], marks: Mapping[str, str], label: Label = str) -> list[str]:
    """The texts for the model. If the dialect has its own mark for a kind, all texts of that kind share one mark."""
    groups: dict[str | int, list[Message]] = {}
    for n, message in enumerate(one for one in messages if one.to == "model"):
        together = marks.get(message.kind, PLAIN) != PLAIN
        groups.setdefault(message.kind if together else n, []).append(message)
    return [wrap_in_hook_tags(group, marks, label) for group in groups.values()]


def wrap_in_hook_tags(group: list[Message], marks: Mapping[str, str], label: Label = str) -> str:
    """Mark a text in the dialect's own words, or by tags that the text itself can neither close nor open."""
    kind = group[0].kind
    if kind in marks:
        return marks[kind].replace("{text}", join_message_texts(group))
    name = join_hook_names(group, label)
    own = f' name="{name}"' if name else ""
    return f'<hook{own} kind="{kind}">\n{join_message_texts(group)}\n</hook>'


def join_message_texts(group: Iterable[Message]) -> str:
    return "\n".join(truncate_message_text(FORGED.sub("&lt;", clean(message.text))) for message in group)


def join_hook_names(group: Iterable[Message], label: Label) -> str:
    """The hooks' names on one line, without parts that only a shell reads: those are not for the model."""
    names = dict.fromkeys(truncate_hook_name(clean(label(message.hook))) for message in group)
    return ", ".join(name for name in names if NAME.fullmatch(name))


def truncate_hook_name(name: str) -> str:
    """On one line, and no longer than a name should be."""
    name = " ".join(name.split())
    return name if len(name) <= NAME_LIMIT else f"{name[: NAME_LIMIT - 3]}..."
