"""A response, whole or in chunks <-> the response that hooks see."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from tenterhook.clients.formats import Call, View
from tenterhook.clients.formats.candidates import Candidate, counts, recount, usable_candidates
from tenterhook.clients.formats.genai.contents import parts, text_of
from tenterhook.clients.formats.genai.values import camel, get, list_field, plain, types
from tenterhook.clients.formats.values import read_as

# A reason that the stable form does not have is OTHER.
REASONS = {
    **{word: word for word in ("STOP", "MAX_TOKENS", "SAFETY", "RECITATION")},
    **dict.fromkeys(("BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT"), "SAFETY"),
    "IMAGE_RECITATION": "RECITATION",
    "CONTINUATION": "MAX_TOKENS",
}
COUNTS = ("prompt_token_count", "candidates_token_count", "total_token_count")
# Fields that a stream gives piece by piece; for all others the last value counts.
PIECES = {
    "citation_metadata": ("citations",),
    "logprobs_result": ("chosen_candidates", "top_candidates"),
    "url_context_metadata": ("url_metadata",),
}


def is_response(response: Any) -> bool:
    return hasattr(response, "candidates") or (isinstance(response, dict) and "candidates" in response)


def response_view(response: Any) -> View:
    candidates = [candidate_view(one, n) for n, one in enumerate(list_field(response, "candidates"))]
    usage = {camel(name): get(get(response, "usage_metadata"), name) for name in COUNTS}
    counted = {name: count for name, count in usage.items() if count is not None}
    text = "".join(candidates[0]["content"]["parts"]) if candidates else ""
    return {"text": text, "candidates": candidates, **({"usageMetadata": counted} if counted else {})}


def candidate_view(candidate: Any, place: int) -> View:
    texts = [text_of(part) for part in parts(get(candidate, "content"))]
    reason, index = reason_view(candidate), get(candidate, "index")
    ratings = ratings_view(candidate)
    return {
        "content": {"role": "model", "parts": [text for text in texts if text]},
        **({"finishReason": reason} if reason else {}),
        "index": place if index is None else index,  # on the wire an index of 0 is left out
        **({"safetyRatings": ratings} if ratings else {}),
    }


def reason_view(candidate: Any) -> str | None:
    reason = plain(get(candidate, "finish_reason"))
    return REASONS.get(reason, "OTHER") if reason else None


def ratings_view(candidate: Any) -> list[dict[str, Any]]:
    ratings = list_field(candidate, "safety_ratings")
    return [{name: plain(get(rating, name)) for name in ("category", "probability")} for rating in ratings]


def called_tools(response: Any) -> list[str]:
    held = [part for one in list_field(response, "candidates") for part in parts(get(one, "content"))]
    names = [get(get(part, "function_call"), "name") for part in held]
    return [name for name in names if isinstance(name, str)]


def build_response(view: View, call: Call, base: Any = None) -> Any:
    """Of `base`, the ids, the prompt feedback and, if the view has none, the usage are kept; the rest is the view's."""
    before = None if base is None else response_view(base)
    asked = usable_candidates(view, before) or [Candidate([])]
    olds = list_field(base, "candidates")
    made = [build_candidate(one, olds[n] if n < len(olds) else None) for n, one in enumerate(asked)]
    http = get(base, "sdk_http_response")
    tokens = recount(view, before)
    usage = types().GenerateContentResponseUsageMetadata(**dict(zip(COUNTS, tokens or counts(view), strict=True)))
    response = types().GenerateContentResponse(
        candidates=made,
        response_id=get(base, "response_id") or uuid4().hex,
        model_version=get(base, "model_version") or (str(call["model"]) if call.get("model") else None),
        create_time=get(base, "create_time") or (None if base is not None else datetime.now(UTC)),
        usage_metadata=usage if tokens else get(base, "usage_metadata") or usage,
        model_status=get(base, "model_status"),
        sdk_http_response=http and http.model_copy(update={"body": None}),
        automatic_function_calling_history=get(base, "automatic_function_calling_history"),
    )
    response.parsed = parse_by_schema("".join(text_of(part) for part in made[0].content.parts), call)
    return response


def build_candidate(one: Candidate, old: Any) -> Any:
    """A candidate. If a hook left the reason or the ratings unchanged, the API's own values are kept."""
    return types().Candidate(
        content=types().Content(role="model", parts=[types().Part(text=text) for text in one.parts]),
        index=one.place,
        finish_reason=reason_of(one.finish, old),
        safety_ratings=ratings_of(one.ratings, old),
    )


