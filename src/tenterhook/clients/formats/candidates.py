"""Read the view of a response that a hook sent, whatever it holds: the same rules for every API."""

from __future__ import annotations

from typing import Any, NamedTuple


class Candidate(NamedTuple):
    """One candidate."""

    parts: list[str]
    finish: str = "STOP"
    place: int = 0
    ratings: list[Any] | None = None


def usable_candidates(view: Any, before: dict[str, Any] | None = None) -> list[Candidate]:
    """The usable candidates of a view; `before` is the view that the hook was shown.

    Text and candidates say the same twice. The candidates count, or `text` if there are none. But if a hook changed the
    text and left the candidates, the text is the whole response, with the first one's finish reason: what the hook
    removed must not come back with the others. And an unchanged text does not bring back candidates that the hook
    removed.
    """
    view = view if isinstance(view, dict) else {}
    before = before or {}
    text, given = view.get("text"), view.get("candidates")
    usable = [one for one in given if isinstance(one, dict | str)] if isinstance(given, list) else []
    found = [candidate(one, n) for n, one in enumerate(usable)]
    shown = before.get("candidates")
    left = "text" in before and text == before["text"]
    if not isinstance(text, str) or (found and (left or given != shown)):
        return found
    if not found and (not text or (left and given == [])):
        return []
    first = candidate(shown[0], 0) if shown and given in (None, shown) else Candidate([])
    return [first._replace(parts=[text] if text else [])]


def candidate(value: Any, place: int) -> Candidate:
    value = value if isinstance(value, dict) else {"content": value}
    index, finish, content, ratings = (value.get(key) for key in ("index", "finishReason", "content", "safetyRatings"))
    parts = content.get("parts") if isinstance(content, dict) else content
    pieces = parts if isinstance(parts, list) else [parts]
    strings = [piece.get("text") if isinstance(piece, dict) else piece for piece in pieces]
    return Candidate(
        [piece for piece in strings if isinstance(piece, str) and piece],
        finish if isinstance(finish, str) and finish else "STOP",
        index if type(index) is int else place,
        ratings if isinstance(ratings, list) and ratings else None,
    )


COUNTS = ("promptTokenCount", "candidatesTokenCount", "totalTokenCount")


def counts(view: Any) -> tuple[int, int, int]:
    """The token counts in a view: of the prompt, of the answer, in total; 0 if missing."""
    named = named_counts(view)
    prompt, answer, total = (named.get(key, 0) for key in COUNTS)
    return prompt, answer, total or prompt + answer


def recount(view: Any, before: Any) -> tuple[int, int, int] | None:
    """The token counts of a view if they differ from the one that the hook was shown; None if not.

    A missing count stays; the total follows the counts.
    """
    named, shown = named_counts(view), named_counts(before)
    if all(shown.get(key) == count for key, count in named.items()):
        return None
    rest = {key: count for key, count in shown.items() if key != "totalTokenCount"}
    return counts({"usageMetadata": {**rest, **named}})


def named_counts(view: Any) -> dict[str, int]:
    """The counts in a view that are valid numbers of tokens."""
    usage = view.get("usageMetadata") if isinstance(view, dict) else None
    usage = usage if isinstance(usage, dict) else {}
    return {key: usage[key] for key in COUNTS if type(usage.get(key)) is int and usage[key] >= 0}
