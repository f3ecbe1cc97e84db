"""Recognise texts and keys that were probably meant as an answer, or as part of one, but are not."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tenterhook.pipeline.answer import KEPT, Reading, looks_like

if TYPE_CHECKING:
    from tenterhook.pipeline.event_reader import Rules

# The keys by which some agent's hooks decide, and those that hold them.
DECIDING = frozenset(
    ("decision", "permissionDecision", "permission", "behavior", "continue", "stop", "hookSpecificOutput")
)
# The words of refusals, and the keys that refuse if they are false or true, in any spelling.
REFUSALS = ("deny", "denied", "block", "blocked", "reject", "refuse")
ALLOWS = ("allow", "allowed", "approve", "approved", "ok", "continue")


def what_is_wrong(text: str, reading: Reading, rules: Rules, *, cut: bool) -> str:
    """Why a text that was meant as an answer is not one; empty if it was not meant as one. `cut`: some was dropped."""
    if reading.twin:
        return f"printed an answer whose key {reading.twin!r} occurs twice, with different values"
    if reading.refused:
        return f"printed an answer that {rules.dialect.title} cannot read: {reading.problem}"
    if reading.begins and (cut or len(text) > KEPT):  # the rest of it was dropped, or is too long to look through
        why = "more was printed than is read, and the rest was dropped" if cut else reading.problem
    elif looks_like(text[:KEPT], rules.guarded, rules.known):
        why = reading.problem or ("it is a list" if text.startswith("[") else "there is other text beside it")
    elif cut and rules.strict:
        return "printed more than is read, and the rest, which was dropped, may have been an answer"
    else:
        return ""
    return f"printed what looks like an answer but is not one JSON object: {why}"


def meant_by(place: str, value: Any, rules: Rules) -> str:
    """Say what an unknown key was probably meant to be; empty if it was not meant for the agent."""
    leaf, title = place.rpartition(".")[2], rules.dialect.title
    if home := next((path for path in rules.weighty if path.rpartition(".")[2] == leaf), ""):
        return f"{place} counts for nothing; {title} reads {home}"
    close = alike(leaf, (path.rpartition(".")[2] for path in rules.weighty), 0.75) or alike(leaf, rules.known, 0.87)
    if close:
        return f"{place} is not part of this dialect's answers (did you mean {close!r}?)"
    if leaf in DECIDING or (not isinstance(value, dict) and says_no(place, value)):  # an object may be plain data
        reads = ", ".join(path for path, _ in rules.deciding) or "no decision"
        return f"{place} is how other agents' hooks decide; on {rules.rule.name} {title} reads {reads}"
    return ""


def says_no(place: str, value: Any) -> bool:
    """Whether a field refuses, as a person would read it: {"action": "deny"}, {"allowed": false}, {"block": true}."""
    if isinstance(value, dict):
        return any(says_no(str(key), one) for key, one in value.items())
    if isinstance(value, bool):
        return fold(place.rpartition(".")[2]) in ((*REFUSALS, "stop") if value else ALLOWS)
    return isinstance(value, str) and value.lower() in REFUSALS


def alike(word: str, known: Iterable[str], least: float) -> str:
    """The known word that is almost the same, apart from capitals and underscores."""
    from difflib import get_close_matches

    folded = {fold(one): one for one in known}
    close = get_close_matches(fold(word), folded, n=1, cutoff=least)
    return folded[close[0]] if close else ""


def fold(word: str) -> str:
    return word.lower().replace("_", "")
