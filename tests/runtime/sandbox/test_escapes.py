"""What a confined process must not get at, tried in earnest: each mechanism, each network, root and ordinary user."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tenterhook.runtime.sandbox.probes import ESCAPES, WORKS, run_probe, select_probes
from tenterhook.runtime.sandbox.proof import prove, world

from .confined import as_nobody

COMBINATIONS = [
    *(("namespace", network) for network in ("none", "loopback", "full")),
    *(("landlock", network) for network in ("none", "full")),
]
HARMLESS = (
    *("write a file outside", "overwrite a file outside", "read a key", "read a token", "read the host's environment"),
    *("overwrite hook config", "create hook config in an agent's folder", "create a hook of git", "signal the host"),
    *("limit the host", "signal all processes"),
    *("move git's folder away", "connect over TCP", "send over UDP", "connect to a socket in a file"),
    *(
        "connect to a socket without a file",
        "send from one of a pair to another socket",
        "read a key through a hard link",
    ),
    *("write through a link in the project", "move a file out of the project", "open the host's files"),
)


def judged(found: dict[str, Any]) -> None:
    if not found["mechanism"]:
        pytest.skip(f"this machine cannot confine so: {found['why']}")

    assert not found["leaks"]
    assert not found["failed"]
    assert found["tried"] >= 40


@pytest.mark.req("CC-SEC-sandbox", "AM-SEC-min-permission")
@pytest.mark.parametrize(("mechanism", "network"), COMBINATIONS)
def test_no_way_out_leads_out_and_what_hooks_do_still_works(mechanism: str, network: str) -> None:
    judged(prove(network, (mechanism,)))


@pytest.mark.parametrize(("mechanism", "network"), COMBINATIONS)
def test_nor_for_an_ordinary_user(mechanism: str, network: str) -> None:
    call = f"prove({network!r}, ({mechanism!r},))"
    done = as_nobody(f"import json; from tenterhook.runtime.sandbox.proof import prove; print(json.dumps({call}))")

    assert done.returncode == 0, done.stderr
    judged(json.loads(done.stdout))


@pytest.mark.parametrize("name", HARMLESS)
def test_without_a_sandbox_the_same_attempt_succeeds(name: str, place: Path) -> None:
    """Else a probe that can never succeed would prove nothing."""
    with world(str(place)) as made:
        assert run_probe(ESCAPES[name], made) == ""


def test_what_a_mechanism_cannot_do_is_known_by_name() -> None:
    everything = {*ESCAPES}

    assert {*select_probes("namespace", "none")[0]} == everything
    assert everything - {*select_probes("landlock", "none")[0]} == {
        "change the mode of a file outside",
        "change the time of a file outside",
    }
    assert {*select_probes("namespace", "none")[1]} == {*WORKS}


def test_loopback_is_refused_by_landlock_and_not_taken_for_none_or_full() -> None:
    found = prove("loopback", ("landlock",))

    assert found["mechanism"] == ""
    assert found["refused"] is True
    assert "loopback" in found["why"] or "Landlock" in found["why"]
