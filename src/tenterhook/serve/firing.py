"""`tenter fire` in a worker: the same words, the same outcome, by an engine that is there already."""

from __future__ import annotations

import sys
import threading
import traceback
from typing import TYPE_CHECKING

from msgspec.structs import replace

from tenterhook.cli import fire
from tenterhook.cli.main import complain
from tenterhook.errors import TenterhookError
from tenterhook.process.caller import CALLER, CallerGone
from tenterhook.serve.client import AGAIN
from tenterhook.serve.engines import Engines
from tenterhook.serve.stamps import Modules
from tenterhook.serve.streams import ERRORS, SEAT, Seat

if TYPE_CHECKING:
    from tenterhook.serve.engines import Kept, Options
    from tenterhook.serve.talk import Line, Request
    from tenterhook.serve.world import World


class Firing:
    """What one worker needs for it. `spoiled` is set where it cannot serve on as if it were new."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.engines = Engines()
        self.modules = Modules()
        self.spoiled = False
        self.lock = threading.Lock()
        self.project = ""

    def __call__(self, request: Request, line: Line) -> None:
        """Answer it. CallerGone where nobody is there any more to be answered."""
        seat = Seat()
        seat.line, seat.out = line, bytearray()
        before = SEAT.set(seat)
        try:
            options = self.parsed(request, line, seat)
            if options is not None:
                self.fired(options, request, line, seat)
        finally:
            SEAT.reset(before)
            seat.line = None

    def parsed(self, request: Request, line: Line, seat: Seat) -> Options | None:
        try:
            options = fire.USAGE.parse(request.words)
        except TenterhookError as exc:
            line.end(complain(str(exc)))
            return None
        if options is None:
            line.end(0, bytes(seat.out or b""))
        return options

    def fired(self, options: Options, request: Request, line: Line, seat: Seat) -> None:
        kept: Kept | None = None
        try:
            stdin = request.stdin
            data = fire.read_input(options["input"]) if options.get("input") else fire.decoded(stdin, "stdin")
            kept = self.engines.take(options)
            if not self.is_own(kept):
                self.spoiled = True
                line.say(AGAIN)
                return
            code, out = self.outcome(kept, options, data, request, line)
        except (TenterhookError, OSError) as exc:
            code, out = complain(str(exc)), b""
        except Exception:
            traceback.print_exc()
            code, out = 1, b""
        finally:
            # Before the answer: whoever comes next need not wait for it.
            if kept is not None:
                kept.seat.line = None
                self.engines.give_back(kept)
                self.look_after(kept)
        line.end(code, out)

    def is_own(self, kept: Kept) -> bool:
        """The functions of one project only: what those of another import when they are called has the same names."""
        if not kept.functions:
            return True
        with self.lock:
            self.project = self.project or kept.engine.project
            return self.project == kept.engine.project

    def outcome(
        self, kept: Kept, options: Options, data: dict[str, object], request: Request, line: Line
    ) -> tuple[int, bytes]:
        kept.seat.line = line
        kept.begin(options.get("session", ""))
        SEAT.set(kept.seat)
        fire.warn_of_bypass(kept.engine)
        caller = CALLER.set(line.wire.fileno())
        try:
            outcome = kept.engine.fire(options["EVENT"], **data)
        except CallerGone:
            kept.files = None
            raise
        finally:
            CALLER.reset(caller)
        if any(one.error == "import" for one in outcome.attempts):
            self.spoiled = True  # half of it may have been imported
        if not kept.own(outcome):
            outcome = replace(outcome, id=kept.engine.new_id())
        code = fire.exit_code(outcome, require_trusted="require-trusted" in options)
        if "json" in options or not request.readable:
            return code, fire.as_json(outcome) + b"\n"
        return code, (fire.as_text(outcome) + "\n").encode(sys.stdout.encoding, ERRORS)

    def look_after(self, kept: Kept) -> None:
        """A function may have left something behind that a new process would not have."""
        if kept.engine.abandoned or not self.modules.learn() or self.world.changed:
            self.spoiled = True
