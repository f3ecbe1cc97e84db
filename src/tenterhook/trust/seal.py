"""Check before and after each run that a hook is still what was approved."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from tenterhook import handlers
from tenterhook.support.fingerprint import Stamp, stamp
from tenterhook.trust.parts import SURE, BoundFile, ProjectRoots, again
from tenterhook.types import Attempt, Job

if TYPE_CHECKING:
    from tenterhook.types import Hook

HINT = "tenter trust shows what changed and approves it"


class Seal(Struct):
    """The files that an approval is bound to, each with the fingerprint under which it was read.

    `why` is what was changed, if the hook was found modified already; `before` is the approved version.
    """

    files: list[tuple[BoundFile, Stamp]]
    where: ProjectRoots
    why: str = ""
    before: Hook | None = None

    def find_change(self) -> str:
        """What changed since the approval; empty if nothing. A file is read only if its fingerprint differs."""
        if self.why:
            return self.why
        for n, (one, known) in enumerate(self.files):
            if stamp(one.path) == known:
                continue
            now, fresh = again(one, self.where)
            if now.key != one.key:
                return f"modified since it was approved: {one.path}; {HINT}"
            self.files[n] = (one, fresh)
        clear_bytecode(self.modules)
        return ""

    def find_touched(self, before: Sequence[Stamp]) -> str:
        """A file that was written to while the hook ran: it may have been different for a moment."""
        for (one, _), then in zip(self.files, before, strict=True):
            if stamp(one.path) == then[:SURE]:
                continue
            # For these the time of change does not count: a hook may create files in a folder.
            if one.how not in ("names", "path") or again(one, self.where)[0].key != one.key:
                return f"modified while it ran: {one.path}; {HINT}"
        return ""

    @property
    def modules(self) -> dict[str, set[str]]:
        """The project's Python files, by folder: `__pycache__` may hold other code for them."""
        found: dict[str, set[str]] = {}
        for one, _ in self.files:
            if one.how == "content" and one.path.endswith(".py") and self.where.of_project(one.real):
                folder, name = os.path.split(one.real)
                found.setdefault(folder, set()).add(name.removesuffix(".py"))
        return found

    def stamps(self) -> list[Stamp]:
        return [known for _, known in self.files]


def clear_bytecode(modules: Mapping[str, set[str]]) -> None:
    """Remove the bytecode of these modules from `__pycache__`.

    Python runs it without looking at the source, so a planted file would run under the source's approval. Nothing is
    lost: Python writes it again.
    """
    for folder, names in modules.items():
        cache = os.path.join(folder, "__pycache__")
        try:
            entries = os.listdir(cache)
        except OSError:
            continue
        for entry in entries:
            if entry.endswith(".pyc") and entry.partition(".")[0] in names:
                with suppress(OSError):
                    os.unlink(os.path.join(cache, entry))


def seal_to_check(job: Job) -> Seal | None:
    """The seal to check here; None for a child process, whose starter checks it."""
    return None if handlers.starts_child(job.hook.handler) else job.hook.seal


def refusal(job: Job) -> Attempt | None:
    """The attempt for a job that must not run; None if it may."""
    seal = seal_to_check(job)
    return modified_hook_attempt(job, why) if seal is not None and (why := seal.find_change()) else None


def modified_hook_attempt(job: Job, why: str) -> Attempt:
    hook = job.hook
    return Attempt(hook.name, hook.handler, str(hook.source), error="modified", detail=why)


def afterwards(job: Job, stamps: Sequence[Stamp], attempt: Attempt) -> Attempt:
    """Discard the hook's answer if its files were changed while it ran."""
    seal = seal_to_check(job)
    why = seal.find_touched(stamps) if seal else ""
    return replace(modified_hook_attempt(job, why), seconds=attempt.seconds) if why else attempt


def run_sealed_jobs(jobs: Sequence[Job], run: Callable[[Sequence[Job]], list[Attempt]]) -> list[Attempt]:
    """Run the jobs whose seals are intact."""
    refused = [refusal(job) for job in jobs]
    whole = [job for job, no in zip(jobs, refused, strict=True) if no is None]
    stamps = [seal.stamps() if (seal := seal_to_check(job)) else [] for job in whole]
    done = run(whole) if whole else []
    answers = iter([afterwards(*one) for one in zip(whole, stamps, done, strict=True)])
    return [no or next(answers) for no in refused]


async def arun_sealed_job(job: Job, run: Callable[[Job], Awaitable[Attempt]]) -> Attempt:
    """The same for one job on an event loop."""
    refused = refusal(job)
    if refused:
        return refused
    stamps = seal.stamps() if (seal := seal_to_check(job)) else []
    return afterwards(job, stamps, await run(job))
