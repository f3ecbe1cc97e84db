"""A warm interpreter at work: a spawner whose hooks are forks of itself.

It prepares for scripts on request. No script can find what another one was given: a script's input stays in a memory
file that only its own process reads.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]
import errno
import gc
import marshal
import os
import sys
import time

from tenterhook.runtime.process_tree import SIGKILL, ProcessFamily, read_children, send
from tenterhook.runtime.supervisor import system
from tenterhook.runtime.supervisor.hook_processes import HookProcess, HookProcesses, tell, ticks
from tenterhook.runtime.supervisor.spawner import Spawner
from tenterhook.runtime.supervisor.wire import (
    AGAIN,
    EXITED,
    EXITED_ALONE,
    FAILED,
    FILES,
    HEAD,
    PREPARE,
    PREPARE_FILE,
    READY,
    STALE,
    UNFIT,
)
from tenterhook.runtime.warm.child import FIT
from tenterhook.runtime.warm.footprint import memory
from tenterhook.runtime.warm.forks import ForkedRun, ForkedWorker
from tenterhook.runtime.warm.loading import LoadedModules, load
from tenterhook.support.fingerprint import is_stamp_reliable, stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import CodeType
    from typing import Any

    from tenterhook.runtime.process_tree import ProcessEntry, ProcessTable
    from tenterhook.runtime.supervisor.wire import Wire
    from tenterhook.support.fingerprint import Stamp

# Forks that wait for any script, and for how many files of hooks one waits that has run the file.
SPARE, AHEAD = 1, 2
# Seconds after the end of a script until forks are made, and after which one is made even while a script runs. They
# need the processor that the answer needs.
SOON, LATER = 0.002, 0.02
# Scripts that one interpreter is prepared for, and how many bytes of their code it keeps.
MOST, LARGEST_CODE = 256, 16 << 20
# How often modules that a script was seen to load are kept loaded.
LESSONS = 3
# Seconds after which an idle one ends.
IDLE = 300.0

FULL = f"its interpreter is prepared for {MOST} scripts already"
LATE = "what it imports takes longer than {:g} s"
ENDED = "what it imports ends the process"


class PreparedScript:
    """`before` is where its modules are looked for first, `own` are its own files as they were when they were read.

    `imports` is what a file of hooks imports; None if the file cannot run before there is an event.
    """

    __slots__ = ("before", "code", "imports", "own", "script", "size", "text")

    def __init__(self, script: str, own: dict[str, Stamp], before: list[str], text: bytes, code: bytes) -> None:
        self.script, self.own, self.before = script, own, before
        self.code: CodeType | None = marshal.loads(code) if code else None
        self.size = len(code)
        # While the file may still change without a trace, its text is compared.
        self.text: bytes | None = text
        self.imports: list[tuple[str, tuple[str, ...]]] | None = None

    def is_same(self) -> bool:
        """Whether its files are unchanged since they were read."""
        if any(stamp(path) != known for path, known in self.own.items()):
            return False
        if self.text is not None:
            old = all(is_stamp_reliable(known) for known in self.own.values())
            with open(self.script, "rb") as file:
                if file.read() != self.text:
                    return False
            if old:
                self.text = None
        return True


class ImportTrial(HookProcess):
    """The process in which a script's imports are tried. It reports through a memory file."""

    __slots__ = ("asked", "memory", "since", "until")

    def __init__(self, channel: Wire, number: int, family: ProcessFamily, memory: int, asked: PrepareRequest) -> None:
        super().__init__(channel, number, family, keep=False)
        self.memory, self.asked = memory, asked
        self.since, self.until = time.time_ns(), time.monotonic() + asked.seconds

    def tell(self, kind: bytes, value: int = 0) -> None:
        """Its state is not reported, only its result."""


class PrepareRequest:
    """A script that we were asked to prepare for, and what it was seen to load beyond what its text shows.

    For a file of hooks: the fingerprint under which it was approved.
    """

    __slots__ = ("approved", "lessons", "number", "script", "seconds", "seen")

    def __init__(self, number: int, script: str, seconds: float, approved: Stamp | None) -> None:
        self.number, self.script, self.seconds, self.approved = number, script, seconds, approved
        self.seen: set[str] = set()
        self.lessons = 0


