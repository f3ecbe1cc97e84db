"""Matchers that nobody listed: drawn around the name of the client's shell tool, as many in one session as there are.

Each is the matcher of a hook of its own, and a single call shows which of them the client takes for fitting.
"""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from tenterhook import dialects
from tenterhook.pipeline.match import NOT_RUN, match
from tenterhook.pipeline.target_index import matches
from tenterhook.types import Hook, Source

from .predicting import rule_of
from .programs.client import Client
from .programs.running import started
from .programs.scene import Entry, Scene

KIND = "tool.before"
PIECES = (
    *("^", "$", ".", ".*", ".+", "|", "(", ")", "(?:", "[", "]", "[a-z]", "[^a-z]", "[A-Za-z_]+", "{1,}", "{,9}"),
    *("*", "+", "?", "++", "*+", "(?i)", "(?i:", "(?-i:", "(?s)", "(?x)", "(?P<n>", "(?<n>", "(?=", "(?!", "(?<="),
    *("(?<!", "(?>", "(?#x)", r"\b", r"\w+", r"\W", r"\d", r"\D", r"\s", r"\S+", r"\Z", r"\z", r"\A", r"\x42"),
    *(r"\u0062", r"\p{L}+", r"\pL", r"\1"),
    *(" ", ",", "-", "_", "mcp__", "Edit", "Write", "é"),
)


class Match(NamedTuple):
    """One matcher; `fits` is what came of it."""

    client: str
    number: int
    text: str

    @property
    def name(self) -> str:
        return f"{self.client}/matcher/{self.number}"


def draw_match(client: Client, number: int, seed: int) -> Match:
    random = Random(f"{seed}/{client.name}/matcher/{number}")
    name = random.choice((client.target or client.tool, client.target or client.tool, "Bash", "bash", "Edit"))
    parts = [name, name.upper(), name.lower(), name[: len(name) // 2], name[len(name) // 2 :]]
    made = [random.choice((random.choice(parts), random.choice(PIECES))) for _ in range(random.choice((1, 2, 3, 4, 5)))]
    return Match(client.name, number, "".join(made))


def predict_fit(client: Client, one: Match) -> bool | None:
    """Whether it fits; None where our engine does not judge it, so that it counts as fitting."""
    dialect, rule = dialects.get(client.dialect), rule_of(client, KIND)
    trims = "matcher_trimmed" in dialect.config.form.group_keys.values()
    hook = Hook(
        name=one.name,
        event=rule.name,
        handler="command",
        spec={},
        source=Source("drawn"),
        matcher=one.text.strip() if trims else one.text,
        match_kind=rule.overrides.matcher,
    )
    test = match(hook.matcher, rule.overrides.matcher or dialect.planning.matcher)
    if test is not None and test(client.target or client.tool) is NOT_RUN:
        return None
    return matches(hook, client.target or client.tool, dialect, rule)


def observe_fits(client: Client, drawn: Sequence[Match]) -> dict[str, bool]:
    """Which of them fit the one call of a session; a hook without a matcher tells whether any could."""
    event = client.events[KIND]
    with tempfile.TemporaryDirectory(prefix=f"{client.name}-", ignore_cleanup_errors=True) as folder:
        scene = Scene(Path(folder))
        fitted = Path(folder) / "fitted"
        note = [f"echo {place} >> {shlex.quote(str(fitted))}" for place in range(len(drawn) + 1)]
        entries = [Entry(place, one.text, note[place]) for place, one in enumerate(drawn)]
        client.configure(scene, {event: [*entries, Entry(len(drawn), None, note[-1])]})
        seen = started(client, scene, ["./mark.sh matched"])
        found = {int(line) for line in fitted.read_text().split()} if fitted.exists() else set()
    assert len(drawn) in found, f"{client.name} ran no hook at all: {seen.story}"
    return {one.name: place in found for place, one in enumerate(drawn)}
