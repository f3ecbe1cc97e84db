"""How hooks get into a client: a plain program, with a config that is written by hand."""

from __future__ import annotations

from .client import Client
from .effects import CHANGED, CONTEXT, DANGEROUS, TO_CHANGE, WHY
from .scene import Answer, Scene


def by_hand(client: Client, scene: Scene) -> None:
    """The client's own form of everything; what it cannot do is answered too, and does nothing."""
    answers: dict[str, list[tuple[str, Answer]]] = {}
    for kind, text in CONTEXT.items():
        event = client.events[kind]
        answers[event] = [("", client.context(event, text))]
    changed = client.rewrite(client.call(CHANGED))
    answers[client.events["tool.before"]] = [(DANGEROUS, client.deny(WHY)), (TO_CHANGE, changed)]
    scene.answer(answers)
    client.configure(scene, list(client.events.values()))


WAYS = {"by hand": by_hand}
