"""The real clients: only where they are asked for, and each in one process, so that its runs are shared."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from .asked import Asked, asked
from .fates import Fate, alone, fates
from .probes import TABLES, Probe
from .programs.client import Client

ASKED = asked()
collect_ignore_glob = [] if ASKED else ["test_real_*.py"]


@pytest.fixture(scope="session")
def run() -> Asked:
    assert ASKED is not None, "the real clients are run by make clients"
    return ASKED


@pytest.fixture(scope="session")
def had(run: Asked) -> Callable[[Client], Client]:
    """A client, if it is there."""

    def had(client: Client) -> Client:
        if client.missing:
            why = run.why_not([one.name for one in client.needs])
            pytest.skip(f"{client.missing} is not there: {why or 'it was not fetched'}")
        return client

    return had


@pytest.fixture(scope="session")
def fate(had: Callable[[Client], Client]) -> Callable[[Client, Probe], Fate]:
    """What becomes of a probe. Those around a tool share sessions: the first to ask runs all of them."""
    known: dict[tuple[str, str, str], Fate] = {}

    def found(client: Client, probe: Probe) -> Fate:
        key = (client.name, probe.kind, probe.name)
        if key not in known:
            shared = probe.kind.startswith("tool.")
            new = fates(had(client), TABLES[probe.kind]) if shared else [(probe, alone(had(client), probe))]
            known.update({(client.name, one.kind, one.name): seen for one, seen in new})
        return known[key]

    return found