class WarmServer(Spawner):
    """Serves like any spawner, and handles PREPARE too."""

    def __init__(self, control: Wire, hello: bytes, first: Wire, notes: int, bare: Iterable[str]) -> None:
        self.trials = 0
        # A script that imports tenterhook must get what is installed for its interpreter.
        ours = __name__.partition(".")[0]
        self.ours = {name: module for name, module in sys.modules.items() if name.partition(".")[0] == ours}
        for name in self.ours:
            del sys.modules[name]
        self.scripts: dict[str, PreparedScript] = {}
        # Files of hooks that forks run ahead of their event, the one that was used last at the end.
        self.files: dict[str, PreparedScript] = {}
        self.asked: dict[tuple[str, bool], PrepareRequest] = {}
        self.loaded = LoadedModules(bare)
        self.base = memory()
        self.host_channel: Wire | None = first
        self.forks: list[ForkedWorker] = []
        self.fork_at = 0.0
        self.used = time.monotonic()
        super().__init__(control, hello, first, notes)
        self.jobs: WarmProcesses = WarmProcesses(self)
        gc.collect()
        gc.freeze()

    @property
    def needed(self) -> bool:
        """Ends after a while without use, to give back its memory."""
        if self.jobs.by_number or (self.channels and time.monotonic() < self.used + IDLE):
            return True
        self.dismiss_forks()
        return not self.channels and system.has_children()

    def handle_packet(self, channel: Wire, data: bytes) -> None:
        kind, number, value = HEAD.unpack_from(data)
        if kind in (PREPARE, PREPARE_FILE):
            self.host_channel = channel
            body, is_file = data[HEAD.size :], kind == PREPARE_FILE
            path, approved = marshal.loads(body) if is_file else (body, None)
            script = os.fsdecode(path)
            if len(self.asked) >= MOST and (script, is_file) not in self.asked:
                self.notify(UNFIT, number, FULL)
                return
            asked = self.asked[script, is_file] = PrepareRequest(number, script, value / 1e6, approved)
            self.prepare(asked, [])

    # Preparing

    def prepare(self, asked: PrepareRequest, seen: list[str]) -> None:
        memory = os.memfd_create("trial")
        # Before the fork: otherwise the child may look older than itself, and be taken for another hook's leftover.
        born = ticks()
        pid = os.fork()
        if pid == 0:
            try:
                self.try_out(asked, memory, seen)
            finally:
                os._exit(0)
        self.trials += 1
        self.used = time.monotonic()
        self.jobs.add(ImportTrial(self.control, -self.trials, ProcessFamily(pid, "", born), memory, asked))

    def try_out(self, asked: PrepareRequest, memory: int, seen: list[str]) -> None:
        """Try the imports in a fork, which has no connections."""
        os.setsid()
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.dup2(memory, 3)
        os.closerange(4, system.max_files())
        system.let_in()
        system.adopt_orphans()
        sys.modules.update(self.ours)
        from tenterhook.runtime.warm.trial import trial

        for name in self.ours:
            del sys.modules[name]
        found = trial(asked.script, self.base, seen, asked.approved)
        os.pwrite(3, marshal.dumps(found), 0)

    def finish_trial(self, trial: ImportTrial) -> None:
        """The trial is over, by itself or because it took too long."""
        asked = trial.asked
        try:
            found = marshal.loads(os.pread(trial.memory, 1 << 26, 0))
        except (EOFError, ValueError, TypeError):
            late = time.monotonic() >= trial.until
            found = {"why": LATE.format(asked.seconds) if late else ENDED}
        os.close(trial.memory)
        why = found.get("why") or self.take(asked, found, trial.since)
        # If what it was seen to load cannot be kept, it goes on to load that itself.
        fine = not why or (asked.lessons > 0 and asked.script in self.scripts)
        self.notify(READY if fine else UNFIT, asked.number, "" if fine else why)

    def learn(self, run: ForkedRun) -> None:
        """Add what a script has loaded beyond what its text shows, so that it is loaded before the next run."""
        names, asked = run.fork.read_loaded(), self.asked.get((run.script, False))
        if asked is None or asked.lessons >= LESSONS or run.script not in self.scripts:
            return
        fresh = [name for name in names if name not in asked.seen and name not in sys.modules]
        if fresh:
            asked.seen.update(fresh)
            asked.lessons += 1
            self.notify(AGAIN, asked.number)
            self.prepare(asked, fresh)

    def take(self, asked: PrepareRequest, found: dict[str, Any], since: int) -> str:
        """Import what is known to be harmless; returns why it cannot be kept after all."""
        script = PreparedScript(asked.script, *found["script"])
        if found["prepares"]:  # what it is seen to load may depend on what it did before
            asked.lessons = LESSONS
        signal.alarm(int(2 * asked.seconds) + 1)  # if it hangs now, this interpreter ends
        for one in found["wanted"]:
            load(one, found["path"])
        signal.alarm(0)
        self.dismiss_forks()
        self.loaded.note(since)
        gc.collect()
        gc.freeze()
        if hides := self.loaded.find_shadowing_file(script.before):
            return f"{hides} has the name of a module that is loaded already"
        if asked.approved is not None:
            script.imports = found["imports"]
            self.files.pop(script.script, None)
            if script.imports is not None and script.code is not None:
                self.files[script.script] = script
            return ""
        self.scripts[script.script] = script
        if sum(one.size for one in self.scripts.values()) > LARGEST_CODE:
            script.code, script.size = None, 0
        return ""

    def notify(self, kind: bytes, number: int, text: str = "") -> None:
        if self.host_channel is not None:
            try:
                self.host_channel.send_packet(HEAD.pack(kind, number, 0) + os.fsencode(text)[:1000])
            except OSError:
                return

    # Running

    def taken_apart(self, words: int, data: bytes, files: list[int]) -> Any:
        """Our own modules are checked now, while the host checks approvals."""
        token, cwd, *paths = data[HEAD.size :].split(b"\0")
        path, file = map(os.fsdecode, paths)
        return token.decode(), cwd, path, file, self.is_current(path, file)

    def start(self, channel: Wire, number: int, given: Any, files: list[int], *, keep: bool) -> None:
        began = ticks()
        self.used = time.monotonic()
        try:
            if len(files) < FILES:  # there was no room for the descriptors
                raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
            token, cwd, path, file, current = given
            os.chdir(cwd)
            fit = current and self.is_same(self.scripts.get(path))
            fork = self.hand_over(fit, path, file if fit else "", cwd, files)
        except (OSError, MemoryError) as exc:
            tell(channel, FAILED, number, getattr(exc, "errno", None) or errno.ENOMEM)
            return
        finally:
            os.chdir("/")
            for fd in files:
                os.close(fd)
        self.jobs.add(ForkedRun(channel, number, token, fork, path, keep=keep, began=began))
        self.fork_at = self.used + LATER

    def hand_over(self, fit: bool, path: str, file: str, cwd: bytes, files: list[int]) -> ForkedWorker:
        """Give the script to a waiting fork, or to a new one if that was killed."""
        request = (FIT if fit else UNFIT) + os.fsencode(path) + b"\0" + cwd
        fork = self.take_fork(file) or ForkedWorker()
        try:
            fork.connection.send_packet(request, files)
        except OSError:
            fork.dismiss()
            fork = ForkedWorker()
            fork.connection.send_packet(request, files)
        send(os.kill, fork.pid, signal.SIGCONT)  # an earlier script may have stopped it while it waited
        return fork

    def take_fork(self, path: str) -> ForkedWorker | None:
        """A fork that has run this file of hooks, as the file is now; else one for any script.

        The host has checked that the file is what was approved, so here it must be what was read then.
        """
        file = self.files.pop(path, None)
        if file is not None and self.is_same(file):
            self.files[path] = file
            for n, fork in enumerate(self.forks):
                if fork.file is file:
                    return self.forks.pop(n)
        return next((self.forks.pop(n) for n, fork in enumerate(self.forks) if fork.file is None), None)

    def dismiss_forks(self) -> None:
        while self.forks:
            self.forks.pop().dismiss()

    def leave(self) -> None:
        """In a fork: the files are closed with all others, and their numbers are free for the script."""
        self.control.detach()
        for channel, _ in self.channels.values():
            channel.detach()

    @property
    def lacks_forks(self) -> bool:
        return bool(self.missing_forks)

    @property
    def latest_files(self) -> list[PreparedScript]:
        return list(self.files.values())[-AHEAD:]

    @property
    def missing_forks(self) -> list[PreparedScript | None]:
        """For what forks are missing, the most urgent one first: the file that it runs ahead; None for any script."""
        if not self.scripts or not self.channels:
            return []
        waiting = [fork.file for fork in self.forks]
        files = [file for file in reversed(self.latest_files) if file not in waiting]
        return [*files, *[None] * (SPARE - waiting.count(None))]

    def dismiss_old_forks(self) -> None:
        """Dismiss the forks that have run a file that was changed, or not used for long."""
        for fork in [fork for fork in self.forks if fork.file and fork.file not in self.latest_files]:
            self.forks.remove(fork)
            fork.dismiss()

    def handle_exit(self) -> bool:
        return self.jobs.handle_exit() or super().handle_exit()

    def before_waiting(self) -> None:
        """Fork ahead. Not while a script runs, or its answer is on the way: that needs the processor."""
        if time.monotonic() >= self.fork_at and (missing := self.missing_forks):
            self.dismiss_old_forks()
            self.forks.append(ForkedWorker(missing[0]))

    def is_current(self, path: str, file: str) -> bool:
        """Whether a new interpreter would still load the modules for this script that are loaded here."""
        if self.loaded.changed:
            self.notify(STALE, 0)
            return False
        script, more = self.scripts.get(path), self.files.get(file)
        try:
            return script is not None and not any(
                self.loaded.find_shadowing_file(one.before) for one in (script, more) if one
            )
        except OSError:
            return False

    def is_same(self, script: PreparedScript | None) -> bool:
        try:
            return script is not None and script.is_same()
        except OSError:
            return False


