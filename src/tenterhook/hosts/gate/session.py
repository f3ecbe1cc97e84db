"""What outlives one call: what the user was told in a session, and the replies to calls that may come twice.

Two files of one agent may both call the gate, or an agent may read another's file beside its own: then one tool call
arrives twice. The second one waits for the first, and gets its decision without running any hook again.
"""

from __future__ import annotations

import json
import os
import time
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from tenterhook.author.forms import Said
from tenterhook.support.paths import state_folder

if TYPE_CHECKING:
    from tenterhook.author.answers import Answer
    from tenterhook.author.calls import HookCommand
    from tenterhook.engine.engine import Engine
    from tenterhook.hosts.gate.call import AgentCall

FOLDER = "gate"
# Seconds within which the same call is a repetition; later it is a new one, such as in a session that is resumed.
SOON = 20.0
# Seconds after which a file is removed, and how many new files there are between two clean-ups.
OLD, SELDOM = 7 * 86400.0, 64
# The fields that make a call unmistakable; without one of them a call is never a repetition.
IDS = ("tool_use_id", "tool_call_id", "call_id", "toolCallId", "callId")


def open_state_file(engine: Engine, flags: int, *words: object) -> int:
    """The file for these words, which is made; so is its folder, if it is missing."""
    folder = os.path.join(state_folder(engine.environ, engine.home), FOLDER)
    name = sha256(json.dumps(words, default=str).encode("utf-8", "surrogatepass")).hexdigest()[:32]
    if name.startswith("00"):
        remove_old_files(folder)
    path, flags = os.path.join(folder, name), flags | os.O_CREAT
    try:
        return os.open(path, flags, 0o600)
    except FileNotFoundError:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        return os.open(path, flags, 0o600)


def remove_old_files(folder: str) -> None:
    limit = time.time() - OLD
    if not os.path.isdir(folder):
        return
    for one in os.scandir(folder):
        try:
            if one.stat(follow_symlinks=False).st_mtime < limit:
                os.unlink(one.path)
        except OSError:
            continue


def once_a_session(call: AgentCall, engine: Engine, text: str) -> bool:
    """Whether the user has not been told this yet in this session; without a session, today."""
    session = call.session or time.strftime("%Y-%m-%d")
    try:
        os.close(open_state_file(engine, os.O_EXCL, "told", session, call.project, text))
    except FileExistsError:
        return False
    except OSError:  # there is no place to note it: better twice than never
        return True
    return True


def words_of(line: HookCommand) -> list[object]:
    """What a command line asks for, whichever agent it names."""
    return [line.words, line.settings, line.options, line.hooks_of, line.dialect, line.command]


class Repeats:
    """A call that may be the second one of its kind: `earlier` is the reply then.

    A lock is held while the hooks run, so that the second call waits for the first one's decision.
    """

    def __init__(self, call: AgentCall, engine: Engine) -> None:
        self.call, self.engine = call, engine
        self.file = -1
        self.earlier: Said | None = None

    def __enter__(self) -> Repeats:
        number = next((str(value) for name in IDS if (value := self.call.event.data.get(name))), "")
        if not number or not self.call.session:
            return self
        try:
            import fcntl

            about = (self.call.session, number, self.call.kind, self.call.event.data.get("tool_input"))
            self.file = open_state_file(self.engine, os.O_RDWR, "call", *about, words_of(self.call.line))
            fcntl.flock(self.file, fcntl.LOCK_EX)
            self.earlier = self.read()
        except (ImportError, OSError):  # no locks here, or no place for them: each call is a new one
            self.close()
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        if self.file >= 0:
            os.close(self.file)
            self.file = -1

    def read(self) -> Said | None:
        """The reply of the first call, in this call's form and without its texts for the model, which has them."""
        found = os.read(self.file, 1 << 20)
        try:
            kept = json.loads(found) if found else {}
        except ValueError:  # the first call was killed while it wrote
            return None
        if not kept or not 0 <= time.time() - kept["time"] < SOON:
            return None
        from tenterhook.hosts.gate.reply import render_kept

        return render_kept(self.call, kept)

    def keep(self, answer: Answer) -> None:
        if self.file < 0:
            return
        kept: dict[str, Any] = {"time": time.time(), "decision": answer.decision, "reason": answer.reason}
        if answer.edits:
            kept["edits"] = answer.edits
        if answer.stop is not None:
            kept["stop"] = answer.stop
        try:
            os.ftruncate(self.file, 0)
            os.pwrite(self.file, json.dumps(kept).encode("utf-8", "surrogatepass"), 0)
        except (OSError, ValueError):  # a full disk, or a change that JSON cannot hold: the next call runs its hooks
            os.ftruncate(self.file, 0)