def reason_of(wanted: str, old: Any) -> Any:
    if wanted == reason_view(old):
        return get(old, "finish_reason")
    known = types().FinishReason.__members__
    return known.get(wanted, known["STOP"])


def ratings_of(wanted: list[Any] | None, old: Any) -> list[Any] | None:
    if wanted is None:
        return None
    if wanted == ratings_view(old):
        return list_field(old, "safety_ratings")
    kinds = {"category": types().HarmCategory.__members__, "probability": types().HarmProbability.__members__}
    found = [
        {name: known[str(one[name])] for name, known in kinds.items() if str(one.get(name)) in known}
        for one in wanted
        if isinstance(one, dict)
    ]
    return [types().SafetyRating(**one) for one in found if one] or None


def parse_by_schema(text: str, call: Call) -> Any:
    """The text parsed by the call's schema, which the SDK returns with it; None if it does not fit."""
    config = call.get("config")
    schema = get(config, "response_schema") or get(config, "response_json_schema")
    if schema is None or not text:
        return None
    if not isinstance(schema, dict | types().Schema):
        return read_as(schema, text)
    with suppress(ValueError):
        return json.loads(text)
    return None


def as_chunks(response: Any) -> list[Any]:
    return [response]


def collector() -> CollectedChunks:
    return CollectedChunks()


class CollectedChunks:
    """The chunks of one stream. If the SDK called a function and asked again, the last answer is the response."""

    def __init__(self) -> None:
        self.chunks: list[Any] = []
        self.ended: dict[int, bool] = {}

    def add(self, chunk: Any) -> None:
        if self.complete() and chunk.response_id and chunk.response_id != self.chunks[-1].response_id:
            self.chunks, self.ended = [], {}
        self.chunks.append(chunk)
        for index, candidate in indexed_candidates(chunk):
            self.ended[index] = self.ended.get(index, False) or candidate.finish_reason is not None

    def complete(self) -> bool:
        if self.ended:
            return all(self.ended.values())
        return any(get(chunk.prompt_feedback, "block_reason") for chunk in self.chunks)

    def response(self) -> Any:
        if not self.complete():
            return None
        found: dict[int, list[Any]] = {}
        for chunk in self.chunks:
            for index, candidate in indexed_candidates(chunk):
                found.setdefault(index, []).append(candidate)
        candidates = [whole_candidate(found[index]) for index in sorted(found)]
        return latest(self.chunks, candidates=candidates or None)


def indexed_candidates(response: Any) -> list[tuple[int, Any]]:
    return [(n if one.index is None else one.index, one) for n, one in enumerate(response.candidates or ())]


def latest(things: Sequence[Any], **fields: Any) -> Any:
    """A copy of the first with the last value of each field."""
    values = {name: value for thing in things for name, value in thing if value is not None}
    return things[0].model_copy(update={**values, **fields})


def whole_candidate(pieces: list[Any]) -> Any:
    contents = [one.content for one in pieces if one.content is not None]
    fields: dict[str, Any] = {}
    if contents:
        held = [part for content in contents for part in content.parts or ()]
        fields["content"] = latest(contents, parts=whole_parts(held) if held else contents[0].parts)
    for name, lists in PIECES.items():
        some = [get(one, name) for one in pieces if get(one, name) is not None]
        if some:
            whole = {each: [item for one in some for item in list_field(one, each)] or None for each in lists}
            fields[name] = latest(some, **whole)
    return latest(pieces, **fields)


def whole_parts(held: list[Any]) -> list[Any]:
    """Text that was split into chunks becomes one part again; its signature comes with the last piece."""
    found: list[Any] = []
    for part in held:
        last: Any = found[-1] if found else None
        if is_text(part) and not part.text and part.thought_signature is None:
            continue
        if last is not None and goes_on(last, part):
            signed = {"text": last.text + part.text, "thought_signature": part.thought_signature}
            found[-1] = last.model_copy(update=signed)
        else:
            found.append(part)
    return found or held[:1]


def goes_on(last: Any, part: Any) -> bool:
    alike = is_text(last) and is_text(part) and bool(last.thought) == bool(part.thought)
    return alike and last.thought_signature is None


def is_text(part: Any) -> bool:
    fields = {name for name, value in part if value is not None}
    return "text" in fields and fields <= {"text", "thought", "thought_signature"}