class WarmProcesses(HookProcesses):
    def __init__(self, warm: WarmServer) -> None:
        super().__init__()
        self.warm = warm

    @property
    def running(self) -> list[ImportTrial]:
        return [job for job in self.by_number.values() if isinstance(job, ImportTrial)]

    def patience(self) -> float | None:
        usual, now = super().patience(), time.monotonic()
        for trial in self.running:
            if not trial.ending and now >= trial.until:
                self.finish(trial)
        clocks = [trial.until - now for trial in self.running if not trial.ending]
        if self.warm.lacks_forks:
            clocks.append(max(0.0, self.warm.fork_at - now))
        return min([one for one in (usual, *clocks, IDLE) if one is not None])

    def forget(self, job: HookProcess) -> None:
        super().forget(job)
        self.warm.fork_at = time.monotonic() + SOON

    def strays(self, job: HookProcess, table: ProcessTable) -> list[ProcessEntry]:
        for fork in self.warm.forks:  # they belong to no hook, and are older than the next one
            table.entries.pop(fork.pid, None)
        return super().strays(job, table)

    def known_children(self) -> set[int]:
        return super().known_children() | {fork.pid for fork in self.warm.forks}

    def handle_exit(self) -> bool:
        """Take the exit code from the fork's shared memory: freeing a large interpreter takes as long as a small
        script.
        """
        for job in self.by_number.values():
            if isinstance(job, ForkedRun) and not job.exited and (status := job.fork.exit_code()) is not None:
                job.exited = True
                self.warm.learn(job)  # its process may take long to end on a busy machine
                if job.keep or not self.end_finished_fork(job.fork.pid):
                    job.tell(EXITED, status)
                else:
                    job.tell(EXITED_ALONE, status)
                    self.forget(job)
                    self.by_pid[job.fork.pid] = job  # until it is reaped
                return True
        return False

    def end_finished_fork(self, pid: int) -> bool:
        """Kill a fork that has reported its exit code; returns whether it leaves nothing running.

        It can start nothing more then. What it has started is its child still, or ours already.
        """
        send(os.kill, pid, SIGKILL)
        return not read_children(str(pid)) and self.has_no_orphans()

    def exited(self, pid: int, status: int) -> None:
        job = self.by_pid.get(pid)
        reported = job is not None and job.exited
        super().exited(pid, status)
        if isinstance(job, ImportTrial):
            self.finish(job)
        elif isinstance(job, ForkedRun):
            if not reported:
                self.warm.learn(job)
            job.fork.shared.close()

    def finish(self, trial: ImportTrial) -> None:
        """End whatever the imports have started."""
        if not trial.ending:
            trial.ending, trial.kill_at = True, time.monotonic()
            self.sweeps.hurry()
            self.warm.finish_trial(trial)
