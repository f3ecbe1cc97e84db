"""Drawn cases in the real client: as many in one session as it bears, and what became of each."""

from __future__ import annotations

import json
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from .drawing import Case
from .predicting import ENDED, Fate, predict
from .programs.client import Client
from .programs.running import Seen, started
from .programs.scene import Answer, Entry, Scene

# So many calls of a tool in one session.
BATCH = 24
# A session that was tried so often tells nothing more.
TRIES = 3
# Seconds that a session may take, and each call more.
PATIENCE, PATIENCE_PER_CALL = 30.0, 4.0
ALONE = ("session.start", "prompt.submit", "turn.stop")


class Session(NamedTuple):
    """Calls of a tool, one case each; and at most one case for each of the other moments."""

    calls: tuple[Case, ...]
    others: dict[str, Case]


def observe(client: Client, cases: Sequence[Case]) -> Iterator[tuple[Case, Fate, Seen]]:
    """What became of each. What a session does not come to is tried again in another one."""
    ending = {
        case.name for case in cases if predict(client, case).word in ENDED[case.kind] and case.kind != "turn.stop"
    }
    left, tries = list(cases), defaultdict[str, int](int)
    while left:
        session = compose(left, ending)
        seen = play(client, session)
        found = list(fates(client, session, seen))
        every = (*session.calls, *session.others.values())
        for case in reached(session, seen) if found else every:
            tries[case.name] += 1
        done = {case.name for case, _ in found}
        for case, fate in found:
            yield case, fate, seen
        for case in every:
            if case.name not in done and tries[case.name] >= TRIES:
                done.add(case.name)
                yield case, Fate("unfired"), seen
        left = [case for case in left if case.name not in done]


def reached(session: Session, seen: Seen) -> Sequence[Case]:
    """The cases to whose moment a session came."""
    asked = len(seen.model.asked)
    others = [case for kind, case in session.others.items() if kind != "turn.stop" or asked >= usual(session)]
    return [*session.calls[:asked], *others]


def compose(left: Sequence[Case], ending: set[str]) -> Session:
    """The next session: calls whose events have the same number of hooks, and one case of each other kind.

    What is expected to end a session comes last in it, or has one of its own.
    """
    first = {kind: next((case for case in left if case.kind == kind), None) for kind in ALONE}
    others = {kind: case for kind, case in first.items() if case is not None}
    for kind, case in others.items():
        if case.name in ending:
            return Session((), {kind: case})
    calls = [case for case in left if case.kind not in ALONE]
    alike = [case for case in calls if len(case.hooks) == len(calls[0].hooks)]
    going = [case for case in alike if case.name not in ending]
    last = [case for case in alike if case.name in ending]
    if last:
        others.pop("turn.stop", None)
    return Session((*going[:BATCH], *last[:1]), others)


def play(client: Client, session: Session) -> Seen:
    answers: dict[str, list[tuple[str, Sequence[Answer]]]] = defaultdict(list)
    entries: dict[str, list[Entry]] = {}
    for case in (*session.calls, *session.others.values()):
        event = client.events[case.kind]
        answers[event].append((in_payload(case), case.hooks))
        entries[event] = [Entry(place) for place in range(len(case.hooks))]
    with tempfile.TemporaryDirectory(prefix=f"{client.name}-", ignore_cleanup_errors=True) as folder:
        scene = Scene(Path(folder))
        scene.answer(answers)
        client.configure(scene, entries)
        # Some clients ask their model again where it called no tool.
        commands = [f"./mark.sh {case.mark}" for case in session.calls] or ["./mark.sh alone"]
        return started(client, scene, commands, PATIENCE + PATIENCE_PER_CALL * len(commands))


def in_payload(case: Case) -> str:
    """What stands in a payload of its event: the end of its own command, so that b1 is not taken for b10."""
    return "" if case.kind in ALONE else f'mark.sh {case.mark}"'


def fates(client: Client, session: Session, seen: Seen) -> Iterator[tuple[Case, Fate]]:
    """As far as the session tells."""
    asked = len(seen.model.asked)
    for kind, case in session.others.items():
        early = kind == "turn.stop" and asked < usual(session)
        word = OTHERS[kind](client, session, seen) if fired(client, case, seen) and not early else ""
        if word:
            told = seen.model.asked[usual(session) :] if kind == "turn.stop" else seen.model.asked
            yield case, fate(case, word, json.dumps(told))
    for place, case in enumerate(session.calls):
        if place >= asked:
            return
        if fired(client, case, seen):
            after = seen.model.saw(place + 1)
            yield case, fate(case, CALLS[case.kind](case, seen, after), after)


def fate(case: Case, word: str, request: str) -> Fate:
    if word in ENDED[case.kind]:
        return Fate(word)
    return Fate(word, tuple(one for one in case.tokens if one in request))


def fired(client: Client, case: Case, seen: Seen) -> bool:
    event, needle = client.events[case.kind], in_payload(case)
    return any(one.event == event and needle in one.stdin for one in seen.fired)


def before(case: Case, seen: Seen, after: str) -> str:
    ran = [mark for mark in seen.marks if mark == case.mark or mark.startswith(f"{case.mark}-")]
    if not ran:
        return "refused" if after else "halted"
    end = "" if after else "-halted"
    return " ".join([f"ran{end}" if mark == case.mark else f"changed{end} {mark}" for mark in ran])


def result(case: Case, seen: Seen, after: str) -> str:
    if not after:
        return "halted"
    return "kept" if re.search(rf"TOOL-OUTPUT {case.mark}(?![\w-])", after) else "gone"


def at_start(client: Client, session: Session, seen: Seen) -> str:
    """Where the model was not asked, the hook is to blame that came last."""
    prompt = session.others.get("prompt.submit")
    if seen.model.asked:
        return "asked"
    return "" if prompt is not None and fired(client, prompt, seen) else "refused"


def with_prompt(client: Client, session: Session, seen: Seen) -> str:
    return "asked" if seen.model.asked else "refused"


def at_stop(client: Client, session: Session, seen: Seen) -> str:
    return str(max(0, len(seen.model.asked) - usual(session)))


def usual(session: Session) -> int:
    """How often the model is asked where no hook keeps the agent from stopping."""
    return max(1, len(session.calls)) + 1


CALLS = {"tool.before": before, "tool.after": result}
OTHERS = {"session.start": at_start, "prompt.submit": with_prompt, "turn.stop": at_stop}
