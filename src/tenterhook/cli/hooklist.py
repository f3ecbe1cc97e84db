"""`tenter hook list`: list the events and actions that can be called."""

from __future__ import annotations

from tenterhook.library.actions import ACTIONS, MOMENTS, WRAPPED


def run(*, as_json: bool) -> int:
    if as_json:
        from tenterhook.cli.project import print_json

        print_json(
            {
                "events": [{"event": kind, "wrapper": wrapper(kind), "does": does} for kind, does in MOMENTS.items()],
                "actions": [
                    {"action": one.name, "agent": one.agent, "event": one.kind, "does": one.purpose}
                    for one in ACTIONS.values()
                ],
            }
        )
        return 0
    from tenterhook.support.terminal.table import table
    from tenterhook.support.terminal.text import colourful, painter

    paint = painter(colourful())
    events = [[kind, wrapper(kind), does] for kind, does in MOMENTS.items()]
    rows = [[one.agent, one.name, one.kind, one.purpose] for one in ACTIONS.values()]
    print(paint("bold", "tenter hook EVENT, by our name or a wrapper's"))
    print(table(events, indent="  "))
    print()
    print(paint("bold", "tenter hook agent ACTION"))
    print(table(rows, indent="  "))
    return 0


def wrapper(kind: str) -> str:
    return next((name for name, known in WRAPPED.items() if known == kind), "")
