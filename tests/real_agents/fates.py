"""What became of a probe, told from what the tool, the hooks and the model saw: one word each.

Before a tool:  denied (it did not run, and the model read why), mute (it did not, and the model did not read why),
                ran, told (it ran, and the model read the text), changed (it ran with what the hook wanted),
                halted (it did not run, and the model was not asked again), ran-halted (it ran, and that was all)
After a tool:   nothing, beside (the model read the text and the result), replaced (the text and no result),
                lost (neither), halted (the model was not asked again)
Prompt, start:  nothing, told (the model read the text), refused (the model was not asked)
Stop:           how often the hook kept the agent going; with "mute" where the model did not read why

A hook that did not fire has no fate: the word is "unfired".
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from .answers import CHANGED, WHY
from .probes import Probe
from .programs.client import Client
from .programs.running import Seen, play
from .programs.scene import Answer

# So many calls of one session are enough: some clients become suspicious of long rows of them.
BATCH = 12
# Long enough to start and to call a hook, for clients that then wait for ever.
WAITS = 30.0


class Fate(NamedTuple):
    """With what there is to say where a test fails."""

    word: str
    seen: Seen


class Told(NamedTuple):
    """The texts of one probe, by which it is known again."""

    mark: str
    why: str
    answer: Answer


def told(client: Client, probe: Probe, place: int) -> Told:
    mark, why = f"probe{place}", f"REASON-{place}."
    changed = f"./mark.sh {mark}-changed"
    given = probe.given(client)
    put = {name: getattr(given, name).replace(WHY, why).replace(CHANGED, changed) for name in ("stdout", "stderr")}
    return Told(mark, why, given._replace(**put))


def fates(client: Client, probes: Sequence[Probe]) -> Iterator[tuple[Probe, Fate]]:
    """Of one kind. Those around a tool share sessions; where one ends its session, the others get a new one."""
    shared = [one for one in probes if one.kind.startswith("tool.") and client.name not in one.waits]
    for place, probe in enumerate(one for one in probes if one not in shared):
        yield probe, alone(client, probe, place)
    left = list(enumerate(shared))
    while left:
        done = list(together(client, left[:BATCH]))
        yield from done
        left = left[len(done) :]


def alone(client: Client, probe: Probe, place: int = 0) -> Fate:
    text = told(client, probe, place)
    patience = WAITS if client.name in probe.waits else None
    answers = {client.events[probe.kind]: [("", text.answer)]}
    seen = play(client, [f"./mark.sh {text.mark}"], answers, patience=patience)
    return Fate(word(seen, probe, text, 0, client.events[probe.kind]), seen)


def together(client: Client, batch: Sequence[tuple[int, Probe]]) -> Iterator[tuple[Probe, Fate]]:
    """One session for several calls, as far as it goes."""
    texts = [told(client, probe, place) for place, probe in batch]
    event = client.events[batch[0][1].kind]
    seen = play(
        client,
        [f"./mark.sh {one.mark}" for one in texts],
        {event: [(in_payload(one), one.answer) for one in texts]},
    )
    for place, (text, (_, probe)) in enumerate(zip(texts, batch, strict=True)):
        if place and place >= len(seen.model.asked):
            return
        yield probe, Fate(word(seen, probe, text, place, event), seen)


def in_payload(text: Told) -> str:
    """The end of the command, so that probe1 is not taken for probe10."""
    return f'{text.mark}"'


def word(seen: Seen, probe: Probe, text: Told, place: int, event: str) -> str:
    needle = in_payload(text) if probe.kind.startswith("tool.") else ""
    if not any(one.event == event and needle in one.stdin for one in seen.fired):
        return "unfired"
    return WORDS[probe.kind](seen, text, place)


def before(seen: Seen, text: Told, place: int) -> str:
    after = seen.model.saw(place + 1)
    read = text.why in after
    if f"{text.mark}-changed" in seen.marks:
        return "changed"
    if text.mark in seen.marks:
        return "ran-halted" if not after else "told" if read else "ran"
    return "halted" if not after else "denied" if read else "mute"


def after(seen: Seen, text: Told, place: int) -> str:
    request = seen.model.saw(place + 1)
    read, result = text.why in request, f"TOOL-OUTPUT {text.mark}" in request
    if not request:
        return "halted"
    return {(True, True): "beside", (True, False): "replaced", (False, True): "nothing"}.get((read, result), "lost")


def at_start(seen: Seen, text: Told, place: int) -> str:
    first = seen.model.saw(0)
    return "refused" if not first else "told" if text.why in first else "nothing"


def at_stop(seen: Seen, text: Told, place: int) -> str:
    """Two requests are the call and what came of it; every other is a stop that did not come about."""
    more = max(0, len(seen.model.asked) - 2)
    return f"{more}" if not more or text.why in json.dumps(seen.model.asked[2:]) else f"{more}-mute"


WORDS: dict[str, Callable[[Seen, Told, int], str]] = {
    "tool.before": before,
    "tool.after": after,
    "prompt.submit": at_start,
    "session.start": at_start,
    "turn.stop": at_stop,
}
