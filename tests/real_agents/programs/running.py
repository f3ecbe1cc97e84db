"""One run of a client: a scene, a model with a plan, the client's process with a hard end, and what was left."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tenterhook.runtime.process import Completed, Program, run
from tenterhook.runtime.supervisor.client import helper

from .client import Client
from .model import Model, model
from .scene import Answers, Fired, Scene, one_each

# Where a network of our own cannot be had, nothing that would go outside finds a way.
NOWHERE = "http://127.0.0.1:9"
PROXIES = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy"), NOWHERE)
PROXIES |= {"NO_PROXY": "127.0.0.1,localhost", "no_proxy": "127.0.0.1,localhost"}
# Most take five seconds; on a busy machine some take five times that.
PATIENCE, PATIENCE_PER_CALL = 60.0, 5.0


class Seen(NamedTuple):
    """What a run has left: what the model was asked, what the tool and the hooks wrote down, what the client said."""

    model: Model
    marks: list[str]
    fired: list[Fired]
    completed: Completed

    def payloads(self, event: str) -> list[Any]:
        return [one.payload for one in self.fired if one.event == event]

    @property
    def story(self) -> str:
        """For a test that fails."""
        said = [text.decode(errors="replace")[-2000:] for text in (self.completed.stdout, self.completed.stderr)]
        events = [one.event for one in self.fired]
        return f"{self.marks=} {events=} asked {len(self.model.asked)} times; {self.completed.error=}\n" + "\n".join(
            said
        )


def play(client: Client, commands: Sequence[str], answers: Answers, *, patience: float | None = None) -> Seen:
    """The model calls the shell with each of these commands, one after the other; plain hooks answer so."""
    with tempfile.TemporaryDirectory(prefix=f"{client.name}-", ignore_cleanup_errors=True) as folder:
        scene = Scene(Path(folder))
        scene.answer(answers)
        client.configure(scene, one_each(client.events.values()))
        return started(client, scene, commands, patience)


def started(client: Client, scene: Scene, commands: Sequence[str], patience: float | None = None) -> Seen:
    """A client whose hooks are written already."""
    with model(client.protocol, client.tool, [client.call(one) for one in commands]) as found:
        environ = scene.environ(**PROXIES, **client.environ(scene, found.url))
        patience = patience or PATIENCE + PATIENCE_PER_CALL * len(commands)
        argv = tuple(client.argv(scene))
        program = Program(argv, b"", environ, str(scene.project), patience, cap=1 << 23, leftovers="end", grace=1.0)
        completed = run(program, helper("auto"))
    return Seen(found, scene.marks, scene.fired, completed)
